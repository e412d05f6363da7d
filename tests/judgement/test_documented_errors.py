"""Every public function has a docstring, and one that raises says what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import veridyn.references
import veridyn.solver
import veridyn.validation_cases

ROOMS = {room.__name__.rpartition(".")[2]: Path(room.__path__[0]) for room in (
    veridyn.references, veridyn.solver, veridyn.validation_cases
)}  # fmt: skip


def public(tree):
    """Public functions of a module, and public methods of its public classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = (n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_"))
            yield from (n for n in methods if n.name != "check")  # of a record: `Record.check` says it


def raised(function):
    """Names of the exceptions that a function itself raises."""
    calls = [n.exc for n in ast.walk(function) if isinstance(n, ast.Raise) and n.exc is not None]
    names = [call.func if isinstance(call, ast.Call) else call for call in calls]
    return {name.id for name in names if isinstance(name, ast.Name) and name.id[0].isupper()}


# how a reading of a reference says that there is no number, or that a zero is exact: never seen by a caller
READINGS = {"Absent", "Exactly", "Undecided"}


def silent(tree):
    """Functions that raise what their docstring neither names nor leaves to another's."""
    for function in public(tree):
        text = ast.get_docstring(function) or ""
        elsewhere = "rrors as `" in text or "see `" in text
        for name in raised(function) - {"NotImplementedError", *READINGS}:
            if name not in text and not elsewhere and "raises" not in text:
                yield f"{function.name} raises {name}"


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_raised_is_documented(room):
    files = [file for file in ROOMS[room].rglob("*.py") if not file.name.startswith("test_")]
    assert len(files) > 20
    found = [f"{file.name}: {what}" for file in files for what in silent(ast.parse(file.read_text(encoding="utf-8")))]
    assert found == []


def test_the_walk_sees_a_silent_function():
    silent_one = 'def f():\n    """Do."""\n    raise ValueError("x")\n'
    text = silent_one + 'def g():\n    """Do; raises ValueError."""\n    raise ValueError'
    assert list(silent(ast.parse(text))) == ["f raises ValueError"]
