"""A mass against a stop that buckles: elastic contact, collapse, elastic return from what remains crushed.

The stop pushes with k x up to the force f_crit, at the crush x_b = f_crit/k. Then it has buckled: its force stays at
f_crit over a plateau, falls in a line to f_post over a length of softening (at once if that is zero) and stays there.
Every return follows the line from the largest crush so far to the residual crush, and comes back on it. The residual
crush goes in lines through (x_b, 0), the end of the plateau (elastic return with k), and (d_i + f_post/k_i, d_i) of the
table; beyond the last of these points it grows as the crush does. Without a table the stop returns from f_post with
the stiffness f_post/x_b.

Two equal masses that meet at opposite velocities crush the stop between them by twice the way of each. Lengths and
velocities are those of one mass.

Source: EDF validation manual V5.01.105 (SDND105), Code_Aster tests sdnd105a, b, c; the law is RELATION = FLAMBAGE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import mpmath
from mpmath import mpf

from veridyn.references import buckling_phases as phases
from veridyn.references.buckling_phases import History, Stop
from veridyn.references.certified import Certified, Route, certify, exact_zero, undefined
from veridyn.references.parameters import (
    Number,
    Parameter,
    ParameterError,
    check_digits,
    checked,
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

_TIME = Parameter("t", "s", "instant", "0", "non-negative")
_SERIES = "Taylor series of the motion from kink to kink, events located on them"
_ELASTIC = "the stop does not buckle: its largest force stays below f_crit"


def _stop(given: dict[str, Number]) -> Stop:
    """Read and check the parameters; raises `ParameterError`."""
    p = resolve(PARAMETERS, given)
    if p["bodies"] not in (exact(1), exact(2)):
        raise ParameterError(f"bodies must be 1 or 2, got {p['bodies']}")
    with mpmath.workdps(50):
        if p["f_post"].mpf() > p["f_crit"].mpf():
            raise ParameterError(f"f_post = {p['f_post']} N must not exceed f_crit = {p['f_crit']} N")
    rows = tuple((p[f"d{i}"], p[f"k{i}"]) for i in range(1, TABLE + 1) if p[f"k{i}"].rational > 0)
    law = {parameter.name: p[parameter.name] for parameter in PARAMETERS[: -2 * TABLE]}
    stop = Stop(rows=rows, **law)
    _check_table(stop)
    return stop


def _check_table(stop: Stop) -> None:
    """Refuse a table whose residual crush d or total crush d + f_post/k does not increase from the end of softening."""
    with mpmath.workdps(50):
        end = stop.buckled + stop.plateau.mpf() + stop.softening.mpf()
        points = [(end, stop.plateau.mpf()), *stop.returns()[2:]]
        for i, (last, new) in enumerate(pairwise(points), 1):
            if new[0] < last[0] or new[1] < last[1] or (i > 1 and new[0] == last[0]):
                shown = (mpmath.nstr(number, 6) for number in (*new, *last))
                raise ParameterError(
                    "row {} of the table: total crush d + f_post/k = {} m and residual crush d = {} m must not fall "
                    "below {} m and {} m; raise d, or lower k".format(i, *shown)
                )


def _certified(name: str, digits: int, how: str, read: Callable[[Stop, History], mpf], stop: Stop) -> Certified:
    return certify(
        Route(how, lambda: read(stop, phases.closed(stop))),
        Route(_SERIES, lambda: read(stop, phases.followed(stop))),
        digits=digits,
        kind="closed form",
        name=name,
    )


@takes(PARAMETERS)
def buckling_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant at which the stop buckles, asin(x_b ω/v)/ω with ω = √(k/m), in s; undefined if it does not.

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
    stop = _stop(given)
    if not phases.buckles(stop):
        check_digits(digits)
        return undefined(_ELASTIC)
    return _certified("buckling_time", digits, "arctangents of the elastic phase", lambda _, h: h.buckling, stop)


@takes(PARAMETERS)
def largest_crush(*, digits: int = 30, **given: Number) -> Certified:
    """Way of each mass to where it turns, in m; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    return _certified(
        "largest_crush", digits, "balance of energy and work", lambda s, h: h.largest / s.bodies.mpf(), stop
    )


