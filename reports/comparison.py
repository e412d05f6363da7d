"""Solvers side by side: what each got of every quantity, how it scored, its error over its time. Pure functions."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from veridyn.reports import numbers
from veridyn.reports.style import CYCLE, DASHES
from veridyn.reports.tally import LAYERS, TROUBLE, TRUTH, common_settings, own_settings, subject, worst_first
from veridyn.results import (
    ErrorKind,
    Figure,
    Layer,
    Number,
    Panel,
    Record,
    Role,
    Scale,
    Series,
    Settings,
    Verdict,
    WorkPrecisionPoint,
)
from veridyn.results.grouping import group

CELLS = 2000  # of the matrices of a case; the first may have more, for instance of a hundred subjects


@dataclass(frozen=True)
class Cell:
    """What one subject got of a quantity; None as verdict if it was not asked."""

    verdict: Verdict | None
    digits: str
    note: str


@dataclass(frozen=True)
class ComparisonLine:
    """One quantity, a cell per subject."""

    quantity: str
    unit: str
    layer: Layer
    cells: list[Cell]


@dataclass(frozen=True)
class Matrix:
    """The quantities of a variant against the subjects, with the time of each subject's run."""

    variant: str
    subjects: list[str]
    lines: list[ComparisonLine]
    times: list[str]


@dataclass(frozen=True)
class Score:
    """Correct digits against the truth, fewest and median, and the time of all distinct runs."""

    fewest: str
    median: str
    time: str


NOT_ASKED = Cell(None, "", "not asked")


def score(records: Iterable[Record]) -> Score:
    """Score the records of one subject in a case."""
    listed = list(records)
    result = truth_digits(listed)
    # all quantities of a run carry its time, to the last bit
    times = {(record.variant, record.wall_time) for record in listed if record.wall_time is not None}
    return Score(
        numbers.correct_digits(min(result, default=None)),
        numbers.correct_digits(median(result) if result else None),
        numbers.time(sum(time for _, time in times) if times else None),
    )


def truth_digits(records: Iterable[Record]) -> list[float]:
    """Return the correct digits of all comparisons with the truth that have any."""
    return [record.digits for record in records if record.layer is Layer.CRITERION and record.digits is not None]


@dataclass(frozen=True)
class Standing:
    """How one subject did in all cases, printed; a wrong number counts as silent, as nobody was told."""

    subject: str
    cases: str
    score: Score
    orders: str
    slopes: str
    claims: str
    silent: str
    told: str


def standings(results: Iterable[Record], runs: int) -> list[Standing]:
    """Return a line for each subject; none if there is only one."""
    by_subject = group(results, lambda record: subject(record, runs))
    return [_standing(name, records) for name, records in by_subject.items()] if len(by_subject) > 1 else []


def _standing(name: str, records: list[Record]) -> Standing:
    judged = [r for r in records if r.verdict in (Verdict.PASS, Verdict.FAIL)]
    claims = [r for r in judged if r.layer is Layer.CLAIM]
    return Standing(
        subject=name,
        cases=f"{len({r.case for r in judged})}/{len({r.case for r in records})}",
        score=score(records),
        orders=_range(claims, "order"),
        slopes=_range(claims, "slope"),
        claims=f"{sum(r.verdict is Verdict.PASS for r in claims)}/{len(claims)}" if claims else numbers.NONE,
        silent=_where(silently_wrong(records)),
        told=_where(select_messages(records)),
    )


def silently_wrong(records: Iterable[Record]) -> list[Record]:
    """Return the checks against the truth that a number failed without a word."""
    return [r for r in records if r.verdict in TROUBLE and r.layer in TRUTH and r.value is not None]


def select_messages(records: Iterable[Record]) -> list[Record]:
    """Return the failures that came with a message instead of a number."""
    return [r for r in records if r.verdict in TROUBLE and r.value is None]


DIGITS_CLAIM = "digits"  # a claim whose observation is the digits of its check


def observed(claims: Iterable[Record], what: str) -> list[float]:
    """Return what was observed of a claim, least first: orders, slopes, or correct digits of the quantities."""
    own = [r for r in claims if r.quantity.partition(":")[0] == what]
    readings = [r.digits if what == DIGITS_CLAIM else r.value for r in own]
    return sorted(float(reading) for reading in readings if reading)


def _range(claims: Iterable[Record], what: str) -> str:
    """Print least, median and largest of what was observed of a claim."""
    result = observed(claims, what)
    if not result:
        return numbers.NONE
    return " · ".join(f"{number:.2f}" for number in dict.fromkeys((result[0], median(result), result[-1])))


def _where(records: Sequence[Record]) -> str:
    """Print how many checks there are, and of which cases."""
    cases = dict.fromkeys(r.case for r in records)
    return f"{len(records)} ({', '.join(cases)})" if records else "0"


