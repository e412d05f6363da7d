"""The second route of the driven oscillator with a stop: Taylor series of what the stop sees.

u = y - gap obeys one linear equation per phase with sine and cosine as states; in contact it gains -kc/m u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.impact_phases import Law

U, RATE, SINE, COSINE, ONE = range(5)


@dataclass(frozen=True)
class Followed:
    """What Taylor series find: touches and releases (s), largest penetration (m) of each contact, the last state."""

    instants: tuple[mpf, ...]
    peaks: tuple[mpf, ...]
    time: mpf
    state: taylor.State


def rows(flight: Law, gap: mpf, kappa: mpf) -> taylor.Rows:
    """Return the rows of the equation in flight (kappa = 0) or in contact (kappa = kc/m)."""
    W, S, w2 = flight.Omega, flight.S, flight.omega**2
    return (
        ((RATE, mpmath.mpf(1)),),
        (
            (U, -w2 - kappa),
            (RATE, -2 * flight.beta),
            (SINE, flight.A + (w2 - W**2) * S),
            (COSINE, 2 * flight.beta * S * W),
            (ONE, -w2 * gap),
        ),
        ((COSINE, W),),
        ((SINE, -W),),
        (),
    )


def follow(flight: Law, gap: mpf, kappa: mpf, until: mpf) -> Followed:
    """Follow the motion from rest, from event to event."""
    zero, one = mpmath.mpf(0), mpmath.mpf(1)
    time, state = zero, (-gap, flight.S * flight.Omega, zero, one, one)
    instants: list[mpf] = []
    peaks: list[mpf] = []
    while time < until:
        stiffness = kappa if len(instants) % 2 else zero
        top = -gap
        for solution in _steps(rows(flight, gap, stiffness), state, until - time, flight, stiffness):
            end = solution.end()
            crossed = end[U] > 0 if not stiffness else end[U] < 0
            lapse = taylor.crossing(solution, U) if crossed else solution.step
            if stiffness and solution.coefficients[0][RATE] > 0 > end[RATE]:
                top = max(top, solution.of(U, taylor.crossing(solution, RATE)))  # a slow contact turns several times
            time, state = time + lapse, solution.at(lapse) if crossed else end
            if crossed:
                state = (zero, *state[1:])
                instants.append(time)
                peaks += [top] if stiffness else []
                break
    return Followed(tuple(instants), tuple(peaks), until, state)


def _steps(
    equation: taylor.Rows, state: taylor.State, span: mpf, flight: Law, stiffness: mpf
) -> Iterator[taylor.Series]:
    """Yield the series of steps of a third of a radian of the fastest motion, up to the end of the span."""
    longest = 1 / (3 * max(mpmath.sqrt(flight.omega**2 + stiffness), flight.Omega))
    while span > 0:
        step = min(longest, span)
        solution = taylor.series(equation, state, step)
        yield solution
        span, state = span - step, solution.end()
