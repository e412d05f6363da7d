"""What every function of time offers: value, derivative, antiderivative, elementary terms, JSON form."""

from __future__ import annotations

from typing import Any, ClassVar

from veridyn.problem.json_form import fields_of


class TimeFunction:
    """A function of time. Call it with a float, an array or an mpf."""

    kind: ClassVar[str]

    def __call__(self, t: Any) -> Any:
        """Return the value at t, in the arithmetic of t."""
        raise NotImplementedError

    def derivative(self) -> TimeFunction:
        """Return the exact derivative."""
        raise NotImplementedError

    def antiderivative(self) -> TimeFunction:
        """Return the antiderivative: zero mean for harmonic functions, zero at the first break otherwise."""
        raise NotImplementedError

    def terms(self) -> tuple[TimeFunction, ...]:
        """Return the elementary terms, in the order in which they are summed."""
        return (self,)

    def shifted(self, by: float) -> TimeFunction:
        """Return the same function later by some seconds, ``f(t - by)``."""
        raise NotImplementedError

    def rescaled(self, value: float, time: float) -> TimeFunction:
        """Return the function in other units, ``value × f(t / time)``; with powers of two nothing is rounded."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; `time_function` reads it back."""
        return {"kind": self.kind, **fields_of(self)}
