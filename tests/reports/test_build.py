import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from veridyn import outputs, reports
from veridyn.reports import markdown
from veridyn.results import VERSION, ReportError, convert, read, unstructure


def build(document, folder, *, single=False):
    """Build the report of a document, or of plain data as JSON has it."""
    return reports.build(convert(document) if isinstance(document, dict) else document, folder, single=single)


VOID = {"meta", "br", "wbr", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Collects what a page contains and checks that tags are closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def values(self, name):
        return [value for _, key, value in self.attributes if key == name]


@pytest.fixture(scope="module")
def built(make_document, tmp_path_factory):
    """A report in one file; its parts are those of the pages."""
    folder = tmp_path_factory.mktemp("built") / "report"
    build(make_document(), folder, single=True)
    return folder


@pytest.fixture(scope="module")
def files(make_document, tmp_path_factory):
    """The files of the same as pages, in a folder below one that is not there yet."""
    return build(make_document(), tmp_path_factory.mktemp("paged") / "deep" / "report")


@pytest.fixture(scope="module")
def paged(files):
    """The folder of these pages."""
    return next(path.parent for path in files if path.name == "results.json")


@pytest.fixture(scope="module")
def html(built):
    return (built / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def md(built):
    return (built / "summary.md").read_text(encoding="utf-8")


def test_files(files, paged):
    names = [path.relative_to(paged).as_posix() for path in files]
    assert set(names) > {
        *("index.html", "cases/case-shoe.html", "checks/case-shoe-by-veridyn-euler.html"),
        *("summary.md", "results.json", "results.csv", "junit.xml", "badge.svg"),
        *("figures/margins.svg", "figures/case-shoe-system.svg"),
        *("figures/work-precision-shoe-a0-15.svg", "figures/work-precision-shoe-a0-15.csv"),
        *("figures/figure-shoe-velocity.svg", "figures/figure-shoe-velocity.csv"),
    }
    assert len(names) == len(set(names))
    assert all(path.is_file() for path in files)


def test_the_written_results_are_the_document(doc, built):
    assert unstructure(read(built / "results.json"))["results"] == doc["results"]


def test_repetition_is_byte_identical(doc, built, tmp_path):
    for path in build(doc, tmp_path / "again", single=True):
        assert path.read_bytes() == (built / path.relative_to(tmp_path / "again")).read_bytes()


def test_html_is_well_formed_and_links_lead_somewhere(html):
    page = Page(html)
    assert page.open == []
    identifiers = page.values("id")
    assert len(identifiers) == len(set(identifiers))
    assert {value[1:] for value in page.values("href") if value.startswith("#")} <= set(identifiers)


def test_pages_link_to_each_other(paged):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in paged.rglob("*.html")}
    assert len(pages) == 1 + 3 + 5
    for path, page in pages.items():
        assert page.open == []
        for target in (value for value in page.values("href") if not value.startswith(("data:", "https:"))):
            file, _, anchor = target.partition("#")
            there = (path.parent / file).resolve() if file else path
            assert there in pages
            assert not anchor or anchor in pages[there].values("id")


def test_printed_pages_have_running_heads_that_end_no_style_sheet(paged):
    page = (paged / "cases" / "case-shoe.html").read_text(encoding="utf-8")
    assert '@top-left { content: "shoe"; }' in page
    assert 'counter(page) " of " counter(pages)' in page
    assert all(path.read_text(encoding="utf-8").count("</style>") == 1 for path in paged.rglob("*.html"))


def test_html_fetches_nothing(html):
    page = Page(html)
    assert not {"link", "iframe", "object", "img", "base", "form"} & set(page.tags)
    assert page.values("src") == []
    links = [value for name in ("href", "xlink:href") for value in page.values(name)]
    assert all(value.startswith(("#", "data:text/csv;", "https://example.org/title")) for value in links)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_html_tables_are_accessible(html):
    page = Page(html)
    assert page.tags.count("caption") == page.tags.count("table")
    assert sum(key == "scope" for tag, key, _ in page.attributes if tag == "th") == page.tags.count("th")


def test_html_says_the_trouble_first(html):
    places = [
        html.index(text)
        for text in ("3 checks failed and 1 check ended", 'id="where"', 'id="failures"', 'id="cases"', 'id="case-shoe"')
    ]
    assert "<title>3 checks failed" in html
    assert places == sorted(places)


def test_html_has_the_parts_of_a_case_in_order(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    parts = (
        "Problem",
        "Parameters",
        "Reference solution",
        "Modelling",
        "Results",
        "Work and precision",
        "Figures",
        "Published values",
        "Remarks",
        "Summary",
    )
    places = [sheet.index(f">{part}<") for part in parts]
    assert places == sorted(places)
    assert ">15.2670995893716138593344827041<" in sheet
    assert 'title="15.2670995893716138593344827041">15.2670995893…<' in sheet
    assert "3 published values, 2 errata" in sheet


def test_a_check_opens_to_the_parts_of_its_tolerance_and_its_levels(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    opened = re.search(r'<details class="basis"><summary>(.*?)</summary>(.*?)</details>', sheet, re.DOTALL)
    assert opened[1] == "3 parts of the tolerance, 3 levels of step"
    cells = re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", opened[2])
    assert cells == [
        *("Part", "Value", "Share"),
        *("numerical uncertainty", "0.03", "100 %", "sampling", "0", "0 %", "rounding", "1.5e-8", "5e-5 %"),
        *("step", "answer", "difference", "error", "observed order"),
        *("4e-4", "15.3", "–", "0.033", "–", "2e-4", "15.28", "0.020", "0.013", "1.4"),
        *("1e-4", "15.27", "0.010", "0.0029", "2.2"),
    ]


def test_an_invariance_check_opens_to_the_answers_before_and_after(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    opened = sheet[sheet.index("<summary>2 answers</summary>") :]
    table = opened[: opened.index("</details>")]
    assert "largest change first" in table
    assert re.findall(r'<td class="number right">([^<]*)</td>', table)[:4] == ["15.27", "15.28", "0.010", "0.0020"]


def test_checks_are_counted_by_what_they_compare_with(html, md):
    part = html[html.index('id="compared"') : html.index('id="uncovered"')]
    names = re.findall(r'<th scope="row"><strong>(.*?)</strong>', part)
    assert names == ["Convergence", "Claims", "Invariance", "Criterion", "Baseline"]
    line = part[part.index("<strong>Convergence<") : part.index("<strong>Claims<")]
    assert re.findall(r'data-h="(.*?)">(.*?)<', line) == [
        *(("Passed", "1"), ("Failed", "1"), ("Not judged", "0"), ("Worst margin", "0.74")),
    ]
    assert (
        "| Convergence | proved reference, within 3 times the change between the last refinement levels | 1 | 1 | 0 |"
        in md
    )


def test_the_weakest_points_and_what_is_not_covered_stand_on_the_first_page(html, md):
    part = html[html.index('id="weakest"') : html.index('id="failures"')]
    assert "<strong>margin 1.4</strong>" in part
    assert "slip_start[1]" in part
    uncovered = html[html.index('id="uncovered"') : html.index('id="where"')]
    assert "1 check of criterion not applicable, all: friction" in uncovered
    assert "| margin 1.4 | shoe | a0=15 | criterion |" in md


def test_markup_in_names_stays_text(html, md):
    assert html.count("<script") == 1
    assert html.index("<script") > html.index("</main>")
    assert "&lt;script&gt;" in html
    assert "{{ page }}" in html
    assert "<script" not in md


def test_only_our_own_script_may_run(html):
    script = html[html.index("<script>") + 8 : html.index("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in html.replace("&#39;", "'")


def test_the_page_names_the_results_that_it_was_made_from(html, built):
    assert hashlib.sha256((built / "results.json").read_bytes()).hexdigest() in html


def test_the_problem_is_drawn_and_its_equations_are_typeset(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in sheet[: sheet.index("Parameters")]
    assert "<mover><mi>x</mi><mo>¨</mo></mover>" in sheet


def test_data_of_figures_can_be_taken_from_the_page(html, built):
    link = next(value for value in Page(html).values("href") if value.startswith("data:"))
    name = Page(html).values("download")[0]
    head, _, content = link.partition(",")
    assert head.endswith(";base64")
    assert base64.b64decode(content) == (built / "figures" / name).read_bytes()


def test_errata_stand_together(html):
    errata = html[html.index('id="errata"') : html.index('id="environment"')]
    assert errata.count("because misprint") == 2
    assert "because reproduced" not in errata


def test_half_a_surrogate_pair_is_written_as_a_question_mark(make_plain, make_result, tmp_path):
    build(make_plain(results=[make_result(quantity="half \ud800 pair")]), tmp_path, single=True)
    assert "half ? pair" in (tmp_path / "index.html").read_text(encoding="utf-8")


def _cells(line):
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a | b", r"a \| b"),
        ("<b> & c", "&lt;b&gt; &amp; c"),
        ("wear_power _x_ __y", r"wear_power \_x\_ \_\_y"),
        ("# head", r"\# head"),
        ("- item", r"\- item"),
        ("-1.5", "-1.5"),
        ("1. item", "1&#8203;. item"),
        ("1.5", "1.5"),
        ("two\nlines", "two lines"),
        ("a\\b", r"a\\b"),
        ("$x$", r"\$x\$"),
        ("see https://a.b", "see https<!-- -->://a.b"),
        ("www.a.b or me@a.b", "www<!-- -->.a.b or me@<!-- -->a.b"),
        ("@me, #12, x@5", "@<!-- -->me, #<!-- -->12, x@5"),
        (7, "7"),
    ],
)
def test_markdown_escape(text, escaped):
    assert markdown.escape(text) == escaped


def test_all_passed(make_plain, make_result, tmp_path):
    build(make_plain(results=[make_result()], cases=[], messages=[]), tmp_path)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'class="banner pass"' in html
    assert 'id="failures"' not in html
    assert 'id="messages"' not in html
    assert "Failures" not in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_commands_in_messages_are_code(make_plain, make_result, tmp_path):
    build(make_plain(results=[make_result()], messages=["`veridyn run --solver <s>` takes them"]), tmp_path)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<li><code>veridyn run --solver &lt;s&gt;</code> takes them</li>" in html


def test_commands_in_what_is_not_covered_are_code(make_plain, make_result, tmp_path):
    gap = {"kind": "gap", "text": "nobody takes bungee: `--solver scipy` does"}
    build(make_plain(results=[make_result()], messages=[gap, "other"]), tmp_path)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert html.count("<code>--solver scipy</code>") == 1  # there, and not among the messages once more
    assert html.index('id="uncovered"') < html.index("<code>--solver scipy") < html.index('id="messages"')


def test_a_document_without_results(make_document, tmp_path):
    build(make_document(results=[], cases=[], figures=[], messages=[], work_precision=[]), tmp_path)
    assert "Nothing was checked" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Nothing was checked" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert not (tmp_path / "figures").exists()


def test_several_runs_are_told_apart(make_plain, save, tmp_path):
    one = make_plain()
    other = make_plain(environment=one["environment"] | {"machine": "arm64"})
    build(read([save(one, "a.json"), save(other, "b.json")]), tmp_path / "report")
    text = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "veridyn · euler · run 2" in text
    assert "arm64" in text


@pytest.fixture
def compared(make_document, make_result, hostile, tmp_path):
    """Build a report of two solvers, one of them with a hostile name."""
    limp = make_result(solver=hostile, scheme="", verdict="fail", digits=2.1, wall_time=3.0, error=8e-3)
    other = make_result(solver=hostile, scheme="", quantity="regime", verdict="pass", digits=None, wall_time=3.0)
    build(make_document(results=[make_result(), limp, other]), tmp_path, single=True)
    return (tmp_path / "index.html").read_text(encoding="utf-8")


def test_solvers_stand_side_by_side(compared):
    html = compared
    sheet = html[html.index(">Comparison<") : html.index(">Work and precision<")]
    assert Page(html).open == []
    assert '<td class="cell pass"' in sheet
    assert '<td class="cell fail" title="fail, relative error 0.0080, tolerance 1e-4">' in sheet
    assert sheet.count('<td class="cell" title="not asked"></td>') == 1
    assert '<td class="cell">12 ms</td><td class="cell">3 s</td>' in sheet
    assert '2.1 · 2.1<span class="unseen"> digits</span><br>3 s' in html
    assert html.count("<script") == 1


def test_one_subject_is_compared_with_nobody(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    assert ">Comparison<" not in sheet


def test_work_and_precision(html):
    sheet = html[html.index('id="case-shoe"') : html.index('id="case-spring"')]
    drawn = sheet[sheet.index(">Work and precision<") : sheet.index(">Figures<")]
    assert drawn.count("<svg") == 1
    assert "1 setting without an error cannot be shown. Machine: x86_64." in drawn
    assert "the minimum of 3 to 20 solves after the first call" in drawn
    assert "<strong>veridyn · euler</strong> 0.1.0; all with penalty = 9000000" in drawn
    assert '<th scope="row" class="number">step = 5.0e-5</th>' in drawn.replace("5e-5", "5.0e-5")
    assert "not applicable" in drawn


def test_points_without_values_have_a_table_and_no_drawing(html):
    sheet = html[html.index('id="case-spring"') :]
    part = sheet[sheet.index(">Work and precision<") : sheet.index(">Published values<")]
    assert "<svg" not in part
    assert "diverged" in part


def test_many_checks_are_spread_over_pages_and_none_is_left_out(make_plain, make_result, tmp_path):
    results = [make_result(quantity=f"q{number}", case=f"case{number % 2}") for number in range(2_200)]
    results[-1] |= {"verdict": "fail", "margin": 0.5}
    build(make_plain(results=results, cases=[]), tmp_path)
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "checks").glob("*.html")]
    assert len(pages) == 2 * 3
    assert sum(page.count('<th scope="row">q') for page in pages) == 2_200
    assert 'page-3.html">3</a>' in (tmp_path / "checks" / "case-case1-by-veridyn-euler.html").read_text(
        encoding="utf-8"
    )
    assert (tmp_path / "results.csv").read_text(encoding="utf-8").count("\n") == 2_201


def test_a_single_page_shows_the_worst_of_many_checks(make_plain, make_result, tmp_path):
    results = [make_result(quantity=f"q{number}", case=f"case{number % 7}") for number in range(5_000)]
    results[-1] |= {"verdict": "fail", "margin": 0.5}
    build(make_plain(results=results, cases=[]), tmp_path, single=True)
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 2_900 < html.count('<th scope="row">q') <= 3_100
    assert html.count('<th scope="row">q4999') == 2
    assert "286 further checks not shown on this page: see <code>results.csv</code>" in html


def test_a_page_shows_the_variants_with_trouble_of_many(make_plain, make_result, tmp_path):
    pairs = [(f"v{number:03}", solver) for number in range(300) for solver in ("veridyn", "foreign")]
    results = [make_result(variant=variant, solver=solver) for variant, solver in pairs]
    results[-1]["verdict"] = "fail"
    build(make_plain(results=results, cases=[]), tmp_path)
    html = (tmp_path / "cases" / "case-shoe.html").read_text(encoding="utf-8")
    assert "<strong>v299</strong>" in html
    assert "<strong>v298</strong>" not in html
    assert "288 further variants" in html
    assert "400 further runs" in html


def test_folder_that_is_a_file(make_plain, save):
    with pytest.raises(ReportError, match=r"results\.json"):
        build(make_plain(), save("x"))


def test_folder_below_a_file(make_plain, save):
    with pytest.raises(ReportError):
        build(make_plain(), save("x") / "report")


def test_a_bad_document_writes_nothing(doc, tmp_path):
    del doc["results"]
    with pytest.raises(ReportError):
        build(doc, tmp_path / "report")
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_missing_packages(doc, tmp_path, without, package):
    without(package)
    with pytest.raises(ReportError, match=package):
        build(doc, tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_results_json_is_one_document(built):
    assert json.loads((built / "results.json").read_text(encoding="utf-8"))["schema_version"] == VERSION


def test_a_full_disk_leaves_the_earlier_report(tmp_path, make_plain, monkeypatch):
    build(make_plain(), tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    written, fill = [], outputs._fill

    def full(stream, content):
        written.append(content)
        if len(written) == 4:
            stream.write(content[:100])
            raise OSError(28, "No space left on device")
        fill(stream, content)

    monkeypatch.setattr("veridyn.outputs._fill", full)
    with pytest.raises(ReportError, match="No space left on device"):
        build(make_plain(messages=["another report"]), tmp_path)
    assert written
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
