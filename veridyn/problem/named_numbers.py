"""The numbers of a mechanical problem by name: ``wall.gap``, ``mass[1,1]``, ``loads[1].function.amplitude``.

Who differentiates a problem that has no parameters names one of its numbers. Stops, frictions and devices go by their
names, all else by its field; places in lists, vectors and matrices are counted from 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from veridyn.problem.elements import SupportMotion
from veridyn.problem.exact_fields import carry_exact, exact_field, is_formula
from veridyn.problem.formulas import write_number
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.scalars import to_float

Entries: TypeAlias = tuple[tuple[int, ...], ...]  # of an array, in which one number stands
Step: TypeAlias = str | int | Entries

BY_NAME = ("stops", "frictions", "devices")
SPAN = ("start", "end", "output_times")
TIMED, EDGES = ("loads", "varying"), frozenset({"breaks", "start", "end"})  # instants at which a formula changes
# A support states its motion three times: a number of one statement alone would make them differ.
MOTIONS = ("acceleration", "velocity", "displacement")
# How many axes of an array, by the fields that lead to it, count coordinates.
AXES: Mapping[tuple[str, ...], int] = {
    ("mass",): 2,
    ("damping",): 2,
    ("stiffness",): 2,
    ("varying", "matrix"): 2,
    ("modes", "shapes"): 1,
    ("initial_displacement",): 1,
    ("initial_velocity",): 1,
    ("loads", "direction"): 1,
    ("supports", "influence"): 1,
    ("stops", "normal"): 1,
    ("stops", "lateral"): 1,
    ("frictions", "tangents"): 1,
    ("devices", "direction"): 1,
}


@dataclass(frozen=True)
class NamedNumber:
    """A number of a problem: its name, its value as it was given, the way to it through fields and places."""

    name: str
    value: Any
    way: tuple[Step, ...]


def list_numbers(problem: MechanicalProblem) -> dict[str, NamedNumber]:
    """Return all numbers of a problem with dense matrices by name, but for its time span and its supports' motions.

    An entry beside the diagonal of the mass matrix, which is symmetric, stands for its mirror image as well. The edge
    of a load that falls on the start is left out: moved later it cuts the load, moved earlier it does not.
    """
    return {number.name: number for number in _walk_problem(problem) if not _is_edge(number, problem)}


def _is_edge(number: NamedNumber, problem: MechanicalProblem) -> bool:
    edges = EDGES.intersection(step for step in number.way[1:] if isinstance(step, str))
    return bool(edges) and number.way[0] in TIMED and to_float(number.value) in (problem.start, problem.end)


def match_numbers(problem: MechanicalProblem, other: MechanicalProblem) -> dict[str, str]:
    """Return the names that numbers have in the same problem with its coordinates in another order, by those here."""
    order = tuple(other.coordinates.index(name) for name in problem.coordinates)
    names = {_reorder(number.way, range(other.size)): number.name for number in list_numbers(other).values()}
    return {number.name: names[_reorder(number.way, order)] for number in list_numbers(problem).values()}


def _reorder(way: tuple[Step, ...], order: Sequence[int]) -> tuple[Step | frozenset[tuple[int, ...]], ...]:
    """Return a way whose last step, into an array, leads to where its coordinates are in another order."""
    *before, last = way
    if not isinstance(last, tuple):
        return way
    axes = AXES.get(tuple(step for step in before if isinstance(step, str)), 0)
    # a mass beside the diagonal has two entries, in any order
    return (*before, frozenset((*(order[i] for i in entry[:axes]), *entry[axes:]) for entry in last))


def replace_number(problem: MechanicalProblem, number: NamedNumber, value: Any) -> MechanicalProblem:
    """Return a problem with another value, a double or a formula, for one of its numbers."""
    result: MechanicalProblem = _replace(problem, [(number.way, value)])
    return result


def move_numbers(problem: MechanicalProblem, moves: Mapping[str, float]) -> MechanicalProblem:
    """Return a problem with some of its numbers larger by so much, as doubles; raises `ProblemError` if it is none."""
    numbers = list_numbers(problem)
    # all at once: one by one a record might refuse what it holds meanwhile, a friction that sticks less than it slides
    changes = [(numbers[name].way, to_float(numbers[name].value) + by) for name, by in moves.items()]
    result: MechanicalProblem = _replace(problem, changes)
    return result


def _walk_problem(problem: MechanicalProblem) -> Iterator[NamedNumber]:
    for each in fields(problem):
        value = exact_field(problem, each.name)
        if each.name == "mass" and value is not None:
            yield from _walk_symmetric(np.atleast_2d(value))
        elif each.name in BY_NAME:
            for i, element in enumerate(value):
                yield from _walk(element, element.name, (each.name, i))
        elif each.name not in SPAN:
            yield from _walk(value, each.name, (each.name,))


def _walk_symmetric(mass: Any) -> Iterator[NamedNumber]:
    for i, j in zip(*np.triu_indices(len(mass)), strict=True):
        places = tuple(dict.fromkeys([(int(i), int(j)), (int(j), int(i))]))
        yield NamedNumber(f"mass[{i + 1},{j + 1}]", mass[i, j], ("mass", places))


def _walk(value: Any, name: str, way: tuple[Step, ...]) -> Iterator[NamedNumber]:
    """Yield the numbers within a value; truth values, whole numbers and texts are none."""
    if isinstance(value, np.ndarray):
        for place, entry in np.ndenumerate(value):
            yield NamedNumber(f"{name}[{','.join(str(i + 1) for i in place)}]", entry, (*way, (place,)))
    elif isinstance(value, tuple | list):
        for i, each in enumerate(value):
            yield from _walk(each, f"{name}[{i + 1}]", (*way, i))
    elif is_dataclass(value):
        for each in fields(value):
            if _may_vary(value, each):
                yield from _walk(_read_field(value, each.name), f"{name}.{each.name}", (*way, each.name))
    elif is_formula(value) or (isinstance(value, float) and math.isfinite(value)):
        yield NamedNumber(name, value, way)


def _may_vary(record: Any, field: Field[Any]) -> bool:
    """Tell whether numbers of a field are the problem's own: not what was used up when it was made."""
    if isinstance(record, SupportMotion):
        return field.name not in MOTIONS
    return bool(field.init and field.metadata.get("json", True))


def _read_field(record: Any, name: str) -> Any:
    """Return a field as it was given; numbers that a function of time holds as texts are formulas."""
    value = exact_field(record, name)
    return _read_texts(value) if isinstance(record, TimeFunction) else value


def _read_texts(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_read_texts, value))
    return write_number(value) if isinstance(value, str) else value


def _replace(owner: Any, changes: Sequence[tuple[tuple[Step, ...], Any]]) -> Any:
    """Return a record, a list or an array with other values at the ends of some ways into it."""
    if not changes:
        return owner
    way, value = changes[0]
    if not way:
        return value
    parts: dict[Step, list[tuple[tuple[Step, ...], Any]]] = {}
    for (step, *rest), each in changes:
        parts.setdefault(step, []).append((tuple(rest), each))
    if isinstance(way[0], str):
        changed = {str(step): _replace(exact_field(owner, str(step)), within) for step, within in parts.items()}
        return carry_exact(replace(owner, **changed), owner, changed)
    if isinstance(way[0], int):
        return tuple(_replace(each, parts.get(i, ())) for i, each in enumerate(owner))
    entries = np.array(owner, dtype=object)
    for places, ((_, each),) in parts.items():
        assert isinstance(places, tuple)  # ways into one owner begin alike
        for place in places:
            entries[place] = each
    return entries
