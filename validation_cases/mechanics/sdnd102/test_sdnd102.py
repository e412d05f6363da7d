"""SDND102 (EDF V5.01.102): an earthquake in resonance, with impacts on a wall or of two masses on each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from veridyn.references import impact_oscillator
from veridyn.references.certified import Certified, exact_zero
from veridyn.solver.errors import CapabilityError
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import cited
from veridyn.validation_cases.measures import impact_quantities, vibro_impact
from veridyn.validation_cases.mechanics.sdnd102 import models
from veridyn.validation_cases.mechanics.sdnd102.figures import figures
from veridyn.validation_cases.mechanics.sdnd102.published import PUBLISHED

ASTER = cited("1e-3, the precision that Code_Aster's tests ask for where they state none", 1e-3)
ASTER_DISPLACEMENTS = cited("3e-5 m, Code_Aster's tolerance for differences of displacements", 3e-5, kind="absolute")
SYMMETRIC = cited("3e-5 m, Code_Aster's tolerance for the difference of the two models", 3e-5, kind="absolute")


def _gap(values: Values) -> float:
    return float(values["gap"])


def _before(time: float, values: Values) -> int:
    return vibro_impact.instants_before(values, time)


def _lasts_until(time: float, values: Values) -> bool:
    return float(values["t_end"]) >= time


def _regularity(time: float, values: Values) -> float:
    """Return the regularity of a displacement: before the first contact nothing has happened yet."""
    return impact_quantities.KINK if _before(time, values) else np.inf


def _displacement(text: str) -> Quantity:
    time = float(text)
    return impact_quantities.where_decided(
        Quantity(
            f"displacement@{text}",
            "m",
            f"displacement at {text} s: absolute if the wall stands still, relative if it moves with the support",
            partial(impact_oscillator.displacement, t=text),
            partial(vibro_impact.displacement, time=time),
            ASTER_DISPLACEMENTS,
            _gap,
            partial(_regularity, time),
            applies=partial(_lasts_until, time),
        ),
        partial(_before, time),
    )


def _force(text: str) -> Quantity:
    time = float(text)
    return impact_quantities.where_decided(
        Quantity(
            f"force@{text}",
            "N",
            f"force of the stop at {text} s",
            partial(impact_oscillator.force, t=text),
            partial(vibro_impact.force, time=time),
            ASTER,
            regularity=impact_quantities.KINK,
            applies=partial(_lasts_until, time),
        ),
        partial(_before, time),
    )


def _symmetric(*, digits: int = 30) -> Certified:
    return exact_zero("equal masses, opposite supports", digits)


def _asymmetry(o: Observation) -> float:
    """Return the largest sum of the displacements (m); raises CapabilityError where there is but one mass."""
    if o.problem.size < 2:
        raise CapabilityError("one mass before a wall: only two masses can differ")
    return float(np.abs(o.response.displacement.sum(axis=1)).max())


INSTANTS = {"touch_1": 1, "release_1": 2, "touch_4": 7, "release_10": 20}
DISPLACEMENTS = tuple(sorted({*models.PRINTED_A, *models.PRINTED_C}))

QUANTITIES = (
    *map(_displacement, DISPLACEMENTS),
    *(impact_quantities.instant(name, number, ASTER) for name, number in INSTANTS.items()),
    impact_quantities.largest_force(ASTER),
    _force(models.SAMPLE_B),
    *impact_quantities.CONTACTS,
    Quantity(
        "asymmetry",
        "m",
        "largest sum of the displacements of the two masses",
        _symmetric,
        _asymmetry,
        SYMMETRIC,
        _gap,
        impact_quantities.KINK,
    ),
)
COMMON = frozenset({"touch_1", "release_1", "touch_4", "largest_force", *(q.name for q in impact_quantities.CONTACTS)})
OF_A = COMMON | {f"displacement@{t}" for t in models.PRINTED_A} | {"release_10", f"force@{models.SAMPLE_B}"}
OF_C = COMMON | {f"displacement@{t}" for t in models.PRINTED_C}


CASE = Case(
    name="sdnd102",
    title="Earthquake in resonance with impacts",
    document="V5.01.102",
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
    parameters=impact_oscillator.parameters(
        m="25", k="98696", xi="0.07", kc="5.76e7", gap="5e-4", a="1", Omega="20*pi", wall="1", t_end="1"
    ),
    variants=(
        Variant("a", {}, OF_A),
        Variant("a-two-masses", {}, OF_A | {"asymmetry"}, models.two_masses),
        Variant("c", {"xi": "0", "wall": "0", "t_end": "0.5"}, OF_C),
    ),
    quantities=QUANTITIES,
    residuals=impact_quantities.RESIDUALS,
    problem=models.wall,
    modelling=(
        "One mode before the wall, two in the model of two masses; the stop is the penalty spring itself.",
        "Output is asked for a hundred times per contact, and 25 times as far apart in between.",
        "Displacements are read at the printed instants, which are among the output instants.",
    ),
    published=PUBLISHED,
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
    figures=(figures,),
    benchmark_variant="a",
    work_precision=("a", "c"),
)

test_sdnd102 = verifies(CASE)
