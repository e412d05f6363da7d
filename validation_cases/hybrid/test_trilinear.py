"""Driven oscillator in a symmetric gap between springs: the orbit that enters each of them once a period."""

from itertools import product
from typing import Any

import mpmath
import sympy

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import Parameter
from veridyn.references.problems import hybrid
from veridyn.references.requirements import Requirement, restrict
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import Case, ShownMotion, Values, Variant
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.motions import Quantities, write_start
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("z", "1", "damping ratio in the gap", "0.05", "positive"),
    Parameter("k_2", "1", "stiffness beyond the gap over that within", "4", "positive"),
    Parameter("F", "1", "amplitude of the load over the force of the spring at the end of the gap", "1", "positive"),
    Parameter("W", "1", "frequency of the load over the natural one in the gap", "1.5", "positive"),
)
DEFAULTS = {p.name: p.default for p in PARAMETERS}
Z, SPEED = sympy.symbols("z W")
INSIDE = "1.56"  # near the time beyond the gap in half a period


class LinearSegment:
    """A piece between two given displacements: its velocities at both ends, as expressions in the load there."""

    def __init__(self, k: Any, middle: Any, lapse: Any, ends: tuple[int, int]) -> None:
        rate = sympy.sqrt(k - Z**2)
        self.decay, self.c, self.s = sympy.exp(-Z * lapse), sympy.cos(rate * lapse), sympy.sin(rate * lapse) / rate
        size = (k - SPEED**2) ** 2 + 4 * Z**2 * SPEED**2
        self.near, self.far = (k - SPEED**2) / size, 2 * Z * SPEED / size  # of the response to the load
        self.begin, self.end = (place - middle for place in ends)

    def velocities(self, load: Any, later: Any) -> tuple[Any, Any]:
        """Return those at the beginning and at the end, for the loads p and q there."""
        y, last = self.begin - self._place(load), self.end - self._place(later)
        free = (last / self.decay - (self.c + Z * self.s) * y) / self.s
        ended = ((self.c - Z * self.s) * last - self.decay * y) / self.s
        return free + self._rate(load), ended + self._rate(later)

    def _place(self, load: Any) -> Any:
        return self.near * load[0] + self.far * load[1]

    def _rate(self, load: Any) -> Any:
        return SPEED * (self.far * load[0] - self.near * load[1])


def beginning() -> tuple[Any, ...]:
    """Return speed of entry and load, as they follow from the time t_1 beyond the gap in half a period.

    Displacements at the ends of both pieces are given; that the velocities agree there are two linear equations.
    """
    k_2, t_1, p, q = sympy.symbols("k_2 t_1 p q")
    beyond = LinearSegment(k_2, 1 - 1 / k_2, t_1, (1, 1))
    within = LinearSegment(sympy.Integer(1), 0, sympy.pi / SPEED - t_1, (1, -1))
    c, s = sympy.cos(SPEED * t_1), sympy.sin(SPEED * t_1)
    turned = (p * c - q * s, p * s + q * c)
    entry, leaving = beyond.velocities((p, q), turned)
    passing, reversal = within.velocities(turned, (-p, -q))
    (a, b, f), (d, e, g), (h, i, j) = (
        (sympy.diff(off, p), sympy.diff(off, q), off.xreplace({p: 0, q: 0}))
        for off in (leaving - passing, reversal + entry, entry)
    )
    first, second = (b * g - f * e) / (a * e - b * d), (f * d - a * g) / (a * e - b * d)
    return h * first + i * second + j, first, second


def crossing(place: int, direction: int, mode: str) -> Change:
    """Return the change of stiffness where the mass passes an end of the gap."""
    return Change(name=f"to_{mode}", guard=f"x - ({place})", direction=direction, reset={"x": place}, mode=mode)


