from xml.etree import ElementTree

import pytest

from veridyn.reports import ReportError, check_document
from veridyn.reports.sketch import draw


@pytest.fixture
def checked(make_document):
    """Fill in the defaults of a system."""

    def fill(system):
        case = {"case": "shoe", "title": "", "system": system}
        return check_document(make_document(cases=[case]))["cases"][0]["system"]

    return fill


def words(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def masses(*names):
    return [{"name": name, "mass": 1.5} for name in names]


def test_every_element_is_labelled(checked, make_system, hostile):
    said = words(draw(checked(make_system()), "shoe"))
    assert {"u", "2 kg", "1e4 N/m", "5 N/m", "3 N s/m", "F(t), v(0) = 1 m/s", "v(0) = -1 m/s"} <= set(said)
    assert said.count("δ = 0.01 m, 1e6 N/m") == 2
    assert f"{hostile[:15]}…, μs = 0.3, μk = 0.2" in said


def test_names_stay_text(checked, make_system, hostile):
    svg = draw(checked(make_system()), hostile)
    assert "<script" not in svg
    assert ElementTree.fromstring(svg).get("aria-label") == hostile


def test_links_between_masses_apart_go_over_those_between(checked):
    flat = draw(checked({"masses": masses("a", "b", "c")}), "")
    link = {"ends": ["a", "c"], "value": 7.0}
    assert "7 N/m" in words(draw(checked({"masses": masses("a", "b", "c"), "springs": [link]}), ""))
    assert len(draw(checked({"masses": masses("a", "b", "c"), "springs": [link]}), "")) > len(flat)


@pytest.mark.parametrize("ends", [["nobody"], ["nobody", "nothing"], ["a", "a"], ["b", "ground"], ["c", "wall"]])
@pytest.mark.parametrize("part", ["springs", "dampers", "stops", "frictions"])
def test_odd_ends_can_be_drawn(checked, ends, part):
    element = {"ends": ends, "value": 1, "gap": 0, "stiffness": 1, "static": 0.1, "kinetic": 0.1}
    svg = draw(checked({"masses": masses("a", "b", "c"), part: [element]}), "")
    assert ElementTree.fromstring(svg).tag.endswith("svg")


def test_several_elements_share_a_gap(checked):
    springs = [{"ends": ["ground", "a"], "value": float(n)} for n in range(1, 6)]
    svg = draw(checked({"masses": masses("a"), "springs": springs}), "")
    assert {f"{n} N/m" for n in range(1, 6)} <= set(words(svg))


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"masses": []}, "masses must contain at least 1"),
        ({"masses": masses(*"abcdefghi")}, "masses must contain less than or equal to 8"),
        ({"masses": masses("a"), "springs": [{"ends": ["a"], "value": "soft"}]}, "anyOf"),
    ],
)
def test_wrong_systems_are_refused(checked, system, message):
    with pytest.raises(ReportError, match="system"):
        checked(system)


def test_a_device_is_a_box_with_the_name_of_its_law(checked):
    devices = [{"ends": ["ground", "a"], "type": "zener"}, {"ends": ["a", "b"], "type": "buckling-stop"}]
    said = words(draw(checked({"masses": masses("a", "b"), "devices": devices}), "shoe"))
    assert {"zener", "buckling stop"} <= set(said)
