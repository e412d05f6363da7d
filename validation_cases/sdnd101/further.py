"""SDND101: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.references import elastic_stop
from veridyn.references.certified import Certified
from veridyn.solver.balance import energy_residual
from veridyn.solver.impacts import sampled_impacts, statistics
from veridyn.solver.problem import MechanicalProblem
from veridyn.validation_cases.case import Bench, Case, Check, CheckMaker, Observation, Published, Run, Subject, Values, Variant
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.sdnd101 import measures
from veridyn.validation_cases.sdnd101.measures import MANY, frequencies
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly, from_theory

SHORT, LONG = "2-shocks", "100-shocks"
ASTER_STEP = 5e-4
ORDER_LEVELS = 5


def _sampled(cell: Published, o: Observation) -> float:
    stop = o.response.elements["stop"]
    found = sampled_impacts(o.response.time, stop["normal_force"], stop["normal_velocity"])
    if cell.quantity == "sampled_absolute_peak_force":
        return statistics(found, stop["normal_force"]).absolute_peak
    field, number = cell.quantity.removeprefix("sampled_").rsplit("_", 1)
    return float(getattr(found[int(number) - 1], field))


def _parity_run(case: Case, cell: Published) -> Run:
    settings = {"scheme": cell.scheme, "step": ASTER_STEP}
    return Run(f"{case.name}/aster/{cell.scheme}", case.values(), case.problem, settings)


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Every value that the impact table of Code_Aster prints."""
    yield from parity_checks(case, subject, variant, _parity_run, _sampled)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Observed order of the contact duration, interpolated between samples: the study the manual asks for."""
    if not subject.own or subject.overrides or variant.name != SHORT:
        return
    quantity = next(q for q in case.quantities if q.name == "contact_duration")
    for scheme in subject.schemes:
        if scheme == "devogelaere":  # order 4 in each phase, broken at the kinks: no clean power of the step
            continue
        base = case.run(subject, variant, scheme)

        def measure(bench: Bench, base: Run = base) -> float:
            errors = duration_errors(bench, base, float(quantity.truth(base.values)))
            return observed_order(errors)

        yield Check(
            case=case.name,
            variant=variant.name,
            quantity="order_of_contact_duration",
            scheme=scheme,
            kind="order",
            unit="",
            run=base,
            measure=measure,
            reference=lambda: 2.0,
            tolerance=lambda: Tolerance(
                0.05, "absolute", "central differences: period error (w_c h)²/24; five halvings, next term (w_c h)² smaller"
            ),
        )
        yield _leading_error(case, variant, base, quantity)


def _leading_error(case: Case, variant: Variant, base: Run, quantity: Any) -> Check:
    wc = frequencies(base.values)[1]
    h = float(base.settings["step"])

    def measure(bench: Bench) -> float:
        truth = float(quantity.truth(base.values))
        return (measures.contact_duration(bench.observe(base)) - truth) / truth

    return Check(
        case=case.name,
        variant=variant.name,
        quantity="leading_error_of_contact_duration",
        scheme=str(base.settings["scheme"]),
        kind="order",
        unit="",
        run=base,
        measure=measure,
        reference=lambda: -((wc * h) ** 2) / 24,
        tolerance=lambda: Tolerance(
            0.1, "relative", "the next terms are (w_c h)² smaller, and the contact instants lie on cubics through a kink"
        ),
    )


def with_step(base: Run, step: float) -> Run:
    """Return a run with another step."""
    changed = {"step": step} | ({"largest": step} if "largest" in base.settings else {})
    return replace(base, key=f"{base.key}/h={step}", settings={**base.settings, **changed})


def duration_errors(bench: Bench, base: Run, truth: float) -> list[float]:
    """Errors of the contact duration over halvings of the step."""
    steps = halvings(float(base.settings["step"]), ORDER_LEVELS)
    return errors_over_steps(lambda h: measures.contact_duration(bench.observe(with_step(base, h))), truth, steps)


def _given(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("m", "k", "kc", "v0")}


def true_instants(values: Values, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return touch and release of the first impacts, one after the other (s)."""
    given = _given(values)
    first = float(elastic_stop.contact_start(shock=2, **given, digits=20))
    duration = float(elastic_stop.contact_duration(**given, digits=20))
    starts = np.arange(count) * first
    return np.column_stack((starts, starts + duration)).ravel()


def _worst_instant(o: Observation, count: int) -> float | None:
    found = measures.impacts(o)
    if len(found) != count:
        return None
    seen = np.array([[i.start, i.end] for i in found]).ravel()
    return float(np.abs(seen - true_instants(o.values, count)).max())


def _base(case: Case, subject: Subject, variant: Variant, scheme: str, build: Callable[[Values], MechanicalProblem]) -> Run:
    run = case.run(subject, variant, scheme)
    return replace(run, build=build) if variant.name == LONG else run


