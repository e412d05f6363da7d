"""Quantities, residuals and figures that driven oscillators with a stop have in common."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from veridyn.references.certified import Certified, exact_zero, undefined
from veridyn.references.reference import Reference
from veridyn.results import Figure
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.balance import stop_gap
from veridyn.solver.postprocessing.consistency import stop_force_residual
from veridyn.validation_cases.judgement.case import (
    Case,
    Criterion,
    FigureMaker,
    Floats,
    Number,
    Observation,
    Quantity,
    Values,
)
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.judgement.uncertainty import ROUNDING
from veridyn.validation_cases.measures import impact_conditioning, impacts, struck_oscillator, vibro_impact
from veridyn.validation_cases.measures.consistency import energy, positions, rates, residual, velocities
from veridyn.validation_cases.measures.plotting import (
    HistoryCurve,
    figure,
    history,
    panel,
    portrait,
    series,
    shown,
    true,
)
from veridyn.validation_cases.measures.quantities import size

KINK = 2.0  # regularity: the force of an undamped stop has a kink
COUNTED = 1.0  # whatever is counted is right or wrong: no order is observed

ASTER_INSTANTS = "tolerance of Code_Aster's test sdnd121a for instants, 2e-4 of them"
ASTER_LAW = cited("tolerance of Code_Aster's test sdnd121a for force against penetration", 1e-8, kind="absolute")
ASTER_ENERGY = cited("tolerance of Code_Aster's test sdnd121a for the energy balance", 0.1, kind="absolute")


def where_decided(
    quantity: Quantity, needed: Callable[[Values], int] | None = None, resolution: float = 0.0
) -> Quantity:
    """Return a quantity of the first instants of contact, as many as are ``needed``, or of all, if they are decided.

    Contacts may magnify perturbations of `ROUNDING` until they decide how many contacts there are: from there on the
    truth is undefined, and nothing can be asked: the measure raises CapabilityError. Where there is no such contact a
    response must not show one either.

    What is counted is right or wrong, however near a solver comes to the truth; so is a contact that does not exist.
    So that is asked only where the errors of a method of second order do not decide either, with steps of
    ``resolution``/ω_c: those of the output asked for.
    """

    def decided(values: Values) -> bool:
        exists = needed is not None and needed(values) <= impact_conditioning.decided(values).instants
        return exists or impact_conditioning.decided(values, resolution).all

    def compute(values: Values, digits: int) -> Certified:
        if decided(values):
            return quantity.reference.compute(values, digits)
        return undefined(_undecided(values, resolution))

    def measure(o: Observation) -> Number:
        assert quantity.measure is not None
        if not decided(o.values):
            raise CapabilityError(_undecided(o.values, resolution))
        try:
            return quantity.measure(o)
        except SolverFailure:
            if guarded.truth(o.values).value is not None:
                raise
            return None

    def criterion(values: Values) -> Tolerance:
        exists = guarded.truth(values).value is not None
        return quantity.tolerance(values) if exists else exactly("what does not exist must not be found")

    guarded = replace(quantity, reference=_refer(quantity.name, compute), measure=measure, criterion=criterion)
    return guarded


def _undecided(values: Values, resolution: float) -> str:
    contacts = impact_conditioning.decided(values, resolution).instants // 2
    steps = f", or the errors of {2 * math.pi / resolution:.0f} steps in a period of contact," if resolution else ""
    return f"perturbations of {ROUNDING:g} of data or state{steps} decide on the contacts after the first {contacts}"


def _complete(number: int) -> int:
    """Return the number of the release that ends the contact of an instant."""
    return number + number % 2


def _kinked(needed: int, values: Values) -> float:
    """Return the regularity of a quantity of as many instants: 0, none, where the errors of steps decide on them."""
    return KINK if needed <= impact_conditioning.decided(values, vibro_impact.OUTPUT_NUMBER).instants else 0.0


def _all_decided(values: Values) -> bool:
    """Whether the errors of steps decide on no contact; else a response may have its own, with no samples near."""
    return impact_conditioning.decided(values, vibro_impact.OUTPUT_NUMBER).all


def _all_kinked(values: Values) -> float:
    return KINK if _all_decided(values) else 0.0


def _instant(number: int, values: Values, digits: int) -> Certified:
    ended = _ended(values)
    if _complete(number) > 2 * ended:
        return undefined(f"only {ended} contacts end before t_end")
    return struck_oscillator.instant(number).compute(values, digits)


def _ended(values: Values) -> int:
    """Return how many contacts end before t_end."""
    return round(float(struck_oscillator.ENDED.compute(values)))


def _refer(name: str, rule: Callable[[Values, int], Certified]) -> Reference[Certified]:
    return Reference(name, struck_oscillator.PARAMETERS, rule)


def _of_first(needed: int, quantity: Quantity) -> Quantity:
    """Return a quantity of the first instants of contact, as many as are needed."""
    kinked = replace(quantity, regularity=partial(_kinked, needed))
    return where_decided(kinked, lambda _: needed, vibro_impact.OUTPUT_NUMBER)


def instant(name: str, number: int, criterion: Criterion) -> Quantity:
    """Return an instant of contact, counted from 1, of the contacts that end before t_end."""
    event, contact = name.split("_")
    truth, measure = _refer(name, partial(_instant, number)), partial(vibro_impact.instant, number=number)
    rounded = partial(impact_conditioning.instant_rounded, number=number)
    what = f"{event} of contact {contact}"
    return _of_first(_complete(number), Quantity(name, "s", what, truth, measure, criterion, rounded=rounded))


def peak_force(contact: int, criterion: Criterion) -> Quantity:
    """Return the largest force of one contact, counted from 1."""

    def measure(o: Observation) -> float:
        return impacts.impact(o, contact).peak_force

    def rounded(values: Values, clock: float) -> float:
        return float(values["kc"]) * impact_conditioning.peak_rounded(values, clock, contact)

    name, what = f"peak_force_{contact}", f"largest force of contact {contact}"
    truth = struck_oscillator.peak_force(contact)
    return _of_first(2 * contact, Quantity(name, "N", what, truth, measure, criterion, rounded=rounded))


def largest_force(criterion: Criterion) -> Quantity:
    """Return the largest force of all contacts."""

    def rounded(values: Values, clock: float) -> float:
        return float(values["kc"]) * impact_conditioning.largest_peak_rounded(values, clock)

    truth, measure = struck_oscillator.largest_force, vibro_impact.largest_force
    quantity = Quantity("largest_force", "N", "largest force of all contacts", truth, measure, criterion)
    return where_decided(replace(quantity, regularity=_all_kinked, rounded=rounded))


def _no_error(values: Values, digits: int) -> Certified:
    if not _ended(values):
        return undefined("no contact ends before t_end")
    return exact_zero("every instant against its own truth", digits, "quasi-analytical")


def _of_last(values: Values) -> Tolerance:
    """Return the criterion of the worst instant: that of the last one."""
    return cited(ASTER_INSTANTS, 2e-4 * float(vibro_impact.true_instants(values)[-1]), kind="absolute")


BY_COUNT = exactly("contacts are counted")
CONTACTS = tuple(
    where_decided(quantity, resolution=vibro_impact.OUTPUT_NUMBER)
    for quantity in (
        Quantity(
            "contacts",
            "",
            "contacts that end before t_end",
            struck_oscillator.ENDED,
            impacts.count,
            BY_COUNT,
            regularity=COUNTED,
        ),
        Quantity(
            "contact_instants",
            "s",
            "largest error of all touches and releases, each against its own truth",
            _refer("contact_instants", _no_error),
            vibro_impact.worst_instant,
            _of_last,
            size("t_end"),
            KINK,
        ),
    )
)


def _hundredth(o: Observation) -> float:
    return impact_conditioning.touch_energy(o.values) * int(o.problem.size) / 100


LAW = "largest difference of the stop's force and stiffness times penetration"
RESIDUALS = (
    residual("force_law", "of the largest force", LAW, lambda o: stop_force_residual(o.problem, o.response), ASTER_LAW),
    energy("% of the energy at the fastest touch", _hundredth, ASTER_ENERGY, _all_decided),
    velocities(),
    positions(),
    rates(),
)


def _gap(o: Observation) -> Floats:
    return stop_gap(o.problem, o.response, o.problem.stops[0])


def _true_gap(o: Observation, times: Floats) -> Floats:
    return true(struck_oscillator.HISTORY, "gap")(o, times)


def _touches(values: Values) -> list[tuple[float, str]]:
    return [(t, "touch") for t in vibro_impact.true_instants(values)[0::2]]


GAP = HistoryCurve("gap (m)", _gap, _true_gap)
FORCE = HistoryCurve("force (N)", impacts.force, true(struck_oscillator.HISTORY, "force"))
PENETRATION = HistoryCurve("penetration (m)", lambda o: -_gap(o), lambda o, times: -_true_gap(o, times))
DOTS = 100


def gap_history(until: float | None = None) -> FigureMaker:
    """Return the figure of the gap up to an instant (s), or to the end."""
    return history(
        "gap",
        "Gap until the first contacts are over",
        "The stop is touched below zero. Vertical lines: true touches.",
        GAP,
        events=_touches,
        window=lambda values: (0.0, until or float(values["t_end"])),
    )


def close_up(contact: int) -> tuple[FigureMaker, FigureMaker]:
    """Return the figures of the force of one contact: over time, and over the penetration."""

    def window(values: Values) -> tuple[float, float]:
        touch, release = vibro_impact.true_instants(values)[2 * contact - 2 : 2 * contact]
        return touch - 0.2 * (release - touch), release + 0.2 * (release - touch)

    name, title, law = f"contact-{contact}", f"Contact {contact} close up", "The law of the stop is a line."
    return (
        history(name, title, "Vertical lines: the true touch.", FORCE, events=_touches, window=window, dots=DOTS),
        portrait(f"{name}-law", f"{title}: law", law, PENETRATION, FORCE, window=window, dots=DOTS),
    )


def errors_of_instants(case: Case, observer: Runner) -> Iterator[Figure]:
    """Yield the figure of the error of every instant of contact."""
    o, label = shown(case, "", observer)
    truth, seen = vibro_impact.true_instants(o.values), impacts.instants(o)
    known = min(truth.size, seen.size)
    error = np.maximum(np.abs(seen[:known] - truth[:known]), 1e-17)
    curve = series(label, "computed", truth[:known], error, marker=True)
    yield figure(
        case.name,
        "instants",
        "Error of every instant of contact",
        f"{label}; the contacts magnify a perturbation by up to {impact_conditioning.amplification(o.values):.2g}.",
        [panel("t (s)", "error (s)", [curve], log_y=True)],
    )
