"""Faults of derivatives: a term left out, turned round or taken from another event, in two ways to compute them.

Each has what the judgement is to say of it, and the case and parameter on which it shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from veridyn.problem.extended import Term
from veridyn.validation_cases.judgement.missing_terms import ZERO

from ..fault import Fault, Host
from ..hosts.gradients import (
    STEPPING,
    VARIATIONAL,
    Floats,
    GradientSolver,
    Leg,
    Passage,
    Rule,
    follow_guard,
    map_slopes,
    rate,
)
from ..hosts.one_body import ONE_BODY

RIGHT_OF_WRONG = "a right derivative of wrong answers"
WIDTH = sympy.Rational(1, 50)  # m: over which a smoothed contact reaches
GRAVITY = sympy.Symbol("g")
STIFFER = sympy.Rational(101, 100)


@dataclass(frozen=True)
class Seed:
    """A fault of the rule, what is said of it, and where it shows."""

    name: str
    what: str
    changes: dict[str, Any]
    said: str
    case: str = "rising_floor"
    parameter: str = "a"
    part: str = "derivative"
    only: str = ""  # the host that has it; empty: both


# ---- wrong parts


def stand_still(_: Passage) -> float:
    """Return no movement."""
    return 0.0


def follow_state_only(p: Passage) -> float:
    """Return the movement of an instant as if the parameter did not stand in the guard."""
    own = replace(p, s=0 * p.s)
    return follow_guard(p) - follow_guard(own)


def go_back(p: Passage) -> float:
    """Return the movement of an instant with the wrong sign."""
    return -follow_guard(p)


def follow_other(p: Passage) -> float:
    """Return the movement of an instant from the guard of another event of the mode."""
    others = [number for number in range(len(p.leg.events)) if number != p.number]
    return follow_guard(replace(p, number=others[0])) if others else follow_guard(p)


def keep_slopes(p: Passage, slopes: Floats, _: float) -> Floats:
    """Return the derivative before an event."""
    return slopes


def map_states_only(p: Passage, slopes: Floats, moves: float) -> Floats:
    """Return the derivative after an event as if the parameter did not stand in the reset."""
    return map_slopes(p, slopes, moves) - map_slopes(p, 0 * slopes, 0.0)


def forget_slopes(p: Passage, slopes: Floats, _: float) -> Floats:
    """Return the derivative after an event as if nothing came before it."""
    return map_slopes(p, 0 * slopes, 0.0)


def go_on(p: Passage, _: Leg) -> Floats:
    """Return rates after an event as they were before it."""
    return p.arriving


def rate_of_states_only(variation: Any, t: float, y: Floats, s: Floats) -> Floats:
    """Return the variational equations as if the parameter did not stand in them."""
    return rate(variation, t, y, s) - rate(variation, t, y, 0 * s)


def start_still(problem: Any, _: Any) -> Floats:
    """Return a start that does not move."""
    return np.zeros(problem.size)


def answer_nothing(slopes: Floats) -> Floats:
    """Return zero in place of a derivative."""
    return 0 * slopes


def pull_harder(problem: Any) -> Any:
    """Return a problem whose forces are a hundredth larger."""
    return _change_rates(problem, lambda _, rate: STIFFER * rate if rate.free_symbols == {GRAVITY} else rate)


def smooth_contact(problem: Any) -> Any:
    """Return a problem whose floor begins to push before it is reached, by its distance."""

    def push(mode: Any, rate: Any) -> Any:
        return rate + 2 * sympy.exp(-mode.events[0].guard / WIDTH) if rate.free_symbols == {GRAVITY} else rate

    return _change_rates(problem, push)


def _change_rates(problem: Any, change: Callable[[Any, Any], Any]) -> Any:
    modes = (replace(mode, rates=tuple(change(mode, rate) for rate in mode.rates)) for mode in problem.modes)
    return replace(problem, modes=tuple(modes))


# ---- the table

STILL = {"instant": stand_still}
SEEDS = (
    Seed("instants_stand_still", "Events happen at an instant that does not move.", STILL, Term.INSTANT.value),
    Seed(
        "saltation_left_out",
        "The instants move, and the derivative at an event is that of the jump alone.",
        {"arrives": 0.0, "begins": 0.0},
        Term.SALTATION.value,
    ),
    Seed(
        "arrival_at_fixed_instant",
        "The jump takes the derivative at a fixed instant.",
        {"arrives": 0.0},
        Term.ARRIVAL.value,
    ),
    Seed(
        "rest_of_the_step_as_long",
        "What follows an event begins at a fixed instant.",
        {"begins": 0.0},
        Term.BEGINNING.value,
    ),
    Seed(
        "guard_without_parameter",
        "The guard is differentiated by states alone.",
        {"instant": follow_state_only},
        Term.GUARD.value,
    ),
    Seed(
        "instants_move_back",
        "The derivative of an instant has the wrong sign.",
        {"instant": go_back},
        Term.REVERSED.value,
    ),
    Seed(
        "jump_not_differentiated", "The derivative passes a jump as it is.", {"mapped": keep_slopes}, Term.RESET.value
    ),
    Seed(
        "jump_without_parameter",
        "The jump is differentiated by states alone.",
        {"mapped": map_states_only},
        Term.COEFFICIENT.value,
    ),
    Seed(
        "cut_at_events",
        "The derivative is cut at an event.",
        {"mapped": forget_slopes, "arrives": 0.0, "begins": 0.0},
        Term.MEMORY.value,
    ),
    Seed("zero", "Every derivative is zero.", {"answer": answer_nothing}, ZERO),
    Seed(
        "rates_without_parameter",
        "The rates are differentiated by states alone.",
        {"rate": rate_of_states_only},
        Term.RATES.value,
        parameter="g",
    ),
    Seed("start_stands_still", "The start does not move.", {"start": start_still}, Term.START.value, parameter="h"),
    Seed(
        "stick_remembers",
        "The velocity keeps its derivative where the block sticks.",
        {"instant": stand_still, "mapped": keep_slopes},
        f"{Term.INSTANT.value} and {Term.RESET.value}",
        case="stop_and_go",
        parameter="v0",
    ),
    Seed(
        "wrong_side",
        "The instant is that of the other side of a corner.",
        {"instant": follow_other},
        Term.OTHER.value,
        case="ridge",
        parameter="h",
    ),
    Seed("pulls_harder", "Gravity is one percent too large.", {"restate": pull_harder}, RIGHT_OF_WRONG, parameter="e"),
    Seed(
        "smoothed_contact",
        "The floor pushes before it is reached.",
        {"restate": smooth_contact},
        RIGHT_OF_WRONG,
        parameter="e",
    ),
    Seed(
        "force_does_not_jump",
        "The rates after an event are those just before it.",
        {"leave": go_on},
        Term.JUMP.value,
        only="variational",
    ),
)


def seed(host: GradientSolver, one: Seed) -> Fault:
    """Return a fault of a host."""
    return Fault(one.name, one.part, one.what, lambda _: replace(host, rule=replace(Rule(), **one.changes)))


# Where the same faults show in a solver of mechanical problems: case and parameter.
RIGID, PULLED = "rigid_stop", "pulled_slider"
IN_MECHANICS = (
    ("instants_stand_still", RIGID, "gap"),
    ("saltation_left_out", RIGID, "gap"),
    ("arrival_at_fixed_instant", RIGID, "gap"),
    ("rest_of_the_step_as_long", RIGID, "gap"),
    ("guard_without_parameter", RIGID, "gap"),
    ("instants_move_back", RIGID, "gap"),
    ("jump_not_differentiated", RIGID, "gap"),
    ("jump_without_parameter", RIGID, "e"),
    ("cut_at_events", RIGID, "gap"),
    ("zero", RIGID, "gap"),
    ("rates_without_parameter", RIGID, "m"),
    ("instants_stand_still", PULLED, "F_s"),
    ("force_does_not_jump", PULLED, "F_s"),
    ("stick_remembers", PULLED, "k"),
)


def seeds_of(host: GradientSolver) -> tuple[Seed, ...]:
    """Return what is seeded into a host, with the case on which it shows there."""
    if host is ONE_BODY:
        seeds = {one.name: one for one in SEEDS}
        return tuple(
            replace(seeds[name], name=f"{name}_{case}", case=case, parameter=parameter)
            for name, case, parameter in IN_MECHANICS
        )
    return tuple(one for one in SEEDS if one.only in ("", host.name))


HOSTS = tuple(
    Host(host.name, host, tuple(map(partial(seed, host), seeds_of(host)))) for host in (VARIATIONAL, STEPPING, ONE_BODY)
)
