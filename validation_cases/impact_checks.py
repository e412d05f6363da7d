"""Checks that driven oscillators with a stop have in common: contacts, force law, energy, orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.consistency import stop_force_residual
from veridyn.solver.errors import SolverFailure
from veridyn.solver.problem import Problem
from veridyn.validation_cases import consistency, impact_theory, vibro_impact
from veridyn.validation_cases.case import Bench, Case, Check, Observation, Run, Subject, Values, Variant
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, count_check, order_check, reading
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.tolerances import Tolerance, cited, roundoff

Floats = NDArray[np.float64]

ASTER_INSTANTS = "tolerance of Code_Aster's test sdnd121a for instants, 2e-4 of them"
ASTER_LAW = cited("tolerance of Code_Aster's test sdnd121a for force against penetration", 1e-8, kind="absolute")
ASTER_ENERGY = cited("tolerance of Code_Aster's test sdnd121a for the energy balance", 0.1, kind="absolute")

SCATTER = 0.5  # of an order fitted over five levels: see `instants_order`


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield contacts by count and their instants by time; in order, since each is compared with its own."""
    values = case.values(variant.changes)
    true = vibro_impact.true_instants(values)
    cite = cited(ASTER_INSTANTS, 2e-4 * float(true[-1]), kind="absolute")
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        yield count_check(case, variant, scheme, run, "contacts", vibro_impact.impacts, true.size // 2)
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="contact_instants",
            kind="events",
            unit="s",
            measure=reading(run, partial(vibro_impact.worst_instant, true=true)),
            reference=always(0.0),
            tolerance=partial(impact_theory.of_instants, values, scheme, run.settings) if subject.own else always(cite),
        )


def force_law(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of the reported force with stiffness times penetration, at all samples."""
    values = case.values(variant.changes)
    penetration = float(np.abs(impact_theory.course(values).rates).max()) / vibro_impact.contact_frequency(values)
    what = "the penetration is a small difference of displacement and gap"
    ours = roundoff(10, scale=float(values["gap"]) / penetration, what=what, kind="absolute")
    yield from consistency.residuals(
        case, subject, variant, "force_law", "of the largest force", _force_law, lambda *_: ours, ASTER_LAW
    )


def _force_law(o: Observation) -> float:
    return stop_force_residual(o.problem, o.response)


def energy(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance at all samples, in percent of the energy at the fastest touch."""

    def ours(run: Run, scheme: str) -> Tolerance:
        return impact_theory.of_energy(run.values, scheme, run.settings)

    yield from consistency.energy(case, subject, variant, "%", _hundredth, ours, ASTER_ENERGY)


def _hundredth(o: Observation) -> float:
    return impact_theory.touch_energy(o.values) / 100


def instants_order(
    case: Case, subject: Subject, variant: Variant, coarsest: float, levels: int, share: float = 1.0
) -> Iterator[Check]:
    """Yield the observed order of the instants of contact in the first share of the run, as root mean square."""
    if not subject.own or subject.overrides:
        return
    values = case.values(variant.changes)
    true = vibro_impact.true_instants(values)
    steps = halvings(coarsest, levels)
    end = share * float(values["t_end"])
    why = (
        "where in a step a contact begins is chance, so that each level scatters by a factor of 1.6 about the second "
        f"order; over {levels} halvings that is 0.2 of the order, taken two and a half times"
    )
    for scheme in subject.schemes:
        base = shortened(case.run(subject, variant, scheme), end)
        measure = partial(_order_of_instants, base, true, steps)
        allowed = Tolerance(SCATTER, "absolute", why)
        yield order_check(case, variant, base, "contact_instants", measure, 2.0, allowed)


def _order_of_instants(base: Run, true: Floats, steps: list[float], bench: Bench) -> float:
    def mean(step: float) -> float:
        found = vibro_impact.impacts(bench.observe(constant_step(base, step)))
        seen = np.array([[i.start, i.end] for i in found]).ravel()
        if not 0 < seen.size <= true.size:
            raise SolverFailure(f"{len(found)} complete impacts with a step of {step:g} s, there are {true.size // 2}")
        return float(np.sqrt(np.mean((seen - true[: seen.size]) ** 2)))

    return observed_order(errors_over_steps(mean, 0.0, steps))


def duration_order(case: Case, subject: Subject, variant: Variant, coarsest: float, levels: int) -> Iterator[Check]:
    """Yield the observed order of the first contact's duration, for schemes with a period error of order 2."""
    if not subject.own or subject.overrides:
        return
    touch, release = vibro_impact.true_instants(case.values(variant.changes))[:2]
    why = f"order 2 in contact, {levels} halvings; no contact before, whose errors would be chance"

    def duration(o: Observation) -> float:
        return vibro_impact.impact(o, 1).duration

    for scheme in subject.schemes:
        if impact_theory.period_error(scheme):
            base = shortened(case.run(subject, variant, scheme), float(2 * release - touch))
            measure = partial(_order_of, duration, float(release - touch), base, halvings(coarsest, levels))
            allowed = Tolerance(0.1, "absolute", why)
            yield order_check(case, variant, base, "first_contact_duration", measure, 2.0, allowed)


def _order_of(read: Callable[[Observation], float], true: float, base: Run, steps: list[float], bench: Bench) -> float:
    return observed_order(errors_over_steps(lambda step: read(bench.observe(constant_step(base, step))), true, steps))


def shortened(base: Run, end: float) -> Run:
    """Return a run that ends earlier (s)."""

    def build(values: Values) -> Problem:
        problem = base.build(values)
        assert problem.output_times is not None
        return replace(problem, end=end, output_times=problem.output_times[problem.output_times <= end])

    return replace(base, key=f"{base.key}/end={end}", build=build)
