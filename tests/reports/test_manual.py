"""The verification manual: content, order, both renderings."""

import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridyn.reports.manual import html as render
from veridyn.reports.manual import make_manual, write
from veridyn.reports.manual_blocks import ManualTable, banded, breakable, formula, numbered
from veridyn.reports.manual_blocks import table as make_table
from veridyn.results import ErrorKind, ReportError, convert, select_cases
from veridyn.results.quality import (
    AdmissibleError,
    DeviationAssessment,
    DocumentRevision,
    QualityRecord,
    UserRequirement,
)

typst = pytest.importorskip("typst")


@pytest.fixture(scope="module")
def manual(make_document):
    return make_manual(convert(make_document()), "0123abc")


@pytest.fixture(scope="module")
def html(manual):
    return render(manual)


def sections(chapter):
    return {section.title: section.blocks for section in chapter.sections}


def tables(blocks):
    return [block for block in blocks if isinstance(block, ManualTable)]


def test_a_chapter_has_the_form_of_a_validation_sheet(manual):
    shoe = next(chapter for chapter in manual.chapters if "SHOE" in chapter.title)
    assert list(sections(shoe)) == [
        "Reference problem",
        "Reference solution",
        "Modelling",
        "Results",
        "Figures",
        "Published values",
        "Remarks",
    ]


def titled(manual, title):
    """Return the sections of a chapter."""
    return sections(next(chapter for chapter in manual.chapters if chapter.title == title))


def test_the_chapters_are_those_of_a_quality_file(manual):
    titles = [chapter.title for chapter in manual.chapters]
    assert titles[:4] == ["Scope and result", "Acceptance criteria", "Requirements and checks", "Deviations"]
    assert titles[-3:] == ["Errata in published documents", "Annexes", "Approval"]
    assert manual.title.startswith("Verification manual of veridyn, foreign")


def test_number_revision_and_intended_use_are_stated(make_plain):
    history = (
        DocumentRevision("A", "2026-01-01", "N. N.", "First."),
        DocumentRevision("B", "2026-02-01", "N. N.", "More."),
    )
    quality = QualityRecord(number="QD-17", intended_use="Impact of fuel rods.", revisions=history)
    made = make_manual(convert(make_plain()), "0123abc", quality)
    assert {("Document", "QD-17"), ("Revision", "B")} <= set(made.about.pairs)
    assert made.mark == "QD-17, revision B"
    assert [row[0] for row in made.history[0].rows] == ["A", "B"]
    assert titled(made, "Scope and result")["Scope and intended use"][1].text == "Impact of fuel rods."


def test_without_an_intended_use_the_manual_asks_for_it(manual):
    assert "--quality" in titled(manual, "Scope and result")["Scope and intended use"][1].text


def test_verification_is_kept_apart_from_validation(manual):
    (said,) = titled(manual, "Scope and result")["Verification and validation"]
    assert "makes no statement" in said.text


def test_each_case_stands_against_the_checks_that_verify_it(manual):
    (table,) = titled(manual, "Requirements and checks")["Matrix"]
    assert table.head[2:7] == ("Convergence", "Claims", "Invariance", "Criterion", "Baseline")
    shoe, spring = (next(row for row in table.rows if row[0] == name) for name in ("shoe", "spring"))
    assert shoe[2:7] == ("1/1", "1/1", "–", "4/4", "1/1")
    assert spring[2:7] == ("0/1", "–", "–", "0/2", "–")
    assert (shoe[-1], spring[-1]) == ("pass", "error")


def test_signatures_stand_with_statement_and_digest_on_a_page_of_their_own(manual):
    (signed,) = titled(manual, "Approval")["Statement"]
    assert "SHA-256 0123abc" in signed.statement[-1]
    assert signed.statement[0] == titled(manual, "Scope and result")["Conclusion"][0].text
    assert [names[0] for names in signed.lines] == ["Prepared by", "Reviewed by", "Approved by"]


def test_the_bibliography_names_the_documents(manual):
    sources, quoted = tables(titled(manual, "Annexes")["Bibliography"])
    assert ("shoe", "Author: A title. A journal 1 (2001) 1. https://example.org/title") in sources.rows
    assert ("shoe", "manual") in quoted.rows
    assert '<a href="https://example.org/title" rel="noopener">' in render(manual)


def test_every_quantity_has_a_line_with_all_its_numbers(manual):
    shoe = next(chapter for chapter in manual.chapters if "SHOE" in chapter.title)
    values = tables(sections(shoe)["Results"])[1]
    named = {row[0].partition(" ")[0]: row for row in values.rows if len(row) > 1}
    assert {"slip_start[1]", "wear_power"} <= set(named)
    assert tuple(named["slip_start[1]"][3:6]) == ("2.0e-5\u00a0rel", "2.7e-5", "1.4")
    assert named["wear_power"][-2] == "0.030"


def test_checks_of_other_layers_that_hardly_pass_are_listed_with_their_numbers(manual):
    shoe = next(chapter for chapter in manual.chapters if "SHOE" in chapter.title)
    table = tables(sections(shoe)["Results"])[2]
    assert [row[1] for row in table.rows if len(row) > 1] == ["mirrored [W] (invariance)"]


