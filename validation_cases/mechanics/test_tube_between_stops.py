"""Tube in cross-flow between two stops: negative damping drives it, friction on the stops holds it, and wears it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from veridyn.problem.devices import Device, NonlinearSpring
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.references.certified import Certified
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter
from veridyn.references.reference import Reference
from veridyn.references.second_routes.tube_cycle import HalfCycle, closed_cycle
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.validation_cases.judgement import sketching as draw
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Quantity,
    Values,
    Variant,
    numbers,
    read_once,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impacts
from veridyn.validation_cases.measures.consistency import energy, stop_forces, velocities
from veridyn.validation_cases.measures.motions import Quantities, where_known
from veridyn.validation_cases.measures.quantities import displacement_at

ACROSS, ALONG = 4, 3  # the stops: the line on which the tube moves is five times a unit vector
LINE = np.array([ACROSS, ALONG])
NORMAL, TANGENT = ACROSS / 5, ALONG / 5
PARAMETERS = (
    Parameter("m", "kg", "modal mass", "1"),
    Parameter("w", "rad/s", "circular frequency of the tube in the flow", "100"),
    Parameter("zeta", "1", "damping ratio that the flow leaves, below zero by this", "0.01"),
    Parameter("kc", "N/m", "stiffness of a stop", "1e6"),
    Parameter("g", "m", "gap on either side", "1e-3"),
    Parameter("mu", "1", "friction on the stops", "0.3"),
    Parameter("v0", "m/s", "velocity at the start, in the middle between the stops", "0.12"),
)
STOPS, RUB = "stops", "rub"
PUSH = f"push_{STOPS}"
END = 0.3  # s, six periods
INSTANTS = ("0.08", "0.17", "0.3")
ASKED, COUNTED = (("left", 1), ("right", 1), ("left", 2), ("right", 3)), 8  # contacts; those of four periods
SPACING = 1e-4  # s, of the output
REACH = f"g/{NORMAL}"  # m, the way to a stop


# ---- the tube, for solvers and for its proof


def tube(values: Values, place: Any, speed: Any, devices: tuple[Device, ...] = ()) -> MechanicalProblem:
    """Return the tube by its mode, from a place (m) and with a speed (m/s) along its line."""
    m, w, zeta, kc, g, mu = numbers(values, "m", "w", "zeta", "kc", "g", "mu")
    across, along = np.eye(2)
    return MechanicalProblem(
        name="tube_between_stops",
        modes=Modes(omega=np.array([w]), damping=np.array([-zeta]), masses=np.array([m]), shapes=LINE[:, None] / 5),
        initial_displacement=place * LINE / 5,
        initial_velocity=speed * LINE / 5,
        end=END,
        stops=(Stop(STOPS, across, g, kc, geometry="parallel planes"),),
        frictions=(Friction(RUB, (along,), STOPS, mu, mu),),
        devices=devices,
        coordinates=("y", "z"),
    )


def begun(values: Values) -> MechanicalProblem:
    """Return the tube that begins with v0, in the middle between the stops."""
    return tube(values, 0, *numbers(values, "v0"))


def turned(values: Values) -> MechanicalProblem:
    """Return the tube from a turn on the right on, r times as far as the stop; a law without force marks the middle."""
    r, g = numbers(values, "r", "g")
    mark = NonlinearSpring(name="middle", direction=np.eye(2)[0], breaks=(0,), coefficients=((0,), (0,)))
    return tube(values, r * g * 5 / ACROSS, 0, (mark,))


MOTION = make_quantities(begun, PARAMETERS)
# half a cycle mirrors it; from the turn on the right, sliding rests next at that on the left
TURN = (f"{RUB}_rests", 1)
TOUCH, RELEASE, MIDDLE = (f"{STOPS}_below_closes", 1), (f"{STOPS}_above_opens", 1), ("middle_falls_1", 1)
MIRRORED = sympy.Symbol("q_1") * ACROSS / 5 + sympy.Symbol("r") * sympy.Symbol("g")
CYCLE = make_quantities(turned, (*PARAMETERS, Parameter("r", "1", "reach of the cycle, of the gap", "1.05"))).where(
    "r", MIRRORED, at=TURN
)


# ---- the cycle


HOW = "closed phases in mpmath, and a secant for the reach"


def cycled(name: str, read: Callable[[Any], Any], second: Callable[[HalfCycle], Any]) -> Reference[Certified]:
    """Return what a function makes of half the cycle, with its second route."""

    def close(p: Any) -> Any:
        return second(closed_cycle(p.m, p.w, p.zeta, p.kc, p.g, p.mu))

    return CYCLE.combine(name, read, HALF, second=close, how=HOW)


HALF = {
    "release": CYCLE.event(*RELEASE),
    "touch": CYCLE.event(*TOUCH),
    "turn": CYCLE.event(*TURN),
    "speed": CYCLE.value("-v_q_1", MIDDLE),
    "arrival": CYCLE.value("-v_y", TOUCH),
    "mirrored": CYCLE.value("-q_1", TURN),
    "push": CYCLE.value(PUSH, TURN, before=True),
}
MIDDLE_SPEED = cycled("speed", lambda half: half.speed, lambda half: half.speed)


# ---- what solvers are given


def outputs(_: Values) -> Floats:
    """Return the instants (s) of the requested output."""
    even = np.linspace(0.0, END, round(END / SPACING) + 1)
    return np.union1d(even, [float(t) for t in INSTANTS])


def on_the_cycle(values: Values) -> MechanicalProblem:
    """Return the tube that begins on its limit cycle."""
    return tube(values, 0, float(MIDDLE_SPEED.compute(values)))


# ---- what is measured


@read_once
def _seen(o: Observation) -> list[Impact]:
    """Return the complete contacts; where a solver reports the turns in friction, its samples hold the largest force.

    A spline would be drawn through the turn, where the acceleration jumps.
    """
    result = impacts.impacts(o)
    if "rub" not in o.response.events:
        return result
    time, depth = o.response.time, np.abs(o.response.displacement[:, 0]) - o["g"]
    inside = [depth[(time >= contact.start) & (time <= contact.end)] for contact in result]
    return [replace(each, peak_force=o["kc"] * float(deep.max())) for each, deep in zip(result, inside, strict=True)]


def _contacts(o: Observation, fewest: int) -> list[Impact]:
    result = _seen(o)
    if len(result) < fewest:
        raise SolverFailure(f"the response shows {len(result)} complete contacts, {fewest} are needed")
    return result


def _on(o: Observation, side: str, number: int) -> Impact:
    """Return a contact on one side, counted from 1."""
    sign = 1 if side == "right" else -1
    there = [each for each in _seen(o) if sign * displacement_at(o, (each.start + each.end) / 2) > 0]
    if len(there) < number:
        raise SolverFailure(f"the response shows {len(there)} complete contacts on the {side}, {number} are needed")
    return there[number - 1]


def _of_contact(o: Observation, field: str, side: str, number: int) -> float:
    return float(getattr(_on(o, side, number), field))


def _rubbed(o: Observation, contacts: Iterable[Impact]) -> float:
    """Return ∫ F_n |v_t| dt (J) over contacts: in and out the tube slides as it presses, F_n along (T/N) F_n/k_c."""
    return TANGENT / NORMAL / o["kc"] * sum(contact.peak_force**2 for contact in contacts)


def _rubbed_at_last(o: Observation) -> float:
    """Return ∫ F_n |v_t| dt (J) over a contact that the end of the response cuts: in to the deepest place, and out."""
    time, depth = o.response.time, np.abs(o.response.displacement[:, 0]) - o["g"]
    begun = depth[time > _contacts(o, 1)[-1].end]
    if not begun.size or begun[-1] <= 0:
        return 0.0
    return float(TANGENT / NORMAL * o["kc"] * (begun.max() ** 2 - begun[-1] ** 2 / 2))


def _wear_power(o: Observation) -> float:
    return (_rubbed(o, _contacts(o, 1)) + _rubbed_at_last(o)) / END


def _window(o: Observation) -> float:
    result = _contacts(o, COUNTED + 1)
    return result[COUNTED].start - result[0].start


def _reach(o: Observation) -> float:
    return (o["g"] + _contacts(o, COUNTED)[COUNTED - 1].peak_force / o["kc"]) / NORMAL


def _arrival(o: Observation) -> float:
    return -_contacts(o, COUNTED)[COUNTED - 1].velocity


def _share(o: Observation) -> float:
    return sum(contact.duration for contact in _contacts(o, COUNTED)[:COUNTED]) / _window(o)


def _wear_power_of_cycle(o: Observation) -> float:
    return _rubbed(o, _contacts(o, COUNTED)[:COUNTED]) / _window(o)


# ---- what is asked


shares = Quantities(MOTION, 1e-2, "this suite asks 1e-2")
places = Quantities(MOTION, 1e-2, "this suite asks 1e-2 of the way to a stop")
times = Quantities(MOTION, 1e-3, "this suite asks 1e-3 of the span")


def _asked(side: str, number: int) -> tuple[Quantity, Quantity]:
    """Return instant of the touch and largest force of a contact."""
    plane, contact = "above" if side == "right" else "below", f"contact {number} on the {side}"
    touches, opens = ((f"{STOPS}_{plane}_{event}", number) for event in ("closes", "opens"))
    touch, force = MOTION.event(*touches), MOTION.largest(PUSH, touches, opens)
    start, peak = (partial(_of_contact, field=f, side=side, number=number) for f in ("start", "peak_force"))
    return (
        times.quantity(f"touch_{side}_{number}", "s", f"instant of {contact}", touch, start, scale=str(END)),
        shares.quantity(f"peak_force_{side}_{number}", "N", f"largest normal force of {contact}", force, peak),
    )


def _displacement(time: str) -> Quantity:
    truth, words = MOTION.value("y", time), f"displacement across the stops at {time} s"
    return places.quantity(f"y@{time}", "m", words, truth, partial(displacement_at, time=float(time)), scale=REACH)


WORK = MOTION.integral(f"power_{RUB}")
WEAR = MOTION.combine("wear power", lambda p: p.work / p.mu * 10 / 3, {"work": WORK})  # over END
RELEASED = MOTION.event(f"{STOPS}_above_opens or {STOPS}_below_opens")
WEARING = partial(where_known, _wear_power, RELEASED)  # without a contact nothing wears
GROWTH = (
    *(quantity for contact in ASKED for quantity in _asked(*contact)),
    *map(_displacement, INSTANTS),
    shares.quantity("wear_power", "W", "mean of normal force times sliding speed over the span", WEAR, WEARING),
)
PERIOD = cycled("period", lambda half: 2 * half.turn, lambda half: 2 * half.turn)
REACHED = cycled("reach", lambda half: half.mirrored, lambda half: half.reach)
ARRIVAL = cycled("arrival", lambda half: half.arrival, lambda half: half.arrival)
SHARE = cycled(
    "contact share",
    lambda half: 1 - (half.touch - half.release) / half.turn,
    lambda half: 1 - (half.touch - half.release) / half.turn,
)
POWER = cycled(
    "wear power", lambda half: 3 * half.push**2 / (4 * half.kc * half.turn), lambda half: half.rubbed / half.turn
)
PRESSING = "mean of normal force times sliding speed in the limit cycle"
CYCLING = (
    shares.quantity("period", "s", "period of the limit cycle", PERIOD, lambda o: 2 * _window(o) / COUNTED),
    shares.quantity("reach", "m", "largest displacement along the line in the limit cycle", REACHED, _reach),
    shares.quantity("arrival", "m/s", "normal speed of a touch in the limit cycle", ARRIVAL, _arrival),
    shares.quantity("contact_share", "1", "share of the time in contact in the limit cycle", SHARE, _share),
    shares.quantity("wear_power_cycle", "W", PRESSING, POWER, _wear_power_of_cycle),
)


CASE = Case(
    name="tube_between_stops",
    title="Tube in cross-flow between two stops",
    document="Antunes et al. 1990",
    topics=("impact", "friction", "wear", "limit cycle"),
    summary="A tube whose damping the flow made negative grows until it hits its stops; friction there takes what the "
    "flow gives, in a limit cycle whose wear power is asked for.",
    statement=(
        "One mode of a tube, unstable in a cross-flow: damping ratio -zeta. It moves on an oblique line, 4/5 across "
        "two elastic stops and 3/5 along them, so that it slides on a stop while it presses.",
        "Elastic stops give back what they take, and only friction takes energy: sliding in, it adds to the stiffness "
        "of the contact, sliding out it takes from it. At the turn the tube slides back at once, since elastic forces "
        "exceed friction.",
        "The motion from a small velocity is followed from event to event. The limit cycle is the fixed point of half "
        "a cycle, proved; a second variant begins on it. Wear power is the mean of F_n |v_t|, as the wear tools of "
        "tube bundles take it.",
    ),
    sketch=draw.sketch(
        draw.disc((0, 0), 0.7),
        draw.turned(
            (
                *draw.edge((0.8, -0.9), (0.8, 0.9)),
                *draw.spring((0.8, 0), (2.6, 0)),
                *draw.ground((2.6, -0.7), (2.6, 0.7)),
                *draw.edge((-0.8, -0.9), (-0.8, 0.9)),
                *draw.spring((-0.8, 0), (-2.6, 0)),
                *draw.ground((-2.6, 0.7), (-2.6, -0.7)),
            ),
            0.0,
        ),
        draw.arrow((-1.1, -1.6), (1.1, 1.6), ""),
        draw.words((1.5, 1.75), "line of the motion"),
        draw.words((1.7, -0.6), "k_c, mu"),
        *(draw.arrow((-1.5 + 0.6 * i, -2.8), (-1.5 + 0.6 * i, -2.1), "") for i in range(6)),
        draw.words((0, -3.1), "flow: damping ratio -zeta"),
    ),
    equations=(
        "m (q'' - 2 zeta w q' + w^2 q) = 4/5 F_n + 3/5 F_t",
        "|y| > g: F_n = -k_c sgn(y) (|y| - g), F_t = -mu |F_n| sgn(q'), y = 4/5 q, z = 3/5 q",
        "in: q'' = 2 zeta w q' - w^2 q - k_c/m (y - g) (4/5 + 3/5 mu), out: the same with 4/5 - 3/5 mu",
        "∫_0^T |F_n| |z'| d t = Σ 3/4 F_j^2/k_c",
        "cycle: q(T/2) = -q(0), q'(0) = q'(T/2) = 0",
        "P = 2 (3/4) F^2/(k_c T), mu P T = 2 zeta w m ∫_0^T q'^2 d t",
    ),
    parameters=PARAMETERS,
    variants=(
        Variant("growth", {}, frozenset(q.name for q in GROWTH)),
        Variant("cycle", {}, frozenset(q.name for q in CYCLING), Watched(on_the_cycle, outputs)),
    ),
    quantities=(*GROWTH, *CYCLING),
    residuals=(
        energy(
            "of the energy at which it just touches",
            lambda o: o["m"] * (o["w"] * o["g"] / NORMAL) ** 2 / 2,
            cited("this suite asks 1e-1", 1e-1, kind="absolute"),
        ),
        stop_forces(),
        velocities(),
    ),
    problem=Watched(begun, outputs),
    modelling=(
        "A mode with a negative damping ratio, two coordinates, two planes with Coulomb friction on them.",
        "Contacts are located between the samples or at reported events, forces come from a spline of the penetration.",
        "Wear: sliding and penetration grow together: ∫ F_n |v_t| dt of a contact follows from its largest force.",
    ),
    sources=(
        "J. Antunes, F. Axisa, B. Beaufils, D. Guilbaud: Coulomb friction modelling in numerical simulations of "
        "vibration and wear work rate of multispan tube bundles. Journal of Fluids and Structures 4 (1990), 287-304.",
    ),
    remarks=(
        "A solver that clips negative damping at zero never reaches a stop: 0.8 v0/w is 0.96 of the gap.",
        "The stops are ten times as stiff: the wear power falls by 4 %. The damping ratio is twice as negative: it "
        "grows 2.7 times. Twice the friction: it falls to 42 %, since the tube arrives more slowly and less often.",
        "The first contact lasts 1.8 ms of a period of 63 ms: steps chosen for accuracy alone may jump over it.",
    ),
    held={"w": "the span is six periods", "v0": "from less it touches later", "zeta": "from less it touches later"},
)

test_tube_between_stops = verifies(CASE)
