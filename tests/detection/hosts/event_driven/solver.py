"""The solver: its parameters, and the march from event to event."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .answer import Answer
from .events import Events
from .laws import Laws
from .modes import Modes
from .motion import Motion
from .reading import Reading
from .records import (
    Floats,
    Mode,
    Phase,
    Step,
    System,
    Tables,
    tables,
)
from .steps import Steps


@dataclass
class EventDriven(Reading, Laws, Motion, Modes, Steps, Events, Answer):
    """Event-driven solver; attributes are its numerical parameters."""

    rtol: float = 1e-12
    max_step: float = math.inf
    most_events: int = 10_000
    stages: int = 12
    safety: float = 0.9
    largest_growth: float = 4.0
    first_step: float = 0.1  # over the largest frequency
    newton_limit: int = 12
    newton_old: int = 3  # passes after which the matrix of Newton's iteration is computed anew for the next step
    newton_tolerance: float = 1e-14
    guard_tolerance: float = 1e-11  # relative; a guard nearer to zero at the start of a phase is at zero
    guard_resolution: float = 1e-11  # relative; last coefficients of the interpolation of a guard
    guard_noise: float = 1e-9  # relative; derivatives of a guard that moves less in a step are rounding
    near: float = 1e-4  # of the output spacing; outputs nearer to an event are left to the event

    # what belongs to the problem that is being solved
    system: System = field(init=False, repr=False)
    tables: Tables = field(init=False, repr=False)
    weights: Floats = field(init=False, repr=False)  # (n,): roots of the masses
    sizes: list[float] = field(init=False, repr=False)  # largest displacement and velocity so far, times these
    shortest: float = field(init=False, repr=False)  # first step in a mode (s)
    counters: dict[str, int] = field(init=False, repr=False)
    jacobians: dict[Mode, Floats] = field(init=False, repr=False)
    inverses: dict[tuple[Mode, float], NDArray[np.complex128]] = field(init=False, repr=False)
    lengths: dict[Any, float] = field(init=False, repr=False)  # of the next step in each mode (s)
    phases: list[Phase] = field(init=False, repr=False)
    events: dict[str, list[float]] = field(init=False, repr=False)
    final: Floats = field(init=False, repr=False)

    name: ClassVar[str] = "event-driven"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {
            *("mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "absolute-frame"),
            *("damping", "damping:coupled", "contact", "contact:parallel-planes", "contact:damped"),
            *("friction:set-valued", "friction:on-stop", "friction:two-tangents"),
            *("device:nonlinear-spring", "device:zener", "device:buckling-stop"),
        }
    )
    settings: ClassVar[dict[str, str]] = {
        "rtol": "error of a step over the largest displacement and velocity so far; default 1e-12",
        "max_step": "largest step (s); default inf",
    }
    claims: ClassVar[dict[str, str]] = {"tolerance": "rtol"}
    refinement: ClassVar[list[dict[str, float]]] = [{"rtol": 1e-6}, {"rtol": 1e-8}, {"rtol": 1e-10}, {"rtol": 1e-12}]

    def defaults(self, problem: Any) -> dict[str, float]:
        """Return the settings that `solve` takes where none are given."""
        return {"rtol": self.rtol}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the output instants and at the events.

        Raises
        ------
        ValueError
            If a setting is unknown or not positive.
        NotImplementedError
            If the problem has an element that is not treated.
        RuntimeError
            If no mode is consistent, a step fails, or events do not end.
        """
        unknown = sorted(set(settings) - set(self.settings))
        if unknown or not all(value > 0 for value in settings.values()):
            raise ValueError(f"settings are positive {', '.join(self.settings)}; got {dict(settings)!r}")
        parameters = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return type(self)(**{**parameters, **settings}).run(problem)

    # --- the march ---

    def run(self, problem: Any) -> dict[str, Any]:
        """Solve one problem; the object is used for nothing else."""
        if getattr(problem, "kind", "mechanical") != "mechanical":
            raise NotImplementedError(f"problems of kind {problem.kind!r}")
        self.prepare(problem)
        y = self.initial_state(problem, self.system)
        mode, t = self.first_mode(problem.start, y), problem.start
        starts = {at for s in self.system.signals for at in s.breaks if problem.start < at < problem.end}
        for until in (*sorted(starts), problem.end):
            mode, y = self.march(mode, t, y, until)
            t = until
        self.final = y
        return self.response(problem)

    def prepare(self, problem: Any) -> None:
        """Make tables and empty memories for a problem."""
        self.system, self.tables = self.describe(problem), tables(self.stages)
        self.weights = np.sqrt(np.diag(self.system.mass))
        self.counters = {"steps": 0, "tries": 0, "evaluations": 0, "events": 0}
        self.jacobians = {}
        self.inverses = {}
        self.lengths = {}
        self.phases = []
        self.events = {e.name: [] for e in (*problem.stops, *problem.frictions, *problem.devices)}
        y = self.initial_state(problem, self.system)
        n = self.system.size
        self.sizes = [float((self.weights * np.abs(part)).max()) for part in (y[:n], y[n : 2 * n])]
        self.shortest = self.first_length(problem)

    def first_length(self, problem: Any) -> float:
        """Return the length of the first step in a mode (s): a part of a radian of the fastest wave."""
        bound = np.abs(self.system.inverse @ self.system.stiffness).sum(axis=1).max()
        bound += sum(p.stiffness * float(p.normal @ self.system.inverse @ p.normal) for p in self.system.planes)
        waves = [w for s in self.system.signals for piece in s.pieces for _, w, _ in piece.waves]
        fastest = max(math.sqrt(bound), *waves, 1 / (problem.end - problem.start))
        return float(min(self.max_step, self.first_step / fastest, problem.end - problem.start))

    def march(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Floats]:
        """Go from one break of the loads to the next; return mode and state there."""
        shortest = 4e-16 * max(abs(t), abs(until), until - t)
        fresh = True
        while until - t > shortest:
            if fresh:
                mode, step, alarms = self.settled(mode, t, y, until)
                self.begin(mode, step, until)
            else:
                step, alarms = self.step(mode, t, y, until)
            part, fired = min(((self.first_fall(a.values), i) for i, a in enumerate(alarms)), default=(math.inf, -1))
            fresh = part <= 1
            self.phases[-1].steps.append(step)
            t, y = self.reached(step, min(part, 1.0), until)
            if fresh:
                self.counters["events"] += 1
                if self.counters["events"] > self.most_events:
                    raise RuntimeError(f"more than {self.most_events} events before t = {t:.9g} s")
                where = 0.5 * (step.start + until)
                y = self.stilled([alarms[fired].place] if alarms[fired].what == "grips" else [], t, y, where)
                mode = self.entered(mode, alarms[fired], t, y, where)
        return mode, y

    def reached(self, step: Step, part: float, until: float) -> tuple[float, Floats]:
        """Return instant and state at a part of a step."""
        t = step.start + part * step.length
        return (until if abs(t - until) <= 1e-13 * step.length else t), step.at(part)

    def begin(self, mode: Mode, step: Step, until: float) -> None:
        """Open a phase and note which elements have changed their states since the phase before."""
        names = self.changed(self.phases[-1].mode, mode) if self.phases else []
        for name in names:
            if step.start not in self.events[name][-1:]:
                self.events[name].append(step.start)
        again = bool(self.phases) and self.phases[-1].start == step.start  # nothing happened in between
        first = self.phases.pop().changed if again else not self.phases
        changed = first or bool(names)
        self.phases.append(Phase(step.start, step.state, mode, 0.5 * (step.start + until), changed, []))

    def changed(self, was: Mode, mode: Mode) -> list[str]:
        """Return the names of the elements whose states differ between two modes."""
        planes = zip(self.system.planes, was.planes, mode.planes, strict=True)
        rubs = zip(self.system.rubs, was.grips, mode.grips, strict=True)
        devices = zip((d.law for d in self.system.devices), was.branches, mode.branches, strict=True)
        return list(dict.fromkeys(e.name for part in (planes, rubs, devices) for e, a, b in part if a != b))


SOLVER = EventDriven()
