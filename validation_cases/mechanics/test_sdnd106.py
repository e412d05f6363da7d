"""SDND106 (EDF V5.01.106): two masses on a spring, one of which sticks, slips and sticks."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from veridyn.problem.elements import Friction, Load
from veridyn.problem.formulas import angular_frequency, sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Piecewise
from veridyn.references.certified import Certified
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter, exact
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import pulled_closed as closed
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Number,
    Observation,
    Published,
    Quantity,
    ShownMotion,
    Values,
    Variant,
    floats,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import plotting, quantities
from veridyn.validation_cases.measures.consistency import energy, flags, friction_cone, friction_law, rates, velocities
from veridyn.validation_cases.measures.friction import (
    OVERSHOOT,
    Grip,
    SlipMeasures,
    find_spare,
    where_solvers_do_not_decide,
)
from veridyn.validation_cases.measures.quantities import outputs, share_of, size

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
INSTANTS = ("0.02", "0.15", "0.2", "0.339965")
SHOE = "shoe"
WORDS = {"sticks": "stick", "slips ahead": "slip+", "slips back": "slip-"}
period = size("2*pi*sqrt(m2/k)")  # period T of m2 on the spring while m1 sticks (s)

PARAMETERS = (
    Parameter("m1", "kg", "mass that rubs", "5"),
    Parameter("m2", "kg", "mass that is pulled", "5"),
    Parameter("k", "N/m", "stiffness of the spring between them", "1e4"),
    Parameter("normal", "N", "normal force on m1", "1e4"),
    Parameter("mu_s", "1", "coefficient of friction at rest", "0.3"),
    Parameter("mu_d", "1", "coefficient of friction in motion, not above mu_s", "0.2"),
    Parameter("pull", "N", "force on m2", "3000"),
    Parameter("t_off", "s", "end of the pull", "0.2"),
)
REQUIRED = (Requirement("mu_s >= mu_d", "friction would be larger in motion than at rest"),)


def state(values: Values) -> MechanicalProblem:
    """Return the ideal problem: set-valued friction under a constant normal force, a pull that ends at once.

    It lasts for as long as friction could take to use up the momentum of the pull, and a hundred periods more: slips go
    on while the spring swings.
    """
    m1, m2, k, normal, mu_s, mu_d, pull, t_off = numbers(values, *(parameter.name for parameter in PARAMETERS))
    return MechanicalProblem(
        name="sdnd106",
        mass=np.array([[m1, 0], [0, m2]]),
        stiffness=k * np.array([[1, -1], [-1, 1]]),
        end=t_off * (1 + pull / (mu_d * normal)) + 100 * angular_frequency(sqrt(k / m2)),
        loads=(Load(np.array([0, 1]), Piecewise((0, t_off), ((pull,), (0,)))),),
        frictions=(Friction(SHOE, (np.array([1, 0]),), normal, mu_s, mu_d),),
        coordinates=("x1", "x2"),
    )


def watch(values: Values) -> Floats:
    """Return the output (s) for the time of Code_Aster's test, or up to a period after the last slip, to see creep."""
    last = max((time for time, _ in _changes(values)), default=0.0)
    end = max(0.35, last + period(values))
    return outputs(end, period(values) / OUTPUTS_PER_PERIOD, INSTANTS)


MOTION = make_quantities(state, PARAMETERS, record=restrict(*REQUIRED))
SETTLED = MOTION.settled()  # m1 sticks for ever at last: that is proved
LAWS = "closed form of every phase, slips searched from turning point to turning point of the velocity"
BALANCE = "work of the pull less the energy that is left, from the closed form of every phase"
SLIPS = f"{SHOE}_slips_ahead or {SHOE}_slips_back"
HISTORY = MOTION.history(x1="x1", v1="v_x1", x2="x2", v2="v_x2")
CHANGES = SETTLED.phase_changes(SHOE, WORDS)
ORDER = SETTLED.phase_order(SHOE, WORDS, from_start=False)


def _changes(values: Values) -> list[tuple[float, str]]:
    """Return the true changes of phase: instant (s), and the phase that begins."""
    return [(float(change.time), change.kind) for change in CHANGES.compute(values, 15)]


