"""A beam that falls on an elastic stop, by modal roots in flight and eigenvalues in contact: for beam_stop.

States are amplitudes of the odd modes, their rates, and the gap at rest. Parameters are attributes in mpmath: N, xi,
kc, gap, v0, T.
"""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.second_routes import waves


def _numbers(p: Any) -> range:
    """Return the numbers of the modes that move: odd ones."""
    return range(1, int(p.N) + 1, 2)


def _matrix(p: Any, closed: bool) -> waves.Matrix:
    m, gap = len(_numbers(p)), _row(p)
    result = mpmath.zeros(2 * m + 1)
    for i, n in enumerate(_numbers(p)):
        w = (n * mpmath.pi) ** 2
        result[i, m + i] = mpf(1)
        for j in range(2 * m + 1) if closed else ():
            result[m + i, j] = -p.kc * gap[i] * gap[j]
        result[m + i, i] -= w**2
        result[m + i, m + i] -= 2 * p.xi * w
    return result


def _row(p: Any) -> waves.Matrix:
    """Return the shapes at mid-span, and one for the gap at rest."""
    shapes = [mpmath.sqrt(2) * (-1) ** ((n - 1) // 2) for n in _numbers(p)]
    return mpmath.matrix([[*shapes, *[mpf(0)] * len(shapes), mpf(1)]])


@per_precision
def phases(p: Any) -> tuple[waves.WavePhase, ...]:
    """Return flights and contacts up to T, by sums of exponentials."""
    speeds = [-2 * mpmath.sqrt(2) * p.v0 / (n * mpmath.pi) for n in _numbers(p)]
    start = [*[mpf(0)] * len(speeds), *speeds, p.gap]
    return waves.alternating(lambda closed: _matrix(p, closed), _row(p), start, p.T)


def over(p: Any) -> list[waves.WavePhase]:
    """Return the contacts that are over by T."""
    return [phase for phase in phases(p) if phase.closed and phase.end < p.T]


def touch(p: Any, number: int) -> mpf:
    """Return the instant at which a contact begins (s), counted from 1."""
    return over(p)[number - 1].start


def release(p: Any, number: int) -> mpf:
    """Return the instant at which a contact ends (s)."""
    return over(p)[number - 1].end


def peak(p: Any, number: int) -> mpf:
    """Return the largest force of a contact (N)."""
    return p.kc * over(p)[number - 1].deepest()


@per_precision
def impulse(p: Any, number: int) -> mpf:
    """Return the impulse of a contact (N s)."""
    phase = over(p)[number - 1]
    return -p.kc * phase.gap.integral(phase.end - phase.start)


def mid_span(p: Any, time: mpf) -> mpf:
    """Return the displacement of mid-span at an instant (m)."""
    phase, lapse = waves.holding(phases(p), time)
    return phase.gap(lapse) - p.gap


def energy(p: Any) -> mpf:
    """Return the energy at T (J), of modes and stop."""
    phase, lapse = waves.holding(phases(p), p.T)
    pairs = zip(_numbers(p), phase.states, phase.states[len(_numbers(p)) :], strict=False)
    modal = mpmath.fsum(((n * mpmath.pi) ** 2 * q(lapse)) ** 2 + v(lapse) ** 2 for n, q, v in pairs)
    return (modal + p.kc * min(phase.gap(lapse), mpf(0)) ** 2) / 2
