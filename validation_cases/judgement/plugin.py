"""pytest plugin: options ``--solver``, ``--all-schemes``, ``--expected-failures``; one parametrized test per check.

A runner solves each run once.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, groupby
from pathlib import Path

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.results import Layer, Record, Verdict
from veridyn.results.words import CARD
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.loading import EXACT, OWN, SCIPY
from veridyn.solver.contract.opening import open_gate
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.derivatives import DerivativeStatement
from veridyn.validation_cases.judgement.expected import Expectations, read_expectations
from veridyn.validation_cases.judgement.judge import Check, judge
from veridyn.validation_cases.judgement.relations import TELLING
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.stated import list_ids
from veridyn.validation_cases.judgement.subject import Request, Subject, read_request

RUNNERS: dict[tuple[str, str], Runner] = {}  # by case and solver
Marks = list[pytest.MarkDecorator]
Test = tuple[Check | None, str, Marks]
DEFAULT_SOLVERS = (EXACT, OWN, SCIPY)  # closed forms, time steps, SciPy's events


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--solver``, what is claimed and required of it, ``--expected-failures`` and ``--timed``."""
    group = parser.getgroup("veridyn")
    for option, (metavar, repeatable, meaning) in OPTIONS.items():
        action, default = ("append", []) if repeatable else ("store", "")
        dest = f"veridyn_{option.replace('-', '_')}"
        group.addoption(f"--{option}", action=action, default=default, dest=dest, metavar=metavar, help=meaning)
    here = "import solvers into this process, for debuggers (default: a process for each)"
    group.addoption("--in-process", action="store_true", dest="veridyn_in_process", help=here)
    group.addoption("--all-schemes", action="store_true", help="every scheme of the solvers (default: their first)")


SPECIFICATION = "NAME, package.module:attr, path/file.py:attr or 'cmd:program args'"
PAIR = "NAME=VALUE"
REQUESTS = {
    "claim": (PAIR, True, "claim of the solver, e.g. order=2, tolerance=rtol, digits=12, method=newmark; repeatable"),
    "refine": (PAIR, False, "levels of a setting, coarse to fine: step=1e-2,5e-3,2.5e-3; or its name alone"),
    "require": (PAIR, False, "criterion in place of those of the cases: digits=6 or rel=1e-6"),
}
"""Options of what a user asks of a solver: metavar, whether they can be repeated, meaning."""
OPTIONS = {
    "timed": ("CASE", True, "case to benchmark; repeatable (default: all)"),
    "expected-failures": ("FILE", False, "lines CASE/CHECK: REASON; these checks must fail (strict xfail)"),
    "solver": ("S", True, f"solver under test: {SPECIFICATION}; repeatable (default: {', '.join(DEFAULT_SOLVERS)})"),
    **REQUESTS,
}


def _request(config: pytest.Config) -> Request:
    options = {option: config.getoption(f"veridyn_{option}") for option in REQUESTS}
    return read_request(claims=options["claim"], refine=options["refine"], require=options["require"])


def _specifications(config: pytest.Config) -> list[str]:
    return config.getoption("veridyn_solver") or list(DEFAULT_SOLVERS)


@cache
def open_solver(spec: str, config: pytest.Config) -> Gate:
    """Return the gate to a solver under test, one in each process."""
    return open_gate(spec, in_process=config.getoption("veridyn_in_process"))


def _subject(gate: Gate, config: pytest.Config) -> Subject:
    """Return the solver as the cases see it: with its first scheme, unless all are wanted."""
    subject = Subject.from_introduction(gate.introduction, _request(config))
    if config.getoption("all_schemes"):
        return subject
    return subject.with_request(replace(subject.request, schemes=tuple(filter(None, subject.schemes[:1]))))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the solvers under test, with version and capabilities."""
    try:
        _request(config)
        if not config.getoption("veridyn_solver"):
            return []
        solvers = [open_solver(spec, config).introduction for spec in _specifications(config)]
    except SolverInputError as error:
        raise pytest.UsageError(str(error)) from None
    return [f"solver under test: {s.name} {s.version} ({', '.join(sorted(s.capabilities))})" for s in solvers]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Turn ``test_… = verifies(CASE)`` into one test per check of that case."""
    if "case_name" in metafunc.fixturenames:
        _generate_benchmarks(metafunc)
    name = getattr(metafunc.function, "verifies", None)
    if name is None:
        return
    several = len(_specifications(metafunc.config)) > 1
    tests = [
        pytest.param(spec, check, id=f"{spec}-{label}" if several else label, marks=marks)
        for spec, subject in list_subjects(metafunc.config)
        if kind_of(name) in subject.capabilities
        for check, label, marks in _tests(name, subject, _asked(name, spec, subject, metafunc.config), metafunc.config)
    ]
    none = pytest.mark.skip(reason=f"no solver under test offers {kind_of(name)}; --solver scipy does")
    metafunc.parametrize(("solver_under_test", "check"), tests or [pytest.param("", None, id="none", marks=none)])


def _asked(name: str, spec: str, subject: Subject, config: pytest.Config) -> Iterator[Check]:
    """Yield the checks of a case that a run of the tests judges.

    Who names a solver, or wants all schemes, gets every check. By default relations, which say more of a solver than
    of a case, are judged in the first variant; closed forms and time steps judge every variant of a mechanical case
    in all other layers. SciPy's events, which take ten times longer than both, judge its first variant, with one
    relation, and the criterion in the other variants of initial value problems.
    """
    every = checks(load_case(name), subject)
    if config.getoption("all_schemes") or config.getoption("veridyn_solver"):
        return every
    return (check for check in every if (_is_asked_of_scipy if spec == SCIPY else _is_asked)(check))


