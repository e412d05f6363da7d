"""Time functions as data: exact derivative and antiderivative, in float or multiple precision.

The truth and the solver evaluate the same record, so that they see the same load. Two families
suffice: harmonic functions and piecewise polynomials (constant, polynomial, step, pulse and table are
piecewise polynomials); sums of them, and what is cut out of them between two instants, cover the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import mpmath
import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_scalars import add, multiply, to_exact, to_scalar
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.naming import vector
from veridyn.problem.scalars import Scalar, check_scalar, in_arithmetic_of, to_float, to_mpf
from veridyn.problem.window_formulas import WindowFormulas, sum_taylor, to_powers


@dataclass(frozen=True)
class Harmonic(TimeFunction):
    """The derivative of given order of ``amplitude sin(omega t + phase)``; antiderivatives are negative orders.

    Keeping the order as a number makes every derivative and antiderivative exact in any arithmetic.
    """

    amplitude: Scalar
    omega: Scalar
    phase: Scalar = 0.0
    order: int = 0
    kind: ClassVar[str] = "harmonic"

    def __post_init__(self) -> None:
        for name in ("amplitude", "omega", "phase"):
            check_scalar(f"Harmonic.{name}", getattr(self, name))
        if not to_float(self.omega) > 0:
            raise ProblemError(f"Harmonic.omega = {self.omega!r} must be positive (rad/s)")
        if not isinstance(self.order, int):
            raise ProblemError(f"Harmonic.order = {self.order!r} must be a whole number")

    def __call__(self, t: Any) -> Any:
        multiple = isinstance(t, mpmath.mpf)
        factor, omega, phase = self._constants(to_mpf) if multiple else self._floats
        sin, cos = (mpmath.sin, mpmath.cos) if multiple else (np.sin, np.cos)
        return factor * (sin, cos)[self.order % 2](omega * t + phase)

    @cached_property
    def _floats(self) -> tuple[float, float, float]:
        """Constants as floats; scalar calls by the thousand must not read texts again."""
        return self._constants(to_float)

    def _constants(self, read: Callable[[Scalar], Any]) -> tuple[Any, Any, Any]:
        """Return factor of the wave, circular frequency and phase in some arithmetic."""
        amplitude, omega, phase = (read(s) for s in (self.amplitude, self.omega, self.phase))
        sign = 1 if self.order % 4 < 2 else -1
        return sign * amplitude * omega**self.order, omega, phase

    def derivative(self) -> Harmonic:
        return Harmonic(self.amplitude, self.omega, self.phase, self.order + 1)

    def antiderivative(self) -> Harmonic:
        return Harmonic(self.amplitude, self.omega, self.phase, self.order - 1)

    def shifted(self, by: float) -> Harmonic:
        omega = to_float(self.omega)  # the frequency that a solver sees
        with mpmath.workdps(50):  # within half a turn: a large phase would cost digits
            turns = (to_mpf(self.phase) - mpmath.mpf(omega) * by) / (2 * mpmath.pi)
            phase = float(2 * mpmath.pi * (turns - mpmath.nint(turns)))
        return Harmonic(self.amplitude, self.omega, phase, self.order)

    def rescaled(self, value: float, time: float) -> Harmonic:
        amplitude = multiply(self.amplitude, value * time**self.order)
        return Harmonic(amplitude, multiply(self.omega, 1 / time), self.phase, self.order)


@dataclass(frozen=True)
class Piecewise(TimeFunction):
    """Piecewise polynomial: on [breaks[i], breaks[i+1]) the sum of coefficients[i][k] (t - breaks[i])**k.

    Zero before the first break; the last polynomial goes on for ever.
    """

    breaks: tuple[Scalar, ...]
    coefficients: tuple[tuple[Scalar, ...], ...]
    kind: ClassVar[str] = "piecewise"

    def __post_init__(self) -> None:
        if not self.breaks or len(self.breaks) != len(self.coefficients):
            raise ProblemError(
                f"Piecewise needs one coefficient list for each of its {len(self.breaks)} breaks, got "
                f"{len(self.coefficients)}"
            )
        flat = [*self.breaks, *(c for row in self.coefficients for c in row)]
        # a table is a long list of floats: each number is looked at only if one of them is exact or wrong
        if not all(self.coefficients) or set(map(type, flat)) != {float} or not np.all(np.isfinite(flat)):
            self._check_one_by_one()
        if np.any(np.diff(self._starts()) <= 0):
            raise ProblemError("Piecewise.breaks must increase")

    def _check_one_by_one(self) -> None:
        for i, (start, row) in enumerate(zip(self.breaks, self.coefficients, strict=True)):
            check_scalar(f"Piecewise.breaks[{i}]", start)
            if not row:
                raise ProblemError(f"Piecewise.coefficients[{i}] is empty; write 0.0 for zero")
            for k, c in enumerate(row):
                check_scalar(f"Piecewise.coefficients[{i}][{k}]", c)

    def _starts(self) -> NDArray[np.float64]:
        return np.array([to_float(b) for b in self.breaks])

    @cached_property
    def _floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Breaks (n,) and coefficients (n, degree + 1) as floats; rows are filled with zeros."""
        degree = max(len(row) for row in self.coefficients)
        table = np.array([[to_float(c) for c in row] + [0.0] * (degree - len(row)) for row in self.coefficients])
        return self._starts(), table

    @cached_property
    def _lists(self) -> tuple[list[float], list[list[float]]]:
        """The same as lists: faster for one instant."""
        starts, table = self._floats
        return starts.tolist(), table.tolist()

    def _at(self, t: float) -> np.float64:
        """Return the value at one instant, by the operations that arrays go through."""
        starts, table = self._lists
        i = bisect_right(starts, t) - 1
        if i < 0:
            return np.float64(0.0)
        tau, value = t - starts[i], 0.0
        for c in reversed(table[i]):
            value = value * tau + c
        return np.float64(value)

    def _polynomial(self, i: int, t: Any) -> Any:
        tau = t - in_arithmetic_of(self.breaks[i], t)
        value = 0 * tau
        for c in reversed(self.coefficients[i]):
            value = value * tau + in_arithmetic_of(c, t)
        return value

    def __call__(self, t: Any) -> Any:
        if isinstance(t, mpmath.mpf):
            i = bisect_right(self.breaks, t, key=to_mpf) - 1
            return self._polynomial(i, t) if i >= 0 else mpmath.mpf(0)
        if isinstance(t, float):
            return self._at(t)
        t = np.asarray(t, dtype=float)
        starts, table = self._floats
        i = np.searchsorted(starts, t, side="right") - 1
        tau = t - starts[i]
        value = np.zeros_like(t)
        for k in range(table.shape[1] - 1, -1, -1):
            value = value * tau + table[i, k]
        return np.where(i >= 0, value, 0.0)[()]

    def derivative(self) -> Piecewise:
        self._refuse_jumps()
        rows = (tuple(to_exact(c) * k for k, c in enumerate(row) if k) or (0.0,) for row in self.coefficients)
        return Piecewise(self.breaks, tuple(tuple(to_scalar(c) for c in row) for row in rows))

    def antiderivative(self) -> Piecewise:
        value: Any = Fraction(0)
        rows = []
        for i, row in enumerate(self.coefficients):
            exact = [value, *(to_exact(c) / (k + 1) for k, c in enumerate(row))]
            rows.append(tuple(to_scalar(c) for c in exact))
            if i + 1 < len(self.breaks):
                tau = to_exact(self.breaks[i + 1]) - to_exact(self.breaks[i])
                value = sum(c * tau**k for k, c in enumerate(exact))
        return Piecewise(self.breaks, tuple(rows))

    def shifted(self, by: float) -> Piecewise:
        return Piecewise(tuple(add(b, by) for b in self.breaks), self.coefficients)

    def rescaled(self, value: float, time: float) -> Piecewise:
        rows = (tuple(multiply(c, value / time**k) for k, c in enumerate(row)) for row in self.coefficients)
        return Piecewise(tuple(multiply(b, time) for b in self.breaks), tuple(rows))

    def _refuse_jumps(self) -> None:
        for i, start in enumerate(self.breaks):
            left = self._polynomial(i - 1, to_float(start)) if i else 0.0
            right = to_float(self.coefficients[i][0])
            if abs(right - left) > 1e-12 * max(abs(left), abs(right)):
                raise ProblemError(f"a function that jumps at t = {start} s has no derivative there")


