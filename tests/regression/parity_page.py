"""The parity page: every value that a code printed, beside what the integrator gives with the same settings.

>>> python tests/regression/parity_page.py > parity.md  # doctest: +SKIP
"""

import sys

import printed

from veridyn.reports.markdown import escape, table
from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.catalogue import load_case

HEAD = ("Scheme", "Variant", "Quantity", "Printed", "Computed", "Apart", "Verdict")
SUMMARY = ("Case", "Printed by a code", "To the last digit", "Last digit open", "Misprints", "Not reproduced")
VERDICTS = ("reproduced", "last digit", "misprint", "not reproduced")
DIGITS = 13  # shown beside the printed ones

INTRODUCTION = f"""\
# Parity with Code_Aster

Written by `python tests/regression/parity_page.py`, veridyn {SOLVER.version}.

Code_Aster's manual and test files print what its schemes computed. Each of these values is compared with the scheme
of veridyn that copies it, under the same settings: the obstacle, the damper of stick, the table of the accelerogram,
the blocks of the mean. Half a unit of the last printed digit is allowed. *Reproduced*: all printed digits. *Last
digit*: one or two units of it, for the reason given. *Misprint*: the scheme gives the digits that the author must
have had, not those that were printed. *Not reproduced*: for the reason given, or for one that is not known. What the
truth is, and how far printed references are from it, is told by `python -m veridyn.cli.errata`. Models, settings and
values are the data of regression tests, `tests/regression/parity`."""


def page(compute=printed.computed):
    """Return the page as Markdown; ``compute`` gives the value of the integrator for a printed one."""
    cells = {name: printed.printed(name) for name in printed.cases()}
    blocks = [INTRODUCTION, table(SUMMARY, [_counts(name, values) for name, values in cells.items()])]
    blocks += [block for name, values in cells.items() for block in _case(name, values, compute)]
    return "\n\n".join(blocks) + "\n"


def _counts(name, values):
    verdicts = [value.verdict for value in values]
    return (name, str(len(values)), *(str(verdicts.count(verdict)) for verdict in VERDICTS))


def _case(name, values, compute):
    yield f"## {name}: {escape(load_case(name).title)}"
    by_source = {}
    for value in values:
        by_source.setdefault(value.source, []).append(value)
    for source, members in by_source.items():
        yield f"**{escape(source)}**"
        yield table(HEAD, [_row(value, compute) for value in members])
        yield from _explanations(members)


def _row(value, compute):
    seen, apart = "", ""
    if value.runs:
        number = compute(value)
        seen, apart = f"{number:.{DIGITS}g}", _apart(number, float(value.value))
    return value.scheme, value.variant, value.quantity, value.value, seen, apart, value.verdict


def _apart(value, printed_value):
    """Return the relative distance of two magnitudes; empty for zeros."""
    return f"{abs(abs(value) - abs(printed_value)) / abs(printed_value):.0e}" if printed_value else ""


def _explanations(values):
    lines = dict.fromkeys((value.verdict, value.explanation) for value in values if value.explanation)
    if lines:
        yield "\n".join(f"* {verdict.capitalize()}: {escape(text)}." for verdict, text in lines)


if __name__ == "__main__":
    sys.stdout.write(page())
