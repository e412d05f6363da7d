"""SDLD103: every digit of the statement, and any other chain against routes that know no modes."""

from __future__ import annotations

from decimal import Decimal

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.references import ParameterError
from veridyn.references import driven_chain as dc
from veridyn.references.certified import agreeing_digits
from veridyn.references.parameters import exact
from veridyn.references.support_motion import harmonic, polynomial

CASE = dc.uniform_chain(m=10, k="1e4", a="2e5")
NODES = (2, 3, 4)

RELATIVE = {
    "0.1": ("-0.847734188451155", "-0.768448622532617", "-0.4096316080501845"),
    "0.3": ("-15.52017404706947", "-17.69234367343033", "-11.0371762890819"),
    "0.5": ("-43.64490494079278", "-49.93098801908948", "-31.24152977921834"),
    "0.7": ("-85.08300861699458", "-97.07114948831373", "-60.58331618658443"),
    "1.0": ("-174.7902348521968", "-199.7218584746822", "-124.8032798298684"),
}
ABSOLUTE = {
    "0.1": ("0.40226581154885", "0.064884710800716", "0.0070350586164822"),
    "0.3": ("85.729825952931", "49.80765632657", "22.712823710918"),
    "0.5": ("737.60509505921", "470.90234531424", "229.17513688745"),
    "0.7": ("2916.166991383", "1903.762183845", "939.83335048008"),
    "1.0": ("12325.209765148", "8133.6114748587", "4041.8633868368"),
}
# The statement computed these in double precision; what cancelled there is not compared.
EARLY = {
    "0.01": ("9.8766600254493e-10", 7),
    "0.02": ("2.4950079027916e-07", 9),
    "0.03": ("6.254680493643e-06", 11),
    "0.04": ("6.0582884522511e-05", 12),
    "0.05": ("3.4719096524262e-04", 12),
    "0.06": ("1.4234878580921e-03", 13),
    "0.07": ("4.6214355201234e-03", 13),
    "0.08": ("1.2624518073958e-02", 13),
    "0.09": ("3.0182503e-02", 7),
}


def assert_agree(result, text, digits):
    with mpmath.workdps(40):
        assert agreeing_digits(result.value, mpmath.mpf(text)) >= digits, (result.text(), text)


def assert_printed(result, text):
    """The value is the printed one, to one unit of its last digit."""
    with mpmath.workdps(40):
        unit = mpmath.mpf(10) ** Decimal(text).as_tuple().exponent
        assert abs(result.value - mpmath.mpf(text)) <= unit, (result.text(), text)


@pytest.mark.parametrize("time", RELATIVE)
def test_relative_displacements(time):
    for node, text in zip(NODES, RELATIVE[time], strict=True):
        assert_printed(dc.relative_displacement(CASE, node=node, time=time), text)


@pytest.mark.parametrize("time", ABSOLUTE)
def test_absolute_displacements(time):
    for node, text in zip(NODES, ABSOLUTE[time], strict=True):
        assert_printed(dc.absolute_displacement(CASE, node=node, time=time), text)


@pytest.mark.parametrize("time", EARLY)
def test_early_absolute_displacements(time):
    text, digits = EARLY[time]
    assert_agree(dc.absolute_displacement(CASE, node=3, time=time), text, digits)


def test_frequencies():
    found = dc.frequencies(CASE)
    for result, text in zip(found, ("3.85203112728", "7.11762543417", "9.29962579015"), strict=True):
        assert_printed(result, text)
    with mpmath.workdps(30):
        assert agreeing_digits((2 * mpmath.pi * found[1].value) ** 2, mpmath.mpf(2000)) >= 29


def test_hundred_digits():
    result = dc.relative_displacement(CASE, node=4, time="0.1", digits=100)
    assert result.digits == 100
    assert result.text().startswith("-0.40963160805018453138557867558353736567")


@given(st.integers(1, 7), st.floats(0.1, 50), st.floats(0.1, 1e6))
@settings(max_examples=10, deadline=None)
def test_frequencies_of_uniform_chains(n, m, k):
    """ω_r = 2 √(k/m) sin(r π/(2 (n + 1)))."""
    found = dc.frequencies(dc.chain(masses=[m] * n, springs=[k] * (n + 1)))
    for r, result in enumerate(found, start=1):
        omega = 2 * (k / m) ** 0.5 * float(mpmath.sin(r * mpmath.pi / (2 * (n + 1))))
        assert 2 * float(mpmath.pi) * float(result.confirm()) == pytest.approx(omega, rel=1e-13)


