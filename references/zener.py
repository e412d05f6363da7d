"""A mass on a Zener device whose dashpot obeys a power law, released from a sudden stretch or shaken for a while.

m x'' = -F - k x - p sin(ωt) while t < until, without the load afterwards; at rest at x0 with the dashpot at zero. The
device is described in `zener_checks`; without the path of its dashpot, with e = K1 K3/S and f = K3 (K1 + K2)/S,

    F = (D + K2 x) K1/(K1 + K2),      D' = e x' - f sign(D) |D/C|^n,      n = 1/α.

With α = 1 everything is linear. With odd n the motion is analytic as long as the load is; with even n it is between the
zeros of D, where sign(D) |D|^n has a kink. Two motions under one load never part: their difference gives work to the
dashpots alone, so its energy is a norm that does not grow as long as D has the sign that its phase says.

Source: Code_Aster tests sdnd107a to e (SDND107); the law is RELATION = DIS_VISC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from flint import arb, ctx
from mpmath import mpf

from veridyn.references import zener_checks as checks
from veridyn.references.certified import Certified, Route, exact_zero, undefined
from veridyn.references.enclosure import Absent, Undecided, ball, enclose, per_bits, precision, sign_of
from veridyn.references.events import Event, Guard
from veridyn.references.extrapolation import PROMISED
from veridyn.references.flows import Flow, Linear, Row, State
from veridyn.references.jets import Ball, value
from veridyn.references.motion import Ended, Motion, Phase, follow, proved, value_at
from veridyn.references.motion import instant as instant_of
from veridyn.references.parameters import Exact, Number, Parameter, ParameterError, check_digits, resolve, takes
from veridyn.references.smooth import Norm, Smooth, passed_on
from veridyn.references.zener_checks import Oscillator

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
SPARE = 32  # bits beyond those asked for: what the zeros of D cost
X, V, D, SINE, COSINE = range(5)
MODES = {  # sign of the dashpot's force, whether the load acts
    "pulled, loaded": (1, True),
    "pushed, loaded": (-1, True),
    "pulled, free": (1, False),
    "pushed, free": (-1, False),
}
KINDS = {mode: kind for kind, mode in MODES.items()}

_LINEAR = "matrix exponential, enclosed"
_PROOF = "analytic phases enclosed, every zero of the dashpot's force proved to be the next root"
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
    t = instant_of(time, "time")
    if sign_of(end, -t) < 0:
        raise ParameterError(f"time = {t} s lies after the end of the motion, {end} s: raise end")
    return t


def _moves(o: Oscillator) -> bool:
    return o.x0.rational != 0 or o.loaded


def _factors(o: Oscillator) -> tuple[Ball, Ball]:
    """Return e and f (N/m)."""
    k1, k2, k3 = ball(o.k1), ball(o.k2), ball(o.k3)
    return k1 * k3 / (k1 + k2 + k3), k3 * (k1 + k2) / (k1 + k2 + k3)


def _force(o: Oscillator) -> Row:
    """Return the force of the device."""
    share = ball(o.k1) / (ball(o.k1) + ball(o.k2))
    return {X: share * ball(o.k2), D: share}


def _pull(o: Oscillator) -> Row:
    """Return the acceleration of the mass without its load."""
    force, m = _force(o), ball(o.m)
    return {X: -(force[X] + ball(o.k)) / m, D: -force[D] / m}


def _norm(o: Oscillator, sign: int) -> Norm:
    """Return the energy of a difference, twice; it grows where a phase is followed past the zero of D that ends it."""
    m, k, k1, k2, k3, c = (ball(n) for n in (o.m, o.k, o.k1, o.k2, o.k3, o.c))
    force, n = _force(o), o.power
    second = {X: k2.sqrt() * (1 - force[X] / k1), D: -k2.sqrt() * force[D] / k1}
    first = {i: factor / k1.sqrt() for i, factor in force.items()}
    rows: list[Row] = [{V: m.sqrt()}, {X: k.sqrt()}, first, second, {D: 1 / k3.sqrt()}]

    def growth(box: Sequence[Ball]) -> arb:
        return arb(0) if n % 2 else n * k3 * (-sign * box[D]).max(arb(0)).abs_upper() ** (n - 1) / c**n

    return Norm(rows, growth)


def _smooth(o: Oscillator, sign: int, loaded: bool) -> Callable[[arb], Smooth]:
    """Return the equations of (x, v, D) from an instant on."""
    (e, f), pull, omega, n = _factors(o), _pull(o), ball(o.omega), o.power
    pushed, flow = -ball(o.p) / ball(o.m), (sign if n % 2 == 0 else 1) * f / ball(o.c) ** n

    def rates(t: Any, y: Any) -> Any:
        acceleration = y[X] * pull[X] + y[D] * pull[D]
        if loaded:
            acceleration = acceleration + (t * omega).sin() * pushed
        return y[V], acceleration, y[V] * e - y[D] ** n * flow

    norm = _norm(o, sign)
    return lambda start: Smooth(rates, start, norm)


def _linear(o: Oscillator, loaded: bool) -> Linear:
    """Return the equations of (x, v, D, sin ωt, cos ωt)."""
    (e, f), omega = _factors(o), ball(o.omega)
    pushed = -ball(o.p) / ball(o.m) if loaded else arb(0)
    return Linear(({V: arb(1)}, {**_pull(o), SINE: pushed}, {V: e, D: -f / ball(o.c)}, {COSINE: omega}, {SINE: -omega}))


def _begun(o: Oscillator, mode: tuple[int, bool], flow: Flow, start: arb, state: State, *zero: Any) -> Phase:
    """Return a phase; only with even n it ends where D is zero. `zero`: how D begins there, see `Guard`."""
    sign, loaded = mode
    guards = () if o.power % 2 else (Guard("the dashpot turns", {D: arb(sign)}, *zero),)
    return Phase(KINDS[mode], flow, start, state, guards, ball(o.until) if loaded else None)


def _following(o: Oscillator, phase: Phase, event: Event | None, time: arb, state: State) -> Phase:
    sign, loaded = MODES[phase.kind]
    mode = (-sign, loaded) if event else (sign, False)
    if o.power == 1:
        return _begun(o, mode, _linear(o, mode[1]), time, state)
    flow, there, late = passed_on(phase, _smooth(o, *mode), time)
    return _begun(o, mode, flow, flow.start, there, *((1, late) if event else ()))


@per_bits
def _phases(o: Oscillator, end: Exact) -> tuple[Ended, ...]:
    """Return the motion from 0 to `end` (s): its phases are divided by the zeros of D and by the end of the load."""
    x0 = ball(o.x0)
    stretched = sign_of(o.x0.plain)
    # from rest D follows the stretch, which follows the load: all grow as t³, D before anything else
    mode = (stretched or -sign_of(o.p.plain), o.loaded)
    state = (x0, arb(0), _factors(o)[0] * x0)
    if o.power == 1:
        first = _begun(o, mode, _linear(o, o.loaded), arb(0), (*state, arb(0), arb(1)))
    else:
        first = _begun(o, mode, _smooth(o, *mode)(arb(0)), arb(0), state, 0 if stretched else 3)
    return follow(first, lambda *ended: _following(o, *ended), ball(end))


def _effort(o: Oscillator, end: Exact) -> str:
    with precision(ctx.prec + SPARE):
        return proved(_phases(o, end))


def _read(o: Oscillator, end: Exact, row: Callable[[Oscillator], Row], time: Exact) -> Ball:
    with precision(ctx.prec + SPARE):
        return value_at(_phases(o, end), row(o), ball(time))


def _peak(o: Oscillator, end: Exact) -> tuple[Ball, Ball]:
    """Return instant and value of the largest extreme of the force."""
    with precision(ctx.prec + SPARE):
        force, order, phases, found = _force(o), 1, _phases(o, end), []
        rate = force
        if o.power == 1:  # the rate is a row itself, and may have a derivative
            (e, f), order = _factors(o), 0
            rate = {V: force[X] + force[D] * e, D: -force[D] * f / ball(o.c)}
        zeros = 0 if o.x0.rational else 2  # from rest the force grows as t³
        for ended in phases:
            until = ball(end) if ended is phases[-1] else None
            times = ended.extremes(rate, until=until, zeros=zeros, order=order)
            found += [(time, ended.phase.read(force, time)) for time in times]
            zeros = 0
        if not found:
            raise Absent("the force has no extreme before the end of the motion")
        largest = max(found, key=lambda f: float(value(abs(f[1])).mid()))
        if any(f is not largest and not (abs(f[1]) < abs(largest[1])) for f in found):
            raise Undecided("two extremes of the force are equal")
        return largest


def _certified(
    name: str, digits: int, o: Oscillator, end: Exact, read: Callable[[], Ball], second: Callable[[], mpf]
) -> Certified:
    """Enclose a number; its second route is exact for a linear device, but for a peak, and of few digits else."""
    if o.power > 1 and any(isinstance(n, Exact) and n.slope is not None for n in vars(o).values()):
        return undefined("no derivative is given where the equations are nonlinear")
    how = "extrapolated midpoint steps in x, v, z, with zeros of the dashpot's force looked for at turning points"
    route = Route(how, checks.at_work(second), PROMISED)
    if o.power == 1 and not name.startswith("peak"):
        route = Route("matrix exponential in x, v, z", second)
    return enclose(
        read,
        route,
        digits=digits,
        kind="closed form" if o.power == 1 else "quasi-analytical",
        name=name,
        proof=_LINEAR if o.power == 1 else _PROOF,
        proved=lambda: _effort(o, end),
    )


def _at(name: str, place: int, row: Callable[[Oscillator], Row], time: Number, digits: int, given: Any) -> Certified:
    o, end = _oscillator(given)
    t = _instant(time, end)
    if not _moves(o) or (t.rational == 0 and o.x0.rational == 0):
        return exact_zero(_AT_REST, digits)
    return _certified(name, digits, o, end, lambda: _read(o, end, row, t), lambda: checks.state(o, t.mpf(), end)[place])


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def displacement(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Displacement of the mass, which is the stretch of the device, at an instant, in m.

    Parameters
    ----------
    time
        Instant in s, from 0 to `end`.
    digits
        Digits wanted.
    **given
        Parameters by name, see `PARAMETERS`; the others have their defaults.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, 1/α is not a whole number up to 4, or the time exceeds `end`.
    """
    return _at("displacement", X, lambda _: {X: arb(1)}, time, digits, given)


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def force(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Force of the device at an instant, positive in tension, in N; parameters and errors as `displacement`."""
    return _at("force", D, _force, time, digits, given)


@takes(PARAMETERS)
def initial_force(*, digits: int = 30, **given: Number) -> Certified:
    """Force right after the sudden stretch, K1 (K2 + K3)/(K1 + K2 + K3) x0, in N.

    Parameters and errors as `displacement`.
    """
    o, _ = _oscillator(given)
    if o.x0.rational == 0:
        return exact_zero("no stretch at the start", digits)

    def stiffness() -> Ball:
        return ball(o.k1) * (ball(o.k2) + ball(o.k3)) / (ball(o.k1) + ball(o.k2) + ball(o.k3))

    return enclose(
        lambda: stiffness() * ball(o.x0),
        Route("flexibilities in series", lambda: o.x0.mpf() / (1 / o.k1.mpf() + 1 / (o.k2.mpf() + o.k3.mpf()))),
        digits=digits,
        kind="closed form",
        name="initial_force",
        proof="K1 (K2 + K3)/(K1 + K2 + K3) x0",
    )


def _at_peak(name: str, place: int, digits: int, given: dict[str, Number]) -> Certified:
    o, end = _oscillator(given)
    check_digits(digits)
    if not _moves(o):
        return undefined(_AT_REST)
    return _certified(name, digits, o, end, lambda: _peak(o, end)[place], lambda: checks.peak(o, end)[place])


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def peak_time(*, digits: int = 30, **given: Number) -> Certified:
    """Instant of the largest extreme of the force after t = 0, where its rate is zero, in s; undefined if it has none.

    Parameters and errors as `displacement`.
    """
    return _at_peak("peak_time", 0, digits, given)


@takes(PARAMETERS)
@lru_cache(maxsize=256)  # each scheme of a solver is compared with it
def peak_force(*, digits: int = 30, **given: Number) -> Certified:
    """Force at the instant `peak_time`, with its sign, in N; parameters and errors as `displacement`."""
    return _at_peak("peak_force", 1, digits, given)


@takes(PARAMETERS)
def motion(*, digits: int = 30, **given: Number) -> Motion:
    """Return the motion up to `end`, for figures and comparison of histories: displacement, velocity, force.

    Parameters and errors as `displacement`.
    """
    o, end = _oscillator(given)

    def reading(row: Callable[[Oscillator], Row]) -> Callable[[arb], Ball]:
        return lambda t: value_at(_phases(o, end), row(o), t) if _moves(o) else arb(0)

    return Motion(
        {
            "displacement": reading(lambda _: {X: arb(1)}),
            "velocity": reading(lambda _: {V: arb(1)}),
            "force": reading(_force),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o, end)],
        check_digits(digits),
    )
