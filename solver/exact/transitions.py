"""Which state of stops and frictions follows an event, where several may.

The forces of elastic stops follow from the state of motion. Those of the frictions at rest solve ``a = A λ + b`` with λ
in the box [-mu N, mu N], A = Wᵀ M⁻¹ W: with equal coefficients of rest and of sliding the acceleration is unique (A is
positive semidefinite), whichever way a consistent state is found. With a higher coefficient of rest it is not: what
sticks could as well slip. The rule: of the consistent states that with the fewest changes from the state before the
event is taken; of several such that in which only changes what could not stay, then that in which more sticks, then
that of the smallest acceleration in the norm of the kinetic energy, then that of the smallest friction forces, then
that whose frictions at rest can hold most. None of these depends on order, scaling or
coordinates.

Source of the conditions: F. Pfeiffer and C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996,
chapters 5 and 6. Of the uniqueness with equal coefficients: J. J. Moreau, Unilateral contact and dry friction in finite
freedom dynamics, CISM Courses 302, Springer 1988.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.event_driven.contact_modes import Grip
from veridyn.solver.exact.tables import Draft, Tables

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Options = list[tuple[int, ...]]

OPEN, CLOSED, RELEASED = 0, 1, 2
STICK, FREE = int(Grip.STICK), int(Grip.FREE)
WIDE = 1e-7  # relative; what is nearer to zero may be on either side of it, as the consistent state will say
RESTING = 1e-12  # relative; a slower sliding velocity is rest
IN_SPAN = 1e-6  # relative; a tangent of which less is free lies in the span of those that stick
ALIKE = 1e-9  # relative; motions that differ less are one
SOON = 1e-2  # of a step: where forces are compared that may begin at zero
MOST_TRIED = 2000  # states that are compared, before the search turns to switching all that is wrong at once
MOST_TURNS = 10  # per element, of such switching


@dataclass(frozen=True, eq=False)
class EventState:
    """What is known at an event: the motion, the states before, the guard that fired (-1: none)."""

    y: Floats
    phase: Floats  # (p,)
    before: Ints
    fired: int


@dataclass(frozen=True, eq=False)
class ConsistentStates:
    """Consistent states, the motion (2n,) freed from rounding, whether another motion had as few changes."""

    states: Ints
    y: Floats
    ambiguous: bool


@dataclass(frozen=True, eq=False)
class Trial:
    """A state, the terms (k, p) of the motion that it makes, and the guards that forbid it (none: consistent)."""

    states: Ints
    draft: Draft
    terms: Floats
    wrong: Ints


class Transitions:
    """Finds the states of stops and frictions that follow an event; ``planes`` (f, 2) press the frictions."""

    def __init__(self, tables: Tables, planes: Ints, series: Any) -> None:
        self.tables, self.planes, self.series = tables, planes, series
        problem = tables.mechanics.problem
        self.size, self.stops = problem.size, len(problem.stops)
        self.metric = np.array(problem.mass)
        self.metric[tables.mechanics.supports] = 0.0

    def pressed(self, closed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which frictions are pressed: by a constant force, or by one of their planes."""
        touched = np.append(closed, False)[self.planes].any(axis=1)  # -1 finds what was appended
        return np.asarray(touched | (self.planes < 0).all(axis=1))

    def find(self, now: EventState) -> ConsistentStates | None:
        """Return the states that follow, None if none is consistent.

        If none is, what is slow is set to rest: it would hop and turn on ways that are rounding.
        """
        return self._sought(self._cleaned(now)) or self._sought(self._cleaned(self._calmed(now)))

    def _calmed(self, now: EventState) -> EventState:
        """Return the instant without the slow motion along rigid stops that are touched and pressed frictions."""
        mechanics, u, before = self.tables.mechanics, self._drive(now), now.before.copy()
        mode, step = self.tables.mode(before), self.tables.draft(before).step
        low, _, hops = mechanics.rounding(mode, now.y, u, step)
        stays = mechanics.rigid & (mechanics.gaps(now.y, u) <= low) & (np.abs(mechanics.gap_rates(now.y, u)) <= hops)
        before[: self.stops][stays] = CLOSED
        slow = mechanics.slow(mode, now.y, u, step) & self.pressed(before[: self.stops] == CLOSED)
        before[self.stops :][slow] = STICK
        return replace(now, before=before, fired=-1)

    def _sought(self, now: EventState) -> ConsistentStates | None:
        """Return the states that follow an instant that is cleaned, None if none is consistent."""
        # The number of states grows as 3^n with the elements, but few differ from the present one in k elements while k
        # is small. So they are tried by k = 0, 1, 2 …, and the first k with a consistent state ends the search. By the
        # same order the rule "as few changes as possible" is kept without comparing all states.
        start = self._tried(now, now.before)
        options = self._touches(now, start), self._grips(now, start)
        violated = set(start.draft.changes[start.wrong, 0].tolist())
        # A friction whose tangent others hold at rest may be called slipping, up or down, without any effect. Such
        # states are right but ambiguous; they count only where there is no other.
        tried, idle = 0, list[Trial]()
        for changes in range(len(now.before) + 1):
            candidates = list(islice(self._changed(now.before, options, changes), MOST_TRIED + 1 - tried))
            tried += len(candidates)
            if tried > MOST_TRIED:
                return self._switched(now, start, options[1])
            right = [t for t in (self._tried(now, states) for states in candidates) if not t.wrong.size]
            sliding = [t for t in right if not self._idle(t.states, t.draft.flow.hold).any()]
            if sliding:
                return self._chosen(now, sliding, violated)
            idle = idle or right
        return self._chosen(now, idle, violated) if idle else None

    def _cleaned(self, now: EventState) -> EventState:
        """Return the instant with what is at rest set to rest, and named so in the states before."""
        # An event leaves velocities of 1e-16 along what has just come to rest, and gaps as small. Their signs
        # are rounding, but guards read signs. So both are projected away first; else the friction would slip in
        # the direction of an error.
        resting = self._resting(now)
        mechanics, n, y, shut = self.tables.mechanics, self.size, now.y.copy(), self._shut(now.before)
        hold = mechanics.held(tuple(np.flatnonzero(resting).tolist()), shut).hold
        back = mechanics.held((), shut).back  # what has been closed is still touched: its gap is what rounding left
        y[:n] -= back @ mechanics.gaps(y, self._drive(now))[list(shut)]
        y[n:] = hold @ y[n:]
        before = now.before.copy()
        held = mechanics.held(tuple(np.flatnonzero(self._stuck(before)).tolist()), shut)
        before[self.stops :][self._idle(before, held.hold)] = STICK
        return replace(now, y=y, before=before)

    def _drive(self, now: EventState) -> Floats:
        """Return the driving functions (channels,)."""
        return np.asarray((self.tables.selection @ now.phase)[1 + now.y.size :])

    def _chosen(self, now: EventState, right: list[Trial], violated: set[int]) -> ConsistentStates:
        """Return the best of consistent states with equally many changes; see the head of this file."""
        ranks = [self._rank(now, trial, violated) for trial in right]
        best = [trial for trial, rank in zip(right, ranks, strict=True) if rank == min(ranks)]
        taken = max(_least(_least(best, self._effort), self._load), key=self._strength)
        return ConsistentStates(taken.states, now.y, any(not self._alike(taken, trial) for trial in right))

    def _tried(self, now: EventState, states: Ints) -> Trial:
        draft, n = self.tables.draft(states), self.size
        p = now.phase.copy()
        p[1 : 1 + n] = now.y[:n]
        p[1 + n : 1 + 2 * n] = draft.flow.hold @ now.y[n:]
        p[[1 + spring for spring in draft.flow.slack]] = 0.0
        terms = self.series.forecast(p, draft.motion)
        # Consistency on the right of the instant: a guard that is zero is judged by its first Taylor coefficient that
        # is not. So one test covers gaps, rates and accelerations (positions, velocities and forces of the
        # complementarity conditions).
        signs = self.series.verdicts(terms, draft.guards, draft.sizes)
        return Trial(states, draft, terms, np.flatnonzero(signs < 0))

    def _idle(self, states: Ints, hold: Floats) -> NDArray[np.bool_]:
        """Tell which frictions slip in name only: others hold them at rest."""
        mechanics = self.tables.mechanics
        slips: NDArray[np.bool_] = np.abs(states[self.stops :]) == 1
        if not slips.any():
            return slips
        result = slips & (mechanics.lengths(mechanics.tangents @ hold) <= IN_SPAN * mechanics.reach)
        result[list(mechanics.springs)] = False
        return np.asarray(result)

    def _rank(self, now: EventState, trial: Trial, violated: set[int]) -> tuple[int, int]:
        """Return what is compared first where states have equally many changes; the least is taken."""
        changed = set(np.flatnonzero(trial.states != now.before).tolist())
        return len(changed - violated), -int(np.count_nonzero(trial.states[self.stops :] == STICK))

    def _effort(self, trial: Trial) -> float:
        """Return the square of the acceleration in the norm of the kinetic energy."""
        a = self._motion(trial, 1)
        return float(a @ self.metric @ a)

    def _load(self, trial: Trial) -> float:
        """Return the square of the friction forces soon after the event, each in the norm of the kinetic energy."""
        phase = SOON ** np.arange(float(len(trial.terms))) @ trial.terms
        forces = trial.draft.flow.friction_forces.rows @ self.tables.selection @ phase
        return float(np.sum((forces * self.tables.mechanics.reach) ** 2))

    def _strength(self, trial: Trial) -> float:
        """Return what the frictions that stick could hold under unit normal forces, in the same norm."""
        mechanics, stuck = self.tables.mechanics, trial.states[self.stops :] == STICK
        return float((mechanics.static * mechanics.reach)[stuck].sum())

    def _motion(self, trial: Trial, order: int) -> Floats:
        """Return a derivative of the velocities just after the event, (n,)."""
        n = self.size
        part = trial.terms[order, 1 + n : 1 + 2 * n] / trial.draft.step**order
        part[self.tables.mechanics.supports] = 0.0
        return np.asarray(part * np.prod(np.arange(1.0, order + 1)))

    def _alike(self, one: Trial, other: Trial) -> bool:
        """Tell whether two trials make the same motion: as far as their first derivatives tell."""
        for order in (1, 2, 3):
            a, b = self._motion(one, order), self._motion(other, order)
            if np.abs(a - b).max() > ALIKE * (np.abs(a).max() + np.abs(b).max()):
                return False
        return True

    def _touches(self, now: EventState, start: Trial) -> Options:
        mechanics = self.tables.mechanics
        gaps, forces = (self._near(start, rows.rows) for rows in (mechanics.gaps, mechanics.pressing))
        leaves = self._leaving(now, start)
        options: Options = []
        for stop, gap, force, off in zip(mechanics.problem.stops, gaps, forces, leaves, strict=True):
            if stop.rigid:
                options.append((OPEN,) if off else (OPEN, CLOSED))
            elif gap > 0:
                options.append((OPEN,))
            elif gap == 0:
                options.append((OPEN, CLOSED, RELEASED) if stop.damping else (OPEN, CLOSED))
            elif not stop.damping or force > 0:
                options.append((CLOSED,))
            else:
                options.append((CLOSED, RELEASED) if force == 0 else (RELEASED,))
        return options

    def _leaving(self, now: EventState, start: Trial) -> NDArray[np.bool_]:
        """Tell which stops are not touched, or not at rest: a rigid one cannot be closed then."""
        mechanics, u = self.tables.mechanics, self._drive(now)
        low, _, hops = mechanics.rounding(self.tables.mode(now.before), now.y, u, start.draft.step)
        moving = np.abs(mechanics.gap_rates(now.y, u)) > hops
        return np.asarray((mechanics.gaps(now.y, u) > low) | (moving & (now.before[: self.stops] != CLOSED)))

    def _near(self, start: Trial, rows: Floats) -> Floats:
        """Return the values of rows, zero where they may be on either side of it."""
        rows = rows @ self.tables.selection
        values = rows @ start.terms.T
        size = np.abs(rows) @ np.abs(start.terms[0]) + np.abs(values[:, 1:]).sum(axis=1)
        return np.where(np.abs(values[:, 0]) <= WIDE * size, 0.0, values[:, 0])

    def _stuck(self, states: Ints) -> NDArray[np.bool_]:
        """Tell which frictions stick rigidly."""
        stuck = states[self.stops :] == STICK
        stuck[list(self.tables.mechanics.springs)] = False
        return np.asarray(stuck)

    def _shut(self, states: Ints) -> tuple[int, ...]:
        """Return the rigid stops that are closed."""
        return tuple(np.flatnonzero((states[: self.stops] == CLOSED) & self.tables.mechanics.rigid).tolist())

    def _resting(self, now: EventState) -> NDArray[np.bool_]:
        """Tell which frictions are at rest because they stuck, or because their sliding has just ended."""
        resting = self._stuck(now.before)
        if now.fired >= 0:
            element, becomes, spring = self.tables.draft(now.before).changes[now.fired]
            if element >= self.stops and becomes == STICK and spring < 0:
                resting[element - self.stops] = True
        return resting

    def _grips(self, now: EventState, start: Trial) -> Options:
        """Return what pressed frictions may do: keep their direction, or anything if they are at rest.

        A sliding velocity is compared with what velocities are within a step: all of them may end at once.
        """
        mechanics, n = self.tables.mechanics, self.size
        glides = mechanics.tangents @ now.y[n:]
        passed = np.abs(start.terms[:, 1 + n : 1 + 2 * n]).sum(axis=0)
        still = (now.before[self.stops :] == STICK) | (np.abs(glides) <= RESTING * (mechanics.glides @ passed))
        still[list(mechanics.springs)] = True
        return [(STICK, -1, 1) if rest else (int(np.sign(glide)),) for rest, glide in zip(still, glides, strict=True)]

    def _changed(self, before: Ints, options: tuple[Options, Options], changes: int) -> Iterator[Ints]:
        """Generate all possible states with so many changes."""
        touches, grips = options
        for touch in product(*touches):
            pressed = self.pressed(np.array(touch) == CLOSED)
            allowed = [(t,) for t in touch] + [g if on else (FREE,) for g, on in zip(grips, pressed, strict=True)]
            stays = [state in choice for state, choice in zip(before.tolist(), allowed, strict=True)]
            free = [i for i, stay in enumerate(stays) if stay and len(allowed[i]) > 1]
            rest = changes - stays.count(False)
            for moved in combinations(free, rest) if 0 <= rest <= len(free) else ():
                yield from self._completed(before, allowed, stays, set(moved))

    def _completed(self, before: Ints, allowed: Options, stays: list[bool], moved: set[int]) -> Iterator[Ints]:
        states = before.tolist()
        choices = [
            (states[i],) if stays[i] and i not in moved else tuple(s for s in allowed[i] if s != states[i])
            for i in range(len(states))
        ]
        for choice in product(*choices):
            yield np.array(choice, dtype=np.int64)

    def _switched(self, now: EventState, trial: Trial, grips: Options) -> ConsistentStates | None:
        """Switch all that is wrong at once, or one after the other where that goes round in circles."""
        seen: set[bytes] = set()
        for _ in range(MOST_TURNS * len(now.before)):
            if not trial.wrong.size:
                return ConsistentStates(trial.states, now.y, True)
            # To switch all that is wrong at once is quick and may go round in circles. To switch the first alone
            # ends for linear complementarity problems with a P-matrix (Murty 1974). Friction under a stop is not of
            # that kind: hence the limit.
            wrong = trial.wrong[:1] if trial.states.tobytes() in seen else trial.wrong
            seen.add(trial.states.tobytes())
            trial = self._tried(now, self._regripped(grips, trial, wrong))
        return None

    def _regripped(self, grips: Options, trial: Trial, wrong: Ints) -> Ints:
        states, changes = trial.states.copy(), trial.draft.changes[wrong]
        states[changes[:, 0]] = changes[:, 1]
        pressed = self.pressed(states[: self.stops] == CLOSED)
        for j, (on, choice) in enumerate(zip(pressed, grips, strict=True), self.stops):
            if not on:
                states[j] = FREE
            elif states[j] == FREE or states[j] not in choice:
                states[j] = choice[0]
        return states


def _least(trials: list[Trial], size: Callable[[Trial], float]) -> list[Trial]:
    """Return the trials whose size is the least, up to rounding."""
    sizes = np.array([size(trial) for trial in trials])
    return [trial for trial, each in zip(trials, sizes, strict=True) if each <= sizes.min() * (1 + ALIKE)]
