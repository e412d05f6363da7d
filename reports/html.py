"""HTML pages: one file, nothing fetched from anywhere; without its script all is there but sorting and filtering."""

import base64
import hashlib
from importlib.resources import files
from typing import Any

from veridyn.reports import mathml, numbers
from veridyn.reports.against import HEAD
from veridyn.reports.diagrams import DIGITS
from veridyn.reports.errors import optional_package
from veridyn.reports.page import Page
from veridyn.reports.tally import LAYERS, MEANINGS

MARKS = {"pass": "✓", "fail": "✗", "error": "!", "harness error": "?", "expected failure": "≠", "not applicable": "–"}
"""Beside the word, never instead of it."""


def render(page: Page) -> str:
    """Render a report as HTML; raises ReportError if jinja2 is not installed."""
    script, said = resource("report.js"), {"digits": DIGITS, "marks": MARKS, "layers": LAYERS, "verdicts": MEANINGS}
    return fill("report", page=page, script=script, policy=_policy(script), changed=HEAD, **said)


def fill(name: str, **given: Any) -> str:
    """Render a template with the style sheet of its name; raises ReportError if jinja2 is not installed.

    All that is printed is escaped, but for what the template calls trusted.
    """
    with optional_package():
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup, escape

    def broken(name: str) -> Markup:
        """Escape a subject's name and let it break after its solver and at underscores."""
        return Markup(str(escape(name)).replace(" · ", "<br>").replace("_", "_<wbr>"))

    loader = FunctionLoader(resource)
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=loader)
    # "trusted" is not escaped: our own style sheets and script; drawings and formulas, escaped when made.
    made.filters |= {"trusted": Markup, "broken": broken, "slug": slug, "formula": mathml.math}
    made.filters |= {"full": numbers.full, "plural": numbers.plural}
    made.globals |= given
    return made.get_template(f"{name}.html").render(css=resource(f"{name}.css"))


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
