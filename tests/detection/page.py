"""The page on what is detected, made from studies: ``python -m tests.detection.page DIR [DIR ...]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median_high
from typing import Any

from veridyn.outputs import OutputFolder
from veridyn.reports import hints
from veridyn.reports.markdown import escape, table
from veridyn.reports.writer import save_all
from veridyn.results.grouping import group

from .outcome import FATES, LAYERS, Document, Entry, Outcome, find_alarms, join, key_of, place_of, read_outcomes
from .patterns import learn

ROOT = Path(__file__).parents[2]
AGAIN, SILENT, SOUND = "## Tried again", "## Where nothing is claimed", "## Sound solvers of odd styles"
OTHERS = (AGAIN, SILENT, SOUND)  # sections that other studies write, in this order
RESULTS, PAGE, WHOLE = "detection.json", "detection.md", "detection-all.md"
FEW = 3  # checks named in a cell

INTRODUCTION = """\
# What the checks detect

A suite that passes everything proves nothing. So faults are seeded into solvers, one at a time.
This page is written by `python -m tests.detection.page`; do not edit it.

A *host* is a solver without fault: three mechanical ones written as users write them (`explicit`, `generalised-alpha`,
`event-driven`), the exact solver, SciPy's DOP853 on initial value problems, and small ones restated from public bug
reports. A *fault* is one thing that is wrong; the solver goes on claiming what it claims without it. It is tried on the
cheapest variants of cases that it touches, up to the first that detects it. It is *detected* if a check fails that does
not fail for the sound host. A measure of the suite that breaks down is no detection.

| layer | what fails |
|---|---|
| criterion | an answer is farther from the truth than it may be |
| convergence | the error does not fall with the step or the tolerance |
| claim | order, method, tolerance or digits are not what the solver claims |
| invariance | an equivalent problem gets another answer |
| error | no answer, though the sound host has one |
| card | small problems, posed before all cases, show a deviation that the sound host's do not |

