"""What ``--set NAME=VALUE`` means: a parameter of a case, or a setting of a solver."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from veridyn.nearest import did_you_mean
from veridyn.references import ParameterError
from veridyn.solver.errors import SettingsError
from veridyn.validation_cases.core.case import Case

Changes = Mapping[str, str]


def parameters_of(case: Case, changes: Changes, settings: Collection[str] = ()) -> dict[str, str]:
    """Return the changes that are no settings, checked as parameters of the case.

    Raises ParameterError if a parameter is unknown, breaks its rule, or no solver can compute with it;
    CertificationError if there is no certified reference for the parameters.
    """
    parameters = {name: text for name, text in changes.items() if name not in settings}
    _refuse_unknown(case, parameters, settings)
    values = case.values(parameters)
    for name, value in values.items():
        if not math.isfinite(float(value)) or (value.rational != 0 and float(value) == 0):
            raise ParameterError(f"{name} = {value} is beyond the floating-point numbers of a solver")
    for quantity in case.quantities if parameters else ():
        quantity.truth(values)
    return parameters


def _refuse_unknown(case: Case, given: Iterable[str], settings: Collection[str]) -> None:
    known = [parameter.name for parameter in case.parameters]
    for name in given:
        if name not in known and settings:
            all_of_them = f"known are {', '.join(known)}; settings of the solvers are {', '.join(sorted(settings))}"
            hint = did_you_mean(name, [*known, *settings], all_of_them)
            raise ParameterError(f"unknown parameter {name!r}: {hint}")


def settings_of(changes: Changes, known: Collection[str]) -> dict[str, Any]:
    """Return the changes that a solver knows as its settings; numbers are read as numbers."""
    return {name: _value(text) for name, text in changes.items() if name in known}


def _value(text: str) -> Any:
    if text in ("True", "False"):
        return text == "True"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def refuse_settings(changes: Changes, settings: Collection[str]) -> None:
    """Refuse settings where there is no solver to take them; raises SettingsError naming the first one."""
    for name in changes:
        if name in settings:
            raise SettingsError(f"{name} is a setting of a solver, not a parameter of the case; leave it out")
