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
from flint import acb_mat, arb

from veridyn.references import chain_modes as modal
from veridyn.references.certified import Certified, Route, exact_zero
from veridyn.references.chain_modes import Chain
from veridyn.references.enclosure import Undecided, ball, enclose, per_bits
from veridyn.references.flows import Linear, Row, State
from veridyn.references.jets import Ball, Jet, differentiated, slope
from veridyn.references.motion import Motion
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    argument,
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

Part = Literal["relative", "driven", "absolute"]


def chain(
    *, masses: Sequence[Number], springs: Sequence[Number], left: Acceleration = (), right: Acceleration = ()
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
    """Natural frequencies in Hz, ascending; raises `ParameterError` for digits out of range."""

    def frequency(r: int) -> Certified:
        return enclose(
            lambda: _squares(c)[r].sqrt() / (2 * arb.pi()),
            Route("eigenvalues of M^-½ K M^-½ (QL)", lambda: modal.solve_modes(c).omegas[r] / (2 * mpmath.pi)),
            digits=digits,
            kind="quasi-analytical",
            name=f"frequency {r + 1}",
            proof="eigenvalues of M^-1 K, enclosed one by one",
        )

    return tuple(map(frequency, range(c.n)))


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


def _part(c: Chain, part: Part, node: int, rate: bool, time: Ball) -> Ball:
    flow, start = _flow(c)
    state = flow.after(start, time)
    line = state[c.n + 2 : 2 * c.n + 4] if rate else state[: c.n + 2]
    driven = _static(c, 0)[node - 1] * line[0] + _static(c, 1)[node - 1] * line[-1]
    return {"relative": line[node - 1] - driven, "driven": driven, "absolute": line[node - 1]}[part]


def _displacement(part: Part, c: Chain, *, node: int, time: Number, digits: int = 30) -> Certified:
    """Displacement of a node in m: absolute, or relative to the static shape of the moving supports.

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
        The relative one, Σ φ_r q_r, is negative for the masses when the left support moves to the right (the signs
        that EDF V2.01.103 lost).

    Raises
    ------
    ParameterError
        If the node does not exist or the time is negative.
    """
    t: Exact = argument("time", time)
    if not 1 <= check_count(node, "node") <= c.n + 2:
        raise ParameterError(f"node must be from 1 to {c.n + 2} (the supports are the ends), got {node}")
    if t.rational == 0:
        return exact_zero("at rest at t = 0", digits)
    if part == "relative" and node in (1, c.n + 2):
        return exact_zero("supports do not move relative to themselves", digits)
    return enclose(
        lambda: _part(c, part, node, False, ball(t)),
        Route(
            "modal superposition with Duhamel integrals in closed form",
            lambda: modal.settled(lambda: modal.displacement(c, part, node, t)),
        ),
        digits=digits,
        kind="quasi-analytical",
        name=f"{part} displacement of node {node}",
        proof="linear motion enclosed, supports included",
    )


relative_displacement = partial(_displacement, "relative")
driven_displacement = partial(_displacement, "driven")
absolute_displacement = partial(_displacement, "absolute")


def motion(c: Chain, *, digits: int = 30) -> Motion:
    """Return the motion for figures and comparison of histories.

    Readings: ``relative``, ``driven`` or ``absolute``, then ``displacement`` or ``velocity``, then the number of the
    node, as in ``"relative displacement 2"``.
    """
    parts: tuple[Part, ...] = ("relative", "driven", "absolute")
    readings: dict[str, Callable[[Ball], Ball]] = {
        f"{part} {('displacement', 'velocity')[rate]} {node}": partial(_part, c, part, node, rate)
        for part in parts
        for rate in (False, True)
        for node in range(1, c.n + 3)
    }
    return Motion(readings, lambda: (), check_digits(digits))
