"""diffrax: its events with a root finder, differentiated forward by JAX; what happens at an event is a line here."""

from __future__ import annotations

import sys
from functools import partial
from importlib.metadata import version

import diffrax
import jax
import jax.numpy as jnp
import optimistix
from motions import ENDS, NUMBERS, record

jax.config.update("jax_enable_x64", True)
ADJOINT = [diffrax.ForwardMode()]  # the last one is used
FINDER = optimistix.Newton(1e-12, 1e-12)


def pass_on(rates, guard, start, end, state):
    """Return instant and state where the guard falls through zero, or at the end without one."""
    event = guard and diffrax.Event(lambda t, y, args, **_: guard(y), FINDER, direction=False)
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(lambda t, y, args: rates(y)),
        diffrax.Tsit5(),
        start,
        end,
        None,
        state,
        stepsize_controller=diffrax.PIDController(rtol=1e-10, atol=1e-12),
        event=event,
        adjoint=ADJOINT[-1],
    )
    return solution.ts[0], solution.ys[0]


def bounce(n):
    """Return the height of the ball."""
    fly = lambda y: jnp.stack([y[1], -n["g"]])
    t, y = pass_on(fly, lambda y: y[0], 0.0, ENDS["bounce"], jnp.stack([n["h"], 0.0]))
    return pass_on(fly, None, t, ENDS["bounce"], jnp.stack([0.0, -n["e"] * y[1]]))[1][0]


def slide(n):
    """Return the way of the block."""
    rub = lambda y: jnp.stack([y[1], -n["mu"] * n["g"]])
    t, y = pass_on(rub, lambda y: y[1], 0.0, ENDS["slide"], jnp.stack([0.0, n["v"]]))
    return pass_on(lambda y: 0.0 * y, None, t, ENDS["slide"], y)[1][0]


def strike(n):
    """Return the way of the ball that was at rest."""
    roll = lambda y: jnp.stack([y[2], y[3], 0.0, 0.0])
    start = jnp.stack([-n["d"], 0.0, n["v"], 0.0])
    t, y = pass_on(roll, lambda y: y[1] - y[0], 0.0, ENDS["strike"], start)
    mean, half = (y[2] + y[3]) / 2, n["e"] * (y[2] - y[3]) / 2
    return pass_on(roll, None, t, ENDS["strike"], jnp.stack([y[0], y[1], mean - half, mean + half]))[1][1]


def stop(n):
    """Return the place of the body."""
    free, pushed = lambda y: jnp.stack([y[1], 0.0]), lambda y: jnp.stack([y[1], -n["k"] * (y[0] - n["gap"])])
    t, y = pass_on(free, lambda y: n["gap"] - y[0], 0.0, ENDS["stop"], jnp.stack([0.0, n["v"]]))
    t, y = pass_on(pushed, lambda y: y[0] - n["gap"] + 0.0 * y[1], t + 1e-9, ENDS["stop"], y + 1e-9 * pushed(y))
    return pass_on(free, None, t, ENDS["stop"], y)[1][0]


def spring(n):
    """Return the place of the body."""
    swing = lambda y: jnp.stack([y[1], -n["k"] * y[0] - n["c"] * y[1]])
    return pass_on(swing, None, 0.0, ENDS["spring"], jnp.stack([0.1, 0.0]))[1][0]


def forward(motion, n):
    """Return all derivatives, a pass forward for each."""
    along = jax.jit(lambda seeds: jax.jvp(motion, (n,), (seeds,))[1])
    return {by: along({name: float(name == by) for name in n}) for by in n}


if __name__ == "__main__":
    versions = {name: version(name) for name in ("diffrax", "jax")}
    for motion in map(globals().get, sys.argv[1:] or NUMBERS):
        for way, differentiate in (("forward", partial(forward, motion)), ("reverse", jax.jit(jax.grad(motion)))):
            ADJOINT.append(diffrax.ForwardMode() if way == "forward" else diffrax.RecursiveCheckpointAdjoint())
            record("diffrax", versions, way, motion.__name__, jax.jit(motion), differentiate)
