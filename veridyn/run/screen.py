"""What reaches the terminal: tables, and how far a run is; imports no numerical library."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from veridyn.problem.printable import make_printable, print_line
from veridyn.reports.numbers import plural
from veridyn.validation_cases.judgement.catalogue import room_of

if TYPE_CHECKING:
    from veridyn.results import Record
    from veridyn.validation_cases.judgement.outline import Outline

PIPE_WIDTH = 120  # columns when no terminal says how wide it is


def console() -> Console:
    """Return a console for standard output, plain and wide in a pipe."""
    screen = Console(highlight=False)
    screen = screen if screen.is_terminal else Console(highlight=False, width=PIPE_WIDTH)
    screen.push_render_hook(_Printable())
    return screen


class _Printable(RenderHook):
    """Lets nothing pass that a text would do to the terminal; styles are the console's own."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_PrintableText(content) for content in renderables]


@dataclass(frozen=True)
class _PrintableText:
    """What is printed, with blanks in place of characters that would do something to a terminal."""

    content: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.content, options):
            lines = map(make_printable, segment.text.split("\n"))
            yield segment if segment.control else segment._replace(text="\n".join(lines))


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> Table:
    """Return a table of plain text: brackets in names are brackets, no markup."""
    made = Table(box=box.SIMPLE, pad_edge=False)
    for title in head:
        made.add_column(title, overflow="fold")
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))
    return made


def print_list(cases: Iterable[Outline]) -> None:
    """Print the list of cases, a table for each room."""
    for room, mine in groupby(cases, key=lambda case: room_of(case.name)):
        console().print(table((room, "topics", "title", "variants"), map(_row, mine)))


def _row(case: Outline) -> tuple[str, ...]:
    return case.name, ", ".join(case.topics), case.title, ", ".join(case.variants)


# ---- how far a run is

FIRST = 2.0  # s, until the first line in a pipe
EVERY = 5.0  # s, between two lines there
LONG = 60.0  # s without a verdict, from which on it is said
COLUMNS = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
TOLD = {"pass": "passed", "fail": "failed", "error": "in error", "harness error": "in harness error"}


@contextmanager
def bar(
    total: int, what: str, done: int = 0, columns: Sequence[ProgressColumn] = COLUMNS
) -> Iterator[Callable[[int, str], None]]:
    """Show progress on a terminal and nothing in a pipe; yields what moves it on by a number, with a text."""
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=total, completed=done)
        yield lambda number, text: progress.update(task, advance=number, description=text)


class Headway:
    """How far a run is: tasks begun, of how many, and verdicts so far."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks
        self.begun = set[tuple[str, str, str]]()
        self.latest, self.since = "first solution", time.monotonic()
        self.counts = Counter[str]()

    def take(self, record: Record) -> bool:
        """Count a record; return whether a task begins with it."""
        task = record.case, record.variant, record.solver
        is_new = task not in self.begun
        self.begun.add(task)
        self.latest, self.since = " ".join(task), time.monotonic()
        self.counts[record.verdict] += 1
        return is_new

    def describe(self) -> str:
        """Return a line: how many variants are begun, and the words."""
        return f"{len(self.begun)} of {plural(self.tasks, 'variant')}, {self.words}"

    @property
    def words(self) -> str:
        """The task judged last, and the verdicts so far."""
        told = ", ".join(f"{self.counts[verdict]} {word}" for verdict, word in TOLD.items() if self.counts[verdict])
        return f"{self.latest}: {told or 'nothing judged yet'}{self._silence}"

    @property
    def _silence(self) -> str:
        """How long there was no verdict, if that is long, and what bounds it."""
        seconds = time.monotonic() - self.since
        return f"; no verdict for {seconds:.0f} s (--budget bounds a run)" if seconds > LONG else ""


def announce(what: str, *, silent: bool = False) -> None:
    """Say on standard error what a run does next, where that takes seconds and gives no verdicts."""
    if not silent:
        print_line(f"veridyn: {what}", file=sys.stderr)


@contextmanager
def progress(tasks: int, *, silent: bool = False) -> Iterator[Callable[[Record], object]]:
    """Yield what is to be called with every record, on its way to a number of tasks; all goes to standard error."""
    headway = Headway(tasks)
    if silent:
        yield lambda _: None
    elif not Console(stderr=True).is_terminal:
        with _lines(headway.describe):
            yield headway.take
    else:
        with bar(tasks, headway.words) as show:
            yield lambda record: show(headway.take(record), headway.words)


@contextmanager
def stage(total: int, what: str, *, silent: bool = False) -> Iterator[Callable[[str], object]]:
    """Yield what is to be called with the name of each part that is done, of a work beside the checks."""
    done: list[str] = []
    if silent:
        yield done.append
    elif not Console(stderr=True).is_terminal:
        with _lines(lambda: ", ".join([f"{what}: {len(done)} of {total}", *done[-1:]])):
            yield done.append
    else:
        with bar(total, what) as show:
            yield lambda name: show(1, f"{what}: {name}")


@contextmanager
def _lines(describe: Callable[[], str]) -> Iterator[None]:
    """Print a line soon, then one every few seconds, also while nothing happens."""
    start, ended = time.monotonic(), threading.Event()

    def write_now_and_then() -> None:
        for pause in chain([FIRST], repeat(EVERY)):
            if ended.wait(pause):
                return
            print(f"veridyn: {time.monotonic() - start:.0f} s, {describe()}", file=sys.stderr, flush=True)

    clock = threading.Thread(target=write_now_and_then, daemon=True)
    clock.start()
    try:
        yield
    finally:
        ended.set()
        clock.join()
