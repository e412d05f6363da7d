"""Runs a solver: each problem with each settings once; keeps what was measured, and how long it took."""

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeGuard, TypeVar, cast

import numpy as np

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Problem
from veridyn.solver.contract.errors import CapabilityError, SolverFailure, SolverLost
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.output_grid import refine_outputs
from veridyn.solver.contract.statements import Refinement, as_float
from veridyn.validation_cases.judgement.case import Number, Observation, Quantity, Settings
from veridyn.validation_cases.judgement.changed_units import SI
from veridyn.validation_cases.judgement.precision import SINGLE_DIGITS, find_digits
from veridyn.validation_cases.judgement.relations import Relation, refuse_changes
from veridyn.validation_cases.judgement.samples import spacing
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.judgement.uncertainty import ROUNDING

T = TypeVar("T")

KEPT = 4  # responses held in memory; checks come grouped by run
UNNESTED = 0.9  # exponent of the ratio of two levels, to the next that nobody stated


class NotJudged(Exception):
    """Something cannot be judged on this response; the text says why."""


class HarnessError(RuntimeError):
    """One of our own measures failed: no verdict about the solver."""


@dataclass(frozen=True, eq=False)
class Run:
    """A statement to be solved with given settings, as it is or through a metamorphic relation.

    ``level`` is the number of the refinement level that the settings belong to, None for the default settings.
    """

    statement: Statement
    settings: Settings
    scheme: str = ""
    level: int | None = None
    relation: Relation | None = None

    @property
    def is_default(self) -> bool:
        """Whether it is the statement itself, with default settings."""
        return self.level is None and self.relation is None

    @cached_property
    def key(self) -> str:
        """What tells one run from another."""
        settings = ",".join(f"{name}={value}" for name, value in sorted(self.settings.items()))
        way = "default" if self.level is None else "level"
        return "/".join((self.statement.label, way, settings, *([self.relation.name] if self.relation else [])))


Answer = Number | Exception  # of a measure: what it found, or why it found nothing


