"""What a mechanical solver is, read from its answers to small linear motions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from veridyn.identification.adaptive import read_adaptive
from veridyn.identification.claimed import compare_claims, contradict_digits
from veridyn.identification.families import (
    AVERAGE,
    EXACT,
    NEWMARK,
    Fit,
    Measured,
    compare,
    fit,
    list_fitted_families,
    list_plain_families,
    list_wrong_families,
)
from veridyn.identification.forced import (
    Agreement,
    agree_all,
    intersect_words,
    read_dampers,
    read_load_instant,
    say_words,
)
from veridyn.identification.free import (
    LARGEST_RATIO,
    LEAST_ROUNDING,
    TWENTY,
    Free,
    StabilityLimit,
    find_limit,
    measure_free,
    read_damping,
    read_period_error,
    read_roots,
)
from veridyn.identification.linear_step import find_linear_control
from veridyn.identification.marching import find_step_roots
from veridyn.identification.multistep import Multistep, find_multistep
from veridyn.identification.naming import say_method
from veridyn.identification.orders import ABOVE_ROUNDING, MOTIONS, find_order
from veridyn.identification.reading import CardFigure, Curve, Gap, Reading, join
from veridyn.identification.recurrences import Roots
from veridyn.identification.starting import read_start
from veridyn.identification.trials import Bench, pose_oscillator
from veridyn.validation_cases.judgement.precision import read_precision

BASIS = (0.4, 0.8, 1.9, 20.0, 1000.0)  # ratios at which members of families are fitted
POINTS = 41  # of the curve of a family
SMALL = 2.0  # step times frequency
CLOSE, REACH = 1e-3, 1.3  # difference to a family that is no accident, if steps times frequency reach so far
LARGEST_NUMBER = 10.0  # of a family; a fit beyond it is at an edge of the family, which names nothing
BOUNDED = 10.0  # times its size at the start: a motion that does not grow
SIMPLER = 10.0  # a family with one number more is nearer only if it differs by so much less
TRIFLE = 1e-8  # of a state at small steps: what a short first step, or coefficients of nine digits, leave
BEYOND = 1000.0  # of the rounding: a difference that no luck of rounding makes


@dataclass(frozen=True)
class Identity:
    """The method that agrees with the free vibrations, or the nearest family.

    ``agreements``: how dampers, loads and two masses agree with the family that does.
    """

    nearest: Fit | None = None
    agreements: tuple[Agreement, ...] = ()
    multistep: Multistep | None = None

    @property
    def agrees(self) -> bool:
        """Whether the nearest family agrees within the tolerances."""
        return self.nearest is not None and self.nearest.misfit <= 1


def read_linear(bench: Bench) -> Reading:
    """Measure a solver of mechanical problems on linear motions, and say what it is."""
    control = find_linear_control(bench)
    if isinstance(control, str):
        return read_adaptive(bench, control)
    bench = bench.controlled(control)
    first = measure_free(bench, 0.0)
    if not first.motions:
        reasons = "; ".join(dict.fromkeys(first.refusals.values()))
        return Reading(gaps=(Gap("free vibrations", reasons),), solves=bench.examinee.solves)
    precision = read_precision([m.states for m in first.all_motions])
    free = measure_free(bench, precision.rounding)
    identity = identify(bench, free)
    step = CardFigure(
        name="step is set by",
        value=control.words,
        meaning="a motion twice as slow, with this twice as long, has the same answer",
    )
    rounding = CardFigure(name="precision", value=precision.words, meaning="of the numbers that are answered")
    spread = CardFigure(
        name="rounding",
        value=free.rounding,
        meaning="largest difference of a sum of motions and the motion of the sum, over its size",
    )
    limit = find_limit(bench, free)
    parts = (
        Reading(figures=(step, rounding, spread)),
        _read_family(identity, free),
        _read_free(free, identity),
        _read_orders(bench, free),
        _read_limit(limit),
        _read_loads(bench, free),
        read_start(bench),
    )
    claims, whole = bench.examinee.claims, join(parts)
    held = compare_claims(whole, claims, free, limit).with_contradictions(contradict_digits(claims, precision))
    return replace(join((whole, held)), solves=bench.examinee.solves)


def identify(bench: Bench, free: Free) -> Identity:
    """Return the method that agrees with all that was measured: a family, or a multistep method; or the nearest family.

    Several methods without free numbers may agree on free vibrations, as all Runge-Kutta methods with two stages of
    order 2 do. Then dampers and loads tell.
    """
    motions = free.all_motions
    basis = [m for ratio in BASIS if ratio in free.motions for m in free.motions[ratio][:2]] or motions
    fits = [fit(family, motions, basis) for family in list_plain_families()]
    agreeing = [each for each in fits if each.misfit <= 1]
    if agreeing:
        best = max((_agree(bench, each, free) for each in agreeing), key=_count_agreements)
        return replace(best, nearest=_free_numbers(best.nearest, motions, basis))
    multistep = find_multistep(motions)
    if multistep:
        return Identity(multistep=multistep)
    for family in (*list_fitted_families(), *list_wrong_families()):
        fits.append(fit(family, motions, basis))
        if fits[-1].misfit <= 1:
            return _agree(bench, fits[-1], free)
    usual = [each for each in fits if all(abs(value) <= LARGEST_NUMBER for value in each.values)]
    return Identity(min(usual, key=lambda each: each.difference * SIMPLER ** len(each.values)))


def _free_numbers(nearest: Fit | None, motions: Sequence[Measured], basis: Sequence[Measured]) -> Fit | None:
    """Return the average acceleration with its numbers fitted, so that their uncertainty is seen."""
    if nearest is None or nearest.family != AVERAGE:
        return nearest
    fitted = fit(NEWMARK, motions, basis)
    return fitted if fitted.misfit <= 1 else nearest


def _agree(bench: Bench, nearest: Fit, free: Free) -> Identity:
    return Identity(nearest, agree_all(bench, nearest, _largest_tolerance(free)))


def _count_agreements(identity: Identity) -> int:
    return sum(bool(each.words) for each in identity.agreements)


# ---- figures


def _read_family(identity: Identity, free: Free) -> Reading:
    """Name the method, and say whether dampers, loads and two masses are taken as it does."""
    if identity.multistep:
        return Reading(method=identity.multistep.name)
    fitted = identity.nearest
    assert fitted is not None
    method, deviations = say_method(fitted)
    if not identity.agrees:
        return _read_nearest(fitted, method, free)
    figures = tuple(
        CardFigure(name=name, value=value, uncertainty=uncertainty, meaning=f"of {fitted.family.name}")
        for name, value, uncertainty in zip(fitted.family.parameters, fitted.values, fitted.uncertainties, strict=True)
    )
    seen = [each for each in identity.agreements if not each.refused]
    common = [words for words in fitted.family.variants if all(words in each.words for each in seen if each.words)]
    words = say_words(intersect_words(common))
    gaps = tuple(Gap(each.name, each.refused) for each in identity.agreements if each.refused)
    shown = (*figures, *map(_show_agreement, seen))
    return Reading(method=f"{method}; {words}" if words else method, figures=shown, deviations=deviations, gaps=gaps)


def _read_nearest(nearest: Fit, method: str, free: Free) -> Reading:
    """Say which family is nearest; a small difference over steps of all sizes is no accident, but a deviation.

    Beyond the limit of stability motions grow, and what differs with them: those tell nothing.
    """
    ratios = [ratio for ratio, group in free.motions.items() if max(m.growth for m in group) <= BOUNDED]
    bounded = {ratio: free.motions[ratio] for ratio in ratios or free.motions}
    difference = compare(nearest.rule(), [m for group in bounded.values() for m in group])[1]
    contrast = f"free vibrations differ by up to {difference:.1e} of the state, rounding is {free.rounding:.1e}"
    figure = CardFigure(name="nearest family", value=method, meaning=contrast)
    if difference <= min(CLOSE, BEYOND * max(free.rounding, LEAST_ROUNDING)):
        return Reading(method=f"{method}, to {difference:.0e} of the state", figures=(figure,))
    if nearest.difference <= TRIFLE and nearest.family != EXACT:
        return Reading(method=f"{method}, to {nearest.difference:.0e} of the state at small steps", figures=(figure,))
    near = (
        BEYOND * max(free.rounding, LEAST_ROUNDING) <= difference <= CLOSE
        and max(bounded) >= REACH
        and nearest.family != EXACT
    )
    return Reading(figures=(figure,), deviations=(f"{method}, but {contrast}",) if near else ())


def _show_agreement(agreement: Agreement) -> CardFigure:
    if agreement.words:
        meaning = say_words(intersect_words(agreement.words)) or "to rounding"
        return CardFigure(name=agreement.name, value="as the family", meaning=meaning)
    return CardFigure(
        name=agreement.name,
        value="not as the family",
        meaning=f"it differs by {agreement.difference:.1e} of the state",
    )


def _largest_tolerance(free: Free) -> float:
    """Return the largest tolerance at small ratios, where the other motions lie."""
    ratios = sorted(free.motions)
    small = [ratio for ratio in ratios if ratio <= SMALL] or ratios[:1]
    return max(free.motions[ratio][0].tolerance for ratio in small)


def _read_free(free: Free, identity: Identity) -> Reading:
    """Read radius, damping and period error over the ratios, and those at twenty steps a period."""
    rows = [(ratio, roots) for ratio, group in sorted(free.motions.items()) if (roots := read_roots(group))]
    if not rows:
        return Reading(gaps=(Gap("spectral radius", "free vibrations obey no short linear recurrence"),))
    figures = [
        _show_period(roots.principal(TWENTY), free.motions[TWENTY][0].tolerance)
        for ratio, roots in rows
        if ratio == TWENTY
    ]
    largest, last = rows[-1]
    figures.append(
        (
            CardFigure(
                name="spectral radius",
                value=last.radius,
                meaning=f"of a step that is {largest / (2 * math.pi):.3g} periods long",
            ),
        )
    )
    overshoot = free.motions.get(20.0)
    if overshoot:
        peak = float(np.abs(overshoot[0].states[:, 0]).max())
        figures.append((CardFigure(name="overshoot", value=peak, meaning="largest displacement from 1, w h = 20"),))
    curves = [_draw("solver", [(ratio, roots.radius, roots.principal(ratio)) for ratio, roots in rows])]
    if identity.nearest:
        curves.append(_draw_family(identity.nearest, free))
    return Reading(figures=tuple(f for group in figures for f in group), curves=tuple(curves))


def _show_period(root: complex, tolerance: float) -> tuple[CardFigure, ...]:
    where = "of a free vibration at 20 steps a period"
    slack = tolerance / TWENTY**2  # a recurrence of two states with a small angle: rounding over its square
    return (
        CardFigure(
            name="numerical damping",
            value=read_damping(root),
            uncertainty=slack,
            meaning=f"ratio of critical damping {where}",
        ),
        CardFigure(
            name="period error",
            value=read_period_error(root, TWENTY),
            uncertainty=slack,
            meaning=f"over the period, {where}",
        ),
    )


def _draw(name: str, rows: Sequence[tuple[float, float, complex]]) -> Curve:
    return Curve(
        name=name,
        ratio=tuple(ratio / (2 * math.pi) for ratio, _, _ in rows),
        radius=tuple(radius for _, radius, _ in rows),
        damping=tuple(read_damping(root) for _, _, root in rows),
        period_error=tuple(read_period_error(root, ratio) for ratio, _, root in rows),
    )


def _draw_family(nearest: Fit, free: Free) -> Curve:
    """Return the curve of a member of a family up to the largest ratio of the solver."""
    rows = []
    for ratio in np.geomspace(min(free.motions), max(free.motions), POINTS):
        values = find_step_roots(nearest.rule(), pose_oscillator(float(ratio), 1.0, 0.0))
        roots = Roots(values, 0.0)
        rows.append((float(ratio), roots.radius, roots.principal(float(ratio))))
    return _draw(say_method(nearest)[0], rows)


def _read_orders(bench: Bench, free: Free) -> Reading:
    """Read the order of free, damped, driven and coupled motions."""
    tolerance = _largest_tolerance(free)
    orders = {name: find_order(bench, trial, tolerance) for name, trial in MOTIONS.items()}
    figures = tuple(
        CardFigure(name=name, value=_say_order(order, tolerance), meaning=ORDERS.get(name, "the same"))
        for name, order in orders.items()
        if not isinstance(order, str)
    )
    gaps = tuple(Gap(name, order) for name, order in orders.items() if isinstance(order, str))
    return Reading(figures=figures, gaps=gaps)


ORDERS = {
    "order": "of convergence in the step, free vibration, displacement and velocity",
    "order with a load": "the same, a harmonic load",
    "order with two masses": "the same, coupled by mass, damping and stiffness",
}


def _say_order(order: float, tolerance: float) -> float | str:
    return f"error below {ABOVE_ROUNDING * tolerance:.0e}" if math.isinf(order) else round(order, 2)


def _read_limit(limit: StabilityLimit | None) -> Reading:
    if limit is None:
        return Reading(gaps=(Gap("limit of stability", "free vibrations obey no short linear recurrence"),))
    if limit.refused:
        reason = f"no growth up to w h = {limit.stable:g}, then: {limit.refused}"
        return Reading(gaps=(Gap("limit of stability", reason),))
    if not limit.stable:
        words = f"grows at w h = {limit.growing:g} already"
        return Reading(figures=(CardFigure(name="limit of stability", value=words, meaning="step times frequency"),))
    if math.isinf(limit.growing):
        words = f"none up to {LARGEST_RATIO:g}"
        return Reading(figures=(CardFigure(name="limit of stability", value=words, meaning="step times frequency"),))
    return Reading(
        figures=(
            CardFigure(
                name="limit of stability",
                value=limit.stable,
                uncertainty=limit.growing - limit.stable,
                meaning="step times frequency above which free vibrations grow",
            ),
        )
    )


def _read_loads(bench: Bench, free: Free) -> Reading:
    load, dampers = read_load_instant(bench, _largest_tolerance(free)), read_dampers(bench)
    figures, gaps = [], []
    if isinstance(load, str):
        gaps.append(Gap("load of a step", load))
    else:
        word, first, second = load
        value = f"taken {word}" if word else f"t counts {first:.6g}, t² {second:.6g}"
        meaning = "of a step of 1 s: start 0, 0; middle 1/2, 1/4; mean of both ends 1/2, 1/2; integral 1/2, 1/3"
        figures.append(CardFigure(name="load of a step", value=value, meaning=meaning))
    if isinstance(dampers, str):
        gaps.append(Gap("dampers", dampers))
    else:
        word, (less, more) = dampers
        meaning = f"damping over mass times step 1e2 and 1e4 leave {less:.3g} and {more:.3g} of a velocity"
        figures.append(CardFigure(name="dampers", value=f"taken {word}", meaning=meaning))
    return Reading(figures=tuple(figures), gaps=tuple(gaps))
