"""The command mutation: exit status, document, page, resuming."""

import json

import pytest

from veridyn.mutation.analysis import main
from veridyn.reports import detection, hints


def test_a_detected_fault_is_fine(veridyn, tmp_path):
    seen = veridyn("mutation", "sdnd101", "--host", "integrator", "--fault", "gap_too_wide", "--report", tmp_path)
    assert seen.status == 0
    assert "1 of 1 faults are detected" in seen.out
    assert "| gap_too_wide | contact |" in (tmp_path / "detection.md").read_text(encoding="utf-8")
    found = json.loads((tmp_path / "mutation.json").read_text(encoding="utf-8"))
    assert {trial["fault"] for trial in found["trials"]} == {"gap_too_wide"}
    assert found["undamaged"][0]["solver"] == "symplectic_euler"
    (pattern,) = hints.patterns_of(json.loads((tmp_path / "patterns.json").read_text(encoding="utf-8")))
    assert (pattern.fault, pattern.kind) == ("gap_too_wide", "contact")
    assert len(pattern.failures) >= hints.FEWEST


def test_results_of_several_runs_make_one_page(veridyn, tmp_path):
    for name, fault in (("one", "gap_too_wide"), ("other", "penalty_one_percent_high")):
        veridyn("mutation", "sdnd101", "--host", "integrator", "--fault", fault, "--json", tmp_path / name)
    main(tmp_path / "one", tmp_path / "other", tmp_path)
    page = (tmp_path / "detection.md").read_text(encoding="utf-8")
    assert "| gap_too_wide | contact |" in page
    assert "| penalty_one_percent_high | contact |" in page
    assert "| Case | contact |\n| --- | --- |\n| sdnd101 | 2 |\n" in page
    patterns = json.loads((tmp_path / "patterns.json").read_text(encoding="utf-8"))
    assert [pattern.fault for pattern in hints.patterns_of(patterns)] == ["gap_too_wide", "penalty_one_percent_high"]


def test_a_fault_that_no_case_has_anything_for_is_said_and_no_failure(veridyn):
    seen = veridyn("mutation", "sdld31", "--host", "integrator", "--fault", "gap_sign")
    assert seen.status == 0
    assert "1 damage nothing in the cases that were tried: gap_sign" in seen.out


def test_an_unknown_fault_is_bad_input(veridyn):
    seen = veridyn("mutation", "--host", "integrator", "--fault", "gap_sing")
    assert seen.status == 2
    assert "did you mean gap_sign?" in seen.err


def test_faults_and_false_positives_exclude_each_other(veridyn):
    seen = veridyn("mutation", "--false-positives", "2", "--fault", "gap_sign")
    assert seen.status == 2
    assert "leave out --fault" in seen.err


HOST = """
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np


@dataclass
class Free:
    error: float = 0.0
    name = "free"
    version = "1"
    capabilities = frozenset({"mechanical", "loads"})

    def solve(self, problem, settings):
        from veridyn.solver.exact.solver import SOLVER
        r = SOLVER.solve(problem, settings)
        return {"time": r.time, "displacement": (1 + self.error) * r.displacement, "velocity": r.velocity}


SOLVER = Free()
FAULTS = [
    SimpleNamespace(name="large", kind="output", what="Too large.", size=0.1, meaning="relative", smallest=1e-6,
                    make=Free, touches=lambda p: True),
    SimpleNamespace(name="none", kind="output", what="Nothing is wrong.", size=None, meaning="", smallest=None,
                    make=lambda _: Free(), touches=lambda p: True),
]
"""


@pytest.fixture
def host(tmp_path):
    file = tmp_path / "faults_free.py"
    file.write_text(HOST)
    return file


def test_a_fault_that_survives_fails_and_the_smallest_size_is_found(veridyn, host, tmp_path):
    seen = veridyn("mutation", "sdld31", "--host", host, "--resolution", "--report", tmp_path / "r")
    assert seen.status == 1
    assert "free: 1 survive: none" in seen.out
    found = json.loads((tmp_path / "r" / "mutation.json").read_text(encoding="utf-8"))
    (row,) = found["resolution"]
    assert 1e-6 < row["survived"] < row["detected"] < 0.1
    page = (tmp_path / "r" / "detection.md").read_text(encoding="utf-8")
    assert "| free | none | Nothing is wrong. |" in page.split("## What survives")[1]
    assert f"{row['detected']:g}, sdld31" in page


def test_a_study_that_was_ended_goes_on(veridyn, host, tmp_path, monkeypatch):
    file = tmp_path / "found.json"
    command = ("mutation", "sdld31", "--host", host, "--json", file)
    with monkeypatch.context() as patched:
        patched.setattr("veridyn.journal.Found.done", lambda _: None)
        veridyn(*command)
    whole, kept = json.loads(file.read_text()), file.with_name("found.json.journal")
    lines = kept.read_text().splitlines()
    kept.write_text("\n".join(lines[:4]) + "\n")
    seen = veridyn(*command, "--resume")
    assert (seen.status, seen.err) == (1, "")
    again = json.loads(file.read_text())
    assert {part: again[part] for part in ("faults", "trials")} == {part: whole[part] for part in ("faults", "trials")}


def findings(**found):
    fault = {"host": "h", "name": "late", "kind": "load", "what": "Late.", "size": 0.1, "meaning": "s", "unseen": ""}
    trial = {"host": "h", "fault": "late", "place": {"case": "c", "variant": "v"}, "judged": {"claim": 3}, "broken": {}}
    return {"hosts": ["h"], "faults": [fault], "trials": [{**trial, **found}], "undamaged": [], "resolution": []}


def test_a_harness_error_is_no_detection():
    found = findings(found={}, broken={"a": "KeyError"})
    assert detection.survivors(found) == detection.survivors(found, "survived") == [("h", "late")]
    assert any("measures of the suite failed on 1 mutants" in sentence for sentence in detection.summary(found))


def test_layers_are_counted_by_fault():
    found = findings(found={"a": ["claim", 2.0], "b": ["claim", None], "c": ["error", None]})
    assert detection.tried(found)[0].layers == {"claim": 2, "error": 1}
    assert detection.survivors(found) == []


def test_later_results_add_and_replace_faults():
    first, again = findings(found={}), findings(found={"a": ["claim", 2.0]})
    other = {**findings(found={}), "hosts": ["g"], "trials": []}
    other["faults"] = [{**first["faults"][0], "host": "g"}]
    made = {"schema_version": "2.0", "environment": {}, "cases": ["c"]}
    found = detection.joined({**document, **made} for document in (first, again, other))
    assert [(*detection.key_of(one.fault), one.trials) for one in detection.tried(found)] == [
        ("h", "late", again["trials"]),
        ("g", "late", []),
    ]
    assert (found["hosts"], found["cases"]) == (["h", "g"], ["c"])


def test_a_survivor_may_have_a_reason():
    found = findings(found={})
    found["faults"][0]["unseen"] = "Nothing changes."
    assert (detection.survivors(found), detection.survivors(found, "survived")) == ([("h", "late")], [])
