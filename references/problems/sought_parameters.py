"""Parameters that are not given: sought, as that for which an expression is zero at an event, or computed from others.

Every trial of a parameter that is sought follows the motion again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from flint import arb, ctx
from sympy import Expr

from veridyn.references.deadline import Depth, check_time
from veridyn.references.engine.enclosure import Undecided, ball, per_bits, precision, sign
from veridyn.references.engine.jets import Ball, rooted
from veridyn.references.engine.motion import followed
from veridyn.references.parameters import ParameterSet, exact
from veridyn.references.problems.hybrid_run import PhaseCache, find_phase
from veridyn.references.problems.hybrid_system import HybridSystem, ParameterView

COARSE = 96  # bits of the secant
GAINED = 16  # bits at least, with each step along one slope
CLOSE = arb(2) ** -40  # of a number: a last step of the secant
NUDGE = arb(2) ** -12  # of a number: to the second one of a secant
MOST_TRIES = 30


@dataclass(frozen=True, eq=False)
class EventParameter:
    """A parameter for which an expression is zero at an event.

    It is sought near a number, or near its value in the problem, in motions that a kind of system follows.
    """

    name: str
    zero: Expr
    event: tuple[str, int]
    near: str = ""
    follow: Callable[..., HybridSystem] = HybridSystem

    def describe(self) -> str:
        """Say for a reader what the parameter is."""
        name, number = self.event
        return f"a value of {self.name} makes {self.zero} zero at {name} {number} (another value may do so, too)"

    def find(self, problem: Any, o: ParameterSet, /) -> Mapping[str, Ball]:
        """Return the parameter by its name, with its derivatives where a parameter has some."""
        return {self.name: _solution(problem, self, o)}

    def off(self, problem: Any, o: ParameterSet, trial: Ball) -> Ball:
        """Return the expression at the event, for a trial."""
        system = self.follow(problem, (), None, {self.name: trial})
        run = PhaseCache(followed(system.first(o), system.following(o), system.end(o)))
        ended = find_phase(run, *self.event)
        return system.values((self.zero,), system.named(o, ended.end, ended.phase.at(ended.end)))[0]


@dataclass(frozen=True, eq=False)
class DependentParameters:
    """Parameters that a function gives, from the others as attributes that are balls."""

    compute: Callable[[Any], Mapping[str, Ball]]

    def find(self, _problem: Any, o: ParameterSet, /) -> Mapping[str, Ball]:
        """Return the parameters by name."""
        return _depend(self, o)


@per_bits
def _depend(parameters: DependentParameters, o: ParameterSet) -> Mapping[str, Ball]:
    return parameters.compute(ParameterView(o, ball))


@per_bits
def _solution(problem: Any, sought: EventParameter, o: ParameterSet) -> Ball:
    """Return what is sought, with its derivatives where a parameter has some."""
    root = _between(problem, sought, o.plain)
    if not o.varied:
        return root
    return rooted(root, partial(sought.off, problem, o))


@per_bits
def _between(problem: Any, sought: EventParameter, o: ParameterSet) -> arb:
    """Return an interval in which what is sought lies, since the expression has different signs at its ends.

    In between it is continuous: the motion is followed from the whole interval to the event.
    """
    # Chord steps with one slope only propose a place; nothing is proved by them. The proof is Bolzano's: the
    # expression has different signs at both ends. It is continuous between, since the motion was followed from the
    # whole interval: the same guards fell in the same order, each through a simple root, whose instant depends
    # continuously on the parameter.
    here, rate = _near(problem, sought, o)
    for _ in range(2 + ctx.prec // GAINED):
        check_time("a chord step to", sought.name, depth=Depth.TRIAL)
        result = sought.off(problem, o, here)
        here = (here - result / rate).mid()
        if not sign(result):
            break  # nothing more is known of what is off
    reach = (4 * result.rad() / abs(rate)).mid() + abs(here) * arb(2) ** (8 - ctx.prec)
    for _ in range(MOST_TRIES):
        low, high = (here - reach).mid(), (here + reach).mid()
        if sign(sought.off(problem, o, low)) * sign(sought.off(problem, o, high)) < 0:
            sought.off(problem, o, low.union(high))
            return arb(low.union(high))
        reach = 256 * reach
    raise Undecided(f"no {sought.name} is found at which {sought.zero} changes its sign")


@lru_cache(maxsize=64)
def _near(problem: Any, sought: EventParameter, o: ParameterSet) -> tuple[arb, arb]:
    """Return an exact number next to what is sought, and the slope there, by the secant."""
    with precision(COARSE):
        before = ball(exact(sought.near or str(problem.parameters[sought.name]))).mid()
        here, last = (before * (1 + NUDGE)).mid(), sought.off(problem, o, before)
        for _ in range(MOST_TRIES):
            check_time("the secant for", sought.name, depth=Depth.TRIAL)
            off = sought.off(problem, o, here)
            rate = ((off - last) / (here - before)).mid()
            before, here, last = here, (here - off / rate).mid(), off
            if abs(here - before) < abs(here) * CLOSE:
                return here, rate
    raise Undecided(f"the secant finds no {sought.name}: begin nearer to it")