def _read(values: Values, time: float) -> tuple[float, ...]:
    """Return displacements (m) and velocities (m/s) at an instant (s)."""
    motion = HISTORY.compute(values, 15)
    return tuple(float(motion(what, repr(time))) for what in ("x1", "v1", "x2", "v2"))


ASTER = "tolerance of Code_Aster's test SDND106a, 1e-4 m while the pull lasts and 2e-3 m after, for F/k = 0.3 m"
ENERGY = cited("2e-3 m of Code_Aster's test SDND106a on 3.97 m", 5e-4 * 10, kind="absolute")
PULLED, RELEASED = 1e-4 / 0.3, 2e-3 / 0.3
JUMPS = 1.0  # regularity: friction and pull jump
COMPARED = 4  # changes of phase that are compared one by one
_stretch = size("pull/k")  # static stretch F/k of the spring (m)
# velocity scale (m/s): the static stretch times the frequency of the spring while m1 slips
_swing = size("pull/k*sqrt(k/m1 + k/m2)")
_sliding = size("mu_d*normal")  # force (N) of kinetic friction
_dissipation = size("mu_d*normal*pull/k")  # energy scale (J): kinetic friction over the static stretch of the spring


def _share(values: Values, time: float) -> float:
    return RELEASED if time > float(values["t_off"]) else PULLED


def _displaced(scale: quantities.Size, values: Values, time: float) -> Tolerance:
    """Return the criterion of a displacement or velocity at an instant."""
    return cited(ASTER, _share(values, time) * scale(values), kind="absolute")


def _timed(values: Values, number: int) -> Tolerance:
    """Return the criterion of a change of phase, counted from 1; the last one is 0."""
    if not _slides(values):
        return exactly("m1 never slips")
    time, kind = _changes(values)[number - 1]
    off = _share(values, time) * (_swing(values) if kind == "stick" else _stretch(values))
    reason = f"{ASTER}, over the rate at which the phase ends; flags change at requested outputs"
    return cited(reason, off / _rate(values, time, kind) + period(values) / OUTPUTS_PER_PERIOD, kind="absolute")


def _rate(values: Values, time: float, kind: str) -> float:
    """Return how fast a phase ends: acceleration of m1 (m/s²) before a stick, velocity of the spring before a slip."""
    m1, k, mu_d, normal = floats(values, "m1", "k", "mu_d", "normal")
    x1, v1, x2, v2 = _read(values, time)
    if kind != "stick":
        return abs(v2 - v1)
    return max(mu_d * normal - k * abs(x2 - x1), mu_d * normal / 2) / m1


def _slides(values: Values, number: int = 1) -> bool:
    """Whether there are so many changes of phase."""
    return len(_changes(values)) >= number


def _grip(values: Values, time: float) -> Grip:
    """Return what a stick begins with at an instant (s): the force of the spring."""
    k, normal, mu_s, mu_d = floats(values, "k", "normal", "mu_s", "mu_d")
    x1, _, x2, _ = _read(values, time)
    return Grip(k * (x1 - x2), mu_s * normal, mu_d * normal)


def find_least_spare(values: Values) -> float:
    """Return what the weakest stick has to spare, as a share of the jump of friction."""
    return find_spare("stick", CHANGES, values, partial(_grip, values))


def _holds(values: Values) -> bool:
    """Tell whether penalised stick, which overshoots, holds where rigid stick does: nothing can be asked elsewhere."""
    return find_least_spare(values) > OVERSHOOT


def _slips(values: Values) -> int:
    return sum(kind != "stick" for _, kind in _changes(values))


def _left(values: Values) -> float:
    """Return by how much of its largest value friction holds in the last stick, or gives way in the one before."""
    k, m2, mu_s, normal = floats(values, "k", "m2", "mu_s", "normal")

    def swing(time: float) -> float:
        x1, _, x2, v2 = _read(values, time)
        return k * math.hypot(x2 - x1, v2 / math.sqrt(k / m2)) / (mu_s * normal)

    sticks = [time for time, kind in _changes(values) if kind == "stick" and time > float(values["t_off"])]
    return min((abs(1 - swing(time)) for time in sticks[-2:]), default=math.inf)


shoe = SlipMeasures(SHOE, period, _sliding)
_counted = partial(where_solvers_do_not_decide, left=_left, slips=_slips, steps=OUTPUTS_PER_PERIOD)


