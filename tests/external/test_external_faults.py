"""Whatever a program does, veridyn says so in one line and goes on."""

import json
import math
import signal
import subprocess
import sys

import numpy as np
import pytest

import veridyn as package
from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract import programs as external
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import SolverNotFound, load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.responses import read_response
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.subject import Subject

from ..processes import ends, is_alive

PROBLEM = MechanicalProblem(
    name="flight",
    mass=np.array([[2.0]]),
    stiffness=np.zeros((1, 1)),
    initial_displacement=np.zeros(1),
    initial_velocity=np.ones(1),
    end=1.0,
    output_times=np.linspace(0.0, 1.0, 11),
)
LARGE = MechanicalProblem(
    name="large",
    mass=np.array([[2.0]]),
    stiffness=np.zeros((1, 1)),
    initial_displacement=np.zeros(1),
    initial_velocity=np.ones(1),
    end=1.0,
    output_times=np.linspace(0.0, 1.0, 200_001),  # megabytes, more than a pipe holds
    stops=(Stop("stop", np.ones(1), gap=2.0, stiffness=1.0),),
)


def flies(solver, problem=PROBLEM):
    response = read_response(problem, solver.solve(problem, {}), solver.name)
    return np.array_equal(response.displacement[:, 0], problem.output_times)


def test_a_program_without_faults(start):
    solver = start("none")
    assert (solver.name, solver.version, solver.capabilities) == ("fake", "1.0", {"mechanical", "contact"})
    assert not hasattr(solver, "schemes")
    assert flies(solver)
    assert flies(solver, LARGE)


def test_schemes(start):
    assert start("two schemes").schemes == ("slow", "fast")


def test_settings_reach_the_program(start):
    assert start("echo").solve(PROBLEM, {"step": 0.25})["counters"] == {"setting": 0.25}


@pytest.mark.parametrize("value", [float("inf"), object()], ids=["inf", "object"])
def test_settings_that_json_cannot_carry(start, value):
    with pytest.raises(SettingsError, match="fake"):
        start("none").solve(PROBLEM, {"step": value})


AT_START = [
    ("ends at once", "ended with exit status 1; its last words: no licence"),
    ("logs before the start", "answered 'Loading modules ...', which is not JSON; .* logs belong on standard error"),
    ("introduction is a list", r"answered '\[1, 2\]'; an answer is a JSON object"),
    ("protocol 2", "speaks protocol 2; this version of veridyn speaks 1"),
    ("no version", "introduces itself with version None; a text is needed"),
    ("capabilities are text", "introduces itself with capabilities 'mechanical'; a list of names is needed"),
    ("refuses", "says: the licence has expired"),
    ("claims are a number", r"introduces itself with claims 2; an object such as \{'order': 2\} is needed"),
    (
        "refinement is a number",
        "introduces itself with refinement 3; a list of settings, or the name of one, is needed",
    ),
    ("levels are numbers", r"introduces itself with refinement \[3, 2, 1\]; a list of settings"),
]


@pytest.mark.parametrize(("fault", "message"), AT_START, ids=[fault for fault, _ in AT_START])
def test_faults_at_start(program, fault, message):
    with pytest.raises(SolverNotFound, match=message) as caught:
        load_solver(f"cmd:{program(fault)}")
    assert "\n" not in str(caught.value)


WRONG = [
    ("unknown claim", "solver fake: unknown claim 'ordre'; did you mean order?"),
    ("contradiction", "solver fake: claims order and digits contradict each other; state one of them"),
    ("unknown method", "solver fake: unknown method 'newmrak': did you mean newmark?"),
    ("two levels", "solver fake: 2 refinement levels; give 3 or more, coarse to fine"),
    ("rising levels", "solver fake: no setting decreases from each refinement level to the next"),
    ("misspelt capability", "solver fake: unknown capability 'contatc'; did you mean contact?"),
]


@pytest.mark.parametrize(("fault", "message"), WRONG, ids=[fault for fault, _ in WRONG])
@pytest.mark.parametrize("command", [("run", "sdnd101"), ("doctor",)], ids=["run", "doctor"])
def test_what_a_program_states_wrongly_is_refused_in_one_line(veridyn, program, command, fault, message):
    seen = veridyn(*command, "--solver", f"cmd:{program(fault)}")
    assert (seen.status, seen.out, seen.err.count("\n")) == (2, "", 1)
    assert seen.err.startswith(f"veridyn: {message}")


