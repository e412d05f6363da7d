"""How far a run is: a bar on a terminal, a line now and then in a pipe."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

from veridyn.validation_cases.core.judge import Record

EVERY = 5.0  # s, between two lines in a pipe
COLUMNS = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
TOLD = {"pass": "passed", "fail": "failed", "error": "in error", "harness error": "in harness error"}


@contextmanager
def bar(
    total: int, what: str, done: int = 0, columns: Sequence[ProgressColumn] = COLUMNS
) -> Iterator[Callable[[str], None]]:
    """Show progress on a terminal and nothing in a pipe; yields what moves it on by one, with a text."""
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=total, completed=done)
        yield lambda text: progress.update(task, advance=1, description=text)


def _counted(counts: Counter[str], record: Record) -> str:
    """Count a record, and return the verdicts so far in words."""
    counts[record.verdict] += 1
    told = ", ".join(f"{counts[verdict]} {word}" for verdict, word in TOLD.items() if counts[verdict])
    return f"{record.case} {record.variant} {record.solver}: {told or 'nothing judged yet'}"


@contextmanager
def progress(planned: int, *, silent: bool = False) -> Iterator[Callable[[Record], None]]:
    """Yield what is to be called with every record, on its way to a number of checks; all goes to standard error."""
    counts = Counter[str]()
    if silent:
        yield lambda _: None
    elif not Console(stderr=True).is_terminal:
        yield _lines(planned, counts)
    else:
        with bar(planned, "first solution") as advance:
            yield lambda record: advance(_counted(counts, record))


def _lines(planned: int, counts: Counter[str]) -> Callable[[Record], None]:
    start = last = time.monotonic()

    def tell(record: Record) -> None:
        nonlocal last
        words, now = _counted(counts, record), time.monotonic()
        if now - last >= EVERY:
            last = now
            print(
                f"veridyn: {now - start:.0f} s, {counts.total()} of {planned} checks, {words}",
                file=sys.stderr,
                flush=True,
            )

    return tell
