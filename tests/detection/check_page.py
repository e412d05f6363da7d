"""The page and the patterns of a small study."""

import json

import msgspec
import pytest

from veridyn.reports import hints

from . import page as pages
from . import sections
from .outcome import find_alarms, join, read_outcomes
from .page import SILENT, SOUND, find_survivors, make_page, make_patterns, make_whole, summarise_faults, write_section
from .sections import make_again, make_silent

CHECKS = {
    "a-b-x": ["criterion", 1.5],
    "a-b-convergence:x": ["convergence", 2.0],
    "a-b-claim:order:x@0.1": ["claim", 2.0],
    "a-b-invariance:mirrored": ["error", None],
}


def fault(name, **more):
    rest = {"part": "precision", "what": "Is one.", "size": 1e-3, "meaning": "change", "smallest": 1e-9, "unseen": ""}
    return {"host": "h", "name": name, **rest, **more}


def trial(name, case="c", **more):
    rest = {"failures": {}, "broken": {}, "judged": {"claim": 3}}
    return {"host": "h", "fault": name, "size": 1e-3, "place": {"case": case, "variant": "a-b"}, **rest, **more}


def study(faults, trials=(), **more):
    run = {
        "veridyn": "1",
        "python": "3",
        "packages": {},
        "machine": "m",
        "date": "2020-01-01T00",
        "faults": len(faults),
        "cases": 1,
    }
    document = {"schema_version": "3.0", "runs": [run], "cases": ["c"], "sound": [], "smallest": []}
    return {**document, "faults": faults, "trials": list(trials), **more}


@pytest.fixture
def small():
    faults = [fault("late"), fault("missed"), fault("hidden", unseen="Vanishes."), fault("idle"), fault("broken")]
    trials = [
        trial("late", "d"),
        trial("late", failures=CHECKS),
        trial("missed"),
        trial("hidden"),
        trial("broken", judged={}, broken={"x": "KeyError"}),
    ]
    smallest = {"host": "h", "fault": "late", "case": "c", "variant": "a-b", "detected": 3e-7, "survived": 1e-7}
    return study(faults, trials, sound=[trial("", failures={"y": ["claim", 2.0]})], smallest=[smallest])


def test_a_fault_is_detected_survives_is_hidden_or_damages_nothing(small):
    fates = {outcome.fault["name"]: outcome.fate for outcome in read_outcomes(small)}
    assert fates == {
        "late": "detected",
        "missed": "survived",
        "hidden": "unseen",
        "idle": "idle",
        "broken": "survived",
    }
    assert find_survivors(small) == [("h", "missed"), ("h", "broken")]


def test_the_page_counts_layers_and_names_what_is_not_detected(small):
    page = make_page(small)
    assert "| h | precision | 4 | 1 | 1 | 1 | 1 | – | 1 |" in page
    assert "| h | precision | change | 1 | 3e-07 | 3e-07 | late |" in page
    assert "| h | missed | Is one. | 0.001 | survives |" in page
    assert "| h | hidden | Is one. | 0.001 | Vanishes. |" in page
    assert "h: idle" in page
    assert "| h | c a-b | y |" in page


def test_sections_of_other_studies_name_what_survives_and_keep_their_order(small, tmp_path, monkeypatch):
    silent = make_silent(small)
    assert "| h | missed | Is one. | 0.001 | survives |" in silent
    assert "| h | hidden | Is one. | 0.001 | Vanishes. |" in silent
    assert "| h | late | precision |" in make_again(small)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    file = tmp_path / "docs" / "detection.md"
    file.parent.mkdir()
    file.write_text(f"# Page\n\n{SOUND}\n\nsound\n", encoding="utf-8")
    for text in ("first", "second"):
        write_section(SILENT, f"{SILENT}\n\n{text}\n")
    assert file.read_text(encoding="utf-8") == f"# Page\n\n{SILENT}\n\nsecond\n\n{SOUND}\n\nsound\n"


def test_trials_without_claims_add_to_those_that_are_kept(small, tmp_path, monkeypatch):
    monkeypatch.setattr(sections, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "detection.md"
    page.write_text("# Page\n", encoding="utf-8")
    for number, each in enumerate((small, study([fault("missed")], [trial("missed", failures=CHECKS)]))):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / pages.RESULTS).write_text(json.dumps({**each, "silent": True}), encoding="utf-8")
        sections.main([str(folder)])
    assert "* h: 2 of 3 faults are detected" in page.read_text(encoding="utf-8")


def test_the_summary_names_survivors_and_broken_measures(small):
    lines = list(summarise_faults(small))
    assert any("1 of 3 faults are detected" in line for line in lines)
    assert any("broke down on 1" in line and "h broken" in line for line in lines)


def test_the_whole_table_has_a_row_a_fault(small):
    whole = make_whole(small)
    assert "| h | late | precision | Is one. | 0.001 | 3e-07 | criterion, convergence, claim, error | c a-b |" in whole
    assert whole.count("\n| h |") == len(small["faults"])


def test_later_studies_add_and_replace_faults(small):
    again = study([fault("missed")], [trial("missed", failures=CHECKS)])
    joined = join([small, again])
    assert find_survivors(joined) == [("h", "broken")]
    assert len(joined["faults"]) == len(small["faults"])
    assert len(joined["runs"]) == 2


def test_a_sound_host_that_is_judged_again_replaces_its_alarms(small):
    first = {**small, "sound": [trial("", failures=CHECKS), trial("", "d", failures=CHECKS)]}
    again = {**small, "sound": [trial("", failures={})]}
    assert {place for _, place, _ in find_alarms(join([first, again]))} == {"d a-b"}


def test_patterns_are_made_of_faults_that_several_checks_detect(small):
    (only,) = hints.patterns_of(msgspec.json.decode(make_patterns(small), type=hints.Learnt))
    failures = {"c criterion x", "c convergence x", "c claim order:x", "c error mirrored"}
    assert (only.host, only.fault, only.part, only.failures) == ("h", "late", "precision", frozenset(failures))
    assert only.cases == {"c", "d"}
