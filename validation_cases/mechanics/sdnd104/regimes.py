"""SDND104: what a sweep over its parameters gives where a solver solves many at once, and its map of regimes."""

import math

import numpy as np

from veridyn.references.parameters import ParameterError
from veridyn.references.problems import sliding_block
from veridyn.validation_cases.judgement.sweeping import Border, Floats, Points, Ranges, Sweep, Swept

WIDEST = 1e50  # products of three parameters and their exact halves must not overflow
MOST_HALF_PERIODS = 1_000_000  # slip-slip goes from slip to slip until the motion repeats itself


def refuse(ranges: Ranges) -> None:
    """Refuse reversed windows, too long ones, and numbers whose products overflow; raises `ParameterError`."""
    for name, (least, greatest) in ranges.items():
        if greatest > WIDEST or 0 < least < 1 / WIDEST:
            raise ParameterError(f"{name} must lie between {1 / WIDEST:g} and {WIDEST:g} in a sweep")
    start, end = ranges["t_start"][1], ranges["t_end"][0]
    if start >= end:
        raise ParameterError(f"window reversed: t_start = {start:g} must be less than t_end = {end:g}")
    count = ranges["omega"][1] * ranges["t_end"][1] / math.pi
    if count > MOST_HALF_PERIODS:
        raise ParameterError(f"{count:.3g} half periods are more than {MOST_HALF_PERIODS}: shorten the window")


def eta(parameters: Points) -> Floats:
    """Return η = μ g/a0."""
    return np.asarray(parameters["mu"] * parameters["g"] / parameters["a0"])


SWEEP = Sweep(
    quantities=(
        Swept("wear_power", "W", "mean over [t_start, t_end] of N |v|, N = m g", sliding_block.wear_power),
        Swept("regime", "", "regime of the motion", sliding_block.regime, labels=("stick", "stick-slip", "slip-slip")),
        Swept("slips", "", "number of slips begun by t_end", sliding_block.slips_begun, counted=True),
        Swept("slip_start", "s", "first instant of slip", sliding_block.slip_start),
        Swept("slip_end", "s", "end of the first slip: stick or reversal", sliding_block.slip_end),
    ),
    refuse=refuse,
    shown="wear_power",
    classified="regime",
    borders=(Border("η = 1", eta, 1.0), Border("η = 2/√(π² + 4)", eta, float(sliding_block.critical_eta()))),
    digits=11.0,
    reason="15 digits are usual; a window that cuts out a thousandth of a slip costs three of them, one more is left",
)
