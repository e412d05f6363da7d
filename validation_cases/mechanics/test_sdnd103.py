"""SDND103 (Code_Aster): a mass on a softening spring, driven such that it follows a chosen sine."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import mpmath
import numpy as np
from flint import arb, fmpq

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import SupportMotion
from veridyn.problem.formulas import angular_frequency
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, Sum, Windowed
from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Absent, ball
from veridyn.references.engine.jets import value
from veridyn.references.engine.quantities import References
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Exact, Parameter, ParameterSet, exact
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import chosen_sine
from veridyn.references.second_routes.hybrid_steps import PROMISED
from veridyn.solver.postprocessing.balance import element_history
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Published,
    Quantity,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import plotting
from veridyn.validation_cases.measures.consistency import device_law, energy, positions, velocities
from veridyn.validation_cases.measures.quantities import displacement_at, share_of, size, velocity_at
from veridyn.validation_cases.measures.trajectories import evenly

PARAMETERS = (
    Parameter("m", "kg", "mass", "450"),
    Parameter("k0", "N/m", "stiffness of the spring at small elongation", "1e5"),
    Parameter("x0", "m", "elongation at which the spring has softened to nothing", "0.1"),
    Parameter("a0", "m", "amplitude of the chosen motion, below x0/2", "0.01"),
    Parameter("w0", "rad/s", "circular frequency of the chosen motion", "pi/4"),
    Parameter("d", "m", "dead zone of the softening term, below a0", "0", "non-negative"),
)
REQUIRED = (
    Requirement("2*a0 < x0", "the spring no longer resists at the amplitude"),
    Requirement("d < a0", "the dead zone swallows the motion"),
)
END = 18.0
SPACING = 0.02 * math.sqrt(1e5 / 450)  # of the requested output, over 1/w: 0.02 s at the default parameters
TIMES = ("2", "6", "10", "14", "18")  # s, where the chosen motion turns at the default parameters
SPRING = "softening"
Measure = Callable[..., float]  # of an observation and a time
ASTER = "tolerance of Code_Aster's test sdnd103a"


_frequency = size("sqrt(k0/m)")  # w = sqrt(k0/m) in rad/s


def support_acceleration(values: Values) -> TimeFunction:
    """Return γ = -(x'' + w² x (1 - |x|/x0)) at x = a0 sin(w0 t).

    Between two zeros of the sine its square is the integral of w0 sin(2 w0 t) from the first of them.
    """
    m, k0, x0, a0, w0 = numbers(values, "m", "k0", "x0", "a0", "w0")
    half = angular_frequency(2 * w0)  # pi/w0, the distance (s) of two zeros
    windows = []
    for k in range(math.ceil(END / float(half))):
        wave = Harmonic((-1) ** k * k0 / m * a0**2 / x0 * w0, 2 * w0)
        windows.append(Windowed(wave, k * half, (k + 1) * half, order=-1))
    return Sum((Harmonic(-a0, w0, order=2), Harmonic(-a0 * k0 / m, w0), *windows))


def spring(values: Values) -> NonlinearSpring:
    """Return the softening -k0 u (|u| - d)/x0, in powers of |u| - d."""
    k0, x0, d = numbers(values, "k0", "x0", "d")
    powers = (0, -k0 / x0 * d, -k0 / x0)
    return NonlinearSpring.odd(name=SPRING, direction=[1.0], coefficients=powers, slack=d)


def oscillator(values: Values) -> MechanicalProblem:
    """Return the motion over 18 s."""
    m, k0, a0, w0 = numbers(values, "m", "k0", "a0", "w0")
    return MechanicalProblem(
        name="sdnd103",
        mass=np.array([[m]]),
        stiffness=np.array([[k0]]),
        initial_velocity=np.array([a0 * w0]),
        end=END,
        supports=(SupportMotion.from_acceleration("support", [1.0], support_acceleration(values)),),
        devices=(spring(values),),
        coordinates=("x",),
    )


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output."""
    return evenly(END, END * _frequency(values) / SPACING)


# ---- what is true


MOTION = make_quantities(oscillator, PARAMETERS, record=restrict(*REQUIRED))
FREQUENCY = MOTION.frequency(1, second=lambda p: mpmath.sqrt(p.k0 / p.m) / (2 * mpmath.pi), how="sqrt(k0/m)/2π")
chosen = References(PARAMETERS, restrict(*REQUIRED), kind="closed form", proof="the chosen motion", promised=PROMISED)


