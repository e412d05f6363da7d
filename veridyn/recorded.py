"""A run that was recorded: its checks as a table, what notebooks show of it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from rich.console import Console

from veridyn import reports
from veridyn.reports.terminal import summary_table
from veridyn.solving import need, shown

WIDTH = 120  # characters of a table


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Result files that were read: ``document`` is their content, see docs/result-schema.md."""

    document: Mapping[str, Any]

    def __len__(self) -> int:
        """Return the number of checks."""
        return len(self.document["results"])

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each check, columns as in the result file; raises `MissingPackage`."""
        need("pandas")
        import pandas as pd

        return pd.DataFrame(self.document["results"])

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
        with console.capture() as text:
            summary_table(dict(self.document), console)
        return text.get().strip("\n")

    def _repr_html_(self) -> str:
        return shown(str(self))


def read_run(*files: str | PathLike[str]) -> RecordedRun:
    """Read result files (``veridyn run --json``, ``results.json`` of a report); of several each result counts once.

    Raises
    ------
    ReportError
        If a file cannot be read, is none of these, was changed, or contradicts itself.
    """
    return RecordedRun(reports.read_results(files))