def _is_in_first_variant(check: Check) -> bool:
    return check.statement.variant.name == check.statement.case.default_variant.name


def _is_asked(check: Check) -> bool:
    return check.layer is not Layer.INVARIANCE or _is_in_first_variant(check)


def _is_asked_of_scipy(check: Check) -> bool:
    judged = check.layer is not Layer.INVARIANCE or check.name == TELLING
    return _is_in_first_variant(check) and judged and _is_stated(check)


def _is_stated(check: Check) -> bool:
    """Tell whether a check is none of a derivative, or of one that its case states."""
    statement = check.statement
    return not isinstance(statement, DerivativeStatement) or statement.parameter.name in statement.case.derivatives


def _tests(name: str, subject: Subject, asked_of: Iterator[Check], config: pytest.Config) -> Iterator[Test]:
    """Yield the checks of a case, each with its id and marks; of a variant that a solver cannot be asked, one skip.

    Mechanical problems alone are looked at here: others may need enclosures of their motion before they are stated.
    """
    mechanical, expected = kind_of(name) == "mechanical", read_expected(config)
    for statement, asked in groupby(asked_of, lambda check: check.statement):
        missing = sorted(statement.needs - subject.capabilities) if mechanical else []
        if missing:
            reason = f"{subject.name} does not offer {', '.join(missing)}"
            yield None, f"{statement.variant.name}-not-offered", [pytest.mark.skip(reason=reason)]
        else:
            for check in asked:
                yield check, check.id, _marks(expected, check, subject.name)


def _marks(expected: Expectations, check: Check, solver: str) -> Marks:
    entry = expected.find(check.case, check.id, solver)
    return [pytest.mark.xfail(reason=entry.reason, strict=True)] if entry else []


@cache
def list_subjects(config: pytest.Config) -> list[tuple[str, Subject]]:
    """Return the solvers under test by specification."""
    return [(spec, _subject(open_solver(spec, config), config)) for spec in _specifications(config)]


def read_expected(config: pytest.Config) -> Expectations:
    """Return the failures that the user expects."""
    file = config.getoption("veridyn_expected_failures")
    return read_expectations(Path(file)) if file else Expectations()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Refuse expected failures that match no check of any case, before anything is collected."""
    if not session.config.getoption("veridyn_expected_failures"):
        return
    try:
        listed = read_expected(session.config)
        subjects = [subject for _, subject in list_subjects(session.config)]
        claims = ((CARD, name, subject.name) for subject in subjects for name in list_ids(subject))
        of_cases = (
            (check.case, check.id, subject.name)
            for name in sorted(case_names(), key=lambda name: not any(name in e.pattern for e in listed.entries))
            for subject in subjects
            for check in checks(load_case(name), subject)
        )
        listed.refuse_unknown(chain(claims, of_cases))
    except SolverInputError as error:
        raise pytest.UsageError(str(error)) from None


def _generate_benchmarks(metafunc: pytest.Metafunc) -> None:
    chosen = [
        (spec, case.name, scheme)
        for spec in metafunc.config.getoption("veridyn_solver") or [OWN]
        for case in _timed(metafunc.config)
        for scheme in open_solver(spec, metafunc.config).introduction.schemes
    ]
    ids = ["-".join(part for part in parts if part) for parts in chosen]
    metafunc.parametrize(("solver_under_test", "case_name", "scheme"), chosen, ids=ids)


def _timed(config: pytest.Config) -> list[Case]:
    return [*map(load_case, config.getoption("veridyn_timed") or case_names())]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave benchmarks out of ordinary runs, since they take time and assert nothing; others, of cases not timed."""
    speed = [item for item in items if item.get_closest_marker("speed")]
    timed = config.getoption("veridyn_timed")
    if config.getoption("benchmark_only", default=False):
        of_case = {item: item.get_closest_marker("speed").args for item in speed}  # type: ignore[union-attr]
        left_out = [item for item, cases in of_case.items() if timed and cases and not set(cases) & set(timed)]
    else:
        left_out = speed
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        gone = set(left_out)
        items[:] = [item for item in items if item not in gone]


def pytest_configure(config: pytest.Config) -> None:
    """Declare the markers."""
    config.addinivalue_line("markers", "speed(case): benchmark, of one case or of all; runs with --benchmark-only")


def _runner(case: str, solver: str, config: pytest.Config) -> Runner:
    """Return what solves for a case; what was solved for the one before is let go of."""
    if any(other != case for other, _ in RUNNERS):
        RUNNERS.clear()
    if (case, solver) not in RUNNERS:
        RUNNERS[case, solver] = Runner(open_solver(solver, config), dict(list_subjects(config))[solver].request)
    return RUNNERS[case, solver]


@pytest.fixture
def record(solver_under_test: str, check: Check, pytestconfig: pytest.Config) -> Record:
    """Judge a check; skips what cannot be judged of this solver."""
    judged = judge(check, _runner(check.case, solver_under_test, pytestconfig))
    if judged.verdict is Verdict.NOT_APPLICABLE:
        pytest.skip(judged.detail)
    return judged
