"""Response spectra of records of acceleration: the largest displacement of damped oscillators, by exact recurrences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.errors import ProblemError
from veridyn.problem.mechanical import Floats
from veridyn.problem.naming import vector
from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import Piecewise

TURN = 2 * math.pi
LARGEST_ANGLE = 0.1  # rad of an oscillator between two looks at its velocity


@dataclass(frozen=True, eq=False)
class ResponseSpectrum:
    """Largest displacements (m), relative to the support, of oscillators of some frequencies (Hz), both (f,).

    ``damping`` is their damping ratio.
    """

    frequencies: Floats
    damping: float
    displacement: Floats

    @property
    def pseudo_velocity(self) -> Floats:
        """Circular frequency times displacement (m/s)."""
        return TURN * self.frequencies * self.displacement

    @property
    def pseudo_acceleration(self) -> Floats:
        """Square of the circular frequency times displacement (m/s²): the largest force of the spring over the mass."""
        return TURN * self.frequencies * self.pseudo_velocity


def response_spectrum(acceleration: Piecewise, frequencies: ArrayLike, damping: float = 0.05) -> ResponseSpectrum:
    """Compute the response spectrum of a support acceleration (m/s²), polynomials piece by piece.

    Oscillators begin at rest at its first break; the free vibration after its last break counts. They are solved
    exactly from break to break (N. C. Nigam and P. C. Jennings, Bulletin of the Seismological Society of America 59,
    1969, for straight lines; here for polynomials), and a largest displacement is looked for where the velocity changes
    its sign between instants that are a tenth of a radian apart.

    Raises
    ------
    ProblemError
        If the acceleration is not piecewise polynomial or goes on after its last break, frequencies are not positive,
        or the damping ratio is not from 0 to below 1.
    """
    if not isinstance(acceleration, Piecewise) or any(map(to_float, acceleration.coefficients[-1])):
        raise ProblemError(
            "a response spectrum needs a record that ends: veridyn.read_acceleration, or a Piecewise of zero at its end"
        )
    hertz = vector("the frequencies of a response spectrum", frequencies)
    if not np.all(hertz > 0):
        raise ProblemError(f"the frequencies of a response spectrum must be positive (Hz), got {hertz.min():g}")
    if not 0 <= damping < 1:
        raise ProblemError(f"the damping ratio of a response spectrum must be from 0 to below 1, got {damping:g}")
    starts = np.array([to_float(b) for b in acceleration.breaks])
    motions = _follow(TURN * hertz, damping, np.diff(starts), _rows_of(acceleration))
    return ResponseSpectrum(hertz, damping, np.array([_find_largest(each) for each in motions]))


@dataclass(frozen=True, eq=False)
class _Oscillation:
    """The motion of one oscillator: in each interval a polynomial (n, d + 1) and Re(amplitude exp(root τ)).

    The last interval is a period of free vibration.
    """

    root: complex
    lengths: Floats
    polynomials: Floats
    amplitudes: NDArray[np.complex128]

    def displacement(self, rows: NDArray[np.intp], times: Floats) -> Floats:
        """Return the displacement in some intervals (k,) at instants after their starts (k,) or (k, m)."""
        return self._sum(self.polynomials, self.amplitudes, rows, times)

    def velocity(self, rows: NDArray[np.intp], times: Floats) -> Floats:
        """Return the velocity likewise."""
        return self._sum(_differentiate(self.polynomials), self.root * self.amplitudes, rows, times)

    def _sum(
        self, polynomials: Floats, amplitudes: NDArray[np.complex128], rows: NDArray[np.intp], times: Floats
    ) -> Floats:
        shape = (-1,) + (1,) * (times.ndim - 1)
        swing = (amplitudes[rows].reshape(shape) * np.exp(self.root * times)).real
        result: Floats = (
            _evaluate(polynomials[rows].T.reshape(polynomials.shape[1], rows.size, *shape[1:]), times) + swing
        )
        return result


def _rows_of(acceleration: Piecewise) -> Floats:
    """Return the coefficients (n, d + 1) of all pieces, filled with zeros."""
    most = max(map(len, acceleration.coefficients))
    return np.array([[*map(to_float, row), *[0.0] * (most - len(row))] for row in acceleration.coefficients])


def _follow(omega: Floats, damping: float, lengths: Floats, rows: Floats) -> Iterator[_Oscillation]:
    """Yield the motions of oscillators from rest.

    In each interval a polynomial solves the equation; the rest of the state at its start is a free vibration. So only
    its amplitude, one complex number, is carried from interval to interval.
    """
    roots = omega * complex(-damping, math.sqrt(1 - damping**2))
    particular = _solve_polynomials(omega, damping, rows)  # (f, n, d + 1)
    rates = _differentiate(particular)
    ends = (_evaluate(np.moveaxis(p[:, :-1], -1, 0), lengths) for p in (particular, rates))
    jumps = [end - p[:, 1:, 0] for end, p in zip(ends, (particular, rates), strict=True)]
    steps, changes = np.exp(roots[:, None] * lengths), _amplitude(roots[:, None], *jumps)
    amplitudes = np.empty(particular.shape[:2], dtype=complex)
    amplitudes[:, 0] = _amplitude(roots, -particular[:, 0, 0], -rates[:, 0, 0])
    for i in range(lengths.size):
        amplitudes[:, i + 1] = amplitudes[:, i] * steps[:, i] + changes[:, i]
    for w, root, polynomials, own in zip(omega, roots, particular, amplitudes, strict=True):
        yield _Oscillation(complex(root), np.append(lengths, TURN / w), polynomials, own)


def _solve_polynomials(omega: Floats, damping: float, rows: Floats) -> Floats:
    """Return the polynomials (f, n, d + 1) with u'' + 2 ξ ω u' + ω² u = -acceleration."""
    result = np.zeros((omega.size, rows.shape[0], rows.shape[1] + 2))
    square, rate = omega[:, None] ** 2, 2 * damping * omega[:, None]
    for k in reversed(range(rows.shape[1])):
        higher = rate * (k + 1) * result[..., k + 1] + (k + 2) * (k + 1) * result[..., k + 2]
        result[..., k] = -(rows[:, k] + higher) / square
    return result[..., :-2]


