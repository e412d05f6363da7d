"""From event to event of an initial value problem: guards, resets and modes as the problem states them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.expressions import Expr, text
from veridyn.problem.generated import Functions, Names, accumulated, bound, derivative, functions, slopes
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.responses import Trajectory
from veridyn.solver.event_driven.legs import Integrator, Leg, Legs, until

Floats = NDArray[np.float64]

AT_ZERO = 1e-12  # of the span: a guard that is this near to its zero is at zero
PROBE = 1e-11  # of the span: where the sign just after an event is read
ARMING = 1e-4  # of the span: a guard that starts at zero is looked at no later than this
DIP_ARMING = 1e-6  # of the span: the same for minima of guards
DERIVATIVES = 3  # of guards that are looked at
AT_ONCE = 100  # events at one instant
ACCUMULATED = 1e-8  # of the span: events that accumulate and are so near to their limit have reached it
ROUNDED = 1e-13  # of the span: what lies between events so near to each other is rounding
SHIFT = 2.0**-26  # relative; of a difference quotient


@dataclass(frozen=True, eq=False)
class ModeEquations:
    """A mode with what the driver asks of it beyond its plain functions.

    ``derivatives``: the guards (g,) and their first derivatives along the motion; ``gradient`` (g, n).
    """

    plain: Functions
    derivatives: tuple[Callable[[float, Floats], Floats], ...]
    gradient: Callable[[float, Floats], Floats]

    @classmethod
    def from_problem(cls, problem: InitialValueProblem, name: str) -> ModeEquations:
        """Return the equations of a mode.

        Raises
        ------
        NotImplementedError
            If there are constraints, or events where a mass matrix moves the states.
        """
        mode = problem.mode_of(name)
        if problem.constraints:
            raise NotImplementedError("algebraic constraints: an integrator of ordinary differential equations")
        if mode.events and problem.mass is not None:
            raise NotImplementedError("events of a problem with a mass matrix")
        rows = [tuple(change.guard for change in mode.events)]
        for _ in range(DERIVATIVES):
            rows.append(tuple(derivative(problem, name, guard) for guard in rows[-1]))
        gradient = slopes(Names.from_problem(problem), rows[0])
        return cls(functions(problem, name), tuple(bound(problem, row) for row in rows), bound(problem, gradient))

    @property
    def events(self) -> tuple[Change, ...]:
        """What ends the mode."""
        return self.plain.mode.events

    def rate(self, t: float, y: Floats) -> Floats:
        """Return y' (n,)."""
        rate = self.plain.rhs(t, y)
        return rate if self.plain.problem.mass is None else np.asarray(np.linalg.solve(self.plain.mass(t, y), rate))

    def jacobian(self, t: float, y: Floats) -> Floats:
        """Return the derivatives (n, n) of y'; difference quotients where a mass matrix moves the states."""
        if self.plain.problem.mass is None:
            return self.plain.jacobian(t, y)
        # A forward difference is off by h |f''|/2 and by 2^-52 |f|/h of rounding; both are about equal
        # at h = 2^-26 of the state.
        steps = SHIFT * np.maximum(1.0, np.abs(y))
        here = self.rate(t, y)
        columns = [(self.rate(t, y + shift) - here) / shift[j] for j, shift in enumerate(np.diag(steps))]
        return np.array(columns).T


