"""The part of the detection page on sound solvers: ``python -m tests.detection.styles.page DIR [DIR ...]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn.reports.markdown import table
from veridyn.results.grouping import group

from ..page import SOUND, write_section
from .study import RESULTS

COLUMNS = {"deviations": "False deviations", "alarms": "False alarms", "missed": "Losses of its own"}


def make_part(trials: Sequence[Mapping[str, Any]]) -> str:
    """Return the part as Markdown: a row a family."""
    head = ("Method", "Solvers", "Named", "Checks", *COLUMNS.values())
    rows = [(*_count(name, mine),) for name, mine in sorted(group(trials, _find_family).items())]
    total = _count("all", trials)
    return f"{SOUND}\n\n{INTRODUCTION.format(count=len(trials))}\n\n{table(head, [*rows, tuple(total)])}\n"


INTRODUCTION = """\
`tox -e sound` draws two hundred sound solvers at random, each from its seed: method, precision, printed digits,
steps (a setting or the output itself, landing on outputs or with a cubic between steps), the name of the setting, a
clock that adds steps up, and claims of nothing, something, or all. Each is identified, and judged on a case of each
kind that it solves. A deviation on its card, or a failed check, is a false alarm, unless the loss is its own: a
criterion that it truly misses by its default step, single precision or printed digits, as the same solver without
them shows, or half of the output where the output is its step. *Named*: the card names a method. The table counts
{count} of them."""


def _find_family(trial: Mapping[str, Any]) -> str:
    return str(trial["style"].split(";")[0].split()[0])


def _count(name: str, mine: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    yield name
    yield len(mine)
    yield sum(bool(trial["method"]) for trial in mine)
    yield sum(sum(trial["verdicts"].values()) for trial in mine)
    for column in COLUMNS:
        yield sum(len(trial[column]) for trial in mine)


def main(folders: Sequence[str]) -> None:
    """Write the part anew, from the results of one or more studies."""
    texts = [(Path(folder) / RESULTS).read_text(encoding="utf-8") for folder in folders]
    write_section(SOUND, make_part([trial for text in texts for trial in json.loads(text)]))


if __name__ == "__main__":
    main(sys.argv[1:])
