"""HTML pages: nothing is fetched from anywhere; without the script all is there but sorting and filtering."""

import base64
import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from veridyn.reports import mathml, numbers
from veridyn.reports.against import HEAD
from veridyn.reports.diagrams import DIGITS
from veridyn.reports.errors import optional_package
from veridyn.reports.page import Page
from veridyn.reports.tally import LAYERS, MEANINGS

if TYPE_CHECKING:
    from jinja2 import Environment

MARKS = {"pass": "✓", "fail": "✗", "error": "!", "harness error": "?", "expected failure": "≠", "not applicable": "–"}
"""Beside the word, never instead of it."""


def render(page: Page) -> Iterator[tuple[str, str]]:
    """Yield names and texts of all pages: the first, one a case, one a case and solver; a single one if asked for.

    Raises ReportError if jinja2 is not installed.
    """
    script, said = resource("report.js"), {"digits": DIGITS, "marks": MARKS, "layers": LAYERS, "verdicts": MEANINGS}
    template = _environment().get_template("report.html")
    given = {"page": page, "script": script, "policy": _policy(script), "changed": HEAD, "css": resource("report.css")}
    for name, view in _views(page):
        yield name, template.render(**given, **said, base="../" if "/" in name else "", **view)


def _views(page: Page) -> Iterator[tuple[str, dict[str, Any]]]:
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


def fill(name: str, **given: Any) -> str:
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
    made.filters |= {"full": numbers.full, "plural": numbers.plural, "quoted": quoted}
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
