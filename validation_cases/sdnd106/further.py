"""SDND106: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from veridyn.references.certified import Certified
from veridyn.solver.elements import Friction, Load, Stop
from veridyn.solver.interpolation import value_at
from veridyn.solver.problem import MechanicalProblem, Modes
from veridyn.solver.time_functions import Piecewise
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
from veridyn.validation_cases.consistency import energy, flags, friction_cone
from veridyn.validation_cases.consistency import velocities as velocities_of
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import refined
from veridyn.validation_cases.sdnd106 import measures, theory
from veridyn.validation_cases.sdnd106.measures import COORDINATES, RUBBING
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly

ASTER_STEP, ASTER_STIFFNESS, RAMP_END = 1e-4, 5e7, 0.200001
ARCHIVED = ("0.02", "0.15", "0.339965")


def aster_model(values: Values) -> MechanicalProblem:
    """Return the problem as Code_Aster models it: two modes, overlapping obstacle, ramp, regularised friction."""
    m, k, pull, off, mu_s, mu_d = (float(values[name]) for name in ("m1", "k", "pull", "t_off", "mu_s", "mu_d"))
    mass = 2 * m  # of both modes, normalised to their largest component
    # automatic tangential damping: critical for the generalised mass of the rigid-body mode
    damping = 2 * math.sqrt(mass * ASTER_STIFFNESS)
    ramp = Piecewise((0.0, off, RAMP_END), ((pull,), (pull, -pull / (RAMP_END - off)), (0.0,)))
    return MechanicalProblem(
        name="sdnd106 as modelled by Code_Aster",
        modes=Modes(
            omega=np.array([0.0, math.sqrt(2 * k / m)]),
            damping=np.zeros(2),
            masses=np.full(2, mass),
            shapes=np.array([[1.0, 1.0], [1.0, -1.0]]),
        ),
        initial_displacement=np.zeros(2),
        initial_velocity=np.zeros(2),
        end=0.35,
        output_times=np.array([float(t) for t in ARCHIVED]),
        loads=(Load(np.array([0.0, 1.0]), ramp),),
        # the plane does not move with the masses: overlap times stiffness is the constant normal force of 1e4 N
        stops=(Stop("plane", np.zeros(2), gap=-1.0, stiffness=1e4),),
        frictions=(
            Friction(RUBBING, (np.array([1.0, 0.0]),), "plane", mu_s, mu_d, "regularised", ASTER_STIFFNESS, damping),
        ),
    )


def parity_run(case: Case, cell: Published) -> Run:
    """Return the run that copies model and settings of the test; its steps end on the archived instants."""
    values = case.values(case.variant(cell.variant).changes)
    settings = {
        "scheme": cell.scheme,
        "step": ASTER_STEP,
        "largest": 1.0,
        "weight_of_try": True,
        "archive_at": "output_times",
        "land": True,
    }
    return Run(f"{case.name}/{cell.variant}/aster/{cell.scheme}", values, aster_model, settings)


def read_sample(cell: Published, o: Observation) -> float:
    """Read a displacement or velocity where it is archived."""
    what, instant = cell.quantity.split("@")
    histories = o.response.displacement if what.startswith("x") else o.response.velocity
    return value_at(o.response.time, histories[:, COORDINATES[what]], float(instant))


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every number that Code_Aster's test printed for our schemes."""
    yield from parity_checks(case, subject, variant, parity_run, read_sample)


def _seen(o: Observation) -> list[tuple[float, str]]:
    seen = []
    for slip in measures.slips(o):
        seen += [(slip.start, "slip+" if slip.direction > 0 else "slip-"), (slip.end, "stick")]
    return seen


def _order(o: Observation) -> str:
    return " ".join(kind for _, kind in _seen(o))


def _time_of(number: int, o: Observation) -> float | None:
    seen = _seen(o)
    return seen[number][0] if len(seen) > number else None


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the changes of phase by count and order, and each by time."""
    values = case.values(variant.changes)
    true = theory.changes(values)
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        make = partial(check_of, case, variant, scheme, run, kind="events")
        yield make(
            quantity="phase_order",
            unit="",
            measure=reading(run, _order),
            reference=always(" ".join(kind for _, kind in true)),
            tolerance=always(exactly("phases have an order")),
        )
        for number, (time, _) in enumerate(true):
            yield make(
                quantity=f"phase_time_{number + 1}",
                unit="s",
                measure=reading(run, partial(_time_of, number)),
                reference=always(time),
                tolerance=partial(theory.change, values, scheme if subject.own else "", run.settings, number),
            )


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield energy balance and friction cone."""
    cite = cited("2e-3 m of Code_Aster's test SDND106a on 3.97 m", 5e-4 * 10, kind="absolute")

    def ours(run: Run, _: str) -> Tolerance:
        return theory.energy_residual(run.values, run.settings)

    yield from energy(case, subject, variant, "of F²/k", lambda o: o["pull"] ** 2 / o["k"], ours, cite)
    yield from friction_cone(case, subject, variant, "of mu_s N", lambda o: o["mu_s"] * o["normal"])


ORDER_LEVELS = 4
LATE = {"symplectic_euler": 1.0, "euler_adaptive": 1.0}  # their velocity is half a step late, which a_0 shows
WHY = "stick: penalty error m/k_T and step error fall with the square, the start of a late velocity with the step"


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of x2 before the break-away, step and penalty time constant halved together."""
    if not subject.own or subject.overrides or variant.name != "stat-dyna":
        return
    truth = partial(quantity_of(case, "x2@0.02").truth, case.values(variant.changes))
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        measure = partial(_observed_order, base, truth)
        allowed = Tolerance(0.15, "absolute", f"{WHY}; four halvings")
        yield order_check(case, variant, base, "x2@0.02", measure, LATE.get(scheme, 2.0), allowed)


def _observed_order(base: Run, truth: Callable[[], Certified], bench: Bench) -> float:
    def x2(step: float) -> float:
        return measures.state_at(bench.observe(refined(base, step)), "x2", 0.02)

    steps = halvings(4 * float(base.settings["step"]), ORDER_LEVELS)
    return observed_order(errors_over_steps(x2, float(truth()), steps))


def velocities(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of velocities with slopes where m1 slips; held, it moves as the stick spring does."""
    if theory.changes(case.values(variant.changes)):
        yield from velocities_of(case, subject, variant)


MAKERS = (parity, events, balance, order, velocities, flags)
