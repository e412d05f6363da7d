"""The page of proofs: case by case what was proved of each reference, and which second routes confirmed it.

>>> python -m veridyn.cli.proofs sdnd101 > proofs.md  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from veridyn.cli.texts import Lookup, reference_lines, ways
from veridyn.reports.markdown import escape, table
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import UnknownCase, all_cases, load_case

DIGITS = 30
HEAD = ("Quantities", "Digits", "First route", "Proved", "Confirmed by")

INTRODUCTION = f"""\
# What is proved

Written by `python -m veridyn.cli.proofs [CASE...]` for the default values of each case at {DIGITS} digits, with every
second route computed.

* **Digits**: the fewest that an enclosure of the quantities leaves; empty for words.
* **Proved**: phases followed, events proved to be the next, parts of the motion that were looked at, precision (bits);
  empty for what needs no motion.
* **Confirmed by**: the second routes, in mpmath, which share no loop with the first; empty for what follows from the
  structure of the problem."""


def proofs_page(cases: Iterable[Case]) -> str:
    """Return what is proved of the references of cases as a Markdown page.

    Raises CertificationError if the routes to a reference disagree.
    """
    return "\n\n".join([INTRODUCTION, *(block for case in cases for block in _case(case))]) + "\n"


def _case(case: Case) -> Iterator[str]:
    yield f"## {case.name}: {escape(case.title)}"
    yield table(HEAD, _rows(case))


def _rows(case: Case) -> Iterator[Sequence[str]]:
    for (first, proof, second), lines in ways(reference_lines(Lookup(case, {}, DIGITS))).items():
        digits = [line.digits for line in lines if line.digits is not None]
        yield ", ".join(line.quantity for line in lines), str(min(digits, default="")), first, proof, second


def main(names: Sequence[str], write: Callable[[str], object] = sys.stdout.write) -> None:
    """Write the page of the cases that are named, or of all; a name of none ends the program with a line."""
    try:
        cases = tuple(map(load_case, names)) or all_cases()
    except UnknownCase as error:
        sys.exit(str(error))
    write(proofs_page(cases))


if __name__ == "__main__":
    main(sys.argv[1:])
