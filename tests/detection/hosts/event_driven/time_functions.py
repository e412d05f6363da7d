"""Functions of time as smooth pieces."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Piece(NamedTuple):
    """A smooth piece of a function of time: ``Σ A sin(ω t + φ) + Σ c_k (t - origin)^k`` from ``start`` (s) on."""

    start: float
    waves: tuple[tuple[float, float, float], ...]
    origin: float
    powers: tuple[float, ...]

    def __call__(self, t: Any) -> Any:
        """Return the value at t, a float or an array."""
        value = 0.0 * t
        for c in reversed(self.powers):
            value = value * (t - self.origin) + c
        for amplitude, omega, phase in self.waves:
            value = value + amplitude * np.sin(omega * t + phase)
        return value


class Signal(NamedTuple):
    """A function of time as smooth pieces; ``whole`` replaces them where a function says nothing of its pieces."""

    breaks: tuple[float, ...]
    pieces: tuple[Piece, ...]
    whole: Callable[[Any], Any] | None = None

    def near(self, where: float) -> Piece | Callable[[Any], Any]:
        """Return the smooth function that holds around an instant (s)."""
        if self.whole is not None:
            return self.whole
        return self.pieces[bisect_right(self.breaks, where) - 1]


def number(value: float | str) -> float:
    """Return a number that may be a text such as ``"3/4"`` or ``"2*pi/3"``."""
    if not isinstance(value, str):
        return float(value)
    if "pi" not in value:
        return float(Fraction(value))
    before, _, after = value.replace(" ", "").partition("pi")
    return float(Fraction(before.rstrip("*") or 1) / Fraction(after.lstrip("/") or 1)) * math.pi


def signal(function: Any) -> Signal:
    """Return a function of time of a problem as smooth pieces."""
    if not hasattr(function, "to_dict"):
        return Signal((), (), function)
    pieces = pieces_of(function.to_dict())
    return Signal(tuple(piece.start for piece in pieces), pieces)


def pieces_of(data: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Return the smooth pieces of a function of time in its JSON form, the first of them from minus infinity."""
    kind = data["kind"]
    if kind == "harmonic":
        wave = tuple(number(data[key]) for key in ("amplitude", "omega", "phase"))
        return (_turned(Piece(-math.inf, (wave,), 0.0, ()), int(data["order"])),)  # type: ignore[arg-type]
    if kind == "piecewise":
        starts = [number(b) for b in data["breaks"]]
        rows = [tuple(number(c) for c in row) for row in data["coefficients"]]
        polynomials = (Piece(at, (), at, row) for at, row in zip(starts, rows, strict=True))
        return (Piece(-math.inf, (), 0.0, ()), *polynomials)
    if kind == "sum":
        return _summed([pieces_of(summand) for summand in data["summands"]])
    if kind == "windowed":
        cut = _cut_out(pieces_of(data["function"]), number(data["start"]), number(data["end"]))
        for _ in range(abs(int(data["order"]))):
            cut = _integrated(cut) if data["order"] < 0 else _differentiated(cut)
        return cut
    raise NotImplementedError(f"functions of time of kind {kind!r}")


def _turned(piece: Piece, order: int) -> Piece:
    """Return a piece whose waves are derived ``order`` times; negative: integrated, with mean zero."""
    waves = tuple((a * w**order, w, phase + order * math.pi / 2) for a, w, phase in piece.waves)
    return piece._replace(waves=waves)


def _cut_out(pieces: Sequence[Piece], start: float, end: float) -> tuple[Piece, ...]:
    """Return what is left of pieces between two instants (s)."""
    inner = [piece._replace(start=max(piece.start, start)) for piece in pieces if piece.start < end]
    ends = [piece.start for piece in inner[1:]] + [end]
    kept = [piece for piece, until in zip(inner, ends, strict=True) if until > start]
    return (Piece(-math.inf, (), 0.0, ()), *kept, Piece(end, (), end, ()))


def _integrated(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the antiderivative that is zero up to the first break."""
    found = [pieces[0]]
    for piece in pieces[1:]:
        powers = (0.0, *(c / (k + 1) for k, c in enumerate(piece.powers)))
        turned = _turned(piece._replace(powers=powers), -1)
        missing = (
            float(found[-1](piece.start)) - float(turned(piece.start))
            if len(found) > 1
            else -float(turned(piece.start))
        )
        found.append(turned._replace(powers=(powers[0] + missing, *powers[1:])))
    return tuple(found)


def _differentiated(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    return tuple(
        _turned(piece._replace(powers=tuple(k * c for k, c in enumerate(piece.powers))[1:]), 1) for piece in pieces
    )


def _summed(summands: Sequence[Sequence[Piece]]) -> tuple[Piece, ...]:
    """Return the sum of functions, on pieces between all their breaks."""
    starts = sorted({piece.start for pieces in summands for piece in pieces})
    tables = [([piece.start for piece in pieces], pieces) for pieces in summands]
    found = []
    for at in starts:
        origin = at if math.isfinite(at) else 0.0
        parts = [pieces[bisect_right(begins, at) - 1] for begins, pieces in tables]
        rows = [_shifted(part, origin) for part in parts if any(part.powers)]
        powers = [sum(row[k] for row in rows if k < len(row)) for k in range(max(map(len, rows), default=0))]
        found.append(Piece(at, tuple(wave for part in parts for wave in part.waves), origin, tuple(powers)))
    return tuple(found)


def _shifted(piece: Piece, origin: float) -> list[float]:
    """Return the powers of a piece about another origin."""
    by, powers = origin - piece.origin, piece.powers
    return [
        sum(math.comb(j, k) * c * by ** (j - k) for j, c in enumerate(powers) if j >= k) for k in range(len(powers))
    ]