def matrices(results: Iterable[Record], runs: int, most: int) -> tuple[list[Matrix], int]:
    """Return a matrix per variant of a case, as many as fit the page but not above `most`, and how many more there are.

    Variants that only one subject was asked for have none; those with trouble come first if not all are shown.
    """
    compared = [record for record in results if record.layer in TRUTH]
    by_variant = group(compared, lambda record: record.variant)
    several = [members for members in by_variant.values() if len({subject(record, runs) for record in members}) > 1]
    if _fitting(several, most) < len(several):
        several.sort(key=lambda members: all(record.verdict not in TROUBLE for record in members))
    shown = several[: max(1, _fitting(several, most))]
    return [_matrix(members[0].variant, members, runs) for members in shown], len(several) - len(shown)


def _fitting(variants: Sequence[Sized], most: int) -> int:
    """Return how many variants fit the page."""
    return sum(cells <= CELLS for cells in accumulate(map(len, variants[:most])))


def _matrix(variant: str, records: list[Record], runs: int) -> Matrix:
    by_subject = group(records, lambda record: subject(record, runs))
    order = list(LAYERS)
    in_order = sorted(records, key=lambda record: order.index(record.layer))
    lines = group(in_order, lambda record: (record.layer, record.quantity))
    return Matrix(
        variant=variant,
        subjects=list(by_subject),
        lines=[_line(layer, name, members, list(by_subject), runs) for (layer, name), members in lines.items()],
        times=[numbers.time(max(_times(members), default=None)) for members in by_subject.values()],
    )


def _line(layer: Layer, quantity: str, records: list[Record], subjects: list[str], runs: int) -> ComparisonLine:
    asked = group(records, lambda record: subject(record, runs))
    cells = [_cell(asked[name]) if name in asked else NOT_ASKED for name in subjects]
    return ComparisonLine(quantity, records[0].unit, layer, cells)


def _cell(records: list[Record]) -> Cell:
    """Make a cell of the worst of the records, which are several if a quantity was asked for more than once."""
    worst = worst_first(records)[0]
    digits = "" if worst.digits is None else numbers.correct_digits(worst.digits)
    measured = f"{worst.error_kind} error {numbers.error(worst.error)}" if worst.error is not None else ""
    allowed = f"tolerance {numbers.tolerance(worst.tolerance)}" if measured else ""
    return Cell(worst.verdict, digits, ", ".join(filter(None, (worst.verdict, measured, allowed, worst.detail))))


def _times(records: Iterable[Record]) -> list[float]:
    """Return the times of the runs that were compared with the truth."""
    return [r.wall_time for r in records if r.layer is Layer.CRITERION and r.wall_time is not None]


@dataclass(frozen=True)
class Levels:
    """The points of one subject with the settings of each, printed, and what all its settings share."""

    subject: str
    version: str
    settings: str
    levels: list[tuple[str, WorkPrecisionPoint]]


DIGITS = (4, 8, 12)
"""Correct digits that a user may want, in the table of the times that they cost."""


def prices(points: Iterable[WorkPrecisionPoint], runs: int) -> dict[str, tuple[str, ...]]:
    """Return the shortest times to 4, 8 and 12 correct digits, each with its ratio to the quickest, by subject.

    The quickest subject comes first; one that does not reach the fewest is left out.
    """
    by_subject = group(points, lambda point: subject(point, runs))
    fastest = {name: tuple(quickest(members, number) for number in DIGITS) for name, members in by_subject.items()}
    reached = {name: times for name, times in fastest.items() if times[0] is not None}
    columns = zip(*reached.values(), strict=True)
    best = [min((time for time in column if time is not None), default=None) for column in columns]
    order = sorted(reached, key=lambda name: [time or math.inf for time in reached[name]])
    return {name: tuple(map(_price, reached[name], best)) for name in order}


def quickest(points: Iterable[WorkPrecisionPoint], digits: int) -> float | None:
    """Return the time of the quickest level that reaches so many digits in all quantities."""
    times = (point.wall_time for point in points if (point.digits or 0) >= digits)
    return min(filter(None, times), default=None)


def _price(time: float | None, best: float | None) -> str:
    if time is None or best is None:
        return numbers.NONE
    return f"{numbers.time(time)} (×{numbers.value(time / best, 2)})"


def levels(points: Iterable[WorkPrecisionPoint], runs: int) -> list[Levels]:
    """Return the points of a diagram, subject by subject."""
    by_subject = group(points, lambda point: subject(point, runs))
    return [_levels(name, members) for name, members in by_subject.items()]


def _levels(name: str, points: list[WorkPrecisionPoint]) -> Levels:
    common = common_settings(points) if len(points) > 1 else {}
    common = own_settings(common, points[0].scheme)
    return Levels(name, points[0].version, settings(common), [(_own(point, common), point) for point in points])


def _own(point: WorkPrecisionPoint, common: Settings) -> str:
    own = {key: value for key, value in own_settings(point.settings, point.scheme).items() if key not in common}
    return settings(own) or "defaults"


def settings(chosen: Settings) -> str:
    """Print settings in one line."""
    return ", ".join(f"{name} = {numbers.value(value)}" for name, value in chosen.items())


