"""SDND105: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.references import buckling_stop
from veridyn.solver.balance import element_history
from veridyn.solver.devices import BucklingStop
from veridyn.solver.interpolation import crossings, value_at
from veridyn.solver.modal import SOLVER
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
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
from veridyn.validation_cases.consistency import energy, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, order_check, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import archived_whole, constant_step
from veridyn.validation_cases.sdnd105 import measures, theory
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly

StopMaker = Callable[..., BucklingStop]

COARSE = {2: 0.02, 3: 0.04, 4: 0.08, 5: 0.08}  # s, by order: errors above rounding, next terms small
LEVELS = 4  # halvings
BEFORE = "0.4"  # s: the stop of variant a has not buckled yet, and all steps lead there
RESTART, ASTER_STEP = 0.5, 2e-4  # s


def _second_run(build: StopMaker, values: Values) -> MechanicalProblem:
    """Return the second of the chained runs of Code_Aster's test: from what its first one, DIFF_CENTRE, leaves."""
    device = build(values)
    first = MechanicalProblem(
        name="sdnd105, before the restart",
        mass=np.eye(1),
        stiffness=np.zeros((1, 1)),
        initial_displacement=np.zeros(1),
        initial_velocity=np.array([2.0]),
        end=RESTART,
        devices=(device,),
    )
    left = SOLVER.solve(first, {"scheme": "symplectic_euler", "step": ASTER_STEP})
    return replace(
        first,
        initial_displacement=left.displacement[-1],
        initial_velocity=left.velocity[-1],
        start=RESTART,
        end=1.0,
        devices=(build(values, crushed=float(left.elements[measures.STOP]["largest_crush"][-1])),),
    )


def _parity_run(build: StopMaker, case: Case, cell: Published) -> Run:
    settings = {"scheme": cell.scheme, "step": ASTER_STEP, "smallest": 1e-4, "largest": 5.0}
    return Run(f"{case.name}/aster/{cell.scheme}", case.values(), partial(_second_run, build), settings)


def _first_buckled(cell: Published, o: Observation) -> float:  # noqa: ARG001 - one cell
    """Return the instant of the first state that is archived after buckling."""
    largest = element_history(o.response, measures.STOP, "largest_crush", of="buckling-stop")
    return float(o.response.time[np.argmax(largest > measures.stop(o).buckling_crush)])


def parity(build: StopMaker, case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the instant of buckling that Code_Aster stores after its restart."""
    yield from parity_checks(case, subject, variant, partial(_parity_run, build), _first_buckled)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the displacement before the stop buckles."""
    if not subject.own or subject.overrides or variant.name != "a":
        return
    motion = buckling_stop.motion(**case.values(variant.changes), digits=20)
    truth = float(motion.displacement(BEFORE))
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        expected = _order_on_the_stop(scheme)
        steps = halvings(COARSE[int(expected)], min(LEVELS, 16 // SCHEMES[scheme].order))
        allowed = Tolerance(0.1 + _bend(scheme, steps), "absolute", "one smooth phase; the next term over the halvings")
        yield order_check(
            case, variant, base, "displacement", partial(_observed_order, base, truth, steps), expected, allowed
        )


def _bend(scheme: str, steps: Sequence[float]) -> float:
    """Return what the next term of the error adds to an order: a phase error of cos over a decay of sin."""
    ratio = SCHEMES[scheme].next_over_leading / math.tan(float(BEFORE)) * steps[0]
    return math.log2(1 + ratio) / (len(steps) - 1)


def _order_on_the_stop(scheme: str) -> float:
    """Return the order of the scheme where the force is that of a contact: the lower of phase error and decay."""
    terms = (SCHEMES[scheme].in_contact, SCHEMES[scheme].decay_in_contact)
    return float(min(term.order for term in terms if term is not None))


def _observed_order(base: Run, truth: float, steps: Sequence[float], bench: Bench) -> float:
    def measured(step: float) -> float:
        o = bench.observe(constant_step(archived_whole(base), step))
        return value_at(o.response.time, measures.path(o), float(BEFORE))

    return observed_order(errors_over_steps(measured, truth, steps))


def _marks(values: Values) -> list[float]:
    """Return the crush at which the phases of the loading begin, the first left out (m)."""
    return [phase.crush for phase in theory.truth(values).loading[1:]]


def _passages(o: Observation) -> list[float]:
    """Return the instants at which the crush passes the marks for the first time (s); fewer if it does not."""
    y = measures.path(o) * o["bodies"]
    turned = int(np.argmax(y)) + 1
    found = (
        [t for t, side in crossings(o.response.time[:turned], y[:turned] - mark) if side > 0]
        for mark in _marks(o.values)
    )
    return [instants[0] for instants in found if instants]


def _worst_passage(o: Observation) -> float | None:
    seen = np.array(_passages(o))
    true = np.array([phase.start for phase in theory.truth(o.values).loading[1:]])
    return float(np.abs(seen - true).max()) if seen.size == true.size else None


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the phases of the loading by count and time; in order, since each is compared with its own."""
    values = case.values(variant.changes)
    t = theory.truth(values)
    cite = cited("1e-3 of Code_Aster's tests SDND105A to C for instants", 1e-3 * t.turning, kind="absolute")
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        fields = {"kind": "events", "reference": always(float(len(_marks(values))))}
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="changes_of_phase",
            unit="",
            measure=reading(run, lambda o: float(len(_passages(o)))),
            tolerance=always(exactly("phases are counted")),
            **fields,
        )
        ours = (
            theory.tolerance(theory.on_passages, lambda _: 1.0)(values, scheme, run.settings) if subject.own else cite
        )
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity="phase_instants",
            unit="s",
            measure=reading(run, _worst_passage),
            tolerance=always(ours),
            **{**fields, "reference": always(0.0)},
        )


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance: what the masses lose is the work of the stop."""
    cite = cited("twice the 1e-3 of Code_Aster's tests SDND105A to C for the crush", 2e-3, kind="absolute")

    def ours(run: Run, _: str) -> Tolerance:
        return theory.residual_of_energy(run.values, float(run.settings["step"]))

    yield from energy(case, subject, variant, "of the launch energy", lambda o: o["energy"] * o["bodies"], ours, cite)


def makers(build: StopMaker) -> tuple[CheckMaker, ...]:
    """Return the makers of checks; the restart builds the stop anew."""
    return (partial(parity, build), order, events, balance, velocities)