def find(order: int, t: str) -> Reference[Certified]:
    """Return displacement, velocity or acceleration (orders 0 to 2) relative to the support at an instant (s).

    Without a dead zone it is the chosen motion, which solves the equation: spring and drive then pass zero at one
    instant, and no search tells which comes first. With one it is followed.
    """
    time = exact(t)

    def choose(o: ParameterSet) -> Any:
        if o.d.slope is not None:
            raise Absent("a dead zone grows from none to one side only: there is no derivative")
        return _choose(o, order, time)

    def describe(o: ParameterSet) -> str:
        return "" if value(_choose(o, order, time)).is_zero() else chosen_sine.HOW  # steps do not confirm a zero

    def step(p: Any) -> Any:
        return chosen_sine.step(p, order, time.mpf())

    def size(o: ParameterSet) -> mpmath.mpf:
        return abs(o.a0.mpf()) * o.w0.mpf() ** order

    closed = chosen(lambda o: step(ParameterView(o, Exact.mpf)), how=describe, size=size)(choose)
    name = ("x", "v_x", "a_x")[order]
    followed = MOTION.value(name, t, second=step, how=chosen_sine.HOW, promised=PROMISED, size=size)

    def rule(values: Mapping[str, Exact], digits: int) -> Certified:
        return (followed if values["d"].rational else closed).compute_anew(values, digits)

    return Reference(followed.name, PARAMETERS, rule)


def _choose(o: Any, order: int, time: Exact) -> Any:
    """Return a derivative of the chosen motion, exactly zero where it is."""
    angle, w0 = o.w0 * time, ball(o.w0)
    if angle.pi == 1 and angle.slope is None:
        turns = fmpq(angle.rational.numerator, angle.rational.denominator)
        sine, cosine = arb.sin_pi_fmpq(turns), arb.cos_pi_fmpq(turns)
    else:
        sine, cosine = ball(angle).sin_cos()
    return ball(o.a0) * (sine, w0 * cosine, -(w0**2) * sine)[order]


# ---- what is asked


def _amplitude(values: Values, power: int) -> float:
    """Return the amplitude of displacement (power 0), velocity (1) or acceleration (2) along the chosen motion."""
    a0, w0 = floats(values, "a0", "w0")
    return a0 * w0**power


def _regularity(values: Values) -> float:
    """Return 2 where the stiffness jumps, at the edges of the dead zone; else 3, as the slope of the stiffness does."""
    return 2.0 if float(values["d"]) else 3.0


def acceleration(o: Observation, time: float) -> float:
    """Acceleration relative to the support (m/s²), from the equation of motion with the reported force."""
    forces = element_history(o.response, SPRING, of="device") + o["k0"] * o.response.displacement[:, 0]
    history = -forces / o["m"] - o.problem.supports[0].acceleration(o.response.time)
    return value_at(o.response.time, history, time)


def _motion_at(t: str, what: str, unit: str, read: Measure, power: int) -> Quantity:
    """Return displacement, velocity or acceleration at an instant (s)."""
    definition, measure = f"{what} relative to the support at {t} s", partial(read, time=float(t))
    scale = partial(_amplitude, power=power)
    criterion = share_of(scale, 1e-3, ASTER)
    return Quantity(f"{what}@{t}", unit, definition, find(power, t), measure, criterion, scale, _regularity)


def _displacement_at(t: str) -> Quantity:
    return _motion_at(t, "displacement", "m", displacement_at, power=0)


def _velocity_at(t: str) -> Quantity:
    return _motion_at(t, "velocity", "m/s", velocity_at, power=1)


def _acceleration_at(t: str) -> Quantity:
    return _motion_at(t, "acceleration", "m/s^2", acceleration, power=2)


SMALL, FREQUENCIES = "natural frequency at small elongation", cited(ASTER, 1e-3)
QUANTITIES = (
    *map(_displacement_at, TIMES),
    *map(_velocity_at, TIMES),
    *map(_acceleration_at, TIMES),
    Quantity("frequency", "Hz", SMALL, FREQUENCY, None, FREQUENCIES),
)


def _sine(o: Observation, times: Floats) -> Floats:
    return np.asarray(o["a0"] * np.sin(o["w0"] * times))


def _law(o: Observation, times: Floats) -> Floats:
    return -o["k0"] * _sine(o, times) * np.abs(_sine(o, times)) / o["x0"]


X = plotting.HistoryCurve("x (m)", lambda o: o.response.displacement[:, 0], _sine)
FORCE = plotting.HistoryCurve("force (N)", lambda o: element_history(o.response, SPRING, of="device"), _law)

