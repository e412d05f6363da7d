"""The manual as one HTML page for reading and printing; nothing is fetched, nothing runs."""

from veridyn.reports import mathml
from veridyn.reports.manual_blocks import Manual
from veridyn.reports.rendering import environment, resource

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(manual: Manual) -> str:
    """Render a manual as HTML; raises ReportError if jinja2 is not installed."""
    made = environment()
    made.filters["formula"] = mathml.math
    return made.get_template("manual.html").render(manual=manual, css=resource("manual.css"), policy=POLICY)
