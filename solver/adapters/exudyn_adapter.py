"""Exudyn, a multibody code, with its own limit stops, bristle friction and time integration.

How a problem is told to Exudyn:

* The matrices are an `ObjectGenericODE2` on one `NodeGenericODE2`, relative to the supports; loads and the inertia
  forces ``-M ψ a(t)`` of moving supports are a `LoadCoordinate` with a user function for every coordinate.
* A stop is the limit stop of a `CoordinateSpringDamperExt`: ``F = k (y - s)`` as long as the coordinate y is beyond s.
  Its damper would pull where the body leaves, so that damped stops are not applicable.
* Coulomb friction is the bristle model of the same object, which its documentation recommends for implicit integration:
  stick is a spring and damper, slip begins where their force exceeds ``mu_s N``. The excess of static over
  kinetic friction decays with the sliding velocity, ``exp(-|v|/decay_velocity)``. The bristle of set-valued friction
  is as stiff as the step resolves, ``stick_steps`` per period of its oscillation: the shorter the step the more rigid
  is stick. Regularised friction brings its own spring and damper.
* A stop or friction joins at most two coordinates.

Steps are constant; DOPRI5 alone controls its steps. With it sensors miss the instants they are asked for, so that it
is called from one output instant to the next.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    CoordinateSpringDamperExt,
    LoadCoordinate,
    MarkerNodeCoordinate,
    NodeGenericData,
    NodeGenericODE2,
    NodePointGround,
    ObjectGenericODE2,
    SensorNode,
    SensorObject,
)
from numpy.typing import NDArray

from veridyn.problem.basis import moved_mass
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import (
    LINES,
    Grid,
    StepControls,
    Stepper,
    refuse_beyond_lines,
    stick_stiffness,
)
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response
from veridyn.solver.event_driven.forcing import segments

SCHEMES = ("GeneralizedAlpha", "TrapezoidalIndex2", "RK44", "DOPRI5")
ADAPTIVE = "DOPRI5"
ORDERS = {"GeneralizedAlpha": 2, "TrapezoidalIndex2": 2, "RK44": 4}  # on smooth problems
TOLERANCES = tuple({"rtol": 10.0**-k, "atol": 10.0**-k} for k in (4, 6, 8, 10))  # of the refinement levels
UNBOUNDED = 1e30  # m: the other side of a limit stop
SLACK = 1e-6  # of an output interval: how far from its instant a sensor may write


@dataclass(frozen=True)
class ExudynControls(StepControls):
    """Steps, bristle, and the parameters of the integrators."""

    stick_steps: int = number(20, "steps per period of the bristle that holds what sticks")
    stick_damping: float = number(1.0, "damping ratio of that bristle")
    decay_velocity: float = number(1e-3, "velocity in which the excess of static friction decays (m/s)")
    spectral_radius: float = number(0.9, "spectral radius of GeneralizedAlpha for infinite frequency, at most 1")
    rtol: float = number(1e-8, "relative tolerance of DOPRI5")
    atol: float = number(1e-8, "absolute tolerance of DOPRI5 (m, m/s)")


@dataclass(frozen=True)
class Connector:
    """A `CoordinateSpringDamperExt`: sensors of its force and of its data (friction mode, stick position, stop)."""

    force: Any
    data: Any


@dataclass(frozen=True)
class Model:
    """An assembled system and its sensors; the container owns the system and must live as long."""

    container: Any
    system: Any
    displacement: Any
    velocity: Any
    connectors: Mapping[str, Connector]

    @property
    def sensors(self) -> list[Any]:
        """All sensors, in the order in which they were created."""
        return [self.displacement, self.velocity, *(s for c in self.connectors.values() for s in (c.force, c.data))]


class Exudyn(Stepper):
    """Exudyn under test."""

    name = "exudyn"
    controls = ExudynControls
    schemes = SCHEMES
    capabilities = LINES

    def claims(self, scheme: str) -> dict[str, Any]:
        """Return what a scheme claims, as Exudyn's documentation describes the integrators."""
        return {"tolerance": "rtol"} if scheme == ADAPTIVE else {"order": ORDERS[scheme]}

    def refinement(self, problem: MechanicalProblem, scheme: str) -> list[dict[str, Any]]:
        """Return the settings of the refinement levels: by the tolerances of DOPRI5, else by the step."""
        return [dict(level) for level in TOLERANCES] if scheme == ADAPTIVE else super().refinement(problem, scheme)

    def stepped(self, problem: MechanicalProblem, controls: ExudynControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid; raises `SolverFailure`, too, if a sensor misses an output."""
        damped, on_stop = " that never pulls: the damper of a limit stop does", ": the bristle knows a constant force"
        refuse_beyond_lines(problem, "connectors", damped=damped, on_stop=on_stop)
        with _quiet():
            model = build(problem, controls, float(steps.lengths.max()))
            tables = [part for run in _runs(steps, controls) for part in _advance(model, controls, steps, run)]
        return _response(problem, model, steps, np.concatenate(tables))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Exudyn from writing to the console."""
    config = exu.config
    before = config.printToConsole, config.suppressWarnings
    config.printToConsole, config.suppressWarnings = False, True
    try:
        yield
    finally:
        config.printToConsole, config.suppressWarnings = before


def build(problem: MechanicalProblem, controls: ExudynControls, step: float) -> Model:
    """Return the assembled system of a problem, for steps (s) of at most this length.

    Raises `NotImplementedError` if a stop or friction joins more than two coordinates.
    """
    container = exu.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(
        NodeGenericODE2(
            referenceCoordinates=[0.0] * problem.size,
            initialCoordinates=problem.initial_displacement.tolist(),
            initialCoordinates_t=problem.initial_velocity.tolist(),
            numberOfODE2Coordinates=problem.size,
        )
    )
    matrices = {"massMatrix": problem.mass, "stiffnessMatrix": problem.stiffness, "dampingMatrix": problem.damping}
    system.AddObject(ObjectGenericODE2(nodeNumbers=[node], **matrices))
    markers = [system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=i)) for i in range(problem.size)]
    _add_loads(system, markers, problem)
    kinds = exu.OutputVariableType
    displacement = _sensor(system, SensorNode, kinds.Coordinates, nodeNumber=node)
    velocity = _sensor(system, SensorNode, kinds.Coordinates_t, nodeNumber=node)
    ground = system.AddNode(NodePointGround())
    markers.append(system.AddMarker(MarkerNodeCoordinate(nodeNumber=ground, coordinate=0)))
    connectors = {stop.name: _add_stop(system, markers, problem, stop) for stop in problem.stops}
    for friction in problem.frictions:
        connectors[friction.name] = _add_friction(system, markers, problem, friction, controls, step)
    system.Assemble()
    return Model(container, system, displacement, velocity, connectors)


