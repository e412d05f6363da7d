"""SDND104: every digit of the statement, all regimes and their borders, scaling laws, balances."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError, agreeing_digits
from veridyn.references.deadline import OutOfTime, time_limit
from veridyn.references.engine.enclosure import Undecided, ball, precision
from veridyn.references.parameters import Exact, exact, resolve
from veridyn.references.problems import sliding_block as block
from veridyn.references.problems import sliding_phases as phases
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.second_routes import sliding_closed as closed
from veridyn.validation_cases.mechanics.sdnd104 import statement

TIMES = {"slip_start": statement.SLIP_START, "slip_end": statement.SLIP_END}
WEAR = {
    "wear_energy": statement.WEAR_ENERGY,
    "wear_power": statement.WEAR_POWER,
    "friction_power": statement.FRICTION_POWER,
}
PLANE = {"mu": "0.1", "g": 10, "m": 1, "omega": "2*pi"}
WINDOW = {"t_start": 4, "t_end": 12}
NAMES = ("wear_energy", "wear_power", "friction_power")


def case(a0, **changes):
    return {"a0": a0, **PLANE, **changes}


def changes(parameters, until, **digits):
    """Return the changes of phase up to an instant, followed one by one."""
    return statement.CHANGES(**parameters, t_start=0, t_end=until, **digits)


def made(given):
    return phases.Block(**resolve(block.BLOCK, given))


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
@pytest.mark.parametrize("wear_power", [statement.WEAR_POWER, block.wear_power])
def test_wear_power(wear_power, a0, t_end, text):
    result = wear_power(**case(a0), t_start=4, t_end=t_end).confirm()
    assert_digits(result, text)
    assert result.digits == 30
    assert result.kind == "quasi-analytical"


@pytest.mark.parametrize("name", NAMES)
def test_stick_wears_nothing(name):
    assert getattr(block, name)(**case("0.99"), **WINDOW).text() == "0"
    assert WEAR[name](**case("0.99"), **WINDOW).confirm().text() == "0"


def test_wear_energy_and_friction_power_follow_from_wear_power():
    power, energy, friction = (
        WEAR[name](**case("1.5"), **WINDOW) for name in ("wear_power", "wear_energy", "friction_power")
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
    events = changes(case(a0), 2)
    for event, text in zip(events, times, strict=False):
        assert_digits(event.time.confirm(), text)
    for reference, event in zip((statement.SLIP_START, statement.SLIP_END), events, strict=False):
        assert reference(**case(a0)).confirm().text() == event.time.text()
    assert block.slip_start(**case(a0)).text() == events[0].time.text()
    assert block.slip_end(**case(a0)).text() == events[1].time.text()


@pytest.mark.parametrize(("a0", "count"), [("15", 24), ("1.5", 47), ("1.01", 48), ("0.99", 0)])
def test_number_of_phase_changes(a0, count):
    assert len(changes(case(a0), 12)) == count


@pytest.mark.parametrize(
    ("a0", "kinds"),
    [
        ("15", ["slip-", "slip+", "slip-", "slip+"]),
        ("1.5", ["slip-", "stick", "slip+", "stick", "slip-"]),
    ],
)
def test_order_of_phases(a0, kinds):
    assert [event.kind for event in changes(case(a0), "2.2")][: len(kinds)] == kinds


@pytest.mark.parametrize(
    ("a0", "regime"), [("15", "slip-slip"), ("1.5", "stick-slip"), ("1.01", "stick-slip"), ("0.99", "stick")]
)
def test_regime(a0, regime):
    result = block.regime(**case(a0))
    assert (result.text(), result.kind, result.digits) == (regime, "classification", None)


def test_critical_eta():
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
        statement.SLIP_START(**case("0.99")),
        statement.SLIP_END(**case("0.99")),
        block.theta(**case("1.5")),
        block.theta(**case("0.99")),
    ):
        assert (result.value, result.digits, result.kind) == (None, None, "undefined")


def test_slips_converge_to_theta():
    last = changes(case("15"), 40)[-1].time
    theta = float(block.theta(**case("15")))
    assert float(last) % 0.5 == pytest.approx(theta, abs=1e-5)


@pytest.mark.parametrize("wear_power", [statement.WEAR_POWER, block.wear_power])
def test_hundred_digits(wear_power):
    result = wear_power(**case("15"), **WINDOW, digits=100).confirm()
    assert result.digits == 100
    assert result.text().startswith("15.26709958937161385933448270407195521237198930634078631737")


def test_a_thousand_digits_of_every_regime():
    for a0 in ("15", "1.5", "1.01"):
        short, long = (block.wear_power(**case(a0), **WINDOW, digits=n) for n in (30, 1000))
        assert long.digits == 1000
        assert abs(short.value - long.value) <= short.radius


@pytest.mark.parametrize(("a0", "until"), [("15", 60), ("2.5", 40), ("1.86", 40), ("1.5", 20), ("1.01", 20)])
def test_second_route_of_every_change(a0, until):
    """Kinds, number and instants: the march decides for itself what follows."""
    events = changes(case(a0), until)
    with mpmath.workdps(50):
        other = closed.changes(ParameterView(made(case(a0)), Exact.mpf), mpmath.mpf(until))
        assert [kind for _, kind in other] == [event.kind for event in events]
        assert all(agreeing_digits(t, e.time.value) >= 30 for (t, _), e in zip(other, events, strict=True))


SECOND = ("slip_start", "slip_end", "theta", "asymptotic_wear_power")


@given(eta=st.floats(0.05, 0.9999), begin=st.floats(0, 40), lasts=st.floats(1e-3, 60), scale=st.floats(1e-30, 1e30))
@settings(max_examples=12, deadline=None)
def test_second_route_anywhere(eta, begin, lasts, scale):
    given = {"a0": scale, "mu": "0.3", "g": exact(eta) * exact(scale), "m": 2, "omega": 3}
    given["g"] = given["g"] / exact("0.3")
    window = {"t_start": begin, "t_end": exact(exact(begin).rational + exact(lasts).rational)}
    for name in SECOND:
        getattr(block, name)(**given).confirm(name)
    for name in NAMES:
        assert getattr(block, name)(**given, **window).confirm(name).digits == 30


@given(eta=st.floats(0.01, 0.999), digits=st.integers(5, 60), end=st.floats(1, 1000))
@settings(max_examples=12, deadline=None)
def test_few_digits_hold_many(eta, digits, end):
    given = {"a0": 1, "mu": eta, "g": 1, "m": 1, "omega": 1, "t_start": "0.9", "t_end": end}
    few, many = (block.wear_energy(**given, digits=n) for n in (digits, 2 * digits + 20))
    with mpmath.workdps(200):
        assert abs(few.value - many.value) <= few.radius + many.radius


def test_long_windows_settle_to_the_asymptotic_power():
    limit = float(block.asymptotic_wear_power(**case("15")))
    late = block.wear_power(**case("15"), t_start=1000, t_end=2000)
    assert float(late) == pytest.approx(limit, rel=1e-13)
    limit = float(block.asymptotic_wear_power(**case("1.5")))
    assert float(block.wear_power(**case("1.5"), t_start=10**6, t_end=2 * 10**6)) == pytest.approx(limit, rel=1e-13)


@pytest.mark.parametrize("a0", ["5", "1.9", "1.5"])
@pytest.mark.parametrize("window", [(50, "50.37"), (60, 100), ("499999999990.1", "499999999999.7"), (0, 10**11)])
def test_late_windows_are_not_compared_with_themselves(a0, window):
    """Beyond any march the first route has a bound, the second slips that repeat to its last digit."""
    assert block.wear_energy(**case(a0), t_start=window[0], t_end=window[1]).confirm().digits == 30


def test_the_limit_is_within_its_bound():
    """A motion followed until the bound of the distance from theta is the last bit."""
    b = made(case("5"))
    with precision(96):
        last = phases.slips(b, 0, 10**6).followed[-1].begin
        assert len(phases.slips(b, 0, 10**6).followed) < 400
        assert abs(last - phases.theta(ball(b.eta))) < arb(2) ** -85
        assert phases.slips(b, 10**6, 10**6).followed == ()
    with precision(192):  # sharper: the distances are those that are bounded, not rounding
        starts = [slip.begin for slip in phases.slips(b, 0, 200).followed]
        limit, eta = phases.theta(ball(b.eta)), ball(b.eta)
        assert all(
            abs(start - limit) < (-2 * eta * (k - 1)).exp() / (2 * eta) * (limit - eta.asin())
            for k, start in enumerate(starts)
            if k
        )
        assert all((x - limit) * (y - limit) < 0 and abs(y - limit) < abs(x - limit) for x, y in pairwise(starts[:80]))


@pytest.mark.parametrize("name", ["a0", "omega", "t_start"])
@pytest.mark.parametrize(
    ("a0", "window"), [("15", (4, 12)), ("1.5", (4, 12)), ("5", (1, 3000)), ("5", (9000, "9000.3"))]
)
def test_derivatives(name, a0, window):
    """Against a difference quotient in 60 digits; late ones are those of the limit within a bound."""
    given = {k: exact(v) for k, v in case(a0, omega=2, t_start=window[0], t_end=window[1]).items()}
    found = block.wear_power(**given | {name: given[name].varied()}).derivative
    step = exact("1e-25")
    low, high = (
        block.wear_power(**given | {name: exact(given[name].rational + s * step.rational)}, digits=70).value
        for s in (-1, 1)
    )
    with mpmath.workdps(60):
        assert agreeing_digits(found.value, (high - low) / (2 * step.mpf())) >= 28


def test_derivatives_of_starts_are_within_their_bound():
    b = made({k: exact(v) for k, v in case("5").items()} | {"a0": exact(5).varied()})
    with precision(192):
        eta, starts = ball(b.eta), [slip.begin for slip in phases.slips(b, 0, 150).followed]
        distances = [abs(start - phases.theta(eta)).slope / eta.slope for start in starts]
        bound = [60 * (-eta.value * k).exp() / eta.value**7 for k in range(len(starts))]
        assert all(abs(d) < most for d, most in zip(distances[1:], bound[1:], strict=True))
        assert abs(distances[100]) > arb(2) ** -100  # not rounding


@pytest.mark.parametrize("shift", ["0.1", "1e-20", "-1.3"])
def test_a_number_that_is_no_root_proves_nothing(monkeypatch, shift):
    """However wrong the number near the root, the enclosure is right or there is none."""
    with precision(128):
        eta = arb(2) / 3
        right = phases.slip_from(eta, eta.asin()).half
        monkeypatch.setattr(phases, "_near", lambda *_: right.mid() + arb(shift))
        try:
            assert phases.slip_from(eta, eta.asin()).half.overlaps(right)
        except Undecided:
            assert shift != "1e-20"
    trivial = arb(2) ** -200  # G vanishes where the slip begins, too
    monkeypatch.setattr(phases, "_near", lambda *_: trivial)
    with precision(128), pytest.raises(Undecided):
        phases.slip_from(eta, eta.asin())


def test_a_start_that_is_known_too_roughly_proves_no_end():
    with precision(128):
        eta = arb(1) / 5
        wide, wider = (phases.theta(eta) + arb(0, radius) for radius in (0.1, 0.15))
        assert phases.slip_from(eta, wide).half.contains(arb.pi() / 2)
        with pytest.raises(Undecided):
            phases.slip_from(eta, wider)


def test_a_wrong_slip_is_found_by_the_other_route(monkeypatch):
    monkeypatch.setattr(phases.Slip, "following", lambda slip: slip.end - arb.pi() + arb(2) ** -60)
    with pytest.raises(CertificationError):
        block.wear_power(**case("15.001"), **WINDOW).confirm()


def test_windows_add_up():
    energies = [
        float(block.wear_energy(**case("15"), t_start=s, t_end=e)) for s, e in ((0, "0.3"), ("0.3", 90), (0, 90))
    ]
    assert energies[0] + energies[1] == pytest.approx(energies[2], rel=1e-14)


def test_a_window_without_slip_wears_nothing():
    assert block.wear_energy(**case("1.5"), t_start="0.53", t_end="0.61").confirm().text() == "0"


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


def test_a_window_may_end_exactly_where_slip_begins():
    """asin(1/2) = pi/6: no precision tells the two, algebra does."""
    half = case(2, omega=1)
    assert block.wear_energy(**half, t_start=0, t_end="pi/6").confirm().text() == "0"
    assert block.slips_begun(**half, t_end="pi/6").value == 1
    after = block.wear_energy(**half, t_start="pi/6", t_end=2).confirm().text()
    assert after == block.wear_energy(**half, t_start=0, t_end=2).text()


@pytest.mark.parametrize("excess", ["1e-3", "1e-12", "1e-30", "1e-120"])
def test_just_below_eta_one(excess):
    """The slip lasts 3 cot τ1 to leading order, however short."""
    with mpmath.workdps(300):
        a0 = 1 + mpmath.mpf(excess)
    assert block.regime(**case(a0)).text() == "stick-slip"
    lapse_expected = 3 * (2 * float(excess)) ** 0.5 / (2 * 3.141592653589793)
    assert block.wear_power(**case(a0), **WINDOW).confirm().digits == 30
    with mpmath.workdps(150):
        times = [f(**case(a0), digits=140).value for f in (block.slip_start, block.slip_end)]
        assert float(times[1] - times[0]) == pytest.approx(lapse_expected, rel=0.01)


def make_critical(sign, gap):
    """Return a0 so near to the critical one, on one side."""
    with mpmath.workdps(500):
        return mpmath.sqrt(mpmath.pi**2 + 4) / 2 * (1 + sign * mpmath.mpf(gap))


@pytest.mark.parametrize(("sign", "count"), [(-1, 47), (1, 24)])
@pytest.mark.parametrize("gap", ["1e-6", "1e-12"])
def test_changes_of_phase_on_both_sides_of_the_critical_eta(sign, count, gap):
    assert len(changes(case(make_critical(sign, gap)), 12)) in (count, count + 1)


@pytest.mark.parametrize(("sign", "regime"), [(-1, "stick-slip"), (1, "slip-slip")])
@pytest.mark.parametrize("gap", ["1e-6", "1e-25", "1e-60", "1e-400"])
def test_both_sides_of_the_critical_eta(sign, regime, gap):
    a0 = make_critical(sign, gap)
    assert block.regime(**case(a0)).text() == regime
    # There 2 m g a0 √(4 - η²π²)/(ω² T) is m g/π².
    assert float(block.wear_power(**case(a0), **WINDOW).confirm()) == pytest.approx(10 / mpmath.pi**2, rel=1e-5)


# --- slips followed one by one, as solvers are asked for them, against those of the closed form


@given(eta=st.floats(0.05, 0.9999), begin=st.floats(0, 20), lasts=st.floats(1e-3, 20), scale=st.floats(1e-9, 1e9))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_what_is_followed_is_what_the_closed_form_has(eta, begin, lasts, scale):
    given = {"a0": scale, "mu": "0.3", "g": exact(eta) * exact(scale) / exact("0.3"), "m": 2, "omega": 3}
    window = {"t_start": begin, "t_end": exact(exact(begin).rational + exact(lasts).rational)}
    with mpmath.workdps(40):
        for name in NAMES:
            followed, closed_form = WEAR[name](**given, **window).confirm(), getattr(block, name)(**given, **window)
            assert followed.digits == closed_form.digits == 30 or followed.text() == closed_form.text() == "0"
            assert abs(followed.value - closed_form.value) <= followed.radius + closed_form.radius
        for name, reference in TIMES.items():
            assert reference(**given).text() == getattr(block, name)(**given).text()


@pytest.mark.parametrize("name", ["a0", "omega", "t_start"])
@pytest.mark.parametrize("a0", ["15", "1.5"])
def test_derivatives_of_what_is_followed(name, a0):
    parameters = {k: exact(v) for k, v in case(a0, omega=2, **WINDOW).items()}
    parameters |= {name: parameters[name].varied()}
    slopes = [wear(**parameters).derivative for wear in (statement.WEAR_POWER, block.wear_power)]
    with mpmath.workdps(40):
        assert agreeing_digits(slopes[0].value, slopes[1].value) >= 29


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
    motion = statement.HISTORY(**case(a0), digits=20)

    def plate(t):
        return motion("plate_velocity", t)

    events = [(event.time.value, event.kind) for event in changes(case(a0), 3)]
    phases_ = [(mpmath.mpf(0), "stick"), *events, (mpmath.mpf(3), "end")]
    friction = {"slip-": 1, "slip+": -1}
    work = mpmath.mpf(0)
    for (begin, kind), (end, _) in pairwise(phases_):
        if kind == "stick":
            work += (plate(end) ** 2 - plate(begin) ** 2) / 2
        else:
            work += friction[kind] * mpmath.quad(plate, [begin, end], maxdegree=4)
    gained = (motion("mass_velocity", 3) ** 2 - motion("mass_velocity", 0) ** 2) / 2
    dissipated = float(statement.WEAR_ENERGY(**case(a0), t_start=0, t_end=3)) / 10
    assert float(work - gained) == pytest.approx(dissipated, abs=1e-12)


@pytest.mark.parametrize("a0", ["15", "1.5"])
def test_motion(a0):
    motion = statement.HISTORY(**case(a0))
    assert motion("relative_velocity", 0.01) == 0
    assert motion("mass_velocity", 0.01) == motion("plate_velocity", 0.01)
    assert motion("relative_velocity", 0.3) < 0 < motion("relative_velocity", 1.01)
    start, end = (event.time.value for event in changes(case(a0), 2)[:2])
    slid = mpmath.quad(lambda t: motion("relative_velocity", t), [start, end], maxdegree=4)
    assert float(slid) == pytest.approx(float(motion("relative_displacement", end)), rel=1e-12)
    path = block.wear_energy(**case(a0), t_start=0, t_end=end).value / 10
    assert float(path) == pytest.approx(-float(slid), rel=1e-12)


def test_the_displacement_goes_to_and_fro():
    motion = statement.HISTORY(**case("1.5"))
    back = [float(motion("relative_displacement", t)) for t in ("0.05", "1.05", "2.05")]
    assert back == pytest.approx([0, 0, 0], abs=1e-25)
    ahead = [float(motion("relative_displacement", t)) for t in ("0.55", "1.55")]
    assert ahead[0] == pytest.approx(ahead[1], rel=1e-15)
    assert ahead[0] < -0.01


@pytest.mark.parametrize("a0", ["15", "1.5", "0.99"])
@pytest.mark.parametrize("until", ["0.005", "0.3", "0.87", "7.3"])
def test_slips_are_counted_as_they_begin(a0, until):
    slips = [event for event in changes(case(a0), until) if event.kind != "stick"]
    assert block.slips_begun(**case(a0), t_end=until).value == len(slips)


def test_a_million_million_slips_are_counted():
    assert block.slips_begun(**case("1.5"), t_end="499999999999.7").value == 10**12 - 1 + 1


# --- refusals


@pytest.mark.parametrize("name", ["a0", "mu", "g", "m", "omega"])
@pytest.mark.parametrize("value", [0, -1, "nan", "", None])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=name):
        block.wear_power(**case("1.5") | {name: value}, **WINDOW)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("window", [(12, 4), (4, 4), ("2*pi", 6)])
def test_reversed_windows_are_refused(name, window):
    with pytest.raises(ParameterError):
        getattr(block, name)(**case("1.5"), t_start=window[0], t_end=window[1])


@pytest.mark.parametrize("digits", [0, 10000])
@pytest.mark.parametrize("a0", ["1.5", "0.99"])
def test_digits_are_checked_in_every_regime(a0, digits):
    for name in NAMES:
        with pytest.raises(ParameterError, match="digits"):
            getattr(block, name)(**case(a0), **WINDOW, digits=digits)
    with pytest.raises(ParameterError, match="digits"):
        changes(case(a0), 1, digits=digits)


def test_windows_beyond_reach_are_refused():
    with pytest.raises(ParameterError, match="too many"):
        block.wear_power(**case("1.5"), t_start=0, t_end="1e30")


def test_motions_too_long_to_follow_are_refused():
    with pytest.raises(ParameterError, match="20000"):
        block.wear_power(**case("1e9"), t_start=0, t_end=20000)
    with pytest.raises(OutOfTime), time_limit(1):
        changes(case("1.5"), 20000)
