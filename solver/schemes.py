"""The schemes of our solver: names, step rules, options. The kernels are imported when one runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from veridyn.solver.errors import SettingsError


@dataclass(frozen=True)
class NoOptions:
    """A scheme without options."""


@dataclass(frozen=True)
class AdaptiveOptions:
    """Options of adaptive central differences; the defaults are the clean form of the 2020 control.

    ``control``: "2002" (at most the first step, easy-step counter of releases up to 7) or "2020".
    ``smallest`` and ``largest`` step (s); None: 1e-6 and 1e6 times the first step, with the 2002 control at
    most the first step. Equal: constant step. ``velocity_floor``: "norm" or "maximum" (VITE_MIN NORM, MAXI).
    ``restore_friction=False`` (2002) and ``weight_of_try=True`` (2020) reproduce published digits.
    ``archive_grid`` (s): keep the states nearest to a grid instead of all.
    """

    control: Literal["2002", "2020"] = "2020"
    smallest: float | None = None
    largest: float | None = None
    points_per_period: float = 50.0
    grow: float = 1.1
    shrink: float = 1.3333334
    tries: int = 16
    velocity_floor: Literal["norm", "maximum"] = "norm"
    restore_friction: bool = True
    weight_of_try: bool = False
    archive_grid: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "control", str(self.control))  # 2002 on the command line is a number
        if self.control not in ("2002", "2020"):
            raise SettingsError(f"control {self.control!r} is unknown; known: 2002, 2020")
        if self.velocity_floor not in ("norm", "maximum"):
            raise SettingsError(f"velocity_floor {self.velocity_floor!r} is unknown; known: norm, maximum")
        if self.grow <= 1 or self.shrink <= 1 or self.tries < 1 or self.points_per_period <= 0:
            raise SettingsError("grow and shrink must be above 1, tries at least 1, points_per_period positive")
        if not (np.isfinite(self.archive_grid) and self.archive_grid >= 0):
            raise SettingsError(f"archive_grid = {self.archive_grid} s must be finite and not negative")
        if self.smallest is not None and self.largest is not None and self.smallest > self.largest:
            raise SettingsError(f"smallest step {self.smallest} s is above the largest {self.largest} s")
        for name in ("smallest", "largest"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0):
                raise SettingsError(f"{name} = {value} s must be positive and finite")


@dataclass(frozen=True)
class Scheme:
    """A scheme: name, name in Code_Aster, order on smooth undamped problems, steps per shortest period."""

    name: str
    aster: str
    order: int
    points_per_period: int
    adaptive: bool = False
    options: type[Any] = NoOptions


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme("symplectic_euler", "EULER", order=2, points_per_period=20),
        Scheme("devogelaere", "DEVOGE", order=4, points_per_period=10),
        Scheme(
            "central_adaptive",
            "ADAPT_ORDRE2",
            order=2,
            points_per_period=20,
            adaptive=True,
            options=AdaptiveOptions,
        ),
    )
}
