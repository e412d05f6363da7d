"""Beam on a stop: what is measured in a response."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.interpolation import value_at
from veridyn.validation_cases.beam_stop import beam
from veridyn.validation_cases.case import Observation
from veridyn.validation_cases.sdnd101 import measures as impact_measures

Floats = NDArray[np.float64]


def contacts(o: Observation) -> float:
    """Count the contacts that are over by T."""
    return float(sum(i.end < o["T"] for i in impact_measures.impacts(o)))


def of_contact(o: Observation, field: str, number: int) -> float | None:
    """Return a quantity of one contact; None if there is no such contact up to T."""
    found = [i for i in impact_measures.impacts(o) if i.end < o["T"]]
    return float(getattr(found[number - 1], field)) if number <= len(found) else None


def contact_reader(field: str, number: int) -> partial[float | None]:
    """Return the measurement of a quantity of one contact."""
    return partial(of_contact, field=field, number=number)


def peak_force(o: Observation) -> float | None:
    """Largest force (N) of the contacts that are over by T."""
    peaks = [i.peak_force for i in impact_measures.impacts(o) if i.end < o["T"]]
    return max(peaks, default=None)


def mid_span(o: Observation, time: float) -> float | None:
    """Displacement (m) of mid-span at an instant; None beyond T."""
    if time > o["T"]:
        return None
    points = o.response.displacement.shape[1]
    return value_at(o.response.time, o.response.displacement[:, beam.mid_span(points)], time)


def modal_energy(o: Observation) -> float:
    """Energy (J) of beam and stop at T."""
    back = np.linalg.pinv(beam.shapes(o.values)).T
    _, w, _ = beam.modes(o.values)
    x, v = (_at_end(o, part) for part in (o.response.displacement, o.response.velocity))
    closed = min(o["gap"] + float(x[beam.mid_span(x.size)]), 0.0)
    return float(np.sum((w * (x @ back)) ** 2 + (v @ back) ** 2) + o["kc"] * closed**2) / 2


def _at_end(o: Observation, histories: Floats) -> Floats:
    return np.array([value_at(o.response.time, column, o["T"]) for column in histories.T])
