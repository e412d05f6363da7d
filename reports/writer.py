"""Writes the files of a report: its pages, the badge for a README, and what the other modules make of it.

Pages fetch nothing from anywhere; without the script all is there but sorting and filtering.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from veridyn.outputs import Content, OutputFolder, enter_folder
from veridyn.reports import drawing, junit, markdown, mathml, numbers, prose, spreadsheet, svg
from veridyn.reports.against import HEAD, RunComparison
from veridyn.reports.comparison import DIGITS
from veridyn.reports.errors import optional_package
from veridyn.reports.names import REPORT_FILES
from veridyn.reports.page import Page, make_page
from veridyn.reports.studio import studio
from veridyn.reports.tally import LAYERS, MEANINGS, Tally
from veridyn.results import Document, ReportError, Verdict, describe_scope, encode, find_gaps

if TYPE_CHECKING:
    from jinja2 import Environment

MARKS = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.ERROR: "!",
    Verdict.HARNESS_ERROR: "?",
    Verdict.EXPECTED_FAILURE: "≠",
    Verdict.NOT_APPLICABLE: "–",
}
"""Beside the word, never instead of it."""


def pages(page: Page) -> Iterator[tuple[str, str]]:
    """Yield names and texts of all pages: the first, one a case, one a case and solver; a single one if asked for.

    Raises ReportError if jinja2 is not installed.
    """
    script, said = resource("report.js"), {"digits": DIGITS, "marks": MARKS, "layers": LAYERS, "verdicts": MEANINGS}
    template = _environment().get_template("report.html")
    given = {"page": page, "script": script, "policy": _policy(script), "changed": HEAD, "css": resource("report.css")}
    for name, view in _views(page):
        yield name, template.render(**given, **said, base="../" if "/" in name else "", **view)


def _views(page: Page) -> Iterator[tuple[str, dict[str, object]]]:
    yield "index.html", {"kind": "first", "running": page.title}
    if page.single:
        return
    for sheet in page.sheets:
        yield f"cases/{sheet.anchor}.html", {"kind": "case", "running": sheet.name, "sheet": sheet}
        for group in sheet.groups:
            running = f"{sheet.name} · {group.subject}"
            leaves = group.leaves
            view = {"kind": "checks", "running": running, "sheet": sheet, "group": group, "leaves": leaves}
            for number in range(len(leaves)):
                yield f"checks/{group.page(number)}.html", view | {"leaf": number}


def fill(name: str, **given: object) -> str:
    """Render a template with the style sheet of its name; raises ReportError if jinja2 is not installed.

    All that is printed is escaped, but for what the template calls trusted.
    """
    return _environment().get_template(f"{name}.html").render(css=resource(f"{name}.css"), **given)


def _environment() -> "Environment":
    with optional_package():
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup, escape

    def broken(name: str) -> Markup:
        """Escape a subject's name and let it break after its solver and at underscores."""
        return Markup(str(escape(name)).replace(" · ", "<br>").replace("_", "_<wbr>"))

    def coded(text: str) -> Markup:
        """Escape a sentence and set what stands between backticks as code."""
        return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))

    loader = FunctionLoader(resource)
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=loader)
    # "trusted" is not escaped: our own style sheets and script; drawings and formulas, escaped when made.
    made.filters |= {"trusted": Markup, "broken": broken, "coded": coded, "slug": slug, "formula": mathml.math}
    made.filters |= {"typeset": prose.typeset}
    made.filters |= {"full": numbers.full, "plural": numbers.plural, "quoted": quoted, "value": numbers.value}
    made.filters |= {"error": numbers.error, "tolerance": numbers.tolerance, "margin": numbers.margin}
    made.filters |= {"lre": numbers.correct_digits, "time": numbers.time}
    return made


