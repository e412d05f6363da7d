"""What a problem has that a fault may damage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veridyn.problem.scalars import to_float

from .tools import Problem, Touches


def has_need(tag: str) -> Touches:
    """Return whether a problem needs a capability."""
    return lambda p: tag in p.needs


def has_elements(*lists: str) -> Touches:
    """Return whether there is anything in one of these fields of a problem."""
    return lambda p: any(getattr(p, name) for name in lists)


has_modes, has_stops, has_frictions = has_elements("modes"), has_elements("stops"), has_elements("frictions")
has_loads, has_supports, has_drives = has_elements("loads"), has_elements("supports"), has_elements("loads", "supports")
has_nonlinear = has_elements("stops", "frictions", "devices")


def has_matrices(p: Problem) -> bool:
    """Tell whether the structure is given by matrices."""
    return p.mass is not None


def has_absolute(p: Problem) -> bool:
    """Tell whether an element sees the motion of supports."""
    return has_supports(p) and any(e.frame == "absolute" for e in (*p.stops, *p.frictions, *p.devices))


def has_gaps(p: Problem) -> bool:
    """Tell whether a stop has a gap other than zero."""
    return any(stop.gap != 0 for stop in p.stops)


def two_sided(p: Problem) -> bool:
    """Tell whether a stop has two planes."""
    return any(stop.geometry == "parallel planes" for stop in p.stops)


def static_above(p: Problem) -> bool:
    """Tell whether static friction is above the kinetic one."""
    return any(f.static > f.kinetic for f in p.frictions)


def has_two_coordinates(p: Problem) -> bool:
    """Tell whether there are several coordinates."""
    return p.initial_displacement.size > 1


def has_devices(*fields: str) -> Touches:
    """Return whether a device has one of these numbers, not zero, or one of these tables, not empty."""
    return lambda p: any(bool(getattr(d, name, 0.0)) for d in p.devices for name in fields)


def has_inner_breaks(p: Problem) -> bool:
    """Tell whether a drive begins or ends inside the run."""
    return any(p.start < at < p.end for function in functions_of(p) for at in breaks_of(function.to_dict()))


def has_waves(p: Problem) -> bool:
    """Tell whether a drive has a harmonic part."""
    return any("omega" in str(function.to_dict()) for function in functions_of(p))


def functions_of(p: Problem) -> list[Any]:
    """Return the functions of time of loads and accelerations of supports."""
    return [*(load.function for load in p.loads), *(support.acceleration for support in p.supports)]


def breaks_of(data: Mapping[str, Any]) -> list[float]:
    """Return the instants (s) at which a function of time has breaks."""
    if data["kind"] == "windowed":
        return [to_float(data["start"]), to_float(data["end"]), *breaks_of(data["function"])]
    if data["kind"] == "sum":
        return [at for one in data["summands"] for at in breaks_of(one)]
    return [to_float(at) for at in data.get("breaks", ())]
