"""Beam on a stop: roots proved, phases that join, special cases."""

from functools import partial
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from scipy.linalg import expm

import veridyn
from veridyn.references.parameters import Exact, ParameterError, ParameterSet, exact, resolve
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.second_routes.beam_modes import phases
from veridyn.validation_cases.mechanics import test_beam_stop as case

DEFAULT = resolve(case.PARAMETERS, {})
CONTACT = {what: partial(case.of_contact, what) for what in ("touch", "release", "peak", "impulse")}


def given(**changes):
    return resolve(case.PARAMETERS, changes)


def view(values):
    """Return parameters as second routes get them."""
    return ParameterView(ParameterSet(**values), Exact.mpf)


def prove_all(**changes):
    """Return how many contacts there are, and every quantity, by the first route."""
    values = given(**changes)
    count = case.OVER(**values)
    found = [part(n + 1)(**values) for n in range(int(count.value)) for part in CONTACT.values()]
    return count, [*found, case.mid_span(str(values["T"]))(**values), case.ENERGY(**values)]


def all_of(**changes):
    """Return every quantity, confirmed where it exists."""
    count, found = prove_all(**changes)
    return count.confirm(), [each.confirm() for each in found]


def test_phases_join_and_alternate():
    with mpmath.workdps(25):
        found = phases(view(DEFAULT))
        assert [p.closed for p in found] == [k % 2 == 1 for k in range(11)]
        for a, b in pairwise(found):
            assert a.end == b.start
            for f, g in zip(a.states, b.states, strict=True):
                assert abs(f(a.end - a.start) - g(mpmath.mpf(0))) < mpmath.mpf(10) ** -20
            assert abs(a.gap(a.end - a.start)) < mpmath.mpf(10) ** -20


def test_flight_of_one_undamped_looking_mode():
    """Before the first touch mode 1 alone is q'(0)/wd e^{-ξwt} sin wd t."""
    value = float(case.mid_span("0.01")(**given(N=1)))
    w = np.pi**2
    wd = w * np.sqrt(1 - 0.02**2)
    expected = -np.sqrt(2) * 2 * np.sqrt(2) / np.pi / wd * np.exp(-0.02 * w * 0.01) * np.sin(wd * 0.01)
    assert value == pytest.approx(expected, rel=1e-14)


def test_contact_follows_the_matrix_exponential():
    """From touch to release of contact 2 in doubles."""
    with mpmath.workdps(20):
        contact = phases(view(DEFAULT))[3]
        start, end = ([float(f(t)) for f in contact.states[:6]] for t in (mpmath.mpf(0), contact.end - contact.start))
    w, shape = np.array([1.0, 9.0, 25.0]) * np.pi**2, np.sqrt(2) * np.array([1.0, -1.0, 1.0])
    A = np.zeros((7, 7))
    A[:3, 3:6] = np.eye(3)
    A[3:6, :3] = -np.diag(w**2) - 1e4 * np.outer(shape, shape)
    A[3:6, 3:6] = -0.04 * np.diag(w)
    A[3:6, 6] = -1e4 * shape * 0.02
    moved = expm(A * float(contact.end - contact.start)) @ [*start, 1.0]
    assert moved[:6] == pytest.approx(end, rel=1e-9)


@pytest.mark.parametrize(("N", "count"), [(1, 2), (2, 2), (3, 4), (5, 5)])
def test_even_modes_change_nothing_and_odd_ones_do(N, count):
    assert case.OVER(**given(N=N), digits=12).confirm().value == count


def test_energy_only_falls():
    energies = [float(case.ENERGY(**given(T=T, N=3), digits=12)) for T in ("0.03", "0.07", "0.3", "0.5")]
    assert energies == sorted(energies, reverse=True)


def test_a_wide_gap_is_never_closed():
    far = given(gap=1, N=3)
    assert case.OVER(**far, digits=12).value == 0
    assert case.LARGEST(**far, digits=12).value is None
    assert CONTACT["touch"](1)(**far, digits=12).value is None


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"N": "2.5"}, "whole number"),
        ({"N": 99}, "N = 99: beams are proved up to"),
        ({"xi": 1}, "xi = 1: the modes creep"),
    ],
)
def test_bad_parameters(change, match):
    with pytest.raises(ParameterError, match=match):
        veridyn.reference("beam_stop", **change)


def test_beyond_the_end():
    assert case.mid_span("1")(**DEFAULT).routes == ("the motion ends before that instant",)


