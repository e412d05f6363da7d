"""The solver: how many steps, loads, one solve, the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ..laws import STICK, Floats, Law, dashpot_rate, dashpot_slope, gap, side, slip_force, spring_force
from ..reading import (
    CAPABILITIES,
    OSCILLATOR,
    Problem,
    Structure,
    device_table,
    direction_of,
    drift,
    elements_of,
    friction_table,
    has_jumps,
    highest_frequency,
    jumps,
    refuse,
    spring_tables,
    stop_table,
    structure,
)
from .loop import History, Laws, Model, State, contact_force, friction_force, march

STABILITY = 2.0  # largest omega h
MOST_STEPS = 200_000  # by default
FINER = 4  # a step that is asked for may be so much shorter than the shortest by default
ENOUGH = 150_000  # steps beyond this are not taken for the sake of forces that jump, or of a dense output
LAWS = Laws(
    gap, side, contact_force, slip_force, friction_force,
    spring_force, dashpot_rate, dashpot_slope,
)  # fmt: skip


@dataclass(frozen=True)
class Explicit:
    """The method with its numbers and laws.

    ``drift`` is the phase error (rad) that the structure may gather over the span at the finest level, ``per_period``
    and ``per_output`` the steps in the shortest period with all stops closed and in the mean spacing of the output.
    ``per_jump`` are those in that period where forces jump at events inside of steps, which costs an order.
    """

    lumped: bool = False
    sweeps: int = 200
    sweep_tolerance: float = 1e-14
    drift: float = 5e-4
    per_period: float = 320.0
    per_output: float = 4.0
    per_jump: float = 10000.0
    levels: int = 4
    laws: Laws = field(default=LAWS, repr=False)
    name: ClassVar[str] = "explicit"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES
    settings: ClassVar[Mapping[str, str]] = {"step": "step (s); default that of the finest level"}
    claims: ClassVar[Mapping[str, Any]] = {
        "order": 2,
        "method": "central-difference",
        "lag": 0,
        "numerical_damping": 0,
        "stability": STABILITY,
    }

    # --- how many steps

    def coarsest(self, problem: Problem) -> int:
        """Return the number of steps of the coarsest level: a multiple of twelve, so that it has many divisors."""
        span, outputs, s = (
            float(problem.end - problem.start),
            problem.output_times,
            structure(problem, lumped=self.lumped),
        )
        slow, fast = (span * highest_frequency(problem, s, stops=stops) for stops in (False, True))
        output = 1000 if outputs is None else len(outputs) * span / (outputs[-1] - outputs[0])
        periods = fast / (2 * math.pi)
        finest: float = max(
            slow**1.5 / math.sqrt(24 * self.drift),
            periods * self.per_period,
            min(output * self.per_output, max(ENOUGH, output)),
            min(periods * self.per_jump, ENOUGH) if has_jumps(problem) else 0.0,
        )
        coarsest: int = math.ceil(finest / 2 ** (self.levels - 1) / 12 - 1e-6)
        return 12 * coarsest

    def refinement(self, problem: Problem) -> list[dict[str, float]]:
        """Return steps from coarse to fine, each half of the one before."""
        count = self.coarsest(problem)
        return [{"step": (problem.end - problem.start) / (count * 2**i)} for i in range(self.levels)]

    def defaults(self, problem: Problem) -> dict[str, float]:
        """Return the settings of the finest level."""
        return self.refinement(problem)[-1]

    def steps(self, problem: Problem, settings: Mapping[str, Any]) -> int:
        """Return the number of steps, the largest step being that of the settings.

        Raises
        ------
        ValueError
            If the step is not positive, or too long to be stable.
        NotImplementedError
            If there are too many.
        """
        chosen = float(settings.get("step") or self.defaults(problem)["step"])
        span = float(problem.end - problem.start)
        fastest = highest_frequency(problem, structure(problem, lumped=self.lumped), stops=True)
        if not 0 < chosen * fastest <= STABILITY and not (fastest == 0 < chosen):
            raise ValueError(f"step = {chosen} s must be positive and not above {STABILITY}/{fastest:.6g} rad/s")
        count = max(1, math.ceil(span / chosen * (1 - 1e-9)))
        needed = self.coarsest(problem) * 2 ** (self.levels - 1)
        for steps, most in ((needed, MOST_STEPS), (count, FINER * MOST_STEPS)):
            if steps > most:
                raise NotImplementedError(f"{steps} steps are needed, at most {most} are taken")
        return count

    # --- forces in time

    def value(self, function: Any, times: Floats) -> Floats:
        """Return a function of time at instants (m,); a jump as its mean under the hat from instant to instant.

        That keeps the impulse of the jump, and its moment; at an instant it is the mean of both sides.
        """
        out = np.array(function(times), dtype=float)
        h = (times[-1] - times[0]) / (times.size - 1)
        for at, size in jumps(function, times):
            away = np.clip((times - at) / h, -1.0, 1.0)
            share = np.where(away < 0, 0.5 * (1 + away) ** 2, 1 - 0.5 * (1 - away) ** 2)
            out += size * (share - (times >= at))
        return out

    def loads(self, problem: Problem, s: Structure, times: Floats) -> Floats:
        """Return the forces of loads and supports (m, r) on the unknowns."""
        back = np.linalg.pinv(s.shapes)
        pairs = [(load.function, np.asarray(load.direction) @ s.shapes) for load in problem.loads]
        pairs += [(u.acceleration, -s.mass @ (back @ np.asarray(u.influence))) for u in problem.supports]
        out = np.zeros((times.size, s.shapes.shape[1]))
        for function, direction in pairs:
            out += np.multiply.outer(self.value(function, times), direction)
        return out

    # --- one solve

    def model(self, problem: Problem, s: Structure, times: Floats, h: float) -> Model:
        """Return what the loop needs to know of a problem."""
        elements = elements_of(problem)
        directions = np.array([direction_of(e) @ s.shapes for e in elements]).reshape(len(elements), s.mass.shape[0])
        inverse = np.linalg.inv(s.mass + 0.5 * h * s.damping)
        kicks = h * directions @ inverse
        breaks, coefficients = spring_tables(problem.devices)
        return Model(
            inverse=inverse,
            before=s.mass - 0.5 * h * s.damping,
            stiffness=s.stiffness,
            force=self.loads(problem, s, times),
            directions=directions,
            kicks=kicks,
            mobility=np.sum(kicks * directions, axis=1),
            drift=drift(problem, times, "displacement")
            + np.array([getattr(element, "offset", 0.0) for element in elements], dtype=float),
            drift_rate=drift(problem, times, "velocity"),
            next_rate=drift(problem, times + 0.5 * h, "velocity"),
            stops=stop_table(problem.stops),
            frictions=friction_table(problem.frictions, problem.stops),
            devices=device_table(problem.devices),
            breaks=breaks,
            coefficients=coefficients,
        )

    def initial_acceleration(self, problem: Problem, s: Structure, model: Model, state: State, h: float) -> Floats:
        """Return the acceleration (r,) at the start; sets forces and status of stops and frictions there."""
        inverse, first = np.linalg.inv(s.mass), len(problem.stops)
        force = model.force[0] - s.damping @ s.velocity - s.stiffness @ s.displacement
        a = inverse @ (force + self.first_pushes(model, s, state) + self.first_device_forces(problem, model, s))
        for _ in range(self.sweeps if len(problem.frictions) > 1 else 1):
            for e in range(first, first + len(problem.frictions)):
                before = state.local[e]
                self.first_friction(model, s, state, inverse, e, a, h)
                a = a + inverse @ model.directions[e] * (state.local[e] - before)
        return np.asarray(a)

    def first_pushes(self, model: Model, s: Structure, state: State) -> Floats:
        """Return the force (r,) of stops at the start, and keep their pushes in the state."""
        total = np.zeros(s.velocity.size)
        for i, (size, both, stiffness, damping) in enumerate(model.stops):
            y = float(model.directions[i] @ s.displacement + model.drift[0, i])
            out = self.laws.side(y, both != 0)
            rate = -out * float(model.directions[i] @ s.velocity + model.drift_rate[0, i])
            distance = self.laws.gap(y, size, both != 0)
            state.local[i] = self.laws.contact_force(distance, rate, stiffness, damping, 0.0)
            total -= out * state.local[i] * model.directions[i]
        return total

    def first_device_forces(self, problem: Problem, model: Model, s: Structure) -> Floats:
        """Return the force (r,) of devices on the structure at the start."""
        first, total = (len(problem.stops) + len(problem.frictions), np.zeros(s.velocity.size))
        for d, device in enumerate(problem.devices):
            u = model.directions[first + d] @ s.displacement + model.drift[:1, first + d]
            path = np.array([getattr(device, "path", 0.0)])
            total -= self.device_forces(device, model, d, u, path)[0] * model.directions[first + d]
        return total

    def first_friction(
        self, model: Model, s: Structure, state: State, inverse: Floats, e: int, a: Floats, h: float
    ) -> None:
        """Set force and status of a friction at the start, where the acceleration (r,) is a with the force so far."""
        stop, pressure, static, kinetic = model.frictions[e - model.stops.shape[0]]
        normal = pressure if stop < 0 else state.local[int(stop)]
        direction = model.directions[e]
        sliding = float(direction @ s.velocity + model.drift_rate[0, e])
        if sliding != 0:
            state.status[e] = math.copysign(1.0, sliding)
            state.local[e] = self.laws.slip_force(state.status[e], normal, kinetic)
            return
        mobility = float(direction @ inverse @ direction)
        drifting = 2 * (model.next_rate[0, e] - model.drift_rate[0, e]) / h
        free = float(direction @ a) + drifting - mobility * state.local[e]
        state.local[e], state.status[e] = self.laws.friction_force(
            STICK, free, normal, static, kinetic, mobility, self.laws.slip_force
        )

    def state(self, problem: Problem, s: Structure, model: Model, h: float) -> State:
        """Return the state at the start, with the velocity half a step before."""
        first = len(problem.stops) + len(problem.frictions)
        local = np.array([0.0] * first + [getattr(device, "path", 0.0) for device in problem.devices])
        state = State(s.displacement.copy(), s.velocity.copy(), s.velocity.copy(), local, np.zeros(local.size))
        state.w0[:] -= 0.5 * h * self.initial_acceleration(problem, s, model, state, h)
        return state

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the ends of all steps.

        Raises
        ------
        NotImplementedError
            If the problem has what the solver does not treat.
        ValueError
            If the step is not positive, or too long to be stable.
        ArithmeticError
            If the impulses of a step do not settle, or the motion grows without bound.
        """
        refuse(problem, self.capabilities)
        count = self.steps(problem, settings)
        times = np.linspace(problem.start, problem.end, count + 1)
        h = (problem.end - problem.start) / count
        s = structure(problem, lumped=self.lumped)
        model = self.model(problem, s, times, h)
        now = self.state(problem, s, model, h)
        history = History(*(np.zeros((count + 1, size)) for size in (now.u.size, now.u.size, *[now.local.size] * 2)))
        settled = march(self.laws, model, now, h, self.sweeps, self.sweep_tolerance, history)
        if settled <= count:
            raise ArithmeticError(f"impulses do not settle at t = {times[settled]:.9g} s, step {settled} of {count}")
        if not np.all(np.isfinite(history.u)):
            raise ArithmeticError(f"the motion grows without bound: step = {h:.6g} s is too long")
        return self.response(problem, s, model, times, history)

    # --- output

    def response(self, problem: Problem, s: Structure, model: Model, times: Floats, history: History) -> dict[str, Any]:
        """Return the answer in physical coordinates."""
        x, v = history.u @ s.shapes.T, history.v @ s.shapes.T
        elements: dict[str, Any] = {}
        for e, element in enumerate(elements_of(problem)):
            elements[element.name] = self.element_history(element, model, e, history)
        counters = {"steps": times.size - 1}
        return {"time": times, "displacement": x, "velocity": v, "elements": elements, "counters": counters}

    def element_history(self, element: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return the histories (m,) of a stop, friction or device."""
        if e < model.stops.shape[0]:
            return self.stop_history(model, e, history)
        if e < model.stops.shape[0] + model.frictions.shape[0]:
            return self.friction_history(model, e, history)
        return self.device_history(element, model, e, history)

    def stop_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return normal force, gap and its rate."""
        y = history.u @ model.directions[e] + model.drift[:, e]
        rate = history.v @ model.directions[e] + model.drift_rate[:, e]
        size, both = model.stops[e, :2]
        out = np.where((y < 0) & bool(both), -1.0, 1.0)
        return {"normal_force": history.local[:, e], "gap": size - out * y, "normal_velocity": -out * rate}

    def friction_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, sliding velocity and whether it sticks."""
        stop, pressure = model.frictions[e - model.stops.shape[0], :2]
        normal = history.local[:, int(stop)] if stop >= 0 else np.full(history.u.shape[0], pressure)
        return {
            "force": history.local[:, e],
            "sliding_velocity": history.v @ model.directions[e] + model.drift_rate[:, e],
            "stuck": ((history.status[:, e] == STICK) & (normal > 0)).astype(float),
            "normal_force": normal,
        }

    def device_history(self, device: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, elongation and what the device remembers."""
        d = e - model.stops.shape[0] - model.frictions.shape[0]
        u, path = (history.u @ model.directions[e] + model.drift[:, e], history.local[:, e])
        shown = {"force": self.device_forces(device, model, d, u, path), "elongation": u}
        if device.type == "nonlinear-spring":
            return shown
        k1, k2, k3 = model.devices[d, 1:4]
        force = k3 * (k1 * u - (k1 + k2) * path) / (k1 + k2 + k3)
        return {**shown, "dashpot_force": force, "dashpot_path": path}

    def device_forces(self, device: Any, model: Model, d: int, u: Floats, path: Floats) -> Floats:
        """Return the forces (m,) of a device at elongations and paths of its dashpot (m,)."""
        if device.type == "nonlinear-spring":
            return np.array([self.laws.spring_force(x, model.breaks[d], model.coefficients[d]) for x in u])
        k1, k2, k3 = model.devices[d, 1:4]
        return np.asarray(k1 * ((k2 + k3) * u - k3 * path) / (k1 + k2 + k3))

    def warm_up(self, settings: Mapping[str, Any]) -> None:
        """Compile the loop."""
        self.solve(OSCILLATOR, {"step": 0.1})


SOLVER = Explicit()


def with_law(solver: Explicit, **changed: Law) -> Explicit:
    """Return a solver with some laws exchanged, each a function compiled by Numba."""
    return replace(solver, laws=solver.laws._replace(**changed))