CREST = Change(name="crest", guard="q", direction=1)
LOAD = ("-W*q", "W*p")
# p and q are the load and, a quarter of a period late, its other phase
PROBLEM = InitialValueProblem(
    name="trilinear",
    states=("x", "v", "p", "q"),
    parameters={**DEFAULTS, "t_1": INSIDE},
    modes=(
        Mode(name="right", rates=("v", "p - 2*z*v - 1 - k_2*(x - 1)", *LOAD), events=(crossing(1, -1, "gap"), CREST)),
        Mode(
            name="gap",
            rates=("v", "p - 2*z*v - x", *LOAD),
            events=(crossing(1, 1, "right"), crossing(-1, -1, "left"), CREST),
        ),
        Mode(name="left", rates=("v", "p - 2*z*v + 1 - k_2*(x + 1)", *LOAD), events=(crossing(-1, 1, "gap"), CREST)),
    ),
    initial=(1, *beginning()),
    end=10.0,
    output_times=evenly(10.0, 2000),
)
REQUIRED = (
    Requirement("z < 1", "the start of the orbit is written for a vibration in the gap"),
    Requirement("z**2 < k_2", "the start of the orbit is written for a vibration beyond the gap"),
)
ORBIT = (
    hybrid.motion(PROBLEM, PARAMETERS, restrict(*REQUIRED))
    .where("t_1", "p**2 + q**2 - F**2", at=("to_gap", 1))
    .presuming("to_gap", "to_left", "to_gap", "to_right")
)


def moved(k: Any, force: Any, z: Any, w: Any, load: Any, x: Any, v: Any, lapse: Any) -> tuple[Any, Any]:
    """Return displacement and velocity after a time on a piece, for a complex load, by complex exponentials."""
    rate = mpmath.mpc(-z, mpmath.sqrt(k - z**2))
    own = load / mpmath.mpc(k - w**2, 2 * z * w)
    y, u = x - force / k - own.real, v - (1j * w * own).real
    free = mpmath.mpc(y, (rate.real * y - u) / rate.imag) * mpmath.exp(rate * lapse)
    driven = own * mpmath.expj(w * lapse)
    return force / k + free.real + driven.real, (rate * free).real + (1j * w * driven).real


def searched(off: Any, guesses: Any, sound: Any) -> tuple[Any, ...]:
    """Return the root of three functions of three unknowns that is sound: by Newton's method, from guesses in turn."""
    for guess in guesses:
        try:
            with mpmath.workdps(15):
                near = mpmath.findroot(off, guess)
            if sound(*near):
                return tuple(mpmath.findroot(off, tuple(near), tol=mpmath.eps**1.5, maxsteps=60))
        except (ValueError, ZeroDivisionError):
            continue
    raise CertificationError("no orbit is found")


@per_precision
def of_orbit(p: Any) -> tuple[Any, ...]:
    """Return speed of entry, phase of the load there, and time beyond the gap in half a period."""
    z, k_2, force, w = p.z, p.k_2, p.F, p.W
    half = mpmath.pi / w

    def after(speed: Any, phase: Any, lapse: Any) -> tuple[Any, Any]:
        return moved(k_2, k_2 - 1, z, w, force * mpmath.expj(phase), 1, speed, lapse)

    def off(speed: Any, phase: Any, lapse: Any) -> tuple[Any, ...]:
        x, v = after(speed, phase, lapse)
        load = force * mpmath.expj(phase + w * lapse)
        end, last = moved(1, 0, z, w, load, x, v, half - lapse)
        return x - 1, end + 1, last + speed

    def sound(speed: Any, phase: Any, lapse: Any) -> bool:
        outside = (after(speed, phase, lapse * k / 8)[0] > 1 for k in range(1, 8))
        return speed > 0 and 0 < lapse < half and all(outside)

    guesses = product((4, 2, 1), (5.5, 4, 2.5, 1), (half * 0.7, half * 0.4))
    return searched(off, guesses, sound)


def peak(p: Any) -> Any:
    """Return the largest displacement, where the velocity vanishes beyond the gap."""
    speed, phase, lapse = of_orbit(p)

    def at(t: Any) -> tuple[Any, Any]:
        return moved(p.k_2, p.k_2 - 1, p.z, p.W, p.F * mpmath.expj(phase), 1, speed, t)

    return at(mpmath.findroot(lambda t: at(t)[1], (0, lapse), solver="anderson", maxsteps=400, tol=mpmath.eps**1.5))[0]


def make_problem(values: Values) -> InitialValueProblem:
    """Return the problem with its start as numbers."""
    return PROBLEM.with_parameters(values, initial=(1, *(write_start(truth, values) for truth in START)))


