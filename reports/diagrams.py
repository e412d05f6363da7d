"""Work-precision diagrams: error against time of every solver, and the levels behind the points. Pure functions."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veridyn.reports import numbers
from veridyn.reports.style import CYCLE, DASHES
from veridyn.reports.tally import Record, common_settings, group, subject


@dataclass(frozen=True)
class Level:
    """One point, printed."""

    settings: str
    first_call: str
    time: str
    error: str
    quantity: str
    digits: str
    scd: str
    mescd: str
    passed: str
    detail: str


@dataclass(frozen=True)
class Levels:
    """The points of one subject, with what all its settings share."""

    subject: str
    version: str
    settings: str
    levels: list[Level]


DIGITS = (4, 8, 12)
"""Correct digits that a user may want, in the table of the times that they cost."""


@dataclass(frozen=True)
class Price:
    """What correct digits cost one subject: a time for each of `DIGITS`, with its ratio to the quickest subject."""

    subject: str
    times: tuple[str, ...]


def prices(points: Iterable[Record], runs: int) -> list[Price]:
    """Return the shortest times to 4, 8 and 12 correct digits, the quickest subject first; without any, nobody."""
    by_subject = group(points, lambda point: subject(point, runs))
    fastest = {name: tuple(quickest(members, number) for number in DIGITS) for name, members in by_subject.items()}
    reached = {name: times for name, times in fastest.items() if times[0] is not None}
    columns = zip(*reached.values(), strict=True)
    best = [min((time for time in column if time is not None), default=None) for column in columns]
    order = sorted(reached, key=lambda name: [time or math.inf for time in reached[name]])
    return [Price(name, tuple(map(_price, reached[name], best))) for name in order]


def quickest(points: Iterable[Record], digits: int) -> float | None:
    """Return the time of the quickest level that reaches so many digits in all quantities."""
    good = [point for point in points if point["wall_time"] and (point["digits"] or 0) >= digits]
    return min((point["wall_time"] for point in good), default=None)


def _price(time: float | None, best: float | None) -> str:
    if time is None or best is None:
        return numbers.NONE
    return f"{numbers.time(time)} (×{numbers.value(time / best, 2)})"


def solvers(points: Iterable[Record], runs: int) -> list[Levels]:
    """Print the points of a diagram, subject by subject."""
    by_subject = group(points, lambda point: subject(point, runs))
    return [_levels(name, members) for name, members in by_subject.items()]


def _levels(name: str, points: list[Record]) -> Levels:
    common = common_settings(points) if len(points) > 1 else {}
    common = {key: value for key, value in common.items() if key != "scheme"}
    return Levels(name, points[0]["version"], settings(common), [_level(point, common) for point in points])


def _level(point: Record, common: Mapping[str, Any]) -> Level:
    own = {key: value for key, value in point["settings"].items() if key not in common and key != "scheme"}
    return Level(
        settings=settings(own) or "defaults",
        first_call=numbers.time(point["first_call"]),
        time=numbers.time(point["wall_time"]),
        error=numbers.error(point["error"]),
        quantity=point["quantity"],
        digits=numbers.correct_digits(point["digits"]),
        scd=numbers.correct_digits(point["scd"]),
        mescd=numbers.correct_digits(point["mescd"]),
        passed=f"{point['passed']}/{point['checks']}" if point["checks"] else numbers.NONE,
        detail=point["detail"],
    )


def settings(given: Mapping[str, Any]) -> str:
    """Print settings in one line."""
    return ", ".join(f"{name} = {numbers.value(value)}" for name, value in given.items())


def figure(
    points: Sequence[Record], results: Iterable[Record], solvers: Mapping[str, Hashable], machines: Sequence[str]
) -> Record | None:
    """Make the diagram of one variant of a case; None if nothing can be shown.

    The results are the records of the case and variant, which know the tolerance that is drawn. The solver of every
    subject of the document has the same colour in every diagram; if there are more subjects than looks, those of one
    solver share a colour. Machines are those of the runs.
    """
    drawable = [point for point in points if _drawable(point)]
    if not drawable:
        return None
    case, variant = points[0]["case"], points[0]["variant"]
    lines = group(points, lambda point: subject(point, len(machines)))
    families = _families(solvers)
    series = [_series(name, lines.get(name, [])) | families.get(name, {}) for name in solvers]
    limit = _limit(drawable, results) + _doubt(drawable)
    panel = {
        "xlabel": "wall time of one solve (s)",
        "ylabel": "worst error over the scale",
        "xscale": "log",
        "yscale": "log",
    }
    return {
        "case": case,
        "id": f"work-precision-{variant}",
        "title": f"Work and precision, {variant or case}",
        "caption": _caption(points, drawable, machines),
        "panels": [panel | {"height": 1.5 + 0.035 * len(lines), "events": [], "series": [*series, *limit]}],
    }


def _families(solvers: Mapping[str, Hashable]) -> dict[str, Record]:
    """Return a number for the solver of each subject, if subjects are too many for a colour each."""
    numbers_of = {solver: number for number, solver in enumerate(dict.fromkeys(solvers.values()))}
    if len(solvers) <= len(CYCLE) * len(DASHES) or len(numbers_of) == 1:
        return {}
    return {name: {"family": numbers_of[solver]} for name, solver in solvers.items()}


def _drawable(point: Record) -> bool:
    return bool(point["error"]) and bool(point["wall_time"])


def _series(name: str, points: list[Record]) -> Record:
    """Make a line; without a point it has no name either, and only keeps the colours of the others."""
    shown = name if any(map(_drawable, points)) else ""
    x, y = ([point[key] if _drawable(point) else None for point in points] for key in ("wall_time", "error"))
    return {"label": shown, "role": "computed", "marker": False, "x": x, "y": y}


def _limit(points: list[Record], results: Iterable[Record]) -> list[Record]:
    """Make a line of the relative tolerance of Code_Aster's test, if all quantities share one."""
    tolerances = {
        record["tolerance"]
        for record in results
        if record["layer"] == "criterion" and record["error_kind"] == "relative" and "Code_Aster" in record["reason"]
    }
    if len(tolerances) != 1:
        return []
    return [_level_line("tolerance of Code_Aster's test", points, tolerances.pop())]


def _level_line(name: str, points: list[Record], error: float) -> Record:
    """Make a line of one error over the times of the points."""
    times = [point["wall_time"] for point in points]
    return {"label": name, "role": "limit", "marker": False, "x": [min(times), max(times)], "y": 2 * [error]}


SEEN = 1e-3  # of the smallest error: a smaller uncertainty of the reference cannot be seen


def _doubt(points: list[Record]) -> list[Record]:
    """Make a line of the uncertainty of the reference where it is not far below the errors."""
    doubt = max(point["uncertainty"] for point in points)
    if doubt <= SEEN * min(point["error"] for point in points):
        return []
    return [_level_line("uncertainty of the reference", points, doubt)]


def _caption(points: Sequence[Record], drawable: Sequence[Record], machines: Sequence[str]) -> str:
    used = sorted({point.get("run", 1) for point in points})
    where = "; ".join(dict.fromkeys(machines[number - 1] for number in used))
    missing = len(points) - len(drawable)
    return " ".join(
        (
            "Worst error of all numbers, each over its scale, against the time of one "
            f"solve: {_minimum([point['repeats'] for point in drawable])}. Each line goes from coarse settings to "
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
