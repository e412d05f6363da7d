"""What a run judges: all of what is named, the quick profile without a name; and how little of everything looks."""

import json
import re

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.results import convert, describe_scope, merge, read
from veridyn.run import running, screen
from veridyn.run.execution import find_untested
from veridyn.run.plan import Plan, Task
from veridyn.run.selection import Selection
from veridyn.run.undertaking import state_checks
from veridyn.solver.contract.statements import FORWARD
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case, room_of, select
from veridyn.validation_cases.judgement.outline import outline, read_outline
from veridyn.validation_cases.judgement.subject import Subject

SUBJECTS = {"two": Subject("two", schemes=("first", "second")), "plain": Subject("plain")}


@pytest.fixture
def asked(monkeypatch, veridyn):
    """Return what a command would run, without running it."""

    def ask(*arguments):
        kept = {}
        monkeypatch.setattr(running, "run", lambda order, *_: kept.update(vars(order)) or 0)
        assert veridyn("run", *arguments).status == 0
        return kept

    return ask


def places(selection, changes=None):
    return [(task.case, task.variant) for task in selection.tasks(SUBJECTS, changes or {}) if task.solver == "plain"]


NAMED = [
    ["sdnd101"],
    ["--all"],
    ["--needs", "contact"],
    ["--variant", "a"],
    ["--quantity", "impacts"],
    ["--scheme", "devogelaere"],
    ["--solver", "scipy"],
    ["--set", "m=1"],
    ["--claim", "order=2"],
    ["--refine", "step"],
    ["--require", "digits=3"],
]


@pytest.mark.parametrize("named", NAMED, ids=lambda given: given[0])
def test_what_is_named_is_judged_in_full(asked, named):
    given = asked(*named)
    assert not given["selection"].quick
    assert given["solvers"] == (["scipy"] if "scipy" in named else ["veridyn"])


@pytest.mark.parametrize("more", [[], ["--report", "r"], ["--json", "r.json", "-n", "2", "-q", "--fail-fast"]], ids=len)
def test_without_a_name_the_quick_profile_runs_by_solvers_that_are_always_there(asked, more):
    given = asked(*more)
    assert given["selection"] == Selection(quick=True, shared=True)
    assert given["solvers"] == ["veridyn", "scipy"]


@pytest.mark.parametrize(
    ("cases", "solvers"),
    [(["galperin"], ["scipy"]), (["sdnd101"], ["veridyn"]), (["kepler", "sdnd101"], ["scipy", "veridyn"])],
)
def test_a_case_without_a_solver_is_judged_by_one_that_takes_its_kind(asked, cases, solvers):
    assert asked(*cases)["solvers"] == solvers


def test_shared_work_goes_to_the_first_solver_that_offers_all():
    some = frozenset({"mechanical", "contact", "loads"})
    more = some | {"contact:rigid", "damping", "contact:damped"}
    subjects = {"little": Subject("little", capabilities=some), "all": Subject("all", capabilities=more)}
    tasks = Selection(("rigid_stop", "sdnd101", "sdnd104"), quick=True, shared=True).tasks(subjects, {})
    assert {task.case: task.solver for task in tasks} == {"rigid_stop": "all", "sdnd101": "little", "sdnd104": "little"}


def test_the_quick_profile_is_one_variant_of_each_case_and_one_scheme_of_each_solver():
    quick = Selection(quick=True)
    assert places(quick) == [(case.name, case.default_variant.name) for case in all_cases()]
    assert {spec: subject.schemes for spec, subject in quick.subjects(SUBJECTS).items()} == {
        "two": ("first",),
        "plain": ("",),
    }


@pytest.mark.parametrize(
    "named", [["--solver", "scipy"], ["--scheme", "newmark"], ["sdnd101", "--set", "m=1"], []], ids=str
)
def test_what_is_named_is_judged_in_brief_if_asked(asked, named):
    given = asked(*named, "--quick")
    assert given["selection"].quick
    assert given["solvers"] == (["scipy"] if "scipy" in named else ["veridyn"] if named else ["veridyn", "scipy"])


@pytest.mark.parametrize("named", [["--all"], ["--variant", "late"]], ids=lambda given: given[0])
def test_default_variants_are_not_all_and_no_other(veridyn, named):
    seen = veridyn("run", "--quick", *named)
    assert seen.status == 2
    assert seen.err == "veridyn: --quick judges default variants alone: leave out --all and --variant\n"


def test_the_quick_profile_of_what_is_named():
    quick = Selection(("sdnd104", "sdnd101"), quick=True)
    assert places(quick) == [("sdnd104", "a0=1.5"), ("sdnd101", "2-shocks")]
    assert places(quick, {"m": "2"}) == [("sdnd104", ""), ("sdnd101", "")]
    named = Selection(schemes=("second",), quick=True)
    assert named.subjects({"two": SUBJECTS["two"]})["two"].schemes == ("second",)


