"""Discovery: every module ``test_CASE.py`` of a kind of problems defines a ``CASE``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterator
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING

import veridyn.validation_cases as room
from veridyn.problem.nearest import did_you_mean
from veridyn.validation_cases.judgement.outline import Outline, read_outline
from veridyn.validation_cases.judgement.topics import TOPICS

if TYPE_CHECKING:
    from veridyn.validation_cases.judgement.case import Case


PREFIX = "test_"


class UnknownCase(ValueError):
    """There is no case of that name."""


class UnknownTopic(ValueError):
    """There is no topic of that name."""


@cache
def _modules() -> dict[str, str]:
    """Return the module of every case by its name: ``KIND/test_CASE.py``, or the same in a folder of the case."""
    return {leaf.removeprefix(PREFIX): name for kind in _packages(room) for leaf, name in _tests(kind)}


def _packages(parent: ModuleType) -> Iterator[ModuleType]:
    names = (m.name for m in pkgutil.iter_modules(parent.__path__, f"{parent.__name__}.") if m.ispkg)
    return map(importlib.import_module, names)


def _tests(kind: ModuleType) -> Iterator[tuple[str, str]]:
    for package in (kind, *_packages(kind)):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name.startswith(PREFIX):
                yield module.name, f"{package.__name__}.{module.name}"


@cache
def case_names() -> tuple[str, ...]:
    """Return the names of all cases, sorted."""
    return tuple(sorted(_modules()))


@cache
def load_case(name: str) -> Case:
    """Return a case by name.

    Raises
    ------
    UnknownCase
        If there is none; the message suggests the nearest name.
    """
    refuse_unknown_case(name)
    case: Case = importlib.import_module(_modules()[name]).CASE
    return case


def refuse_unknown_case(name: str) -> None:
    """Raise `UnknownCase` if there is no case of a name."""
    if name not in case_names():
        hint = did_you_mean(name, case_names(), f"`veridyn list` names all {len(case_names())}")
        raise UnknownCase(f"unknown case {name!r}: {hint}")


def room_of(name: str) -> str:
    """Return the room of a case: ``mechanics``, ``ode``, ``hybrid`` or ``dae``; raises `UnknownCase`."""
    refuse_unknown_case(name)
    return _modules()[name].removeprefix(f"{room.__name__}.").partition(".")[0]


def kind_of(name: str) -> str:
    """Return the capability that the problems of a case need whatever its variant is: the kind of its room."""
    return "mechanical" if room_of(name) == "mechanics" else "initial-value"


def all_cases() -> tuple[Case, ...]:
    """Return all cases."""
    return tuple(load_case(name) for name in case_names())


def select(rooms: Collection[str] = (), topics: Collection[str] = ()) -> list[Outline]:
    """Return the cases of the given rooms that have all given topics, by room; without any, all cases.

    No case is loaded for it, see `outline`.

    Raises
    ------
    UnknownTopic
        If there is no such topic; the message suggests the nearest one.
    """
    for topic in topics:
        if topic not in TOPICS:
            raise UnknownTopic(
                f"unknown topic {topic!r}: {did_you_mean(topic, TOPICS, 'there are ' + ', '.join(TOPICS))}"
            )
    names = (name for name in sorted(case_names(), key=room_of) if not rooms or room_of(name) in rooms)
    outlines = (read_outline(_modules()[name], partial(load_case, name)) for name in names)
    return [each for each in outlines if set(topics) <= set(each.topics)]
