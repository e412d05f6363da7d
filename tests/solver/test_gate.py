"""The gate to solvers: whatever a solver does is an answer, not applicable, or a failure of its own."""

from __future__ import annotations

import os
import sys
import time
from enum import Enum

import numpy as np
import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.solver.contract import served_gate
from veridyn.solver.contract.errors import CapabilityError, SettingsError, SolverCrash, SolverFailure, SolverLost
from veridyn.solver.contract.gate import default_settings, read_levels
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.loading import SolverNotFound
from veridyn.solver.contract.local_gate import LocalGate, Raised
from veridyn.solver.contract.opening import close_gates, open_gate
from veridyn.solver.contract.served_gate import ServedGate
from veridyn.solver.contract.statements import Claims

from ..processes import ends

PROBLEM = MechanicalProblem(
    name="mass",
    mass=np.eye(1),
    stiffness=np.zeros((1, 1)),
    initial_displacement=np.zeros(1),
    initial_velocity=np.ones(1),
    end=1.0,
)

SOLVERS = """
import ctypes, os, subprocess, sys, time
import numpy as np
from veridyn.problem.errors import SolverInputError
from veridyn.solver.contract.errors import SettingsError, StepError

class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Plain:
    name, version, capabilities, schemes = "plain", "1", {"mechanical"}, ("one", "two")
    settings = {"step": "step (s)"}

    def claims(self, scheme):
        return {"order": 2} if scheme == "one" else {}

    def refinement(self, problem, scheme):
        return [{"step": problem.end / count} for count in (10, 20, 40)]

    def defaults(self, problem, scheme):
        return {"step": problem.end / 10}

    def solve(self, problem, settings):
        return getattr(self, settings["act"])(problem)

    def answer(self, problem):
        t = np.linspace(0, 1, 5)
        return {"time": t, "displacement": t[:, None], "velocity": np.ones((5, 1)), "counters": {("a", 1): 10**400}}

    def path(self, problem):
        return os.getcwd()

    def pid(self, problem):
        return os.getpid()

    def print(self, problem):
        print("to Python")
        os.write(1, b"to the pipe of the protocol")
        sys.stderr.write("line\\n" * 1000)
        return "printed"

    def fork(self, problem):
        os.fork()
        return "both come back"

    def orphan(self, problem):
        if os.fork():
            os._exit(3)
        return "the child comes back"

    def meddle(self, problem):
        import veridyn.solver.contract.wire as wire
        np.max = np.sum = lambda *_: 0.0
        sys.setrecursionlimit(150)
        os.chdir("/")
        wire.ARRAY = "$other"
        return "meddled"

    def write(self, problem):
        problem.initial_velocity.flags.writeable = True
        problem.initial_velocity[0] = 7.0
        return problem.initial_velocity

    def replace(self, problem):
        object.__setattr__(problem, "end", 3.0)
        return problem.end

    def end(self, problem):
        return problem.end

    def velocity(self, problem):
        return problem.initial_velocity

    def contain_itself(self, problem):
        answer = []
        answer.append(answer)
        return answer

    def strange(self, problem):
        return {"object": object(), 1: {2: (3, b"x")}, "text": "\\ud800"}

    def leave(self, problem):
        os._exit(3)

    def crash(self, problem):
        os.abort()

    def hang(self, problem):
        ctypes.PyDLL(None).sleep(60)

    def start(self, problem):
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid

    def close(self, problem):
        for end in range(3, 20):
            try:
                os.close(end)
            except OSError:
                pass

    def refuse(self, problem):
        raise NotImplementedError("not that")

    def step(self, problem):
        raise StepError("too large")

    def blame(self, problem):
        raise SolverInputError("the user did it")

    def interrupt(self, problem):
        raise KeyboardInterrupt

    def unprintable(self, problem):
        raise Unprintable

    def talk(self, problem):
        raise RuntimeError("word " * 100_000)


class Dies(Plain):
    @property
    def name(self):
        os._exit(4)


class Hangs(Plain):
    @property
    def capabilities(self):
        time.sleep(60)


class Misspelt(Plain):
    capabilities = {"mechanicle"}


class Nameless:
    def solve(self, problem, settings):
        return None
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A file of solvers."""
    written = tmp_path_factory.mktemp("gate") / "solvers.py"
    written.write_text(SOLVERS, encoding="utf-8")
    yield written
    close_gates()


@pytest.fixture(scope="module")
def plain(file):
    """The gate to a solver that does what its setting `act` says."""
    return open_gate(f"{file}:Plain", 20.0)


