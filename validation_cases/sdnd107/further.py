"""SDND107: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from veridyn.references import zener
from veridyn.references.parameters import Exact
from veridyn.solver.errors import SolverFailure
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    Observation,
    Published,
    Run,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import energy, residuals, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import order_check
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import archived_whole, constant_step
from veridyn.validation_cases.sdnd107 import measures, theory
from veridyn.validation_cases.sdnd107.published import TIMES
from veridyn.validation_cases.sdnd107.theory import DIGITS
from veridyn.validation_cases.tolerances import Tolerance, cited, from_theory, roundoff

Floats = NDArray[np.float64]

ASTER_STEP = 2.5e-3  # s
COARSE, LEVELS = 4e-3, 4  # s, halvings
PRINTED = 9  # digits of the table of the test


def table_instants() -> Floats:
    """Return the 201 instants (s) of the table: every 0.01 s up to 0.8 s, then every 0.02 s."""
    return np.concatenate((np.arange(81) / 100, np.arange(41, 161) / 50))


@lru_cache(maxsize=8)
def _table(values: tuple[tuple[str, Exact], ...]) -> Floats:
    """Return the truth (201, 2), displacement and force, rounded to the digits that the table prints."""
    motion = zener.motion(**dict(values), digits=DIGITS)
    states = (motion.state(round(t, 2)) for t in table_instants().tolist())
    return np.array([[float(f"{float(number):.{PRINTED - 1}e}") for number in (s.x, s.force)] for s in states])


def _parity_run(case: Case, cell: Published) -> Run:
    values = case.values(case.variant(cell.variant).changes)
    settings = {"scheme": cell.scheme, "step": ASTER_STEP}
    return Run(f"{case.name}/aster/{cell.scheme}", values, case.problem, settings)


def deviation(cell: Published, o: Observation) -> float:
    """Return the largest deviation from the table over its largest magnitude, as the test reads it."""
    wanted, kind = _table(tuple(sorted(o.values.items()))), cell.quantity.removeprefix("deviation_of_")
    column, history = (
        (0, o.response.displacement[:, 0]) if kind == "displacement" else (1, measures.history(o, "force"))
    )
    found = np.interp(table_instants(), o.response.time, history)
    return float(np.abs(found - wanted[:, column]).max() / np.abs(wanted[:, column]).max())


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the deviations from its table that Code_Aster prints for its scheme DIFF_CENTRE."""
    yield from parity_checks(case, subject, variant, _parity_run, deviation)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the displacements at six instants together."""
    if not subject.own or subject.overrides:
        return
    motion = zener.motion(**case.values(variant.changes), digits=DIGITS)
    true = np.array([float(motion.displacement(time)) for time in TIMES])
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        expected = 1.0 if scheme in theory.LATE and variant.name == "linear" else 2.0
        why = f"a smooth law, {LEVELS} halvings; the order of the law, or of a start half a step late"
        measure = partial(_observed_order, base, true)
        yield order_check(case, variant, base, "displacement", measure, expected, Tolerance(0.1, "absolute", why))


def _observed_order(base: Run, true: Floats, bench: Bench) -> float:
    def worst(step: float) -> float:
        return error_at(bench.observe(constant_step(archived_whole(base), step)), true)

    return observed_order(errors_over_steps(worst, 0.0, halvings(COARSE, LEVELS)))


def error_at(o: Observation, true: Sequence[float] | Floats) -> float:
    """Return the largest error of the displacement at the six instants (m)."""
    found = np.array([measures.displacement(o, float(time)) for time in TIMES])
    return float(np.abs(found - true).max())


def _work(force: Floats, path: Floats) -> Floats:
    return np.concatenate(([0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(path))))


def _device_residual(o: Observation) -> float:
    """Return the largest |work - stored - dissipated| of the device over its largest stored energy."""
    k1, k2, k3 = (o[name] for name in ("k1", "k2", "k3"))
    force, u = measures.history(o, "force"), measures.history(o, "elongation")
    dashpot, path = measures.history(o, "dashpot_force"), measures.history(o, "dashpot_path")
    stored = 0.5 * (force**2 / k1 + k2 * (u - force / k1) ** 2 + dashpot**2 / k3)
    if not stored.any():
        raise SolverFailure("the device stores no energy at any instant")
    residual = _work(force, u) - (stored - stored[0]) - _work(dashpot, path)
    return float(np.abs(residual).max() / stored.max())


def _energy(values: Values) -> float:
    """Return an energy of the true motion (J): kinetic at the largest velocity, elastic at the largest displacement."""
    s = theory.scales(values)
    return 0.5 * s.m * s.v**2 + 0.5 * s.relaxed * s.x**2


def _read_energy(run: Run, _: str) -> Tolerance:
    """Return how well the energy of the whole is read: (r h)² of the fastest rate."""
    s = theory.scales(run.values)
    rate = max(s.fast, s.rate, s.omega if s.load else 0.0)
    what = "differenced velocities, trapezoidal work"
    return from_theory(2, rate**2, float(run.settings["step"]), what=what, kind="absolute")


def _summed(run: Run, _: str) -> Tolerance:
    """Return the rounding of the sums of work: what they add up is exact for lines."""
    steps = run.problem.end / float(run.settings["step"])
    return roundoff(16 * math.sqrt(steps), what="sums of work over all steps", kind="absolute")


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy of the whole, and that of the device: work, springs, dashpot."""
    cite = cited("twice the 1e-3 of Code_Aster's test SDND107C for displacement and force", 2e-3, kind="absolute")
    unit = "of the largest energy"
    yield from energy(case, subject, variant, unit, lambda o: _energy(o.values), _read_energy, cite)
    name, unit = "device_energy_residual", "of the largest energy stored in the device"
    yield from residuals(case, subject, variant, name, unit, _device_residual, _summed, cite)


MAKERS = (parity, order, balance, velocities)
