"""The engine of proved enclosures: comparisons, phases."""

from __future__ import annotations

import pytest
from flint import arb

from veridyn.references.enclosure import Absent, enclose, precision, sign_of
from veridyn.references.flows import Linear
from veridyn.references.motion import Phase, follow
from veridyn.references.parameters import exact


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (("1/3", "2/3", "-1"), 0),
        (("pi", "-pi"), 0),
        (("2*pi", "-6.28318530717958647692528676655900576839433879875"), 1),
        (("1", "-1", "1e-900"), 1),
        (("pi", "-1e-900", "-pi"), -1),
        (("0", "0"), 0),
    ],
)
def test_the_sign_of_a_sum_is_exact(terms, expected):
    assert sign_of(*map(exact, terms)) == expected


def test_what_is_absent_is_undefined_with_its_reason():
    def read() -> arb:
        raise Absent("nothing moves")

    found = enclose(read, digits=30, kind="closed form", name="x")
    assert (found.text(), found.routes) == ("undefined", ("nothing moves",))


def test_a_phase_without_guards_is_not_searched():
    with precision(128):
        endless = Phase("free", Linear(({1: arb(1)}, {}), arb(1)), arb(0), (arb(0), arb(1)), (), arb(10) ** 30)
        (found,) = follow(endless, lambda *_: None)
        assert found.end == arb(10) ** 30
