"""What all quantities share: signatures, arguments, terms that depend on the parameters."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from veridyn.references.certified import CertificationError
from veridyn.references.engine.enclosure import Absent, Exactly, ball
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet, exact
from veridyn.references.reference import FIRST, TIME

PARAMETERS = (Parameter("m", "kg", "mass", "2"), Parameter("k", "N/m", "stiffness", "8", "non-negative"))


class Oscillator(ParameterSet):
    def check(self):
        if self.k.rational > 100:
            raise ParameterError(f"k must not exceed 100, got {self.k}")


reference = References(
    PARAMETERS,
    Oscillator,
    kind=lambda o, **_: "closed form" if o.k.rational else "quasi-analytical",
    proof="proved",
    how=lambda o, time=None, **_: "second" if time is None or time.rational else "",
    promised=lambda o, **_: 12,
    effort=lambda o, **_: "1 phase",
)


@reference(lambda o, time: mpmath.sqrt((o.k / o.m).mpf()) * time.mpf(), takes=(TIME,))
def angle(o, time):
    """Angle at an instant."""
    if not o.k.rational:
        raise Exactly(0, "no spring")
    if time.rational > 100:
        raise Absent("it is lost")
    return ball(o.k / o.m).sqrt() * ball(time)


@reference(lambda o, number: number * o.m.mpf(), how="m n", kind="closed form", promised=None, takes=(FIRST,))
def weights(o, number):
    return number * ball(o.m)


@reference(how="")
def kind(o):
    raise Exactly("stiff" if o.k.rational > 1 else "soft", "k compared exactly with 1")


@reference.both(
    lambda o: (ball(o.m), arb(1)), lambda o: (o.m.mpf(), 1), how="in mpmath", kind="closed form", takes=(FIRST,)
)
def lighter(pair, number):
    return pair[0] - number * pair[1]


@reference.function(digits=20)
def table(o, digits):
    return [str(o.m), digits]


def test_a_quantity_states_its_terms_and_is_confirmed():
    found = angle(time="1/2", k=32).confirm()
    assert found.text() == "2.00000000000000000000000000000"
    assert (found.kind, found.routes) == ("closed form", ("proved", "second"))
    assert found.proved.startswith("1 phase, ")
    assert found.second[0].digits == 12
    assert angle.help == "Angle at an instant."
    assert float(lighter(number=3, m=5).confirm()) == 2


def test_terms_that_depend_on_parameters_and_arguments():
    assert not angle(time=0).second
    zero = angle(time=1, k=0)
    assert (zero.text(), zero.kind, zero.routes) == ("0", "quasi-analytical", ("no spring",))
    assert angle(time=101).routes == ("it is lost",)
    assert [kind(k=k).text() for k in (1, 2)] == ["soft", "stiff"]


def test_a_wrong_second_route_is_found():
    wrong = reference(lambda _: mpmath.mpf(3), how="three")(lambda o: ball(o.m))
    with pytest.raises(CertificationError, match="three"):
        wrong(m=2, digits=5).confirm()


def test_a_reference_says_what_it_takes():
    assert repr(angle) == "angle(time, digits, m, k)"
    assert table(m=3) == ["3", 20]


def test_arguments_are_chosen_and_parameters_fixed():
    values = {"m": exact(2), "k": exact(8), "x0": exact(9)}
    half = angle.at(time="1/2")
    assert half.compute(values) == half(m=2, k=8) == angle(time="1/2")
    assert half.compute(values) is half.compute(values)  # once
    assert half.compute_anew(values) is not half.compute(values)
    assert half == angle.at(time="0.5")
    light = angle.fix(m="1/2")
    assert repr(light) == "angle(time, digits, k)"
    assert light.at(time=1).compute(values).text() == "4.00000000000000000000000000000"
    with pytest.raises(ParameterError, match="unknown parameter 'm'"):
        light(time=1, m=2)


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (angle, {"time": -1}, "time must be non-negative, got -1"),
        (angle, {"time": "soon"}, "time must be a finite number"),
        (angle, {"time": 1, "digits": 0}, "digits must be an integer from 1 to 1000"),
        (angle, {"time": 1, "m": 0}, "m must be positive"),
        (angle, {"time": 1, "k": 101}, "k must not exceed 100, got 101"),
        (angle.at, {"tme": 1}, "unknown argument of angle 'tme': did you mean time"),
        (angle.fix, {"mass": 1}, "unknown parameter 'mass'"),
        (angle, {"m": 1}, "angle: time is missing"),
        (angle, {"time": 1, "mm": 101}, "unknown parameter 'mm': did you mean m"),
        (weights, {"number": 0}, "number must be an integer not below 1, got 0"),
        (table, {"digits": 1001}, "digits must be an integer from 1 to 1000"),
    ],
)
def test_wrong_parameters_and_arguments_are_refused(function, given, message):
    with pytest.raises(ParameterError, match=f"^{message}"):
        function(**given)


def test_records_compare_by_value():
    one, same, other = (ParameterSet(m=exact(m), k=exact("pi")) for m in (1, "1.0", 2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != Oscillator(m=exact(1), k=exact(1))
    varied = ParameterSet(m=exact(1).varied(), k=exact("pi"))
    assert varied.varied
    assert varied.plain == one
    with pytest.raises(AttributeError, match="mass"):
        _ = one.mass
