"""Impact damper: a particle in a driven container, two symmetric impacts a cycle."""

from typing import Any

import mpmath

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import REBOUND, Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("z", "1", "damping ratio", "0.02", "positive"),
    Parameter("F", "1", "amplitude of the load", "1", "positive"),
    Parameter("W", "1", "frequency of the load over the natural one", "1", "positive"),
    Parameter("mu", "1", "mass of the particle over that of the container", "0.1", "positive"),
    Parameter("d", "1", "clearance", "20", "positive"),
    Parameter("e", "1", "coefficient of restitution", "0.6", "positive"),
)
# v is the speed of the particle: by impulses of 2 mu v the container moves as v (G1, G2) just after one of them
LAPSE, DAMPED = "(pi/W)", "sqrt(1 - z**2)"
DECAY, COS, SIN = f"exp(-z*{LAPSE})", f"cos({DAMPED}*{LAPSE})", f"(sin({DAMPED}*{LAPSE})/{DAMPED})"
WHOLE = f"(1 + 2*{DECAY}*{COS} + {DECAY}**2)"
G1, G2 = f"(-2*mu*{DECAY}*{SIN}/{WHOLE})", f"(2*mu*(1 + {DECAY}*({COS} + z*{SIN}))/{WHOLE})"
AFTER = "(2*mu - (1 - e + 2*mu)/(1 + e))"  # velocity of the container just after an impact, over v
# displacement and velocity of the load's own response at the impact, PLACE v - d/2 and RATE v, are of known amplitude
PLACE, RATE = f"({LAPSE}/2 - {G1})", f"({AFTER} - {G2})"
SQUARE = f"({PLACE}**2 + {RATE}**2/W**2)"
ROOT = f"(d**2*{PLACE}**2/4 - {SQUARE}*(d**2/4 - F**2/((1 - W**2)**2 + 4*z**2*W**2)))"
SPEED = f"((d*{PLACE}/2 + sqrt({ROOT}))/{SQUARE})"
START, OWN, RUN = f"({SPEED}*{LAPSE}/2 - d/2)", f"({SPEED}*{PLACE} - d/2)", f"({SPEED}*{RATE})"


def hit(name: str, side: str, guard: str) -> Change:
    """Return an impact at one end of the container; the momentum is kept."""
    shared = "(1 + e)*(w - u)/(1 + mu)"
    reset = {"y": f"x {side} d/2", "u": f"u + mu*{shared}", "w": f"w - {shared}"}
    return Change(name=name, guard=guard, direction=-1, reset=reset)


# x, u are displacement and velocity of the container, y, w of the particle; p and q are the load and, a quarter of a
# period late, its other phase
PROBLEM = InitialValueProblem(
    name="impact_damper",
    states=("x", "u", "y", "w", "p", "q"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="flight",
            rates=("u", "p - x - 2*z*u", "w", 0, "-W*q", "W*p"),
            events=(
                hit("left", "-", "y - x + d/2"),
                hit("right", "+", "x + d/2 - y"),
                Change(name="crest", guard="q", direction=1),
            ),
        ),
    ),
    initial=(
        START,
        f"{AFTER}*{SPEED}",
        f"{START} + d/2",
        f"-{SPEED}",
        f"(1 - W**2)*{OWN} + 2*z*{RUN}",
        f"2*z*W*{OWN} - (1 - W**2)*{RUN}/W",
    ),
    end=15.0,
    output_times=evenly(15.0, 3000),
)
REQUIRED = (
    Requirement("e <= 1", REBOUND),
    Requirement("z < 1", "the container does not vibrate about its place between impacts"),
    Requirement(f"{ROOT} >= 0", "no orbit has two symmetric impacts a cycle", "a smaller d, or a larger F"),
)


def half(p: Any) -> Any:
    """Return half a period of the load."""
    return mpmath.pi / p.W


def impulses(p: Any) -> tuple[Any, Any]:
    """Return what alternating impulses of unit speed of the particle do to the container just after one of them."""
    rate = mpmath.mpc(-p.z, mpmath.sqrt(1 - p.z**2))
    push = 2 * p.mu / (1 + mpmath.exp(rate * half(p))) / rate.imag
    return push.imag, (push * rate).imag


def leaving(p: Any) -> Any:
    """Return the velocity of the container after an impact over that of the particle, from momentum and restitution."""
    return mpmath.lu_solve([[1, -1], [1, p.e]], [2 * p.mu, p.e - 1])[0]


