import math
import re
from pathlib import Path

import fastjsonschema
import pytest
from msgspec import structs

from veridyn.results import (
    VERSION,
    LevelRow,
    MessageKind,
    ReportError,
    convert,
    convert_record,
    find_gaps,
    read,
    unstructure,
    unstructure_row,
)
from veridyn.results.schema import make_schema


def test_a_document_is_accepted_and_not_changed(doc, make_document):
    convert(doc)
    assert doc == make_document()


def test_reading_gives_back_what_was_written(doc, save):
    again = unstructure(read(save(doc)))
    assert again["results"] == doc["results"]
    assert again["environment"] == doc["environment"]


def test_defaults_are_filled_in(make_result):
    needed = ("case", "variant", "solver", "scheme", "layer", "quantity", "verdict")
    record = {key: make_result()[key] for key in needed}
    environment = dict.fromkeys(("veridyn", "python", "platform", "machine", "date", "command"), "")
    checked = convert({"schema_version": "2.0", "environment": environment, "results": [record]})
    assert checked.cases == checked.figures == checked.messages == checked.work_precision == ()
    assert unstructure(checked)["results"][0].keys() == make_result().keys()


def test_defaults_of_a_point_are_filled_in(doc, make_point):
    doc["work_precision"] = [{key: make_point()[key] for key in ("case", "variant", "solver", "scheme")}]
    assert unstructure(convert(doc))["work_precision"][0].keys() == make_point().keys()


@pytest.mark.parametrize(("version", "written"), [("2.1", VERSION), ("2.17", "2.17")])
def test_minor_versions_may_add_keys(doc, version, written):
    doc |= {"schema_version": version, "news": 1}
    doc["results"][0]["colour"] = "red"
    checked = convert(doc)
    assert len(checked.results) == len(doc["results"])
    assert checked.schema_version == written


@pytest.mark.parametrize("version", ["1.0", "1.9", "0.9", "12.0", 1, None])
def test_other_major_versions_are_refused(doc, version):
    with pytest.raises(ReportError, match=re.escape(repr(version))):
        convert(doc | {"schema_version": version})


WRONG = [
    (
        ("results", 0, "verdict"),
        "great",
        r"results\[0\]\.verdict: invalid enum value 'great' \(in shoe a0=15 wear_power\)",
    ),
    (("results", 1, "layer"), "truth", r"results\[1\]\.layer: invalid enum value 'truth'"),
    (
        ("results", 0, "terms"),
        {"sampling": "much"},
        r"results\[0\]\.terms\[\.\.\.\]: expected `int \| float`, got",
    ),
    (("results", 0, "levels"), [1], r"results\[0\]\.levels\[0\]: expected `object`"),
    (
        ("results", 0, "counters"),
        {"steps": None},
        r"results\[0\]\.counters\[\.\.\.\]: expected `int \| float`",
    ),
    (("results", 0, "margin"), "5", r"results\[0\]\.margin: expected `int \| float \| null`, got `str`"),
    (("results", 0, "settings"), [], r"results\[0\]\.settings: expected `object`"),
    (("results", 0, "case"), None, r"results\[0\]\.case: expected `str`"),
    (("results",), {}, "results: expected `array`"),
    (("environment", "packages", "numpy"), 2, r"environment\.packages\[\.\.\.\]: expected `str`"),
    (
        ("cases", 0, "published", 0, "verdict"),
        "wrong",
        r"published\[0\]\.verdict: .* 'wrong' \(in shoe\)",
    ),
    (("cases", 0, "references", 0, "value"), 1.5, r"references\[0\]\.value: expected `str \| null`"),
    (("figures", 0, "panels"), [], r"panels: expected `array` of length >= 1 \(in shoe velocity\)"),
    (("figures", 0, "panels", 0, "series", 0, "role"), "star", "role: invalid enum value"),
    (
        ("work_precision", 0, "error"),
        "tiny",
        r"work_precision\[0\]\.error: expected `int \| float \| null`.* \(in shoe a0=15 wear",
    ),
    (("work_precision", 0, "counters", "steps"), "many", r"counters\[\.\.\.\]: expected `int \| float`"),
    (("messages",), [1], r"messages\[0\]: expected `object`"),
]


