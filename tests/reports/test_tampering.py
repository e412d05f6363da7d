"""A result file that somebody has changed, checksum and all: what its own numbers contradict is seen at reading.

What is left is a file in which everything was computed anew. `report --verify` computes references and criteria from
the library, and a signature is lost with every change.
"""

import copy
import json
import re

import pytest

from veridyn.results import ReportError, find_gaps, read


def find(document, **named):
    """Return the first result of a document with some values."""
    return next(r for r in document["results"] if all(r[key] == value for key, value in named.items()))


def change(**changes):
    """Return a change of the failed criterion."""

    def act(document):
        find(document, verdict="fail", layer="criterion").update(changes)

    return act


def drop(document):
    failed = find(document, verdict="fail", layer="criterion")
    document["results"].remove(failed)


def drop_from_plan(document):
    failed = find(document, verdict="fail", layer="criterion")
    drop(document)
    for entry in document["plan"]:
        if all(entry[key] == failed[key] for key in ("solver", "case", "variant")):
            entry["checks"].remove(failed["id"])


def call_expected(document):
    find(document, verdict="fail", layer="criterion")["verdict"] = "expected failure"


def call_inapplicable(document):
    find(document, verdict="fail", layer="criterion").update(verdict="not applicable", detail="no contact")


def raise_uncertainty(document):
    failed = find(document, verdict="fail", layer="convergence")
    failed.update(verdict="pass", tolerance=1.0, margin=1.0 / failed["error"])


def change_level(document):
    find(document, layer="convergence")["levels"][0]["error"] = 1e-9


def change_change(document):
    find(document, layer="invariance")["levels"][0]["change"] = 1e-9


def change_reference_of_sheet(document):
    document["cases"][0]["references"][0]["value"] = "15.2668"


def repeat(document):
    document["results"].append(copy.deepcopy(document["results"][0]))


WAYS = {
    "value": (change(value=15.2671), "value and reference give"),
    "reference": (change(reference="15.2625"), "value and reference give"),
    "error": (change(error=1e-9), "value and reference give"),
    "tolerance": (change(tolerance=1.0), "has verdict 'fail' with error"),
    "no tolerance": (change(tolerance=None, verdict="pass"), "without a tolerance"),
    "verdict": (change(verdict="pass"), "has verdict 'pass' with error"),
    "margin": (change(margin=2.0), "has margin 2.0"),
    "digits": (change(digits=9.0), "has 9.0 digits"),
    "kind of error": (change(error_kind="absolute"), "value and reference give"),
    "check removed": (drop, "which was planned"),
    "check removed from the plan, too": (drop_from_plan, "states 13 planned checks, but its plan has 12"),
    "expected failure": (call_expected, "no expected failure of the document covers it"),
    "not applicable": (call_inapplicable, "has verdict 'not applicable', but states"),
    "uncertainty": (raise_uncertainty, "but its parts add up to"),
    "level": (change_level, "on level 1"),
    "relation": (change_change, "the answers differ by"),
    "sheet of the case": (change_reference_of_sheet, "but the sheet of its case"),
    "check twice": (repeat, "stands there twice"),
    "counts": (lambda d: d.update(counts={"pass": 13}), "counts 13 pass"),
    "unknown case": (change(case="unknown"), "'unknown'"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_change_is_seen_though_the_checksum_fits(way, doc, save):
    act, said = WAYS[way]
    read(save(doc, "before.json"))
    act(doc)
    with pytest.raises(ReportError, match=re.escape(said)):
        read(save(doc))


def test_a_change_without_a_new_checksum_is_seen(doc, save):
    path = save(doc)
    path.write_text(path.read_text(encoding="utf-8").replace("x86_64", "arm64"), encoding="utf-8")
    with pytest.raises(ReportError, match="was changed after it was written"):
        read(path)


def test_a_plan_without_a_checksum_is_refused(doc, save):
    with pytest.raises(ReportError, match="states a plan, but no checksum"):
        read(save(json.dumps(doc)))


def test_results_without_a_plan_are_incomplete(doc, save):
    (gap,) = find_gaps(read(save(doc | {"plan": None})))
    assert "states no plan" in gap or "state no plan" in gap
