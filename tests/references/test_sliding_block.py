"""SDND104: every digit of the statement, all regimes and their borders, scaling laws, balances."""

from __future__ import annotations

from decimal import Decimal

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references import sliding_block as block
from veridyn.references import sliding_phases as phases
from veridyn.references.certified import agreeing_digits

PLANE = {"mu": "0.1", "g": 10, "m": 1, "omega": "2*pi"}
WINDOW = {"t_start": 4, "t_end": 12}
NAMES = ("wear_energy", "wear_power", "friction_power")


def case(a0, **changes):
    return {"a0": a0, **PLANE, **changes}


def assert_digits(result, text):
    """The value is the printed one, to one unit of its last digit."""
    with mpmath.workdps(40):
        unit = mpmath.mpf(10) ** Decimal(text).as_tuple().exponent
        assert abs(result.value - mpmath.mpf(text)) <= unit, (result.text(), text)


@pytest.mark.parametrize(
    ("a0", "t_end", "text"),
    [
        ("15", "12", "15.2670995893716138593344827041"),
        ("1.5", "12", "0.40906245101570892172858344359"),
        ("1.01", "12", "2.26164121279786958072355150787e-4"),
        ("15", "11.99", "15.2575217939435623079706786126"),
        ("1.5", "11.99", "0.409103132863510745909126044123"),
        # The statement prints ...802558401053728...; the mean on [4, 12] times 8/7.99 confirms this
        # order of digits, as nothing slips on [11.99, 12].
        ("1.01", "11.99", "2.26447180255105840372821177259e-4"),
    ],
)
def test_wear_power(a0, t_end, text):
    result = block.wear_power(**case(a0), t_start=4, t_end=t_end)
    assert_digits(result, text)
    assert result.digits == 30
    assert result.kind == "quasi-analytical"


@pytest.mark.parametrize("name", NAMES)
def test_stick_wears_nothing(name):
    assert getattr(block, name)(**case("0.99"), **WINDOW).text() == "0"


def test_wear_energy_and_friction_power_follow_from_wear_power():
    power, energy, friction = (
        getattr(block, name)(**case("1.5"), **WINDOW) for name in ("wear_power", "wear_energy", "friction_power")
    )
    with mpmath.workdps(30):
        assert agreeing_digits(8 * power.value, energy.value) >= 29
        assert agreeing_digits(power.value / 10, friction.value) >= 29


@pytest.mark.parametrize(
    ("a0", "times"),
    [
        (
            "15",
            [
                "0.01061820480353984465947349",
                "0.8608692950441043905834409",
                "1.115444938788882310253605",
                "1.824510285565089215164233",
            ],
        ),
        ("1.5", ["0.1161397635993849946273831", "0.5288903861995902929145105"]),
        ("1.01", ["0.2275852745572394939092629", "0.2948740935090801851028677"]),
    ],
)
def test_first_events(a0, times):
    events = block.slip_events(**case(a0), until=2)
    for event, text in zip(events, times, strict=False):
        assert_digits(event.time, text)
    assert block.slip_start(**case(a0)).text() == events[0].time.text()
    assert block.slip_end(**case(a0)).text() == events[1].time.text()


@pytest.mark.parametrize(("a0", "count"), [("15", 24), ("1.5", 47), ("1.01", 48), ("0.99", 0)])
def test_number_of_phase_changes(a0, count):
    assert len(block.slip_events(**case(a0), until=12)) == count


@pytest.mark.parametrize(
    ("a0", "kinds"),
    [
        ("15", ["slip-", "slip+", "slip-", "slip+"]),
        ("1.5", ["slip-", "stick", "slip+", "stick", "slip-"]),
    ],
)
def test_order_of_phases(a0, kinds):
    assert [event.kind for event in block.slip_events(**case(a0), until="2.2")][: len(kinds)] == kinds


@pytest.mark.parametrize(
    ("a0", "regime"), [("15", "slip-slip"), ("1.5", "stick-slip"), ("1.01", "stick-slip"), ("0.99", "stick")]
)
def test_regime(a0, regime):
    result = block.regime(**case(a0))
    assert (result.text(), result.kind, result.digits) == (regime, "classification", None)


def test_eta():
    assert block.eta(**case("1.5")).text() == "0.666666666666666666666666666667"
    assert block.critical_eta().text() == "0.537029272146315076852628394664"


