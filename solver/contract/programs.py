"""Solvers in other processes: JSON lines on standard input and output, protocol 1 (docs/command-protocol.md)."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import shlex
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import ClassVar, NotRequired, TypedDict, cast

from veridyn.problem.mechanical import Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.contract.processes import (
    PATIENCE,
    Process,
    end_after,
    kill,
    listen,
    name_ending,
    read_line,
    start_process,
    stream_of,
    wait_for,
)
from veridyn.solver.contract.statements import Settings

PROGRAM = "cmd:"  # begins the specification of a program
PROTOCOL = 1
TIMEOUT_VARIABLE = "VERIDYN_COMMAND_TIMEOUT"
SOLVE_TIMEOUT = 300.0  # s, unless the variable says otherwise
START_TIMEOUT = 30.0  # s
LARGEST_ANSWER = 2 * 1024**3  # bytes
KEPT_LINES = 20  # of standard error
SHORT, LONG = 80, 300  # characters quoted of an answer, of standard error


class Stated(TypedDict):
    """How a program introduces itself, once it was checked."""

    name: str
    version: str
    capabilities: list[str]
    settings: NotRequired[dict[str, str]]
    claims: NotRequired[dict[str, object]]
    refinement: NotRequired[list[dict[str, object]] | str]
    schemes: NotRequired[list[str]]


class Program:
    """A running program: one line in, one line out, within a time.

    Its process group ends with the object, or with the interpreter, whichever comes first. Raises `SolverFailure` if it
    cannot be started.
    """

    running: ClassVar[weakref.WeakSet[Program]] = weakref.WeakSet()

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        try:
            self.process = start_process(arguments, folder)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SolverFailure(f"cannot start {arguments[0]!r}: {reason}") from None
        self.owner = os.getpid()
        self.running.add(self)
        self.stderr: deque[str] = deque(maxlen=KEPT_LINES)
        self._listener = listen(self.process, self.stderr.append)
        self.close = weakref.finalize(self, _end, self.process, self._listener, self.owner)

    def ask(self, message: str, seconds: float) -> dict[str, object]:
        """Send a line and return the JSON object that comes back.

        Raises
        ------
        SolverFailure
            If no JSON object comes back in time. The program is then out of step and has been killed.
        """
        try:
            return _json_object(self._exchange(message, seconds))
        except BaseException:  # interrupts too: half a message may be in the pipe
            self.kill()
            raise

    def kill(self) -> None:
        """End the program and what it has started, without asking."""
        kill(self.process)
        self.close()

    def _exchange(self, message: str, seconds: float) -> bytes:
        stdin, stdout = stream_of(self.process.stdin), stream_of(self.process.stdout)
        with end_after(self.process, seconds) as expired:
            with contextlib.suppress(BrokenPipeError):  # it may have written its reason and left
                stdin.write(message.encode() + b"\n")
                stdin.flush()
            line = stdout.readline(LARGEST_ANSWER + 1)
        if expired.is_set():
            raise SolverFailure(
                f"gave no answer within {seconds:g} s and was stopped ({TIMEOUT_VARIABLE} sets the time "
                f"for a solve){self._last_words()}"
            )
        if len(line) > LARGEST_ANSWER:
            raise SolverFailure(f"answered with more than {LARGEST_ANSWER} bytes in one line")
        if not line.endswith(b"\n"):
            where = f" in the middle of the line {_shortened(line)}" if line else ""
            raise SolverFailure(f"{self._ending()}{where}{self._last_words()}")
        return line

    def _ending(self) -> str:
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        return f"ended with {name_ending(status)}" if status >= 0 else f"was {name_ending(status)}"

    def _last_words(self) -> str:
        self._listener.join(PATIENCE)
        text = " / ".join(line for line in self.stderr if line)
        return f"; its last words: {text if len(text) <= LONG else '…' + text[-LONG:]}" if text else ""


def _end(process: Process, listener: threading.Thread, owner: int) -> None:
    """Ask a program to stop, and see to it."""
    if os.getpid() != owner:  # a fork shares the pipes; the program belongs to the parent
        return
    stdin = stream_of(process.stdin)
    try:
        with contextlib.suppress(OSError):
            stdin.write(b'{"command": "stop"}\n')
            stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
    finally:  # a signal may end the wait
        kill(process)
        wait_for(process)
        stream_of(process.stdout).close()
        listener.join(PATIENCE)


def _shortened(line: bytes) -> str:
    text = read_line(line[: 4 * SHORT])
    return repr(text if len(text) <= SHORT else text[:SHORT] + "…")


def _json_object(line: bytes) -> dict[str, object]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise SolverFailure(
            f"answered {_shortened(line)}, which is not JSON; standard output is for answers, logs belong on "
            "standard error"
        ) from None
    if not isinstance(answer, dict):
        raise SolverFailure(f"answered {_shortened(line)}; an answer is a JSON object")
    return answer


class ExternalSolver:
    """A solver in a program of its own, started at once and again after a crash or a time-out.

    Parameters
    ----------
    command
        Program and arguments, quoted as in a shell; no shell is involved.
    folder
        Where it runs; the current folder if None.
    time_out
        Longest time (s) for a solve, where that of the variable, or of this module, is longer.

    Raises
    ------
    SolverFailure
        If the program cannot be started, or does not introduce itself as protocol 1 wants.
    SettingsError
        If ``VERIDYN_COMMAND_TIMEOUT`` is no positive number.
    """

    name: str
    version: str
    capabilities: frozenset[str]
    settings: Mapping[str, str]
    claims: Mapping[str, object] | Callable[[str], object]  # of a scheme, if the program names schemes
    refinement: Sequence[Settings] | str
    schemes: tuple[str, ...]  # exists only if the program names schemes

    def __init__(self, command: str, folder: Path | None = None, time_out: float = math.inf) -> None:
        self.command = command
        self.folder = folder or Path.cwd()
        self._arguments = _split(command)
        self._timeout = min(_timeout(), time_out)
        self._asked = 0
        self._program, introduction = self._start()
        self.name, self.version = introduction["name"], introduction["version"]
        self.capabilities = frozenset(introduction["capabilities"])
        self.settings = introduction.get("settings", {})
        self.refinement = introduction.get("refinement", ())
        self.claims = stated = introduction.get("claims", {})
        if introduction.get("schemes"):
            self.schemes = tuple(introduction["schemes"])
            self.claims = lambda scheme: stated.get(scheme, {})

    def solve(self, problem: Problem, settings: Settings) -> dict[str, object]:
        """Return what the program answers, arrays as lists.

        Raises `SolverFailure` if it answers with an error, not in time, not at all, or not as protocol 1 wants;
        `NotImplementedError` if it says that something the problem needs is missing; `SettingsError` if the settings
        cannot be written as JSON.
        """
        answer = self._ask("solve", problem, settings, ("response",))
        return cast(dict[str, object], answer["response"])

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Settings) -> dict[str, object]:
        """Return response and tangent as the program answers; raises what `solve` raises."""
        return self._ask("solve_tangent", problem, settings, ("response", "tangent"), tangent=asdict(tangent))

    def solve_cotangent(
        self, problem: Problem, cotangents: Mapping[str, float], numbers: Sequence[str], settings: Settings
    ) -> object:
        """Return derivatives by numbers of weighted outputs as the program answers; raises what `solve` raises."""
        asked = {"cotangents": dict(cotangents), "numbers": list(numbers)}
        return self._ask("solve_cotangent", problem, settings, ("gradient",), **asked)["gradient"]

    def _ask(
        self, command: str, problem: Problem, settings: Settings, needed: tuple[str, ...], **asked: object
    ) -> dict[str, object]:
        message = self._question(command, problem, settings, asked)
        try:
            return self._answer(self._running().ask(message, self._timeout), needed)
        except SolverFailure as failure:
            raise SolverFailure(f"{self.name} {failure}") from None

    def close(self) -> None:
        """Stop the program; a later `solve` starts it again."""
        self._program.close()

    def _start(self) -> tuple[Program, Stated]:
        program = Program(self._arguments, self.folder)
        introduction = program.ask(json.dumps({"command": "start", "protocol": PROTOCOL}), START_TIMEOUT)
        fault = _fault_of_introduction(introduction)
        if fault:
            program.kill()
            raise SolverFailure(fault)
        return program, cast(Stated, introduction)

    def _running(self) -> Program:
        if not self._program.close.alive or self._program.owner != os.getpid():
            self._program, _ = self._start()
        return self._program

    def _question(self, command: str, problem: Problem, settings: Settings, asked: Mapping[str, object]) -> str:
        try:
            chosen = json.dumps(dict(settings), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise SettingsError(f"settings for {self.name} cannot be written as JSON: {error}") from None
        self._asked += 1
        more = "".join(f', "{name}": {json.dumps(value)}' for name, value in asked.items())
        head = f'{{"command": "{command}", "id": {self._asked}, "problem": {problem.to_json()}'
        return f'{head}{more}, "settings": {chosen}}}'

    def _answer(self, answer: dict[str, object], needed: tuple[str, ...]) -> dict[str, object]:
        if answer.get("id") != self._asked:
            self._program.kill()
            raise SolverFailure(f"answered with the id {answer.get('id')!r} to question {self._asked}")
        if "not_applicable" in answer:
            raise NotImplementedError(_text(answer["not_applicable"]))
        if "error" in answer:
            raise SolverFailure(f"says: {_text(answer['error'])}")
        for name in needed:
            if not isinstance(answer.get(name), dict):
                self._program.kill()
                raise SolverFailure(f"answered with {_keys(answer)}, but no {name}, error or not_applicable")
        return {name: answer[name] for name in needed}


@functools.cache
def shared_solver(command: str, folder: Path, time_out: float = math.inf) -> ExternalSolver:
    """Return the one solver that this process has for a command: programs may be slow to start."""
    return ExternalSolver(command, folder, time_out)


def forget_programs() -> None:
    """End the programs that this process has started."""
    for program in list(Program.running):
        program.close()
    shared_solver.cache_clear()


def _split(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise SolverFailure(f"the command cannot be split into words: {error}") from None
    if not arguments:
        raise SolverFailure("a program is needed after cmd:")
    return arguments


def _timeout() -> float:
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    try:
        seconds = float(text) if text else SOLVE_TIMEOUT
    except ValueError:
        seconds = math.nan
    if not seconds > 0:
        raise SettingsError(f"{TIMEOUT_VARIABLE} = {text!r} must be a positive number of seconds")
    return seconds


def _fault_of_introduction(answer: Mapping[str, object]) -> str:
    """Return what is wrong with the answer to start; empty if nothing is."""
    if "error" in answer:
        return f"says: {_text(answer['error'])}"
    if answer.get("protocol", PROTOCOL) != PROTOCOL:
        return f"speaks protocol {answer['protocol']!r}; this version of veridyn speaks {PROTOCOL}"
    for key in ("name", "version"):
        if not isinstance(answer.get(key), str) or not answer[key]:
            return f"introduces itself with {key} {answer.get(key)!r}; a text is needed"
    for key, value in (("capabilities", answer.get("capabilities")), ("schemes", answer.get("schemes", []))):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return f"introduces itself with {key} {value!r}; a list of names is needed"
    settings, claims, levels = answer.get("settings", {}), answer.get("claims", {}), answer.get("refinement", [])
    if not isinstance(settings, dict) or not all(isinstance(meaning, str) for meaning in settings.values()):
        return f"introduces itself with settings {settings!r}; an object of names and meanings is needed"
    if not isinstance(claims, dict):
        return f"introduces itself with claims {claims!r}; an object such as {{'order': 2}} is needed"
    if not isinstance(levels, str) and (
        not isinstance(levels, list) or not all(isinstance(level, dict) for level in levels)
    ):
        return f"introduces itself with refinement {levels!r}; a list of settings, or the name of one, is needed"
    return ""


def _text(value: object) -> str:
    """Return the text of a program as one line."""
    return " ".join(str(value).split())


def _keys(answer: Mapping[str, object]) -> str:
    return ", ".join(answer) or "nothing"
