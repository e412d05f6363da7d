"""SDND102, SDND121: every contact of a driven oscillator with a stop, for any parameters."""

from __future__ import annotations

import math
from itertools import pairwise

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Exact, resolve
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.second_routes import impact_phases
from veridyn.references.second_routes.impact_phases import growth
from veridyn.references.second_routes.roots import sign_changes
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.measures import struck_oscillator as impacts
from veridyn.validation_cases.mechanics import test_sdnd102 as earthquake

FORCED = {"m": 156, "k": "2e6", "kc": "1e10", "gap": "1e-3", "F": 3000, "Omega": "10*pi", "t_end": 4}
SHAKEN = {"m": 25, "k": "98696", "xi": "0.07", "kc": "5.76e7", "gap": "5e-4", "a": 1, "Omega": "20*pi", "t_end": 1}
RELATIVE = SHAKEN | {"xi": 0, "wall": 0, "t_end": "0.5"}
SHORT = FORCED | {"t_end": "0.1"}
RATES = impacts.MOTION.history(displacement="x", rate="v_x")


def instants(digits=30, **parameters):
    return [time for time, _ in impacts.HISTORY(**parameters, digits=digits).events()[1:]]


@pytest.mark.parametrize(
    ("quantity", "parameters", "text"),
    [
        (impacts.instant(1), SHORT, "0.0248678755670894020418212826252"),
        (impacts.instant(2), SHORT, "0.0252605179277595676584793971364"),
        (impacts.peak_force(1), SHORT, "105794.335576604117912500404459"),
        (impacts.displacement("0.5"), SHAKEN, "-7.02147531278001716480857750300e-5"),
        (impacts.displacement("1"), SHAKEN, "-0.000108559126593218740304641446047"),
        (impacts.force("0.376"), SHAKEN, "601.674945716010174479496926134"),
        (impacts.largest_force, SHAKEN, "1120.34512287598070524607986715"),
        (impacts.displacement("0.1"), RELATIVE, "-1.54149934482685817366774564868e-5"),
        (impacts.displacement("0.5"), RELATIVE, "-0.000401141370582612447411355505235"),
    ],
)
def test_every_digit(quantity, parameters, text):
    result = quantity(**parameters).confirm()
    assert result.text() == text
    assert result.kind == "quasi-analytical"
    assert len(result.routes) == 2


@pytest.mark.parametrize(("parameters", "count"), [(SHORT, 3), (SHAKEN, 10), (RELATIVE, 4)])
def test_number_of_contacts(parameters, count):
    assert impacts.ENDED(**parameters).confirm().value == count
    assert len(instants(**parameters)) == 2 * count


def test_a_long_run_in_every_digit():
    assert len(instants(**FORCED)) == 140
    assert impacts.instant(140)(**FORCED).text() == "3.88691655883278193890805919090"
    assert impacts.largest_force(**FORCED).text() == "231971.904950903143366463089516"


def test_a_hundred_digits_begin_with_the_thirty():
    short, long = (impacts.instant(3)(digits=n, **SHAKEN | {"t_end": "0.2"}) for n in (30, 100))
    assert long.digits == 100
    assert long.text().startswith(short.text()[:-1])


def energy(motion, t, m, k, kc, gap):
    """Return the mechanical energy where no support moves."""
    x, v = motion("displacement", t), motion("rate", t)
    return m * v**2 / 2 + k * x**2 / 2 + kc * max(x - gap, mpmath.mpf(0)) ** 2 / 2


@pytest.mark.truth
@given(kc=st.floats(1e3, 1e7), gap=st.floats(0.05, 0.5), Omega=st.floats(0.5, 20.0))
@example(kc=354706.0, gap=0.162109375, Omega=0.5)  # 27 contacts, in which errors grow by eight digits and more
@settings(max_examples=4, deadline=None)
def test_energy_is_what_the_load_puts_in(kc, gap, Omega):
    p = {"m": 2, "k": 200, "kc": kc, "gap": gap, "F": 100, "Omega": Omega, "t_end": 2}
    motion = RATES(digits=15, **p)
    with mpmath.workdps(15):
        times = [mpmath.mpf(t) for t in (0, *(float(i) for i in instants(digits=15, **p)), 2)]
        power = [
            mpmath.quad(
                lambda t: 100 * mpmath.sin(Omega * t) * motion("rate", t),
                mpmath.linspace(a, b, 5),
                method="gauss-legendre",
            )
            for a, b in pairwise(times)
        ]
        assert abs(energy(motion, 2, 2, 200, kc, gap) - sum(power)) < 1e-10 * 200


