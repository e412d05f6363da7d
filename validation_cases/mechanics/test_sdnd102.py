"""SDND102 (EDF V5.01.102): an earthquake in resonance, with impacts on a wall or of two masses on each other."""

from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.problem.basis import driven_displacement
from veridyn.problem.elements import Stop, SupportMotion
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import exact_zero
from veridyn.references.reference import state
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.balance import stop_gap
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.judgement.case import (
    Case,
    Floats,
    Observation,
    Published,
    Quantity,
    Values,
    Variant,
    numbers,
)
from veridyn.validation_cases.judgement.judge import verifies
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.judgement.watched import Watched
from veridyn.validation_cases.measures import impact_quantities, struck_oscillator, vibro_impact
from veridyn.validation_cases.measures.plotting import convergence
from veridyn.validation_cases.measures.quantities import size

ASTER = cited("1e-3, the precision that Code_Aster's tests ask for where they state none", 1e-3)
ASTER_DISPLACEMENTS = cited("3e-5 m, Code_Aster's tolerance for differences of displacements", 3e-5, kind="absolute")
SYMMETRIC = cited("3e-5 m, Code_Aster's tolerance for the difference of the two models", 3e-5, kind="absolute")


PRINTED_A = ("0.05", "0.156", "0.25", "0.4", "0.5", "0.8", "0.9", "1.0")  # s
PRINTED_C = ("0.1", "0.2", "0.3", "0.4", "0.5")  # s
SAMPLE_B = "0.376"  # s


def state_pair(values: Values) -> MechanicalProblem:
    """Return two masses whose supports move against each other: twice the gap, half the stiffness between them."""
    m, k, xi, kc, gap, a, Omega, end = numbers(values, "m", "k", "xi", "kc", "gap", "a", "Omega", "t_end")
    both, (first, second) = np.eye(2, dtype=int), np.eye(2, dtype=int)
    return MechanicalProblem(
        name="sdnd102",
        mass=m * both,
        stiffness=k * both,
        damping=2 * xi * sqrt(k * m) * both,
        end=end,
        supports=(
            SupportMotion.from_acceleration("left", first, Harmonic(a, Omega)),
            SupportMotion.from_acceleration("right", second, Harmonic(-a, Omega)),
        ),
        stops=(Stop("stop", first - second, gap=2 * gap, stiffness=kc / 2, frame="absolute"),),
        coordinates=("x1", "x2"),
    )


def outputs(values: Values) -> Floats:
    """Return the instants (s) of the requested output."""
    printed = [float(t) for t in (*PRINTED_A, *PRINTED_C, SAMPLE_B) if float(t) <= float(values["t_end"])]
    return vibro_impact.output_times(values, sorted({*printed}))


# one mass before a wall that stands still (wall = 1) or moves with the support (wall = 0)
state_wall = partial(struck_oscillator.state, name="sdnd102")
MOTION = struck_oscillator.MOTION


def _lasts_until(time: float, values: Values) -> bool:
    return float(values["t_end"]) >= time


def _regularity(time: float, values: Values) -> float:
    """Return the regularity of a displacement: before the first contact nothing has happened yet."""
    return impact_quantities.KINK if vibro_impact.instants_before(values, time) else np.inf


def displacement(o: Observation, time: float) -> float:
    """Return what the stop sees of the displacement of the first mass at an instant (m)."""
    relative = value_at(o.response.time, o.response.displacement[:, 0], time)
    if o.problem.stops[0].frame != "absolute":
        return relative
    return relative + float(driven_displacement(o.problem, np.array([time]))[0, 0])


def force(o: Observation, time: float) -> float:
    """Return the force of the stop at an instant (N), from the gap between the samples."""
    gap = value_at(o.response.time, stop_gap(o.problem, o.response, o.problem.stops[0]), time)
    if gap > 0:
        raise SolverFailure(f"the stop is not touched at {time} s")
    return float(-o.problem.stops[0].stiffness * gap)


SEEN = "displacement at {} s: absolute if the wall stands still, relative if it moves with the support"
GAP = size("gap")


def _until_decided(quantity: Quantity, time: float) -> Quantity:
    """Return a quantity at an instant (s), of what is decided until then."""
    reached = replace(quantity, applies=partial(_lasts_until, time), regularity=partial(_regularity, time))
    return impact_quantities.where_decided(reached, partial(vibro_impact.instants_before, time=time))


def displacement_at(t: str) -> Quantity:
    """Return the displacement at an instant (s)."""
    truth, measure = struck_oscillator.displacement(t), partial(displacement, time=float(t))
    words, criterion, untouched = SEEN.format(t), ASTER_DISPLACEMENTS, "the first touch comes later"
    quantity = Quantity(f"displacement@{t}", "m", words, truth, measure, criterion, GAP, early=untouched)
    return _until_decided(quantity, float(t))


def force_at(t: str) -> Quantity:
    """Return the force of the stop at an instant (s)."""
    truth, measure = struck_oscillator.force(t), partial(force, time=float(t))
    return _until_decided(Quantity(f"force@{t}", "N", f"force of the stop at {t} s", truth, measure, ASTER), float(t))


def _asymmetry(o: Observation) -> float:
    """Return the largest sum of the displacements (m); raises CapabilityError where there is but one mass."""
    if o.problem.size < 2:
        raise CapabilityError("one mass before a wall: only two masses can differ")
    return float(np.abs(o.response.displacement.sum(axis=1)).max())


