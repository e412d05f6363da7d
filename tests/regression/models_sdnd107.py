"""SDND107: the deviations from a table of 201 points that Code_Aster's test computes."""

from functools import lru_cache

import numpy as np

from veridyn.validation_cases.mechanics.test_sdnd107 import HISTORY

DIGITS = 30
PRINTED = 9  # digits of the table of the test
INSTANTS = np.concatenate((np.arange(81) / 100, np.arange(41, 161) / 50))  # s: every 0.01 up to 0.8, then every 0.02


@lru_cache(maxsize=8)
def _table(values):
    """Return the truth (201, 2), displacement and force, rounded to the digits that the table prints."""
    motion = HISTORY.compute(dict(values), DIGITS)
    times = [round(t, 2) for t in INSTANTS.tolist()]
    kinds = ("displacement", "force")
    return np.array([[float(f"{float(motion(kind, t)):.{PRINTED - 1}e}") for kind in kinds] for t in times])


def deviation(quantity, o):
    """Return the largest deviation from the table over its largest magnitude, as the test reads it."""
    force = quantity.removeprefix("deviation_of_") == "force"
    wanted = _table(tuple(sorted(o.values.items())))[:, int(force)]
    history = o.response.elements["device"]["force"] if force else o.response.displacement[:, 0]
    found = np.interp(INSTANTS, o.response.time, history)
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())