def test_requirements_are_traced_to_checks_and_back(make_plain):
    admissible = AdmissibleError(1e-9, ErrorKind.RELATIVE, "rel=1e-9")
    requirements = (
        UserRequirement("R-1", "Power.", ("shoe",), ("wear_power",)),
        UserRequirement("R-2", "Power, sharply.", ("shoe",), ("wear_power",), admissible),
        UserRequirement("R-3", "Brakes.", ("brake",)),
    )
    made = make_manual(convert(make_plain()), "", QualityRecord(requirements=requirements))
    chapter = titled(made, "Requirements and checks")
    (forward,) = tables(chapter["Requirements of the user"])
    assert [(row[0], row[-1]) for row in forward.rows] == [("R-1", "pass"), ("R-2", "fail"), ("R-3", "no check")]
    assert [row[0] for row in tables(chapter["Values beyond the tolerance of a requirement"])[0].rows] == ["R-2"] * 2
    assert list(chapter["Requirements without a check"][0].items) == ["R-3: Brakes."]
    said, backward = chapter["Checks and the requirements that they verify"]
    assert {row[-1] for row in backward.rows} == {"R-1 R-2", "none"}
    assert "verify no requirement" in said.text
    conclusion = titled(made, "Scope and result")["Conclusion"][0].text
    assert "1 of 3 requirements are met; not met: R-2; without a check: R-3." in conclusion
    assert made.headline.endswith("; requirements not met: R-2, R-3")


def test_deviations_stand_with_what_the_user_says_of_them(make_plain):
    quality = QualityRecord(
        assessments=(DeviationAssessment("spring/*", "Never used."), DeviationAssessment("x/*", "?"))
    )
    chapter = titled(make_manual(convert(make_plain()), "", quality), "Deviations")
    (table,) = tables(chapter["Checks that did not pass"])
    said = {(row[0], row[-2]) for row in table.rows}
    assert ("spring", "Never used.") in said
    assert ("shoe", "not assessed") in said
    assert list(chapter["Assessments that no deviation needs"][0].items) == ["x/*"]


def test_errata_have_a_chapter_with_their_explanation(manual):
    shoe = titled(manual, "Errata in published documents")["shoe"]
    assert [one.caption for one in tables(shoe)] == ["Misprint: 1 value", "Inaccurate: 1 value"]
    assert shoe[0].text == "Because misprint."


def test_what_did_not_pass_can_be_recomputed(make_document, make_converged):
    failed = make_converged() | {"verdict": "fail"}
    document = convert(make_document(results=[make_converged(), failed], figures=[]))
    shoe = next(chapter for chapter in make_manual(document).chapters if "SHOE" in chapter.title)
    (item,) = sections(shoe)["Results"][-1].items
    assert item.startswith("a0=15 wear_power (convergence): tolerance = 0.03 numerical uncertainty + 0 sampling")
    assert item.endswith("step 1e-4: answer 15.27, difference 0.010, error 0.0030, observed order 2.1")


def test_statements_that_are_wrong_are_among_the_errata(make_plain):
    document = make_plain()
    document["cases"][0]["errata"] = ["Equation 3 lacks a factor."]
    errata = titled(make_manual(convert(document)), "Errata in published documents")
    assert list(errata["shoe"][0].items) == ["Equation 3 lacks a factor."]


def test_an_incomplete_run_is_said_on_the_first_page(make_plain):
    made = make_manual(convert(make_plain(planned=999)))
    assert made.headline.startswith("Incomplete: ")
    assert "of 999 checks are missing" in made.gaps[0]


def test_a_part_of_the_cases(doc):
    part = select_cases(convert(doc), ["spring"])
    assert {entry.case for entries in (part.cases, part.results, part.figures) for entry in entries} == {"spring"}
    assert part.planned == len(part.results)
    assert {entry.case for entry in part.plan} == {"spring"}
    with pytest.raises(ReportError, match=r"no results of brake in the file; it has .*shoe"):
        select_cases(convert(doc), ["brake"])


def test_sections_without_content_have_no_number(manual):
    bare = numbered([manual.chapters[0]])[0]
    assert [section.number for section in bare.sections] == [f"1.{n + 1}" for n in range(len(bare.sections))]


def test_columns_without_content_are_left_out():
    columns = (("a", "A", "s"), ("b", "B", "n"), ("c", "C", "t"))
    (made,) = make_table("caption", columns, [SimpleNamespace(a="", b=None, c=1), SimpleNamespace(a="", b=2, c=3)])
    assert (made.head, made.columns, made.rows) == (["B", "C"], "nt", [["–", "1"], ["2", "3"]])
    assert make_table("caption", columns, []) == []


def test_rows_that_share_the_first_column_stand_below_a_band():
    made = banded(
        ManualTable("", ("Source", "x"), "tn", [("a", "1"), ("b", "2"), ("a", "3")], ["pass", "fail", "pass"])
    )
    assert made.rows == [("a",), ("1",), ("3",), ("b",), ("2",)]
    assert made.tones == ["", "pass", "pass", "", "fail"]


