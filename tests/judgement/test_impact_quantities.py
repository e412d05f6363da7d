"""Quantities of single contacts: what is asked where contacts are decided, absent or undecided."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from veridyn.references import impact_oscillator
from veridyn.references.parameters import resolve
from veridyn.solver.errors import SolverFailure
from veridyn.validation_cases import impact_quantities, vibro_impact
from veridyn.validation_cases.tolerances import cited

STRUCK = {"m": 1, "k": 1, "kc": 9999, "gap": "0.5", "F": 1, "Omega": 2, "t_end": 3}
PASSED = STRUCK | {"gap": "0.86603"}  # by 5e-6 m
UNTOUCHED = STRUCK | {"gap": 9}
CITED = cited("test", 1e-3)


def touch(step):
    return impact_quantities.instant("touch_1", 1, CITED, lambda _: step)


def values(parameters):
    return resolve(impact_oscillator.PARAMETERS, parameters)


def seen(parameters, monkeypatch, instant):
    """Return what the first touch is measured as in a response that shows it, or none."""

    def found(*_, **__):
        if instant is None:
            raise SolverFailure("the response shows 0 complete impacts, 1 are needed")
        return instant

    monkeypatch.setattr(vibro_impact, "instant", found)
    return touch(1e-2).measure(SimpleNamespace(values=values(parameters)))


def test_a_contact_that_is_decided_has_an_instant_and_a_tolerance():
    quantity = touch(1e-4)
    assert float(quantity.truth(values(STRUCK))) == pytest.approx(1.33929, abs=1e-5)
    assert quantity.tolerance(values(STRUCK), "", {}) == CITED


def test_a_contact_that_does_not_exist_must_not_be_found():
    quantity = touch(1e-2)
    assert quantity.truth(values(UNTOUCHED)).value is None
    assert quantity.tolerance(values(UNTOUCHED), "newmark", {"step": 1e-2}).value == 0.0


@pytest.mark.parametrize("scheme", ["newmark", ""])
def test_a_contact_that_errors_decide_on_may_be_there_or_not(scheme):
    quantity = touch(1e-2)
    truth = quantity.truth(values(PASSED))
    assert truth.value is None
    assert "errors decide" in truth.routes[0]
    allowed = quantity.tolerance(values(PASSED), scheme, {"step": 1e-2})
    assert (allowed.kind, allowed.value) == ("exact", 1.0)


def test_smaller_steps_decide_on_it():
    quantity = touch(1e-4)
    assert quantity.tolerance(values(PASSED), "newmark", {"step": 1e-4}).value == 0.0


@pytest.mark.parametrize("parameters", [PASSED, UNTOUCHED])
def test_a_missing_contact_is_no_failure_where_there_may_be_none(parameters, monkeypatch):
    assert seen(parameters, monkeypatch, None) is None


def test_a_missing_contact_is_a_failure_where_there_is_one(monkeypatch):
    with pytest.raises(SolverFailure, match="0 complete impacts"):
        seen(STRUCK | {"kc": 999}, monkeypatch, None)


def test_as_many_contacts_are_asked_as_are_decided():
    second, third = (impact_quantities.instant(f"touch_{n}", n, CITED, lambda _: 6e-3) for n in (2, 3))
    longer = values(STRUCK | {"t_end": 6})
    assert float(second.truth(longer)) == pytest.approx(1.37068, abs=1e-5)
    assert third.truth(longer).value is None
    assert "after the first 1" in third.truth(longer).routes[0]


def test_the_largest_force_of_our_schemes_is_held_to_their_theory():
    forces = impact_quantities.largest_force(CITED, lambda _: 1e-4)
    assert forces.tolerance(values(STRUCK), "", {}) == CITED
    assert "period error" in forces.tolerance(values(STRUCK), "newmark", {"step": 1e-4}).reason


def test_the_largest_force_needs_all_contacts_decided():
    forces = impact_quantities.largest_force(CITED, lambda _: 2e-2)
    assert forces.truth(values(STRUCK)).value is None
    assert impact_quantities.largest_force(CITED, lambda _: 1e-4).truth(values(STRUCK)).value is not None
