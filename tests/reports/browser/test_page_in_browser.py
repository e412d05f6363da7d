"""The page in a real browser: quiet, offline, usable by pointer and keyboard, legible, printable."""

import json
import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from veridyn.reports import build
from veridyn.results import convert

CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8").split("\n", 1)[1].strip().rstrip(";")
A4 = 703  # CSS pixels between the margins


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_without_a_word_and_asks_for_nothing(opened, report, width, scheme):
    page = opened(width=width, color_scheme=scheme)
    assert page.heard == []
    assert page.asked == [report.as_uri()]


@pytest.mark.parametrize("width", [390, 768, 1280, 1920])
def test_the_page_does_not_scroll_sideways(opened, width):
    page = opened(width=width)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(opened, scheme):
    page = opened(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.evaluate(CONTRAST) == []


def column(table, name):
    heads = table.locator("thead th").all_inner_texts()
    number = next(i for i, head in enumerate(heads, start=1) if head.strip() == name)
    return table.locator(f"tbody tr > :nth-child({number})").all_inner_texts()


def test_a_click_on_a_heading_sorts_and_another_turns_the_order_round(opened):
    page = opened()
    table = page.locator("#case-shoe .scroll[aria-label^='Summary'] table")
    head = table.locator("th", has_text="Time")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    times = column(table, "Time")
    assert times[0] == "12 ms" or times == sorted(times, key=seconds)
    assert times == sorted(times, key=seconds)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(table, "Time") == sorted(times, key=seconds, reverse=True)


def seconds(text):
    return float(text.split()[0]) * (1e-3 if text.endswith("ms") else 1.0)


def test_rows_of_a_layer_stay_together_when_sorted(opened):
    page = opened()
    table = page.locator("#case-shoe-by-veridyn-euler table.checks")
    before = layers(table)
    table.locator("th", has_text="Margin").locator("button").click()
    assert layers(table) == before
    texts = table.locator("tbody:not(.fixed) > tr > td:nth-child(8)").all_inner_texts()[: before[0][1]]
    margins = [math.inf if text.startswith("–") else float(text.split()[0]) for text in texts]
    assert margins == sorted(margins)


def layers(table):
    """Name and number of checks of every layer, in the order shown."""
    return table.evaluate(
        """(table) => Array.from(table.tBodies).reduce((found, body) => {
            if (body.matches(".fixed")) found.push([body.textContent, 0]);
            else found.at(-1)[1] += 1;
            return found;
        }, [])"""
    )


def test_a_filter_shows_the_rows_that_hold_all_its_words(opened):
    page = opened()
    box = page.get_by_label("Filter: Summary of shoe")
    rows = page.locator("#case-shoe .scroll[aria-label^='Summary'] tbody tr")
    total = rows.count()
    box.fill("foreign a0=7")
    assert page.locator("#case-shoe .scroll[aria-label^='Summary'] tbody tr:visible").count() == 1
    assert page.locator("#case-shoe .tools output").first.inner_text() == f"1 of {total}"
    box.fill("")
    assert page.locator("#case-shoe .scroll[aria-label^='Summary'] tbody tr:visible").count() == total


def test_figures_can_be_saved(opened):
    page = opened()
    figure = page.locator("#figure-shoe-velocity")
    with page.expect_download() as kept:
        figure.get_by_role("button", name="Figure as SVG").click()
    assert kept.value.suggested_filename == "figure-shoe-velocity.svg"
    assert ElementTree.parse(kept.value.path()).getroot().tag.endswith("svg")
    with page.expect_download() as kept:
        figure.get_by_role("link", name="Data as CSV").click()
    assert Path(kept.value.path()).read_text(encoding="utf-8").startswith("t [s],reference: v")


def test_every_control_can_be_reached_by_keyboard_and_has_a_name(opened):
    page = opened()
    names = page.evaluate(
        "Array.from(document.querySelectorAll('button, input, a[href], summary, [tabindex]'), "
        "(one) => [one.tabIndex, one.getAttribute('aria-label') || one.textContent.trim()])"
    )
    assert len(names) > 50
    assert all(index == 0 and name for index, name in names)


def test_nothing_is_cut_off_in_print(opened):
    page = opened(width=A4)
    page.emulate_media(media="print")
    cut = page.evaluate(
        "Array.from(document.querySelectorAll('table, figure svg, .system svg, math'))"
        ".filter((one) => one.getBoundingClientRect().right > innerWidth + 1)"
        ".map((one) => [one.getBoundingClientRect().right, one.textContent.slice(0, 60)])"
    )
    assert cut == []
    assert page.evaluate("Array.from(document.querySelectorAll('.checks'), (one) => one.offsetHeight).every(Boolean)")
    assert page.evaluate("document.querySelectorAll('.scroll').length > 0")
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_it_is_all_there_without_script(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("table button, .tools").count() == 0
    assert page.locator("#case-shoe table").count() > 5
    assert page.heard == []


def test_a_page_of_many_results_opens(opened, make_document, make_result, tmp_path):
    results = [
        make_result(quantity=f"q{n}", variant=f"v{n % 900}", error=10.0 ** -(n % 97 / 10)) for n in range(20_000)
    ]
    build(convert(make_document(results=results, figures=[])), tmp_path, single=True)
    page = opened(tmp_path / "index.html")
    assert page.heard == []
    assert page.evaluate("document.querySelectorAll('*').length") < 150_000


def test_a_check_opens_to_its_levels_and_their_plot(opened, report):
    page = opened(report.parent.parent / "pages" / "index.html")
    page.locator("#where a").first.click()
    page.locator("a", has_text="Checks of veridyn").first.click()
    basis = page.locator("details.basis").filter(has=page.locator("svg.levels")).first
    basis.locator("summary").click()
    assert basis.locator("svg.levels").is_visible()
    assert "observed order" in basis.inner_text()


def test_a_page_of_a_hundred_thousand_results_of_ninety_solvers_opens(opened, make_document, make_result, tmp_path):
    results = [
        make_result(
            case=f"case {n % 13}",
            solver=f"solver {n // 13 % 90}",
            variant=f"v{n // 1170 % 4}",
            quantity=f"q{n // 4680}",
            error=10.0 ** -(n % 97 / 10),
        )
        for n in range(100_000)
    ]
    build(convert(make_document(results=results, cases=[], figures=[], work_precision=[])), tmp_path)
    assert (tmp_path / "index.html").stat().st_size < 2e6
    page = opened(tmp_path / "index.html")
    assert page.heard == []
    assert page.evaluate("document.querySelectorAll('*').length") < 300_000
    assert page.locator("#cases tbody tr").count() == 13


def test_markup_in_results_never_becomes_markup(opened, hostile):
    page = opened()
    assert page.locator("main script").count() == 0
    assert page.locator("b, i, object, iframe, img").count() == 0
    assert json.dumps(hostile)[1:20] in json.dumps(page.locator("#failures").inner_text())
