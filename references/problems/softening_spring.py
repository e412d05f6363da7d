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
from fractions import Fraction
from functools import lru_cache
from typing import Any

import mpmath
import sympy
from flint import arb, ctx, fmpq
from mpmath import mpf

from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import ball, decided, per_bits, precision, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import State
from veridyn.references.engine.jets import Ball, hull, value
from veridyn.references.engine.motion import Phase, PhaseEnd, follow, holding, proved
from veridyn.references.engine.quantities import References
from veridyn.references.engine.smooth import Smooth, restarted
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import TIME, Reference
from veridyn.references.second_routes.hybrid_steps import (
    PROMISED,
    WORKING,
    HybridEvent,
    HybridMode,
    HybridProblem,
    steps,
)

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


class SofteningOscillator(ParameterSet):
    """The parameters."""

    def check(self) -> None:
        """Refuse amplitudes at which the spring no longer resists, or that the dead zone swallows."""
        if sign_of(self.x0, -self.a0, -self.a0) <= 0:
            raise ParameterError(f"a0 must be below x0/2, where the spring still resists, got {self.a0}")
        if sign_of(self.a0, -self.d) <= 0:
            raise ParameterError(f"d must be below the amplitude a0, got {self.d}")


FACTORS = ("wave", "square", "stiff", "stiffer", "soft")


def _factors(o: SofteningOscillator, number: Callable[[Exact], Any]) -> tuple[Any, ...]:
    """Return the factors of the acceleration: of the push and its square, of x within and beyond d, of its square."""
    w2, w0, a0, x0, d = (number(n) for n in (o.k0 / o.m, o.w0, o.a0, o.x0, o.d))
    return a0 * (w2 - w0**2), w2 * a0**2 / x0, w2, w2 * (1 + d / x0), w2 / x0


def _acceleration(factors: Sequence[Any], side: int, half: int) -> Callable[[Any, Any], Any]:
    """Return x'' (m/s²) as a function of sin(w0 t) and x, on a side of the dead zone, in a half-period."""
    wave, square, stiff, stiffer, soft = factors

    def acceleration(s: Any, x: Any) -> Any:
        pushed = s * wave + (s * s) * ((-1) ** (half + 1) * square) - x * (stiffer if side else stiff)
        return pushed + (x * x) * (side * soft) if side else pushed

    return acceleration


def _flow(o: SofteningOscillator, side: int, half: int) -> Callable[[arb], Smooth]:
    """Return the equations of (x, v, 1) from an instant on, in a half-period of the support."""
    acceleration, w0 = _acceleration(_factors(o, ball), side, half), ball(o.w0)

    def rates(t: Any, y: Any) -> Any:
        return y[V], acceleration((t * w0).sin(), y[X]), arb(0)

    return lambda start: Smooth(rates, start)


def _guards(o: SofteningOscillator, side: int, before: int | None, late: arb | None) -> tuple[Guard, ...]:
    """Return the edges of a side; the one just passed is passed exactly."""
    one, d = arb(1), ball(o.d)
    if side:
        return (Guard("dead zone", {X: side * one, ONE: -d}, int(before is not None), late),)
    return tuple(
        Guard(NAMES[s], {X: -s * one, ONE: d}, int(s == before), late if s == before else None) for s in (1, -1)
    )


@per_bits
def _half(o: SofteningOscillator, half: int) -> tuple[PhaseEnd, ...]:
    """Return the phases in a half-period of the support, counted from 0."""
    limit = (half + 1) * arb.pi() / ball(o.w0)

    def following(phase: Phase, event: Event | None, time: Ball, state: State) -> Phase | None:
        if event is None:
            return None
        before, side = SIDES[phase.kind], SIDES[event.name]
        flow, there, late = restarted(_flow(o, side, half), time, state)
        return Phase(event.name, flow, flow.start, there, _guards(o, side, before, late), limit)

    if half == 0:
        kind, flow, state = "dead zone", _flow(o, 0, 0)(arb(0)), (arb(0), ball(o.a0 * o.w0), arb(1))
    else:
        last = _half(o, half - 1)[-1]
        kind = last.phase.kind
        time = half * arb.pi() / ball(o.w0)
        flow, state, _ = restarted(_flow(o, SIDES[kind], half), time, last.phase.at(time))
    return follow(Phase(kind, flow, flow.start, state, _guards(o, SIDES[kind], None, None), limit), following)


