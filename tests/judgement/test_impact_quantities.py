"""Quantities of single contacts: what is asked where contacts are decided, absent or undecided."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from veridyn.references.parameters import resolve
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.postprocessing.impacts import Impact
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.tolerances import cited
from veridyn.validation_cases.measures import impact_conditioning, impact_quantities, impacts, struck_oscillator

STRUCK = {"m": 1, "k": 1, "kc": 9999, "gap": "0.5", "F": 1, "Omega": 2, "t_end": 3}
PASSED = STRUCK | {"gap": repr(math.sqrt(3) / 2 + 1e-10)}  # the motion turns at sqrt(3)/2
UNTOUCHED = STRUCK | {"gap": 9}
OPEN = STRUCK | {"t_end": "1.35"}  # the first contact lasts from 1.339 to 1.371
CITED = cited("test", 1e-3)
COUNT, WORST = impact_quantities.CONTACTS


def touch(number=1):
    return impact_quantities.instant(f"touch_{number}", 2 * number - 1, CITED)


def values(parameters):
    return resolve(struck_oscillator.PARAMETERS, parameters)


def response(parameters, monkeypatch, *instants):
    """Return an observation that shows contacts of 31 ms from these instants on."""
    shown = [Impact(t, t + 0.0313954, t + 0.0157, 1.0, 1.0, -1.0) for t in instants]
    monkeypatch.setattr(impacts, "impacts", lambda _: shown)
    return SimpleNamespace(values=values(parameters))


def test_a_contact_that_is_decided_has_an_instant_and_a_criterion():
    assert float(touch().truth(values(STRUCK))) == pytest.approx(1.33929, abs=1e-5)
    assert touch().tolerance(values(STRUCK)) == CITED


@pytest.mark.parametrize("parameters", [UNTOUCHED, OPEN], ids=["untouched", "open"])
def test_a_contact_that_does_not_end_must_not_be_found(parameters):
    assert touch().truth(values(parameters)).value is None
    assert touch().tolerance(values(parameters)).value == 0.0


def test_of_a_contact_that_perturbations_decide_on_nothing_is_asked(monkeypatch):
    truth = touch().truth(values(PASSED))
    assert truth.value is None
    assert "perturbations of 1e-09 of data or state, or the errors of 196 steps" in truth.routes[0]
    assert "decide on the contacts after the first 0" in truth.routes[0]
    for shown in ((), (1.5,)):
        with pytest.raises(CapabilityError, match="decide"):
            touch().measure(response(PASSED, monkeypatch, *shown))


def test_a_contact_that_is_absent_is_measured_as_none(monkeypatch):
    assert touch().measure(response(UNTOUCHED, monkeypatch)) is None
    assert touch().measure(response(UNTOUCHED, monkeypatch, 1.0)) == 1.0


def test_a_missing_contact_is_a_failure_where_there_is_one(monkeypatch):
    with pytest.raises(SolverFailure, match="0"):
        touch().measure(response(STRUCK, monkeypatch))


def test_as_many_contacts_are_asked_as_are_decided(monkeypatch):
    longer = values(STRUCK | {"t_end": 6})
    monkeypatch.setattr(impact_conditioning, "decided", lambda *_: impact_conditioning.ContactCount(2, all=False))
    assert float(touch(1).truth(longer)) == pytest.approx(1.33929, abs=1e-5)
    assert "after the first 1" in touch(2).truth(longer).routes[0]
    assert impact_quantities.largest_force(CITED).truth(longer).value is None


def test_the_largest_force_needs_all_contacts_decided():
    assert impact_quantities.largest_force(CITED).truth(values(STRUCK)).value is not None


def test_contacts_that_end_are_counted(monkeypatch):
    assert [float(COUNT.truth(values(p))) for p in (STRUCK, OPEN, UNTOUCHED)] == [1, 0, 0]
    assert COUNT.measure(response(STRUCK, monkeypatch, 1.3, 2.0)) == 2


def test_the_worst_instant_is_that_of_a_contact_against_its_own(monkeypatch):
    touched = float(touch().truth(values(STRUCK)))
    assert WORST.measure(response(STRUCK, monkeypatch, touched + 1e-3)) == pytest.approx(1e-3, rel=1e-2)
    with pytest.raises(SolverFailure, match=r"2 .*1"):
        WORST.measure(response(STRUCK, monkeypatch, touched, 2.0))


def test_without_contacts_no_worst_instant_is_found_but_in_a_response_that_shows_one(monkeypatch):
    for parameters in (UNTOUCHED, OPEN):
        assert WORST.measure(response(parameters, monkeypatch)) is None
        assert WORST.measure(response(parameters, monkeypatch, 1.0)) == pytest.approx(1.0314, abs=1e-4)


def test_contacts_are_counted_only_where_the_errors_of_steps_do_not_decide(monkeypatch):
    """The motion misses a soft stop by 1e-7: more than roundings move it, less than steps do."""
    near = STRUCK | {"kc": 99, "gap": repr(math.sqrt(3) / 2 + 1e-7)}
    assert impact_conditioning.decided(values(near)).all
    for quantity in (touch(), *impact_quantities.CONTACTS):
        assert "the errors of 196 steps in a period of contact" in quantity.truth(values(near)).routes[0]
        with pytest.raises(CapabilityError, match="196"):
            quantity.measure(response(near, monkeypatch))


def test_instants_are_held_to_what_roundings_move():
    assert touch().rounded(values(STRUCK), 0.0) == impact_conditioning.instant_rounded(values(STRUCK), 0.0, 1)


def test_the_largest_force_of_a_contact_is_held_to_what_roundings_move_within_it():
    force = impact_quantities.peak_force(1, cited("test", 1e-3))
    moved = impact_conditioning.peak_rounded(values(STRUCK), 0.0, 1)
    assert force.rounded(values(STRUCK), 0.0) == float(values(STRUCK)["kc"]) * moved > 0
    assert impact_conditioning.peak_rounded(values(STRUCK), 0.0, 99) == 0


def test_one_mass_has_no_asymmetry():
    (asymmetry,) = (quantity for quantity in load_case("sdnd102").quantities if quantity.name == "asymmetry")
    shown = SimpleNamespace(displacement=np.array([[1.0, -1.0], [2.0, -2.5]]))
    assert asymmetry.measure(SimpleNamespace(problem=SimpleNamespace(size=2), response=shown)) == 0.5
    with pytest.raises(CapabilityError):
        asymmetry.measure(SimpleNamespace(problem=SimpleNamespace(size=1), response=shown))


def test_the_worst_instant_is_held_to_a_share_of_the_last_one():
    assert WORST.tolerance(values(STRUCK)).value == pytest.approx(2e-4 * 1.3707, rel=1e-3)
    assert WORST.truth(values(UNTOUCHED)).value is None
