"""SDND104: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.references import sliding_block
from veridyn.references.certified import Certified
from veridyn.solver.elements import Friction, Stop, SupportMotion
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.schemes import SCHEMES
from veridyn.solver.time_functions import Harmonic, sample
from veridyn.solver.wear import sampled_wear_power
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
from veridyn.validation_cases.sdnd104 import measures
from veridyn.validation_cases.sdnd104.published import TEST_FILE
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory

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
        mass=np.ones((1, 1)),
        stiffness=np.array([[ASTER_SPRING]]),
        initial_displacement=np.zeros(1),
        initial_velocity=np.zeros(1),
        end=end,
        supports=(shake,),
        # the plane does not move with the slip: overlap times stiffness is the constant normal force of 10 N
        stops=(Stop("plane", np.zeros(1), gap=-0.5, stiffness=20.0),),
        frictions=(Friction("shoe", (np.ones(1),), "plane", mu, mu, "regularised", ASTER_STIFFNESS, damping),),
        coordinates=("slip",),
    )


def _tabulated(values: Values) -> MechanicalProblem:
    return aster_model(values, table=5e-5)


ASTER_SETTINGS: dict[str, Settings] = {
    "symplectic_euler": {"step": ASTER_STEP},
    "devogelaere": {"step": ASTER_STEP},
    "central_adaptive": {"step": ASTER_STEP, "control": "2002", "restore_friction": False, "archive_grid": ASTER_STEP},
}
# settings of the newer test file, whose accelerograms are tables of 5e-5 s or formulas
_ADAPT: Settings = {"step": 1e-5, "largest": 10.0, "tries": 50, "control": "2020", "weight_of_try": True}
_PAIR: Settings = {"step": 1e-5, "largest": 10.0, "smallest": 1e-10, "tolerance": 1e-2, "sequential_stages": True}
_DEVOGE: Settings = {"step": 1e-5, "largest": 10.0, "smallest": 1e-10, "rescaled_past": True}
NEWER_SETTINGS: dict[tuple[str, str], Settings] = {
    ("central_adaptive", "a0=15"): _ADAPT,
    ("central_adaptive", "a0=1.5"): _ADAPT,
    ("central_adaptive", "a0=1.01"): {**_ADAPT, "largest": 5.0},
    ("devogelaere_adaptive", "a0=15"): {**_DEVOGE, "tolerance": 1e-6},
    ("devogelaere_adaptive", "a0=1.5"): {**_DEVOGE, "tolerance": 1e-8, "absolute": 1e5, "largest": 5.0},
    ("runge_kutta_54", "a0=15"): _PAIR,
    ("runge_kutta_54", "a0=1.5"): {**_PAIR, "absolute": 1e-9},
    ("runge_kutta_54", "a0=1.01"): _PAIR,
    ("runge_kutta_32", "a0=15"): {**_PAIR, "largest": 1.0, "smallest": 1.0},
    ("runge_kutta_32", "a0=1.5"): {**_PAIR, "tolerance": 1e-3, "absolute": 1e5},
}
BY_FORMULA = {("devogelaere_adaptive", "a0=1.5")}


def _parity_run(case: Case, cell: Published) -> Run:
    newer = NEWER_SETTINGS.get((cell.scheme, cell.variant)) if cell.source == TEST_FILE else None
    settings = {"scheme": cell.scheme, **(newer or ASTER_SETTINGS[cell.scheme])}
    values = case.values(case.variant(cell.variant).changes)
    tabulated = newer and (cell.scheme, cell.variant) not in BY_FORMULA
    build = _tabulated if tabulated else aster_model
    return Run(f"{case.name}/{cell.variant}/aster/{cell.scheme}/{bool(newer)}", values, build, settings)


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
        irregular=SCHEMES[cell.scheme].adaptive,
    )


def parity(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield every wear power that Code_Aster printed for our schemes."""
    yield from parity_checks(case, subject, variant, _parity_run, _sampled)


