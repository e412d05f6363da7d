"""What a scheme is: its names, what theory says of it, its options, and how it runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from veridyn.solver.errors import SettingsError

if TYPE_CHECKING:  # the kernels behind it take seconds to compile
    from veridyn.solver.integration import Job, Run


def setting(meaning: str, default: Any = MISSING) -> Any:
    """Return the field of a record of settings, with the meaning that users are shown."""
    return field(default=default, metadata={"meaning": meaning})


def meanings(record: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield name and meaning of each setting of a record."""
    for each in fields(record):
        yield each.name, each.metadata["meaning"]


def require(condition: object, message: str) -> None:
    """Raise `SettingsError` unless a condition holds."""
    if not condition:
        raise SettingsError(message)


def require_number(name: str, value: Any, *, above: float, unit: str = "") -> None:
    """Raise `SettingsError` unless a setting is a finite number above a bound."""
    right = isinstance(value, int | float | np.number) and math.isfinite(value) and value > above
    bound = "positive" if above == 0 else f"above {above:g}"
    require(right, f"{name} = {value!r}{unit and f' {unit}'} must be a finite number, {bound}")


@dataclass(frozen=True)
class NoOptions:
    """A scheme without options."""


@dataclass(frozen=True)
class StepBounds:
    """Bounds of an adaptive step, as multiples of the first; if both are 1, the step is constant."""

    smallest: float = setting("smallest step of an adaptive scheme, as a multiple of the first", 1e-6)
    largest: float = setting("largest step of an adaptive scheme, as a multiple of the first", 1e6)

    def __post_init__(self) -> None:
        for name in ("smallest", "largest"):
            require_number(name, getattr(self, name), above=0.0)
        require(
            self.smallest <= 1 <= self.largest,
            f"smallest = {self.smallest:g} and largest = {self.largest:g} are multiples of the step: "
            "at most 1 and at least 1",
        )


@dataclass(frozen=True)
class Term:
    """A leading error term, ``constant (w h)^order``."""

    order: int
    constant: float


@dataclass(frozen=True)
class Scheme:
    """A scheme: name, name in Code_Aster, order of the displacement on smooth undamped problems.

    ``phase`` and ``decay``: leading errors per radian at constant step on q'' = -w² q, positive if the motion runs
    ahead or loses amplitude; None: no error. ``contact`` and ``contact_decay``: those where -w² q is the force of a
    contact, if that makes a difference.
    ``damped``: what damping adds to the phase error, over the damping ratio, where it costs the scheme an order.
    ``lag``: how far the velocity of a state lies back, in steps; ``force_lag``: the same of the velocity that contacts
    and coupled damping see.
    ``velocity``: by how much, relatively, the amplitude of the reported velocity is too large.
    ``end_weight``: share of a step's load that is taken at its end, which a load loses that ends there.
    ``points_per_period``: steps per shortest period that the step rule asks for; 0: no rule. ``place`` orders lists.
    ``stages``: whether forces are taken at states that are no part of the motion.
    """

    name: str
    aster: str
    order: int
    place: int
    points_per_period: int
    evaluations: str
    run: Callable[[Any, Job], Run]
    phase: Term | None
    decay: Term | None = None
    contact: Term | None = None
    contact_decay: Term | None = None
    damped: Term | None = None
    lag: float = 0.0
    force_lag: float = 0.0
    velocity: Term | None = None
    end_weight: float = 0.0
    options: type[Any] = NoOptions
    stages: bool = False

    @property
    def adaptive(self) -> bool:
        """Whether the step follows the motion."""
        return issubclass(self.options, StepBounds)

    @property
    def only_shorter(self) -> dict[str, float]:
        """Settings with which the step is at most the first."""
        return {"largest": 1.0} if self.adaptive else {}

    @property
    def constant_step(self) -> dict[str, float]:
        """Settings with which the step is constant."""
        return {"smallest": 1.0, "largest": 1.0} if self.adaptive else {}

    def error_per_radian(self) -> Term:
        """Return the larger of phase error and decay for small steps: lower order first, then larger constant.

        A scheme without either is left with what it makes of forces.
        """
        terms = [term for term in (self.phase, self.decay) if term is not None] or [self.in_contact]
        return min(terms, key=lambda term: (term.order, -abs(term.constant)))

    @property
    def next_over_leading(self) -> float:
        """Return the term of the next order over the leading one, for w h = 1."""
        terms = [term for term in (self.phase, self.decay) if term is not None]
        leading = self.error_per_radian()
        following = [abs(term.constant / leading.constant) for term in terms if term.order == leading.order + 1]
        return max(following, default=0.0)

    @property
    def decay_in_contact(self) -> Term | None:
        """Decay if -w² q is the force of a contact."""
        return self.contact_decay or self.decay

    @property
    def in_contact(self) -> Term:
        """Phase error if -w² q is the force of a contact."""
        term = self.contact or self.phase
        assert term is not None, f"{self.name} states no phase error"
        return term
