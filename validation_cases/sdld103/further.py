"""SDLD103: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from veridyn.solver.balance import energy_residual
from veridyn.solver.basis import driven_displacement, modal_basis
from veridyn.validation_cases.case import Bench, Case, Check, Observation, Published, Run, Settings, Subject, Values, Variant
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.sdld103.measures import NODES, relative
from veridyn.validation_cases.tolerances import Tolerance, cited, from_theory, roundoff

ASTER_STEP = 1e-3
RESTITUTION = 0.05  # s between the instants that the manual restores

ASTER_SETTINGS: dict[str, Settings] = {
    "symplectic_euler": {},
    "devogelaere": {},
    "central_adaptive": {"control": "2002", "velocity_floor": "maximum", "archive_grid": ASTER_STEP, "tries": 11},
}

COARSE, ORDER_LEVELS = 4e-3, 4
ORDERS = {"symplectic_euler": 2, "central_adaptive": 2, "devogelaere": 4}


def frequency_tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - same for all
    """Symmetric eigenvalue problems of this size are solved to a few roundings."""
    return roundoff(50, what="eigenvalues of a well-conditioned 3 x 3 problem")


def frequencies(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Natural frequencies of our modal basis."""
    if not subject.own or variant.name == "B":
        return
    scheme = subject.schemes[0]
    run = case.run(subject, variant, scheme)
    for i, quantity in enumerate(q for q in case.quantities if q.name.startswith("frequency")):
        yield Check(
            case=case.name,
            variant=variant.name,
            quantity=quantity.name,
            scheme="",
            kind="truth",
            unit=quantity.unit,
            run=run,
            measure=lambda bench, run=run, i=i: float(modal_basis(bench.observe(run).problem).omega[i]) / (2 * np.pi),
            reference=lambda quantity=quantity: quantity.truth(run.values),
            tolerance=lambda quantity=quantity: quantity.tolerance(run.values, "", run.settings),
        )


def _parity_run(case: Case, cell: Published) -> Run:
    settings = {"scheme": cell.scheme, "step": ASTER_STEP, **ASTER_SETTINGS[cell.scheme]}
    return Run(f"{case.name}/aster/{cell.scheme}", case.values(), case.problem, settings)


def _restored(cell: Published, o: Observation) -> float:
    """Displacement as the manual reads it: archive every 0.05 s, linear interpolation, magnitude."""
    name, time = cell.quantity.split("@")
    part, node = name.split("_")
    instants = np.arange(0.0, 1.0 + RESTITUTION / 2, RESTITUTION)
    column = NODES.index(node)
    x = np.interp(instants, o.response.time, o.response.displacement[:, column])
    if part == "absolute":
        x = x + driven_displacement(o.problem, instants)[:, column]
    return abs(float(np.interp(float(time), instants, x)))


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Every displacement that the manual prints for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, _restored)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Observed order of the relative displacements at 1 s, all nodes together."""
    if not subject.own or subject.overrides or variant.name == "B":
        return
    quantities = {q.name: q for q in case.quantities}
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)

        def measure(bench: Bench, base: Run = base) -> float:
            true = np.array([float(quantities[f"relative_{node}@1.0"].truth(base.values)) for node in NODES])

            def worst(step: float) -> float:
                o = bench.observe(constant_step(base, step))
                return float(np.abs(np.array([relative(o, node, 1.0) for node in NODES]) - true).max())

            return observed_order(errors_over_steps(worst, 0.0, halvings(COARSE, ORDER_LEVELS)))

        expected = float(ORDERS[scheme])
        yield Check(
            case=case.name,
            variant=variant.name,
            quantity="order_of_displacement",
            scheme=scheme,
            kind="order",
            unit="",
            run=base,
            measure=measure,
            reference=lambda expected=expected: expected,
            tolerance=lambda: Tolerance(
                0.1, "absolute", "linear problem, smooth load: the clean order; four halvings from w_3 h = 0.23"
            ),
        )


def constant_step(base: Run, step: float) -> Run:
    """Return a run with a constant step, also of the adaptive scheme."""
    changed = {"step": step}
    if "largest" in base.settings:
        changed |= {"largest": step, "smallest": step}
    return replace(base, key=f"{base.key}/h={step}", settings={**base.settings, **changed})


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Energy: stored = work of the inertia forces that the support motion causes."""
    if variant.name == "B":
        return
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        step = float(run.settings.get("step", 0.0))
        highest = float(modal_basis(run.problem).omega[-1])  # type: ignore[arg-type]
        theory = from_theory(2, highest**2, step, what="trapezoidal work and differenced velocities, (w_3 h)²", kind="absolute")
        cite = cited("twice the 1e-3 of Code_Aster's test SDLD103A for displacements", 2e-3, kind="absolute")
        yield Check(
            case=case.name,
            variant=variant.name,
            quantity="energy_residual",
            scheme=scheme,
            kind="balance",
            unit="of the final strain energy",
            run=run,
            measure=lambda bench, run=run: _worst_residual(bench.observe(run)),
            reference=lambda: 0.0,
            tolerance=lambda theory=theory, cite=cite: theory if subject.own else cite,
        )


def _worst_residual(o: Observation) -> float:
    x = o.response.displacement[-1]
    strain = 0.5 * float(x @ o.problem.stiffness @ x)
    return float(np.abs(energy_residual(o.problem, o.response)).max()) / strain


MAKERS = (frequencies, parity, order, balance)
