"""JAX alone: what many write first, equal steps with a branch at the contact, and the same with the instant solved for.

Each motion is one step function in a scan, and JAX differentiates it. `branch` decides in the middle of a step who
touches; `instant` takes the part of the step before the contact, then what happens there, then the rest.
"""

from __future__ import annotations

from importlib.metadata import version

import jax
import jax.numpy as jnp
from motions import ENDS, record

jax.config.update("jax_enable_x64", True)
STEP = 1e-4  # s


def march(step, start, end):
    """Return the state after equal steps."""
    count = round(end / STEP)
    return jax.lax.scan(lambda y, _: (step(y, end / count), None), start, None, count)[0]


def bounce_by_branch(n):
    """Return the height of a ball that is thrown back once it is below the floor."""

    def step(y, dt):
        x, v = y
        v = v - n["g"] * dt
        x = x + v * dt
        hit = (x < 0) & (v < 0)
        return jnp.where(hit, -x, x), jnp.where(hit, -n["e"] * v, v)

    return march(step, (n["h"], 0.0 * n["h"]), ENDS["bounce"])[0]


def bounce_at_the_instant(n):
    """Return the height of a ball whose step ends on the floor, and goes on from there."""

    def fly(x, v, dt):
        return x + v * dt - n["g"] * dt**2 / 2, v - n["g"] * dt

    def step(y, dt):
        x, v = y
        far, fast = fly(x, v, dt)
        hit = (far < 0) & (fast < 0)
        root = jnp.sqrt(jnp.where(hit, v**2 + 2 * n["g"] * x, 1.0))
        part = jnp.where(hit, (v + root) / n["g"], dt)
        back = fly(0.0, n["e"] * root, dt - part)
        return jnp.where(hit, back[0], far), jnp.where(hit, back[1], fast)

    return march(step, (n["h"], 0.0 * n["h"]), ENDS["bounce"])[0]


def slide_by_branch(n):
    """Return the way of a block whose friction is cut where it would turn the motion round."""

    def step(y, dt):
        x, v = y
        v = jnp.maximum(v - n["mu"] * n["g"] * dt, 0.0)
        return x + v * dt, v

    return march(step, (0.0 * n["v"], n["v"]), ENDS["slide"])[0]


def slide_by_sign(n):
    """Return the way of a block with the friction -mu g sign(v)."""

    def step(y, dt):
        x, v = y
        v = v - n["mu"] * n["g"] * jnp.sign(v) * dt
        return x + v * dt, v

    return march(step, (0.0 * n["v"], n["v"]), ENDS["slide"])[0]


def slide_smoothed(n):
    """Return the way of a block with the friction -mu g tanh(v / 1 mm/s)."""

    def step(y, dt):
        x, v = y
        v = v - n["mu"] * n["g"] * jnp.tanh(v / 1e-3) * dt
        return x + v * dt, v

    return march(step, (0.0 * n["v"], n["v"]), ENDS["slide"])[0]


def strike_by_branch(n):
    """Return the way of the other ball, which gets its speed in the step after the balls overlap."""

    def step(y, dt):
        a, b, va, vb = y
        hit = (a >= b) & (va > vb)
        mean, half = (va + vb) / 2, n["e"] * (va - vb) / 2
        va, vb = jnp.where(hit, mean - half, va), jnp.where(hit, mean + half, vb)
        return a + va * dt, b + vb * dt, va, vb

    return march(step, (-n["d"], 0.0 * n["d"], n["v"], 0.0 * n["v"]), ENDS["strike"])[1]


def stop_by_branch(n):
    """Return the place of a body whose spring pushes where it is compressed."""

    def step(y, dt):
        x, v = y
        v = v - jnp.where(x > n["gap"], n["k"] * (x - n["gap"]), 0.0) * dt
        return x + v * dt, v

    return march(step, (0.0 * n["v"], n["v"]), ENDS["stop"])[0]


def spring_plain(n):
    """Return the place of a body on a spring with a damper."""

    def step(y, dt):
        x, v = y
        v = v - (n["k"] * x + n["c"] * v) * dt
        return x + v * dt, v

    return march(step, (0.1 + 0.0 * n["k"], 0.0 * n["k"]), ENDS["spring"])[0]


WRITTEN = {
    "steps with a branch": (bounce_by_branch, slide_by_branch, strike_by_branch, stop_by_branch, spring_plain),
    "the instant solved for": (bounce_at_the_instant,),
    "sign(v)": (slide_by_sign,),
    "tanh(v / 1 mm/s)": (slide_smoothed,),
}


if __name__ == "__main__":
    for way, motions in WRITTEN.items():
        for motion in motions:
            name = motion.__name__.partition("_")[0]
            gradient = jax.jit(jax.grad(motion))
            record("JAX by hand", {"jax": version("jax")}, way, name, jax.jit(motion), gradient)
