"""Settings of Drake, in both of its ways."""

from __future__ import annotations

from dataclasses import dataclass

from veridyn.solver.adapters.stepping import StepControls
from veridyn.solver.controls import number
from veridyn.solver.event_driven.answer import EventControls


@dataclass(frozen=True)
class DrakeControls(EventControls, StepControls):
    """Settings of Drake: accuracy and bounds of the continuous schemes, step and contact of the discrete ones."""

    stiction_tolerance: float = number(1e-8, "sliding velocity (m/s) below which friction is viscous; lagged, similar")
    foot_depth: float = number(1e-2, "penetration (m) of what rubs under its normal force; discrete schemes")
    foot_dissipation: float = number(1e-2, "Hunt and Crossley dissipation (s/m) of what rubs; lagged, similar")
    foot_relaxation: float = number(1e-3, "relaxation time (s) of what rubs; sap")
