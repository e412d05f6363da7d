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

LOOKS = 3  # in a step, for an event

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
            crossed = _reaches(solution, U, rising=not stiffness)
            lapse = taylor.crossing(solution.shortened(crossed), U) if crossed else solution.step
            if stiffness and solution.coefficients[0][RATE] > 0 and (turned := _reaches(solution, RATE, rising=False)):
                peak = solution.of(U, taylor.crossing(solution.shortened(turned), RATE))
                top = max(top, peak)  # a slow contact turns several times
            time, state = time + lapse, solution.at(lapse) if crossed else solution.end()
            if crossed:
                state = (zero, *state[1:])
                instants.append(time)
                peaks += [top] if stiffness else []
                break
    return Followed(tuple(instants), tuple(peaks), until, state)


def _steps(
    equation: taylor.Rows, state: taylor.State, span: mpf, flight: Law, stiffness: mpf
) -> Iterator[taylor.Series]:
    """Yield the series of steps of a radian of the fastest motion, up to the end of the span."""
    longest = 1 / max(mpmath.sqrt(flight.omega**2 + stiffness), flight.Omega)
    while span > 0:
        step = min(longest, span)
        solution = taylor.series(equation, state, step)
        yield solution
        span, state = span - step, solution.end()


def _reaches(solution: taylor.Series, state: int, *, rising: bool) -> mpf | None:
    """Return the first third of a step at whose end a state is above zero, or below; None if it is at none."""
    sign = 1 if rising else -1
    thirds = (solution.step * part / LOOKS for part in range(1, LOOKS + 1))
    return next((time for time in thirds if sign * solution.of(state, time) > 0), None)