def test_touch_and_release_alternate_on_the_stop():
    motion = impacts.MOTION.history(gap="gap_stop", rate="absolute_v_x")(digits=30, **SHAKEN)
    for number, t in enumerate(instants(**SHAKEN)):
        with mpmath.workdps(30):
            assert abs(motion("gap", t)) < mpmath.mpf(10) ** -29
        assert (motion("rate", t) > 0) == (number % 2 == 0)


def test_of_the_peaks_of_a_slow_contact_the_largest_counts():
    """A soft stop that is struck by a fast load: the force rises and falls twice, 15.5 N and 3.9 N high."""
    soft = {"m": 1, "k": 1, "kc": 10, "gap": "0.5", "F": 40, "Omega": 10, "t_end": 2, "digits": 12}
    touch, release = map(float, instants(**soft))
    motion = impacts.HISTORY(**soft)
    seen = [float(motion("force", touch + (release - touch) * k / 400)) for k in range(1, 400)]
    assert [b > max(a, c) for a, b, c in zip(seen, seen[1:], seen[2:], strict=False)].count(True) == 2
    assert float(impacts.peak_force(1)(**soft)) == pytest.approx(max(seen), rel=1e-4)


def test_a_fast_oscillator_under_a_slow_load_trembles_into_the_stop_twice():
    """Contacts of half a radian of the oscillator, a fifteenth of one of the load: no step may pass over them."""
    slow = {"m": 1, "k": 8000, "kc": "1e5", "gap": "0.0133", "F": 100, "Omega": 10, "t_end": "0.3", "digits": 12}
    times = [float(t) for t in instants(**slow)]
    assert [b - a for a, b in pairwise(times)] == pytest.approx([0.006, 0.053, 0.007], abs=5e-4)


def test_a_free_oscillator_in_resonance_grows_linearly():
    """x = F/(2 m w²) (sin wt - wt cos wt), where the particular solution of other frequencies is infinite."""
    p = {"m": 2, "k": 18, "kc": 1, "gap": 1000, "F": 5, "Omega": 3, "t_end": 10}
    x = impacts.displacement("10")(**p).value
    with mpmath.workdps(30):
        truth = mpmath.mpf(5) / 36 * (mpmath.sin(30) - 30 * mpmath.cos(30))
        assert abs(x / truth - 1) < mpmath.mpf(10) ** -28
    assert instants(**p) == []
    assert impacts.largest_force(**p).value is None


def test_a_phase_is_searched_up_to_an_instant_that_rounding_puts_before_it(monkeypatch):
    """Start plus lapse is less than the instant here, at one of the precisions: the search went on for ever."""

    def proper(*args):
        start, end = args[2:4]
        assert start < end
        return sign_changes(*args)

    monkeypatch.setattr(impact_phases, "sign_changes", proper)
    other = {"m": "23.53", "k": "1.04e5", "xi": "0.06622", "kc": "5.327e7", "gap": "6.845e-4", "a": "0.6359"}
    ending = {"Omega": "53.57", "t_end": "0.8908"}
    assert impacts.displacement("0.8")(**(SHAKEN | other | ending)).confirm().digits == 30


def test_two_frames_differ_by_the_motion_of_the_support():
    far = SHAKEN | {"gap": 1, "t_end": "0.1"}
    absolute, relative = (impacts.displacement("0.03")(**far, wall=w).value for w in (1, 0))
    driven = -math.sin(20 * math.pi * 0.03) / (20 * math.pi) ** 2
    assert float(absolute - relative) == pytest.approx(driven, rel=1e-14)


