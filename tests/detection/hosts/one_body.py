"""A solver of mechanical problems of one body that returns derivatives: it writes modes and events out by hand.

A rigid stop is an event that turns the velocity round; dry friction is three modes, stick and slip to either side. What
carries the derivative through them is `gradients`, with all parts that can be replaced there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from veridyn.problem.exact_fields import exact_field
from veridyn.problem.formulas import VariedNumber, write_function, write_number
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.named_numbers import list_numbers, replace_number
from veridyn.problem.scalars import to_float
from veridyn.problem.tangent import INITIAL, Tangent

from .gradients import GradientSolver, follow

X, V = sympy.symbols("x v")
CAPABILITIES = frozenset({
    "mechanical", "loads", "damping", "contact", "contact:rigid", "friction:set-valued", "derivatives:forward",
})  # fmt: skip


@dataclass(frozen=True)
class OneBodySolver(GradientSolver):
    """A solver of one of the ways of `gradients`, for a body on a rigid stop or with dry friction."""

    capabilities: frozenset[str] = CAPABILITIES

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Any:
        """Return the response."""
        return self.solve_tangent(problem, Tangent("", {}), settings)["response"]

    def solve_tangent(self, problem: MechanicalProblem, tangent: Tangent, _: Mapping[str, Any]) -> Any:
        """Return response and derivative."""
        written, names = write_modes(problem)
        numbers = {names[name]: slope for name, slope in tangent.numbers.items()}
        both = self.way(written, Tangent(tangent.parameter, numbers), self.rule).respond()
        return read_back(problem, both)


def write_modes(problem: MechanicalProblem) -> tuple[InitialValueProblem, Mapping[str, str]]:
    """Return the problem of one body as modes and events, and the names that its numbers have there."""
    numbers = list_numbers(problem)
    symbols = {
        name: VariedNumber(f"n{i}", sympy.Rational(repr(to_float(number.value))))
        for i, (name, number) in enumerate(numbers.items())
    }
    stated = problem
    for name, number in numbers.items():
        if number.way[0] not in ("initial_displacement", "initial_velocity"):
            stated = replace_number(stated, number, symbols[name])
    mass, damping, stiffness = (
        write_number(np.atleast_2d(exact_field(stated, name))[0, 0]) for name in ("mass", "damping", "stiffness")
    )
    loads = (
        write_number(exact_field(load, "direction")[0]) * write_function(load.function, 0.5 * problem.end)
        for load in stated.loads
    )
    force = sum(loads, sympy.Integer(0)) - damping * V - stiffness * X
    modes = _write_stop(stated, force / mass) if stated.stops else _write_friction(stated, force, mass)
    names = {name: symbol.name for name, symbol in symbols.items()}
    names |= {"initial_displacement[1]": f"{INITIAL}x", "initial_velocity[1]": f"{INITIAL}v"}
    return InitialValueProblem(
        name=problem.name,
        states=("x", "v"),
        parameters={symbol.name: symbol.number for symbol in symbols.values()},
        initial=(*map(float, problem.initial_displacement), *map(float, problem.initial_velocity)),
        modes=modes,
        end=problem.end,
        output_times=problem.output_times,
    ), names


def _write_stop(stated: MechanicalProblem, acceleration: Any) -> tuple[Mode, ...]:
    (stop,) = stated.stops
    gap, restitution = (write_number(exact_field(stop, name)) for name in ("gap", "restitution"))
    hit = Change(name=stop.name, guard=gap - X, direction=-1, reset={"v": -restitution * V})
    return (Mode(name="flight", rates=(V, acceleration), events=(hit,)),)


def _write_friction(stated: MechanicalProblem, force: Any, mass: Any) -> tuple[Mode, ...]:
    (friction,) = stated.frictions
    normal, static, kinetic = (write_number(exact_field(friction, name)) for name in ("normal", "static", "kinetic"))
    stick = Mode(
        name="stick",
        rates=(V, sympy.Integer(0)),
        events=(
            Change(name="slips_ahead", guard=force - static * normal, direction=1, mode="ahead"),
            Change(name="slips_back", guard=force + static * normal, direction=-1, mode="back"),
        ),
    )
    slips = (
        Mode(
            name=name,
            rates=(V, (force - sign * kinetic * normal) / mass),
            events=(Change(name="rests", guard=sign * V, direction=-1, mode="stick", reset={"v": 0}),),
        )
        for name, sign in (("ahead", 1), ("back", -1))
    )
    return (stick, *slips)


def read_back(problem: MechanicalProblem, both: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return response and derivative as a mechanical problem has them."""
    response, tangent = both["response"], both["tangent"]
    order = np.argsort(np.concatenate([[], *response["events"].values()]))
    instants, moves = (np.concatenate([[], *each["events"].values()])[order] for each in (response, tangent))
    (element,) = problem.elements
    parts = ((response, response["time"], instants), (tangent, tangent["time"], moves))
    result = [
        {
            "time": time,
            "displacement": part["states"][:, :1],
            "velocity": part["states"][:, 1:],
            "events": {element.name: events},
        }
        for part, time, events in parts
    ]
    if problem.frictions:
        rests, slips = (
            np.searchsorted(np.sort(each), response["time"], side="right") for each in _split(response["events"])
        )
        stuck = np.where(slips > rests, 0.0, 1.0)  # it sticks at first, then slips and sticks in turn
        flags = (stuck, np.zeros_like(stuck))
        for part, flag in zip(result, flags, strict=True):
            part["elements"] = {element.name: {"stuck": flag, "sliding_velocity": part["velocity"][:, 0]}}
    return dict(zip(("response", "tangent"), result, strict=True))


def _split(events: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the instants of rests, and those of slips."""
    slips = [events[name] for name in ("slips_ahead", "slips_back") if name in events]
    return events.get("rests", np.empty(0)), np.concatenate([[], *slips])


ONE_BODY = OneBodySolver("one_body", follow)
