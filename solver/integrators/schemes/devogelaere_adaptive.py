"""De Vogelaere's scheme with a step that follows its error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veridyn.solver.integrators.embedded_pair import ErrorOptions
from veridyn.solver.integrators.scheme import setting
from veridyn.solver.integrators.schemes import devogelaere

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import IntegrationJob, ModalHistories


@dataclass(frozen=True)
class MidpointOptions(ErrorOptions):
    """Options of the control by the error of midpoints; True reproduces published digits."""

    rescaled_past: bool = setting("whether another try takes the middle of the step before as rescaled", False)
    slipped_start: bool = setting("whether the start has the two slips of 2020, which show if a_0 is not 0", False)


def run(options: MidpointOptions, job: IntegrationJob) -> ModalHistories:
    """Integrate."""
    from veridyn.solver.integrators.integration import march_adaptively
    from veridyn.solver.integrators.kernels import devogelaere_adaptive as kernel

    control = kernel.DevogelaereControl(
        **options.of_step(job.step),
        tolerance=float(options.tolerance),
        absolute=float(options.absolute),
        rescaled_past=options.rescaled_past,
        slipped_start=options.slipped_start,
    )
    return march_adaptively(kernel.integrate, control, job)


SCHEME = replace(
    devogelaere.SCHEME, name="devogelaere_adaptive", place=90, run=run, options=MidpointOptions, step_is_smooth=True
)
