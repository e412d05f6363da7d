"""The exact solver: piecewise linear systems carried from event to event without error of integration."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.tangent import Tangent
from veridyn.solver.contract.controls import Controls, described, number, read_controls
from veridyn.solver.contract.derivatives import Differentiated
from veridyn.solver.contract.errors import Interrupted, SolverFailure
from veridyn.solver.contract.responses import Response, output_instants
from veridyn.solver.contract.statements import FORWARD
from veridyn.solver.event_driven.answer import MECHANICAL, LazyMapping, event_instants, histories
from veridyn.solver.event_driven.contact_modes import Grip
from veridyn.solver.event_driven.driver import NEAR
from veridyn.solver.event_driven.forcing import Forcing, segments
from veridyn.solver.event_driven.impacts import ImpactOutcome, impact
from veridyn.solver.event_driven.mechanics import Mechanics
from veridyn.solver.exact.many import FAMILIES, Columns
from veridyn.solver.exact.rest import at_rest
from veridyn.solver.exact.tables import Tables
from veridyn.solver.exact.transitions import ConsistentStates, EventState, Transitions
from veridyn.solver.integrators.interrupt import interruptible
from veridyn.solver.integrators.kernels import event_tables as codes
from veridyn.solver.integrators.kernels.event_tables import Drive, ExactMotion, Grips, Rows
from veridyn.solver.integrators.modal import regularised

if TYPE_CHECKING:
    from veridyn.problem.extended import Term

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SIDES = 2  # planes of one stop, at most
FEW_EVENTS = 64  # first size of a table that grows
ROUNDING = 2.0**-52  # of one event; what leads to the first, and between outputs, is that of OTHERS
OTHERS = 64
UNSURE = 1e-9  # of the largest displacement: what more than rounding moves


@dataclass(frozen=True)
class ExactControls(Controls):
    """Settings of the exact solver; it has no step and no tolerance."""

    most_events: int = number(1_000_000, "events after which the motion counts as stuck in one instant")
    most_impacts: int = number(100_000, "impacts on rigid stops after which it does; each takes about a millisecond")
    tangential_stiffness: float = number(0.0, "stiffness that regularises set-valued friction (N/m); 0: rigid stick")


DEFAULTS = ExactControls("series")


class ExactComputation:
    """A problem as arrays for the kernel; `run` solves it, as often as wanted.

    Raises
    ------
    NotImplementedError
        If the problem is not expressible; see `reduction.refuse`.
    """

    def __init__(self, problem: MechanicalProblem) -> None:
        from veridyn.solver.integrators.kernels import event_driven, event_series

        self.kernel = event_driven
        mechanics = Mechanics(problem)
        problem = self.problem = mechanics.problem
        self.forcings = segments(problem)
        polynomials = [p for forcing in self.forcings for p in forcing.polynomials]
        width = max((len(p.coefficients) for p in polynomials), default=1)
        self.drives = [_drive(forcing, width) for forcing in self.forcings]
        self.tables = Tables(mechanics, self.forcings[0], width)
        planes = np.full((len(problem.frictions), SIDES), -1, dtype=np.int64)
        for row, friction in zip(planes, problem.frictions, strict=True):
            pressing = mechanics.pressing_planes(friction)
            row[: len(pressing)] = pressing
        self.grips = Grips(np.ascontiguousarray(mechanics.tangents), mechanics.glides, planes)
        self.transitions = Transitions(self.tables, planes, event_series)
        self.rigid = bool(self.tables.mechanics.rigid.any())
        # a single friction that nothing else can hold at rest has one consistent state
        unlike = any(f.static > f.kinetic for f in problem.frictions)
        choosy = mechanics.contrary or bool(mechanics.jams.any())
        choosy = choosy or (unlike and (len(problem.frictions) > 1 or self.rigid))
        self.counters = np.zeros(codes.COUNTERS, dtype=np.int64)
        self.counters[[codes.CHOOSY, codes.FIRED]] = choosy, -1
        # a touch at the instant of another event comes first
        self.asks = (codes.IMPACT, codes.UNDECIDED) if self.rigid else ()
        self.start = np.concatenate((problem.initial_displacement, problem.initial_velocity))
        self.first = self._first_states()
        self.steps = self._steps()
        self.outputs = output_instants(problem)
        self.near = NEAR * float(np.diff(self.outputs).min(initial=math.inf))

    def _first_states(self) -> Ints:
        """Return the states that the initial state suggests; settling corrects them."""
        problem = self.problem
        gaps = self.tables.mechanics.gaps(self.start, self.forcings[0].value(problem.start))
        pressed = self.transitions.pressed(gaps < 0)
        glides = self.tables.mechanics.tangents @ problem.initial_velocity
        grips = [int(np.sign(glide)) if on else int(Grip.FREE) for glide, on in zip(glides, pressed, strict=True)]
        return np.array([int(gap < 0) for gap in gaps] + grips, dtype=np.int64)

    def run(self, outputs: Floats, controls: ExactControls = DEFAULTS, near: float = -math.inf) -> ExactMotion:
        """Solve, and sample the states at the outputs; those as near (s) to an event are left out, but for the last.

        Raises
        ------
        SolverFailure
            If no mode is consistent at an instant, or there are more events or impacts than allowed.
        """
        counters = self.counters.copy()
        counters[codes.MOST] = controls.most_events

        def stop() -> None:
            counters[codes.STOP] = 1

        return interruptible(lambda: self._carry(outputs, controls, near, counters), stop, steps=self.steps)

    def _steps(self) -> float:
        """Return about how many steps it will take: time constants of the stiffest mode or of the drive."""
        problem = self.problem
        springs = [k for element in problem.elements if (k := element.stiffness) and math.isfinite(k)]
        stiffness = np.linalg.norm(np.asarray(problem.stiffness)) + sum(springs)
        fastest = math.sqrt(stiffness * float(np.linalg.norm(self.tables.mechanics.inverse)))
        drive = max((wave.omega for forcing in self.forcings for wave in forcing.waves), default=0.0)
        return (problem.end - problem.start) * max(fastest, drive) * problem.size

    def _carry(self, outputs: Floats, controls: ExactControls, near: float, counters: Ints) -> ExactMotion:
        kernel, most_events, t = self.kernel, controls.most_events, self.problem.start
        y, states, before = self.start.copy(), self.first.copy(), self.first.copy()
        rows, searches, ambiguities = self._rows(outputs.size + min(FEW_EVENTS, 1 + most_events)), 0, 0
        impacts, short = list[tuple[float, tuple[int, ...]]](), 0
        for forcing, drive in zip(self.forcings, self.drives, strict=True):
            counters[codes.FIRED], reason = -1, codes.IMPACT  # a touch may fall on the seam of two segments
            while reason not in (codes.DONE, codes.STOPPED):
                # Impacts come before complementarity: an impulse changes velocities in no time, and forces,
                # which are finite, do nothing in no time. Which contacts hold afterwards is read from the
                # velocities that it leaves.
                struck = self._struck(y, states, forcing.value(t)) if reason in self.asks else None
                if struck and (struck.hit or reason == codes.IMPACT):
                    self._refuse_more(len(impacts), controls.most_impacts, t, "impacts")
                    y[:], states[:], reason = struck.state, self.tables.numbers(struck.mode), codes.IMPACT
                    before[:], counters[codes.FIRED] = states, -1
                    counters[codes.STRUCK] |= bool(struck.hit)
                    impacts += [(t, struck.hit)] if struck.hit else []
                    short += struck.short
                    ambiguities += struck.ambiguous
                if reason == codes.UNDECIDED:
                    self._refuse_more(searches := searches + 1, most_events, t)
                    result = self._decided(t, EventState(y, self._phase(t, drive), before, int(counters[codes.FIRED])))
                    states[:], y[:], counters[codes.DECIDED] = result.states, result.y, 1
                    ambiguities += result.ambiguous
                    self.tables.index(states)
                tables = (*rows, *self.tables.arrays, *self.grips, *drive)
                known, arrays = len(self.tables.flows), (y, states, before, outputs, counters)
                reason, t = kernel.march(t, forcing.end, known, near, *arrays, *tables)
                if reason == codes.LONG:
                    counters[codes.DECIDED] = 1
                    if at_rest(self.tables, states, y, forcing, t):
                        self._rest(outputs, forcing.end, y, states, rows, counters)
                        t, reason = forcing.end, codes.DONE
                elif reason == codes.FULL:
                    self._refuse_more(int(counters[codes.EVENTS]), most_events, t)
                    rows = Rows(*map(_doubled, rows))
                elif reason == codes.UNKNOWN_MODE:
                    self.tables.index(states)
        counts = counters.tolist()
        stored = counts[codes.ROWS]
        if counts[codes.STRUCK]:  # at the very end: nothing moves on from there, but it has happened
            stored -= bool(stored and t - rows.times[stored - 1] <= near)
            rows = Rows._make(np.concatenate((part[:stored], part[:1])) for part in rows)
            rows.times[stored], rows.states[stored], rows.marks[stored] = t, y, self.tables.index(states)
            counts[codes.EVENTS], stored = counts[codes.EVENTS] + 1, stored + 1
        kept = Rows(rows.times[:stored], rows.states[:stored], rows.marks[:stored])
        numbers = counts[codes.EVENTS], counts[codes.STEPS], ambiguities, t, bool(counts[codes.STOP])
        return ExactMotion(kept, *numbers, impacts, short)

    def _rows(self, count: int) -> Rows:
        return Rows(np.empty(count), np.empty((count, self.start.size)), np.empty(count, np.int64))

    def _rest(self, outputs: Floats, end: float, y: Floats, states: Ints, rows: Rows, counters: Ints) -> None:
        """Store the state, which does not change, at the outputs up to an instant."""
        done = counters[codes.OUTPUTS]
        instants = outputs[done : np.searchsorted(outputs, end, side="right")]
        here = slice(counters[codes.ROWS], counters[codes.ROWS] + instants.size)
        rows.times[here], rows.states[here], rows.marks[here] = instants, y, ~self.tables.index(states)
        counters[[codes.OUTPUTS, codes.ROWS]] += instants.size

    def _struck(self, y: Floats, states: Ints, u: Floats) -> ImpactOutcome:
        """Return what an impact does; a hop must last a billionth of a step, as all that is told apart."""
        from veridyn.solver.integrators.kernels.series import AT_ONCE

        mode, step = self.tables.mode(states), self.tables.draft(states).step
        return impact(self.tables.mechanics, mode, y, u, step, AT_ONCE)

    def _refuse_more(self, count: int, most: int, t: float, what: str = "events") -> None:
        if count > most:
            raise SolverFailure(
                f"{self.problem.name}: more than {most} {what} before t = {t:.9g} s; they accumulate "
                f"(Zeno), or raise the setting most_{what}"
            )

    def _phase(self, t: float, drive: Any) -> Floats:
        """Return the phase, the state left out."""
        from veridyn.solver.integrators.kernels.series import drive_at

        phase = np.zeros(self.tables.selection.shape[1])
        phase[0] = 1.0
        drive_at(t, drive.waves, drive.polynomials, 1 + self.start.size, phase)
        return phase

    def _decided(self, t: float, now: EventState) -> ConsistentStates:
        result = self.transitions.find(now)
        if result is None:
            jams = "; friction may jam a rigid stop (Painlevé)" if self.tables.mechanics.jams.any() else ""
            what = "no state of stops and frictions is consistent"
            raise SolverFailure(f"{self.problem.name}: {what} at t = {t:.9g} s{jams}")
        return result


def _doubled(part: Any) -> Any:
    return np.concatenate((part, np.empty_like(part)))


def _drive(forcing: Forcing, width: int) -> Any:
    polynomials = np.zeros((len(forcing.polynomials), 1 + width))
    for row, p in zip(polynomials, forcing.polynomials, strict=True):
        row[0], row[1 : 1 + len(p.coefficients)] = p.origin, p.coefficients
    waves = np.array([(w.amplitude, w.omega, w.phase) for w in forcing.waves]).reshape(-1, 3)
    return Drive(waves, polynomials)


@dataclass(frozen=True, eq=False)
class _Solved:
    """A problem as it was solved, by which computation, and what came out."""

    problem: MechanicalProblem
    prepared: ExactComputation
    motion: ExactMotion
    response: Response


@dataclass(frozen=True)
class ExactSolver:
    """Exact up to rounding between events, events located to the last bits."""

    name: str = "exact"
    version: str = version("veridyn")
    capabilities: frozenset[str] = MECHANICAL | {"friction:regularised", "friction:two-tangents", FORWARD}
    schemes: tuple[str, ...] = ("series",)
    claims: Mapping[str, Any] = field(default_factory=lambda: {"digits": 12})
    families: frozenset[str] = frozenset(FAMILIES)

    def solve_many(self, family: str, parameters: Columns, threads: int) -> Columns:
        """Return the quantities of many problems of a family in closed form: arrays (n,) for parameters (n,)."""
        return FAMILIES[family](parameters, threads)

    @property
    def settings(self) -> dict[str, str]:
        """Meaning of every setting."""
        return described(ExactControls)

    def warm_up(self, settings: Mapping[str, Any]) -> None:  # noqa: ARG002 - one kernel for all settings
        """Compile the kernel (or load it from the cache) so that timings do not contain it."""
        _compiled()

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response at the output instants and the events.

        Raises
        ------
        NotImplementedError
            If the problem is not expressible; see `reduction.refuse`.
        SolverFailure
            See `ExactComputation.run`.
        """
        return self._solve(problem, settings).response

    def solve_tangent(
        self, problem: MechanicalProblem, tangent: Tangent, settings: Mapping[str, Any]
    ) -> Differentiated:
        """Return the response and its derivative along a tangent, see `exact.tangents`; raises as `solve` does.

        NotImplementedError also for a number that it does not differentiate by, and for events without a derivative.
        """
        return self.differentiate(problem, tangent, settings)

    def differentiate(
        self,
        problem: MechanicalProblem,
        tangent: Tangent,
        settings: Mapping[str, Any],
        without: Collection[Term] = (),
    ) -> Differentiated:
        """Return what `solve_tangent` does, of which terms may be left out on purpose."""
        # late: SymPy names the numbers of a problem
        from veridyn.solver.exact.history_slopes import differentiate_response
        from veridyn.solver.exact.tangents import ExactTangent

        solved = self._solve(problem, settings)
        prepared, stated = solved.prepared, solved.problem
        slopes = ExactTangent(
            stated, prepared.tables, prepared.forcings, prepared.drives, solved.motion, tangent, frozenset(without)
        )
        slopes.march()
        return Differentiated(solved.response, differentiate_response(solved.response, slopes))

    def _solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> _Solved:
        controls = read_controls(ExactControls, settings, self.schemes)
        if controls.tangential_stiffness:
            problem = regularised(problem, controls.tangential_stiffness)
        prepared = _KNOWN.pop(problem, None) or ExactComputation(problem)  # nobody else has it meanwhile
        motion = prepared.run(prepared.outputs, controls, prepared.near)
        unsure = 0 if motion.stopped else _undetermined(problem, prepared, motion, controls)
        response = _response(prepared, motion, unsure)
        _KNOWN[problem] = prepared
        if motion.stopped:
            raise Interrupted(f"{self.name} was interrupted at t = {motion.reached:.6g} s", response)
        return _Solved(problem, prepared, motion, response)


