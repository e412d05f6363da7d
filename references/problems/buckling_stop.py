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

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from flint import arb

from veridyn.references.engine.enclosure import Absent, ball, per_bits, sign_of
from veridyn.references.engine.flows import LinearFlow, State
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, Reading, read_each, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, exact
from veridyn.references.reference import TIME
from veridyn.references.second_routes import buckling_quadrature as quadrature
from veridyn.references.second_routes.buckling_quadrature import Crush

TABLE = 4  # rows of the table of return stiffnesses, unused ones with stiffness zero
ROWS = range(1, TABLE + 1)

PARAMETERS = (
    Parameter("m", "kg", "mass of each body", "1"),
    Parameter("energy", "J", "kinetic energy of each body at the start", "2"),
    Parameter("bodies", "1", "1: against a wall; 2: against each other", "1", among=("1", "2")),
    Parameter("k", "N/m", "stiffness of the stop before it buckles", "1"),
    Parameter("f_crit", "N", "force at which it buckles", "1"),
    Parameter("f_post", "N", "force that is left of it", "0.5"),
    Parameter("plateau", "m", "crush under f_crit", "0", "non-negative"),
    Parameter("softening", "m", "crush over which the force falls to f_post", "0", "non-negative"),
    *(Parameter(f"d{i}", "m", f"residual crush of row {i} of the table", "0", "non-negative") for i in ROWS),
    *(Parameter(f"k{i}", "N/m", f"stiffness of the return from it; 0: no row {i}", "0", "non-negative") for i in ROWS),
)

CRUSH, VELOCITY, FORCE = range(3)


class BucklingParameters(quadrature.CrushStop):
    """The parameters: a force that does not grow beyond f_crit, a table that increases."""

    def check(self) -> None:
        """Refuse other forces and tables."""
        if _step([self.f_post], [self.f_crit]) < 0:
            raise ParameterError(f"f_post = {self.f_post} N must not exceed f_crit = {self.f_crit} N")
        first, *rows = _points(self)
        for i, (last, new) in enumerate(pairwise([([*first[0], self.softening], first[1]), *rows]), 1):
            total = _step(last[0], new[0])
            if total < 0 or _step([last[1]], [new[1]]) < 0 or (i > 1 and total == 0):
                shown = (f"{sum(map(float, terms)):.6g}" for terms in (new[0], [new[1]], last[0], [last[1]]))
                raise ParameterError(
                    "row {} of the table: total crush d + f_post/k = {} m and residual crush d = {} m must not fall "
                    "below {} m and {} m; raise d, or lower k".format(i, *shown)
                )


def _points(s: BucklingParameters) -> list[tuple[list[Exact], Exact]]:
    """Return largest crush, as a sum, and residual crush at the end of the plateau and in the rows of the table."""
    return [([s.buckled, s.plateau], s.plateau), *(([d, s.f_post / k], d) for d, k in s.rows)]


def _step(before: list[Exact], after: list[Exact]) -> int:
    """Return the sign of the difference of two sums."""
    return sign_of(*(term.plain for term in after), *(-term.plain for term in before))


class _Line(NamedTuple):
    """A straight line of the force of a first loading: force at its ends, length (None: for ever)."""

    kind: str
    begin: Exact
    end: Exact
    length: Exact | None


def _lines(s: BucklingParameters) -> list[_Line]:
    lines = [_Line("elastic", exact(0), s.f_crit, s.buckled), _Line("plateau", s.f_crit, s.f_crit, s.plateau)]
    lines += [_Line("softening", s.f_crit, s.f_post, s.softening), _Line("collapsed", s.f_post, s.f_post, None)]
    return [line for line in lines if line.length is None or line.length.rational]


def _loading(s: BucklingParameters) -> Iterator[tuple[_Line, list[Exact], list[Exact]]]:
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
def _phases(s: BucklingParameters) -> tuple[PhaseEnd, ...]:
    """Return the phases of the crush of the stop: the lines of the force, return, release."""
    mass, time, crush = ball(s.mass), arb(0), arb(0)
    result: list[PhaseEnd] = []
    for line, before, after in _loading(s):
        energy, force, speed = _total(before), ball(line.begin), (2 * _total(before) / mass).sqrt()
        length: Ball = ball(line.length) if line.length else None
        slope = (ball(line.end) - force) / length if line.begin != line.end else arb(0)
        path = length if after else 2 * energy / (force + (force * force + 2 * slope * energy).sqrt())
        rest = (2 * _total(after) / mass).sqrt() if after and sign_of(*after) else arb(0)
        last = force + slope * path
        lapse = _duration(line, mass, slope, (force, last), (speed, rest), path)
        result.append(_phase(line.kind, mass, slope, time, lapse, (crush, speed, force)))
        time, crush = time + lapse, crush + path
    residual = _residual(s, line.kind, crush)
    back = crush - residual
    omega = (last / back / mass).sqrt()
    lapse = arb.pi() / (2 * omega)
    result.append(_phase("return", mass, last / back, time, lapse, (crush, arb(0), last)))
    free = LinearFlow(({VELOCITY: arb(1)}, {}, {}), value(lapse))
    state = (residual, -omega * back, arb(0))
    return (*result, PhaseEnd(Phase("free", free, time + lapse, state), None, None))


