"""Taylor coefficients of a tape as balls of double precision, compiled: for what is known to few digits anyway.

A ball is a middle and a radius; the radius holds what the operands' radii make of it and a bound of the rounding of
the middle, itself rounded up (Rump 1999, without changing the direction of rounding). Coefficients are those of the
time over a unit, a power of two, so that none is beyond the range of a double.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from flint import arb
from numpy.typing import NDArray

from veridyn.problem.compiling import compiler
from veridyn.references.engine.series import Code, Trace

Floats = NDArray[np.float64]
Run = tuple[Floats, Floats]  # middles and radii, by place and order
UNIT = 2.0**-52  # twice the largest relative error of a rounding
TINY = 1e-300  # more than underflow takes

GIVEN, CONSTANT, SUM, _SHIFTED, SCALED, PRODUCT, QUOTIENT, POWER, _INTEGRAL = map(int, Code)

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Return a function as it is compiled."""
    return cast(F, compiler(error_model="numpy")(function))


def widened(m: Any, r: Any, s: Any, terms: int) -> tuple[Any, Any]:
    """Return a ball from its middle, its radius and the size of all terms of which it is a sum; or arrays of balls."""
    # In doubles a sum of n terms, added in any order, is off by n u/(1 - n u) Σ|term| at most, u = 2^-53
    # (Higham, Accuracy and Stability of Numerical Algorithms). UNIT is 2 u, so that each rounding counts twice.
    # The factor behind it is for s and r, which are rounded sums themselves, and for this line. TINY is for
    # underflow, whose error is absolute.
    return m, (r + s * (terms + 8) * UNIT) * (1 + (terms + 16) * UNIT) + TINY


_wide = kernel(widened)


@kernel
def _times(m: float, r: float, n: float, q: float) -> tuple[float, float]:
    return _wide(m * n, abs(m) * q + r * (abs(n) + q), abs(m * n), 1)


@kernel
def _over(m: float, r: float, n: float, q: float) -> tuple[float, float]:
    """Divide; by a ball that holds zero the radius is infinite."""
    if abs(n) <= q * (1 + 4 * UNIT):
        return 0.0, np.inf
    # With |δ| <= r and |ε| <= q: (m + δ)/(n + ε) - x = (δ - x ε)/(n + ε), which is at most (r +
    # |x| q)/(|n| - q) in size.
    x = m / n
    return _wide(x, (r + abs(x) * q) / (abs(n) - q) * (1 + 8 * UNIT), abs(x), 1)


@kernel
def _convolved(
    a: Floats, ra: Floats, b: Floats, rb: Floats, k: int, least: int, fixed: float, each: float, off: float
) -> tuple[float, float]:
    """Return the sum over j from `least` to k of (fixed + each j) a_j b_(k-j), `each` being wrong by up to `off`."""
    # The weight of a power is a difference, (n + 1) j - k, and may nearly cancel. Its rounding is a share of the terms
    # of that difference, not of what is left. So ``most`` measures it, not the weight.
    m = r = s = 0.0
    for j in range(least, k + 1):
        weight, most = fixed + each * j, abs(fixed) + abs(each) * j
        x, y = abs(a[j]), abs(b[k - j])
        m += weight * (a[j] * b[k - j])
        r += (abs(weight) + UNIT * most) * (x * rb[k - j] + ra[j] * (y + rb[k - j])) + off * j * (
            (x + ra[j]) * (y + rb[k - j])
        )
        s += most * (x * y)
    return _wide(m, r, s, k)


@kernel
def _linear(code: int, k: int, a: int, b: int, n: float, q: float, m: Floats, r: Floats) -> tuple[float, float]:
    """Return a coefficient of what is linear in functions."""
    if code == SUM:
        return _wide(m[a, k] + m[b, k], r[a, k] + r[b, k], abs(m[a, k]) + abs(m[b, k]), 1)
    if code == SCALED:
        return _times(m[a, k], r[a, k], n, q)
    if code == CONSTANT:
        return (n, q) if k == 0 else (0.0, 0.0)
    return _wide(m[a, 0] + n, r[a, 0] + q, abs(m[a, 0]) + abs(n), 1) if k == 0 else (m[a, k], r[a, k])


@kernel
def _folded(code: int, k: int, i: int, a: int, b: int, n: float, q: float, m: Floats, r: Floats) -> tuple[float, float]:
    """Return a coefficient of a product, a quotient, a power or an integral at its place."""
    if code == PRODUCT:
        return _convolved(m[a], r[a], m[b], r[b], k, 0, 1.0, 0.0, 0.0)
    if code == QUOTIENT:  # of what b q = a
        x, y = _convolved(m[b], r[b], m[i], r[i], k, 1, 1.0, 0.0, 0.0)
        x, y = _wide(m[a, k] - x, r[a, k] + y, abs(m[a, k]) + abs(x), 1)
        return _over(x, y, m[b, 0], r[b, 0])
    if code == POWER:  # of what u w' = n w u'
        x, y = _convolved(m[a], r[a], m[i], r[i], k, 1, -float(k), n + 1, q + UNIT * (abs(n) + 1))
        x, y = _over(x, y, m[a, 0], r[a, 0])
    else:
        x, y = _convolved(m[a], r[a], m[b], r[b], k, 1, 0.0, 1.0, 0.0)
    return _over(x, y, float(k), 0.0)


