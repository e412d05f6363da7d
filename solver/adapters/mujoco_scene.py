"""MuJoCo builds the scene of a problem: the model is that of ``veridyn export CASE --format mjcf``, its contacts soft.

Every scheme is an integrator of MuJoCo. Springs are those of the joints.

Source: MuJoCo documentation, chapters XML reference and Computation (constraint model).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import mujoco
import numpy as np

from veridyn.problem.mechanical import Floats
from veridyn.problem.scene import Contact, Scene
from veridyn.solver.adapters.mjcf import mjcf
from veridyn.solver.adapters.mujoco_adapter import INTEGRATORS
from veridyn.solver.adapters.scenes import SceneSolver
from veridyn.solver.adapters.stepping import Grid, StepControls
from veridyn.solver.contract.controls import number


@dataclass(frozen=True)
class MujocoSceneControls(StepControls):
    """Steps, and what MuJoCo does against creep."""

    impratio: float = number(1.0, "impedance of friction over that of the normal direction")
    noslip_iterations: int = number(0, "noslip iterations per step")


class MujocoWorld:
    """A scene in MuJoCo."""

    sticks = True

    def __init__(self, scene: Scene, controls: MujocoSceneControls) -> None:
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
        result, force = np.zeros(3), np.zeros(6)
        for i, point in enumerate(self.data.contact[: self.data.ncon]):
            if set(point.geom.tolist()) == pair:
                mujoco.mj_contactForce(self.model, self.data, i, force)
                along = point.frame.reshape(3, 3).T @ force[:3]
                result += along if along[2] > 0 else -along  # bodies push each other away
        return result


class MujocoScene(SceneSolver):
    """MuJoCo under test by what it builds; soft contacts are another law, so that nothing is claimed."""

    name = "mujoco_scene"
    distribution = "mujoco"
    controls = MujocoSceneControls
    schemes = ("Euler", "implicitfast", "RK4", "discrete")

    def world(self, scene: Scene, controls: MujocoSceneControls, _: Grid) -> AbstractContextManager[MujocoWorld]:
        """Return the world of a scene; see `mjcf` for what it refuses."""
        return nullcontext(MujocoWorld(scene, controls))


SOLVER = MujocoScene()
