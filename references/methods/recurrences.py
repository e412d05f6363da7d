"""One step of known time integrators on ``M x'' + C x' + K x = f``, in numbers of mpmath.

A rule maps the blocks of a state, (n, columns) each, and the loads of a step linearly to the blocks a step later. The
first two blocks are the reported displacement and velocity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import mpmath
import numpy as np
from mpmath import mpf

from veridyn.references.methods.tableaux import Array, Tableau

Blocks: TypeAlias = tuple[Array, ...]
Constants: TypeAlias = Mapping[str, Any]  # of a method: numbers and words by name


@dataclass(frozen=True)
class MatrixSystem:
    """Matrices (n, n) in kg, N s/m, N/m and the step h in s."""

    mass: Array
    damping: Array
    stiffness: Array
    step: mpf

    def acceleration(self, load: Array, x: Array, v: Array) -> Array:
        """Return the acceleration that balances a state."""
        return solve(self.mass, load - self.damping @ v - self.stiffness @ x)


@dataclass(frozen=True)
class Rule:
    """A method with its constants.

    Attributes
    ----------
    instants
        Of the loads of a step, in steps after its start.
    start
        From system, displacement, velocity and load at the start to the blocks of the first state.
    advance
        From system, blocks and loads to the blocks a step later.
    lumped
        Whether the sums of the rows of the mass matrix take its place.
    """

    instants: tuple[Any, ...]
    start: Callable[[MatrixSystem, Array, Array, Array], Blocks]
    advance: Callable[[MatrixSystem, Blocks, Blocks], Blocks]
    lumped: bool = False


@dataclass(frozen=True)
class Recurrence:
    """``z' = step z + Σ loads[j] f_j`` from ``z = start (x, v, f)``; z (k n,), f (n,), start (k n, 3 n)."""

    step: Array
    loads: tuple[Array, ...]
    start: Array


def solve(matrix: Array, right: Array) -> Array:
    """Solve a linear system (n, n) for several right-hand sides; raises ValueError if it is singular."""
    try:
        inverse = mpmath.inverse(mpmath.matrix(matrix.tolist()))
    except ZeroDivisionError:
        raise ValueError("the matrix of a step is singular: mass and method must make it regular") from None
    return np.array(inverse.tolist(), dtype=object) @ right


def assemble(rule: Rule, system: MatrixSystem) -> Recurrence:
    """Write a rule as matrices, by applying it to unit vectors."""
    n = len(system.mass)
    if rule.lumped:
        system = replace(system, mass=np.diag(system.mass.sum(axis=1)))
    first = rule.start(system, *_units(n, 3))
    k = len(first)
    units = _units(n, k + len(rule.instants))
    after = np.concatenate(rule.advance(system, units[:k], units[k:]))
    loads = tuple(after[:, (k + j) * n : (k + j + 1) * n] for j in range(len(rule.instants)))
    return Recurrence(after[:, : k * n], loads, np.concatenate(first))


def _identity(n: int) -> Array:
    return np.eye(n, dtype=int).astype(object)


def _units(n: int, blocks: int) -> Blocks:
    whole = _identity(n * blocks)
    return tuple(whole[i * n : (i + 1) * n] for i in range(blocks))


def _balanced_start(s: MatrixSystem, x: Array, v: Array, load: Array) -> Blocks:
    return x, v, s.acceleration(load, x, v)


def _plain_start(_: MatrixSystem, x: Array, v: Array, __: Array) -> Blocks:
    return x, v


def _weighted(p: Constants, weight: Any) -> tuple[tuple[Any, ...], Callable[[Blocks], Array]]:
    """Return the instants and the load at ``weight`` steps after the start, as given or on the chord of both ends."""
    if p.get("load") == "interpolated":
        return (0, 1), lambda loads: loads[0] * (1 - weight) + loads[1] * weight
    return (weight,), lambda loads: loads[0]


def alpha_family(p: Constants) -> Rule:
    """Newmark, Hilber-Hughes-Taylor and generalised alpha: balance between the ends of the step.

    M ((1 - α_m) a' + α_m a) + C ((1 - α_f) v' + α_f v) + K ((1 - α_f) x' + α_f x) = f(t + (1 - α_f) h)
    """
    new, kept, beta, gamma = 1 - p["alpha_f"], p["alpha_f"], p["beta"], p["gamma"]
    instants, load = _weighted(p, new)

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        (x, v, a), h = blocks, s.step
        x_star = x + v * h + a * ((1 - 2 * beta) * h * h / 2)
        v_star = v + a * ((1 - gamma) * h)
        left = s.mass * (1 - p["alpha_m"]) + (s.damping * (gamma * h) + s.stiffness * (beta * h * h)) * new
        inner = s.damping @ (v_star * new + v * kept) + s.stiffness @ (x_star * new + x * kept)
        a_new = solve(left, load(loads) - s.mass @ a * p["alpha_m"] - inner)
        return x_star + a_new * (beta * h * h), v_star + a_new * (gamma * h), a_new

    return Rule(instants, _balanced_start, advance)