def _slope(o: Observation, time: float, place: int) -> float:
    """Velocity of a mass at an instant (m/s), from the displacement where no changes of phase are reported.

    Some schemes keep their velocity half a step away; the pull may end at the instant, not before.
    """
    if shoe.friction in o.response.events:
        return quantities.velocity_at(o, time, place)
    t, x = o.response.time, o.response.displacement[:, place]
    i = int(np.clip(np.searchsorted(t, time), 2, t.size - 1))
    i -= abs(t[i - 1] - time) < abs(t[i] - time) and i > 2
    near = slice(i - 2, i + 1)
    return float(np.polyval(np.polyder(np.polyfit(t[near] - time, x[near], 2)), 0.0))


def _state_at(t: str, what: str) -> Callable[[Any], Any]:
    """Return the second route to displacement or velocity of a mass at an instant (s)."""
    return lambda p: getattr(closed.state_at(p, exact(t).mpf()), what)


def _displacement_at(place: int, t: str) -> Quantity:
    """Return the displacement of a mass at an instant (s)."""
    truth = MOTION.value(f"x{place}", t, second=_state_at(t, f"x{place}"), how=LAWS)
    measure = partial(quantities.displacement_at, time=float(t), place=place - 1)
    definition, criterion = f"displacement of m{place} at {t} s", partial(_displaced, _stretch, time=float(t))
    return Quantity(f"x{place}@{t}", "m", definition, truth, measure, criterion, _stretch, JUMPS, observable=_holds)


def _velocity_at(place: int, t: str) -> Quantity:
    """Return the velocity of a mass at an instant (s)."""
    truth = MOTION.value(f"v_x{place}", t, second=_state_at(t, f"v{place}"), how=LAWS)
    measure = partial(_slope, time=float(t), place=place - 1)
    definition, criterion = f"velocity of m{place} at {t} s", partial(_displaced, _swing, time=float(t))
    return Quantity(f"v{place}@{t}", "m/s", definition, truth, measure, criterion, _swing, JUMPS, observable=_holds)


def _instant(
    name: str,
    definition: str,
    reference: Reference[Certified],
    measure: Callable[..., Number],
    number: int,
    applies: Callable[[Values], bool] | None = None,
    observable: Callable[[Values], bool] | None = None,
) -> Quantity:
    """Return the instant of a change of phase, counted from 1; the last one is 0."""
    return Quantity(
        name=name,
        unit="s",
        definition=definition,
        reference=reference,
        measure=measure,
        criterion=partial(_timed, number=number),
        scale=period,
        regularity=JUMPS,
        at_samples=True,
        applies=applies,
        observable=observable,
    )


def _begin(p: Any, number: int) -> Any:
    """Return the second route to a change of phase (s), counted from 1; from -1 backwards."""
    return closed.changes(p)[number - (number > 0)].start


def _change(number: int) -> Quantity:
    """Return the instant of a change of phase, counted from 1."""
    definition, exists = f"instant of change of phase {number}", partial(_slides, number=number)
    observable = None if number == 1 else _holds
    truth = MOTION.event(f"{SLIPS} or {SHOE}_rests", number, second=partial(_begin, number=number), how=LAWS)
    measure = partial(shoe.change, number=number)
    return _instant(f"phase_time_{number}", definition, truth, measure, number, applies=exists, observable=observable)