def act(gate, what):
    return gate.solve(PROBLEM, {"act": what}).content


def test_a_solver_lives_in_a_process_of_its_own(plain):
    assert act(plain, "pid") == act(plain, "pid") != os.getpid()
    assert "veridyn_solver_solvers" not in sys.modules


def test_an_answer_comes_over_bit_by_bit(plain, file):
    here = open_gate(f"{file}:Plain", in_process=True)
    assert isinstance(here, LocalGate)
    served, called = act(plain, "answer"), act(here, "answer")
    for name in ("time", "displacement", "velocity"):
        assert served[name].dtype == called[name].dtype
        assert np.array_equal(served[name], called[name])
    assert served["counters"] == called["counters"]


def test_what_a_solver_states_is_read_once(plain, file):
    here = open_gate(f"{file}:Plain", in_process=True)
    assert plain.introduction == here.introduction
    assert plain.introduction.claims == {"one": Claims(order=2.0), "two": Claims()}
    assert default_settings(plain, PROBLEM, "two") == {"step": 0.1}
    assert read_levels(plain, PROBLEM, "one").sizes == (0.1, 0.05, 0.025)


def test_what_it_prints_goes_nowhere_and_of_its_errors_some_lines_are_shown(plain, capfd):
    assert act(plain, "print") == "printed"
    act(plain, "pid")
    deadline = time.monotonic() + 5.0
    err = ""
    while "not shown" not in err and time.monotonic() < deadline:
        time.sleep(0.02)
        out, more = capfd.readouterr()
        err += more
        assert out == ""
    assert err.count("line\n") == 20


def test_of_two_processes_that_come_back_from_a_fork_one_answers(plain):
    before = act(plain, "pid")
    assert act(plain, "fork") == "both come back"
    assert [act(plain, "pid") for _ in range(3)] == [before] * 3


