"""Chain of masses and springs between two supports that move differently: modal superposition.

Masses m_1..m_n in a row, n + 1 springs, no damping. Nodes are numbered as in the documents: node 1 is
the left support, nodes 2..n+1 the masses, node n+2 the right support. Each support has its own
acceleration and starts at rest. Absolute displacement = driven (static modes × support displacements)
+ relative (modes × Duhamel integrals).

Source: EDF validation manual V2.01.103 (SDLD103); J. S. Przemieniecki, Theory of Matrix Structural
Analysis (1968), chapters 10 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import mpmath
from mpmath import mpf

from veridyn.references.certified import Certified, Route, certify, certify_all, exact_zero, per_precision
from veridyn.references.chain_modes import (
    add_up,
    participations,
    recurred_shape,
    solve_modes,
    solved_static,
    static_shape,
    sturm_omega,
)
from veridyn.references.chain_series import Chain, directly, stiffest
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_count,
    check_digits,
    checked,
    resolve,
)
from veridyn.references.support_motion import Acceleration, Harmonic, polynomial

PARAMETERS = (
    Parameter("m", "kg", "each of the three masses", "10"),
    Parameter("k", "N/m", "each of the four springs", "1e4"),
    Parameter("a", "m/s⁴", "acceleration of the left support over t²", "2e5"),
)

_TIME = Parameter("time", "s", "instant", "0", "non-negative")
MOST_RADIANS = 10_000  # about half a minute for all quantities of a three-mass chain

_MODAL = "modal superposition with Duhamel integrals in closed form"
_DIRECT = "Taylor series of the coupled equations in absolute displacements"

Part = Literal["relative", "driven", "absolute"]


def chain(
    *,
    masses: Sequence[Number],
    springs: Sequence[Number],
    left: Acceleration = (),
    right: Acceleration = (),
) -> Chain:
    """Make a chain of n masses and n + 1 springs.

    Raises
    ------
    ParameterError
        If the numbers of masses and springs do not fit, or one is not positive.
    """
    if not masses or len(springs) != len(masses) + 1:
        raise ParameterError(
            f"a chain of n >= 1 masses has n + 1 springs, got {len(masses)} masses and {len(springs)} springs"
        )
    return Chain(_positive(masses, "mass", "kg"), _positive(springs, "spring", "N/m"), left, right)


def _positive(values: Sequence[Number], name: str, unit: str) -> tuple[Exact, ...]:
    return tuple(checked(Parameter(f"{name} {i}", unit, "", "1"), v) for i, v in enumerate(values, start=1))


def uniform_chain(*, m: Number, k: Number, a: Number) -> Chain:
    """Make the chain of SDLD103: three masses m, four springs k, left support a t², right one fixed.

    Raises
    ------
    ParameterError
        If a parameter is not positive.
    """
    p = resolve(PARAMETERS, {"m": m, "k": k, "a": a})
    return Chain((p["m"],) * 3, (p["k"],) * 4, polynomial(0, 0, p["a"]))


def frequencies(c: Chain, *, digits: int = 30) -> tuple[Certified, ...]:
    """Natural frequencies in Hz, ascending.

    Raises
    ------
    ParameterError
        If `digits` is out of range.
    """
    return certify_all(
        Route("eigenvalues of M^-½ K M^-½", lambda: [w / (2 * mpmath.pi) for w in solve_modes(c).omegas]),
        Route(
            "bisection between Sturm counts of K - ω² M",
            lambda: [sturm_omega(c, r) / (2 * mpmath.pi) for r in range(c.n)],
        ),
        digits=digits,
        kind="quasi-analytical",
        name="frequencies",
    )


def modes(c: Chain, *, digits: int = 30) -> tuple[tuple[Certified, ...], ...]:
    """Shapes with ΦᵀMΦ = 1 (kg^-½), first component positive: one tuple of n components per mode."""
    return tuple(_mode(c, r, digits) for r in range(c.n))


def _mode(c: Chain, r: int, digits: int) -> tuple[Certified, ...]:
    return certify_all(
        Route("eigenvectors of M^-½ K M^-½", lambda: solve_modes(c).shapes[r]),
        Route("recurrence along the chain from the Sturm frequency", lambda: recurred_shape(c, r)),
        digits=digits,
        kind="quasi-analytical",
        name=f"mode {r + 1}",
    )


def static_modes(c: Chain, *, digits: int = 30) -> tuple[tuple[Certified, ...], tuple[Certified, ...]]:
    """Give the displacements of the masses for a unit displacement of the left, and of the right support."""
    return _static_mode(c, 0, digits), _static_mode(c, 1, digits)


def _static_mode(c: Chain, side: int, digits: int) -> tuple[Certified, ...]:
    return certify_all(
        Route("springs in series", lambda: [side + (1 - 2 * side) * psi for psi in static_shape(c)[1:-1]]),
        Route("solution of K ψ = coupling forces", lambda: solved_static(c, side)),
        digits=digits,
        kind="closed form",
        name="static mode",
    )


def duhamel(acceleration: Acceleration, *, omega: Number, time: Number, digits: int = 30) -> Certified:
    """Integral 1/ω ∫ sin ω(t-s) a(s) ds of an acceleration, in m, for a circular frequency ω (rad/s).

    Raises
    ------
    ParameterError
        If ω is not positive or the time negative.
    """
    t, w = checked(_TIME, time), checked(Parameter("omega", "rad/s", "", "1"), omega)
    if t.rational == 0:
        return exact_zero("at rest at t = 0", digits)
    return certify(
        Route("closed form", lambda: _duhamel(acceleration, w.mpf(), t.mpf())),
        Route("quadrature", lambda: _duhamel_quadrature(acceleration, w.mpf(), t.mpf())),
        digits=digits,
        kind="closed form",
        name="duhamel",
    )


def _duhamel(acceleration: Acceleration, omega: mpf, t: mpf, rate: bool = False) -> mpf:
    return add_up([x.duhamel_velocity(omega, t) if rate else x.duhamel(omega, t) for x in acceleration])


def _duhamel_quadrature(acceleration: Acceleration, omega: mpf, t: mpf) -> mpf:
    def integrand(s: mpf) -> mpf:
        return mpmath.sin(omega * (t - s)) * mpmath.fsum(term.acceleration(s) for term in acceleration)

    fastest = max([omega, *(term.omega.mpf() for term in acceleration if isinstance(term, Harmonic))])
    return mpmath.quad(integrand, mpmath.linspace(0, t, int(fastest * t / 3) + 2)) / omega


def _support(acceleration: Acceleration, t: mpf, rate: bool) -> mpf:
    return add_up([x.velocity(t) if rate else x.displacement(t) for x in acceleration])


def _driven(c: Chain, node: int, t: mpf, rate: bool) -> mpf:
    psi = static_shape(c)[node - 1]
    return add_up([psi * _support(c.left, t, rate), (1 - psi) * _support(c.right, t, rate)])


@per_precision
def _coordinates(c: Chain, time: Exact, rate: bool) -> tuple[mpf, ...]:
    """Modal coordinates q_r at an instant, or their rates."""
    t = time.mpf()
    return tuple(
        -add_up([left * _duhamel(c.left, w, t, rate), right * _duhamel(c.right, w, t, rate)])
        for w, (left, right) in zip(solve_modes(c).omegas, participations(c), strict=True)
    )


def _relative(c: Chain, node: int, time: Exact, rate: bool) -> mpf:
    if node in (1, c.n + 2):
        return mpmath.mpf(0)
    shapes = solve_modes(c).shapes
    return add_up([shape[node - 2] * q for shape, q in zip(shapes, _coordinates(c, time, rate), strict=True)])


def _modal(c: Chain, part: Part, node: int, time: Exact, rate: bool) -> mpf:
    """Evaluate one part of the response by superposition of modes."""
    wanted = {"relative": (1, 0), "driven": (0, 1), "absolute": (1, 1)}[part]
    relative = _relative(c, node, time, rate) if wanted[0] else mpmath.mpf(0)
    return add_up([relative, _driven(c, node, time.mpf(), rate) if wanted[1] else mpmath.mpf(0)])


def _direct(c: Chain, part: Part, node: int, time: Exact, rate: bool) -> mpf:
    """Evaluate the same without modes and without closed forms of the support motion."""
    displacements, velocities = directly(c, time)
    line = velocities if rate else displacements
    psi = [1, *solved_static(c, 0), 0][node - 1]
    driven = add_up([psi * line[0], (1 - psi) * line[-1]])
    return {"relative": add_up([line[node - 1], -driven]), "driven": driven, "absolute": line[node - 1]}[part]


def _followable(c: Chain, t: Exact) -> None:
    """Refuse what the second route cannot follow in reasonable time."""
    radians = mpmath.sqrt(stiffest(c)) * t.mpf()
    if radians > MOST_RADIANS:
        raise ParameterError(
            f"the chain vibrates through up to {mpmath.nstr(radians, 3)} rad by t = {t} s; the direct route follows "
            f"{MOST_RADIANS} rad at most: soften the springs, add mass, or shorten the time"
        )


def _certified(c: Chain, part: Part, node: int, time: Number, digits: int, rate: bool = False) -> Certified:
    t = checked(_TIME, time)
    if not 1 <= check_count(node, "node") <= c.n + 2:
        raise ParameterError(f"node must be from 1 to {c.n + 2} (the supports are the ends), got {node}")
    if t.rational == 0:
        return exact_zero("at rest at t = 0", digits)
    _followable(c, t)
    return certify(
        Route(_MODAL, lambda: _modal(c, part, node, t, rate)),
        Route(_DIRECT, lambda: _direct(c, part, node, t, rate)),
        digits=digits,
        kind="quasi-analytical",
        name=f"{part} {'velocity' if rate else 'displacement'} of node {node}",
    )


def relative_displacement(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Displacement of a node relative to the static shape of the moving supports, in m.

    Parameters
    ----------
    c
        The chain, from `chain` or `uniform_chain`.
    node
        1 is the left support, 2..n+1 the masses, n+2 the right support.
    time
        Instant in s, not negative.
    digits
        Digits wanted.

    Returns
    -------
    Certified
        Σ φ_r q_r; negative for the masses when the left support moves to the right (the signs that
        EDF V2.01.103 lost).

    Raises
    ------
    ParameterError
        If the node does not exist or the time is negative.
    """
    return _certified(c, "relative", node, time, digits)


