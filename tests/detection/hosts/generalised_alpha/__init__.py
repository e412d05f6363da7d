"""The generalised-alpha method of Chung and Hulbert for structures with stops, dry friction and devices.

    M ((1 - αm) a1 + αm a0) + C ((1 - αf) v1 + αf v0) + K ((1 - αf) u1 + αf u0)
        = F(t0 + (1 - αf) h) + (1 - αf) f1 + αf f0 + friction
    u1 = u0 + h v0 + h² ((½ - β) a0 + β a1),    v1 = v0 + h ((1 - γ) a0 + γ a1)

from an instant 0 to the next one 1 with a constant step h; f are the forces of stops and devices. αm, αf, β and γ
follow from rho_inf, what is left of the amplitude of infinitely fast motion after a step. Every step is solved by
Newton's iteration on a1, with the consistent tangent, until the residual is small against the largest force so far.

Friction is set-valued and mapped back to the cone once per step: what sticks has no sliding velocity at the end of the
step, and the multiplier that holds it is an unknown beside a1. A stick that needs more than the static limit slips, a
slip that would turn back tries to stick first. The normal force of friction on a stop is weighted as all forces are.

A load that jumps within a step counts by its mean over the step.

A damped stop pushes at once when it is touched. A step that only just touches it has no solution: the stop then acts
from the next step on.

The loop over steps is compiled by Numba. The laws are small functions, handed to the loop as a record, so that a
subclass or `dataclasses.replace` can put another one in place of each.

J. Chung and G. M. Hulbert, Journal of Applied Mechanics 60, 1993.
"""

from .solver import SOLVER, GeneralisedAlpha, with_law

__all__ = ["SOLVER", "GeneralisedAlpha", "with_law"]
