"""Responses looked at more coarsely: every second sample, one digit less, and how far samples lie apart."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.contract.responses import AnyResponse, Trajectory


def spacing(response: AnyResponse, instant: float) -> float:
    """Return the distance of the samples about an instant (s), 0 where the solver reports an event."""
    if any(np.any(np.abs(events - instant) <= np.spacing(abs(instant))) for events in response.events.values()):
        return 0.0
    i = int(np.clip(np.searchsorted(response.time, instant), 1, response.time.size - 2))
    return float(np.diff(response.time[i - 1 : i + 2]).max())


def with_fewer_digits(response: AnyResponse, printed: float | None) -> AnyResponse:
    """Return a response with one significant digit less than a solver prints; as it is if it does not print."""
    if printed is None:
        return response
    digits = int(printed) - 1
    if isinstance(response, Trajectory):
        return replace(response, states=_to_digits(response.states, digits))
    return replace(
        response,
        displacement=_to_digits(response.displacement, digits),
        velocity=_to_digits(response.velocity, digits),
        elements={
            name: {history: _to_digits(values, digits) for history, values in histories.items()}
            for name, histories in response.elements.items()
        },
    )


def _to_digits(values: NDArray[np.float64], digits: int) -> NDArray[np.float64]:
    size = np.where(values == 0, 1.0, np.abs(values))
    unit = 10.0 ** (np.floor(np.log10(size)) - digits + 1)
    return np.asarray(np.round(values / unit) * unit)


def every_second(response: AnyResponse, half: int) -> AnyResponse:
    """Return a response with every second sample from that number, both ends, and the samples at events."""
    return choose(response, choose_every_second(response, half))


def choose_every_second(response: AnyResponse, half: int) -> NDArray[np.bool_]:
    """Tell which samples (m,) `every_second` leaves."""
    time = response.time
    kept = np.zeros(time.size, dtype=bool)
    kept[half::2] = True
    kept[[0, -1]] = True
    for instants in response.events.values():
        kept |= np.isin(time, instants)
    return kept


def choose(response: AnyResponse, kept: NDArray[np.bool_]) -> AnyResponse:
    """Return a response with some of its samples (m,)."""
    time = response.time
    if isinstance(response, Trajectory):
        modes = tuple(mode for mode, keep in zip(response.modes, kept, strict=False) if keep)
        return replace(response, time=time[kept], states=response.states[kept], modes=modes)
    return replace(
        response,
        time=time[kept],
        displacement=response.displacement[kept],
        velocity=response.velocity[kept],
        elements={
            name: {history: values[kept] for history, values in histories.items()}
            for name, histories in response.elements.items()
        },
    )
