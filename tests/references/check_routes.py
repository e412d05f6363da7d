"""The two routes of every reference share no algorithm, agree in every variant, and follow their parameters: minutes.

`tox -e truth` runs it; `test_truths.py` is what every commit waits for.
"""

from __future__ import annotations

import ast
import cProfile
import gc
import pstats
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import mpmath
import pytest

import veridyn.references
from veridyn.references import certified
from veridyn.references.certified import Certified, Route, agreeing_digits
from veridyn.references.engine.enclosure import ladder
from veridyn.references.parameters import Exact, ParameterError, exact
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import case_names, load_case

ROOM = Path(next(iter(veridyn.references.__path__)))
SHARED = {"parameters.py"}  # exact numbers and the rules they obey
DIGITS, GUARD = 12, 15
PERTURBED = exact("1.000001")  # a seventh digit is wrong: that shows in twelve
LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.Lambda)

Place = tuple[str, int, str]
"""File name, first line and name of a function."""


def forget() -> None:
    """Empty all caches of the references, so that everything is computed again.

    Generators that are left of earlier work end here: to end one later would count as a call of its function.
    """
    certified.forget()
    for name, module in list(sys.modules.items()):
        if name.startswith(("veridyn.references", "veridyn.validation_cases")):
            for attribute in list(vars(module).values()):
                if callable(clear := getattr(attribute, "cache_clear", None)):
                    clear()
    gc.collect()


def first_line(function: ast.FunctionDef | ast.Lambda) -> int:
    """Return the line where the interpreter lets a function begin: that of its first decorator."""
    return min([function.lineno, *(node.lineno for node in getattr(function, "decorator_list", ()))])


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a function, but not in the functions inside it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, FUNCTIONS):
            yield child
            yield from own_nodes(child)


@cache
def functions_with_loops() -> frozenset[Place]:
    """Return the functions of the references that march, search or sum a series."""
    files = [file for file in ROOM.rglob("*.py") if file.name not in SHARED]
    trees = {str(file.relative_to(ROOM)): ast.parse(file.read_text(encoding="utf-8")) for file in files}
    return frozenset(
        (name, first_line(function), getattr(function, "name", "<lambda>"))
        for name, tree in trees.items()
        for function in ast.walk(tree)
        if isinstance(function, FUNCTIONS) and any(isinstance(node, LOOPS) for node in own_nodes(function))
    )


def algorithms_of(work: Callable[[], Any]) -> tuple[Any, set[Place]]:
    """Return what some work gives, and which functions with loops it called."""
    forget()
    with cProfile.Profile(builtins=False) as profile:
        result = work()
    calls = pstats.Stats(profile).stats  # by path, first line and name
    places = ((Path(file), line, name) for file, line, name in calls)
    called = {(str(file.relative_to(ROOM)), line, name) for file, line, name in places if file.is_relative_to(ROOM)}
    return result, called & functions_with_loops()


def truths(case: Case, values: dict[str, Exact], variant: Variant | None = None) -> dict[str, Certified]:
    """Return all references of a case that a second route confirms."""
    existing = [q for q in case.quantities if q.applies is None or q.applies(values)]
    quantities = existing if variant is None else case.select_quantities(variant)
    answers = {q.name: q.reference.compute_anew(values, DIGITS) for q in quantities}
    return {name: truth for name, truth in answers.items() if truth.second}


def second_value(route: Route) -> Any:
    """Return what a second route gives."""
    with mpmath.workdps(DIGITS + GUARD):
        return mpmath.mpf(route.compute())


def second_values(references: dict[str, Certified]) -> dict[str, list[Any]]:
    """Return what the second routes of references give."""
    return {name: [second_value(route) for route in truth.second] for name, truth in references.items()}


def test_a_shared_algorithm_is_seen() -> None:
    """So that the last test can fail."""
    _, first = algorithms_of(lambda: list(ladder(DIGITS)))
    _, second = algorithms_of(lambda: list(ladder(DIGITS + 1)))
    assert first == second != set()


@pytest.mark.parametrize("name", case_names())
def test_every_further_variant_is_confirmed(name: str) -> None:
    case = load_case(name)
    for variant in (variant for variant in case.variants if variant.changes or variant.problem):
        for quantity, truth in truths(case, case.values(variant.changes), variant).items():
            truth.confirm(f"{variant.name} {quantity}")


@pytest.mark.parametrize("name", case_names())
def test_every_number_of_a_further_variant_has_two_routes(name: str) -> None:
    """What does not exist, what is counted, zeros by structure and regimes have a reason instead."""
    case, few = load_case(name), []
    for variant in (variant for variant in case.variants if variant is not case.default_variant):
        values = case.values(variant.changes)
        for quantity in case.select_quantities(variant):
            truth, counted = quantity.truth(values), quantity.tolerance(values).kind == "exact"
            is_number = not isinstance(truth.value, str | None) and truth.value != 0 and not counted
            if len(set(truth.routes)) < (2 if is_number else 1):
                few.append(f"{variant.name} {quantity.name}: {truth.routes}")
    assert few == []


def perturbations(case: Case, values: dict[str, Exact]) -> Iterator[dict[str, Certified]]:
    """Yield the references of a case with one parameter after another wrong in its seventh digit."""
    for name, value in values.items():
        try:
            yield truths(case, {**values, name: value * PERTURBED})
        except ParameterError:  # a count, or the end of a range
            continue


def differ(one: Any, other: Any) -> bool:
    return agreeing_digits(one, other) < 8


def follow(right: dict[str, Certified], second: dict[str, list[Any]], wrong: dict[str, Certified]) -> bool | None:
    """Tell whether each route at wrong parameters contradicts the other at the right ones; None: nothing has moved."""
    moved = [name for name in right.keys() & wrong.keys() if differ(right[name].value, wrong[name].value)]
    if not moved:
        return None
    return all(
        any(differ(wrong[name].value, value) for value in second[name])
        and any(differ(right[name].value, second_value(route)) for route in wrong[name].second)
        for name in sorted(moved)[:3]
    )


LONG = {"arenstorf"}  # half a minute under the profiler, by the algorithms of pleiades


@pytest.mark.parametrize("name", sorted({*case_names()} - LONG))
def test_the_routes_share_no_algorithm_and_follow_the_parameters(name: str) -> None:
    case = load_case(name)
    values = case.values({})
    right, first = algorithms_of(lambda: truths(case, values))
    assert right
    second, others = algorithms_of(lambda: second_values(right))
    assert first & others == set()
    answers = (follow(right, second, wrong) for wrong in perturbations(case, values))
    assert next((answer for answer in answers if answer is not None), None)
