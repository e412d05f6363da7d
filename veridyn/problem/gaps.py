"""Gap and inward normal of stops at positions in the plane of their local coordinates (y, z)."""

from __future__ import annotations

import numpy as np

from veridyn.problem.elements import Stop
from veridyn.problem.geometry import STRAIGHT, Floats, segments


def local_position(stop: Stop, x: Floats) -> tuple[Floats, Floats]:
    """Return the local coordinates y and z (m,) of displacements (m, n); z is zero where a stop has none."""
    z = np.zeros(len(x)) if stop.lateral is None else x @ stop.lateral + stop.lateral_offset
    return x @ stop.normal + stop.offset, z


def gap_and_normal(stop: Stop, y: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
    """Return gap d (m), and cosine and sine of the inward normal, (m,) each, at local positions (m,)."""
    if stop.geometry in STRAIGHT:
        inward = np.where((y < 0) & (stop.geometry == "parallel planes"), 1.0, -1.0)
        return stop.gap + inward * y, inward, np.zeros_like(y)
    if stop.profile is not None:
        parts = segments(stop.profile)
        angle = parts[0, 0] + (np.arctan2(z, y) - parts[0, 0]) % (2 * np.pi)
        _, cosine, sine, distance = parts[np.searchsorted(parts[:, 0], angle, side="right") - 1].T
        return cosine * y + sine * z + distance, cosine, sine
    side = -1.0 if stop.geometry == "circle" else 1.0
    rho = np.hypot(y, z)
    away = np.where(rho > 0, rho, 1.0)  # at the centre every direction is as good: local y
    return side * (rho - stop.gap), side * np.where(rho > 0, y / away, 1.0), side * z / away
