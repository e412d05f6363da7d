"""De Vogelaere's scheme with a fixed step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from veridyn.solver.integrators.scheme import NoOptions, Scheme, Term

if TYPE_CHECKING:
    from veridyn.solver.integrators.integration import Job, Run


def run(_: NoOptions, job: Job) -> Run:
    """Integrate."""
    from veridyn.solver.integrators.integration import march
    from veridyn.solver.integrators.kernels import devogelaere

    return march(devogelaere.integrate, job, even=False)


SCHEME = Scheme(
    name="devogelaere", aster="DEVOGE", order=4, place=20, points_per_period=10, evaluations="2", run=run,
    phase=Term(4, -1 / 320), decay=Term(5, 1 / 576), damped=Term(3, 1 / 144),
    claims={
        "order": 4, "damped_order": 3, "force_lag": 0.25, "numerical_damping": 5.5e-6, "stability": math.sqrt(8),
        "method": "de-vogelaere", "damping": "diagonal",
    },
)  # fmt: skip
