"""Central differences in leapfrog form for structures with stops, dry friction and devices.

    (M + h C/2) w1 = (M - h C/2) w0 + h (F - K u - devices + stops + friction)
    v = (w0 + w1)/2,    u1 = u + h w1

with a constant step h; w0 and w1 are the velocities half a step before and after the instant of u and F, and v is what
is reported there. The start is w0 = v0 - h a0/2, with the acceleration a0 from the equation of motion. Without damping
that is the velocity-Verlet method. The mass is full, or lumped by the sums of its rows. A load that jumps counts by its
mean under the hat from instant to instant.

Stops and frictions act by impulses, found one after the other until none changes: a stop pushes by its penetration and
by the rate v, which holds its own push; a friction takes what is needed to stop the sliding velocity w1, within its
cone. Several frictions are held without a limit first: none slips because others have not taken their share yet.

The loop over steps is compiled by Numba. The laws are small functions, handed to the loop as a record, so that a
subclass or `dataclasses.replace` can put another one in place of each.

T. Belytschko and T. J. R. Hughes, Computational Methods for Transient Analysis, 1983; J. J. Moreau, Computer Methods in
Applied Mechanics and Engineering 177, 1999 (impulses of friction).
"""

from .solver import SOLVER, Explicit, with_law

__all__ = ["SOLVER", "Explicit", "with_law"]
