"""SDND101: impacts as Code_Aster's table of impacts has them."""

from veridyn.solver.postprocessing.impacts import sampled_impacts, statistics


def sampled(quantity, o):
    """Return an entry of the table: of samples, not between them."""
    stop = o.response.elements["stop"]
    found = sampled_impacts(o.response.time, stop["normal_force"], stop["normal_velocity"])
    if quantity == "sampled_absolute_peak_force":
        return statistics(found, stop["normal_force"]).absolute_peak
    field, number = quantity.removeprefix("sampled_").rsplit("_", 1)
    return float(getattr(found[int(number) - 1], field))
