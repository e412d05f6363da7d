"""Impact oscillator of Shaw and Holmes: stable and unstable orbits of one impact in n periods of the load."""

from types import SimpleNamespace
from typing import Any

import mpmath
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

DIGITS = 25  # of a start as text
PARAMETERS = (
    Parameter("z", "1", "damping ratio", "0.02", "positive"),
    Parameter("e", "1", "coefficient of restitution", "0.8", "positive"),
    Parameter("d", "1", "place of the stop", "1", "non-negative"),
    Parameter("W", "1", "frequency of the load over the natural one", "1.5", "positive"),
    Parameter("F", "1", "amplitude of the load", "1", "positive"),
    Parameter("n", "1", "periods of the load from impact to impact", "1", "whole"),
    Parameter("branch", "1", "sign of the root: 1 for the faster impact, -1 for the slower", "1", "any", ("1", "-1")),
)
# the orbit in terms of its impact speed V: particular solution (C, D) = (d - V w1, -V w2) at impact, of known amplitude
LAPSE, DAMPED = "(2*pi*n/W)", "sqrt(1 - z**2)"
DECAY, COS, SIN = f"exp(-z*{LAPSE})", f"cos({DAMPED}*{LAPSE})", f"(sin({DAMPED}*{LAPSE})/{DAMPED})"
FREE = f"(1 - 2*{DECAY}*{COS} + {DECAY}**2)"
W1 = f"(-(1 + e)*{DECAY}*{SIN}/{FREE})"
W2 = f"((e*{DECAY}**2 + {DECAY}*((1 - e)*{COS} + (1 + e)*z*{SIN}) - 1)/{FREE})"
SQUARE = f"({W1}**2 + {W2}**2/W**2)"
REACH = "(F**2/((1 - W**2)**2 + 4*z**2*W**2))"
ROOT = f"(d**2*{W1}**2 - {SQUARE}*(d**2 - {REACH}))"
SPEED = f"((d*{W1} + branch*sqrt({ROOT}))/{SQUARE})"
PLACE, RATE = f"(d - {SPEED}*{W1})", f"(-{SPEED}*{W2})"

# p and q are the load and, a quarter of a period late, its other phase; a11 … a22 the derivatives of x and v with
# respect to those at the start
PROBLEM = InitialValueProblem(
    name="shaw_holmes",
    states=("x", "v", "p", "q", "a11", "a21", "a12", "a22"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="free",
            rates=("v", "p - x - 2*z*v", "-W*q", "W*p", "a21", "-a11 - 2*z*a21", "a22", "-a12 - 2*z*a22"),
            events=(
                Change(
                    name="impact",
                    guard="x - d",
                    direction=1,
                    reset={
                        "x": "d",
                        "v": "-e*v",
                        "a11": "-e*a11",
                        "a12": "-e*a12",
                        "a21": "(1 + e)*(p - d)/v*a11 - e*a21",
                        "a22": "(1 + e)*(p - d)/v*a12 - e*a22",
                    },
                ),
                Change(name="crest", guard="q", direction=1),
            ),
        ),
    ),
    initial=(
        "d",
        f"-e*{SPEED}",
        f"(1 - W**2)*{PLACE} + 2*z*{RATE}",
        f"2*z*W*{PLACE} - (1 - W**2)*{RATE}/W",
        *(1, 0, 0, 1),
    ),
    end=15.0,
    output_times=evenly(15.0, 3000),
)
REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("z < 1", "the mass does not vibrate about its place between impacts"),
    Requirement(f"{ROOT} >= 0", "no orbit hits the stop once in n periods", "another W, z or e, or a larger F"),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)).presuming("impact", close="2*pi*n/W")


def lapse(p: Any) -> Any:
    """Return the time from impact to impact."""
    return 2 * mpmath.pi * p.n / p.W


def pole(p: Any) -> Any:
    """Return the complex rate of the free motion."""
    return mpmath.mpc(-p.z, mpmath.sqrt(1 - p.z**2))


def orbit(p: Any) -> tuple[Any, Any]:
    """Return the impact speed and the complex amplitude of the particular solution: periodic impulses on the mass."""
    rate, time = pole(p), lapse(p)
    push = (1 + p.e) / (1 - mpmath.exp(rate * time)) / rate.imag
    place, speed = push.imag, 1 + (rate * mpmath.exp(rate * time) * push).imag
    square = p.F**2 / abs(mpmath.mpc(1 - p.W**2, 2 * p.z * p.W)) ** 2
    roots = mpmath.polyroots([place**2 + (speed / p.W) ** 2, 2 * p.d * place, p.d**2 - square], maxsteps=200)
    fast = (max if p.branch > 0 else min)(mpmath.re(root) for root in roots)
    return fast, mpmath.mpc(p.d + fast * place, -fast * speed / p.W)


def phase(p: Any) -> Any:
    """Return the phase of the load at impact, from 0 to 2 pi."""
    return mpmath.arg(orbit(p)[1] * mpmath.mpc(1 - p.W**2, 2 * p.z * p.W)) % (2 * mpmath.pi)


