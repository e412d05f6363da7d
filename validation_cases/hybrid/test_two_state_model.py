"""ARGESIM C5: a stiff linear system that switches where its fast state passes limits."""

from collections.abc import Iterator
from functools import partial
from itertools import count, islice, takewhile
from types import SimpleNamespace
from typing import Any, NamedTuple

import mpmath
from flint import arb, ctx

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.engine.enclosure import Undecided, ball, less
from veridyn.references.engine.events import newton
from veridyn.references.engine.jets import rooted, value
from veridyn.references.engine.motion import Motion
from veridyn.references.parameters import Parameter, ParameterSet
from veridyn.references.problems import hybrid
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Quantity, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (
    Parameter("c1", "1/s", "rate of the fast state", "2.7e6", "positive"),
    Parameter("c3", "1/s", "rate of the slow state", "3.5651205", "positive"),
    Parameter("upper", "1", "limit at which y1 switches down", "5.8"),
    Parameter("lower", "1", "limit at which y1 switches up", "2.5"),
)
PROBLEM = InitialValueProblem(
    name="two_state_model",
    states=("y1", "y2"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="up",
            rates=("c1*(y2 + 0.4 - y1)", "c3*(5.5 - y2)"),
            events=(Change(name="switch", guard="y1 - upper", direction=1, reset={"y1": "upper"}, mode="down"),),
        ),
        Mode(
            name="down",
            rates=("c1*(y2 - 0.3 - y1)", "c3*(2.73 - y2)"),
            events=(Change(name="switch", guard="y1 - lower", direction=-1, reset={"y1": "lower"}, mode="up"),),
        ),
    ),
    initial=("4.2", "0.3"),
    end=5.0,
    output_times=evenly(5.0, 1000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS)
AIMS = ((40, 550), (-30, 273))  # c2 and c4 in hundredths, of the modes in turn


class ExponentialPhase(NamedTuple):
    """From `start` (s) on: y1 = level + slow e^(-c3 τ) + fast e^(-c1 τ), y2 = aim + lagging e^(-c3 τ)."""

    start: Any
    level: Any
    slow: Any
    fast: Any
    aim: Any
    lagging: Any

    def y1(self, p: Any, lapse: Any) -> Any:
        """Return y1 a while after the start."""
        return self.level + self.slow * (-p.c3 * lapse).exp() + self.fast * (-p.c1 * lapse).exp()

    def moved(self, p: Any, lapse: Any, limit: Any) -> Any:
        """Give an instant at which y1 is at a limit its derivative, if there is one."""
        return rooted(lapse, lambda lapse: self.y1(p, lapse) - limit)

    def sharpened(self, p: Any, lapse: arb, limit: Any) -> arb:
        """Return an instant at which y1 is at a limit, the only one in a ball, by interval Newton."""

        def rate(t: arb) -> arb:
            result: arb = -value(p.c3 * self.slow * (-p.c3 * t).exp() + p.c1 * self.fast * (-p.c1 * t).exp())
            return result

        result: arb = newton(lambda t: value(self.y1(p, t) - limit), rate, lapse)
        return result

    def y2(self, p: Any, lapse: Any) -> Any:
        """Return y2 a while after the start."""
        return self.aim + self.lagging * (-p.c3 * lapse).exp()


