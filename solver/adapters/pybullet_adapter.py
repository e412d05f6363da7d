"""PyBullet: links on prismatic joints of one multibody, joint motors as friction, soft contact with planes as stops.

Bullet has one integrator, semi-implicit Euler, and solves contacts and motors as constraints on velocities.

* **Mass**: a link on a prismatic joint for every coordinate; Bullet's own damping and limit of velocity are off.
* **Stiffness, damping, loads, support motion**: Bullet has no springs. Their forces are those of the beginning of a
  step, given to the joints as torques, as scripts for PyBullet do.
* **Stops**: a sphere on the link meets a plane with ``contactStiffness`` and ``contactDamping``. Both bodies of a
  contact count: stiffnesses act in series and dampings add up, so that the sphere is rigid and has no damping.
* **Set-valued friction**: a joint motor of velocity zero whose largest force is mu N, told anew after every change of
  the step, since Bullet keeps its product with the step of the call.

Source: PyBullet Quickstart Guide (``changeDynamics``, ``setJointMotorControl2``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import (
    LINES,
    Grid,
    OutputHistories,
    StepControls,
    Stepper,
    coordinate_of,
    refuse_beyond_lines,
)
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.responses import Response


@contextmanager
def _quiet() -> Iterator[None]:
    """Send what C++ prints to nowhere: PyBullet prints its date when it is loaded."""
    sys.stderr.flush()
    kept = os.dup(2)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


with _quiet():
    import pybullet

KINDS = {"box": pybullet.GEOM_BOX, "sphere": pybullet.GEOM_SPHERE, "plane": pybullet.GEOM_PLANE}
WORLD_FRAME = pybullet.WORLD_FRAME

CAPABILITIES = (LINES - {"friction:regularised"}) | {"damping:coupled", "contact:damped"}

AXIS, APART = (1.0, 0.0, 0.0), 10.0  # of the joints; m between the lines of two coordinates
RIGID = 1e18  # N/m: what Bullet takes for a contact without stiffness
UNBOUNDED = 1e300  # m/s
AT_LIMIT = 1.0 - 1e-9  # of mu N: from here on friction slips


@dataclass(frozen=True)
class PybulletControls(StepControls):
    """Steps, and Bullet's solver of constraints."""

    iterations: int = number(200, "iterations of the constraint solver")
    residual: float = number(1e-20, "residual at which it stops")


def refuse(problem: MechanicalProblem) -> None:
    """Raise `NotImplementedError` for what links on parallel joints do not express."""
    on_stop = ": a joint motor has a constant largest force"
    refuse_beyond_lines(problem, "joints", CAPABILITIES, on_stop=on_stop, mass="", static="; a joint motor has one")
    for stop in problem.stops:
        coordinate_of(stop.name, stop.normal)
    if len({coordinate_of(f.name, f.tangents[0]) for f in problem.frictions}) < len(problem.frictions):
        raise NotImplementedError("two frictions on one coordinate; a joint has one motor")


class Client:
    """A world of Bullet of its own; to be closed."""

    def __init__(self, controls: PybulletControls) -> None:
        self.client = pybullet.connect(pybullet.DIRECT)
        self.call(
            "setPhysicsEngineParameter",
            numSolverIterations=controls.iterations,
            solverResidualThreshold=controls.residual,
            contactSlop=0,
        )

    def call(self, name: str, *arguments: Any, **named: Any) -> Any:
        """Call a function of PyBullet in this world."""
        return getattr(pybullet, name)(*arguments, **named, physicsClientId=self.client)

    def close(self) -> None:
        """Leave the world."""
        pybullet.disconnect(self.client)