def _add_loads(system: Any, markers: list[Any], problem: MechanicalProblem) -> None:
    directions = _directions(problem)
    force = _nodal_forces(problem, directions)
    for i in np.flatnonzero(directions.any(axis=1)):
        system.AddLoad(LoadCoordinate(markerNumber=markers[i], loadUserFunction=_component(force, int(i))))


def _directions(problem: MechanicalProblem) -> Floats:
    """Nodal forces (n, channels) per unit of every load and every support acceleration; see `Forcing`."""
    columns = [load.direction for load in problem.loads] + [-problem.mass @ s.influence for s in problem.supports]
    return np.array(columns).reshape(-1, problem.size).T


def _nodal_forces(problem: MechanicalProblem, directions: Floats) -> Callable[[float], list[float]]:
    parts = segments(problem)
    starts = [part.start for part in parts]

    @lru_cache(maxsize=1)  # every coordinate asks for the same instant
    def force(t: float) -> list[float]:
        part = parts[max(bisect_right(starts, t) - 1, 0)]
        nodal: list[float] = (directions @ part.value(t)).tolist()
        return nodal

    return force


def _component(force: Callable[[float], list[float]], i: int) -> Callable[[Any, float, float], float]:
    return lambda _system, t, _load: force(t)[i]


def _sensor(system: Any, kind: Any, variable: Any, **place: Any) -> Any:
    return system.AddSensor(kind(**place, outputVariableType=variable, storeInternal=True, writeToFile=False))


def _add_stop(system: Any, markers: list[Any], problem: MechanicalProblem, stop: Stop) -> Connector:
    upper, lower = stop.gap - stop.offset, -UNBOUNDED
    if stop.geometry == "parallel planes":
        lower = -stop.gap - stop.offset
        if stop.gap < 0:
            raise NotImplementedError(f"stop {stop.name!r}: parallel planes that overlap")
    y = float(stop.normal @ problem.initial_displacement)
    beyond = max(y - upper, 0.0) + min(y - lower, 0.0)
    limits = {"limitStopsUpper": upper, "limitStopsLower": lower, "limitStopsStiffness": stop.stiffness}
    return _connect(system, markers, stop.name, stop.normal, [0.0, 0.0, beyond], useLimitStops=True, **limits)


def _add_friction(
    system: Any,
    markers: list[Any],
    problem: MechanicalProblem,
    friction: Friction,
    controls: ExudynControls,
    step: float,
) -> Connector:
    (tangent,) = friction.tangents
    normal = float(friction.normal)
    kinetic = friction.kinetic * normal
    stiffness, damping = friction.stiffness, friction.damping
    if friction.law == "set-valued":
        stiffness, damping = bristle(problem, tangent, controls, step)
    # Exudyn takes a mode of zero for stick, and a sliding velocity at the start would then load the damper
    mode = float(np.sign(tangent @ problem.initial_velocity)) * kinetic
    return _connect(
        system,
        markers,
        friction.name,
        tangent,
        [mode, float(tangent @ problem.initial_displacement), 0.0],
        dynamicFrictionForce=kinetic,
        staticFrictionOffsetForce=friction.static * normal - kinetic,
        exponentialDecayStatic=controls.decay_velocity,
        stickingStiffness=stiffness,
        stickingDamping=damping,
    )


