"""De Vogelaere's scheme with a fixed step."""

from __future__ import annotations

import math

from veridyn.solver.integrators.scheme import Scheme, fixed_step

SCHEME = Scheme(
    name="devogelaere", aster="DEVOGE", place=20, points_per_period=10, evaluations="2",
    run=fixed_step("devogelaere", even=False),
    claims={
        "order": 4, "damped_order": 3, "force_lag": 0.25, "numerical_damping": 5.5e-6, "stability": math.sqrt(8),
        "method": "de-vogelaere", "damping": "diagonal",
    },
)  # fmt: skip
