"""Gap and inward normal of curved stops in the plane of the local coordinates (y, z)."""

import math

import numpy as np

from veridyn.solver.integrators.kernels.jit import called
from veridyn.solver.integrators.kernels.piecewise import piece

CIRCLE, OUTSIDE_CIRCLE, PROFILE = 3, 4, 5
SEGMENT = 4  # numbers of a segment of a profile: first angle, inward normal (y, z), distance of the centre


@called
def curved_gap(geometry, radius, y, z, parameter, first, segments):
    """Return the gap, and cosine and sine of the inward normal; at the centre of a circle any normal will do."""
    if geometry == PROFILE:
        start, angle = parameter[first].real, math.atan2(z.real, y.real)
        angle -= 2.0 * math.pi * math.floor((angle - start) / (2.0 * math.pi))
        at = piece(angle, parameter, first, segments, SEGMENT)
        cosine, sine = parameter[at + 1], parameter[at + 2]
        return cosine * y + sine * z + parameter[at + 3], cosine, sine
    side = -1.0 if geometry == CIRCLE else 1.0
    rho = np.sqrt(y * y + z * z)
    if rho == 0.0:
        return -side * radius, side, 0.0
    return side * (rho - radius), side * y / rho, side * z / rho
