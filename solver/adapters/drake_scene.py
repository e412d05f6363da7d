"""Drake builds the scene of a problem: boxes on prismatic joints in the compliant point contact of a discrete plant.

* **Bodies**: on prismatic joints along their axes, so that none turns; contacts as Drake ships them.
* **Friction**: Drake combines the coefficients of two bodies by ``2 a b/(a + b)``, so that either has that of the
  contact. A body that touches two others has a geometry for each.
* **Springs**: forces on the joints, those of the beginning of a step.

Source: Drake documentation, `MultibodyPlant` (contact modeling, contact parameters).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydrake.geometry import (
    AddContactMaterial,
    Box,
    CollisionFilterDeclaration,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, ContactModel, CoulombFriction
from pydrake.multibody.tree import FixedOffsetFrame, PrismaticJoint, SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from veridyn.problem.mechanical import Floats
from veridyn.problem.scene import AXES, Body, Contact, Scene
from veridyn.solver.adapters.drake_discrete import SCHEMES, one_step, quietly
from veridyn.solver.adapters.scenes import SceneSolver
from veridyn.solver.adapters.stepping import Grid, StepControls
from veridyn.solver.contract.controls import number


@dataclass(frozen=True)
class DrakeSceneControls(StepControls):
    """Steps, and Drake's creep."""

    stiction_tolerance: float = number(1e-3, "velocity (m/s) at which friction of lagged and similar is full")


class DrakeWorld:
    """A scene in Drake, with a fixed step (s); raises `NotImplementedError` for two coefficients in a contact."""

    sticks = False  # in stick it creeps, and in slip the friction of lagged and similar is a little less than full

    def __init__(self, scene: Scene, controls: DrakeSceneControls, step: float) -> None:
        self.scene, self.step, self.done = scene, step, 0
        builder = DiagramBuilder()
        self.plant, self.geometry = AddMultibodyPlantSceneGraph(builder, step)
        self.plant.set_discrete_contact_approximation(SCHEMES[controls.scheme])
        self.plant.set_contact_model(ContactModel.kPoint)
        self.plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        self.joints: dict[tuple[str, str], Any] = {}
        self.bodies = {body.name: self._body(body) for body in scene.bodies}
        self.pairs = {contact.name: self._contact(contact) for contact in scene.contacts}
        self._filter()
        self.plant.Finalize()
        self.plant.set_stiction_tolerance(controls.stiction_tolerance)
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self._start()
        self.places = [self.joints[at].velocity_start() for at in scene.coordinates.values()]

    def _body(self, body: Body) -> Any:
        """Return a body at the end of a chain of joints, all but the last of its links without mass."""
        place = RigidTransform(np.array(body.position))
        at = self.plant.AddFrame(FixedOffsetFrame(f"place of {body.name}", self.plant.world_frame(), place))
        link = self.plant.world_body()
        for k, axis in enumerate(body.moves):
            last = k + 1 == len(body.moves)
            inertia = SpatialInertia(body.mass, np.zeros(3), UnitInertia.SolidBox(*body.size)) if last else NO_INERTIA
            link = self.plant.AddRigidBody(body.name if last else f"{body.name} along {axis}", inertia)
            along = [float(axis == each) for each in AXES]
            joint = PrismaticJoint(f"{body.name} {axis}", at, link.body_frame(), along)
            self.joints[body.name, axis], at = self.plant.AddJoint(joint), link.body_frame()
        return link

    def _contact(self, contact: Contact) -> tuple[Any, Any]:
        """Return the geometries, lower and upper, of a contact."""
        coefficient, properties = contact.coefficient("a discrete plant"), ProximityProperties()
        AddContactMaterial(friction=CoulombFriction(coefficient, coefficient), properties=properties)
        known = {body.name: body for body in self.scene.bodies}
        lower, upper = (self._shape(known[name], f"{contact.name} of {name}", properties) for name in contact.bodies)
        return lower, upper

    def _shape(self, body: Body, name: str, properties: ProximityProperties) -> Any:
        shape, place = (
            (Box(*body.size), RigidTransform()) if body.moves else (HalfSpace(), RigidTransform(body.position))
        )
        return self.plant.RegisterCollisionGeometry(self.bodies[body.name], place, shape, name, properties)

    def _filter(self) -> None:
        """Let only the two sides of a contact touch."""
        everything = [side for pair in self.pairs.values() for side in pair]
        rules = CollisionFilterDeclaration()
        for pair in self.pairs.values():
            for side in pair:
                rules.ExcludeBetween(GeometrySet(side), GeometrySet([one for one in everything if one not in pair]))
        self.geometry.collision_filter_manager().Apply(rules)

    def _start(self) -> None:
        for body in self.scene.bodies:
            for axis in body.moves:
                joint, i = self.joints[body.name, axis], AXES.index(axis)
                joint.set_translation(self.context, body.displacement[i])
                joint.set_translation_rate(self.context, body.velocity[i])
        self.forces = np.zeros(self.plant.num_velocities())
        self._apply()
        self.simulator.Initialize()

    def _apply(self) -> None:
        self.plant.get_applied_generalized_force_input_port().FixValue(self.context, self.forces)

    def advance(self, length: float, pulls: Floats) -> None:  # noqa: ARG002 - the step is fixed
        """Take a step under each row of forces (steps, n) along the coordinates (N)."""
        driven = bool(self.scene.forces or self.scene.stiffness or self.scene.damping)
        for pull in pulls if driven else ():
            self.forces[self.places] = pull + self.scene.springs(*self.state())
            self._apply()
            self._go(1)
        if not driven and len(pulls):
            self._go(len(pulls))

    def _go(self, steps: int) -> None:
        self.done += steps  # to half a step before the next update: no rounding of the time decides which are done
        self.simulator.AdvanceTo((self.done - 0.5) * self.step)

    def state(self) -> tuple[Floats, Floats]:
        """Return places (n,) in m and velocities (n,) in m/s along the coordinates."""
        x, v = self.plant.GetPositions(self.context), self.plant.GetVelocities(self.context)
        return x[self.places], v[self.places]

    def touch(self, contact: Contact) -> Floats:
        """Return the force (3,) on the upper body of a contact in the last step (N)."""
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        _, upper = self.pairs[contact.name]
        result = np.zeros(3)
        for i in range(results.num_point_pair_contacts()):
            one = results.point_pair_contact_info(i)
            sides = (one.point_pair().id_A, one.point_pair().id_B)
            if upper in sides:  # the force is that on B
                result += one.contact_force() if sides[1] == upper else -one.contact_force()
        return result


NO_INERTIA = SpatialInertia.Zero()


class DrakeScene(SceneSolver):
    """Drake under test by what it builds; compliant contact and creep are another law, so that nothing is claimed."""

    name = "drake_scene"
    distribution = "drake"
    controls = DrakeSceneControls
    schemes = tuple(SCHEMES)

    @contextmanager
    def world(self, scene: Scene, controls: DrakeSceneControls, steps: Grid) -> Iterator[DrakeWorld]:
        """Return the world of a scene."""
        with quietly():
            yield DrakeWorld(scene, controls, one_step(steps))


SOLVER = DrakeScene()
