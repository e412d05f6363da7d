import pytest

from veridyn.reports.figures import draw
from veridyn.reports.ticks import plain
from veridyn.results import convert


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        (r"$\mathdefault{10^{-12}}$", "10⁻¹²"),
        (r"$\mathdefault{2\times10^{3}}$", "2×10³"),
        (r"$\mathdefault{−0.25}$", "−0.25"),
        (r"$\times\mathdefault{10^{−7}}\mathdefault{}$", "×10⁻⁷"),
        ("", ""),
    ],
)
def test_numbers_of_axes_are_plain_text(formula, written):
    assert plain(formula) == written


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_no_figure_parses_a_formula(make_figure, make_document, monkeypatch, scale):
    from matplotlib.mathtext import MathTextParser

    monkeypatch.setattr(MathTextParser, "parse", None)
    series = {"label": r"$\frac", "x": [1e-9, 3e-6], "y": [2e-9, 5e-7]}
    panel = {"xlabel": "$", "xscale": scale, "yscale": scale, "series": [series]}
    document = convert(make_document(figures=[make_figure(panels=[panel])]))
    assert draw(document.figures[0], "a").startswith("<svg")
