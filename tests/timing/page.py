"""The page on timing, from its text and what was measured: ``python -m tests.timing.page`` writes ``docs/timing.md``.

In the text, a line ``<!-- table: NAME -->`` stands for a table of `tables`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks import gate
from veridyn.reports.markdown import table

from .storing import STORED

TEXT = Path(__file__).with_name("page.md")
PAGE = STORED.with_name("timing.md")
PLAIN = ("floor", "three", "growth", "memory", "outsider", "workers", "everybody")  # tables that stand as stored
LONG = 0.5  # s; references below are counted, not listed

Stored = Mapping[str, Any]


def describe(stored: Stored) -> str:
    """Return by what a table was made: command, machine, its load and the date."""
    return f"`{stored['command']}`; {stored['machine']}, load {stored['load']:g}, {stored['date']}"


def render(stored: Stored, rows: Sequence[Sequence[Any]] | None = None) -> str:
    """Return a table with the line that says by what it was made."""
    cells = [[str(cell) for cell in row] for row in (stored["rows"] if rows is None else rows)]
    return f"{table(stored['head'], cells)}\n\n{describe(stored)}"


def render_judging(stored: Stored) -> str:
    """Return the ten cases that cost most to judge, and the sum of all."""
    rows = sorted(stored["rows"], key=lambda row: -row[3])
    total = [
        f"all {len(rows)}",
        sum(row[1] for row in rows),
        *(round(sum(row[i] for row in rows), 1) for i in (2, 3, 4)),
    ]
    return render(stored, [*rows[:10], total])


def render_references(stored: Stored) -> str:
    """Return the variants whose first routes take long, and how many there are besides."""
    rows = sorted(stored["rows"], key=lambda row: -row[2])
    long = [row for row in rows if row[2] >= LONG]
    rest = [row[2] for row in rows if row[2] < LONG]
    return render(stored, [*long, (f"{len(rest)} more", f"less than {LONG:g} s each, together", round(sum(rest), 1))])


def render_speeds(stored: Stored) -> str:
    """Return how many times as long as each of ours the integrators of heyoka take."""
    ours = {name: time for name, time in stored["rows"] if name.startswith("solve")}
    theirs = [(name, time) for name, time in stored["rows"] if "built" in name]
    rows = [[name, time, *(f"{time / each:.1f}" for each in ours.values())] for name, time in theirs]
    head = ["times as long as", "µs", *(f"`{name}`, {time:g} µs" for name, time in ours.items())]
    return render({**stored, "head": head}, rows)


def render_modal(stored: Stored) -> str:
    """Return the times of steps, each also as a multiple of the larger of what bounds it from below."""
    rows = [
        [size, memory, products, *(f"{step:g} ({step / products:.1f})" for step in steps)]
        for size, memory, products, *steps in stored["rows"]
    ]
    return render(stored, rows)


def render_gate(stored: Stored) -> str:
    """Return what the gate holds kernels to."""
    measures = gate.read_measures(stored)
    times = {each["extra_info"]["kernel"]: 1e3 * each["stats"]["min"] for each in stored["benchmarks"]}
    rows = [(name, f"{times[name]:.3g}", f"{loops:.3g}") for name, loops in sorted(measures.items())]
    machine = stored["machine_info"]
    made = f"`tox -e benchmarks`; {machine['cpu']['brand_raw']}, Python {machine['python_version']}"
    return f"{table(('kernel', 'ms of CPU', 'loops'), rows)}\n\n{made}, {stored['datetime'][:10]}"


def make_page() -> str:
    """Return the page."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    tables: dict[str, Callable[[], str]] = {
        "cold": lambda: render(stored["cold"]),
        "judging": lambda: render_judging(stored["judging by exact"]),
        "scipy": lambda: render_judging(stored["judging by scipy"]),
        "references": lambda: render_references(stored["references"]),
        "digits": lambda: render(stored["digits"]),
        "heyoka": lambda: render_speeds(stored["heyoka"]),
        **{
            name: partial(render, stored[name])
            for name in ("foreign", "floor", "three", "growth", "memory", "outsider", "workers", "everybody")
        },
        "modal": lambda: render_modal(stored["modal"]),
        "sets": lambda: render(stored["sets"]),
        "gate": lambda: render_gate(json.loads(gate.STORED.read_text(encoding="utf-8"))),
    }
    return re.sub(r"<!-- table: (\w+) -->", lambda name: tables[name[1]](), TEXT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