def test_asymptotic_wear_power():
    assert block.asymptotic_wear_power(**case("15")).text() == "15.1146144886113154702072785783"
    assert block.asymptotic_wear_power(**case("15")).kind == "closed form"
    # Stick-slip is periodic at once: the mean over whole periods is the asymptotic one.
    assert_digits(block.asymptotic_wear_power(**case("1.5")), "0.40906245101570892172858344359")
    assert block.asymptotic_wear_power(**case("0.99")).text() == "0"


def test_what_does_not_exist_is_undefined():
    for result in (
        block.slip_start(**case("0.99")),
        block.slip_end(**case("0.99")),
        block.theta(**case("1.5")),
        block.theta(**case("0.99")),
    ):
        assert (result.value, result.digits, result.kind) == (None, None, "undefined")


def test_slips_converge_to_theta():
    last = block.slip_events(**case("15"), until=40)[-1].time
    theta = float(block.theta(**case("15")))
    assert float(last) % 0.5 == pytest.approx(theta, abs=1e-5)


def test_hundred_digits():
    result = block.wear_power(**case("15"), **WINDOW, digits=100)
    assert result.digits == 100
    assert result.text().startswith("15.26709958937161385933448270407195521237198930634078631737")


def test_long_windows_settle_to_the_asymptotic_power():
    limit = float(block.asymptotic_wear_power(**case("15")))
    assert float(block.wear_power(**case("15"), t_start=1000, t_end=2000)) == pytest.approx(limit, rel=1e-13)
    limit = float(block.asymptotic_wear_power(**case("1.5")))
    assert float(block.wear_power(**case("1.5"), t_start=10**6, t_end=2 * 10**6)) == pytest.approx(limit, rel=1e-13)


def test_windows_add_up():
    energies = [
        float(block.wear_energy(**case("15"), t_start=s, t_end=e)) for s, e in ((0, "0.3"), ("0.3", 90), (0, 90))
    ]
    assert energies[0] + energies[1] == pytest.approx(energies[2], rel=1e-14)


def test_a_window_without_slip_wears_nothing():
    result = block.wear_energy(**case("1.5"), t_start="0.53", t_end="0.61")
    assert result.text() == "0"
    assert "sticks throughout the window" in result.routes[0]


def test_a_sliver_of_slip_is_resolved():
    # The slip begins like w = -ω² a0 cos(ωt1) s²/2, s after t1: the energy like s³.
    start = block.slip_start(**case("1.5"), digits=60).value
    with mpmath.workdps(60):
        window = {"t_start": start - mpmath.mpf(10) ** -8, "t_end": start + mpmath.mpf(10) ** -8}
        expected = (
            10 * mpmath.mpf("1.5") * 2 * mpmath.pi * mpmath.cos(2 * mpmath.pi * start) * mpmath.mpf(10) ** -24 / 6
        )
        assert abs(block.wear_energy(**case("1.5"), **window).value / expected - 1) < 1e-6


# --- borders of the regimes


def test_eta_exactly_one_sticks():
    assert block.regime(**case(1)).text() == "stick"
    assert block.regime(**case("3*pi", mu="pi/10", g=30)).text() == "stick"
    assert block.wear_energy(**case(1), **WINDOW).text() == "0"


@pytest.mark.parametrize("excess", ["1e-3", "1e-12", "1e-30"])
def test_just_below_eta_one(excess):
    """The slip lasts 3 cot τ1 to leading order, however short."""
    with mpmath.workdps(80):
        a0 = 1 + mpmath.mpf(excess)
    assert block.regime(**case(a0)).text() == "stick-slip"
    lapse_expected = 3 * (2 * float(excess)) ** 0.5 / (2 * 3.141592653589793)
    with mpmath.workdps(60):
        times = [f(**case(a0), digits=50).value for f in (block.slip_start, block.slip_end)]
        assert float(times[1] - times[0]) == pytest.approx(lapse_expected, rel=0.01)


@pytest.mark.parametrize(("sign", "regime", "changes"), [(-1, "stick-slip", 47), (1, "slip-slip", 24)])
@pytest.mark.parametrize("gap", ["1e-6", "1e-25", "1e-60"])
def test_both_sides_of_the_critical_eta(sign, regime, changes, gap):
    with mpmath.workdps(100):
        a0 = mpmath.sqrt(mpmath.pi**2 + 4) / 2 * (1 + sign * mpmath.mpf(gap))
    assert block.regime(**case(a0)).text() == regime
    assert len(block.slip_events(**case(a0), until=12)) in (changes, changes + 1)
    # There 2 m g a0 √(4 - η²π²)/(ω² T) is m g/π².
    assert float(block.wear_power(**case(a0), **WINDOW)) == pytest.approx(10 / mpmath.pi**2, rel=1e-5)


