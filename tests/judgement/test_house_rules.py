"""Rules that every case and every module obeys."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from veridyn.problem.smoothness import regularity
from veridyn.reports.manual_blocks import Chapter, Formulas, Manual, ManualSection, Pairs, formula, render
from veridyn.reports.mathml import math as set_math
from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.statements import DERIVATIVES, TAGS, read_claims
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.judgement.catalogue import all_cases, case_names, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.statement import Statement
from veridyn.validation_cases.judgement.subject import Subject
from veridyn.validation_cases.judgement.topics import TOPICS

ROOMS = {
    "problem": {"inputs", "problem"},
    "results": {"inputs", "results"},
    "references": {"problem", "references"},
    "solver": {"inputs", "problem", "solver"},
    "validation_cases": {"inputs", "problem", "references", "results", "solver", "validation_cases"},
    "reports": {"inputs", "outputs", "reports", "results"},
}
FRONT = {  # below `veridyn`, of its own rooms
    "files": {"problem"},
    "run": {"identification", "problem"},
    "api": {"files", "identification", "problem", "run"},
    "doctor": {"identification", "problem", "run"},
    "identification": {"problem"},
    "sweep": {"api", "files", "problem", "run"},
    "cli": {"api", "files", "identification", "problem", "run"},
}
REFERENCES = {  # below `references`; second routes share nothing with the engine of the first
    "engine": {"engine"},
    "methods": {"engine", "methods"},
    "second_routes": {"second_routes"},
    "problems": {"engine", "problems", "second_routes"},
}
INTEGRATORS = {"integrators", "exact", "event_driven", "adapters"}  # below `solver`
INTEGRATOR = Subject.from_introduction(introduce(SOLVER))
SUBJECTS = {  # two schemes show whether ids tell schemes apart
    "integrator": INTEGRATOR.with_request(replace(INTEGRATOR.request, schemes=INTEGRATOR.schemes[:2])),
    "silent": Subject("silent"),
    "exact": Subject("exact", claims={"": read_claims("exact", {"digits": 12})}),
}


@cache
def state_all(name):
    """Return the statements of a case, one a variant: each states its problem once for all tests."""
    return [Statement(load_case(name), variant) for variant in load_case(name).variants]


@cache
def read_measured(name):
    """Return every quantity and residual of a case with the statement that asks for it."""
    return [(statement, quantity) for statement in state_all(name) for quantity in statement.quantities]


def pairs_of_all_cases():
    return [pair for name in case_names() for pair in read_measured(name)]


def places(pairs):
    """Return where statements and quantities that break a rule stand."""
    return [f"{statement.case.name} {statement.variant.name} {quantity.name}" for statement, quantity in pairs]


def test_every_quantity_is_asked_in_a_variant():
    for case in all_cases():
        assert {q.name for q in case.quantities} == {
            q.name for v in case.variants for q in case.select_quantities(v)
        }, case.name
        assert {q.name for q in case.residuals} <= {q.name for _, q in read_measured(case.name)}, case.name


def test_every_capability_is_needed_by_a_case():
    statements = (statement for name in case_names() for statement in state_all(name))
    assert frozenset().union(*(statement.problem.needs for statement in statements)) == TAGS - DERIVATIVES


@pytest.mark.parametrize("subject", SUBJECTS)
def test_ids_are_unique_and_plain(subject):
    ids = Counter(f"{c.name} {each.id}" for c in all_cases() for each in checks(c, SUBJECTS[subject]))
    assert [i for i, count in ids.items() if count > 1] == []
    assert [i for i in ids if re.search(r"[\s\[\]]", i.partition(" ")[2])] == []


def test_every_quantity_has_a_criterion_with_a_reason():
    criteria = [(s, q, q.tolerance(s.values)) for s, q in pairs_of_all_cases()]
    assert places((s, q) for s, q, tolerance in criteria if len(tolerance.reason) <= 10) == []
    assert places((s, q) for s, q, tolerance in criteria if tolerance.kind != "exact" and not tolerance.value > 0) == []


def test_topics_are_known_and_each_has_a_case():
    assert set().union(*(case.topics for case in all_cases())) == set(TOPICS)
    assert all(case.topics for case in all_cases())


def test_no_quantity_is_smoother_than_its_problem():
    """A quantity may be as smooth as what happens before it, if it says that nothing has happened yet."""
    smoother = [
        (s, q)
        for s, q in pairs_of_all_cases()
        if q.converges and q.tolerance(s.values).kind != "exact" and q.smooth_to(s.values) > regularity(s.problem)
    ]
    assert places(pair for pair in smoother if not pair[1].early) == []
    early = {case.name for case in all_cases() if any(q.early for q in case.quantities)}
    assert {s.case.name for s, _ in smoother} == early


def is_plain(problem):
    """Tell whether a problem has nothing that is not linear."""
    parts = ("stops", "frictions", "devices", "varying")
    return problem.kind == "mechanical" and not any(getattr(problem, part) for part in parts)


def test_linear_is_what_has_nothing_that_is_not():
    plain = {name: {is_plain(statement.problem) for statement in state_all(name)} for name in case_names()}
    assert plain == {case.name: {case.linear} for case in all_cases()}


def test_cases_explain_themselves():
    for case in all_cases():
        texts = (case.title, case.summary, case.document, *case.statement, *case.modelling, *case.remarks)
        assert all(texts), case.name
        assert case.document == "this suite" or case.sources, case.name
        assert all(quantity.definition for quantity in (*case.quantities, *case.residuals)), case.name
        names = [quantity.name for quantity in (*case.quantities, *case.residuals)]
        assert len(set(names)) == len(names), case.name
        assert case.default_variant in case.variants, case.name


def test_every_case_states_its_equations_and_both_renderers_set_them():
    for case in all_cases():
        assert len(case.equations) >= 2, case.name  # the problem, and what its solution follows from
        for equation in case.equations:
            assert len(equation) <= 400, f"{case.name}: the result document holds no longer ones"
            tree = ElementTree.fromstring(set_math(equation))
            assert set("=≥") & set("".join(tree.itertext())), equation
            assert [part.text for part in tree.iter("mo") if part.text in set("^_/{}")] == [], equation
            assert formula(equation)["parts"] != [], equation


def test_the_typesetter_sets_the_equations_of_all_cases():
    blocks = [Formulas(load_case(name).equations) for name in case_names()]
    chapters = [Chapter("cases", "", [ManualSection("Equations", blocks)])]
    manual = Manual("Equations", "", "", "", "", gaps=[], about=Pairs([]), chapters=chapters)
    assert render(manual).startswith(b"%PDF")


def test_pages_draw_the_motions_that_the_cases_state(monkeypatch):
    """What `python docs/record_histories.py` recorded is of the problems of today."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "docs"))
    recorder = import_module("record_histories")
    recorded = recorder.read_recorded()
    everything = (statement for name in case_names() for statement, _ in read_measured(name))
    statements = {s.case.name: s for s in everything if s.variant is s.case.default_variant}
    stale = [name for name, s in statements.items() if not recorder.is_current(s.case, s.problem, recorded)]
    assert stale == [], "record them: python docs/record_histories.py"
    assert sorted(recorded) == sorted(case_names())


