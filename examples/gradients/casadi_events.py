"""CasADi: its integrators with events, and its own sensitivities; a motion is one integrator.

At an event a transition function gives the state after it; CasADi says of it "Event support is experimental".
"""

from __future__ import annotations

from functools import partial
from importlib.metadata import version

import casadi
from motions import ENDS, NUMBERS, record

METHODS = ("rosenbrock", "erk")
NOTHING = casadi.SX(0, 1)


def equations(motion, p):
    """Return states, start, rates, what is watched and the state after an event."""
    x = casadi.SX.sym("x", {"bounce": 2, "slide": 3, "strike": 4, "stop": 2, "spring": 2}[motion])
    match motion:
        case "bounce":
            rates = casadi.vertcat(x[1], -p["g"])
            return x, [p["h"], 0], rates, x[0], casadi.vertcat(0, -p["e"] * x[1])
        case "slide":
            rates = casadi.vertcat(x[1], -x[2] * p["mu"] * p["g"], 0)
            return x, [0, p["v"], 1], rates, casadi.if_else(x[2] > 0.5, x[1], 1), casadi.vertcat(x[0], 0, 0)
        case "strike":
            mean, half = (x[2] + x[3]) / 2, p["e"] * (x[2] - x[3]) / 2
            after = casadi.vertcat(x[0], x[1], mean - half, mean + half)
            return x, [-p["d"], 0, p["v"], 0], casadi.vertcat(x[2], x[3], 0, 0), x[1] - x[0], after
        case "stop":
            push = casadi.if_else(x[0] > p["gap"], p["k"] * (x[0] - p["gap"]), 0)
            return x, [0, p["v"]], casadi.vertcat(x[1], -push), None, None
        case _:
            return x, [0.1, 0], casadi.vertcat(x[1], -p["k"] * x[0] - p["c"] * x[1]), None, None


def compile_motion(motion, method):
    """Return the motion as a function of its numbers."""
    names = list(NUMBERS[motion])
    p = casadi.SX.sym("p", len(names))
    x, start, rates, watched, after = equations(motion, dict(zip(names, casadi.vertsplit(p), strict=True)))
    dae, options = {"x": x, "p": p, "ode": rates, "t": casadi.SX.sym("t")}, {"reltol": 1e-10, "abstol": 1e-12}
    if watched is not None:
        dae["zero"] = watched
        index = casadi.SX.sym("index")
        given = [index, dae["t"], x, NOTHING, p, NOTHING]
        options["transition"] = casadi.Function("after", given, [after, NOTHING])
    if motion == "slide":
        options["max_step_size"] = 0.05
    integrator = casadi.integrator("motion", method, dae, 0.0, ENDS[motion], options)
    q = casadi.MX.sym("q", len(names))
    begin = casadi.Function("start", [p], [casadi.vertcat(*start)])
    place = 1 if motion == "strike" else 0
    return casadi.Function("place", [q], [integrator(x0=begin(q), p=q)["xf"][place]])


def solve(function, n):
    """Return the answer."""
    return function(list(n.values()))


def differentiate(function, n):
    """Return the derivatives by CasADi."""
    slopes = function.jacobian()(list(n.values()), 0.0)
    return dict(zip(n, casadi.horzsplit(slopes), strict=True))


if __name__ == "__main__":
    for motion in NUMBERS:
        for method in METHODS:
            place = compile_motion(motion, method)
            record(
                "CasADi",
                {"casadi": version("casadi")},
                f"{method} with its events",
                motion,
                partial(solve, place),
                partial(differentiate, place),
            )
