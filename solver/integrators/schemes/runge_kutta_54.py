"""Runge-Kutta pair of orders 5 and 4: Dormand and Prince, J. Comput. Appl. Math. 6, 1980."""

from __future__ import annotations

from veridyn.solver.integrators.embedded_pair import EmbeddedPair, PairOptions
from veridyn.solver.integrators.scheme import Scheme

PAIR = EmbeddedPair(
    weights=(
        ("1/5",),
        ("3/40", "9/40"),
        ("44/45", "-56/15", "32/9"),
        ("19372/6561", "-25360/2187", "64448/6561", "-212/729"),
        ("9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656"),
        ("35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"),
    ),
    error=("71/57600", "0", "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"),
    power=6.0,
)

SCHEME = Scheme(
    name="runge_kutta_54", aster="RUNGE_KUTTA_54", place=70, points_per_period=0, evaluations="6",
    run=PAIR.run, options=PairOptions, step_is_smooth=True,
    claims={
        "order": 5, "lag": 0.0, "numerical_damping": 7.6e-7, "stability": 0.99718900863, "method": "runge-kutta",
        "tableau": "dormand-prince",
    },
)  # fmt: skip
