"""A mass on a Zener device without series: eigenvectors (α = 1), Gauss-Legendre collocation in (x, v, z).

The collocation has 12 points, order 24, and steps that end on the zeros of the force of the dashpot; it works with
`WORKING` digits whatever is asked, and promises `PROMISED`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Exact
from veridyn.references.zener_device import Numbers, Oscillator, State

PROMISED, WORKING = 20, 27
POINTS = 12
REACH = 0.5  # step times the fastest rate

Vector = tuple[mpf, mpf, mpf]  # x, v, z


def _matrix(o: Oscillator, loaded: bool) -> mpmath.matrix:
    """Matrix of the linear device in x, v, F, and the sine and cosine of the load."""
    n = o.numbers()
    flow = n.relaxing / n.c
    pushed = -n.p / n.m if loaded else 0
    return mpmath.matrix(
        [
            [0, 1, 0, 0, 0],
            [-n.k / n.m, 0, -1 / n.m, pushed, 0],
            [flow * n.k2, n.instantaneous, -flow * (1 + n.k2 / n.k1), 0, 0],
            [0, 0, 0, 0, n.omega],
            [0, 0, 0, -n.omega, 0],
        ]
    )


def _propagated(matrix: mpmath.matrix, start: mpmath.matrix, time: mpf) -> mpmath.matrix:
    """Superpose the eigenvectors."""
    values, vectors = mpmath.eig(matrix)
    try:
        weights = mpmath.lu_solve(vectors, start)
    except ZeroDivisionError:
        raise CertificationError("the device has a double root; change a parameter a little") from None
    terms = [w * mpmath.exp(value * time) for w, value in zip(weights, values, strict=True)]
    return (vectors * mpmath.matrix(terms)).apply(mpmath.re)


def superposed(o: Oscillator, time: mpf) -> State:
    """State of the linear device at an instant."""
    n = o.numbers()
    start = mpmath.matrix([o.x0.mpf(), 0, n.instantaneous * o.x0.mpf(), 0, 1])
    pushed = min(o.until.mpf(), time) if o.loaded else mpmath.mpf(0)
    middle = _propagated(_matrix(o, True), start, pushed)
    x, v, force, *_ = _propagated(_matrix(o, False), middle, time - pushed)
    return State(x, v, force)


class Collocation(NamedTuple):
    """Gauss-Legendre points on [0, 1] and the integrals of their Lagrange polynomials, up to each point and to 1."""

    points: list[mpf]
    partial: list[list[mpf]]
    weights: list[mpf]


@per_precision
def _collocation(size: int) -> Collocation:
    with mpmath.workdps(mpmath.mp.dps + 15):
        guesses = [-mpmath.cos(mpmath.pi * (j + 0.75) / (size + 0.5)) for j in range(size)]
        points = [
            (1 + mpmath.findroot(lambda x: mpmath.legendre(size, x), (guess, guess + 1e-3))) / 2 for guess in guesses
        ]
        powers = mpmath.matrix(size, size)
        for k in range(size):
            for j in range(size):
                powers[j, k] = points[j] ** k
        inverse = mpmath.inverse(powers)
        integrals = [[x ** (k + 1) / (k + 1) for k in range(size)] for x in (*points, mpmath.mpf(1))]
        rows = [list(mpmath.matrix([row]) * inverse) for row in integrals]
    return Collocation(points, rows[:-1], rows[-1])


def _rates(o: Oscillator, n: Numbers, sign: int, loaded: bool) -> Callable[[mpf, Vector], Vector]:
    """Right-hand side in x, v, z while D has a sign."""
    flow = (sign if o.power % 2 == 0 else 1) / n.c**o.power
    share = n.k3 * n.k1 / (n.k1 + n.k2 + n.k3)

    def rates(time: mpf, y: Vector) -> Vector:
        x, v, z = y
        pushed = n.p * mpmath.sin(n.omega * time) if loaded else 0
        force = n.instantaneous * x - n.relaxing * z
        return v, -(force + n.k * x + pushed) / n.m, flow * (share * x - n.yielding * z) ** o.power

    return rates


def _step(rates: Callable[[mpf, Vector], Vector], time: mpf, y: Vector, h: mpf) -> Vector:
    """One step of the collocation, by fixed point."""
    rule = _collocation(POINTS)
    slopes = [rates(time, y)] * POINTS
    for _ in range(20 * WORKING):
        stages = [_moved(y, h, row, slopes) for row in rule.partial]
        new = [rates(time + c * h, stage) for c, stage in zip(rule.points, stages, strict=True)]
        change = max(
            abs(a - b) for left, right in zip(new, slopes, strict=True) for a, b in zip(left, right, strict=True)
        )
        size = max(abs(a) for left in new for a in left)
        slopes = new
        if change <= 100 * mpmath.eps * size:
            return _moved(y, h, rule.weights, slopes)
    raise CertificationError("the collocation of the Zener device does not converge")


def _moved(y: Vector, h: mpf, weights: list[mpf], slopes: list[Vector]) -> Vector:
    columns = zip(y, zip(*slopes, strict=True), strict=True)
    x, v, z = (a + h * mpmath.fdot(zip(weights, column, strict=True)) for a, column in columns)
    return x, v, z


class Node(NamedTuple):
    """Start of a step: when, state, sign of D, whether the load acts."""

    time: mpf
    y: Vector
    sign: int
    loaded: bool


def _dashpot(n: Numbers, y: Vector) -> mpf:
    return n.k3 * n.k1 / (n.k1 + n.k2 + n.k3) * y[0] - n.yielding * y[2]


def _length(o: Oscillator, n: Numbers, y: Vector, loaded: bool) -> mpf:
    """Step that the fastest of oscillation, load and relaxation allows."""
    relaxation = o.power * n.yielding * abs(_dashpot(n, y)) ** (o.power - 1) / n.c**o.power
    rates = [mpmath.sqrt((n.instantaneous + n.k) / n.m), relaxation]
    return REACH / max([*rates, n.omega] if loaded else rates)


def _advance(o: Oscillator, n: Numbers, node: Node, limit: mpf) -> Node:
    """Go on by a step, to the limit, or to the next zero of D."""
    rates = _rates(o, n, node.sign, node.loaded)
    h = min(_length(o, n, node.y, node.loaded), limit - node.time)

    def force(lapse: mpf) -> mpf:
        return _dashpot(n, _step(rates, node.time, node.y, lapse))

    y = _step(rates, node.time, node.y, h)
    if o.power == 1 or _dashpot(n, y) * node.sign >= 0:
        return node._replace(time=limit if h == limit - node.time else node.time + h, y=y)
    low = h / 1000  # D may be zero at the start of the step
    h = mpmath.findroot(force, (low, h), solver="anderson", tol=1000 * mpmath.eps, maxsteps=100, verify=False)
    return node._replace(time=node.time + h, y=_step(rates, node.time, node.y, h), sign=-node.sign)


def _start(o: Oscillator, n: Numbers) -> Node:
    """Return the first node; D takes the sign that it has a little later."""
    y = (o.x0.mpf(), mpmath.mpf(0), mpmath.mpf(0))
    little = _length(o, n, y, o.loaded) / 10
    later = _dashpot(n, _step(_rates(o, n, 1, o.loaded), mpmath.mpf(0), y, little))
    return Node(mpmath.mpf(0), y, int(mpmath.sign(later)) or 1, o.loaded)


@per_precision
def _march(o: Oscillator, end: Exact) -> tuple[Node, ...]:
    """Follow the motion from 0 to `end` (s)."""
    n, stop, load_end = o.numbers(), end.mpf(), o.until.mpf()
    nodes = [_start(o, n)]
    while nodes[-1].time < stop:
        last = nodes[-1]
        if last.loaded and last.time >= load_end:
            last = last._replace(loaded=False)
            nodes[-1] = last
        nodes.append(_advance(o, n, last, min(stop, load_end) if last.loaded else stop))
    return tuple(nodes)


def collocated(o: Oscillator, time: mpf, end: Exact) -> State:
    """State at an instant of [0, end], to `PROMISED` digits."""
    with mpmath.workdps(WORKING):
        n, nodes = o.numbers(), _march(o, end)
        node = nodes[max(0, bisect_right(nodes, time, key=lambda node: node.time) - 1)]
        x, v, z = node.y
        if time > node.time:
            x, v, z = _step(_rates(o, n, node.sign, node.loaded), node.time, node.y, time - node.time)
        return State(x, v, n.instantaneous * x - n.relaxing * z)
