import re
from xml.etree import ElementTree

import pytest

from veridyn.reports import style
from veridyn.reports.figures import draw
from veridyn.results import ReportError, convert


@pytest.fixture
def checked(make_document):
    """Fill in the defaults of a figure."""
    return lambda figure: convert(make_document(figures=[figure])).figures[0]


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


def strokes(svg):
    """Places of the points of every coloured curve, first curve first."""
    paths = list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"))
    curves = [path.get("d") for path in paths if "stroke: #0072b2" in path.get("style", "") and path.get("clip-path")]
    return [[tuple(map(float, pair)) for pair in re.findall(r"[ML] (\S+) (\S+)", curve)] for curve in curves]


@pytest.mark.parametrize("label", ["turns", "a very long name of an event that no panel has room for"])
def test_curves_stay_below_the_labels_of_events(checked, make_figure, label):
    def highest(label):
        series = [{"role": "computed", "label": "v", "x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 0.0]}]
        panel = {"series": series, "events": [{"x": 1.0, "label": label}]}
        svg = draw(checked(make_figure(panels=[panel])), "a")
        return min(y for _, y in strokes(svg)[0])

    inch = 72
    letters = min(len(label) * 0.06, 2.7 / 3) * inch
    assert highest(label) - highest("") == pytest.approx(letters, rel=0.25)


def test_a_logarithmic_axis_names_two_and_five_alone(checked, make_figure):
    series = [{"role": "computed", "x": [1.8e-6, 5.6e-5], "y": [1e-6, 1e-4]}]
    panel = {"xscale": "log", "yscale": "log", "series": series}
    svg = draw(checked(make_figure(panels=[panel])), "a")
    assert len(re.findall(r'id="a-xtick_\d+"', svg)) == len((2e-6, 5e-6, 1e-5, 2e-5, 5e-5))


def test_the_seventh_error_is_dashed(checked, make_figure):
    series = [{"role": "error", "label": str(n), "x": [0.0, 1.0], "y": [0.0, float(n)]} for n in range(7)]

    def dashes(count):
        return draw(checked(make_figure(panels=[{"series": series[:count]}])), "a").count("stroke-dasharray")

    assert dashes(6) == 0
    assert dashes(7) > 0


def test_a_family_shares_its_colour_and_differs_in_markers(checked, make_figure):
    series = [{"label": str(n), "x": [0.0, 1.0], "y": [0.0, float(n)]} for n in range(3)]
    figure = checked(make_figure(panels=[{"series": series}]))
    alone, together = (draw(figure, "a", families) for families in ((), (2, 2, 2)))
    colours = [colour.lower() for colour in style.CYCLE[:3]]
    assert [colour in alone for colour in colours] == [True, True, True]
    assert [colour in together for colour in colours] == [False, False, True]
    assert len(set(re.findall(r'xlink:href="#a-(\w+)"', together))) >= len(series)
