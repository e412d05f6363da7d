"""The two routes of every reference: they share nothing, and each finds what is wrong with the other."""

from __future__ import annotations

import cProfile
import dis
import gc
import sys
from functools import cache
from pathlib import Path
from types import CodeType

import pytest

import veridyn.references
from veridyn.references import certified, enclosure
from veridyn.references.certified import CertificationError
from veridyn.references.parameters import Exact, arguments, exact
from veridyn.validation_cases.core.catalogue import all_cases, case_names, load_case

ROOM = str(Path(next(iter(veridyn.references.__path__))).resolve())
SHARED = {"parameters.py"}  # exact numbers and the rules they obey
FEW, MANY = 12, 25  # digits: whether a seventh digit is wrong shows in few


def forget() -> None:
    """Empty all caches of the references, so that everything is computed again."""
    enclosure.forget()
    for name, module in list(sys.modules.items()):
        if name.startswith(("veridyn.references", "veridyn.validation_cases")):
            for attribute in list(vars(module).values()):
                if callable(clear := getattr(attribute, "cache_clear", None)):
                    clear()
    gc.collect()  # a march that nobody goes on with would be ended, and seen to run, at any later instant


class Called:
    """Records which functions of the references run."""

    def __init__(self) -> None:
        self._profile = cProfile.Profile(subcalls=False, builtins=False)

    def __enter__(self) -> Called:
        self._profile.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self._profile.disable()

    @property
    def codes(self) -> set[CodeType]:
        return {entry.code for entry in self._profile.getstats() if isinstance(entry.code, CodeType)}

    def loops(self) -> set[str]:
        """Return those with a loop by file, line and name: a march, a search, a series; exact numbers left out."""
        found = [code for code in self.codes if is_own(code.co_filename) and loops(code)]
        return {f"{Path(code.co_filename).name}:{code.co_firstlineno} {code.co_name}" for code in found}


@cache
def is_own(file: str) -> bool:
    """Tell whether a file is one of the references; most of what runs is not, and need not be looked into."""
    path = Path(file)
    return str(path.resolve().parent) == ROOM and path.name not in SHARED


@cache
def loops(code: CodeType) -> bool:
    """Tell whether a function has a loop of its own."""
    return any(
        instruction.opname.startswith(("FOR_ITER", "JUMP_BACKWARD")) for instruction in dis.get_instructions(code)
    )


def truths(name, variant=None, digits=FEW):
    """Yield all references of a case that a second route confirms."""
    case = load_case(name)
    values = case.values(variant.changes if variant else {})
    existing = [q for q in case.quantities if q.applies is None or q.applies(values)]
    for quantity in case.asked(variant) if variant else existing:
        found = quantity.reference(**arguments(quantity.reference, {**values, "digits": digits}))
        if found.second:
            yield quantity.name, found


@pytest.mark.parametrize("name", case_names())
def test_the_routes_share_no_loop(name, monkeypatch):
    forget()
    first, right = Called(), enclosure._sharpened

    def recorded(*given):
        with first:
            return right(*given)

    monkeypatch.setattr(enclosure, "_sharpened", recorded)
    found = list(truths(name, digits=MANY))
    assert found
    forget()
    with Called() as second:
        for quantity, truth in found:
            truth.confirm(quantity)
    assert first.loops() & second.loops() == set()


FURTHER = [(case.name, v.name) for case in all_cases() for v in case.variants if v.changes or v.problem]


@pytest.mark.parametrize(("name", "variant"), FURTHER)
def test_every_further_variant_is_confirmed(name, variant):
    for quantity, truth in truths(name, load_case(name).variant(variant)):
        truth.confirm(quantity)


def perturbed(number: Exact) -> Exact:
    """Return a number whose seventh digit is wrong."""
    return number * exact("1.000001")


@pytest.fixture
def _few_guards(monkeypatch):
    """A route that disagrees need not be asked again with a thousand guard digits."""
    monkeypatch.setattr(certified, "GUARDS", (15,))


def detected(name: str) -> bool:
    forget()
    for quantity, truth in truths(name):
        try:
            truth.confirm(quantity)
        except CertificationError:
            return True
    return False


@pytest.mark.usefixtures("_few_guards")
@pytest.mark.parametrize("name", case_names())
def test_a_wrong_parameter_in_the_first_route_is_found(name, monkeypatch):
    right = enclosure.ball
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("veridyn.references") and getattr(module, "ball", None) is right:
            monkeypatch.setattr(module, "ball", lambda x: right(perturbed(x) if isinstance(x, Exact) else x))
    assert detected(name)


@pytest.mark.usefixtures("_few_guards")
@pytest.mark.parametrize("name", case_names())
def test_a_wrong_parameter_in_the_second_route_is_found(name, monkeypatch):
    right = Exact.mpf
    monkeypatch.setattr(Exact, "mpf", lambda self: right(perturbed(self)))
    assert detected(name)