@kernel
def expand(
    codes: NDArray[np.int64],
    firsts: NDArray[np.int64],
    seconds: NDArray[np.int64],
    numbers: Floats,
    spreads: Floats,
    states: NDArray[np.int64],
    rates: NDArray[np.int64],
    unit: float,
    begin: int,
    order: int,
    m: Floats,
    r: Floats,
) -> None:
    """Fill in coefficients up to an order of all operations from one on; powers and integrals have their first ones."""
    # Coefficients of the time over the unit: c_k unit^k. Plain ones grow as the k-th power of one over the radius of
    # convergence. Within some hundred orders they would leave the range of doubles, and a bound would be infinite.
    for k in range(order + 1):
        for i in range(begin, codes.size):
            code, a, b, n, q = codes[i], firsts[i], seconds[i], numbers[i], spreads[i]
            if code >= POWER and k == 0:
                continue
            if code >= PRODUCT:
                m[i, k], r[i, k] = _folded(code, k, i, a, b, n, q, m, r)
            elif code != GIVEN:
                m[i, k], r[i, k] = _linear(code, k, a, b, n, q, m, r)
        for j in range(states.size if k < order else 0):
            x, y = _times(m[rates[j], k], r[rates[j], k], unit, 0.0)
            m[states[j], k + 1], r[states[j], k + 1] = _over(x, y, k + 1.0, 0.0)


def doubles(balls: Sequence[arb]) -> tuple[Floats, Floats]:
    """Return middles and radii of balls."""
    middles = [float(x.mid()) for x in balls]
    radii = [float((x - y).abs_upper()) for x, y in zip(balls, middles, strict=True)]
    return np.array(middles), np.array(radii) * (1 + UNIT) + TINY


def total(m: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Return the sums of balls along the last axis, as balls."""
    return widened(m.sum(-1), r.sum(-1), np.abs(m).sum(-1), m.shape[-1])


def bound_of_sum(sizes: Floats, shares: Floats) -> Floats:
    """Return bounds of the sums over the first axis of sizes times shares."""
    result: Floats = np.tensordot(shares, sizes, 1) * (1 + (shares.size + 8) * UNIT) + TINY
    return result


class KernelProgram:
    """A traced right-hand side with directions as arrays, for the kernel; the unit of the time is part of every run."""

    def __init__(self, found: Trace) -> None:
        tape = self._tape = found.tape
        self.traced = found
        self._operations = [np.array([op[field] for op in tape], dtype=np.int64) for field in range(3)]
        self._numbers = doubles([arb(0) if op.number is None else op.number for op in tape])
        starts = [max(i, op.second) + 1 for i, op in enumerate(tape) if op.code in (Code.POWER, Code.INTEGRAL)]
        self._started = max([found.plain, *starts])
        self._rates = {place: rate for direction in found.along for place, rate in direction.rates.items()}
        self._moved = np.array([list(direction.rates.values()) for direction in found.along])
        self._along = np.array([direction.asked for direction in found.along])

    def run(self, time: arb, state: Sequence[arb], unit: float, order: int) -> Run:
        """Return the coefficients of all operations that know no direction, with room for those of the others."""
        zero, now = [arb(0)], self.traced.now
        edges = dict.fromkeys(self._rates, zero)
        given = {now: [time], **edges, **dict(zip(self.traced.rates, ([x] for x in state), strict=True))}
        starts = self._tape.run(given, {}, 0, self._started)
        m, r = (np.zeros((len(self._tape), order + 1)) for _ in range(2))
        m[: self._started, 0], r[: self._started, 0] = doubles([column[0] for column in starts])
        m[now, 1:2] = unit
        self._expand(self.traced.rates, unit, slice(0, self.traced.plain), order, m, r)
        return m, r

    def part(self, run: Run, edges: Sequence[Sequence[arb]], unit: float, order: int) -> None:
        """Fill in the coefficients along all directions, given their edges, beside those of a run."""
        for known, start in zip(run, doubles([x for edge in edges for x in edge]), strict=True):
            known[list(self._rates), 0] = start
        self._expand(self._rates, unit, slice(self.traced.plain, None), order, *run)

    def _expand(self, rates: Mapping[int, int], unit: float, part: slice, order: int, m: Floats, r: Floats) -> None:
        noted = (column[: part.stop] for column in (*self._operations, *self._numbers))
        places = (np.array(list(x), dtype=np.int64) for x in (rates.keys(), rates.values()))
        given: tuple[Any, ...] = (*noted, *places, unit, part.start, order, m, r)
        expand(*given)

    def terms(self, run: Run, places: Sequence[int], k: int, share: arb) -> list[arb]:
        """Return the terms of one order of functions, after a share of the unit of the time."""
        return [arb(m, rad) * share**k for m, rad in zip(*(x[places, k].tolist() for x in run), strict=True)]

    def jacobian(self, run: Run, unit: float, n: int) -> Floats:
        """Return the largest sizes of the derivatives of the rates of a run, as a matrix."""
        # At order zero the derivative along the j-th unit vector is the j-th column of the Jacobian. The
        # run is one over a box, so that each entry encloses the derivative at all of its points: what the
        # mean value theorem needs.
        self.part(run, [[arb(int(i == j)) for i in range(n)] for j in range(n)], unit, 0)
        m, r = (x[self._moved, 0].T for x in run)
        return np.asarray((np.abs(m) + r) * (1 + UNIT))

    def along(self, run: Run, rest: Run, order: int, share: float) -> Run:
        """Return coefficients along directions up to those of an order, which are those of another run.

        Their axes: directions, states and readings, orders.
        """
        powers = share ** np.arange(order + 1)  # of a power of two
        m, r = (
            np.concatenate((x[self._along, :order], y[self._along, order : order + 1]), -1) * powers
            for x, y in zip(run, rest, strict=True)
        )
        return m, r
