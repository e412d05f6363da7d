"""Kernels compiled anew with some of their parts replaced: a law inside a scheme is damaged without a copy of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.registry import CPUDispatcher

from veridyn.solver.integrators.integration import Kernel, Rebuild
from veridyn.solver.integrators.kernels import jit

Parts = Mapping[str, Any]

MEMORY = 2  # columns in which a damaged contact may remember something, beside those of the sound one
FIRST, SECOND = -2, -1  # their places in a row of the contact memory
STATE = -4  # place of the contact memory (c, columns) in the arguments of a kernel


def part(function: Callable[..., Any]) -> Any:
    """Compile a damaged part as `veridyn.solver.integrators.kernels.jit.part` does, but keep nothing on disk."""
    return jit.parts(forceinline=True, cache=False)(function)


def rebuilding(parts: Parts) -> Rebuild | None:
    """Return what replaces parts of a kernel, functions or constants, by name wherever they occur; None without parts.

    The kernel that results has `MEMORY` more columns of contact memory, zero at the start.
    """
    if not parts:
        return None

    @lru_cache
    def rebuild(kernel: Kernel) -> Kernel:
        return _with_memory(_rebuilt(kernel, parts, {}))

    return rebuild


def _with_memory(kernel: Kernel) -> Kernel:
    def run(*arguments: Any) -> Any:
        given = list(arguments)
        given[STATE] = np.hstack((given[STATE], np.zeros((given[STATE].shape[0], MEMORY))))
        return kernel(*given)

    return run


def _rebuilt(sound: Any, parts: Parts, done: dict[Any, Any]) -> Any:
    """Return a function compiled with the parts in its place, or itself if they do not occur in it."""
    if sound not in done:
        body = sound.py_func
        used = {name: body.__globals__[name] for name in body.__code__.co_names if name in body.__globals__}
        new = {name: _replaced(name, thing, parts, done) for name, thing in used.items()}
        changed = any(new[name] is not used[name] for name in used)
        done[sound] = _compiled(sound, {**body.__globals__, **new}) if changed else sound
    return done[sound]


def _replaced(name: str, thing: Any, parts: Parts, done: dict[Any, Any]) -> Any:
    if name in parts:
        return parts[name]
    return _rebuilt(thing, parts, done) if isinstance(thing, CPUDispatcher) else thing


def _compiled(sound: Any, scope: dict[str, Any]) -> Any:
    body = sound.py_func
    options = {name: value for name, value in sound.targetoptions.items() if name != "nopython"}
    return numba.njit(**options)(FunctionType(body.__code__, scope, body.__name__, body.__defaults__))
