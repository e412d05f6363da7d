"""Rules that every case and every module obeys."""

import ast
import inspect
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from veridyn.reports.manual_blocks import Chapter, Formulas, Manual, Pairs, Section
from veridyn.reports.manual_pdf import formula, render
from veridyn.reports.mathml import math
from veridyn.solver.modal import SOLVER
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import all_cases, case_names, load_case
from veridyn.validation_cases.checks import checks, truth_checks
from veridyn.validation_cases.frozen import frozen_file, frozen_values

ROOMS = {
    "references": {"references"},
    "solver": {"solver"},
    "validation_cases": {"references", "solver", "validation_cases"},
    "reports": {"reports"},
}
SUBJECTS = {"own": Subject.of(SOLVER), "foreign": Subject("foreign", ("",), own=False)}

each_case = pytest.mark.parametrize("name", case_names())
each_subject = pytest.mark.parametrize("subject", SUBJECTS)


@cache
def all_checks(name, subject):
    return tuple(checks(load_case(name), SUBJECTS[subject]))


@each_case
def test_every_quantity_is_measured(name):
    asked = {check.quantity for check in all_checks(name, "own") if check.kind == "truth"}
    assert {quantity.name for quantity in load_case(name).quantities} <= asked


@each_case
@each_subject
def test_ids_are_unique_and_plain(name, subject):
    ids = [check.id for check in all_checks(name, subject)]
    assert [i for i, count in Counter(ids).items() if count > 1] == []
    assert [i for i in ids if re.search(r"[\s\[\]]", i)] == []


@each_case
@each_subject
def test_every_tolerance_has_a_reason(name, subject):
    for check in all_checks(name, subject):
        tolerance = check.tolerance()
        assert len(tolerance.reason) > 10, check.id
        assert tolerance.kind == "exact" or tolerance.value > 0 or check.reference() == 0, check.id


@each_case
def test_a_relative_tolerance_has_a_truth_to_relate_to(name):
    for subject in SUBJECTS:
        for check in all_checks(name, subject):
            reference = check.reference()
            truth = getattr(reference, "value", reference)
            assert check.tolerance().kind != "relative" or truth, check.id


@each_case
def test_every_number_has_two_routes(name):
    """What does not exist, zeros by structure and regimes have a reason instead."""
    case = load_case(name)
    for variant in case.variants:
        values = case.values(variant.changes)
        for quantity in case.asked(variant):
            truth = quantity.truth(values)
            number = not isinstance(truth.value, str | None) and truth.value != 0
            assert len(set(truth.routes)) >= (2 if number else 1), f"{variant.name} {quantity.name}: {truth.routes}"


@each_case
def test_frozen_values_are_those_of_the_numeric_truth_checks(name):
    case = load_case(name)
    made = [check for variant in case.variants for check in truth_checks(case, SUBJECTS["own"], variant)]
    numeric = {check.id for check in made if not isinstance(check.reference().value, str | None)}
    assert frozen_file(case).exists()
    assert frozen_values(case).keys() == numeric


@each_case
def test_cases_explain_themselves(name):
    case = load_case(name)
    texts = (case.title, case.summary, case.document, *case.statement, *case.modelling, *case.remarks)
    assert all(texts)
    assert all(quantity.definition for quantity in case.quantities)
    assert case.benchmark_variant in {variant.name for variant in case.variants}


@each_case
def test_every_case_states_its_equations_and_both_renderers_set_them(name):
    equations = load_case(name).equations
    assert len(equations) >= 2  # the problem, and what its solution follows from
    for equation in equations:
        tree = ElementTree.fromstring(math(equation))
        assert "=" in "".join(tree.itertext())
        assert [part.text for part in tree.iter("mo") if part.text in set("^_/{}")] == [], equation
        assert formula(equation)["parts"] != []


def test_the_typesetter_sets_the_equations_of_all_cases():
    blocks = [Formulas(load_case(name).equations) for name in case_names()]
    chapters = [Chapter("cases", "", [Section("Equations", blocks)])]
    manual = Manual("Equations", "", "", "", "", gaps=[], about=Pairs([]), chapters=chapters)
    assert render(manual).startswith(b"%PDF")


def test_listing_needs_no_registration():
    folders = {
        Path(inspect.getfile(import_module(f"veridyn.validation_cases.{name}.case"))).parent for name in case_names()
    }
    room = next(iter(folders)).parent
    assert folders == {file.parent for file in room.glob("*/case.py")}
    assert [case.name for case in all_cases()] == sorted(folder.name for folder in folders)


def modules(room):
    return sorted(Path(import_module(f"veridyn.{room}").__path__[0]).rglob("*.py"))


def imported(node):
    """Names of the modules that one statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "import absolutely"
        return (
            [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            if node.module == "veridyn"
            else [node.module]
        )
    return []


def rooms_entered(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = [name.split(".") for node in ast.walk(tree) for name in imported(node)]
    ours = [name for name in names if name[0] == "veridyn"]
    return {name[1] for name in ours if len(name) > 1} | ({"the front door"} if ["veridyn"] in ours else set())


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_between_the_rooms(room):
    files = modules(room)
    assert len(files) > 5
    for file in files:
        assert rooms_entered(file) <= ROOMS[room], file


def test_the_walk_sees_an_import(tmp_path):
    file = tmp_path / "x.py"
    lines = ("def f():", "from veridyn.reports import build", "import veridyn.solver.modal", "from veridyn import cli")
    file.write_text("\n    ".join(lines), encoding="utf-8")
    assert rooms_entered(file) == {"reports", "solver", "cli", "the front door"}
