"""What reaches the terminal; imports no numerical library."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veridyn.validation_cases.core.catalogue import Listed

PIPE_WIDTH = 120  # columns when no terminal says how wide it is


def console() -> Console:
    """Return a console for standard output, plain and wide in a pipe."""
    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def table(*columns: str) -> Table:
    """Return an empty table."""
    made = Table(box=box.SIMPLE, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def add(made: Table, *cells: Any) -> None:
    """Add a row of plain text: brackets in names are brackets, no markup."""
    made.add_row(*(Text(str(cell)) for cell in cells))


def print_list(cases: Iterable[Listed]) -> None:
    """Print the list of cases, a part for each kind."""
    for kind, found in groupby(cases, key=lambda case: case.kind):
        made = table(kind, "topics", "title", "variants")
        for case in found:
            add(made, case.name, ", ".join(case.topics), case.title, ", ".join(case.variants))
        console().print(made)


def printable(text: str) -> str:
    """Return a line of foreign text as it may reach a terminal: without control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
