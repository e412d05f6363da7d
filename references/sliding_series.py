"""The rubbing mass once more, by Taylor series in physical units: the second route of its references.

State: 1, sin ωt, cos ωt, relative velocity, path slid. Steps end on the quarters of the
period, which hold every peak of the acceleration, so that no slip, however short, falls between two looks.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact
from veridyn.references.sliding_phases import SIGNS, Block, PhaseKind, events, half_periods, path_slid

FOLLOWED = 100  # half periods that the series follow; a longer motion repeats itself or nearly so
SINE, VELOCITY, PATH = 1, 3, 4

Events = tuple[tuple[mpf, PhaseKind], ...]


def _rows(block: Block, kind: PhaseKind) -> taylor.Rows:
    """Equations of a phase: the friction force has the sign that opposes the slip."""
    omega, sign = block.omega.mpf(), SIGNS[kind]
    sine = ((2, omega),)
    cosine = ((1, -omega),)
    if kind == "stick":
        return ((), sine, cosine, (), ())
    velocity = ((0, sign * (block.mu * block.g).mpf()), (SINE, -block.a0.mpf()))
    return ((), sine, cosine, velocity, ((VELOCITY, mpmath.mpf(-sign)),))


def _event(block: Block, kind: PhaseKind, solution: taylor.Series) -> mpf | None:
    """Instant within the step at which the phase ends, if it does."""
    end = solution.end()
    if kind == "stick":
        grip = (block.mu * block.g / block.a0).mpf()
        if abs(end[SINE]) <= grip:
            return None
        return taylor.crossing(solution, SINE, mpmath.sign(end[SINE]) * grip)
    return taylor.crossing(solution, VELOCITY) if end[VELOCITY] * SIGNS[kind] > 0 else None


def _next_kind(block: Block, kind: PhaseKind, sine: mpf) -> PhaseKind:
    """Phase that follows: stick if friction can hold the mass, the slip that lags the plane if not."""
    if kind != "stick" and abs(sine) <= (block.mu * block.g / block.a0).mpf():
        return "stick"
    return "slip-" if sine > 0 else "slip+"


@per_precision
def march(block: Block, until: Exact) -> tuple[Events, mpf]:
    """Integrate from 0 to `until`: all phase changes, and the path slid in m."""
    grid = 2 * mpmath.pi / block.omega.mpf() / 4
    t, stop, k = mpmath.mpf(0), until.mpf(), 0
    kind: PhaseKind = "stick"
    state: taylor.State = tuple(map(mpmath.mpf, (1, 0, 1, 0, 0)))
    events: list[tuple[mpf, PhaseKind]] = []
    while t < stop:
        target = min((k + 1) * grid, stop)
        solution = taylor.series(_rows(block, kind), state, target - t)
        lapse = _event(block, kind, solution)
        if lapse is None:
            t, state, k = target, solution.end(), k + 1
            continue
        t += lapse
        one, sine, cosine, _, path = solution.at(lapse)
        kind = _next_kind(block, kind, sine)
        state = (one, sine, cosine, mpmath.mpf(0), path)
        events.append((t, kind))
    return tuple(events), state[PATH]


def _followed(block: Block, end: Exact) -> Exact:
    """Cut a long motion where the series stop following it."""
    if half_periods(block, end) <= FOLLOWED:
        return end
    return Exact(Fraction(FOLLOWED), 1) / block.omega


def followed_events(block: Block, end: Exact) -> list[tuple[mpf, PhaseKind]]:
    """List the phase changes by the series, as far as they go."""
    followed = march(block, _followed(block, end))[0]
    return [*followed, *events(block, end)[len(followed) :]]


def followed_path(block: Block, time: Exact) -> mpf:
    """Give the path slid from 0 to `time` in m by the series, as far as they go."""
    cut = _followed(block, time)
    return march(block, cut)[1] + path_slid(block, time) - path_slid(block, cut)
