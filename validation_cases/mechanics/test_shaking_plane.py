"""Body on a plane that is shaken in two directions: friction follows the relative velocity as it turns."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import mpmath
import numpy as np

from veridyn.problem.elements import Friction, SupportMotion
from veridyn.problem.exact_fields import is_present
from veridyn.problem.formulas import sqrt
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Mode
from veridyn.problem.time_functions import Harmonic
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet
from veridyn.solver.contract.errors import MissingHistory
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Number,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.measures.consistency import flags, friction_cone, velocities
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import displacement_at, size, velocity_at
from veridyn.validation_cases.measures.sliding import STEPS, a_step_of
from veridyn.validation_cases.measures.trajectories import value_at

END = 1.0  # s
OUTPUTS = np.linspace(0.0, END, STEPS + 1)
LATE = "0.2"  # s
STATES = {"u": "v_x", "v": "v_y"}  # names of the velocities in the mechanical problem
PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("mu", "1", "coefficient of friction", "0.3"),
    Parameter("A", "m/s^2", "acceleration of the plane along x", "6"),
    Parameter("b", "1", "acceleration along y over that along x", "1", "any"),
    Parameter("W", "rad/s", "frequency of the plane", "10"),
    Parameter("f", "1", "relative velocity at the start over that of the circle", "1"),
)
SPEED = "(sqrt(A**2 - (mu*g)**2)/W)"


class PlaneParameters(ParameterSet):
    """The parameters; the body slides on a circle if b = f = 1."""

    def check(self) -> None:
        """Refuse a plane that friction carries along."""
        if self.A.rational <= self.mu.rational * self.g.rational:
            raise ParameterError(f"A = {self.A} is not above mu g: friction holds the body; raise it")


PROBLEM = InitialValueProblem(
    name="shaking_plane",
    states=("x", "y", "u", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(
        Mode(
            name="slip",
            rates=("u", "v", "-A*cos(W*t) - mu*g*u/sqrt(u**2 + v**2)", "-A*b*sin(W*t) - mu*g*v/sqrt(u**2 + v**2)"),
        ),
    ),
    initial=(0, 0, f"-f*{SPEED}*mu*g/A", f"f*W*{SPEED}**2/A"),
    end=END,
    output_times=OUTPUTS,
)


def _start(values: Values) -> tuple[Any, Any]:
    """Return the relative velocity at the start (m/s)."""
    g, mu, A, W, f = numbers(values, "g", "mu", "A", "W", "f")
    speed = sqrt(A**2 - (mu * g) ** 2) / W
    return -f * speed * mu * g / A, f * W * speed**2 / A


def problem(values: Values) -> MechanicalProblem:
    """Return the body with places relative to the plane, which is a moving support in both directions."""
    m, g, mu, A, b, W = numbers(values, "m", "g", "mu", "A", "b", "W")
    along = SupportMotion.from_acceleration("along", np.array([1.0, 0.0]), Harmonic(A, W, phase="pi/2"))
    across = SupportMotion.from_acceleration("across", np.array([0.0, 1.0]), Harmonic(A * b, W))
    return MechanicalProblem(
        name="shaking_plane",
        mass=np.diag([m, m]),
        initial_velocity=np.array(_start(values)),
        end=END,
        output_times=OUTPUTS,
        supports=(along, across) if is_present(b) else (along,),
        frictions=(Friction("sole", tuple(np.eye(2)), m * g, mu, mu),),
        coordinates=("x", "y"),
    )


MOTION = make_quantities(problem, PARAMETERS, record=PlaneParameters)


def _read(o: Observation, name: str, time: float) -> float:
    """Return a relative place or velocity at an instant, of either kind of response."""
    if o.problem.kind == "mechanical":
        return (velocity_at if name in "uv" else displacement_at)(o, time, "xyuv".index(name) % 2)
    return value_at(o, name, str(time))


def orbit(o: Observation) -> float:
    """Return the relative speed at the end (m/s)."""
    return math.hypot(*(_read(o, name, END) for name in "uv"))


# ---- the circle: the velocity V exp(i (W t + ψ)) with i W V = -A exp(-i ψ) - μ g


def speed(p: Any) -> Any:
    """Return V (m/s)."""
    return (p.A**2 - (p.mu * p.g) ** 2) ** 0.5 / p.W


def place(p: Any, side: int) -> Any:
    """Return the place (m) after 1 s along x (0) or y (1), from cos ψ = -μ g/A and sin ψ = W V/A."""
    cosine, sine = -p.mu * p.g / p.A, p.W * speed(p) / p.A
    angle = p.W * END
    return (speed(p) / p.W) * (
        sine * angle.cos() + cosine * angle.sin() - sine,
        cosine - cosine * angle.cos() + sine * angle.sin(),
    )[side]


def turned(p: Any) -> Any:
    """Return the velocity (m/s) after 1 s as a complex number."""
    resistance = p.mu * p.g
    result = mpmath.sqrt((p.A - resistance) * (p.A + resistance)) / p.W
    return result * mpmath.conj(-mpmath.mpc(resistance, p.W * result) / p.A) * mpmath.expj(p.W * END)


def orbited(p: Any, part: str) -> Any:
    """Return a part of the place (m) after 1 s: the velocities there and at the start over i W."""
    return getattr((turned(p) - turned(p) / mpmath.expj(p.W * END)) / mpmath.mpc(0, p.W), part)


def _speed(values: Values) -> float:
    return math.hypot(*_start(values))


def _circles(values: Values) -> bool:
    return bool(values["b"].rational == 1 and values["f"].rational == 1)


_pull = size("A*(1 + abs(b))")


RATES = {**a_step_of(_pull, END), "scale": _speed}
PLACES = {**a_step_of(_speed, END), "scale": lambda values: _speed(values) * END}
of = Quantities(MOTION, how="complex numbers")
SPEED_AT_END = MOTION.closed(speed, second=lambda p: abs(turned(p)), how=of.how)


def late(name: str, axis: str, what: str, unit: str, terms: dict[str, Any]) -> Quantity:
    """Return a relative place or velocity at an instant."""
    words, measure = f"relative {what} along {axis} at {LATE} s", partial(_read, name=name, time=float(LATE))
    return of.quantity(f"{name}@{LATE}", unit, words, MOTION.value(STATES.get(name, name), LATE), measure, **terms)


def on_circle(name: str, side: int, part: str) -> Quantity:
    """Return a relative place at the end."""
    truth = MOTION.closed(partial(place, side=side), second=partial(orbited, part=part), how=of.how)
    words, measure = f"relative place along {name} at the end, on the circle", partial(_read, name=name, time=END)
    return of.quantity(f"orbit_{name}", "m", words, truth, measure, applies=_circles, **PLACES)


ON_CIRCLE = "relative speed at the end, on the circle"
QUANTITIES = (
    *(late(axis, axis, "place", "m", PLACES) for axis in "xy"),
    *(late(name, axis, "velocity", "m/s", RATES) for name, axis in (("u", "x"), ("v", "y"))),
    of.quantity("orbit_speed", "m/s", ON_CIRCLE, SPEED_AT_END, orbit, applies=_circles, **RATES),
    on_circle("x", 0, "real"),
    on_circle("y", 1, "imag"),
)

CIRCLE = frozenset(q.name for q in QUANTITIES if q.name.startswith("orbit"))


def of_bodies(residual: Quantity) -> Quantity:
    """Return a residual that is asked of bodies, not of equations."""

    def measure(o: Observation) -> Number:
        if o.problem.kind != "mechanical" or residual.measure is None:
            raise MissingHistory("equations have no friction whose history might be wrong")
        return residual.measure(o)

    return replace(residual, measure=measure)


CASE = Case(
    name="shaking_plane",
    title="Body on a plane shaken in two directions",
    document="this suite",
    topics=("friction", "two directions", "seismic"),
    summary="A plane moves on a circle or an ellipse: the body on it slides all the time, friction against its way.",
    statement=(
        "A plane accelerates with A cos(W t) along x and b A sin(W t) along y; x, y are places of a body on it.",
        "With b = 1 the body may slide on a circle at a constant speed V, while friction turns with it; f V is the "
        "relative speed at the start. On other ways (transient, ellipse) the truth is a proved solution.",
    ),
    sketch=draw.sketch(
        draw.plane((-2.6, -1.6), (3.2, -1.6), (4.4, 1.6), (-1.4, 1.6)),
        draw.box((0.5, 0.1), 0.8, 0.6, "m"),
        draw.path(lambda a: (0.5 + 1.3 * math.cos(a) + 0.4 * math.sin(a), 0.1 + 0.9 * math.sin(a)), 0.4, 6.0),
        draw.arrow((-3.6, 0), (-2.6, 0), ""),
        draw.arrow((-3.6, 0), (-3.25, 0.9), ""),
        draw.words((-3.7, -0.35), "A cos(W t)"),
        draw.words((-3.6, 1.2), "b A sin(W t)"),
        draw.words((2.6, -1.2), "mu"),
    ),
    shown=ShownMotion(curves=("x", "y"), portraits=(("x", "y"),), true_to_scale=True),
    equations=(
        "x'' = -A cos(W t) - μ g x'/v, y'' = -b A sin(W t) - μ g y'/v, v = sqrt(x'^2 + y'^2)",
        "V = sqrt(A^2 - μ^2 g^2)/W, x'(0) = -f V μ g/A, y'(0) = f W V^2/A",
    ),
    parameters=of.motion.parameters,
    variants=(
        Variant("circle", {}, CIRCLE),
        Variant("transient", {"f": "2"}),
        Variant("ellipse", {"b": "0.6"}),
        Variant("equations", {}, CIRCLE, PROBLEM.with_parameters),
    ),
    quantities=QUANTITIES,
    residuals=(
        of_bodies(friction_cone("of mu m g", lambda o: o["mu"] * o["m"] * o["g"])),
        of_bodies(velocities()),
        of_bodies(flags()),
    ),
    problem=problem,
    modelling=(
        "Two coordinates relative to the plane, which is a support in either direction; two tangents of friction.",
        "The variant equations is the circle as an initial value problem, for solvers without friction.",
    ),
    remarks=(
        "Friction along x and y by themselves (a box, a pyramid) is up to sqrt(2) mu m g and dents the circle.",
        "Friction against the velocity of the step before lags by W h: the speed of the circle is too large.",
        "Along a line the plane is that of newmark_block, variant harmonic.",
    ),
    held={"A": "a weaker plane lets the body stick", "b": "as A", "f": "a slower start may stick", "W": "as A"},
)

test_shaking_plane = verifies(CASE)
