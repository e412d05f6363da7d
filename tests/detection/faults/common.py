"""All faults that any mechanical solver can have."""

from __future__ import annotations

from typing import Any

from ..fault import Fault
from .problem import precision_faults, problem_faults
from .response import response_faults, state_faults
from .tools import Sizes


def common_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return all faults of this module for a host."""
    return [
        *problem_faults(solver, sizes),
        *precision_faults(solver, min(sizes.smallest, 1e-9)),
        *response_faults(solver, sizes),
        *state_faults(solver, sizes),
    ]
