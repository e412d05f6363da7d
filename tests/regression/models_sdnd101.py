"""SDND101: impacts as Code_Aster's table of impacts has them."""

import numpy as np
from sampled import sampled_impacts


def sampled(quantity, o):
    """Return an entry of the table: of samples, not between them."""
    stop = o.response.elements["stop"]
    found = sampled_impacts(o.response.time, stop["normal_force"], stop["normal_velocity"])
    if quantity == "sampled_absolute_peak_force":
        return float(np.abs(stop["normal_force"]).max())
    field, number = quantity.removeprefix("sampled_").rsplit("_", 1)
    return float(getattr(found[int(number) - 1], field))
