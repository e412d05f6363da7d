"""MuJoCo: bodies on slide joints, fixed tendons for whatever couples them, soft constraints for stops and friction.

Every scheme is an integrator of MuJoCo. Gravity is off: the coordinates are relative displacements.

* **Mass**: a body for every coordinate. A mass matrix that is not diagonal is made so by a change of coordinates.
* **Stiffness, damping**: of the joints where the matrix is diagonal, else of fixed tendons, one for each eigenvector.
* **Loads, support motion**: applied forces, evaluated by MuJoCo's control callback wherever it evaluates forces.
* **Stops**: the limit of a fixed tendon. MuJoCo's limit is soft, with the force ``f = -m (k_r r + b_r r') - d m a``
  where r is the gap, m the effective mass, a its acceleration (opening) under the other forces and d the impedance.
  So ``solref`` is stiffness and damping *per effective mass*, here ``-k/m`` and ``-c/m`` (the direct format), and the
  impedance is constant and as small as MuJoCo allows, so that d m a vanishes against the spring. It never vanishes
  altogether: a part d of the other forces is lost while the stop is closed.
* **Set-valued friction**: friction loss of a fixed tendon, mu N. It is soft as well: stick is an exponential decay of
  the sliding velocity. Here that decay removes the velocity in one step (``solref`` in the direct format, ``-1/step``),
  the impedance is the largest, and noslip iterations take away the creep that remains under a lasting load.
* **Regularised friction**: an elastic-plastic tendon (``springyield``), without damper. RK4 returns to the yield limit
  only at the end of a step and the scheme ``discrete`` resists yielding with k h v. Both creep instead of sliding,
  without a warning (a unit mass under twice the yield force of 1 N at k = 1e4 N/m covers 0.16 m and 0.09 m in a
  second instead of 0.5 m, with steps of 1e-3 s), so that these two do not offer it.

Source: MuJoCo documentation, chapters Computation (constraint model) and Modeling (solver parameters, friction).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import (
    LINES,
    Grid,
    OutputHistories,
    StepControls,
    Stepper,
    is_diagonal,
    nodal_forces,
    refuse_beyond_lines,
)
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response

Links = list[tuple[float, Floats]]

INTEGRATORS = {
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
}
YIELDING = ("Euler", "implicitfast")
CAPABILITIES = LINES | {"damping:coupled", "contact:damped"}

FAR = 1e10  # m; a limit that is never reached
NULL = 1e-12  # of the largest eigenvalue: no spring
TOLERANCE = 1e-15  # of MuJoCo's constraint solver; its default of 1e-8 would be the largest error

LIMIT = mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON
LOSS = mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON
STICKING = mujoco.mjtConstraintState.mjCNSTRSTATE_QUADRATIC


@dataclass(frozen=True)
class MujocoControls(StepControls):
    """Settings of MuJoCo."""

    stop_impedance: float = number(
        1e-4, "impedance of stops, the part of the other forces that a closed stop takes away"
    )
    friction_impedance: float = number(0.9999, "impedance of friction; what is missing to 1 creeps")
    noslip_iterations: int = number(3, "noslip iterations per step, which take the creep of friction away")


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Coordinates q of MuJoCo with ``x = shapes q``, in which the mass matrix is diagonal: ``masses`` (n,) in kg."""

    masses: Floats
    shapes: Floats

    @classmethod
    def from_mass(cls, mass: Floats) -> Coordinates:
        """Return x itself for a diagonal mass matrix, else coordinates of unit mass."""
        n = len(mass)
        if is_diagonal(mass):
            return cls(np.diag(mass).copy(), np.eye(n))
        return cls(np.ones(n), np.linalg.inv(np.linalg.cholesky(mass)).T)


def refuse(problem: MechanicalProblem, scheme: str) -> None:
    """Raise `NotImplementedError` for what MuJoCo, or a scheme of it, does not express."""
    on_stop = ": friction loss does not depend on the load"
    refuse_beyond_lines(problem, "limits of tendons", CAPABILITIES, on_stop=on_stop, static="; MuJoCo has one")
    for stop in problem.stops:
        if stop.geometry == "parallel planes" and stop.gap <= 0:
            raise NotImplementedError(f"stop {stop.name!r}: parallel planes without a gap between them")
    for friction in problem.frictions:
        owner = f"friction {friction.name!r} is regularised"
        if friction.law == "regularised" and friction.damping:
            raise NotImplementedError(f"{owner} with a damper; an elastic-plastic tendon has none in stick alone")
        if friction.law == "regularised" and scheme not in YIELDING:
            raise NotImplementedError(f"{owner}; {scheme} does not return to the yield limit within a step")