@dataclass(frozen=True)
class Sum(TimeFunction):
    """The sum of several time functions."""

    summands: tuple[TimeFunction, ...]
    kind: ClassVar[str] = "sum"

    def __post_init__(self) -> None:
        if not isinstance(self.summands, tuple) or not all(isinstance(each, TimeFunction) for each in self.summands):
            raise ProblemError(f"Sum: the summands must be a tuple of time functions, got {self.summands!r}")

    def __call__(self, t: Any) -> Any:
        return sum((f(t) for f in self.summands), start=0 * t)

    def derivative(self) -> Sum:
        return Sum(tuple(f.derivative() for f in self.summands))

    def antiderivative(self) -> Sum:
        return Sum(tuple(f.antiderivative() for f in self.summands))

    def terms(self) -> tuple[TimeFunction, ...]:
        return tuple(term for f in self.summands for term in f.terms())

    def shifted(self, by: float) -> Sum:
        return Sum(tuple(f.shifted(by) for f in self.summands))

    def rescaled(self, value: float, time: float) -> Sum:
        return Sum(tuple(f.rescaled(value, time) for f in self.summands))


@dataclass(frozen=True)
class Windowed(TimeFunction):
    """The derivative of given order of a function that is cut out between two instants and zero outside of them.

    Antiderivatives are negative orders: zero up to the start of the window, polynomials after its end. The function is
    made of harmonic and piecewise ones. Keeping the order as a number makes all of them exact in any arithmetic.
    """

    function: TimeFunction
    start: Scalar
    end: Scalar
    order: int = 0
    kind: ClassVar[str] = "windowed"

    def __post_init__(self) -> None:
        if not isinstance(self.function, TimeFunction):
            raise ProblemError(f"Windowed: {self.function!r} is no time function")
        for name in ("start", "end"):
            check_scalar(f"Windowed.{name}", getattr(self, name))
        if not to_float(self.start) < to_float(self.end):
            raise ProblemError(f"Windowed: the end {self.end} s must come after the start {self.start} s")
        if not isinstance(self.order, int):
            raise ProblemError(f"Windowed.order = {self.order!r} must be a whole number")
        if any(isinstance(term, Windowed) for term in self.function.terms()):
            raise ProblemError("Windowed: a window in a window is not understood; give their common part")

    def _chain(self) -> list[TimeFunction]:
        """Return the function, then its derivatives or antiderivatives up to the order."""
        result = [self.function]
        for _ in range(abs(self.order)):
            result.append(result[-1].derivative() if self.order > 0 else result[-1].antiderivative())
        return result

    def _left_out(self, chain: list[TimeFunction], start: Any) -> list[Any]:
        """Return the derivatives, lowest first, of what an antiderivative must lose to be zero at the start."""
        return [f(start) for f in reversed(chain[1:])] if self.order < 0 else []

    def _carried_on(self, chain: list[TimeFunction], start: Any, end: Any) -> list[Any]:
        """Return the derivatives, lowest first, of what an antiderivative is after the end."""
        left_out = self._left_out(chain, start)
        return [chain[-1 - k](end) - sum_taylor(left_out[k:], end - start) for k in range(len(left_out))]

    def __call__(self, t: Any) -> Any:
        if isinstance(t, mpmath.mpf):
            return self._pieces(to_mpf).at(t)
        if isinstance(t, float):
            return np.float64(self._floats.at(t))
        pieces = self._floats
        later = np.where(np.less(t, pieces.end), pieces.inside(t), pieces.after(t))
        return np.where(np.less(t, pieces.start), 0.0, later)[()]

    @cached_property
    def _floats(self) -> WindowFormulas:
        """Formulas in floats; scalar calls by the thousand must not derive them again."""
        return self._pieces(to_float)

    def _pieces(self, read: Callable[[Scalar], Any]) -> WindowFormulas:
        start, end, chain = read(self.start), read(self.end), self._chain()
        return WindowFormulas(start, end, chain[-1], self._left_out(chain, start), self._carried_on(chain, start, end))

    def derivative(self) -> Windowed:
        if self.order >= 0:
            self._refuse_jumps()
        return Windowed(self.function, self.start, self.end, self.order + 1)

    def antiderivative(self) -> Windowed:
        return Windowed(self.function, self.start, self.end, self.order - 1)

    def _refuse_jumps(self) -> None:
        f, start, end = self._chain()[-1], to_float(self.start), to_float(self.end)
        size = np.abs(f(start + (end - start) * np.array([0.17, 0.42, 0.79]))).max()
        for edge in (start, end):
            if abs(f(edge)) > 1e-12 * size:
                raise ProblemError(f"a function that jumps at t = {edge} s has no derivative there")

    def terms(self) -> tuple[TimeFunction, ...]:
        chain, start, end = self._chain(), to_float(self.start), to_float(self.end)
        waves = [Windowed(f, start, end) for f in chain[-1].terms() if isinstance(f, Harmonic)]
        pieces = [_cut_out(f, start, end) for f in chain[-1].terms() if isinstance(f, Piecewise)]
        if self.order < 0:
            before, after = self._left_out(chain, start), self._carried_on(chain, start, end)
            pieces.append(Piecewise((start, end), (to_powers(before, -1.0), to_powers(after, 1.0))))
        return (*waves, *pieces)

    def shifted(self, by: float) -> Windowed:
        return Windowed(self.function.shifted(by), add(self.start, by), add(self.end, by), self.order)

    def rescaled(self, value: float, time: float) -> Windowed:
        function = self.function.rescaled(value * time**self.order, time)
        return Windowed(function, multiply(self.start, time), multiply(self.end, time), self.order)


