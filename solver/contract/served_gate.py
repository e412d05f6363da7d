"""The gate to a Python solver in a process of its own."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import weakref
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import ClassVar

import numpy as np

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.errors import SolverCrash, SolverFailure, SolverLost
from veridyn.solver.contract.gate import Columns, TimedAnswer, check_columns
from veridyn.solver.contract.introduction import Introduction
from veridyn.solver.contract.loading import SolverNotFound
from veridyn.solver.contract.local_gate import Raised
from veridyn.solver.contract.processes import (
    MUCH_MEMORY,
    PATIENCE,
    Process,
    end_after,
    kill,
    listen,
    name_ending,
    start_process,
    stream_of,
    wait_for,
)
from veridyn.solver.contract.server import GREETING, PROBLEMS, Held
from veridyn.solver.contract.statements import Claims, Settings
from veridyn.solver.contract.wire import BrokenFrame, Frame, make_frame, read_frame, write_frame

START_TIME_OUT = 120.0  # s, for the process of a solver to begin, before anything of the solver is loaded
STDERR_LINES = 20  # that are passed on of what a solver writes to standard error
LONGEST_LINE = 500  # characters of one of them
SERVER = "veridyn.solver.contract.server"


class _Ended(Exception):
    """The process of a solver is gone: it took too long (``hung``) and was ended, or it ended, the text says how."""

    def __init__(self, ending: str, *, hung: bool = False) -> None:
        super().__init__(ending)
        self.hung = hung

    def describe(self, owner: str, time_out: float, *, loading: bool) -> str:
        """Return what happened in one line."""
        if self.hung:
            what = "was not loaded" if loading else "gave no answer"
            return f"{owner} {what} within {time_out:g} s and was stopped; --time-out sets the time"
        return f"{owner} ended the process while {'it was loaded' if loading else 'solving'}: {self}"


class ServerProcess:
    """The process of one solver; it ends with this object, or with the process that has started it.

    Raises `SolverFailure` if it does not begin: nothing of the solver is loaded then.
    """

    running: ClassVar[weakref.WeakSet[ServerProcess]] = weakref.WeakSet()

    def __init__(self, folder: Path) -> None:
        try:
            self.process = start_process([sys.executable, "-P", "-m", SERVER], folder)
        except OSError as error:
            raise SolverFailure(f"the process of a solver does not begin: {error.strerror or error}") from None
        self.memory = 0
        self.problems: OrderedDict[str, None] = OrderedDict()  # digests of those that the process holds
        self.close = weakref.finalize(self, _end, self.process, os.getpid())
        self.running.add(self)
        listen(self.process, _Relay().pass_on)
        try:
            greeting = self._exchange((), START_TIME_OUT)
        except _Ended as ended:
            raise SolverFailure(f"the process of a solver does not begin: {ended}") from None
        if not isinstance(greeting, Mapping) or greeting.get("answer") != GREETING:
            raise SolverFailure("the process of a solver does not begin: it sends no greeting")

    def ask(self, command: str, time_out: float, **arguments: object) -> object:
        """Return the answer to a question, or what was raised instead as a `Raised`.

        Raises `_Ended` if the process ends, takes too long or sends what is no answer; it is gone then.
        """
        reply = self._exchange(make_frame({"command": command, "arguments": arguments}), time_out)
        try:
            self.memory, answer = _read_reply(reply)
        except (KeyError, TypeError, ValueError):
            self.close()
            raise _Ended("it sent what is no answer") from None
        return answer

    def _exchange(self, frame: Frame, time_out: float) -> object:
        try:
            with end_after(self.process, time_out) as expired:
                if frame:
                    with contextlib.suppress(BrokenPipeError):  # it has ended: reading tells how
                        write_frame(stream_of(self.process.stdin), frame)
                return read_frame(stream_of(self.process.stdout))
        except (EOFError, OSError, BrokenFrame) as error:
            ending = self._describe_end(error)
            self.close()
            raise _Ended(ending, hung=expired.is_set()) from None
        except BaseException:  # half a frame may be in a pipe
            self.close()
            raise

    def hold(self, problem: Problem) -> Held:
        """Return a problem as a question states it: its digest, and its parts unless the process holds it already."""
        digest, text, arrays = _split_problem(problem)
        is_new = digest not in self.problems
        self.problems[digest] = None
        self.problems.move_to_end(digest)
        if len(self.problems) > PROBLEMS:
            self.problems.popitem(last=False)
        return {"digest": digest, "text": text, "arrays": arrays} if is_new else {"digest": digest}

    def _describe_end(self, error: Exception) -> str:
        if isinstance(error, BrokenFrame):
            return f"it sent what is no answer ({error})"
        try:
            return name_ending(self.process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            return "it closed its pipe"


class _Relay:
    """Passes on what a solver writes to standard error: its first lines, so that it does not run over the verdict."""

    def __init__(self) -> None:
        self.left = STDERR_LINES

    def pass_on(self, line: str) -> None:
        self.left -= 1
        if self.left >= 0:
            sys.stderr.write(f"{line[:LONGEST_LINE]}\n")
        elif self.left == -1:
            sys.stderr.write("veridyn: what a solver writes to standard error beyond that is not shown\n")


def _read_reply(reply: object) -> tuple[int, object]:
    """Return how much memory a process has had, and its answer; raises KeyError, TypeError, ValueError."""
    if not isinstance(reply, Mapping):
        raise TypeError(type(reply))
    return int(reply["memory"]), Raised(**reply["raised"]) if "raised" in reply else reply["answer"]


def _end(process: Process, owner: int) -> None:
    """End a process and what it has started; a fork of its owner leaves it alone."""
    if os.getpid() != owner:
        return
    kill(process)
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            stream_of(pipe).close()
    wait_for(process)


Parts = tuple[str, str, dict[str, Floats]]
"""A problem as it goes over: its digest, and what `Problem.split` returns."""

PARTS: weakref.WeakKeyDictionary[Problem, Parts] = weakref.WeakKeyDictionary()


def _split_problem(problem: Problem) -> Parts:
    """Return digest and parts of a problem; those of one object are made once."""
    if problem not in PARTS:
        text, arrays = problem.split()
        digest = hashlib.sha256(text.encode())
        for name, array in arrays.items():
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
        PARTS[problem] = digest.hexdigest(), text, arrays
    return PARTS[problem]


class ServedGate:
    """The way to a solver in a process of its own: `Gate` says what its functions do, and raise.

    Raises `SolverInputError` if the solver cannot be loaded, or if its process ends meanwhile.
    """

    def __init__(self, spec: str, time_out: float, folder: Path) -> None:
        self._spec, self._time_out, self._folder = spec, time_out, folder
        self._process = ServerProcess(folder)
        self.introduction = self._load()

    def solve(self, problem: Problem, settings: Settings) -> TimedAnswer:
        return self._solve("solve", problem, settings)

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> TimedAnswer:
        return self._solve("solve_tangent", problem, settings, tangent=asdict(tangent))

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> TimedAnswer:
        asked = {"cotangents": dict(cotangents), "numbers": list(numbers)}
        return self._solve("solve_cotangent", problem, settings, **asked)

    def _solve(self, command: str, problem: Problem, settings: Settings, **asked: object) -> TimedAnswer:
        process = self._start()
        answer = self._ask(process, command, problem=process.hold(problem), settings=dict(settings), **asked)
        return _read_answer(self.introduction.name, answer)

    def state_levels(self, problem: Problem, scheme: str) -> object:
        process = self._start()
        return self._ask(process, "levels", problem=process.hold(problem), scheme=scheme)

    def state_defaults(self, problem: Problem, scheme: str) -> object:
        process = self._start()
        return self._ask(process, "defaults", problem=process.hold(problem), scheme=scheme)

    def warm_up(self, settings: Settings) -> None:
        if self.introduction.warms_up:
            self._ask(self._start(), "warm_up", settings=dict(settings))

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        answer = self._ask(self._start(), "solve_many", family=family, parameters=dict(parameters), threads=threads)
        return check_columns(self.introduction.name, answer, parameters)

    def _ask(self, process: ServerProcess, command: str, **arguments: object) -> object:
        name = self.introduction.name
        try:
            answer = process.ask(command, self._time_out, **arguments)
        except _Ended as ended:
            raise SolverLost(ended.describe(name, self._time_out, loading=False)) from None
        if isinstance(answer, Raised):
            raise answer.translate(name)
        return answer

    def close(self) -> None:
        """End the process; another call starts it again."""
        self._process.close()

    def _start(self) -> ServerProcess:
        """Return the process; one that has ended, or has grown, is started again with the solver loaded."""
        if not self._process.close.alive or self._process.memory > MUCH_MEMORY:
            self._process.close()
            self._process = ServerProcess(self._folder)
            try:
                self._load()
            except SolverInputError as error:
                self._process.close()
                raise SolverLost(f"after its process had ended, {error}") from None
        return self._process

    def _load(self) -> Introduction:
        try:
            answer = self._process.ask("load", self._time_out, spec=self._spec, path=sys.path)
        except _Ended as ended:
            raise SolverInputError(ended.describe(self._spec, self._time_out, loading=True)) from None
        if isinstance(answer, Raised):
            is_missing = any(name.endswith(".SolverNotFound") for name in answer.names)
            ours = any(name.endswith(".SolverInputError") for name in answer.names)
            text = answer.text if ours else f"{self._spec!r} cannot be loaded: {answer.line}"
            raise SolverNotFound(text) if is_missing else SolverInputError(text)
        return _read_introduction(self._spec, answer)


def _read_answer(owner: str, answer: object) -> TimedAnswer:
    """Return an answer to a solve as it came over the pipe; raises `SolverCrash` if it is none."""
    if isinstance(answer, tuple) and len(answer) == 3:
        content, seconds, changed = answer
        with contextlib.suppress(TypeError, ValueError):
            return TimedAnswer(content, float(seconds), tuple(map(str, changed)))
    raise SolverCrash(f"{owner} sent what is no answer")


def _read_introduction(spec: str, stated: object) -> Introduction:
    """Return an introduction as it came over the pipe; raises `SolverInputError` if it is none."""
    if not isinstance(stated, Mapping):
        raise SolverInputError(f"{spec!r} introduces itself wrongly: {type(stated).__name__}")
    try:
        claims = {scheme: Claims(**each) for scheme, each in stated["claims"].items()}
        known = {field.name for field in fields(Introduction)}
        read = Introduction(
            **{name: value for name, value in stated.items() if name in known}
            | {"capabilities": frozenset(stated["capabilities"]), "families": frozenset(stated["families"])}
            | {"schemes": tuple(stated["schemes"]), "claims": claims}
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SolverInputError(f"{spec!r} introduces itself wrongly: {error}") from None
    return read
