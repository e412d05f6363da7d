"""The HTML page: one file, nothing fetched from anywhere; without its script all is there but sorting and filtering."""

import base64
import hashlib

from veridyn.reports import numbers
from veridyn.reports.against import HEAD
from veridyn.reports.diagrams import DIGITS
from veridyn.reports.errors import optional_package
from veridyn.reports.page import Page
from veridyn.reports.rendering import environment, resource
from veridyn.reports.tally import LAYERS, MEANINGS

MARKS = {"pass": "✓", "fail": "✗", "error": "!", "harness error": "?", "expected failure": "≠", "not applicable": "–"}
"""Beside the word, never instead of it."""


def render(page: Page) -> str:
    """Render a page as HTML; raises ReportError if jinja2 is not installed."""
    with optional_package():
        from markupsafe import Markup, escape

    def broken(name: str) -> Markup:
        """Escape a subject's name and let it break after its solver and at underscores."""
        return Markup(str(escape(name)).replace(" · ", "<br>").replace("_", "_<wbr>"))

    made = environment()
    made.filters |= {"full": numbers.full, "plural": numbers.plural, "slug": slug, "broken": broken}
    made.globals |= {"digits": DIGITS, "marks": MARKS, "layers": LAYERS, "verdicts": MEANINGS, "changed": HEAD}
    css, script = resource("report.css"), resource("report.js")
    return made.get_template("report.html").render(page=page, css=css, script=script, policy=_policy(script))


def _policy(script: str) -> str:
    """Return what a browser may do with the page: run our own script, fetch nothing from anywhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    allowed = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def slug(verdict: str) -> str:
    """Make a verdict the name of a CSS class."""
    return verdict.replace(" ", "-")
