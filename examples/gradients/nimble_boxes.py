"""nimblephysics: boxes that fall, slide and strike, stepped in PyTorch and differentiated in reverse by its own rule.

It needs NumPy below 2. It multiplies the coefficients of restitution of two bodies, so that one of them has 1. A step
has derivatives by the state, not by coefficients.
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version

import nimblephysics as nimble
import torch
from motions import ENDS, record

STEP = 1e-3  # s
GRAVITY = {"bounce": 9.81, "slide": 9.81, "strike": 0.0}
BY = {"bounce": ("h",), "slide": ("v",), "strike": ("v", "d")}


def add_box(world, name, size, *, e, mu, at=None):
    """Add a box of a size (m): fixed at a place, or free to move in the plane."""
    skeleton = nimble.dynamics.Skeleton(name)
    if at is None:
        _, body = skeleton.createTranslationalJoint2DAndBodyNodePair()
    else:
        joint, body = skeleton.createWeldJointAndBodyNodePair()
        place = nimble.math.Isometry3()
        place.set_translation(at)
        joint.setTransformFromParentBodyNode(place)
    shape = body.createShapeNode(nimble.dynamics.BoxShape(size))
    shape.createVisualAspect()
    shape.createCollisionAspect()
    shape.createDynamicsAspect()
    body.setRestitutionCoeff(e)
    body.setFrictionCoeff(mu)
    world.addSkeleton(skeleton)


def move(motion, n):
    """Return the place of what is looked at, of numbers that are tensors."""
    world, zero = nimble.simulation.World(), torch.zeros((), dtype=torch.float64)
    world.setGravity([0.0, -GRAVITY[motion], 0.0])
    world.setTimeStep(STEP)
    e, mu = (float(n[name]) if name in n else 0.0 for name in ("e", "mu"))
    add_box(world, "body", [0.1, 0.1, 0.1], e=e, mu=mu)
    if motion == "strike":
        add_box(world, "other", [0.1, 0.1, 0.1], e=1.0, mu=0.0)
        state, place = [-n["d"] - 0.1, zero, zero, zero, n["v"], zero, zero, zero], 2
    else:
        add_box(world, "floor", [20.0, 1.0, 20.0], e=1.0, mu=mu, at=[0.0, -0.55, 0.0])
        falls = motion == "bounce"
        state, place = [zero, n["h"] if falls else zero, zero if falls else n["v"], zero], int(falls)
    now, still = torch.stack(state), torch.zeros(world.getNumDofs(), dtype=torch.float64)
    for _ in range(round(ENDS[motion] / STEP)):
        now = nimble.timestep(world, now, still)
    return now[place]


def solve(motion, n):
    """Return the answer."""
    return move(motion, {name: torch.tensor(value, dtype=torch.float64) for name, value in n.items()}).detach()


def differentiate(motion, n):
    """Return the derivatives by the numbers of the state."""
    numbers = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in n.items()}
    move(motion, numbers).backward()
    return {name: numbers[name].grad for name in BY[motion]}


if __name__ == "__main__":
    versions = {name: version(name) for name in ("nimblephysics", "torch", "numpy")}
    for motion in BY:
        way = f"reverse, steps of {1e3 * STEP:g} ms"
        record("nimblephysics", versions, way, motion, partial(solve, motion), partial(differentiate, motion))
