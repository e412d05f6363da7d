"""Runs a kernel: allocates the archive, calls the kernel, trims."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from veridyn.solver.contract.errors import SettingsError, SolverFailure
from veridyn.solver.integrators.interrupt import interruptible
from veridyn.solver.integrators.kernels import contact, device
from veridyn.solver.integrators.kernels.archive import CURSOR, LARGEST, LEAST, RATE, SLOT, STEP, STOP, TOTALS, Archive
from veridyn.solver.integrators.kernels.curved import CIRCLE
from veridyn.solver.integrators.kernels.stepping import FULL, STUCK
from veridyn.solver.integrators.kernels.system import Floats, System, Workspace

Kernel = Callable[..., Any]
AHEAD = 64  # instants at which time functions are evaluated at once
MOST_STEPS = 1e290  # of a step that is nothing; more than any memory holds, and still a float in bytes
# the last three of kernels that iterate
COUNTERS = "steps", "evaluations", "unsettled_steps", "largest_change", "most_evaluations"
MEMORY = 4e9  # bytes; a longer archive is refused before it is allocated


@dataclass(frozen=True, eq=False)
class ModalHistories:
    """What a kernel archived: time (m,), modal displacement and velocity (m, r), element records (m, c + d, 8).

    ``totals``: (c + d, 22) of all steps, or (0, 22); ``stopped``: whether Ctrl-C ended the march.
    """

    time: Floats
    displacement: Floats
    velocity: Floats
    records: Floats
    totals: Floats
    diverged: int
    stopped: bool
    counters: dict[str, float]


@dataclass(frozen=True, eq=False)
class IntegrationPlan:
    """What is kept besides the first state and the last: every n-th state (0: none), those nearest to instants (s).

    ``totals``: whether extremes and integrals of contacts and devices are taken over all steps; ``land``: whether
    adaptive steps end on the instants.
    """

    every: int = 1
    instants: Floats = field(default_factory=lambda: np.empty(0))
    totals: bool = False
    land: bool = False

    def states(self, steps: float) -> int:
        """Return how many states are kept of a number of steps, at most."""
        return 2 + (int(steps) // self.every if self.every else 0) + self.instants.size

    def after(self, start: float) -> Floats:
        """Return the instants that the first state does not serve, by increasing time, then infinity."""
        later = np.unique(self.instants)
        return np.append(later[later > start], np.inf)


@dataclass(frozen=True, eq=False)
class IntegrationJob:
    """What is to be integrated: a modal system from its initial state, over a time span (s), with a step (s).

    Numbers of system and state are doubles, or carry a derivative; see `duals`.
    """

    system: System
    q: Floats
    v: Floats
    start: float
    end: float
    step: float
    plan: IntegrationPlan = field(default_factory=IntegrationPlan)
    scheme: str = ""  # name, for messages
    mass: Any = None  # (r, r) sparse, over the masses of the system; None: those are all

    def __post_init__(self) -> None:
        for name in ("start", "end", "step"):  # a whole number would have the kernels compiled once more
            object.__setattr__(self, name, float(getattr(self, name)))

    def states(self, spacing: float | None = None) -> int:
        """Return how many states are expected in the archive, kept at a spacing (s) or as planned."""
        span = self.end - self.start
        most = min(span / (spacing or self.step), MOST_STEPS)
        return 1000 + (int(most) if spacing else self.plan.states(most))


class Storage:
    """Archive, memory of contacts and devices, and scratch arrays of one integration.

    ``even``: whether forces are evaluated at multiples of the step only.
    """

    def __init__(self, slots: int, job: IntegrationJob, *, even: bool = False) -> None:
        r, kind = job.q.size, job.q.dtype
        elements = job.system.contact_index.shape[0] + job.system.device_index.shape[0]
        size = float(kind.itemsize) * slots * (1 + 2 * r + contact.RECORDS * elements)
        if size > MEMORY:
            raise SettingsError(
                f"archiving {slots:.3g} states needs {size / 1e9:.3g} GB; take a longer step or raise archive_every"
            )
        self.job = job
        self.q, self.v, self.g = np.empty(r, kind), np.empty(r, kind), np.zeros(r, kind)
        self.state = np.empty((elements, max(contact.STATES, device.STATES)), kind)
        self.work = _workspace(job, even=even)
        self.archive = Archive(
            times=np.empty(slots),
            displacement=np.empty((slots, r), kind),
            velocity=np.empty((slots, r), kind),
            records=np.zeros((slots, elements, contact.RECORDS), kind),
            every=job.plan.every,
            instants=job.plan.after(job.start + (0.0 if job.plan.land else 0.5 * job.step)),
            land=job.plan.land,
            totals=np.empty((elements if job.plan.totals else 0, TOTALS)),
            cursor=np.empty(CURSOR, dtype=np.int64),
        )
        self.restart()

    def restart(self) -> None:
        """Forget a march, so that another can begin."""
        self.q[:], self.v[:], self.state[:] = self.job.q, self.job.v, 0.0
        curved = np.flatnonzero(self.job.system.contact_index[:, contact.GEOMETRY] >= CIRCLE)
        self.state[curved, contact.STUCK] = contact.FRESH
        first = self.state.shape[0] - self.job.system.device_memory.shape[0]
        self.state[first:, : device.STATES] = self.job.system.device_memory
        self.archive.cursor[:] = 0
        self.archive.cursor[STEP] = self.job.plan.every
        self.archive.totals[:] = 0.0
        self.archive.totals[:, LEAST : LEAST + contact.RECORDS] = np.inf
        self.archive.totals[:, LARGEST : LARGEST + contact.RECORDS] = -np.inf

    def arguments(self) -> tuple[Any, ...]:
        return (self.q, self.v, self.state, self.work, self.g, self.archive)

    def march(self, kernel: Kernel, *arguments: Any, steps: float) -> Any:
        """Run a kernel, of so many steps, until it ends or Ctrl-C asks it to."""

        def stop() -> None:
            self.archive.cursor[STOP] = 1

        work = steps * self.job.q.size
        return interruptible(lambda: kernel(self.job.system, *arguments, *self.arguments()), stop, steps=work)

    def run(self, diverged: int, counters: dict[str, float]) -> ModalHistories:
        kept, stopped = int(self.archive.cursor[SLOT]), bool(self.archive.cursor[STOP])
        time, displacement, velocity, records = (array[:kept] for array in self.archive[:4])
        totals = self.archive.totals[:, :RATE]
        return ModalHistories(time, displacement, velocity, records, totals, diverged, stopped, counters)


def _workspace(job: IntegrationJob, *, even: bool) -> Workspace:
    kind = job.q.dtype
    position, velocity, force = np.zeros((3, job.system.drive.shape[0]), kind)
    ahead, functions = AHEAD if even else 1, job.system.function_term.size - 1
    table = np.full(ahead, np.nan), np.zeros((ahead, functions), kind), np.zeros(1, dtype=np.int64)
    return Workspace(position, velocity, force, *table, job.step)


def march(kernel: Kernel, job: IntegrationJob, *method: Any, even: bool = True, failure: str = "") -> ModalHistories:
    """Integrate with a fixed step; ``method`` is what a kernel asks for beyond the system.

    ``even``: whether the kernel evaluates forces at multiples of the step only; ``failure``: what is said, with scheme
    and time, where a kernel gives up. Raises `SettingsError` if the archive would not fit into memory; `SolverFailure`
    if the kernel gives up.
    """
    # a span that is a whole number of steps up to rounding gets exactly that number
    steps = int(np.ceil((job.end - job.start) / job.step * (1 - 1e-12) - 1e-9))
    storage = Storage(job.plan.states(steps), job, even=even)
    diverged, status, reached, *counts = storage.march(kernel, job.start, job.step, steps, *method, steps=steps)
    if status == STUCK:
        raise SolverFailure(f"{job.scheme}: {failure} (t = {reached:.6g} s)")
    return storage.run(diverged, dict(zip(COUNTERS, counts, strict=False)))


def march_adaptively(
    kernel: Kernel, control: Any, job: IntegrationJob, *method: Any, slots: int | None = None
) -> ModalHistories:
    """Integrate with a step that the kernel controls, into as long an archive as that takes.

    Raises `SettingsError` if the archive would not fit into memory; `SolverFailure` if the control asks for less than
    the smallest step.
    """
    slots = slots or job.states()
    while True:
        storage = Storage(slots, job)
        diverged, status, reached, steps, evaluations = storage.march(
            kernel, job.start, job.end, control, *method, steps=math.inf
        )
        if status == FULL and not storage.archive.cursor[STOP]:
            slots *= 2  # the number of steps is not known in advance; a second pass is cheap
            continue
        if status == STUCK:
            raise SolverFailure(
                f"{job.scheme}: the step fell below {control.smallest:g} s at t = {reached:.6g} s; "
                "let it be smaller (smallest) or ask for less accuracy"
            )
        return storage.run(diverged, {"steps": steps, "evaluations": evaluations})
