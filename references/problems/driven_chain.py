"""Chain of three masses and four springs between two supports, one of which is driven.

Nodes are numbered as in the documents: node 1 is the left support, which starts at rest with the acceleration a t²,
nodes 2 to 4 are the masses, node 5 is the right support, which stands still; no damping.
Absolute displacement = driven (static mode × displacement of the support) + relative (modes × Duhamel integrals).

The first route knows no modes: one linear system of all nodes, the support included, and of the powers of the time that
drive it. The second is the modal superposition of the manual, with ω_r = 2 √(k/m) sin(r π/8) and shapes sin(r i π/4).

Source: EDF validation manual V2.01.103 (SDLD103); J. S. Przemieniecki, Theory of Matrix Structural Analysis (1968),
chapters 10 and 13.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
from flint import acb_mat, arb
from mpmath import mpf

from veridyn.references.engine.enclosure import Exactly, ball, per_bits
from veridyn.references.engine.flows import LinearFlow, Row
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.motion import Motion
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import NODE, NUMBER, TIME

PARAMETERS = (
    Parameter("m", "kg", "each of the three masses", "10"),
    Parameter("k", "N/m", "each of the four springs", "1e4"),
    Parameter("a", "m/s⁴", "acceleration of the left support over t²", "2e5"),
)

MASSES = (1, 2, 3)
NODES = (2, 3, 4)
SQUARE = 10  # the place of t² in the state: displacements and velocities of nodes 1 to 4, then 1, t and t²


@per_bits
def _chain(o: ParameterSet) -> LinearFlow:
    """Return the equations; what is made of them serves all instants and nodes."""
    one, over = arb(1), ball(o.k / o.m)
    rows: list[Row] = [*({i: one} for i in range(4, 8)), {SQUARE: ball(o.a)}]
    rows += [{i - 1: over, i: -2 * over, **({i + 1: over} if i < 3 else {})} for i in MASSES]
    return LinearFlow([*rows, {}, {SQUARE - 2: one}, {SQUARE - 1: 2 * one}])


def _displaced(o: ParameterSet, node: int, time: Ball) -> tuple[Ball, Ball]:
    """Return the displacement (m) of a node, and what the support imposes there."""
    start = tuple(arb(i == SQUARE - 2) for i in range(SQUARE + 1))
    state = _chain(o).after(start, time)
    return state[node - 1], state[0] * (5 - node) / 4


def _relative(o: ParameterSet, node: int, time: Ball) -> Ball:
    absolute, driven = _displaced(o, node, time)
    return absolute - driven


def _moving(node: int, time: Exact) -> Ball:
    if node not in NODES:
        raise ParameterError(f"node must be 2, 3 or 4 (the supports are 1 and 5), got {node}")
    if not time.rational:
        raise Exactly(0, "at rest at t = 0")
    return ball(time)


def _omega(o: ParameterSet, number: int) -> mpf:
    """Return a circular frequency (rad/s) in closed form."""
    return 2 * mpmath.sqrt((o.k / o.m).mpf()) * mpmath.sin(number * mpmath.pi / 8)


def _superposed(o: ParameterSet, node: int, time: Exact) -> mpf:
    """Return the relative displacement (m): participation × Duhamel integral × shape, mode by mode."""

    def mode(number: int) -> mpf:
        w, t = _omega(o, number), time.mpf()
        shape = [mpmath.sin(number * i * mpmath.pi / 4) for i in MASSES]  # the sum of its squares is 2
        share = mpmath.fsum((4 - i) * x for i, x in zip(MASSES, shape, strict=True)) / 8
        return share * shape[node - 2] * (t**2 - (2 * mpmath.sin(w * t / 2) / w) ** 2) / w**2

    return -o.a.mpf() * mpmath.fsum(map(mode, MASSES))


reference = References(
    PARAMETERS,
    proof="linear motion enclosed, supports included",
    how="modal superposition with Duhamel integrals in closed form",
)


@reference(_superposed, takes=(NODE, TIME))
def relative_displacement(o: ParameterSet, node: int, time: Exact) -> Ball:
    """Displacement of a mass relative to the static shape of the moving supports, in m.

    It is negative when the left support moves to the right (the signs that EDF V2.01.103 lost).
    """
    return _relative(o, node, _moving(node, time))


@reference(
    lambda o, node, time: _superposed(o, node, time) + o.a.mpf() * time.mpf() ** 4 * (5 - node) / 48, takes=(NODE, TIME)
)
def absolute_displacement(o: ParameterSet, node: int, time: Exact) -> Ball:
    """Sum of driven and relative displacement of a mass, in m."""
    return _displaced(o, node, _moving(node, time))[0]


@reference(
    lambda o, number: _omega(o, number) / (2 * mpmath.pi),
    how="2 √(k/m) sin(r π/8)/2π",
    proof="eigenvalues of M^-1 K, enclosed one by one",
    takes=(NUMBER,),
)
def frequency(o: ParameterSet, number: int) -> Ball:
    """Natural frequency in Hz, 1 to 3, ascending, with both supports held; raises `ParameterError` for another."""
    if number not in MASSES:
        raise ParameterError(f"number must be 1, 2 or 3, got {number}")
    squares = sorted(acb_mat([[2, -1, 0], [-1, 2, -1], [0, -1, 2]]).eig(), key=lambda z: float(z.real.mid()))
    return (squares[number - 1].real * ball(o.k / o.m)).sqrt() / (2 * arb.pi())


@reference.function()
def motion(o: ParameterSet, digits: int) -> Motion:
    """Return the relative displacements of the masses (m) for figures, as in ``"relative displacement 2"``."""

    def reading(node: int) -> Callable[[Ball], Ball]:
        return lambda t: _relative(o, node, t)

    return Motion({f"relative displacement {node}": reading(node) for node in NODES}, lambda: (), digits)
