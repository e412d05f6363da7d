"""Andrews' squeezing mechanism: seven bodies in a plane, closed loops, one degree of freedom, a constant torque.

With the angle beta of the crank given, each loop is a pair of bars between two known points, so that all angles are
closed forms in beta, and so are v = dq/dbeta, the inertia J = v·M v and the energy U of the spring. From rest,

    J(beta) beta'² = 2 (mom (beta - beta0) + U(beta0) - U(beta)),

and the time is the integral of 1/beta', which is carried by Taylor series from cell to cell of the crank's turn, with
the last coefficient enclosed over a cell. That no pair of bars is ever stretched, that the crank never rests again and
that the bars about A and B turn by less than a right angle is proved over every cell: series exist.

Angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon) in rad, lengths in m, multipliers in N.
Source: E. Hairer, G. Wanner: Solving Ordinary Differential Equations II (Springer 1996), section VII.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple, Unpack

from flint import arb, arb_poly, arb_series, ctx

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Absent, Undecided, ball, less, per_bits, precision
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import Ball, Jet, differentiated, slope, value
from veridyn.references.engine.motion import Motion, Reading, read_each
from veridyn.references.engine.quantities import References, Terms
from veridyn.references.parameters import Parameter, ParameterSet, exact
from veridyn.references.problems.andrews_mechanism import (
    Posture,
    Squeezer,
    find_inertia_and_energy,
    find_posture,
    find_state,
)
from veridyn.references.reference import Reference
from veridyn.references.second_routes import andrews_series

_BODIES = (
    ("m1", "I1", "0.04325", "2.194e-6"),
    ("m2", "I2", "0.00365", "4.410e-7"),
    ("m3", "I3", "0.02373", "5.255e-6"),
    ("m4", "I4", "0.00706", "5.667e-7"),
    ("m5", "I5", "0.07050", "1.169e-5"),
    ("m6", "I6", "0.00706", "5.667e-7"),
    ("m7", "I7", "0.05498", "1.912e-5"),
)
_POINTS = (
    ("xa", "hinge A of the bars zt and u, along", "-0.06934"),
    ("ya", "hinge A, across", "-0.00227"),
    ("xb", "hinge B of the body with the spring, along", "-0.03635"),
    ("yb", "hinge B, across", "0.03273"),
    ("xc", "fixed end C of the spring, along", "0.014"),
    ("yc", "fixed end C, across", "0.072"),
)
_LENGTHS = (
    ("d", "bar 2", "0.028"),
    ("da", "bar 2, to its centre of mass", "0.0115"),
    ("e", "bar 4", "0.02"),
    ("ea", "bar 4, from its far end to its centre of mass", "0.01421"),
    ("rr", "crank", "0.007"),
    ("ra", "crank, to its centre of mass", "0.00092"),
    ("ss", "body 3, from B to the common joint", "0.035"),
    ("sa", "body 3, centre of mass along", "0.01874"),
    ("sb", "body 3, centre of mass across", "0.01043"),
    ("sc", "body 3, spring along", "0.018"),
    ("sd", "body 3, spring across", "0.02"),
    ("ta", "body 5, centre of mass along", "0.02308"),
    ("tb", "body 5, centre of mass across", "0.00916"),
    ("u", "body 7", "0.04"),
    ("ua", "body 7, centre of mass along", "0.01228"),
    ("ub", "body 7, centre of mass across", "0.00449"),
    ("zf", "bar 6", "0.02"),
    ("zt", "body 5", "0.04"),
    ("fa", "bar 6, from its far end to its centre of mass", "0.01421"),
)
PARAMETERS = (
    *(Parameter(m, "kg", f"mass of body {m[1]}", mass) for m, _, mass, _ in _BODIES),
    *(Parameter(i, "kg m^2", f"moment of inertia of body {i[1]}", inertia) for _, i, _, inertia in _BODIES),
    *(Parameter(name, "m", f"place of {of}", default, "any") for name, of, default in _POINTS),
    *(Parameter(name, "m", f"length of {of}", default) for name, of, default in _LENGTHS),
    Parameter("c0", "N/m", "stiffness of the spring", "4530"),
    Parameter("l0", "m", "length of the spring without force", "0.07785"),
    Parameter("mom", "N m", "torque on the crank", "0.033"),
)
END = exact("0.03")  # s
CELLS = 96  # of a turn of the crank
LEAST = 2.0**-12  # of a cell: shorter parts are given up
COARSE = 64  # bits for what holds over a cell
SPARE = 16  # bits beyond those asked for: what the motion costs beside the digits that a value has to spare
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")


@per_bits
def _numbers(o: ParameterSet) -> Any:
    return SimpleNamespace(**{name: ball(number) for name, number in vars(o).items()})


@per_bits
def _start(o: ParameterSet) -> Ball:
    """Return beta at the start, where crank and bar 2 are in line (Theta = 0)."""
    n = _numbers(o)
    reach, far = n.d - n.rr, (n.xb * n.xb + n.yb * n.yb).sqrt()
    off = (n.ss * n.ss - reach * reach - far * far) / (2 * reach * far)
    beta = 2 * (n.yb / (far + n.xb)).atan() - off.acos()
    if not less(abs(beta), arb.pi() / 2, "the crank at the start and a right angle agree"):
        raise Undecided("the crank begins beyond a right angle")
    return beta


@contextmanager
def _terms(count: int) -> Iterator[None]:
    """Work with series of so many terms, then with as many as before."""
    before = ctx.cap
    ctx.cap = count
    try:
        yield
    finally:
        ctx.cap = before


def _each(function: Callable[..., Any], *given: Any) -> Any:
    """Apply what is linear to values and derivatives."""
    if differentiated(*given):
        return Jet(function(*map(value, given)), function(*map(slope, given)))
    return function(*given)


def _order() -> int:
    """Return the even order of the series."""
    return ctx.prec // 8 * 2


def _turned(beta: Ball, count: int) -> Any:
    """Return beta + y as a series in y."""
    if isinstance(beta, Jet):
        return Jet(arb_series([beta.value, 1], count), arb_series([beta.slope], count))
    return arb_series([beta, 1], count)


def _joined(series: Any, over: Any, order: int) -> arb_poly:
    """Return the polynomial with the last coefficient over the whole cell."""
    return arb_poly([*(series[k] for k in range(order)), over[order]])


@per_bits
def _cell(o: ParameterSet, place: int) -> tuple[Any, Any]:
    """Return J and U over a cell of the crank's turn, as polynomials of the angle from its middle."""
    n, order, half = _numbers(o), _order(), arb.pi() / CELLS
    beta = _start(o) + (2 * place + 1) * half

    def read(centre: Ball) -> tuple[Posture, tuple[Any, Any]]:
        angle = _turned(centre, order + 1)
        posture = find_posture(n, (angle.cos(), angle.sin()))
        return posture, find_inertia_and_energy(n, posture)

    with _terms(order + 1):
        _, tight = read(beta)
        with precision(COARSE):
            posture, wide = read(beta + arb(0, half.upper()))
    for bars in posture[1:]:
        if not value(bars.q[0])[0] > 0:
            raise Undecided("a bar may turn by a right angle")
    return tuple(_each(lambda s, w: _joined(s, w, order), s, w) for s, w in zip(tight, wide, strict=True))