TWICE = cited("twice the 1e-3 of Code_Aster's test for displacements", 2e-3, kind="absolute")
TEST = "Code_Aster test sdnd103a, reference"
PUBLISHED = (
    Published(TEST, "chosen", "frequency", "2.37254181139", "reproduced"),
    *(
        Published(TEST, "chosen", f"{what}@{time}", text, "reproduced")
        for time, sign, against in zip(TIMES, ("", "-", "", "-", ""), ("-", "", "-", "", "-"), strict=True)
        for what, text in (
            ("displacement", f"{sign}0.01"),
            ("velocity", "0"),
            ("acceleration", f"{against}6.168502750680849E-3"),
        )
    ),
)

CASE = Case(
    name="sdnd103",
    title="Softening spring driven along a chosen sine",
    document="Code_Aster",
    topics=("nonlinear spring",),
    summary="A manufactured solution: the support moves such that a mass on a spring k0 x (1 - |x|/x0) follows "
    "a0 sin(w0 t); what a kink costs, and what a dead zone of a micrometre explains.",
    statement=(
        "A mass m hangs on a spring that pulls with k0 x (1 - |x|/x0). Its support accelerates by γ(t) such that the "
        "displacement relative to the support is x = a0 sin(w0 t) for all times.",
        "γ = -(x'' + w² x (1 - |x|/x0)), w = sqrt(k0/m): terms in sin(w0 t) and in sin(w0 t) |sin(w0 t)|. The chosen "
        "motion is slow, w0/w = 0.053; every error shows as a free vibration on top of it.",
        "Variant dead-zone: the softening term is k0 x (|x| - d)/x0 for |x| > d and nothing below, d = 1e-6 m, under "
        "the same support motion. The motion is then followed from one passage through ±d to the next.",
    ),
    equations=(
        "m (x'' + gamma) + k0 x (1 - s/x0) = 0, s = max(0, |x| - d), x(0) = 0, x'(0) = a0 w0",
        "gamma = -(x_s'' + w² x_s (1 - |x_s|/x0)), x_s = a0 sin(w0 t), w = sqrt(k0/m)",
        "gamma = -a0 (w² - w0²) sin(w0 t) + w² a0²/x0 sin(w0 t) |sin(w0 t)|",
        "x = a0 sin(w0 t) for d = 0",
        "x = Σ_{n=0}^∞ c_n (t - t_j)^n for d > 0, |x(t_j)| = d or sin(w0 t_j) = 0",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    shared=(
        "Without a dead zone the motion is the chosen sine: it solves the equation, and no other motion starts so.",
    ),
    variants=(Variant("chosen", {}), Variant("dead-zone", {"d": "1e-6"})),
    quantities=QUANTITIES,
    residuals=(
        energy("of k0 a0²/2", lambda o: 0.5 * o["k0"] * o["a0"] ** 2, TWICE),
        velocities(),
        positions(),
        device_law(),
    ),
    problem=Watched(oscillator, outputs),
    modelling=(
        "The stiffness matrix holds k0; the softening is a device of type nonlinear-spring, a piecewise polynomial.",
        "The support acceleration is exact: a harmonic function and, for sin |sin|, harmonic functions cut out between "
        "the zeros of the sine. No table.",
        "Output every 0.02 s, the step of the test: w h = 0.3.",
        "Accelerations are read from the equation of motion, with the force that the spring reports.",
    ),
    published=PUBLISHED,
    sources=("EDF: Code_Aster, test sdnd103a. https://code-aster.org",),
    remarks=(
        "The support takes the kink away: along the chosen motion the acceleration is smooth, and methods keep their "
        "order. In free vibration on the same spring orders 4 and 5 fall to 3.",
        "Most of the error of a step is a free vibration that the first step sets off.",
        "A tolerance of 1e-3 does not see the dead zone, which takes 1.3e-5 of the displacement.",
        "A dead zone that cuts the softening off below d, instead of shifting one of its factors, changes the "
        "displacement by less than 1e-10 of its amplitude: which of the two a code has, its digits tell.",
        "Leaving the softening out of the spring alone takes a tenth of the displacement.",
    ),
    errata=(
        "The references are those of the chosen motion, ±a0. The spring of the test has a dead zone of 1e-6 m in one "
        "factor of its softening term, k0 x (|x| - d)/x0, and its true displacements are 1.2e-5 to 1.3e-5 smaller. The "
        "computed values agree with them; the tolerance of 1e-3 hides the difference.",
    ),
    figures=(
        plotting.history(
            "displacement",
            "The chosen motion, and the error",
            "The error is a free vibration, set off by the first step.",
            X,
        ),
        plotting.portrait(
            "spring",
            "The softening term of the spring",
            "-k0 x |x|/x0. Its slope has a kink at zero.",
            X,
            FORCE,
            dots=85,  # so that the law shows between them
        ),
        plotting.convergence(
            "displacement@18", "the support takes the kink of the spring away, so that the order of the method shows"
        ),
    ),
)

test_sdnd103 = verifies(CASE)
