"""The answer at outputs and events."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .records import (
    CLOSED,
    LIFTED,
    RETURNING,
    STICK,
    Floats,
    Local,
    Look,
    Mode,
    Phase,
)


class Answer:
    """The answer at outputs and events."""

    def outputs(self, problem: Any) -> Floats:
        """Return the instants (m,) at which to answer."""
        if problem.output_times is not None:
            return np.asarray(problem.output_times)
        return np.linspace(problem.start, problem.end, 2001)

    def sampled(self, phase: Phase, start: float, end: float, outputs: Floats) -> tuple[Floats, Floats]:
        """Return instants (k,) and states (k, d) of a phase: the outputs between two instants, and its start.

        The start is left out where only a load has a break: no element changes there.
        """
        times = outputs[(outputs > start) & (outputs < end)]
        edges = np.append(np.searchsorted(times, [step.start for step in phase.steps]), times.size)
        edges[0] = 0
        pairs = zip(phase.steps, edges[:-1], edges[1:], strict=True)
        states = [step.at((times[a:b] - step.start) / step.length) for step, a, b in pairs]
        if not phase.changed:
            return times, np.concatenate(states)
        return np.append(phase.start, times), np.concatenate((phase.state[None], *states))

    def response(self, problem: Any) -> dict[str, Any]:
        """Return the response at the outputs and at the events."""
        outputs = self.outputs(problem)
        near = self.near * float(np.diff(outputs).min(initial=problem.end - problem.start))
        starts = [p.start + near if p.changed else math.nextafter(p.start, -math.inf) for p in self.phases]
        ends = [p.start - near if p.changed else p.start for p in self.phases[1:]] + [problem.end - near]
        parts = [self.sampled(*given, outputs) for given in zip(self.phases, starts, ends, strict=True)]
        times = np.append(np.concatenate([t for t, _ in parts]), problem.end)
        states = np.vstack((*(y for _, y in parts), self.final))
        owners = np.repeat(np.arange(len(parts)), [t.size for t, _ in parts])
        x, v = (self.restored(part) for part in np.split(states, [self.system.size, 2 * self.system.size], axis=1)[:2])
        return {
            "time": times,
            "displacement": x,
            "velocity": v,
            "elements": self.histories(times, states, np.append(owners, owners[-1])),
            "events": {name: np.array(instants) for name, instants in self.events.items()},
            "counters": dict(self.counters),
        }

    def restored(self, unknowns: Floats) -> Floats:
        """Return displacements or velocities (m, n) of unknowns (m, r)."""
        return unknowns if self.system.shapes is None else unknowns @ self.system.shapes.T

    def histories(self, times: Floats, states: Floats, owners: NDArray[np.int64]) -> dict[str, dict[str, Floats]]:
        """Return the histories of all elements at samples, each of which belongs to a phase."""
        kinds: dict[Any, list[int]] = {}
        for i, phase in enumerate(self.phases):
            kinds.setdefault((phase.mode, phase.where if self.system.signals else 0.0), []).append(i)
        found: dict[str, dict[str, Floats]] = {}
        for (mode, where), members in kinds.items():
            here = np.flatnonzero(np.isin(owners, members))
            seen = self.look(mode, times[here], states[here], where)
            for name, values in self.element_values(mode, seen, states[here]).items():
                for history, part in values.items():
                    found.setdefault(name, {}).setdefault(history, np.zeros(times.size))[here] = part
        return found

    def element_values(self, mode: Mode, seen: Look, states: Floats) -> dict[str, dict[str, Any]]:
        """Return the histories of the elements at samples of one mode."""
        found = self.stop_values(mode, seen)
        for i, rub in enumerate(self.system.rubs):
            stuck = mode.grips[i] == STICK
            found[rub.name] = {"stuck": float(stuck)}
            for ending, cosine in zip(("", "_2"), rub.cosines, strict=False):
                found[rub.name][f"force{ending}"] = cosine * seen.rubbing[i]
                found[rub.name][f"sliding_velocity{ending}"] = 0.0 if stuck else cosine * seen.sliding[i]
        for i, device in enumerate(self.system.devices):
            memory = states[:, device.memory]
            found[device.law.name] = self.device_values(device, seen, i, mode.branches[i], memory)
        return found

    def stop_values(self, mode: Mode, seen: Look) -> dict[str, dict[str, Any]]:
        """Return the histories of the stops: pushes of all planes, gap and rate of the nearest."""
        found: dict[str, dict[str, Any]] = {}
        for plane, state, gap, rate, push in zip(
            self.system.planes, mode.planes, seen.gaps, seen.gap_rates, seen.pressures, strict=True
        ):
            values = found.setdefault(plane.name, {"normal_force": 0.0, "gap": math.inf, "normal_velocity": 0.0})
            nearer = gap < values["gap"]
            values["normal_force"] = values["normal_force"] + (np.maximum(push, 0.0) if state == CLOSED else 0.0)
            values["normal_velocity"] = np.where(nearer, rate, values["normal_velocity"])
            values["gap"] = np.where(nearer, gap, values["gap"])
        return found

    def device_values(
        self, device: Local, seen: Look, i: int, state: tuple[int, float], memory: Floats
    ) -> dict[str, Any]:
        """Return the histories of a device."""
        u = seen.elongations[i]
        found: dict[str, Any] = {"force": seen.device_forces[i], "elongation": u}
        if device.law.type == "zener":
            found |= {"dashpot_force": seen.dashpots[i], "dashpot_path": memory}
        if device.law.type == "buckling-stop":
            loading = state[0] not in (LIFTED, RETURNING)
            largest = u if loading else np.full_like(u, state[1])
            found["largest_crush"] = largest
            found["residual_crush"] = np.array([self.residual_crush(device.law, float(one)) for one in largest])
        return found