def _links(name: str, matrix: Floats) -> Links:
    """Return a matrix as springs or dampers: (value, direction); the axes themselves where it is diagonal."""
    n = len(matrix)
    values, vectors = (np.diag(matrix), np.eye(n)) if is_diagonal(matrix) else np.linalg.eigh(matrix)
    least = NULL * np.abs(values).max()
    if values.min() < -least:
        raise NotImplementedError(f"a {name} matrix with a negative eigenvalue, {values.min():.3g}")
    return [(float(value), direction) for value, direction in zip(values, vectors.T, strict=True) if value > least]


class MujocoModel:
    """The model of a problem in MuJoCo; ``step`` (s) is the largest one.

    Raises `NotImplementedError` if a stiffness or damping is negative; `SolverFailure` if MuJoCo does not compile the
    model.
    """

    def __init__(self, problem: MechanicalProblem, controls: MujocoControls, step: float) -> None:
        self.problem = problem
        self.mass = np.asarray(problem.mass)
        self.coordinates = Coordinates.from_mass(self.mass)
        self.spec = mujoco.MjSpec()
        self._set_options(controls)
        self.joints = [self._joint(i, mass) for i, mass in enumerate(self.coordinates.masses)]
        for name in ("stiffness", "damping"):
            self._couple(name, getattr(problem, name))
        for stop in problem.stops:
            self._stop(stop, controls.stop_impedance)
        for friction in problem.frictions:
            self._friction(friction, controls.friction_impedance, step)
        try:
            self.model = self.spec.compile()
        except ValueError as error:
            raise SolverFailure(f"{problem.name}: MuJoCo does not compile the model: {error}") from None

    def _set_options(self, controls: MujocoControls) -> None:
        option = self.spec.option
        option.gravity = [0.0, 0.0, 0.0]
        option.integrator = INTEGRATORS[controls.scheme]
        option.tolerance = TOLERANCE
        option.noslip_iterations = controls.noslip_iterations
        option.noslip_tolerance = 0.0
        disable = mujoco.mjtDisableBit
        # a diverging simulation would start afresh and a stiff limit would be softened, both in silence
        option.disableflags = int(disable.mjDSBL_AUTORESET) | int(disable.mjDSBL_REFSAFE)

    def _joint(self, i: int, mass: float) -> Any:
        body = self.spec.worldbody.add_body(mass=mass, inertia=[mass, mass, mass], explicitinertial=True)
        return body.add_joint(name=f"q{i}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1.0, 0.0, 0.0])

    def _tendon(self, name: str, direction: Floats, **attributes: Any) -> Any:
        """Add a tendon whose length is ``direction`` (in q) times q."""
        tendon = self.spec.add_tendon(name=name, **attributes)
        for i, part in enumerate(direction):
            if part:
                tendon.wrap_joint(f"q{i}", float(part))
        return tendon

    def _couple(self, name: str, matrix: Floats) -> None:
        shapes = self.coordinates.shapes
        for k, (value, direction) in enumerate(_links(name, shapes.T @ matrix @ shapes)):
            single = np.flatnonzero(direction)
            if single.size == 1:
                setattr(self.joints[single[0]], name, [value, 0.0, 0.0])
            else:
                self._tendon(f"{name} {k}", direction, **{name: [value, 0.0, 0.0]})

    def _stop(self, stop: Stop, impedance: float) -> None:
        mass = 1 / (stop.normal @ np.linalg.solve(self.mass, stop.normal))
        lower = -stop.gap if stop.geometry == "parallel planes" else -FAR
        self._tendon(
            stop.name,
            stop.normal @ self.coordinates.shapes,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            range=[lower - stop.offset, stop.gap - stop.offset],
            solref_limit=[-stop.stiffness / mass, -stop.damping / mass],
            solimp_limit=_flat(impedance),
        )

    def _friction(self, friction: Friction, impedance: float, step: float) -> None:
        limit = friction.kinetic * float(friction.normal)
        direction = friction.tangents[0] @ self.coordinates.shapes
        if friction.law == "regularised":
            stiffness = friction.stiffness
            self._tendon(friction.name, direction, stiffness=[stiffness, 0.0, 0.0], springyield=limit / stiffness)
        else:
            loss = {"frictionloss": limit, "solref_friction": [-1.0, -1 / step], "solimp_friction": _flat(impedance)}
            self._tendon(friction.name, direction, **loss)

    def start(self) -> Any:
        """Return MuJoCo's data at the initial state."""
        data = mujoco.MjData(self.model)
        data.qpos[:] = np.linalg.solve(self.coordinates.shapes, self.problem.initial_displacement)
        data.qvel[:] = np.linalg.solve(self.coordinates.shapes, self.problem.initial_velocity)
        return data


def _flat(impedance: float) -> list[float]:
    return [impedance, impedance, 1.0, 0.5, 1.0]


class StepForces:
    """Applied forces at the beginning, the middle and the end of every step: all that MuJoCo's integrators ask for."""

    def __init__(self, problem: MechanicalProblem, steps: Grid, shapes: Floats) -> None:
        intervals = zip(steps.begins, steps.lengths, steps.counts, strict=True)
        halves = [t + 0.5 * h * np.arange(2 * c + 1) for t, h, c in intervals]
        self.first = np.cumsum([0] + [len(part) for part in halves])
        times = np.concatenate(halves)
        self.forces = nodal_forces(problem, times) @ shapes
        self.half = 0.0
        self.row = 0

    def enter(self, interval: int, step: float) -> None:
        """Begin an interval of the grid: MuJoCo's time counts from here."""
        self.row, self.half = int(self.first[interval]), 0.5 * step

    def __call__(self, _: Any, data: Any) -> None:
        data.qfrc_applied[:] = self.forces[self.row + (round(data.time / self.half) if self.half else 0)]


@contextmanager
def _callbacks(drive: StepForces | None) -> Iterator[list[str]]:
    """Install the drive, and collect MuJoCo's warnings, which would go to a file; both are global in MuJoCo."""
    warnings: list[str] = []
    mujoco.set_mjcb_control(drive)
    mujoco.set_mju_user_warning(warnings.append)
    try:
        yield warnings
    finally:
        mujoco.set_mjcb_control(None)
        mujoco.set_mju_user_warning(None)


class MujocoHistories(OutputHistories):
    """Motion and element forces at the outputs."""

    def __init__(self, assembly: MujocoModel, outputs: int) -> None:
        super().__init__(assembly.problem, outputs)
        self.assembly = assembly
        self.ids = {name: int(assembly.model.tendon(name).id) for name in self.forces}
        self.stuck = {friction.name: np.zeros(outputs) for friction in self.problem.frictions}

    def take(self, k: int, data: Any) -> None:
        """Write down the state of MuJoCo as output k."""
        shapes = self.assembly.coordinates.shapes
        self.displacement[k], self.velocity[k] = shapes @ data.qpos, shapes @ data.qvel
        if not self.ids:
            return
        mujoco.mj_forward(self.assembly.model, data)  # a step leaves the forces of its beginning
        for stop in self.problem.stops:
            self.forces[stop.name][k] = data.efc_force[self._rows(data, LIMIT, stop.name)].sum()
        for friction in self.problem.frictions:
            self._take_friction(k, data, friction)

    def _rows(self, data: Any, kind: Any, name: str) -> NDArray[np.intp]:
        return np.flatnonzero((data.efc_type == kind) & (data.efc_id == self.ids[name]))

    def _take_friction(self, k: int, data: Any, friction: Friction) -> None:
        name = friction.name
        if friction.law == "regularised":
            tendon = self.ids[name]
            rest = data.plastic[self.assembly.model.tendon_plasticadr[tendon]]
            self.forces[name][k] = -friction.stiffness * (data.ten_length[tendon] - rest)
            return
        rows = self._rows(data, LOSS, name)
        self.forces[name][k] = data.efc_force[rows].sum()
        self.stuck[name][k] = np.all(data.efc_state[rows] == STICKING)

    def elements(self) -> dict[str, dict[str, Floats]]:
        """Return the histories of the elements."""
        histories = self.stop_histories()
        for friction in self.problem.frictions:
            sliding = self.velocity @ friction.tangents[0]
            history = {"force": self.forces[friction.name], "sliding_velocity": sliding}
            stuck = {} if friction.law == "regularised" else {"stuck": self.stuck[friction.name]}
            histories[friction.name] = {**history, **stuck}
        return histories


class MujocoSolver(Stepper):
    """MuJoCo under test: every integrator is a scheme."""

    name = "mujoco"
    controls = MujocoControls
    capabilities = CAPABILITIES
    schemes = tuple(INTEGRATORS)
    # no claims: soft stops and soft friction are another physics, and that does not vanish with the step

    def stepped(self, problem: MechanicalProblem, controls: MujocoControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid; see `refuse`."""
        refuse(problem, controls.scheme)
        record = _run(MujocoModel(problem, controls, float(steps.lengths.max())), steps)
        return Response(steps.times, record.displacement, record.velocity, record.elements(), steps.counters)


def _run(assembly: MujocoModel, steps: Grid) -> MujocoHistories:
    problem, data = assembly.problem, assembly.start()
    driven = problem.loads or problem.supports  # a callback costs more than a step
    drive = StepForces(problem, steps, assembly.coordinates.shapes) if driven else None
    record = MujocoHistories(assembly, steps.times.size)
    with _callbacks(drive) as warnings:
        for k, (time, length, count) in enumerate(zip(steps.times, steps.lengths, steps.counts, strict=True)):
            if drive:
                drive.enter(k, length)
            data.time = 0.0
            if count:
                assembly.model.opt.timestep = length
                mujoco.mj_step(assembly.model, data, int(count))
            record.take(k, data)
            if warnings:
                raise SolverFailure(f"{problem.name}: MuJoCo warns before t = {time:.9g} s: {warnings[0]}")
    return record


SOLVER = MujocoSolver()
