"""De Vogelaere's scheme with a step that follows its error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veridyn.solver.integrators.embedded_pair import ErrorOptions
from veridyn.solver.integrators.scheme import Scheme, Term, setting

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


@dataclass(frozen=True)
class MidpointOptions(ErrorOptions):
    """Options of the control by the error of midpoints; True reproduces published digits."""

    rescaled_past: bool = setting("whether another try takes the middle of the step before as rescaled", False)
    slipped_start: bool = setting("whether the start has the two slips of 2020, which show if a_0 is not 0", False)


def run(options: MidpointOptions, job: Job) -> Run:
    """Integrate."""
    from veridyn.solver.integrators.integration import march_adaptively
    from veridyn.solver.integrators.kernels import devogelaere_adaptive as kernel

    control = kernel.Control(
        first=job.step,
        smallest=options.smallest * job.step,
        largest=options.largest * job.step,
        tolerance=float(options.tolerance),
        absolute=float(options.absolute),
        rescaled_past=options.rescaled_past,
        slipped_start=options.slipped_start,
    )
    return march_adaptively(SCHEME.name, kernel.integrate, control, job)


SCHEME = Scheme(
    name="devogelaere_adaptive",
    aster="DEVOGE",
    order=4,
    place=90,
    points_per_period=10,
    evaluations="2",
    run=run,
    phase=Term(4, -1 / 320),
    decay=Term(5, 1 / 576),
    damped=Term(3, 1 / 144),
    options=MidpointOptions,
    claims={
        "order": 4,
        "damped_order": 3,
        "force_lag": 0.25,
        "numerical_damping": 5.5e-6,
        "stability": math.sqrt(8),
        "method": "de-vogelaere",
        "damping": "diagonal",
    },
)
