"""Solvers of initial value problems are named, faults are found, sound ones show no deviation."""

from __future__ import annotations

from pathlib import Path

import pytest

from veridyn.identification.examinee import Examinee
from veridyn.identification.initial_value import read_initial_value
from veridyn.identification.reading import Reading
from veridyn.solver.contract.opening import open_gate

SOLVERS = Path(__file__).with_name("initial_value_solvers.py")


def identify(name: str, *, in_process: bool = True) -> Reading:
    return read_initial_value(Examinee(open_gate(f"{SOLVERS}:{name}", in_process=in_process)))


def find_value(reading: Reading, name: str) -> float | str:
    return next(figure.value for figure in reading.figures if figure.name == name)


SOUND = {
    "RK4": ("rk4", 4),
    "HEUN": ("heun", 2),
    "DOPRI": ("dormand-prince", 5),
    "SINGLE": ("fehlberg-5", 5),
    "PRINTED": ("three-eighths", 4),
    "ON_GRID": ("kutta-3", 3),
    "SHORT": ("rk4", 4),
    "RADAU": ("radau-iia-2", 3),
    "GAUSS": ("gauss-2", 4),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_one_step_methods_are_named(name: str) -> None:
    reading = identify(name)
    assert reading.deviations == ()
    assert reading.method == f"Runge-Kutta, {SOUND[name][0]}"
    assert find_value(reading, "order") == find_value(reading, "order with explicit time") == SOUND[name][1]
    assert find_value(reading, "step set by") == ("output grid" if name == "ON_GRID" else "setting step")
    assert reading.solves < 120


FAULTS = {
    "WRONG_NODE": [
        "c[6] is 1/3 where 1/2 belongs: stage 6 is taken at t + 1/3 h",
        "order 5 is claimed; order 1 is seen",
    ],
    "WRONG_ENTRY": ["dormand-prince: a[5,3] is 9.82289", "order 5 is claimed; order 1 is seen"],
    "ROW_OF_ORDER_4": ["order 5 is claimed; order 4 is seen: fehlberg-4"],
    "WRONG_HEUN": ["heun: a[2,1] is 3/4 where 1 belongs", "order 2 is claimed; order 1 is seen"],
    "LATE": ["begins later than 0 s is answered otherwise"],
    "SIGN_FIRST": ["errors do not fall with the step: 0.14 remains (nonlinear problem)"],
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named(name: str) -> None:
    lines = identify(name).deviations
    assert len(lines) == len(FAULTS[name])
    assert [words in line for words, line in zip(FAULTS[name], lines, strict=True)] == [True] * len(lines)


def test_a_solver_in_a_process_of_its_own_is_named() -> None:
    assert identify("HEUN", in_process=False).method == "Runge-Kutta, heun"


def test_a_method_of_two_stages_and_order_1_may_be_meant() -> None:
    reading = identify("CHEBYSHEV")
    assert find_value(reading, "order") == 1
    assert reading.deviations == ()


def test_multistep_methods_show_their_order_by_refinement() -> None:
    sound, wrong = identify("ADAMS"), identify("ADAMS_3")
    assert find_value(sound, "kind") == "multistep, or with steps of its own"
    assert find_value(sound, "order seen, nonlinear") == pytest.approx(2.0, abs=0.1)
    assert sound.method == wrong.method == ""
    assert sound.deviations == ()
    assert any(line.startswith("order 3 is claimed; 2.0") for line in wrong.deviations)


@pytest.mark.parametrize("scheme", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_tolerances_of_scipy_show_no_deviation(scheme: str) -> None:
    reading = read_initial_value(Examinee(open_gate("scipy", in_process=True), scheme))
    assert reading.deviations == ()
    assert find_value(reading, "power of rtol, nonlinear") == pytest.approx(1.0, abs=0.3)
    assert find_value(reading, "error over rtol") < 200