def _half_of(o: SofteningOscillator, time: Exact) -> int:
    """Return the half-period of the support that ends at an instant or holds it."""
    turns = o.w0 * time / Exact(Fraction(1), 1)
    if turns.pi == 0:
        return max(0, -int(-turns.rational // 1) - 1)
    return decided(lambda: int(ball(turns).ceil().unique_fmpz() or 0)) - 1


def _working(o: SofteningOscillator, time: Exact) -> int:
    """Return the bits to work with."""
    return int(ctx.prec) + SPARE * (1 + _half_of(o, time) // 16)


def _effort(o: SofteningOscillator, time: Exact) -> str:
    if not o.d.rational:
        return ""
    with precision(_working(o, time)):
        return proved([phase for half in range(_half_of(o, time) + 1) for phase in _half(o, half)])


def _read(o: SofteningOscillator, place: int, time: Exact) -> Ball:
    """Return displacement, velocity or acceleration."""
    if not o.d.rational:
        return _chosen(o, place, time)
    if (last := _half_of(o, time)) > MOST_HALVES:
        raise ParameterError(f"time = {time} s is more than {MOST_HALVES} half-periods of the support")
    with precision(_working(o, time)):
        t = ball(time)
        for half in range(last):
            _half(o, half)  # one after the other: they are called back from the last to the first
        return hull(*(_reading(phase, place, t) for phase in holding(_half(o, last), t)))


def _reading(phase: Phase, place: int, t: arb) -> Ball:
    state, flow = phase.at(t), phase.flow
    assert isinstance(flow, Smooth)
    return flow.rates(t, state)[V] if place == ONE else state[place]


def _chosen(o: SofteningOscillator, place: int, time: Exact) -> Ball:
    """Return displacement, velocity or acceleration of the chosen motion."""
    angle, w0 = o.w0 * time, ball(o.w0)
    if angle.pi == 1 and angle.slope is None:  # zeros are exact
        turns = fmpq(angle.rational.numerator, angle.rational.denominator)
        sine, cosine = arb.sin_pi_fmpq(turns), arb.cos_pi_fmpq(turns)
    else:
        sine, cosine = ball(angle).sin_cos()
    wave = cosine if place == V else sine
    return ball(o.a0) * wave * (arb(1), w0, -(w0**2))[place]


@lru_cache(maxsize=64)
def _problem(dead: bool, w0: Exact) -> HybridProblem:
    """Return the equations for the second route, in modes of a side of the dead zone and a half-period."""
    names = ("a0", "w0", "d", *FACTORS)
    (amplitude, rate, d, *factors), (x, v, t) = map(sympy.symbols, (names, ("x", "v", "t")))
    wave = sympy.sin(rate * t)

    def mode(side: int, half: int) -> HybridMode:
        turned = HybridEvent("half", (-1) ** half * wave, f"{side if dead else -side}, {1 - half}")
        if not dead:
            edges = []  # x = 0 is passed where the support turns
        elif side:
            edges = [HybridEvent("edge", side * x - d, f"0, {half}")]
        else:
            edges = [HybridEvent("edge", d - s * x, f"{s}, {half}") for s in (1, -1)]
        rates = v, _acceleration(factors, side, half)(wave, x)
        return HybridMode(f"{side}, {half}", rates, [turned, *edges])

    modes = tuple(mode(side, half) for side in (0, 1, -1) for half in (0, 1))
    start, end = (sympy.Integer(0), amplitude * rate), MOST_HALVES * mpmath.pi / w0.mpf()
    return HybridProblem(("x", "v"), names, modes, "0, 0" if dead else "1, 0", start, end)


def _by_steps(o: SofteningOscillator, place: int, time: Exact) -> mpf:
    with mpmath.workdps(WORKING):
        known = dict(zip(FACTORS, _factors(o, Exact.mpf), strict=True))
        step, y = steps(_problem(o.d.rational > 0, o.w0), o, **known).at(time.mpf())
        return step.rates(time.mpf(), y)[V] if place == ONE else y[place]


reference = References(
    PARAMETERS,
    SofteningOscillator,
    kind=lambda o, **_: "quasi-analytical" if o.d.rational else "closed form",
    proof=lambda o, **_: _PROOF if o.d.rational else "the chosen motion",
    promised=PROMISED,
    effort=_effort,
)


def _of_state(place: int) -> Callable[[Callable[..., Ball]], Reference[Certified]]:
    """Make a reading of the motion a quantity; steps do not confirm a zero."""

    def how(o: SofteningOscillator, time: Exact) -> str:
        zero = not o.d.rational and value(_chosen(o, place, time)).is_zero()
        return "" if zero else "extrapolated midpoint steps, with passages looked for at turning points"

    return reference(lambda o, time: _by_steps(o, place, time), takes=(TIME,), how=how)


@_of_state(X)
def displacement(o: SofteningOscillator, time: Exact) -> Ball:
    """Return the displacement relative to the support (m) at an instant (s).

    Here and below a `ParameterError` is raised too if a dead zone is followed for too long.
    """
    return _read(o, X, time)


@_of_state(V)
def velocity(o: SofteningOscillator, time: Exact) -> Ball:
    """Return the velocity relative to the support (m/s) at an instant (s)."""
    return _read(o, V, time)


@_of_state(ONE)
def acceleration(o: SofteningOscillator, time: Exact) -> Ball:
    """Return the acceleration relative to the support (m/s²) at an instant (s)."""
    return _read(o, ONE, time)


def _eigenfrequency(o: SofteningOscillator) -> mpf:
    values, _ = mpmath.eig(mpmath.matrix([[0, 1], [-(o.k0 / o.m).mpf(), 0]]))
    return abs(values[0].imag) / (2 * mpmath.pi)


@reference(
    _eigenfrequency,
    how="eigenvalues of the equations of motion",
    kind="closed form",
    proof="sqrt(k0/m)/2π",
    promised=None,
    effort="",
)
def frequency(o: SofteningOscillator) -> Ball:
    """Return the natural frequency (Hz) at small elongation."""
    return ball(o.k0 / o.m).sqrt() / (2 * arb.pi())
