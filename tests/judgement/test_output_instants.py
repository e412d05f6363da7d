"""How many output instants a case may ask for."""

from __future__ import annotations

import pytest

from veridyn.references.parameters import ParameterError
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.measures.trajectories import MOST_OUTPUTS, evenly

FAST = {
    "sdnd104": {"omega": "2000000*pi"},
    "sdnd101": {"kc": "1e18"},
    "damped_stop": {"kc": "1e20"},
    "sdld31": {"omega0": "1e7"},
    "integrator_fingerprints": {"w": "1e9"},
}


def test_instants_are_spread_evenly_and_their_number_is_rounded_up() -> None:
    assert evenly(2.0, 3.2, start=1.0).tolist() == [1.0, 1.25, 1.5, 1.75, 2.0]
    assert evenly(1.0, MOST_OUTPUTS).size == MOST_OUTPUTS + 1


@pytest.mark.parametrize("intervals", [MOST_OUTPUTS + 0.1, float("inf"), float("nan")])
def test_more_than_memory_takes_are_refused(intervals: float) -> None:
    with pytest.raises(ParameterError, match="output instants, at most 2000000 are: shorten the motion"):
        evenly(1.0, intervals)


@pytest.mark.parametrize("name", FAST)
def test_a_case_refuses_parameters_that_would_fill_the_memory(name: str) -> None:
    case = load_case(name)
    with pytest.raises(ParameterError, match="output instants"):
        case.problem(case.values(FAST[name]))


def test_a_run_lasts_as_long_as_the_contact() -> None:
    """A soft spring turns the mass after the ten seconds of the default run, and the largest indentation is asked."""
    case = load_case("hunt_crossley")
    values = case.values({"k": "0.000001"})
    lasts = next(quantity for quantity in case.quantities if quantity.name == "duration").truth(values, 15)
    assert case.problem(values).end == pytest.approx(1.1 * float(lasts))
    assert case.problem(case.values({})).end == 10.0
