"""What a sweep is asked for: axes, fixed parameters, and the points that they make."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import SolverInputError
from veridyn.problem.mechanical import Floats, Problem
from veridyn.references.parameters import Exact, Parameter, ParameterError, checked, exact
from veridyn.sweep.own_problem import make_case
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.sweeping import Ranges
from veridyn.version import __version__

MOST_POINTS = 20_000_000  # of SDND104: a table of 660 MB, and 1.7 GB of memory to put it together
CHUNK = 65_536  # points that are solved and kept together where a solver solves many at once: a fraction of a second
SMALL_CHUNK = 16  # where it solves one after another
FORM = "write NAME=START:STOP:COUNT, NAME=START:STOP:COUNT:log or NAME=VALUE,VALUE,…"


@dataclass(frozen=True, eq=False)
class Axis:
    """A parameter that is swept: its values, and whether they are spaced evenly in their logarithm."""

    parameter: Parameter
    text: str
    values: Floats
    log: bool = False

    @property
    def name(self) -> str:
        """Name of the parameter."""
        return self.parameter.name


@dataclass(frozen=True, eq=False)
class SweepRequest:
    """The points of a sweep: all combinations of the axes, the last one running fastest; and who solves them how.

    Attributes
    ----------
    fixed
        Parameters that are the same everywhere.
    solver, scheme, settings
        Specification of the solver; its scheme, empty for its first; settings that it declares.
    many
        Whether it solves many problems of the case at once.
    chunk
        Points that are solved and kept together.
    problem
        The problem of the user whose numbers are swept; None: a case.
    """

    case: str
    axes: tuple[Axis, ...]
    fixed: Mapping[str, float]
    solver: str = ""
    scheme: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    many: bool = False
    chunk: int = SMALL_CHUNK
    problem: Problem | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of every axis."""
        return tuple(axis.values.size for axis in self.axes)

    @property
    def size(self) -> int:
        """Number of points."""
        return math.prod(self.shape)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.size // self.chunk)

    def bounds(self, chunk: int) -> tuple[int, int]:
        """Return the first point of a chunk, and the one after its last."""
        return chunk * self.chunk, min((chunk + 1) * self.chunk, self.size)

    def columns(self, points: NDArray[np.int64]) -> dict[str, Floats]:
        """Return all parameters of some points by name, arrays of the length of ``points``."""
        places = np.unravel_index(points, self.shape)
        swept = {axis.name: axis.values[place] for axis, place in zip(self.axes, places, strict=True)}
        return swept | {name: np.full(points.size, value) for name, value in self.fixed.items()}

    def hash(self) -> str:
        """Return a hash of everything on which the results depend."""
        asked = {
            "case": self.case if self.problem is None else self.problem.to_json(),
            "axes": [[axis.name, hashlib.sha256(axis.values.tobytes()).hexdigest()] for axis in self.axes],
            "fixed": {name: value.hex() for name, value in sorted(self.fixed.items())},
            "solver": [self.solver, self.scheme, {name: str(value) for name, value in sorted(self.settings.items())}],
            "chunk": self.chunk,
            "veridyn": __version__,
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def read_grid(case: Case, over: Sequence[str], fixed: Mapping[str, str]) -> SweepRequest:
    """Read which points are asked for; nobody is named yet who solves them.

    Raises ParameterError if a name is unknown or a value breaks its rule; SolverInputError if a range cannot be read, a
    parameter is given twice, or there are too many points.
    """
    if not over:
        raise SolverInputError(f"nothing to sweep: --over {case.parameters[0].name}=…; {FORM}")
    # defaults stand in for what is swept, so that unknown names are refused with the others
    pairs = [_pair(text) for text in over]
    values = case.values({**fixed, **{name: case.values()[name] for name, _ in pairs if name in case.values()}})
    case.values({name: "1" for name, _ in pairs})
    _refuse_twice([name for name, _ in pairs], fixed)
    parameters = {p.name: p for p in case.parameters}
    _refuse_many([_count(spec) for _, spec in pairs])
    axes = tuple(_axis(parameters[name], spec) for name, spec in pairs)
    rest = {name: _double(name, value) for name, value in values.items() if name not in {a.name for a in axes}}
    return SweepRequest(case.name, axes, rest)


def find_case(request: SweepRequest) -> Case:
    """Return what is swept as a case: the one that is named, or the problem of the user."""
    if request.problem is None:
        return load_case(request.case)
    return make_case(request.problem, (*(axis.name for axis in request.axes), *request.fixed))


def read_names(over: Sequence[str], fixed: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of all parameters that are swept or fixed."""
    return tuple(dict.fromkeys([*(_pair(text)[0] for text in over), *fixed]))


def find_ranges(request: SweepRequest) -> Ranges:
    """Return the least and the greatest value of every parameter."""
    ends = {axis.name: (float(axis.values.min()), float(axis.values.max())) for axis in request.axes}
    return ends | {name: (value, value) for name, value in request.fixed.items()}


def _pair(text: str) -> tuple[str, str]:
    name, equals, spec = (part.strip() for part in text.partition("="))
    if not (name and equals and spec):
        raise SolverInputError(f"--over {text!r}: {FORM}")
    return name, spec


def _refuse_twice(names: Sequence[str], fixed: Mapping[str, str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SolverInputError(f"--over {name} is given twice")
        if name in fixed:
            raise SolverInputError(f"{name} is both swept (--over) and fixed (--set); leave one out")


def _refuse_many(counts: Sequence[int]) -> None:
    points = math.prod(counts)
    if points > MOST_POINTS:
        raise SolverInputError(f"{points:,} points are more than the {MOST_POINTS:,} that one sweep may have; split it")


def _count(spec: str) -> int:
    """Return how many values are asked for, before there is memory for them."""
    if ":" not in spec:
        return spec.count(",") + 1
    parts = spec.split(":")
    try:
        count = int(parts[2])
    except (IndexError, ValueError):
        raise SolverInputError(f"{spec!r}: {FORM}") from None
    if count < 1:
        raise SolverInputError(f"{spec!r}: the count must be at least 1, got {count}")
    if len(parts) > 4 or parts[3:] not in ([], ["log"]):
        raise SolverInputError(f"{spec!r}: {FORM}")
    return count


def _axis(parameter: Parameter, spec: str) -> Axis:
    text, log = f"{parameter.name}={spec}", spec.endswith(":log")
    values = _spaced(parameter, spec, log) if ":" in spec else _listed(parameter, spec)
    if np.unique(values).size < values.size:
        raise SolverInputError(f"{text}: a value comes twice")
    return Axis(parameter, text, values, log)


def _listed(parameter: Parameter, spec: str) -> Floats:
    return np.array([_double(parameter.name, checked(parameter, part)) for part in spec.split(",")])


def _spaced(parameter: Parameter, spec: str, log: bool) -> Floats:
    start, stop = (checked(parameter, part) for part in spec.split(":")[:2])
    low, high, count = _double(parameter.name, start), _double(parameter.name, stop), _count(spec)
    if not log:
        return _even(_rational(start), _rational(stop), count)
    if low <= 0:
        raise SolverInputError(f"{parameter.name}={spec}: a logarithmic range must begin above zero")
    if low > high:
        raise SolverInputError(f"{parameter.name}={spec}: a logarithmic range must not begin above its end")
    return np.geomspace(low, high, count)


def _even(start: Fraction, stop: Fraction, count: int) -> Floats:
    """Return evenly spaced values, each the double nearest to its exact value: 0.3 is the 0.3 that a reader writes."""
    common = math.lcm(start.denominator, stop.denominator)
    a, b, n = int(start * common), int(stop * common), max(count - 1, 1)
    # a quotient of integers is rounded once
    return np.array([(a * (n - k) + b * k) / (common * n) for k in range(count)])


def _rational(number: Exact) -> Fraction:
    """Return a number as a rational, π to fifty digits."""
    with mpmath.workdps(50):
        return number.rational if number.pi == 0 else exact(number.mpf()).rational


def _double(name: str, value: Exact) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or (number == 0) != (value.rational == 0):
        raise ParameterError(f"{name} = {value} is beyond the floating-point numbers")
    return number


def describe(request: SweepRequest) -> dict[str, Any]:
    """Return the parameters of a request for a reader: what is swept, and what is fixed."""
    declared = {p.name: p for p in find_case(request).parameters}
    swept = [
        {"name": axis.name, "unit": axis.parameter.unit, "help": axis.parameter.help, "over": axis.text}
        | {"count": axis.values.size, "from": float(axis.values[0]), "to": float(axis.values[-1])}
        for axis in request.axes
    ]
    fixed = [
        {"name": name, "unit": declared[name].unit, "help": declared[name].help, "value": value}
        for name, value in request.fixed.items()
    ]
    return {"swept": swept, "fixed": fixed}
