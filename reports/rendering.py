"""Templates of the HTML pages: how they are read and rendered."""

from importlib.resources import files
from typing import TYPE_CHECKING

from veridyn.reports.errors import optional_package

if TYPE_CHECKING:
    from jinja2 import Environment


def environment() -> "Environment":
    """Return where templates are rendered: all that is printed is escaped, but for what a template calls trusted.

    Raises ReportError if jinja2 is not installed.
    """
    with optional_package():
        from jinja2 import Environment, FunctionLoader, StrictUndefined
        from markupsafe import Markup

    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(resource),
    )
    # Not escaped: our own style sheets and script; drawings and formulas, escaped when made.
    made.filters["trusted"] = Markup
    return made


def resource(name: str) -> str:
    """Return the text of a template, style sheet or script."""
    return files("veridyn.reports").joinpath("templates", name).read_text(encoding="utf-8")
