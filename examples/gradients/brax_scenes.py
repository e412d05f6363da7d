"""Brax: scenes of its `positional`, `spring` and `generalized` pipelines, stepped in a scan that JAX differentiates.

Coefficients of restitution are its `elasticity`; a contact that yields is of MuJoCo's kind and left out here.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import version

import jax
import jax.numpy as jnp
from brax.generalized import pipeline as generalized
from brax.io import mjcf
from brax.positional import pipeline as positional
from brax.spring import pipeline as spring
from motions import ENDS, record

jax.config.update("jax_enable_x64", True)
STEP = 5e-4  # s
HEAD = f'<mujoco><option timestep="{STEP}" gravity="0 0 -9.81"/><custom><numeric data="0" name="elasticity"/></custom>'
FLOOR = '<geom name="floor" type="plane" size="100 100 1"/>'
BODY = '<body pos="0 0 {0}"><freejoint/><geom type="{1}" size="{2}" mass="1"/></body>'
ALONE = 'size="0.05" mass="1" contype="0" conaffinity="0"'
SLIDER = f'<body><joint type="slide" axis="1 0 0"/><geom type="sphere" {ALONE}/></body>'
SCENES = {
    "bounce": FLOOR + BODY.format(0.05, "sphere", "0.05"),
    "slide": FLOOR + BODY.format(0.0499, "box", "0.2 0.2 0.05"),
    "strike": BODY.format(0, "sphere", "0.05") + BODY.format(0, "sphere", "0.05"),
    "spring": SLIDER,
}
PIPELINES = {"positional": positional, "spring": spring, "generalized": generalized}
TAKEN = {
    "positional": ("bounce", "slide", "strike"),
    "spring": ("bounce", "slide", "strike"),
    "generalized": ("spring",),
}


def place(motion, pipeline, system, n):
    """Return the place of what is looked at, with the numbers in the system of a motion."""
    q, qd, of = jnp.asarray(system.init_q, float), jnp.zeros(system.qd_size()), 0
    match motion:
        case "bounce":
            system = system.replace(gravity=jnp.stack([0.0, 0.0, -n["g"]]))
            system = system.replace(elasticity=jnp.full(system.elasticity.shape, 1.0) * n["e"])
            q = q.at[2].set(n["h"] + 0.05)
        case "slide":
            system = system.replace(gravity=jnp.stack([0.0, 0.0, -n["g"]]))
            system = system.replace(geom_friction=system.geom_friction.at[:, 0].set(n["mu"]))
            qd = qd.at[0].set(n["v"])
        case "strike":
            of = 1
            system = system.replace(gravity=jnp.zeros(3))
            system = system.replace(elasticity=jnp.full(system.elasticity.shape, 1.0) * n["e"])
            system = system.replace(geom_friction=0.0 * system.geom_friction)
            q = q.at[0].set(-n["d"] - 0.1)
            qd = qd.at[0].set(n["v"])
        case _:
            stiffness = system.dof.stiffness.at[0].set(n["k"])
            dof = system.dof.replace(stiffness=stiffness, damping=system.dof.damping.at[0].set(n["c"]))
            system = system.replace(dof=dof)
            q = q.at[0].set(0.1)
    state = pipeline.init(system, q, qd)
    steps = round(ENDS[motion] / STEP)
    forces = jnp.zeros(system.act_size())
    last = jax.lax.scan(lambda s, _: (pipeline.step(system, s, forces), None), state, None, steps)[0]
    if motion == "spring":
        return last.q[0]
    return last.x.pos[of, 2] - 0.05 if motion == "bounce" else last.x.pos[of, 0]


if __name__ == "__main__":
    versions = {"brax": version("brax"), "mujoco": version("mujoco"), "jax": version("jax")}
    for name in sys.argv[1:2] or PIPELINES:
        for motion in sys.argv[2:] or TAKEN[name]:
            model = f"{HEAD}<worldbody>{SCENES[motion]}</worldbody></mujoco>"
            look = partial(place, motion, PIPELINES[name], mjcf.loads(model))
            gradient = jax.jit(jax.value_and_grad(look))
            solve = lambda n, gradient=gradient: gradient(n)[0]
            record(
                f"Brax ({name})",
                versions,
                f"reverse, steps of {1e3 * STEP:g} ms",
                motion,
                solve,
                lambda n, gradient=gradient: gradient(n)[1],
            )
