"""What simulators of bodies in contact share: steps through a scene, answers in the coordinates of its problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from veridyn.problem.elements import Friction
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, MechanicalProblem, Problem
from veridyn.problem.scene import Contact, Scene
from veridyn.solver.adapters.as_scene import RUBBING, moving, scene_of
from veridyn.solver.adapters.stepping import Grid, Stepper
from veridyn.solver.contract.responses import AnyResponse, Response, Trajectory

AT_LIMIT = 1.0 - 1e-6  # of mu N: from here on friction slips


class World(Protocol):
    """A scene as a simulator builds it; ``sticks``: its friction is at the limit in slip, and below it in stick."""

    sticks: bool

    def advance(self, length: float, pulls: Floats) -> None:
        """Take a step (s) under each row of forces (steps, n) along the coordinates (N)."""

    def state(self) -> tuple[Floats, Floats]:
        """Return places (n,) in m and velocities (n,) in m/s along the coordinates."""

    def touch(self, contact: Contact) -> Floats:
        """Return the force (3,) on the upper body of a contact in the last step (N)."""


class SceneSolver(Stepper):
    """A simulator under test by the scene that it builds of a problem; see `scene_of` for what it refuses."""

    capabilities = RUBBING

    def world(self, scene: Scene, controls: Any, steps: Grid) -> AbstractContextManager[World]:
        """Return the world of a scene, to be left when its motion is known."""
        raise NotImplementedError

    def stepped(self, problem: Problem, controls: Any, steps: Grid) -> AnyResponse:
        """Return the motion in the coordinates of the problem."""
        scene = scene_of(problem)
        with self.world(scene, controls, steps) as world:
            if isinstance(problem, MechanicalProblem):
                return _rubbed(problem, scene, world, steps)
            assert isinstance(problem, InitialValueProblem)
            return _bounced(problem, scene, world, steps)


def _intervals(scene: Scene, steps: Grid) -> Iterator[tuple[float, float, Floats]]:
    """Yield the end (s) of each output interval, its step (s), and the mean forces (steps, n)."""
    columns = (steps.begins, steps.times, steps.lengths, steps.counts)
    for begin, end, length, count in zip(*(column.tolist() for column in columns), strict=True):
        yield end, length, scene.pulls(begin + length * np.arange(count), length)


def _rubbed(problem: MechanicalProblem, scene: Scene, world: World, steps: Grid) -> Response:
    x, v = np.zeros((2, steps.times.size, problem.size))
    touches = {contact.name: np.zeros((steps.times.size, 3)) for contact in scene.contacts}
    for k, (_, length, pulls) in enumerate(_intervals(scene, steps)):
        world.advance(length, pulls)
        x[k], v[k] = world.state()
        for contact in scene.contacts:
            touches[contact.name][k] = world.touch(contact)
    elements = {f.name: _history(f, scene, touches[f.name], v) for f in problem.frictions}
    for friction in problem.frictions if world.sticks else ():
        touch = touches[friction.name]
        holds = np.hypot(touch[:, 0], touch[:, 1]) < AT_LIMIT * friction.kinetic * touch[:, 2]
        elements[friction.name]["stuck"] = holds.astype(float)
    return Response(steps.times, x, v, elements, steps.counters)


def _history(friction: Friction, scene: Scene, touch: Floats, v: Floats) -> dict[str, Floats]:
    """Return forces along the tangents of a friction and sliding velocities."""
    upper = next(contact.bodies[1] for contact in scene.contacts if contact.name == friction.name)
    places = [("xy".index(axis), body == upper) for body, axis in scene.coordinates.values()]
    result: dict[str, Floats] = {}
    for tangent, end in zip(friction.tangents, ("", "_2"), strict=False):
        sense = np.zeros(2)  # of the tangent, as the upper body sees it
        for part, (axis, above) in zip(tangent, places, strict=True):
            sense[axis] += part * above
        result |= {f"force{end}": touch[:, :2] @ sense, f"sliding_velocity{end}": v @ tangent}
    return result


def _bounced(problem: InitialValueProblem, scene: Scene, world: World, steps: Grid) -> Trajectory:
    """Return the motion; an impact is a step with contact after one without, its instant the end of that step."""
    place, speed = moving(problem)
    contact, inside = scene.contacts[0], False
    rows: list[tuple[float, Any]] = []
    events, before = [], []
    for end, length, pulls in _intervals(scene, steps):
        for i, pull in enumerate(pulls):
            last = world.state()
            world.advance(length, pull[None])
            was, inside = inside, world.touch(contact)[2] != 0
            if inside and not was:
                events.append(end - length * (len(pulls) - 1 - i))
                before.append(last)
                rows.append((events[-1], world.state()))
        if not rows or rows[-1][0] != end:
            rows.append((end, world.state()))
    states = _states([row for _, row in rows], place, speed)
    reported = {contact.name: np.array(events)}
    return Trajectory(
        np.array([time for time, _ in rows]),
        states,
        reported,
        {contact.name: _states(before, place, speed)},
        counters=steps.counters,
    )


def _states(found: list[Any], place: int, speed: int) -> Floats:
    states = np.zeros((len(found), 2))
    for row, (x, v) in zip(states, found, strict=True):
        row[place], row[speed] = x[0], v[0]
    return states
