"""Equilibrium: where a constant drive has nothing left to move, no step need be taken."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.matrices import is_skewed
from veridyn.solver.event_driven.contact_modes import ModeFlow
from veridyn.solver.event_driven.forcing import Forcing
from veridyn.solver.exact.tables import Tables

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REST = 1e-13  # of the displacements; a motion that stays smaller is rounding
GROWTH = 1e-7  # of the fastest rate; a mode that grows by less does not grow
STILL = 1e-3  # of one over the time that is left; a slower mode does not move


def at_rest(tables: Tables, states: Ints, y: Floats, forcing: Forcing, t: float) -> bool:
    """Tell whether the motion from t to the end of a segment is nothing but rounding.

    With an equilibrium y + d, ``A d = -y'``, the motion about it is as large as d and, where modes swing or decay at a
    rate w, as d'/w; what no equilibrium takes away grows with time. All are compared with the displacements, in the
    norm of the kinetic energy. Circulatory forces may magnify a motion before it decays, or let it grow slowly: beside
    them only what stands still is at rest.
    """
    if not forcing.constant:
        return False
    flow, n = tables.draft(states).flow, y.size // 2
    rate, left = flow.rate(y, forcing.value(t)), forcing.end - t
    if not rate.any():
        return True
    eigenvalues = np.linalg.eigvals(flow.rate.matrix)
    moduli = np.abs(eigenvalues)
    moving = moduli[moduli * left > STILL]
    # With circulatory forces A is far from normal: exp(A t) may grow by orders of magnitude before it decays, though
    # all eigenvalues say decay. Then the amplitude of a free vibration is no bound of the motion.
    circulates = is_skewed(np.asarray(tables.mechanics.problem.stiffness))
    if not moving.size or circulates or eigenvalues.real.max() > GROWTH * moduli.max():
        return False
    d = _equilibrium(flow, rate, float(moving.max()))
    # A singular A (a body that drifts, a spring of stick that waits) has no equilibrium for every rate. What least
    # squares leave of it goes on: as a velocity it leads to ``lost`` t, as an acceleration to t² times it.
    lost = flow.rate.matrix @ d + rate
    excess = np.abs(d[:n]) + np.abs(d[n:]) / moving.min() + np.abs(lost[:n]) * left + np.abs(lost[n:]) * left**2
    weights = np.sqrt(np.diag(np.asarray(tables.mechanics.problem.mass)))
    return bool(np.linalg.norm(weights * excess) <= REST * np.linalg.norm(weights * y[:n]))


def _equilibrium(flow: ModeFlow, rate: Floats, fastest: float) -> Floats:
    """Return d with ``A d = -y'``, as far as there is one, velocities being measured by the fastest rate (1/s)."""
    n = rate.size // 2
    units = np.repeat([1.0, fastest], n)
    scaled = flow.rate.matrix * units / units[:, None]
    return np.asarray(np.linalg.lstsq(scaled, -rate / units, rcond=None)[0] * units)
