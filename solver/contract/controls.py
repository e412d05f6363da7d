"""Settings of adapters: a frozen record of positive numbers and a scheme, described where it is defined."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from importlib.metadata import version
from typing import TypeVar

from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.statements import Settings


@dataclass(frozen=True)
class Controls:
    """The settings of one solve; an adapter adds its numbers by `number`."""

    scheme: str


class Library:
    """What a library under test says of itself: the version of its package, the settings that it takes.

    Its ``solve`` raises `NotImplementedError` if the problem is not expressible, `SettingsError` if a setting is
    unknown or out of range, `SolverFailure` if the library gives up or returns numbers that are not finite.
    """

    name: str
    distribution: str
    controls: type[Controls]

    @property
    def version(self) -> str:
        """Version of the library."""
        return version(self.distribution or self.name)

    @property
    def settings(self) -> dict[str, str]:
        """Meaning of every setting."""
        return described(self.controls)


C = TypeVar("C", bound=Controls)
N = TypeVar("N", int, float)


def number(default: N, meaning: str) -> N:
    """Return a field for a positive number; an integer default asks for a whole number."""
    return field(default=default, metadata={"meaning": meaning})


def described(controls: type[Controls]) -> dict[str, str]:
    """Return meaning and default of every setting but the scheme: what a solver declares as ``settings``."""
    return {name: f"{f.metadata['meaning']}; default {f.default:g}" for name, f in _numbers(controls).items()}


def choose_scheme(settings: Settings, schemes: tuple[str, ...]) -> str:
    """Return the scheme that settings name; without one the first, and nothing where there is none."""
    return str(settings.get("scheme") or (schemes[0] if schemes else ""))


def read_controls(controls: type[C], settings: Settings, schemes: tuple[str, ...]) -> C:
    """Read the settings of a solve; without a scheme the first one is meant.

    Raises `SettingsError` if the scheme or a setting is unknown, or a number is not positive.
    """
    given = {name: value for name, value in settings.items() if name != "scheme"}
    scheme = choose_scheme(settings, schemes)
    if scheme not in schemes:
        raise SettingsError(f"unknown scheme {scheme!r}; known: {', '.join(schemes)}")
    known = _numbers(controls)
    if unknown := sorted(given.keys() - known.keys()):
        raise SettingsError(f"unknown setting {', '.join(unknown)}; known: {', '.join(known)}")
    return controls(scheme, **{name: _positive(known[name], value) for name, value in given.items()})


_KNOWN: dict[type[Controls], dict[str, Field[object]]] = {}


def _numbers(controls: type[Controls]) -> dict[str, Field[object]]:
    """Return the fields of the settings, looked for once."""
    if controls not in _KNOWN:
        _KNOWN[controls] = {f.name: f for f in fields(controls) if "meaning" in f.metadata}
    return _KNOWN[controls]


def _positive(asked: Field[object], value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise SettingsError(f"{asked.name} = {value!r} must be a positive number")
    if isinstance(asked.default, int) and value != int(value):
        raise SettingsError(f"{asked.name} = {value!r} must be a whole number")
    return int(value) if isinstance(asked.default, int) else float(value)
