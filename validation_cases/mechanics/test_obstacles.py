"""Obstacles: one motion between two walls, whatever shape stands there: planes, stops, circles, a closed profile."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Geometry, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.problems import between_walls
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import Case, Floats, Observation, Quantity, Values, Variant, floats
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures import impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import outputs, share_of, size

SKEW = np.array([[1.0, 0.5], [0.0, 1.0]])  # columns: the lines of skewed coordinates
WALLS = "walls"
ALONG, ACROSS = np.array([0.6, 0.8]), np.array([-0.8, 0.6])  # the line of the motion, oblique to the coordinates
CONTACTS = 4
INSTANTS = ("0.07", "0.18", "0.4")  # in contact with the first wall, with the second one, and in the second cycle
OUTPUTS_PER_RADIAN = 20  # of the frequency in contact
KINK = 2.0  # regularity: the force of a wall has a kink
_length = size("v0*sqrt(m/k)")  # amplitude v0/ω0 (m) of the mass without walls


def _span(values: Values) -> float:
    """End of the problem (s): a tenth after the last contact or instant that is looked at."""
    last = float(between_walls.release.at(number=CONTACTS).compute(values, 15))
    return round(1.1 * max(last, *map(float, INSTANTS)), 6)


# ---- the walls


def _planes(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    return (Stop(WALLS, ALONG, (a + b) / 2, kc, offset=(b - a) / 2, geometry="parallel planes"),)


def _two_stops(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    return Stop("first", ALONG, a, kc), Stop("second", -ALONG, b, kc)


def _round(name: str, geometry: Geometry, radius: float, kc: float, centre: float) -> Stop:
    """Return a circle whose centre lies on the line of the motion."""
    x, y = np.eye(2)
    away = -centre * ALONG
    return Stop(name, x, radius, kc, geometry=geometry, lateral=y, offset=float(away[0]), lateral_offset=float(away[1]))


def _circle(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    return (_round("circle", "circle", (a + b) / 2, kc, (a - b) / 2),)


def _annulus(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    inner = a + b
    centre = -b - inner
    return _round("outer", "circle", a - centre, kc, centre), _round("inner", "outside circle", inner, kc, centre)


def _profile(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    """Return a rectangle, two of whose edges lie across the motion; the others are as far away as these together."""
    turned, first, second = math.atan2(ALONG[1], ALONG[0]), math.atan2(a + b, a), math.atan2(a + b, b)
    angles = turned + np.array([-first, first, math.pi - second, math.pi + second, 2 * math.pi - first])
    radii = np.hypot(a + b, [a, a, b, b, a])
    x, y = np.eye(2)
    profile = np.column_stack((angles, radii))
    return (Stop("frame", x, 0.0, kc, geometry="profile", lateral=y, profile=profile),)


def make_problem(walls: Callable[[float, float, float], tuple[Stop, ...]]) -> Callable[[Values], MechanicalProblem]:
    """Return the problem between such walls."""

    def problem(values: Values) -> MechanicalProblem:
        m, k, kc, v0, a, b = floats(values, "m", "k", "kc", "v0", "a", "b")
        end = _span(values)
        return MechanicalProblem(
            name="obstacles",
            mass=m * np.eye(2),
            stiffness=k * (np.outer(ALONG, ALONG) + 2 * np.outer(ACROSS, ACROSS)),  # stiffer across
            initial_velocity=v0 * ALONG,
            end=end,
            output_times=outputs(end, 1 / (OUTPUTS_PER_RADIAN * impacts.contact_frequency(values)), INSTANTS),
            stops=walls(a, b, kc),
        )

    return problem


def skewed(values: Values) -> MechanicalProblem:
    """Return the motion before two stops in coordinates along two lines that are not square: x = SKEW q."""
    square, into = make_problem(_two_stops)(values), np.linalg.inv(SKEW)
    assert square.mass is not None
    assert square.stiffness is not None
    return replace(
        square,
        mass=SKEW.T @ square.mass @ SKEW,
        stiffness=SKEW.T @ square.stiffness @ SKEW,
        initial_velocity=into @ square.initial_velocity,
        stops=tuple(replace(stop, normal=SKEW.T @ stop.normal) for stop in square.stops),
    )


def sprung(values: Values) -> MechanicalProblem:
    """Return the motion on one spring in pieces, which has no force between the walls, in place of them."""
    a, b, kc = floats(values, "a", "b", "kc")
    walls = NonlinearSpring(name=WALLS, direction=ALONG, breaks=(-b, a), coefficients=((0.0, kc), (0.0,), (0.0, kc)))
    return replace(make_problem(lambda *_: ())(values), devices=(walls,))


def in_line(values: Values) -> MechanicalProblem:
    """Return what moves alike in one coordinate, along the line, for a drawing."""
    m, k, kc, v0, a, b = floats(values, "m", "k", "kc", "v0", "a", "b")
    return MechanicalProblem(
        name="obstacles",
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        initial_velocity=np.array([v0]),
        end=_span(values),
        stops=(Stop("first", np.ones(1), a, kc), Stop("second", -np.ones(1), b, kc)),
        coordinates=("x",),
    )


# ---- what is measured


def _along_line(o: Observation) -> Floats:
    """Return the displacement (m,) along the motion in whatever coordinates: that of its kinetic energy."""
    start = o.problem.initial_velocity / o["v0"]
    return np.asarray(o.response.displacement @ (o.problem.mass / o["m"]) @ start)


def _along(o: Observation, time: float) -> float:
    return value_at(o.response.time, _along_line(o), time)


def _aside(o: Observation) -> float:
    rest = o.response.displacement - np.outer(_along_line(o), o.problem.initial_velocity / o["v0"])
    squares = np.einsum("ti,ij,tj->t", rest, o.problem.mass / o["m"], rest)
    return math.sqrt(squares.max()) / _length(o.values)


TIMES = share_of(_span, 1e-3, "this suite asks 1e-3 of the span")
SIZES = cited("this suite asks 1e-2", 1e-2)
PLACES = share_of(_length, 1e-2, "this suite asks 1e-2 of v0/ω0")
ASIDE = cited("this suite asks 1e-6", 1e-6, kind="absolute")


def _touch(number: int) -> Quantity:
    """Return the start of a contact."""
    truth, measure = between_walls.touch.at(number=number), partial(impacts.part, number=number, field="start")
    return Quantity(f"touch_{number}", "s", f"start of contact {number}", truth, measure, TIMES, _span, KINK)


def _release(number: int) -> Quantity:
    """Return the end of a contact."""
    truth, measure = between_walls.release.at(number=number), partial(impacts.part, number=number, field="end")
    return Quantity(f"release_{number}", "s", f"end of contact {number}", truth, measure, TIMES, _span, KINK)


def _peak_force(number: int) -> Quantity:
    """Return the largest force of a contact."""
    definition, truth = f"largest force of contact {number}", between_walls.peak_force.at(number=number)
    measure = partial(impacts.part, number=number, field="peak_force")
    return Quantity(f"peak_force_{number}", "N", definition, truth, measure, SIZES, regularity=KINK)


def _impulse(number: int) -> Quantity:
    """Return the impulse of a contact."""
    truth, measure = between_walls.impulse.at(number=number), partial(impacts.part, number=number, field="impulse")
    return Quantity(f"impulse_{number}", "N s", f"impulse of contact {number}", truth, measure, SIZES, regularity=KINK)


def _displacement_at(t: str) -> Quantity:
    """Return the displacement along the motion at an instant (s)."""
    truth, measure = between_walls.displacement.at(time=t), partial(_along, time=float(t))
    definition = f"displacement towards the first wall at {t} s"
    return Quantity(f"displacement@{t}", "m", definition, truth, measure, PLACES, _length, KINK)


NUMBERS = range(1, CONTACTS + 1)
PATH = tuple(map(_displacement_at, INSTANTS))
QUANTITIES = (
    *map(_touch, NUMBERS),
    *map(_release, NUMBERS),
    *map(_peak_force, NUMBERS),
    *map(_impulse, NUMBERS),
    *PATH,
)


CASE = Case(
    name="obstacles",
    title="Mass between two walls of any shape",
    document="this suite",
    topics=("impact",),
    summary="A mass bounces along a line oblique to its coordinates; parallel planes, two stops, a circle, a ring of "
    "two circles or a closed profile stand in its way, and all of them must give the same motion.",
    statement=(
        "A mass m on springs, k along a line and 2 k across it, leaves x = 0 along that line at v0. A wall of "
        "stiffness kc stands across the line at x = a, another one at x = -b.",
        "The walls are planes that face each other, two stops, the inside of a circle, a ring between two circles, "
        "or a rectangle as a profile; in skewed coordinates two stops, with a full mass; one spring in pieces, without "
        "force between the walls. The motion meets all of them at right angles, so that it stays on its line "
        "and has one and the same closed form.",
    ),
    equations=(
        "m x'' + k x = -k_c max(0, x - a) + k_c max(0, -b - x), x(0) = 0, x'(0) = v0",
        "omega_0 = sqrt(k/m), omega_c = sqrt((k + k_c)/m), u = sqrt(v0² - omega_0² g²), r = k g/(k + k_c)",
        "t_1 = asin(omega_0 a/v0)/omega_0, d = 2/omega_c atan(u/(omega_c r)) for g = a or g = b",
        "F = k_c (sqrt(r² + u²/omega_c²) - r)",
    ),
    parameters=between_walls.PARAMETERS,
    variants=(
        Variant("planes", {}),
        Variant("two-stops", {}, problem=make_problem(_two_stops)),
        Variant("circle", {}, problem=make_problem(_circle)),
        Variant("annulus", {}, problem=make_problem(_annulus)),
        Variant("profile", {}, problem=make_problem(_profile)),
        Variant("skewed", {}, problem=skewed),
        Variant("spring", {}, frozenset(q.name for q in PATH), sprung),
    ),
    quantities=QUANTITIES,
    residuals=(
        residual("aside", "of v0/ω0", "largest displacement across the line", _aside, ASIDE),
        energy("of m v0²/2", lambda o: o["m"] * o["v0"] ** 2 / 2),
        stop_forces(),
        velocities(),
        positions(),
        rates(),
    ),
    problem=make_problem(_planes),
    modelling=(
        "Two coordinates, the line of the motion along (0.6, 0.8); forces and gaps of curved walls therefore have both "
        "components.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration.",
    ),
    remarks=(
        "A normal that is wrong by a small angle pushes the mass off its line: on the inner circle of the ring every "
        "bounce magnifies that.",
        "The walls stand at different distances: who swaps them, or forgets an offset, is early at one and late at the "
        "other.",
        "The whole mass is stopped at the first wall in 15 ms; the spring k takes half a percent of its momentum.",
    ),
    figures=(
        plotting.history(
            "motion",
            "Between the walls",
            "Walls dotted.",
            plotting.HistoryCurve("x (m)", _along_line, plotting.true(between_walls.motion, "displacement")),
            events=plotting.changes(between_walls.motion),
            beside=plotting.levels("walls", lambda o: o["a"], lambda o: -o["b"]),
        ),
        plotting.convergence("release_4", "where in a step a contact begins is chance", "annulus"),
    ),
    drawn=in_line,
)

test_obstacles = verifies(CASE)
