"""PyBullet builds the scene of a problem: boxes and spheres in rigid contact, with Bullet's friction and restitution.

* **Bodies**: free ones, kept from turning by moments of inertia that no contact moves. What is not pressed on anything
  is carried by a force.
* **Friction, restitution**: Bullet multiplies the coefficients of the two bodies of a contact.
* **Springs**: forces of the beginning of a step, applied to the centre, as scripts for PyBullet do.

Source: PyBullet Quickstart Guide (``changeDynamics``, ``setPhysicsEngineParameter``, ``getContactPoints``).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from veridyn.problem.mechanical import Floats
from veridyn.problem.scene import AXES, Body, Contact, Scene
from veridyn.solver.adapters.as_scene import BOUNCING, RUBBING
from veridyn.solver.adapters.pybullet_adapter import KINDS, WORLD_FRAME, Client, PybulletControls
from veridyn.solver.adapters.scenes import SceneSolver
from veridyn.solver.adapters.stepping import Grid
from veridyn.solver.contract.controls import number

UNTURNED = 1e6  # moment of inertia over mass and the square of the size


@dataclass(frozen=True)
class PybulletSceneControls(PybulletControls):
    """Steps, Bullet's solver of constraints, and the speed below which nothing bounces."""

    restitution_threshold: float = number(0.2, "speed (m/s) below which Bullet lets nothing bounce")


class PybulletWorld(Client):
    """A scene in Bullet; raises `NotImplementedError` for two coefficients of friction in a contact."""

    sticks = True

    def __init__(self, scene: Scene, controls: PybulletSceneControls) -> None:
        super().__init__(controls)
        self.scene, self.coefficients = scene, _coefficients(scene)
        self.call("setGravity", *scene.gravity)
        self.call("setPhysicsEngineParameter", restitutionVelocityThreshold=controls.restitution_threshold)
        self.ids = {body.name: self._body(body) for body in scene.bodies}
        for contact in scene.contacts:
            self.call("setCollisionFilterPair", *(self.ids[name] for name in contact.bodies), -1, -1, 1)
        known = {body.name: body for body in scene.bodies}
        self.places = [(self.ids[name], AXES.index(axis)) for name, axis in scene.coordinates.values()]
        self.zero = np.array([known[name].position[AXES.index(axis)] for name, axis in scene.coordinates.values()])
        self.planes = {body.name for body in scene.bodies if body.shape == "plane"}
        self.weightless = [body for body in scene.bodies if body.moves and "z" not in body.moves]

    def _body(self, body: Body) -> Any:
        sizes: dict[str, Any] = {"radius": sum(body.size) / 2} if body.shape == "sphere" else {}
        if body.shape == "box":
            sizes = {"halfExtents": [edge / 2 for edge in body.size]}
        shape = self.call("createCollisionShape", KINDS[body.shape], **sizes)
        place = np.add(body.position, body.displacement).tolist()
        made = self.call("createMultiBody", body.mass, shape, basePosition=place)
        friction, restitution = self.coefficients.get(body.name, (0.0, 0.0))
        still = {"linearDamping": 0, "angularDamping": 0, "rollingFriction": 0, "spinningFriction": 0}
        self.call("changeDynamics", made, -1, **still, lateralFriction=friction, restitution=restitution)
        self.call("setCollisionFilterGroupMask", made, -1, 0, 0)
        if body.moves:
            inertia = UNTURNED * body.mass * max(body.size) ** 2
            self.call("changeDynamics", made, -1, localInertiaDiagonal=[inertia] * 3)
            self.call("resetBaseVelocity", made, body.velocity)
        return made

    def advance(self, length: float, pulls: Floats) -> None:
        """Take a step (s) under each row of forces (steps, n) along the coordinates (N)."""
        self.call("setTimeStep", length)
        for pull in pulls:
            x, v = self.state()
            for (body, axis), force in zip(self.places, pull + self.scene.springs(x, v), strict=True):
                if force:
                    self._push(body, axis, float(force))
            for carried in self.weightless:
                self._push(self.ids[carried.name], 2, -carried.mass * self.scene.gravity[2])
            self.call("stepSimulation")

    def _push(self, body: Any, axis: int, force: float) -> None:
        at, _ = self.call("getBasePositionAndOrientation", body)
        self.call("applyExternalForce", body, -1, [force * (i == axis) for i in range(3)], at, WORLD_FRAME)

    def state(self) -> tuple[Floats, Floats]:
        """Return places (n,) in m and velocities (n,) in m/s along the coordinates."""
        x = [self.call("getBasePositionAndOrientation", body)[0][axis] for body, axis in self.places]
        v = [self.call("getBaseVelocity", body)[0][axis] for body, axis in self.places]
        return np.array(x) - self.zero, np.array(v)

    def touch(self, contact: Contact) -> Floats:
        """Return the force (3,) on the upper body of a contact in the last step (N)."""
        lower, upper = (self.ids[name] for name in contact.bodies)
        # the normal is turned to the order of the two bodies, the directions of friction are not
        sense = 1.0 if contact.bodies[0] in self.planes else -1.0
        result = np.zeros(3)
        for p in self.call("getContactPoints", upper, lower):
            result += np.multiply(p[9], p[7]) + sense * (np.multiply(p[10], p[11]) + np.multiply(p[12], p[13]))
        return result


def _coefficients(scene: Scene) -> dict[str, tuple[float, float]]:
    """Return friction and restitution of each body, whose products are those of the contacts."""
    fixed = {body.name for body in scene.bodies if not body.moves}
    result = dict.fromkeys(fixed, (1.0, 1.0))
    for contact in sorted(scene.contacts, key=lambda contact: contact.bodies[0] not in fixed):
        (lower, upper), coefficient = contact.bodies, contact.coefficient("Bullet")
        if coefficient and not result[lower][0]:
            raise NotImplementedError(f"the contact {contact.name} rubs on a body that does not rub: Bullet multiplies")
        result[upper] = (coefficient / result[lower][0] if coefficient else 0.0, contact.restitution)
    return result


class PybulletScene(SceneSolver):
    """PyBullet under test by what it builds; its documentation promises no order, so that nothing is claimed."""

    name = "pybullet_scene"
    distribution = "pybullet"
    controls = PybulletSceneControls
    capabilities = RUBBING | BOUNCING
    schemes = ("semi-implicit",)

    def world(self, scene: Scene, controls: PybulletSceneControls, _: Grid) -> AbstractContextManager[PybulletWorld]:
        """Return the world of a scene."""
        return closing(PybulletWorld(scene, controls))


SOLVER = PybulletScene()