@cache
def _compiled() -> None:
    """Solve something once in a process."""
    zero = np.zeros(1)
    problem = MechanicalProblem(
        name="warm-up", mass=np.eye(1), initial_displacement=zero, initial_velocity=zero, end=1.0
    )
    SOLVER.solve(problem, {})


def _undetermined(
    problem: MechanicalProblem, prepared: ExactComputation, motion: ExactMotion, controls: ExactControls
) -> int:
    """Return at how many outputs rounding decides: masses and gaps greater by that of all events move a ninth digit.

    Impacts on rigid stops magnify what rounding leaves of their instants, elastic ones without end. Digits are those
    of the largest displacement; what follows a failure counts.
    """
    if not prepared.rigid:
        return 0
    # Both motions are exact for data that differ by rounding. Where they part, the data do not determine the
    # digits that are reported, whatever the arithmetic: an experiment in place of a condition number, which
    # events make hard to write down.
    rounding = (OTHERS + motion.events + len(motion.impacts)) * ROUNDING
    n, at_output = prepared.tables.mechanics.own, ~motion.begins
    times, x = motion.rows.times[at_output], motion.rows.states[at_output, :n]
    try:
        other = ExactComputation(_greater(problem, 1 + rounding)).run(times, controls)
    except SolverFailure:
        return len(x)
    y = other.rows.states[~other.begins, :n]
    apart = np.abs(x[: len(y)] - y).max(axis=1, initial=0.0)
    return len(x) - int(np.count_nonzero(apart <= UNSURE * np.abs(x).max(initial=0.0)))


