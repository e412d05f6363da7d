"""Gross faults of what is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .gross import Gross
from .tools import Problem, Response

STRETCH = 1.005  # of the time axis
BLOCKS = 8
HELD = 5  # samples that share one value
EVERY = 20  # samples between two of a coarse archive
WIDTH = 5  # samples of a moving average
DIGITS = 5  # printed
ORIGIN = 1e8  # distance of a far origin, in amplitudes
NOISE = 1e-6  # of the amplitude
TICK = 1e-6  # of the amplitude: resolution of fixed point
SMALL = 1e-4  # of the amplitude: what counts as zero

After = Callable[[Problem, Response], Response]


def displacement(change: Callable[[Response], Any]) -> After:
    """Return the change of the displacements (m, n)."""
    return lambda _, r: {**r, "displacement": change(r)}


def velocity(change: Callable[[Any], Any]) -> After:
    """Return the change of the velocities (m, n)."""
    return lambda _, r: {**r, "velocity": change(r["velocity"])}


def rows(r: Response, index: Any) -> Response:
    """Return a response whose samples are those of other instants (m,), its time as it was."""
    places = np.clip(index, 0, r["time"].size - 1)
    elements = {e: {h: np.asarray(x)[places] for h, x in own.items()} for e, own in r["elements"].items()}
    return {**r, "displacement": r["displacement"][places], "velocity": r["velocity"][places], "elements": elements}


def sampled(index: Callable[[Any], Any]) -> After:
    """Return the change of which sample stands at which instant, from the numbers of the samples (m,)."""
    return lambda _, r: rows(r, index(np.arange(r["time"].size)))


def on_lines(r: Response, knots: Any, instants: Any) -> Any:
    """Return displacements (m, n) on straight lines through those at instants (k,), seen at others (m,)."""
    return np.column_stack([np.interp(instants, r["time"][knots], column[knots]) for column in r["displacement"].T])


def _late(values: Any) -> Any:
    return np.concatenate((values[:1], values[:-1]))


def _middle(values: Any) -> Any:
    return 0.5 * (values + _late(values))


def _stretched(r: Response) -> Any:
    return on_lines(r, slice(None), np.minimum(STRETCH * r["time"], r["time"][-1]))


def _rectangles(r: Response) -> Any:
    """Return displacements as sums of velocities with whole weights at both ends: x_k = x_0 + sum of v h."""
    steps, v = np.diff(r["time"], prepend=r["time"][0])[:, None], r["velocity"]
    ends = 0.5 * float(np.median(np.diff(r["time"]))) * (v[0] + v)
    return r["displacement"][0] + np.cumsum(steps * _middle(v), axis=0) + ends


def _averaged(r: Response) -> Any:
    around = np.clip(np.arange(r["time"].size)[:, None] + np.arange(WIDTH) - WIDTH // 2, 0, r["time"].size - 1)
    return r["displacement"][around].mean(axis=1)


def _printed(r: Response) -> Any:
    return np.vectorize(lambda x: float(f"{x:.{DIGITS - 1}e}"))(r["displacement"])


def _last_hundredth(index: Any) -> Any:
    return np.minimum(index, int(0.99 * index.size))


def _size(r: Response) -> Any:
    return np.maximum(np.abs(r["displacement"]).max(axis=0), 1e-300)


def _far(r: Response) -> Any:
    origin = ORIGIN * _size(r)
    return (r["displacement"] + origin) - origin


def _noisy(r: Response) -> Any:
    return r["displacement"] + NOISE * _size(r) * np.random.default_rng(20).standard_normal(r["displacement"].shape)


def _ticking(r: Response) -> Any:
    tick = TICK * _size(r)
    return tick * np.round(r["displacement"] / tick)


def _flushed(r: Response) -> Any:
    return np.where(np.abs(r["displacement"]) < SMALL * _size(r), 0.0, r["displacement"])


def _single_clock(r: Response) -> Any:
    """Return displacements whose instants are a sum of steps in single precision."""
    clock = np.cumsum(np.diff(r["time"], prepend=0.0).astype(np.float32), dtype=np.float32).astype(float)
    return np.column_stack([np.interp(r["time"], clock, column) for column in r["displacement"].T])


def _times(factor: float) -> After:
    return displacement(lambda r: factor * r["displacement"])


OUTPUT = (
    Gross("state_one_step_late", "output", "Every state stands at the instant after its own.", after=sampled(lambda i: i - 1)),
    Gross("window_one_sample_early", "output", "Every state stands at the instant before its own.", after=sampled(lambda i: i + 1)),
    Gross("velocity_one_step_late", "output", "The velocity is that of the sample before.", after=velocity(_late)),
    Gross("velocity_half_step_late", "output", "The velocity is that of half a sample before.", after=velocity(_middle)),
    Gross("displacement_half_step_late", "output", "The displacement is that of half a step before.", after=displacement(lambda r: _middle(r["displacement"]))),
    Gross("clock_half_percent_slow", "output", f"The state of {STRETCH:g} t stands at t.", after=displacement(_stretched)),
    Gross("blocks_overlap", "output", f"The record consists of {BLOCKS} blocks, each of which repeats the last sample of the one before.", after=sampled(lambda i: i - i * BLOCKS // i.size)),
    Gross("sample_and_hold", "output", f"Every state stands for {HELD} samples.", after=sampled(lambda i: i - i % HELD)),
    Gross("coarse_archive", "output", f"Displacements lie on straight lines between every {EVERY}th sample.", after=displacement(lambda r: on_lines(r, slice(None, None, EVERY), r["time"]))),
    Gross("trapezoid_end_terms", "output", "Displacements are sums of velocities in which both end terms have the whole weight.", after=displacement(_rectangles)),
    Gross("moving_average", "output", f"Displacements are means over {WIDTH} samples.", after=displacement(_averaged)),
    Gross("last_hundredth_held", "output", "The last hundredth of the record repeats one sample.", after=sampled(_last_hundredth)),
    Gross("printed_digits_only", "output", f"Displacements have {DIGITS} digits.", after=displacement(_printed)),
    Gross("magnitudes", "output", "Displacements have lost their signs.", after=displacement(lambda r: np.abs(r["displacement"]))),
    Gross("millimetres", "output", "Displacements are in mm.", after=_times(1000.0)),
    Gross("degrees", "output", "Displacements are in degrees.", after=_times(180.0 / np.pi)),
    Gross("velocity_sign", "output", "Velocities have the wrong sign.", after=velocity(np.negative)),
    Gross("single_precision_output", "precision", "Displacements are handed over in single precision.", after=displacement(lambda r: r["displacement"].astype(np.float32).astype(float))),
    Gross("single_precision_clock", "precision", "Instants of samples are a sum of steps in single precision.", after=displacement(_single_clock)),
    Gross("cancellation", "precision", "Displacements are differences of positions that are 1e8 amplitudes from the origin.", after=displacement(_far)),
    Gross("noise", "precision", "Displacements carry noise of 1e-6 of their largest value.", after=displacement(_noisy)),
    Gross("fixed_point", "precision", "Displacements are multiples of 1e-6 of their largest value.", after=displacement(_ticking)),
    Gross("small_is_zero", "precision", "Displacements below 1e-4 of the largest are zero.", after=displacement(_flushed)),
)  # fmt: skip
