"""What other programs read: CSV, JUnit, badge, summary of a job."""

import csv
import io
import json
from xml.etree import ElementTree

import pytest

from veridyn import reports
from veridyn.reports import spreadsheet, writer
from veridyn.reports.tally import tally
from veridyn.results import Figure, Panel, ReportError, Role, Series, compute_checksum, convert, read, unstructure
from veridyn.results.causes import find_causes
from veridyn.results.writing import count_verdicts


def build(content, folder):
    return reports.build(convert(content), folder)


@pytest.fixture(scope="module")
def built(make_document, tmp_path_factory):
    folder = tmp_path_factory.mktemp("formats")
    build(make_document(), folder)
    return folder


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_has_a_row_per_check_and_all_digits(built, doc):
    table = rows((built / "results.csv").read_text(encoding="utf-8"))
    assert len(table) == len(doc["results"])
    assert float(table[0]["value"]) == 15.2668
    assert table[0]["reference"] == "15.2670995893716138593344827041"
    assert [row["verdict"] for row in table] == [record["verdict"] for record in doc["results"]]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("\t=1", "'\t=1"),
        ("\n=1", "'\n=1"),
        ("＝1+1", "'＝1+1"),
        ("-1.5e-3", "-1.5e-3"),
        ("+7", "+7"),
        ("-inf", "'-inf"),
        ("slip-slip", "slip-slip"),
    ],
)
def test_no_text_becomes_a_formula(text, written):
    assert spreadsheet.cell(text) == written


def test_every_text_of_a_table_is_guarded(make_record):
    names = (
        "case",
        "variant",
        "solver",
        "scheme",
        "quantity",
        "unit",
        "value",
        "reference",
        "reason",
        "detail",
    )
    (row,) = rows(spreadsheet.results([make_record(**dict.fromkeys(names, "=1+1"))]))
    assert {row[name] for name in names} == {"'=1+1"}


def test_series_over_the_same_abscissae_share_a_column(make_document):
    (header, first, *_) = csv.reader(io.StringIO(spreadsheet.curves(convert(make_document()).figures[0])))
    assert header == ["t [s]", *(f"{role}: v" for role in ("reference", "computed", "limit", "guide", "error"))]
    assert first == ["0.0", *["0.1"] * 5]


def test_names_of_series_are_guarded():
    curve = Series(label="=1", role=Role.GUIDE, x=(1,), y=(2,))
    figure = Figure(case="shoe", id="a", panels=(Panel(xlabel="=x", ylabel="v", series=(curve,)),))
    assert spreadsheet.curves(figure).startswith("'=x,'=1: v\r\n1,2")


def test_junit_has_a_case_per_check(built, doc):
    root = ElementTree.parse(built / "junit.xml").getroot()
    cases = list(root.iter("testcase"))
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == ("13", "3", "1", "2")
    assert len(cases) == len(doc["results"])
    assert (len(list(root.iter("failure"))), len(list(root.iter("error"))), len(list(root.iter("skipped")))) == (
        3,
        1,
        2,
    )
    assert (cases[0].get("classname"), cases[0].get("name")) == ("shoe.a0=15.euler", "wear_power (criterion)")
    assert float(cases[0].get("time")) == 0.012
    assert next(root.iter("error")).get("message") == "error: ZeroDivisionError: x"


def properties(case):
    return {one.get("name"): one.get("value") for one in case.iter("property")}


def test_junit_tells_what_a_server_may_plot(built):
    cases = {case.get("name"): case for case in ElementTree.parse(built / "junit.xml").getroot().iter("testcase")}
    stated = properties(cases["wear_power (convergence)"])
    assert float(stated.pop("margin")) == pytest.approx(0.75, rel=1e-4)
    assert float(stated.pop("digits")) == pytest.approx(2.58, abs=0.01)
    assert stated == {
        "term: numerical uncertainty": "0.03",
        "term: sampling": "0.0",
        "term: rounding": "1.5e-08",
        "levels": "step 4e-4: answer 15.34, error 0.073; step 2e-4: answer 15.32, difference 0.020, error 0.053, "
        "observed order 0.46; step 1e-4: answer 15.3071, difference 0.013, error 0.040, observed order 0.40",
    }
    assert properties(cases["order:wear_power (claim)"])["observed_order"] == "1.97"
    assert "observed_order" not in properties(cases["mirrored (invariance)"])