class PybulletJoints(Client):
    """A problem on joints."""

    def __init__(self, problem: MechanicalProblem, controls: PybulletControls) -> None:
        super().__init__(controls)
        self.problem = problem
        self.joints = list(range(problem.size))
        self.call("setGravity", 0, 0, 0)
        self.body = self._links()
        self.planes = {stop.name: self._stop(stop) for stop in problem.stops}

    def _links(self) -> Any:
        problem, n = self.problem, self.problem.size
        shape, rest, here = self.call("createCollisionShape", pybullet.GEOM_SPHERE, radius=1.0), (0, 0, 0), (0, 0, 0, 1)
        body = self.call(
            "createMultiBody",
            baseMass=0,
            linkMasses=np.diag(np.asarray(problem.mass)).tolist(),
            linkCollisionShapeIndices=[shape] * n,
            linkVisualShapeIndices=[-1] * n,
            linkPositions=[(0, APART * i, 0) for i in self.joints],
            linkOrientations=[here] * n,
            linkInertialFramePositions=[rest] * n,
            linkInertialFrameOrientations=[here] * n,
            linkParentIndices=[0] * n,
            linkJointTypes=[pybullet.JOINT_PRISMATIC] * n,
            linkJointAxis=[AXIS] * n,
        )
        for i, (x, v) in enumerate(zip(problem.initial_displacement, problem.initial_velocity, strict=True)):
            self._motor(body, i, 0.0)  # the motor that every joint has of itself
            # by itself: with another setting in the same call Bullet leaves out the stiffness and damping of contacts
            self.call("changeDynamics", body, i, maxJointVelocity=UNBOUNDED)
            self._dynamics(body, i, jointDamping=0)
            self.call("setCollisionFilterGroupMask", body, i, 0, 0)
            self.call("resetJointState", body, i, x, v)
        return body

    def _dynamics(self, body: Any, link: int, **more: Any) -> None:
        still = {"linearDamping": 0, "angularDamping": 0, "lateralFriction": 0, "restitution": 0}
        self.call("changeDynamics", body, link, **still, **{"contactStiffness": RIGID, "contactDamping": 0.0, **more})

    def _motor(self, body: Any, joint: int, force: float) -> None:
        self.call("setJointMotorControl2", body, joint, pybullet.VELOCITY_CONTROL, targetVelocity=0, force=force)

    def _stop(self, stop: Stop) -> list[Any]:
        i, factor = coordinate_of(stop.name, stop.normal), float(stop.normal.sum())
        return [self._plane(i, (side * stop.gap - stop.offset) / factor, side * factor, stop) for side in stop.sides]

    def _plane(self, joint: int, bound: float, factor: float, stop: Stop) -> Any:
        """Return a plane at a bound of the coordinate; the sphere of the joint alone meets it."""
        side = float(np.sign(factor))
        shape = self.call("createCollisionShape", pybullet.GEOM_PLANE, planeNormal=(-side, 0, 0))
        plane = self.call("createMultiBody", 0, shape, basePosition=(bound + side, 0, 0))
        law = {"contactStiffness": factor**2 * stop.stiffness, "contactDamping": factor**2 * stop.damping}
        self._dynamics(plane, -1, **law)
        self.call("setCollisionFilterGroupMask", plane, -1, 0, 0)
        self.call("setCollisionFilterPair", self.body, plane, joint, -1, 1)
        return plane

    def state(self) -> tuple[Floats, Floats, Floats]:
        """Return displacement, velocity and forces of the motors (n,)."""
        rows = self.call("getJointStates", self.body, self.joints)
        return np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), np.array([r[3] for r in rows])

    def advance(self, length: float, loads: Floats) -> None:
        """Take a step for each row of the loads (steps, n)."""
        stiffness, damping = np.asarray(self.problem.stiffness), np.asarray(self.problem.damping)
        self.call("setTimeStep", length)
        for friction in self.problem.frictions:  # Bullet keeps the product of force and step
            self._motor(self.body, coordinate_of(friction.name, friction.tangents[0]), _limit(friction))
        for load in loads:
            x, v, _ = self.state()
            forces = load - stiffness @ x - damping @ v
            self.call(
                "setJointMotorControlArray", self.body, self.joints, pybullet.TORQUE_CONTROL, forces=forces.tolist()
            )
            self.call("stepSimulation")

    def push(self, stop: Stop) -> float:
        """Return the force of a stop (N) in the last step."""
        contacts = [c for plane in self.planes[stop.name] for c in self.call("getContactPoints", self.body, plane)]
        return float(sum(c[9] for c in contacts)) / abs(float(stop.normal.sum()))


def _limit(friction: Friction) -> float:
    return abs(float(friction.tangents[0].sum())) * friction.kinetic * float(friction.normal)


def _march(world: PybulletJoints, steps: Grid, record: OutputHistories) -> None:
    problem = world.problem
    for k, length, loads in steps.loads(problem):
        world.advance(length, loads)
        record.displacement[k], record.velocity[k], motors = world.state()
        for stop in problem.stops:
            record.forces[stop.name][k] = world.push(stop)
        for friction in problem.frictions:
            direction = friction.tangents[0]
            record.forces[friction.name][k] = motors @ direction / (direction @ direction)


def _elements(record: OutputHistories) -> dict[str, dict[str, Floats]]:
    histories = record.stop_histories()
    for friction in record.problem.frictions:
        force, limit = record.forces[friction.name], friction.kinetic * float(friction.normal)
        sliding = record.velocity @ friction.tangents[0]
        stuck = (np.abs(force) < AT_LIMIT * limit).astype(float)
        histories[friction.name] = {"force": force, "sliding_velocity": sliding, "stuck": stuck}
    return histories


class Pybullet(Stepper):
    """PyBullet under test; its documentation promises no order, so that nothing is claimed."""

    name = "pybullet"
    controls = PybulletControls
    capabilities = CAPABILITIES
    schemes = ("semi-implicit",)

    def stepped(self, problem: MechanicalProblem, controls: PybulletControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid; see `refuse`."""
        refuse(problem)
        record = OutputHistories(problem, steps.times.size)
        with closing(PybulletJoints(problem, controls)) as world:
            _march(world, steps, record)
        return Response(steps.times, record.displacement, record.velocity, _elements(record), steps.counters)


SOLVER = Pybullet()
