"""A mass on a Zener device whose dashpot obeys a power law, released from a sudden stretch or shaken for a while.

m x'' = -F - k x - p sin(ωt) while t < until, without the load afterwards; at rest at x0 with the dashpot at zero. The
device is a spring K1 in series with [K2 beside (K3 in series with a dashpot)]; the dashpot carries D = C sign(w) |w|^α
at the rate w. With S = K1 + K2 + K3, n = 1/α, the stretch x of the device and the path z of the dashpot,

    F = K1 ((K2 + K3) x - K3 z)/S,      D = K3 (K1 x - (K1 + K2) z)/S,      z' = sign(D) |D/C|^n,

the second route; the first one is without z, with e = K1 K3/S and f = K3 (K1 + K2)/S:

    F = (D + K2 x) K1/(K1 + K2),      D' = e x' - f sign(D) |D/C|^n.

With α = 1 everything is linear. With odd n the motion is analytic as long as the load is; with even n it is between the
zeros of D, where sign(D) |D|^n has a kink. Two motions under one load never part: their difference gives work to the
dashpots alone, so its energy is a norm that does not grow as long as D has the sign that its phase says.

Source: Code_Aster tests sdnd107a to e (SDND107); the law is RELATION = DIS_VISC.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mpmath
import sympy
from flint import arb, ctx
from mpmath import mpf

from veridyn.references.certified import CertificationError
from veridyn.references.engine.enclosure import Absent, Exactly, Undecided, ball, per_bits, precision, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import Flow, LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, value
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.engine.smooth import Smooth, restarted
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import TIME
from veridyn.references.second_routes.hybrid_steps import (
    PROMISED,
    WORKING,
    HybridEvent,
    HybridMode,
    HybridProblem,
    Steps,
    Vector,
    steps,
)

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

SPARE = 32  # bits beyond those asked for: what the zeros of D cost
X, V, D, SINE, COSINE = range(5)
MODES = {  # sign of the dashpot's force, whether the load acts
    "pulled, loaded": (1, True),
    "pushed, loaded": (-1, True),
    "pulled, free": (1, False),
    "pushed, free": (-1, False),
}
KINDS = {mode: kind for kind, mode in MODES.items()}
MOST = 4  # 1/α
AT_REST = "no stretch and no load: nothing moves"
FORCE = sympy.sympify("fx*x + fz*z")


class ZenerOscillator(ParameterSet):
    """A mass on the device and a spring k, m x'' = -F - k x - p sin(ωt) while t < until, at rest at x0 with z = 0."""

    def check(self) -> None:
        """Refuse powers that make no polynomial."""
        power = 1 / self.alpha.rational
        if self.alpha.pi or power.denominator != 1 or power > MOST:
            raise ParameterError(f"alpha must be 1, 1/2, 1/3 or 1/{MOST}, got {self.alpha}")

    @property
    def power(self) -> int:
        """The power n = 1/α."""
        return int(1 / self.alpha.rational)

    @property
    def loaded(self) -> bool:
        """Whether there is a load."""
        return self.p.rational != 0 and self.until.rational > 0

    @property
    def moves(self) -> bool:
        """Whether anything moves."""
        return self.x0.rational != 0 or self.loaded

    @property
    def rows(self) -> tuple[tuple[mpf, mpf], tuple[mpf, mpf]]:
        """Return the factors of x and z in F and in D."""
        k1, k2, k3 = self.k1.mpf(), self.k2.mpf(), self.k3.mpf()
        total = k1 + k2 + k3
        return (k1 * (k2 + k3) / total, -k1 * k3 / total), (k1 * k3 / total, -k3 * (k1 + k2) / total)


def _factors(o: ZenerOscillator) -> tuple[Ball, Ball]:
    """Return e and f (N/m)."""
    k1, k2, k3 = ball(o.k1), ball(o.k2), ball(o.k3)
    return k1 * k3 / (k1 + k2 + k3), k3 * (k1 + k2) / (k1 + k2 + k3)


def _force(o: ZenerOscillator) -> Row:
    """Return the force of the device."""
    share = ball(o.k1) / (ball(o.k1) + ball(o.k2))
    return {X: share * ball(o.k2), D: share}


def _pull(o: ZenerOscillator) -> Row:
    """Return the acceleration of the mass without its load."""
    force, m = _force(o), ball(o.m)
    return {X: -(force[X] + ball(o.k)) / m, D: -force[D] / m}


def _smooth(o: ZenerOscillator, sign: int, loaded: bool) -> Callable[[arb], Smooth]:
    """Return the equations of (x, v, D) from an instant on."""
    (e, f), pull, omega, n = _factors(o), _pull(o), ball(o.omega), o.power
    pushed, flow = -ball(o.p) / ball(o.m), (sign if n % 2 == 0 else 1) * f / ball(o.c) ** n

    def rates(t: Any, y: Any) -> Any:
        acceleration = y[X] * pull[X] + y[D] * pull[D]
        if loaded:
            acceleration = acceleration + (t * omega).sin() * pushed
        return y[V], acceleration, y[V] * e - y[D] ** n * flow

    return lambda start: Smooth(rates, start)


def _linear(o: ZenerOscillator, loaded: bool) -> LinearFlow:
    """Return the equations of (x, v, D, sin ωt, cos ωt)."""
    (e, f), omega = _factors(o), ball(o.omega)
    pushed = -ball(o.p) / ball(o.m) if loaded else arb(0)
    return LinearFlow(
        ({V: arb(1)}, {**_pull(o), SINE: pushed}, {V: e, D: -f / ball(o.c)}, {COSINE: omega}, {SINE: -omega})
    )


def _begun(o: ZenerOscillator, mode: tuple[int, bool], flow: Flow, start: arb, state: State, *zero: Any) -> Phase:
    """Return a phase; only with even n it ends where D is zero. `zero`: how D begins there, see `Guard`."""
    sign, loaded = mode
    guards = () if o.power % 2 else (Guard("the dashpot turns", {D: arb(sign)}, *zero),)
    return Phase(KINDS[mode], flow, start, state, guards, ball(o.until) if loaded else None)


def _following(o: ZenerOscillator, phase: Phase, event: Event | None, time: arb, state: State) -> Phase:
    sign, loaded = MODES[phase.kind]
    mode = (-sign, loaded) if event else (sign, False)
    if o.power == 1:
        return _begun(o, mode, _linear(o, mode[1]), time, state)
    flow, there, late = restarted(_smooth(o, *mode), time, state)
    return _begun(o, mode, flow, flow.start, there, *((1, late) if event else ()))


@per_bits
def _phases(o: ZenerOscillator) -> tuple[PhaseEnd, ...]:
    """Return the motion up to its end: its phases are divided by the zeros of D and by the end of the load."""
    with precision(ctx.prec + SPARE):
        return _followed(o)


def _followed(o: ZenerOscillator) -> tuple[PhaseEnd, ...]:
    x0 = ball(o.x0)
    stretched = sign_of(o.x0.plain)
    # from rest D follows the stretch, which follows the load: all grow as t³, D before anything else
    mode = (stretched or -sign_of(o.p.plain), o.loaded)
    state = (x0, arb(0), _factors(o)[0] * x0)
    if o.power == 1:
        first = _begun(o, mode, _linear(o, o.loaded), arb(0), (*state, arb(0), arb(1)))
    else:
        first = _begun(o, mode, _smooth(o, *mode)(arb(0)), arb(0), state, 0 if stretched else 3)
    return follow(first, lambda *ended: _following(o, *ended), ball(o.end))


# ---- the second route: extrapolated steps in (x, v, z)


@lru_cache(maxsize=64)
def _problem(power: int, side: int, loaded: bool, end: Exact) -> HybridProblem:
    """Return the motion, begun on a side of D: with odd powers, where the law does not ask for it, it stays there."""

    def mode(side: int, loaded: bool) -> HybridMode:
        load, flow = "p*sin(omega*t)" if loaded else "0", side if power % 2 == 0 else 1
        rates = ("v", f"-((fx + k)*x + fz*z + {load})/m", f"{flow}*((dx*x + dz*z)/c)**{power}")
        turns = [HybridEvent("turns", sympy.sympify(f"{side}*(dx*x + dz*z)"), KINDS[-side, loaded])]
        ends = [HybridEvent("ends", sympy.sympify("until - t"), KINDS[side, False])] if loaded else []
        return HybridMode(KINDS[side, loaded], [*map(sympy.sympify, rates)], ends if power % 2 else turns + ends)

    numbers = ("m", "k", "c", "p", "omega", "until", "x0", "fx", "fz", "dx", "dz")
    start = sympy.Symbol("x0"), sympy.Integer(0), sympy.Integer(0)
    modes = tuple(mode(*kind) for kind in KINDS)
    return HybridProblem(("x", "v", "z"), numbers, modes, KINDS[side, loaded], start, end.mpf())


def _steps(o: ZenerOscillator) -> Steps:
    """Return the motion up to its end."""
    (fx, fz), (dx, dz) = o.rows
    side = 1 if (o.x0.rational or -o.p.rational) > 0 else -1  # of D a little later: x follows the load, D follows x
    return steps(_problem(o.power, side, o.loaded, o.end), o, fx=fx, fz=fz, dx=dx, dz=dz)


def _stepped(o: ZenerOscillator, time: Exact) -> Vector:
    """Return displacement, velocity and force of the device at an instant up to the end."""
    with mpmath.workdps(WORKING):
        _, (x, v, z) = _steps(o).at(time.mpf())
        (fx, fz), _ = o.rows
        return x, v, fx * x + fz * z


def _stepped_peak(o: ZenerOscillator) -> tuple[mpf, mpf]:
    """Return instant and value of the largest extreme of the force, found by extrapolated steps whatever α.

    Raises
    ------
    CertificationError
        If the force has no extreme.
    """
    with mpmath.workdps(WORKING):
        seen = _steps(o).candidates(FORCE, mpmath.mpf(0), o.end.mpf())
        extremes = [(time, force) for time, force, turns in seen if turns]
    if not extremes:
        raise CertificationError("the force has no extreme")
    return max(extremes, key=lambda e: abs(e[1]))


def _sudden_force(o: ZenerOscillator) -> mpf:
    """Return the force right after the stretch (N)."""
    return o.x0.mpf() / (1 / o.k1.mpf() + 1 / (o.k2.mpf() + o.k3.mpf()))


_PROOF = "analytic phases enclosed, every zero of the dashpot's force proved to be the next root"

reference = References(
    PARAMETERS,
    ZenerOscillator,
    kind=lambda o, **_: "closed form" if o.power == 1 else "quasi-analytical",
    proof=lambda o, **_: "matrix exponential, enclosed" if o.power == 1 else _PROOF,
    how="extrapolated midpoint steps in x, v, z, with zeros of the dashpot's force looked for at turning points",
    promised=PROMISED,
    effort=lambda o, **_: proved(_phases(o)),
)


def _moving(o: ZenerOscillator) -> tuple[PhaseEnd, ...]:
    """Return the phases of a motion that there is."""
    if not o.moves:
        raise Absent(AT_REST)
    return _phases(o)


def _at(o: ZenerOscillator, row: Row, time: Exact) -> Ball:
    """Return a linear function of the state at an instant."""
    if sign_of(o.end, -time) < 0:
        raise ParameterError(f"time = {time} s lies after the end of the motion, {o.end} s: raise end")
    if not o.moves or (time.rational == 0 and o.x0.rational == 0):
        raise Exactly(0, AT_REST)
    return value_at(_moving(o), row, ball(time))


def _peak(o: ZenerOscillator) -> tuple[Ball, Ball]:
    """Return instant and value of the largest extreme of the force."""
    force, order, phases, result = _force(o), 1, _moving(o), []
    rate = force
    if o.power == 1:  # the rate is a row itself, and may have a derivative
        (e, f), order = _factors(o), 0
        rate = {V: force[X] + force[D] * e, D: -force[D] * f / ball(o.c)}
    zeros = 0 if o.x0.rational else 2  # from rest the force grows as t³
    for ended in phases:
        until = ball(o.end) if ended is phases[-1] else None
        times = ended.extremes(rate, until=until, zeros=zeros, order=order)
        result += [(time, ended.phase.read(force, time)) for time in times]
        zeros = 0
    if not result:
        raise Absent("the force has no extreme before the end of the motion")
    largest = max(result, key=lambda f: float(value(abs(f[1])).mid()))
    if any(f is not largest and not (abs(f[1]) < abs(largest[1])) for f in result):
        raise Undecided("two extremes of the force are equal")
    return largest


@reference(lambda o, time: _stepped(o, time)[0], takes=(TIME,))
def displacement(o: ZenerOscillator, time: Exact) -> Ball:
    """Displacement of the mass, which is the stretch of the device, at an instant from 0 to `end`, in m."""
    return _at(o, {X: arb(1)}, time)


@reference(lambda o, time: _stepped(o, time)[2], takes=(TIME,))
def force(o: ZenerOscillator, time: Exact) -> Ball:
    """Force of the device at an instant, positive in tension, in N."""
    return _at(o, _force(o), time)


@reference(
    _sudden_force,
    how="flexibilities in series",
    kind="closed form",
    proof="K1 (K2 + K3)/(K1 + K2 + K3) x0",
    promised=None,
    effort="",
)
def initial_force(o: ZenerOscillator) -> Ball:
    """Force right after the sudden stretch, K1 (K2 + K3)/(K1 + K2 + K3) x0, in N."""
    if o.x0.rational == 0:
        raise Exactly(0, "no stretch at the start")
    return ball(o.k1) * (ball(o.k2) + ball(o.k3)) / (ball(o.k1) + ball(o.k2) + ball(o.k3)) * ball(o.x0)


@reference(lambda o: _stepped_peak(o)[0])
def peak_time(o: ZenerOscillator) -> Ball:
    """Instant of the largest extreme of the force after t = 0, where its rate is zero, in s; undefined without one."""
    return _peak(o)[0]


@reference(lambda o: _stepped_peak(o)[1])
def peak_force(o: ZenerOscillator) -> Ball:
    """Force at the instant `peak_time`, with its sign, in N."""
    return _peak(o)[1]


@reference.function()
def motion(o: ZenerOscillator, digits: int) -> Motion:
    """Return the motion up to `end`, for figures and comparison of histories: displacement, velocity, force."""

    def reading(row: Callable[[], Row]) -> Callable[[arb], Ball]:
        return lambda t: value_at(_phases(o), row(), t) if o.moves else arb(0)

    return Motion(
        {
            "displacement": reading(lambda: {X: arb(1)}),
            "velocity": reading(lambda: {V: arb(1)}),
            "force": reading(lambda: _force(o)),
        },
        lambda: [(p.phase.start, p.phase.kind) for p in _phases(o)],
        digits,
    )
