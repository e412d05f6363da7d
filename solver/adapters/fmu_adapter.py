"""Functional mock-up units (FMI 2.0 and 3.0) through FMPy.

A unit of model exchange is integrated by FMPy's CVODE, one of co-simulation is stepped. A unit holds one model: it is
run on the case that it was made for. A map (TOML) says which variables are meant where names differ::

    [states]
    y = "body.s"
    [parameters]
    g = "world.g"
    [events]          # variables that count events
    impact = "n_impacts"
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.inputs import LARGEST_SETTINGS, explain_error, parse_toml, read_text
from veridyn.problem.errors import SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.solver.contract.controls import Controls, described, number, read_controls
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Trajectory, output_instants

Floats = NDArray[np.float64]

EXCHANGE, STEPPED = "model-exchange", "co-simulation"
TABLES = ("states", "parameters", "events")
SAME = 1e-12  # relative: a parameter that a unit cannot change has the value that the problem asks for
TOLERANCES = (5, 7, 9)  # of the refinement levels, as digits
MOST_EVENTS = 100_000
STEPS = (2e-3, 1e-3, 5e-4)  # of the refinement levels of co-simulation, in spans


@dataclass(frozen=True)
class UnitControls(Controls):
    """Settings: what a unit of the other kind does not have is ignored by none, since the scheme follows the unit."""

    rtol: float = number(1e-8, "relative tolerance of CVODE (model exchange)")
    max_step: float = number(math.inf, "largest step of CVODE (s; model exchange)")
    step: float = number(math.inf, "communication step (s; co-simulation); default: to the next output")


@dataclass(frozen=True)
class Fmu:
    """A unit as solver under test."""

    path: Path
    map_path: Path | None = None
    name: str = field(default="fmu", init=False)
    capabilities: frozenset[str] = field(default=frozenset({"initial-value", "hybrid"}), init=False)

    def __post_init__(self) -> None:
        import fmpy  # noqa: F401  # asked for before any work

        object.__setattr__(self, "name", f"fmu:{self.path.stem}")
        self.description, self.map  # noqa: B018  # read now: a file that cannot be read is told of before any work

    @cached_property
    def version(self) -> str:
        """Tool that wrote the unit, and FMPy."""
        made = self.description.generationTool or "unknown tool"
        return f"{made}; FMI {self.description.fmiVersion}; FMPy {version('fmpy')}"

    @cached_property
    def description(self) -> Any:
        """Model description as FMPy reads it; SolverInputError where it reads none."""
        from fmpy import read_model_description

        try:
            return read_model_description(str(self.path))
        except Exception as error:  # noqa: BLE001 - FMPy lets errors of archives, XML and its own through
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise SolverInputError(f"{self.path} is no unit that FMPy reads: {reason}") from None

    @property
    def start(self) -> float | None:
        """Start (s) of the experiment that the unit is made for."""
        experiment = self.description.defaultExperiment
        return float(experiment.startTime) if experiment and experiment.startTime else None

    @cached_property
    def map(self) -> Mapping[str, Mapping[str, str]]:
        """Variables of the unit by table and name; SolverInputError names what the map says wrong."""
        if self.map_path is None:
            return {}
        try:
            result = parse_toml(read_text(self.map_path, LARGEST_SETTINGS))
        except (OSError, ValueError) as error:
            raise SolverInputError(f"map {self.map_path} cannot be read: {explain_error(error)}") from None
        known = {v.name for v in self.description.modelVariables}
        for table, rows in result.items():
            if table not in TABLES or not isinstance(rows, dict):
                raise SolverInputError(f"map {self.map_path}: unknown table {table}; known are {', '.join(TABLES)}")
            for name, variable in rows.items():
                if variable not in known:
                    raise SolverInputError(
                        f"map {self.map_path}: {table}.{name}: the unit has no variable {variable!r}"
                    )
        return result

    @property
    def kind(self) -> str:
        """What the unit is made for; model exchange where it offers both."""
        return EXCHANGE if self.description.modelExchange else STEPPED

    @property
    def settings(self) -> dict[str, str]:
        """Meaning of every setting."""
        return described(UnitControls)

    @property
    def claims(self) -> Mapping[str, Any]:
        """Errors follow the tolerance in model exchange; of co-simulation nothing is known."""
        return {"tolerance": "rtol"} if self.kind == EXCHANGE else {}

    def refinement(self, problem: InitialValueProblem) -> tuple[Mapping[str, Any], ...]:
        """Tolerances, or communication steps."""
        if self.kind == EXCHANGE:
            return tuple({"rtol": 10.0**-k} for k in TOLERANCES)
        return tuple({"step": part * (problem.end - problem.start)} for part in STEPS)

    def solve(self, problem: InitialValueProblem, settings: Mapping[str, Any]) -> Trajectory:
        """Return the motion at the outputs, with the events that the unit counts.

        Raises `NotImplementedError` if the unit lacks a state, or cannot take the value of a parameter; `SolverFailure`
        if unit or integrator give up; `SettingsError` if a setting is unknown.
        """
        controls = read_controls(UnitControls, settings, (self.kind,))
        names = _Names.from_problem(self, problem)
        if problem.start != (self.start or 0.0):
            raise NotImplementedError(f"{self.path.name} starts at {self.start or 0:g} s, not at {problem.start:g} s")
        with _instance(self, problem, names) as unit:
            run = _UnitMotion(problem, unit, names, controls)
            return run.exchanged() if self.kind == EXCHANGE else run.stepped()


@dataclass(frozen=True)
class _Names:
    """Value references of what is read, start values of what is set."""

    states: tuple[int, ...]
    counts: Mapping[str, int]
    starts: Mapping[int, float]

    @classmethod
    def from_problem(cls, fmu: Fmu, problem: InitialValueProblem) -> _Names:
        variables = {v.name: v for v in fmu.description.modelVariables}
        mapped = {table: fmu.map.get(table, {}) for table in TABLES}
        states, starts = [], {}
        for name, value in zip(problem.unknowns, problem.initial_state, strict=True):
            variable = variables.get(mapped["states"].get(name, name))
            if variable is None:
                raise NotImplementedError(f"{fmu.path.name} has no variable for the state {name}: name it in a map")
            states.append(variable.valueReference)
            if variable.start is not None and variable.initial in ("exact", "approx", None):
                starts[variable.valueReference] = float(value)
        for name, value in zip(problem.parameters, problem.parameter_numbers, strict=True):
            variable = variables.get(mapped["parameters"].get(name, name))
            if variable is None:
                raise NotImplementedError(f"{fmu.path.name} has no parameter {name}: name it in a map")
            if variable.variability == "constant" or variable.causality == "calculatedParameter":
                if abs(float(variable.start or math.nan) - value) > SAME * abs(value):
                    raise NotImplementedError(f"{fmu.path.name} cannot set {name} = {value:g}")
                continue
            starts[variable.valueReference] = float(value)
        counts = {e: variables.get(mapped["events"].get(e, f"{e}.count")) for e in problem.event_names}
        return cls(tuple(states), {e: v.valueReference for e, v in counts.items() if v is not None}, starts)


@contextmanager
def _instance(fmu: Fmu, problem: InitialValueProblem, names: _Names) -> Iterator[Any]:
    """Give a unit that has been initialised; it is freed whatever happens."""
    from fmpy import extract
    from fmpy.simulation import instantiate_fmu

    with tempfile.TemporaryDirectory() as folder:
        kind = "ModelExchange" if fmu.kind == EXCHANGE else "CoSimulation"
        try:
            extract(str(fmu.path), unzipdir=folder)
            unit = instantiate_fmu(folder, fmu.description, kind, require_functions=False)
        except Exception as error:
            raise SolverFailure(f"{fmu.path.name} cannot be instantiated: {error}") from error
        try:
            given = _Unit(unit, fmu.description)
            given.initialise(problem, names.starts)
            _check_start(fmu, problem, given.read(names.states))
            yield given
        except (NotImplementedError, SolverFailure):
            raise
        except Exception as error:  # FMPy raises its own, RuntimeError and ctypes errors
            raise SolverFailure(f"{fmu.path.name}: {error}") from error
        finally:
            with suppress(Exception):
                unit.terminate()
            with suppress(Exception):
                unit.freeInstance()


def _check_start(fmu: Fmu, problem: InitialValueProblem, states: Floats) -> None:
    """Refuse a problem that starts elsewhere than the unit does."""
    for name, result, wanted in zip(problem.unknowns, states, problem.initial_state, strict=True):
        if abs(result - wanted) > SAME * max(1.0, abs(wanted)):
            raise NotImplementedError(f"{fmu.path.name} starts from {name} = {result:.9g}, not {wanted:.9g}")


@dataclass(frozen=True)
class _Unit:
    """An instance by either version of FMI."""

    fmu: Any
    description: Any

    @property
    def is_two(self) -> bool:
        return str(self.description.fmiVersion) == "2.0"

    def initialise(self, problem: InitialValueProblem, starts: Mapping[int, float]) -> None:
        put = self.fmu.setReal if self.is_two else self.fmu.setFloat64
        span = {"startTime": problem.start, "stopTime": problem.end}
        if self.is_two:
            self.fmu.setupExperiment(**span)
        if starts:
            put(list(starts), list(starts.values()))
        self.fmu.enterInitializationMode(**({} if self.is_two else span))
        self.fmu.exitInitializationMode()

    def read(self, places: tuple[int, ...]) -> Floats:
        get = self.fmu.getReal if self.is_two else self.fmu.getFloat64
        return np.array(get(list(places)), dtype=float) if places else np.empty(0)

    def settle(self) -> bool:
        """Let discrete states follow; return whether the model asks for the end."""
        again, ended = True, False
        while again and not ended:
            step = self.fmu.newDiscreteStates if self.is_two else self.fmu.updateDiscreteStates
            again, ended, *_ = step()
        self.fmu.enterContinuousTimeMode()
        return bool(ended)

    def integrator(self, problem: InitialValueProblem, controls: UnitControls) -> Any:
        from fmpy.simulation import Input
        from fmpy.sundials import CVodeSolver

        fmu = self.fmu
        return CVodeSolver(
            nx=self.description.numberOfContinuousStates,
            nz=self.description.numberOfEventIndicators,
            get_x=fmu.getContinuousStates,
            set_x=fmu.setContinuousStates,
            get_dx=fmu.getDerivatives if self.is_two else fmu.getContinuousStateDerivatives,
            get_z=fmu.getEventIndicators,
            get_nominals=fmu.getNominalsOfContinuousStates,
            set_time=fmu.setTime,
            input=Input(fmu, None, None),
            startTime=problem.start,
            maxStep=min(controls.max_step, (problem.end - problem.start) / 50),
            relativeTolerance=controls.rtol,
            maxNumSteps=100_000,
        )


class _UnitMotion:
    """One motion: samples at the outputs and at events, as they come."""

    def __init__(self, problem: InitialValueProblem, unit: _Unit, names: _Names, controls: UnitControls) -> None:
        self.problem, self.unit, self.names, self.controls = problem, unit, names, controls
        outputs = output_instants(problem)
        self.outputs = outputs[outputs > problem.start]
        self.times = [problem.start]
        self.states = [unit.read(names.states)]
        self.events: dict[str, list[float]] = {name: [] for name in names.counts}
        self.before: dict[str, list[Floats]] = {name: [] for name in names.counts}
        self.counters = {"steps": 0}

    def counted(self) -> Floats:
        return self.unit.read(tuple(self.names.counts.values()))

    def sample(self, t: float) -> None:
        if self.times[-1] == t:
            self.times.pop()
            self.states.pop()
        self.times.append(t)
        self.states.append(self.unit.read(self.names.states))

    def note(self, t: float, before: Floats, counts: Floats) -> None:
        """Keep the events that were counted since."""
        for name, more in zip(self.events, self.counted() > counts, strict=True):
            if more:
                self.events[name].append(t)
                self.before[name].append(before)

    def exchanged(self) -> Trajectory:
        """Integrate a unit of model exchange."""
        fmu = self.unit.fmu
        ended = self.unit.settle()
        self.sample(self.problem.start)
        solver = self.unit.integrator(self.problem, self.controls)
        t, happenings = self.problem.start, 0
        for output in self.outputs:
            while t < output and not ended:
                happened, _, t = solver.step(t, float(output))
                fmu.setTime(t)
                late, ended = fmu.completedIntegratorStep()
                self.counters["steps"] += 1
                if happened or late:
                    happenings += 1
                    if happenings > MOST_EVENTS:
                        raise SolverFailure(f"more than {MOST_EVENTS} events until t = {t:.9g} s")
                    before, counts = self.unit.read(self.names.states), self.counted()
                    fmu.enterEventMode()
                    ended = self.unit.settle() or ended
                    solver.reset(t)
                    self.note(t, before, counts)
                    self.sample(t)
            if ended:
                break
            self.sample(t)
        return self.trajectory()

    def stepped(self) -> Trajectory:
        """Step a unit of co-simulation from output to output."""
        t = self.problem.start
        for output in self.outputs:
            parts = max(1, math.ceil((output - t) / self.controls.step - 1e-9))
            ends = np.linspace(t, output, parts + 1)[1:]
            for end in ends:
                before, counts = self.unit.read(self.names.states), self.counted()
                self.unit.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=end - t)
                t = float(end)
                self.counters["steps"] += 1
                self.note(t, before, counts)
            self.sample(t)
        return self.trajectory()

    def trajectory(self) -> Trajectory:
        n = len(self.names.states)
        states = np.array(self.states)
        if not np.isfinite(states).all():
            raise SolverFailure("the unit returns numbers that are not finite")
        return Trajectory(
            time=np.array(self.times),
            states=states,
            events={name: np.array(result) for name, result in self.events.items()},
            before={name: np.array(result).reshape(-1, n) for name, result in self.before.items()},
            counters=self.counters,
        )
