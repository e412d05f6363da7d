"""Chain of masses and springs between two supports that move differently.

Masses m_1..m_n in a row, n + 1 springs, no damping. Nodes are numbered as in the documents: node 1 is the left
support, nodes 2..n+1 the masses, node n+2 the right support. Each support has its own acceleration and starts at rest.
Absolute displacement = driven (static modes × support displacements) + relative (modes × Duhamel integrals).

The first route knows no modes: one linear system of all nodes, supports included, and of what generates their
accelerations. The second is the modal superposition of the manual, see `chain_modes`.

Source: EDF validation manual V2.01.103 (SDLD103); J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968),
chapters 10 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Literal

import mpmath
from flint import acb_mat, arb, arb_poly, fmpq, fmpq_poly

from veridyn.references import chain_modes as modal
from veridyn.references.certified import Certified, Kind, Route, exact_zero
from veridyn.references.chain_modes import Chain
from veridyn.references.enclosure import Undecided, ball, enclose, per_bits
from veridyn.references.flows import Linear, Row, State
from veridyn.references.jets import Ball, Jet, differentiated, slope, value
from veridyn.references.motion import Motion
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
from veridyn.references.support_motion import Acceleration, polynomial

PARAMETERS = (
    Parameter("m", "kg", "each of the three masses", "10"),
    Parameter("k", "N/m", "each of the four springs", "1e4"),
    Parameter("a", "m/s⁴", "acceleration of the left support over t²", "2e5"),
)

_TIME = Parameter("time", "s", "instant", "0", "non-negative")
_PROOF = "linear motion enclosed, supports included"
_MODAL = "modal superposition with Duhamel integrals in closed form"

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


def _several(
    count: int, read: Callable[[int], Ball], second: Route, *, digits: int, kind: Kind, name: str, proof: str
) -> tuple[Certified, ...]:
    """Enclose numbers one by one; the second route gives all of them."""

    def one(i: int) -> Certified:
        route = Route(second.how, lambda: second.compute()[i])
        return enclose(partial(read, i), route, digits=digits, kind=kind, name=f"{name} {i + 1}", proof=proof)

    return tuple(map(one, range(count)))


@per_bits
def _squares(c: Chain) -> list[Ball]:
    """Return the squared circular frequencies, ascending: real, since M^-1 K is similar to a symmetric matrix."""
    k, m = ([ball(x.plain) for x in values] for values in (c.springs, c.masses))
    matrix = acb_mat(c.n, c.n)
    for i in range(c.n):
        matrix[i, i] = (k[i] + k[i + 1]) / m[i]
        if i:
            matrix[i, i - 1], matrix[i - 1, i] = -k[i] / m[i], -k[i] / m[i - 1]
    try:
        found = sorted((z.real for z in matrix.eig()), key=lambda x: float(x.mid()))
    except ValueError as error:
        raise Undecided("two frequencies agree, or nearly") from error
    if not all(a < b for a, b in pairwise(found)):
        raise Undecided("two frequencies agree, or nearly")
    varied = [ball(x) for x in c.springs], [ball(x) for x in c.masses]
    if not differentiated(*varied[0], *varied[1]):
        return found
    return [Jet(s, -slope(_determinant(*varied, s)) / slope(_determinant(k, m, Jet(s, arb(1))))) for s in found]


def _determinant(k: Sequence[Ball], m: Sequence[Ball], square: Ball) -> Ball:
    """Return det(K - s M), by its three-term recurrence."""
    before, now = arb(0), arb(1)
    for i, mass in enumerate(m):
        before, now = now, (k[i] + k[i + 1] - square * mass) * now - k[i] ** 2 * before
    return now


def frequencies(c: Chain, *, digits: int = 30) -> tuple[Certified, ...]:
    """Natural frequencies in Hz, ascending.

    Raises
    ------
    ParameterError
        If `digits` is out of range.
    """
    return _several(
        c.n,
        lambda r: _squares(c)[r].sqrt() / (2 * arb.pi()),
        Route("eigenvalues of M^-½ K M^-½ (QL)", lambda: [w / (2 * mpmath.pi) for w in modal.solve_modes(c).omegas]),
        digits=digits,
        kind="quasi-analytical",
        name="frequency",
        proof="eigenvalues of M^-1 K, enclosed one by one",
    )


def modes(c: Chain, *, digits: int = 30) -> tuple[tuple[Certified, ...], ...]:
    """Shapes with ΦᵀMΦ = 1 (kg^-½), first component positive: one tuple of n components per mode."""
    return tuple(_mode(c, r, digits) for r in range(c.n))


def _mode(c: Chain, r: int, digits: int) -> tuple[Certified, ...]:
    return _several(
        c.n,
        lambda i: _shape(c, r)[i],
        Route("eigenvectors of M^-½ K M^-½ (QL)", lambda: modal.solve_modes(c).shapes[r]),
        digits=digits,
        kind="quasi-analytical",
        name=f"mode {r + 1}, component",
        proof="recurrence along the chain from the enclosed frequency",
    )


@per_bits
def _shape(c: Chain, r: int) -> list[Ball]:
    """Return a shape from equilibrium of one mass after the other."""
    k, m = ([ball(x) for x in values] for values in (c.springs, c.masses))
    square, x = _squares(c)[r], [arb(0), arb(1)]
    for i in range(c.n - 1):
        after = ((k[i] + k[i + 1] - square * m[i]) * x[-1] - k[i] * x[-2]) / k[i + 1]
        x.append(arb(0) if value(after).contains(0) and _node_of_shape(c, i + 1, square) else after)
    norm = sum((mass * y**2 for mass, y in zip(m, x[1:], strict=True)), arb(0)).sqrt()
    return [y / norm for y in x[1:]]


def _node_of_shape(c: Chain, place: int, square: Ball) -> bool:
    """Tell whether a component is zero exactly: the frequency is one of the masses before it as well."""
    if any(x.pi for x in (*c.springs, *c.masses)):
        return False
    k, m = ([fmpq(x.rational.numerator, x.rational.denominator) for x in values] for values in (c.springs, c.masses))
    minors = [fmpq_poly([0]), fmpq_poly([1])]  # of K - s M; a shape is made of them
    for i in range(c.n):
        minors.append(fmpq_poly([k[i] + k[i + 1], -m[i]]) * minors[-1] - k[i] ** 2 * minors[-2])
    others = minors[-1] // minors[-1].gcd(minors[place + 1])  # its roots: the frequencies for which it is not
    there: Ball = arb_poly(others)(square)
    return not there.contains(0)


def static_modes(c: Chain, *, digits: int = 30) -> tuple[tuple[Certified, ...], tuple[Certified, ...]]:
    """Give the displacements of the masses for a unit displacement of the left, and of the right support."""
    return _static_mode(c, 0, digits), _static_mode(c, 1, digits)


def _static_mode(c: Chain, side: int, digits: int) -> tuple[Certified, ...]:
    return _several(
        c.n,
        lambda i: _static(c, side)[i + 1],
        Route("solution of K ψ = coupling forces", lambda: modal.solved_static(c, side)),
        digits=digits,
        kind="closed form",
        name="static mode, component",
        proof="springs in series",
    )


@per_bits
def _static(c: Chain, side: int) -> list[Ball]:
    """Return the static mode of a support at all nodes: compliance up to the other support over the whole."""
    soft = [1 / ball(k) for k in c.springs]
    parts = [sum(soft[:i] if side else soft[i:], arb(0)) for i in range(c.n + 2)]
    return [part / parts[-side] for part in parts]


def _drive(rows: list[Row], state: list[Ball], place: int, acceleration: Acceleration) -> None:
    """Add an acceleration to a row, and the states that generate it."""
    for term in acceleration:
        generator, start, weights = term.generator()
        first = len(rows)
        rows[place] = {**rows[place], **{first + j: weight for j, weight in enumerate(weights)}}
        rows += [{first + j: b for j, b in row.items()} for row in generator]
        state += start


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

    def read() -> Ball:
        rows: list[Row] = [{1: arb(1)}, {0: -(ball(w) ** 2)}]
        state = [arb(0), arb(0)]
        _drive(rows, state, 1, acceleration)
        return Linear(rows).after(tuple(state), ball(t))[0]

    second = Route("closed form", lambda: modal.settled(lambda: modal.duhamel(acceleration, w.mpf(), t.mpf())))
    return enclose(read, second, digits=digits, kind="closed form", name="duhamel", proof=_PROOF)


@per_bits
def _flow(c: Chain) -> tuple[Linear, State]:
    """Return the equations of displacements and velocities of all nodes and of what drives them, and the start."""
    nodes = c.n + 2
    rows: list[Row] = [*({nodes + i: arb(1)} for i in range(nodes)), {}]
    for i, m in enumerate(c.masses, start=1):
        left, right = (ball(c.springs[j] / m) for j in (i - 1, i))
        rows.append({i - 1: left, i: -left - right, i + 1: right})
    rows.append({})
    state = [arb(0)] * (2 * nodes)
    _drive(rows, state, nodes, c.left)
    _drive(rows, state, 2 * nodes - 1, c.right)
    return Linear(rows), tuple(state)


@per_bits
def _state(c: Chain, time: Exact) -> State:
    flow, start = _flow(c)
    return flow.after(start, ball(time))


def _part(c: Chain, part: Part, node: int, state: State, rate: bool) -> Ball:
    line = state[c.n + 2 : 2 * c.n + 4] if rate else state[: c.n + 2]
    driven = _static(c, 0)[node - 1] * line[0] + _static(c, 1)[node - 1] * line[-1]
    return {"relative": line[node - 1] - driven, "driven": driven, "absolute": line[node - 1]}[part]


def _superposed(c: Chain, part: Part, node: int, time: Exact, rate: bool) -> mpmath.mpf:
    """Evaluate one part of the response by superposition of modes."""
    held = part == "driven" or node in (1, c.n + 2)
    relative = mpmath.mpf(0) if held else modal.relative(c, node, time, rate)
    return relative + (mpmath.mpf(0) if part == "relative" else modal.driven(c, node, time.mpf(), rate))


def _rests(c: Chain, part: Part, node: int) -> str:
    """Say why a node does not move; empty if it may."""
    if part == "relative" and node in (1, c.n + 2):
        return "supports do not move relative to themselves"
    mirrored = c.masses == c.masses[::-1] and c.springs == c.springs[::-1]
    if mirrored and 2 * node == c.n + 3 and c.left == tuple(term.opposite() for term in c.right):
        return "the middle of a chain that is its mirror image, with supports that move against each other"
    return ""


def _certified(c: Chain, part: Part, node: int, time: Number, digits: int, rate: bool = False) -> Certified:
    t = checked(_TIME, time)
    if not 1 <= check_count(node, "node") <= c.n + 2:
        raise ParameterError(f"node must be from 1 to {c.n + 2} (the supports are the ends), got {node}")
    if why := "at rest at t = 0" if t.rational == 0 else _rests(c, part, node):
        return exact_zero(why, digits)
    return enclose(
        lambda: _part(c, part, node, _state(c, t), rate),
        Route(_MODAL, lambda: modal.settled(lambda: _superposed(c, part, node, t, rate))),
        digits=digits,
        kind="quasi-analytical",
        name=f"{part} {'velocity' if rate else 'displacement'} of node {node}",
        proof=_PROOF,
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


def motion(c: Chain, *, digits: int = 30) -> Motion:
    """Return the motion for figures and comparison of histories.

    Readings: ``relative``, ``driven`` or ``absolute``, then ``displacement`` or ``velocity``, then the number of the
    node, as in ``"relative displacement 2"``.
    """

    def reading(part: Part, node: int, rate: bool) -> Callable[[Ball], Ball]:
        def read(t: Ball) -> Ball:
            flow, start = _flow(c)
            return _part(c, part, node, flow.after(start, t), rate)

        return read

    parts: tuple[Part, ...] = ("relative", "driven", "absolute")
    readings = {
        f"{part} {word} {node}": reading(part, node, rate)
        for part in parts
        for rate, word in ((False, "displacement"), (True, "velocity"))
        for node in range(1, c.n + 3)
    }
    return Motion(readings, lambda: (), check_digits(digits))