def wilson(p: Constants) -> Rule:
    """Wilson's method: linear acceleration over θ h, balance at its end."""
    instants, load = _weighted(p, p["theta"])

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v, a = blocks
        h, reach = s.step, p["theta"] * s.step
        x_star = x + v * reach + a * (reach * reach / 3)
        v_star = v + a * (reach / 2)
        left = s.mass + s.damping * (reach / 2) + s.stiffness * (reach * reach / 6)
        beyond = solve(left, load(loads) - s.damping @ v_star - s.stiffness @ x_star)
        a_new = a + (beyond - a) / p["theta"]
        return x + v * h + (a_new + a * 2) * (h * h / 6), v + (a + a_new) * (h / 2), a_new

    return Rule(instants, _balanced_start, advance)


def central_difference(p: Constants) -> Rule:
    """Central differences; with the central velocity they are Newmark's method with beta = 0, gamma = 1/2."""
    rule = alpha_family(p) if p["velocity"] == "central" else Rule((1,), _extrapolated_start, _extrapolated)
    return replace(rule, lumped=p["mass"] == "lumped")


def _extrapolated_start(s: MatrixSystem, x: Array, v: Array, load: Array) -> Blocks:
    a = s.acceleration(load, x, v)
    return x, v, a, a


def _extrapolated(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
    """Report the velocity of the half-step, led on by the acceleration at its start."""
    x, v, a, before = blocks
    half = v + (a * 2 - before) * (s.step / 2)
    x_new, v_new = x + half * s.step, half + a * (s.step / 2)
    return x_new, v_new, s.acceleration(loads[0], x_new, v_new), a


def symplectic_euler(p: Constants) -> Rule:
    """Symplectic Euler: one after the other, displacement and velocity; the second uses the first at the end."""
    position_first = p["form"] == "position-first"

    def kick(s: MatrixSystem, x: Array, v: Array, load: Array) -> Array:
        if p["damping"] == "explicit":
            return v + s.acceleration(load, x, v) * s.step
        return solve(s.mass + s.damping * s.step, s.mass @ v + (load - s.stiffness @ x) * s.step)

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v = blocks
        if position_first:
            x = x + v * s.step
            return x, kick(s, x, v, loads[0])
        v = kick(s, x, v, loads[0])
        return x + v * s.step, v

    return Rule((1 if position_first else 0,), _plain_start, advance)


def de_vogelaere(p: Constants) -> Rule:
    """De Vogelaere's method with damping as adapted by Fu.

    The state holds the force r without damping now, and r and the velocity half a step ago. With the word "diagonal"
    only the diagonal of the damping matrix is treated as damping; the rest of it is part of r, a force that sees the
    mean velocity of the last half-step.
    """

    def parts(s: MatrixSystem) -> tuple[Array, Array]:
        """Return what is treated as damping, and the rest."""
        inner = s.damping * _identity(len(s.mass)) if p["damping"] == "diagonal" else s.damping
        return inner, s.damping - inner

    def start(s: MatrixSystem, x: Array, v: Array, load: Array) -> Blocks:
        h, (c, rest) = s.step, parts(s)
        r = load - s.stiffness @ x - rest @ v
        x_before = x - v * (h / 2) + solve(s.mass, r - c @ v) * (h * h / 8)
        r_before = r + s.stiffness @ (x - x_before)  # the load is held over the half-step before the start
        right = (s.mass * 4 + c * h) @ v - (r_before + r) * h
        return x, v, r, r_before, solve(s.mass * 4 - c * h, right)

    def advance(s: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        x, v, r, r_before, v_before = blocks
        h, m, (c, rest) = s.step, s.mass, parts(s)
        x_half = x + v * (h / 2) + solve(m, r * 4 - r_before - c @ (v * 4 - v_before)) * (h * h / 24)
        r_half = loads[0] - s.stiffness @ x_half - rest @ (x_half - x) * (2 / h)
        v_half = solve(m * 4 + c * h, m @ v * 4 + (r + r_half - c @ v) * h)
        x_new = x + v * h + solve(m, r + r_half * 2 - c @ (v + v_half * 2)) * (h * h / 6)
        r_new = loads[1] - s.stiffness @ x_new - rest @ (x_new - x_half) * (2 / h)
        v_new = solve(m * 6 + c * h, m @ v * 6 + (r_new + r_half * 4 + r - c @ (v_half * 4 + v)) * h)
        return x_new, v_new, r_new, r_half, v_half

    return Rule((mpf(1) / 2, 1), start, advance)


def runge_kutta(p: Constants) -> Rule:
    """Any Runge-Kutta method on ``(x, v)' = (v, a)``: one linear system for the accelerations of all stages."""
    tableau: Tableau = p["tableau"]
    stages, step = tableau.stages, tableau.step
    s, sums, moments = len(step), stages.sum(axis=1), step @ stages

    def advance(y: MatrixSystem, blocks: Blocks, loads: Blocks) -> Blocks:
        (x, v), h, n = blocks, y.step, len(y.mass)
        left = np.kron(_identity(s), y.mass) + np.kron(stages, y.damping) * h
        left = left + np.kron(stages @ stages, y.stiffness) * (h * h)
        right = [f - y.damping @ v - y.stiffness @ (x + v * (h * c)) for f, c in zip(loads, sums, strict=True)]
        a = solve(left, np.concatenate(right)).reshape(s, n, -1)
        x_gain, v_gain = (sum(a[i] * w[i] for i in range(s)) * h for w in (moments, step))
        return x + v * (h * step.sum()) + x_gain * h, v + v_gain

    return Rule(tuple(tableau.instants), _plain_start, advance)
