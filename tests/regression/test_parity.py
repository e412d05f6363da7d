"""With model and settings of Code_Aster the integrator gives the digits that Code_Aster printed."""

import json
from dataclasses import replace
from decimal import Decimal

import models_sdld103
import numpy as np
import parity_page
import printed
import pytest

from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.problem.basis import modal_basis
from veridyn.validation_cases.core.case import Observation
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.tolerances import HALF_UNIT, unit_in_last_place

ALL = [value for case in printed.cases() for value in printed.printed(case)]
REPEATED = [value for value in ALL if value.runs]
ULP = 2.220446049250313e-16


def each(values):
    return pytest.mark.parametrize("value", values, ids=[value.id for value in values])


@each(REPEATED)
def test_printed_digits(value):
    assert printed.computed(value) == pytest.approx(float(value.expected), rel=0, abs=value.allowed)


@each(ALL)
def test_every_value_is_complete(value):
    assert value.source
    assert value.scheme in SCHEMES
    assert load_case(value.case).variant(value.variant)
    assert Decimal(value.value).is_finite()
    assert value.verdict in parity_page.VERDICTS
    assert bool(value.runs) == (value.verdict != "not reproduced")
    assert value.verdict == "reproduced" or len(value.explanation) > 20


@each([value for value in ALL if value.correct])
def test_a_misprint_does_not_round_to_what_it_should_be(value):
    assert value.verdict == "misprint"
    assert abs(float(value.correct) - float(value.value)) > HALF_UNIT * unit_in_last_place(value.value)


@each([value for value in ALL if value.verdict == "last digit"])
def test_an_open_last_digit_is_granted_more_than_half_a_unit(value):
    assert value.units > HALF_UNIT or value.rounding > 0


@each([value for value in ALL if value.units > HALF_UNIT])
def test_granted_units_have_a_limit(value):
    assert value.verdict in ("last digit", "misprint")
    # more than two: digits that the arithmetic of the code does not have
    assert value.units <= (10_000.0 if "rounding:" in value.explanation else 2.0)


def test_ids_are_unique():
    assert len({value.id for value in ALL}) == len(ALL)


@each([value for value in ALL if value.rounding])
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


@pytest.mark.parametrize(
    "run", ["DIFF_CENTRE", "DIFF_CENTRE, two modes", "DEVOGE", "RUNGE_KUTTA_54", "DIFF_CENTRE, orthogonalised"]
)
def test_the_impurities_explain_the_digits(run):
    assert worst_of_sdld103(run) < 1
    assert worst_of_sdld103(run, mixing="none") > 1000


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
