"""SDND101: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import elastic_stop
from veridyn.references.certified import Certified
from veridyn.solver.balance import energy_residual
from veridyn.solver.impacts import sampled_impacts, statistics
from veridyn.solver.problem import MechanicalProblem
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    CheckMaker,
    Observation,
    Published,
    Run,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import stop_forces, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, asked_of, check_of, count_check, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.sdnd101 import measures
from veridyn.validation_cases.sdnd101.measures import MANY, frequencies
from veridyn.validation_cases.sdnd101.theory import damped, duration, period_error
from veridyn.validation_cases.tolerances import Tolerance, cited, from_theory

Build = Callable[[Values], MechanicalProblem]

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
    """Yield every value that the impact table of Code_Aster prints."""
    yield from parity_checks(case, subject, variant, _parity_run, _sampled)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the contact duration, interpolated between samples: the manual's open study."""
    if not subject.own or subject.overrides or variant.name != SHORT:
        return
    truth = partial(quantity_of(case, "contact_duration").truth, case.values(variant.changes))
    why = "order 2 in contact and flight; five halvings, next term (w_c h)² smaller"
    for scheme in subject.schemes:
        leading = period_error(scheme)
        if leading is None:  # a higher order in each phase, broken at the kinks: no clean power of the step
            continue
        base = case.run(subject, variant, scheme)
        measure = partial(_observed_order, base, truth)
        yield order_check(case, variant, base, "contact_duration", measure, 2.0, Tolerance(0.05, "absolute", why))
        yield _leading_error(case, variant, base, truth, leading)


def _observed_order(base: Run, truth: Callable[[], Certified], bench: Bench) -> float:
    steps = halvings(float(base.settings["step"]), ORDER_LEVELS)

    def measured(step: float) -> float:
        return measures.contact_duration(bench.observe(constant_step(base, step)))

    return observed_order(errors_over_steps(measured, float(truth()), steps))


def _leading_error(case: Case, variant: Variant, base: Run, truth: Callable[[], Certified], leading: float) -> Check:
    """Return the comparison of the error itself, sign included, with its leading term."""
    wc = frequencies(base.values)[1]
    h = float(base.settings["step"])
    why = "the next terms are (w_c h)² smaller, and the contact instants lie on cubics through a kink"
    return check_of(
        case,
        variant,
        str(base.settings["scheme"]),
        base,
        quantity="leading_error_of_contact_duration",
        kind="order",
        unit="",
        measure=reading(base, lambda o: measures.contact_duration(o) / float(truth()) - 1),
        reference=always(leading * (wc * h) ** 2),
        tolerance=always(Tolerance(0.1, "relative", why)),
    )


def _given(values: Values) -> dict[str, Any]:
    return {name: values[name] for name in ("m", "k", "kc", "v0")}


def true_instants(values: Values, count: int) -> NDArray[np.float64]:
    """Return touch and release of the first impacts, one after the other (s)."""
    given = _given(values)
    cycle = float(elastic_stop.contact_start(shock=2, **given, digits=20))
    starts = np.arange(count) * cycle
    return np.column_stack((starts, starts + float(elastic_stop.contact_duration(**given, digits=20)))).ravel()


def _worst_instant(count: int, o: Observation) -> float | None:
    found = measures.impacts(o)
    if len(found) != count:
        return None
    seen = np.array([[i.start, i.end] for i in found]).ravel()
    return float(np.abs(seen - true_instants(o.values, count)).max())


def _run(case: Case, subject: Subject, variant: Variant, scheme: str, build: Build) -> Run:
    run = case.run(subject, variant, scheme)
    return replace(run, build=build) if variant.name == LONG else run


