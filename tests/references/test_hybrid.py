"""Motions of general right-hand sides: events, values, counts and extremes against closed forms."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import mpmath
import pytest
from flint import arb

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.references.parameters import ParameterError, exact
from veridyn.references.problems.hybrid import motion
from veridyn.validation_cases.hybrid.test_belt_stick_slip import MOTION as RUBBED
from veridyn.validation_cases.hybrid.test_shaw_holmes import MOTION as STRUCK
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.ode.test_duffing_free import MOTION as RELEASED
from veridyn.validation_cases.ode.test_van_der_pol import cycle

IMPACT = Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"})
BALL = motion(
    InitialValueProblem(
        name="ball",
        states=("y", "v"),
        parameters={"g": "9.81", "h": 1, "e": "0.8"},
        modes=(Mode(name="flight", rates=("v", "-g"), events=(IMPACT,)),),
        initial=("h", 0),
        end=3,
    )
)
TURN = Change(name="turn", guard="v", direction=-1)
DUFFING = motion(
    InitialValueProblem(
        name="duffing",
        states=("x", "v"),
        parameters={"a": 1, "b": 1, "A": 1},
        modes=(Mode(name="free", rates=("v", "-a*x - b*x**3"), events=(TURN,)),),
        initial=("A", 0),
        end=10,
    )
)

STICK = Change(name="release", guard="Fs - x", direction=-1, reset={"v": "vb"}, mode="slip")
SLIP = Change(name="stick", guard="vb - v", direction=-1, reset={"v": "vb"}, mode="stick")
BELT = motion(
    InitialValueProblem(
        name="belt",
        states=("x", "v"),
        parameters={"vb": "0.2", "Fs": "1.5", "Fk": 1},
        modes=(
            Mode(name="stick", rates=("v", 0), events=(STICK,)),
            Mode(name="slip", rates=("v", "Fk - x"), events=(SLIP,)),
        ),
        initial=(0, "vb"),
        end=60,
    )
)
HIT = Change(name="hit", guard="d - x", direction=-1, reset={"x": "d", "v": "-e*v"})
DRIVEN = motion(
    InitialValueProblem(
        name="driven",
        states=("x", "v"),
        parameters={"z": "0.02", "e": "0.8", "d": 1, "W": "1.5", "F": 1},
        modes=(Mode(name="flight", rates=("v", "-x - 2*z*v + F*cos(W*t)"), events=(HIT,)),),
        initial=(0, 0),
        end=30,
    )
)
PIN = motion(
    InitialValueProblem(
        name="pin",
        states=("q", "w"),
        parameters={"m": "1.02", "l": 1, "lp": "0.7", "d": "0.2", "g": "9.81"},
        modes=(
            Mode(
                name="long",
                rates=("w", "-g/l*sin(q) - d/m*w"),
                events=(Change(name="hit", guard="q + pi/12", direction=-1, reset={"w": "w*l/(l-lp)"}, mode="short"),),
            ),
            Mode(
                name="short",
                rates=("w", "-g/(l-lp)*sin(q) - d/m*w"),
                events=(Change(name="leave", guard="q + pi/12", direction=1, reset={"w": "w*(l-lp)/l"}, mode="long"),),
            ),
        ),
        initial=("pi/6", 0),
        end=4,
    )
)
RING = motion(
    InitialValueProblem(
        name="ring",
        states=("q", "w"),
        modes=(
            Mode(
                name="inside",
                rates=("w", "-q**3 + cos(t)"),
                events=(Change(name="hit", guard="q**2 + w**2 - 4 + t/10", reset={"w": "-w/2"}),),
            ),
        ),
        initial=(0, 1),
        end=4,
    )
)

CYCLE = motion(
    InitialValueProblem(
        name="van_der_pol",
        states=("x", "v"),
        parameters={"mu": "1", "a": "2"},
        modes=(
            Mode(
                name="free",
                rates=("v", "mu*(1-x**2)*v-x"),
                events=(
                    Change(name="top", guard="v", direction=-1),
                    Change(name="bottom", guard="v", direction=1),
                ),
            ),
        ),
        initial=("a", 0),
        end=20,
    )
).where("a", "x + a", at=("bottom", 1))


def stuck(number):
    def closed(p):
        gap = p.Fs - p.Fk
        return p.Fs / p.vb + 2 * number * (mpmath.pi - mpmath.atan(gap / p.vb)) + 2 * (number - 1) * gap / p.vb

    return closed


def belt_amplitude(p):
    return mpmath.sqrt((p.Fs - p.Fk) ** 2 + p.vb**2)


def impact(number):
    def closed(p):
        return mpmath.sqrt(2 * p.h / p.g) * (1 + 2 * p.e * (1 - p.e ** (number - 1)) / (1 - p.e))

    return closed


def amplitude(p):
    return 2 * (p.a + p.b * p.A**2), p.b * p.A**2 / (2 * (p.a + p.b * p.A**2))


def period(p):
    return 4 * mpmath.ellipk(amplitude(p)[1]) / mpmath.sqrt(amplitude(p)[0] / 2)


def displacement(time):
    def closed(p):
        square, m = amplitude(p)
        return p.A * mpmath.ellipfun("cn", mpmath.sqrt(square / 2) * time, m=m)

    return closed


TOUCH = Change(name="touch", guard="d - x", direction=-1)
CREST = Change(name="corner", guard="1 - t", direction=-1, mode="down")
TROUGH = Change(name="corner", guard="5/2 - t", direction=-1, mode="level")
TABLE = motion(
    InitialValueProblem(
        name="table",
        states=("x", "v"),
        parameters={"P": 3, "d": "0.6"},
        modes=(
            Mode(
                name="up",
                rates=("v", "P*t - 4*x"),
                events=(TOUCH, CREST),
            ),
            Mode(
                name="down",
                rates=("v", "P - 2*(P + 1)*(t - 1)/3 - 4*x"),
                events=(TOUCH, TROUGH),
            ),
            Mode(name="level", rates=("v", "-1 - 4*x"), events=(TOUCH,)),
        ),
        initial=(0, 0),
        end=5,
    )
)


def ramps(t, p):
    """Return x of the same motion: the response to a load that turns where a line of the table begins."""
    turns = ((p.P, mpmath.mpf(0)), (-2 * (p.P + 1) / 3 - p.P, mpmath.mpf(1)), (2 * (p.P + 1) / 3, mpmath.mpf("2.5")))
    return sum(rate * (t - b - mpmath.sin(2 * (t - b)) / 2) / 4 for rate, b in turns if t > b)


@pytest.mark.parametrize("t", ["0.7", "1.7", "2.5", "4"])
def test_a_load_in_straight_lines_has_its_closed_form(t):
    def closed(p):
        return ramps(mpmath.mpf(t), p)

    found = TABLE.value("x", t, second=closed)
    assert found().confirm().digits == 30
    with mpmath.workdps(40):
        two, one = (closed(SimpleNamespace(P=mpmath.mpf(P))) for P in (2, 1))
        assert abs(found(P=exact(3).varied()).derivative.value - (two - one)) < mpmath.mpf(10) ** -29  # linear in P


@pytest.mark.parametrize("level", ["0.1", "0.6"])
def test_an_event_before_and_after_the_corner_of_a_load(level):
    def touch(p):
        return mpmath.findroot(lambda t: ramps(t, p) - p.d, (0.5, 1.3), solver="anderson")

    assert TABLE.event("touch", 1, second=touch)(d=level).confirm().digits == 30


READINGS = [
    BALL.event("impact", 3, second=impact(3)),
    BALL.event("impact", 3),
    BALL.value("y", at="2"),
    BALL.count("impact", until="2"),
    BALL.largest("y", after=("impact", 1), until=("impact", 2), second=lambda p: p.h * p.e**2),
    BALL.value("v", ("impact", 2), before=True, second=lambda p: -p.e * mpmath.sqrt(2 * p.g * p.h)),
    BALL.closed(lambda p: (2 * p.h / p.g).sqrt(), second=impact(1)),
    DUFFING.event("turn", 2, second=lambda p: 2 * period(p)),
    DUFFING.value("x", "9", second=displacement(9)),
    DUFFING.value("x", "5"),
    DUFFING.smallest("v", until="5", second=lambda p: -mpmath.sqrt(p.a * p.A**2 + p.b * p.A**4 / 2)),
]
MODES = [
    BELT.event("stick", 3, second=stuck(3)),
    BELT.event("stick", 3),
    BELT.largest("x", second=lambda p: p.Fk + belt_amplitude(p)),
    BELT.smallest("v", second=lambda p: -belt_amplitude(p)),
    DRIVEN.event("hit", 5),
    DRIVEN.value("x", "30"),
    PIN.event("leave", 1),
    PIN.value("q", "4"),
    RING.event("hit", 2),
    RING.value("w", ("hit", 1), before=True),
]


@pytest.mark.parametrize("reading", MODES)
def test_modes_resets_and_loads(reading):
    assert reading().confirm().digits == 30


@pytest.mark.parametrize("place", range(len(READINGS)))
def test_readings_agree_with_their_second_route(place):
    for given in ({}, {"e": "0.7"} if place < 7 else {"A": "1.3"}):
        found = READINGS[place](**given).confirm()
        assert found.digits == 30


@pytest.mark.truth
def test_a_limit_cycle_is_proved_to_be_there():
    """Period and amplitude of the van der Pol oscillator with mu = 1."""
    period, amplitude = CYCLE.event("top", 1)().confirm(), CYCLE.value("a", 0)()
    assert period.text().startswith("6.66328685932313")
    assert amplitude.text().startswith("2.008619860874")
    assert period.digits == amplitude.digits == 30


def test_a_derivative_of_the_third_impact():
    third = READINGS[0]
    h = mpmath.mpf(10) ** -12
    slope = third(e=exact("0.8").varied()).derivative
    with mpmath.workdps(40):
        sides = [third(e=mpmath.mpf("0.8") + s * h, digits=40).value for s in (-1, 1)]
        assert abs((sides[1] - sides[0]) / (2 * h) - slope.value) < 1e-20


def test_derivatives_of_nonlinear_motions():
    speed, leave, h = DUFFING.largest("v", 1, 6), PIN.event("leave", 1), mpmath.mpf(10) ** -15
    found, left = (r(**{n: exact(x).varied()}).derivative for r, n, x in ((speed, "A", 1), (leave, "lp", "0.7")))
    with mpmath.workdps(50):
        assert abs(found.value - mpmath.sqrt(mpmath.mpf(8) / 3)) <= found.radius  # v² = A² + b A⁴/2
        sides = [leave(lp=mpmath.mpf("0.7") + s * h, digits=50).value for s in (-1, 1)]
        assert abs((sides[1] - sides[0]) / (2 * h) - left.value) < 1e-26


@pytest.mark.truth
def test_derivatives_of_a_limit_cycle():
    """Those of its period and amplitude, against difference quotients of its second route."""
    mu, h = exact(1).varied(), mpmath.mpf(10) ** -12
    period, amplitude = (
        q(mu=mu, digits=12).derivative for q in (CYCLE.value("2*t", ("bottom", 1)), CYCLE.value("a", 0))
    )
    with mpmath.workdps(30):
        above, below = (cycle(1 + side * h) for side in (1, -1))
        assert abs((above.lapse - below.lapse) / h - period.value) < 1e-11
        assert abs((above.top - below.top) / (2 * h) - amplitude.value) < 1e-11


def test_bits_to_spare_make_a_motion_sharper_and_no_other():
    """At the same precision; it keeps them where a parameter is sought."""
    spared = replace(DUFFING, spare=32)
    plain, sharp = (found.value("x", "7")() for found in (DUFFING, spared))
    assert sharp.radius < plain.radius * 2.0**-28
    assert abs(sharp.value - plain.value) <= plain.radius + sharp.radius
    assert sharp.text() == plain.text()
    assert spared.where("A", "x", ("turn", 1)).spare == 32


def test_linear_phases_do_without_the_compiler():
    """To load it would take longer than the motion."""
    code = "import sys; from {0} import MOTION; MOTION.event('impact', 3)(); assert 'numba' not in sys.modules"
    module = "veridyn.validation_cases.hybrid.test_bouncing_ball"
    assert subprocess.run([sys.executable, "-c", code.format(module)], check=False).returncode == 0


def test_what_a_motion_has_not():
    assert "no event" in BALL.event("impact", 8)(e=1).routes[0]
    with pytest.raises(ParameterError, match="impact"):
        BALL.event("impcat")


def test_motions_that_run_away_or_do_not_exist_are_told_at_the_first_precision():
    """More bits, up to the most, would take ten minutes to say the same."""
    found = DUFFING.value("x", "5")(b="-2")
    assert "grow beyond bounds" in found.routes[0]
    assert "bits" not in found.routes[0]
    with pytest.raises(ParameterError, match="A2 = 1"):
        RELEASED.value("x", "5")(b="-1")
    with pytest.raises(ParameterError, match="n = 2"):
        STRUCK.event("impact")(n="2", W="2.8", e="0.4")
    with pytest.raises(ParameterError, match="needed: F_s >= F_k"):
        RUBBED.event("slip")(F_s="1", F_k="2")


def test_infinitely_many_impacts_end_in_a_word_and_leave_what_comes_before():
    """A driven mass chatters to rest at a stop at 0.3477 s."""
    given = {"m": "1.176", "W": "5.949", "P": "2.028", "gap": "0.07712"}
    case = load_case("rigid_stop")
    truth = {q.name: q.truth(case.values(given)) for q in case.quantities if q.name in ("t_4", "x@0.6")}
    assert float(truth["t_4"].value) == pytest.approx(0.302324527499919)
    assert truth["x@0.6"].value is None
    assert "ever faster about t = 0.3477" in truth["x@0.6"].routes[0]


def test_a_closed_form_is_written_once_for_balls():
    assert isinstance(BALL.closed(lambda p: p.h)().text(), str)
    assert BALL.closed(lambda p: p.h * arb.pi())().text().startswith("3.14159")


KEPLER = motion(
    InitialValueProblem(
        name="kepler",
        states=("x", "y", "u", "v"),
        parameters={"e": "0.99"},
        modes=(Mode(name="orbit", rates=("u", "v", "-x/(x**2+y**2)**(3/2)", "-y/(x**2+y**2)**(3/2)")),),
        initial=("1-e", 0, 0, "sqrt((1+e)/(1-e))"),
        end=2,
    )
)
PENDULUM = motion(
    InitialValueProblem(
        name="pendulum",
        states=("q", "w"),
        parameters={"g": "9.81", "l": 1},
        modes=(Mode(name="swing", rates=("w", "-g/l*sin(q)")),),
        initial=("pi/2", 0),
        end=20,
    )
)


def anomaly(p):
    return mpmath.findroot(
        lambda E: E - p.e * mpmath.sin(E) - 1, (1, 3), solver="anderson", tol=mpmath.eps**2, verify=False
    )


def swing(p):
    half = mpmath.mpf(1) / 2
    phase = mpmath.sqrt(p.g / p.l) * 10 + mpmath.ellipk(half)
    return 2 * mpmath.asin(mpmath.sqrt(half) * mpmath.ellipfun("sn", phase, m=half))


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(
            KEPLER.value("x", "1", second=lambda p: mpmath.cos(anomaly(p)) - p.e, how="Kepler's equation"),
            marks=pytest.mark.truth,
        ),
        PENDULUM.value("q", "10", second=swing, how="elliptic functions"),
    ],
)
def test_near_collisions_and_many_swings(reading):
    assert reading().confirm().digits == 30


def test_a_height_from_the_other_parameters():
    fallen = BALL.knowing(("h",), lambda p: {"h": p.g / 2})
    speed = fallen.value("v", ("impact", 1), before=True, second=lambda p: -p.g)
    assert "h" not in {parameter.name for parameter in fallen.parameters}
    assert fallen.event("impact", second=lambda _: mpmath.mpf(1))().text() == "1.00000000000000000000000000000"
    slope = speed(g=exact("9.81").varied()).derivative
    assert abs(slope.value + 1) <= slope.radius < 1e-30
    with pytest.raises(ParameterError):
        speed(h=1)
