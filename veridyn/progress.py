"""How far a run is: a bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from veridyn.validation_cases.core.judge import Record

EVERY = 5.0  # s, between two lines in a pipe
COLUMNS = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
TOLD = {"pass": "passed", "fail": "failed", "error": "in error", "harness error": "in harness error"}


class _Tally:
    """Verdicts so far, in words."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, record: Record) -> str:
        """Count a record and return the words."""
        self.counts[record.verdict] += 1
        where = f"{record.case} {record.variant} {record.solver}"
        told = ", ".join(f"{self.counts[verdict]} {word}" for verdict, word in TOLD.items() if self.counts[verdict])
        return f"{where}: {told or 'nothing judged yet'}"


@contextmanager
def progress(planned: int, *, silent: bool = False) -> Iterator[Callable[[Record], None]]:
    """Yield what is to be called with every record, on its way to a number of checks; all goes to standard error."""
    screen, tally = Console(stderr=True), _Tally()
    if silent:
        yield lambda _: None
    elif not screen.is_terminal:
        yield _lines(planned, tally)
    else:
        with Progress(*COLUMNS, console=screen, transient=True) as bar:
            task = bar.add_task("first solution", total=planned)
            yield lambda record: bar.update(task, advance=1, description=tally.add(record))


def _lines(planned: int, tally: _Tally) -> Callable[[Record], None]:
    start = last = time.monotonic()

    def tell(record: Record) -> None:
        nonlocal last
        words, now = tally.add(record), time.monotonic()
        if now - last >= EVERY:
            last = now
            done = tally.counts.total()
            print(f"veridyn: {now - start:.0f} s, {done} of {planned} checks, {words}", file=sys.stderr, flush=True)

    return tell