def test_listing_needs_no_registration():
    found = {file.stem.removeprefix("test_") for file in OF_CASES if file.stem.startswith("test_")}
    assert case_names() == tuple(sorted(found))
    assert [case.name for case in all_cases()] == sorted(found)


# ---- what modules import


def modules(room):
    return sorted(Path(import_module(f"veridyn.{room}").__path__[0]).rglob("*.py"))


def imported(node):
    """Names of the modules that one statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "import absolutely"
        names = [f"{node.module}.{alias.name}" for alias in node.names]
        return [node.module, *(names if node.module in ("veridyn", "veridyn.solver") else [])]
    return []


def modules_entered(file):
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {name for node in ast.walk(tree) for name in imported(node) if name.split(".")[0] == "veridyn"}


def rooms_entered(file):
    names = [name.split(".") for name in modules_entered(file)]
    return {name[1] for name in names if len(name) > 1} | ({"the front door"} if ["veridyn"] in names else set())


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_between_the_rooms(room):
    files = modules(room)
    assert len(files) > 5
    for file in files:
        assert rooms_entered(file) <= ROOMS[room], file


@pytest.mark.parametrize("room", FRONT)
def test_arrows_inside_the_front(room):
    outside = {*ROOMS, "inputs", "outputs", "version"} - {"problem", "results"}
    for file in modules(room):
        assert rooms_entered(file) - outside <= FRONT[room] | {room, "results"}, file


@pytest.mark.parametrize("room", REFERENCES)
def test_arrows_inside_the_references(room):
    shared = {"algebra", "certified", "deadline", "parameters", "reference"}
    for file in modules(f"references.{room}"):
        entered = {name.split(".")[2] for name in modules_entered(file) if name.startswith("veridyn.references.")}
        assert entered - shared <= REFERENCES[room], file


def test_the_walk_sees_an_import(tmp_path):
    file = tmp_path / "x.py"
    lines = (
        "def f():",
        "from veridyn.reports import build",
        "import veridyn.solver.integrators.modal",
        "from veridyn import cli",
    )
    file.write_text("\n    ".join(lines), encoding="utf-8")
    assert rooms_entered(file) == {"reports", "solver", "cli", "the front door"}
    assert solvers_entered(file) == {"veridyn.solver.integrators.modal"}


def solvers_entered(file):
    """Modules of integrators that a file imports; adapters among them."""
    names = {name: set(name.split(".")) for name in modules_entered(file)}  # a kernel alone is no integrator
    return {name for name, parts in names.items() if parts & INTEGRATORS and "kernels" not in parts}


ROOM = Path(import_module("veridyn.validation_cases").__path__[0])
JUDGEMENT = [*(ROOM / "judgement").glob("*.py"), *(ROOM / "measures").glob("*.py")]
OF_CASES = sorted({*ROOM.glob("*/**/*.py")} - {*JUDGEMENT})
NAMES = re.compile(rf"\b({'|'.join(SCHEMES)})\b")


def test_cases_and_their_judgement_know_no_solver():
    entered = {file.name: solvers_entered(file) for file in (*OF_CASES, *JUDGEMENT)}
    assert {name: solvers for name, solvers in entered.items() if solvers} == {}


def test_cases_name_no_scheme():
    named = {file.name: NAMES.findall(file.read_text(encoding="utf-8")) for file in OF_CASES}
    assert {name: schemes for name, schemes in named.items() if schemes} == {}


def test_a_set_of_the_user_is_asked_nothing_that_another_problem_answers():
    gapped = load_case("bilinear_gap_free")
    assert {q.name for q in gapped.select_quantities(gapped.make_variant({"k_1": "2"}))} == {
        "period_bilinear",
        "reach_bilinear",
    }
    asked = load_case("newmark_block").make_variant({"W": "11"}).quantities
    assert "slip" in asked
    assert "t_rectangle" not in asked
    assert load_case("kepler").make_variant({"e": "0.5"}).quantities is None