def events(build: Build, case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield impacts by count and contact instants by time; in order, since each is compared with its own."""
    count = MANY if variant.name == LONG else 2
    values = case.values(variant.changes)
    passed = count * float(true_instants(values, 2)[2])
    cite = cited("a thousandth of the time passed, Code_Aster's tolerance for instants", 1e-3 * passed, kind="absolute")
    for scheme in subject.schemes:
        run = _run(case, subject, variant, scheme, build)
        yield count_check(case, variant, scheme, run, "impacts", measures.impacts, count)
        theory = _instants(run, scheme, passed) if subject.own else cite
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="contact_instants",
            kind="events",
            unit="s",
            measure=reading(run, partial(_worst_instant, count)),
            reference=always(0.0),
            tolerance=always(theory),
        )


def _instants(run: Run, scheme: str, passed: float) -> Tolerance:
    relative = duration(run.values, scheme, run.settings)
    return Tolerance(relative.value * passed, "absolute", f"{relative.reason}; every cycle adds to it")


def balance(build: Build, case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield energy over the whole run, and momentum over each impact."""
    wc = frequencies(case.values(variant.changes))[1]
    what = "contact inside a step leaves up to k_c (v h)²/2 of energy uncounted"
    cite = cited("Code_Aster's tolerance of 1e-3 for forces, twice for energies", 2e-3, kind="absolute")
    residuals: tuple[tuple[str, str, Callable[[Observation], float]], ...] = (
        ("energy_residual", "of m v0²/2", _energy_residual),
        ("impulse_residual", "of 2 m v0", _impulse_residual),
    )
    for scheme in subject.schemes:
        run = _run(case, subject, variant, scheme, build)
        theory = from_theory(2, wc**2, float(run.settings.get("step", 0.0)), what=what, kind="absolute")
        if subject.own:
            theory = _twice_damped(theory, run, scheme, MANY if variant.name == LONG else 2)
        for name, unit, read in residuals:
            yield check_of(
                case,
                variant,
                scheme,
                run,
                quantity=name,
                kind="balance",
                unit=unit,
                measure=reading(run, read),
                reference=always(0.0),
                tolerance=asked_of(subject, theory, cite),
            )


def _twice_damped(allowed: Tolerance, run: Run, scheme: str, impacts: int) -> Tolerance:
    """Return a tolerance of the energy, which is lost twice as fast as the amplitude."""
    half = Tolerance(allowed.value / 2, allowed.kind, allowed.reason)
    lost = damped(half, run.values, scheme, run.settings, impacts)
    return Tolerance(2 * lost.value, lost.kind, lost.reason)


def _energy_residual(o: Observation) -> float:
    energy = 0.5 * o["m"] * o["v0"] ** 2
    return float(np.abs(energy_residual(o.problem, o.response)).max()) / energy


def _impulse_residual(o: Observation) -> float:
    """Return the largest |stop impulse (1 + k/k_c) - 2 m |v|| over the impacts, in 2 m v0.

    During contact the spring k takes the same displacement as the stop, hence k/k_c of its impulse.
    """
    m, k, kc, v0 = (o[name] for name in ("m", "k", "kc", "v0"))
    return max(abs(i.impulse * (1 + k / kc) + 2 * m * i.velocity) for i in measures.impacts(o)) / (2 * m * v0)


def _last_energy(o: Observation) -> float:
    return 0.5 * o["m"] * measures.impact(o, MANY).velocity ** 2


def last_impact(build: Build, case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield force, impulse and energy of the hundredth impact, where lost energy shows."""
    if variant.name != LONG:
        return
    values = case.values(variant.changes)
    readings: tuple[tuple[str, str, str, Callable[[Observation], float], float], ...] = (
        ("peak_force", "peak_force", "N", lambda o: measures.impact(o, MANY).peak_force, 1.0),
        ("impulse", "impulse", "N s", lambda o: measures.impact(o, MANY).impulse, 1.0),
        ("contact_duration", "contact_duration", "s", lambda o: measures.impact(o, MANY).duration, 1.0),
        ("energy", "peak_force", "J", _last_energy, 2.0),  # energy goes with the square of the force
    )
    for scheme in subject.schemes:
        run = _run(case, subject, variant, scheme, build)
        for name, like, unit, read, factor in readings:
            allowed = quantity_of(case, like).tolerance(values, scheme if subject.own else "", run.settings)
            if subject.own and name != "contact_duration":
                allowed = damped(allowed, values, scheme, run.settings, MANY)
            yield check_of(
                case,
                variant,
                scheme,
                run,
                quantity=f"{name}_{MANY}",
                kind="truth",
                unit=unit,
                measure=reading(run, read),
                reference=partial(_last_truth, case, name, values),
                tolerance=always(Tolerance(factor * allowed.value, allowed.kind, allowed.reason)),
            )


def _last_truth(case: Case, name: str, values: Values) -> Certified:
    return elastic_stop.energy(**_given(values)) if name == "energy" else quantity_of(case, name).truth(values)


def makers(long_problem: Build) -> tuple[CheckMaker, ...]:
    """Return the makers of checks; the long run has its own problem."""
    long = (partial(make, long_problem) for make in (last_impact, events, balance))
    return (parity, order, *long, velocities, stop_forces)
