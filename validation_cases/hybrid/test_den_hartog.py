"""Den Hartog's forced mass with dry friction: slip and stick twice per cycle."""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities, write_start
from veridyn.validation_cases.measures.trajectories import evenly, value_at

PARAMETERS = (
    Parameter("b", "1", "frequency of the load over the natural one", "0.8", "positive"),
    Parameter("f", "1", "friction over the amplitude of the load", "0.9", "positive"),
    Parameter("psi", "1", "phase of the load at the start, while the mass rests", "2.25", "non-negative"),
)
LOAD = "cos(b*t + psi)"
AT_REST = {"v": 0, "s": 0}


def _stop(side: int) -> Change:
    return Change(name="stop", guard="v", direction=-side, reset=AT_REST, mode="stick")


def slip(name: str, side: int) -> Mode:
    """Return the mode in which the mass moves to a side, until it stops."""
    rates = ("v", f"{LOAD} - x - ({side})*f", f"({side})*f*v", 1)
    return Mode(name=name, rates=rates, events=(_stop(side),))


def release(name: str, guard: str) -> Change:
    """Return the end of stick, where the force on the mass passes the friction."""
    return Change(name=f"release_{name}", guard=guard, direction=-1, reset=AT_REST, mode=name)


# a is by how much friction exceeds the force at the start, on the periodic motion;
# D is the work of friction, s the time since the last change
PROBLEM = InitialValueProblem(
    name="den_hartog",
    states=("x", "v", "D", "s"),
    parameters={**{p.name: p.default for p in PARAMETERS}, "a": "0.2"},
    modes=(
        Mode(
            name="stick",
            rates=(0, 0, 0, 1),
            events=(release("left", f"f + {LOAD} - x"), release("right", f"f - {LOAD} + x")),
        ),
        slip("left", -1),
        slip("right", 1),
    ),
    initial=("f + cos(psi) - a", 0, 0, 0),
    end=25.0,
    output_times=evenly(25.0, 5000),
)
# half of the cycle leads from rest at X to rest at -X
CYCLE = (
    hybrid.motion(PROBLEM, PARAMETERS)
    .where("a", "x + f + cos(psi) - a", at=("stop", 1))
    .presuming("release_left", "stop", "release_right", "stop")
)
GUESSES = 8  # of phase and duration each


class SlipInterval(NamedTuple):
    """A slip: phase of the load where it begins, how long it takes."""

    phase: Any
    lapse: Any


def moved(b: Any, f: Any, phase: Any, time: Any) -> Any:
    """Return the displacement in a slip that begins at rest, at a phase of the load, as force and friction agree."""
    gain, c, s = 1 / (1 - b**2), mpmath.cos(phase), mpmath.sin(phase)
    free = c * (1 - gain) * mpmath.cos(time) + b * gain * s * mpmath.sin(time)
    return f + free + gain * mpmath.cos(b * time + phase)


def velocity(b: Any, phase: Any, time: Any) -> Any:
    """Return the velocity in that slip."""
    gain, c, s = 1 / (1 - b**2), mpmath.cos(phase), mpmath.sin(phase)
    free = b * gain * s * mpmath.cos(time) - c * (1 - gain) * mpmath.sin(time)
    return free - b * gain * mpmath.sin(b * time + phase)


@per_precision
def slip_of(b: Any, f: Any) -> SlipInterval:
    """Return the slip from X = f + cos(phase) to -X: Newton's method in both unknowns, from a grid of guesses."""

    def off(phase: Any, lapse: Any) -> tuple[Any, Any]:  # the velocity begins as the square of the time
        return velocity(b, phase, lapse) / lapse**2, moved(b, f, phase, lapse) + f + mpmath.cos(phase)

    for i, j in product(range(1, GUESSES), repeat=2):
        try:
            begin = mpmath.pi * i / GUESSES, mpmath.pi * j / GUESSES / b
            result = SlipInterval(*mpmath.findroot(off, begin, tol=mpmath.eps))
        except (ValueError, ZeroDivisionError):
            continue
        inside = 0 < result.phase < mpmath.pi and 0 < result.lapse < mpmath.pi / b
        if inside and all(velocity(b, result.phase, result.lapse * k / GUESSES) < 0 for k in range(1, GUESSES)):
            return result
    raise CertificationError("no slip is found")


