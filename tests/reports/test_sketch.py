from xml.etree import ElementTree

import pytest

from veridyn.reports import sketch
from veridyn.reports.sketch import draw
from veridyn.results import ReportError, convert


@pytest.fixture
def checked(make_document):
    """Fill in the defaults of a system."""

    def fill(system):
        case = {"case": "shoe", "title": "", "system": system}
        return convert(make_document(cases=[case])).cases[0].system

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


def test_a_damped_stop_has_a_dashpot(checked):
    stop = {"ends": ["a", "ground"], "gap": 0.0, "stiffness": 5.0}
    plain, damped = (
        draw(checked({"masses": masses("a"), "stops": [stop | more]}), "") for more in ({}, {"damping": 7})
    )
    assert set(words(damped)) - set(words(plain)) == {"7 N s/m"}
    assert damped.count("#D55E00") == plain.count("#D55E00") + 1


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
        ({"masses": []}, r"system\.masses: expected `array` of length >= 1"),
        ({"masses": masses(*"abcdefghi")}, r"system\.masses: expected `array` of length <= 8"),
        ({"masses": masses("a"), "springs": [{"ends": ["a"], "value": "soft"}]}, r"springs\[0\]\.value: expected"),
    ],
)
def test_wrong_systems_are_refused(checked, system, message):
    with pytest.raises(ReportError, match=message):
        checked(system)


def test_a_device_is_a_box_with_the_name_of_its_law(checked):
    devices = [{"ends": ["ground", "a"], "type": "zener"}, {"ends": ["a", "b"], "type": "buckling-stop"}]
    said = words(draw(checked({"masses": masses("a", "b"), "devices": devices}), "shoe"))
    assert {"zener", "buckling stop"} <= set(said)


def wall_of(svg):
    """Where the only wall stands: the last upright line that is no plate."""
    lines = [path.get("d") for path in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path")]
    upright = [line[1:].replace("L", ",").split(",") for line in lines if line.count("L") == 1]
    return next(float(x) for x, low, end, high in upright if x == end and abs(float(high) - float(low)) == 38)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_device_stands_on_its_side(checked, side):
    devices = [{"ends": ["ground", "a"], "type": "buckling-stop", "side": side}]
    svg = draw(checked({"masses": masses("a"), "devices": devices}), "shoe")
    mass = float(next(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")).get("x"))
    assert (wall_of(svg) > mass) == (side == "right")


def held(**changes):
    """A beam with one of everything, with changes."""
    made = {
        "length": 2.0,
        "supports": [{"at": at, "kind": kind} for at, kind in ((0.0, "clamp"), (1.0, "pin"), (2.0, "roller"))],
        "shapes": [{"name": "first", "y": [0.0, 0.5, 1.0]}, {"name": "still", "y": [0.0, 0.0]}],
        "velocities": [{"at": 0.5, "value": -1.5}, {"at": 1.5, "value": 0.75}],
        "stops": [{"at": 1.0, "side": side, "gap": 0.02, "stiffness": 1e4} for side in ("below", "above")],
    }
    return made | changes


@pytest.fixture
def checked_beam(make_document):
    """Fill in the defaults of a beam."""

    def fill(made):
        case = {"case": "shoe", "title": "", "beam": made}
        return convert(make_document(cases=[case])).cases[0].beam

    return fill


def test_a_beam_is_labelled(checked_beam):
    said = words(sketch.draw_beam(checked_beam(held()), "beam"))
    assert {"2 m", "first", "still", "v(0) up to 1.5 m/s"} <= set(said)
    assert said.count("δ = 0.02 m, 1e4 N/m") == 2


def test_a_bare_beam_has_its_length_alone(checked_beam):
    assert words(sketch.draw_beam(checked_beam({"length": 3.0}), "beam")) == ["3 m"]


def test_a_stop_stands_where_the_beam_meets_it(checked_beam):
    quarter = held(stops=[{"at": 0.5, "gap": 0.0, "stiffness": 1.0}])
    group = ElementTree.fromstring(sketch.draw_beam(checked_beam(quarter), "")).find("{http://www.w3.org/2000/svg}g")
    assert group.get("transform") == f"rotate(90 {sketch.LEFT + sketch.SPAN / 4:g} {sketch.UPPER + sketch.DEEP:g})"


def test_names_of_shapes_stay_text(checked_beam):
    svg = sketch.draw_beam(checked_beam(held(shapes=[{"name": "<script>", "y": [0.0, 1.0]}])), "<b>")
    assert "<script" not in svg
    assert ElementTree.fromstring(svg).get("aria-label") == "<b>"


@pytest.mark.parametrize(
    "change",
    [{"length": 0}, {"shapes": [{"name": "x", "y": [1.0]}]}, {"supports": [{"at": 0.0, "kind": "glue"}]}],
)
def test_wrong_beams_are_refused(checked_beam, change):
    with pytest.raises(ReportError, match="beam"):
        checked_beam(held(**change))
