"""Solvers side by side: what each of them got of every quantity, and how it scored in a case. Pure functions."""

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from itertools import accumulate
from statistics import median

from veridyn.reports import numbers
from veridyn.reports.tally import LAYERS, TROUBLE, TRUTH, Record, group, subject, worst_first

CELLS = 2000  # of the matrices of a case; the first may have more, for instance of a hundred subjects


@dataclass(frozen=True)
class Cell:
    """What one subject got of a quantity; the verdict is empty if it was not asked."""

    verdict: str
    digits: str
    note: str


@dataclass(frozen=True)
class Line:
    """One quantity, a cell per subject."""

    quantity: str
    unit: str
    layer: str
    cells: list[Cell]


@dataclass(frozen=True)
class Matrix:
    """The quantities of a variant against the subjects, with the time of each subject's run."""

    variant: str
    subjects: list[str]
    lines: list[Line]
    times: list[str]


@dataclass(frozen=True)
class Score:
    """Correct digits against the truth, fewest and median, and the time of all distinct runs."""

    fewest: str
    median: str
    time: str


NOT_ASKED = Cell("", "", "not asked")


def score(records: Iterable[Record]) -> Score:
    """Score the records of one subject in a case."""
    listed = list(records)
    found = truth_digits(listed)
    # all quantities of a run carry its time, to the last bit
    times = {(record["variant"], record["wall_time"]) for record in listed if record["wall_time"] is not None}
    return Score(
        numbers.correct_digits(min(found, default=None)),
        numbers.correct_digits(median(found) if found else None),
        numbers.time(sum(time for _, time in times) if times else None),
    )


def truth_digits(records: Iterable[Record]) -> list[float]:
    """Return the correct digits of all comparisons with the truth that have any."""
    return [record["digits"] for record in records if record["layer"] == "criterion" and record["digits"] is not None]


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
    judged = [r for r in records if r["verdict"] in ("pass", "fail")]
    claims = [r for r in judged if r["layer"] == "claim"]
    return Standing(
        subject=name,
        cases=f"{len({r['case'] for r in judged})}/{len({r['case'] for r in records})}",
        score=score(records),
        orders=_range(claims, "order"),
        slopes=_range(claims, "slope"),
        claims=f"{sum(r['verdict'] == 'pass' for r in claims)}/{len(claims)}" if claims else numbers.NONE,
        silent=_where(silently_wrong(records)),
        told=_where(told(records)),
    )


def silently_wrong(records: Iterable[Record]) -> list[Record]:
    """Return the checks against the truth that a number failed without a word."""
    return [r for r in records if r["verdict"] in TROUBLE and r["layer"] in TRUTH and r["value"] is not None]


def told(records: Iterable[Record]) -> list[Record]:
    """Return the failures that came with a message instead of a number."""
    return [r for r in records if r["verdict"] in TROUBLE and r["value"] is None]


def observed(claims: Iterable[Record], what: str) -> list[float]:
    """Return what was observed of a claim, least first: orders, slopes, or correct digits of the quantities."""
    own = (r for r in claims if r["quantity"].partition(":")[0] == what)
    return sorted(float(seen) for r in own if (seen := r["digits" if what == "digits" else "value"]))


def _range(claims: Iterable[Record], what: str) -> str:
    """Print least, median and largest of what was observed of a claim."""
    found = observed(claims, what)
    if not found:
        return numbers.NONE
    return " · ".join(f"{number:.2f}" for number in dict.fromkeys((found[0], median(found), found[-1])))


def _where(records: Sequence[Record]) -> str:
    """Print how many checks there are, and of which cases."""
    cases = dict.fromkeys(str(r["case"]) for r in records)
    return f"{len(records)} ({', '.join(cases)})" if records else "0"


def matrices(results: Iterable[Record], runs: int, most: int) -> tuple[list[Matrix], int]:
    """Return a matrix per variant of a case, as many as fit the page but not above `most`, and how many more there are.

    Variants that only one subject was asked for have none; those with trouble come first if not all are shown.
    """
    compared = [record for record in results if record["layer"] in TRUTH]
    by_variant = group(compared, lambda record: str(record["variant"]))
    several = [members for members in by_variant.values() if len({subject(record, runs) for record in members}) > 1]
    if _fitting(several, most) < len(several):
        several.sort(key=lambda members: all(record["verdict"] not in TROUBLE for record in members))
    shown = several[: max(1, _fitting(several, most))]
    return [_matrix(str(members[0]["variant"]), members, runs) for members in shown], len(several) - len(shown)


def _fitting(variants: Sequence[Sized], most: int) -> int:
    """Return how many variants fit the page."""
    return sum(cells <= CELLS for cells in accumulate(map(len, variants[:most])))


def _matrix(variant: str, records: list[Record], runs: int) -> Matrix:
    by_subject = group(records, lambda record: subject(record, runs))
    in_order = sorted(records, key=lambda record: list(LAYERS).index(record["layer"]))
    lines = group(in_order, lambda record: (str(record["layer"]), str(record["quantity"])))
    return Matrix(
        variant=variant,
        subjects=list(by_subject),
        lines=[_line(layer, name, members, list(by_subject), runs) for (layer, name), members in lines.items()],
        times=[numbers.time(max(_times(members), default=None)) for members in by_subject.values()],
    )


def _line(layer: str, quantity: str, records: list[Record], subjects: list[str], runs: int) -> Line:
    asked = group(records, lambda record: subject(record, runs))
    cells = [_cell(asked[name]) if name in asked else NOT_ASKED for name in subjects]
    return Line(quantity, records[0]["unit"], layer, cells)


def _cell(records: list[Record]) -> Cell:
    """Make a cell of the worst of the records, which are several if a quantity was asked for more than once."""
    worst = worst_first(records)[0]
    digits = "" if worst["digits"] is None else numbers.correct_digits(worst["digits"])
    measured = f"{worst['error_kind']} error {numbers.error(worst['error'])}" if worst["error"] is not None else ""
    allowed = f"tolerance {numbers.tolerance(worst['tolerance'])}" if measured else ""
    return Cell(
        worst["verdict"], digits, ", ".join(filter(None, (worst["verdict"], measured, allowed, worst["detail"])))
    )


def _times(records: Iterable[Record]) -> list[float]:
    """Return the times of the runs that were compared with the truth."""
    return [r["wall_time"] for r in records if r["layer"] == "criterion" and r["wall_time"] is not None]
