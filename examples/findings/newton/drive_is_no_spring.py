"""Newton 1.8, SolverFeatherstone: a joint drive (target_ke) used as a spring is switched off beyond the limit.

Mass 100 kg, spring 1e4 N/m, limit 1e6 N/m at x = 0, 1 m/s towards it. Printed for the spring given as ``stiffness`` and
as ``target_ke``: step, relative error of the duration of the contact. The second does not vanish with the step: it
tends to sqrt(1.01) - 1.
"""

import math

import newton
import numpy as np
import warp


def duration(spring, step):
    """Return the duration of the contact (s)."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    link = builder.add_link(mass=100.0, inertia=warp.mat33(100.0 * np.eye(3)))
    limits = {"limit_lower": -1e6, "limit_upper": 0.0, "limit_ke": 1e6, "limit_kd": 0.0}
    law = {spring: 1e4, "armature": 0.0, **limits}
    builder.add_articulation([builder.add_joint_prismatic(parent=-1, child=link, axis=(1.0, 0.0, 0.0), **law)])
    builder.joint_qd[-1] = 1.0
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverFeatherstone(model, angular_damping=0.0)
    now, then, control = model.state(), model.state(), model.control()
    newton.eval_fk(model, now.joint_q, now.joint_qd, now)
    x, steps = 0.0, 0
    while True:
        now.clear_forces()
        solver.step(now, then, control, None, step)
        now, then = then, now
        before, x, steps = x, float(now.joint_q.numpy()[0]), steps + 1
        if x <= 0:
            return (steps - 1 + before / (before - x)) * step


def error(spring, step):
    """Return the relative error of the duration."""
    return duration(spring, step) / (math.pi / math.sqrt(1.01e4)) - 1


if __name__ == "__main__":
    warp.config.quiet = True
    for given in ("stiffness", "target_ke"):
        for h in (4e-4, 2e-4, 1e-4):
            print(given, h, error(given, h))
