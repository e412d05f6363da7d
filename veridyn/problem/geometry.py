"""Shapes of stops in the plane of their local coordinates (y, z): which there are, profiles and their segments."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridyn.problem.errors import ProblemError

Floats = NDArray[np.float64]

STRAIGHT = ("plane", "parallel planes")
CURVED = ("circle", "outside circle", "profile")  # their normal turns with the place of contact
CLOSED = 1e-9  # rad, and of the radius: the last point of a profile repeats the first


def profile_points(owner: str, value: ArrayLike) -> Floats:
    """Return a read-only polar profile (k + 1, 2) of angles (rad) and radii (m).

    Raises `ProblemError` if the angles do not increase by less than half a turn from point to point, a radius is not
    positive, or the last point does not repeat the first one turn later.
    """
    try:
        points = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ProblemError(f"{owner}: profile must be pairs of angle (rad) and radius (m)") from None
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 4 or not np.all(np.isfinite(points)):
        raise ProblemError(
            f"{owner}: profile must be at least four finite pairs of angle (rad) and radius (m), the last closing it; "
            f"got shape {points.shape}"
        )
    _check_profile(owner, *points.T)
    points.flags.writeable = False
    return points


def _check_profile(owner: str, angles: Floats, radii: Floats) -> None:
    if np.any(radii <= 0):
        raise ProblemError(f"{owner}: the radius {radii.min():g} m of the profile must be positive")
    steps = np.diff(angles)
    wrong = np.flatnonzero((steps <= 0) | (steps >= np.pi))
    if wrong.size:
        k = int(wrong[0])
        raise ProblemError(
            f"{owner}: the profile crosses itself or passes behind its centre: its angles must increase by less than "
            f"half a turn, point {k + 1} has {angles[k]:g} rad, point {k + 2} {angles[k + 1]:g} rad"
        )
    turn, change = angles[-1] - angles[0], radii[-1] - radii[0]
    if abs(turn - 2 * np.pi) > CLOSED or abs(change) > CLOSED * radii[0]:
        raise ProblemError(
            f"{owner}: the profile is not closed: its last point must repeat the first one turn later; it is "
            f"{turn:g} rad later and {change:g} m off"
        )


def segments(profile: Floats) -> Floats:
    """Return for each segment of a profile its first angle, its inward normal (y, z) and the distance of the centre.

    The gap of a point (y, z) seen under an angle of the segment is ``normal · (y, z) + distance``; (k, 4).
    """
    angles, radii = profile.T
    corners = radii[:, None] * np.column_stack((np.cos(angles), np.sin(angles)))
    corners[-1] = corners[0]
    along = np.diff(corners, axis=0)
    normals = np.column_stack((-along[:, 1], along[:, 0])) / np.hypot(*along.T)[:, None]
    return np.column_stack((angles[:-1], normals, -np.sum(normals * corners[:-1], axis=1)))
