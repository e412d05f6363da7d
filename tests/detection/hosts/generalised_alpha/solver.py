"""The solver: its weights, how many steps, loads, one solve, the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ..laws import STICK, Floats, Law, dashpot_rate, dashpot_slope, gap, side, slip_force, spring_force, spring_tangent
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
from .forces import History, Laws, Model, State, Weights, contact_force, contact_tangent, friction_status
from .loop import CONVERGED, FAILURES, first_acceleration, march

MOST_STEPS = 200_000  # by default
FINER = 4  # a step that is asked for may be so much shorter than the shortest by default
ENOUGH = 150_000  # steps beyond this are not taken for the sake of forces that jump, or of a dense output
LAWS = Laws(
    gap, side, contact_force, contact_tangent, slip_force,
    friction_status, spring_force, spring_tangent, dashpot_rate, dashpot_slope,
)  # fmt: skip


@dataclass(frozen=True)
class GeneralisedAlpha:
    """The method with its numbers and laws; those of the weights that are None follow from ``rho_inf``.

    ``drift`` is the phase error (rad) that the structure may gather over the span at the finest level, ``per_period``
    and ``per_output`` the steps in the shortest period with all stops closed and in the mean spacing of the output.
    ``per_jump`` are those in that period where forces jump at events inside of steps, which costs an order.
    """

    rho_inf: float = 0.8
    alpha_m: float | None = None
    alpha_f: float | None = None
    beta: float | None = None
    gamma: float | None = None
    newton_tolerance: float = 1e-10
    newton_iterations: int = 30
    status_changes: int = 10
    touches: int = 6
    drift: float = 5e-4
    per_period: float = 320.0
    per_output: float = 4.0
    per_jump: float = 10000.0
    levels: int = 4
    laws: Laws = field(default=LAWS, repr=False)
    name: ClassVar[str] = "generalised-alpha"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES
    settings: ClassVar[Mapping[str, str]] = {"step": "step (s); default that of the finest level"}
    claims: ClassVar[Mapping[str, Any]] = {
        "order": 2,
        "method": "generalised-alpha",
        "rho_inf": "4/5",
        "load": "midpoint",
        "lag": 0,
        "stability": math.inf,
    }

    def weights(self) -> Weights:
        """Return the constants of the method: those of Chung and Hulbert where they are not given."""
        rho = self.rho_inf
        m = (2 * rho - 1) / (rho + 1) if self.alpha_m is None else self.alpha_m
        f = rho / (rho + 1) if self.alpha_f is None else self.alpha_f
        beta = (1 - m + f) ** 2 / 4 if self.beta is None else self.beta
        gamma = 0.5 - m + f if self.gamma is None else self.gamma
        return Weights(
            m, f, beta, gamma, self.newton_tolerance, self.newton_iterations, self.status_changes, self.touches
        )

    # --- how many steps

    def coarsest(self, problem: Problem) -> int:
        """Return the number of steps of the coarsest level: a multiple of twelve, so that it has many divisors."""
        span, outputs = float(problem.end - problem.start), problem.output_times
        s = structure(problem)
        slow, fast = (span * highest_frequency(problem, s, stops=stops) for stops in (False, True))
        output = 1000 if outputs is None else len(outputs) * span / (outputs[-1] - outputs[0])
        periods = fast / (2 * math.pi)
        finest: float = max(
            slow**1.5 / math.sqrt(12 * self.drift),
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
            If the step is not positive.
        NotImplementedError
            If there are too many.
        """
        span = float(problem.end - problem.start)
        chosen = float(settings.get("step") or self.defaults(problem)["step"])
        if not chosen > 0:
            raise ValueError(f"step = {chosen} s must be positive")
        count = max(1, math.ceil(span / chosen * (1 - 1e-9)))
        needed = self.coarsest(problem) * 2 ** (self.levels - 1)
        for steps, most in ((needed, MOST_STEPS), (count, FINER * MOST_STEPS)):
            if steps > most:
                raise NotImplementedError(f"{steps} steps are needed, at most {most} are taken")
        return count

    # --- forces in time

    def value(self, function: Any, instants: Floats, ends: Floats) -> Floats:
        """Return what a function of time is in steps (m,): its value at their instants, after a jump its mean.

        Steps end at ``ends``; the mean of a jump over the step in which it lies keeps its impulse.
        """
        out = np.array(function(instants), dtype=float)
        h = (ends[-1] - ends[0]) / (ends.size - 1)
        for at, size in jumps(function, ends):
            share = np.clip((ends[1:] - at) / h, 0.0, 1.0)
            out += size * (share - (instants >= at))
        return out

    def loads(self, problem: Problem, s: Structure, times: Floats) -> Floats:
        """Return the forces of loads and supports (m + 1, r) on the unknowns: at the start, then in each step."""
        back, instants = np.linalg.pinv(s.shapes), self.load_instants(times)
        pairs = [(load.function, np.asarray(load.direction) @ s.shapes) for load in problem.loads]
        pairs += [(u.acceleration, -s.mass @ (back @ np.asarray(u.influence))) for u in problem.supports]
        out = np.zeros((times.size, s.shapes.shape[1]))
        for function, direction in pairs:
            out[0] += float(function(times[0])) * direction
            out[1:] += np.multiply.outer(self.value(function, instants, times), direction)
        return out

    def load_instants(self, times: Floats) -> Floats:
        """Return the instants (m,) at which the steps between times (m + 1,) take their loads."""
        return np.asarray(times[:-1] + (1 - self.weights().alpha_f) * np.diff(times))

    # --- one solve

    def model(self, problem: Problem, s: Structure, times: Floats) -> Model:
        """Return what the loop needs to know of a problem."""
        elements = elements_of(problem)
        directions = [direction_of(element) for element in elements]
        offsets = np.array([getattr(element, "offset", 0.0) for element in elements], dtype=float)
        breaks, coefficients = spring_tables(problem.devices)
        return Model(
            mass=s.mass,
            damping=s.damping,
            stiffness=s.stiffness,
            force=self.loads(problem, s, times),
            directions=np.array([d @ s.shapes for d in directions]).reshape(len(elements), s.mass.shape[0]),
            drift=drift(problem, times, "displacement") + offsets,
            drift_rate=drift(problem, times, "velocity"),
            stops=stop_table(problem.stops),
            frictions=friction_table(problem.frictions, problem.stops),
            devices=device_table(problem.devices),
            breaks=breaks,
            coefficients=coefficients,
        )

    def state(self, problem: Problem, s: Structure) -> State:
        """Return the state at the start; accelerations and forces are found in the loop."""
        n = s.velocity.size
        first = len(problem.stops) + len(problem.frictions)
        local = np.array([0.0] * first + [getattr(device, "path", 0.0) for device in problem.devices])
        return State(s.displacement.copy(), s.velocity.copy(), np.zeros(n), np.zeros(n), local, np.zeros(local.size))

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the ends of all steps.

        Raises
        ------
        NotImplementedError
            If the problem has what the solver does not treat.
        ArithmeticError
            If a step has no solution that the iteration finds.
        """
        refuse(problem, self.capabilities)
        count = self.steps(problem, settings)
        times = np.linspace(problem.start, problem.end, count + 1)
        h = (problem.end - problem.start) / count
        s = structure(problem)
        model, now, w = (self.model(problem, s, times), self.state(problem, s), self.weights())
        history = History(*(np.zeros((count + 1, part.size)) for part in tracked(now)))
        first_acceleration(self.laws, model, 0, now, w, h)
        ended, k = march(self.laws, model, now, self.state(problem, s), w, h, history)
        if ended != CONVERGED:
            raise ArithmeticError(f"{FAILURES[ended]} at t = {times[k]:.9g} s, step {k} of {count}")
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
        """Return force, sliding velocity and whether it sticks; a stick's force is that of the weighted instant."""
        stop, pressure, static, kinetic = model.frictions[e - model.stops.shape[0]]
        normal = history.local[:, int(stop)] if stop >= 0 else np.full(history.u.shape[0], pressure)
        sticks = history.status[:, e] == STICK
        force = np.where(sticks, history.local[:, e], -history.status[:, e] * kinetic * normal)
        return {
            "force": np.clip(force, -static * normal, static * normal),
            "sliding_velocity": history.v @ model.directions[e] + model.drift_rate[:, e],
            "stuck": (sticks & (normal > 0)).astype(float),
            "normal_force": normal,
        }

    def device_history(self, device: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, elongation and what the device remembers."""
        d = e - model.stops.shape[0] - model.frictions.shape[0]
        u = history.u @ model.directions[e] + model.drift[:, e]
        if device.type == "nonlinear-spring":
            table = (model.breaks[d], model.coefficients[d])
            return {"force": np.array([self.laws.spring_force(x, *table) for x in u]), "elongation": u}
        k1, k2, k3 = model.devices[d, 1:4]
        total, path = k1 + k2 + k3, history.local[:, e]
        return {
            "force": k1 * ((k2 + k3) * u - k3 * path) / total,
            "elongation": u,
            "dashpot_force": k3 * (k1 * u - (k1 + k2) * path) / total,
            "dashpot_path": path,
        }

    def warm_up(self, settings: Mapping[str, Any]) -> None:
        """Compile the loop."""
        self.solve(OSCILLATOR, {"step": 0.1})


def tracked(state: State) -> tuple[Floats, ...]:
    """Return the parts of a state of which a history is kept, in the order of `History`."""
    return tuple(getattr(state, name) for name in History._fields)


SOLVER = GeneralisedAlpha()


def with_law(solver: GeneralisedAlpha, **changed: Law) -> GeneralisedAlpha:
    """Return a solver with some laws exchanged, each a function compiled by Numba."""
    return replace(solver, laws=solver.laws._replace(**changed))
