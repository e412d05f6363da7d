"""Beam on a stop: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from veridyn.references import beam_on_stop
from veridyn.solver.balance import energy_residual
from veridyn.solver.interpolation import value_at
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.beam_stop import beam, theory
from veridyn.validation_cases.case import Bench, Case, Check, Observation, Run, Subject, Variant
from veridyn.validation_cases.consistency import energy, residuals, stop_forces, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import order_check
from veridyn.validation_cases.refining import constant_step
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, from_theory

IN_FLIGHT, COARSE, LEVELS = 2.0**-6, 2.0**-10, 4  # s; the first touch is at 0.02 s
AROUND = 4  # steps on each side of a release


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of mid-span before the first touch; after it kinks limit every scheme."""
    if not subject.own or subject.overrides or variant is not case.variants[0]:
        return
    for scheme in subject.schemes:
        s = SCHEMES[scheme]
        if s.damped or s.phase is None:  # two powers of the step, that of the scheme and ξ times a lower one; exact
            continue
        base = case.run(subject, variant, scheme)
        levels = min(LEVELS, 16 // s.order)
        bend = math.log2(1 + s.next_over_leading * float(beam.modes(base.values)[1][-1]) * COARSE) / levels
        allowed = combined(
            Tolerance(0.2, "absolute", f"smooth flight, {levels} halvings"),
            Tolerance(bend, "absolute", "the next term of the error at the longest step, over the halvings"),
        )
        measure = partial(_observed_order, base, levels)
        yield order_check(case, variant, base, "mid_span_in_flight", measure, float(s.order), allowed)


def _observed_order(base: Run, levels: int, bench: Bench) -> float:
    true = float(beam_on_stop.motion(**dict[str, Any](base.values)).mid_span(IN_FLIGHT))

    def measured(step: float) -> float:
        o = bench.observe(constant_step(base, step))
        points = o.response.displacement.shape[1]
        return value_at(o.response.time, o.response.displacement[:, beam.mid_span(points)], IN_FLIGHT)

    return observed_order(errors_over_steps(measured, true, halvings(COARSE, levels)))


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance: stored + dissipated, over the run and across each release."""
    cite = cited("this suite: one percent of the energy at the start", 1e-2, kind="absolute")
    unit = "of the energy at the start"
    yield from energy(case, subject, variant, unit, _start_energy, _read_energy, cite)
    made = "energy_made_at_release"
    yield from residuals(case, subject, variant, made, unit, _made_at_release, _read_energy, cite)


def _start_energy(o: Observation) -> float:
    _, _, speeds = beam.modes(o.values)
    return 0.5 * float(speeds @ speeds)


def _made_at_release(o: Observation) -> float:
    """Return the largest change of the balance from shortly before a release to shortly after it."""
    residual, t = energy_residual(o.problem, o.response), o.response.time[1:-1]
    releases = np.searchsorted(t, theory.events(tuple(o.values.items()))[1::2])
    changes = [residual[min(k + AROUND, t.size - 1)] - residual[k - AROUND] for k in releases]
    return float(np.abs(changes).max()) / _start_energy(o)


def _read_energy(run: Run, scheme: str) -> Tolerance:
    """Return the error with which energies are read from displacements, over that of the start.

    Differenced velocities miss (w h)²/6 of each, the phase error e (w h)² counts twice; a touch or release inside a
    step leaves up to k_c (v h)²/2 uncounted; where velocities lag by λ h, dampers are off by λ h c of the kinetic
    energy.
    """
    given = tuple(run.values.items())
    p, s = theory.path(given), SCHEMES[scheme]
    _, w, speeds = beam.modes(run.values)
    kinetic = 0.5 * p.states[:, w.size : 2 * w.size] ** 2
    start, step = 0.5 * float(speeds @ speeds), float(run.settings["step"])
    ahead = abs(s.in_contact.constant) if s.in_contact.order == 2 else 0.0
    stiff = w**2 + 2 * float(run.values["kc"])
    smooth = float((kinetic @ stiff).max()) * (1 / 3 + 2 * ahead + 1 / 12)
    kinks = sum((theory.slope(p, k) / p.stiffness) ** 2 for k in p.events) * p.stiffness / 2
    late = 4 * s.lag * float((kinetic @ (2 * float(run.values["xi"]) * w)).max())
    return combined(
        from_theory(2, smooth / start, step, what="differenced velocities and phase error", kind="absolute"),
        from_theory(2, kinks / start, step, what="contacts inside a step, k_c (v h)²/2 each", kind="absolute"),
        from_theory(1, late / start, step, what="dampers that see velocities that lag", kind="absolute"),
    )


MAKERS = (order, balance, stop_forces, velocities)
