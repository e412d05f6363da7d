"""SDND103: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np

from veridyn.references import softening_spring
from veridyn.references.parameters import Exact, exact
from veridyn.solver.basis import modal_basis
from veridyn.solver.errors import SolverFailure
from veridyn.solver.interpolation import crossings
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    Observation,
    Published,
    Run,
    Settings,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import energy, velocities
from veridyn.validation_cases.convergence import halvings, observed_order
from veridyn.validation_cases.making import check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdnd103.measures import READERS, TIMES
from veridyn.validation_cases.sdnd103.theory import Numbers, energy_error
from veridyn.validation_cases.tolerances import Tolerance, cited, roundoff

CHOSEN, DEAD = "chosen", "dead-zone"
ASTER_STEP = 0.02
ASTER_SETTINGS: dict[str, Settings] = {
    "symplectic_euler": {},
    "devogelaere_adaptive": {
        "largest": 1.0,
        "smallest": 1e-10,
        "rescaled_past": True,
        "land": True,
        "archive_at": "output_times",
    },
}

LEVELS = 4
PLACES = 12  # steps per halving, so that zeros fall everywhere within a step
ZEROS = 5  # passages through zero in free vibration
STEPS = 20.37  # of the longest step, between two of them: no whole number


def frequency_tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - no step enters
    """Return the tolerance of the frequency: a quotient, a root and a division."""
    if not scheme:
        return cited("tolerance of Code_Aster's test sdnd103a", 1e-3)
    return roundoff(10, what="a root of a quotient over 2 pi")


def frequency(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the natural frequency of our modal basis."""
    if not subject.ours or variant.name != CHOSEN:
        return
    run, quantity = case.run(subject, variant, subject.schemes[0]), quantity_of(case, "frequency")
    yield check_of(
        case,
        variant,
        "",
        run,
        quantity=quantity.name,
        kind="truth",
        unit=quantity.unit,
        measure=reading(run, lambda o: float(modal_basis(o.problem).omega[0]) / (2 * math.pi)),
        reference=partial(quantity.truth, run.values),
        tolerance=partial(quantity.tolerance, run.values, subject.schemes[0], run.settings),
    )


def _at_printed_instants(case: Case, values: Values) -> MechanicalProblem:
    problem = case.problem(values)
    assert isinstance(problem, MechanicalProblem)
    return replace(problem, output_times=np.array([float(time) for time in TIMES]))


def _parity_run(case: Case, cell: Published) -> Run:
    settings = {"scheme": cell.scheme, "step": ASTER_STEP, **ASTER_SETTINGS[cell.scheme]}
    values = case.values(case.variant(cell.variant).changes)
    return Run(f"{case.name}/aster/{cell.scheme}", values, partial(_at_printed_instants, case), settings)


def _printed(cell: Published, o: Observation) -> float:
    what, time = cell.quantity.split("@")
    return READERS[what](o, float(time))


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every value that the test file prints for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, _printed)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order along the chosen motion, and that of free vibration, where the kink shows."""
    if not subject.own or subject.overrides or variant.name != CHOSEN:
        return
    for scheme in subject.schemes:
        base, theory = case.run(subject, variant, scheme, **SCHEMES[scheme].constant_step), SCHEMES[scheme].order
        wh = Numbers.of(base.values).w * float(base.settings["step"])
        bend = Tolerance(
            0.1 + math.log2(1 + wh) / levels(scheme),
            "absolute",
            f"{levels(scheme)} halvings; terms of the next order from w h = {wh:.2g} on",
        )
        yield order_check(case, variant, base, "displacement", partial(_order_of_chosen, base), float(theory), bend)
        reduced = min(theory, 3)
        why = f"worst of {PLACES} steps per halving, which the places of the zeros within a step scatter"
        allowed = Tolerance(0.15 if reduced == theory else 0.35, "absolute", why)
        measure = partial(_order_of_free, case, base)
        yield order_check(case, variant, base, "free_zeros", measure, float(reduced), allowed)


def levels(scheme: str) -> int:
    """Return how many halvings are of use: each takes 0.3 digits per order of the sixteen that there are."""
    return min(LEVELS, 16 // SCHEMES[scheme].order)


def worst_error(o: Observation) -> float:
    """Return the largest distance from the chosen motion, over its amplitude."""
    chosen = o["a0"] * np.sin(o["w0"] * o.response.time)
    return float(np.abs(o.response.displacement[:, 0] - chosen).max()) / o["a0"]


def _order_of_chosen(base: Run, bench: Bench) -> float:
    steps = halvings(float(base.settings["step"]), levels(str(base.settings["scheme"])))
    return observed_order([worst_error(bench.observe(constant_step(base, h))) for h in steps])


def free_problem(case: Case, values: Values) -> MechanicalProblem:
    """Return the free vibration on the same spring that reaches 0.4 x0, the support at rest."""
    problem, half = case.problem(values), half_period(values)
    assert isinstance(problem, MechanicalProblem)
    reach, x0 = 0.4 * float(values["x0"]), float(values["x0"])
    speed = Numbers.of(values).w * reach * math.sqrt(1 - 2 * reach / (3 * x0))
    return replace(
        problem, end=(ZEROS + 0.6) * half, output_times=None, supports=(), initial_velocity=np.array([speed])
    )


def half_period(values: Values) -> float:
    """Return the time between two zeros of that free vibration (s)."""
    return _half_period(values["m"], values["k0"], values["x0"])


@cache
def _half_period(m: Exact, k0: Exact, x0: Exact) -> float:
    return float(softening_spring.half_period(m=m, k0=k0, x0=x0, reach=exact("0.4") * x0, digits=20))


def free_error(o: Observation) -> float:
    """Return the largest error of an instant of zero displacement, over the time between two of them.

    Raises
    ------
    SolverFailure
        If there are too few.
    """
    zeros = np.array([t for t, _ in crossings(o.response.time, o.response.displacement[:, 0])])
    if zeros.size <= ZEROS:
        raise SolverFailure(f"the response shows {zeros.size} zeros, {ZEROS + 1} are needed")
    half = half_period(o.values)
    return float(np.abs(zeros / half - np.arange(zeros.size)).max())


def free_run(case: Case, base: Run, step: float) -> Run:
    """Return the free vibration with a step."""
    scheme = base.settings["scheme"]
    key = f"{case.name}/free/{scheme}/h={step}"
    return Run(key, base.values, partial(free_problem, case), {**base.settings, "step": step})


def free_steps(values: Values) -> list[list[float]]:
    """Return the steps of the study (s), several for each halving."""
    return [
        [h * 2 ** (-place / PLACES) for place in range(PLACES)] for h in halvings(half_period(values) / STEPS, LEVELS)
    ]


def free_errors(case: Case, base: Run, bench: Bench) -> list[float]:
    """Return the worst error of the steps of each halving."""
    return [max(free_error(bench.observe(free_run(case, base, h))) for h in steps) for steps in free_steps(base.values)]


def _order_of_free(case: Case, base: Run, bench: Bench) -> float:
    return observed_order(free_errors(case, base, bench))


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance: stored = work of support and spring device."""
    if variant.name != CHOSEN:
        return
    cite = cited("twice the 1e-3 of Code_Aster's test for displacements", 2e-3, kind="absolute")
    yield from energy(case, subject, variant, "of k0 a0²/2", lambda o: 0.5 * o["k0"] * o["a0"] ** 2, energy_error, cite)


MAKERS = (frequency, parity, order, balance, velocities)
