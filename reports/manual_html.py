"""The manual as one HTML page for reading and printing; nothing is fetched, nothing runs."""

from importlib.resources import files

from veridyn.reports import mathml
from veridyn.reports.errors import optional_package
from veridyn.reports.manual_blocks import Manual

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(manual: Manual) -> str:
    """Render a manual as HTML.

    Raises
    ------
    ReportError
        If jinja2 is not installed.
    """
    with optional_package():
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
    )
    # The only text that is not escaped: our own style sheet; drawings and formulas, escaped when made.
    environment.filters |= {"trusted": Markup, "formula": mathml.math}
    return environment.get_template("manual.html").render(manual=manual, css=_resource("manual.css"), policy=POLICY)


def _resource(name: str) -> str:
    return files("veridyn.reports").joinpath("templates", name).read_text(encoding="utf-8")