class _Part(NamedTuple):
    """A part of the turn over which 1/beta' is a polynomial of the angle from its middle; times (s), angles (rad)."""

    middle: arb  # since the start
    half: arb
    rate: Any
    order: int

    def time(self, y: arb) -> Ball:
        """Return how long it takes from the beginning of the part to an angle from its middle."""

        def integral(rate: arb_poly) -> Any:
            known = arb_poly([rate[k] for k in range(self.order)]).integral()
            rest = 2 * abs(rate[self.order]) * self.half ** (self.order + 1) / (self.order + 1)
            return known(y) - known(-self.half) + arb(0, rest.upper())

        return _each(integral, self.rate)

    @property
    def error(self) -> float:
        """What is uncertain of the time, relative to it."""
        rate = value(self.rate)
        off = abs(rate[self.order] * self.half**self.order / rate[0])
        return float(off.upper()) if off.is_finite() else float("inf")


def _shifted(polynomial: Any, by: arb, count: int) -> Any:
    """Return the series of a polynomial about another point, or about all points of an interval."""

    def moved(p: arb_poly) -> arb_series:
        there = p(arb_poly([by, 1]))
        return arb_series([there[k] for k in range(count)], count)

    return _each(moved, polynomial)


def _slowness(inertia: Any, energy: Any) -> Any:
    return (inertia / (2 * energy)).sqrt()


