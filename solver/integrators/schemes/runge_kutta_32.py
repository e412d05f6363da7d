"""Runge-Kutta pair of orders 3 and 2: Bogacki and Shampine, Appl. Math. Lett. 2, 1989."""

from __future__ import annotations

import math

from veridyn.solver.integrators.embedded_pair import EmbeddedPair, PairOptions
from veridyn.solver.integrators.scheme import Scheme

PAIR = EmbeddedPair(
    weights=(("1/2",), ("0", "3/4"), ("2/9", "1/3", "4/9")), error=("5/72", "-1/12", "-1/9", "1/8"), power=4.0
)

SCHEME = Scheme(
    name="runge_kutta_32", aster="RUNGE_KUTTA_32", place=60, points_per_period=0, evaluations="3",
    run=PAIR.run, options=PairOptions, step_is_smooth=True,
    claims={
        "order": 3, "lag": 0.0, "numerical_damping": 1.25e-3, "stability": math.sqrt(3), "method": "runge-kutta",
        "tableau": "bogacki-shampine",
    },
)  # fmt: skip