def test_a_harness_error_is_an_error_in_junit(make_plain, make_result, tmp_path):
    build(make_plain(results=[make_result(verdict="harness error", detail="IndexError")], cases=[]), tmp_path)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == ("0", "1")
    assert next(root.iter("error")).get("message") == "harness error: IndexError"


def test_the_table_has_what_a_verdict_can_be_recomputed_from(built):
    found = [row for row in rows((built / "results.csv").read_text(encoding="utf-8")) if row["layer"] == "convergence"]
    assert [sum(json.loads(row["terms"]).values()) for row in found] == [pytest.approx(0.03, rel=1e-6)] * 2
    assert [level["size"] for level in json.loads(found[0]["levels"])] == [4e-4, 2e-4, 1e-4]
    assert found[0]["id"] == "a0=15-wear_power-euler-4"


def test_counts_of_junit_suites_add_up(built):
    root = ElementTree.parse(built / "junit.xml").getroot()
    for name in ("tests", "failures", "errors", "skipped"):
        assert sum(int(suite.get(name)) for suite in root.iter("testsuite")) == int(root.get(name))


def test_junit_keeps_names_and_drops_what_xml_cannot_carry(make_plain, make_result, hostile, tmp_path):
    build(make_plain(results=[make_result(case=hostile, quantity="bell \x07 ]]>")], cases=[]), tmp_path)
    (case,) = ElementTree.parse(tmp_path / "junit.xml").getroot().iter("testcase")
    assert case.get("classname").startswith(hostile)
    assert case.get("name") == "bell ? ]]> (criterion)"


def test_what_is_missing_is_an_error_in_junit(make_plain, tmp_path):
    build(make_plain(planned=20), tmp_path)
    root = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (root.get("tests"), root.get("errors")) == ("14", "2")
    assert "7 of 20 checks are missing" in (tmp_path / "junit.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "missing", "words"),
    [
        ([{}], False, "1/1 checks"),
        ([{}, {"verdict": "fail"}], False, "1/2 checks"),
        ([{}, {"verdict": "error"}], False, "1/2 checks"),
        ([{}, {"verdict": "harness error"}], False, "1/2 checks"),
        ([{"verdict": "not applicable"}], False, "nothing judged"),
        ([], False, "nothing judged"),
        ([{}], True, "incomplete"),
    ],
)
def test_badge(make_record, changes, missing, words):
    total = tally([make_record(**change) for change in changes])
    drawn = writer.badge(total, missing=missing)
    root = ElementTree.fromstring(drawn)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("aria-label") == f"veridyn: {words}"
    assert (writer.COLOURS["pass"] in drawn) == (words == "1/1 checks")


def test_the_summary_of_a_job_says_the_trouble_first(built):
    text = (built / "summary.md").read_text(encoding="utf-8")
    assert text.startswith(
        "## ❌ 3 checks failed and 1 check ended in an error, of 11 judged: 3 criteria, 1 convergence; "
    )
    assert "| error | spring |  | criterion | wear_power | veridyn · rk |" in text
    assert "<script" not in text


def test_the_summary_of_a_good_run_is_short(make_plain, make_result, tmp_path):
    build(make_plain(results=[make_result()], cases=[]), tmp_path)
    text = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("## ✅ The only check passed: 1 criterion")
    assert "Failures" not in text


def test_results_json_has_a_record_a_line(built, doc):
    lines = (built / "results.json").read_text(encoding="utf-8").splitlines()
    records = [
        json.loads(line.rstrip(",")) for line in lines if line.startswith('{"case": "spring", "variant": "", "solver"')
    ]
    assert len(records) >= 3


def test_a_written_document_reads_back_the_same(built, make_document):
    written = json.loads((built / "results.json").read_text(encoding="utf-8"))
    assert written.pop("digest") == compute_checksum(written)
    assert written["counts"] == count_verdicts(convert(written).results)
    assert convert(written).causes == find_causes(convert(written))
    assert convert(written | {"counts": None, "causes": None}) == convert(make_document())
    assert unstructure(convert(written)) == written | {"digest": None}


def test_a_file_that_was_changed_is_refused(built, tmp_path):
    text = (built / "results.json").read_text(encoding="utf-8")
    changed = tmp_path / "results.json"
    changed.write_text(text.replace('"machine": "x86_64"', '"machine": "another"'), encoding="utf-8")
    with pytest.raises(ReportError, match="was changed after it was written"):
        read(changed)
