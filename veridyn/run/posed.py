"""What a case asks of a code that is run by hand: a variant, parameters changed by ``--set``, checks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping

from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.references import ParameterError
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.statement import Statement

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


def settings_of(changes: Changes, known: Collection[str]) -> dict[str, str | float]:
    """Return the changes that a solver knows as its settings; numbers are read as numbers."""
    return {name: read_setting(text) for name, text in changes.items() if name in known}


def read_setting(text: str) -> str | float:
    """Return a setting as a truth value or a number where it is one, else as text."""
    if text in ("True", "False"):
        return text == "True"
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def pose(name: str, variant: str | None = None, changes: Mapping[str, str] | None = None) -> Statement:
    """Return what is asked of a code that is run by hand in a variant of a case, some parameters changed.

    Raises what `choose` raises; SolverInputError if nothing is asked.
    """
    posed = choose(name, variant, changes)
    if not posed.quantities:
        others = ", ".join(v.name for v in posed.case.variants if posed.case.measured(v))
        raise SolverInputError(
            f"variant {posed.variant.name} of {posed.case.name} asks nothing of a code; choose {others}"
        )
    return posed


def choose(name: str, variant: str | None = None, changes: Mapping[str, str] | None = None) -> Statement:
    """Return a variant of a case, some parameters changed.

    Without a variant: the one with the default parameters. Raises UnknownCase, ParameterError, CertificationError, see
    `load_case` and `parameters_of`; SolverInputError if there is no such variant.
    """
    case = load_case(name)
    chosen = variant_of(case, variant)
    if not changes:
        return Statement(case, chosen)
    parameters = parameters_of(case, {**(chosen.changes if variant else {}), **changes})
    if (variant and chosen.problem) or not case.select_quantities(chosen):
        raise SolverInputError(
            f"the problem of variant {chosen.name} has no parameters to set; leave out --set or --variant"
        )
    return Statement(case, case.make_variant(parameters))


def variant_of(case: Case, name: str | None) -> Variant:
    """Return a variant by name; without one that with the default parameters.

    Raises SolverInputError for another name.
    """
    if name is None:
        usual = case.values()
        return next((v for v in case.variants if case.values(v.changes) == usual), case.variants[0])
    known = [variant.name for variant in case.variants]
    if name not in known:
        hint = did_you_mean(name, known, f"known are {', '.join(known)}")
        raise SolverInputError(f"{case.name} has no variant {name!r}: {hint}")
    return case.variant(name)