def speed(p: Any) -> Any:
    """Return the speed of the particle: the load's own response has a known amplitude."""
    moved, run = impulses(p)
    place, rate = half(p) / 2 - moved, (leaving(p) - run) / p.W
    gain = p.F / abs(mpmath.mpc(1 - p.W**2, 2 * p.z * p.W))
    roots = mpmath.polyroots([place**2 + rate**2, -place * p.d, p.d**2 / 4 - gain**2], maxsteps=200)
    return max(mpmath.re(root) for root in roots)


def impact(p: Any) -> Any:
    """Return the displacement of the container at an impact to the right."""
    return (speed(p) * half(p) - p.d) / 2


def phase(p: Any) -> Any:
    """Return the phase of the load at an impact to the right, from 0 to 2 pi."""
    (moved, run), fast = impulses(p), speed(p)
    own = mpmath.mpc(impact(p) - fast * moved, -fast * (leaving(p) - run) / p.W)
    return mpmath.arg(own * mpmath.mpc(1 - p.W**2, 2 * p.z * p.W)) % (2 * mpmath.pi)


of = Quantities(
    hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED)).presuming("left", "right", close="2*pi/W"),
    how="alternating impulses on the container",
)
QUANTITIES = (
    of.value("-w", ("left", 1), "1", before=True, name="particle_speed", second=speed),
    of.value("-x", ("left", 1), "1", name="x_impact", scale="d", second=impact),
    of.value("-u", ("left", 1), "1", name="u_after", second=lambda p: leaving(p) * speed(p)),
    of.value("2*pi - W*t", ("crest", 1), "1", name="phase", second=phase),
    of.largest("x", "1", name="peak", until=("right", 1)),
)

CASE = Case(
    name="impact_damper",
    title="Impact damper",
    document="Masri 1966",
    topics=("impact", "resonance"),
    summary="A particle in a driven container hits its ends in turn and takes momentum out: the symmetric orbit.",
    statement=(
        "x'' + 2 z x' + x = F cos(W t + phase) for a container with a particle of relative mass mu that flies between "
        "its ends, d apart; restitution e, the momentum is kept.",
        "The motion begins just after an impact to the right, on its orbit of two impacts a cycle: half a period later "
        "all is reversed.",
    ),
    sketch=draw.sketch(
        draw.ground((0, 1.0), (0, -1.0)),
        draw.spring((0, 0.45), (2, 0.45), "1"),
        draw.damper((0, -0.35), (2, -0.35), "2 z"),
        draw.line((2, 0.8), (5, 0.8), (5, -0.8), (2, -0.8), (2, 0.8)),
        draw.disc((3.2, -0.55), 0.24),
        draw.arrow((3.5, -0.55), (4.2, -0.55), ""),
        draw.words((3.2, -0.05), "mu"),
        draw.span((2, -1.1), (5, -1.1), ""),
        draw.words((3.5, -1.4), "d + size of the particle"),
        draw.arrow((5.1, 0.3), (6.0, 0.3), "F cos(W t + phase)"),
        draw.arrow((3.2, 1.1), (4.1, 1.1), "x"),
    ),
    shown=ShownMotion(curves=("x", "y")),
    equations=(
        "x'' + 2 z x' + x = F cos(W t + φ), y'' = 0",
        "v = (2 x_0 + d) W/π, u_b = -v (1 - e + 2 μ)/(1 + e), u_a = u_b + 2 μ v",
        "x_0 = C + v g_1, u_a = W D + v g_2, C^2 + D^2 = F^2/((1 - W^2)^2 + 4 z^2 W^2)",
    ),
    parameters=of.motion.parameters,
    problem=of.motion.problem.with_parameters,
    variants=(Variant("resonance", {}), Variant("above", {"W": "1.05", "d": "10"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    shared=(
        "The orbit is that with the faster particle, of those with two impacts a cycle that half a period reverses.",
    ),
    modelling=("The load is a state, so that problem and start say its phase once.",),
    sources=(
        "S. F. Masri, T. K. Caughey: On the stability of the impact damper. Journal of Applied Mechanics 33 (1966) "
        "586-592.",
        "C. N. Bapat, S. Sankar: Single unit impact damper in free and forced vibration. Journal of Sound and "
        "Vibration 99 (1985) 85-94.",
    ),
    remarks=(
        "The container moves 25 times the load's static displacement at resonance without the particle; peak says "
        "what the particle leaves of it.",
        "An impact that gives the particle its velocity and the container none takes no momentum out: peak is that "
        "without damper.",
        "Restitution of the particle's velocity alone, not of the relative one, gives a wrong speed at once.",
    ),
    held=dict.fromkeys(("W", "d", "F", "mu", "e", "z"), "the orbit exists, and is stable, in windows"),
)

test_impact_damper = verifies(CASE)
