"""SDND102: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from veridyn.solver.interpolation import value_at
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases import impact_checks, vibro_impact
from veridyn.validation_cases.case import Bench, Case, Check, Observation, Published, Run, Subject, Values, Variant
from veridyn.validation_cases.consistency import velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, asked_of, check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdnd102 import models
from veridyn.validation_cases.tolerances import Tolerance, cited, roundoff

WALL_STEP, TWO_STEP, C_STEP = 2e-4, 2.5e-4, 1e-3  # s, of Code_Aster's tests
ARCHIVED = 8  # steps between the states that test A keeps

COARSEST, LEVELS = 1.6e-4, 4  # s
BEFORE = 0.05  # s, before the first contact
FREE, FREE_STEP = f"displacement@{BEFORE}", 3.125e-4
SYMMETRIC = cited("3e-5 m, Code_Aster's tolerance for the difference of the two models", 3e-5, kind="absolute")


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every displacement, and difference of displacements, that Code_Aster's tests store for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, _restored)


def _parity_run(case: Case, cell: Published) -> Run | tuple[Run, ...]:
    values = case.values(case.variant(cell.variant).changes)
    if cell.variant == "c":
        settings = {"scheme": cell.scheme, "step": C_STEP, "check_step": False}
        return Run(f"{case.name}/aster/c", values, models.wall, settings)
    pair = ((_tabulated_two, TWO_STEP), (_tabulated_wall, WALL_STEP))
    settings = {"scheme": cell.scheme, "archive_every": ARCHIVED}
    two, wall = (Run(f"{case.name}/aster/a/{h}", values, build, {**settings, "step": h}) for build, h in pair)
    return (two, wall) if cell.quantity.startswith("difference") else two


def _tabulated_two(values: Values) -> MechanicalProblem:
    return models.tabulated(models.two_masses(values))


def _tabulated_wall(values: Values) -> MechanicalProblem:
    return models.tabulated(models.wall(values))


def _restored(cell: Published, *seen: Observation) -> float:
    """Return a displacement, or the difference of two, by lines between what is archived."""
    time = float(cell.quantity.partition("@")[2])
    first, *others = (_read(o, time) for o in seen)
    return first - sum(others)


def _read(o: Observation, time: float) -> float:
    x = float(np.interp(time, o.response.time, o.response.displacement[:, 0]))
    return x + vibro_impact.driven(o, time)


def symmetry(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the difference of the two models at the same settings, and what the two masses differ by."""
    if variant.problem is None:
        return
    for scheme in subject.schemes:
        two, one = (case.run(subject, v, scheme) for v in (variant, case.variant("a")))
        steps = two.problem.end / float(two.settings.get("step", two.problem.end))
        what = f"two sums of {steps:.0f} displacements, which the contacts magnify by 2.1"
        ours = roundoff(2.1 * np.sqrt(steps) * 4, scale=float(two.values["gap"]), what=what, kind="absolute")
        readings = {"difference_of_models": partial(_difference, two, one), "asymmetry": reading(two, _asymmetry)}
        for name, measure in readings.items():
            yield check_of(
                case,
                variant,
                scheme,
                two,
                quantity=name,
                kind="balance",
                unit="m",
                measure=measure,
                reference=always(0.0),
                tolerance=asked_of(subject, ours, SYMMETRIC),
            )


def _difference(two: Run, one: Run, bench: Bench) -> float:
    """Return the largest difference of the displacements of first mass and only mass at the printed instants (m)."""
    instants = [float(t) for t in (*models.PRINTED_A, *models.PRINTED_C)]
    first, only = bench.observe(two), bench.observe(one)
    return max(abs(_at(first, t) - _at(only, t)) for t in instants)


def _at(o: Observation, time: float) -> float:
    return value_at(o.response.time, o.response.displacement[:, 0], time)


def _asymmetry(o: Observation) -> float:
    return float(np.abs(o.response.displacement.sum(axis=1)).max())


def energy(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance where nothing is damped."""
    if case.values(variant.changes)["xi"].rational == 0:
        yield from impact_checks.energy(case, subject, variant)


def duration(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the order of the first contact's duration where nothing is damped."""
    if case.values(variant.changes)["xi"].rational == 0:
        yield from impact_checks.duration_order(case, subject, variant, COARSEST, LEVELS)


def free(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the order before the first contact, where damping may cost a scheme of order 2 one of them."""
    if not subject.own or subject.overrides or variant.name != "a":
        return
    true = float(quantity_of(case, FREE).truth(case.values()))
    for scheme in (SCHEMES[name] for name in subject.schemes):
        if scheme.order == 2:
            base = impact_checks.shortened(case.run(subject, variant, scheme.name, check_step=False), BEFORE)
            measure = partial(_order_before, base, true)
            expected = float(scheme.damped.order if scheme.damped else scheme.order)
            why = f"damped and driven, no contact yet, {LEVELS} halvings"
            yield order_check(case, variant, base, FREE, measure, expected, Tolerance(0.1, "absolute", why))


def _order_before(base: Run, true: float, bench: Bench) -> float:
    def read(step: float) -> float:
        seen = vibro_impact.displacement(bench.observe(constant_step(base, step)), BEFORE)
        assert seen is not None  # the run lasts until then
        return seen

    return observed_order(errors_over_steps(read, true, halvings(FREE_STEP, LEVELS)))


MAKERS = (parity, symmetry, impact_checks.events, impact_checks.force_law, energy, duration, free, velocities)
