"""Mass on a softening spring whose support moves such that the mass follows a chosen sine (a manufactured solution).

The spring pulls with k0 x (1 - |x|/x0). With ω² = k0/m the support accelerates by

    γ(t) = -(x'' + ω² x (1 - |x|/x0)) taken at x = a0 sin(w0 t),

so that the relative displacement is a0 sin(w0 t) for all times. A dead zone d changes the softening term alone, from
k0 x |x|/x0 to k0 x (|x| - d)/x0 for |x| > d and nothing below, while the support moves as before: the motion is then
known only as the solution of an equation that is analytic between the passages through ±d and the zeros of sin(w0 t).

Source: Code_Aster test sdnd103a.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from flint import arb, ctx, fmpq
from mpmath import mpf

from veridyn.references.certified import Certified, Route, per_precision, undefined
from veridyn.references.enclosure import ball, decided, enclose, per_bits, precision, sign_of
from veridyn.references.events import Event, Guard
from veridyn.references.extrapolation import PROMISED, WORKING, Edge, Law, Step, followed
from veridyn.references.extrapolation import at as steps_at
from veridyn.references.flows import State
from veridyn.references.jets import Ball, hull, value
from veridyn.references.motion import Ended, Phase, follow, holding, instant, proved
from veridyn.references.parameters import Exact, Number, Parameter, ParameterError, resolve, takes
from veridyn.references.smooth import Norm, Smooth, passed_on

PARAMETERS = (
    Parameter("m", "kg", "mass", "450"),
    Parameter("k0", "N/m", "stiffness of the spring at small elongation", "1e5"),
    Parameter("x0", "m", "elongation at which the spring has softened to nothing", "0.1"),
    Parameter("a0", "m", "amplitude of the chosen motion, below x0/2", "0.01"),
    Parameter("w0", "rad/s", "circular frequency of the chosen motion", "pi/4"),
    Parameter("d", "m", "dead zone of the softening term, below a0", "0", "non-negative"),
)
X, V, ONE = range(3)
SPARE = 64  # bits beyond those asked for, again and again after 16 half-periods: what passages cost
MOST_HALVES = 1000  # half-periods of the support
SIDES = {"pushed": -1, "dead zone": 0, "pulled": 1}
NAMES = {side: name for name, side in SIDES.items()}

_PROOF = "analytic phases enclosed, every passage through ±d proved to be the next root"
_INTEGRATED = "extrapolated midpoint steps, with passages looked for at turning points"


@dataclass(frozen=True)
class Oscillator:
    """The parameters."""

    m: Exact
    k0: Exact
    x0: Exact
    a0: Exact
    w0: Exact
    d: Exact

    def acceleration(self, number: Callable[[Exact], Any], side: int, half: int) -> Callable[[Any, Any], Any]:
        """Return x'' (m/s²) as a function of sin(w0 t) and x, on a side of the dead zone, in a half-period."""
        w2, w0, a0, x0, d = (number(n) for n in (self.k0 / self.m, self.w0, self.a0, self.x0, self.d))
        wave, square = a0 * (w2 - w0**2), (-1) ** (half + 1) * w2 * a0**2 / x0
        linear, quadratic = -w2 * (1 + abs(side) * d / x0), side * w2 / x0

        def acceleration(s: Any, x: Any) -> Any:
            pushed = s * wave + (s * s) * square + x * linear
            return pushed + (x * x) * quadratic if side else pushed

        return acceleration


def oscillator(**given: Number) -> Oscillator:
    """Read the parameters.

    Raises
    ------
    ParameterError
        If a parameter is unknown or not positive, 2 a0 is not below x0, or d not below a0.
    """
    o = Oscillator(**resolve(PARAMETERS, given))
    if sign_of(o.x0, -o.a0, -o.a0) <= 0:
        raise ParameterError(f"a0 must be below x0/2, where the spring still resists, got {o.a0}")
    if sign_of(o.a0, -o.d) <= 0:
        raise ParameterError(f"d must be below the amplitude a0, got {o.d}")
    return o


@per_bits
def _norm(o: Oscillator, side: int) -> Norm:
    """Return (δx, δv/ω); deviations grow by half of what the spring has softened, times ω."""
    w, x0, d = ball(o.k0 / o.m).sqrt(), ball(o.x0), ball(o.d)

    def growth(box: Sequence[Ball]) -> arb:
        return w / 2 * ((2 * side * box[X] - d) / x0).abs_upper() if side else arb(0)

    return Norm(({X: arb(1)}, {V: 1 / w}, {ONE: arb(1)}), growth)


def _flow(o: Oscillator, side: int, half: int) -> Callable[[arb], Smooth]:
    """Return the equations of (x, v, 1) from an instant on, in a half-period of the support."""
    acceleration, w0 = o.acceleration(ball, side, half), ball(o.w0)

    def rates(t: Any, y: Any) -> Any:
        return y[V], acceleration((t * w0).sin(), y[X]), arb(0)

    return lambda start: Smooth(rates, start, _norm(o, side))


def _guards(o: Oscillator, side: int, before: int | None, late: arb | None) -> tuple[Guard, ...]:
    """Return the edges of a side; the one just passed is passed exactly."""
    one, d = arb(1), ball(o.d)
    if side:
        return (Guard("dead zone", {X: side * one, ONE: -d}, int(before is not None), late),)
    return tuple(
        Guard(NAMES[s], {X: -s * one, ONE: d}, int(s == before), late if s == before else None) for s in (1, -1)
    )


@per_bits
def _half(o: Oscillator, half: int) -> tuple[Ended, ...]:
    """Return the phases in a half-period of the support, counted from 0."""
    limit = (half + 1) * arb.pi() / ball(o.w0)

    def following(phase: Phase, event: Event | None, time: arb, _state: State) -> Phase | None:
        if event is None:
            return None
        before, side = SIDES[phase.kind], SIDES[event.name]
        flow, there, late = passed_on(phase, _flow(o, side, half), time)
        return Phase(event.name, flow, flow.start, there, _guards(o, side, before, late), limit)

    if half == 0:
        kind, flow, state = "dead zone", _flow(o, 0, 0)(arb(0)), (arb(0), ball(o.a0 * o.w0), arb(1))
    else:
        last = _half(o, half - 1)[-1]
        kind = last.phase.kind
        flow, state, _ = passed_on(last.phase, _flow(o, SIDES[kind], half), half * arb.pi() / ball(o.w0))
    return follow(Phase(kind, flow, flow.start, state, _guards(o, SIDES[kind], None, None), limit), following)


def _half_of(o: Oscillator, time: Exact) -> int:
    """Return the half-period of the support that ends at an instant or holds it."""
    turns = o.w0 * time / Exact(Fraction(1), 1)
    if turns.pi == 0:
        return max(0, -int(-turns.rational // 1) - 1)
    return decided(lambda: int(ball(turns).ceil().unique_fmpz() or 0)) - 1


def _working(o: Oscillator, time: Exact) -> int:
    """Return the bits to work with."""
    return int(ctx.prec) + SPARE * (1 + _half_of(o, time) // 16)


def _effort(o: Oscillator, time: Exact) -> str:
    with precision(_working(o, time)):
        return proved([phase for half in range(_half_of(o, time) + 1) for phase in _half(o, half)])


def _followed(o: Oscillator, place: int, time: Exact) -> Ball:
    """Return displacement, velocity or acceleration with a dead zone."""
    last = _half_of(o, time)
    with precision(_working(o, time)):
        t = ball(time)
        for half in range(last):
            _half(o, half)  # one after the other: they are called back from the last to the first
        found = [_reading(phase, place, t) for phase in holding(_half(o, last), t)]
    return hull(*found)


def _reading(phase: Phase, place: int, t: arb) -> Ball:
    state, flow = phase.at(t), phase.flow
    assert isinstance(flow, Smooth)
    return flow.rates(t, state)[V] if place == ONE else state[place]


def _chosen(o: Oscillator, place: int, time: Exact) -> Ball:
    """Return displacement, velocity or acceleration of the chosen motion."""
    angle, w0 = o.w0 * time, ball(o.w0)
    turns = angle.rational if angle.pi == 1 and angle.slope is None else None
    if place == V:
        wave = ball(angle).cos() if turns is None else arb.cos_pi_fmpq(_fmpq(turns))
    else:
        wave = ball(angle).sin() if turns is None else arb.sin_pi_fmpq(_fmpq(turns))
    return ball(o.a0) * wave * (arb(1), w0, -(w0**2))[place]


def _fmpq(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


@per_precision
def _integrated(o: Oscillator, halves: int) -> list[Step]:
    """Return the motion by extrapolation, in modes of a side of the dead zone and a half-period."""
    w0, a0, d, w = o.w0.mpf(), o.a0.mpf(), o.d.mpf(), mpmath.sqrt((o.k0 / o.m).mpf())

    def rates(mode: tuple[int, int]) -> Any:
        acceleration = o.acceleration(Exact.mpf, *mode)
        return lambda t, y: (y[V], acceleration(mpmath.sin(t * w0), y[X]))

    def edges(mode: tuple[int, int]) -> list[Edge]:
        side, half = mode
        if not d:
            return []  # passed where the support turns
        if side:
            return [Edge({X: side}, -d, (0, half))]
        return [Edge({X: -s}, d, (s, half)) for s in (1, -1)]

    def ends(mode: tuple[int, int]) -> tuple[mpf, tuple[int, int]]:
        side, half = mode
        return (half + 1) * mpmath.pi / w0, (side if d else -side, half + 1)

    law = Law(rates, edges, ends, min(1 / w, mpmath.pi / w0), (a0, a0 * w0))
    return followed(law, (0 if d else 1, 0), (mpmath.mpf(0), a0 * w0), halves * mpmath.pi / w0)


def _by_steps(o: Oscillator, place: int, time: Exact) -> mpf:
    with mpmath.workdps(WORKING):
        step, y = steps_at(_integrated(o, 5 * (1 + _half_of(o, time) // 5) if _half_of(o, time) else 1), time.mpf())
        return step.law.rates(step.mode)(time.mpf(), y)[V] if place == ONE else y[place]


def _certified(name: str, place: int, time: Number, digits: int, given: dict[str, Number]) -> Certified:
    o, t = oscillator(**given), instant(time, "time")
    steps = Route(_INTEGRATED, lambda: _by_steps(o, place, t), PROMISED)
    if o.d.rational == 0:
        second = () if value(_chosen(o, place, t)).is_zero() else (steps,)
        proof = "the chosen motion"
        return enclose(lambda: _chosen(o, place, t), *second, digits=digits, kind="closed form", name=name, proof=proof)
    if any(number.slope is not None for number in vars(o).values()):
        return undefined("no derivative is given where the equations are nonlinear")
    if _half_of(o, t) > MOST_HALVES:
        raise ParameterError(f"time = {time} s is more than {MOST_HALVES} half-periods of the support")
    return enclose(
        lambda: _followed(o, place, t),
        steps,
        digits=digits,
        kind="quasi-analytical",
        name=name,
        proof=_PROOF,
        proved=lambda: _effort(o, t),
    )


@takes(PARAMETERS)
def displacement(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Return the displacement relative to the support (m) at an instant (s).

    Parameters
    ----------
    time
        Instant in s, not negative.
    digits
        Digits wanted.
    **given
        Parameters by name, see `PARAMETERS`; the others have their defaults.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, 2 a0 >= x0 or d >= a0, or a dead zone is followed for too long.
    """
    return _certified("displacement", X, time, digits, given)


@takes(PARAMETERS)
def velocity(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Return the velocity relative to the support (m/s) at an instant (s); as `displacement`."""
    return _certified("velocity", V, time, digits, given)


@takes(PARAMETERS)
def acceleration(*, time: Number, digits: int = 30, **given: Number) -> Certified:
    """Return the acceleration relative to the support (m/s²) at an instant (s); as `displacement`."""
    return _certified("acceleration", ONE, time, digits, given)


def frequency(*, m: Number, k0: Number, digits: int = 30) -> Certified:
    """Return the natural frequency (Hz) at small elongation, sqrt(k0/m)/2π; raises as `displacement`."""
    o = oscillator(m=m, k0=k0)

    def eigenvalue() -> mpf:
        values, _ = mpmath.eig(mpmath.matrix([[0, 1], [-(o.k0 / o.m).mpf(), 0]]))
        return abs(values[0].imag) / (2 * mpmath.pi)

    return enclose(
        lambda: ball(o.k0 / o.m).sqrt() / (2 * arb.pi()),
        Route("eigenvalues of the equations of motion", eigenvalue),
        digits=digits,
        kind="closed form",
        name="frequency",
        proof="sqrt(k0/m)/2π",
    )
