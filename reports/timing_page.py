"""The timing report as HTML and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from veridyn.reports import markdown, numbers, svg
from veridyn.reports.html import fill
from veridyn.reports.timing import SIGMAS, Change, Compared, Line, Past, Timing, by_case, seconds, several

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
class Row:
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
    parts: Mapping[str, list[Row]]
    gone: list[str]
    compared: Compared | None
    past: Past | None
    reading: Sequence[str] = field(default=(READING,))


def make_page(timing: Timing, command: str, compared: Compared | None = None, past: Past | None = None) -> TimingPage:
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


def _row(line: Line, change: Change | None, past: Past | None) -> Row:
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
    return Row((*cells, *more), change.turn if change else "", spark(medians), _past(medians))


def _past(medians: Sequence[float]) -> str:
    """Say what a spark line draws."""
    if not medians:
        return ""
    return f"{numbers.plural(len(medians), 'run')}, {seconds(medians[0])} to {seconds(medians[-1])}"


def _against(change: Change) -> Sequence[str]:
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