def limit(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the wear power of the periodic limit, from one period after the transient has died out."""
    quantity = quantity_of(case, "asymptotic_wear_power")
    values = case.values(variant.changes)
    period = 2 * math.pi / float(values["omega"])
    window = {"t_start": (PERIODS_TO_LIMIT - 1) * period, "t_end": PERIODS_TO_LIMIT * period}
    late = case.values({**values, **window})
    for scheme in subject.schemes:
        base = case.run(subject, variant, scheme)
        run = replace(base, values=late, key=f"{base.key}/limit")
        yield check_of(
            case,
            variant,
            scheme,
            run,
            quantity=quantity.name,
            kind="truth",
            unit=quantity.unit,
            measure=reading(run, measures.wear_power),
            reference=partial(quantity.truth, values),
            tolerance=partial(quantity.tolerance, late, scheme if subject.own else "", run.settings),
        )


EVENT_KINDS = {1: "slip+", -1: "slip-", 0: "stick"}


def _true_events(values: Values) -> list[tuple[float, str]]:
    given = {name: values[name] for name in ("a0", "mu", "g", "m", "omega")}
    return [(float(e.time), e.kind) for e in sliding_block.slip_events(**given, until=values["t_end"], digits=15)]


def _seen_events(o: Observation) -> list[tuple[float, str]]:
    # the first phase is the stick at the start, no event
    return [(p.start, EVENT_KINDS[p.direction]) for p in measures.slip_phases(o)[1:]]


def _count(o: Observation) -> float:
    return float(len(_seen_events(o)))


def _order(o: Observation) -> str:
    return " ".join(kind for _, kind in _seen_events(o))


def _worst_time(o: Observation) -> float | None:
    seen, true = _seen_events(o), _true_events(o.values)
    if len(seen) != len(true):
        return None
    return max((abs(s[0] - t[0]) for s, t in zip(seen, true, strict=True)), default=0.0)


def events(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the phase changes on [0, t_end] by count, order and time."""
    instant = quantity_of(case, "slip_end").tolerance
    values = case.values(variant.changes)
    for scheme in subject.schemes:
        run = case.run(subject, variant, scheme)
        make = partial(check_of, case, variant, scheme, run, kind="events")
        yield make(
            quantity="phase_changes",
            unit="",
            measure=reading(run, _count),
            reference=lambda: float(len(_true_events(values))),
            tolerance=always(exactly("events are counted")),
        )
        yield make(
            quantity="phase_order",
            unit="",
            measure=reading(run, _order),
            reference=lambda: " ".join(kind for _, kind in _true_events(values)),
            tolerance=always(exactly("events have an order")),
        )
        yield make(
            quantity="phase_times",
            unit="s",
            measure=reading(run, _worst_time),
            reference=always(0.0),
            tolerance=partial(instant, values, scheme if subject.own else "", run.settings),
        )


def balance(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the energy balance over [0, t_end], and the friction cone."""
    cite = cited(
        "half a percent of the dissipated energy, the loosest tolerance of Code_Aster's test SDND104A",
        5e-3,
        kind="absolute",
    )

    def scale(o: Observation) -> float:
        return _energy_scale(case, o.values)

    yield from energy(case, subject, variant, "of the dissipated energy", scale, partial(_read_energy, case), cite)
    yield from friction_cone(case, subject, variant, "of mu N", lambda o: o["mu"] * o["m"] * o["g"])


def _read_energy(case: Case, run: Run, scheme: str) -> Tolerance:
    omega, step = float(run.values["omega"]), float(run.settings["step"])
    smooth = from_theory(2, omega**2, step, what="trapezoidal work of smooth forces, (omega h)²", kind="absolute")
    return combined(smooth, _stages_astray(case, run.values, step)) if SCHEMES[scheme].stages else smooth


def _stages_astray(case: Case, values: Values, step: float) -> Tolerance:
    """Return what stages cost that meet friction of the wrong sign, at worst at every change of phase."""
    friction, mass = float(values["mu"]) * float(values["m"]) * float(values["g"]), float(values["m"])
    constant = len(_true_events(values)) * 2 * friction**2 / mass / _energy_scale(case, values)
    what = "phase changes × wrong friction in the stages of a step: force 2 mu N over a velocity mu N h/m, for a step"
    return from_theory(2, constant, step, what=what, kind="absolute")


def _energy_scale(case: Case, values: Values) -> float:
    """Return the dissipated energy of the window (J); where nothing slips, what an elastic stick stores."""
    worn = quantity_of(case, "wear_energy").truth(values)
    friction = float(values["mu"]) * float(values["m"]) * float(values["g"])
    return float(values["mu"]) * float(worn) or friction**2 / ASTER_STIFFNESS


ORDER_LEVELS = 4
# its slip is no faster than the mu g h that a stage leaves if it meets friction of the wrong sign, which happens
# at one stick in hundreds: no clean power of the step
FEEBLE = "a0=1.01"
# where the reversals fall into their steps is chance: the mean of 16 lags scatters by 1/sqrt(3 × 16) = 0.14 of itself,
# the slope over five levels by 0.14/ln 2/sqrt(10) = 0.065, of which three are granted
SLIP_SLIP = "slip-slip: a reversal inside a step is seen at its end, order 1, three times the scatter of 16 reversals"
STICK_SLIP = "stick-slip: penalty error m/k_T and step error both fall with the square"
EXPECTED_ORDERS = {
    "a0=15": (1.0, 0.2, SLIP_SLIP),
    "a0=1.5": (2.0, 0.15, STICK_SLIP),
    "a0=1.01": (2.0, 0.15, STICK_SLIP),
}


def order(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the observed order of the wear power when step and penalty time constant are halved together."""
    if not subject.own or subject.overrides or variant.name not in EXPECTED_ORDERS:
        return
    truth = partial(quantity_of(case, "wear_power").truth, case.values(variant.changes))
    expected, allowed, why = EXPECTED_ORDERS[variant.name]
    scatter = f"{why}; four halvings, events fall differently into the steps at each level"
    for scheme in subject.schemes:
        if SCHEMES[scheme].stages and variant.name == FEEBLE:
            continue
        base = case.run(subject, variant, scheme)
        measure = partial(_observed_order, base, truth)
        yield order_check(case, variant, base, "wear_power", measure, expected, Tolerance(allowed, "absolute", scatter))


def _observed_order(base: Run, truth: Callable[[], Certified], bench: Bench) -> float:
    def power(step: float) -> float:
        return measures.wear_power(bench.observe(refined(base, step)))

    steps = halvings(4 * float(base.settings["step"]), ORDER_LEVELS)
    return observed_order(errors_over_steps(power, float(truth()), steps))


def sliding(case: Case, subject: Subject, variant: Variant) -> Iterator[Check]:
    """Yield the comparison of velocities with displacements, unless the shoe sticks for ever.

    Then nothing moves but by rounding, or a stick spring does, faster than the output.
    """
    if quantity_of(case, "regime").truth(case.values(variant.changes)).value != "stick":
        yield from velocities(case, subject, variant)


MAKERS = (parity, limit, events, balance, sliding, flags, order)
