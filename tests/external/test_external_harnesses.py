"""The example harnesses, built and put under test; skipped where their language is missing."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import veridyn as package
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.responses import read_response
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.subject import Subject

FOLDER = Path(__file__).parents[2] / "examples" / "harnesses"
C = (("cc", "gcc", "clang"), ("-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"), ("-lm",))
BUILDS = {
    "newmark.c": C,
    "hybrid.c": C,
}
ORDERS = {"newmark.c": 2.0, "runge_kutta.mjs": 4.0}
NAMES = {"newmark.c": "newmark-c", "runge_kutta.mjs": "runge-kutta-js"}
HYBRID = {"hybrid.c": "hybrid-c", "hybrid.mjs": "hybrid-js"}
OCTAVE = "octave_odes.m"
SETTINGS = {OCTAVE: {"rtol": 1e-12}}


def tool(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    return found or pytest.skip(f"none of {', '.join(names)} is installed")


@pytest.fixture(scope="session")
def harness(tmp_path_factory):
    """Return the specification of a harness by the name of its source."""
    built = {}

    def build(source):
        if source in BUILDS:
            compilers, flags, libraries = BUILDS[source]
            program = tmp_path_factory.mktemp("harness") / Path(source).stem
            command = [tool(*compilers), *flags, "-o", program, FOLDER / source, *libraries]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return f"cmd:'{program}'"
        if source.endswith(".m"):
            return f"cmd:'{tool('octave-cli')}' --quiet --no-init-file '{FOLDER / source}'"
        return f"cmd:'{tool('node')}' '{FOLDER / source}'"

    def specification(source):
        if source not in built:
            built[source] = build(source)
        return built[source]

    return specification


@pytest.fixture(scope="session")
def verified(harness):
    """Return the records of a harness on SDND101, without its variant of a hundred shocks."""
    known = {}

    def records(source):
        if source not in known:
            known[source] = package.verify(harness(source), ["sdnd101"], parameters={"v0": "1"})
        return known[source]

    return records


@pytest.mark.parametrize("source", NAMES)
class TestHarnesses:
    def test_doctor(self, veridyn, harness, source):
        seen = veridyn("doctor", "--solver", harness(source))
        assert (seen.status, seen.err) == (0, "")
        lines = seen.out.splitlines()
        assert lines[0] == f"{NAMES[source]} 1.0: contact, mechanical"
        assert seen.out.count(": ok, ") == 3
        assert lines[-1] == "healthy"

    def test_what_it_claims_is_as_documented_and_it_is_refined(self, harness, source):
        subject = Subject.from_introduction(introduce(load_solver(harness(source))))
        assert (subject.claims[""], subject.refined) == (Claims(order=ORDERS[source]), True)

    def test_keeps_criteria_convergence_claims_and_invariance(self, verified, source):
        records = verified(source)
        wrong = [r for r in records if r.verdict not in ("pass", "not applicable")]
        assert wrong == []
        judged = {r.layer for r in records if r.verdict == "pass"}
        assert judged | {"claim"} == {"criterion", "convergence", "claim", "invariance"}
        (order,) = {r.detail for r in records if r.layer == "claim" and r.verdict == "not applicable"} or {""}
        assert ("claim" in judged) != (
            "rounding" in order
        )  # with events located, errors are too small to have an order
        assert {r.solver for r in records} == {NAMES[source]}

    def test_the_step_of_the_user_is_the_finest_level(self, harness, source):
        records = package.verify(harness(source), ["sdnd101"], parameters={"v0": "2"}, settings={"step": 5e-5})
        assert {r.verdict for r in records} == {"pass", "not applicable"}
        assert records[0].settings == {"step": 5e-5}
        sizes = [row.size for r in records if r.layer == "convergence" and r.verdict == "pass" for row in r.levels]
        assert min(sizes) == 5e-5

    def test_other_cases_are_not_applicable(self, harness, source):
        assert {r.verdict for r in package.verify(harness(source), ["sdnd104"])} == {"not applicable"}


@pytest.mark.parametrize("source", HYBRID)
class TestHybridHarnesses:
    def test_all_checks_of_the_bouncing_ball_pass(self, harness, source):
        records = package.verify(harness(source), ["bouncing_ball"])
        assert [r for r in records if r.verdict not in ("pass", "not applicable")] == []
        passed, left = (sum(r.verdict == verdict for r in records) for verdict in ("pass", "not applicable"))
        page = (FOLDER.parents[1] / "docs" / "command-protocol.md").read_text(encoding="utf-8")
        assert f"passes all checks of `bouncing_ball` ({passed}, and {left} that do not apply)" in page
        assert {r.solver for r in records} == {HYBRID[source]}

    def test_a_terminal_event_ends_the_motion(self, harness, source):
        lands = Change(name="lands", guard="1 - x", direction=-1, terminal=True)
        modes = (Mode(name="goes", rates=("2",), events=(lands,)),)
        given = {"states": ("x",), "initial": (0,), "end": 2.0, "output_times": np.linspace(0.0, 2.0, 6)}
        problem = InitialValueProblem(name="landing", modes=modes, **given)
        found = read_response(problem, load_solver(harness(source)).solve(problem, {}), source)
        assert found.time[-1] == pytest.approx(0.5)
        assert found.states[-1] == pytest.approx([1.0])

    def test_what_it_does_not_solve_is_not_applicable(self, harness, source):
        either = Change(name="pass", guard="x", direction=0, reset={"x": 1})
        modes = (Mode(name="goes", rates=("-1",), events=(either,)),)
        problem = InitialValueProblem(
            name="either", states=("x",), modes=modes, initial=(1,), end=2.0, output_times=np.linspace(0.0, 2.0, 6)
        )
        with pytest.raises(NotImplementedError, match="events in either direction"):
            load_solver(harness(source)).solve(problem, {})


@pytest.mark.parametrize("source", [*HYBRID, OCTAVE])
def test_expressions_are_read_as_veridyn_reads_them(harness, source):
    rates = ("-x**2 + 2**-t*1e-1/y", "3 - (sin(t)**2**0.5 - pi)*-y/(a + 2) - exp(-x)", "-2*x - -y")
    modes = (Mode(name="goes", rates=rates),)
    given = {"states": ("x", "y", "z"), "parameters": {"a": "-1/3"}, "initial": ("a", "1 + a**2", "-a**2")}
    problem = InitialValueProblem(name="odd", **given, modes=modes, end=0.5, output_times=np.linspace(0, 0.5, 6))
    expected = read_response(problem, SCIPY.solve(problem, {"rtol": 1e-12, "atol": 1e-14}), "scipy")
    found = read_response(problem, load_solver(harness(source)).solve(problem, SETTINGS.get(source, {})), source)
    np.testing.assert_allclose(found.states, expected.states, rtol=1e-10)


def falling():
    lands = Change(name="lands", guard="x", direction=-1, reset={"v": "-v/2"})
    modes = (Mode(name="falls", rates=("v", "-9.81"), events=(lands,)),)
    given = {"states": ("x", "v"), "initial": (1, 0), "end": 1.0, "output_times": np.linspace(0.0, 1.0, 101)}
    return InitialValueProblem(name="ball", modes=modes, **given)


class TestOctave:
    def test_doctor(self, veridyn, harness):
        seen = veridyn("doctor", "--solver", harness(OCTAVE))
        assert (seen.status, seen.err) == (0, "")
        assert seen.out.count(", equations: ok, ") == 2
        assert seen.out.count(", equations with events: ok, ") == 1
        assert seen.out.splitlines()[-1] == "healthy"

    def test_events_that_accumulate_are_not_applicable(self, harness):
        assert {r.verdict for r in package.verify(harness(OCTAVE), ["bouncing_ball"])} == {"not applicable"}

    def test_lsode_takes_no_events(self, harness):
        with pytest.raises(NotImplementedError, match="events that change the motion"):
            load_solver(harness(OCTAVE)).solve(falling(), {"scheme": "lsode"})

    def test_the_finding_in_octave_itself(self, harness):
        if not load_solver(harness(OCTAVE)).version.startswith("7."):
            pytest.skip("findings are those of Octave 7.3")
        script = FOLDER.parent / "findings" / "octave" / "events_between_outputs.m"
        command = [tool("octave-cli"), "--quiet", "--no-init-file", script]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        *rows, missed = done.stdout.splitlines()
        late = np.array([row.split() for row in rows], dtype=float).reshape(3, 3, 4)[:, :, 2]
        assert np.ptp(late, axis=1) == pytest.approx(0.0, abs=1e-9)
        assert late[:, 0] == pytest.approx([-2.775e-3, -1.419e-5, -2.76e-7], rel=0.01)
        assert missed == "0"

    def test_modes_resets_and_terminal_events(self, harness):
        """A mass goes on a spring for a quarter of a period, then on at three times the velocity to x = 3, and ends."""
        off = Change(name="off", guard="v", direction=-1, reset={"x": "x + 1", "v": "3*x"}, mode="flies")
        lands = Change(name="lands", guard="3 - x", direction=-1, terminal=True)
        modes = (
            Mode(name="swings", rates=("v", "-x"), events=(off,)),
            Mode(name="flies", rates=("v", "0*x"), events=(lands,)),
        )
        problem = InitialValueProblem(
            name="two", states=("x", "v"), modes=modes, initial=(0, 1), end=9.0, output_times=np.linspace(0, 9, 91)
        )
        solve = load_solver(harness(OCTAVE)).solve
        found = read_response(problem, solve(problem, {"scheme": "ode45", "between": 99}), "octave")
        assert found.events["off"] == pytest.approx([np.pi / 2], abs=1e-6)
        assert found.before["off"][0] == pytest.approx([1.0, 0.0], abs=1e-6)
        assert found.time[-1] == pytest.approx(np.pi / 2 + 1 / 3, abs=1e-6)
        assert found.states[-1] == pytest.approx([3.0, 3.0], abs=1e-6)

    @pytest.mark.parametrize(
        ("settings", "late"), [({}, -5.85e-6), ({"rtol": 1e-3}, -5.85e-6), ({"between": 9}, -2.76e-7)]
    )
    def test_events_lie_on_a_straight_line_between_outputs_whatever_the_tolerance(self, harness, settings, late):
        solver = load_solver(harness(OCTAVE))
        if not solver.version.startswith("7."):
            pytest.skip("findings are those of Octave 7.3")
        found = read_response(falling(), solver.solve(falling(), {"scheme": "ode45", **settings}), "octave")
        assert found.events["lands"][0] - np.sqrt(2 / 9.81) == pytest.approx(late, rel=0.05)


def test_the_page_counts_the_checks(verified):
    records = [record for source in NAMES for record in verified(source)]
    passed, left = (sum(r.verdict == verdict for r in records) for verdict in ("pass", "not applicable"))
    page = (FOLDER.parents[1] / "docs" / "command-protocol.md").read_text(encoding="utf-8")
    assert f"pass all checks of SDND101 with two shocks ({passed}, and {left} that do not apply)" in page
