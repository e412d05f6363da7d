"""The same problem put otherwise: a solver that remembers, or minds its units or its output, is told so."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract.errors import StepError
from veridyn.validation_cases.judgement.relations import RELATIONS
from veridyn.validation_cases.judgement.tolerances import cited

STEPS = (0.01, 0.005, 0.0025)
SAME = {"repeated", "after_another", "problem_unchanged"}


def swing(values=None):
    """An oscillator with a frequency of 3 rad/s for two seconds, asked at 81 instants."""
    return MechanicalProblem(
        name="swing",
        mass=np.eye(1),
        stiffness=9.0 * np.eye(1),
        initial_displacement=np.ones(1),
        initial_velocity=np.zeros(1),
        end=2.0,
        output_times=np.linspace(0.0, 2.0, 81),
    )


class Leapfrog:
    """The leapfrog scheme; a step may be set."""

    name, version, capabilities = "leapfrog", "1", frozenset({"mechanical"})
    settings: dict[str, str] = {"step": "step (s)"}  # noqa: RUF012
    claims: dict[str, object] = {"order": 2}  # noqa: RUF012
    refinement = tuple({"step": step} for step in STEPS)

    def solve(self, problem, settings):
        step = settings.get("step", STEPS[-1])
        time = np.linspace(problem.start, problem.end, round((problem.end - problem.start) / step) + 1)
        return self.march(problem, time)

    def march(self, problem, time):
        k, m = problem.stiffness[0, 0], problem.mass[0, 0]
        x, v = float(problem.initial_displacement[0]), float(problem.initial_velocity[0])
        states = [(x, v)]
        for now, then in pairwise(time.tolist()):
            h = then - now
            v -= h / 2 * k / m * x
            x += h * v
            v -= h / 2 * k / m * x
            states.append((x, v))
        displacement, velocity = np.array(states).T
        return {"time": time, "displacement": displacement, "velocity": velocity}


class Remembers(Leapfrog):
    """What it solved before changes what it solves next, a little more each time."""

    def __init__(self, by):
        self.by, self.calls = by, 0

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        self.calls += 1
        return found | {"displacement": found["displacement"] * (1 + self.by * self.calls)}


class FromRest(Leapfrog):
    """Takes no notice of the initial velocity."""

    def solve(self, problem, settings):
        return super().solve(replace(problem, initial_velocity=np.zeros(1)), settings)


class ByOutput(Leapfrog):
    """A step ends where output is asked for, whatever step is set."""

    def solve(self, problem, settings):
        return self.march(problem, problem.output_times)


class FromZero(Leapfrog):
    """The load of its clock starts at zero: a spring that stiffens with the time of day."""

    def solve(self, problem, settings):
        return super().solve(replace(problem, stiffness=problem.stiffness * (1 + 0.1 * problem.start)), settings)


class Metres(Leapfrog):
    """Leaves out what is smaller than a millimetre."""

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        return found | {"displacement": np.round(found["displacement"], 3)}


class OneSided(Leapfrog):
    """A spring that is stiffer on one side."""

    def solve(self, problem, settings):
        stiffer = 1 + 0.01 * (problem.initial_displacement[0] > 0)
        return super().solve(replace(problem, stiffness=problem.stiffness * stiffer), settings)


class Meddles(Leapfrog):
    """Integrates in the array that it was given."""

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        problem.initial_displacement.flags.writeable = True
        problem.initial_displacement[:] = found["displacement"][-1]
        return found


class Restarts(Leapfrog):
    """The true motion, with an error from the second start on that depends on the step."""

    refinement = tuple({"step": step} for step in (2 * STEPS[0], *STEPS))

    def __init__(self, *errors):
        self.errors, self.last = dict(zip((2 * STEPS[0], *STEPS), errors, strict=True)), errors[-1]

    def solve(self, problem, settings):
        found = super().solve(problem, settings)
        t, w = found["time"] - problem.start, np.sqrt(problem.stiffness[0, 0] / problem.mass[0, 0])
        x, v = problem.initial_displacement[0], problem.initial_velocity[0]
        wrong = self.errors.get(settings["step"], self.last) * (problem.start > 0) * np.sign(x)
        position = x * np.cos(w * t) + v / w * np.sin(w * t) + wrong * t
        speed = v * np.cos(w * t) - w * x * np.sin(w * t)
        return {**found, "displacement": position[:, None], "velocity": speed[:, None]}


@pytest.fixture
def violated(judged, make_statement, make_quantity):
    """Return the records of relations that a solver violates, by relation."""

    def by(solver, **asked):
        end = make_quantity(truth=np.cos(6.0), criterion=cited("a test", 1e-2, kind="absolute"), scale=lambda _: 1.0)
        records = judged(solver, make_statement(end, problem=swing), layers=("invariance",), **asked)
        assert len(records) == sum(not relation.kind for relation in RELATIONS)  # the solver offers mechanical ones
        assert {r.verdict for r in records.values()} <= {"pass", "fail", "not applicable"}
        return {r.quantity: r for r in records.values() if r.verdict == "fail"}

    return by


def test_a_right_solver_violates_none(violated):
    assert violated(Leapfrog()) == {}


@pytest.mark.parametrize(
    ("solver", "relations"),
    [
        (FromRest(), {"restarted", "restarted_twice"}),
        (FromZero(), {"later_origin", "restarted", "restarted_twice"}),
        (OneSided(), {"mirrored", "restarted", "restarted_twice"}),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_a_wrong_solver_violates_what_is_meant(violated, solver, relations):
    assert set(violated(solver)) == relations


def test_a_changed_run_has_the_uncertainty_of_all_its_levels(violated):
    """On steps that halve, an event may be as far from the nearest sample on two levels: that is chance."""
    assert violated(Restarts(1e-3, 1e-5, 1e-5, 1e-5)) == {}
    assert set(violated(Restarts(1e-5, 1e-5, 1e-5, 1e-5))) == {"restarted", "restarted_twice", "later_origin"}


def test_where_a_tolerance_is_refined_the_last_difference_of_a_changed_run_counts_alone(violated):
    """There is no such chance, and the first levels are decades coarser."""
    solver = Restarts(1e-3, 1e-5, 1e-5, 1e-5)
    solver.claims = {"tolerance": "step"}
    assert set(violated(solver)) == {"restarted", "restarted_twice", "later_origin"}


def test_a_change_that_finer_levels_do_not_confirm_is_none(violated):
    """Which of two like peaks is the higher may be undecided on coarse levels, and a restart decides it otherwise."""
    passing = Restarts(1e-3, 1e-3, 1e-3, 1e-3)
    passing.last = 0.0
    assert violated(passing) == {}


def test_what_a_solver_remembers_is_seen_to_rounding(violated):
    assert set(violated(Remembers(1e-10))) == SAME
    assert violated(Remembers(1e-14)) == {}


def test_a_solver_that_changes_its_problem_is_named_with_what_it_changed(violated):
    found = violated(Meddles())
    assert "problem_unchanged" in found
    assert found["problem_unchanged"].detail == (
        "swing: the solver changed the problem that it was given: initial_displacement"
    )


def test_half_of_the_output_is_seen_where_steps_end_at_output(violated):
    """Without levels of its own, twice the criterion is admissible; a sharp one is the user's."""
    solver = ByOutput()
    solver.refinement, solver.claims = (), {"digits": 5}
    assert set(violated(solver)) == {"half_output"}