def trace(p: Any) -> Any:
    """Return the sum of the multipliers: of the map from instant and speed of an impact to the next."""
    rate, time, (speed, wave) = pole(p), lapse(p), orbit(p)

    def following(start: Any, fast: Any) -> tuple[Any, Any]:
        driven = wave * mpmath.expj(p.W * start)
        place, velocity = p.d - driven.real, -p.e * fast - (1j * p.W * driven).real
        free = mpmath.mpc(place, (rate.real * place - velocity) / rate.imag)

        def at(t: Any, order: int = 0) -> Any:
            forced = (1j * p.W) ** order * wave * mpmath.expj(p.W * t)
            return (rate**order * free * mpmath.exp(rate * (t - start)) + forced).real

        end = mpmath.findroot(lambda t: at(t) - p.d, start + time, tol=mpmath.eps**1.5)
        return end, at(end, 1)

    late = mpmath.diff(lambda start: following(start, speed)[0], 0)
    return late + mpmath.diff(lambda fast: following(mpmath.mpf(0), fast)[1], speed)


def grazing(p: Any) -> Any:
    """Return the amplitude of the load that just reaches the stop."""
    return p.d * abs(mpmath.mpc(1 - p.W**2, 2 * p.z * p.W))


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem with its start as numbers: solvers need not read the closed form."""
    p = SimpleNamespace(**{name: exact(value).mpf() for name, value in values.items()})
    with mpmath.workdps(DIGITS + 5):
        speed, wave = orbit(p)
        load = wave * mpmath.mpc(1 - p.W**2, 2 * p.z * p.W)
        start = [mpmath.nstr(number, DIGITS) for number in (-p.e * speed, load.real, load.imag)]
    return PROBLEM.with_parameters(values, initial=("d", *start, 1, 0, 0, 1))


of = Quantities(MOTION, how="periodic impulses on the mass")
GRAZING = MOTION.closed(
    lambda p: p.d * ((arb(1) - p.W**2) ** 2 + (2 * p.z * p.W) ** 2).sqrt(), second=grazing, how="complex amplitude"
)
HIT = ("impact", 1)
QUANTITIES = (
    of.event("impact", second=lapse),
    of.event("impact", 3, second=lambda p: 3 * lapse(p)),
    of.value("v", ("impact", 1), "1", before=True, name="V", second=lambda p: orbit(p)[0]),
    of.value("2*pi - W*t", ("crest", 1), "1", name="phase", second=phase),
    of.value("a11 + a22", HIT, "1", name="trace", scale="1", second=trace, how="derivatives of the map of impacts"),
    of.value("a11*a22 - a12*a21", HIT, "1", name="det", second=lambda p: p.e**2 * mpmath.exp(-2 * p.z * lapse(p))),
    of.quantity("grazing_force", "1", "amplitude of the load that just reaches the stop", GRAZING, None),
)

CASE = Case(
    name="shaw_holmes",
    title="Impact oscillator of Shaw and Holmes",
    document="Shaw 1983",
    topics=("impact", "resonance", "limit cycle"),
    summary="A driven mass hits a stop once in n periods of its load: stable and unstable orbits, and multipliers.",
    statement=(
        "x'' + 2 z x' + x = F cos(W t + phase) for x < d; at x = d the velocity turns to -e times what it was.",
        "The motion begins just after an impact of its periodic orbit, with the speed e V.",
        "The derivatives with respect to the start jump at an impact as its instant moves; their trace and determinant",
        "at the next one are the sum and the product of the multipliers.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1", "2 z"),
        draw.stop((4.6, 0), 180.0),
        draw.words((5.4, 0), "e"),
        draw.span((3.0, -0.95), (4.6, -0.95), ""),
        draw.words((3.8, -1.25), "d"),
        draw.arrow((2.5, 1.0), (3.4, 1.0), "x, F cos(W t + phase)"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=(
        "x'' + 2 z x' + x = F cos(W t + φ), x = d: x' = -e x'",
        "(d - C, -D) = V (Φ(T) - I)^-1 ((0, 1) + e Φ(T) (0, 1)), C^2 + (D/W)^2 = F^2/((1 - W^2)^2 + 4 z^2 W^2)",
        "S = ((-e, 0), ((1 + e) (F cos(W t + φ) - d)/V, -e)), T = 2 π n/W",
    ),
    parameters=of.motion.parameters,
    variants=(
        Variant("stable", {}),
        Variant("unstable", {"branch": "-1"}),
        Variant("stop_at_rest", {"d": "0", "W": "2"}),
        Variant("two_periods", {"n": "2", "W": "2.8"}),
        Variant("two_periods_unstable", {"n": "2", "W": "2.8", "branch": "-1"}),
        Variant("large_load", {"W": "2.8", "F": "8"}),
    ),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=make_problem,
    modelling=("The load is a state, so that problem and start say its phase once.",),
    sources=(
        "S. W. Shaw, P. J. Holmes: A periodically forced piecewise linear oscillator. Journal of Sound and "
        "Vibration 90 (1983) 129-155.",
        "A. B. Nordmark: Non-periodic motion caused by grazing incidence in an impact oscillator. Journal of "
        "Sound and Vibration 145 (1991) 279-297.",
    ),
    remarks=(
        "Errors of an unstable orbit grow with its largest multiplier from impact to impact.",
        "Under a large load they grow thirtyfold: BDF of CVODE misses a millionth of the trace by default.",
        "A stop that is a stiff spring holds the mass for a while: the phase is late.",
        "A stability analysis that forgets that instants of impact move has S = -e I, and finds all orbits stable.",
    ),
    held={
        "W": "an orbit exists in windows of frequency",
        "n": "counts",
        "branch": "a sign",
        "F": "see W",
        "d": "see W",
    },
)

test_shaw_holmes = verifies(CASE)