class Balance(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.identifiers = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.identifiers += [value for name, value in attrs if name == "id"]
        if tag not in {"meta", "br", "wbr"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_balanced_runs_nothing_and_fetches_nothing(html):
    page = Balance(html)
    assert page.open == []
    assert not page.tags & {"script", "link", "img", "iframe"}
    assert len(page.identifiers) == len(set(page.identifiers))
    assert 'content="default-src &#39;none&#39;; ' in html


def test_every_entry_of_the_contents_leads_somewhere(html):
    identifiers = Balance(html).identifiers
    targets = re.findall(r'href="#(s-[\d-]+[.\d]*)"', html)
    assert len(targets) > 20
    assert set(targets) <= set(identifiers)


def test_the_same_document_gives_the_same_bytes(doc, tmp_path):
    first, second = (write(convert(doc), tmp_path / name) for name in "ab")
    assert [file.name for file in first] == ["manual.html", "results.json", "results.csv", "manual.pdf"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    assert first[-1].read_bytes().startswith(b"%PDF-")


ATTACKS = [
    "#panic()",
    '#image("x.png")',
    "$x$ *b* _i_ `r` @ref <label> = no heading",
    "\\ \" ' {}",
    "\x00\ud800\u202e",
    "x" * 390,
]


@pytest.mark.parametrize("words", ATTACKS)
def test_hostile_text_reaches_neither_rendering_as_markup(make_plain, make_result, make_figure, tmp_path, words):
    document = make_plain(
        results=[make_result(case=words, variant=words, solver=words, quantity=words, unit=words, reason=words)],
        figures=[make_figure(case=words, title=words, caption=words)],
        messages=[words],
    )
    document["environment"] |= {"date": words, "veridyn": words, words: words}
    document["cases"][0] |= {
        "case": words,
        "title": words,
        "equations": [words],
        "statement": [words],
        "errata": [words],
    }
    document["cases"][0]["parameters"] = [dict.fromkeys(("name", "unit", "default", "help"), words)]
    written = {file.suffix: file for file in write(convert(document), tmp_path)}
    assert Balance(written[".html"].read_text(encoding="utf-8")).open == []
    assert written[".pdf"].stat().st_size > 10_000


def test_without_typst_the_message_says_what_to_install(make_plain, tmp_path, without):
    without("typst")
    doc = make_plain()
    with pytest.raises(ReportError, match=r'pip install "veridyn\[manual\]"'):
        write(convert(doc), tmp_path)
    assert [file.name for file in write(convert(doc), tmp_path, pdf=False)] == [
        "manual.html",
        "results.json",
        "results.csv",
    ]


def test_what_the_typesetter_refuses_is_said(make_plain, tmp_path, monkeypatch):
    monkeypatch.setattr("veridyn.reports.manual_blocks.resource", lambda _: "#panic()")
    with pytest.raises(ReportError, match=r"typst could not set the manual .*--no-pdf"):
        write(convert(make_plain()), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_formula_becomes_a_tree():
    tree = formula("omega_c = sqrt(k/m)")
    tags = []

    def walk(node):
        tags.append((node["tag"], node["text"]))
        for part in node["parts"]:
            walk(part)

    walk(tree)
    assert [found for found in tags if found[0] != "mrow"] == [
        ("math", ""),
        ("msub", ""),
        ("mi", "ω"),
        ("mi", "c"),
        ("mo", "="),
        ("msqrt", ""),
        ("mfrac", ""),
        ("mi", "k"),
        ("mi", "m"),
    ]


@given(st.text(alphabet="ab12 ()[]{}|/^_'*+-=<>&\"\x00∫Σ²sqrt#$\\", max_size=25))
def test_any_formula_has_elements_that_the_typesetter_knows(text):
    known = {"math", "mrow", "mi", "mn", "mo", "mspace", "mfrac", "msqrt", "msup", "msub", "msubsup"}
    known |= {"mover", "munder", "munderover"}

    def tags(node):
        return {node["tag"]}.union(*map(tags, node["parts"]))

    assert tags(formula(text)) <= known


ODD = [
    "x''/a² + |b|",
    "a^b^c",
    "x_n^2",
    "Σ_{n=1}^N ∫_0 Σ^∞",
    "x_1'''",
    "(",
    "",
    "max(a, [b)",
    "'",
    "_x",
    "a/",
    "K^{-1}",
    "\U0001f600²",
    "e\u0301^2",
]


def test_odd_formulas_are_typeset(make_plain, tmp_path):
    document = make_plain(results=[])
    document["cases"] = [document["cases"][0] | {"equations": ODD}]
    assert write(convert(document), tmp_path)[-1].stat().st_size > 10_000


def test_long_words_can_break_and_keep_their_letters():
    assert breakable("relative_NO2@0.1 short_1") == "relative_\u200bNO2@\u200b0.1 short_1"
    assert breakable("1" * 30) == "1" * 30
    assert breakable("1" * 100).replace("\u200b", "") == "1" * 100
