"""A mass against a stop that buckles: elastic contact, collapse, elastic return from what remains crushed.

The stop pushes with k x up to the force f_crit, at the crush x_b = f_crit/k. Then it has buckled: its force stays at
f_crit over a plateau, falls in a line to f_post over a length of softening (at once if that is zero) and stays there.
Every return follows the line from the largest crush so far to the residual crush, and comes back on it. The residual
crush goes in lines through (x_b, 0), the end of the plateau (elastic return with k), and (d_i + f_post/k_i, d_i) of the
table; beyond the last of these points it grows as the crush does. Without a table the stop returns from f_post with
the stiffness f_post/x_b.

Two equal masses that meet at opposite velocities crush the stop between them by twice the way of each. Lengths and
velocities are those of one mass.

Energy decides exactly which line of the force is the last, and how fast each begins; closed forms tell how long it
takes. The velocity falls to zero in the last line only, at its end, so that no event is searched for.
Source: Code_Aster tests sdnd105a, b, c (SDND105); the law is RELATION = FLAMBAGE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references import buckling_quadrature as quadrature
from veridyn.references.buckling_quadrature import Stop
from veridyn.references.certified import Certified, Route
from veridyn.references.enclosure import Absent, ball, enclose, per_bits, sign_of
from veridyn.references.flows import Linear, State
from veridyn.references.jets import Ball, value
from veridyn.references.motion import Ended, Motion, Phase, instant, value_at
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_digits,
    exact,
    resolve,
    takes,
)

TABLE = 4  # rows of the table of return stiffnesses, unused ones with stiffness zero

PARAMETERS = (
    Parameter("m", "kg", "mass of each body", "1"),
    Parameter("energy", "J", "kinetic energy of each body at the start", "2"),
    Parameter("bodies", "1", "1: against a wall; 2: against each other", "1"),
    Parameter("k", "N/m", "stiffness of the stop before it buckles", "1"),
    Parameter("f_crit", "N", "force at which it buckles", "1"),
    Parameter("f_post", "N", "force that is left of it", "0.5"),
    Parameter("plateau", "m", "crush under f_crit", "0", "non-negative"),
    Parameter("softening", "m", "crush over which the force falls to f_post", "0", "non-negative"),
    *(
        Parameter(f"d{i}", "m", f"residual crush of row {i} of the table", "0", "non-negative")
        for i in range(1, TABLE + 1)
    ),
    *(
        Parameter(f"k{i}", "N/m", f"stiffness of the return from it; 0: no row {i}", "0", "non-negative")
        for i in range(1, TABLE + 1)
    ),
)

CRUSH, VELOCITY, FORCE = range(3)

_PROOF = "closed form of every line of the force, the last one decided exactly by the energy"
_QUADRATURE = "integrals of 1/velocity over the crush, from the areas under the force"
_ELASTIC = "the stop does not buckle: its largest force does not exceed f_crit"


_Ends = tuple[Ball, Ball]


class _Line(NamedTuple):
    """A straight line of the force of a first loading: force at its ends, length (None: for ever)."""

    kind: str
    begin: Exact
    end: Exact
    length: Exact | None


def _lines(s: Stop) -> list[_Line]:
    lines = [_Line("elastic", exact(0), s.f_crit, s.buckled), _Line("plateau", s.f_crit, s.f_crit, s.plateau)]
    lines += [_Line("softening", s.f_crit, s.f_post, s.softening), _Line("collapsed", s.f_post, s.f_post, None)]
    return [line for line in lines if line.length is None or line.length.rational]


def _loading(s: Stop) -> Iterator[tuple[_Line, list[Exact], list[Exact]]]:
    """Yield the lines that are met, with the terms of the energy where each begins and ends (none: it turns within)."""
    left, half = [s.launched], exact("1/2")
    for line in _lines(s):
        length = line.length
        after = [*left, *(-(f * length * half) for f in (line.begin, line.end))] if length is not None else []
        left_over = sign_of(*after) if after else -1
        yield line, left, after if left_over >= 0 else []
        if left_over <= 0:
            return
        left = after


def _total(terms: list[Exact]) -> Ball:
    return sum((ball(term) for term in terms), arb(0))


@per_bits
def _phases(s: Stop) -> tuple[Ended, ...]:
    """Return the phases of the crush of the stop: the lines of the force, return, release."""
    mass, time, crush = ball(s.mass), arb(0), arb(0)
    found: list[Ended] = []
    for line, before, after in _loading(s):
        energy, force, speed = _total(before), ball(line.begin), (2 * _total(before) / mass).sqrt()
        length: Ball = ball(line.length) if line.length else None
        slope = (ball(line.end) - force) / length if line.begin != line.end else arb(0)
        path = length if after else 2 * energy / (force + (force * force + 2 * slope * energy).sqrt())
        rest = (2 * _total(after) / mass).sqrt() if after and sign_of(*after) else arb(0)
        last = force + slope * path
        lapse = _duration(line, mass, slope, (force, last), (speed, rest), path)
        found.append(_phase(line.kind, mass, slope, time, lapse, (crush, speed, force)))
        time, crush = time + lapse, crush + path
    back = crush - _residual(s, line.kind, crush)
    omega = (last / back / mass).sqrt()
    lapse = arb.pi() / (2 * omega)
    found.append(_phase("return", mass, last / back, time, lapse, (crush, arb(0), last)))
    free = Linear(({VELOCITY: arb(1)}, {}, {}), value(lapse))
    state = (_residual(s, line.kind, crush), -omega * back, arb(0))
    return (*found, Ended(Phase("free", free, time + lapse, state), None, None))


def _phase(kind: str, mass: Ball, slope: Ball, start: Ball, lapse: Ball, state: State) -> Ended:
    flow = Linear(({VELOCITY: arb(1)}, {FORCE: -1 / mass}, {VELOCITY: slope}), value(lapse))
    return Ended(Phase(kind, flow, start, state), start + lapse, kind)


def _duration(line: _Line, mass: Ball, slope: Ball, forces: _Ends, speeds: _Ends, path: Ball) -> Ball:
    """Return the time along a line, between its forces and speeds, the last of which may be an exact zero."""
    if line.begin == line.end:
        return 2 * path / (speeds[0] + speeds[1])
    rate = (abs(slope) / mass).sqrt()
    if line.kind == "elastic":
        turns = speeds[1] == 0
        return (arb.pi() / 2 if turns else (rate * path / speeds[1]).atan()) / rate
    first, last = (speed + force / (mass * rate) for speed, force in zip(speeds, forces, strict=True))
    return (first / last).log() / rate


def _points(s: Stop) -> list[tuple[list[Exact], Exact]]:
    """Return largest crush, as a sum, and residual crush at the end of the plateau and in the rows of the table."""
    return [([s.buckled, s.plateau], s.plateau), *(([d, s.f_post / k], d) for d, k in s.rows)]


def _residual(s: Stop, last: str, crush: Ball) -> Ball:
    """Return the crush that remains; the lines of the table are added up, each as far as the crush went on it."""
    if last in ("elastic", "plateau"):
        return arb(0) if last == "elastic" else crush - ball(s.buckled)
    points = _points(s)
    if s.rows and _step(points[0][0], points[1][0]) == 0:
        points = points[1:]
    found, ends = ball(points[0][1]), [_total(terms) for terms, _ in points]
    for (x, x_next), ((_, d), (_, d_next)) in zip(pairwise(ends), pairwise(points), strict=True):
        found += (crush.max(x).min(x_next) - x) * (ball(d_next) - ball(d)) / (x_next - x)
    return found + (crush - ends[-1]).max(arb(0))


def _step(before: list[Exact], after: list[Exact]) -> int:
    """Return the sign of the difference of two sums."""
    return sign_of(*(term.plain for term in after), *(-term.plain for term in before))


def _stop(given: dict[str, Number]) -> Stop:
    """Read and check the parameters; raises `ParameterError`."""
    p = resolve(PARAMETERS, given)
    if p["bodies"].plain not in (exact(1), exact(2)):
        raise ParameterError(f"bodies must be 1 or 2, got {p['bodies']}")
    if _step([p["f_post"]], [p["f_crit"]]) < 0:
        raise ParameterError(f"f_post = {p['f_post']} N must not exceed f_crit = {p['f_crit']} N")
    rows = tuple((p[f"d{i}"], p[f"k{i}"]) for i in range(1, TABLE + 1) if p[f"k{i}"].rational > 0)
    law = {parameter.name: p[parameter.name] for parameter in PARAMETERS[: -2 * TABLE]}
    stop = Stop(rows=rows, **law)
    _check_table(stop)
    return stop


def _check_table(stop: Stop) -> None:
    """Refuse a table whose residual crush d or total crush d + f_post/k does not increase from the end of softening."""
    first, *rows = _points(stop)
    points = [([*first[0], stop.softening], first[1]), *rows]
    for i, (last, new) in enumerate(pairwise(points), 1):
        total = _step(last[0], new[0])
        if total < 0 or _step([last[1]], [new[1]]) < 0 or (i > 1 and total == 0):
            shown = (f"{sum(map(float, terms)):.6g}" for terms in (new[0], [new[1]], last[0], [last[1]]))
            raise ParameterError(
                "row {} of the table: total crush d + f_post/k = {} m and residual crush d = {} m must not fall "
                "below {} m and {} m; raise d, or lower k".format(i, *shown)
            )


class _Crush(NamedTuple):
    """What the quantities are made of, of the crush of the stop: where and when it turns, what remains."""

    stop: Stop
    phases: tuple[Ended, ...]
    turning: Ball
    turned: State
    release: Ball
    freed: State

    @property
    def back(self) -> Ball:
        """Crush that comes back (m)."""
        return self.turned[CRUSH] - self.freed[CRUSH]

    @property
    def bodies(self) -> Ball:
        """Number of bodies."""
        return ball(self.stop.bodies)


def _crush(s: Stop) -> _Crush:
    *_, back, free = (ended.phase for ended in _phases(s))
    return _Crush(s, _phases(s), back.start, back.state, free.start, free.state)


def _certified(
    name: str,
    digits: int,
    given: dict[str, Number],
    read: Callable[[_Crush], Ball],
    second: Callable[[Stop, quadrature.History], mpf],
) -> Certified:
    s = _stop(given)
    return enclose(
        lambda: read(_crush(s)),
        Route(_QUADRATURE, lambda: second(s, quadrature.history(s))),
        digits=digits,
        kind="closed form",
        name=name,
        proof=_PROOF,
        proved=lambda: f"{len(_phases(s))} phases",
    )


@takes(PARAMETERS)
def buckling_time(*, digits: int = 30, **given: Number) -> Certified:
    """Return the instant (s) at which the stop buckles; undefined if it does not.

    Parameters
    ----------
    digits
        Digits wanted.
    **given
        Parameters by name, see `PARAMETERS`; the others have their defaults.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, f_post exceeds f_crit, or the table does not increase.
    """

    def read(c: _Crush) -> Ball:
        if len(c.phases) == 3:
            raise Absent(_ELASTIC)
        return c.phases[1].phase.start

    return _certified("buckling_time", digits, given, read, lambda _, h: h.phases[1].start)


@takes(PARAMETERS)
def largest_crush(*, digits: int = 30, **given: Number) -> Certified:
    """Return the way (m) of each mass to where it turns; parameters and errors as `buckling_time`."""
    return _certified(
        "largest_crush", digits, given, lambda c: c.turned[CRUSH] / c.bodies, lambda s, h: h.largest / s.bodies.mpf()
    )


@takes(PARAMETERS)
def largest_time(*, digits: int = 30, **given: Number) -> Certified:
    """Return the instant (s) at which the masses turn; parameters and errors as `buckling_time`."""
    return _certified("largest_time", digits, given, lambda c: c.turning, lambda _, h: h.phases[-2].start)


@takes(PARAMETERS)
def residual_crush(*, digits: int = 30, **given: Number) -> Certified:
    """Return the crush (m) that remains, over the number of bodies; zero if the stop has not buckled.

    Parameters and errors as `buckling_time`.
    """
    return _certified(
        "residual_crush", digits, given, lambda c: c.freed[CRUSH] / c.bodies, lambda s, h: h.residual / s.bodies.mpf()
    )


@takes(PARAMETERS)
def return_stiffness(*, digits: int = 30, **given: Number) -> Certified:
    """Return the stiffness (N/m) of the stop on the return; parameters and errors as `buckling_time`."""
    return _certified(
        "return_stiffness", digits, given, lambda c: c.turned[FORCE] / c.back, lambda _, h: h.phases[-2].slope
    )


@takes(PARAMETERS)
def release_time(*, digits: int = 30, **given: Number) -> Certified:
    """Return the instant (s) at which the force ends; parameters and errors as `buckling_time`."""
    return _certified("release_time", digits, given, lambda c: c.release, lambda _, h: h.phases[-1].start)


@takes(PARAMETERS)
def exit_velocity(*, digits: int = 30, **given: Number) -> Certified:
    """Return the velocity (m/s) of each mass after release, negative; parameters and errors as `buckling_time`."""
    return _certified(
        "exit_velocity",
        digits,
        given,
        lambda c: c.freed[VELOCITY] / c.bodies,
        lambda s, h: h.phases[-1].velocity / s.bodies.mpf(),
    )


@takes(PARAMETERS)
def velocity(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Return the velocity (m/s) of each mass at an instant (s), positive towards the stop.

    Parameters and errors as `buckling_time`; the time must not be negative.
    """
    t = instant(time)

    def read(c: _Crush) -> Ball:
        return value_at(c.phases, {VELOCITY: arb(1)}, ball(t)) / c.bodies

    return _certified("velocity", digits, given, read, lambda s, _: quadrature.velocity(s, t.mpf()) / s.bodies.mpf())


