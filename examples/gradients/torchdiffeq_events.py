"""torchdiffeq: `odeint_event`, differentiated in reverse by PyTorch; what happens at an event is a line here."""

from __future__ import annotations

from importlib.metadata import version

import torch
from motions import ENDS, record
from torchdiffeq import odeint, odeint_event

torch.set_default_dtype(torch.float64)
EXACT = {"rtol": 1e-10, "atol": 1e-12}
ZERO = torch.zeros(())


def pass_on(rates, start, end, state):
    """Return the state at the end."""
    grid = torch.stack([start, torch.as_tensor(end)])
    return odeint(lambda t, y: rates(y), state, grid, **EXACT)[-1]


def reach(rates, guard, start, state):
    """Return instant and state where a guard is zero."""
    instant, states = odeint_event(
        lambda t, y: rates(y), state, start, event_fn=lambda t, y: guard(y), odeint_interface=odeint, **EXACT
    )
    return instant, states[-1]


def bounce(n):
    """Return the height of the ball."""
    fly = lambda y: torch.stack([y[1], -n["g"]])
    t, y = reach(fly, lambda y: y[0], ZERO, torch.stack([n["h"], ZERO]))
    return pass_on(fly, t, ENDS["bounce"], torch.stack([ZERO, -n["e"] * y[1]]))[0]


def slide(n):
    """Return the way of the block."""
    rub = lambda y: torch.stack([y[1], -n["mu"] * n["g"]])
    _, y = reach(rub, lambda y: y[1], ZERO, torch.stack([ZERO, n["v"]]))
    return y[0]


def strike(n):
    """Return the way of the ball that was at rest."""
    roll = lambda y: torch.stack([y[2], y[3], ZERO, ZERO])
    t, y = reach(roll, lambda y: y[1] - y[0], ZERO, torch.stack([-n["d"], ZERO, n["v"], ZERO]))
    mean, half = (y[2] + y[3]) / 2, n["e"] * (y[2] - y[3]) / 2
    return pass_on(roll, t, ENDS["strike"], torch.stack([y[0], y[1], mean - half, mean + half]))[1]


def stop(n):
    """Return the place of the body."""
    free, pushed = lambda y: torch.stack([y[1], ZERO]), lambda y: torch.stack([y[1], -n["k"] * (y[0] - n["gap"])])
    t, y = reach(free, lambda y: y[0] - n["gap"], ZERO, torch.stack([ZERO, n["v"]]))
    # the guard is zero where the contact begins: it is watched from the deepest place on
    t, y = reach(pushed, lambda y: y[1], t, y)
    t, y = reach(pushed, lambda y: y[0] - n["gap"], t, y)
    return pass_on(free, t, ENDS["stop"], y)[0]


def spring(n):
    """Return the place of the body."""
    swing = lambda y: torch.stack([y[1], -n["k"] * y[0] - n["c"] * y[1]])
    return pass_on(swing, ZERO, ENDS["spring"], torch.stack([torch.tensor(0.1), ZERO]))[0]


def solve(motion):
    """Return a function of numbers."""
    return lambda n: motion({name: torch.tensor(value) for name, value in n.items()}).detach()


def reverse(motion):
    """Return a function that differentiates a motion in reverse."""

    def gradient(n):
        numbers = {name: torch.tensor(value, requires_grad=True) for name, value in n.items()}
        motion(numbers).backward()
        return {name: 0.0 if number.grad is None else number.grad for name, number in numbers.items()}

    return gradient


if __name__ == "__main__":
    versions = {name: version(name) for name in ("torchdiffeq", "torch")}
    for motion in (bounce, slide, strike, stop, spring):
        record("torchdiffeq", versions, "odeint_event", motion.__name__, solve(motion), reverse(motion))
