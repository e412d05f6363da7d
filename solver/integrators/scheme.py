"""What a scheme is: its names, what theory says of it, its options, and how it runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from veridyn.solver.contract.errors import SettingsError

if TYPE_CHECKING:  # the kernels behind it take seconds to compile
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


def setting(meaning: str, default: Any = MISSING, **rule: Any) -> Any:
    """Return the field of a record of settings, with the meaning that users are shown.

    The rule is what `Options` checks: ``above`` a number, ``within`` two, a ``whole`` number, or ``among`` some words.
    """
    return field(default=default, metadata={"meaning": meaning, **rule})


def meanings(record: type[Any]) -> Iterator[tuple[str, str]]:
    """Yield name and meaning of each setting of a record."""
    for each in fields(record):
        yield each.name, each.metadata["meaning"]


def require(condition: object, message: str) -> None:
    """Raise `SettingsError` unless a condition holds."""
    if not condition:
        raise SettingsError(message)


@dataclass(frozen=True)
class Options:
    """A record of settings that are what their fields say; raises `SettingsError`."""

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(each.name, getattr(self, each.name), {**ANY, **each.metadata})


ANY: Mapping[str, Any] = {"above": -math.inf, "within": (-math.inf, math.inf), "whole": False, "among": ()}


def _check(name: str, value: Any, rule: Mapping[str, Any]) -> None:
    what, (least, most) = f"{name} = {value!r}", rule["within"]
    if rule["among"]:
        require(value in rule["among"], f"{what} is unknown; known: {', '.join(rule['among'])}")
    elif any(rule[key] != nothing for key, nothing in ANY.items()):
        right = isinstance(value, int | float | np.number) and math.isfinite(value) and value > rule["above"]
        bound = {-math.inf: "", 0.0: ", positive"}.get(rule["above"], f", above {rule['above']:g}")
        require(right, f"{what} must be a finite number{bound}")
        require(least <= value <= most, f"{what} must lie in [{least:g}, {most:g}]")
        require(not rule["whole"] or value == int(value), f"{what} must be a whole number")


def fixed_step(
    kernel: str, *, even: bool = True, method: Callable[[IntegrationJob], tuple[Any, ...]] = lambda _: ()
) -> Callable[[Any, IntegrationJob], ModalHistories]:
    """Return how a scheme of constant step runs by the kernel of a name, which is imported when it is needed.

    ``even`` as in `march`; ``method`` gives what the kernel asks for beyond the system.
    """

    def run(_: Any, job: IntegrationJob) -> ModalHistories:
        from veridyn.solver.integrators.integration import march

        result = import_module(f"veridyn.solver.integrators.kernels.{kernel}")
        return march(result.integrate, job, *method(job), even=even)

    return run


@dataclass(frozen=True)
class StepBounds(Options):
    """Bounds of an adaptive step, as multiples of the first; if both are 1, the step is constant."""

    smallest: float = setting("smallest step of an adaptive scheme, as a multiple of the first", 1e-6, above=0.0)
    largest: float = setting("largest step of an adaptive scheme, as a multiple of the first", 1e6, above=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        require(
            self.smallest <= 1 <= self.largest,
            f"smallest = {self.smallest:g} and largest = {self.largest:g} are multiples of the step: "
            "at most 1 and at least 1",
        )

    def of_step(self, first: float) -> dict[str, Any]:
        """Return the first, the smallest and the largest step (s), as kernels read them."""
        return {"first": first, "smallest": self.smallest * first, "largest": self.largest * first}


@dataclass(frozen=True)
class Resolution:
    """Steps that a scheme takes by default for errors of 1e-3 and less (see `veridyn.solver.integrators.refining`).

    Attributes
    ----------
    period
        In the shortest period of structure and devices, and in that of each load.
    contact
        In the shortest period where stops are. A contact begins and ends somewhere in a step, which leaves up to
        (w h)²/2 of its energy uncounted: 2e-4 with 300 steps.
    span
        Over the time span, at least.
    jumps
        Over the time span where forces jump: dry friction and stops with dampers, whose error is of order 1.
    """

    period: int = 200
    contact: int = 300
    span: int = 10_000
    jumps: int = 100_000


@dataclass(frozen=True)
class Scheme:
    """A scheme: name, name in Code_Aster.

    ``claims``: what holds at a constant step, see `veridyn.solver.integrators.modal.ModalIntegrator.claims`;
    ``resolution``: how many steps it takes where none are given.
    ``step_is_smooth``: whether an adaptive step follows an error without jumps, else it is a multiple of the first.
    ``points_per_period``: steps per shortest period that the step rule asks for; 0: no rule. ``place`` orders lists.
    """

    name: str
    aster: str
    place: int
    points_per_period: int
    evaluations: str
    run: Callable[[Any, IntegrationJob], ModalHistories]
    claims: Mapping[str, float | str]
    options: type[Options] = Options
    resolution: Resolution = Resolution()
    step_is_smooth: bool = False

    @property
    def order(self) -> int:
        """Order of the displacement on smooth undamped problems."""
        return int(self.claims["order"])

    @property
    def adaptive(self) -> bool:
        """Whether the step follows the motion."""
        return issubclass(self.options, StepBounds)

    def follows_error(self, options: Options) -> bool:
        """Tell whether the step moves with the numbers of a problem: no multiple of the first, by jumps."""
        return self.step_is_smooth and isinstance(options, StepBounds) and options.smallest < options.largest

    @property
    def only_shorter(self) -> dict[str, float]:
        """Settings with which the step is at most the first."""
        return {"largest": 1.0} if self.adaptive else {}

    @property
    def constant_step(self) -> dict[str, float]:
        """Settings with which the step is constant."""
        return {"smallest": 1.0, "largest": 1.0} if self.adaptive else {}
