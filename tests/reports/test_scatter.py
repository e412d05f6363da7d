import re
from xml.etree import ElementTree

import pytest

from veridyn.reports.scatter import HEIGHT, WIDTH, draw, measured

SPACE = "{http://www.w3.org/2000/svg}"


def dots(records, runs=1):
    return [
        dot for dot in ElementTree.fromstring(draw(records, runs)).iter(f"{SPACE}path") if dot.get("class") == "dot"
    ]


def place(dot):
    return tuple(float(number) for number in re.match(r"M([\d.]+),([\d.]+)", dot.get("d")).groups())


def test_every_check_with_error_and_tolerance_is_named(doc):
    shown = measured(doc["results"])
    names = "\n".join(dot[0].text for dot in dots(shown))
    assert len(shown) == 11
    assert all(f"{record['quantity']} ({record['layer']})" in names for record in shown)
    assert "shoe[a0=15] veridyn · euler: wear_power (criterion), error 2.0e-5, tolerance 1e-4" in names


def test_checks_that_the_eye_cannot_tell_apart_share_a_dot(make_result):
    near = [make_result(quantity=f"q{n}", error=1e-5 * (1 + 1e-6 * n)) for n in range(1000)]
    (dot,) = dots(near)
    assert "q0" in dot[0].text
    assert dot[0].text.endswith("and 997 checks more here")


def test_many_checks_do_not_make_too_many_dots(make_result):
    spread = [make_result(error=10 ** (-(n % 300) / 25), tolerance=10 ** (-(n // 300) / 25)) for n in range(90_000)]
    assert 1000 < len(dots(spread)) <= 4000


def test_a_check_that_fails_lies_above_the_line_and_is_drawn_last(make_result):
    good, bad = make_result(), make_result(verdict="fail", error=3e-3)
    first, last = dots([bad, good])
    assert place(last)[1] < place(first)[1]
    assert last.get("stroke")
    assert not first.get("stroke")


@pytest.mark.parametrize("error", [0.0, 5e-324, 1e-300, 1.0, 1.7e308])
@pytest.mark.parametrize("tolerance", [0.0, 1e-300, 1e300])
def test_dots_stay_in_the_drawing(make_result, error, tolerance):
    for dot in dots([make_result(error=error, tolerance=tolerance), make_result()]):
        x, y = place(dot)
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT


def test_names_stay_text(make_result, hostile):
    (dot,) = dots([make_result(quantity=hostile, case="\x00\x1b")])
    assert hostile in dot[0].text
    assert dot[0].text.startswith("??")


def test_the_same_checks_give_the_same_bytes(doc):
    shown = measured(doc["results"])
    assert draw(shown, 1) == draw(shown, 1)