@per_bits
def _released(o: ParameterSet, place: int) -> tuple[Any, arb]:
    """Return inertia and kinetic energy over a cell, counted on from turn to turn, and its middle since the start."""
    n, (inertia, stored) = _numbers(o), _cell(o, place % CELLS)
    middle = (2 * place + 1) * arb.pi() / CELLS
    _, before = find_inertia_and_energy(n, find_posture(n, (_start(o).cos(), _start(o).sin())))
    whole = n.mom * middle + before
    line = _each(lambda whole, mom: arb_poly([whole, mom]), *_alike(whole, n.mom))
    return (inertia, line - stored), middle


def _alike(*balls: Ball) -> tuple[Ball, ...]:
    """Return all as pairs if one is."""
    return tuple(Jet(value(x), slope(x)) for x in balls) if differentiated(*balls) else balls


def _part(o: ParameterSet, place: int, begin: float, length: float) -> _Part:
    """Return a part of a cell, which reaches from -1 to 1."""
    (inertia, energy), middle = _released(o, place)
    order, half = _order(), arb.pi() / CELLS
    there, reach = half * (begin + length / 2), half * (length / 2)

    def read(by: arb) -> Any:
        return _slowness(_shifted(inertia, by, order + 1), _shifted(energy, by, order + 1))

    with _terms(order + 1):
        tight = read(there)
        with precision(COARSE):
            wide = read(there + arb(0, reach.upper()))
    return _Part(middle + there, reach, _each(lambda s, w: _joined(s, w, order), tight, wide), order)


def _left(o: ParameterSet, length: float) -> tuple[Ball, float]:
    """Return how long the crank takes from rest through a length of the first cell, and what is uncertain of it.

    The kinetic energy is x times a series in the angle x, whose terms are those of the energy one place on.
    """
    (inertia, energy), _ = _released(o, 0)
    order, half = _order() - 1, arb.pi() / CELLS
    reach = half * length

    def read(by: arb) -> Any:
        above = _shifted(energy, by, order + 2)
        lowered = _each(lambda s: arb_series([s[k + 1] for k in range(order + 1)], order + 1), above)
        return _slowness(_shifted(inertia, by, order + 1), lowered)

    with _terms(order + 1):
        tight = read(-half)
        with precision(COARSE):
            wide = read(-half + arb(0).union(reach))
    slowness = _each(lambda s, w: _joined(s, w, order), tight, wide)
    root = reach.sqrt()
    halves = [reach**k / (k + arb(1) / 2) * root for k in range(order + 1)]
    time = _each(lambda p: sum((p[k] * halves[k] for k in range(order + 1)), arb(0)), slowness)
    return time, _Part(reach, reach, slowness, order).error


def _finest() -> float:
    return 2.0 ** (6 - ctx.prec)


def _parts(o: ParameterSet) -> Iterator[tuple[Ball, _Part]]:
    """Yield the instants (s) at which parts of the turn begin, and the parts, one after the other."""
    length, begin, place = 1.0, -1.0, 0
    while True:
        time, error = _tried(o, length)
        if error < _finest():
            break
        length = _shorter(length)
    begin += length
    while True:
        while begin + length > 1.0:
            length /= 2  # halves of halves: the ends of parts are exact numbers
        part = _tried_part(o, place, begin, length)
        if part is None:
            length = _shorter(length)
            continue
        yield time, part
        time, begin = time + part.time(part.half), begin + length
        if part.error * 2.0**part.order < _finest():
            length *= 2
        if begin == 1.0:
            place, begin, length = place + 1, -1.0, 2 * length