# --- laws


@given(st.floats(0.2, 40), st.floats(0.01, 2), st.floats(0.1, 20), st.floats(0.1, 50), st.floats(1.1, 9))
@settings(max_examples=15, deadline=None)
def test_scaling_laws(a0, mu, m, omega, c):
    """Wear goes with m; with a0 and μ together, like a0²/ω; a faster plane does the same sooner."""
    p = {"a0": a0, "mu": mu, "g": 2, "m": m, "omega": omega}
    window = {"t_start": 1 / omega, "t_end": 30 / omega}
    faster = {"t_start": 1 / (c * omega), "t_end": 30 / (c * omega)}
    power = float(block.wear_power(**p, **window))
    assert float(block.wear_power(**p | {"m": c * m}, **window)) == pytest.approx(c * power, rel=1e-12)
    scaled = p | {"a0": c * a0, "mu": c * mu}
    assert float(block.wear_power(**scaled, **window)) == pytest.approx(c * power, rel=1e-9)
    assert float(block.wear_power(**p | {"omega": c * omega}, **faster)) == pytest.approx(power / c, rel=1e-9)


@pytest.mark.parametrize("a0", ["15", "1.5", "1.01", "0.99"])
def test_energy_balance(a0):
    """Work of friction on the plane's side = kinetic energy gained + energy dissipated."""
    motion = block.motion(**case(a0), until=3)
    times = [phase.start for phase in motion.phases] + [mpmath.mpf(3)]
    friction = {"slip-": 1, "slip+": -1}
    work = mpmath.mpf(0)
    for phase, begin, end in zip(motion.phases, times, times[1:], strict=False):
        if phase.kind == "stick":
            work += (motion.plate_velocity(end) ** 2 - motion.plate_velocity(begin) ** 2) / 2
        else:
            work += friction[phase.kind] * mpmath.quad(motion.plate_velocity, [begin, end])
    gained = (motion.mass_velocity(3) ** 2 - motion.mass_velocity(0) ** 2) / 2
    dissipated = float(block.wear_energy(**case(a0), t_start=0, t_end=3)) / 10
    assert float(work - gained) == pytest.approx(dissipated, abs=1e-12)


def test_motion():
    motion = block.motion(**case("1.5"), until=2)
    assert motion.relative_velocity(0.05) == 0
    assert motion.mass_velocity(0.05) == motion.plate_velocity(0.05)
    assert motion.relative_velocity(0.3) < 0 < motion.relative_velocity(0.8)
    assert motion.phase(0.55).kind == "stick"
    slid = mpmath.quad(motion.relative_velocity, [motion.phases[1].start, motion.phases[2].start])
    assert float(slid) == pytest.approx(float(motion.relative_displacement(0.55)), rel=1e-12)


# --- refusals


@pytest.mark.parametrize("name", ["a0", "mu", "g", "m", "omega"])
@pytest.mark.parametrize("value", [0, -1, "nan", "", None])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        block.wear_power(**case("1.5") | {name: value}, **WINDOW)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("window", [(12, 4), (4, 4), ("2*pi", 6)])
def test_reversed_windows_are_refused(name, window):
    with pytest.raises(ParameterError, match="window reversed"):
        getattr(block, name)(**case("1.5"), t_start=window[0], t_end=window[1])


@pytest.mark.parametrize("digits", [0, 10000])
@pytest.mark.parametrize("a0", ["1.5", "0.99"])
def test_digits_are_checked_in_every_regime(a0, digits):
    for name in NAMES:
        with pytest.raises(ParameterError, match="digits"):
            getattr(block, name)(**case(a0), **WINDOW, digits=digits)
    with pytest.raises(ParameterError, match="digits"):
        block.slip_events(**case(a0), until=1, digits=digits)


def test_instants_outside_the_motion_are_refused():
    motion = block.motion(**case("1.5"), until=2)
    for t in (-1, "2.001"):
        with pytest.raises(ParameterError, match="t must lie between 0 and 2"):
            motion.mass_velocity(t)


def test_windows_beyond_reach_are_refused():
    with pytest.raises(ParameterError, match="too many half periods away"):
        block.wear_power(**case("1.5"), t_start=0, t_end="1e30")


def test_a_transient_too_long_to_follow_is_refused(monkeypatch):
    monkeypatch.setattr(phases, "MAX_TRANSIENT", 3)
    with pytest.raises(ParameterError, match="more than 3 slips before the motion repeats: shorten the window"):
        block.wear_power(**case("15.25"), t_start=0, t_end=9)
