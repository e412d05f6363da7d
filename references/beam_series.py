"""The beam on a stop once more, by Taylor series of its modal equations: no exponentials, no eigenvectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references import taylor
from veridyn.references.beam_waves import Beam
from veridyn.references.certified import per_precision

RADIANS_PER_STEP, SAMPLES = 2, 8  # length of a step, samples in it that tell signs


def _followed_rows(b: Beam, closed: bool) -> list[list[tuple[int, mpf]]]:
    """Rows of (q, v, 1, ∫gap dt)."""
    m, shapes = len(b.omegas), b.shapes
    rows = [[(m + i, mpmath.mpf(1))] for i in range(m)]
    for i, w in enumerate(b.omegas):
        row = {i: -(w**2), m + i: -2 * b.xi.mpf() * w}
        if closed:
            for j in range(m):
                row[j] = row.get(j, 0) - b.kc.mpf() * shapes[i] * shapes[j]
            row[2 * m] = -b.kc.mpf() * shapes[i] * b.gap.mpf()
        rows.append(list(row.items()))
    return [*rows, [], [(2 * m, b.gap.mpf()), *enumerate(shapes)]]


@dataclass(frozen=True)
class Followed:
    """What Taylor series find: touch, release, peak and impulse of each contact that is over, and the legs.

    ``legs``: instants at which they begin (s) and series; the last leg ends at T.
    """

    numbers: list[mpf]
    legs: list[tuple[mpf, taylor.Series]]

    def state(self, t: mpf) -> taylor.State:
        """Return the state at an instant up to T."""
        start, series = next(leg for leg in reversed(self.legs) if leg[0] <= t)
        found: taylor.State = series.at(t - start)
        return found


@per_precision
def followed(b: Beam) -> Followed:
    """Follow the beam up to T."""
    end, shapes = b.T.mpf(), b.shapes
    rows = {closed: _followed_rows(b, closed) for closed in (False, True)}
    longest = RADIANS_PER_STEP / mpmath.sqrt(max(b.omegas) ** 2 + 2 * b.kc.mpf() * len(shapes))
    t, closed, touched, peak = mpmath.mpf(0), False, mpmath.mpf(0), mpmath.mpf(0)
    state: taylor.State = (*b.start, mpmath.mpf(1), mpmath.mpf(0))
    numbers: list[mpf] = []
    legs: list[tuple[mpf, taylor.Series]] = []
    while t < end:
        leg = taylor.series(rows[closed], state, min(longest, end - t))
        legs.append((t, leg))
        watched = _gap_series(b, shapes, leg)
        tau = _first_change(watched, 0, -1 if closed else 1)
        peak = max(peak, _peak_within(b, watched, tau or leg.step)) if closed else peak
        state, t = leg.at(tau or leg.step), t + (tau or leg.step)
        if tau:
            numbers += [touched, t, peak, -b.kc.mpf() * state[-1]] if closed else []
            state, touched, peak, closed = (*state[:-1], mpmath.mpf(0)), t, mpmath.mpf(0), not closed
    return Followed(numbers, legs)


def _first_change(watched: taylor.Series, state: int, sign: int) -> mpf | None:
    """Return where a state leaves a sign, by samples; None if it keeps it."""
    for k in range(1, SAMPLES + 1):
        tau = watched.step * k / SAMPLES
        if watched.of(state, tau) * sign < 0:
            return taylor.crossing(watched.shortened(tau), state)
    return None


def _gap_series(b: Beam, shapes: Sequence[mpf], leg: taylor.Series) -> taylor.Series:
    """Return the series of the gap and of its rate."""
    m, gap = len(shapes), b.gap.mpf()

    def both(c: taylor.State) -> taylor.State:
        here = gap * c[2 * m] + mpmath.fsum(s * x for s, x in zip(shapes, c[:m], strict=True))
        return here, mpmath.fsum(s * x for s, x in zip(shapes, c[m : 2 * m], strict=True))

    return taylor.Series(leg.step, tuple(both(c) for c in leg.coefficients))


def _peak_within(b: Beam, watched: taylor.Series, tau: mpf) -> mpf:
    """Return the largest force of a step up to tau (N)."""
    part = watched.shortened(tau)
    instants = [mpmath.mpf(0), tau]
    turn = _first_change(part, 1, int(mpmath.sign(part.of(1, mpmath.mpf(0)))))
    if turn is not None:
        instants.append(turn)
    return max(-b.kc.mpf() * part.of(0, t) for t in instants)
