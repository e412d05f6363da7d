"""Seeded faults of a solver of initial value problems: guards, resets, modes, invariants, tolerances, its answer.

The host is SciPy's DOP853 carried from event to event by the adapter of veridyn. An event of an expression is damaged
where the problem comes in, so that the driver acts on another guard or reset than the problem states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from veridyn.solver.adapters.scipy_adapter import SOLVER as ADAPTER

from ..fault import Fault, Host, always
from . import tools
from .problem import coarse
from .response import Cached, at_times, grown, noisy, one_late
from .tools import RELATIVE, RESOLUTION, After, Before, Damaged, Problem, Response, Sizes, Standing

SIZES = Sizes(1e-5, 1e-13)
HYBRID = frozenset({"initial-value", "hybrid", "zeno"})


class Scipy:
    """One method of SciPy, which claims errors in proportion to its tolerance."""

    name, version, capabilities = "scipy", ADAPTER.version, HYBRID
    claims, settings = ADAPTER.claims, {"rtol": "relative tolerance", "atol": "absolute tolerance"}
    scheme = "DOP853"

    def refinement(self, problem: Problem) -> Any:
        """Return tolerances from coarse to fine."""
        return ADAPTER.refinement(problem, self.scheme)

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the answer by name."""
        return dict(vars(ADAPTER.solve(problem, {"scheme": self.scheme, **settings})))


SOLVER = Scipy()
fault = partial(tools.fault, SIZES)
Changed = Callable[[Any, float, Problem], Any]

# --- what a problem has ---------------------------------------------------------------------------------------------


def changes(p: Problem) -> list[Any]:
    """Return the events of all modes."""
    return [change for mode in p.modes for change in mode.events]


def has_resets(p: Problem) -> bool:
    """Tell whether a state jumps to what is not zero."""
    return any(value != 0 for change in changes(p) for value in change.reset.values())


def has_modes(p: Problem) -> bool:
    """Tell whether an event changes the mode."""
    return any(change.mode for change in changes(p))


def has_directions(p: Problem) -> bool:
    """Tell whether a guard counts one way only."""
    return any(change.direction for change in changes(p))


def has_time(p: Problem) -> bool:
    """Tell whether the time is in the equations."""
    clock = sympy.Symbol("t")
    return any(clock in e.free_symbols for mode in p.modes for e in (*mode.rates, *(c.guard for c in mode.events)))


# --- the problem misread --------------------------------------------------------------------------------------------


def of_events(change: Changed) -> Before:
    """Return a problem with every event changed."""

    def before(p: Problem, s: float) -> Problem:
        modes = (replace(m, events=tuple(change(c, s, p) for c in m.events)) for m in p.modes)
        return replace(p, modes=tuple(modes))

    return before


def of_rates(change: Changed) -> Before:
    """Return a problem with the rates of every mode changed."""
    return lambda p, s: replace(p, modes=tuple(replace(m, rates=change(m.rates, s, p)) for m in p.modes))


def number(s: float) -> Any:
    """Return a size as an exact number."""
    return sympy.Rational(repr(s))


def larger_reset(c: Any, s: float, _: Problem) -> Any:
    """Return an event whose resets are too large, as with another coefficient of restitution."""
    return replace(c, reset={name: value * (1 + number(s)) for name, value in c.reset.items()})


def late_guard(c: Any, s: float, _: Problem) -> Any:
    """Return an event that happens where its guard has passed zero by an amount."""
    return replace(c, guard=c.guard - (c.direction or 1) * number(s))


def early_guard(c: Any, s: float, p: Problem) -> Any:
    """Return an event that happens before its guard passes zero."""
    return late_guard(c, -s, p)


def drifting(rates: tuple[Any, ...], s: float, p: Problem) -> tuple[Any, ...]:
    """Return rates with a little damping in the last state."""
    return (*rates[:-1], rates[-1] - number(s) * sympy.Symbol(p.states[-1]))


def first_larger(p: Problem, s: float) -> Problem:
    """Return a problem with the first parameter too large."""
    name = next(iter(p.parameters))
    return replace(p, parameters={**p.parameters, name: p.parameters[name] * (1 + number(s))})