@dataclass
class Runner:
    """One solver, and what it answered.

    A run is solved at most once while its response or its measured values are kept; failures are kept too, so that a
    crashing solver is not called again for every quantity. Where the process of the solver was lost with default
    settings, other runs of that problem and scheme are not tried: each could take as long as the time-out.
    """

    gate: Gate
    request: Request = field(default_factory=Request)
    answers: OrderedDict[str, Observation] = field(default_factory=OrderedDict)
    failures: dict[str, Exception] = field(default_factory=dict)
    measurements: dict[str, Mapping[str, Answer]] = field(default_factory=dict)
    wall_times: dict[str, float] = field(default_factory=dict)
    counters: dict[str, Mapping[str, float]] = field(default_factory=dict)
    warm: set[str] = field(default_factory=set)
    cache: dict[tuple[str, int, str], tuple[Statement, object]] = field(default_factory=dict)

    @cached_property
    def subject(self) -> Subject:
        """The solver as it describes itself, with what the user asks of it."""
        return Subject.from_introduction(self.gate.introduction, self.request)

    def default_run(self, statement: Statement, scheme: str = "") -> Run:
        """Return the run with default settings; where the solver fails to state them, the run has failed already."""

        def find() -> Run:
            try:
                settings = self.subject.default_settings(self.gate, statement.problem, scheme)
                return Run(statement, settings, scheme)
            except (CapabilityError, SolverFailure) as failure:
                run = Run(statement, {"scheme": scheme} if scheme else {}, scheme)
                self.failures[run.key] = failure
                return run

        return self.find_once("default run", statement, scheme, find)

    def refinement(self, statement: Statement, scheme: str = "") -> Refinement:
        """Return the refinement levels.

        Raises `SettingsError` if there are none that can be used, `SolverFailure` if the solver fails to state them.
        """

        def find() -> Refinement | SolverFailure:
            try:
                return self.subject.refinement(self.gate, statement.problem, scheme)
            except SolverFailure as failure:
                return failure

        result = self.find_once("refinement", statement, scheme, find)
        if isinstance(result, SolverFailure):
            raise result
        return result

    def find_once(self, what: str, statement: Statement, scheme: str, find: Callable[[], T]) -> T:
        """Return what is found of a statement and a scheme; it is looked for once."""
        key = (what, id(statement), scheme)
        if key not in self.cache:  # the statement is kept too, so that no other gets its identity
            self.cache[key] = statement, find()
        return cast(T, self.cache[key][1])

    def observe(self, run: Run) -> Observation:
        """Return problem and response of a run.

        Raises
        ------
        SolverInputError
            If the run cannot be solved as stated: wrong settings, step above the limit.
        SolverFailure
            If the solver crashed, diverged or returned a malformed response.
        """
        if run.key in self.failures:
            raise self.failures[run.key]
        if run.key not in self.answers:
            answer = self._observed(run)
            if isinstance(answer, Exception):
                self.failures[run.key] = answer
                raise answer
            self.answers[run.key] = answer
            while len(self.answers) > KEPT:
                self.answers.popitem(last=False)
        return self.answers[run.key]

    def measured(self, run: Run, *, half: int | None = None) -> Mapping[str, Answer]:
        """Return what every measure found in the response to a run, by the name of the quantity.

        What does not converge is measured in default runs alone: nothing else is asked of it.

        With a ``half``, 0 or 1, only every second sample of the response is looked at, with one digit less where the
        numbers have few: how much that changes tells how far the distance of the samples and their
        digits matter.

        Raises
        ------
        SolverInputError, SolverFailure
            See `observe`.
        """
        key = run.key if half is None else f"{run.key}/{half}"
        if key not in self.measurements:
            o = self.observe(run)
            if half is not None:
                o = o.thin(half, self.find_digits(run))
            asked = [q for q in run.statement.quantities if q.converges or run.is_default]
            self.measurements[key] = {quantity.name: read_quantity(quantity, o) for quantity in asked}
        return self.measurements[key]

    def find_digits(self, run: Run) -> float | None:
        """Return the digits of the numbers of a response: those claimed, or those seen; None of doubles.

        Who claims a tolerance or digits is held to it, whatever its numbers look like. Raises what `observe` raises.
        """
        claims = self.subject.claims[run.scheme]
        if claims.printed is not None or claims.digits or claims.tolerance:
            return claims.printed
        key = f"{run.key}/digits"
        if key not in self.measurements:
            self.measurements[key] = {"digits": find_digits(self.observe(run).response) or 0.0}
        return cast(float, self.measurements[key]["digits"]) or None

    def rounding(self, run: Run) -> float:
        """Return what may be rounding in an answer, over the scale of its quantity.

        Of printed numbers it is a unit of the last digit. A state in single precision may lose as much in each step.
        Raises what `observe` raises.
        """
        digits = self.find_digits(run)
        if digits == SINGLE_DIGITS:
            return math.pow(10.0, -SINGLE_DIGITS) * float(self.observe(run).response.time.size)
        return max(ROUNDING, math.pow(10.0, 1 - digits)) if digits else ROUNDING

    def sampling(self, run: Run, quantity: Quantity, value: float, *, confirming: bool = False) -> float:
        """Return how far an answer changes where only every second sample is read, and one digit less of printed ones.

        One half of the samples may give the same answer by luck: ``confirming`` a failure takes both. An instant
        that is read off at a sample is up to a distance of samples late, too.

        Raises
        ------
        NotJudged
            If nothing can be measured then.
        """
        apart = spacing(self.observe(run).response, value) if quantity.at_samples else 0.0
        halves = (0, 1) if confirming else (0,)
        return max(apart, *(abs(value - self._on_half(run, quantity, half)) for half in halves))

    def _on_half(self, run: Run, quantity: Quantity, half: int) -> float:
        result = self.measured(run, half=half)[quantity.name]
        if not isinstance(result, int | float):
            raise NotJudged(f"samples are too far apart: on every second of them {result}")
        return float(result)

    def _observed(self, run: Run) -> Observation | Exception:
        default = self.default_run(run.statement, run.scheme)
        if isinstance(lost := self.failures.get(default.key), SolverLost):
            return lost
        try:
            self._warm_up(run)
            o = self._solve(run)
        except (SolverInputError, SolverFailure) as error:
            return error
        self.counters[run.key] = {name: float(n) for name, n in o.response.counters.items() if _is_number(n)}
        return o

    def _solve(self, run: Run) -> Observation:
        """Return what is observed in a run."""
        statement = run.statement
        if run.relation is not None:
            return self._solve_otherwise(run, run.relation)
        answer = statement.ask(self.gate, *refine_outputs(statement.problem, dict(run.settings)))
        self.wall_times[run.key] = answer.seconds
        return statement.read(statement.problem, answer.content, self.subject.name)

    def _solve_otherwise(self, run: Run, relation: Relation) -> Observation:
        """Return what is observed through a relation; it may need several solves, whose times add up."""
        in_si = relation.units == SI
        seconds: list[float] = []

        def ask(problem: Problem) -> object:
            settings = dict(run.settings) if in_si else dict(self._restated(run, problem))
            answer = run.statement.ask(self.gate, *refine_outputs(problem, settings))
            seconds.append(answer.seconds)
            if relation.forbids_changes:
                refuse_changes(problem, answer.changed)
            return answer.content

        o = run.statement.observe_otherwise(relation, ask, self.subject.name)
        self.wall_times[run.key] = sum(seconds)
        return o

    def _restated(self, run: Run, problem: Problem) -> Settings:
        """Return the settings of a run for its problem in other units.

        Raises
        ------
        CapabilityError
            If nobody knows the units of the settings.
        """
        assert run.relation is not None
        if self.request.settings:
            raise CapabilityError("settings of the user have units that nobody states")
        if run.level is None:
            return self.subject.default_settings(self.gate, problem, run.scheme)
        stated = self.request.refinement or self.gate.introduction.refinement or self.request.get_refinement(run.scheme)
        if stated is None or isinstance(stated, str):
            return _level(self.subject.refinement(self.gate, problem, run.scheme).levels, run.level)
        claims, key = self.subject.claims[run.scheme], self.refinement(run.statement, run.scheme).key
        others = sorted(name for name, value in run.settings.items() if name != key and _is_number(value))
        if others:
            raise CapabilityError(f"nobody states the unit of the setting {others[0]}")
        time = 1.0 if key == claims.tolerance else run.relation.units.time
        return {**run.settings, key: as_float(run.settings[key]) * time}

    def _warm_up(self, run: Run) -> None:
        """Let a solver that can warm up (compile) do so once per scheme, outside the timing."""
        scheme = str(run.settings.get("scheme", ""))
        if scheme not in self.warm:
            self.gate.warm_up(dict(run.settings))
        self.warm.add(scheme)