def _differentiate(polynomials: Floats) -> Floats:
    """Return the derivatives of polynomials (…, d + 1), with as many coefficients."""
    powers = np.arange(1, polynomials.shape[-1])
    return np.concatenate((polynomials[..., 1:] * powers, np.zeros_like(polynomials[..., :1])), axis=-1)


def _evaluate(coefficients: Floats, times: Floats) -> Floats:
    """Return the values of polynomials whose coefficients (d + 1, …) of one power lie side by side."""
    value = np.zeros(np.broadcast_shapes(coefficients.shape[1:], times.shape))
    for c in coefficients[::-1]:
        value = value * times + c
    return value


def _amplitude(root: Any, displacement: Floats, velocity: Floats) -> NDArray[np.complex128]:
    """Return the complex amplitude of the free vibration with a displacement and a velocity at its start."""
    result: NDArray[np.complex128] = displacement - 1j * (velocity - root.real * displacement) / root.imag
    return result


def _find_largest(motion: _Oscillation) -> float:
    """Return the largest displacement: at the breaks, and where the velocity is zero between them."""
    angles = abs(motion.root) * motion.lengths / LARGEST_ANGLE
    record, rest = np.arange(motion.lengths.size - 1), np.array([motion.lengths.size - 1])
    groups = [(rows, math.ceil(angles[rows].max())) for rows in (record, rest) if rows.size]
    return max(_find_largest_in(motion, rows, parts) for rows, parts in groups)


def _find_largest_in(motion: _Oscillation, rows: NDArray[np.intp], parts: int) -> float:
    times = motion.lengths[rows, None] * np.linspace(0.0, 1.0, parts + 1)
    rates = motion.velocity(rows, times)
    row, place = np.nonzero(rates[:, :-1] * rates[:, 1:] < 0)
    early, late = rates[row, place], rates[row, place + 1]
    # near its top a displacement is flat: the chord of the velocity misses the instant by a thousandth of a part
    tops = times[row, place] + (times[row, place + 1] - times[row, place]) * early / (early - late)
    seen = (motion.displacement(rows, times).ravel(), motion.displacement(rows[row], tops))
    return float(np.abs(np.concatenate(seen)).max())
