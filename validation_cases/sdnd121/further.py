"""SDND121: checks beyond the comparison of quantities with their truth."""

from __future__ import annotations

from functools import partial

from veridyn.validation_cases import impact_checks
from veridyn.validation_cases.consistency import velocities

COARSEST, LEVELS = 3.2e-5, 4  # s; eight times the step of the test, down to half of it

MAKERS = (
    impact_checks.events,
    impact_checks.force_law,
    impact_checks.energy,
    partial(impact_checks.instants_order, coarsest=COARSEST, levels=LEVELS, share=0.5),
    partial(impact_checks.duration_order, coarsest=COARSEST, levels=LEVELS),
    velocities,
)
