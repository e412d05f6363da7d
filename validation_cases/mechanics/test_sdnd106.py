"""SDND106 (EDF V5.01.106): two masses on a spring, one of which sticks, slips and sticks."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.elements import Friction, Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Piecewise
from veridyn.references.certified import CertificationError, Certified, classification, undefined
from veridyn.references.problems import pulled_pair
from veridyn.references.reference import Reference
from veridyn.validation_cases.judgement.case import (
    Case,
    Number,
    Observation,
    Published,
    Quantity,
    Values,
    Variant,
    floats,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.measures import plotting, quantities
from veridyn.validation_cases.measures.consistency import energy, flags, friction_cone, friction_law, rates, velocities
from veridyn.validation_cases.measures.friction import OVERSHOOT, SlipMeasures, where_solvers_do_not_decide
from veridyn.validation_cases.measures.quantities import outputs, share_of, size

OUTPUTS_PER_PERIOD = 1000  # requested of any solver
INSTANTS = ("0.02", "0.15", "0.2", "0.339965")
period = size("2*pi*sqrt(m2/k)")  # period T of m2 on the spring while m1 sticks (s)


def _changes(values: Values) -> list[tuple[float, str]]:
    """Return the true changes of phase: instant (s), and the phase that begins."""
    return [(float(change.time), change.kind) for change in pulled_pair.phase_changes.compute(values, 15)]


def problem(values: Values) -> MechanicalProblem:
    """Return the ideal problem: set-valued friction under a constant normal force, a pull that ends at once."""
    m1, m2, k, normal, mu_s, mu_d = floats(values, "m1", "m2", "k", "normal", "mu_s", "mu_d")
    last = max((time for time, _ in _changes(values)), default=0.0)
    end = max(0.35, last + period(values))  # as in Code_Aster's test; one period more than the slips, to see creep
    pull = Piecewise((0.0, str(values["t_off"])), ((str(values["pull"]),), (0.0,)))
    return MechanicalProblem(
        name="sdnd106",
        mass=np.diag([m1, m2]),
        stiffness=k * np.array([[1.0, -1.0], [-1.0, 1.0]]),
        end=end,
        output_times=outputs(end, period(values) / OUTPUTS_PER_PERIOD, INSTANTS),
        loads=(Load(np.array([0.0, 1.0]), pull),),
        frictions=(Friction("shoe", (np.array([1.0, 0.0]),), normal, mu_s, mu_d),),
    )


ASTER = "tolerance of Code_Aster's test SDND106a, 1e-4 m while the pull lasts and 2e-3 m after, for F/k = 0.3 m"
ENERGY = cited("2e-3 m of Code_Aster's test SDND106a on 3.97 m", 5e-4 * 10, kind="absolute")
PULLED, RELEASED = 1e-4 / 0.3, 2e-3 / 0.3
JUMPS = 1.0  # regularity: friction and pull jump
CHANGES = 4  # changes of phase that are compared one by one
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
    motion = pulled_pair.motion.compute(values, 15)
    x1, v1, x2, v2 = (float(motion(what, repr(time))) for what in ("x1", "v1", "x2", "v2"))
    if kind != "stick":
        return abs(v2 - v1)
    return max(mu_d * normal - k * abs(x2 - x1), mu_d * normal / 2) / m1


def _slides(values: Values, number: int = 1) -> bool:
    """Whether there are so many changes of phase."""
    return len(_changes(values)) >= number


def _holds(values: Values) -> bool:
    """Tell whether penalised stick, which overshoots, holds where rigid stick does: nothing can be asked elsewhere."""
    return bool(pulled_pair.holds_clearly.at(share=OVERSHOOT).compute(values))


def _order(values: Values, _: int) -> Certified:
    try:
        result = " ".join(change.kind for change in pulled_pair.phase_changes.compute(values, 15))
    except CertificationError as doubt:
        return undefined(str(doubt))
    return classification(result, "phases of the certified motion")


PHASE_ORDER = Reference("phase_order", pulled_pair.PARAMETERS, _order)


def _slips(values: Values) -> int:
    return sum(kind != "stick" for _, kind in _changes(values))


def _left(values: Values) -> float:
    """Return by how much of its largest value friction holds in the last stick, or gives way in the one before."""
    k, m2, mu_s, normal = floats(values, "k", "m2", "mu_s", "normal")
    motion, w2 = pulled_pair.motion.compute(values, 15), math.sqrt(k / m2)

    def asked(time: float) -> float:
        x1, x2, v2 = (float(motion(what, repr(time))) for what in ("x1", "x2", "v2"))
        return k * math.hypot(x2 - x1, v2 / w2) / (mu_s * normal)

    sticks = [time for time, kind in _changes(values) if kind == "stick" and time > float(values["t_off"])]
    return min((abs(1 - asked(time)) for time in sticks[-2:]), default=math.inf)


shoe = SlipMeasures("shoe", period, _sliding)
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


def _displacement_at(place: int, t: str) -> Quantity:
    """Return the displacement of a mass at an instant (s)."""
    truth = pulled_pair.state.at(what=f"x{place}", time=t)
    measure = partial(quantities.displacement_at, time=float(t), place=place - 1)
    definition, criterion = f"displacement of m{place} at {t} s", partial(_displaced, _stretch, time=float(t))
    return Quantity(f"x{place}@{t}", "m", definition, truth, measure, criterion, _stretch, JUMPS, observable=_holds)


def _velocity_at(place: int, t: str) -> Quantity:
    """Return the velocity of a mass at an instant (s)."""
    truth = pulled_pair.state.at(what=f"v{place}", time=t)
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


def _change(number: int) -> Quantity:
    """Return the instant of a change of phase, counted from 1."""
    definition, exists = f"instant of change of phase {number}", partial(_slides, number=number)
    observable = None if number == 1 else _holds
    truth, measure = pulled_pair.phase_time.at(number=number), partial(shoe.change, number=number)
    return _instant(f"phase_time_{number}", definition, truth, measure, number, applies=exists, observable=observable)


BREAKS, ENDS = "first break-away of m1", "end of the last slip of m1"
REST = "displacement of m1 a period after the last slip"
LAW = "mu_d times normal force times the path slid"
PHASES = "changes of phase in order of time, by the phase that begins"
COUNTED, ORDERED = exactly("slips are counted"), exactly("phases have an order")
QUANTITIES = (
    *(_displacement_at(place, t) for place in (1, 2) for t in INSTANTS),
    *(_velocity_at(place, t) for place in (1, 2) for t in INSTANTS),
    _instant("slip_start", BREAKS, pulled_pair.slip_start, shoe.first_start, 1),
    _instant("slip_end", ENDS, pulled_pair.slip_end, _counted(shoe.last_end), 0, observable=_holds),
    Quantity(
        name="slips",
        unit="",
        definition="number of slips",
        reference=pulled_pair.slips,
        measure=_counted(shoe.count),
        criterion=COUNTED,
        regularity=JUMPS,
        observable=_holds,
    ),
    Quantity(
        name="final_position",
        unit="m",
        definition=REST,
        reference=pulled_pair.final_position,
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
        reference=pulled_pair.dissipated_energy,
        measure=shoe.dissipated,
        criterion=share_of(_dissipation, RELEASED, ASTER),
        scale=_dissipation,
        regularity=JUMPS,
        observable=_holds,
    ),
    Quantity("phase_order", "", PHASES, PHASE_ORDER, _counted(shoe.phases), ORDERED, observable=_holds),
    *map(_change, range(1, CHANGES + 1)),
)


def _elongation(o: Observation, times: NDArray[np.float64]) -> NDArray[np.float64]:
    return plotting.true(pulled_pair.motion, "x2")(o, times) - plotting.true(pulled_pair.motion, "x1")(o, times)


def _grip(o: Observation) -> float:
    return o["mu_s"] * o["normal"]


ELONGATION = plotting.HistoryCurve("x2 - x1 (m)", lambda o: np.diff(o.response.displacement)[:, 0], _elongation)
SPRING = plotting.HistoryCurve(
    "k (x2 - x1) (N)", lambda o: o["k"] * ELONGATION.read(o), lambda o, t: o["k"] * _elongation(o, t)
)
VELOCITIES = tuple(
    plotting.velocity(pulled_pair.motion, "velocity (m/s)", kind=f"v{i}", place=i - 1, name=f"m{i}") for i in (1, 2)
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
        beside=plotting.levels("±mu_s N", _grip, lambda o: -_grip(o)),
    ),
    plotting.portrait(
        "portrait",
        "Phase portrait of m1 against the spring",
        "Velocity of m1 over the elongation of the spring. On the segment, where the elongation is within mu_s N/k, "
        "m1 can rest: there it ends.",
        ELONGATION,
        VELOCITIES[0],
        beside=plotting.segment("friction holds", lambda o: _grip(o) / o["k"]),
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
    equations=(
        "m1 x1'' = k (x2 - x1) + R, m2 x2'' = k (x1 - x2) + f, f = F for t < t_off else 0",
        "|R| <= mu_s N if x1' = 0, R = -mu_d N sign(x1') else",
        "stick: x2 = F/k (1 - cos(omega t)), omega = sqrt(k/m2), k x2(t_1) = mu_s N",
        "slip: u'' + Omega² u = f/m2 + mu_d N/m1, X'' = (f - mu_d N)/(m1 + m2)",
        "u = x2 - x1, Omega² = k/m1 + k/m2, x1 = X - m2 u/(m1 + m2)",
        "t_1 = acos(1 - mu_s N/F)/omega, x1'(t_2) = 0, t_2 > t_1, x1 = x1(t_2) for t > t_2",
    ),
    parameters=pulled_pair.PARAMETERS,
    variants=(
        Variant("stat-dyna", {}),
        Variant("equal", {"mu_s": "0.2"}),
        Variant("twice", {"m1": "3", "t_off": "0.31"}),
        Variant("holds", {"mu_s": "0.65"}),
    ),
    quantities=QUANTITIES,
    residuals=(
        energy("of F²/k", lambda o: o["pull"] ** 2 / o["k"], ENERGY),
        friction_cone("of mu_s N", _grip),
        velocities(_slides),  # held, m1 moves as the spring of a penalised stick does
        flags(),
        rates(_slides),
        friction_law(),
    ),
    problem=problem,
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
