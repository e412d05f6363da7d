"""What parameters must meet together: decided by proof, at equality by algebra, refused in one line."""

from __future__ import annotations

import pytest

from veridyn.references.parameters import Parameter, ParameterError, exact, resolve
from veridyn.references.requirements import Requirement, check_requirements, restrict


def check(condition, **values):
    check_requirements([Requirement(condition, "it fails")], {name: exact(value) for name, value in values.items()})


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("e < 1", {"e": "0.9999999999999999999999999999999999999999999999999999999999"}),
        ("e <= 1", {"e": "1"}),
        ("d >= e", {"d": "0.3", "e": "0.3"}),  # balls of 0.3 - 0.3 hold zero at every precision
        ("sqrt(a)**2 <= a", {"a": "1/3"}),
        ("sin(a) == 0", {"a": "2*pi"}),
        ("a*pi < b", {"a": "2", "b": "7"}),
        ("c == 1 or c == -1", {"c": "-1"}),
        ("b >= 0 or a > b", {"a": "0", "b": "-1"}),
    ],
)
def test_what_holds_is_taken(condition, values):
    check(condition, **values)


@pytest.mark.parametrize(
    ("condition", "values", "refusal"),
    [
        ("e < 1", {"e": "1"}, "^e = 1: it fails; needed: e < 1$"),
        ("e < 1", {"e": "1.0000000000000000000000000000000000000000000000000001"}, "it fails"),
        ("d >= e", {"d": "1/3", "e": "0.33333333333333333333333333333333333333333333334", "f": 2}, "^d = 1/3, e = 0"),
        ("sin(a) > 0", {"a": "2*pi"}, "it fails"),
        ("c == 1 or c == -1", {"c": "0"}, "^c = 0: it fails; needed: c == 1 or c == -1$"),
        ("sqrt(a) > 0", {"a": "-1"}, "no precision tells whether this holds: "),  # no real number
    ],
)
def test_what_does_not_hold_is_refused(condition, values, refusal):
    with pytest.raises(ParameterError, match=refusal):
        check(condition, **values)


def test_a_long_formula_has_words():
    record = restrict(Requirement("(a - 1)**2 + b**4 > 0", "the body is at rest", "another a or b"))
    record(a=exact(2), b=exact(0))
    with pytest.raises(ParameterError, match=r"^a = 1, b = 0: the body is at rest; needed: another a or b$"):
        record(a=exact(1), b=exact(0))


@pytest.mark.parametrize(
    ("parameter", "good", "bad", "refusal"),
    [
        (Parameter("n", "1", "count", "1", "whole"), "3", ("0", "1.5", "pi"), "n must be a whole number from 1 on"),
        (Parameter("n", "1", "choice", "1", "any", ("1", "-1")), "-1", ("0", "1.5", "pi"), "n must be 1 or -1, got"),
    ],
)
def test_counts_and_choices(parameter, good, bad, refusal):
    assert resolve([parameter], {"n": good})["n"] == exact(good)
    for value in bad:
        with pytest.raises(ParameterError, match=refusal):
            resolve([parameter], {"n": value})