def test_what_is_declared_and_needed_by_no_case_is_named():
    declared = {"mechanical", "contact", "modes", "friction:on-stop"}
    subjects = [Subject("mine", capabilities=frozenset(declared)), Subject("less", capabilities=frozenset({"contact"}))]
    plan = Plan({s.name: s for s in subjects}, {}, (Task("mine", "sdnd101", "2-shocks"),))
    (entry,) = state_checks(plan, (), {})
    told = find_untested(plan, [entry.needs])
    assert (entry.case, entry.variant) == ("sdnd101", "2-shocks")
    assert {"mechanical", "contact"} <= set(entry.needs)
    assert told == ["mine: declared and never tested, as no case of the run needs it: friction:on-stop, modes"]


def test_derivatives_are_needed_by_no_problem_and_tested():
    subject = Subject("mine", capabilities=frozenset({"initial-value", "hybrid", "zeno", "mechanical", FORWARD}))
    needs = [("initial-value", "hybrid", "zeno", "mechanical")]
    told = [
        find_untested(Plan({"mine": subject}, {}, (Task("mine", case, variant),)), needs)
        for case, variant in (("bouncing_ball", "lossy"), ("sdnd101", "2-shocks"))
    ]
    assert told == [[], [f"mine: declared and never tested, as no case of the run needs it: {FORWARD}"]]


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (
            {"mechanical"},
            ["kepler: `veridyn run kepler --solver scipy` judges one"],
        ),
        ({"initial-value"}, ["sdnd101, sdnd102: `veridyn run sdnd101 --solver veridyn` judges one"]),
        ({"mechanical", "initial-value"}, []),
    ],
    ids=["mechanical", "initial-value", "both"],
)
def test_cases_that_no_solver_takes_are_named_with_one_that_does(offered, said):
    subjects = [Subject("mine", capabilities=frozenset(offered))]
    found = running._leave_out(("sdnd101", "kepler", "sdnd102"), subjects)
    begun = [text.partition(" by a solver")[0] for text in found]
    assert begun == [f"no solver of this run takes {text}" for text in said]


def test_scipy_is_not_named_for_a_case_that_it_does_not_take():
    subject = Subject("mine", capabilities=frozenset({"mechanical"}))
    (beside,) = running._leave_out(("andrews", "kepler"), [subject])
    assert "`veridyn run kepler --solver scipy`" in beside
    (alone,) = running._leave_out(("andrews",), [subject])
    assert alone == "no solver of this run takes andrews: docs/adapters.md names solvers that do"


def test_variants_kinds_and_quantities_select():
    assert places(Selection(("sdnd101",), variants=("2-shocks",))) == [("sdnd101", "2-shocks")]
    assert places(Selection(("sdnd104", "sdnd101"), needs=("friction",), variants=("late", "2-shocks"))) == [
        ("sdnd104", "late")
    ]
    assert places(Selection(("sdnd102",), quantities=("asymmetry",))) == [("sdnd102", "a-two-masses")]
    devices = ("obstacles", "sdnd103", "sdnd105", "sdnd107", "valve_damper")
    named = (*devices, "kepler", "sdld103", "sdnd101", "sdnd104")  # to state all cases would take seconds
    assert {case for case, _ in places(Selection(named, needs=("device",)))} == set(devices)


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (Selection(variants=("a0=1.6",)), r"variant 'a0=1\.6': did you mean a0=1\.5\?"),
        (Selection(("sdnd101",), variants=("late",)), "no case that is run has a variant 'late'"),
        (Selection(quantities=("Impacts",)), r"quantity 'Impacts': did you mean impacts\?"),
        (Selection(("sdnd101",), needs=("contct",)), r"need 'contct': did you mean contact\?"),
        (Selection(("sdnd101", "sdnd104"), needs=("friction",), variants=("2-shocks",)), "no variant has all"),
    ],
)
def test_what_does_not_exist_is_refused(selection, said):
    with pytest.raises(SolverInputError, match=said):
        selection.tasks(SUBJECTS, {})


def test_a_variant_of_a_parameter_set_is_refused():
    with pytest.raises(SolverInputError, match="--variant and --set of a parameter exclude each other"):
        Selection(("sdnd101",), variants=("2-shocks",)).tasks(SUBJECTS, {"m": "2"})


def test_an_unknown_scheme_is_refused_before_any_work(veridyn, no_work):
    seen = veridyn("run", "sdnd101", "--scheme", "devogelaer")
    said = "veridyn: solver veridyn has no scheme 'devogelaer'; did you mean devogelaere?\n"
    assert (seen.status, seen.err) == (2, said)


def test_a_part_looks_like_a_part(veridyn, foreign, tmp_path):
    file = tmp_path / "results.json"
    one = ("run", "sdnd101", "--solver", foreign("Foreign"), "--variant", "2-shocks")
    seen = veridyn(*one, "--quantity", "impacts", "--json", file)
    assert seen.status == 0
    (row,) = (found := read([file])).results
    assert (row.quantity, row.layer, row.variant) == ("impacts", "criterion", "2-shocks")
    assert (found.profile, found.planned) == ("selection", 1)
    assert found.available > 40
    assert f"Selection, 1 of {found.available} checks. The only check passed" in seen.out
    assert {row.variant for row in found.cases[0].references} == {"2-shocks"}