`python -m tests.detection.study -n 2 --report DIR`, from the root of a checkout, repeats the study; `--host` and
`--fault` choose, `--sizes` looks for the smallest size that is detected, `--resume` goes on after an interruption. DIR
then holds `detection-all.md`, a row a fault. `python -m tests.detection.sound --sets 200` judges the hosts without
fault on random parameters of every case: what fails there is a false alarm. A new fault is a row in
`tests/detection/faults/`."""


def make_page(document: Document) -> str:
    """Return the page as Markdown."""
    outcomes = read_outcomes(document)
    blocks = [INTRODUCTION, *make_runs(document), "## Summary", bullets(summarise_faults(document))]
    blocks += [*_matrix(outcomes), *_smallest(outcomes), *_undetected(outcomes), *_alarms(document)]
    return "\n\n".join(blocks) + "\n"


def make_whole(document: Document) -> str:
    """Return the whole table, a row a fault, as Markdown."""
    head = ("Host", "Fault", "Part", "What is wrong", "Size", "Smallest detected", "Layers", "Where", "Checks")
    rows = [list_cells(outcome) for outcome in read_outcomes(document)]
    return f"# All faults\n\n{table(head, rows)}\n"


def summarise_faults(document: Document) -> Iterator[str]:
    """Yield what there is to say in a few sentences."""
    outcomes = read_outcomes(document)
    for host, mine in group(outcomes, lambda o: o.fault["host"]).items():
        names = {fate: [o.fault["name"] for o in mine if o.fate == fate] for fate in FATES}
        shown = len(names["detected"]) + len(names["survived"])
        others = [f"{len(names[fate])} {FATES[fate]}" for fate in ("unseen", "idle") if names[fate]]
        yield "; ".join([f"{host}: {len(names['detected'])} of {shown} faults are detected", *others])
    survivors = find_survivors(document)
    yield f"survivors: {', '.join(map(' '.join, survivors)) or 'none'}"
    if broken := [" ".join(key_of(o.fault)) for o in outcomes if o.is_broken]:
        yield f"measures of the suite broke down on {len(broken)}, which is no detection: {', '.join(broken)}"
    if alarms := find_alarms(document):
        yield f"{len(alarms)} checks fail without any fault, and detect none"


def find_survivors(document: Document) -> list[tuple[str, str]]:
    """Return host and name of the faults that should be detected and are not."""
    return [key_of(outcome.fault) for outcome in read_outcomes(document) if outcome.fate == "survived"]


def bullets(lines: Iterable[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"* {escape(line)}" for line in lines)


def make_runs(document: Document) -> Iterator[str]:
    """Yield where and when studies were made, as a table: a row a state of the suite on a machine."""
    head = ("veridyn", "Python", "NumPy", "Numba", "Machine", "Day", "Commit", "Faults", "Cases")
    rows = []
    for state, runs in group(document["runs"], _find_state).items():
        cases = [run["cases"] for run in runs]
        low, high = min(cases), max(cases)
        rows.append((*state, sum(run["faults"] for run in runs), f"{low}" if low == high else f"{low} to {high}"))
    yield table(head, rows)


def _find_state(run: Mapping[str, Any]) -> tuple[str, ...]:
    packages = (run["packages"].get(name, "") for name in ("numpy", "numba"))
    return (run["veridyn"], run["python"], *packages, run["machine"], run["date"][:10], run.get("commit", "")[:7])


def _matrix(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## By host and part"
    yield (
        "How many faults in a part of a host were tried, how many are detected, and how many of those by each layer; "
        "in brackets how many by that layer alone."
    )
    tried = [outcome for outcome in outcomes if outcome.fate != "idle"]
    groups = group(tried, lambda o: (o.fault["host"], o.fault["part"]))
    rows = [(*key, len(mine), *_counts(mine)) for key, mine in groups.items()]
    yield table(("Host", "Part", "Tried", "Detected", *LAYERS), rows)


def _counts(mine: Sequence[Outcome]) -> Iterator[str]:
    yield str(sum(outcome.fate == "detected" for outcome in mine))
    for layer in LAYERS:
        count = sum(layer in outcome.layers for outcome in mine)
        alone = sum(outcome.layers == {layer} for outcome in mine)
        yield (f"{count} ({alone})" if alone else str(count)) if count else "–"


def _smallest(outcomes: Sequence[Outcome]) -> Iterator[str]:
    sought = [outcome for outcome in outcomes if outcome.smallest]
    if not sought:
        return
    yield "## Smallest sizes"
    yield "The smallest size that is detected, in steps of 1, 3, 10: median and worst of the faults of a row."
    groups = group(sought, lambda o: (o.fault["host"], o.fault["part"], o.fault["meaning"]))
    rows = [(*key, len(mine), *_median_and_worst(mine)) for key, mine in groups.items()]
    yield table(("Host", "Part", "Size", "Faults", "Median", "Worst", "Which"), rows)


def _median_and_worst(mine: Sequence[Outcome]) -> tuple[str, str, str]:
    sizes = [(outcome.smallest["detected"], outcome.fault["name"]) for outcome in mine if outcome.smallest]
    worst, name = max(sizes)
    return f"{median_high(size for size, _ in sizes):g}", f"{worst:g}", name


def list_survivors(outcomes: Sequence[Outcome]) -> str:
    """Return a table of the faults that no check detects, each with the reason; empty if there is none."""
    rows = [
        (*key_of(o.fault), o.fault["what"], say_number(o.fault["size"]), o.fault["unseen"] or "survives")
        for o in outcomes
        if o.fate in ("survived", "unseen")
    ]
    return table(("Host", "Fault", "What is wrong", "Size", "Why"), rows) if rows else ""


def _undetected(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "## What is not detected"
    yield "Why no check can detect a fault, where that is so; a survivor is a hole in the suite."
    yield list_survivors(outcomes) or "Nothing."
    idle = group((o for o in outcomes if o.fate == "idle"), lambda o: o.fault["host"])
    if idle:
        yield "Not tried, because no case that the host can solve has what they damage:"
        yield bullets(f"{host}: {', '.join(o.fault['name'] for o in mine)}" for host, mine in idle.items())


def _alarms(document: Document) -> Iterator[str]:
    alarms = find_alarms(document)
    if alarms:
        yield "## Checks that fail without any fault"
        yield "They detect nothing, and may hide what they would detect."
        places = group(alarms, lambda alarm: alarm[:2])
        yield table(
            ("Host", "Variant", "Checks"), [(*key, _first(c for *_, c in mine)) for key, mine in places.items()]
        )


def list_cells(outcome: Outcome) -> tuple[Any, ...]:
    """Return the cells of a fault in the whole table."""
    fault, hit = outcome.fault, outcome.hit
    return (
        fault["host"],
        fault["name"],
        fault["part"],
        fault["what"],
        say_number(fault["size"]),
        _sought(outcome.smallest),
        ", ".join(layer for layer in LAYERS if layer in outcome.layers),
        place_of(hit) if hit else FATES[outcome.fate],
        _first(hit["failures"]) if hit else fault["unseen"],
    )


def _sought(row: Entry | None) -> str:
    if row is None:
        return ""
    return f"{row['detected']:g}" + ("" if row["survived"] is not None else " (smallest tried)")


def _first(names: Iterable[str]) -> str:
    every = list(names)
    more = [f"{len(every) - FEW} more"] if len(every) > FEW else []
    return ", ".join([*every[:FEW], *more])


def say_number(size: float | None) -> str:
    """Return a size in few digits; nothing where there is none."""
    return "" if size is None else f"{size:g}"


def make_patterns(document: Document) -> str:
    """Return what hints compare failures with, as JSON, a fault a line."""
    text = json.dumps(learn(document), ensure_ascii=False, separators=(",", ":"))
    return text.replace("},{", "},\n{") + "\n"


def write_report(document: Document, place: OutputFolder) -> None:
    """Write the document, both tables and the patterns into a folder. Raises ReportError."""
    texts = {
        RESULTS: json.dumps(document, indent=1, allow_nan=False) + "\n",
        WHOLE: make_whole(document),
        PAGE: make_page(document),
        hints.FILE: make_patterns(document),
    }
    save_all(place, {name: text.encode() for name, text in texts.items()})


def read_others() -> dict[str, str]:
    """Return the sections of the page that other studies write, by their headings."""
    text = (ROOT / "docs" / PAGE).read_text(encoding="utf-8")
    places = [*sorted(text.index(name) for name in OTHERS if name in text), len(text)]
    parts = [text[first:end] for first, end in pairwise(places)]
    return {part.splitlines()[0]: f"{part.rstrip()}\n" for part in parts}


def write_section(name: str, section: str) -> None:
    """Write a section that another study makes, in place of the one that is there."""
    page, others = ROOT / "docs" / PAGE, {**read_others(), name: section}
    text = page.read_text(encoding="utf-8")
    first = text[: min((text.index(each) for each in OTHERS if each in text), default=len(text))].rstrip()
    sections = [others[each] for each in OTHERS if each in others]
    page.write_text("\n".join([f"{first}\n", *sections]), encoding="utf-8")


def main(folders: Sequence[str]) -> None:
    """Write the page of the documentation, and the patterns of the package, from one or more studies."""
    texts = [(Path(folder) / RESULTS).read_text(encoding="utf-8") for folder in folders]
    document = join(map(json.loads, texts))
    page = ROOT / "docs" / PAGE
    page.write_text("\n".join([make_page(document), *read_others().values()]), encoding="utf-8")
    (ROOT / "reports" / hints.FILE).write_text(make_patterns(document), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
