"""MuJoCo MJX: scenes of its own contacts, limits, friction and springs, stepped in a scan that JAX differentiates.

Its contacts are springs and dampers per effective mass: `solref` = (-k, -b). A coefficient of restitution e is the
recipe b = 2 d sqrt(k), d = -ln e / sqrt(ln² e + pi²); the derivative by e goes through that recipe.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib.metadata import version

import jax
import jax.numpy as jnp
import mujoco
from motions import ENDS, NUMBERS, record
from mujoco import mjx

jax.config.update("jax_enable_x64", True)
STEP = float(os.environ.get("STEP", "2e-4"))  # s
STIFFNESS = 1e6  # 1/s², of contacts
HARD = 0.9  # impedance of a contact: the share of its law that is obeyed
SOLIMP = f"{HARD} {HARD} 0.001 0.5 2"
TOLERANCE = os.environ.get("TOLERANCE", "1e-8")  # of its solver; its own default
HEAD = f'<mujoco><option timestep="{STEP}" gravity="0 0 -9.81" tolerance="{TOLERANCE}"/><worldbody>'
SPHERE = 'type="sphere" size="0.05" mass="1"'
BALL = f'<body pos="{{0}} 0 {{1}}"><joint type="slide" axis="{{2}}"/><geom name="{{3}}" {SPHERE}/></body>'
FLOOR = '<geom name="floor" type="plane" size="100 100 1"/>'
PAIR = '</worldbody><contact><pair geom1="{0}" geom2="{1}" condim="{2}" solimp="' + SOLIMP + '"/></contact></mujoco>'
SLIDER = f'<body><joint type="slide" axis="1 0 0" {{0}}/><geom {SPHERE}/></body>'
SCENES = {
    "bounce": HEAD + FLOOR + BALL.format(0, 0.05, "0 0 1", "ball") + PAIR.format("floor", "ball", 1),
    "slide": HEAD
    + FLOOR
    + BALL.format(0, 0.05, "1 0 0", "ball").replace("<geom", '<joint type="slide" axis="0 0 1"/><geom')
    + PAIR.format("floor", "ball", 3),
    "strike": HEAD
    + BALL.format(-0.05, 0.0, "1 0 0", "ball")
    + BALL.format(0.05, 0.0, "1 0 0", "other")
    + PAIR.format("ball", "other", 1),
    "stop": HEAD + SLIDER.format(f'limited="true" range="-9 1" solimplimit="{SOLIMP}"') + "</worldbody></mujoco>",
    "spring": HEAD + SLIDER.format("") + "</worldbody></mujoco>",
}


def bounciness(e):
    """Return `solref` of a coefficient of restitution."""
    damping = -jnp.log(e) / jnp.hypot(jnp.log(e), jnp.pi)
    return jnp.stack([jnp.asarray(-STIFFNESS), -2 * damping * STIFFNESS**0.5])


def place(motion, model, n):
    """Return the place of what is looked at, with the numbers in the model of a motion."""
    data, last = mjx.make_data(model), 0
    match motion:
        case "bounce":
            down = model.opt.gravity.at[2].set(-n["g"])
            solref = model.pair_solref.at[0].set(bounciness(n["e"]))
            model = model.tree_replace({"opt.gravity": down, "pair_solref": solref})
            data = data.replace(qpos=data.qpos.at[0].set(n["h"]))
        case "slide":
            down = model.opt.gravity.at[2].set(-n["g"])
            friction = model.pair_friction.at[0, :2].set(n["mu"])
            model = model.tree_replace({"opt.gravity": down, "pair_friction": friction})
            data = data.replace(qvel=data.qvel.at[0].set(n["v"]))
        case "strike":
            last = 1
            solref = model.pair_solref.at[0].set(bounciness(n["e"]))
            model = model.tree_replace({"opt.gravity": 0.0 * model.opt.gravity, "pair_solref": solref})
            data = data.replace(qpos=data.qpos.at[0].set(-n["d"]), qvel=data.qvel.at[0].set(n["v"]))
        case "stop":
            solref = model.jnt_solref.at[0].set(jnp.stack([-n["k"], 0.0 * n["k"]]))
            model = model.tree_replace({"jnt_solref": solref, "jnt_range": model.jnt_range.at[0, 1].set(n["gap"])})
            data = data.replace(qvel=data.qvel.at[0].set(n["v"]))
        case _:
            stiff, damping = model.jnt_stiffness.at[0].set(n["k"]), model.dof_damping.at[0].set(n["c"])
            model = model.tree_replace({"jnt_stiffness": stiff, "dof_damping": damping})
            data = data.replace(qpos=data.qpos.at[0].set(0.1))
    steps = round(ENDS[motion] / STEP)
    return jax.lax.scan(lambda d, _: (mjx.step(model, d), None), data, None, steps)[0].qpos[last]


if __name__ == "__main__":
    versions = {"mujoco-mjx": version("mujoco-mjx"), "mujoco": version("mujoco"), "jax": version("jax")}
    for motion in sys.argv[1:] or NUMBERS:
        look = partial(place, motion, mjx.put_model(mujoco.MjModel.from_xml_string(SCENES[motion])))
        both = jax.jit(lambda n, look=look: (look(n), jax.jacfwd(look)(n)))
        solve = lambda n, both=both: both(n)[0]
        way = f"forward, steps of {1e3 * STEP:g} ms" + (", tolerance 0" if TOLERANCE == "0" else "")
        record("MuJoCo MJX", versions, way, motion, solve, lambda n, both=both: both(n)[1])
        record("MuJoCo MJX", versions, "reverse", motion, solve, jax.jit(jax.grad(look)))
