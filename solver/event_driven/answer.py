"""What the adapters share: settings, capabilities, and histories from phases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import or_
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.devices import PIECEWISE_LINEAR, NonlinearDamper
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.controls import Controls, Library, choose_scheme, number, read_controls
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.responses import AnyResponse, Response, Trajectory, output_instants
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.event_driven.contact_modes import TOUCHES, Grip, ModeFlow
from veridyn.solver.event_driven.driver import MOST_EVENTS, Driver, ModePhase
from veridyn.solver.event_driven.forcing import Forcing, segments
from veridyn.solver.event_driven.legs import Integrator
from veridyn.solver.event_driven.mechanics import Mechanics

Floats = NDArray[np.float64]
Value = TypeVar("Value")

MECHANICAL = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "damping:gyroscopic", "stiffness:circulatory", "contact", "contact:damped", "contact:parallel-planes",
    "contact:rigid", "absolute-frame", "friction:set-valued", "friction:on-stop", PIECEWISE_LINEAR,
})  # fmt: skip
SMOOTH = frozenset({"device:nonlinear-damper", "damping:time-varying", "stiffness:time-varying"})
MODES = frozenset({"initial-value", "hybrid", "zeno"})


DAMPER_HISTORIES: tuple[str, ...] = ("force", "elongation", "rate")
STOP_HISTORIES: tuple[str, ...] = ("normal_force", "normal_velocity", "gap")
FRICTION_HISTORIES: tuple[str, ...] = ("force", "sliding_velocity", "stuck", "normal_force")
SECOND_TANGENT: tuple[str, ...] = ("force_2", "sliding_velocity_2")


@dataclass(frozen=True)
class EventControls(Controls):
    """Settings of an event-driven integrator: tolerance of the error control, bounds."""

    rtol: float = number(1e-10, "relative tolerance")
    max_step: float = number(math.inf, "largest step (s)")
    most_events: int = number(MOST_EVENTS, "events after which the motion counts as stuck in one instant")


@dataclass(frozen=True)
class ToleranceControls(EventControls):
    """Settings of an integrator with two tolerances."""

    atol: float = number(1e-12, "absolute tolerance (m, m/s)")


TOLERANCES = (4, 6, 8, 10)  # of the refinement levels, as digits; the last is the default


def levels(digits: Iterable[int]) -> tuple[dict[str, Any], ...]:
    """Return refinement levels with relative tolerances of so many digits."""
    return tuple({"rtol": 10.0**-k, "atol": 10.0 ** -(k + 2)} for k in digits)


REFINEMENT = levels(TOLERANCES)


@dataclass(frozen=True)
class EventDrivenLibrary(Library):
    """A library under test whose integrator is carried from event to event by `driver.Driver`.

    ``distribution`` is the name of its package; ``integrator`` makes an integrator of legs for a problem. The error
    control is that of the library: it keeps the estimated error of a step below the tolerance.
    """

    name: str
    distribution: str
    schemes: tuple[str, ...]
    integrator: Callable[[Any, Problem], Integrator]
    controls: type[EventControls] = ToleranceControls
    refinement: tuple[Mapping[str, Any], ...] | Callable[[Problem, str], Any] = REFINEMENT
    defaults: Mapping[str, Any] | Callable[[Problem, str], Mapping[str, Any]] = field(default_factory=dict)
    capabilities: frozenset[str] = MECHANICAL | SMOOTH | MODES | {FORWARD}
    claims: Mapping[str, Any] = field(default_factory=lambda: {"tolerance": "rtol"})

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> AnyResponse:
        """Return the response at the output instants and at the events; errors as `Library` says."""
        controls = read_controls(self.controls, self._complete(problem, settings), self.schemes)
        integrator = self.integrator(controls, problem)
        if isinstance(problem, MechanicalProblem) and not problem.needs & SMOOTH:
            return respond(problem, integrator, controls)
        from veridyn.problem.initial_value import InitialValueProblem
        from veridyn.solver.event_driven import first_order  # late: they take SymPy
        from veridyn.solver.event_driven.modes import ModeDriver

        if isinstance(problem, MechanicalProblem):
            return first_order.respond(problem, integrator, controls.max_step, controls.most_events)
        assert isinstance(problem, InitialValueProblem)
        driver = ModeDriver(problem, integrator, largest_step=controls.max_step, most_events=controls.most_events)
        return driver.run(output_instants(problem))

    def solve_tangent(self, problem: Problem, tangent: Tangent, settings: Mapping[str, Any]) -> Differentiated:
        """Return the response and its derivative along a tangent, of an initial value problem; errors as `solve`."""
        from veridyn.problem.initial_value import InitialValueProblem
        from veridyn.solver.rewriting.tangents import solve_extended  # late: they take SymPy

        if not isinstance(problem, InitialValueProblem):
            raise NotImplementedError("derivatives of a mechanical problem; state it as an initial value problem")
        # the defaults of a scheme are those of the problem: what is added to it does not change them
        stated = self._complete(problem, settings)
        return solve_extended(problem, tangent, lambda extended: cast(Trajectory, self.solve(extended, stated)))

    def _complete(self, problem: Problem, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the settings, with the defaults of the scheme where none of those is given."""
        scheme = choose_scheme(settings, self.schemes)
        stated = self.defaults(problem, scheme) if callable(self.defaults) else self.defaults
        return settings if stated.keys() & settings.keys() else {**stated, **settings}


