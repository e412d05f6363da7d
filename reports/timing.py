"""Timing of solvers as pytest-benchmark recorded it: statistics, digits, comparison, history, the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from veridyn.inputs import InputError, parse_json, read_text
from veridyn.outputs import WORK
from veridyn.reports import markdown, numbers, svg
from veridyn.reports.benchmarks import Benchmark, Info, read_benchmarks
from veridyn.reports.writer import fill
from veridyn.results import ReportError
from veridyn.results.grouping import group

Key = tuple[str, str, str, str]
Turn = Literal["slower", "quicker", "no change", "new", "gone"]

SIGMAS = 3.0  # standard errors that count as noise
LEAST = 0.1  # relative noise between two runs of a quiet machine
QUARTILES = 1.349  # interquartile range of a normal distribution, in standard deviations
OF_MEDIAN = 1.2533  # standard error of a median in those of a mean, of a normal distribution


@dataclass(frozen=True)
class TimingLine:
    """One solution, measured: times in s, numbers of correct digits (None if there are none to count)."""

    key: Key
    min: float
    median: float
    mean: float
    stddev: float
    q1: float
    q3: float
    rounds: int
    first_call: float
    digits: float | None
    fewest_digits: float | None

    @property
    def uncertainty(self) -> float:
        """Standard error of the median relative to it, from the quartiles, which outliers do not move."""
        if self.median <= 0:
            return math.inf
        return OF_MEDIAN * (self.q3 - self.q1) / QUARTILES / self.median / math.sqrt(max(self.rounds, 1))


@dataclass(frozen=True)
class Timing:
    """One run of the benchmarks; `sentences` tell what was measured as a ratio within the run."""

    name: str
    date: str
    machine: str
    python: str
    commit: str
    lines: tuple[TimingLine, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class TimingChange:
    """A line beside that of the baseline: ratio of medians, how far noise may take it from 1, ratio of minima."""

    key: Key
    turn: Turn
    before: TimingLine | None
    ratio: float | None = None
    noise: float | None = None
    of_minima: float | None = None


@dataclass(frozen=True)
class TimingComparison:
    """A run against a baseline; `remarks` tell what makes the comparison lame."""

    changes: tuple[TimingChange, ...]
    remarks: tuple[str, ...]

    @property
    def headline(self) -> str:
        """One sentence with the counts."""
        result = group(self.changes, lambda change: change.turn)
        turns: tuple[Turn, ...] = ("slower", "quicker", "no change", "new", "gone")
        return ", ".join(f"{len(result[turn])} {turn}" for turn in turns if turn in result) or "nothing to compare"


def read_timing(path: Path) -> Timing:
    """Read the JSON file of a run of the benchmarks.

    Raises ReportError if the file cannot be read, is no JSON, or was not written by pytest-benchmark.
    """
    try:
        data = parse_json(read_text(path))
    except FileNotFoundError:
        raise ReportError(f"{path}: no such file; write it with: veridyn bench --report DIR") from None
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror}); name a file timing.json") from None
    except InputError as error:
        raise ReportError(f"{path}: {error}; is it a timing.json?") from None
    return timing_of(data, str(path))


def timing_of(data: object, name: str = "timing.json") -> Timing:
    """Return what pytest-benchmark recorded; benchmarks that are no solution of a case only give sentences.

    Raises ReportError if a key is missing or a time is no number.
    """
    try:
        run = read_benchmarks(data)
        return Timing(
            name=name,
            date=run.datetime,
            machine=run.machine_info.name,
            python=run.machine_info.python_version,
            commit=run.commit_info.id.removeprefix("unversioned") if run.commit_info else "",
            lines=tuple(
                _line(one, first) for one in run.benchmarks if (first := one.extra_info.first_call) is not None
            ),
            sentences=tuple(_sentence(one.extra_info) for one in run.benchmarks if one.extra_info.ratio is not None),
        )
    except ValueError as error:
        raise ReportError(
            f"{name}: not a timing file of pytest-benchmark ({error}); write one with: veridyn bench --report DIR"
        ) from None


def _line(benchmark: Benchmark, first_call: float) -> TimingLine:
    info, stats = benchmark.extra_info, benchmark.stats
    if not info.solver or not info.case:
        raise ValueError(f"{benchmark.name} names no solver or no case")
    if not all(math.isfinite(time) and time >= 0 for time in stats.times):
        raise ValueError(f"times of {benchmark.name} must be finite and positive")
    return TimingLine(
        key=(info.solver, info.case, info.variant, info.scheme),
        min=stats.min,
        median=stats.median,
        mean=stats.mean,
        stddev=stats.stddev,
        q1=stats.q1,
        q3=stats.q3,
        rounds=stats.rounds,
        first_call=first_call,
        digits=info.digits,
        fewest_digits=info.fewest_digits,
    )


def _sentence(info: Info) -> str:
    others = ", ".join(f"{name} {ns:.4g}" for name, ns in info.others_ns_per_step.items())
    rate = f"; {info.gigaflops:.2g} Gflop/s" if info.gigaflops is not None else ""
    return (
        f"General kernel over {info.against} ({info.case}, {info.scheme}): {info.ratio:.2f} "
        f"(ns per step: general {info.general_ns_per_step:.4g}, {others}{rate})"
    )


def compare(now: Timing, before: Timing) -> TimingComparison:
    """Hold a run against a baseline.

    The noise is three standard errors of the ratio of the medians, from the quartiles of both runs, and at least
    10 %: that much two runs of a quiet machine differ.
    """
    old, new = ({line.key: line for line in run.lines} for run in (before, now))
    changes = tuple(_change(key, old.get(key), new.get(key)) for key in {**new, **old})
    return TimingComparison(changes, tuple(_remarks(now, before)))


def _change(key: Key, before: TimingLine | None, now: TimingLine | None) -> TimingChange:
    if before is None or now is None:
        return TimingChange(key, "gone" if now is None else "new", before)
    noise = max(LEAST, SIGMAS * math.hypot(now.uncertainty, before.uncertainty))
    result = TimingChange(key, "no change", before, _over(now.median, before.median), noise, _over(now.min, before.min))
    if result.ratio is None or 1 / (1 + noise) <= result.ratio <= 1 + noise:
        return result
    return replace(result, turn="slower" if result.ratio > 1 else "quicker")


def _over(now: float, before: float) -> float | None:
    return now / before if before > 0 else None


def _remarks(now: Timing, before: Timing) -> Iterable[str]:
    if now.machine != before.machine:
        yield (
            f"The machines differ: {before.machine} before, {now.machine} now. "
            "The ratios compare machines as much as code."
        )
    if now.python != before.python:
        yield f"The versions of Python differ: {before.python} before, {now.python} now."


@dataclass(frozen=True)
class TimingHistory:
    """Earlier runs on the same machine, the oldest first; `elsewhere` counts runs of other machines."""

    runs: tuple[Timing, ...]
    elsewhere: int = 0

    def medians(self, key: Key) -> list[float]:
        """Return the medians of a line over the runs that have it."""
        return [line.median for run in self.runs for line in run.lines if line.key == key]


def read_history(folder: Path, now: Timing) -> TimingHistory:
    """Read all runs that are stored in a folder, and in folders within it, up to the present one.

    Raises ReportError if there is no such folder, or a file in it is no timing file.
    """
    if not folder.is_dir():
        raise ReportError(f"{folder}: no such folder; name one with files that veridyn bench --report DIR wrote")
    files = (file for file in sorted(folder.rglob("*.json")) if WORK not in file.parts)
    stored = [read_timing(file) for file in files]
    runs = {(run.date, run.machine): run for run in [*stored, now]}
    past = sorted((run for run in runs.values() if run.date <= now.date), key=lambda run: run.date)
    here = tuple(run for run in past if run.machine == now.machine)
    return TimingHistory(here, len(past) - len(here))


def seconds(time: float) -> str:
    """Print a time with three significant digits."""
    return f"{1e3 * time:.3g} ms" if time < 1 else f"{time:.3g} s"


def several(*times: float, between: str) -> str:
    """Print times in one unit."""
    unit, factor = ("ms", 1e3) if max(times) < 1 else ("s", 1.0)
    return f"{between.join(f'{factor * time:.3g}' for time in times)} {unit}"


def by_case(lines: Sequence[TimingLine]) -> dict[tuple[str, str], list[TimingLine]]:
    """Group lines by case and variant."""
    return group(lines, lambda line: line.key[1:3])


# ---- the page

HEAD = ("Solver", "Scheme", "Median", "Quartiles", "Min", "Mean ± s", "Rounds", "First call", "Digits", "Fewest")
AGAINST = ("Before", "Ratio", "Noise", "Minima", "Verdict")
READING = (
    "Time of one solution, archive included. Median, quartiles, minimum, mean with standard deviation over the rounds; "
    "the first call, with compilation or the loading of cached kernels, apart. Digits: median and fewest correct "
    "digits over the quantities of the run; a time says nothing without them. Nothing here is asserted: machines are "
    "shared and noisy."
)
BAND = (
    f"Ratio: median now over median before. Noise: {SIGMAS:g} standard errors of that ratio, from the quartiles of "
    "both runs, at least 10 %; what lies within is no change. Minima: ratio of the shortest times, which other work "
    "on the machine disturbs least."
)
WIDTH, HEIGHT, INSET = 110.0, 22.0, 3.0


@dataclass(frozen=True)
class TimingRow:
    """A line of the table, printed; `turn` is empty without a baseline, `spark` and `past` without a history."""

    cells: Sequence[str]
    turn: str = ""
    spark: str = ""
    past: str = ""


@dataclass(frozen=True)
class TimingPage:
    """The whole report; its parts are the rows of a case and variant each."""

    timing: Timing
    command: str
    head: Sequence[str]
    parts: Mapping[str, list[TimingRow]]
    gone: list[str]
    compared: TimingComparison | None
    past: TimingHistory | None
    reading: Sequence[str] = field(default=(READING,))


def make_page(
    timing: Timing, command: str, compared: TimingComparison | None = None, past: TimingHistory | None = None
) -> TimingPage:
    """Arrange a run, with what it is compared with."""
    changes = {change.key: change for change in compared.changes} if compared else {}
    parts = {
        " ".join(name): [_row(line, changes.get(line.key), past) for line in lines]
        for name, lines in by_case(timing.lines).items()
    }
    return TimingPage(
        timing=timing,
        command=command,
        head=(*HEAD, *(AGAINST if compared else ()), *(("History",) if past else ())),
        parts=parts,
        gone=[" ".join(filter(None, change.key)) for change in changes.values() if change.turn == "gone"],
        compared=compared,
        past=past,
        reading=(READING, BAND) if compared else (READING,),
    )


def _row(line: TimingLine, change: TimingChange | None, past: TimingHistory | None) -> TimingRow:
    cells = (
        line.key[0],
        line.key[3],
        seconds(line.median),
        several(line.q1, line.q3, between="–"),
        seconds(line.min),
        several(line.mean, line.stddev, between=" ± "),
        str(line.rounds),
        seconds(line.first_call),
        numbers.correct_digits(line.digits),
        numbers.correct_digits(line.fewest_digits),
    )
    more = _against(change) if change else ()
    medians = past.medians(line.key) if past else []
    return TimingRow((*cells, *more), change.turn if change else "", spark(medians), _past(medians))


def _past(medians: Sequence[float]) -> str:
    """Say what a spark line draws."""
    if not medians:
        return ""
    return f"{numbers.plural(len(medians), 'run')}, {seconds(medians[0])} to {seconds(medians[-1])}"


def _against(change: TimingChange) -> Sequence[str]:
    noise = numbers.NONE if change.noise is None else f"±{100 * change.noise:.0f} %"
    before = seconds(change.before.median) if change.before else numbers.NONE
    return before, ratio(change.ratio), noise, ratio(change.of_minima), change.turn


def ratio(number: float | None) -> str:
    """Print a ratio of times."""
    return numbers.NONE if number is None else f"{number:.2f}"


def spark(medians: Sequence[float]) -> str:
    """Draw medians over the runs, logarithmically, from half the least to twice the largest; a dot is the last."""
    times = [math.log2(time) for time in medians if time > 0]
    if not times:
        return ""
    low, high = min(times) - 1, max(times) + 1
    step = (WIDTH - 2 * INSET) / max(len(times) - 1, 1)
    points = [
        (INSET + step * place, HEIGHT - INSET - (time - low) / (high - low) * (HEIGHT - 2 * INSET))
        for place, time in enumerate(times)
    ]
    name = _past(medians)
    x, y = map(svg.number, points[-1])
    parts = [
        f"<title>{svg.escape(name)}</title>",
        svg.path(points, 'fill="none" stroke="#0072B2" stroke-width="1.4"'),
        f'<circle cx="{x}" cy="{y}" r="2.4" fill="#0072B2"/>',
    ]
    return svg.drawing(WIDTH, HEIGHT, name, parts, "spark")


def html(page: TimingPage) -> str:
    """Render as one HTML file, which fetches nothing; raises ReportError if jinja2 is not installed."""
    return fill("timing", page=page)


def text(page: TimingPage) -> str:
    """Render as Markdown; a history is the list of medians."""
    timing = page.timing
    about = f"{page.command}, on {timing.machine}, Python {timing.python}, {timing.date}."
    blocks = ["# Timing report", markdown.escape(about), *map(markdown.escape, page.reading)]
    blocks += [f"**Against the baseline: {page.compared.headline}.**"] if page.compared else []
    blocks += [markdown.escape(remark) for remark in (page.compared.remarks if page.compared else ())]
    for title, lines in page.parts.items():
        rows = [(*row.cells, *((row.past,) if page.past else ())) for row in lines]
        blocks += [f"## {markdown.escape(title)}", markdown.table(page.head, rows)]
    blocks += [f"Gone: {markdown.escape(', '.join(page.gone))}."] if page.gone else []
    blocks += ["\n".join(f"* {markdown.escape(sentence)}" for sentence in timing.sentences)] if timing.sentences else []
    return "\n\n".join(blocks) + "\n"