def test_the_four_numbers_of_a_contact_are_told_apart():
    contacts = int(float(case.OVER(**DEFAULT)))
    kept = [[float(part(i + 1)(**DEFAULT)) for part in CONTACT.values()] for i in range(contacts)]
    assert all(touch < release for touch, release, *_ in kept)
    assert all(a[1] < b[0] for a, b in pairwise(kept))
    assert all(impulse < peak * (release - touch) < 3 * impulse for touch, release, peak, impulse in kept)
    assert float(case.LARGEST(**DEFAULT)) == max(peak for _, _, peak, _ in kept)


@pytest.mark.parametrize(
    ("what", "number", "text"),
    [
        ("touch", 5, "0.461183373170654680612778950668"),
        ("release", 5, "0.475213847985620198698773791246"),
        ("peak", 5, "50.6024514357142749562986422513"),
        ("impulse", 5, "0.434933196259662588584037377571"),
    ],
)
def test_every_digit(what, number, text):
    assert CONTACT[what](number)(**DEFAULT).confirm().text() == text


def test_every_quantity_by_both_routes():
    assert len(all_of()[1]) == 22
    assert case.LARGEST(**DEFAULT).confirm().text() == "70.5557810330731378072241383781"
    assert case.mid_span("0.3")(**DEFAULT).confirm().text() == "0.0883530745586961304794119092164"


@settings(max_examples=6, deadline=None, derandomize=True)
@drawn(st.integers(1, 4), st.floats(0.001, 0.9), st.floats(1, 6), st.floats(1e-3, 0.1), st.integers(-30, 30))
def test_any_beam(N, xi, stiff, gap, scale):
    """Motions of any size: contact does not depend on the scale of gap and speed; the second route has one of them."""
    small, plain = (
        ask(N=N, xi=xi, kc=10**stiff, gap=exact(gap) * exact(f"1e{s}"), v0=f"1e{s}", T="0.3")
        for ask, s in ((all_of, scale), (prove_all, 0))
    )
    assert small[0].value == plain[0].value
    for i in range(int(plain[0].value)):
        assert small[1][4 * i].text() == plain[1][4 * i].text()


@pytest.mark.parametrize("apart", ["1e-10", "1e-40", "1e-200"])
def test_a_gap_about_to_be_grazed(apart):
    """One mode falls to v0 times a known depth: the gap is closed if it is less by however little."""
    with mpmath.workdps(250):
        xi = mpmath.mpf(1) / 50
        depth = 4 / mpmath.pi**3 * mpmath.exp(-xi / mpmath.sqrt(1 - xi**2) * mpmath.acos(xi))
        wide, narrow = (given(N=1, gap=depth * (1 + side * mpmath.mpf(apart))) for side in (1, -1))
    assert case.OVER(**wide).value == 0
    assert case.OVER(**narrow).value == 1


def test_many_contacts_of_a_long_run():
    count, *_ = all_of(N=1, xi="0.001", T=10)
    assert count.value > 25


def test_a_window_that_ends_within_a_contact():
    touch, release = (part(1)(**DEFAULT).value for part in (CONTACT["touch"], CONTACT["release"]))
    inside = given(T=(touch + release) / 2)
    assert case.OVER(**inside).confirm().value == 0
    assert case.ENERGY(**inside).confirm().digits == 30
    assert len(case.HISTORY(**inside).events()) == 2  # the start, and the touch


def test_more_digits_stay_inside():
    coarse, fine = (CONTACT["release"](5)(**DEFAULT, digits=d) for d in (5, 200))
    assert abs(coarse.value - fine.value) <= coarse.radius


def test_derivatives_obey_the_scale():
    """Instants depend on gap over speed alone: gap dt/dgap = -v0 dt/dv0."""
    for number in (1, 5):
        gap, speed = (
            CONTACT["release"](number)(**{**DEFAULT, n: DEFAULT[n].varied()}).derivative for n in ("gap", "v0")
        )
        assert 0.02 * float(gap) == pytest.approx(-float(speed), rel=1e-12)


def test_the_points_of_solvers_see_the_same_beam():
    """Their shapes and velocities, in exact numbers at three points for three modes, give the same contact."""
    parts = 4
    table = np.array(
        [[sympy.sqrt(2) * sympy.sin(sympy.pi * k * i / parts) for k in (1, 2, 3)] for i in range(1, parts)]
    )
    motion = case.make_quantities(lambda o: case.state(o, table, 1, 0.1), case.PARAMETERS[1:5])
    with mpmath.workdps(30):
        assert abs(motion.event("stop_opens")().value - CONTACT["release"](1)(N=3).value) < mpmath.mpf(10) ** -28
