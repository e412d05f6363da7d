"""Adaptive central differences, with the step controls of two generations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from veridyn.solver.integrators.apparent_frequency import FrequencyOptions, run_controlled
from veridyn.solver.integrators.scheme import Scheme, Term, require, require_number, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


@dataclass(frozen=True)
class AdaptiveOptions(FrequencyOptions):
    """Options of adaptive central differences; the defaults are the clean form of the control of 2020.

    Under the control of 2002 the step is at most the first. ``restore_friction=False`` (2002) and
    ``weight_of_try=True`` (2020) reproduce published digits.
    """

    control: Literal["2002", "2020"] = setting("generation of the step control, 2020 or 2002", "2020")
    restore_friction: bool = setting("whether a rejected try restores the memory of contacts", True)
    weight_of_try: bool = setting("whether the velocity weight uses the step tried first", False)
    archive_grid: float = setting("keep the states nearest to a grid (s); 0: keep all", 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "control", str(self.control))  # 2002 on the command line is a number
        require(self.control in ("2002", "2020"), f"control {self.control!r} is unknown; known: 2002, 2020")
        if self.archive_grid != 0:
            require_number("archive_grid", self.archive_grid, above=0.0, unit="s")


def run(options: AdaptiveOptions, job: Job) -> Run:
    """Integrate."""
    return run_controlled(
        SCHEME.name,
        options,
        job,
        old_control=options.control == "2002",
        restore=options.restore_friction,
        weight_of_try=options.weight_of_try,
        grid=float(options.archive_grid),
    )


SCHEME = Scheme(
    name="central_adaptive", aster="ADAPT_ORDRE2", order=2, place=30, points_per_period=20, evaluations="1", run=run,
    phase=Term(2, 1 / 24), velocity=Term(2, 3 / 8), options=AdaptiveOptions,
    claims={
        "order": 2, "lag": 0.0, "numerical_damping": 0.0, "stability": 2.0, "method": "central-difference",
        "velocity": "extrapolated",
    },
)  # fmt: skip