def test_what_it_changes_is_its_own(file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gate = ServedGate(f"{file}:Plain", 20.0, tmp_path)
    assert act(gate, "meddle") == "meddled"
    assert act(gate, "path") == str(tmp_path)
    assert sys.getrecursionlimit() > 150
    assert np.max(np.ones(2)) == 1.0
    spoilt = act(gate, "answer")["time"]  # it has spoilt its own protocol: an array is no array any more
    assert not isinstance(spoilt, np.ndarray)


@pytest.mark.parametrize(
    ("what", "name", "look"), [("write", "initial_velocity", "velocity"), ("replace", "end", "end")]
)
def test_what_it_changes_of_a_problem_is_told_and_undone(plain, what, name, look):
    before = act(plain, look)
    assert plain.solve(PROBLEM, {"act": what}).changed == (name,)
    assert act(plain, look) == before
    assert plain.solve(PROBLEM, {"act": look}).changed == ()


def test_objects_do_not_come_over(plain):
    content = act(plain, "strange")
    assert type(content["object"]).__module__ == "veridyn.solver.contract.wire"
    assert content[1][2][0] == 3


@pytest.mark.parametrize(
    ("what", "kind", "text"),
    [
        ("refuse", CapabilityError, "plain says: not that"),
        ("step", SettingsError, "too large"),
        ("blame", SolverCrash, "plain raised SolverInputError: the user did it"),
        ("interrupt", SolverCrash, "plain raised KeyboardInterrupt"),
        ("unprintable", SolverCrash, "plain raised Unprintable"),
        ("contain_itself", SolverCrash, "plain raised RecursionError"),
        ("leave", SolverLost, "plain ended the process while solving: exit status 3"),
        ("orphan", SolverLost, "plain ended the process while solving: exit status 3"),
        ("crash", SolverLost, "plain ended the process while solving: killed by SIGABRT"),
        ("close", SolverLost, "plain ended the process while solving"),
    ],
)
def test_a_failure_is_told_and_the_next_solve_answers(plain, what, kind, text):
    with pytest.raises(kind) as raised:
        act(plain, what)
    assert text in str(raised.value)
    assert not (kind is SolverCrash and isinstance(raised.value, SolverLost))
    assert isinstance(act(plain, "pid"), int)


def test_a_solver_of_this_process_that_runs_out_of_an_iterator_has_crashed():
    """StopIteration would end a generator of the judge, which is no answer."""

    class Exhausted:
        name, version, capabilities = "exhausted", "1", frozenset({"mechanical"})

        def solve(self, problem, settings):
            return next(iter(()))

    with pytest.raises(SolverCrash, match="exhausted raised StopIteration"):
        LocalGate(Exhausted()).solve(PROBLEM, {})


def test_a_huge_text_is_cut(plain):
    with pytest.raises(SolverCrash) as raised:
        act(plain, "talk")
    assert len(str(raised.value)) < 20_000


def test_a_solve_that_hangs_is_ended_with_what_it_has_started(file):
    gate = ServedGate(f"{file}:Plain", 1.0, file.parent)
    child = act(gate, "start")
    with pytest.raises(SolverLost, match="gave no answer within 1 s"):
        act(gate, "hang")
    assert ends(child)


def test_what_it_has_started_ends_with_the_gate(file):
    gate = open_gate(f"{file}:Plain", 19.0)
    child = act(gate, "start")
    close_gates()
    assert ends(child)


@pytest.mark.parametrize(
    ("name", "text"),
    [("Dies", "exit status 4"), ("Hangs", "was not loaded within 1 s"), ("Misspelt", "unknown capability")],
)
def test_what_does_not_introduce_itself_is_told_with_its_specification(file, name, text):
    with pytest.raises(SolverInputError, match=text) as told:
        ServedGate(f"{file}:{name}", 1.0 if name == "Hangs" else 20.0, file.parent)
    assert (f"{file}:{name}" if name != "Misspelt" else "plain") in str(told.value)
    assert not isinstance(told.value, SolverNotFound)


def test_a_process_that_does_not_begin_is_no_fault_of_the_solver(file, monkeypatch):
    monkeypatch.setattr(served_gate, "SERVER", "veridyn.solver.contract.nothing")
    with pytest.raises(SolverFailure, match="the process of a solver does not begin: exit status 1"):
        ServedGate(f"{file}:Plain", 20.0, file.parent)


@pytest.mark.parametrize("name", ["Missing", "Nameless"])
def test_what_is_no_solver_is_not_found(file, name):
    with pytest.raises(SolverNotFound):
        ServedGate(f"{file}:{name}", 20.0, file.parent)


# ---- what a solver states, without a process


class Colour(Enum):
    RED = "red"


class Odd:
    """States what it is told to."""

    name, version, capabilities = "odd", "1", frozenset({"mechanical"})

    def __init__(self, **stated):
        vars(self).update(stated)

    def solve(self, problem, settings):
        raise AssertionError


def fail(*_):
    raise ZeroDivisionError("stated")


@pytest.mark.parametrize(
    "stated",
    [
        {"name": lambda: "odd"},
        {"name": b"odd"},
        {"name": Colour.RED},
        {"name": "n" * 10_000},
        {"version": "1" * 10_000},
        {"capabilities": 7},
        {"capabilities": [Colour.RED]},
        {"schemes": ("one", 2)},
        {"schemes": "one"},
        {"settings": fail},
        {"settings": ["step"]},
        {"settings": {1: "step"}},
        {"claims": fail},
        {"claims": {"order": 10**400}},
        {"claims": {"order": object()}},
        {"claims": [2]},
        {"refinement": 3.0},
        {"refinement": [{"step": object()}] * 3},
        {"defaults": [1]},
    ],
    ids=lambda stated: next(iter(stated)),
)
def test_a_wrong_statement_is_one_line(stated):
    with pytest.raises(SolverInputError) as told:
        introduce(Odd(**stated))
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 3000


STATEMENTS = ["name", "version", "capabilities", "schemes", "settings", "claims", "refinement", "defaults"]


@pytest.mark.parametrize("what", STATEMENTS)
def test_a_statement_that_raises_is_one_line(what):
    raising = type("Raising", (Odd,), {what: property(fail)})
    with pytest.raises(SolverInputError, match="ZeroDivisionError: stated"):
        introduce(raising.__new__(raising))


@pytest.mark.parametrize("wrong", [lambda *_: 7, lambda *_: {1: 2}, lambda *_: blame("defaults")])
def test_wrong_defaults_are_a_failure_of_the_solver_and_not_of_the_user(wrong):
    with pytest.raises(SolverCrash, match="defaults"):
        default_settings(LocalGate(Odd(defaults=wrong)), PROBLEM)


def blame(text):
    raise SettingsError(text)


def test_classes_of_the_same_name_are_not_ours():
    foreign = Raised(["elsewhere.SettingsError", "builtins.Exception", "builtins.object"], "text")
    assert type(foreign.translate("odd")) is SolverCrash


def test_an_expression_taken_for_a_number_gets_its_remedy():
    line = Raised(["builtins.TypeError"], "Cannot convert expression to float").line
    assert line.startswith("TypeError: Cannot convert expression to float: ")
    assert "problem.initial_state" in line
