"""Runs a kernel: allocates the archive, calls the kernel, trims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SettingsError, SolverFailure
from veridyn.solver.kernels import contact
from veridyn.solver.kernels.stepping import FULL, STUCK
from veridyn.solver.kernels.system import System, Workspace

Floats = NDArray[np.float64]

Kernel = Callable[..., Any]
MEMORY = 4e9  # bytes; a longer archive is refused before it is allocated


@dataclass(frozen=True, eq=False)
class Run:
    """What a kernel archived: time (m,), modal displacement and velocity (m, r), contact records (m, c, 8)."""

    time: Floats
    displacement: Floats
    velocity: Floats
    records: Floats
    diverged: int
    counters: dict[str, float]


class Storage:
    """Archive, contact memory and scratch arrays of one integration."""

    def __init__(self, slots: int, system: System, q: Floats, v: Floats) -> None:
        r, c = q.size, system.contact_index.shape[0]
        size = 8.0 * slots * (1 + 2 * r + contact.RECORDS * c)
        if size > MEMORY:
            raise SettingsError(f"archiving {slots} states needs {size / 1e9:.1f} GB; raise archive_every")
        self.q, self.v, self.g = q.copy(), v.copy(), np.zeros(r)
        self.state, self.record = np.zeros((c, contact.STATES)), np.zeros((c, contact.RECORDS))
        p, s = system.drive.shape
        self.work = Workspace(np.zeros(p), np.zeros(p), np.zeros((s, 2)))
        self.archive = (
            np.empty(slots),
            np.empty((slots, r)),
            np.empty((slots, r)),
            np.empty((slots, c, contact.RECORDS)),
        )

    def arguments(self) -> tuple[Any, ...]:
        return (self.q, self.v, self.state, self.record, self.work, self.g, *self.archive)

    def run(self, slots: int, diverged: int, counters: dict[str, float]) -> Run:
        time, displacement, velocity, records = (array[:slots] for array in self.archive)
        return Run(time, displacement, velocity, records, diverged, counters)


@dataclass(frozen=True, eq=False)
class Job:
    """What is to be integrated: a modal system from its initial state, over a time span (s), with a step (s).

    ``every``: archive every n-th state and the last.
    """

    system: System
    q: Floats
    v: Floats
    start: float
    end: float
    step: float
    every: int = 1

    def __post_init__(self) -> None:
        for name in ("start", "end", "step"):  # a whole number would have the kernels compiled once more
            object.__setattr__(self, name, float(getattr(self, name)))

    def states(self, spacing: float | None = None) -> int:
        """Return how many states are expected in the archive, kept at a spacing (s) or every n-th."""
        return 1000 + int((self.end - self.start) / (spacing or self.step * self.every))


def march(kernel: Kernel, job: Job, *method: Any) -> Run:
    """Integrate with a fixed step; ``method`` is what a kernel asks for beyond the system.

    Raises
    ------
    SettingsError
        If the archive would not fit into memory.
    """
    # a span that is a whole number of steps up to rounding gets exactly that number
    steps = int(np.ceil((job.end - job.start) / job.step * (1 - 1e-12) - 1e-9))
    storage = Storage(2 + steps // job.every, job.system, job.q, job.v)
    slots, diverged, evaluations = kernel(
        job.system, job.start, job.step, steps, job.every, *method, *storage.arguments()
    )
    return storage.run(slots, diverged, {"steps": steps, "evaluations": evaluations})


def march_adaptively(name: str, kernel: Kernel, control: Any, job: Job, *method: Any, slots: int | None = None) -> Run:
    """Integrate with a step that the kernel controls, into as long an archive as that takes.

    Raises
    ------
    SettingsError
        If the archive would not fit into memory.
    SolverFailure
        If the control asks for less than the smallest step.
    """
    slots = slots or job.states()
    while True:
        storage = Storage(slots, job.system, job.q, job.v)
        used, diverged, status, reached, steps, evaluations = kernel(
            job.system, job.start, job.end, control, *method, *storage.arguments()
        )
        if status == FULL:
            slots *= 2  # the number of steps is not known in advance; a second pass is cheap
            continue
        if status == STUCK:
            raise SolverFailure(
                f"{name}: the step fell below {control.smallest:g} s at t = {reached:.6g} s; "
                "let it be smaller (smallest) or ask for less accuracy"
            )
        return storage.run(used, diverged, {"steps": steps, "evaluations": evaluations})
