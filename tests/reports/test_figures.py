import re
from xml.etree import ElementTree

import pytest

from veridyn.reports import ReportError, check_document
from veridyn.reports.figures import draw


@pytest.fixture
def checked(make_document):
    """Fill in the defaults of a figure."""
    return lambda figure: check_document(make_document(figures=[figure]))["figures"][0]


def test_the_same_figure_gives_the_same_bytes(checked, make_figure):
    assert draw(checked(make_figure()), "a") == draw(checked(make_figure()), "a")


def test_identifiers_do_not_clash(checked, make_figure):
    found = [set(re.findall(r'\bid="([^"]+)"', draw(checked(make_figure()), key))) for key in "ab"]
    assert found[0]
    assert not found[0] & found[1]


def test_references_point_into_the_drawing(checked, make_figure):
    svg = draw(checked(make_figure()), "a")
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    assert used
    assert used <= set(re.findall(r'\bid="([^"]+)"', svg))


def test_drawings_are_xml_without_style_or_comments(checked, make_figure, hostile):
    series = {"label": hostile, "x": [1], "y": [1]}
    panel = {"xlabel": hostile, "series": [series], "events": [{"x": 1, "label": hostile}]}
    svg = draw(checked(make_figure(title=hostile, panels=[panel])), "a")
    root = ElementTree.fromstring(svg)
    assert root.attrib["aria-label"] == hostile
    assert "<style" not in svg
    assert "<!--" not in svg
    assert "<metadata" not in svg


def _axes(svg):
    return len(set(re.findall(r'id="a-axes_\d+"', svg)))


def test_errors_get_a_panel_of_their_own(checked, make_figure):
    assert _axes(draw(checked(make_figure()), "a")) == 2


def test_errors_alone_keep_their_panel(checked, make_figure):
    series = [{"role": "error", "marker": True, "x": [1e-3, 1e-4], "y": [1e-2, 1e-4]}]
    guide = [{"role": "guide", "x": [1e-3, 1e-4], "y": [1e-2, 1e-4]}]
    panel = {"xscale": "log", "yscale": "log", "series": series + guide}
    assert _axes(draw(checked(make_figure(panels=[panel])), "a")) == 1


@pytest.mark.parametrize(
    "series",
    [
        [],
        [{"x": [], "y": []}],
        [{"x": [None], "y": [None]}],
        [{"x": [0.0, -1.0], "y": [0.0, 0.0]}],
        [{"x": [1.0], "y": [1.0], "label": "_hidden $\\frac$ 漢字"}],
        [{"x": [1e-300, 1e300], "y": [1e-300, 1e300]}],
        [{"x": [1], "y": [2], "label": f"curve {number}"} for number in range(20)],
    ],
    ids=range(7),
)
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_odd_data_can_be_drawn(checked, make_figure, series, scale):
    panel = {"xscale": scale, "yscale": scale, "series": series}
    assert draw(checked(make_figure(panels=[panel, panel | {"xlabel": "other"}])), "a").startswith("<svg")


def test_a_style_of_the_user_has_no_effect(checked, make_figure):
    import matplotlib as mpl

    plain = draw(checked(make_figure()), "a")
    with mpl.rc_context({"font.size": 30, "lines.linewidth": 9}):
        assert draw(checked(make_figure()), "a") == plain


def test_missing_matplotlib(checked, make_figure, without):
    figure = checked(make_figure())
    without("matplotlib")
    with pytest.raises(ReportError, match=r'matplotlib.*: pip install "veridyn\[report\]"'):
        draw(figure, "a")
