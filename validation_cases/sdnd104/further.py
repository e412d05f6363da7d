"""SDND104: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.references import sliding_block
from veridyn.solver.balance import energy_residual
from veridyn.solver.elements import Friction, Stop, SupportMotion
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.time_functions import Harmonic, sample
from veridyn.solver.wear import sampled_wear_power
from veridyn.validation_cases.case import Bench, Case, Check, Observation, Published, Run, Settings, Subject, Values, Variant
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.sdnd104 import measures
from veridyn.validation_cases.sdnd104.published import TEST_FILE
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly, from_theory, roundoff

ASTER_STEP, ASTER_STIFFNESS, ASTER_SPRING = 1e-4, 9e6, 3e-5
PERIODS_TO_LIMIT = 31  # the transient of a0 = 15 has died to 4e-8 by then


def aster_model(values: Values, *, table: float | None = None) -> MechanicalProblem:
    """Return the problem as Code_Aster models it: weak spring, overlapping obstacle, regularised friction.

    ``table`` (s) samples the accelerogram, as its newer test does.
    """
    shake = SupportMotion.from_acceleration("plate", [1.0], Harmonic(str(values["a0"]), str(values["omega"])))
    end, mu = float(values["t_end"]), float(values["mu"])
    if table:
        instants = np.arange(round(end / table) + 1) * table
        shake = replace(shake, acceleration=sample(shake.acceleration, instants.tolist()))
    damping = 2 * math.sqrt(ASTER_STIFFNESS + ASTER_SPRING)  # critical, for the unit mass
    return MechanicalProblem(
        name="sdnd104 as modelled by Code_Aster",
        mass=[[1.0]],
        stiffness=[[ASTER_SPRING]],
        initial_displacement=[0.0],
        initial_velocity=[0.0],
        end=end,
        supports=(shake,),
        # the plane does not move with the slip: overlap times stiffness is the constant normal force of 10 N
        stops=(Stop("plane", [0.0], gap=-0.5, stiffness=20.0),),
        frictions=(Friction("shoe", ([1.0],), "plane", mu, mu, "regularised", ASTER_STIFFNESS, damping),),
        coordinates=("slip",),
    )


def _tabulated(values: Values) -> MechanicalProblem:
    return aster_model(values, table=5e-5)


ASTER_SETTINGS: dict[str, Settings] = {
    "symplectic_euler": {"step": ASTER_STEP},
    "devogelaere": {"step": ASTER_STEP},
    "central_adaptive": {"step": ASTER_STEP, "control": "2002", "restore_friction": False, "archive_grid": ASTER_STEP},
}
NEW_ADAPTIVE: Settings = {"step": 1e-5, "largest": 1e-4, "tries": 50, "control": "2020", "weight_of_try": True}


def _parity_run(case: Case, cell: Published) -> Run:
    newer = cell.source == TEST_FILE and cell.scheme == "central_adaptive"
    settings = {"scheme": cell.scheme, **(NEW_ADAPTIVE if newer else ASTER_SETTINGS[cell.scheme])}
    values = case.values(case.variant(cell.variant).changes)
    build = _tabulated if newer else aster_model
    return Run(f"{case.name}/{cell.variant}/aster/{cell.scheme}/{newer}", values, build, settings)


def _sampled(cell: Published, o: Observation) -> float:
    shoe = o.response.elements["shoe"]
    return sampled_wear_power(
        o.response.time,
        shoe["normal_force"],
        shoe["sliding_velocity"],
        shoe["stuck"],
        start=o["t_start"],
        end=o["t_end"],
        blocks=8,
        irregular=cell.scheme == "central_adaptive",
    )


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Every wear power that Code_Aster printed for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, _sampled)


def _check(case: Case, variant: Variant, run: Run, scheme: str, **fields: Any) -> Check:
    return Check(case=case.name, variant=variant.name, scheme=scheme, run=run, **fields)


def limit(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Wear power of the periodic limit, from one period after the transient has died out."""
    quantity = next(q for q in case.quantities if q.name == "asymptotic_wear_power")
    values = case.values(variant.changes)
    period = 2 * math.pi / float(values["omega"])
    late = case.values(
        {**values, "t_start": (PERIODS_TO_LIMIT - 1) * period, "t_end": PERIODS_TO_LIMIT * period}
    )
    for scheme in subject.schemes:
        run = replace(case.run(subject, variant, scheme), values=late)
        run = replace(run, key=f"{run.key}/limit")
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity=quantity.name,
            kind="truth",
            unit=quantity.unit,
            measure=lambda bench, run=run: measures.wear_power(bench.observe(run)),
            reference=lambda: quantity.truth(values),
            tolerance=lambda run=run, scheme=scheme: quantity.tolerance(late, scheme if subject.own else "", run.settings),
        )


EVENT_KINDS = {1: "slip+", -1: "slip-", 0: "stick"}


def _true_events(values: Values) -> list[tuple[float, str]]:
    given = {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}
    return [(float(e.time), e.kind) for e in sliding_block.slip_events(**given, until=values["t_end"], digits=15)]


def _seen_events(o: Observation) -> list[tuple[float, str]]:
    # the first phase is the stick at the start, no event
    return [(p.start, EVENT_KINDS[p.direction]) for p in measures.slip_phases(o)[1:]]