@pytest.mark.parametrize(("place", "value", "message"), WRONG)
def test_wrong_types_are_named(doc, place, value, message):
    node = doc
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    with pytest.raises(ReportError, match=message) as caught:
        convert(doc, "a.json")
    assert str(caught.value).startswith("a.json: ")
    assert str(caught.value).endswith("; see docs/result-schema.md")
    assert "\n" not in str(caught.value)


def test_missing_keys_are_named(doc):
    del doc["results"][0]["quantity"]
    with pytest.raises(ReportError, match="quantity"):
        convert(doc)


def test_series_need_as_many_ordinates_as_abscissae(doc):
    doc["figures"][0]["panels"][0]["series"][0]["y"].pop()
    with pytest.raises(ReportError, match=r"velocity of shoe.*'reference'"):
        convert(doc)


@pytest.mark.parametrize("part", ["results", "work_precision"])
def test_run_numbers_must_exist(doc, part):
    doc[part][0]["run"] = 2
    with pytest.raises(ReportError, match=rf"{part}\[0\]\.run"):
        convert(doc)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numbers_must_be_finite(doc, bad):
    doc["results"][3]["value"] = bad
    with pytest.raises(ReportError, match=r"results\[3\]\.value"):
        convert(doc)


def test_foreign_objects_are_refused(doc):
    doc["results"][3]["value"] = {1}
    with pytest.raises(ReportError, match="set"):
        convert(doc)


