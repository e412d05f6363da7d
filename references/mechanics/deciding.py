"""Which mode holds from an instant on: the one whose bounds all hold just after, proved to be the only one.

Every element has candidates among its places. A combination of them is consistent if none of its bounds is below zero
just after the instant: the first Taylor coefficient that is not zero along the motion of that very combination is
positive. That is complementarity of accelerations and forces, of their rates, and so on. No combination is chosen
because it comes first: where two are consistent, or none, nothing is said of the motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod

from sympy import Expr, Symbol

from veridyn.references.algebra import vanishes
from veridyn.references.engine.enclosure import Absent, Undecided, sign
from veridyn.references.engine.jets import Ball, value
from veridyn.references.mechanics.assembly import MechanicalMode, MechanicalMotion, ModeKey
from veridyn.references.mechanics.elements import Element, Place
from veridyn.references.problems.hybrid_modes import TIME, differentiate_along

MOST_COMBINATIONS = 64
DEEPEST = 8  # derivatives of a bound that may vanish together


@dataclass(frozen=True, eq=False)
class Instant:
    """The state at an instant: balls by name, and what is exact of them as formulas in other states."""

    time: Ball
    enclose: Callable[[Expr], Ball]
    exact: Callable[[Expr], Expr]  # puts in the parameters, and what is exact of the states
    symbols: frozenset[Symbol]  # of states, parameters and the time

    def sign(self, expression: Expr) -> int:
        """Return the sign of an expression, 0 where it is zero exactly; raises `Undecided`."""
        side = sign(self.enclose(expression))
        if side or vanishes(self.exact(expression)):
            return side
        raise Undecided(f"whether {expression} is zero at t = {float(value(self.time)):.9g} s")

    def side(self, mode: MechanicalMode, expression: Expr) -> int:
        """Return the sign of an expression just after the instant, in a mode; 0 where it stays zero."""
        for _ in range(DEEPEST):
            side = self.sign(expression)
            if side:
                return side
            expression = differentiate_along(expression, mode.states, mode.rates)
        return 0

    def stays(self, mode: MechanicalMode, expression: Expr) -> bool:
        """Tell whether an expression is proved to stay zero from the instant on, as long as a mode holds."""
        # The states in the expression, those in their rates and so on are a system of their own. If the time does not
        # enter it and all its rates are zero at the instant, its states are constant (Picard and Lindelöf).
        rates = dict(zip(mode.states, mode.rates, strict=True))
        closed: set[Symbol] = set()
        reached = set(expression.free_symbols)
        while reached - closed:
            closed |= reached
            reached = {symbol for state in closed if state in rates for symbol in rates[state].free_symbols}
        moving = [rates[symbol] for symbol in closed if symbol in rates]
        try:
            return TIME not in closed and not any(map(self.sign, (expression, *moving)))
        except Undecided:
            return False


def choose_mode(
    motion: MechanicalMotion, piece: int, instant: Instant, before: ModeKey | None, event: str
) -> MechanicalMode:
    """Return the mode that holds from an instant on; ``before`` and ``event``: what has ended, if anything.

    Raises
    ------
    Absent
        If no mode, or more than one, is consistent.
    Undecided
        If the precision does not tell.
    """
    drives = motion.frame.drives(piece)
    choices = [
        _candidates(element, instant, drives, None if before is None else before.places[i], event)
        for i, element in enumerate(motion.elements)
    ]
    count = prod(map(len, choices))
    if count > MOST_COMBINATIONS:
        raise Absent(f"{_at(instant)} {count} modes may follow: {MOST_COMBINATIONS} at most are looked at")
    keys = [ModeKey(piece, places) for places in product(*choices)]
    consistent = {key for key in keys if _holds(motion, key, instant)}
    modes = [motion.mode(key) for key in keys if key in consistent and not _yields(motion, key, consistent, instant)]
    if not modes:
        raise Absent(f"{_at(instant)} no mode is consistent with the state{_describe(motion, instant, piece, event)}")
    if len(modes) > 1:
        names = "; or ".join(mode.name for mode in modes)
        raise Absent(f"{_at(instant)} more than one mode may follow: {names}")
    return modes[0]


def _describe(motion: MechanicalMotion, instant: Instant, piece: int, event: str) -> str:
    """Return what has led to an instant, and which elements have forces without a formula there."""
    drives = motion.frame.drives(piece)
    singular = [
        f"; {element.name} would begin to slide from rest in two directions, for which no formula is there"
        for element in motion.elements
        for place in element.places
        if place.moves is not None and not instant.sign(place.moves.xreplace(drives))
    ]
    return (f" after {event}" if event else "") + "".join(singular)


def _at(instant: Instant) -> str:
    return f"at t = {float(value(instant.time)):.9g} s"


def _candidates(
    element: Element, instant: Instant, drives: Mapping[Symbol, Expr], before: int | None, event: str
) -> list[int]:
    """Return the places in which an element may be, by the state alone."""
    if len(element.places) == 1:
        return [0]
    if element.stays and before is not None:
        ended = any(bound.event == event for bound in element.places[before].bounds)
        if not ended:
            return [before]
        return [i for i, place in enumerate(element.places) if i != before and _fits(place, instant, drives)]
    result = [i for i, place in enumerate(element.places) if _fits(place, instant, drives)]
    if before is None:
        result = [i for i in result if all(instant.sign(e.xreplace(drives)) == 0 for e in element.places[i].starts)]
    return result


def _fits(place: Place, instant: Instant, drives: Mapping[Symbol, Expr]) -> bool:
    """Tell whether the state does not exclude a place: what has to be zero is, and no bound is below zero."""
    zeros = (zero.xreplace(drives) for zero in place.zeros)
    if any(instant.sign(zero) for zero in zeros):
        return False
    if place.moves is not None and not instant.sign(place.moves.xreplace(drives)):
        return False
    bounds = (bound.expression.xreplace(drives) for bound in place.bounds)
    return all(instant.sign(b) >= 0 for b in bounds if b.free_symbols <= instant.symbols)


def _holds(motion: MechanicalMotion, key: ModeKey, instant: Instant) -> bool:
    """Tell whether all bounds of a mode hold just after an instant."""
    mode = motion.mode(key)
    return all(instant.side(mode, guard) >= 0 for guard in mode.guards)


def _yields(motion: MechanicalMotion, key: ModeKey, consistent: set[ModeKey], instant: Instant) -> bool:
    """Tell whether a place of a mode gives way to another, with which the mode is consistent too.

    So friction at rest sticks if its static coefficient can hold it, though the kinetic one would let it slide. And a
    body that touches a stop which does not push, and will not, moves as a free one.
    """
    for i, place in enumerate(motion.places(key)):
        if place.otherwise and _with_place(motion, key, i, place.otherwise) in consistent:
            return True
        if place.idle and _with_place(motion, key, i, place.idle) in consistent and _is_idle(motion, key, i, instant):
            return True
    return False


def _with_place(motion: MechanicalMotion, key: ModeKey, i: int, name: str) -> ModeKey:
    """Return a mode with an element in another place."""
    other = next(k for k, place in enumerate(motion.elements[i].places) if place.name == name)
    return key._replace(places=(*key.places[:i], other, *key.places[i + 1 :]))


def _is_idle(motion: MechanicalMotion, key: ModeKey, i: int, instant: Instant) -> bool:
    """Tell whether the bounds of an element stay zero in a mode."""
    mode, own = motion.mode(key), {bound.event for bound in motion.places(key)[i].bounds}
    guards = [guard for event, guard in zip(mode.events, mode.guards, strict=True) if event.name in own]
    return all(instant.stays(mode, guard) for guard in guards)