def test_a_grazed_stop_is_not_certified():
    third = mpmath.mpf(1) / 3

    def parabola(tau):
        return (tau - third) ** 2, 2 * (tau - third)

    ends = mpmath.mpf(0), mpmath.mpf(1)
    with pytest.raises(CertificationError, match="touched without crossing"):
        list(sign_changes(parabola, lambda *_: (2, mpmath.mpf(1)), *ends, parabola(ends[0]), "graze"))


def test_a_brief_visit_between_two_samples_is_found():
    dip, width = mpmath.mpf("0.777"), mpmath.mpf("1e-8")

    def f(tau):
        return (tau - dip) ** 2 - width**2, 2 * (tau - dip)

    with mpmath.workdps(40):
        ends = mpmath.mpf(0), mpmath.mpf(1)
        roots = list(sign_changes(f, lambda *_: (2, mpmath.mpf(1)), *ends, f(ends[0]), "dip"))
        assert [float(r - dip) for r in roots] == pytest.approx([-1e-8, 1e-8], rel=1e-12)


def test_growth_sees_any_stretch():
    double, halve = ((2.0, 0.0), (0.0, 2.0)), ((0.5, 0.0), (0.0, 0.5))
    assert growth([halve, double, halve], 1.0) == pytest.approx(2 * math.sqrt(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": 0}, "^m must be positive"),
        ({"gap": -1}, "^gap must be positive"),
        ({"xi": 1}, "xi = 1: the mass creeps"),
        ({"wall": "0.5"}, "wall = 0.5: the stop stands still, or moves"),
        ({"mass": 1}, "unknown parameter 'mass'"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(ParameterError, match=message):
        impacts.instant(1)(**SHAKEN | change)


def test_what_does_not_exist_is_undefined():
    early = SHAKEN | {"t_end": "0.05"}
    assert impacts.instant(1)(**early).value is None
    assert impacts.peak_force(1)(**early).value is None
    assert impacts.largest_force(**early).value is None
    assert impacts.force("0.01")(**early).routes == ("the stop is not touched at t = 0.01 s",)
    assert impacts.displacement("0.1")(**early).value is None


def test_a_contact_that_is_not_there_is_undefined():
    assert impacts.peak_force(3)(**SHORT).value is not None
    assert impacts.peak_force(4)(**SHORT).text() == "undefined"
    assert impacts.instant(7)(**SHORT).text() == "undefined"


def test_closed_phases_between_proved_instants_are_those_of_the_second_route():
    p = ParameterView(impacts.MOTION.record(**resolve(impacts.MOTION.parameters, SHAKEN | {"t_end": "0.4"})), Exact.mpf)
    with mpmath.workdps(30):
        ours_all = impacts.closed_phases(**SHAKEN | {"t_end": "0.4"})
        for ours, theirs in zip(ours_all, impact_phases.march(p), strict=True):
            assert ours.touching == theirs.touching
            assert abs(ours.start - theirs.start) < mpmath.mpf(10) ** -25
            assert abs(ours.v0 - theirs.v0) < mpmath.mpf(10) ** -22
            assert abs(ours.x0 - theirs.x0) < mpmath.mpf(10) ** -22


def test_two_masses_that_strike_each_other_move_as_one_before_the_wall():
    """Both problems are proved: what symmetry says is not assumed."""
    case = load_case("sdnd102")
    pair = make_quantities(earthquake.state_pair, case.parameters)
    short = {"t_end": "0.3"}
    for number, name in ((1, "stop_closes"), (2, "stop_opens")):
        one = impacts.instant(2 + number)(**SHAKEN | short)
        assert pair.event(name, 2)(**short).text() == one.text()
    place = impacts.displacement("0.25")(**SHAKEN | short).text()
    assert pair.value("absolute_x1", "0.25")(**short).text() == place
    assert pair.value("-absolute_x2", "0.25")(**short).text() == place


def test_the_engine_proves_what_solvers_of_sdnd121_get():
    case = load_case("sdnd121")
    own = make_quantities(impacts.state, case.parameters)
    assert own.event("stop_opens", 3)(t_end="0.1").text() == impacts.instant(6)(**SHORT).text()