TEXTS = [
    ("", "is empty"),
    ("hello", "not JSON at line 1, column 1"),
    ('{"schema_version": "2.0", "resu', "ends too early, at line 1"),
    ('{"schema_version": "2.0",\n "results": [', "ends too early, at line 2"),
    ('{"a" 1}', "not JSON at line 1, column 6"),
    ('{"a": NaN}', "a is not finite"),
    ('{"a": 1e999}', "a is not finite, or beyond the range of floats"),
    ("[" * 100_000, "is nested too deeply"),
    ("[]", "has no schema_version"),
    ("{}", "has no schema_version"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=range(len(TEXTS)))
def test_bad_files_are_named_in_one_line(save, text, message):
    path = save(text)
    with pytest.raises(ReportError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(ReportError, match=r"none\.json"):
        read(tmp_path / "none.json")


def test_folder_instead_of_file(tmp_path):
    with pytest.raises(ReportError):
        read(tmp_path)


def test_path_through_a_file(save):
    with pytest.raises(ReportError):
        read(save("{}") / "below.json")


def test_binary_file(tmp_path):
    (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReportError, match="byte 0"):
        read(tmp_path / "x.json")


def test_no_file():
    with pytest.raises(ReportError):
        read([])


def test_merging_concatenates_and_numbers_the_runs(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"}, messages=["second"])
    merged = read([save(doc, "a.json"), save(other, "b.json")])
    assert len(merged.results) == 2 * len(doc["results"])
    assert [sheet.case for sheet in merged.cases] == [case["case"] for case in doc["cases"]]
    assert len(merged.figures) == 4
    assert [message.text for message in merged.messages] == [*doc["messages"], "second"]
    assert [run.machine for run in merged.runs] == ["x86_64", "arm64"]
    assert {record.run for record in merged.results} == {1, 2}


def test_merging_keeps_the_levels_of_runs_apart(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"})
    merged = read([save(doc, "a.json"), save(other, "b.json")])
    count = len(doc["work_precision"])
    assert [point.run for point in merged.work_precision] == [1] * count + [2] * count


def test_merging_adds_references_of_further_variants(doc, make_document, save):
    other = make_document()
    other["cases"][0]["references"][0]["variant"] = "a0=99"
    merged = read([save(doc, "a.json"), save(other, "b.json")])
    assert [item.variant for item in merged.cases[0].references] == ["a0=15", "a0=1", "a0=99"]


def test_a_merged_document_can_be_merged_again(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"}, messages=[])
    both = read([save(doc, "a.json"), save(other, "b.json")])
    third = make_document(environment=doc["environment"] | {"machine": "riscv"}, messages=[])
    merged = read([save(third, "c.json"), save(both, "both.json")])
    assert [run.machine for run in merged.runs] == ["riscv", "x86_64", "arm64"]
    assert [record.run for record in merged.results[:: len(doc["results"])]] == [1, 2, 3]


def test_a_file_named_twice_is_noticed(doc, save):
    path = save(doc)
    merged = read([path, path])
    assert merged.messages[-1].text.startswith(f"{len(doc['results'])} results occur more than once")
    assert len(merged.results) == len(doc["results"])


def test_what_is_missing_is_said(make_document, make_result):
    whole = make_document(planned=13)
    assert find_gaps(convert(whole)) == []
    assert find_gaps(convert(make_document())) == []
    short = convert(make_document(planned=12, results=[make_result()], cases=whole["cases"][:2]))
    assert find_gaps(short) == [
        "11 of 12 checks are missing: the run ended early",
        "spring is described, but no check of it was recorded",
    ]


def test_what_is_missing_of_several_runs_adds_up(doc, make_document, save):
    other = make_document(environment=doc["environment"] | {"machine": "arm64"}, ended="interrupted")
    other["results"] = other["results"][2:]
    files = [save(other, "a.json"), save(doc, "b.json")]
    assert find_gaps(read(files)) == ["2 of 26 checks are missing: interrupted"]


def test_files_of_mixed_minor_versions_have_the_later_one(make_document, save):
    files = [save(make_document(schema_version=f"2.{minor}"), f"{minor}.json") for minor in (0, 10, 9)]
    assert read(files).schema_version == "2.10"


def test_runs_of_different_versions_are_not_joined(doc, make_document, save):
    later = make_document(environment=doc["environment"] | {"veridyn": "0.2.0"})
    with pytest.raises(ReportError, match=r"different versions of veridyn \(0\.1\.0, 0\.2\.0\)"):
        read([save(doc, "a.json"), save(later, "b.json")])


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
    for name, item in _properties(make_schema()):
        assert "description" in item, name
        assert name in words, name


def test_a_check_counts_once(make_document, make_result, save):
    with pytest.raises(ReportError):
        read(save(make_document(results=[make_result(), make_result(detail="again")])))


def test_messages_of_files_before_version_2_3_are_notes(doc):
    (message,) = convert(doc).messages
    assert (message.kind, [message.text]) == (MessageKind.NOTE, doc["messages"])


def test_kinds_of_messages_are_kept(doc, save):
    written = [{"kind": kind, "text": kind.upper()} for kind in ("note", "hint", "gap", "untested")]
    assert unstructure(read(save(doc | {"messages": written})))["messages"] == written


def test_further_texts_of_an_environment_are_kept(doc):
    doc["environment"] |= {"commit": "abc", "cores": "4", "threads": 2}
    environment = convert(doc).environment
    assert environment.further == {"cores": "4", "commit": "abc"}
    assert list(environment.facts)[-2:] == ["cores", "commit"]


def test_integers_of_any_size_stay_as_they_are(make_document, make_result):
    record = make_result(layer="claim", value=10**40, settings={"penalty": 9000000, "step": 1e-4, "fixed": True})
    assert unstructure(convert(make_document(results=[record])))["results"] == [record]


@pytest.fixture(scope="module")
def accepts():
    """Tell whether the schema accepts a document."""
    validate = fastjsonschema.compile(make_schema(), use_default=False)

    def accept(content):
        try:
            validate(content)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return accept


def test_the_schema_accepts_what_is_written_and_what_was(doc, accepts):
    assert accepts(doc)
    assert accepts(unstructure(convert(doc)))
    assert not accepts({})


@pytest.mark.parametrize(("place", "value"), [(place, value) for place, value, _ in WRONG])
def test_the_schema_refuses_what_is_not_read(doc, accepts, place, value):
    node = doc
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    assert not accepts(doc)


def test_numbers_that_are_not_finite_become_null_on_writing(typed):
    levels = tuple(LevelRow(setting="step", size=size, error=error) for size, error in ((0.2, 1.0), (0.1, math.inf)))
    written = unstructure_row(structs.replace(typed.results[3], value=math.nan, levels=levels))
    assert written["value"] is None
    assert [level["error"] for level in written["levels"]] == [1.0, None]


@pytest.mark.parametrize("row", [{}, {"case": 1}, []])
def test_a_row_that_is_no_record_is_a_value_error(row):
    with pytest.raises(ValueError, match=r"Expected|missing"):
        convert_record(row)
