"""What a solver may state of itself beyond the answer: claims, refinement levels, default settings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import SupportsFloat, SupportsIndex

from veridyn.inputs import parse_fraction
from veridyn.problem.devices import DEVICE_TAGS
from veridyn.problem.elements import GEOMETRIES, LAWS
from veridyn.problem.mechanical import Problem
from veridyn.problem.nearest import nearest
from veridyn.problem.time_scales import longest_interval, shortest_period
from veridyn.solver.contract.errors import SettingsError

Settings = Mapping[str, object]
"""Values by name, as a user or a solver states them: numbers and words, which whoever takes them checks."""

FEWEST_LEVELS = 3  # two differences of successive answers, one of which can be compared with the other
STEPS_PER_PERIOD = (50, 100, 200, 400)  # of the shortest period, where a solver leaves the levels to the suite
TOLERANCES = (1e-5, 1e-7, 1e-9, 1e-11)
ABSOLUTE_SHARE = 1e-3  # of a relative tolerance, for an absolute one beside it: it must not limit small motions

FORWARD, REVERSE = "derivatives:forward", "derivatives:reverse"
DERIVATIVES = frozenset({FORWARD, REVERSE})
"""What no problem needs: a solver may offer it beside."""
FUNCTIONS = {FORWARD: "solve_tangent", REVERSE: "solve_cotangent"}
"""What a solver has that offers derivatives."""

TAGS: frozenset[str] = DERIVATIVES | frozenset({
    "mechanical", "multi-dof", "modes", "sparse", "loads", "support-motion", "multi-support", "damping",
    "damping:coupled", "damping:gyroscopic", "damping:time-varying", "stiffness:circulatory",
    "stiffness:time-varying", "contact",
    "contact:damped", "contact:rigid",
    *(f"contact:{geometry.replace(' ', '-')}" for geometry in GEOMETRIES if geometry != "plane"),
    *(f"friction:{law}" for law in LAWS), "friction:on-stop", "friction:two-tangents", "absolute-frame",
    *DEVICE_TAGS,
    "initial-value", "hybrid", "zeno", "dae:index-1", "dae:index-2", "dae:index-3",
})  # fmt: skip


@dataclass(frozen=True)
class Claims:
    """What a solver claims of itself; what is not claimed is not judged.

    Attributes
    ----------
    order
        Order of convergence in the step, on smooth problems.
    damped_order
        That order where the structure is damped, if damping costs an order.
    tolerance, factor
        Name of the setting to which errors are proportional; largest error over tolerance.
    digits
        Correct digits of an exact solver, of the scale of each quantity.
    method, parameters
        A known method (`veridyn.references.methods.discrete.METHODS`) with its parameters: numbers or exact text.
    lag, force_lag
        How far reported velocities, and those that dampers see, lie behind, in steps.
    numerical_damping
        Largest numerical damping ratio at twenty steps per period or more; 0: free vibration keeps its amplitude.
    stability
        Largest stable step times the largest circular frequency; inf: any step.
    printed
        Significant digits of the output, two or more, where a program prints fewer than a double has.
    """

    order: float | None = None
    damped_order: float | None = None
    tolerance: str = ""
    factor: float | None = None
    digits: float | None = None
    method: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    lag: float = 0.0
    force_lag: float = 0.0
    numerical_damping: float | None = None
    stability: float | None = None
    printed: float | None = None

    def __bool__(self) -> bool:
        """Whether anything is claimed that can be judged."""
        return bool(self.order or self.tolerance or self.digits or self.method)


@dataclass(frozen=True)
class ObservedClaims:
    """What the answers of a solver to smooth problems showed, where it states no claims or no refinement.

    ``refinement`` is the name of the setting that acts as step or tolerance, or `OUTPUT_INTERVAL`; empty where nothing
    does. ``absolute`` is that of the absolute tolerance that is refined with it; empty if there is none.
    """

    claims: Claims = Claims()
    refinement: str = ""
    absolute: str = ""


DOUBLE_DIGITS = 15.95  # -log10 of half a unit in the last place of a double: more digits no answer has
NUMBERS = (
    "order", "damped_order", "factor", "digits", "lag", "force_lag", "numerical_damping", "stability", "printed"
)  # fmt: skip
KEYS = tuple(each.name for each in fields(Claims) if each.name != "parameters")
WHAT_TO_CLAIM = (
    "it could claim order=… with a refinement of its step, tolerance=NAME with a refinement of that setting, "
    "digits=… if it is exact, or method=NAME; veridyn identify measures what it is"
)


def read_claims(owner: str, given: object) -> Claims:
    """Return the claims of a solver; with a method all names that are no claims are parameters of the method.

    Raises `SettingsError` if claims are no mapping, unknown, no numbers, or contradict each other.
    """
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise SettingsError(f"{owner}: claims must be a mapping such as {{'order': 2}}, got {given!r}")
    unknown = [name for name in given if name not in KEYS]
    if unknown and not given.get("method"):
        raise SettingsError(f"{owner}: unknown claim {unknown[0]!r}; {nearest(unknown[0], sorted(KEYS))}")
    numbers = {name: _number(owner, name, given[name]) for name in NUMBERS if given.get(name) is not None}
    words = {name: _word(owner, name, given[name]) for name in ("tolerance", "method") if given.get(name)}
    claims = Claims(**numbers, **words, parameters={name: given[name] for name in unknown})  # type: ignore[arg-type]
    _refuse_contradictions(owner, claims)
    return claims


def _refuse_contradictions(owner: str, claims: Claims) -> None:
    stated = [name for name in ("order", "tolerance", "digits") if getattr(claims, name)]
    if len(stated) > 1:
        raise SettingsError(f"{owner}: claims {' and '.join(stated)} contradict each other; state one of them")
    if claims.factor is not None and not claims.tolerance:
        raise SettingsError(f"{owner}: the claim factor goes with the claim tolerance, which is missing")
    for name in ("order", "factor", "digits", "stability"):
        value = getattr(claims, name)
        if value is not None and value <= 0:
            raise SettingsError(f"{owner}: claim {name} = {value:g} must be positive")
    if claims.digits is not None and claims.digits > DOUBLE_DIGITS:
        raise SettingsError(f"{owner}: claim digits = {claims.digits:g} is more than the {DOUBLE_DIGITS} of a double")
    if claims.printed is not None and (claims.printed < 2 or claims.printed != int(claims.printed)):
        raise SettingsError(f"{owner}: claim printed = {claims.printed:g} must be a whole number of digits, 2 or more")


def _number(owner: str, name: str, value: object) -> float:
    try:
        number = (
            float(parse_fraction(value)) if isinstance(value, str) and "inf" not in value.lower() else as_float(value)
        )
    except (TypeError, ValueError, ArithmeticError):
        number = math.nan
    if math.isnan(number):
        raise SettingsError(f"{owner}: claim {name} = {value!r} is not a number")
    return number


def as_float(value: object) -> float:
    """Return a setting or claim as a number; raises TypeError, ValueError if it is none."""
    if not isinstance(value, str | SupportsFloat | SupportsIndex):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def _word(owner: str, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise SettingsError(f"{owner}: claim {name} = {value!r} must be a name")
    return value


@dataclass(frozen=True)
class Refinement:
    """Settings from coarse to fine, and the setting (``key``) that becomes smaller from level to level."""

    key: str
    levels: tuple[Settings, ...]

    @property
    def sizes(self) -> tuple[float, ...]:
        """Value of the refined setting at each level."""
        return tuple(as_float(level[self.key]) for level in self.levels)


def find_levels(owner: str, stated: object, problem: Problem, claims: Claims) -> Refinement:
    """Return the refinement levels for a problem.

    Parameters
    ----------
    owner
        Who states them, for messages.
    stated
        Settings from coarse to fine, or the name of a setting.
    claims
        Whether a named setting is a tolerance.

    Raises
    ------
    SettingsError
        If the levels are no settings, fewer than three, or no setting decreases from level to level.
    """
    levels = _spread(stated, problem, claims) if isinstance(stated, str) else stated
    return read_refinement(owner, levels, claims.tolerance)


def _spread(key: str, problem: Problem, claims: Claims) -> list[Settings]:
    """Return levels of a setting that a solver only names, from the time scales of the problem.

    No step is longer than the longest interval between two outputs: those who land on outputs take none.
    """
    if key == claims.tolerance:
        return list_tolerances(key)
    coarsest = min(shortest_period(problem) / STEPS_PER_PERIOD[0], longest_interval(problem))
    return [{key: coarsest * STEPS_PER_PERIOD[0] / count} for count in STEPS_PER_PERIOD]


def list_tolerances(key: str, absolute: str = "") -> list[Settings]:
    """Return levels of a tolerance from coarse to fine, and with it of an absolute tolerance, if one is named."""
    return [{key: t, **({absolute: ABSOLUTE_SHARE * t} if absolute else {})} for t in TOLERANCES]


def read_refinement(owner: str, given: object, tolerance: str = "") -> Refinement:
    """Check refinement levels: three or more, a setting that decreases strictly, that of the claimed tolerance first.

    Raises what `find_levels` raises.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or not all(isinstance(g, Mapping) for g in given):
        raise SettingsError(f"{owner}: refinement must be settings from coarse to fine, e.g. [{{'step': 1e-3}}, …]")
    if len(given) < FEWEST_LEVELS:
        raise SettingsError(f"{owner}: {len(given)} refinement levels; give {FEWEST_LEVELS} or more, coarse to fine")
    key = _refined_key(given, tolerance)
    if key is None:
        listed = "; ".join(", ".join(f"{k}={v}" for k, v in level.items()) for level in given)
        raise SettingsError(f"{owner}: no setting decreases from each refinement level to the next: {listed}")
    return Refinement(key, tuple(dict(level) for level in given))


PREFERRED = ("step", "dt", "h", "rtol", "tolerance", "tol", "atol")  # where several settings decrease


def _refined_key(levels: Sequence[Settings], tolerance: str) -> str | None:
    decreasing = [name for name in levels[0] if _decreases([level.get(name) for level in levels])]
    order = (tolerance, *PREFERRED)
    return min(decreasing, key=lambda name: order.index(name) if name in order else len(order), default=None)


def _decreases(values: Sequence[object]) -> bool:
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool) and 0 < v < math.inf]
    return len(numbers) == len(values) and all(b < a for a, b in pairwise(numbers))
