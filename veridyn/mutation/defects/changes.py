"""Small changes of problems and responses from which defects are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.mutation.defects.defect import After, Before
from veridyn.solver.problem.devices import Device
from veridyn.solver.problem.elements import Friction, Stop, SupportMotion
from veridyn.solver.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.problem.time_functions import TimeFunction
from veridyn.solver.response import Response


def stops(change: Callable[[MechanicalProblem, Stop], Stop]) -> Before:
    """Return the change of every stop."""
    return lambda p: replace(p, stops=tuple(change(p, stop) for stop in p.stops))


def frictions(change: Callable[[Friction], Friction]) -> Before:
    """Return the change of every friction."""
    return lambda p: replace(p, frictions=tuple(change(f) for f in p.frictions))


def devices(change: Callable[[Device], Device]) -> Before:
    """Return the change of every device."""
    return lambda p: replace(p, devices=tuple(change(d) for d in p.devices))


def supports(change: Callable[[SupportMotion], SupportMotion]) -> Before:
    """Return the change of every moving support."""
    return lambda p: replace(p, supports=tuple(change(s) for s in p.supports))


def drives(change: Callable[[MechanicalProblem, TimeFunction], TimeFunction]) -> Before:
    """Return the change of every load and every acceleration of a support, but not of the motion behind it."""

    def before(p: MechanicalProblem) -> MechanicalProblem:
        return replace(
            p,
            loads=tuple(replace(load, function=change(p, load.function)) for load in p.loads),
            supports=tuple(replace(s, acceleration=change(p, s.acceleration)) for s in p.supports),
        )

    return before


def displacement(change: Callable[[Response], Floats]) -> After:
    """Return the change of the displacements (m, n)."""
    return lambda _, response: replace(response, displacement=change(response))


def velocity(change: Callable[[Response], Floats]) -> After:
    """Return the change of the velocities (m, n)."""
    return lambda _, response: replace(response, velocity=change(response))


def histories(name: str, change: Callable[[Floats], Floats]) -> After:
    """Return the change of one history (m,) of all elements that have it."""

    def after(_: MechanicalProblem, response: Response) -> Response:
        changed = {
            element: {key: change(value) if key == name else value for key, value in own.items()}
            for element, own in response.elements.items()
        }
        return replace(response, elements=changed)

    return after


def rows(response: Response, index: Any) -> Response:
    """Return a response whose samples are those of other instants (m,), its time as it was."""
    kept = np.clip(index, 0, response.time.size - 1)
    elements = {name: {key: h[kept] for key, h in own.items()} for name, own in response.elements.items()}
    return replace(
        response, displacement=response.displacement[kept], velocity=response.velocity[kept], elements=elements
    )


def sampled(index: Callable[[NDArray[np.int64]], Any]) -> After:
    """Return the change of which sample stands at which instant, from the numbers of the samples (m,)."""
    return lambda _, response: rows(response, index(np.arange(response.time.size)))
