"""The card of a solver: what it is, as far as its answers to small problems tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from veridyn.identification.examinee import Examinee
from veridyn.identification.initial_value import read_initial_value
from veridyn.identification.linear import read_linear
from veridyn.identification.reading import CardFigure, Contradiction, Curve, Gap, Reading
from veridyn.identification.trials import Bench
from veridyn.solver.contract.errors import SettingsError
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.statements import Claims, Settings
from veridyn.version import __version__

SCHEMA_VERSION = "1.1"


PARTS: Mapping[str, Callable[[Examinee], Reading]] = {
    "mechanical": lambda examinee: read_linear(Bench(examinee)),
    "initial-value": read_initial_value,
}
"""What is measured of a solver, by what it must offer."""


@dataclass(frozen=True)
class Card:
    """What a scheme of a solver is.

    Attributes
    ----------
    solver, version, scheme
        As the solver states them.
    settings
        Those of the user.
    readings
        What was measured, by the kind of the problems.
    """

    solver: str
    version: str
    scheme: str = ""
    settings: Settings = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The method in words; empty if no known one agrees."""
        return next((reading.method for reading in self.readings.values() if reading.method), "")

    @property
    def deviations(self) -> tuple[str, ...]:
        """All deviations, one line each."""
        return tuple(line for reading in self.readings.values() for line in reading.deviations)

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Claims that do not hold, each once."""
        every = [each for reading in self.readings.values() for each in reading.contradictions]
        return tuple({each.claim: each for each in reversed(every)}.values())[::-1]

    @property
    def solves(self) -> int:
        """How many problems the solver was given."""
        return sum(reading.solves for reading in self.readings.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the card as JSON takes it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "veridyn": __version__,
            "solver": self.solver,
            "version": self.version,
            "scheme": self.scheme,
            "settings": dict(self.settings),
            "method": self.method,
            "deviations": list(self.deviations),
            "solves": self.solves,
            "readings": {kind: _finite(asdict(reading)) for kind, reading in self.readings.items()},
        }


def read_card(data: Mapping[str, Any]) -> Card:
    """Return the card that `Card.to_dict` wrote."""
    readings = {kind: _read_reading(reading) for kind, reading in data["readings"].items()}
    return Card(data["solver"], data["version"], data["scheme"], data["settings"], readings)


def _read_reading(data: Mapping[str, Any]) -> Reading:
    curves = ({name: _read_column(column) for name, column in curve.items()} for curve in data["curves"])
    return Reading(
        method=data["method"],
        figures=tuple(CardFigure(**figure) for figure in data["figures"]),
        deviations=tuple(data["deviations"]),
        gaps=tuple(Gap(**gap) for gap in data["gaps"]),
        curves=tuple(Curve(**curve) for curve in curves),
        solves=data["solves"],
        contradictions=tuple(Contradiction(**each) for each in data.get("contradictions", ())),  # since 1.1
    )


def _read_column(column: str | Sequence[float | str]) -> Any:
    """Return a name as it is, and numbers as floats: what JSON does not have was written as text."""
    return column if isinstance(column, str) else tuple(map(float, column))


def _finite(value: Any) -> Any:
    """Return data with texts in place of numbers that JSON does not have."""
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def make_cards(
    gate: Gate,
    schemes: Sequence[str] = (),
    settings: Settings | None = None,
    claims: Mapping[str, Claims] | None = None,
) -> list[Card]:
    """Return the cards of some schemes of a solver, of all if none is named.

    ``claims``, by scheme, stand in place of what the solver claims.

    Raises `SettingsError` if a scheme or a setting is none of the solver's.
    """
    introduction = gate.introduction
    for scheme in schemes:
        if scheme not in introduction.schemes:
            offered = ", ".join(filter(None, introduction.schemes)) or "none"
            raise SettingsError(f"solver {introduction.name} has no scheme {scheme!r}; it has {offered}")
    return [
        _make_card(gate, scheme, settings or {}, (claims or {}).get(scheme))
        for scheme in schemes or introduction.schemes
    ]


def _make_card(gate: Gate, scheme: str, settings: Settings, claims: Claims | None) -> Card:
    introduction = gate.introduction
    offered = introduction.settings[scheme]
    for name in settings:
        if name not in offered:
            listed = ", ".join(sorted(offered)) or "none"
            raise SettingsError(f"solver {introduction.name} has no setting {name!r}; it declares {listed}")
    readings = {
        kind: read(Examinee(gate, scheme, settings, claims))
        for kind, read in PARTS.items()
        if kind in introduction.capabilities
    }
    return Card(introduction.name, introduction.version, scheme, settings, readings)
