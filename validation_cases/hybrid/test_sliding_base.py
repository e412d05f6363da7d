"""Oscillator on a base that slides: harmonic motion of the ground, and dry friction that is all it can transmit."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("alpha", "1", "share of the oscillator in the whole mass", "0.75", "positive"),
    Parameter("z", "1", "damping ratio of the oscillator on a fixed base", "0.05", "positive"),
    Parameter("f", "1", "friction over the whole mass, its coefficient times gravity", "0.1", "positive"),
    Parameter("A", "1", "largest acceleration of the ground", "1", "positive"),
    Parameter("W", "1", "frequency of the ground over that of the oscillator on a fixed base", "0.5", "positive"),
)
REQUIRED = (
    Requirement("alpha < 1", "the oscillator is as heavy as the whole, or heavier"),
    Requirement("z**2 < 1 - alpha", "the oscillator creeps back, and the orbit is stated of one that swings"),
)
# the orbit from slip to the right to slip to the left: h' = B h about f, h(T/2) = -h(0)
LAPSE, RATE = "(pi/W)", "(z/(1 - alpha))"
DAMPED = f"sqrt(1/(1 - alpha) - {RATE}**2)"
DECAY, COS, SIN = f"exp(-{RATE}*{LAPSE})", f"cos({DAMPED}*{LAPSE})", f"(sin({DAMPED}*{LAPSE})/{DAMPED})"
WHOLE = f"(1 + 2*{DECAY}*{COS} + {DECAY}**2)"
# u - f and u' solve (1 + Φ) h = (-2 f, 0)
PLACE = f"(f - 2*f*(1 + {DECAY}*({COS} - {RATE}*{SIN}))/{WHOLE})"
SPEED = f"(-2*f*{DECAY}*{SIN}/((1 - alpha)*{WHOLE}))"
# the base stops again after half a period: 2 A cos(psi)/W = 2 alpha u'(0) - f pi/W
CPSI = f"((2*alpha*{SPEED} - f*pi/W)*W/(2*A))"
SPSI = f"(-sqrt(1 - {CPSI}**2))"  # the ground runs away to the left


def sliding(name: str, side: int, other: str) -> Mode:
    """Return the mode in which the base slides to a side, friction (-side) f, until it stops and turns."""
    force = f"(({side})*f - 2*z*r - u)/(1 - alpha)"
    load = f"A*({SPSI}*cos(W*t) + {CPSI}*sin(W*t))"
    turn = Change(name=f"turn_{other}", guard="v", direction=-side, reset={"v": 0}, mode=other)
    return Mode(name=name, rates=("r", force, "v", f"-({load}) - ({side})*f - alpha*({force})"), events=(turn,))


# u is the deformation with its rate r, s the slip with its rate v
PROBLEM = InitialValueProblem(
    name="sliding_base",
    states=("u", "r", "s", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(sliding("right", 1, "left"), sliding("left", -1, "right")),
    initial=(PLACE, SPEED, 0, 0),
    end=20.0,
    output_times=evenly(20.0, 2000),
)
MOTION = hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))


def half(p: Any) -> Any:
    """Return half a period of the ground."""
    return mpmath.pi / p.W


@per_precision
def free(p: Any) -> tuple[Any, Any]:
    """Return rate λ and amplitude a of the deformation, u = f + Re(a exp(λ t)), from a system of two equations."""
    rate = mpmath.mpc(-p.z, mpmath.sqrt(1 - p.alpha - p.z**2)) / (1 - p.alpha)
    ended = mpmath.exp(rate * half(p))
    # Re((1 + e) a) = -2 f, Re((1 + e) a λ) = 0
    factors = [(1 + ended), (1 + ended) * rate]
    system = mpmath.matrix([[x.real, -x.imag] for x in factors])
    real, imag = mpmath.lu_solve(system, mpmath.matrix([-2 * p.f, 0]))
    return rate, mpmath.mpc(real, imag)


def reversal(p: Any) -> tuple[Any, Any]:
    """Return deformation and its rate where the base turns from right to left."""
    rate, amplitude = free(p)
    ended = amplitude * mpmath.exp(rate * half(p))
    return p.f + ended.real, (ended * rate).real


def phase(p: Any) -> Any:
    """Return the phase of the ground where the base turns from left to right, from momentum over half a period."""
    return -mpmath.asin((p.f * half(p) + 2 * p.alpha * reversal(p)[1]) * p.W / (2 * p.A)) - mpmath.pi / 2


def travel(p: Any) -> Any:
    """Return the slip of half a period: the ground's own displacement, friction, and what the oscillator pulls."""
    rate, amplitude = free(p)
    (place, _), speed = reversal(p), (amplitude * rate).real
    start = phase(p)
    ground = (mpmath.sin(start + mpmath.pi) - mpmath.sin(start)) * p.A / p.W**2 - p.A / p.W * mpmath.cos(start) * half(
        p
    )
    return ground - p.f * half(p) ** 2 / 2 - p.alpha * (2 * place - speed * half(p))


