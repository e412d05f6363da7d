"""Taylor series of linear systems y' = A y: the second route of all references.

Friction with one sign, a mass in contact or in flight, a driven chain: each phase is linear, and its
loads satisfy linear equations themselves (sine and cosine, powers of time). Carrying the loads as
states makes the system autonomous, and its series needs nothing but multiplications: no closed form,
no modes, no trigonometric function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references.certified import halve_until

Rows = Sequence[Sequence[tuple[int, mpf]]]  # the non-zero entries (column, value) of each row of A
State = tuple[mpf, ...]


@dataclass(frozen=True)
class Series:
    """Solution on one step of length `step`: `coefficients[j][i]` multiplies (time/step)^j in state i."""

    step: mpf
    coefficients: tuple[State, ...]

    def at(self, time: mpf) -> State:
        """Evaluate all states at a time counted from the start of the step."""
        return tuple(self.of(i, time) for i in range(len(self.coefficients[0])))

    def of(self, state: int, time: mpf) -> mpf:
        """Evaluate one state."""
        x, value = time / self.step, mpmath.mpf(0)
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient[state]
        return value

    def end(self) -> State:
        """Evaluate all states at the end of the step."""
        return tuple(map(sum, zip(*self.coefficients, strict=True)))

    def shortened(self, time: mpf) -> Series:
        """Return the series over the first part of the step."""
        ratio = time / self.step
        return Series(time, tuple(tuple(x * ratio**k for x in c) for k, c in enumerate(self.coefficients)))


def series(rows: Rows, start: State, step: mpf) -> Series:
    """Expand the solution of y' = A y from `start` until the terms vanish at the current precision."""
    terms, small = [start], mpmath.eps * max(map(abs, start))
    quiet = 0
    while quiet < 3:  # single terms vanish by symmetry; three in a row do not
        factor = step / len(terms)
        last = terms[-1]
        terms.append(tuple(factor * mpmath.fdot((a, last[j]) for j, a in row) for row in rows))
        quiet = quiet + 1 if max(map(abs, terms[-1])) <= small else 0
    return Series(step, tuple(terms))


def advance(rows: Rows, start: State, duration: mpf, longest: mpf) -> State:
    """Carry the solution over `duration` in equal steps not above `longest`."""
    steps = max(1, int(mpmath.ceil(duration / longest)))
    state = start
    for _ in range(steps):
        state = series(rows, state, duration / steps).end()
    return state


def crossing(solution: Series, state: int, offset: mpf = 0) -> mpf:
    """Locate where a state leaves the sign that it has just after the start, within the step.

    `offset` is subtracted from the state. The caller knows that the sign at the end of the step
    differs; a zero at the very start (the event before) is not the one sought.
    """

    def value(time: mpf) -> mpf:
        return solution.of(state, time) - offset

    end_sign = mpmath.sign(value(solution.step))
    low = halve_until(lambda time: value(time) * end_sign < 0, solution.step / 2, name="crossing")
    high = 2 * low
    tolerance = 4 * mpmath.eps * solution.step
    return mpmath.findroot(
        value, (low, high), solver="anderson", tol=tolerance, maxsteps=4 * mpmath.mp.prec, verify=False
    )