def _greater(problem: MechanicalProblem, factor: float) -> MechanicalProblem:
    """Return the problem with other masses, and gaps of its rigid stops; all that is computed from them differs too."""
    stops = tuple(replace(stop, gap=stop.gap * factor) if stop.rigid else stop for stop in problem.stops)
    if problem.modes is not None:
        modes = replace(problem.modes, masses=np.asarray(problem.modes.masses) * factor)
        return replace(problem, modes=modes, stops=stops)
    return replace(problem, mass=np.asarray(problem.mass) * factor, stops=stops)


def _response(prepared: ExactComputation, motion: ExactMotion, unsure: int) -> Response:
    problem, tables, (times, states, _) = prepared.problem, prepared.tables, motion.rows
    n, mechanics, flows, forcings = problem.size, tables.mechanics, tables.flows, prepared.forcings
    elements = LazyMapping(lambda: histories(problem, mechanics, flows, forcings, times, states, motion.modes))
    counters = {"steps": motion.steps, "events": motion.events - 1, "ambiguous": motion.ambiguous}
    if prepared.rigid:
        counters |= {"impacts": len(motion.impacts), "settled": motion.short, "undetermined": unsure}

    def instants() -> dict[str, Floats]:
        begins = motion.begins
        return event_instants(mechanics, tables.arrays.states[motion.modes[begins]], times[begins], motion.impacts)

    x, v = (mechanics.restored(part) for part in (states[:, :n], states[:, n:]))
    return Response(times, x, v, elements, counters, LazyMapping(instants))


# What has been solved: a problem does not change, and its equations need not be written twice.
_KNOWN: WeakKeyDictionary[MechanicalProblem, ExactComputation] = WeakKeyDictionary()

SOLVER = ExactSolver()
