"""Newton (NVIDIA Warp) on the CPU: prismatic joints with springs, dampers and elastic limits of `SolverFeatherstone`.

The state has single precision, so that answers have six to seven digits at best; the integrator is symplectic Euler.

* **Mass**: a link on a prismatic joint for every coordinate.
* **Stiffness, damping**: the joint's passive ``stiffness`` and ``damping``. The drive (``target_ke``) is no spring: it
  is switched off while a limit is violated.
* **Stops**: the limits of a joint with ``limit_ke``. Their damper, ``limit_kd``, pulls when the body leaves.
* **Loads, support motion**: ``Control.joint_f`` at the beginning of a step.

`SolverXPBD` takes limits as rigid and is another model; `SolverFeatherstone` has no joint friction.

Source: documentation of Newton, ``newton.solvers.SolverFeatherstone`` and ``ModelBuilder.add_joint_prismatic``.
"""

from __future__ import annotations

from typing import Any

import newton
import numpy as np
import warp

from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import (
    Grid,
    OutputHistories,
    StepControls,
    Stepper,
    coordinate_of,
    is_diagonal,
    refuse_beyond_lines,
)
from veridyn.solver.contract.responses import Response

Limits = tuple[float, float, float]  # lower and upper (m), stiffness (N/m)

CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "loads", "support-motion", "multi-support", "damping", "contact",
    "contact:parallel-planes",
})  # fmt: skip
FAR = 1e10  # m: what Newton takes for no limit
DEVICE = "cpu"


def _refuse(problem: MechanicalProblem) -> None:
    refuse_beyond_lines(problem, "limits of joints", CAPABILITIES, damped=": the damper of a limit pulls")
    for name in ("mass", "stiffness", "damping"):
        if not is_diagonal(getattr(problem, name)):
            raise NotImplementedError(
                f"a {name} matrix that is not diagonal: springs and dampers are those of single joints"
            )


def _limits(problem: MechanicalProblem) -> list[Limits]:
    """Return the limits of every joint; raises NotImplementedError for what they do not express."""
    limits = [(-FAR, FAR, 0.0)] * problem.size
    for stop in problem.stops:
        joint, factor = coordinate_of(stop.name, stop.normal), float(stop.normal.sum())
        lower, upper, before = limits[joint]
        stiffness = factor**2 * stop.stiffness
        if before not in (0.0, stiffness):
            raise NotImplementedError(
                "stops of unlike stiffness on one coordinate; a joint has one stiffness of limits"
            )
        for side in stop.sides:
            bound = (side * stop.gap - stop.offset) / factor
            lower, upper = (lower, min(upper, bound)) if side * factor > 0 else (max(lower, bound), upper)
        if lower > upper:
            raise NotImplementedError("limits that overlap")
        limits[joint] = (lower, upper, stiffness)
    return limits


def _model(problem: MechanicalProblem) -> Any:
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    stiffness, damping = np.diag(np.asarray(problem.stiffness)), np.diag(np.asarray(problem.damping))
    for i, (lower, upper, contact) in enumerate(_limits(problem)):
        mass = float(np.asarray(problem.mass)[i, i])
        link = builder.add_link(mass=mass, inertia=warp.mat33(mass * np.eye(3)))
        joint = builder.add_joint_prismatic(
            parent=-1,
            child=link,
            axis=(1.0, 0.0, 0.0),
            stiffness=float(stiffness[i]),
            damping=float(damping[i]),
            limit_lower=lower,
            limit_upper=upper,
            limit_ke=contact,
            limit_kd=0.0,
            armature=0.0,
        )
        builder.add_articulation([joint])
        builder.joint_q[-1] = float(problem.initial_displacement[i])
        builder.joint_qd[-1] = float(problem.initial_velocity[i])
    return builder.finalize(device=DEVICE)


class Newton(Stepper):
    """Newton under test: `SolverFeatherstone`, in single precision."""

    name = "newton"
    capabilities = CAPABILITIES
    schemes = ("Featherstone",)

    def claims(self, _: str) -> dict[str, Any]:
        """Return what the documentation says: symplectic Euler; and that single precision gives seven digits."""
        return {"order": 1, "printed": 7}

    def stepped(self, problem: MechanicalProblem, _: StepControls, steps: Grid) -> Response:
        """Return the response by the steps of a grid."""
        _refuse(problem)
        record = OutputHistories(problem, steps.times.size)
        world = _World(_model(problem), bool(problem.loads or problem.supports))
        for k, length, loads in steps.loads(problem):
            world.advance(length, loads)
            record.displacement[k], record.velocity[k] = world.state()
        return Response(steps.times, record.displacement, record.velocity, {}, steps.counters)


class _World:
    """A model with its two states, its control and its solver."""

    def __init__(self, model: Any, driven: bool) -> None:
        self.now, self.next, self.control, self.driven = model.state(), model.state(), model.control(), driven
        self.solver = newton.solvers.SolverFeatherstone(model, angular_damping=0.0)
        newton.eval_fk(model, self.now.joint_q, self.now.joint_qd, self.now)

    def advance(self, length: float, loads: Floats) -> None:
        """Take a step (s) for each row of the loads (steps, n)."""
        for load in loads:
            if self.driven:
                self.control.joint_f.assign(load.astype(np.float32))
            self.now.clear_forces()
            self.solver.step(self.now, self.next, self.control, None, length)
            self.now, self.next = self.next, self.now

    def state(self) -> tuple[Floats, Floats]:
        """Return displacement and velocity (n,)."""
        return self.now.joint_q.numpy().astype(float), self.now.joint_qd.numpy().astype(float)


warp.config.quiet = True  # it would list every kernel that it loads on standard output
SOLVER = Newton()