def phases(p: Any) -> Iterator[ExponentialPhase]:
    """Yield the phases one after the other, in balls.

    The rate of y1, times e^(c3 τ), is monotone: y1 turns once at most, and what is surely on one side of the limit at
    the start, and of a level beyond it in the end, passes it once. That instant lies where the sign changes.
    """
    start, y1, y2 = arb(0), arb(42) / 10, arb(3) / 10
    for number in count():
        (c2, c4), limit = (arb(x) / 100 for x in AIMS[number % 2]), (p.upper, p.lower)[number % 2]
        slow = (y2 - c4) * p.c1 / (p.c1 - p.c3)
        phase = ExponentialPhase(start, c2 + c4, slow, y1 - c2 - c4 - slow, c4, y2 - c4)
        yield phase
        end = value((slow / (limit - phase.level)).log() / p.c3)
        if not value((y1 - limit) * slow) > 0 or not end > 0:
            raise Undecided("y1 may never pass its limit")
        left = value((-(p.c1 - p.c3) * end).exp()) + arb(2) ** (8 - ctx.prec)  # of the fast part, and of the rounding
        late = (4 * (abs(value(phase.fast / (slow * p.c3))) + 1) * left + 4 * end.rad()).abs_upper()
        before, after = (value(phase.y1(p, end.mid() + side * late) - limit) for side in (-1, 1))
        if not before * after < 0:
            raise Undecided("y1 passes its limit too slowly")
        lapse = phase.moved(p, phase.sharpened(p, arb(end.mid(), late), limit), limit)
        start, y1, y2 = start + lapse, limit, phase.y2(p, lapse)


def state_at(p: Any, time: Any, name: str) -> Any:
    """Return a state at an instant (s)."""
    begun = takewhile(
        lambda phase: phase.start == 0 or less(phase.start, time, "a switch happens at the instant"), phases(p)
    )
    *_, phase = begun
    return getattr(phase, name)(p, time - phase.start)


def instant(p: Any, number: int) -> Any:
    """Return an instant of switching."""
    return next(islice(phases(p), number, None)).start


def final(p: Any, name: str) -> Any:
    """Return a state at 5 s."""
    return state_at(p, arb(5), name)


@MOTION.reference.function()
def motion(o: ParameterSet, digits: int) -> Motion:
    """Return the motion, for figures."""

    def view() -> ParameterView:
        return ParameterView(o, ball)

    def changes() -> list[tuple[Any, str]]:
        return [(phase.start, "switch") for phase in islice(phases(view()), 1, 6)]

    return Motion(
        {name: partial(lambda name, t: state_at(view(), t, name), name) for name in ("y1", "y2")}, changes, digits
    )


def slow_roots(p: Any) -> Iterator[tuple[Any, Any]]:
    """Yield instants of switching and y2 there: where the fast exponential has died out, y1 lags by a first order.

    From there the secant leads to where it has not. The last one is infinite if y1 never comes to a limit.
    """
    time, y1, y2 = mpmath.mpf(0), mpmath.mpf("4.2"), mpmath.mpf("0.3")
    lag = p.c1 / (p.c1 - p.c3)
    for number in count():
        yield time, y2
        (c2, c4), limit = (mpmath.mpf(x) / 100 for x in AIMS[number % 2]), (p.upper, p.lower)[number % 2]
        there = c4 + (limit - c4 - c2) / lag
        if not (y2 - c4) * (there - c4) > 0:
            time = mpmath.inf
            continue
        slow = (y2 - c4) * lag
        fast, lapse = y1 - c2 - c4 - slow, mpmath.log((y2 - c4) / (there - c4)) / p.c3
        if abs(fast) * mpmath.exp(-p.c1 * lapse) > mpmath.eps * abs(limit):
            lapse = mpmath.findroot(
                lambda t, c=(slow, fast, limit - c2 - c4): (
                    c[0] * mpmath.exp(-p.c3 * t) + c[1] * mpmath.exp(-p.c1 * t) - c[2]
                ),
                lapse,
            )
        time, y1, y2 = time + lapse, limit, c4 + (y2 - c4) * mpmath.exp(-p.c3 * lapse)


def second_final(p: Any, name: str) -> Any:
    """Return a state at 5 s; the fast exponential begins where y1 is at its limit."""
    number, (time, y2) = list(enumerate(takewhile(lambda switch: switch[0] < 5, slow_roots(p))))[-1]
    c2, c4 = (mpmath.mpf(x) / 100 for x in AIMS[number % 2])
    lag, y1 = p.c1 / (p.c1 - p.c3), (p.lower, p.upper)[number % 2] if number else mpmath.mpf("4.2")
    slow, fast = (mpmath.exp(-rate * (5 - time)) for rate in (p.c3, p.c1))
    if name == "y2":
        return c4 + (y2 - c4) * slow
    return c4 + c2 + (y2 - c4) * lag * slow + (y1 - c4 - c2 - (y2 - c4) * lag) * fast


