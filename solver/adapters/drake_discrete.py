"""Drake's discrete `MultibodyPlant`: its own contact and friction, with a fixed step."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from pydrake.geometry import (
    AddContactMaterial,
    CollisionFilterDeclaration,
    GeometryId,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearSpringDamper,
    PrismaticJoint,
    PrismaticSpring,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder, LeafSystem

from veridyn.problem.elements import Friction, Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import Grid, OutputHistories, StepControls, is_diagonal, nodal_forces
from veridyn.solver.contract.controls import number
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Response
from veridyn.solver.event_driven.answer import EventControls
from veridyn.solver.event_driven.reduction import refuse

SCHEMES = {
    "lagged": DiscreteContactApproximation.kLagged,
    "similar": DiscreteContactApproximation.kSimilar,
    "sap": DiscreteContactApproximation.kSap,
}
RADIUS = 1.0  # m, of the spheres that touch stops and planes
SPACING = 1e4  # m between the bodies of a chain, so that they never pass each other


@dataclass(frozen=True)
class DrakeControls(EventControls, StepControls):
    """Settings of Drake: accuracy and bounds of the continuous schemes, step and contact of the discrete ones."""

    stiction_tolerance: float = number(1e-8, "sliding velocity (m/s) below which friction is viscous; lagged, similar")
    foot_depth: float = number(1e-2, "penetration (m) of what rubs under its normal force; discrete schemes")
    foot_dissipation: float = number(1e-2, "Hunt and Crossley dissipation (s/m) of what rubs; lagged, similar")
    foot_relaxation: float = number(1e-3, "relaxation time (s) of what rubs; sap")


def refuse_discrete(problem: MechanicalProblem, scheme: str, steps: Grid) -> None:
    """Raise `NotImplementedError` for what a discrete multibody plant does not express, beside what no scheme does."""
    refuse(problem)
    for device in problem.devices:
        raise NotImplementedError(f"{device.owner}, with discrete multibody dynamics")
    if problem.modes is not None:
        raise NotImplementedError("problems given by modes instead of matrices, with discrete multibody dynamics")
    if not is_diagonal(problem.mass):
        raise NotImplementedError("a mass matrix that is not diagonal, with discrete multibody dynamics")
    one_step(steps)
    for stop in problem.stops:
        _refuse_stop(stop, scheme, driven=bool(problem.supports))
    for friction in problem.frictions:
        _refuse_friction(friction)


def one_step(steps: Grid) -> float:
    """Return the step (s) of a grid that has but one; raises NotImplementedError for others."""
    taken = steps.lengths[steps.counts > 0]
    if np.ptp(taken) > 1e-9 * taken.max():
        raise NotImplementedError("outputs at unequal intervals, with the fixed step of a discrete plant")
    return float(taken.max())


def _refuse_stop(stop: Stop, scheme: str, *, driven: bool) -> None:
    _axis(stop.name, stop.normal)
    if stop.rigid:
        raise NotImplementedError(f"stop {stop.name!r} is rigid, with the penalties of a discrete plant")
    if stop.geometry != "plane":
        raise NotImplementedError(f"stop {stop.name!r} between {stop.geometry}, with discrete multibody dynamics")
    if stop.frame == "absolute" and driven:
        raise NotImplementedError(f"stop {stop.name!r} in the absolute frame, with discrete multibody dynamics")
    if stop.damping and scheme != "sap":
        raise NotImplementedError(f"stop {stop.name!r} is damped; {scheme} damps by the law of Hunt and Crossley")


def _refuse_friction(friction: Friction) -> None:
    _axis(friction.name, friction.tangents[0])
    if friction.law != "set-valued":
        raise NotImplementedError(f"friction {friction.name!r} is {friction.law}; a plant regularises by its own rule")
    if isinstance(friction.normal, str):
        raise NotImplementedError(f"friction {friction.name!r} on a stop, with discrete multibody dynamics")
    if friction.static != friction.kinetic:
        raise NotImplementedError(f"friction {friction.name!r}: a discrete plant ignores the static coefficient")


def _axis(name: str, direction: Floats) -> tuple[int, float]:
    """Return the coordinate along which an element acts, and its sense, 1 or -1."""
    axis = int(np.argmax(np.abs(direction)))
    sense = float(np.sign(direction[axis]))
    if not np.array_equal(direction, sense * np.eye(direction.size)[axis]):
        raise NotImplementedError(f"{name!r} acts along {direction.tolist()}, which is not one of the coordinates")
    return axis, sense


def _springs(name: str, matrix: Floats) -> tuple[Floats, dict[tuple[int, int], float]]:
    """Return a matrix as springs (or dampers) to the ground (n,) and between pairs of bodies."""
    ground = matrix.sum(axis=1)
    ground[np.abs(ground) <= 1e-12 * np.abs(matrix).sum(axis=1)] = 0.0
    pairs = {(i, j): -float(matrix[i, j]) for i, j in combinations(range(len(matrix)), 2) if matrix[i, j]}
    if ground.min() < 0 or min(pairs.values(), default=0.0) < 0:
        raise NotImplementedError(f"a {name} matrix that is not made of springs or dampers between bodies")
    return ground, pairs


@dataclass(frozen=True)
class Material:
    """Contact of a sphere with a half space; both get such properties that Drake combines them into these."""

    stiffness: float
    dissipation: float = 0.0
    relaxation_time: float = 0.0
    friction: float = 0.0

    def properties(self) -> ProximityProperties:
        """Return the properties of either side: compliances add up, relaxation times too."""
        properties = ProximityProperties()
        AddContactMaterial(
            dissipation=self.dissipation,
            point_stiffness=2 * self.stiffness,
            friction=CoulombFriction(self.friction, self.friction),
            properties=properties,
        )
        properties.AddProperty("material", "relaxation_time", self.relaxation_time / 2)
        return properties


class ForceSamples(LeafSystem):  # type: ignore[misc]
    """Applied generalised forces (rows, nv), one row per step; a row holds from its instant on."""

    def __init__(self, rows: Floats, step: float) -> None:
        super().__init__()
        self.rows, self.step = rows, step
        self.DeclareVectorOutputPort("forces", rows.shape[1], self._calc)

    def _calc(self, context: Any, output: Any) -> None:
        output.SetFromVector(self.rows[round(context.get_time() / self.step)])


class DiscreteDiagram:
    """The diagram of a problem: a discrete plant, its geometry and its forces."""

    def __init__(self, problem: MechanicalProblem, controls: DrakeControls, steps: Grid) -> None:
        self.problem, self.controls = problem, controls
        self.mass = np.asarray(problem.mass)
        self.springs = _springs("stiffness", np.asarray(problem.stiffness))
        self.dampers = _springs("damping", np.asarray(problem.damping))
        self.step = one_step(steps)
        builder = DiagramBuilder()
        self.plant, self.scene = AddMultibodyPlantSceneGraph(builder, self.step)
        self.plant.set_discrete_contact_approximation(SCHEMES[controls.scheme])
        self.plant.set_contact_model(ContactModel.kPoint)
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, 0.0])
        self._add_bodies()
        self._couple()
        self.pairs: dict[GeometryId, tuple[str, GeometryId]] = {}
        for stop in problem.stops:
            self._stop(stop)
        for friction in problem.frictions:
            self._friction(friction)
        self._filter()
        self.plant.Finalize()
        self.plant.set_stiction_tolerance(controls.stiction_tolerance)
        forces = builder.AddSystem(ForceSamples(self._forces(steps), self.step))
        builder.Connect(forces.get_output_port(), self.plant.get_applied_generalized_force_input_port())
        self.diagram = builder.Build()

    def _add_bodies(self) -> None:
        """Add a body on a prismatic joint along x for every coordinate; what rubs gets a joint along z as well."""
        damping, _ = self.dampers
        rubbing = {_axis(f.name, f.tangents[0])[0] for f in self.problem.frictions}
        self.bodies, self.joints, self.feet = [], [], {}
        for i, mass in enumerate(np.diag(self.mass)):
            inertia = SpatialInertia(mass, np.zeros(3), UnitInertia.SolidSphere(RADIUS))
            body = self.plant.AddRigidBody(f"body {i}", inertia)
            sliding = self.plant.AddRigidBody(f"carrier {i}", SpatialInertia.Zero()) if i in rubbing else body
            place = self.plant.AddFrame(FixedOffsetFrame(f"place {i}", self.plant.world_frame(), _at(i)))
            x = PrismaticJoint(f"x {i}", place, sliding.body_frame(), [1.0, 0.0, 0.0], damping=damping[i])
            self.joints.append(self.plant.AddJoint(x))
            if i in rubbing:
                z = PrismaticJoint(f"z {i}", sliding.body_frame(), body.body_frame(), [0.0, 0.0, 1.0])
                self.feet[i] = self.plant.AddJoint(z)
            self.bodies.append(body)

    def _couple(self) -> None:
        """Add the springs to the ground, and springs and dampers between bodies."""
        ground, springs = self.springs
        _, dampers = self.dampers
        for joint, stiffness in zip(self.joints, ground, strict=True):
            if stiffness:
                self.plant.AddForceElement(PrismaticSpring(joint, 0.0, stiffness))
        for i, j in springs.keys() | dampers.keys():
            ends = (self.bodies[i], np.zeros(3), self.bodies[j], np.zeros(3))
            values = (springs.get((i, j), 0.0), dampers.get((i, j), 0.0))
            self.plant.AddForceElement(LinearSpringDamper(*ends, (j - i) * SPACING, *values))

    def _stop(self, stop: Stop) -> None:
        """Add a half space and a sphere that meet when the gap is closed."""
        i, sense = _axis(stop.name, stop.normal)
        material = Material(stop.stiffness, relaxation_time=stop.damping / stop.stiffness)
        place = [i * SPACING + sense * (stop.gap - stop.offset + RADIUS), 0.0, 0.0]
        self._touch(stop.name, i, np.zeros(3), HalfSpace.MakePose([-sense, 0.0, 0.0], place), material)

    def _friction(self, friction: Friction) -> None:
        """Add a horizontal half space and a sphere above it."""
        i, _ = _axis(friction.name, friction.tangents[0])
        c = self.controls
        stiffness = float(friction.normal) / c.foot_depth
        material = Material(stiffness, c.foot_dissipation, c.foot_relaxation, friction.kinetic)
        self._touch(friction.name, i, np.array([0.0, 0.0, RADIUS]), RigidTransform(), material)

    def _touch(self, name: str, i: int, centre: Floats, plane: RigidTransform, material: Material) -> None:
        """Add a sphere on body i that touches a half space of its own."""
        properties = material.properties()
        ball, wall = Sphere(RADIUS), HalfSpace()
        world = self.plant.world_body()
        sphere = self.plant.RegisterCollisionGeometry(self.bodies[i], RigidTransform(centre), ball, name, properties)
        wall_id = self.plant.RegisterCollisionGeometry(world, plane, wall, f"wall of {name}", properties)
        self.pairs[sphere] = (name, wall_id)

    def _filter(self) -> None:
        """Let every sphere touch its own half space only."""
        rules = CollisionFilterDeclaration().ExcludeWithin(GeometrySet(list(self.pairs)))
        for sphere, (_, own) in self.pairs.items():
            others = [wall for _, wall in self.pairs.values() if wall != own]
            rules.ExcludeBetween(GeometrySet(sphere), GeometrySet(others))
        self.scene.collision_filter_manager().Apply(rules)

    def _forces(self, steps: Grid) -> Floats:
        """Return loads, inertial forces of the supports and the weight on what rubs, at the beginning of every step."""
        problem = self.problem
        times = np.asarray(problem.start + self.step * np.arange(int(steps.counts.sum()) + 1), dtype=float)
        rows = np.zeros((times.size, self.plant.num_velocities()))
        rows[:, [joint.velocity_start() for joint in self.joints]] = nodal_forces(problem, times)
        for friction in problem.frictions:
            foot = self.feet[_axis(friction.name, friction.tangents[0])[0]]
            rows[:, foot.velocity_start()] -= friction.normal
        return rows

    def start(self) -> Simulator:
        """Return a simulator at the initial state, with every foot pressed in by its weight."""
        simulator = Simulator(self.diagram)
        context = self.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
        states = zip(self.problem.initial_displacement, self.problem.initial_velocity, strict=True)
        for joint, (x, v) in zip(self.joints, states, strict=True):
            joint.set_translation(context, x)
            joint.set_translation_rate(context, v)
        for friction in self.problem.frictions:
            foot = self.feet[_axis(friction.name, friction.tangents[0])[0]]
            foot.set_translation(context, -self.controls.foot_depth)
        simulator.Initialize()
        return simulator


def _at(i: int) -> RigidTransform:
    return RigidTransform([i * SPACING, 0.0, 0.0])


@contextmanager
def quietly() -> Iterator[None]:
    """Keep Drake from warning that half spaces do not touch deformable bodies: there are none."""
    logger = logging.getLogger("drake")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


class DrakeHistories(OutputHistories):
    """Motion and contact forces at the outputs."""

    def __init__(self, assembly: DiscreteDiagram, outputs: int) -> None:
        super().__init__(assembly.problem, outputs)
        self.assembly = assembly

    def take(self, k: int, root: Any) -> None:
        """Write down the state as output k, with the contact forces of the step that led to it."""
        plant = self.assembly.plant
        context = plant.GetMyContextFromRoot(root)
        for i, joint in enumerate(self.assembly.joints):
            self.displacement[k, i] = joint.get_translation(context)
            self.velocity[k, i] = joint.get_translation_rate(context)
        if not self.forces:
            return
        results = plant.get_contact_results_output_port().Eval(context)
        for i in range(results.num_point_pair_contacts()):
            contact = results.point_pair_contact_info(i)
            pair = contact.point_pair()
            on_a = pair.id_A in self.assembly.pairs
            name, _ = self.assembly.pairs[pair.id_A if on_a else pair.id_B]
            self.forces[name][k] = (-1.0 if on_a else 1.0) * contact.contact_force()[0]

    def elements(self) -> dict[str, dict[str, Floats]]:
        """Return the histories of the elements."""
        histories = self.stop_histories()
        for friction in self.problem.frictions:
            tangent = friction.tangents[0]
            force = self.forces[friction.name] * tangent.sum()  # the tangent is plus or minus an axis
            histories[friction.name] = {"force": force, "sliding_velocity": self.velocity @ tangent}
        return histories


def solve(problem: MechanicalProblem, controls: DrakeControls, steps: Grid) -> Response:
    """Return the response of a discrete multibody plant by the steps of a grid; see `refuse_discrete`.

    Raises `SolverFailure` if Drake gives up.
    """
    refuse_discrete(problem, controls.scheme, steps)
    with quietly():
        assembly = DiscreteDiagram(problem, controls, steps)
        simulator = assembly.start()
    record = DrakeHistories(assembly, steps.times.size)
    try:
        for k, done in enumerate(np.cumsum(steps.counts)):
            if done:  # to half a step before the next update: no rounding of the time decides which steps are done
                simulator.AdvanceTo((done - 0.5) * assembly.step)
            record.take(k, simulator.get_context())
    except RuntimeError as error:
        raise SolverFailure(f"{problem.name}: Drake gave up: {error}") from None
    return Response(steps.times, record.displacement, record.velocity, record.elements(), steps.counters)