def driven_displacement(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Sum of static modes × support displacements, in m; parameters, errors: `relative_displacement`."""
    return _certified(c, "driven", node, time, digits)


def absolute_displacement(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Sum of driven and relative displacement, in m; parameters and errors: `relative_displacement`."""
    return _certified(c, "absolute", node, time, digits)


def relative_velocity(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Rate of the relative displacement, in m/s; parameters and errors: `relative_displacement`."""
    return _certified(c, "relative", node, time, digits, rate=True)


def driven_velocity(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Rate of the driven displacement, in m/s; parameters and errors: `relative_displacement`."""
    return _certified(c, "driven", node, time, digits, rate=True)


def absolute_velocity(c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Rate of the absolute displacement, in m/s; parameters and errors: `relative_displacement`."""
    return _certified(c, "absolute", node, time, digits, rate=True)


@dataclass(frozen=True)
class Motion:
    """Histories for figures: modal superposition without the second route, to about `digits` digits."""

    chain: Chain
    digits: int

    def displacement(self, part: Part, node: int, t: Number) -> mpf:
        """``relative``, ``driven`` or ``absolute`` displacement of a node in m."""
        return self._evaluate(part, node, t, rate=False)

    def velocity(self, part: Part, node: int, t: Number) -> mpf:
        """``relative``, ``driven`` or ``absolute`` velocity of a node in m/s."""
        return self._evaluate(part, node, t, rate=True)

    def _evaluate(self, part: Part, node: int, t: Number, *, rate: bool) -> mpf:
        with mpmath.workdps(self.digits + 15):
            value = _modal(self.chain, part, node, checked(_TIME, t), rate)
        with mpmath.workdps(self.digits):
            return +value


def motion(c: Chain, *, digits: int = 30) -> Motion:
    """Motion of the chain, for figures; nodes as for `relative_displacement`."""
    return Motion(c, check_digits(digits))
