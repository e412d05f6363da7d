"""The process of a Python solver: ``python -m veridyn.solver.contract.server``.

It loads the solver that it is told to, introduces it, and solves. Standard input and output belong to the protocol
(`wire`); what the solver prints goes nowhere, what it writes to standard error goes to the judge, who shows some of it.
Whatever the solver does here, to our modules too, stays here: the judge believes numbers only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO, NotRequired, TypedDict, cast

import numpy as np

from veridyn.problem.kinds import join_problem
from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.tangent import read_tangent
from veridyn.solver.contract.errors import read_text
from veridyn.solver.contract.introduction import Introduction, further, introduce, state_defaults, state_levels
from veridyn.solver.contract.loading import load_solver
from veridyn.solver.contract.processes import measure_peak_memory
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.statements import Settings
from veridyn.solver.contract.wire import make_frame, read_frame, write_frame

PROBLEMS = 8  # kept on both sides, so that a further level sends its settings only
GREETING = "veridyn"  # the first answer, to no question: from then on a solver is loaded, and its time runs
LONGEST_TEXT = 10_000  # characters of an error


Marks = dict[str, tuple[int, int]]
"""By the name of a field: marks by which it is told that it was replaced, or an array that it was written to."""


class Described(TypedDict):
    """What an error says of itself: the full names of its classes, from its own up, and its text."""

    names: list[str]
    text: str


class Held(TypedDict):
    """A problem as a question states it: its digest, and its parts unless the process holds it already."""

    digest: str
    text: NotRequired[str]
    arrays: NotRequired[dict[str, Floats]]


class ServerQuestion(TypedDict):
    """What the judge asks: a command, and its arguments by name."""

    command: str
    arguments: dict[str, object]


class Server:
    """Answers the questions of a judge about one solver."""

    def __init__(self) -> None:
        self.solver: Solver  # from the first question on
        self.parts: OrderedDict[str, tuple[str, Mapping[str, Floats]]] = OrderedDict()  # of problems, by digest
        self.problems: dict[str, Problem] = {}
        self.marks: dict[str, Marks] = {}

    def answer(self, question: ServerQuestion) -> object:
        """Return the answer to a question."""
        commands: dict[str, Callable[..., object]] = {
            "load": self.load, "levels": self.levels, "defaults": self.defaults, "solve": self.solve,
            "solve_tangent": self.solve_tangent, "solve_cotangent": self.solve_cotangent,
            "warm_up": self.warm_up, "solve_many": self.solve_many,
        }  # fmt: skip
        return commands[question["command"]](**question["arguments"])

    def load(self, spec: str, path: list[str]) -> Introduction:
        """Load a solver and return what it states; modules are found where the judge finds them.

        Raises `SolverNotFound`, and what `introduce` raises.
        """
        sys.path[:] = path
        self.solver = load_solver(spec)
        return introduce(self.solver, spec)

    def levels(self, problem: Held, scheme: str) -> object:
        """Return the refinement that the solver states for a problem."""
        return state_levels(self.solver, self._problem(problem), scheme)

    def defaults(self, problem: Held, scheme: str) -> object:
        """Return the settings that the solver takes where none are given."""
        return state_defaults(self.solver, self._problem(problem), scheme)

    def solve(self, problem: Held, settings: Settings) -> tuple[object, float, list[str]]:
        """Return what the solver answers, how long it took (s), and what of the problem it has changed meanwhile.

        The next solve gets the problem as it was.
        """
        return self._solve(problem, lambda stated: self.solver.solve(stated, dict(settings)))

    def solve_tangent(
        self, problem: Held, tangent: Mapping[str, object], settings: Settings
    ) -> tuple[object, float, list[str]]:
        """Return response and derivative along a tangent; see `solve`."""
        solve = further(self.solver, "solve_tangent")
        return self._solve(problem, lambda stated: solve(stated, read_tangent(stated, tangent), dict(settings)))

    def solve_cotangent(
        self, problem: Held, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> tuple[object, float, list[str]]:
        """Return derivatives by numbers of weighted outputs; see `solve`."""
        solve = further(self.solver, "solve_cotangent")
        return self._solve(problem, lambda stated: solve(stated, dict(cotangents), list(numbers), dict(settings)))

    def _solve(self, problem: Held, solve: Callable[[Problem], object]) -> tuple[object, float, list[str]]:
        stated = self._problem(problem)
        try:
            start = time.perf_counter()
            answer = solve(stated)
            seconds = time.perf_counter() - start
        finally:
            changed = self._restore(problem["digest"])
        return answer, seconds, changed

    def _restore(self, digest: str) -> list[str]:
        """Return which fields of a problem have changed since it was read; it is read again if any has."""
        marks = self.marks[digest]
        changed = [name for name, mark in take_fingerprint(self.problems[digest]).items() if marks.get(name) != mark]
        if changed:
            self._keep(digest, *self.parts[digest])
        return changed

    def _keep(self, digest: str, text: str, arrays: Mapping[str, Floats]) -> None:
        self.parts[digest] = text, arrays
        # copies: a solver that writes to an array of its problem shall not write to the one that is kept
        self.problems[digest] = join_problem(text, {name: np.array(array) for name, array in arrays.items()})
        self.marks[digest] = take_fingerprint(self.problems[digest])

    def warm_up(self, settings: Settings) -> None:
        """Let the solver compile."""
        further(self.solver, "warm_up")(dict(settings))

    def solve_many(self, family: str, parameters: Mapping[str, Floats], threads: int) -> object:
        """Return the quantities of many problems of a family."""
        return further(self.solver, "solve_many")(family, parameters, threads)

    def _problem(self, stated: Held) -> Problem:
        """Return a problem by its digest; its parts come with it the first time."""
        digest = stated["digest"]
        if digest not in self.parts:
            self._keep(digest, stated["text"], stated["arrays"])
            if len(self.parts) > PROBLEMS:
                oldest, _ = self.parts.popitem(last=False)
                del self.problems[oldest], self.marks[oldest]
        self.parts.move_to_end(digest)
        return self.problems[digest]


def take_fingerprint(problem: Problem) -> Marks:
    """Return the marks of all fields of a problem."""
    values = {each.name: getattr(problem, each.name) for each in fields(problem)}
    return {
        name: (id(value), zlib.crc32(np.ascontiguousarray(value).data) if isinstance(value, np.ndarray) else 0)
        for name, value in values.items()
    }


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the judge is gone. A child that the solver has forked, and that comes back from it, ends here."""
    server, owner, folder = Server(), os.getpid(), Path.cwd()
    write_frame(answers, make_frame({"answer": GREETING, "memory": 0}))
    while True:
        try:
            question = cast(ServerQuestion, read_frame(questions))
        except EOFError:
            return
        try:
            frame = make_frame({"answer": server.answer(question), "memory": measure_peak_memory()})
        except BaseException as error:  # noqa: BLE001 - whatever the code of a solver raises is an answer
            frame = make_frame({"raised": describe_exception(error), "memory": measure_peak_memory()})
        if os.getpid() != owner:
            os._exit(0)
        with contextlib.suppress(OSError):  # the folder may be gone
            os.chdir(folder)
        write_frame(answers, frame)


def describe_exception(error: BaseException) -> Described:
    """Return the full names of the classes of an error, from its own up, and its text."""
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]
    return {"names": names, "text": read_text(error)[:LONGEST_TEXT]}


def main() -> None:
    """Keep the pipes of the protocol for the protocol, and serve."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for end in (0, 1):
        os.dup2(nothing, end)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for as long as the process lives
    serve(questions, answers)
    if sys.platform != "win32":
        os.killpg(0, signal.SIGKILL)  # what the solver has started ends with it
    os._exit(0)


if __name__ == "__main__":
    main()