BROKEN = MOTION.event(SLIPS, 1, second=partial(_begin, number=1), how=LAWS)
ENDED = SETTLED.event(f"{SHOE}_rests", -1, second=partial(_begin, number=-1), how=LAWS)
NUMBER = SETTLED.count(f"{SHOE}_rests", second=lambda p: mpmath.mpf(closed.count_slips(p)), how=LAWS)
PLACE = SETTLED.value("x1", None, second=lambda p: closed.phases(p)[-1].state.x1, how=LAWS)
DISSIPATED = SETTLED.integral(f"power_{SHOE}", second=closed.balance, how=BALANCE)
BREAKS, ENDS = "first break-away of m1", "end of the last slip of m1"
REST = "displacement of m1 a period after the last slip"
LAW = "mu_d times normal force times the path slid"
PHASES = "changes of phase in order of time, by the phase that begins"
COUNTED, ORDERED = exactly("slips are counted"), exactly("phases have an order")
QUANTITIES = (
    *(_displacement_at(place, t) for place in (1, 2) for t in INSTANTS),
    *(_velocity_at(place, t) for place in (1, 2) for t in INSTANTS),
    _instant("slip_start", BREAKS, BROKEN, shoe.first_start, 1),
    _instant("slip_end", ENDS, ENDED, _counted(shoe.last_end), 0, observable=_holds),
    Quantity(
        name="slips",
        unit="",
        definition="number of slips",
        reference=NUMBER,
        measure=_counted(shoe.count),
        criterion=COUNTED,
        regularity=JUMPS,
        observable=_holds,
    ),
    Quantity(
        name="final_position",
        unit="m",
        definition=REST,
        reference=PLACE,
        measure=quantities.final_displacement,
        criterion=share_of(_stretch, RELEASED, ASTER),
        scale=_stretch,
        regularity=JUMPS,
        observable=_holds,
    ),
    Quantity(
        name="dissipated_energy",
        unit="J",
        definition=LAW,
        reference=DISSIPATED,
        measure=shoe.dissipated,
        criterion=share_of(_dissipation, RELEASED, ASTER),
        scale=_dissipation,
        regularity=JUMPS,
        observable=_holds,
    ),
    Quantity("phase_order", "", PHASES, ORDER, _counted(shoe.phases), ORDERED, observable=_holds),
    *map(_change, range(1, COMPARED + 1)),
)


def _elongation(o: Observation, times: NDArray[np.float64]) -> NDArray[np.float64]:
    return plotting.true(HISTORY, "x2")(o, times) - plotting.true(HISTORY, "x1")(o, times)


def _limit(o: Observation) -> float:
    return o["mu_s"] * o["normal"]


ELONGATION = plotting.HistoryCurve("x2 - x1 (m)", lambda o: np.diff(o.response.displacement)[:, 0], _elongation)
SPRING = plotting.HistoryCurve(
    "k (x2 - x1) (N)", lambda o: o["k"] * ELONGATION.read(o), lambda o, t: o["k"] * _elongation(o, t)
)
VELOCITIES = tuple(
    plotting.velocity(HISTORY, "velocity (m/s)", kind=f"v{i}", place=i - 1, name=f"m{i}") for i in (1, 2)
)
FIGURES = (
    plotting.history(
        "velocity",
        "Stick, slip, stick: velocities",
        "v1 dips without reaching zero. Vertical lines: true changes of phase.",
        *VELOCITIES,
        events=_changes,
    ),
    plotting.history(
        "spring",
        "Spring force and the limits of static friction",
        "m1 breaks away when the spring reaches mu_s N.",
        SPRING,
        events=_changes,
        beside=plotting.levels("±mu_s N", _limit, lambda o: -_limit(o)),
    ),
    plotting.portrait(
        "portrait",
        "Phase portrait of m1 against the spring",
        "Velocity of m1 over the elongation of the spring. On the segment, where the elongation is within mu_s N/k, "
        "m1 can rest: there it ends.",
        ELONGATION,
        VELOCITIES[0],
        beside=plotting.segment("friction holds", lambda o: _limit(o) / o["k"]),
    ),
    plotting.convergence("final_position", "forces that jump inside a step leave order 1"),
)

CLOSE = (
    "printed with six digits, of which the last two are wrong; the closed form, with t1 = 0.0351240737 s, leaves no "
    "room for it; the test's tolerance of 1e-4 m does not show it"
)
MANUAL = "V5.01.106, transition times"
TEST = "Code_Aster test sdnd106a, reference"
PUBLISHED = (
    Published(MANUAL, "stat-dyna", "slip_start", "0.03512", "reproduced"),
    Published(MANUAL, "stat-dyna", "slip_end", "0.31492", "reproduced"),
    Published(TEST, "stat-dyna", "x1@0.02", "0.0", "reproduced"),
    Published(TEST, "stat-dyna", "x2@0.02", "0.11221", "reproduced"),
    Published(TEST, "stat-dyna", "x1@0.15", "1.35332", "inaccurate", CLOSE),
    Published(TEST, "stat-dyna", "x2@0.15", "1.80751", "inaccurate", CLOSE),
    Published(TEST, "stat-dyna", "v1@0.339965", "0.0", "reproduced"),
    Published(TEST, "stat-dyna", "x2@0.339965", "3.96813", "reproduced"),
)

