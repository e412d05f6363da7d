"""With model and settings of Code_Aster the integrator gives the digits that Code_Aster printed."""

import json
from dataclasses import replace
from decimal import Decimal

import models_sdld103
import numpy as np
import parity_page
import printed
import pytest

from veridyn.problem.basis import modal_basis
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.tolerances import HALF_UNIT, unit_in_last_place

ALL = [value for case in printed.cases() for value in printed.printed(case)]
FIRST = next(iter(SCHEMES))  # at every commit; `tox -e all-schemes` compiles the others
REPEATED = [value for value in ALL if value.runs]
ULP = 2.220446049250313e-16


def missed(values):
    """Return what is computed in place of values, where it is farther from them than is allowed."""
    numbers = {value: printed.computed(value) for value in values}
    return {v.id: number for v, number in numbers.items() if not abs(number - float(v.expected)) <= v.allowed}


def test_printed_digits_of_the_first_scheme():
    assert missed(value for value in REPEATED if value.scheme == FIRST) == {}


@pytest.mark.all_schemes
@pytest.mark.parametrize("case", printed.cases())
def test_printed_digits(case):
    assert missed(value for value in REPEATED if value.case == case and value.scheme != FIRST) == {}


def is_complete(value):
    return (
        bool(value.source)
        and value.scheme in SCHEMES
        and bool(load_case(value.case).variant(value.variant))
        and Decimal(value.value).is_finite()
        and value.verdict in parity_page.VERDICTS
        and bool(value.runs) == (value.verdict != "not reproduced")
        and (value.verdict == "reproduced" or len(value.explanation) > 20)
    )


def is_granted_too_much(value):
    """Tell whether more than two units are allowed for another reason than the rounding of the code."""
    most = 10_000.0 if "rounding:" in value.explanation else 2.0
    return value.units > HALF_UNIT and (value.verdict not in ("last digit", "misprint") or value.units > most)


def test_every_value_is_complete_and_none_is_granted_too_much():
    assert [value.id for value in ALL if not is_complete(value)] == []
    assert [value.id for value in ALL if is_granted_too_much(value)] == []
    assert len({value.id for value in ALL}) == len(ALL)


def test_a_misprint_does_not_round_to_what_it_should_be():
    corrected = [value for value in ALL if value.correct]
    assert {value.verdict for value in corrected} == {"misprint"}
    for value in corrected:
        distance = abs(float(value.correct) - float(value.value))
        assert distance > HALF_UNIT * unit_in_last_place(value.value), value.id


ROUNDED = [
    pytest.param(value, id=value.id, marks=[pytest.mark.all_schemes] if value.scheme != FIRST else [])
    for value in ALL
    if value.rounding
]


@pytest.mark.parametrize("value", ROUNDED)
def test_roundings_of_the_data_move_the_value(value):
    (run,) = value.runs
    problem, values = printed.stated(value.case, run)

    def rounded(units):
        """What is read where modal frequencies and initial state are rounded differently."""
        factor = 1.0 + units * ULP
        modes = replace(problem.modes, omega=problem.modes.omega * factor)
        other = replace(problem, modes=modes, initial_displacement=problem.initial_displacement * factor)
        return printed.reading(value, Observation(values, other, SOLVER.solve(other, printed.settings(run))))

    found = [rounded(units) for units in range(-6, 7)]
    assert max(found) - min(found) > value.rounding / 5
    assert max(abs(number - float(value.value)) for number in found) < 3 * value.allowed


def worst_of_sdld103(run, **changes):
    """Largest distance from the values of a run of 2020, in units of their last digit, but at least 1e-12 m."""
    source = f"Code_Aster test sdld103a (2020), {run}"
    values = [value for value in ALL if value.source == source]
    assert len(values) >= 15
    return max(
        abs(printed.computed(_with(value, changes)) - float(value.value)) / max(unit_in_last_place(value.value), 1e-12)
        for value in values
    )


def _with(value, changes):
    runs = [json.loads(run) for run in value.runs]
    return replace(value, runs=tuple(json.dumps({**run, "with": {**run["with"], **changes}}) for run in runs))


OTHERS = [pytest.param(run, marks=pytest.mark.all_schemes) for run in ("DEVOGE", "RUNGE_KUTTA_54")]


@pytest.mark.parametrize("run", ["DIFF_CENTRE", "DIFF_CENTRE, two modes", "DIFF_CENTRE, orthogonalised", *OTHERS])
def test_the_impurities_explain_the_digits(run):
    assert worst_of_sdld103(run) < 1
    assert worst_of_sdld103(run, mixing="none") > 1000


@pytest.mark.all_schemes
@pytest.mark.parametrize("place", models_sdld103.IMPURITIES["iterated"])
def test_each_of_them_is_needed(place, monkeypatch):
    others = {key: part for key, part in models_sdld103.IMPURITIES["iterated"].items() if key != place}
    monkeypatch.setitem(models_sdld103.IMPURITIES, "others", others)
    assert worst_of_sdld103("DEVOGE", mixing="others") > 1000


def test_pure_modes_are_those_of_the_basis():
    case = load_case("sdld103")
    problem = case.problem(case.values())
    pure, modes = modal_basis(problem), models_sdld103.impure_modes(problem, {})
    assert np.allclose(modes.omega, pure.omega, rtol=1e-14)
    assert np.array_equal(modes.shapes, pure.shapes)


@pytest.mark.parametrize(
    ("kind", "stored", "within"), [("displacement", 0.000551957958468, 5e-12), ("force", 0.000445667677015, 2e-11)]
)
def test_the_deviations_of_sdnd107c(kind, stored, within):
    """Code_Aster stores more digits: it integrates the law of the device by Runge-Kutta within a step."""
    (value,) = (v for v in ALL if v.case == "sdnd107" and v.quantity == f"deviation_of_{kind}")
    assert printed.computed(value) == pytest.approx(stored, abs=within)


def test_the_page_shows_what_was_computed_and_how_far_it_is():
    page = parity_page.page(lambda value: 100.0)
    assert "| symplectic_euler | 2-shocks | sampled_impulse_1 | 1.98093E2 | 100 | 5e-01 | misprint |" in page
    (missed,) = (value for value in printed.printed("sdnd104") if not value.runs)
    assert f"| {missed.value} |  |  | not reproduced |" in page
    assert "| sdnd104 | 26 | 22 | 0 | 3 | 1 |" in page