def peak(p: Any) -> Any:
    """Return the largest deformation: among those where its rate vanishes."""
    rate, amplitude = free(p)
    first = (mpmath.pi / 2 - mpmath.arg(amplitude * rate)) / rate.imag
    turns = [first + k * mpmath.pi / rate.imag for k in range(-4, 4 + int(half(p) * rate.imag / mpmath.pi))]
    result = [p.f + (amplitude * mpmath.exp(rate * t)).real for t in turns if 0 < t < half(p)]
    return max([*result, reversal(p)[0], -reversal(p)[0]])


HALF = ("turn_left", 1)
of = Quantities(MOTION, how="free vibration about the friction")
PHASE = MOTION.value(f"-acos({CPSI})", "0", second=phase, how="momentum over half a period")
QUANTITIES = (
    of.event("turn_left", name="half_period", second=half),
    of.value("u", HALF, "1", name="u_turn", scale="f", second=lambda p: reversal(p)[0]),
    of.value("r", HALF, "1", name="r_turn", scale="f", second=lambda p: reversal(p)[1]),
    of.quantity("phase", "rad", "phase of the ground as the base turns to the right", PHASE, None),
    of.value("s", HALF, "1", name="travel", second=travel),
    of.largest("u", "1", name="peak", until=HALF, second=peak),
    of.value("s", ("turn_left", 2), "1", name="travel_2", second=travel),
)

CASE = Case(
    name="sliding_base",
    title="Oscillator on a sliding base",
    document="Westermo 1983",
    topics=("friction", "seismic", "resonance"),
    summary="A structure on a base that slides on the ground: dry friction alone reaches it, whatever the ground does.",
    statement=(
        "A base with an oscillator slides on ground that accelerates with A sin(W t + psi), without dimensions: u is "
        "the deformation of the oscillator with its rate r, s the slip of the base with its rate v.",
        "While the base slides friction is constant, and the acceleration of the ground drops out of the equation of "
        "the oscillator: it sees a square wave of +f and -f.",
        "The motion begins on its periodic orbit without stick, as the base turns to the right.",
    ),
    sketch=draw.sketch(
        draw.ground((-1.0, -0.7), (6.0, -0.7)),
        draw.box((2.4, -0.35), 5.4, 0.7, "base"),
        draw.ground((0.2, 1.4), (0.2, 0)),
        draw.spring((0.2, 0.7), (2.4, 0.7), "1"),
        draw.box((3.0, 0.6), 1.2, 1.0, "m"),
        draw.arrow((3.0, 1.35), (3.9, 1.35), "u"),
        draw.arrow((5.2, -0.2), (6.0, -0.2), "s"),
        draw.arrow((1.6, -1.5), (2.8, -1.5), "A sin(W t + psi)"),
        draw.words((0, -1.2), "f"),
    ),
    shown=ShownMotion(curves=("u", "v")),
    equations=(
        "(1 - α) u'' + 2 z u' + u = f sgn(s'), s'' = -A sin(W t + ψ) - f sgn(s') - α u''",
        "u = f + h, (1 + Φ(π/W)) h(0) = (-2 f, 0)",
        "2 A cos(ψ)/W = 2 α u'(0) - f π/W",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("soft_ground", {}), Variant("fast_ground", {"W": "0.9", "z": "0.1"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    modelling=("There is no mode of stick: the orbit does not need it, since the base turns at once.",),
    sources=(
        "B. Westermo, F. Udwadia: Periodic response of a sliding oscillator system to harmonic excitation. Earthquake "
        "Engineering and Structural Dynamics 11 (1983) 135-146. https://doi.org/10.1002/eqe.4290110111",
        "N. Mostaghel, M. Hejazi, J. Tanbakuchi: Response of sliding structures to harmonic support motion. "
        "Earthquake Engineering and Structural Dynamics 11 (1983) 355-366. https://doi.org/10.1002/eqe.4290110305",
    ),
    remarks=(
        "Base and oscillator that are stepped one after the other let the ground into the oscillator: its peak depends "
        "on A, and in truth it does not.",
        "Friction taken from the weight of the base alone is too small by the factor 1 - alpha.",
        "A turn that is found late leaves a slip that does not return: s drifts from period to period.",
    ),
    held=dict.fromkeys(("A", "W", "f", "alpha"), "a weaker ground lets the base stick"),
)

test_sliding_base = verifies(CASE)