SUM, OPPOSITE = (
    "largest sum of the displacements of the two masses",
    state("asymmetry", partial(exact_zero, "equal masses, opposite supports")),
)
INSTANTS = {"touch_1": 1, "release_1": 2, "touch_4": 7, "release_10": 20}
QUANTITIES = (
    *(displacement_at(t) for t in sorted({*PRINTED_A, *PRINTED_C})),
    *(impact_quantities.instant(name, number, ASTER) for name, number in INSTANTS.items()),
    impact_quantities.largest_force(ASTER),
    force_at(SAMPLE_B),
    *impact_quantities.CONTACTS,
    Quantity("asymmetry", "m", SUM, OPPOSITE, _asymmetry, SYMMETRIC, GAP, impact_quantities.KINK),
)
COMMON = frozenset({"touch_1", "release_1", "touch_4", "largest_force", *(q.name for q in impact_quantities.CONTACTS)})
OF_A = COMMON | {f"displacement@{t}" for t in PRINTED_A} | {"release_10", f"force@{SAMPLE_B}"}
OF_C = COMMON | {f"displacement@{t}" for t in PRINTED_C}

SAMPLED_IN = "Code_Aster test sdnd102b, maximum of the contact force"
SAMPLED = (
    "no maximum but a sample: outputs 2e-3 s apart meet a contact of 2e-3 s once, early; with steps of 1e-3 s its "
    "force is 4.6 % too large besides. The peak of that contact is 1120.345 N, at 0.37665 s"
)


CASE = Case(
    name="sdnd102",
    title="Earthquake in resonance with impacts",
    document="V5.01.102",
    topics=("impact", "seismic", "resonance"),
    summary="A support shakes an oscillator at its own frequency against a wall, or two of them against each other; "
    "contacts, displacements, forces.",
    statement=(
        "A mass m on a spring k and a damper of ratio xi stands on a support that accelerates with a sin(Omega t), "
        "Omega within a millionth of sqrt(k/m). A stop k_c waits at a gap.",
        "Variant a: the stop is a wall that stands still and sees the absolute displacement. The support moves by "
        "-a/Omega² sin(Omega t), without drift: it moves at t = 0 already, and the mass with it.",
        "Variant a-two-masses: two such masses on supports that move against each other; the stop between them has "
        "twice the gap and half the stiffness. By symmetry each of them moves as before the wall.",
        "Variant c: undamped, and the stop moves with the support. Half a second.",
    ),
    equations=(
        "m x'' + c x' + k x = -m a sin(Omega t) - N, c = 2 xi sqrt(k m), x(0) = x'(0) = 0",
        "N = k_c max(0, y - gap), y = x - wall a/Omega² sin(Omega t)",
        "two masses: y_2 = -y_1, N = k_c/2 max(0, y_1 - y_2 - 2 gap)",
        "x'' + 2 beta x' + omega² x = A sin(Omega t) + B, beta = xi sqrt(k/m), tau = t - t_j",
        "flight: omega² = k/m, A = -a, B = 0",
        "contact: omega² = (k + k_c)/m, A = -a + wall a k_c/(m Omega²), B = k_c gap/m",
        "x = e^{-beta tau} (P cos(omega_d tau) + Q sin(omega_d tau)) + X sin(Omega t - phi) + B/omega²",
        "omega_d² = omega² - beta², X = A/sqrt((omega² - Omega²)² + 4 beta² Omega²), "
        "tan(phi) = 2 beta Omega/(omega² - Omega²)",
        "y(t_{j+1}) = gap, t_{j+1} > t_j",
    ),
    parameters=struck_oscillator.parameters(
        m="25", k="98696", xi="0.07", kc="5.76e7", gap="5e-4", a="1", Omega="20*pi", wall="1", t_end="1"
    ),
    variants=(
        Variant("a", {}, OF_A),
        Variant("a-two-masses", {}, OF_A | {"asymmetry"}, Watched(state_pair, outputs)),
        Variant("c", {"xi": "0", "wall": "0", "t_end": "0.5"}, OF_C),
    ),
    requirements=(struck_oscillator.SWINGS, struck_oscillator.STANDS),
    quantities=QUANTITIES,
    residuals=impact_quantities.RESIDUALS,
    problem=Watched(state_wall, outputs),
    modelling=(
        "One mode before the wall, two in the model of two masses; the stop is the penalty spring itself.",
        "Output is asked for a hundred times per contact, and 25 times as far apart in between.",
        "Displacements are read at the printed instants, which are among the output instants.",
    ),
    published=(Published(SAMPLED_IN, "a", f"force@{SAMPLE_B}", "629.287", "inaccurate", SAMPLED),),
    sources=("EDF: Code_Aster, Validation Manual, document V5.01.102; tests sdnd102a to f. https://code-aster.org",),
    remarks=(
        "With the relative displacement before the wall in place of the absolute one there are ten contacts still, but "
        "8 ms off, and 1461 N instead of 1120 N.",
        "A support displacement that starts from rest, a (t/Omega - sin(Omega t)/Omega²), leaves the load as it is and "
        "walks into the wall: 54 contacts.",
        "Without damping: ten contacts, up to 19 ms off, 2252 N.",
        "With w_c h = 1.5 central differences are stable and wrong: four contacts as it should be, but 4 ms off, and a "
        "displacement of variant c at 0.1 s ten times too large. Nothing warns.",
        "A maximum over sampled outputs misses the peak of a contact that is as short as the spacing of the outputs.",
        "That two models agree to 3e-5 m says little: that is a quarter of the displacement at 1 s.",
    ),
    held={"wall": "it stands still or moves with the support"},
    figures=(
        impact_quantities.gap_history(),
        *impact_quantities.close_up(4),  # the contact that holds the printed sample
        convergence("release_10", "where in a step a contact begins is chance"),
    ),
    work_precision=("a", "c"),
)

test_sdnd102 = verifies(CASE)
