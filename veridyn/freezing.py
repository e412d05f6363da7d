"""The command `freeze`: update the frozen values of our own solver, showing old and new."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from veridyn.solver.loading import OWN, load_solver
from veridyn.texts import console
from veridyn.validation_cases import frozen
from veridyn.validation_cases.case import Case, Subject
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import truth_checks
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.workbench import Workbench


def freeze(cases: Sequence[str]) -> int:
    """Freeze what our solver gives today; returns 0.

    Raises
    ------
    UnknownCase
        If a case does not exist.
    """
    out = console()
    for case in [load_case(name) for name in cases or case_names()]:
        changed = frozen.freeze(case, _today(case))
        for key, old, new in changed:
            out.print(Text(f"{case.name} {key}: {_text(old)} -> {_text(new)}"))
        out.print(Text(f"{case.name}: {len(changed)} frozen values changed"))
    return 0


def _text(value: float | None) -> str:
    return "none" if value is None else repr(value)


def _today(case: Case) -> dict[str, object]:
    solver = load_solver(OWN)
    subject, bench = Subject.of(solver), Workbench(solver)
    made = (check for variant in case.variants for check in truth_checks(case, subject, variant))
    return {check.id: judge(check, bench).value for check in made}
