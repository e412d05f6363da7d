"""SDND105: every digit, all regimes, energy, what the law says at its corners."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.parameters import exact
from veridyn.references.problems import buckling_stop as stop

SOFT = {"energy": 4, "plateau": 1, "softening": 1, "d1": 2, "k1": "0.2", "d2": 3, "k2": "0.15", "d3": 4, "k3": "0.125"}
SOFT |= {"d4": 5, "k4": "0.1"}
positive = st.floats(0.1, 10)


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("buckling_time", {}, "0.523598775598298873077107230547"),
        ("largest_crush", {}, "4.00000000000000000000000000000"),
        ("residual_crush", {}, "3.00000000000000000000000000000"),
        ("return_time", {}, "10.4517825469345217300450065812"),
        ("exit_velocity", {}, "-0.707106781186547524400844362105"),
        ("largest_crush", SOFT, "6.50000000000000000000000000000"),
        ("residual_crush", SOFT, "3.10000000000000000000000000000"),
        ("return_stiffness", SOFT, "0.147058823529411764705882352941"),
        ("exit_velocity", SOFT, "-1.30384048104052974291659431149"),
        ("release_time", SOFT, "9.10072881059671270189747076182"),
        ("dissipated_energy", SOFT, "3.15000000000000000000000000000"),
    ],
)
def test_every_digit(name, given, text):
    result = getattr(stop, name)(**given).confirm()
    assert result.text() == text
    assert result.kind == "closed form"


def test_hundred_digits_of_the_return_time():
    result = stop.return_time(digits=100)
    assert result.digits == 100
    with mpmath.workdps(110):
        truth = mpmath.pi / 6 + 2 * mpmath.sqrt(3) + (mpmath.pi + 6) / mpmath.sqrt(2)
        assert abs(result.value - truth) < mpmath.mpf(10) ** -98


def test_the_velocity_of_release_is_not_reached_at_nine_seconds():
    assert stop.velocity(time=9, **SOFT).text() == "-1.30286787052127650144630270673"
    assert stop.velocity(time=10, **SOFT).text() == stop.exit_velocity(**SOFT).text()


@pytest.mark.parametrize("name", ["buckling_time", "largest_crush", "residual_crush", "return_time", "exit_velocity"])
def test_two_masses_are_one_against_a_wall_of_twice_the_stiffness(name):
    assert getattr(stop, name)(bodies=2, k="0.5").text() == getattr(stop, name)().text()


def test_below_the_critical_force_the_stop_is_a_spring():
    soft = {"energy": "0.4"}
    assert stop.buckling_time(**soft).value is None
    assert stop.residual_crush(**soft).text() == stop.dissipated_energy(**soft).text() == "0"
    assert stop.release_time(**soft).text() == "3.14159265358979323846264338328"


@pytest.mark.parametrize("energy", ["0.9", "1.6", "2.2", "3", "9"])
def test_every_phase_may_be_the_last(energy):
    """Plateau, softening (shallow and deep), the force that is left, beyond the table."""
    given = SOFT | {"energy": energy}
    with mpmath.workdps(30):
        largest, residual = (f(**given).value for f in (stop.largest_crush, stop.residual_crush))
        stiffness, exit_velocity = stop.return_stiffness(**given).value, stop.exit_velocity(**given).value
        assert 0 < residual < largest
        assert abs(stiffness * (largest - residual) ** 2 - exit_velocity**2) < mpmath.mpf(10) ** -27


def test_beyond_the_table_the_stiffness_stays():
    stiffness = [float(stop.return_stiffness(**SOFT | {"energy": energy})) for energy in (7, 10)]
    assert stiffness == pytest.approx([0.1, 0.1], rel=1e-14)


lengths = st.just(0.0) | st.floats(0, 3)
NAMES = ("buckling_time", "largest_crush", "largest_time", "residual_crush", "return_stiffness", "release_time")
NAMES += ("exit_velocity", "return_time", "dissipated_energy", "changes_of_phase")


def confirmed(**given):
    return {name: getattr(stop, name)(**given).confirm().text() for name in NAMES}


@given(positive, positive, positive, st.floats(0.1, 1), lengths, lengths)
@settings(max_examples=12, deadline=None)
def test_energy_for_any_parameters(m, energy, k, left, plateau, softening):
    p = {"m": m, "energy": energy, "k": k, "f_post": left, "plateau": plateau, "softening": softening}
    confirmed(**p)
    lost = float(stop.dissipated_energy(**p))
    assert lost == pytest.approx(energy - 0.5 * m * float(stop.exit_velocity(**p)) ** 2, rel=1e-12, abs=1e-14)
    assert 0 <= lost < energy


def test_motion_is_continuous_and_ends_as_certified():
    motion, t = stop.motion(**SOFT), float(stop.largest_time(**SOFT))
    assert float(motion("displacement", str(t))) == pytest.approx(6.5, rel=1e-14)
    assert float(motion("velocity", 20)) == pytest.approx(float(stop.exit_velocity(**SOFT)), rel=1e-14)
    assert float(motion("force", 20)) == 0
    for instant in ("0.36136712", "0.7", "1.2", "9.1007288"):
        before, after = (float(motion("displacement", str(float(instant) + d))) for d in (-1e-8, 1e-8))
        assert after - before == pytest.approx(2e-8 * float(motion("velocity", instant)), abs=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"m": 0}, "^m must be positive"),
        ({"plateau": -1}, "^plateau must be non-negative"),
        ({"bodies": 3}, "bodies must be 1 or 2"),
        ({"f_post": 2}, "f_post = 2 N must not exceed f_crit = 1 N"),
        ({"k1": 1}, "row 1 of the table: total crush"),
        (SOFT | {"d2": "1"}, "row 2 of the table"),
        ({"stiffness": 1}, "unknown parameter 'stiffness'"),
    ],
)
def test_wrong_parameters_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        stop.largest_crush(**given)


def test_negative_time_is_refused():
    with pytest.raises(ParameterError, match="t must be non-negative"):
        stop.motion()("velocity", -1)


@pytest.mark.parametrize("given", [{"m": 2}, {"m": "1/3"}, SOFT, SOFT | {"energy": "2.2", "bodies": 2}])
def test_routes_agree_on_the_velocity_in_every_phase(given):
    for time in ("0.2", 1, 2, "3.1", 4, 7, 12):
        assert stop.velocity(time=time, **given).confirm().digits == 30


def test_precisions_are_nested():
    for name in NAMES:
        low, high = (getattr(stop, name)(digits=digits, **SOFT) for digits in (10, 50))
        assert abs(low.value - high.value) + high.radius <= low.radius * (1 + 1e-9)


def test_a_mass_that_turns_where_the_plateau_ends_has_the_force_of_the_plateau():
    found = confirmed(energy=1, plateau="0.5")
    assert found["buckling_time"] == "0.785398163397448309615660845820"
    assert float(found["largest_crush"]) == 1.5
    assert [float(found[name]) for name in ("return_stiffness", "residual_crush", "exit_velocity")] == [1, 0.5, -1]


@pytest.mark.parametrize("digits", [10, 20, 40])
def test_a_hair_of_energy_tells_the_lines_apart(digits):
    """At the end of the plateau the force falls to half: the stiffness of the return is 1 before, 1/2 after."""
    over, under = "1." + "0" * digits + "1", "0." + "9" * digits
    assert float(confirmed(energy=over, plateau="0.5")["return_stiffness"]) == pytest.approx(0.5, rel=1e-9)
    assert float(confirmed(energy=under, plateau="0.5")["return_stiffness"]) == pytest.approx(1, rel=1e-9)
    assert confirmed(energy="0.4" + "9" * digits)["buckling_time"] == "undefined"
    assert float(confirmed(energy="0.5" + "0" * digits + "1")["buckling_time"]) == pytest.approx(1.5708, rel=1e-3)


def test_corners_of_the_table_are_met_exactly():
    """The largest crush is 8 m, a row of the table; elastic work is exact with pi too."""
    assert confirmed(**SOFT | {"energy": "4.75"})["residual_crush"] == "4.00000000000000000000000000000"
    assert (
        confirmed(energy="pi", k="1", f_crit="pi", f_post="pi/2")["largest_crush"] == "2.50662827463100050241576528481"
    )
    assert stop.buckling_time(energy="2*pi", k="pi/4", f_crit="pi").kind == "undefined"


@pytest.mark.parametrize("scale", ["1e-30", "1e30"])
def test_any_scale(scale):
    e = scale[1:]
    plain, scaled = confirmed(), confirmed(m=scale, energy=f"2{e}", k=scale, f_crit=scale, f_post=f"0.5{e}")
    assert plain["buckling_time"] == scaled["buckling_time"]


def test_a_derivative_is_the_slope():
    near = [stop.return_time(**SOFT | {"energy": e}).value for e in ("3.999999", "4.000001")]
    slope = stop.return_time(**SOFT | {"energy": exact(4).varied()}).derivative
    assert float(slope) == pytest.approx(float((near[1] - near[0]) / 2e-6), rel=1e-9)
    assert "two regimes meet" in stop.largest_crush(energy=exact(1).varied(), plateau="0.5").routes[0]


def test_a_stop_that_turns_on_its_plateau_keeps_the_way_it_went_there():
    assert stop.largest_crush(energy="0.8", plateau=1).text() == "1.30000000000000000000000000000"
    assert stop.residual_crush(energy="0.8", plateau=1).text() == "0.300000000000000000000000000000"