@dataclass(frozen=True, eq=False, kw_only=True)
class ModeLeg(Leg):
    """A leg of an initial value problem; ``signs`` (g,) turn every guard so that it starts above zero.

    A guard that was ``below`` zero has to rise before it can fall: where it does so no event happens, but a leg ends.
    """

    equations: ModeEquations
    signs: Floats
    below: NDArray[np.bool_]

    @property
    def guards(self) -> int:
        return len(self.equations.events)

    @property
    def expressions(self) -> tuple[Names, tuple[Expr, ...], tuple[Expr, ...]]:
        """Names, rates and guards, for integrators that compile expressions.

        Raises
        ------
        NotImplementedError
            If a mass matrix moves the states.
        """
        plain = self.equations.plain
        if plain.problem.mass is not None:
            raise NotImplementedError("a mass matrix")
        return (
            Names.from_problem(plain.problem),
            plain.mode.rates,
            tuple(change.guard for change in self.equations.events),
        )

    def rate(self, t: float, y: Floats) -> Floats:
        return self.equations.rate(t, y)

    def jacobian(self, t: float, y: Floats) -> Floats:
        return self.equations.jacobian(t, y)

    def guard(self, index: int, t: float, y: Floats) -> float:
        return float(self.signs[index] * self.equations.derivatives[0](t, y)[index])

    def guard_rate(self, index: int, t: float, y: Floats) -> float:
        return float(self.signs[index] * self.equations.derivatives[1](t, y)[index])

    def guards_over(self, times: Floats, states: Floats) -> tuple[Floats, Floats]:
        values = self.signs * self.equations.plain.guards_over(times, states)
        gradient = self.equations.gradient(times[-1], states[-1]).reshape(self.guards, self.state.size)
        return values, np.abs(gradient) @ np.abs(states).max(axis=0)


@dataclass(frozen=True, eq=False)
class GuardSeries:
    """Guards and derivatives (4, g) at an instant; which are at zero, fall at once, are below zero already."""

    rows: Floats
    signs: Floats
    zero: NDArray[np.bool_]
    falls: NDArray[np.bool_]
    below: NDArray[np.bool_]


@dataclass
class _Record:
    """Samples and events in order; at an instant with several the last state counts."""

    times: list[float] = field(default_factory=list)
    states: list[Floats] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    events: dict[str, list[tuple[float, Floats]]] = field(default_factory=dict)

    def sample(self, t: float, y: Floats, mode: str) -> None:
        if self.times and self.times[-1] == t:
            for kept in (self.times, self.states, self.modes):
                kept.pop()
        self.times.append(t)
        self.states.append(y)
        self.modes.append(mode)

    def event(self, name: str, t: float, before: Floats) -> float:
        """Keep an event; return how long after the last one of its name it happens (s)."""
        earlier = self.events[name]
        lapse = t - earlier[-1][0] if earlier else math.inf
        if lapse > 0:
            earlier.append((t, before))
        return lapse

    def left_to_limit(self, name: str) -> float:
        """Return how long the events of a name go on (s), if their lapses shrink as a geometric series; else infinity.

        After a lapse T, the one before being T/r, these are T r + T r² + … = T r/(1 - r).
        """
        times = [t for t, _ in self.events[name][-3:]]
        if len(times) < 3:
            return math.inf
        before, lapse = times[1] - times[0], times[2] - times[1]
        return lapse**2 / (before - lapse) if before > lapse else math.inf

    def trajectory(self, counters: dict[str, float]) -> Trajectory:
        n = self.states[0].size
        return Trajectory(
            time=np.array(self.times),
            states=np.array(self.states),
            events={name: np.array([t for t, _ in result], dtype=float) for name, result in self.events.items()},
            before={name: np.array([y for _, y in result]).reshape(-1, n) for name, result in self.events.items()},
            modes=tuple(self.modes),
            counters=counters,
        )