@takes(PARAMETERS)
def return_time(*, digits: int = 30, **given: Number) -> Certified:
    """Return the instant (s) at which the masses are back at their start; parameters and errors as `buckling_time`."""
    return _certified(
        "return_time",
        digits,
        given,
        lambda c: c.release - c.freed[CRUSH] / c.freed[VELOCITY],
        lambda _, h: h.phases[-1].start - h.residual / h.phases[-1].velocity,
    )


@takes(PARAMETERS)
def dissipated_energy(*, digits: int = 30, **given: Number) -> Certified:
    """Return the energy (J) lost in the stop, of all bodies together; zero if it has not buckled.

    Parameters and errors as `buckling_time`.
    """

    def read(c: _Crush) -> Ball:
        return arb(0) if len(c.phases) == 3 else ball(c.stop.launched) - c.turned[FORCE] * c.back / 2

    return _certified("dissipated_energy", digits, given, read, lambda s, _: quadrature.lost(s))


@takes(PARAMETERS)
def changes_of_phase(*, digits: int = 30, **given: Number) -> Certified:
    """Count the ends of lines of the force that the crush passes; parameters and errors as `buckling_time`."""
    return _certified(
        "changes_of_phase", digits, given, lambda c: arb(len(c.phases) - 3), lambda _, h: mpmath.mpf(len(h.phases) - 3)
    )


@takes(PARAMETERS)
def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Return the motion of one mass for figures: displacement (m), velocity (m/s), force of the stop (N).

    Parameters and errors as `buckling_time`; `ParameterError` too for a negative time.
    """
    s = _stop(given)

    def reading(place: int, bodies: Exact) -> Callable[[Ball], Ball]:
        return lambda t: value_at(_phases(s), {place: arb(1)}, t) / ball(bodies)

    return Motion(
        {
            "displacement": reading(CRUSH, s.bodies),
            "velocity": reading(VELOCITY, s.bodies),
            "force": reading(FORCE, exact(1)),
        },
        lambda: [(ended.phase.start, ended.phase.kind) for ended in _phases(s)],
        check_digits(digits),
    )
