"""Elements, devices, modes and matrices of a problem from their JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from veridyn.problem.devices import Device, device
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying
from veridyn.problem.modal_basis import Modes
from veridyn.problem.sparse import from_entries
from veridyn.problem.time_functions import time_function

KINDS_OF: dict[str, type[Any]] = {
    "loads": Load,
    "supports": SupportMotion,
    "stops": Stop,
    "frictions": Friction,
    "devices": Device,
    "varying": TimeVarying,
}
TIMED = ("function", "acceleration", "velocity", "displacement")  # fields that hold time functions


def read_field(name: str, value: Any) -> Any:
    """Return a field from its JSON form."""
    if name in KINDS_OF:
        return tuple(device(each) if name == "devices" else _element(KINDS_OF[name], each) for each in value)
    if name in ("mass", "stiffness", "damping"):
        return from_entries(value)
    return Modes(**value) if name == "modes" and value is not None else value


def _element(kind: type[Any], data: Mapping[str, Any]) -> Any:
    return kind(**{name: time_function(value) if name in TIMED else value for name, value in data.items()})