numbers = st.floats(0.2, 5)
accelerations = st.one_of(
    st.builds(polynomial, numbers, numbers, numbers),
    st.builds(harmonic, numbers, numbers, numbers),
    st.builds(lambda *x: harmonic(*x[:3]) + polynomial(*x[3:]), *[numbers] * 5),
)


@st.composite
def chains(draw):
    n = draw(st.integers(1, 4))
    masses, springs = (draw(st.lists(numbers, min_size=s, max_size=s)) for s in (n, n + 1))
    return dc.chain(masses=masses, springs=springs, left=draw(accelerations), right=draw(accelerations))


@given(chains(), st.floats(0.1, 6))
@settings(max_examples=15, deadline=None)
def test_random_chains_by_modes_and_without(c, time):
    """The parts must add up as well."""
    for node in range(1, c.n + 3):
        absolute, driven, relative = (
            f(c, node=node, time=time).confirm()
            for f in (dc.absolute_displacement, dc.driven_displacement, dc.relative_displacement)
        )
        assert {absolute.digits, driven.digits, relative.digits} == {30}
        with mpmath.workdps(40):
            gap = absolute.value - driven.value - relative.value
            assert abs(gap) <= mpmath.mpf(10) ** -29 * (abs(driven.value) + abs(relative.value))


@given(chains())
@settings(max_examples=4, deadline=None)
def test_energy_balance(c):
    """Kinetic + strain energy gained = work of the reactions at the moving supports."""
    motion, end = dc.motion(c, digits=20), 2
    nodes = range(1, c.n + 3)
    x = [motion(f"absolute displacement {node}", end) for node in nodes]
    v = [motion(f"absolute velocity {node}", end) for node in nodes]
    kinetic = sum(float(m) * u**2 / 2 for m, u in zip(c.masses, v[1:-1], strict=True))
    strain = sum(float(k) * (b - a) ** 2 / 2 for k, a, b in zip(c.springs, x, x[1:], strict=False))

    def power(t):
        at = {node: motion(f"absolute displacement {node}", t) for node in (1, 2, c.n + 1, c.n + 2)}
        left = c.springs[0].mpf() * (at[1] - at[2]) * motion("absolute velocity 1", t)
        return left + c.springs[-1].mpf() * (at[c.n + 2] - at[c.n + 1]) * motion(f"absolute velocity {c.n + 2}", t)

    work = mpmath.quad(power, mpmath.linspace(0, end, 3), method="gauss-legendre", maxdegree=4)
    assert float(work) == pytest.approx(float(kinetic + strain), rel=1e-8)


def test_resonance_is_finite():
    """Driven at its own frequency a single mass grows like t: certified like any other time."""
    c = dc.chain(masses=[1], springs=[2, 2], left=harmonic(1, 2))
    for time in (1, 10):
        exact = -(mpmath.sin(2 * time) / 8 - mpmath.mpf(time) / 4 * mpmath.cos(2 * time)) / 2
        assert float(dc.relative_displacement(c, node=2, time=time)) == pytest.approx(float(exact), rel=1e-13)
    near = dc.chain(masses=[1], springs=[2, 2], left=harmonic(1, "2.000000000000000001"))
    result = dc.relative_displacement(near, node=2, time=10)
    assert float(result) == pytest.approx(float(exact), rel=1e-13)


def test_supports_move_as_told():
    assert float(dc.absolute_displacement(CASE, node=1, time=1)) == pytest.approx(2e5 / 12, rel=1e-15)
    assert dc.absolute_displacement(CASE, node=5, time=1).text() == "0"
    assert dc.relative_displacement(CASE, node=1, time=1).text() == "0"
    assert dc.absolute_displacement(CASE, node=3, time=0).text() == "0"


@pytest.mark.parametrize(("name", "value"), [("m", 0), ("k", -1), ("a", "nan"), ("a", 0)])
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        dc.uniform_chain(**{"m": 10, "k": "1e4", "a": "2e5", name: value})


