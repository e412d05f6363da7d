"""How a fault is put into a solver: around it, in one of its methods, or in a function of its module."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..fault import Fault, always

Problem = Any
Response = dict[str, Any]
Before = Callable[[Problem, float], Problem]
After = Callable[[Problem, Response, float], Response]
Touches = Callable[[Problem], bool]
LATE = "A load that is taken 6e-8 of the time early or late moves answers by less than a step leaves."  # no claims
RELATIVE, RESOLUTION = "relative change", "relative resolution"  # what sizes mean


@dataclass(frozen=True)
class Sizes:
    """How large faults of a host are: relative changes, and the smallest that are tried."""

    size: float
    smallest: float


class Standing:
    """Stands before a solver and states what that one states of itself."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    def __getattr__(self, name: str) -> Any:
        """Return what the solver states of itself."""
        if name == "solver":  # not there yet while an object is restored
            raise AttributeError(name)
        return getattr(self.solver, name)


class Damaged(Standing):
    """A solver whose problems or responses are changed."""

    def __init__(
        self, solver: Any, before: Before | None = None, after: After | None = None, size: float = 0.0
    ) -> None:
        super().__init__(solver)
        self.before, self.after, self.size = before, after, size

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the changed response to the changed problem; raises what the solver raises."""
        changed = self.before(problem, self.size) if self.before else problem
        response = self.solver.solve(changed, settings)
        return self.after(problem, dict(response), self.size) if self.after else response


class Patched(Standing):
    """A solver that finds other functions in its own module while it solves."""

    def __init__(self, solver: Any, **functions: Any) -> None:
        super().__init__(solver)
        self.functions = functions

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response with the other functions; raises what the solver raises."""
        with patched(importlib.import_module(type(self.solver).__module__), self.functions):
            return dict(self.solver.solve(problem, settings))


def fault(
    sizes: Sizes,
    name: str,
    part: str,
    what: str,
    make: Callable[[float], Any],
    touches: Touches = always,
    meaning: str = "",
    size: float | None = None,
    smallest: float | None = None,
    unseen: str = "",
    unclaimed: str = "",
) -> Fault:
    """Return a fault of the usual sizes where none are given; without a meaning it is there or not."""
    numbers = (size or sizes.size, meaning, smallest or sizes.smallest) if meaning else (None, "", None)
    return Fault(name, part, what, make, touches, *numbers, unseen, unclaimed)


def overridden(host: Any, method: str, change: Callable[..., Any]) -> Callable[[float], Any]:
    """Return what makes a host with one method changed: change(size, solver, sound method, *arguments)."""

    def make(size: float) -> Any:
        sound = getattr(type(host), method)

        def changed(self: Any, *arguments: Any) -> Any:
            return change(size, self, lambda *changed_arguments: sound(self, *changed_arguments), *arguments)

        return type("Changed", (type(host),), {method: changed})()

    return make


def result(change: Callable[[Any, float], Any]) -> Callable[..., Any]:
    """Return the change of what a method returns."""
    return lambda size, solver, sound, *arguments: change(sound(*arguments), size)


def loads_taken(change: Callable[[Any, float], Any]) -> Callable[..., Any]:
    """Return the change of the instants at which a time-stepping host takes its loads."""
    return lambda size, solver, sound, problem, s, times: sound(problem, s, change(times, size))


def slow(times: Any, s: float) -> Any:
    """Return the instants of a slow clock."""
    return times[0] + (1 - s) * (times - times[0])


def function_changed(host: Any, name: str, change: Callable[..., Any]) -> Callable[[float], Patched]:
    """Return what makes a host with another function in its module: change(size, sound, *arguments)."""

    def make(size: float) -> Patched:
        sound = getattr(importlib.import_module(type(host).__module__), name)
        return Patched(host, **{name: lambda *arguments: change(size, sound, *arguments)})

    return make


@contextmanager
def patched(module: Any, functions: Mapping[str, Any]) -> Iterator[None]:
    """Put other functions into a module for a while."""
    sound = {name: getattr(module, name) for name in functions}
    vars(module).update(functions)
    try:
        yield
    finally:
        vars(module).update(sound)
