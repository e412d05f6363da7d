"""Beam on a stop: what is measured in a response."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import beam_on_stop
from veridyn.solver.errors import SolverFailure
from veridyn.solver.postprocessing.balance import energy_residual
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.solver.postprocessing.interpolation import value_at
from veridyn.validation_cases.core.case import Observation, Values
from veridyn.validation_cases.measures import impacts
from veridyn.validation_cases.mechanics.beam_stop import beam

Floats = NDArray[np.float64]
AROUND = 4  # samples on each side of a release


def instants(values: Values) -> tuple[float, ...]:
    """Return the true instants (s) of touch and release, one after the other, of the contacts that are over by T."""
    return _instants(tuple(values.items()))


@lru_cache(maxsize=16)
def _instants(given: tuple[tuple[str, Any], ...]) -> tuple[float, ...]:
    found = beam_on_stop.motion(**dict(given)).events()
    return tuple(float(t) for t, _ in found[: len(found) // 2 * 2])


def count(values: Values) -> int:
    """Return the true number of contacts that are over by T."""
    return len(instants(values)) // 2


def contacts(o: Observation) -> float:
    """Count the contacts that are over by T."""
    return float(len(_over(o)))


def _over(o: Observation) -> list[Impact]:
    return [i for i in impacts.impacts(o) if i.end < o["T"]]


def of_contact(o: Observation, field: str, number: int) -> float | None:
    """Return a quantity of one contact; None if neither truth nor response has it.

    Raises
    ------
    SolverFailure
        If the response has fewer contacts than the truth.
    """
    found = _over(o)
    if number <= len(found):
        return float(getattr(found[number - 1], field))
    if number <= count(o.values):
        raise SolverFailure(f"the response shows {len(found)} contacts up to T, there are {count(o.values)}")
    return None


def contact_reader(field: str, number: int) -> partial[float | None]:
    """Return the measurement of a quantity of one contact."""
    return partial(of_contact, field=field, number=number)


def peak_force(o: Observation) -> float | None:
    """Return the largest force (N) of the contacts that are over by T; as `of_contact`."""
    of_contact(o, "peak_force", 1)
    return max((i.peak_force for i in _over(o)), default=None)


def mid_span(o: Observation, time: float) -> float:
    """Displacement (m) of mid-span at an instant."""
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


def start_energy(values: Values) -> float:
    """Return the energy (J) of the modes at the start."""
    _, _, speeds = beam.modes(values)
    return 0.5 * float(speeds @ speeds)


def energy_made_at_release(o: Observation) -> float:
    """Return the largest change of the energy balance across a release, over the energy at the start."""
    residual, t = energy_residual(o.problem, o.response), o.response.time[1:-1]
    releases = np.searchsorted(t, instants(o.values)[1::2])
    after, before = np.minimum(releases + AROUND, t.size - 1), np.maximum(releases - AROUND, 0)
    return float(np.abs(residual[after] - residual[before]).max(initial=0.0)) / start_energy(o.values)