HOW = "Newton's method in three unknowns"
START = (
    ORBIT.value("v", "0", second=lambda p: of_orbit(p)[0], how=HOW),
    ORBIT.value("p", "0", second=lambda p: p.F * mpmath.cos(of_orbit(p)[1]), how=HOW),
    ORBIT.value("q", "0", second=lambda p: p.F * mpmath.sin(of_orbit(p)[1]), how=HOW),
)
of = Quantities(ORBIT, how=HOW)
QUANTITIES = (
    of.value("-v", ("to_left", 1), "1", name="speed", second=lambda p: of_orbit(p)[0]),
    of.value("2*pi - W*t", ("crest", 1), "1", name="phase", second=lambda p: of_orbit(p)[1] % (2 * mpmath.pi)),
    of.event("to_gap", name="t_beyond", second=lambda p: of_orbit(p)[2]),
    of.largest("x", "1", name="peak", until=("to_gap", 1), second=peak),
)

CASE = Case(
    name="trilinear",
    title="Driven oscillator in a gap between springs",
    document="Natsiavas 1989",
    topics=("impact", "nonlinear spring", "resonance"),
    summary="A driven mass in a gap enters the springs at both ends once a period: the large one of two stable orbits.",
    statement=(
        "x'' + 2 z x' + h(x) = F cos(W t + phase), h = x for |x| < 1 and sgn(x) + k_2 (x - sgn(x)) beyond.",
        "The motion begins on its symmetric orbit, as the mass enters the spring to the right. It leaves that after "
        "t_beyond and enters the one to the left half a period later; the second half is the first one reversed.",
        "Within the gap there is a small orbit as well, of an oscillator that never touches the springs.",
    ),
    sketch=draw.sketch(
        draw.box((0, 0), 1, 0.9, "m"),
        draw.edge((-1.4, -0.4), (-1.4, 0.4)),
        draw.spring((-3.6, 0), (-1.4, 0), "k_2 - 1"),
        draw.ground((-3.6, 0.8), (-3.6, -0.8)),
        draw.edge((1.4, -0.4), (1.4, 0.4)),
        draw.spring((1.4, 0), (3.6, 0), "k_2 - 1"),
        draw.ground((3.6, -0.8), (3.6, 0.8)),
        draw.ground((0.5, 2.1), (-0.5, 2.1)),
        draw.spring((0, 2.1), (0, 0.45), "1"),
        draw.span((0.5, -0.65), (1.4, -0.65), ""),
        draw.words((0.95, -0.95), "1"),
        draw.arrow((0.7, 1.3), (1.5, 1.3), "x, F cos(W t + phase)"),
    ),
    shown=ShownMotion(portraits=(("x", "v"),)),
    equations=("x'' + 2 z x' + h(x) = F cos(W t + φ)", "x(0) = 1, x(t_1) = 1, x(π/W) = -1, x'(π/W) = -x'(0)"),
    parameters=of.motion.parameters,
    variants=(Variant("stiff", {}), Variant("slower", {"W": "1.4"})),
    quantities=QUANTITIES,
    requirements=REQUIRED,
    problem=make_problem,
    modelling=(
        "For a given time beyond the gap the start follows from a linear system; the time is the one for which the "
        "load has the amplitude F. The load is a state, so that problem and start say its phase once.",
    ),
    sources=(
        "S. Natsiavas: Periodic response and stability of oscillators with symmetric trilinear restoring force. "
        "Journal of Sound and Vibration 134 (1989) 315-331.",
        "A. C. J. Luo: The mapping dynamics of periodic motions for a three-piecewise linear system under a periodic "
        "excitation. Journal of Sound and Vibration 283 (2005) 723-748.",
    ),
    remarks=(
        "The kinks are passed four times a period: harmonic balance and cubic interpolation round them off, and what "
        "they miss in the peak shows as a wrong phase.",
        "A step that passes an end of the gap with the old tangent changes the energy; the orbit is stable and hides "
        "that in a shifted phase, where a free vibration would drift.",
        "A start a little off the orbit may fall to the small one, in which nothing is ever entered.",
    ),
    held=dict.fromkeys(("W", "F", "k_2", "z"), "the large orbit exists in a window of frequency"),
)

test_trilinear = verifies(CASE)
