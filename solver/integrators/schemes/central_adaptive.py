"""Adaptive central differences: the step follows the apparent frequency, by the controls of two generations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from veridyn.solver.integrators.scheme import Scheme, StepBounds, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories

# variants of the kernel, see its Control
CLEAN = {"old_control": False, "velocity_late": False, "restore": True, "weight_of_try": False, "grid": 0.0}


@dataclass(frozen=True)
class FrequencyOptions(StepBounds):
    """Options of the control by apparent frequency."""

    points_per_period: float = setting("points per apparent period", 50.0, above=0.0)
    grow: float = setting("factor of a longer step", 1.1, above=1.0)
    shrink: float = setting("divisor of a shorter step", 1.3333334, above=1.0)
    tries: int = setting("tries per step, the last of which is accepted", 16, above=0.0)
    velocity_floor: Literal["norm", "maximum"] = setting(
        "least velocity of the control, from norm or maximum", "norm", among=("norm", "maximum")
    )


def run_controlled(options: FrequencyOptions, job: IntegrationJob, **variant: Any) -> ModalHistories:
    """Integrate with the kernel of adaptive central differences, in one of its variants."""
    from veridyn.solver.integrators.integration import march_adaptively
    from veridyn.solver.integrators.kernels import central_adaptive

    control = control_of(options, job.step, **variant)
    slots = job.states(control.grid or None)
    return march_adaptively(central_adaptive.integrate, control, job, slots=slots)


def control_of(options: FrequencyOptions, step: float, **variant: Any) -> Any:
    """Return the options as the kernel reads them."""
    from veridyn.solver.integrators.kernels import central_adaptive

    chosen: dict[str, Any] = {**CLEAN, **variant}
    return central_adaptive.CentralControl(
        **options.of_step(step),
        points=float(options.points_per_period),
        grow=float(options.grow),
        shrink=float(options.shrink),
        tries=int(options.tries),
        own_minimum=options.velocity_floor == "maximum",
        **chosen,
    )


@dataclass(frozen=True)
class AdaptiveOptions(FrequencyOptions):
    """Options of adaptive central differences; the defaults are the clean form of the control of 2020.

    Under the control of 2002 the step is at most the first. ``restore_friction=False`` (2002) and
    ``weight_of_try=True`` (2020) reproduce published digits.
    """

    control: Literal["2002", "2020"] = setting(
        "generation of the step control, 2020 or 2002", "2020", among=("2002", "2020")
    )
    restore_friction: bool = setting("whether a rejected try restores the memory of contacts", True)
    weight_of_try: bool = setting("whether the velocity weight uses the step tried first", False)
    archive_grid: float = setting("keep the states nearest to a grid (s); 0: keep all", 0.0, within=(0.0, math.inf))

    def __post_init__(self) -> None:
        object.__setattr__(self, "control", str(self.control))  # 2002 on the command line is a number
        super().__post_init__()


def run(options: AdaptiveOptions, job: IntegrationJob) -> ModalHistories:
    """Integrate."""
    return run_controlled(
        options,
        job,
        old_control=options.control == "2002",
        restore=options.restore_friction,
        weight_of_try=options.weight_of_try,
        grid=float(options.archive_grid),
    )


SCHEME = Scheme(
    name="central_adaptive", aster="ADAPT_ORDRE2", place=30, points_per_period=20, evaluations="1", run=run,
    options=AdaptiveOptions,
    claims={
        "order": 2, "lag": 0.0, "numerical_damping": 0.0, "stability": 2.0, "method": "central-difference",
        "velocity": "extrapolated",
    },
)  # fmt: skip
