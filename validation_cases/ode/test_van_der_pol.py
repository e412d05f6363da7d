"""Van der Pol's oscillator on its limit cycle, from nearly a sine to relaxation."""

from functools import partial
from typing import Any, NamedTuple

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, Published, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities, write_start
from veridyn.validation_cases.measures.trajectories import evenly, event_instant, value_at

PARAMETERS = (Parameter("mu", "1", "negative damping of small displacements", "1", "positive"),)
# a is the amplitude of the cycle, about 2; the markers give its phases
PROBLEM = InitialValueProblem(
    name="van_der_pol",
    states=("x", "v"),
    parameters={"mu": "1", "a": "2.01"},
    modes=(
        Mode(
            name="free",
            rates=("v", "mu*(1 - x**2)*v - x"),
            events=(
                Change(name="top", guard="v", direction=-1),
                Change(name="bottom", guard="v", direction=1),
                Change(name="middle", guard="x", direction=-1),
            ),
        ),
    ),
    initial=("a", 0),
    end=25.0,
    output_times=evenly(25.0, 5000),
)
# the motion is symmetric: half of the cycle leads from a to -a
CYCLE = hybrid.motion(PROBLEM, PARAMETERS).where("a", "x + a", at=("bottom", 1))
# amplitudes by mu, so that the problem of a variant is made without work
STARTS = {
    0.1: "2.00010397987279592382",
    1.0: "2.00861986087484313651",
    3.0: "2.02330414168221430651",
    5.0: "2.0215080615623213238",
    10.0: "2.01428536092640528533",
}


class HalfOrbit(NamedTuple):
    """Half of a cycle from x = 0 upwards: how long it takes, speed at its end, largest displacement."""

    lapse: Any
    speed: Any
    top: Any


def series(x: Any, v: Any, mu: Any) -> tuple[list[Any], list[Any]]:
    """Return Taylor coefficients of displacement and velocity."""
    xs, vs, damping = [x], [v], []
    for k in range(int(1.2 * mpmath.mp.dps) + 5):
        damping.append(mpmath.mpf(k == 0) - mpmath.fdot(xs, xs[::-1]))
        xs.append(vs[k] / (k + 1))
        vs.append((mu * mpmath.fdot(damping, vs[::-1]) - xs[k]) / (k + 1))
    return xs, vs


def value(coefficients: list[Any], time: Any) -> Any:
    """Return the value of a Taylor series."""
    return mpmath.polyval(coefficients[::-1], time)


def root(coefficients: list[Any], end: Any) -> Any:
    """Return where a series passes zero before the end."""
    return mpmath.findroot(partial(value, coefficients), (0, end), solver="anderson", tol=mpmath.eps, verify=False)


def half(speed: Any, mu: Any) -> HalfOrbit:
    """Return the half that begins at x = 0 with a speed."""
    time, x, v, top = mpmath.mpf(0), mpmath.mpf(0), speed, None
    while True:
        xs, vs = series(x, v, mu)
        step = min((mpmath.eps / abs(c[-1])) ** (mpmath.mpf(1) / (len(c) - 1)) for c in (xs, vs))
        x, v = value(xs, step), value(vs, step)
        if top is None and v < 0:
            top = value(xs, root(vs, step))
        if x < 0:
            lapse = root(xs, step)
            return HalfOrbit(time + lapse, -value(vs, lapse), top)
        time += step


@per_precision
def cycle(mu: Any) -> HalfOrbit:
    """Return half of the limit cycle: from x = 0 to x = 0 with the same speed, by the secant."""
    begin = half(2 + mu / 2, mu).speed
    speed = mpmath.findroot(lambda s: half(s, mu).speed - s, (begin, half(begin, mu).speed), tol=mpmath.eps)
    return half(speed, mu)


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem that begins on its limit cycle."""
    start = STARTS.get(float(values["mu"])) or write_start(AMPLITUDE, values)
    return PROBLEM.with_parameters({**values, "a": start})


HOW = "Taylor series from x = 0 to x = 0, with their own search for events"
AMPLITUDE = CYCLE.value("a", "0", second=lambda p: cycle(p.mu).top, how=HOW)
PERIOD = CYCLE.value("2*t", ("bottom", 1), second=lambda p: 2 * cycle(p.mu).lapse, how=HOW)
of = Quantities(CYCLE, how=HOW)
AT_TOP = partial(value_at, expression="x", at=("top", 1))
QUANTITIES = (
    of.quantity("period", "s", "period of the limit cycle", PERIOD, partial(event_instant, event="top")),
    of.quantity("amplitude", "1", "amplitude of the limit cycle", AMPLITUDE, AT_TOP),
    of.value("-v", ("middle", 1), "1/s", name="speed", second=lambda p: cycle(p.mu).speed),
)
SERIES = "Andersen and Geer 1982, series to mu⁴"
SHORT = "7e-5 too small: terms in mu⁶ and beyond are missing"
LONG = "9.5 % too long: terms in log(mu)/mu and 1/mu are missing"
RELAXED = "Dorodnicyn 1947, (3 - 2 log 2) mu + 7.0143 mu^(-1/3)"

CASE = Case(
    name="van_der_pol",
    title="Van der Pol's oscillator",
    document="van der Pol 1926",
    topics=("limit cycle", "stiff"),
    summary="Small motions grow, large ones decay: one limit cycle, nearly a sine or made of jumps.",
    statement=(
        "x'' - mu (1 - x²) x' + x = 0, from the point of the limit cycle where x is largest.",
        "Half of the cycle leads from (a, 0) to (-a, 0); the amplitude a is the root of that condition.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1", "-mu (1 - x²)"),
        draw.arrow((2.5, 0.9), (3.4, 0.9), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations("ω = 1 - mu^2/16 + 17 mu^4/3072, a = 2 + mu^2/96 - 1033 mu^4/552960"),
    parameters=of.motion.parameters,
    variants=(Variant("weak", {"mu": "0.1"}), Variant("one", {}), Variant("three", {"mu": "3"})),
    quantities=QUANTITIES,
    problem=make_problem,
    published=(
        Published(SERIES, "weak", "period", "6.28711127", "reproduced"),
        Published(SERIES, "weak", "amplitude", "2.00010398", "reproduced"),
        Published(SERIES, "one", "amplitude", "2.00855", "inaccurate", SHORT),
        Published(RELAXED, "three", "period", "9.7046", "inaccurate", LONG),
    ),
    sources=(
        "B. van der Pol: On relaxation-oscillations. Philosophical Magazine 2 (1926) 978-992. "
        "https://doi.org/10.1080/14786442608564127",
        "C. M. Andersen, J. F. Geer: Power series expansions for the frequency and period of the limit cycle of "
        "the van der Pol equation. SIAM Journal on Applied Mathematics 42 (1982) 678-693. "
        "https://doi.org/10.1137/0142047",
    ),
    remarks=(
        "The cycle attracts: errors of the amplitude vanish, those of the phase add up; the period shows them.",
        "Large mu: two slow arcs and two jumps per turn; explicit steps stay short on the arcs, for stability.",
        "Relaxation, mu = 5 or 10: `--set mu=10`; half a minute of work for the truth.",
        "An explicit method without control of the error damps or drives the weak oscillator: another amplitude.",
    ),
    held={"mu": "a cycle is sought for each: seconds of work"},
    benchmark_variant="one",
)

test_van_der_pol = verifies(CASE)
