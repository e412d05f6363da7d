"""What is proved is what solvers get: a number that depends on a parameter is a formula in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from veridyn.problem.errors import ProblemError
from veridyn.problem.exact_fields import exact_field, is_formula
from veridyn.problem.formulas import VariedNumber
from veridyn.references.mechanics.motions import MechanicalQuantities
from veridyn.references.parameters import resolve
from veridyn.references.problems.hybrid_modes import to_sympy
from veridyn.validation_cases.judgement.catalogue import all_cases, room_of


def _find_motion(module: ModuleType) -> Any:
    """Return the motion of a case, of its module or of the statement beside it."""
    beside = sys.modules.get(f"{module.__package__}.statement", module)
    return vars(module).get("MOTION", vars(beside).get("MOTION"))


CASES = [case for case in all_cases() if room_of(case.name) == "mechanics"]
MODULES = [module for name, module in sys.modules.items() if name.startswith("veridyn.validation_cases.mechanics.")]
MOTIONS = {module.CASE.name: _find_motion(module) for module in MODULES if vars(module).get("CASE") in CASES}
STATED = {name: motion for name, motion in MOTIONS.items() if isinstance(motion, MechanicalQuantities)}
OWN_MOTION = {"plane_slide", "sdnd100", "sdnd105"}  # docs/references.md says why
LIMITS = {("frictions", "kt"): "another problem than its neighbours"}  # a value that is a limit
OWN = {"end", "output_times"}  # of solvers: how long, and where they are read


def list_numbers(record: Any, path: str = "") -> Iterator[tuple[str, float, Any]]:
    """Yield the numbers of a problem: where, as double, and as it was given."""
    for field in fields(record):
        if not (path == "" and field.name in OWN):
            yield from _pair(getattr(record, field.name), exact_field(record, field.name), f"{path}.{field.name}")


def _pair(number: Any, given: Any, path: str) -> Iterator[tuple[str, float, Any]]:
    if is_dataclass(number):
        yield from list_numbers(number, path)
    elif isinstance(number, np.ndarray | tuple | list):
        given = given if len(given) == len(number) else [given]  # a tangent that was given alone
        for i, (each, as_given) in enumerate(zip(number, given, strict=True)):
            yield from _pair(each, as_given, f"{path}[{i}]")
    elif isinstance(number, float | int) or is_formula(number):
        yield path, float(number), given


def _state(motion: MechanicalQuantities, varied: str, factor: Any) -> Any:
    values = {name: to_sympy(number) for name, number in resolve(motion.parameters, {}).items()}
    return motion.statement(values | {varied: VariedNumber(varied, values[varied] * factor)})


def _move(motion: MechanicalQuantities, varied: str) -> Any:
    """Return the problem with a parameter that is a quarter larger, or a fifth smaller where that is refused."""
    try:
        return _state(motion, varied, Rational(5, 4))
    except ProblemError:
        return _state(motion, varied, Rational(4, 5))


def test_mechanical_cases_are_proved_as_solvers_get_them_but_for_three():
    assert MOTIONS.keys() - STATED.keys() == OWN_MOTION


@pytest.mark.parametrize("name", STATED)
def test_what_depends_on_a_parameter_is_a_formula(name):
    motion = STATED[name]
    for parameter in (p for p in motion.parameters if not p.among):  # a choice among values has no neighbours
        if (name, parameter.name) in LIMITS:
            with pytest.raises(ProblemError, match=LIMITS[name, parameter.name]):
                _state(motion, parameter.name, 1)
            continue
        stated = (_state(motion, parameter.name, 1), _move(motion, parameter.name))
        here, moved = (list(list_numbers(problem)) for problem in stated)
        others = {path: number for path, number, _ in moved}
        for path, number, given in here:
            if number != others.get(path, number):  # a load may have fewer pieces before the end
                assert is_formula(given), f"{path} depends on {parameter.name} and is a double"
                assert parameter.name in {symbol.name for symbol in given.free_symbols}, path
