"""The parity page: every value that a code printed, beside what our scheme gives with the same settings.

>>> python -m veridyn.parity_table results.json docs/parity.md  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn.reports.document import Document, environments, read_results
from veridyn.reports.markdown import escape, table
from veridyn.validation_cases.case import Case, Published
from veridyn.validation_cases.catalogue import all_cases
from veridyn.validation_cases.parity import parity_id

HEAD = ("Scheme", "Variant", "Quantity", "Printed", "Ours", "Apart", "Verdict")
SUMMARY = ("Case", "Printed by a code", "To the last digit", "Last digit open", "Misprints", "Not reproduced")
DIGITS = 13  # shown beside the printed ones

INTRODUCTION = """\
# Parity with Code_Aster

Written by `python -m veridyn.parity_table results.json docs/parity.md`; do not edit.

Code_Aster's manual and test files print what its schemes computed. Each of these values is compared with our scheme
under the same settings: the obstacle, the damper of stick, the table of the accelerogram, the blocks of the mean. Half
a unit of the last printed digit is allowed. *Reproduced*: all printed digits. *Last digit*: one or two units of it, for
the reason given. *Misprint*: our scheme gives the digits that the author must have had, not those that were printed.
*Not reproduced*: for the reason given, or for one that is not known. What the truth is, and how far the printed values
are from it, stands in the [errata](errata.md)."""


def parity_page(document: Document, cases: Iterable[Case]) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    document
        Results of our integrator.
    cases
        The cases whose published values are listed.

    Raises
    ------
    KeyError
        If the results lack a parity check of a case.
    """
    printed = [(case, [cell for cell in case.published if cell.scheme]) for case in cases]
    known = {(r["case"], r["id"]): r for r in document["results"] if r["kind"] == "parity"}
    blocks = [INTRODUCTION, *_provenance(document)]
    blocks.append(table(SUMMARY, [_counts(case, cells) for case, cells in printed if cells]))
    blocks += [block for case, cells in printed if cells for block in _case(case, cells, known)]
    return "\n\n".join(blocks) + "\n"


def _provenance(document: Document) -> Iterator[str]:
    for environment in environments(document):
        yield f"From `{environment['command']}`, veridyn {escape(environment['veridyn'])}."


def _counts(case: Case, cells: Sequence[Published]) -> tuple[str, ...]:
    verdicts: list[str] = [cell.verdict for cell in cells]
    shown = ("reproduced", "last digit", "misprint", "not reproduced")
    return (case.name, str(len(cells)), *(str(verdicts.count(verdict)) for verdict in shown))


def _case(case: Case, cells: Sequence[Published], known: Mapping[tuple[str, str], Any]) -> Iterator[str]:
    yield f"## {case.name}: {escape(case.title)}"
    by_source: dict[str, list[Published]] = {}
    for cell in cells:
        by_source.setdefault(cell.source, []).append(cell)
    for source, members in by_source.items():
        yield f"**{escape(source)}**"
        yield table(HEAD, [_row(case, cell, known) for cell in members])
        yield from _explanations(members)


def _row(case: Case, cell: Published, known: Mapping[tuple[str, str], Any]) -> tuple[str, ...]:
    ours, apart = "", ""
    if cell.verdict != "not reproduced":
        value = float(known[case.name, parity_id(cell)]["value"])
        ours, apart = f"{value:.{DIGITS}g}", _apart(value, float(cell.value))
    return cell.scheme, cell.variant, cell.quantity, cell.value, ours, apart, cell.verdict


def _apart(value: float, printed: float) -> str:
    """Return the relative distance of two magnitudes; empty for zeros."""
    return f"{abs(abs(value) - abs(printed)) / abs(printed):.0e}" if printed else ""


def _explanations(cells: Sequence[Published]) -> Iterator[str]:
    lines = dict.fromkeys((cell.verdict, cell.explanation) for cell in cells if cell.explanation)
    if lines:
        yield "\n".join(f"* {verdict.capitalize()}: {escape(text)}." for verdict, text in lines)


def main(results: str, page: str) -> None:
    """Write the page from a result file."""
    Path(page).write_text(parity_page(read_results(results), all_cases()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:3])