def switching(number: int) -> Quantity:
    """Return the instant of a switch."""

    def alone(p: Any) -> Any:
        return next(islice(slow_roots(p), number, None))[0]

    truth = MOTION.closed(partial(instant, number=number), second=alone, how=HOW)
    measure = partial(event_instant, event="switch", number=number)
    happens = partial(is_simulated, number=number)
    return of.quantity(f"t_switch_{number}", "s", f"instant of switch {number}", truth, measure, observable=happens)


def is_simulated(values: Values, number: int) -> bool:
    """Whether a switch comes before the end."""
    p = SimpleNamespace(**{name: mpmath.mpf(float(value)) for name, value in values.items()})
    return bool(next(islice(slow_roots(p), number, None))[0] < PROBLEM.end)


def state(name: str, **stated: Any) -> Quantity:
    """Return a state at 5 s."""
    truth = MOTION.closed(partial(final, name=name), second=partial(second_final, name=name), how=HOW)
    return of.quantity(f"{name}@5", "1", f"{name} at 5 s", truth, partial(value_at, expression=name, at="5"), **stated)


HOW = "logarithms of the slow exponential alone"
of = Quantities(MOTION, 1e-6, "a millionth; participants of the comparison gave six digits and more")
JUMP = cited("5 s lie within the jump after a switch: 1e-8 s there are 1 % of it", 1e-2)
QUANTITIES = (*(switching(number) for number in range(1, 6)), state("y1", criterion=JUMP), state("y2"))

CASE = Case(
    name="two_state_model",
    title="Two state model",
    document="ARGESIM C5",
    topics=("stiff",),
    summary="A stiff linear system, rates a million apart, switches its right-hand side where the fast state says so.",
    statement=(
        "y1 follows y2 + c2 with the rate c1, y2 follows c4 with the rate c3.",
        "c2 = 0.4, c4 = 5.5 until y1 rises to the upper limit; then c2 = -0.3, c4 = 2.73 until it falls to the lower.",
        "5 s are simulated from y1 = 4.2, y2 = 0.3.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 1.7, 0.9, "y1, rate c1"),
        draw.box((3.6, 0), 1.7, 0.9, "y2, rate c3"),
        draw.arrow((2.7, 0), (0.95, 0), ""),
        draw.arrow((5.6, 0), (4.5, 0), ""),
        draw.words((6.0, 0), "c4"),
        draw.thin((0, -0.45), (0, -1.2)),
        draw.thin((0, -1.2), (6.0, -1.2)),
        draw.arrow((6.0, -1.2), (6.0, -0.3), ""),
        draw.words((3.0, -0.95), "switches at the limits of y1"),
    ),
    shown=ShownMotion(curves=("y1", "y2"), motion=motion),
    equations=of.equations("t_1 = log((0.3 - 5.5)/(y2 - 5.5))/c3"),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("comparison", {}), Variant("mild", {"c1": "2700"})),
    quantities=QUANTITIES,
    modelling=("After a switch y1 jumps to within c3/c1 of its new course in a few microseconds.",),
    sources=("ARGESIM/EUROSIM comparison C5, Two state model. Simulation News Europe.",),
    remarks=(
        "A method for problems that are not stiff needs ten million steps.",
        "The fifth switch comes 3.5e-7 s before 5 s: y1(5) lies in the jump after it, and shows each microsecond.",
        "A switch that is found late by a step of the slow state shifts all that follow: instants differ in print.",
        "Just after a switch the guard is at its limit: a search that begins there switches back at once.",
    ),
)

test_two_state_model = verifies(CASE)
