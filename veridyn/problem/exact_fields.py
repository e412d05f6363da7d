"""Numbers of a record that were given as formulas: kept exactly beside the doubles that solvers get.

A case states its problem by one function. With doubles it makes what solvers get. With formulas, SymPy's, it makes the
same problem with every number exact, and the engine proves that one. Records read a formula as the nearest double and
keep it beside.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeVar

import numpy as np

from veridyn.problem.errors import ProblemError

T = TypeVar("T")

EXACT = "_exact"  # attribute of a record: fields that were given as formulas, by name


def is_formula(value: Any) -> bool:
    """Tell whether a value is a formula; SymPy need not be imported to know."""
    return hasattr(value, "free_symbols")


def is_present(amount: Any) -> bool:
    """Tell whether an amount is not zero, or a formula: a number that varies is not zero beside its value."""
    return is_formula(amount) or bool(amount)


def keep_exact(record: Any) -> None:
    """Put doubles in place of the formulas in the fields of a record, which keeps these.

    Raises
    ------
    ProblemError
        If a formula holds a double: what was computed with it is rounded already.
    """
    formulas = {name: value for name, value in vars(record).items() if _holds_formula(value)}
    if not formulas:
        return
    for name, value in formulas.items():
        _check_exact(record, name, value)
        object.__setattr__(record, name, _round(value))
    object.__setattr__(record, EXACT, formulas)


def exact_field(record: Any, name: str) -> Any:
    """Return a field of a record as it was given: with formulas, if there are any."""
    return vars(record).get(EXACT, {}).get(name, getattr(record, name))


def carry_exact(record: T, like: Any, without: Container[str] = ()) -> T:
    """Return a record that was made from another with the formulas of that one, but for some fields."""
    formulas = {name: value for name, value in vars(like).get(EXACT, {}).items() if name not in without}
    if formulas:
        object.__setattr__(record, EXACT, {**formulas, **vars(record).get(EXACT, {})})
    return record


def _holds_formula(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_formula(each) for each in value if type(each) is not float)  # of thousands of times, none is
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(map(is_formula, value.flat))
    return is_formula(value)


def _check_exact(record: Any, name: str, value: Any) -> None:
    if isinstance(value, list | tuple | np.ndarray):
        for each in value:
            _check_exact(record, name, each)
    elif is_formula(value) and any(atom.is_Float for atom in value.atoms()):
        raise ProblemError(
            f"{type(record).__name__}: {name} = {value} mixes a formula with a double: write 0.5 as a fraction, and "
            "matrices of numbers with dtype=int"
        )


def _round(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_round, value))
    return value.astype(float) if isinstance(value, np.ndarray) else float(value) if is_formula(value) else value