def _cut_out(f: Piecewise, start: float, end: float) -> Piecewise:
    """Return what is left of a piecewise polynomial between two instants."""
    breaks = [to_float(b) for b in f.breaks]
    kept = [start, *(b for b in breaks if start < b < end)]
    rows = []
    for at in kept:
        i = bisect_right(breaks, at) - 1
        row = np.polynomial.Polynomial([to_float(c) for c in f.coefficients[i]] if i >= 0 else [0.0])
        rows.append(tuple(row(np.polynomial.Polynomial([at - breaks[max(i, 0)], 1.0])).coef.tolist()))
    return Piecewise((*kept, end), (*rows, (0.0,)))


def polynomial(*coefficients: Scalar) -> Piecewise:
    """Return ``c0 + c1 t + c2 t**2 + …`` for t >= 0, zero before."""
    return Piecewise((0.0,), (coefficients,))


def constant(value: Scalar) -> Piecewise:
    """Return a constant for t >= 0."""
    return polynomial(value)


def step(height: Scalar, at: Scalar = 0.0) -> Piecewise:
    """Return a step of given height at time ``at`` (s)."""
    return Piecewise((at,), ((height,),))


def pulse(height: Scalar, start: Scalar, end: Scalar) -> Piecewise:
    """Return a rectangular pulse between two times (s)."""
    return Piecewise((start, end), ((height,), (0.0,)))