@dataclass(frozen=True)
class ColouredFigure:
    """A figure whose curves may share colours: ``families`` holds a number for each, None for a colour of its own."""

    figure: Figure
    families: tuple[int | None, ...]


def diagram(
    points: Sequence[WorkPrecisionPoint],
    results: Iterable[Record],
    printed_levels: Mapping[str, Hashable],
    machines: Sequence[str],
) -> ColouredFigure | None:
    """Make the diagram of one variant of a case; None if nothing can be shown.

    The results are the records of the case and variant, which know the tolerance that is drawn. The solver of every
    subject of the document has the same colour in every diagram; if there are more subjects than looks, those of one
    solver share a colour. Machines are those of the runs.
    """
    drawable = [place for place in map(_locate, points) if place]
    if not drawable:
        return None
    case, variant = points[0].case, points[0].variant
    lines = group(points, lambda point: subject(point, len(machines)))
    families = _families(printed_levels)
    series = [_series(name, lines.get(name, [])) for name in printed_levels]
    limits = _tolerance_line(drawable, results) + _doubt(points, drawable)
    panel = Panel(
        xlabel="wall time of one solve (s)",
        ylabel="worst error over the scale",
        xscale=Scale.LOG,
        yscale=Scale.LOG,
        height=1.5 + 0.035 * len(lines),
        series=(*series, *limits),
    )
    figure = Figure(
        case=case,
        id=f"work-precision-{variant}",
        title=f"Work and precision, {variant or case}",
        caption=_caption(points, machines),
        panels=(panel,),
    )
    return ColouredFigure(figure, (*map(families.get, printed_levels), *(None for _ in limits)))


def _families(printed_levels: Mapping[str, Hashable]) -> dict[str, int]:
    """Return a number for the solver of each subject, if subjects are too many for a colour each."""
    numbers_of = {solver: number for number, solver in enumerate(dict.fromkeys(printed_levels.values()))}
    if len(printed_levels) <= len(CYCLE) * len(DASHES) or len(numbers_of) == 1:
        return {}
    return {name: numbers_of[solver] for name, solver in printed_levels.items()}


Place = tuple[Number, Number]


def _locate(point: WorkPrecisionPoint) -> Place | None:
    """Return time and error of a point; None if it cannot be shown."""
    return (point.wall_time, point.error) if point.error and point.wall_time else None


def _series(name: str, points: Sequence[WorkPrecisionPoint]) -> Series:
    """Make a line; without a point it has no name either, and only keeps the colours of the others."""
    places = [_locate(point) for point in points]
    x, y = (tuple(place[axis] if place else None for place in places) for axis in (0, 1))
    return Series(label=name if any(places) else "", x=x, y=y)


def _tolerance_line(places: Sequence[Place], results: Iterable[Record]) -> list[Series]:
    """Make a line of the relative error that the criteria admit, if all of them admit the same."""
    criteria = (r for r in results if r.layer is Layer.CRITERION and r.error_kind is ErrorKind.RELATIVE)
    tolerances = {record.tolerance for record in criteria}
    tolerance = tolerances.pop() if len(tolerances) == 1 else None
    return [] if tolerance is None else [_level_line("admitted by the criteria", places, tolerance)]


def _level_line(name: str, places: Sequence[Place], error: Number) -> Series:
    """Make a line of one error over the times of the points."""
    times = [time for time, _ in places]
    return Series(label=name, role=Role.LIMIT, x=(min(times), max(times)), y=(error, error))


SEEN = 1e-3  # of the smallest error: a smaller uncertainty of the reference cannot be seen


def _doubt(points: Sequence[WorkPrecisionPoint], places: Sequence[Place]) -> list[Series]:
    """Make a line of the uncertainty of the reference where it is not far below the errors."""
    doubt = max(point.uncertainty for point in points if _locate(point))
    if doubt <= SEEN * min(error for _, error in places):
        return []
    return [_level_line("uncertainty of the reference", places, doubt)]


def _caption(points: Sequence[WorkPrecisionPoint], machines: Sequence[str]) -> str:
    drawable = [point for point in points if _locate(point)]
    used = sorted({point.run_number for point in points})
    where = "; ".join(dict.fromkeys(machines[number - 1] for number in used))
    missing = len(points) - len(drawable)
    return " ".join(
        (
            "Worst error of all numbers, each over its scale, against the time of one "
            f"solve: {_minimum([point.repeats for point in drawable])}. Each line goes from coarse settings to "
            "fine ones; the table has them all.",
            *([f"{numbers.plural(missing, 'setting')} without an error cannot be shown."] if missing else []),
            f"Machine: {where}.",
        )
    )


def _minimum(repeats: Sequence[int]) -> str:
    """Say of how many solves a time is the minimum; a slow first one is not repeated."""
    several = [number for number in repeats if number]
    if not several:
        return "the first call"
    low, high = min(several), max(several)
    solves = numbers.plural(high, "solve") if low == high else f"{low} to {high} solves"
    slow = ", or the first call where it was too slow to be repeated" if len(several) < len(repeats) else ""
    return f"the minimum of {solves} after the first call{slow}"
