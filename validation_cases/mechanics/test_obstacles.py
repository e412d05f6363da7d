"""Obstacles: one motion between two walls, whatever shape stands there: planes, stops, circles, a closed profile."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import between_walls
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.balance import section
from veridyn.solver.postprocessing.impacts import Impact, interpolated_impacts, located_impacts
from veridyn.solver.problem.elements import Stop
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant, floats, once
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited
from veridyn.validation_cases.measures import plotting, quantities
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, stop_forces, velocities
from veridyn.validation_cases.measures.quantities import at_instants, numbered, share_of

Floats = NDArray[np.float64]

ALONG, ACROSS = np.array([0.6, 0.8]), np.array([-0.8, 0.6])  # the line of the motion, oblique to the coordinates
CONTACTS = 4
INSTANTS = ("0.07", "0.18", "0.4")  # in contact with the first wall, with the second one, and in the second cycle
OUTPUTS_PER_RADIAN = 20  # of the frequency in contact
KINK = 2.0  # regularity: the force of a wall has a kink
SUITE = "this suite asks"


def _length(values: Values) -> float:
    """Amplitude v0/ω0 (m) of the mass without walls."""
    m, k, v0 = floats(values, "m", "k", "v0")
    return v0 * math.sqrt(m / k)


def _span(values: Values) -> float:
    """End of the problem (s): that of the last contact that is looked at, and a tenth more."""
    return round(1.1 * float(between_walls.release(number=CONTACTS, digits=15, **values)), 6)


def _force(values: Values) -> float:
    """Force scale v0 sqrt(kc m) (N)."""
    m, kc, v0 = floats(values, "m", "kc", "v0")
    return v0 * math.sqrt(kc * m)


def _momentum(values: Values) -> float:
    m, v0 = floats(values, "m", "v0")
    return m * v0


# ---- the walls


def _planes(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    return (Stop("walls", ALONG, (a + b) / 2, kc, offset=(b - a) / 2, geometry="parallel planes"),)


def _two_stops(a: float, b: float, kc: float) -> tuple[Stop, ...]:
    return Stop("first", ALONG, a, kc), Stop("second", -ALONG, b, kc)


def _round(name: str, geometry: str, radius: float, kc: float, centre: float) -> Stop:
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


def posed(walls: Callable[[float, float, float], tuple[Stop, ...]]) -> Callable[[Values], MechanicalProblem]:
    """Return the problem between such walls."""

    def problem(values: Values) -> MechanicalProblem:
        m, k, kc, v0, a, b = floats(values, "m", "k", "kc", "v0", "a", "b")
        end = _span(values)
        return MechanicalProblem(
            name="obstacles",
            mass=m * np.eye(2),
            stiffness=k * (np.outer(ALONG, ALONG) + 2 * np.outer(ACROSS, ACROSS)),  # stiffer across
            initial_displacement=np.zeros(2),
            initial_velocity=v0 * ALONG,
            end=end,
            output_times=quantities.outputs(end, 1 / (OUTPUTS_PER_RADIAN * math.sqrt((k + kc) / m)), INSTANTS),
            stops=walls(a, b, kc),
        )

    return problem


ASIDE = cited(f"{SUITE} 1e-6", 1e-6, kind="absolute")


# ---- what is measured


@once
def impacts(o: Observation) -> list[Impact]:
    """Impacts on all stops in order, at the events that the solver reports, or located between the samples."""
    return sorted((impact for stop in o.problem.stops for impact in _of_stop(o, stop)), key=lambda i: i.start)


def _of_stop(o: Observation, stop: Stop) -> list[Impact]:
    response = o.response
    gap, cosine, sine = section(o.problem, response, stop)
    if stop.name not in response.events:
        return interpolated_impacts(response.time, gap, stop.stiffness)
    turned = np.column_stack((cosine, sine))
    rate = sum(part * (response.velocity @ d) for part, d in zip(turned.T, stop.directions, strict=False))
    return located_impacts(response.time, gap, np.asarray(rate), response.events[stop.name], stop.stiffness)


def impact(field: str, o: Observation, number: int) -> float:
    """Return a field of an impact, counted from 1; raises SolverFailure if the response has fewer."""
    if len(impacts(o)) < number:
        raise SolverFailure(f"the response shows {len(impacts(o))} complete impacts, {number} are needed")
    return float(getattr(impacts(o)[number - 1], field))


def _along(o: Observation, time: float) -> float:
    return float(ALONG @ [quantities.displacement(o, time, place) for place in (0, 1)])


def _aside(o: Observation) -> float:
    return float(np.abs(o.response.displacement @ ACROSS).max()) / _length(o.values)


def _of_contacts(
    name: str, unit: str, text: str, field: str, size: Callable[[Values], float], asked: Tolerance | Callable
) -> tuple[Quantity, ...]:
    reference = getattr(between_walls, name)
    one = Quantity(name, unit, text, reference, partial(impact, field), asked, size, KINK)
    return numbered(one, range(1, CONTACTS + 1))


QUANTITIES = (
    *_of_contacts(
        "touch", "s", "start of contact {number}", "start", _span, share_of(_span, 1e-3, f"{SUITE} 1e-3 of the span")
    ),
    *_of_contacts(
        "release", "s", "end of contact {number}", "end", _span, share_of(_span, 1e-3, f"{SUITE} 1e-3 of the span")
    ),
    *_of_contacts(
        "peak_force", "N", "largest force of contact {number}", "peak_force", _force, cited(f"{SUITE} 1e-2", 1e-2)
    ),
    *_of_contacts("impulse", "N s", "impulse of contact {number}", "impulse", _momentum, cited(f"{SUITE} 1e-2", 1e-2)),
    *at_instants(
        Quantity(
            "displacement",
            "m",
            "displacement towards the first wall",
            between_walls.displacement,
            _along,
            share_of(_length, 1e-2, f"{SUITE} 1e-2 of v0/ω0"),
            _length,
            KINK,
        ),
        INSTANTS,
    ),
)


def _kinetic(o: Observation) -> float:
    return o["m"] * o["v0"] ** 2 / 2


CASE = Case(
    name="obstacles",
    title="Mass between two walls of any shape",
    document="this suite",
    summary="A mass bounces along a line oblique to its coordinates; parallel planes, two stops, a circle, a ring of "
    "two circles or a closed profile stand in its way, and all of them must give the same motion.",
    statement=(
        "A mass m on springs, k along a line and 2 k across it, leaves x = 0 along that line at v0. A wall of "
        "stiffness kc stands across the line at x = a, another one at x = -b.",
        "The walls are planes that face each other, two stops, the inside of a circle, a ring between two circles, "
        "or a rectangle as a profile. The motion meets all of them at right angles, so that it stays on its line and has "
        "one and the same closed form.",
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
        Variant("two-stops", {}, problem=posed(_two_stops)),
        Variant("circle", {}, problem=posed(_circle)),
        Variant("annulus", {}, problem=posed(_annulus)),
        Variant("profile", {}, problem=posed(_profile)),
    ),
    quantities=QUANTITIES,
    residuals=(
        residual("aside", "of v0/ω0", "largest displacement across the line", _aside, ASIDE),
        energy("of m v0²/2", _kinetic, cited(f"{SUITE} 1e-2", 1e-2, kind="absolute")),
        stop_forces(),
        velocities(),
        positions(),
        rates(),
    ),
    problem=posed(_planes),
    modelling=(
        "Two coordinates, the line of the motion along (0.6, 0.8); forces and gaps of curved walls therefore have both "
        "components.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration.",
    ),
    published=(),
    remarks=(
        "A normal that is wrong by a small angle pushes the mass off its line: on the inner circle of the ring every "
        "bounce magnifies that.",
        "The walls stand at different distances: who swaps them, or forgets an offset, is early at one and late at the "
        "other.",
        "The whole mass is stopped at the first wall in 15 ms; the spring k takes half a percent of its momentum.",
    ),
    figures=(
        plotting.convergence("release_4", "where in a step a contact begins is chance"),
        plotting.convergence("release_4", "where in a step a contact begins is chance", "annulus"),
    ),
    benchmark_variant="planes",
)

test_obstacles = verifies(CASE)
