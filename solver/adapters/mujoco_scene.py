"""MuJoCo builds the scene of a problem: the model is that of ``veridyn export CASE --format mjcf``, its contacts soft.

Every scheme is an integrator of MuJoCo. Springs are those of the joints.

Source: MuJoCo documentation, chapters XML reference and Computation (constraint model).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from veridyn.solver.adapters.as_scene import RUBBING, scene_of
from veridyn.solver.adapters.mjcf import mjcf
from veridyn.solver.adapters.mujoco_adapter import INTEGRATORS
from veridyn.solver.adapters.scenes import simulated
from veridyn.solver.adapters.stepping import StepControls, grid, step_levels, substeps_of
from veridyn.solver.controls import Library, number, read_controls
from veridyn.solver.problem.mechanical import Problem
from veridyn.solver.problem.scene import Contact, Scene
from veridyn.solver.response import AnyResponse

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SceneControls(StepControls):
    """Steps, and what MuJoCo does against creep."""

    impratio: float = number(1.0, "impedance of friction over that of the normal direction")
    noslip_iterations: int = number(0, "noslip iterations per step")


class World:
    """A scene in MuJoCo."""

    sticks = True

    def __init__(self, scene: Scene, controls: SceneControls) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(scene))
        self.model.opt.integrator = INTEGRATORS[controls.scheme]
        self.model.opt.impratio = controls.impratio
        self.model.opt.noslip_iterations = controls.noslip_iterations
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)  # a divergence is to be seen
        self.data = mujoco.MjData(self.model)
        mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
        mujoco.mj_forward(self.model, self.data)
        joints = [self.model.joint(f"{body}_{axis}") for body, axis in scene.coordinates.values()]
        self.places = [int(joint.dofadr[0]) for joint in joints]  # slide joints alone: that of a place is the same

    def advance(self, length: float, pulls: Floats) -> None:
        """Take a step (s) under each row of forces (steps, n) along the coordinates (N)."""
        self.model.opt.timestep = length or self.model.opt.timestep
        for pull in pulls:
            self.data.qfrc_applied[self.places] = pull
            mujoco.mj_step(self.model, self.data)

    def state(self) -> tuple[Floats, Floats]:
        """Return places (n,) in m and velocities (n,) in m/s along the coordinates."""
        return self.data.qpos[self.places].copy(), self.data.qvel[self.places].copy()

    def touch(self, contact: Contact) -> Floats:
        """Return the force (3,) on the upper body of a contact at the beginning of the last step (N)."""
        pair = {self.model.geom(name).id for name in contact.bodies}
        found, force = np.zeros(3), np.zeros(6)
        for i, point in enumerate(self.data.contact[: self.data.ncon]):
            if set(point.geom.tolist()) == pair:
                mujoco.mj_contactForce(self.model, self.data, i, force)
                along = point.frame.reshape(3, 3).T @ force[:3]
                found += along if along[2] > 0 else -along  # bodies push each other away
        return found


@dataclass(frozen=True)
class MujocoScene(Library):
    """MuJoCo under test by what it builds; soft contacts are another law, so that nothing is claimed."""

    name: str = "mujoco_scene"
    distribution: str = "mujoco"
    controls: type[SceneControls] = SceneControls
    capabilities: frozenset[str] = RUBBING
    schemes: tuple[str, ...] = ("Euler", "implicitfast", "RK4", "discrete")

    def refinement(self, problem: Problem, _: str) -> list[dict[str, Any]]:
        """Return the settings of the refinement levels, by the step."""
        return step_levels(problem)

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> AnyResponse:
        """Return the response at the output instants; errors as `Library` says, see `scene_of` and `mjcf`."""
        controls, scene = read_controls(SceneControls, settings, self.schemes), scene_of(problem)
        return simulated(problem, scene, World(scene, controls), grid(problem, substeps_of(problem, controls)))


SOLVER = MujocoScene()
