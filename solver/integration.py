"""Runs a kernel: allocates the archive once, calls the scheme, trims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.errors import SettingsError, SolverFailure
from veridyn.solver.kernels import central_adaptive, contact, devogelaere, symplectic_euler
from veridyn.solver.kernels.system import System, Workspace
from veridyn.solver.schemes import AdaptiveOptions, Scheme

Floats = NDArray[np.float64]

FIXED_STEP: dict[str, Callable[..., Any]] = {
    "symplectic_euler": symplectic_euler.integrate,
    "devogelaere": devogelaere.integrate,
}
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


def integrate(scheme: Scheme, options: Any, job: Job) -> Run:
    """Integrate a modal system.

    Raises
    ------
    SettingsError
        If the archive would not fit into memory, or the step contradicts the options.
    SolverFailure
        If the step control cannot meet its target.
    """
    return _adaptive(options, job) if scheme.adaptive else _fixed(scheme, job)


def _fixed(scheme: Scheme, job: Job) -> Run:
    # a span that is a whole number of steps up to rounding gets exactly that number
    steps = int(np.ceil((job.end - job.start) / job.step * (1 - 1e-12) - 1e-9))
    storage = Storage(2 + steps // job.every, job.system, job.q, job.v)
    march = FIXED_STEP[scheme.name]
    slots, diverged = march(job.system, job.start, job.step, steps, job.every, *storage.arguments())
    evaluations = steps * (2 if scheme.name == "devogelaere" else 1) + 1
    return storage.run(slots, diverged, {"steps": steps, "evaluations": evaluations})


def control_arrays(options: AdaptiveOptions, step: float, every: int) -> central_adaptive.Control:
    """Return the options as the kernel reads them."""
    old = options.control == "2002"
    largest = options.largest if options.largest is not None else (step if old else 1e6 * step)
    smallest = options.smallest if options.smallest is not None else 1e-6 * step
    if not smallest <= step <= largest:
        raise SettingsError(f"step {step:g} s is not between the smallest {smallest:g} s and the largest {largest:g} s")
    return central_adaptive.Control(
        generation=central_adaptive.CONTROL_2002 if old else central_adaptive.CONTROL_2020,
        first=step,
        smallest=float(smallest),
        largest=float(largest),
        points=float(options.points_per_period),
        grow=float(options.grow),
        shrink=float(options.shrink),
        tries=options.tries,
        own_minimum=options.velocity_floor == "maximum",
        restore=options.restore_friction,
        weight_of_try=options.weight_of_try,
        grid=float(options.archive_grid),
        every=every,
    )


def _adaptive(options: AdaptiveOptions, job: Job) -> Run:
    control = control_arrays(options, job.step, job.every)
    slots = 1000 + int((job.end - job.start) / (control.grid or job.step * job.every))
    while True:
        storage = Storage(slots, job.system, job.q, job.v)
        used, diverged, status, reached, steps, evaluations = central_adaptive.integrate(
            job.system, job.start, job.end, control, *storage.arguments()
        )
        if status == central_adaptive.FULL:
            slots *= 2  # the number of steps is not known in advance; a second pass is cheap
            continue
        if status == central_adaptive.STUCK:
            raise SolverFailure(
                f"central_adaptive: the step fell below {control.smallest:g} s at t = {reached:.6g} s; "
                f"lower points_per_period or smallest"
            )
        return storage.run(used, diverged, {"steps": steps, "evaluations": evaluations})