def test_what_a_document_says_of_its_scope(make_row):
    def said(**more):
        return describe_scope(convert(make_row(**more)))

    assert said() == said(profile="all", planned=2, available=2) == said(profile="selection") == ""
    assert said(profile="quick", planned=2, available=30) == "Quick profile, 2 of 30 checks"
    assert said(profile="selection", planned=2, available=30) == "Selection, 2 of 30 checks"
    quick, whole = (convert(make_row(profile=p, planned=2, available=n)) for p, n in (("quick", 30), ("all", 2)))
    assert describe_scope(merge([quick, whole])) == "Selection, 4 of 32 checks"


@pytest.fixture
def make_row():
    environment = dict.fromkeys(("veridyn", "python", "platform", "machine", "date", "command"), "x")
    return lambda **more: {
        "schema_version": "2.1",
        "environment": {**environment, "packages": {}},
        "results": [],
        **more,
    }


def test_fail_fast_ends_at_the_first_failure_that_is_not_expected(veridyn, foreign, tmp_path):
    arguments = ("run", "sdnd101", "--set", "v0=2", "--solver", foreign("Raises"), "--fail-fast")
    seen = veridyn(*arguments)
    assert seen.status == 3
    assert "ended at the first failure (--fail-fast); 1 check judged before" in seen.err
    assert re.search(r"Incomplete: \d+ of \d+ checks are missing", seen.out)
    known = tmp_path / "known.txt"
    known.write_text("sdnd101/*: it never works\n")
    assert "1 check judged before" not in veridyn(*arguments, "--expected-failures", known).err


def test_quiet_says_the_verdict_and_the_failures_only(veridyn, foreign):
    few = ("--quantity", "peak_force", "--quantity", "impacts")
    one = ("run", "sdnd101", "--set", "v0=2", "-q", *few, "--solver")
    right, wrong = (veridyn(*one, foreign(name)) for name in ("Foreign", "Scaled"))
    assert right.err == wrong.err == ""
    assert re.fullmatch(r"Selection, 2 of \d+ checks. All 2 checks passed: 2 criteria\n", right.out)
    *failures, _ = wrong.out.splitlines()
    assert failures[0].startswith("FAIL  sdnd101[v0=2] scaled  ")


def test_a_pipe_gets_a_line_now_and_then(foreign, veridyn, monkeypatch):
    for pause in ("FIRST", "EVERY"):
        monkeypatch.setattr(screen, pause, 0.001)
    seen = veridyn("run", "sdnd101", "--variant", "2-shocks", "--quantity", "impacts", "--solver", foreign("Foreign"))
    waits = r"veridyn: \d+ s, 0 of 1 variant, first solution: nothing judged yet\n"
    judged = r"veridyn: \d+ s, 1 of 1 variant, sdnd101 2-shocks foreign: 1 passed\n"
    assert re.fullmatch(f"({waits})+({judged})*", seen.err)


def test_the_list_names_every_case_by_room():
    cases = select()
    assert {case.name: case for case in cases} == {case.name: outline(case) for case in all_cases()}
    assert [room_of(case.name) for case in cases] == sorted(room_of(case.name) for case in cases)


COMPUTED = ("CASE = CASES[0]", "CASE = Case(title='1')", "CASE = Case(name=N, title='', topics=(), variants=())", "x =")


@pytest.mark.parametrize("source", COMPUTED)
def test_of_a_case_that_computes_what_a_list_needs_the_module_is_loaded(tmp_path, monkeypatch, source):
    (tmp_path / "stated_elsewhere.py").write_text(f"\n{source}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    case = load_case("kepler")
    assert read_outline("stated_elsewhere", lambda: case) == outline(case)


def test_the_list_of_a_kind_and_a_topic(veridyn):
    seen = json.loads(veridyn("list", "--room", "hybrid", "--topic", "impact", "--topic", "accumulation", "--json").out)
    assert {case["case"] for case in seen["cases"]} == {"bouncing_ball", "rocking_block"}
    assert all(case["room"] == "hybrid" and "impact" in case["topics"] for case in seen["cases"])
    assert "sdnd101" not in veridyn("list", "--topic", "friction").out
    wrong = veridyn("list", "--topic", "frictoin")
    assert (wrong.status, "did you mean friction?" in wrong.err) == (2, True)


def test_figures_show_the_scheme_that_is_asked_for(veridyn):
    seen = veridyn("run", "--quick", "sdnd101", "--solver", "scipy", "--scheme", "RK45", "--json", "-")
    shown = {
        curve["label"].partition(":")[0] for f in seen.document["figures"] for p in f["panels"] for curve in p["series"]
    }
    assert "RK45" in shown
    assert not shown & {"LSODA", "DOP853"}
