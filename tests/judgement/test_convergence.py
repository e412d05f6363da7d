"""A solver of thirty lines on cases of the suite: judged by all layers, and found out where it is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request
from veridyn.validation_cases.judgement.tolerances import read_requirement

LAYERS = {"criterion", "convergence", "claim", "invariance"}
CASES = {"sdld31": ("let-go", 4e-3), "sdnd101": ("2-shocks", 4e-4)}


class Verlet:
    """Velocity Verlet for one mass with plane stops; imports nothing of the suite."""

    name, version, capabilities = "verlet", "1", {"mechanical", "contact", "loads", "damping"}
    settings, claims = {"step": "step (s)"}, {"order": 2}
    off = 0.0  # the answer that it tends to, over the truth, less one

    def __init__(self, coarse):
        self.refinement = [{"step": coarse / 2**i} for i in range(4)]

    def solve(self, problem, settings):
        m, c, k = problem.mass[0, 0], problem.damping[0, 0], problem.stiffness[0, 0]
        step = settings.get("step", self.refinement[-1]["step"])
        time = np.linspace(problem.start, problem.end, round((problem.end - problem.start) / step) + 1)
        push = sum((load.direction[0] * load.function(time) for load in problem.loads), start=0 * time).tolist()
        h, x, v = time[1] - time[0], float(problem.initial_displacement[0]), float(problem.initial_velocity[0])
        stops = [(stop.normal[0], stop.gap - stop.offset, stop.stiffness) for stop in problem.stops]

        def rate(x, v, push):
            hits = sum(n * stiff * max(0.0, n * x - gap) for n, gap, stiff in stops)
            return (push - k * x - c * v - hits) / m

        a, xs, vs = rate(x, v, push[0]), [x], [v]
        for f in push[1:]:
            half = v + h / 2 * a
            x += h * half
            a = rate(x, half, f)
            v = half + h / 2 * a
            xs.append(x)
            vs.append(v)
        return {"time": time, "displacement": np.array(xs) * (1 + self.off), "velocity": np.array(vs) * (1 + self.off)}


def judged(name, make=Verlet, **asked):
    """Judge a solver on one variant of a case; returns the records by id without the variant."""
    variant, coarse = CASES[name]
    runner = Runner(LocalGate(make(coarse)), Request(**asked))
    records = [judge(check, runner) for check in checks(load_case(name), runner.subject, only=variant)]
    return {record.id.removeprefix(f"{variant}-"): record for record in records}


@pytest.fixture(scope="module")
def right():
    return {name: judged(name) for name in CASES}


@pytest.mark.parametrize("name", CASES)
def test_a_solver_of_thirty_lines_is_judged_by_all_layers(right, name):
    found = right[name].values()
    assert {record.layer for record in found} == LAYERS
    assert {record.layer for record in found if record.verdict == "pass"} == LAYERS
    assert {record.verdict for record in found} == {"pass", "not applicable"}


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_applicable_says_why(right, name):
    assert all(record.detail for record in right[name].values() if record.verdict == "not applicable")


def test_its_order_is_observed_where_nothing_jumps(right):
    orders = [r.value for key, r in right["sdld31"].items() if key.startswith("claim:order:") and r.verdict == "pass"]
    assert len(orders) >= 4
    assert orders == pytest.approx([2.0] * len(orders), abs=0.1)


def test_every_check_can_be_recomputed_from_its_parts(right):
    tables = [r for found in right.values() for r in found.values() if r.layer == "convergence" and r.verdict == "pass"]
    assert len(tables) > 10
    for record in tables:
        assert record.tolerance == pytest.approx(sum(record.terms.values()))
        assert set(record.terms) == {"numerical uncertainty", "sampling", "rounding"}
        values = [row.value for row in record.levels]
        sizes = [row.size for row in record.levels]
        earlier = [abs(b - a) * sizes[-1] / size for a, b, size in zip(values, values[1:-2], sizes[1:], strict=False)]
        last = [abs(values[-1] - values[-2]), abs(values[-2] - values[-3])]
        assert record.terms["numerical uncertainty"] == pytest.approx(3 * max(last + earlier))


def failed(found, layer=""):
    return {name for name, record in found.items() if record.verdict == "fail" and name.startswith(layer)}


class Off(Verlet):
    """All displacements and velocities by so much too large."""

    off = 1e-4


def test_a_solver_that_tends_to_something_else_passes_every_criterion_and_does_not_converge():
    """The default step has an error of the same size."""
    found = judged("sdld31", Off, refinement=[{"step": 4e-4 / 2**i} for i in range(4)])
    assert {found[name].layer for name in failed(found)} == {"convergence", "claim"}
    assert len(failed(found, "convergence:")) >= 3


class Extrapolated(Verlet):
    """Richardson's extrapolation of three solutions: of order 6, and off by what is wanted."""

    def solve(self, problem, settings):
        step = settings.get("step", self.refinement[-1]["step"])
        parts, count = [], round((problem.end - problem.start) / step)
        for divide in (1, 2, 4):
            fine = super().solve(problem, {"step": (problem.end - problem.start) / (count * divide)})
            parts.append({name: fine[name][::divide] for name in ("time", "displacement", "velocity")})
        return {"time": parts[0]["time"], **{name: self.limit(*(p[name] for p in parts)) for name in HISTORIES}}

    def limit(self, one, half, quarter):
        fourth, finer = half + (half - one) / 3, quarter + (quarter - half) / 3
        return (finer + (finer - fourth) / 15) * (1 + self.off)