def respond(problem: MechanicalProblem, integrator: Integrator, controls: EventControls) -> Response:
    """Solve a problem with an integrator and return its response at the output instants.

    Raises
    ------
    NotImplementedError, SolverFailure
        See `driver.Driver`.
    """
    outputs = output_instants(problem)
    driver = Driver(problem, integrator, largest_step=controls.max_step, most_events=controls.most_events)
    phases = driver.run(outputs)
    n = driver.problem.size
    times, states = (np.concatenate([getattr(phase, name) for phase in phases]) for name in ("times", "states"))
    flows = list(dict.fromkeys(phase.flow for phase in phases))
    kinds = np.concatenate([np.full(phase.times.size, flows.index(phase.flow)) for phase in phases])
    elements = histories(problem, driver.mechanics, flows, segments(problem), times, states, kinds)
    x, v = (driver.mechanics.restored(part) for part in (states[:, :n], states[:, n:]))
    return Response(times, x, v, elements, dict(driver.legs.counters), _events(driver, phases))


def _events(driver: Driver, phases: Sequence[ModePhase]) -> dict[str, Floats]:
    states = [[*map(TOUCHES.index, mode.stops), *mode.frictions] for mode in (phase.flow.mode for phase in phases)]
    starts = np.array([p.times[0] for p in phases])
    return event_instants(driver.mechanics, np.array(states, dtype=np.int64), starts, driver.impacts)


def event_instants(
    mechanics: Mechanics,
    states: NDArray[np.int64],
    starts: Floats,
    impacts: Sequence[tuple[float, tuple[int, ...]]] = (),
) -> dict[str, Floats]:
    """Return the instants (k,) at which each element changes its state, from states (m, e) and when they start (s).

    ``impacts`` are instants (s) with the planes that were hit: events although the body leaves at once.
    """
    changed, later, still = states[1:] != states[:-1], starts[1:], np.zeros(len(starts) - 1, dtype=bool)
    columns = {name: (changed[:, i] for i in of) for name, of in mechanics.places.items()}
    result = {name: later[reduce(or_, of, still)] for name, of in columns.items()}
    if not impacts:
        return result
    struck = {name: [t for t, hit in impacts if not set(of).isdisjoint(hit)] for name, of in mechanics.planes.items()}
    return {name: np.union1d(instants, struck.get(name, [])) for name, instants in result.items()}


