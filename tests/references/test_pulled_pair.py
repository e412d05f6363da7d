"""SDND106: two masses, one of which sticks and slips, by every digit, by energy, and with premature stick excluded."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import CertificationError, ParameterError
from veridyn.references.engine import enclosure
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import exact
from veridyn.references.second_routes import pulled_closed as closed
from veridyn.validation_cases.mechanics import test_sdnd106 as sdnd106

REFERENCES = {
    "slip_start": sdnd106.BROKEN,
    "slip_end": sdnd106.ENDED,
    "slips": sdnd106.NUMBER,
    "final_position": sdnd106.PLACE,
    "dissipated_energy": sdnd106.DISSIPATED,
}
NAMES = {"x1": "x1", "v1": "v_x1", "x2": "x2", "v2": "v_x2"}


def refer(name, number=1, what="", time=""):
    """Return a quantity by name, with its second route."""
    if name == "phase_time":
        any_change = f"{sdnd106.SLIPS} or shoe_rests"
        return sdnd106.MOTION.event(any_change, number, second=lambda p: closed.changes(p)[number - 1].start)
    if name == "state":
        return sdnd106.MOTION.value(NAMES[what], time, second=sdnd106._state_at(time, what))
    return REFERENCES[name]


CASE = {"m1": 5, "m2": 5, "k": "1e4", "normal": "1e4", "mu_s": "0.3", "mu_d": "0.2", "pull": 3000, "t_off": "0.2"}


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        ("slip_start", {}, "0.0351240736552036319657818732160"),
        ("slip_end", {}, "0.314923275447486504047331808332"),
        ("slips", {}, "1.00000000000000000000000000000"),
        ("final_position", {}, "3.95560577349760251406346235145"),
        ("dissipated_energy", {}, "7911.21154699520502812692470289"),
        ("state", {"what": "x2", "time": "0.02"}, "0.112210312640770584316325361561"),
        ("state", {"what": "x1", "time": "0.15"}, "1.35333766089289762153678639832"),
        ("state", {"what": "v2", "time": "0.2"}, "20.9206206533638139528216498726"),
        ("state", {"what": "v1", "time": "0.339965"}, "0"),
        ("state", {"what": "x2", "time": "0.339965"}, "3.96813122670454359010553417563"),
    ],
)
def test_every_digit(name, more, text):
    assert refer(name, **more)(**CASE).confirm().text() == text


def test_a_stick_that_hardly_holds_is_told():
    """At the first rest 0.083592 of the jump of friction is left, by the state that the second route has there."""
    given = {"m1": "8.734", "m2": "3.548", "k": 6048, "normal": 5011, "mu_s": "0.2704", "mu_d": "0.104"}
    values = sdnd106.CASE.values(
        {name: str(value) for name, value in given.items()} | {"pull": "3170", "t_off": "0.156"}
    )
    assert sdnd106.find_least_spare(values) == pytest.approx(0.083592, rel=1e-5)
    assert sdnd106.find_least_spare(sdnd106.CASE.values({})) > 0.0836


def test_break_away_is_a_quarter_of_the_period_where_pull_and_grip_are_equal():
    assert float(sdnd106.BROKEN(**CASE)) == pytest.approx(np.pi / 2 / np.sqrt(2000), rel=1e-15)


def kinds(**changes):
    return [change.kind for change in sdnd106.CHANGES(**{**CASE, **changes}, digits=15)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["slip+", "stick"]),
        ({"mu_s": "0.2"}, ["slip+", "stick"]),
        ({"mu_s": "0.65"}, []),
        ({"m1": 3, "t_off": "0.31"}, ["slip+", "stick", "slip+", "stick"]),
    ],
)
def test_phases_follow_one_another(changes, expected):
    found = kinds(**changes)
    assert found == expected
    assert all(a != b for a, b in pairwise(found))
    assert not found or found[-1] == "stick"


def test_a_slip_too_short_for_a_step_of_the_series_is_seen_by_both_routes():
    brief = {**CASE, "m1": "8.625", "m2": "8.25", "mu_d": "0.1640625", "t_off": "0.072265625"}
    assert kinds(**brief) == ["slip+", "stick", "slip+", "stick"]
    assert float(sdnd106.DISSIPATED(**brief, digits=15)) == pytest.approx(1323.2027978020842)


def test_a_slip_that_turns_at_once_is_two():
    turning = {"m1": 1, "m2": 1, "mu_d": "0.0234375", "t_off": "0.25", "pull": 1672}
    expected = ["slip+", "stick", "slip+", "slip-", "stick", "slip+", "stick", "slip+", "stick"]
    assert kinds(**turning) == expected
    assert sdnd106.NUMBER(**turning, digits=12).confirm().value == 5


def test_a_mass_that_never_slips_has_no_instants():
    holds = {**CASE, "mu_s": "0.65"}
    assert sdnd106.BROKEN(**holds).text() == sdnd106.ENDED(**holds).text() == "undefined"
    assert float(sdnd106.NUMBER(**holds)) == float(sdnd106.PLACE(**holds)) == 0


READINGS = [("slip_start", {}), ("slip_end", {}), ("slips", {}), ("final_position", {}), ("dissipated_energy", {})]
READINGS += [("phase_time", {"number": 2}), *(("state", {"what": x, "time": "0.3"}) for x in ("x1", "v1", "x2", "v2"))]


@settings(deadline=None, max_examples=8, derandomize=True)
@given(
    st.floats(0.5, 10.0), st.floats(1.0, 10.0), st.floats(0.02, 0.3), st.floats(0.01, 0.6), st.floats(1400.0, 6000.0)
)
def test_routes_agree_for_any_pair_and_precisions_are_nested(m1, m2, mu_d, t_off, pull):
    given_ = {"m1": m1, "m2": m2, "mu_d": mu_d, "t_off": t_off, "pull": pull}
    for name, more in READINGS:
        low, high = (refer(name, **more)(**given_, digits=digits).confirm() for digits in (12, 40))
        assert low.kind == high.kind
        if low.value is not None:
            assert abs(low.value - high.value) + high.radius <= low.radius * (1 + 1e-9)


def confirmed(**given_):
    return [refer(name, **more)(**given_).confirm().text() for name, more in READINGS]


def test_a_touch_of_the_limit_is_held():
    """The spring peaks at twice the pull: exactly at what friction holds, and a hair above or below."""
    touching = confirmed(pull=1500)
    assert touching[:7] == ["undefined", "undefined", "0", "0", "0", "undefined", "0"]
    omega = np.sqrt(2000)
    free = 0.15 * (np.cos(0.1 * omega) - np.cos(0.3 * omega))
    assert float(refer("state", what="x2", time="0.3")(pull=1500).confirm()) == pytest.approx(free, rel=1e-13)
    for digits in (10, 20, 40):
        over = {"pull": "1500." + "0" * digits + "1", "t_off": 1}
        assert sdnd106.NUMBER(**over).value == 1
        assert sdnd106.NUMBER(pull="1499." + "9" * digits).value == 0
        assert float(sdnd106.BROKEN(**over).confirm()) == pytest.approx(np.pi / np.sqrt(2000), rel=10 ** (-digits / 2))


def test_a_velocity_that_touches_zero_ends_no_slip():
    """Pull and both frictions balance: v1 ~ 1 - cos Ωt touches zero once a period, ten times before the pull ends."""
    touching = {"mu_d": "0.3", "t_off": "0.5", "m1": "0.5"}
    first = sdnd106.ENDED(**touching).confirm()
    assert kinds(**touching) == ["slip+", "stick", "slip+", "stick"]
    assert float(first) == pytest.approx(0.528836087087308352550810495382, rel=1e-14)
    lowest = 0.0351240736552036 + 2 * np.pi / np.sqrt(22000)
    assert abs(float(sdnd106.HISTORY(**touching)("v1", lowest))) < 1e-12
    assert confirmed(**touching, k="1e4")[2] == "2.00000000000000000000000000000"


@pytest.mark.truth
def test_more_than_five_hundred_phases():
    many = {"m1": "0.01", "m2": 7, "t_off": "1.3"}
    assert sdnd106.ENDED(**many).text() == "1.94725138564503357421487755843"
    assert sdnd106.NUMBER(**many).confirm().value == 261


@pytest.mark.parametrize(
    ("given_", "end"),
    [
        ({"mu_d": "1e-5"}, "5268.63452626352359740898222023"),
        ({"t_off": 1000}, "1500.03313424192072196295647146"),
        ({"m1": "1e30", "m2": "1e30", "k": "1e30", "normal": "1e30", "pull": "1e30", "mu_s": "0.9"}, None),
        ({"m1": "1e-30", "m2": "1e-30", "k": "1e-24", "normal": "1e-30", "pull": "3e-31", "t_off": "2e-3"}, None),
    ],
)
def test_long_slips_and_any_scale(given_, end):
    found = confirmed(**given_)
    assert found[2] == "1.00000000000000000000000000000" if end else "undefined" not in found[3:5]
    assert end is None or found[1] == end


UNIT = {"m1": 1, "m2": 1, "k": 1, "normal": 1, "mu_s": 1, "mu_d": "0.5"}


@pytest.mark.parametrize(("pull", "off"), [(1, "pi/2"), (2, "pi/3"), ("2/3", "2*pi/3")])
def test_a_pull_that_ends_as_friction_gives_way_is_not_decided(pull, off):
    """Both instants agree exactly, which no precision shows; what is before is there."""
    given_ = UNIT | {"pull": pull, "t_off": off}
    assert "coincide" in sdnd106.BROKEN(**given_).routes[0]
    assert "coincide" in sdnd106.ENDED(**given_).routes[0]
    assert refer("state", what="x2", time="0.3")(**given_).confirm().digits == 30


def test_slips_without_end_are_told():
    """With one coefficient slips shrink and never end: what is there at an instant is known, the last slip is not."""
    endless = UNIT | {"mu_d": 1, "pull": 2, "t_off": 1}
    brief = make_quantities(lambda values: replace(sdnd106.state(values), end=30), sdnd106.PARAMETERS).settled()
    for reference in (brief.event("shoe_rests", -1), brief.count("shoe_rests"), brief.value("x1", None)):
        assert "is not proved to last for ever" in reference(**endless).routes[0]
    with pytest.raises(CertificationError, match="is not proved to last for ever"):
        brief.phase_changes(sdnd106.SHOE, sdnd106.WORDS)(**endless)
    assert refer("phase_time", number=4)(**endless, digits=10).confirm().digits == 10
    assert refer("state", what="v2", time="20")(**endless, digits=10).confirm().digits == 10


def test_what_an_undecided_end_does_not_touch_is_given(monkeypatch):
    """The pull ends where the third slip does, as far as anybody looks: what was before is known."""
    monkeypatch.setattr(enclosure, "TOP", 256)
    given_ = {"pull": 2500, "mu_d": "0.28"}
    given_["t_off"] = sdnd106.ENDED(t_off=1, **given_, digits=200).text()
    assert "coincide" in sdnd106.ENDED(**given_).routes[0]
    assert "coincide" in sdnd106.DISSIPATED(**given_).routes[0]
    assert sdnd106.BROKEN(**given_).confirm().digits == 30
    assert refer("state", what="x1", time="0.3")(**given_).confirm().digits == 30


def test_a_derivative_is_the_slope():
    near = [sdnd106.PLACE(t_off=t).value for t in ("0.1999999", "0.2000001")]
    slope = sdnd106.PLACE(t_off=exact("0.2").varied()).derivative
    assert float(slope) == pytest.approx(float((near[1] - near[0]) / 2e-7), rel=1e-9)
    touching = sdnd106.NUMBER(pull=exact(1500).varied())
    assert "there is no derivative where two regimes meet" in touching.routes[0]


def test_there_is_no_premature_stick():
    motion = sdnd106.HISTORY(**CASE, digits=15)
    times = np.linspace(0.0352, 0.3149, 800)
    velocities = np.array([float(motion("v1", t)) for t in times.tolist()])
    assert velocities.min() > 0
    inner = (times > 0.1) & (times < 0.14)
    assert velocities[inner].min() == pytest.approx(9.2, abs=0.01)


def test_the_motion_has_no_jumps():
    motion = sdnd106.HISTORY(**CASE, digits=20)
    for start, _ in motion.events()[1:]:
        for what in ("x1", "v1", "x2", "v2"):
            before, after = (float(motion(what, start + shift)) for shift in (-1e-13, 1e-13))
            assert before == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"mu_d": "0.4"}, "friction would be larger in motion than at rest"), ({"m1": 0}, "m1 must be positive")],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        sdnd106.BROKEN(**{**CASE, **change})


def test_a_negative_time_is_refused():
    with pytest.raises(ParameterError, match="must be non-negative"):
        sdnd106.HISTORY(**CASE)("x1", -1)


def test_everything_rests_at_the_start():
    assert [float(sdnd106.HISTORY(**CASE)(what, 0)) for what in ("x1", "v1", "x2", "v2")] == [0, 0, 0, 0]
