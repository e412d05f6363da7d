"""Figures as data: what a report draws, recorded in the result document.

A case names its figures as a tuple of calls: ``history``, ``portrait`` and ``convergence`` serve most of them. One that
names none has `histories`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from veridyn.problem.errors import SolverInputError
from veridyn.references.engine.motion import Motion
from veridyn.references.reference import Reference
from veridyn.results import Figure, Instant, Panel, Role, Scale, Series
from veridyn.solver.contract.errors import CapabilityError, MissingHistory, SolverFailure
from veridyn.solver.postprocessing.balance import element_history
from veridyn.validation_cases.judgement.case import Case, FigureMaker, Floats, Observation, Quantity, Values
from veridyn.validation_cases.judgement.levels import Answers, answers, error_levels
from veridyn.validation_cases.judgement.runner import Answer, HarnessError, NotJudged, Runner
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.uncertainty import observed_order

RoleName = Literal["reference", "computed", "error", "limit", "guide"]
Read = Callable[[Observation], Floats]
Truth = Callable[[Observation, Floats], Floats]  # at instants (s)
Curves = list[Series]
Beside = Callable[[Observation, Floats], Iterable[Series]]  # curves of the first panel, at instants (s)
Events = Callable[[Values], Iterable[tuple[Any, str]]]
Window = Callable[[Values], tuple[float, float]]

POINTS = 600  # per curve; more are not seen and only make documents large
FINE = 400  # instants of a true curve
DIGITS = 15  # of it
PORTRAIT = 1.3  # height of a panel of its own, in usual ones


def series(label: str, role: RoleName, x: ArrayLike, y: ArrayLike, *, marker: bool = False) -> Series:
    """Return one curve; infinite and missing points are left out."""
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    keep = np.isfinite(xs) & np.isfinite(ys)
    return Series(label=label, role=Role(role), marker=marker, x=tuple(xs[keep].tolist()), y=tuple(ys[keep].tolist()))


def panel(
    xlabel: str,
    ylabel: str,
    curves: Sequence[Series],
    *,
    log: bool = False,
    log_y: bool = False,
    events: Sequence[tuple[float, str]] = (),
    height: float = 1,
) -> Panel:
    """Return one panel, its height in usual ones; ``log`` makes both axes logarithmic, ``log_y`` that of y."""
    return Panel(
        xlabel=xlabel,
        ylabel=ylabel,
        xscale=Scale.LOG if log else Scale.LINEAR,
        yscale=Scale.LOG if log or log_y else Scale.LINEAR,
        series=tuple(curves),
        events=tuple(Instant(x=float(x), label=label) for x, label in events),
        height=height,
    )


def figure(case: str, name: str, title: str, caption: str, panels: Sequence[Panel]) -> Figure:
    """Return one figure of a case."""
    return Figure(case=case, id=name, title=title, caption=caption, panels=tuple(panels))


def thinned(time: Floats, *histories: Floats, start: float, end: float, points: int = POINTS) -> tuple[Floats, ...]:
    """Return the samples of a window, about so many of them, evenly spread."""
    inside = np.flatnonzero((time >= start) & (time <= end))
    stride = max(1, inside.size // points)
    chosen = inside[::stride]
    return (time[chosen], *(h[chosen] for h in histories))


@dataclass(frozen=True)
class HistoryCurve:
    """What a figure draws of a response: label and unit of the axis, values (m,), the truth, a name among others."""

    axis: str
    read: Read
    truth: Truth
    name: str = ""


def true(motion: Reference[Motion], kind: str) -> Truth:
    """Return a reading of a true motion."""

    def at(o: Observation, times: Floats) -> Floats:
        return np.array(motion.compute(o.values, DIGITS).sample(kind, times.tolist()), dtype=float)

    return at


def changes(motion: Reference[Motion]) -> Events:
    """Return the events of a true motion, with the phases that begin."""
    return lambda values: motion.compute(values, DIGITS).events()


def displacement(
    motion: Reference[Motion], axis: str = "x (m)", *, kind: str = "displacement", place: int = 0, name: str = ""
) -> HistoryCurve:
    """Return a displacement of a response and of the true motion."""
    return HistoryCurve(axis, lambda o: o.response.displacement[:, place], true(motion, kind), name)


def velocity(
    motion: Reference[Motion], axis: str = "v (m/s)", *, kind: str = "velocity", place: int = 0, name: str = ""
) -> HistoryCurve:
    """Return a velocity of a response and of the true motion."""
    return HistoryCurve(axis, lambda o: o.response.velocity[:, place], true(motion, kind), name)


def element(
    motion: Reference[Motion], name: str, what: str = "force", axis: str = "force (N)", *, kind: str = "force"
) -> HistoryCurve:
    """Return a history of an element and that of the true motion."""
    return HistoryCurve(axis, lambda o: element_history(o.response, name, what, of="element"), true(motion, kind))


def levels(label: str, *heights: Callable[[Observation], float]) -> Beside:
    """Return horizontal lines, one entry in the legend."""

    def lines(o: Observation, times: Floats) -> Curves:
        ends = times[[0, -1]]
        return [series("" if i else label, "limit", ends, [read(o)] * 2) for i, read in enumerate(heights)]

    return lines


def segment(label: str, reach: Callable[[Observation], float]) -> Beside:
    """Return the part of the horizontal axis that lies within ``reach`` of zero."""
    return lambda o, _: [series(label, "limit", [-reach(o), reach(o)], [0.0, 0.0])]


def history(
    name: str,
    title: str,
    caption: str,
    *drawn: HistoryCurve,
    variant: str = "",
    events: Events | None = None,
    beside: Beside | None = None,
    window: Window | None = None,
    dots: int = 0,
) -> FigureMaker:
    """Return the figure of histories against the truth, and of their errors beneath.

    What has the same axis shares a panel. ``events`` are drawn as lines; ``dots`` is about how many samples are drawn,
    if not all as a line. A solver that does not report one of the histories has no such figure.
    """

    def draw(case: Case, observer: Runner) -> Iterator[Figure]:
        o, label = shown(case, variant, observer)
        span: tuple[float, float] = window(o.values) if window else (0.0, o.problem.end)
        try:
            histories = [each.read(o) for each in drawn]
        except MissingHistory:
            return
        time, *seen = thinned(o.response.time, *histories, start=span[0], end=span[1], points=dots or POINTS)
        fine = np.linspace(*span, FINE) if dots else time
        marks = [(float(t), word) for t, word in (events(o.values) if events else ()) if span[0] <= t <= span[1]]
        main: dict[str, Curves] = {each.axis: [] for each in drawn}
        errors: dict[str, Curves] = {each.axis: [] for each in drawn}
        for each, values in zip(drawn, seen, strict=True):
            exact, said = each.truth(o, time), each.name or label
            drawn_truth = each.truth(o, fine) if dots else exact
            truth = series("" if main[each.axis] else "reference", "reference", fine, drawn_truth)
            main[each.axis] += [truth, series(said, "computed", time, values, marker=bool(dots))]
            errors[each.axis].append(series(said, "error", time, values - exact))
        main[drawn[0].axis] += beside(o, fine) if beside else ()
        yield figure(
            case.name,
            name,
            title,
            f"Reference dashed, {label} {'dotted' if dots else 'solid'}; beneath, the error. {caption}",
            [
                *(panel("t (s)", axis, curves, events=marks) for axis, curves in main.items()),
                *(panel("t (s)", _error_of(axis, len(main)), curves) for axis, curves in errors.items()),
            ],
        )

    return draw


def _error_of(axis: str, several: int) -> str:
    """Return the label of an axis of errors: the unit, and of what if there are several."""
    what, _, unit = axis.rpartition(" (")
    return f"error of {axis}" if several > 1 and what else f"error ({unit}"


def portrait(
    name: str,
    title: str,
    caption: str,
    x: HistoryCurve,
    y: HistoryCurve,
    *,
    variants: Sequence[str] = ("",),
    corners: Events | None = None,
    beside: Beside | None = None,
    window: Window | None = None,
    dots: int = 0,
) -> FigureMaker:
    """Return the figure of one history over another, a panel for each variant: a phase portrait, a law of force.

    The truth may jump at the instants of ``corners``. ``dots`` is about how many samples are drawn, if not all as a
    line. Where a solver does not report one of the histories there is no such panel.
    """

    def draw(case: Case, observer: Runner) -> Iterator[Figure]:
        panels, label = [], ""
        for variant in variants:
            o, label = shown(case, variant, observer)
            span: tuple[float, float] = window(o.values) if window else (0.0, o.problem.end)
            try:
                seen = thinned(o.response.time, x.read(o), y.read(o), start=span[0], end=span[1], points=dots or POINTS)
            except MissingHistory:
                continue
            breaks = [float(t) for t, _ in (corners(o.values) if corners else ()) if span[0] < t < span[1]]
            fine = np.sort([*np.linspace(*span, FINE), *breaks, *np.nextafter(breaks, span[0])])
            curves = [
                series("reference", "reference", x.truth(o, fine), y.truth(o, fine)),
                series(label, "computed", *seen[1:], marker=bool(dots)),
                *(beside(o, fine) if beside else ()),
            ]
            axis = f"{x.axis}, variant {variant}" if len(variants) > 1 else x.axis
            panels.append(panel(axis, y.axis, curves, height=PORTRAIT))
        if panels:
            how = "dotted" if dots else "solid"
            yield figure(case.name, name, title, f"Reference dashed, {label} {how}. {caption}", panels)

    return draw


MOST = 4  # histories of a case that names no figures
AT = re.compile(r"(\w+)@([0-9.]+)")  # a quantity that is the value of something at an instant (s)


def histories(case: Case, observer: Runner) -> Iterator[Figure]:
    """Yield the figure of a case that names none: its first histories, with references and errors at their instants.

    A solver that does not take the case has no such figure.
    """
    try:
        o, label = shown(case, "", observer)
        answers = observer.measured(observer.default_run(_stated(case, ""), observer.subject.schemes[0]))
    except (CapabilityError, SolverFailure):
        return
    smooth = hasattr(o.response, "states")
    names, columns = (
        (o.problem.states, o.response.states) if smooth else (o.problem.coordinates, o.response.displacement)
    )
    time, *drawn = thinned(o.response.time, *columns.T[:MOST], start=o.problem.start, end=o.problem.end)
    panels = [
        panel("t (s)", name, [series(label, "computed", time, column), *_compare_instants(case, o, name, answers)])
        for name, column in zip(names, drawn, strict=False)
    ]
    caption = f"Computed by {label}; references, where a quantity asks for them, as dots; beneath, the error there."
    yield figure(case.name, "histories", "Histories", caption, panels)


def _compare_instants(case: Case, o: Observation, name: str, answers: Mapping[str, Answer]) -> Curves:
    """Return the references of a history, and the errors of what was measured there, as dots, if there are any."""
    named = ((AT.fullmatch(q.name), q) for q in case.quantities)
    instants = [(float(m[2]), q.truth(o.values).value, answers.get(q.name)) for m, q in named if m and m[1] == name]
    known = [(t, float(truth), answer) for t, truth, answer in instants if truth is not None and t <= o.problem.end]
    errors = [(t, answer - truth) for t, truth, answer in known if isinstance(answer, int | float)]
    references = [(t, truth) for t, truth, _ in known]
    return [
        *([series("reference", "reference", *zip(*references, strict=True), marker=True)] if references else []),
        *([series("", "error", *zip(*errors, strict=True), marker=True)] if errors else []),
    ]


SCHEMES_SHOWN = 3  # in a figure of convergence


def _stated(case: Case, variant: str) -> Statement:
    """Return a variant, that of the case without a name."""
    return Statement(case, case.variant(variant) if variant else case.default_variant)


def shown(case: Case, variant: str, observer: Runner) -> tuple[Observation, str]:
    """Return what the first scheme of a solver gives in a variant (that of the case), and how it is labelled.

    Raises CapabilityError if the solver does not offer what the problem needs: it is not called then.
    """
    scheme, statement = observer.subject.schemes[0], _stated(case, variant)
    observer.subject.refuse_beyond(statement.needs)
    return observer.observe(observer.default_run(statement, scheme)), scheme or observer.subject.name


def convergence(name: str, remark: str, variant: str = "") -> FigureMaker:
    """Return the figure of the errors of a quantity over the levels of a solver, if it has any."""

    def draw(case: Case, observer: Runner) -> Iterator[Figure]:
        if not observer.subject.refined:
            return
        statement = _stated(case, variant)
        observer.subject.refuse_beyond(statement.needs)
        quantity = next(q for q in case.quantities if q.name == name)
        curves, keys = [], set()
        for scheme in observer.subject.schemes[:SCHEMES_SHOWN]:
            try:
                result = answers(observer, statement, scheme, quantity)
            except (NotJudged, HarnessError, SolverFailure, SolverInputError):
                continue
            keys.add(result.key)
            curves += _study(scheme or observer.subject.name, result, statement, quantity)
        if curves:
            yield figure(
                case.name,
                f"convergence-{name}",
                f"Convergence of {name.replace('_', ' ')}",
                f"Error, relative to the scale of the quantity, over the refined setting: {remark}.",
                [panel(" or ".join(sorted(keys)), "error", curves, log=True)],
            )

    return draw


def _study(label: str, found: Answers, statement: Statement, quantity: Quantity) -> Curves:
    """Return errors over the levels, named with the order they follow in the asymptotic range, if they do."""
    levels = error_levels(found, statement)
    size = statement.size(quantity)
    order = observed_order(levels, 0.0).order
    named = f"{label}: order {order:.2f}" if order is not None else f"{label}: no single order"
    return [series(named, "computed", [level.size for level in levels], [level.error / size for level in levels])]