@takes(PARAMETERS)
def largest_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant at which the masses turn, in s; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    return _certified("largest_time", digits, "durations of the phases", lambda _, h: h.turning, stop)


@takes(PARAMETERS)
def residual_crush(*, digits: int = 30, **given: Number) -> Certified:
    """Crush that remains, over the number of bodies, in m; zero if the stop has not buckled.

    Parameters and errors as `buckling_time`.
    """
    stop = _stop(given)
    if not phases.buckles(stop):
        return exact_zero(_ELASTIC, digits)
    how = "lines of the table at the largest crush"
    return _certified("residual_crush", digits, how, lambda s, h: h.residual / s.bodies.mpf(), stop)


@takes(PARAMETERS)
def return_stiffness(*, digits: int = 30, **given: Number) -> Certified:
    """Stiffness of the stop on the return, in N/m; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    how = "largest force over the crush that comes back"
    return _certified("return_stiffness", digits, how, lambda _, h: h.stiffness, stop)


@takes(PARAMETERS)
def release_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant at which the force ends, in s; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    how = "durations of the phases and a quarter of a period"
    return _certified("release_time", digits, how, lambda _, h: h.release, stop)


@takes(PARAMETERS)
def exit_velocity(*, digits: int = 30, **given: Number) -> Certified:
    """Velocity of each mass after release, negative, in m/s; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    how = "ω times the crush that comes back"
    return _certified("exit_velocity", digits, how, lambda s, h: -h.exit / s.bodies.mpf(), stop)


@takes(PARAMETERS)
def velocity(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Velocity of each mass at an instant (s), positive towards the stop, in m/s.

    Parameters and errors as `buckling_time`; the time must not be negative.
    """
    stop, instant = _stop(given), checked(_TIME, time)

    def read(history: History, *, series: bool) -> mpf:
        phase = phases.phase_at(history, instant.mpf())
        if series:
            return phases.followed_velocity(stop.mass, phase, instant.mpf()) / stop.bodies.mpf()
        return phases.at(stop.mass, phase, instant.mpf())[1] / stop.bodies.mpf()

    return certify(
        Route("closed form of the phase", lambda: read(phases.closed(stop), series=False)),
        Route(_SERIES, lambda: read(phases.followed(stop), series=True)),
        digits=digits,
        kind="closed form",
        name="velocity",
    )


@takes(PARAMETERS)
def return_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant at which the masses are back where they started, in s; parameters and errors as `buckling_time`."""
    stop = _stop(given)
    how = "release and uniform motion over the residual crush"
    return _certified("return_time", digits, how, lambda _, h: h.release + h.residual / h.exit, stop)


@takes(PARAMETERS)
def dissipated_energy(*, digits: int = 30, **given: Number) -> Certified:
    """Energy lost in the stop, of all bodies together, in J; zero if it has not buckled.

    Parameters and errors as `buckling_time`.
    """
    stop = _stop(given)
    if not phases.buckles(stop):
        return exact_zero(_ELASTIC, digits)
    how = "kinetic energy before and after"
    return _certified("dissipated_energy", digits, how, lambda s, h: s.launched - s.mass * h.exit**2 / 2, stop)


@dataclass(frozen=True)
class Motion:
    """The motion at any instant, of one mass, and the force; about `digits` digits of the amplitude."""

    stop: Stop
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement towards the stop in m."""
        return self._evaluate(t)[0]

    def velocity(self, t: Number) -> mpf:
        """Velocity towards the stop in m/s."""
        return self._evaluate(t)[1]

    def force(self, t: Number) -> mpf:
        """Force of the stop as a magnitude, in N."""
        return self._evaluate(t)[2]

    def _evaluate(self, t: Number) -> tuple[mpf, mpf, mpf]:
        time = checked(_TIME, t)
        with mpmath.workdps(self.digits + 15):
            phase = phases.phase_at(phases.closed(self.stop), time.mpf())
            crush, velocity, force = phases.at(self.stop.mass, phase, time.mpf())
            bodies = self.stop.bodies.mpf()
        with mpmath.workdps(self.digits):
            return crush / bodies, velocity / bodies, +force


@takes(PARAMETERS)
def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Motion for figures and comparison of histories.

    Parameters and errors as `buckling_time`; the methods raise `ParameterError` for a negative time.
    """
    return Motion(_stop(given), check_digits(digits))