class LazyMapping(Mapping[str, Value]):
    """What is known of elements, computed when somebody asks for it."""

    def __init__(self, make: Callable[[], dict[str, Value]]) -> None:
        self._make = make

    @cached_property
    def _found(self) -> dict[str, Value]:
        return self._make()

    def __getitem__(self, name: str) -> Value:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[type, tuple[dict[str, Value]]]:
        """Travel to another process as what is asked for."""
        return dict, (self._found,)


def histories(
    problem: MechanicalProblem,
    mechanics: Mechanics,
    flows: Sequence[ModeFlow],
    forcings: Sequence[Forcing],
    times: Floats,
    states: Floats,
    kinds: NDArray[np.int64],
) -> dict[str, dict[str, Floats]]:
    """Return the histories (m,) of the elements at samples (m,) whose flow is given by its index (m,)."""
    result = _empty(problem, mechanics, times.size)
    edges = [forcing.start for forcing in forcings[1:]]
    parts = np.searchsorted(edges, times, side="right")
    both = parts * len(flows) + kinds
    for which in np.unique(both):
        here = both == which
        segment, kind = divmod(int(which), len(flows))
        u = forcings[segment].values(times[here])
        for name, values in _of_flow(problem, mechanics, flows[kind], states[here], u).items():
            for history, value in values.items():
                result[name][history][here] = value
    return result


def _empty(problem: MechanicalProblem, mechanics: Mechanics, m: int) -> dict[str, dict[str, Floats]]:
    names = dict.fromkeys(mechanics.planes, STOP_HISTORIES)  # parallel planes are one stop
    for friction, cosines in zip(problem.frictions, mechanics.cosines, strict=True):
        names[friction.name] = FRICTION_HISTORIES + (SECOND_TANGENT if len(cosines) == 2 else ())
    names |= {device.name: DAMPER_HISTORIES for device in problem.devices}
    return {name: {history: np.zeros(m) for history in histories} for name, histories in names.items()}


def _of_flow(
    problem: MechanicalProblem, mechanics: Mechanics, flow: ModeFlow, states: Floats, u: Floats
) -> dict[str, dict[str, Any]]:
    result: dict[str, dict[str, Any]] = {}
    forces, gaps, rates = (part.over(states, u) for part in (flow.stop_forces, flow.gaps, flow.gap_rates))
    for name, places in mechanics.planes.items():
        planes = list(places)
        nearest = np.argmin(gaps[:, planes], axis=1)[:, None]
        gap, rate = (np.take_along_axis(part[:, planes], nearest, axis=1)[:, 0] for part in (gaps, rates))
        # at an event the force is zero up to rounding, and rounding must not pull
        force = np.maximum(forces[:, planes], 0.0).sum(axis=1)
        result[name] = {"normal_force": force, "normal_velocity": rate, "gap": gap}
    normals = mechanics.normal_forces(flow.stop_forces).over(states, u)
    frictions, sliding = (part.over(states, u) for part in (flow.friction_forces, flow.sliding))
    for j, friction in enumerate(problem.frictions):
        stuck = flow.mode.frictions[j] is Grip.STICK
        still = stuck and j not in mechanics.springs
        result[friction.name] = {"stuck": float(stuck), "normal_force": np.maximum(normals[:, j], 0.0)}
        for ending, cosine in zip(("", "_2"), mechanics.cosines[j], strict=False):
            result[friction.name][f"force{ending}"] = cosine * frictions[:, j]
            result[friction.name][f"sliding_velocity{ending}"] = 0.0 if still else cosine * sliding[:, j]
    elongations, rates = (part.over(states, u) for part in (mechanics.elongations, mechanics.rates))
    for d, device in enumerate(problem.devices):
        assert isinstance(device, NonlinearDamper)
        force = device.force(rates[:, d])
        result[device.name] = {"force": force, "elongation": elongations[:, d], "rate": rates[:, d]}
    return result
