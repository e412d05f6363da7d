"""SDND100: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from veridyn.references import friction_decay
from veridyn.references.certified import Certified
from veridyn.solver.elements import Friction, Stop
from veridyn.solver.problem import MechanicalProblem, Modes
from veridyn.validation_cases.case import (
    Bench,
    Case,
    Check,
    Observation,
    Published,
    Run,
    Settings,
    Subject,
    Values,
    Variant,
)
from veridyn.validation_cases.consistency import energy, flags, friction_cone, velocities
from veridyn.validation_cases.convergence import errors_over_steps, halvings, observed_order
from veridyn.validation_cases.making import always, check_of, order_check, quantity_of, reading
from veridyn.validation_cases.parity import parity_checks
from veridyn.validation_cases.refining import refined
from veridyn.validation_cases.sdnd100 import measures, theory
from veridyn.validation_cases.sdnd100.measures import SLIDER, half_cycles_of, period
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly, from_theory

ASTER_STIFFNESS = 4e5
ASTER_STEP = 5e-4
MASS_OF_MODE = 2.0  # of the mode (1, 1), normalised to its largest component


def aster_model(values: Values) -> MechanicalProblem:
    """Return the problem as Code_Aster models it: one mode, overlapping obstacle, regularised friction."""
    m, k, mu, x0, angle = (float(values[name]) for name in ("m", "k", "mu", "x0", "angle"))
    mass, stiffness = MASS_OF_MODE * m, MASS_OF_MODE * k
    # automatic tangential damping: critical for the generalised mass and stiffness, whatever they move
    damping = 2 * math.sqrt(mass * (stiffness + ASTER_STIFFNESS))
    tangents = np.eye(2)[: int(float(values["directions"]))]
    return MechanicalProblem(
        name="sdnd100 as modelled by Code_Aster",
        modes=Modes(
            omega=np.array([math.sqrt(k / m)]), damping=np.zeros(1), masses=np.array([mass]), shapes=np.ones((2, 1))
        ),
        initial_displacement=np.full(2, x0 * math.cos(angle)),
        initial_velocity=np.zeros(2),
        end=0.3,
        output_times=np.array([number * math.pi / math.sqrt(k / m) for number in (1, 2, 3, 4)]),
        # the plane does not move with the slider: overlap times stiffness is the constant normal force of 10 N
        stops=(Stop("plane", np.zeros(2), gap=-0.5, stiffness=20.0),),
        frictions=(Friction(SLIDER, tuple(tangents), "plane", mu, mu, "regularised", ASTER_STIFFNESS, damping),),
        coordinates=("x", "y"),
    )


def _adaptive(first: float) -> Settings:
    """Return the settings of DEVOGE: steps end on the four instants that are archived."""
    bounds = {"smallest": 1e-10, "largest": ASTER_STEP / first, "tolerance": 1e-8}
    quirks = {"rescaled_past": True, "slipped_start": True}
    return {"step": first, **bounds, **quirks, "archive_at": "output_times", "land": True}


def parity_run(case: Case, cell: Published) -> Run:
    """Return the run that copies model and settings of a test."""
    values = case.values(case.variant(cell.variant).changes)
    first = 1e-4 if cell.variant == "isotropic" else 1e-6
    adaptive = cell.scheme == "devogelaere_adaptive"
    settings = {"scheme": cell.scheme, **(_adaptive(first) if adaptive else {"step": ASTER_STEP})}
    return Run(f"{case.name}/{cell.variant}/aster/{cell.scheme}", values, aster_model, settings)


def _read(cell: Published, o: Observation) -> float:
    """Read a displacement as the test does: linearly between what is archived."""
    instant = int(cell.quantity[-1]) * period(o.values) / 2
    return float(np.interp(instant, o.response.time, o.response.displacement[:, 0]))


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every displacement that Code_Aster's tests printed for our schemes."""
    yield from parity_checks(case, subject, variant, parity_run, _read)


def _true_turns(values: Values) -> list[float]:
    return [float(t) for t, _ in friction_decay.motion(**values, digits=15).turns()[1:]]


def _seen_turns(o: Observation) -> list[float]:
    return [slip.end for slip in measures.slips(o)]


def _directions(o: Observation) -> str:
    return " ".join("+" if slip.direction > 0 else "-" for slip in measures.slips(o))


def _true_directions(values: Values) -> str:
    first = -1 if float(values["x0"]) > 0 else 1
    return " ".join("+" if first * (-1) ** n > 0 else "-" for n in range(half_cycles_of(values)))


def _worst_turn(o: Observation) -> float | None:
    seen, true = _seen_turns(o), _true_turns(o.values)
    if len(seen) != len(true):
        return None
    return max((abs(a - b) for a, b in zip(seen, true, strict=True)), default=0.0)


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the slips by order and time; `half_cycles` counts them."""
    values = case.values(variant.changes)
    instant = quantity_of(case, "stop_time").tolerance
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        make = partial(check_of, case, variant, scheme, run, kind="events")
        yield make(
            quantity="slip_order",
            unit="",
            measure=reading(run, _directions),
            reference=lambda: _true_directions(values),
            tolerance=always(exactly("slips have directions in order")),
        )
        yield make(
            quantity="turning_times",
            unit="s",
            measure=reading(run, _worst_turn),
            reference=always(0.0),
            tolerance=partial(instant, values, scheme if subject.own else "", run.settings),
        )


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield energy balance and friction cone."""
    cite = cited("tolerance 1e-3 of Code_Aster's tests SDND100, of the energy at the release", 1e-3, kind="absolute")
    unit = "of the energy at the release"
    yield from energy(case, subject, variant, unit, lambda o: 0.5 * o["k"] * o["x0"] ** 2, _read_energy, cite)
    yield from friction_cone(case, subject, variant, "of mu N", lambda o: o["mu"] * o["m"] * o["g"])


def _read_energy(run: Run, _: str) -> Tolerance:
    values, omega = run.values, 2 * math.pi / period(run.values)
    stages = 2 * theory.held_of(values) / abs(float(values["x0"])) * max(half_cycles_of(values), 1)
    what = "trapezoidal work of smooth forces, and per turn a step in which force and velocity disagree"
    return from_theory(2, omega**2 * (1 + 2 * stages), float(run.settings["step"]), what=what, kind="absolute")


ORDER_LEVELS = 4
WHY = (
    "elastic slip R/k_T with k_T h² constant, and the lag of a turn: both of order 2; where turns fall into their "
    "steps is chance, and changes the smaller of the two; four halvings"
)


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the final position when step and penalty time constant are halved together."""
    if not subject.own or subject.overrides or variant.name != "line":
        return
    truth = partial(quantity_of(case, "final_position").truth, case.values(variant.changes))
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        measure = partial(_observed_order, base, truth)
        yield order_check(case, variant, base, "final_position", measure, 2.0, Tolerance(0.2, "absolute", WHY))


def _observed_order(base: Run, truth: Callable[[], Certified], bench: Bench) -> float:
    steps = halvings(4 * float(base.settings["step"]), ORDER_LEVELS)
    errors = errors_over_steps(
        lambda h: measures.final_position(bench.observe(refined(base, h))), float(truth()), steps
    )
    return observed_order(errors)


MAKERS = (parity, events, balance, order, velocities, flags)
