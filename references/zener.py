"""A mass on a Zener device whose dashpot obeys a power law, released from a sudden stretch or shaken for a while.

m x'' = -F - k x - p sin(ωt) while t < until, without the load afterwards; at rest at x0 with the dashpot at zero. The
equations of the device are in `zener_device`. With α = 1 everything is linear: three exponentials, found from
eigenvectors. With α = 1/2, 1/3, … the motion is analytic between the zeros of the force of the dashpot only; series
go from zero to zero, and a collocation confirms 20 digits.

Source: Code_Aster tests sdnd107a to e (SDND107); the law is RELATION = DIS_VISC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import mpmath
from mpmath import mpf

from veridyn.references.certified import Certified, Route, certify, exact_zero, undefined
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_digits,
    checked,
    resolve,
    takes,
)
from veridyn.references.zener_checks import PROMISED, WORKING, collocated, superposed
from veridyn.references.zener_device import Oscillator, State, force_rate
from veridyn.references.zener_series import LOOKS, march, state

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k1", "N/m", "spring in series with the rest of the device", "120"),
    Parameter("k2", "N/m", "spring beside the dashpot", "10"),
    Parameter("k3", "N/m", "spring in series with the dashpot", "60"),
    Parameter("c", "N (s/m)^alpha", "constant of the dashpot", "1.7"),
    Parameter("alpha", "1", "power of the dashpot: 1, 1/2, 1/3, …", "1"),
    Parameter("k", "N/m", "spring beside the device", "0", "non-negative"),
    Parameter("x0", "m", "sudden stretch at t = 0", "0.1", "any"),
    Parameter("p", "N", "amplitude of the load", "0", "any"),
    Parameter("omega", "rad/s", "circular frequency of the load", "10*pi"),
    Parameter("until", "s", "duration of the load", "0.8", "non-negative"),
    Parameter("end", "s", "end of the motion", "3.2"),
)

MOST = 4  # 1/α
_TIME = Parameter("time", "s", "instant", "0", "non-negative")
_SERIES = "Taylor series of displacement, velocity and force, from zero to zero of the dashpot's force"
_AT_REST = "no stretch and no load: nothing moves"


def _oscillator(given: dict[str, Number]) -> tuple[Oscillator, Exact]:
    """Read the parameters; return the oscillator and the end of its motion."""
    p = resolve(PARAMETERS, given)
    alpha, end = p.pop("alpha"), p.pop("end")
    power = 1 / alpha.rational
    if alpha.pi or power.denominator != 1 or power > MOST:
        raise ParameterError(f"alpha must be 1, 1/2, 1/3 or 1/{MOST}, got {alpha}")
    return Oscillator(power=int(power), **p), end


def _instant(time: Number, end: Exact) -> Exact:
    t = checked(_TIME, time)
    with mpmath.workdps(50):
        if t.mpf() > end.mpf():
            raise ParameterError(f"time = {t} s lies after the end of the motion, {end} s: raise end")
    return t


def _moves(o: Oscillator) -> bool:
    return o.x0.rational != 0 or o.loaded


Read = Callable[[Callable[[mpf], State]], mpf]  # what is read from the state as a function of time


def _certified(name: str, digits: int, o: Oscillator, end: Exact, read: Read) -> Certified:
    series = Route(_SERIES, lambda: read(lambda t: state(o, t, end)))
    if o.power == 1:
        exponentials = Route("eigenvectors of the linear system", lambda: read(lambda t: superposed(o, t)))
        return certify(exponentials, series, digits=digits, kind="closed form", name=name)

    def confirmed() -> mpf:
        with mpmath.workdps(WORKING):
            return read(lambda t: collocated(o, t, end))

    how = "Gauss-Legendre collocation of order 24 in displacement, velocity and path of the dashpot"
    return certify(series, Route(how, confirmed, PROMISED), digits=digits, kind="quasi-analytical", name=name)


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def displacement(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Displacement of the mass, which is the stretch of the device, at an instant, in m.

    Parameters
    ----------
    time
        Instant in s, from 0 to `end`.
    digits
        Digits wanted; at most 20 are certified unless α = 1.
    **given
        Parameters by name, see `PARAMETERS`; the others have their defaults.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, 1/α is not a whole number up to 4, or the time exceeds `end`.
    """
    o, end = _oscillator(given)
    t = _instant(time, end)
    if not _moves(o) or (t.rational == 0 and o.x0.rational == 0):
        return exact_zero(_AT_REST, digits)
    return _certified("displacement", digits, o, end, lambda at: at(t.mpf()).x)


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def force(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Force of the device at an instant, positive in tension, in N; parameters and errors as `displacement`."""
    o, end = _oscillator(given)
    t = _instant(time, end)
    if not _moves(o) or (t.rational == 0 and o.x0.rational == 0):
        return exact_zero(_AT_REST, digits)
    return _certified("force", digits, o, end, lambda at: at(t.mpf()).force)


@takes(PARAMETERS)
def initial_force(*, digits: int = 30, **given: Number) -> Certified:
    """Force right after the sudden stretch, K1 (K2 + K3)/(K1 + K2 + K3) x0, in N.

    Parameters and errors as `displacement`.
    """
    o, _ = _oscillator(given)
    if o.x0.rational == 0:
        return exact_zero("no stretch at the start", digits)

    def in_series() -> mpf:
        n = o.numbers()
        return o.x0.mpf() / (1 / n.k1 + 1 / (n.k2 + n.k3))

    return certify(
        Route("K1 (K2 + K3)/(K1 + K2 + K3) x0", lambda: o.numbers().instantaneous * o.x0.mpf()),
        Route("flexibilities in series", in_series),
        digits=digits,
        kind="closed form",
        name="initial_force",
    )


def _stationary(o: Oscillator, end: Exact) -> Iterator[tuple[mpf, mpf]]:
    """Yield brackets of the zeros of the rate of the force."""
    before, stop = None, end.mpf()
    segments = march(o, end)
    for segment, after in zip(segments, [*(s.start for s in segments[1:]), stop], strict=True):
        for look in range(LOOKS + 1):
            time = segment.start + (after - segment.start) * look / LOOKS
            rate = force_rate(o, segment.at(time - segment.start))
            if before is not None and before[1] * rate < 0:
                yield before[0], time
            before = (time, rate)


@lru_cache(maxsize=64)
def _highest(o: Oscillator, end: Exact) -> tuple[mpf, mpf] | None:
    """Bracket of the zero of the rate at which the force is largest in magnitude."""
    with mpmath.workdps(WORKING):
        brackets = list(_stationary(o, end))
        return max(brackets, key=lambda b: abs(state(o, sum(b) / 2, end).force), default=None)


def _peak(o: Oscillator, end: Exact, at: Callable[[mpf], State]) -> mpf:
    """Instant of the largest force at which its rate is zero."""
    return mpmath.findroot(
        lambda t: force_rate(o, at(t)),
        _highest(o, end),
        solver="anderson",
        tol=64 * mpmath.eps,
        maxsteps=2 * mpmath.mp.prec,
        verify=False,
    )


def _at_peak(
    name: str, digits: int, given: dict[str, Number], read: Callable[[Callable[[mpf], State], mpf], mpf]
) -> Certified:
    o, end = _oscillator(given)
    check_digits(digits)
    if not _moves(o):
        return undefined(_AT_REST)
    if _highest(o, end) is None:
        return undefined("the force has no extreme before the end of the motion")
    return _certified(name, digits, o, end, lambda at: read(at, _peak(o, end, at)))


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def peak_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant of the largest extreme of the force after t = 0, where its rate is zero, in s; undefined if it has none.

    Parameters and errors as `displacement`.
    """
    return _at_peak("peak_time", digits, given, lambda _, time: time)


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def peak_force(*, digits: int = 30, **given: Number) -> Certified:
    """Force at the instant `peak_time`, with its sign, in N; parameters and errors as `displacement`."""
    return _at_peak("peak_force", digits, given, lambda at, time: at(time).force)


@dataclass(frozen=True)
class Motion:
    """The motion at any instant up to the end, to about `digits` digits of its amplitude, by series alone."""

    oscillator: Oscillator
    end: Exact
    digits: int

    def displacement(self, t: Number) -> mpf:
        """Displacement in m."""
        return self.state(t).x

    def velocity(self, t: Number) -> mpf:
        """Velocity in m/s."""
        return self.state(t).v

    def force(self, t: Number) -> mpf:
        """Force of the device in N."""
        return self.state(t).force

    def state(self, t: Number) -> State:
        """Displacement, velocity and force together."""
        time = _instant(t, self.end)
        with mpmath.workdps(self.digits + 15):
            found = state(self.oscillator, time.mpf(), self.end)
        with mpmath.workdps(self.digits):
            return State(*(+value for value in found))


@takes(PARAMETERS)
def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Motion for figures and comparison of histories.

    Parameters and errors as `displacement`; the methods raise `ParameterError` outside [0, end].
    """
    o, end = _oscillator(given)
    return Motion(o, end, check_digits(digits))