def bristle(problem: MechanicalProblem, tangent: Floats, controls: ExudynControls, step: float) -> tuple[float, float]:
    """Return stiffness (N/m) and damping (N s/m) of a bristle whose period takes the wanted number of steps (s)."""
    stiffness = stick_stiffness(problem, tangent, controls.stick_steps * step)
    return stiffness, 2 * controls.stick_damping * sqrt(stiffness * moved_mass(problem, tangent))


def _connect(
    system: Any, markers: list[Any], name: str, direction: Floats, state: list[float], **law: Any
) -> Connector:
    """Add a connector on the coordinate ``direction · x`` with its initial data."""
    places = np.flatnonzero(direction)
    if places.size not in (1, 2):
        raise NotImplementedError(f"{name!r} acts on {places.size} coordinates; a connector joins one or two")
    first, last = (-1, places[0]) if places.size == 1 else places
    data = system.AddNode(NodeGenericData(numberOfDataCoordinates=3, initialCoordinates=state))
    connector = system.AddObject(
        CoordinateSpringDamperExt(
            markerNumbers=[markers[first], markers[last]],
            nodeNumber=data,
            factor0=1.0 if first < 0 else -float(direction[first]),
            factor1=float(direction[last]),
            **law,
        )
    )
    kinds = exu.OutputVariableType
    return Connector(
        _sensor(system, SensorObject, kinds.Force, objectNumber=connector),
        _sensor(system, SensorNode, kinds.Coordinates, nodeNumber=data),
    )


def _runs(steps: Grid, controls: ExudynControls) -> list[NDArray[np.int64]]:
    """Group the outputs that are reached by equal steps; with its own control of the step each stands alone."""
    moving = np.flatnonzero(steps.counts)
    intervals = (steps.lengths * steps.counts)[moving]
    changes = ~np.isclose(intervals[1:], intervals[:-1], rtol=SLACK, atol=0.0)
    return np.split(moving, np.flatnonzero(changes | (controls.scheme == ADAPTIVE)) + 1)


def _advance(model: Model, controls: ExudynControls, steps: Grid, run: NDArray[np.int64]) -> list[Floats]:
    """Integrate over a run of outputs; returns the rows of all sensors, those of the start too if it is an output."""
    begin = float(steps.begins[run[0]])
    settings = _settings(controls, begin, float(steps.times[run[-1]]), int(steps.counts[run].sum()), run.size)
    try:
        done = model.system.SolveDynamic(settings, updateInitialValues=True)
    except exu.ExudynError as error:
        raise SolverFailure(f"Exudyn ({controls.scheme}) gave up after t = {begin:.9g} s: {error}") from error
    if not done:
        raise SolverFailure(f"Exudyn ({controls.scheme}) gave up after t = {begin:.9g} s")
    rows = [np.asarray(model.system.GetSensorStoredData(sensor)) for sensor in model.sensors]
    table = np.hstack([rows[0][:, :1], *(part[:, 1:] for part in rows)])
    _check(controls, steps, run, table)
    at_start = run[0] == 1 and steps.counts[0] == 0
    return [table if at_start else table[1:]]


def _check(controls: ExudynControls, steps: Grid, run: NDArray[np.int64], table: Floats) -> None:
    times, written = steps.times[run], table[1:, 0]
    slack = SLACK * float((steps.lengths * steps.counts)[run].max())
    if written.size != times.size or np.abs(written - times).max() > slack:
        raise SolverFailure(f"the sensors of Exudyn ({controls.scheme}) missed instants in ({times[0]}, {times[-1]}) s")


def _settings(controls: ExudynControls, begin: float, end: float, steps: int, outputs: int) -> Any:
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.solution.solverInformationFileName = ""
    settings.solution.sensors.writePeriod = (end - begin) / outputs
    run = settings.timeIntegration
    run.startTime, run.endTime, run.numberOfSteps = begin, end, steps
    run.solverType = getattr(exu.DynamicSolverType, controls.scheme)
    run.automaticStepSize = run.adaptiveStep = controls.scheme == ADAPTIVE
    run.relativeTolerance, run.absoluteTolerance = controls.rtol, controls.atol
    run.generalizedAlpha.spectralRadius = controls.spectral_radius
    run.verboseMode = 0
    return settings


def _response(problem: MechanicalProblem, model: Model, steps: Grid, table: Floats) -> Response:
    n = problem.size
    names = list(model.connectors)
    forces = {name: table[:, 1 + 2 * n + 4 * i] for i, name in enumerate(names)}
    modes = {name: table[:, 2 + 2 * n + 4 * i] for i, name in enumerate(names)}
    elements = {stop.name: {"normal_force": np.abs(forces[stop.name])} for stop in problem.stops}
    for friction in problem.frictions:
        elements[friction.name] = {
            "force": -forces[friction.name],
            "stuck": (modes[friction.name] == 0).astype(float),
            "normal_force": np.full(steps.times.size, float(friction.normal)),
        }
    return Response(steps.times, table[:, 1 : 1 + n], table[:, 1 + n : 1 + 2 * n], elements, steps.counters)


SOLVER = Exudyn()