CASE = Case(
    name="sdnd106",
    title="Stick, slip, stick of two masses",
    document="V5.01.106",
    topics=("friction",),
    summary="Two masses on a spring, one pulled, one rubbing: break-away against static friction, slip under kinetic "
    "friction, pull taken away on the way, stick for good.",
    statement=(
        "A mass m1 rests on a plane under the normal force N, friction mu_s at rest, mu_d in motion; a spring k "
        "couples it to a mass m2 that slides freely. A force acts on m2 from t = 0 to t_off; everything starts at "
        "rest.",
        "While m1 sticks, x2 = F/k (1 - cos omega t) with omega² = k/m2, until k x2 = mu_s N. While it slips, the "
        "centre of mass is driven by F - mu_d N and the spring oscillates with omega² = k/m1 + k/m2; the slip ends at "
        "the first root of v1. Afterwards m2 swings on the spring and m1 sticks for ever.",
        "Variant stat-dyna is modelling A of the manual; equal has one coefficient, twice slips two times, holds "
        "never.",
    ),
    shown=ShownMotion(curves=("x1", "x2", "v_x1")),
    equations=(
        "m1 x1'' = k (x2 - x1) + R, m2 x2'' = k (x1 - x2) + f, f = F for t < t_off else 0",
        "|R| <= mu_s N if x1' = 0, R = -mu_d N sign(x1') else",
        "stick: x2 = F/k (1 - cos(omega t)), omega = sqrt(k/m2), k x2(t_1) = mu_s N",
        "slip: u'' + Omega² u = f/m2 + mu_d N/m1, X'' = (f - mu_d N)/(m1 + m2)",
        "u = x2 - x1, Omega² = k/m1 + k/m2, x1 = X - m2 u/(m1 + m2)",
        "t_1 = acos(1 - mu_s N/F)/omega, x1'(t_2) = 0, t_2 > t_1, x1 = x1(t_2) for t > t_2",
    ),
    parameters=PARAMETERS,
    requirements=REQUIRED,
    variants=(
        Variant("stat-dyna", {}),
        Variant("equal", {"mu_s": "0.2"}),
        Variant("twice", {"m1": "3", "t_off": "0.31"}),
        Variant("holds", {"mu_s": "0.65"}),
    ),
    quantities=QUANTITIES,
    residuals=(
        energy("of F²/k", lambda o: o["pull"] ** 2 / o["k"], ENERGY),
        friction_cone("of mu_s N", _limit),
        velocities(_slides),  # held, m1 moves as the spring of a penalised stick does
        flags(),
        rates(_slides),
        friction_law(),
    ),
    problem=Watched(state, watch),
    modelling=(
        "Two coordinates, constant normal force; the pull is a jump, not the ramp of 1e-6 s of Code_Aster's file.",
    ),
    published=PUBLISHED,
    sources=("EDF: Code_Aster, Validation Manual, document V5.01.106; test sdnd106a. https://code-aster.org",),
    remarks=(
        "One coefficient of friction instead of two (mu_s = mu_d = 0.2) breaks away at 0.0275 s instead of 0.0351 s.",
        "A velocity threshold for stick, without a look at the direction, holds m1 at once after the break-away: it "
        "needs a millisecond to reach 0.2 m/s. Later v1 dips to 9.2 m/s at 0.127 s and does not come near zero before "
        "the end.",
        "A pull that ends inside a step leaves up to F h of momentum too much or too little, order 1 for every scheme.",
        "A penalised stick lets m1 glide with k v2/k_T while the spring winds up: with k_T = 5e7 N/m 2.7e-3 m/s at the "
        "break-away, 4e-4 m at the end.",
        "A spring and a critical damper in place of rigid stick overshoot the jump of friction by 13.5 %. Nothing but "
        "the first break-away is asked of a motion in which a stick has less than a sixth of the jump to spare.",
    ),
    errata=(
        "sdnd106a asks for x2(0.339965) to 2e-3 m and is 1.98e-3 m off: three quarters are the step of 1e-4 s across "
        "the end of the pull, F h/2 = 0.15 N s too much momentum (with 1e-6 s 5.0e-4 m are left), the rest is the "
        "penalised stick, which lets m1 glide with k v2/k_T before it breaks away.",
    ),
    figures=FIGURES,
)

test_sdnd106 = verifies(CASE)