def test_chains_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match=r"n \+ 1 springs, got 2 masses and 2 springs"):
        dc.chain(masses=[1, 1], springs=[1, 1])
    with pytest.raises(ParameterError, match=r"^spring 2 must be positive, got 0$"):
        dc.chain(masses=[1], springs=[1, 0])


@pytest.mark.parametrize("node", [0, 6, 2.5])
def test_nodes_that_do_not_exist_are_refused(node):
    with pytest.raises(ParameterError, match="node must be"):
        dc.relative_displacement(CASE, node=node, time=1)


@pytest.mark.parametrize("digits", [0, 10000])
@pytest.mark.parametrize("time", [0, 1])
def test_digits_are_checked(time, digits):
    with pytest.raises(ParameterError, match="digits"):
        dc.relative_displacement(CASE, node=2, time=time, digits=digits)


def test_long_motions_are_followed():
    """A mass under a force at its own frequency, after 80,000 rad; this was refused."""
    c = dc.chain(masses=[1], springs=[2, 2], left=harmonic(1, 2))
    found = dc.relative_displacement(c, node=2, time=40000).confirm()
    with mpmath.workdps(40):
        expected = -(mpmath.sin(80000) / 8 - 10000 * mpmath.cos(80000)) / 2
        assert agreeing_digits(found.value, expected) >= 29


@pytest.mark.parametrize(
    ("m", "k", "part", "node", "text"),
    [
        ("1e30", "1e-30", "relative", 4, "-260.416666666666666666666666667"),  # all inertia: psi a t^4/12
        ("1e30", "1e-30", "absolute", 2, "8.68055555555555555555555555556e-60"),  # (k/m) a t^6/360
        ("1e-6", "1e6", "absolute", 2, "781.249999956250000000064941873"),  # all stiffness: static, less inertia
        ("10", "1e12", "relative", 2, "-4.37499999977214889449693625972e-7"),
    ],
)
def test_chains_of_any_stiffness(m, k, part, node, text):
    read = dc.relative_displacement if part == "relative" else dc.absolute_displacement
    assert read(dc.uniform_chain(m=m, k=k, a="2e5"), node=node, time="0.5").confirm().text() == text


@given(chains(), st.integers(-25, 25), st.integers(-25, 25))
@settings(max_examples=4, deadline=None)
def test_any_scale(c, heavy, stiff):
    """Forces and inertias of any size, the supports as they are: by two routes."""
    masses, springs = [m * exact(f"1e{heavy}") for m in c.masses], [k * exact(f"1e{stiff}") for k in c.springs]
    other = dc.chain(masses=masses, springs=springs, left=c.left, right=c.right)
    for read in (dc.relative_displacement, dc.absolute_displacement):
        assert read(other, node=2, time=1).confirm().digits == 30


def test_weakly_coupled_twins():
    """Two equal masses on a spring of 1e-60 between them: sqrt(k) and sqrt(k + 2e-60)."""
    first, second = dc.frequencies(dc.chain(masses=[1, 1], springs=[4, "1e-60", 4]), digits=80)
    with mpmath.workdps(90):
        assert abs((2 * mpmath.pi * second.value) ** 2 - 4 - mpmath.mpf("2e-60")) < mpmath.mpf(10) ** -77
    assert first.confirm().value < second.confirm().value


def test_more_digits_stay_inside():
    coarse, fine = (dc.absolute_displacement(CASE, node=4, time="0.7", digits=d) for d in (5, 1000))
    assert abs(coarse.value - fine.value) <= coarse.radius


def test_negative_times_and_frequencies_are_refused():
    with pytest.raises(ParameterError, match="time must be non-negative"):
        dc.relative_displacement(CASE, node=2, time=-1)
    with pytest.raises(ParameterError, match="omega must be positive"):
        harmonic(1, 0)


def test_derivatives_of_frequencies_and_displacements():
    """k df/dk = f/2; everything is proportional to a."""
    stiffer = dc.uniform_chain(m=10, k=exact("1e4").varied(), a="2e5")
    for result in dc.frequencies(stiffer):
        assert float(result.derivative) * 1e4 == pytest.approx(float(result) / 2, rel=1e-14)
    moved = dc.absolute_displacement(dc.uniform_chain(m=10, k="1e4", a=exact("2e5").varied()), node=2, time="0.3")
    assert float(moved.derivative) * 2e5 == pytest.approx(float(moved), rel=1e-14)
