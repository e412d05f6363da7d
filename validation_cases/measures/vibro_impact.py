"""Driven oscillators that strike one stop: what their cases ask for and read in a response."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from veridyn.references.parameters import Exact
from veridyn.validation_cases.judgement.case import Floats, Observation, Values
from veridyn.validation_cases.measures import impacts, struck_oscillator

NAMES = tuple(parameter.name for parameter in struck_oscillator.PARAMETERS)
OUTPUT_NUMBER = 0.032  # w_c times the spacing of the requested output around contacts: a hundred per contact
FAR = 25  # spacing of outputs in flight over that in contact
CLOCK = 12  # decimals of output instants (s), so that none comes twice


def select_parameters(values: Values) -> dict[str, Any]:
    """Return the parameters that the reference knows."""
    return {name: values[name] for name in NAMES if name in values}


def true_instants(values: Values) -> Floats:
    """Return the true instants of contact (s): touch, release, touch, ..."""
    return _true_instants(tuple(select_parameters(values).items()))


@lru_cache(maxsize=16)
def _true_instants(parameters: tuple[tuple[str, Exact], ...]) -> Floats:
    given: dict[str, Any] = dict(parameters)
    return np.array(
        [float(t) for t, _ in struck_oscillator.HISTORY(**given, digits=struck_oscillator.PHASES).events()[1:]]
    )


def instants_before(values: Values, time: float) -> int:
    """Return how many true instants of contact there are up to an instant."""
    return int(np.searchsorted(true_instants(values), time))


def spacing(values: Values) -> float:
    """Return the spacing of requested outputs around contacts (s)."""
    return OUTPUT_NUMBER / impacts.contact_frequency(values)


def output_times(values: Values, also: Iterable[float] = ()) -> Floats:
    """Return output instants (s): dense from two durations before a contact to two after, else every `FAR`th of them.

    What is measured lies between samples; a flight needs fewer of them.
    """
    end, near = float(values["t_end"]), spacing(values)
    last = round(end / near)
    instants = np.append(true_instants(values), end)  # the last contact may be open
    around = [np.arange(0, last + 1, FAR)]
    for touch, release in zip(instants[0::2], instants[1::2], strict=False):
        reach = 2 * (release - touch)
        first, beyond = np.clip(np.round(np.array([touch - reach, release + reach]) / near), 0, last)
        around.append(np.arange(int(first), int(beyond) + 1))
    grid = np.unique(np.concatenate(around)) * near
    return np.unique(np.round(np.concatenate((grid[grid < end], [end], list(also))), CLOCK))


def instant(o: Observation, number: int) -> float:
    """Return one instant of contact, counted from 1 (s): odd numbers touch, even ones release."""
    result = impacts.impact(o, (number + 1) // 2)
    return result.start if number % 2 else result.end


def largest_force(o: Observation) -> float:
    """Return the largest force of all contacts (N); raises SolverFailure if there are none."""
    impacts.impact(o, 1)
    return max(impact.peak_force for impact in impacts.impacts(o))


def worst_instant(o: Observation) -> float | None:
    """Return the largest error of the instants of contact (s), in order: each is compared with its own.

    Where no contact ends there is nothing to compare: None, or when the last of those ends that should not be there.

    Raises
    ------
    SolverFailure
        If their number is wrong.
    """
    true = true_instants(o.values)
    if true.size < 2:
        return max(impacts.instants(o), default=None)
    return impacts.worst_instant(o, true)