def table(times: ArrayLike, values: ArrayLike) -> Piecewise:
    """Return the linear interpolation of a table; constant after its last time, zero before its first.

    Raises
    ------
    ProblemError
        If the times do not increase, the lengths differ, or a value is not finite.
    """
    t, f = vector("the times of a table", times), vector("the values of a table", values)
    if t.shape != f.shape or t.size < 2:
        result = f"{t.size} times and {f.size} values"
        raise ProblemError(f"a table needs two equally long lists of two numbers or more, got {result}")
    if not np.all(np.diff(t) > 0):
        raise ProblemError("the times of a table must increase")
    slopes = np.append(np.diff(f) / np.diff(t), 0.0)
    return Piecewise(tuple(t.tolist()), tuple(zip(f.tolist(), slopes.tolist(), strict=True)))


def time_function(data: Mapping[str, Any]) -> TimeFunction:
    """Read the JSON form of a time function.

    Raises `ProblemError` if the kind is unknown or a field is missing or malformed.
    """
    kind = data.get("kind")
    try:
        if kind == Harmonic.kind:
            return Harmonic(data["amplitude"], data["omega"], data.get("phase", 0.0), _order(data))
        if kind == Piecewise.kind:
            return Piecewise(tuple(data["breaks"]), tuple(tuple(row) for row in data["coefficients"]))
        if kind == Sum.kind:
            return Sum(tuple(time_function(f) for f in data["summands"]))
        if kind == Windowed.kind:
            return Windowed(time_function(data["function"]), data["start"], data["end"], _order(data))
    except KeyError as missing:
        raise ProblemError(f"time function of kind {kind!r} lacks the field {missing}") from None
    except TypeError as error:
        raise ProblemError(f"time function of kind {kind!r} is malformed: {error}") from None
    raise ProblemError(f"unknown time function {kind!r}; known: harmonic, piecewise, sum, windowed")


def _order(data: Mapping[str, Any]) -> int:
    order = data.get("order", 0)  # costs as many derivatives as it is high
    if not isinstance(order, int) or abs(order) > 100:
        raise ProblemError(f"{data['kind']}: order {order!r} must be a whole number from -100 to 100")
    return order


def sample(function: TimeFunction, times: Sequence[float]) -> TimeFunction:
    """Return the table of a function at given times: what a code reads that takes accelerograms as tables."""
    return table(times, function(np.asarray(times, dtype=float)))