def test_what_is_rounded_in_metres_shows_in_kilometres(violated):
    assert "other_units" in violated(Metres())


def test_the_worst_change_decides_and_all_are_listed(judged, make_statement, make_quantity):
    wide = {"criterion": cited("a test", 1.0, kind="absolute"), "scale": lambda _: 1.0}

    def middle(seen):
        return float(np.interp(1.0, seen.response.time, seen.response.displacement[:, 0]))

    ends = make_quantity(truth=np.cos(6.0), **wide)
    halves = make_quantity(name="middle", truth=np.cos(3.0), measure=middle, **wide)
    records = judged(FromRest(), make_statement(ends, halves, problem=swing), layers=("invariance",))
    record = records["only-invariance:restarted"]
    assert [row.quantity for row in record.levels] == ["end", "middle"]
    assert record.levels[1].change < 1e-5  # the confirming level has other steps before the middle
    worst = record.levels[0]
    assert worst.change == pytest.approx(abs(worst.before - worst.after))
    assert record.value == record.error == pytest.approx(worst.change / worst.admissible)
    assert (record.tolerance, record.verdict) == (1.0, "fail")
    assert record.detail.startswith("The motion stopped half-way and started again")


@pytest.mark.parametrize(
    ("claims", "refined", "reason", "admissible"),
    [
        ({"order": 2}, True, "numerical uncertainty", None),
        ({"digits": 4}, False, "twice the claimed digits", 2e-4),
        ({}, False, "twice the criterion, which both answers must keep", 2e-2),
    ],
)
def test_what_is_admissible_follows_from_what_is_stated(
    judged, make_statement, make_quantity, claims, refined, reason, admissible
):
    solver = Leapfrog()
    solver.claims, solver.refinement = claims, Leapfrog.refinement if refined else ()
    end = make_quantity(truth=np.cos(6.0), criterion=cited("a test", 1e-2, kind="absolute"), scale=lambda _: 1.0)
    found = judged(solver, make_statement(end, problem=swing))
    record = found["only-invariance:mirrored"]
    assert (record.verdict, reason in record.reason) == ("pass", True)
    expected = admissible or found["only-convergence:end"].terms["numerical uncertainty"] + 1e-9
    assert record.levels[0].admissible == pytest.approx(expected)


def test_roundings_are_those_of_both_clocks(judged, make_statement, make_quantity):
    solver = Leapfrog()
    solver.claims, solver.refinement = {"digits": 4}, ()
    rounded = {"rounded": lambda _, clock: 1e-3 * (1 + clock), "scale": lambda _: 1.0}
    end = make_quantity(truth=np.cos(6.0), criterion=cited("a test", 1e-2, kind="absolute"), **rounded)
    found = judged(solver, make_statement(end, problem=swing))
    admitted = {name: found[f"only-invariance:{name}"].levels[0].admissible for name in ("mirrored", "later_origin")}
    assert admitted == pytest.approx({"mirrored": 2.2e-3, "later_origin": 4.2e-3})


def test_a_relation_that_a_problem_does_not_admit_is_not_applicable(judged, make_statement, make_quantity):
    record = judged(Leapfrog(), make_statement(make_quantity(), problem=swing))["only-invariance:permuted"]
    assert (record.verdict, record.detail) == ("not applicable", "permuted does not apply to this problem")


def test_a_problem_that_is_refused_only_when_put_otherwise_fails(violated):
    class Picky(Leapfrog):
        def solve(self, problem, settings):
            if problem.start > 1.5:
                raise StepError("the clock is late")
            return super().solve(problem, settings)

    found = violated(Picky())
    assert set(found) == {"later_origin"}
    assert found["later_origin"].detail.endswith("But it is refused: the clock is late")


def test_a_step_of_the_user_has_a_unit_that_nobody_states(judged, make_statement, make_quantity):
    """In other units the number 0.0025 is another step."""
    found = judged(Leapfrog(), make_statement(make_quantity(), problem=swing), settings={"step": 0.0025})
    record = found["only-invariance:other_units"]
    assert (record.verdict, record.detail) == ("not applicable", "settings of the user have units that nobody states")
