"""The initial value problems among the cases, judged by integrators that are not ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from veridyn.problem.expressions import TIME
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.results import Record, Verdict
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import case_names, kind_of, load_case, room_of
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

from .conftest import adapter

CASES = tuple(name for name in case_names() if kind_of(name) == "initial-value")
LAYER = "criterion"  # of the variant that stands for the case; a quarter of the solves that convergence takes as well
# multistep, Taylor series, explicit, implicit with constraints; SciPy solves all cases wherever all cases are run
SOLVERS = {
    "sundials": "BDF",
    "heyoka": "",
    "casadi": "erk",
    "diffrax": "Dopri8",
    "sundials_ida": "IDA",
    "scipy_dae": "Radau",
}
TIGHT = {"rtol": 1e-12, "atol": 1e-14}
STIFF = {"two_state_model": {"casadi": "rosenbrock", "diffrax": "Kvaerno5"}}
NO_SERIES = "no Taylor series where the force begins, as the power 3/2 of the indentation"
LEFT_OUT = {
    ("two_state_model", "heyoka"): "stiff: ten million steps",
    ("hunt_crossley", "heyoka"): NO_SERIES,
    ("hertz_impact", "heyoka"): NO_SERIES,
    ("power_law_oscillator", "heyoka"): "no Taylor series where the displacement passes zero",
    ("ball_column", "sundials"): "chaotic: what BDF leaves at its finest grows beyond the criterion within 3 s",
    ("andrews", "scipy_dae"): "Radau gives up at 0.02 s or not, by the rounding of one thread of BLAS or several",
    ("double_pendulum", "heyoka"): "its first step, of 1.08, is too long by symmetry (remark of the case)",
}
# scipy_dae is Python, its method of order five: a third of the time; with constraints, its equations are held to TIGHT
LESS = {"rtol": 1e-10, "atol": 1e-12}
AT_DEFAULTS = {"andrews"}  # its constraints admit no such tolerances: solvers give up with a message


def find_cases(name: str) -> list[str]:
    """Return the cases that an adapter is given."""
    return [case for case in CASES if (case, name) not in LEFT_OUT]


def choose_cases(name: str) -> list[str]:
    """Return a few cases that show every feature which the problems of an adapter have, small ones first."""
    offered = adapter(name).capabilities
    left = [case for case in find_cases(name) if state(case).needs <= offered]
    missing = frozenset().union(*map(find_features, left))
    chosen = []
    while missing:
        best = max(left, key=lambda case: (len(find_features(case) & missing), -len(state(case).states)))
        chosen.append(best)
        missing -= find_features(best)
    return chosen


@cache
def state(name: str) -> InitialValueProblem:
    """Return the problem of the variant that stands for a case."""
    case = load_case(name)
    return case.problem(case.values(case.default_variant.changes))


@cache
def find_features(name: str) -> frozenset[str]:
    """Return what an adapter has to translate in a case, and what is hard for its method."""
    problem, case = state(name), load_case(name)
    changes = [change for mode in problem.modes for change in mode.events]
    features = {
        "mass": problem.mass is not None,
        "time": any(symbol.name == TIME for mode in problem.modes for r in mode.rates for symbol in r.free_symbols),
        "marker": any(change.is_marker for change in changes),
        "reset": any(change.reset for change in changes),
        "mode": any(change.mode for change in changes),
        "waits": any(change.waits for change in changes),
        "either way": any(change.direction == 0 for change in changes),
        "stiff": "stiff" in case.topics,
        "derivatives": bool(case.derivatives),
    }
    return problem.needs | {feature for feature, there in features.items() if there}


def find_settings(case: str, name: str) -> Mapping[str, float]:
    """Return the tolerances that a case is solved with."""
    if name == "heyoka" or case in AT_DEFAULTS:
        return {}
    return LESS if name == "scipy_dae" and room_of(case) != "dae" else TIGHT


def judge_default_variant(name: str, case: str) -> list[Record]:
    """Judge what a solver gives for a case: the criteria of the variant that stands for it."""
    scheme = STIFF.get(case, {}).get(name, SOLVERS[name])
    request = Request(find_settings(case, name), schemes=(scheme,) if scheme else ())
    runner = Runner(LocalGate(adapter(name)), request)
    asked = checks(load_case(case), runner.subject, None, load_case(case).default_variant.name)
    return [judge(check, runner) for check in asked if check.layer == LAYER]


def check_cases(name: str, cases: Iterable[str]) -> None:
    """Check that a solver passes the cases that it can be asked."""
    for case in cases:
        records = judge_default_variant(name, case)
        if all(record.verdict is Verdict.NOT_APPLICABLE for record in records):
            continue
        assert [f"{r.id}: {r.error} {r.detail}" for r in records if r.verdict is Verdict.FAIL] == [], case
        passed = sum(record.verdict is Verdict.PASS for record in records)
        assert passed >= min(3, len(records)), case  # two, where one is asked