class ModeDriver:
    """Carries an initial value problem through its modes with an integrator.

    Raises
    ------
    NotImplementedError
        See `ModeEquations.of`.
    """

    def __init__(
        self, problem: InitialValueProblem, integrator: Integrator, *, largest_step: float, most_events: int
    ) -> None:
        self.problem = problem
        self.legs = Legs(problem.name, integrator, most_events)
        self.largest_step = largest_step
        self.span = problem.end - problem.start
        self.modes = {mode.name: ModeEquations.from_problem(problem, mode.name) for mode in problem.modes}
        self.record = _Record(events={name: [] for name in problem.event_names})
        self.zeros: tuple[Expr, ...] = ()  # guards that are known to be at zero now
        self.passed: tuple[Change, ...] = ()  # events that have just happened and changed nothing

    def run(self, outputs: Floats) -> Trajectory:
        """Return the motion at the outputs and the events.

        Raises
        ------
        SolverFailure
            If events do not end, or the integrator gives up.
        """
        t, y, mode = self.problem.start, self.problem.initial_state, self.problem.mode
        goes_on = True  # at the start nothing happens: no guard has changed its sign
        self.record.sample(t, y, mode)
        while goes_on and t < self.problem.end:
            leg = self._leg(t, y, mode, outputs[outputs > t])
            self.zeros, self.passed = (), ()
            arrival, fired = self.legs.advance(leg)
            t, y = arrival.time, arrival.state
            for at, state in zip(leg.outputs, arrival.states, strict=False):
                self.record.sample(at, state, mode)
            if fired is None and t < self.problem.end:
                fired = self._beside_dip(leg, t, y, mode)
            if fired is not None and leg.below[fired]:
                guard = self.modes[mode].events[fired].guard
                self.zeros = (guard, -guard)
                fired = self._beside(leg, t, y, mode)
            if fired is not None:
                mode, y, goes_on = self._happen(self.modes[mode].events[fired], t, y, mode)
                if goes_on:
                    mode, y, goes_on = self._settle(t, y, mode)
            if fired is not None or t >= self.problem.end:
                self.record.sample(t, y, mode)
        return self.record.trajectory(dict(self.legs.counters))

    def _happen(self, change: Change, t: float, y: Floats, mode: str) -> tuple[str, Floats, bool]:
        """Return mode and state after an event, and whether the motion goes on."""
        limit = self.problem.accumulation
        lapse = self.record.event(change.name, t, y)
        # Impacts with a restitution e accumulate: their lapses are a geometric series. Where what is left of it is
        # nothing of the span, the limit is taken as reached. A small lapse alone does not tell: for e = 0.9999 ten
        # thousand times as much is left.
        if limit and limit.event == change.name:
            left = 0.0 if lapse < ROUNDED * self.span else self.record.left_to_limit(change.name)
            if left < ACCUMULATED * self.span:
                return limit.mode, accumulated(self.problem, t, y), True
        place = self.modes[mode].events.index(change)
        after = self.modes[mode].plain.reset(change.name, t, y)
        self._check_reset(change, after, t)
        values = [self.modes[mode].plain.guards(t, state)[place] for state in (y, after)]
        self.zeros = (change.guard, -change.guard) if values[0] == values[1] else ()
        stays = np.array_equal(after, y) and change.mode in ("", mode)
        self.passed = (*self.passed, change) if stays else ()
        return change.mode or mode, after, not change.terminal

    def _check_reset(self, change: Change, after: Floats, t: float) -> None:
        """Raise SolverFailure where a reset leads out of its domain."""
        for name, value in zip(self.problem.unknowns, after, strict=True):
            if name in change.reset and not math.isfinite(value):
                raise SolverFailure(
                    f"{self.problem.name}: event {change.name} at t = {t:.9g} s resets {name} to "
                    f"{text(change.reset[name])}, which has no value there; state a reset that has"
                )

    def _beside_dip(self, leg: ModeLeg, t: float, y: Floats, mode: str) -> int | None:
        """Return the guard that falls where a leg was ended at the minimum of another; None if none does."""
        # Both functions pass zero at once, as where a pendulum turns; the integrator names one of them. At the start of
        # the next leg the guard is at zero, without a sign, so that its fall would never be seen.
        rows = np.array([row(t, y) for row in self.modes[mode].derivatives])
        after = leg.signs * _ahead(rows, PROBE * self.span)
        falls = _at_zero(rows, self.span) & (after < 0) & (t > leg.armed[: leg.guards])
        return int(np.argmax(falls)) if falls.any() else None

    def _beside(self, leg: ModeLeg, t: float, y: Floats, mode: str) -> int | None:
        """Return the event that happens where a guard has come back: another may watch it the other way."""
        falls = self._series(t, y, mode).falls & ~leg.below
        return int(np.argmax(falls)) if falls.any() else None

    def _settle(self, t: float, y: Floats, mode: str) -> tuple[str, Floats, bool]:
        """Let happen what happens at once: guards at zero that fall."""
        for _ in range(AT_ONCE):
            series = self._series(t, y, mode)
            if not series.falls.any():
                return mode, y, True
            mode, y, goes_on = self._happen(self.modes[mode].events[int(np.argmax(series.falls))], t, y, mode)
            if not goes_on:
                return mode, y, False
        raise SolverFailure(f"{self.problem.name}: {AT_ONCE} events at t = {t:.9g} s do not lead on (mode {mode})")

    def _series(self, t: float, y: Floats, mode: str) -> GuardSeries:
        """Return the guards just after an instant, turned so that they fall at their events."""
        equations = self.modes[mode]
        rows = np.array([row(t, y) for row in equations.derivatives])
        zero = _at_zero(rows, self.span) | np.array([change.guard in self.zeros for change in equations.events], bool)
        passed = np.array([c in self.passed and c.direction != 0 for c in equations.events], dtype=bool)
        zero &= ~passed
        rows[0, zero] = 0.0
        # A guard at zero has no sign. Its Taylor polynomial a short time later has one, and it is the sign of the first
        # term that does not vanish, if the time is short beside all constants of the motion.
        after = np.sign(_ahead(rows, PROBE * self.span))
        directions = np.array([change.direction for change in equations.events])
        signs = np.where(directions == 0, np.where(after == 0, 1.0, after), -directions)
        rows *= signs
        return GuardSeries(rows, signs, zero | passed, zero & (signs * after < 0), passed | ~zero & (rows[0] < 0))

    def _leg(self, t: float, y: Floats, mode: str, outputs: Floats) -> ModeLeg:
        series = self._series(t, y, mode)
        armed, below = t + _waits(series, self.span), series.below | series.falls
        return ModeLeg(
            start=t,
            state=y,
            end=self.problem.end,
            outputs=until(outputs, self.problem.end),
            armed=np.concatenate((armed, np.maximum(armed, t + DIP_ARMING * self.span))),
            largest_step=self.largest_step,
            dips=not self.legs.integrator.sees_dips,
            equations=self.modes[mode],
            signs=np.where(below, -series.signs, series.signs),
            below=below,
        )


def _ahead(series: Floats, tau: float) -> Floats:
    """Return the guards after a short time, to third order."""
    return np.asarray(series[0] + series[1] * tau + series[2] * tau**2 / 2 + series[3] * tau**3 / 6)


def _at_zero(series: Floats, span: float) -> NDArray[np.bool_]:
    tau = AT_ZERO * span
    rise = np.abs(series[1]) * tau + np.abs(series[2]) * tau**2 / 2 + np.abs(series[3]) * tau**3 / 6
    return np.asarray(np.abs(series[0]) <= rise)


def _waits(series: GuardSeries, span: float) -> Floats:
    """Return how long each guard is left alone (s): one at zero up to half the time in which it returns there.

    Roots before the instant at which its sign is read are rounding of the first coefficients.
    """
    rows = series.rows
    waits = np.zeros(rows.shape[1])
    for i in np.flatnonzero(series.zero):
        roots = np.roots([rows[3, i] / 6, rows[2, i] / 2, rows[1, i]])
        later = roots.real[(np.abs(roots.imag) <= 1e-12 * np.abs(roots)) & (roots.real > PROBE * span)]
        waits[i] = min(ARMING * span, 0.5 * float(later.min(initial=math.inf)))
    return waits