def rest(p: Any) -> Any:
    """Return the displacement at rest."""
    return p.f + mpmath.cos(slip_of(p.b, p.f).phase)


def sticking(p: Any) -> Any:
    """Return how long the mass rests."""
    return mpmath.pi / p.b - slip_of(p.b, p.f).lapse


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem that begins at rest on its periodic motion."""
    return PROBLEM.with_parameters({**values, "a": write_start(EXCESS, values)})


HOW = "arcs between two stops, by Newton's method in phase and duration"
EXCESS = CYCLE.value("a", "0", second=lambda p: p.f + mpmath.cos(p.psi) - rest(p), how=HOW)
REST = CYCLE.value("x", "0", second=rest, how=HOW)
of = Quantities(CYCLE, how=HOW)
QUANTITIES = (
    of.quantity("X", "1", "displacement at rest", REST, partial(value_at, expression="-x", at=("stop", 1))),
    of.value("s", ("stop", 1), "1", before=True, name="t_slip", second=lambda p: slip_of(p.b, p.f).lapse),
    of.value("s", ("release_right", 1), "1", before=True, name="t_stick", second=sticking),
    of.event("release_left", name="t_release", second=lambda p: (slip_of(p.b, p.f).phase - p.psi) / p.b),
    of.value("D", ("stop", 2), "1", name="work", second=lambda p: 4 * p.f * rest(p)),
)

CASE = Case(
    name="den_hartog",
    title="Den Hartog's forced mass with dry friction",
    document="Den Hartog 1931",
    topics=("friction", "resonance"),
    summary="A load that exceeds the friction for a part of each half cycle: the mass slips and rests, twice a cycle.",
    statement=(
        "x'' + x + f sgn(x') = cos(b t + psi), without dimensions; friction is the same in stick and slip.",
        "The mass rests at X until the force on it passes f, slips to -X, rests, and returns.",
        "The motion begins at rest at X, where psi is in the stick before a slip to the left.",
    ),
    sketch=draw.sketch(
        draw.oscillator("1"),
        draw.ground((1.2, -0.45), (4.2, -0.45)),
        draw.words((3.6, -0.9), "f"),
        draw.arrow((3.0, 0), (4.0, 0), "cos(b t + psi)"),
        draw.arrow((2.5, 0.7), (3.3, 0.7), "x"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=of.equations(
        "x = f + (1 - V) cos(φ) cos(t) + b V sin(φ) sin(t) + V cos(b t + φ), V = 1/(1 - b^2), X = f + cos(φ)"
    ),
    parameters=of.motion.parameters,
    variants=(Variant("long_stick", {}), Variant("short_stick", {"b": "0.6", "f": "0.7", "psi": "0.55"})),
    quantities=QUANTITIES,
    problem=make_problem,
    modelling=("D is the work of friction, 4 f X in a cycle; s the time since the last change of phase.",),
    sources=(
        "J. P. Den Hartog: Forced vibrations with combined Coulomb and viscous friction. Transactions of the "
        "ASME 53 (1931) APM-53-9, 107-115.",
        "H.-K. Hong, C.-S. Liu: Coulomb friction oscillator: modelling and responses to harmonic loads and base "
        "excitations. Journal of Sound and Vibration 229 (2000) 1171-1192.",
    ),
    remarks=(
        "A slip begins with velocity and acceleration zero: its velocity grows as t², and a solver that looks for",
        "the end of slip at once finds it at once. Friction that is made continuous creeps through the rest.",
        "The rest forgets all but the displacement: errors of the phase do not add up.",
    ),
    held=dict.fromkeys(("b", "f", "psi"), "another load may never stop the mass, or never move it"),
)

test_den_hartog = verifies(CASE)