def single_parameters(p: Problem, s: float) -> Problem:
    """Return a problem whose parameters are read in a coarse precision."""
    rounded = {name: repr(float(coarse(float(value), s))) for name, value in p.parameters.items()}
    return replace(p, parameters=rounded)


def clock_from_start(p: Problem, _: float) -> Problem:
    """Return a problem whose time is counted from the start of the span."""
    moved = {sympy.Symbol("t"): sympy.Symbol("t") - number(p.start)}
    moved_rates = of_rates(lambda rates, s, p: tuple(rate.xreplace(moved) for rate in rates))
    return of_events(lambda c, s, p: replace(c, guard=c.guard.xreplace(moved)))(moved_rates(p, 0.0), 0.0)


def problem_faults() -> list[Fault]:
    """Return faults in how the problem is read."""

    def misread(
        name: str,
        part: str,
        what: str,
        before: Before,
        touches: Any = always,
        meaning: str = "",
        **size: Any,
    ) -> Fault:
        return fault(name, part, what, lambda s: Damaged(SOLVER, before=before, size=s), touches, meaning, **size)

    relative, shift = RELATIVE, "of the guard, in its unit"
    return [
        misread("reset_too_large", "event", "States are reset to values that are too large.", of_events(larger_reset), has_resets, relative),
        misread("reset_missed", "event", "States are not reset.", of_events(lambda c, s, p: replace(c, reset={})), has_resets),
        misread("guard_late", "event", "Events happen after their guards have passed zero.", of_events(late_guard), changes, shift),
        misread("guard_early", "event", "Events happen before their guards pass zero.", of_events(early_guard), changes, shift),
        misread("direction_ignored", "event", "Guards count whichever way they pass zero.", of_events(lambda c, s, p: replace(c, direction=0)), has_directions),
        misread("mode_change_missed", "event", "Events reset states but do not change the mode.", of_events(lambda c, s, p: replace(c, mode="")), has_modes),
        misread("accumulation_missed", "event", "Impacts that accumulate never end.", lambda p, s: replace(p, accumulation=None), lambda p: p.accumulation),
        misread("damping_added", "method", "The last state loses a part of itself: invariants drift.", of_rates(drifting), always, "rate, per second"),
        misread("rates_too_large", "method", "All rates are too large.", of_rates(lambda rates, s, p: tuple(rate * (1 + number(s)) for rate in rates)), always, relative),
        misread("parameter_too_large", "load", "The first parameter is too large.", first_larger, lambda p: p.parameters, relative),
        misread("parameters_single", "precision", "Parameters are read in single precision.", single_parameters, lambda p: p.parameters, RESOLUTION, size=6e-8),
        misread("initial_too_large", "load", "Initial values are too large.", lambda p, s: replace(p, initial=tuple(e * (1 + number(s)) for e in p.initial)), lambda p: any(p.initial), relative),
        misread("clock_from_start", "load", "The time in the equations is counted from the start of the span.", clock_from_start, has_time),
    ]  # fmt: skip


# --- the answer -----------------------------------------------------------------------------------------------------


def of_states(change: Callable[[Any, float], Any]) -> After:
    """Return an answer with other states."""
    return lambda _, r, s: {**r, "states": change(r["states"], s)}


def every_second(_: Problem, r: Response, __: float) -> Response:
    """Return an answer on straight lines between every second sample."""
    t, sound = r["time"], np.append(np.arange(0, r["time"].size - 1, 2), r["time"].size - 1)
    return {**r, "states": at_times(t[sound], r["states"][sound], t)}


def before_as_after(_: Problem, r: Response, __: float) -> Response:
    """Return an answer whose states before events are those after."""
    return {**r, "before": {name: r["states"][np.searchsorted(r["time"], at)] for name, at in r["events"].items()}}


def next_sample(_: Problem, r: Response, __: float) -> Response:
    """Return an answer whose events are told at the next sample."""
    time = r["time"]
    late = {
        name: np.unique(time[np.minimum(np.searchsorted(time, at) + 1, time.size - 1)])
        for name, at in r["events"].items()
    }
    return {**r, "events": late, "before": {}}