def events(case: Case, subject: Subject, variant: Variant, build: Callable[[Values], MechanicalProblem]) -> Iterator[Check]:
    """Impacts by count and contact instants by time; in order, since each is compared with its own."""
    count = MANY if variant.name == LONG else 2
    wc = frequencies(case.values(variant.changes))[1]
    for scheme in subject.schemes:
        run = _base(case, subject, variant, scheme, build)
        common = {"case": case.name, "variant": variant.name, "scheme": scheme, "kind": "events", "run": run}
        yield Check(
            **common,  # type: ignore[arg-type]
            quantity="impacts",
            unit="",
            measure=lambda bench, run=run: float(len(measures.impacts(bench.observe(run)))),
            reference=lambda: float(count),
            tolerance=lambda: exactly("impacts are counted"),
        )
        step = float(run.settings.get("step", 0.0))
        cycle = float(true_instants(run.values, 2)[2])
        theory = from_theory(
            2, wc**2 / 12 * cycle * count, step, what="period error of every cycle adds up", kind="absolute"
        )
        cite = cited("a thousandth of the time passed, Code_Aster's tolerance for instants", 1e-3 * cycle * count, kind="absolute")
        yield Check(
            **common,  # type: ignore[arg-type]
            quantity="contact_instants",
            unit="s",
            measure=lambda bench, run=run: _worst_instant(bench.observe(run), count),
            reference=lambda: 0.0,
            tolerance=lambda theory=theory, cite=cite: theory if subject.own else cite,
        )


def balance(case: Case, subject: Subject, variant: Variant, build: Callable[[Values], MechanicalProblem]) -> Iterator[Check]:
    """Energy over the whole run, and momentum over each impact."""
    values = case.values(variant.changes)
    energy = float(elastic_stop.energy(**_given(values), digits=20))
    wc = frequencies(values)[1]
    for scheme in subject.schemes:
        run = _base(case, subject, variant, scheme, build)
        common = {"case": case.name, "variant": variant.name, "scheme": scheme, "kind": "balance", "run": run}
        step = float(run.settings.get("step", 0.0))
        uncounted = from_theory(
            2, wc**2, step, what="contact inside a step leaves up to k_c (v h)²/2 of energy uncounted", kind="absolute"
        )
        cite = cited("Code_Aster's tolerance of 1e-3 for forces, twice for energies", 2e-3, kind="absolute")
        yield Check(
            **common,  # type: ignore[arg-type]
            quantity="energy_residual",
            unit="of m v0²/2",
            measure=lambda bench, run=run: _worst_residual(bench.observe(run)) / energy,
            reference=lambda: 0.0,
            tolerance=lambda uncounted=uncounted, cite=cite: uncounted if subject.own else cite,
        )
        yield Check(
            **common,  # type: ignore[arg-type]
            quantity="impulse_residual",
            unit="of 2 m v0",
            measure=lambda bench, run=run: _impulse_residual(bench.observe(run)),
            reference=lambda: 0.0,
            tolerance=lambda uncounted=uncounted, cite=cite: uncounted if subject.own else cite,
        )


def _worst_residual(o: Observation) -> float:
    return float(np.abs(energy_residual(o.problem, o.response)).max())


def _impulse_residual(o: Observation) -> float:
    """Largest |stop impulse (1 + k/k_c) - 2 m |v|| over the impacts, in 2 m v0.

    During contact the spring k takes the same displacement as the stop, hence k/k_c of its impulse.
    """
    m, k, kc, v0 = (o[name] for name in ("m", "k", "kc", "v0"))
    return max(abs(i.impulse * (1 + k / kc) + 2 * m * i.velocity) for i in measures.impacts(o)) / (2 * m * v0)


def last_impact(
    case: Case, subject: Subject, variant: Variant, build: Callable[[Values], MechanicalProblem]
) -> Iterator[Check]:
    """Force, impulse and energy of the hundredth impact, where lost energy shows."""
    if variant.name != LONG:
        return
    by_name = {q.name: q for q in case.quantities}
    readings: tuple[tuple[str, str, str, Callable[[Observation], float], float], ...] = (
        ("peak_force", f"peak_force_{MANY}", "N", lambda o: measures.impact(o, MANY).peak_force, 1.0),
        ("impulse", f"impulse_{MANY}", "N s", lambda o: measures.impact(o, MANY).impulse, 1.0),
        ("contact_duration", f"contact_duration_{MANY}", "s", lambda o: measures.impact(o, MANY).duration, 1.0),
        ("peak_force", f"energy_{MANY}", "J", lambda o: 0.5 * o["m"] * measures.impact(o, MANY).velocity ** 2, 2.0),
    )
    values = case.values(variant.changes)
    for scheme in subject.schemes:
        run = _base(case, subject, variant, scheme, build)
        for source, name, unit, read, factor in readings:
            quantity = by_name[source]
            allowed = quantity.tolerance(values, scheme if subject.own else "", run.settings)
            yield Check(
                case=case.name,
                variant=variant.name,
                quantity=name,
                scheme=scheme,
                kind="truth",
                unit=unit,
                run=run,
                measure=lambda bench, run=run, read=read: read(bench.observe(run)),
                reference=lambda name=name, quantity=quantity: _last_truth(name, quantity, values),
                tolerance=lambda allowed=allowed, factor=factor: Tolerance(factor * allowed.value, allowed.kind, allowed.reason),
            )


def _last_truth(name: str, quantity: Any, values: Values) -> Certified:
    return elastic_stop.energy(**_given(values)) if name.startswith("energy") else quantity.truth(values)


def makers(long_problem: Callable[[Values], MechanicalProblem]) -> tuple[CheckMaker, ...]:
    """Return the makers of checks; the long run has its own problem."""
    return (
        parity,
        order,
        lambda case, subject, variant: last_impact(case, subject, variant, long_problem),
        lambda case, subject, variant: events(case, subject, variant, long_problem),
        lambda case, subject, variant: balance(case, subject, variant, long_problem),
    )