def _worst_time(o: Observation) -> float | None:
    seen, true = _seen_events(o), _true_events(o.values)
    if len(seen) != len(true):
        return None
    return max((abs(s[0] - t[0]) for s, t in zip(seen, true, strict=True)), default=0.0)


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Phase changes on [0, t_end] by count, order and time."""
    instant = next(q for q in case.quantities if q.name == "slip_end")
    values = case.values(variant.changes)
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        judged_as = scheme if subject.own else ""
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity="phase_changes",
            kind="events",
            unit="",
            measure=lambda bench, run=run: float(len(_seen_events(bench.observe(run)))),
            reference=lambda: float(len(_true_events(values))),
            tolerance=lambda: exactly("events are counted"),
        )
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity="phase_order",
            kind="events",
            unit="",
            measure=lambda bench, run=run: " ".join(kind for _, kind in _seen_events(bench.observe(run))),
            reference=lambda: " ".join(kind for _, kind in _true_events(values)),
            tolerance=lambda: exactly("events have an order"),
        )
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity="phase_times",
            kind="events",
            unit="s",
            measure=lambda bench, run=run: _worst_time(bench.observe(run)),
            reference=lambda: 0.0,
            tolerance=lambda run=run, judged_as=judged_as: _drifting(instant.tolerance(values, judged_as, run.settings), values),
        )


def _drifting(one: Tolerance, values: Values) -> Tolerance:
    """Reversals in slip-slip hang on the velocity that the earlier ones left."""
    if one.kind == "exact":
        return Tolerance(0.0, "absolute", one.reason)
    return one


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Energy balance over [0, t_end], and the friction cone."""
    values = case.values(variant.changes)
    m, omega, mu, g = (float(values[n]) for n in ("m", "omega", "mu", "g"))
    energy = _energy_scale(case, values)
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        step = float(run.settings.get("step", 0.0))
        theory = from_theory(2, omega**2, step, what="trapezoidal work of smooth forces, (omega h)²", kind="absolute")
        cite = cited("half a percent of the energy scale, the loosest tolerance of Code_Aster's test SDND104A", 5e-3, kind="absolute")
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity="energy_residual",
            kind="balance",
            unit="of the dissipated energy",
            measure=lambda bench, run=run: _residual(bench, run) / energy,
            reference=lambda: 0.0,
            tolerance=lambda theory=theory, cite=cite: theory if subject.own else cite,
        )
        yield _check(
            case,
            variant,
            run,
            scheme,
            quantity="friction_cone",
            kind="balance",
            unit="of mu N",
            measure=lambda bench, run=run: _cone_excess(bench.observe(run), mu * m * g),
            reference=lambda: 0.0,
            tolerance=lambda: roundoff(8, what="|F| <= mu N up to a few roundings", kind="absolute"),
        )


def _energy_scale(case: Case, values: Values) -> float:
    """Dissipated energy of the window (J); where nothing slips, what an elastic stick of the test file stores."""
    worn = next(q for q in case.quantities if q.name == "wear_energy").truth(values)
    friction = float(values["mu"]) * float(values["m"]) * float(values["g"])
    return float(values["mu"]) * float(worn) or friction**2 / ASTER_STIFFNESS


def _residual(bench: Bench, run: Run) -> float:
    o = bench.observe(run)
    return float(np.abs(energy_residual(o.problem, o.response)).max())


def _cone_excess(o: Observation, limit_force: float) -> float:
    """Largest excess of the friction force over mu N, in mu N; 0 if the solver reports no force."""
    force = o.response.elements.get("shoe", {}).get("force", np.zeros(1))
    return max(0.0, float(np.abs(force).max()) / limit_force - 1.0)


ORDER_LEVELS = 4


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Observed order of the wear power when step and penalty time constant are halved together."""
    if not subject.own or subject.overrides or variant.name not in ("a0=15", "a0=1.5", "a0=1.01"):
        return
    quantity = next(q for q in case.quantities if q.name == "wear_power")
    expected = 1.0 if variant.name == "a0=15" else 2.0
    why = (
        "slip-slip: a reversal inside a step is seen at its end, order 1"
        if expected == 1.0
        else "stick-slip: penalty error m/k_T and step error both fall with the square"
    )
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        coarse = 4 * float(base.settings["step"])
        k = float(base.settings["tangential_stiffness"]) / 16

        def measure(bench: Bench, base: Run = base, coarse: float = coarse, k: float = k) -> float:
            def at(step: float) -> float:
                changed = {"step": step, "tangential_stiffness": k * (coarse / step) ** 2}
                changed |= {"largest": step} if "largest" in base.settings else {}
                run = replace(base, key=f"{base.key}/h={step}", settings={**base.settings, **changed})
                return measures.wear_power(bench.observe(run))

            truth = float(quantity.truth(base.values))
            return observed_order(errors_over_steps(at, truth, halvings(coarse, ORDER_LEVELS)))

        yield _check(
            case,
            variant,
            base,
            scheme,
            quantity="order_of_wear_power",
            kind="order",
            unit="",
            measure=measure,
            reference=lambda: expected,
            tolerance=lambda: Tolerance(
                0.15, "absolute", f"{why}; four halvings, events fall differently into the steps at each level"
            ),
        )


MAKERS = (parity, limit, events, balance, order)