HISTORIES = ("displacement", "velocity")


class OffByTheTenMillionth(Extrapolated):
    off = 1e-7


def test_a_ten_millionth_is_seen_where_answers_are_as_sharp():
    sharp = {"claims": {"order": 6}, "refinement": [{"step": h} for h in (2e-3, 1e-3, 5e-4)]}
    assert failed(judged("sdld31", Extrapolated, **sharp)) == set()
    found = judged("sdld31", OffByTheTenMillionth, **sharp)
    assert {found[name].layer for name in failed(found)} == {"convergence", "claim"}
    assert len(failed(found, "convergence:")) >= 4


class FirstOrder(Verlet):
    """The load, and the force of the spring, a step late for the velocity: symplectic Euler with a wrong start."""

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        h = found["time"][1] - found["time"][0]
        return found | {"displacement": found["displacement"] + h * found["velocity"]}


def test_an_order_that_is_not_kept_fails_though_the_solver_converges():
    found = judged("sdld31", FirstOrder)
    assert failed(found, "convergence:") == set()
    orders = {name: r.value for name, r in found.items() if name in failed(found, "claim:order:")}
    assert len(orders) >= 3
    assert list(orders.values()) == pytest.approx([1.0] * len(orders), abs=0.1)


def test_claims_of_the_user_are_judged_instead():
    found = judged("sdld31", FirstOrder, claims={"order": 1})
    assert {found[name].layer for name in failed(found)} == {"criterion"}  # the default step is too long for it


@pytest.mark.parametrize(("digits", "passes"), [(1.5, True), (9, False)])
def test_digits_that_are_claimed_are_asked(digits, passes):
    found = judged("sdld31", claims={"digits": digits})
    assert bool(failed(found, "claim:digits:")) is not passes


@pytest.mark.parametrize(("text", "passes"), [("digits=1", True), ("rel=1e-9", False)])
def test_a_requirement_replaces_the_criteria_of_the_case(text, passes):
    found = judged("sdld31", require=read_requirement(text))
    criteria = {name: r for name, r in found.items() if r.layer == "criterion"}
    assert bool(failed(criteria)) is not passes
    assert sum("required: " in r.reason for r in criteria.values()) >= 6
    assert not any("required" in r.reason for r in found.values() if r.layer != "criterion")