def test_a_program_states_claims_and_levels(start):
    solver = start("claims")
    subject = Subject.from_introduction(introduce(solver))
    assert subject.claims[""] == Claims(order=2.0, stability=math.inf)
    assert subject.refinement(LocalGate(solver), PROBLEM, "").sizes == (4e-3, 2e-3, 1e-3)


def test_claims_of_schemes(start):
    solver = start("claims of schemes")
    subject = Subject.from_introduction(introduce(solver))
    assert subject.claims == {"slow": Claims(order=2.0), "fast": Claims()}
    found = subject.refinement(LocalGate(solver), PROBLEM, "fast")
    assert (found.key, {level["scheme"] for level in found.levels}) == ("step", {"fast"})


def test_slow_start(program, monkeypatch):
    monkeypatch.setattr(external, "START_TIMEOUT", 0.3)
    with pytest.raises(SolverNotFound, match=r"0\.3 s"):
        load_solver(f"cmd:{program('slow start')}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:no-such-program -x", "cannot start 'no-such-program': No such file"),
        ("cmd:./", "cannot start './': Permission denied"),
        ("cmd:", "a program is needed after cmd:"),
        ("cmd:a 'b", "cannot be split into words: No closing quotation"),
        ("cmd:echo $HOME; ls", r"answered '\$HOME; ls'"),  # no shell looks at it
    ],
)
def test_commands_that_lead_nowhere(spec, message):
    with pytest.raises(SolverNotFound, match=message):
        load_solver(spec)


AT_SOLVE = [
    ("exits", "ended with exit status 3; its last words: line 80 / line 81 .* / line 99$"),
    ("is killed", "was killed by SIGSEGV$"),
    ("garbage", r"answered 'step 1 of 100: residual 1e-3  \[1mx{47}…', which is not JSON"),
    ("binary", "which is not JSON"),
    ("stops in a line", """ended with exit status 0 in the middle of the line '{"id": 1'"""),
    ("wrong id", "answered with the id 2 to question 1"),
    ("no id", "answered with the id None to question 1"),
    ("empty answer", "answered with id, but no response, error or not_applicable"),
    ("nan", "returned displacement with NaN"),
    ("null", "returned displacement with NaN"),
    ("says error", "says: matrix is singular"),
]


@pytest.mark.parametrize(("fault", "message"), AT_SOLVE, ids=[fault for fault, _ in AT_SOLVE])
def test_faults_in_solve(start, fault, message):
    solver = start(fault)
    for number in (1, 2):  # a dead program is started afresh and makes the same mistake
        with pytest.raises(SolverFailure) as caught:
            flies(solver)
        assert str(caught.value).startswith("fake ")
        assert "\n" not in str(caught.value)
        if number == 1:
            assert caught.match(message)


def test_a_program_that_closes_its_output(start, monkeypatch):
    monkeypatch.setattr(external, "PATIENCE", 0.2)
    with pytest.raises(SolverFailure):
        flies(start("closes its output"))


def test_a_program_that_declines(start):
    with pytest.raises(NotImplementedError, match=r"^contact at time zero$"):
        flies(start("declines"))


def test_an_answer_that_is_too_large(start, monkeypatch):
    solver = start("too large")
    monkeypatch.setattr(external, "LARGEST_ANSWER", 50_000)
    with pytest.raises(SolverFailure, match="50000 bytes"):
        flies(solver)


def test_a_program_that_talks_a_lot(start):
    solver = start("talks a lot")
    assert flies(solver)
    assert flies(solver)


def test_a_program_that_hangs(start, monkeypatch):
    monkeypatch.setenv("VERIDYN_COMMAND_TIMEOUT", "0.5")
    solver = start("hangs")
    pid = solver._program.process.pid
    with pytest.raises(SolverFailure, match=r"0\.5 s.*iterating"):
        flies(solver)
    assert ends(pid)


def test_a_program_that_does_not_read(start, monkeypatch):
    """A pipe that is full must not stop the clock."""
    solver = start("hangs")
    monkeypatch.setattr(solver, "_timeout", 0.5)
    solver._program.process.send_signal(19)  # SIGSTOP
    with pytest.raises(SolverFailure):
        flies(solver, LARGE)


@pytest.mark.parametrize("fault", ["exits once", "hangs once"])
def test_the_next_problem_finds_a_fresh_program(start, tmp_path, monkeypatch, fault):
    monkeypatch.setenv("VERIDYN_COMMAND_TIMEOUT", "1")
    solver = start(fault, tmp_path / "memory")
    with pytest.raises(SolverFailure):
        flies(solver)
    assert flies(solver)


def test_a_closed_solver_starts_again(start):
    solver = start("none")
    solver.close()
    solver.close()
    assert flies(solver)