def resource(name: str) -> str:
    """Return the text of a template, style sheet or script."""
    return files("veridyn.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Return what a browser may do with the page: run our own script, fetch nothing from anywhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    allowed = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def slug(verdict: str) -> str:
    """Make a verdict the name of a CSS class."""
    return verdict.replace(" ", "-")


def quoted(text: str) -> str:
    """Make a text a string of CSS, for the running heads of printed pages; markup in it cannot end the style sheet."""
    return '"' + re.sub(r"[^\w .,:·-]", lambda match: f"\\{ord(match[0]):x} ", text) + '"'


AGAINST = "against.md"


def write(
    document: Document,
    folder: Path | OutputFolder,
    compared: RunComparison | None = None,
    *,
    processes: int = 1,
    single: bool = False,
    signatures: Sequence[str] = (),
) -> list[Path]:
    """Write the report of a checked document, and what changed since an earlier run; returns the files.

    ``single`` puts all pages into index.html. Many figures are drawn beside the rest, in so many processes less this
    one. They are spawned: a script that asks for more than one needs ``if __name__ == "__main__":``. Raises ReportError
    if the folder cannot be written, see `veridyn.outputs`, or a package is not installed.
    """
    with enter_folder(folder, "report", REPORT_FILES) as place:
        return save_all(place, _render(document, compared, processes, single, signatures))


def save_all(place: OutputFolder, texts: Mapping[str, Content]) -> list[Path]:
    """Write the files of an output, see `OutputFolder.write`; raises ReportError if one cannot be written."""
    try:
        return place.write(texts)
    except OSError as error:
        why = error.strerror or error
        raise ReportError(f"{place.path}: cannot be written ({why}); choose another folder") from None


def _render(
    document: Document, compared: RunComparison | None, processes: int, single: bool, signatures: Sequence[str]
) -> dict[str, bytes]:
    with studio(processes, drawing.count(document)) as place:
        page = make_page(document, compared, place, single=single)
        results = encode(document)  # meanwhile the studio draws
        page = replace(page, digest=hashlib.sha256(results).hexdigest(), signatures=signatures)
        texts = {
            "summary.md": markdown.summary(page),
            "results.csv": spreadsheet.results(document.results),
            "junit.xml": junit.render(document, find_gaps(document)),
            "badge.svg": _svg_file(badge(page.tally, missing=bool(page.gaps), scope=describe_scope(document))),
        }
        texts |= {AGAINST: markdown.changes(compared)} if compared else {}
        # last, for these wait for the figures
        texts |= dict(pages(page)) | dict(_drawings(page))
    return {"results.json": results, **{name: _bytes(text) for name, text in texts.items()}}


def _drawings(page: Page) -> Iterator[tuple[str, str]]:
    for one in page.drawn:
        yield one.file, _svg_file(one.svg)
        if one.csv:
            yield f"figures/{one.anchor}.csv", one.csv


def _svg_file(drawn: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n{drawn}'


def _bytes(text: str) -> bytes:
    """Encode; half a surrogate pair, which JSON can carry and no file can, becomes a question mark."""
    return text.encode("utf-8", errors="replace")


COLOURS = {
    Verdict.PASS: "#00664a",
    Verdict.FAIL: "#a83600",
    Verdict.ERROR: "#8a1f63",
    Verdict.HARNESS_ERROR: "#8a1f63",
}
OTHERWISE = "#52606d"
LETTER = 6.6  # width of a letter at this size, generously
NAME = "veridyn"


def badge(total: Tally, *, missing: bool, scope: str = "") -> str:
    """Return the badge as SVG: '42/42 checks', red if one failed, ended in an error, or is missing.

    A run that was asked for a part only says so: '42/42 checks, quick profile'.
    """
    words, colour = _badge_words(total, missing=missing)
    right = ", ".join(filter(None, (words, scope.partition(",")[0].lower())))
    widths = [LETTER * len(word) + 14 for word in (NAME, right)]
    parts = [
        f"<title>{NAME}: {right}</title>",
        '<clipPath id="veridyn-badge"><rect width="100%" height="20" rx="3"/></clipPath>',
        '<g clip-path="url(#veridyn-badge)">',
        f'<rect width="{svg.number(widths[0])}" height="20" fill="#3b4651"/>',
        f'<rect x="{svg.number(widths[0])}" width="{svg.number(widths[1])}" height="20" fill="{colour}"/>',
        "</g>",
        svg.text(widths[0] / 2, 14, NAME, BADGE_TEXT),
        svg.text(widths[0] + widths[1] / 2, 14, right, BADGE_TEXT),
    ]
    return svg.drawing(sum(widths), 20, f"{NAME}: {right}", parts, "badge")


BADGE_TEXT = 'fill="#ffffff" font-size="11" text-anchor="middle"'


def _badge_words(total: Tally, *, missing: bool) -> tuple[str, str]:
    if missing:
        return "incomplete", COLOURS[Verdict.ERROR]
    if not total.judged and not total.trouble:
        return "nothing judged", OTHERWISE
    asked = total.judged + total.counts[Verdict.ERROR] + total.counts[Verdict.HARNESS_ERROR]
    return f"{total.counts[Verdict.PASS]}/{asked} checks", COLOURS[total.verdict if total.trouble else Verdict.PASS]
