"""The HTML page: one file, no script, nothing fetched from anywhere."""

from importlib.resources import files

from veridyn.reports import numbers
from veridyn.reports.diagrams import DIGITS
from veridyn.reports.errors import optional_package
from veridyn.reports.page import Page
from veridyn.reports.tally import KINDS, MEANINGS

MARKS = {"pass": "✓", "fail": "✗", "error": "!", "expected failure": "≠", "not applicable": "–"}
"""Beside the word, never instead of it."""


def render(page: Page) -> str:
    """Render a page as HTML.

    Raises
    ------
    ReportError
        If jinja2 is not installed.
    """
    with optional_package():
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup, escape

    def broken(name: str) -> Markup:
        """Escape a subject's name and let it break after its solver and at underscores."""
        return Markup(str(escape(name)).replace(" · ", "<br>").replace("_", "_<wbr>"))

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"full": numbers.full, "plural": numbers.plural, "slug": slug, "broken": broken}
    # The only text that is not escaped: our own style sheet, and drawings that figures.py has escaped.
    environment.filters["trusted"] = Markup
    template = environment.from_string(_resource("report.html"))
    words = {"digits": DIGITS, "marks": MARKS, "kinds": KINDS, "verdicts": MEANINGS}
    return template.render(page=page, css=_resource("report.css"), **words)


def slug(verdict: str) -> str:
    """Make a verdict the name of a CSS class."""
    return verdict.replace(" ", "-")


def _resource(name: str) -> str:
    return files("veridyn.reports").joinpath("templates", name).read_text(encoding="utf-8")
