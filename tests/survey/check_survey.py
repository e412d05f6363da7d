"""The survey of random parameters itself: what it draws, and what it notices."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import mpmath
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.survey.attempt import ERROR, OUT_OF_TIME
from tests.survey.drawing import draw_parameters
from tests.survey.entry import PARTLY, SetEntry, read_entry, write_entry
from tests.survey.holding import hold
from tests.survey.mechanics import draw_problem, hold_problem
from tests.survey.page import RESULTS, explain, make_page, read_explanations, read_survey, sort_reason, unexplained
from tests.survey.run import Trial, Waiting, _listen, main
from veridyn.api.proving import prove
from veridyn.validation_cases.judgement.catalogue import load_case

SEED, SECONDS = 1, 10.0


def test_sets_are_the_same_in_every_run_and_differ_from_each_other():
    for name in ("belt_damped", "galperin", "obstacles", "sdnd101"):
        case = load_case(name)
        sets = [draw_parameters(case, SEED, number) for number in range(8)]
        assert sets == [draw_parameters(case, SEED, number) for number in range(8)]
        assert any(drawn != sets[0] for drawn in sets)


def test_a_value_that_is_off_is_noticed_by_both_solvers():
    case = load_case("sdnd101")
    asked = case.measured(case.make_variant({}))
    truths = {q.name: q.truth(case.values({})) for q in case.quantities if q in asked}
    assert [item for item in hold(case, {}, truths, SECONDS) if item.get("differs")] == []
    with mpmath.workdps(40):
        wrong = {name: replace(truth, value=truth.value * mpmath.mpf("1.00001")) for name, truth in truths.items()}
    contradicted = [(item["held"], item["quantity"]) for item in hold(case, {}, wrong, SECONDS) if item.get("differs")]
    numbers = {name for name, truth in truths.items() if truth.value != wrong[name].value}
    assert {name for solver, name in contradicted if solver == "scipy"} == numbers
    assert {name for solver, name in contradicted if solver == "exact"} == numbers


def test_the_wear_of_a_contact_that_the_end_cuts_counts():
    case, parameters = load_case("tube_between_stops"), {"mu": "0.6"}
    values = case.values(parameters)
    truths = {q.name: q.truth(values) for q in case.quantities if q.name in ("wear_power", "y@0.3")}
    assert float(truths["y@0.3"]) > float(values["g"])  # within the stop
    items = [item for item in hold(case, parameters, truths, 60.0) if item.get("quantity") == "wear_power"]
    assert [(item["held"], item["differs"]) for item in items] == [("exact", ""), ("scipy", "")]


def test_random_mechanical_problems_are_the_same_in_every_run_and_differ_from_each_other():
    texts = [draw_problem(SEED, number).to_json() for number in range(12)]
    assert texts == [draw_problem(SEED, number).to_json() for number in range(12)]
    assert len(set(texts)) == 12


def test_a_value_of_a_mechanical_problem_that_is_off_is_noticed_by_both_solvers():
    problem = replace(draw_problem(SEED, 5), end=0.5, output_times=None)  # two masses, one between rigid planes
    queries = ["x1@0.4", "x2@0.4", "v_x1@0.4"]
    right = prove(problem, queries, digits=15)
    wrong = {name: replace(value, value=value.value * mpmath.mpf("1.001")) for name, value in right.items()}
    for truths, off in ((right, set()), (wrong, {(solver, name) for solver in ("exact", "scipy") for name in queries})):
        items = list(hold_problem(problem, truths, SECONDS))
        assert {(item["held"], item["quantity"]) for item in items} == {
            (solver, name) for solver in ("exact", "scipy") for name in queries
        }
        assert {(item["held"], item["quantity"]) for item in items if item["differs"]} == off


class FakeWorker:
    """A worker that says something and is silent then."""

    def __init__(self, *words):
        self.words, self.killed = list(words), False

    def receive(self):
        return self.words.pop(0) if self.words else None

    def kill(self):
        self.killed = True


BEGUN = ("item", {"trying": "peak"})


@pytest.mark.parametrize(
    ("words", "patience", "end"),
    [
        ((BEGUN, ("lost", "signal 9")), 60.0, ERROR),
        ((BEGUN, ("raised", "Traceback\nValueError: no")), 60.0, ERROR),
        ((BEGUN,), -1.0, OUT_OF_TIME),
    ],
)
def test_a_process_that_crashes_or_hangs_is_an_entry(words, patience, end):
    worker, trial = FakeWorker(*words), Trial(SetEntry("sdnd101", 0, {}), 0.0)
    assert _listen(worker, trial, patience)
    assert trial.entry.end == end
    assert worker.killed == (end == OUT_OF_TIME)


def test_an_entry_survives_the_journal_but_for_its_values():
    entry = SetEntry("sdnd101", 3, {"k": "1"}, differences=[("scipy", "peak", "1 instead of 2")])
    entry.take({"quantity": "peak", "end": "value", "text": "2", "seconds": 0.5})
    entry.take({"quantity": "work", "end": "undefined", "text": "no event", "seconds": 0.5})
    entry.take({"quantity": "path", "end": "undefined", "text": "no event", "seconds": 0.5})
    read = read_entry(json.loads(json.dumps(write_entry(entry))))
    assert read == replace(entry, ends={**entry.ends, "peak": ("value", "")})
    assert read.end == PARTLY


def test_sets_of_dear_cases_wait():
    waiting = Waiting([SetEntry(case, number, {}) for case in ("cheap", "dear") for number in range(4)])
    order = []
    while waiting:
        entry = waiting.take_next()
        waiting.charge(entry.case, 1.0 if entry.case == "cheap" else 2.5)
        order.append(entry.case)
    assert order == ["cheap", "dear", "cheap", "cheap", "dear", "cheap", "dear", "dear"]


def test_a_survey_grows(tmp_path):
    def run(*options):
        return main(["bank_shot", "--seed", "11", "-n", "1", *options])

    first, more, again = (tmp_path / name for name in ("first", "more", "again"))
    assert run("--sets", "2", "--report", str(first)) == 0
    assert run("--sets", "3", "--onto", str(first / RESULTS), "--report", str(more)) == 0
    (plan, entries), (_, former) = (read_survey(folder / RESULTS) for folder in (more, first))
    assert plan["seed"] == 11
    assert [entry.number for entry in entries] == [0, 1, 2]
    assert entries[:2] == former
    assert run("--sets", "9", "--again", "--onto", str(more / RESULTS), "--report", str(again)) == 0
    assert [entry.number for entry in read_survey(again / RESULTS)[1]] == [0, 1, 2]
    assert main(["bank_shot", "--seed", "12", "--onto", str(first / RESULTS)]) == 2


def test_reasons_are_of_one_kind_if_only_numbers_differ():
    one, other = (sort_reason("x@1", f"x@1: rests begins at t = {t} s past it") for t in ("0.949885679", "1e-3"))
    assert one == other == "rests begins at t = # s past it"


def test_what_is_not_explained_is_a_fault_and_stands_on_the_page():
    entry = SetEntry("sdnd101", 0, {"k": "1"}, differences=[("scipy", "peak", "1 instead of 2")])
    assert explain(entry, entry.differences[0], read_explanations()) == ""
    assert len(unexplained([entry])) == 1
    assert "1 instead of 2" in make_page([entry], {"seed": 1, "seconds": 10.0})
