"""The two routes of every reference: they share nothing, and each finds what is wrong with the other."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher

import veridyn.references
from veridyn.references import certified, enclosure
from veridyn.references.certified import CertificationError, Certified, agreeing_digits
from veridyn.references.parameters import Exact, arguments, exact
from veridyn.validation_cases.core.case import Variant
from veridyn.validation_cases.core.catalogue import all_cases, case_names, load_case

ROOM = Path(next(iter(veridyn.references.__path__)))
SHARED = {"parameters.py"}  # exact numbers and the rules they obey
FEW, MANY = 12, 25  # digits: whether a seventh digit is wrong shows in few
BEGUN: set[str] = set()  # loops of the references, by file and line: a march, a search, a series


def forget() -> None:
    """Empty all caches of the references, so that everything is computed again."""
    enclosure.forget()
    for name, module in list(sys.modules.items()):
        if name.startswith(("veridyn.references", "veridyn.validation_cases")):
            for attribute in list(vars(module).values()):
                if callable(clear := getattr(attribute, "cache_clear", None)):
                    clear()


class Telling(ast.NodeTransformer):
    """Lets every loop of a file tell that it begins: tracing all calls would double the time."""

    def __init__(self, file: str) -> None:
        self.file = file

    def told(self, where: ast.expr) -> ast.expr:
        """Return an expression that notes where it stands, and has the old value."""
        note = ast.parse(f"BEGUN.add({f'{self.file}:{where.lineno}'!r})", mode="eval").body
        return ast.fix_missing_locations(ast.copy_location(ast.BoolOp(ast.Or(), [note, where]), where))

    def visit_For(self, node: ast.For | ast.comprehension) -> ast.AST:
        node.iter = self.told(node.iter)
        return self.generic_visit(node)

    visit_comprehension = visit_For

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.told(node.test)
        return self.generic_visit(node)


def parts(code: CodeType) -> Iterator[CodeType]:
    """Yield a compiled text and all functions in it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from parts(inner)


def place(code: CodeType) -> tuple[str, int, bytes]:
    """Return where a function stands; two lambdas of a line differ in their columns, others in their names."""
    return code.co_qualname, code.co_firstlineno, code.co_linetable if code.co_name == "<lambda>" else b""


def telling(file: Path) -> dict[tuple[str, int, bytes], CodeType]:
    """Return, for the place of every function of a file, what does the same and tells which loops begin."""
    text = file.read_text(encoding="utf-8")
    plain, with_notes = ast.parse(text), Telling(file.name).visit(ast.parse(text))
    both = [parts(compile(tree, str(file), "exec", dont_inherit=True)) for tree in (plain, with_notes)]
    return {place(code): told for code, told in zip(*both, strict=True)}


def functions() -> list[FunctionType]:
    """Return the functions of the references, those that decorators hide as well; kernels are compiled, and stay."""
    own = {str(file) for file in ROOM.glob("*.py") if file.name not in SHARED}
    gc.unfreeze()
    things = gc.get_objects()
    gc.freeze()
    kernels = {thing.py_func for thing in things if isinstance(thing, Dispatcher)}
    found = (thing for thing in things if type(thing) is FunctionType and thing.__code__.co_filename in own)
    return [function for function in found if function not in kernels]


@pytest.fixture(scope="module", autouse=True)
def _loops_tell() -> Iterator[None]:
    """Let the loops of the references note that they begin."""
    before = [(function, function.__code__) for function in functions()]
    codes = {file: telling(Path(file)) for file in {code.co_filename for _, code in before}}
    for function, code in before:
        function.__globals__["BEGUN"] = BEGUN
        function.__code__ = codes[code.co_filename][place(code)]
    yield
    for function, code in before:
        function.__code__ = code


def begun(work: Callable[[], Any]) -> tuple[Any, set[str]]:
    """Return what some work gives, and the loops that began in it."""
    outside = BEGUN.copy()
    BEGUN.clear()
    result, inside = work(), BEGUN.copy()
    BEGUN.update(outside)
    return result, inside


def truths(name: str, variant: Variant | None = None, digits: int = FEW) -> Iterator[tuple[str, Certified]]:
    """Yield all references of a case that a second route confirms."""
    case = load_case(name)
    values = case.values(variant.changes if variant else {})
    existing = [q for q in case.quantities if q.applies is None or q.applies(values)]
    for quantity in case.asked(variant) if variant else existing:
        found = quantity.reference(**arguments(quantity.reference, {**values, "digits": digits}))
        if found.second:
            yield quantity.name, found


@cache
def proved(name: str) -> tuple[dict[str, Certified], set[str]]:
    """Return all references of a case that a second route confirms, and the loops that ran to enclose them."""
    forget()
    right, loops = enclosure._sharpened, set()

    def recorded(*given: Any) -> Any:
        balls, inside = begun(lambda: right(*given))
        loops.update(inside)
        return balls

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enclosure, "_sharpened", recorded)
        return dict(truths(name, digits=MANY)), loops


@pytest.mark.parametrize("name", case_names())
def test_the_routes_share_no_loop(name):
    found, first = proved(name)
    assert found
    forget()
    _, second = begun(lambda: [truth.confirm(quantity) for quantity, truth in found.items()])
    assert first & second == set()


def test_a_shared_loop_is_seen():
    """So that the test before can fail."""
    _, first = begun(lambda: list(enclosure.ladder(FEW)))
    _, second = begun(lambda: list(enclosure.ladder(MANY)))
    assert first == second != set()


FURTHER = [(case.name, v.name) for case in all_cases() for v in case.variants if v.changes or v.problem]


@pytest.mark.parametrize(("name", "variant"), FURTHER)
def test_every_further_variant_is_confirmed(name, variant):
    for quantity, truth in truths(name, load_case(name).variant(variant)):
        truth.confirm(quantity)


def perturbed(number: Exact) -> Exact:
    """Return a number whose seventh digit is wrong."""
    return number * exact("1.000001")


@pytest.fixture
def known(name: str) -> Iterator[dict[str, Certified]]:
    """All references of a case; what is wrong is computed without what they left in caches, and leaves nothing."""
    found, _ = proved(name)
    forget()
    yield found
    forget()


@pytest.mark.parametrize("name", case_names())
def test_a_wrong_parameter_in_the_first_route_is_found(name, known, monkeypatch):
    """The second route agrees with what is known on many digits: it refuses what differs from that in few."""
    right = enclosure.ball
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("veridyn.references") and getattr(module, "ball", None) is right:
            monkeypatch.setattr(module, "ball", lambda x: right(perturbed(x) if isinstance(x, Exact) else x))
    assert any(agreeing_digits(known[quantity].value, wrong.value) < FEW for quantity, wrong in truths(name))


def contradicted(quantity: str, truth: Certified) -> bool:
    """Tell whether a second route disagrees; more guard digits would not help one that is wrong."""
    try:
        replace(truth, digits=FEW).confirm(quantity)
    except CertificationError:
        return True
    return False


@pytest.mark.parametrize("name", case_names())
def test_a_wrong_parameter_in_the_second_route_is_found(known, monkeypatch):
    right = Exact.mpf
    monkeypatch.setattr(Exact, "mpf", lambda self: right(perturbed(self)))
    monkeypatch.setattr(certified, "GUARDS", (15,))
    assert any(contradicted(quantity, truth) for quantity, truth in known.items())