@pytest.mark.skipif(sys.platform == "win32", reason="no alarm signal")
def test_a_signal_does_not_save_a_program_that_is_being_stopped(start, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    solver = start("does not stop")
    program = solver._program.process
    monkeypatch.setattr(external, "PATIENCE", 30.0)
    before = signal.signal(signal.SIGALRM, interrupted)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            solver.close()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert program.wait(5.0) == -signal.SIGKILL


@pytest.mark.parametrize("text", ["soon", "0", "-1", "nan"])
def test_a_time_that_is_none(program, monkeypatch, text):
    monkeypatch.setenv("VERIDYN_COMMAND_TIMEOUT", text)
    with pytest.raises(SettingsError, match=f"VERIDYN_COMMAND_TIMEOUT = '{text}'"):
        external.ExternalSolver(program("none"))


def test_one_program_per_process(program):
    spec = f"cmd:{program('none')}"
    assert load_solver(spec) is load_solver(spec)


class TestNothingIsLeftBehind:
    def test_after_close(self, start):
        solver = start("none")
        pid = solver._program.process.pid
        assert is_alive(pid)
        solver.close()
        assert ends(pid)

    def test_after_the_object(self, program):
        solver = external.ExternalSolver(program("none"))
        pid = solver._program.process.pid
        del solver
        assert ends(pid)

    def test_a_program_that_does_not_stop(self, start, monkeypatch):
        monkeypatch.setattr(external, "PATIENCE", 0.2)
        solver = start("does not stop")
        pid = solver._program.process.pid
        solver.close()
        assert ends(pid)

    def test_children_of_the_program(self, start, tmp_path, monkeypatch):
        """A child that outlives its parent holds the pipes open; the time-out ends both."""
        monkeypatch.setenv("VERIDYN_COMMAND_TIMEOUT", "0.5")
        solver = start("leaves a child behind", tmp_path / "child")
        with pytest.raises(SolverFailure):
            flies(solver)
        assert ends(int((tmp_path / "child").read_text()))

    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_after_a_run(self, program, tmp_path, jobs):
        spec = f"cmd:{program('note the process', tmp_path)}"
        command = [
            sys.executable,
            "-m",
            "veridyn",
            "run",
            "integrator_fingerprints",
            "--solver",
            spec,
            "-n",
            jobs,
        ]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert all(line.startswith("veridyn: ") for line in done.stderr.splitlines())  # progress, and nothing else
        assert " checks: " in done.stdout
        pids = [int(file.name) for file in tmp_path.iterdir() if file.name.isdigit()]
        assert len(pids) in ((1,) if jobs == "1" else (2, 3))  # the workers share two tasks as they come
        assert all(ends(pid) for pid in pids)

    def test_after_a_violent_death(self, program, tmp_path):
        """Nobody says stop any more; the end of its input tells the program."""
        code = (
            "import os; from veridyn.solver.contract.programs import ExternalSolver; "
            f"s = ExternalSolver({program('none')!r}); print(s._program.process.pid, flush=True); "
            "os.kill(os.getpid(), 9)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == -9
        assert ends(int(done.stdout))


class TestCommands:
    """Verdicts and exit statuses."""

    def test_a_crash_is_an_error_and_the_run_goes_on(self, veridyn, program):
        both = ("--solver", f"cmd:{program('exits')}", "--solver", f"cmd:{program('declines')}")
        seen = veridyn("run", "sdnd101", *both, "--json", "-")
        rows = json.loads(seen.out)["results"]
        assert (seen.status, seen.err) == (3, "")
        half = len(rows) // 2
        assert half > 21
        assert {row["verdict"] for row in rows[:half] if row["quantity"] != "permuted"} == {"error"}
        assert {row["verdict"] for row in rows[half:]} == {"not applicable"}
        assert "line 99" in rows[0]["detail"]
        assert rows[half]["detail"] == "fake says: contact at time zero"

    def test_missing_capabilities(self, program):
        records = package.verify(f"cmd:{program('none')}", ["sdnd104"])
        assert {record.verdict for record in records} == {"not applicable"}

    @pytest.mark.parametrize(
        ("fault", "status", "text"),
        [("none", 3, "look at stiffness or mass matrix"), ("wrong id", 3, "answered with the id 2 to question 1")],
    )
    def test_doctor(self, veridyn, program, fault, status, text):
        seen = veridyn("doctor", "--solver", f"cmd:{program(fault)}")
        assert (seen.status, seen.err) == (status, "")
        assert text in " ".join(seen.out.split())
