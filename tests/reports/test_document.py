import json
import re
from importlib.resources import files
from pathlib import Path

import pytest

from veridyn.reports import ReportError, check_document, gaps, read_results
from veridyn.reports.document import environments


def test_a_document_is_accepted_and_not_changed(doc, make_document):
    check_document(doc)
    assert doc == make_document()


def test_reading_gives_back_what_was_written(doc, save):
    read = read_results(save(doc))
    assert read["results"] == doc["results"]
    assert read["environment"] == doc["environment"]


def test_defaults_are_filled_in(make_result):
    needed = ("case", "variant", "solver", "scheme", "layer", "quantity", "verdict")
    record = {key: make_result()[key] for key in needed}
    environment = dict.fromkeys(("veridyn", "python", "platform", "machine", "date", "command"), "")
    checked = check_document({"schema_version": "2.0", "environment": environment, "results": [record]})
    assert checked["cases"] == checked["figures"] == checked["messages"] == []
    assert checked["work_precision"] == []
    assert checked["results"][0].keys() == make_result().keys()


def test_defaults_of_a_point_are_filled_in(doc, make_point):
    doc["work_precision"] = [{key: make_point()[key] for key in ("case", "variant", "solver", "scheme")}]
    assert check_document(doc)["work_precision"][0].keys() == make_point().keys()


@pytest.mark.parametrize("version", ["2.1", "2.17"])
def test_minor_versions_may_add_keys(doc, version):
    doc |= {"schema_version": version, "news": 1}
    doc["results"][0]["colour"] = "red"
    assert check_document(doc)["results"][0]["colour"] == "red"


@pytest.mark.parametrize("version", ["1.0", "1.9", "0.9", "12.0", 1, None])
def test_other_major_versions_are_refused(doc, version):
    with pytest.raises(ReportError, match=re.escape(repr(version))):
        check_document(doc | {"schema_version": version})


WRONG = [
    (
        ("results", 0, "verdict"),
        "great",
        r"results\[0\]\.verdict must be one of .*not 'great' \(in shoe a0=15 wear_power\)",
    ),
    (("results", 1, "layer"), "truth", r"results\[1\]\.layer must be one of"),
    (("results", 0, "terms"), {"sampling": "much"}, r"results\[0\]\.terms\.sampling must be number"),
    (("results", 0, "levels"), [1], r"results\[0\]\.levels\[0\] must be object"),
    (("results", 0, "counters"), {"steps": None}, r"results\[0\]\.counters\.steps must be number"),
    (("results", 0, "margin"), "5", r"results\[0\]\.margin must be number or null, not '5'"),
    (("results", 0, "settings"), [], r"results\[0\]\.settings must be object"),
    (("results", 0, "case"), None, r"results\[0\]\.case must be string"),
    (("results",), {}, "results must be array"),
    (("environment", "packages", "numpy"), 2, r"environment\.packages\.numpy must be string"),
    (("cases", 0, "published", 0, "verdict"), "wrong", r"must be one of .* \(in shoe\)"),
    (("cases", 0, "references", 0, "value"), 1.5, "must be string or null"),
    (("figures", 0, "panels"), [], r"panels must contain at least 1 items \(in shoe velocity\)"),
    (("figures", 0, "panels", 0, "series", 0, "role"), "star", "role must be one of"),
    (
        ("work_precision", 0, "error"),
        "tiny",
        r"work_precision\[0\]\.error must be number or null.* \(in shoe a0=15 wear",
    ),
    (("work_precision", 0, "counters", "steps"), "many", "counters.steps must be number"),
    (("messages",), [1], r"messages\[0\] must be string"),
]


@pytest.mark.parametrize(("place", "value", "message"), WRONG)
def test_wrong_types_are_named(doc, place, value, message):
    node = doc
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    with pytest.raises(ReportError, match=message) as caught:
        check_document(doc, "a.json")
    assert str(caught.value).startswith("a.json: ")
    assert str(caught.value).endswith("; see docs/result-schema.md")
    assert "\n" not in str(caught.value)


def test_missing_keys_are_named(doc):
    del doc["results"][0]["quantity"]
    with pytest.raises(ReportError, match="quantity"):
        check_document(doc)


def test_series_need_as_many_ordinates_as_abscissae(doc):
    doc["figures"][0]["panels"][0]["series"][0]["y"].pop()
    with pytest.raises(ReportError, match=r"velocity of shoe.*'reference'"):
        check_document(doc)


@pytest.mark.parametrize("part", ["results", "work_precision"])
def test_run_numbers_must_exist(doc, part):
    doc[part][0]["run"] = 2
    with pytest.raises(ReportError, match=rf"{part}\[0\]\.run"):
        check_document(doc)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_must_be_finite(doc, bad):
    doc["results"][3]["value"] = bad
    with pytest.raises(ReportError, match=r"results\[3\]\.value"):
        check_document(doc)


def test_foreign_objects_are_refused(doc):
    doc["results"][3]["value"] = {1}
    with pytest.raises(ReportError, match="set"):
        check_document(doc)


