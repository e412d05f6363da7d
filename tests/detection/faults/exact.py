"""Seeded faults of the exact solver: what any solver can get wrong, and gross faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from veridyn.solver.exact.solver import SOLVER as EXACT

from ..fault import Host
from .common import common_faults
from .gross import gross_faults
from .gross_elements import CONTACT, FRICTION
from .gross_output import OUTPUT
from .gross_structure import LOADS, MODAL, SUPPORTS
from .tools import Problem, Response, Sizes

SIZES = Sizes(1e-6, 1e-13)


class Exact:
    """The exact solver, which answers by name, so that a fault can change a part of its answer."""

    name, version, claims = EXACT.name, EXACT.version, EXACT.claims
    capabilities = frozenset(  # faults change arrays, and no derivatives
        name for name in EXACT.capabilities - {"sparse"} if not name.startswith("derivatives:")
    )

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the answer by name; raises what the exact solver raises."""
        return dict(vars(EXACT.solve(problem, settings)))


SOLVER = Exact()
GROSS = (*CONTACT, *FRICTION, *MODAL, *LOADS, *SUPPORTS, *OUTPUT)
WITHIN = "A restart changes the answers by what is wrong, so that no digits are asked; and a millionth is within every criterion."
CARRIED_ON = {"load_late", "displacement_late", "velocity_late", "one_side_larger", "outputs_cost_motion"}
SMALL = tuple(
    replace(fault, unclaimed=WITHIN) if fault.name in CARRIED_ON else fault for fault in common_faults(SOLVER, SIZES)
)
HOSTS = (Host(SOLVER.name, SOLVER, (*SMALL, *gross_faults(SOLVER, GROSS))),)