def _shorter(length: float) -> float:
    if length < LEAST:
        raise Undecided("the crank may come to rest, or a pair of bars be stretched")
    return length / 2


def _tried(o: ParameterSet, length: float) -> tuple[Ball, float]:
    """Return what `_left` returns; where that has no series, nothing is certain."""
    try:
        return _left(o, length)
    except ValueError:  # of a series: its first term holds zero
        return arb(0), float("inf")


def _tried_part(o: ParameterSet, place: int, begin: float, length: float) -> _Part | None:
    """Return a part; None if its time is too uncertain."""
    try:
        part = _part(o, place, begin, length)
    except ValueError:
        return None
    return part if part.error < _finest() else None


@per_bits
def _list_parts(o: ParameterSet) -> list[tuple[Ball, _Part]]:
    """Return the parts of the turn up to that which holds 0.03 s, each with the instant (s) at which it begins."""
    result, end = list[tuple[Ball, _Part]](), ball(END)
    with precision(ctx.prec + SPARE):
        for begun, part in _parts(o):
            if not less(begun, end, "the end and that of a part agree"):
                raise Undecided("the crank hardly moves")
            result.append((begun, part))
            if begun + part.time(part.half) > end:
                return result
    raise Undecided("the crank does not get on")


@per_bits
def _at_end(o: ParameterSet) -> Squeezer:
    """Return the state at 0.03 s."""
    begun, part = _list_parts(o)[-1]
    with precision(ctx.prec + SPARE):
        return _reached(o, begun, part, ball(END))


def _at(o: ParameterSet, time: arb) -> Squeezer:
    """Return the state at the start, or at an instant (s) after the first part of the turn, up to 0.03 s."""
    if time == 0:
        return _at_start(o)
    before = [each for each in _list_parts(o) if each[0] < time]
    if not before:
        raise Absent("the instant lies within the first part, which the crank begins at rest")
    begun, part = before[-1]
    with precision(ctx.prec + SPARE):
        return _reached(o, begun, part, time)


def _reached(o: ParameterSet, begun: Ball, part: _Part, end: arb) -> Squeezer:
    """Return the state at an instant within a part."""

    def late(y: arb) -> Ball:
        return begun + part.time(y) - end

    def slowness(y: arb) -> Any:
        return value(part.rate)(y)

    y = newton(lambda y: value(late(y)), slowness, arb(0, part.half.upper()))
    off = late(y)
    angle = part.middle + (Jet(y, -slope(off) / slowness(y)) if differentiated(off) else y)
    n, beta = _numbers(o), _start(o) + angle
    inertia, stored = find_inertia_and_energy(n, find_posture(n, (beta.cos(), beta.sin())))
    _, before = find_inertia_and_energy(n, find_posture(n, (_start(o).cos(), _start(o).sin())))
    return find_state(n, beta, (2 * (n.mom * angle + before - stored) / inertia).sqrt())


@per_bits
def _at_start(o: ParameterSet) -> Squeezer:
    return find_state(_numbers(o), _start(o), arb(0))


reference = References(
    PARAMETERS,
    proof="one degree of freedom: time by the energy, loops closed and the crank turning over every cell",
    how="power series of Lagrange's equations with multipliers, in angles against the frame",
    promised=andrews_series.PROMISED,
)


@reference.function()
def motion(o: ParameterSet, digits: int) -> Motion:
    """Return the motion for figures: the angles (rad)."""

    def reading(place: int) -> Reading:
        return read_each(lambda time: _at(o, time).angles[place])

    return Motion({name: reading(place) for place, name in enumerate(ANGLES)}, list, digits)


def at_end(read: Callable[[Squeezer], Any]) -> Reference[Certified]:
    """Return a quantity of the state at 0.03 s."""
    return reference.both(_at_end, andrews_series.at_end)(read)


def at_start(read: Callable[[Squeezer], Any], **terms: Unpack[Terms]) -> Reference[Certified]:
    """Return a quantity of the state at 0."""
    return reference.both(_at_start, andrews_series.at_start, **terms)(read)