TEXTS = [
    ("", "is empty"),
    ("hello", "not JSON at line 1, column 1"),
    ('{"schema_version": "2.0", "resu', "ends too early, at line 1"),
    ('{"schema_version": "2.0",\n "results": [', "ends too early, at line 2"),
    ('{"a" 1}', "not JSON at line 1, column 6"),
    ('{"a": NaN}', "NaN is not JSON; numbers must be finite"),
    ('{"a": 1e999}', "1e999 exceeds the range of floats"),
    ("[" * 100_000, "is nested too deeply"),
    ("[]", "has no schema_version"),
    ("{}", "has no schema_version"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=range(len(TEXTS)))
def test_bad_files_are_named_in_one_line(save, text, message):
    path = save(text)
    with pytest.raises(ReportError, match=message) as caught:
        read_results(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(ReportError, match=r"none\.json"):
        read_results(tmp_path / "none.json")


def test_folder_instead_of_file(tmp_path):
    with pytest.raises(ReportError):
        read_results(tmp_path)


def test_path_through_a_file(save):
    with pytest.raises(ReportError):
        read_results(save("{}") / "below.json")


def test_binary_file(tmp_path):
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReportError, match="byte 0"):
        read_results(tmp_path / "x.json")


def test_no_file():
    with pytest.raises(ReportError):
        read_results([])


def test_merging_concatenates_and_numbers_the_runs(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"}, messages=["second"])
    merged = read_results([save(doc, "a.json"), save(other, "b.json")])
    assert len(merged["results"]) == 2 * len(doc["results"])
    assert [case["case"] for case in merged["cases"]] == [case["case"] for case in doc["cases"]]
    assert len(merged["figures"]) == 4
    assert merged["messages"] == [*doc["messages"], "second"]
    assert [place["machine"] for place in environments(merged)] == ["x86_64", "arm64"]
    assert {record["run"] for record in merged["results"]} == {1, 2}


def test_merging_keeps_the_levels_of_runs_apart(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"})
    merged = read_results([save(doc, "a.json"), save(other, "b.json")])
    count = len(doc["work_precision"])
    assert [point["run"] for point in merged["work_precision"]] == [1] * count + [2] * count


def test_merging_adds_references_of_further_variants(doc, make_document, save):
    other = make_document()
    other["cases"][0]["references"][0]["variant"] = "a0=99"
    merged = read_results([save(doc, "a.json"), save(other, "b.json")])
    assert [item["variant"] for item in merged["cases"][0]["references"]] == ["a0=15", "a0=1", "a0=99"]


def test_a_merged_document_can_be_merged_again(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"}, messages=[])
    both = read_results([save(doc, "a.json"), save(other, "b.json")])
    third = make_document(environment=doc["environment"] | {"machine": "riscv"}, messages=[])
    merged = read_results([save(third, "c.json"), save(both, "both.json")])
    assert [place["machine"] for place in environments(merged)] == ["riscv", "x86_64", "arm64"]
    assert [record["run"] for record in merged["results"][:: len(doc["results"])]] == [1, 2, 3]


def test_a_file_named_twice_is_noticed(doc, save):
    path = save(doc)
    merged = read_results([path, path])
    assert merged["messages"][-1].startswith(f"{len(doc['results'])} results occur more than once")
    assert len(merged["results"]) == len(doc["results"])


def test_what_is_missing_is_said(make_document, make_result):
    whole = check_document(make_document(planned=13))
    assert gaps(whole) == []
    assert gaps(check_document(make_document())) == []
    short = check_document(make_document(planned=12, results=[make_result()], cases=whole["cases"][:2]))
    assert gaps(short) == [
        "11 of 12 checks are missing: the run ended early",
        "spring is described, but no check of it was recorded",
    ]


def test_what_is_missing_of_several_runs_adds_up(doc, make_document, save):
    other = make_document(planned=15, environment=doc["environment"] | {"machine": "arm64"})
    files = [save(other, "a.json"), save(doc, "b.json")]
    assert gaps(read_results(files)) == ["2 of 28 checks are missing: the run ended early"]


def test_files_of_mixed_minor_versions_have_the_later_one(make_document, save):
    files = [save(make_document(schema_version=f"2.{minor}"), f"{minor}.json") for minor in (0, 10, 9)]
    assert read_results(files)["schema_version"] == "2.10"


def test_runs_of_different_versions_are_noticed(doc, make_document, save):
    later = make_document(environment=doc["environment"] | {"veridyn": "0.2.0"})
    merged = read_results([save(doc, "a.json"), save(later, "b.json")])
    assert "these runs were made by different versions of veridyn: 0.1.0, 0.2.0" in merged["messages"]


def _schema():
    return json.loads(files("veridyn.reports").joinpath("schema", "results-2.json").read_text(encoding="utf-8"))


def _properties(node):
    """All (name, description) of properties anywhere in the schema."""
    if isinstance(node, dict):
        for name, item in node.get("properties", {}).items():
            yield name, item
        for item in node.values():
            yield from _properties(item)


def test_every_property_is_described_and_documented():
    page = Path(__file__).parents[2].joinpath("docs", "result-schema.md").read_text(encoding="utf-8")
    words = set(re.findall(r"`(\w+)`", page))
    for name, item in _properties(_schema()):
        assert "description" in item, name
        assert name in words, name


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"error": 5.0}, "has error 5.0, but value and reference differ by 1.96"),
        ({"value": 16.0}, "value and reference differ by 0.048"),
        ({"tolerance": 1e-6}, "has verdict 'pass' with error 1.96e-05 and tolerance 1e-06"),
        ({"verdict": "fail"}, "has verdict 'fail'"),
        ({"verdict": "expected failure"}, "has verdict 'expected failure'"),
        ({"case": "unknown"}, "has results of 'unknown', which it does not describe"),
    ],
)
def test_verdicts_are_not_taken_on_trust(change, said, make_document, make_result, save):
    path = save(make_document(results=[make_result(), make_result(quantity="other") | change]))
    with pytest.raises(ReportError, match=re.escape(said)):
        read_results(path)


def test_a_check_counts_once(make_document, make_result, save):
    with pytest.raises(ReportError):
        read_results(save(make_document(results=[make_result(), make_result(detail="again")])))
