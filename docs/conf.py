"""The documentation as a site: `tox -e docs`, or `sphinx-build -W docs site`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generated
import typesetting
from sphinx.application import Sphinx

from veridyn import __version__

project = "veridyn"
author = "The veridyn developers"
copyright = author  # noqa: A001 - the name that Sphinx wants
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_design"]
exclude_patterns = ["README.md"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist", "dollarmath"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = "veridyn"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_js_files = ["versions.js"]
html_copy_source = False
nitpicky = False  # types of NumPy and of Python itself are not looked up: the build needs no network


html_math_renderer = "mathml"


def setup(app: Sphinx) -> None:
    """Write the pages that come from the code before the pages are read."""
    app.add_html_math_renderer("mathml", (typesetting.visit_inline, None), (typesetting.visit_display, None))
    generated.write(Path(app.srcdir) / "generated")
