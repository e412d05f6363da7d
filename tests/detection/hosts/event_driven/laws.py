"""The laws of loads, supports, stops, frictions and devices, each over instants (m,)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .records import (
    ELASTIC,
    LIFTED,
    PLATEAU,
    POST,
    ROUNDING,
    SOFTENING,
    Floats,
    Local,
    Plane,
    Rub,
)
from .time_functions import Signal


class Laws:
    """The laws of loads, supports, stops, frictions and devices, each over instants (m,)."""

    def load(self, function: Signal, t: Floats, where: float) -> Floats:
        """Return a load (m,) at instants of the smooth piece around ``where``."""
        return np.asarray(function.near(where)(t))

    def support(self, function: Signal, t: Floats, where: float) -> Floats:
        """Return an acceleration, velocity or displacement of a support (m,)."""
        return np.asarray(function.near(where)(t))

    def gap(self, plane: Plane, x: Floats, driven: Floats | None) -> Floats:
        """Return the gap (m,) of a plane at unknowns (m, n) and displacements of supports (m, j)."""
        gap = plane.gap - x @ plane.normal
        return gap if driven is None else gap - driven @ plane.carried

    def gap_rate(self, plane: Plane, v: Floats, driven: Floats | None) -> Floats:
        """Return the rate of the gap (m,)."""
        rate = -(v @ plane.normal)
        return rate if driven is None else rate - driven @ plane.carried

    def contact_force(self, plane: Plane, gap: Floats, rate: Floats) -> Floats:
        """Return the push (m,) of a closed plane; negative where it would pull."""
        return -plane.stiffness * gap - plane.damping * rate

    def sliding_velocity(self, rub: Rub, v: Floats, driven: Floats | None) -> Floats:
        """Return the sliding velocity (m,)."""
        sliding = v @ rub.line
        return sliding if driven is None else sliding + driven @ rub.carried

    def normal_force(self, rub: Rub, pushes: Sequence[Floats], zero: Floats) -> Floats:
        """Return the normal force (m,) of a friction."""
        return sum((pushes[i] for i in rub.planes), start=zero + rub.normal)

    def slip_force(self, rub: Rub, normal: Floats, direction: int) -> Floats:
        """Return the force of a slipping friction (m,) along its line."""
        return -direction * rub.kinetic * normal

    def stick_limit(self, rub: Rub, normal: Floats) -> Floats:
        """Return the largest force (m,) of a sticking friction."""
        return rub.static * normal

    def stick_forces(self, lines: Floats, inverse: Floats, force: Floats, carried: Floats) -> Floats:
        """Return the forces (m, k) that keep the sliding velocities along lines (k, n) from changing.

        ``force`` (m, n) are all other forces, ``carried`` (m, k) the accelerations of the ground.
        """
        mobility = lines @ inverse
        return np.asarray(np.linalg.solve(lines @ mobility.T, -(force @ mobility.T + carried).T).T)

    def elongation(self, device: Local, x: Floats, driven: Floats | None) -> Floats:
        """Return the elongation (m,) of a device."""
        u = np.asarray(x @ device.direction + device.law.offset)
        return u if driven is None else u + driven @ device.carried

    def stretching(self, device: Local, v: Floats, driven: Floats | None) -> Floats:
        """Return the rate of the elongation (m,)."""
        rate = v @ device.direction
        return rate if driven is None else rate + driven @ device.carried

    def spring_force(self, law: Any, u: Floats, branch: int) -> Floats:
        """Return the force (m,) of a nonlinear spring on one of its polynomials."""
        by = u - law.breaks[max(branch - 1, 0)]
        force = np.zeros_like(u)
        for c in reversed(law.coefficients[branch]):
            force = force * by + c
        return force

    def zener_forces(self, law: Any, u: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return the force of a Zener device and that of its dashpot (m,)."""
        total = law.k1 + law.k2 + law.k3
        force = law.k1 * ((law.k2 + law.k3) * u - law.k3 * z) / total
        return force, law.k3 * (law.k1 * u - (law.k1 + law.k2) * z) / total

    def dashpot_rate(self, law: Any, dashpot: Floats, sign: int) -> Floats:
        """Return the rate of the path of a dashpot (m,) under forces of one sign."""
        if law.alpha == 1:
            return np.asarray(dashpot / law.damping)
        power = 1 / law.alpha
        base = sign * dashpot / law.damping
        whole = abs(power - round(power)) < ROUNDING
        return np.asarray(sign * (base ** round(power) if whole else np.maximum(base, 0.0) ** power))

    def residual_crush(self, law: Any, largest: float) -> float:
        """Return the crush (m) that remains of a largest crush."""
        first = law.critical_force / law.contact_stiffness
        points = [(first, 0.0), (first + law.plateau, law.plateau)]
        points += [(d + law.post_force / k, d) for d, k in law.returns]
        if largest <= first:
            return 0.0
        i = max(j for j, (x, _) in enumerate(points) if largest >= x)
        (x, d) = points[i]
        if i + 1 == len(points):
            return float(d + largest - x)
        return float(d + (largest - x) / (points[i + 1][0] - x) * (points[i + 1][1] - d))

    def crush_branch(self, law: Any, largest: float) -> int:
        """Return the branch of first loading at a crush (m)."""
        return ELASTIC + sum(largest >= end for end in self.branch_ends(law))

    def branch_ends(self, law: Any) -> tuple[float, float, float]:
        """Return the crushes (m) at which elastic loading, plateau and softening end."""
        first = law.critical_force / law.contact_stiffness
        return first, first + law.plateau, first + law.plateau + law.softening

    def crush_force(self, law: Any, u: Floats, branch: int, largest: float) -> Floats:
        """Return the push (m,) of a buckling stop on one of its branches."""
        if branch == LIFTED:
            return np.zeros_like(u)
        if branch == ELASTIC:
            return np.asarray(law.contact_stiffness * u)
        if branch == SOFTENING:
            beyond = (u - self.branch_ends(law)[1]) / law.softening
            return np.asarray(law.critical_force - (law.critical_force - law.post_force) * beyond)
        if branch in (PLATEAU, POST):
            return np.full_like(u, law.critical_force if branch == PLATEAU else law.post_force)
        top = np.array([largest])
        envelope = self.crush_force(law, top, self.crush_branch(law, largest), largest)[0]
        residual = self.residual_crush(law, largest)
        return np.asarray(envelope * (u - residual) / (largest - residual))
