"""SDLD103: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from veridyn.references.certified import Certified
from veridyn.solver.basis import modal_basis
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
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdld103 import newer
from veridyn.validation_cases.sdld103.measures import NODES, relative
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, from_theory, roundoff

Floats = NDArray[np.float64]

ASTER_STEP = 1e-3
ASTER_SETTINGS: dict[str, Settings] = {
    "symplectic_euler": {},
    "devogelaere": {},
    "central_adaptive": {"control": "2002", "velocity_floor": "maximum", "archive_grid": ASTER_STEP, "tries": 11},
}

COARSE, ORDER_LEVELS = 4e-3, 4


def frequency_tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - no step enters
    """Return the tolerance of frequencies: symmetric eigenvalue problems of this size hold to a few roundings."""
    if not scheme:
        return cited("1e-3 of Code_Aster's test SDLD103A for displacements, asked of the frequencies behind them", 1e-3)
    return roundoff(50, what="eigenvalues of a well-conditioned 3 x 3 problem")


def frequencies(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the natural frequencies of our modal basis."""
    if not subject.ours or variant.name == "B":
        return
    scheme = subject.schemes[0]
    run = case.run(subject, variant, scheme)
    for i, quantity in enumerate(q for q in case.quantities if q.name.startswith("frequency")):
        yield check_of(
            case,
            variant,
            "",
            run,
            quantity=quantity.name,
            kind="truth",
            unit=quantity.unit,
            measure=reading(run, partial(_frequency, i)),
            reference=partial(quantity.truth, run.values),
            tolerance=partial(quantity.tolerance, run.values, scheme, run.settings),
        )


def _frequency(i: int, o: Observation) -> float:
    return float(modal_basis(o.problem).omega[i]) / (2 * np.pi)


def _parity_run(case: Case, cell: Published) -> Run:
    if _is_newer(cell):
        return newer.run_of(case, cell)
    settings = {"scheme": cell.scheme, "step": ASTER_STEP, **ASTER_SETTINGS[cell.scheme]}
    return Run(f"{case.name}/aster/{cell.scheme}", case.values(), case.problem, settings)


def _restored(case: Case, cell: Published, o: Observation) -> float:
    """Return what the test file prints, or the magnitude that the manual prints."""
    value = newer.restored(case, cell, o)
    return value if _is_newer(cell) else abs(value)


def _is_newer(cell: Published) -> bool:
    return cell.source.startswith("Code_Aster test")


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every displacement that the manual or the test files print for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, partial(_restored, case))


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the relative displacements at 1 s, all nodes together."""
    if not subject.own or subject.overrides or variant.name == "B":
        return
    truths = [quantity_of(case, f"relative_{node}@1.0").truth for node in NODES]
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        order, levels = SCHEMES[scheme].order, halvings_above_rounding(scheme)
        measure, why = partial(_observed_order, base, truths), f"linear problem, smooth load: {levels} halvings"
        highest = float(modal_basis(cast(MechanicalProblem, base.problem)).omega[-1])
        bend = math.log2(1 + SCHEMES[scheme].next_over_leading * highest * COARSE) / levels
        allowed = combined(
            Tolerance(0.1, "absolute", why),
            Tolerance(bend, "absolute", "the next term of the error at the longest step, over the halvings"),
        )
        yield order_check(case, variant, base, "displacement", measure, float(order), allowed)


def halvings_above_rounding(scheme: str) -> int:
    """Return how many halvings are of use: each takes 0.3 digits per order of the sixteen that there are."""
    return min(ORDER_LEVELS, 16 // SCHEMES[scheme].order)


def _observed_order(base: Run, truths: Sequence[Callable[[Values], Certified]], bench: Bench) -> float:
    true = np.array([float(truth(base.values)) for truth in truths])

    def worst(step: float) -> float:
        o = bench.observe(constant_step(base, step))
        return float(np.abs(np.array([relative(o, node, 1.0) for node in NODES]) - true).max())

    levels = halvings_above_rounding(str(base.settings["scheme"]))
    return observed_order(errors_over_steps(worst, 0.0, halvings(COARSE, levels)))


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance: stored = work of the inertia forces that the support motion causes."""
    if variant.name == "B":
        return
    cite = cited("twice the 1e-3 of Code_Aster's test SDLD103A for displacements", 2e-3, kind="absolute")
    unit = "of the largest energy of free vibration"
    yield from energy(case, subject, variant, unit, free_energy, _read_energy, cite)


def _read_energy(run: Run, scheme: str) -> Tolerance:
    """Return the error with which energies are read from displacements.

    Differenced velocities miss h²/6 of the third derivative and the phase error e (w h)² of the scheme: with the free
    velocity 2 G/w³ beside the forced one 2 G t/w², (w h)² (1/3 - 2 e) (1 + w t) of twice the energy. The trapezoidal
    work of G t² misses h²/12 × 2 G times the free velocity: (w h)² w t/12. A scheme that is exact but for forces, which
    it takes for lines, makes it miss h²/12 × 2 G t times the forced acceleration instead: (w h)² (w t)²/24.
    """
    problem = cast(MechanicalProblem, run.problem)
    omega, g = _modal_loads(problem, float(run.values["a"]))
    phase = SCHEMES[scheme].in_contact
    ahead = phase.constant if phase.order == 2 else 0.0
    wt = omega * problem.end
    share = (g / omega**3) ** 2 / np.sum((g / omega**3) ** 2)
    work = wt / 12 if SCHEMES[scheme].phase else wt**2 / 24
    constant = 2 * float(np.sum(share * omega**2 * ((1 / 3 - 2 * ahead) * (1 + wt) + work)))
    step = float(run.settings["step"])
    return from_theory(2, constant, step, what="differenced velocities and trapezoidal work", kind="absolute")


def _modal_loads(problem: MechanicalProblem, a: float) -> tuple[Floats, Floats]:
    """Return circular frequencies (rad/s) and the G of q'' + w² q = G t² for each mode."""
    modes = modal_basis(problem)
    assert problem.mass is not None
    return modes.omega, a * (modes.shapes.T @ problem.mass @ problem.supports[0].influence)


def free_energy(o: Observation) -> float:
    """Return the energy (J) of the free vibration: q'' + w² q = G t² from rest leaves the amplitude 2 G/w⁴."""
    omega, g = _modal_loads(o.problem, o["a"])
    return float(np.sum(0.5 * omega**2 * (2 * g / omega**4) ** 2))


MAKERS = (frequencies, parity, order, balance, velocities)
