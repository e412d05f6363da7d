"""Obstacles: one motion between two walls, whatever shape stands there: planes, stops, circles, a closed profile."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import mpmath
import numpy as np

from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Geometry, Stop
from veridyn.problem.exact_fields import exact_field
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.references.certified import Certified, Kind
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Criterion,
    Floats,
    Observation,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impacts, plotting
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import outputs, share_of, size

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("k", "N/m", "stiffness of the spring", "200"),
    Parameter("kc", "N/m", "stiffness of both walls", "2e4"),
    Parameter("v0", "m/s", "velocity at the start, towards the first wall", "1"),
    Parameter("a", "m", "distance of the first wall", "0.05"),
    Parameter("b", "m", "distance of the second wall", "0.03"),
)
SLOW = "the mass is too slow to reach this wall"
REQUIRED = tuple(Requirement(f"m*v0**2 > k*{gap}**2", SLOW) for gap in ("a", "b"))
TWICE_SKEW = np.array([[2, 1], [0, 2]])  # columns: the lines of skewed coordinates, twice as long
WALLS = "walls"
# the line of the motion, oblique to the coordinates, and the one across: five times their unit vectors
ALONG, ACROSS = np.array([3, 4]), np.array([-4, 3])
TOWARDS = ALONG / 5
CONTACTS = 4
CLOSED: Kind = "closed form"
PUSH, PLACE = f"push_{WALLS}", "3/5*x1 + 4/5*x2"
INSTANTS = ("0.07", "0.18", "0.4")  # in contact with the first wall, with the second one, and in the second cycle
OUTPUTS_PER_RADIAN = 20  # of the frequency in contact
KINK = 2.0  # regularity: the force of a wall has a kink
_length = size("v0*sqrt(m/k)")  # amplitude v0/ω0 (m) of the mass without walls


def _last(values: Values) -> Any:
    """Return an instant (s) by which a mass that meets both walls has left them as often as is asked for.

    A wall shortens the half swings that the spring alone would give: pi sqrt(m/k) each.
    """
    m, k = numbers(values, "m", "k")
    return 4 * CONTACTS * sqrt(m / k) + 1


def _span(values: Values) -> float:
    """End of the problem (s): a tenth after the last contact or instant that is looked at."""
    last = float(RELEASES[-1].compute(values, 15))
    return round(1.1 * max(last, *map(float, INSTANTS)), 6)


# ---- the walls


def _planes(a: Any, b: Any, kc: Any) -> tuple[Stop, ...]:
    return (Stop(WALLS, TOWARDS, (a + b) / 2, kc, offset=(b - a) / 2, geometry="parallel planes"),)


def _two_stops(a: Any, b: Any, kc: Any) -> tuple[Stop, ...]:
    return Stop("first", TOWARDS, a, kc), Stop("second", -TOWARDS, b, kc)


def _round(name: str, geometry: Geometry, radius: Any, kc: Any, centre: Any) -> Stop:
    """Return a circle whose centre lies on the line of the motion."""
    x, y = np.eye(2)
    away = [-centre * along / 5 for along in ALONG.tolist()]
    return Stop(name, x, radius, kc, geometry=geometry, lateral=y, offset=away[0], lateral_offset=away[1])


def _circle(a: Any, b: Any, kc: Any) -> tuple[Stop, ...]:
    return (_round("circle", "circle", (a + b) / 2, kc, (a - b) / 2),)


def _annulus(a: Any, b: Any, kc: Any) -> tuple[Stop, ...]:
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


def state(values: Values, walls: Callable[[Any, Any, Any], tuple[Stop, ...]]) -> MechanicalProblem:
    """Return the problem between such walls until a mass that meets both has left them as often as is asked for."""
    m, k, kc, v0, a, b = numbers(values, "m", "k", "kc", "v0", "a", "b")
    return MechanicalProblem(
        name="obstacles",
        mass=m * np.eye(2, dtype=int),
        stiffness=k * (np.outer(ALONG, ALONG) + 2 * np.outer(ACROSS, ACROSS)) / 25,  # stiffer across
        initial_velocity=v0 * ALONG / 5,
        end=_last(values),
        stops=walls(a, b, kc),
    )


def skewed(values: Values) -> MechanicalProblem:
    """Return the motion before two stops in coordinates q along two lines that are not square: 2 x = TWICE_SKEW q."""
    square, twice = state(values, _two_stops), TWICE_SKEW
    mass, stiffness, velocity = (exact_field(square, name) for name in ("mass", "stiffness", "initial_velocity"))
    return replace(
        square,
        mass=twice.T @ mass @ twice / 4,
        stiffness=twice.T @ stiffness @ twice / 4,
        initial_velocity=np.array([[2, -1], [0, 2]]) @ velocity / 2,  # the inverse
        stops=tuple(replace(stop, normal=twice.T @ stop.normal / 2) for stop in square.stops),
    )


def sprung(values: Values) -> MechanicalProblem:
    """Return the motion on one spring in pieces, which has no force between the walls, in place of them."""
    a, b, kc = numbers(values, "a", "b", "kc")
    walls = NonlinearSpring(name=WALLS, direction=TOWARDS, breaks=(-b, a), coefficients=((0, kc), (0,), (0, kc)))
    return replace(state(values, lambda *_: ()), devices=(walls,))


MOTION = make_quantities(partial(state, walls=_planes), PARAMETERS, record=restrict(*REQUIRED))


def watch(values: Values) -> Floats:
    """Return the instants (s) of the requested output, up to the last release."""
    end, spacing = _span(values), 1 / (OUTPUTS_PER_RADIAN * impacts.contact_frequency(values))
    return outputs(end, spacing, INSTANTS)


def between(walls: Callable[[Any, Any, Any], tuple[Stop, ...]]) -> Watched:
    """Return the problem between such walls."""
    return Watched(partial(state, walls=walls), watch)


# ---- the second route: two flights and two contacts, for ever the same


class Wall(NamedTuple):
    """What one wall does: quarter flight before it (s), contact (s), largest force (N), impulse (N s)."""

    flight: Any
    contact: Any
    force: Any
    impulse: Any


def wall(p: Any, number: int) -> Wall:
    """Return what the wall of a contact does, counted from 1."""
    m, k, kc, v0, g = p.m, p.k, p.kc, p.v0, p.a if number % 2 else p.b
    w0, wc, r = mpmath.sqrt(k / m), mpmath.sqrt((k + kc) / m), g * k / (k + kc)
    u = mpmath.sqrt(v0**2 - w0**2 * g**2)
    half, R = mpmath.atan2(u, wc * r) / wc, mpmath.hypot(r, u / wc)
    # the spring takes its share of the change of momentum: k times the integral of (g - r) + R cos(ωc t)
    return Wall(mpmath.asin(w0 * g / v0) / w0, 2 * half, kc * (R - r), 2 * (m * u - k * ((g - r) * half + u / wc**2)))


def begins(p: Any, number: int) -> Any:
    """Return the touch of a contact (s): every contact before it had a quarter flight on both sides."""
    before = (2 * each.flight + each.contact for each in (wall(p, n) for n in range(1, number)))
    return mpmath.fsum(before) + wall(p, number).flight


def ends(p: Any, number: int) -> Any:
    """Return the release of a contact (s)."""
    return begins(p, number) + wall(p, number).contact


def place(p: Any, time: str) -> Any:
    """Return the displacement from that of the piece of the cycle around an instant."""
    rest, number = mpmath.mpf(time), 1
    while rest > 2 * (here := wall(p, number)).flight + here.contact:
        rest, number = rest - 2 * here.flight - here.contact, number + 1
    both, (gap, side) = p.k + p.kc, ((p.a, 1) if number % 2 else (p.b, -1))
    half, late = here.contact / 2, abs(rest - here.flight - here.contact / 2)  # before or after the turning point
    if late > half:
        omega = mpmath.sqrt(p.k / p.m)
        return side * p.v0 / omega * mpmath.sin(omega * (here.flight + half - late))
    R = here.force / p.kc + gap * p.k / both
    return side * (gap * p.kc / both + R * mpmath.cos(mpmath.sqrt(both / p.m) * late))


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


def on_wall(number: int) -> tuple[tuple[str, int], tuple[str, int]]:
    """Return the events with which a contact begins and ends: odd ones are those of the first wall."""
    side, count = "above" if number % 2 else "below", (number + 1) // 2
    return (f"{WALLS}_{side}_closes", count), (f"{WALLS}_{side}_opens", count)


def touch(number: int) -> Reference[Certified]:
    """Return the instant at which a contact begins (s), counted from 1."""
    how = "sum of the flights and contacts before it, arcs of sines"
    return MOTION.event(*on_wall(number)[0], second=partial(begins, number=number), how=how, kind=CLOSED)


def release(number: int) -> Reference[Certified]:
    """Return the instant at which it ends (s)."""
    how = "instant of the touch and the duration of the contact, an arc of a sine"
    return MOTION.event(*on_wall(number)[1], second=partial(ends, number=number), how=how, kind=CLOSED)


def peak_force(number: int) -> Reference[Certified]:
    """Return its largest force (N)."""
    how = "stiffness of the wall times the depth, by the amplitude of the arc in contact"
    return MOTION.largest(PUSH, *on_wall(number), second=lambda p: wall(p, number).force, how=how, kind=CLOSED)


def impulse(number: int) -> Reference[Certified]:
    """Return its impulse (N s)."""
    how = "twice the momentum at the touch less the impulse of the spring"
    return MOTION.integral(PUSH, *on_wall(number), second=lambda p: wall(p, number).impulse, how=how, kind=CLOSED)


def displacement(time: str) -> Reference[Certified]:
    """Return the displacement towards the first wall at an instant (m)."""
    how = "arcs of sines in flight and contact, mirrored at the turning points"
    return MOTION.value(PLACE, time, second=partial(place, time=time), how=how, kind=CLOSED)


RELEASES = tuple(map(release, range(1, CONTACTS + 1)))


class Part(NamedTuple):
    """A number of every contact: name, unit, what it is, the field of a measured contact, truth, criterion, scale."""

    name: str
    unit: str
    what: str
    field: str
    truth: Callable[[int], Reference[Certified]]
    criterion: Criterion
    scale: Callable[[Values], float] | None = None

    def of_contact(self, n: int) -> Quantity:
        """Return the number of one contact, counted from 1."""
        name, definition = f"{self.name}_{n}", f"{self.what} of contact {n}"
        measure = partial(impacts.part, number=n, field=self.field)
        return Quantity(name, self.unit, definition, self.truth(n), measure, self.criterion, self.scale, KINK)


def _displacement_at(t: str) -> Quantity:
    """Return the displacement along the motion at an instant (s)."""
    definition, measure = f"displacement towards the first wall at {t} s", partial(_along, time=float(t))
    return Quantity(f"displacement@{t}", "m", definition, displacement(t), measure, PLACES, _length, KINK)


NUMBERS = range(1, CONTACTS + 1)
PATH = tuple(map(_displacement_at, INSTANTS))
PARTS = (
    Part("touch", "s", "start", "start", touch, TIMES, _span),
    Part("release", "s", "end", "end", release, TIMES, _span),
    Part("peak_force", "N", "largest force", "peak_force", peak_force, SIZES),
    Part("impulse", "N s", "impulse", "impulse", impulse, SIZES),
)
QUANTITIES = (*(part.of_contact(n) for part in PARTS for n in NUMBERS), *PATH)
HISTORY = MOTION.history(displacement=PLACE)


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
    sketch=draw.sketch(
        draw.turned((*draw.dashed((-1.6, 0), (2.0, 0)), *draw.box((0, 0), 0.7, 0.7)), 30.0),
        draw.turned((*draw.spring((2.0, 0), (3.6, 0)), *draw.spring((-1.6, 0), (-3.2, 0))), 30.0),
        draw.turned((*draw.edge((2.0, -1.2), (2.0, 1.2)), *draw.edge((-1.6, -1.2), (-1.6, 1.2))), 30.0),
        draw.turned((*draw.ground((3.6, -0.8), (3.6, 0.8)), *draw.ground((-3.2, 0.8), (-3.2, -0.8))), 30.0),
        draw.turned(draw.arrow((0.4, 0.0), (1.3, 0.0)), 30.0),
        *(draw.words(at, name) for at, name in (((0, 0), "m"), ((0.85, 0.95), "v0"), ((2.8, 1.05), "kc"))),
        draw.axes((-3.4, 1.0), 0.9, 0.9, ("x1", "x2")),
        draw.words((2.4, -1.7), "walls: planes, circles, profiles"),
    ),
    shown=ShownMotion(curves=("x1", "x2")),
    equations=(
        "m x'' + k x = -k_c max(0, x - a) + k_c max(0, -b - x), x(0) = 0, x'(0) = v0",
        "omega_0 = sqrt(k/m), omega_c = sqrt((k + k_c)/m), u = sqrt(v0² - omega_0² g²), r = k g/(k + k_c)",
        "t_1 = asin(omega_0 a/v0)/omega_0, d = 2/omega_c atan(u/(omega_c r)) for g = a or g = b",
        "F = k_c (sqrt(r² + u²/omega_c²) - r)",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("planes", {}),
        Variant("two-stops", {}, problem=between(_two_stops)),
        Variant("circle", {}, problem=between(_circle)),
        Variant("annulus", {}, problem=between(_annulus)),
        Variant("profile", {}, problem=between(_profile)),
        Variant("skewed", {}, problem=Watched(skewed, watch)),
        Variant("spring", {}, frozenset(q.name for q in PATH), Watched(sprung, watch)),
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
    problem=between(_planes),
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
            plotting.HistoryCurve("x (m)", _along_line, plotting.true(HISTORY, "displacement")),
            events=plotting.changes(HISTORY),
            beside=plotting.levels("walls", lambda o: o["a"], lambda o: -o["b"]),
        ),
        plotting.convergence("release_4", "where in a step a contact begins is chance", "annulus"),
    ),
)

test_obstacles = verifies(CASE)