def last_event_lost(_: Problem, r: Response, __: float) -> Response:
    """Return an answer without the last event of each name."""
    return {
        **r,
        "events": {name: at[:-1] for name, at in r["events"].items()},
        "before": {name: y[:-1] for name, y in r["before"].items()},
    }


def has_jumps(p: Problem) -> bool:
    """Tell whether states jump at an event."""
    return any(change.reset for change in changes(p))


ROUNDED = (
    "The card says at which tolerance errors stop following it; who claims neither tolerance nor digits may write so "
    "few, and they are within every criterion."
)


def answer_faults() -> list[Fault]:
    """Return faults in how the answer is written."""

    def written(
        name: str,
        what: str,
        after: After,
        touches: Any = always,
        meaning: str = "",
        part: str = "output",
        **size: Any,
    ) -> Fault:
        return fault(name, part, what, lambda s: Damaged(SOLVER, after=after, size=s), touches, meaning, **size)

    return [
        written("states_too_large", "States are written too large.", of_states(grown), meaning=RELATIVE),
        written("states_late", "States are those of the sample before.", of_states(one_late)),
        written("states_single", "States are written in single precision.", of_states(coarse), meaning=RESOLUTION, part="precision", size=6e-8, unclaimed=ROUNDED),
        written("states_noise", "States carry noise that differs from run to run.", of_states(noisy), meaning="part of the largest value"),
        written("states_interpolated", "States lie on straight lines between every second sample.", every_second),
        written("before_as_after", "States before events are those after.", before_as_after, has_jumps),
        written("events_late", "Events are told at the next sample.", next_sample, changes),
        written("last_event_lost", "The last event is not told.", last_event_lost, changes),
    ]  # fmt: skip


# --- tolerances and what is left ------------------------------------------------------------------------------------


class Loose(Standing):
    """A solver that takes another relative tolerance than it is given."""

    def __init__(self, solver: Any, tolerance: Callable[[float], float]) -> None:
        super().__init__(solver)
        self.tolerance = tolerance

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the answer at the other tolerance."""
        rtol = float(settings.get("rtol", 1e-9))
        return dict(
            self.solver.solve(problem, {**settings, "rtol": self.tolerance(rtol), "atol": self.tolerance(rtol) / 100})
        )


class Stale(Standing):
    """A solver that keeps a part of the last state of an earlier solve."""

    def __init__(self, solver: Any, size: float) -> None:
        super().__init__(solver)
        self.size, self.last = size, np.zeros(0)

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the answer from initial values that are not quite those of the problem."""
        start = problem.initial_state
        rest = self.last if self.last.size == start.size else 0 * start
        answer: Response = dict(
            self.solver.solve(replace(problem, initial=tuple((start + self.size * rest).tolist())), settings)
        )
        self.last = answer["states"][-1]
        return answer


def run_faults() -> list[Fault]:
    """Return faults of tolerances, and of what one solve leaves for the next."""
    return [
        fault("tolerance_loose", "method", "The relative tolerance is a multiple of what is asked for.", lambda s: Loose(SOLVER, lambda rtol: s * rtol), meaning="factor", size=1e4, smallest=1.0),
        fault("tolerance_fixed", "method", "The tolerance that is asked for does not arrive.", lambda _: Loose(SOLVER, lambda _: 1e-5)),
        fault("tolerance_root", "method", "The tolerance is the root of what is asked for.", lambda _: Loose(SOLVER, lambda rtol: rtol**0.5)),
        fault("state_left", "state", "A part of the last state of an earlier solve is left.", lambda s: Stale(SOLVER, s), meaning="part of the last state"),
        fault("answer_cached", "state", "The answer is kept by name and settings of a problem.", lambda _: Cached(SOLVER)),
    ]  # fmt: skip


HOSTS = (Host(SOLVER.name, SOLVER, (*problem_faults(), *answer_faults(), *run_faults())),)