def _phase(kind: str, mass: Ball, slope: Ball, start: Ball, lapse: Ball, state: State) -> PhaseEnd:
    flow = LinearFlow(({VELOCITY: arb(1)}, {FORCE: -1 / mass}, {VELOCITY: slope}), value(lapse))
    return PhaseEnd(Phase(kind, flow, start, state), start + lapse, kind)


_Ends = tuple[Ball, Ball]


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


def _residual(s: BucklingParameters, last: str, crush: Ball) -> Ball:
    """Return the crush that remains; the lines of the table are added up, each as far as the crush went on it."""
    if last in ("elastic", "plateau"):
        return arb(0) if last == "elastic" else crush - ball(s.buckled)
    points = _points(s)
    if s.rows and _step(points[0][0], points[1][0]) == 0:
        points = points[1:]
    result, ends = ball(points[0][1]), [_total(terms) for terms, _ in points]
    for (x, x_next), ((_, d), (_, d_next)) in zip(pairwise(ends), pairwise(points), strict=True):
        result += (crush.max(x).min(x_next) - x) * (ball(d_next) - ball(d)) / (x_next - x)
    return result + (crush - ends[-1]).max(arb(0))


def _crush(s: BucklingParameters) -> Crush:
    *_, back, free = (ended.phase for ended in _phases(s))
    way, force, residual = back.state[CRUSH], back.state[FORCE], free.state[CRUSH]
    elastic = len(_phases(s)) == 3
    return Crush(
        bodies=ball(s.bodies),
        buckled=None if elastic else _phases(s)[1].phase.start,
        turned=back.start,
        largest=way,
        stiffness=force / (way - residual),
        residual=residual,
        released=free.start,
        exit=free.state[VELOCITY],
        lost=arb(0) if elastic else ball(s.launched) - force * (way - residual) / 2,
        changes=arb(len(_phases(s)) - 3),
    )


reference = References(
    PARAMETERS,
    BucklingParameters,
    kind="closed form",
    proof="closed form of every line of the force, the last one decided exactly by the energy",
    how="integrals of 1/velocity over the crush, from the areas under the force",
    effort=lambda s, **_: f"{len(_phases(s))} phases",
)
of_crush = partial(reference.both, _crush, quadrature.crush)


@of_crush()
def buckling_time(c: Crush) -> Any:
    """Return the instant (s) at which the stop buckles; undefined if it does not."""
    if c.buckled is None:
        raise Absent("the stop does not buckle: its largest force does not exceed f_crit")
    return c.buckled


@of_crush()
def largest_crush(c: Crush) -> Any:
    """Return the way (m) of each mass to where it turns."""
    return c.largest / c.bodies


@of_crush()
def largest_time(c: Crush) -> Any:
    """Return the instant (s) at which the masses turn."""
    return c.turned


@of_crush()
def residual_crush(c: Crush) -> Any:
    """Return the crush (m) that remains, over the number of bodies; zero if the stop has not buckled."""
    return c.residual / c.bodies


@of_crush()
def return_stiffness(c: Crush) -> Any:
    """Return the stiffness (N/m) of the stop on the return."""
    return c.stiffness


@of_crush()
def release_time(c: Crush) -> Any:
    """Return the instant (s) at which the force ends."""
    return c.released


@of_crush()
def exit_velocity(c: Crush) -> Any:
    """Return the velocity (m/s) of each mass after release, negative."""
    return c.exit / c.bodies


@of_crush()
def return_time(c: Crush) -> Any:
    """Return the instant (s) at which the masses are back at their start."""
    return c.released - c.residual / c.exit


@of_crush()
def dissipated_energy(c: Crush) -> Any:
    """Return the energy (J) lost in the stop, of all bodies together; zero if it has not buckled."""
    return c.lost


@of_crush()
def changes_of_phase(c: Crush) -> Any:
    """Count the ends of lines of the force that the crush passes."""
    return c.changes


@reference(lambda s, time: quadrature.velocity(s, time.mpf()) / s.bodies.mpf(), takes=(TIME,))
def velocity(s: BucklingParameters, time: Exact) -> Ball:
    """Return the velocity (m/s) of each mass at an instant (s), positive towards the stop."""
    return value_at(_phases(s), {VELOCITY: arb(1)}, ball(time)) / ball(s.bodies)


@reference.function()
def motion(s: BucklingParameters, digits: int) -> Motion:
    """Return the motion of one mass for figures: displacement (m), velocity (m/s), force of the stop (N)."""

    def reading(place: int, bodies: Exact) -> Reading:
        return read_each(lambda t: value_at(_phases(s), {place: arb(1)}, t) / ball(bodies))

    return Motion(
        {
            "displacement": reading(CRUSH, s.bodies),
            "velocity": reading(VELOCITY, s.bodies),
            "force": reading(FORCE, exact(1)),
        },
        lambda: [(ended.phase.start, ended.phase.kind) for ended in _phases(s)],
        digits,
    )