def finer_settings(before: Settings, last: Settings) -> Settings:
    """Return one more level: every number that changes from level to level changes once more, by a little less.

    Steps that are halved once more share their instants: an event right after one of them stays as far from it, and so
    does the error that it makes. No power of two is met again with this exponent.
    """
    return {name: _next(before.get(name), value) for name, value in last.items()}


def _next(before: object, last: object) -> object:
    if _is_plain(before) and _is_plain(last) and before and last != before:
        return last * (last / before) ** UNNESTED
    return last


def _is_plain(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _level(levels: Sequence[Settings], number: int) -> Settings:
    """Return a refinement level by its number, finer than stated ones where it is beyond them."""
    while len(levels) <= number:
        levels = (*levels, finer_settings(*levels[-2:]))
    return levels[number]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)


def read_quantity(quantity: Quantity, o: Observation) -> Answer:
    """Return what a measure finds, or the error that says why it finds nothing."""
    assert quantity.measure is not None
    try:
        value = quantity.measure(o)
    except (SolverFailure, CapabilityError) as nothing:
        return nothing
    except Exception as broken:  # noqa: BLE001 - a fault of ours must not end the run, nor blame the solver
        where = broken.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        line = f" in {where.tb_frame.f_code.co_name}, line {where.tb_lineno}" if where else ""
        return HarnessError(f"the measure of {quantity.name} failed: {type(broken).__name__}: {broken}{line}")
    if isinstance(value, float | np.floating) and not math.isfinite(value):
        return SolverFailure(f"{quantity.name} is {value} in the response")
    return value
