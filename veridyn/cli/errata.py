"""The errata page: printed values that are wrong, with what should have been printed and why we say so.

>>> python -m veridyn.cli.errata > errata.md  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import mpmath

from veridyn.reports.markdown import escape, table
from veridyn.results.grouping import group
from veridyn.run.document import certified, truth_of
from veridyn.validation_cases.judgement.case import Case, Published
from veridyn.validation_cases.judgement.catalogue import all_cases

HEAD = ("Source", "Variant", "Quantity", "Printed", "Should read", "Off by", "Truth", "Digits", "Off truth by")
DIGITS_SHOWN = 12
WRONG = ("misprint", "inaccurate")

INTRODUCTION = f"""\
# Errata of the published values

Written by `python -m veridyn.cli.errata`.

Every value that the source documents print for a quantity is held against the certified reference. *Misprint*: not the
number that its author had. *Inaccurate*: the author's number, but wrong. *Reproduced*: right to the printed digits;
listed only where a remark goes with it. What codes computed is compared by `python tests/regression/parity_page.py`.

* **Should read**: the number that belongs in the place.
* **Off by**: relative distance of the printed value from it, signs aside; empty if the printed digits are right and
  only their place or heading is wrong.
* **Truth**: the certified reference, {DIGITS_SHOWN} of its certified **digits** shown. **Off truth by**: relative
  distance of the printed value from it."""


def errata_page() -> str:
    """Return the errata of all cases as a Markdown page.

    Raises CertificationError if the routes to a reference disagree.
    """
    blocks = [INTRODUCTION, *(block for case in all_cases() for block in _case(case))]
    return "\n\n".join(blocks) + "\n"


def _case(case: Case) -> Iterator[str]:
    wrong = [p for p in case.published if p.verdict in WRONG]
    noted = [p for p in case.published if p.verdict == "reproduced" and p.explanation]
    yield f"## {case.name}: {escape(case.title)}"
    yield (
        f"Document {escape(case.document)}. Published values: {len(case.published)}; wrong: {len(wrong)}; "
        f"reproduced with a remark: {len(noted)}."
    )
    yield from _explained(case, wrong)
    if case.errata:
        yield "**Statements.**"
        yield "\n".join(f"* {escape(line)}" for line in case.errata)
    yield from _explained(case, noted)


def _explained(case: Case, values: Iterable[Published]) -> Iterator[str]:
    """Yield each explanation once, with the values that it explains."""
    for (verdict, explanation), members in group(values, lambda value: (value.verdict, value.explanation)).items():
        yield f"**{verdict.capitalize()}.** {escape(f'{explanation[:1].upper()}{explanation[1:]}.')}"
        yield table(HEAD, [_row(case, value) for value in members])


def _row(case: Case, value: Published) -> Sequence[str]:
    truth = certified(case, value)
    right = value.correct or truth_of(case, value)
    off = "" if _same_digits(value.value, right) else _distance(value.value, right)
    known: Sequence[str] = ("", "", "")
    if truth and truth.digits is not None:
        known = mpmath.nstr(truth.value, DIGITS_SHOWN), str(truth.digits), _distance(value.value, truth.value)
    return value.source, value.variant, value.quantity, value.value, right, off, *known


def _same_digits(printed: str, right: str) -> bool:
    """Tell whether a number, rounded to the significant digits of a printed one, is that."""
    digits = max(1, len(printed.lower().partition("e")[0].replace(".", "").lstrip("+-0")))
    return bool(mpmath.nstr(mpmath.mpf(printed), digits) == mpmath.nstr(mpmath.mpf(right), digits))


def _distance(printed: str, right: Any) -> str:
    """Return the relative distance of two magnitudes, a power of ten with two digits; empty beside a zero."""
    a, b = abs(mpmath.mpf(printed)), abs(mpmath.mpf(right))
    return f"{float(abs(a - b) / b):.1e}" if b else ""


def main(write: Callable[[str], object] = sys.stdout.write) -> None:
    """Write the page."""
    write(errata_page())


if __name__ == "__main__":
    main()
