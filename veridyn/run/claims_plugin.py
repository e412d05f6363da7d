"""pytest plugin: a test before those of the cases for each scheme that `--solver` names and that claims something.

It fails where the card of the solver contradicts a claim. The room of the cases cannot hold it: it measures nothing.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from veridyn.identification.contradicting import contradict_claims
from veridyn.results import Verdict
from veridyn.solver.contract.loading import is_ours
from veridyn.validation_cases.judgement.judge import explain
from veridyn.validation_cases.judgement.plugin import list_subjects, open_solver, read_expected
from veridyn.validation_cases.judgement.stated import list_stated
from veridyn.validation_cases.judgement.subject import Subject


class ContradictedClaim(AssertionError):
    """A claim does not hold; the text says which, what is stated, and what was measured."""


class ClaimsTest(pytest.Item):
    """The claims of one scheme against its card."""

    spec: str
    subject: Subject

    def runtest(self) -> None:
        """Measure the card; raises `ContradictedClaim` where a claim does not hold and that is not expected."""
        expected = read_expected(self.config)
        records = contradict_claims(open_solver(self.spec, self.config), self.subject).contradictions
        failed = [explain(record) for record in map(expected.settle, records) if record.verdict is Verdict.FAIL]
        if failed:
            raise ContradictedClaim("\n".join(failed))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        """Return the text of a claim that does not hold, without the lines that found it."""
        return str(excinfo.value) if isinstance(excinfo.value, ContradictedClaim) else str(excinfo.getrepr())

    def reportinfo(self) -> tuple[Path, None, str]:
        """Return where the test stands, and what it is called."""
        return self.path, None, self.name


@pytest.hookimpl(trylast=True)  # after names were selected: whoever selects a case wants its solver judged
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests of claims first, where a solver is named and cases are judged."""
    if config.getoption("veridyn_solver") and any(_judges_case(item) for item in items):
        items[:0] = _list_tests(session, config)


def _judges_case(item: pytest.Item) -> bool:
    return hasattr(getattr(item, "function", None), "verifies")


def _list_tests(session: pytest.Session, config: pytest.Config) -> list[pytest.Item]:
    return [
        _make_test(session, spec, subject, scheme)
        for spec, subject in list_subjects(config)
        if not is_ours(spec)
        for scheme in list_stated(subject)
    ]


def _make_test(session: pytest.Session, spec: str, subject: Subject, scheme: str) -> ClaimsTest:
    test: ClaimsTest = ClaimsTest.from_parent(session, name=f"claims[{'-'.join(filter(None, (spec, scheme)))}]")
    test.spec, test.subject = spec, replace(subject, schemes=(scheme,))
    return test
