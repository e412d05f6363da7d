"""Schemes whose step follows the apparent frequency of the motion: their options, and how they run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from veridyn.solver.integrators.scheme import StepBounds, require, require_number, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


# variants of the kernel, see its Control
CLEAN = {"old_control": False, "velocity_late": False, "restore": True, "weight_of_try": False, "grid": 0.0}


@dataclass(frozen=True)
class FrequencyOptions(StepBounds):
    """Options of the control by apparent frequency."""

    points_per_period: float = setting("points per apparent period", 50.0)
    grow: float = setting("factor of a longer step", 1.1)
    shrink: float = setting("divisor of a shorter step", 1.3333334)
    tries: int = setting("tries per step, the last of which is accepted", 16)
    velocity_floor: Literal["norm", "maximum"] = setting("least velocity of the control, from norm or maximum", "norm")

    def __post_init__(self) -> None:
        super().__post_init__()
        known = self.velocity_floor in ("norm", "maximum")
        require(known, f"velocity_floor {self.velocity_floor!r} is unknown; known: norm, maximum")
        for name, bound in (("points_per_period", 0.0), ("grow", 1.0), ("shrink", 1.0), ("tries", 0.0)):
            require_number(name, getattr(self, name), above=bound)


def run_controlled(name: str, options: FrequencyOptions, job: Job, **variant: Any) -> Run:
    """Integrate with the kernel of adaptive central differences, in one of its variants."""
    from veridyn.solver.integrators.integration import march_adaptively
    from veridyn.solver.integrators.kernels import central_adaptive

    control = control_of(options, job.step, **variant)
    slots = job.states(control.grid or None)
    return march_adaptively(name, central_adaptive.integrate, control, job, slots=slots)


def control_of(options: FrequencyOptions, step: float, **variant: Any) -> Any:
    """Return the options as the kernel reads them."""
    from veridyn.solver.integrators.kernels import central_adaptive

    chosen: dict[str, Any] = {**CLEAN, **variant}
    return central_adaptive.Control(
        first=step,
        smallest=options.smallest * step,
        largest=options.largest * step,
        points=float(options.points_per_period),
        grow=float(options.grow),
        shrink=float(options.shrink),
        tries=int(options.tries),
        own_minimum=options.velocity_floor == "maximum",
        **chosen,
    )
