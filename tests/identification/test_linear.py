"""What the card says of solvers of a few lines: each family with its numbers, each fault by its name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.detection.hosts.field.structure import MODAL, first_for_all
from tests.identification.solvers import (
    ALL,
    RK4,
    Dividing,
    SciPy,
    Stepper,
    bathe,
    bdf2,
    generalised,
    leapfrog,
    nystrom,
    printed,
    runge_kutta,
    single,
    symplectic,
    wilson,
)
from veridyn.identification.examinee import Examinee
from veridyn.identification.floors import find_floor
from veridyn.identification.linear import read_linear
from veridyn.identification.reading import Reading
from veridyn.identification.trials import Bench
from veridyn.solver.contract.local_gate import LocalGate

HHT = generalised(1.05**2 / 4, 0.55, 0, 0.05)
UNDAMPED = frozenset({"mechanical", "multi-dof", "loads"})
ALPHA = generalised(25 / 81, 11 / 18, 1 / 3, 4 / 9)
HEUN = runge_kutta([[], [1]], [0.5, 0.5])


def read(solver: Any) -> Reading:
    return read_linear(Bench(Examinee(LocalGate(solver))))


def value(reading: Reading, name: str) -> Any:
    return next(figure.value for figure in reading.figures if figure.name == name)


SOUND = {
    "average": (generalised(0.25, 0.5), "Newmark, gamma 1/2, beta 1/4 (average acceleration"),
    "linear": (generalised(1 / 6, 0.5), "Newmark, gamma 1/2, beta 1/6 (linear acceleration)"),
    "Fox-Goodwin": (generalised(1 / 12, 0.5), "Newmark, gamma 1/2, beta 1/12 (Fox and Goodwin)"),
    "damped Newmark": (generalised(1.05**2 / 4, 0.55), "Newmark, gamma 0.5500, beta 0.2756"),
    "HHT": (HHT, "HHT-alpha, alpha -0.0500; loads on the chord"),
    "HHT, instant": (
        generalised(1.05**2 / 4, 0.55, 0, 0.05, instant=True),
        "HHT-alpha, alpha -0.0500; loads at the instant",
    ),
    "Bossak": (generalised(1.1**2 / 4, 0.6, -0.1), "WBZ (Bossak), alpha -1/10"),
    "generalised-alpha": (ALPHA, "generalised-alpha, rho_inf 4/5"),
    "Wilson": (wilson(1.4), "Wilson, theta 7/5"),
    "Bathe": (bathe, "Bathe, split 1/2"),
    "BDF2": (bdf2, "BDF2"),
    "RK4": (runge_kutta(*RK4), "Runge-Kutta, rk4"),
    "Yoshida": (nystrom("Yoshida 4, position first"), "Yoshida 4, position first"),
    "Nystrom": (nystrom("nystrom-5"), "nystrom-5"),
    "Heun": (HEUN, "Runge-Kutta, heun"),
    "symplectic": (symplectic, "symplectic Euler, velocity first; dampers see the velocity before"),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_methods_are_named(name: str) -> None:
    march, expected = SOUND[name]
    reading = read(Stepper(march, capabilities=UNDAMPED if name in ("Yoshida", "Nystrom") else ALL))
    assert reading.method.startswith(expected)
    assert reading.deviations == ()


@pytest.mark.parametrize("answer", [single, printed])
@pytest.mark.parametrize("name", ["average", "HHT", "generalised-alpha", "RK4"])
def test_rounded_answers_are_no_deviation(name: str, answer: Any) -> None:
    march, expected = SOUND[name]
    reading = read(Stepper(march, answer=answer))
    assert reading.method.startswith(expected)
    assert reading.deviations == ()
    assert value(reading, "precision") == ("single" if answer is single else "6 printed digits")


def test_a_step_that_is_a_part_of_a_period_is_set_by_the_output_where_it_is_large() -> None:
    reading = read(Dividing(generalised(0.25, 0.5)))
    assert reading.method.startswith("Newmark, gamma 1/2, beta 1/4")
    assert value(reading, "step is set by") == "the instants of output, with fraction = 1e+09"
    assert not reading.deviations


def test_grid_of_the_output_is_a_step() -> None:
    reading = read(Stepper(generalised(0.25, 0.5), grid=True))
    assert value(reading, "step is set by") == "the instants of output"
    assert reading.method.startswith("Newmark, gamma 1/2, beta 1/4")


def test_numbers_are_those_of_the_method() -> None:
    reading = read(Stepper(ALPHA))
    exact = {"alpha_m": 1 / 3, "alpha_f": 4 / 9, "beta": 25 / 81, "gamma": 11 / 18}
    for figure in reading.figures:
        if figure.name in exact:
            assert figure.uncertainty is not None
            assert abs(figure.value - exact[figure.name]) <= figure.uncertainty < 1e-8
    assert value(read(Stepper(symplectic)), "limit of stability") == pytest.approx(2.0, abs=1e-6)
    assert value(read(Stepper(runge_kutta(*RK4))), "limit of stability") == pytest.approx(8**0.5, abs=1e-5)
    damped = read(Stepper(generalised(0.25, 0.55)))
    assert value(damped, "order") == pytest.approx(1, abs=0.1)


def spoil(march: Any, change: Any) -> Any:
    """Return a march of another problem than the one it gets."""

    def spoilt(problem: Any, load: Any, h: float, count: int) -> Any:
        return march(*change(problem, load, h), h, count)

    return spoilt


def drop_coupling(problem: Any, load: Any, _: float) -> Any:
    return replace(problem, mass=np.diag(np.diag(problem.mass))), load


def symmetrise(problem: Any, load: Any, _: float) -> Any:
    return replace(problem, damping=(problem.damping + problem.damping.T) / 2), load


def delay(problem: Any, load: Any, h: float) -> Any:
    return problem, lambda t: load(max(t - h, 0.0))


def round_stiffness(problem: Any, load: Any, _: float) -> Any:
    return replace(problem, stiffness=problem.stiffness * (1 + 1e-6)), load


FAULTS = {
    "wrong beta": (Stepper(generalised(0.26, 0.5)), "Newmark, gamma 1/2, beta 0.2600: none of 1/4, 1/6, 1/12, 0"),
    "wrong beta of HHT": (
        Stepper(generalised((1 - 0.05**2) / 4, 0.55, 0, 0.05)),
        "HHT-alpha, alpha -0.0500, but beta 0.2494 where 0.2756 belongs to it",
    ),
    "printed": (
        Stepper(generalised((1 - 0.05**2) / 4, 0.55, 0, 0.05), answer=printed),
        "HHT-alpha, alpha -0.0500, but beta 0.2494 where 0.2756 belongs to it",
    ),
    "start": (Stepper(generalised(0.25, 0.5, rest=True)), "starts with the acceleration 0"),
    "gamma": (Stepper(generalised(0.25, 0.505), claims={"order": 2}), "order 1.01 was seen: 2 is claimed"),
    "order": (Stepper(runge_kutta(*RK4), claims={"order": 5}), "order 4.00 was seen: 5 is claimed"),
    "entry": (
        Stepper(runge_kutta(RK4[0], [1 / 6, 1 / 3 + 1e-6, 1 / 3, 1 / 6 - 1e-6])),
        "Runge-Kutta, rk4, but free vibrations differ",
    ),
    "kick": (
        Stepper(nystrom("Ruth 3, velocity first", ("kicks", 1, 1e-6)), capabilities=UNDAMPED),
        "Ruth 3, velocity first, but free vibrations differ by up to 1.3e-05 of the state",
    ),
    "stage": (
        Stepper(nystrom("nystrom-4", ("stages", 7, 1e-6)), capabilities=UNDAMPED),
        "nystrom-4, but free vibrations differ",
    ),
    "method": (
        Stepper(generalised(0.25, 0.5), claims={"method": "newmark", "beta": "1/6"}),
        "newmark, beta 1/6 is claimed: free vibrations differ",
    ),
    "late load": (Stepper(spoil(generalised(0.25, 0.5), delay)), "order with a load 0.99: it is 2.00 without"),
    "lumped": (Stepper(spoil(generalised(0.25, 0.5), drop_coupling)), "order with two masses 0.00: it is 2.00 without"),
    "symmetric": (Stepper(spoil(generalised(0.25, 0.5), symmetrise)), "order with gyroscopic forces"),
    "stiffness": (
        Stepper(spoil(generalised(0.25, 0.5), round_stiffness)),
        "(average acceleration, the trapezoidal rule), but free vibrations differ",
    ),
    "half-step": (Stepper(leapfrog), "order with a damper 1.0"),
}


def shift_more(p: Any, load: Any, h: float, count: int) -> Any:
    """March with average acceleration, but displace by 0.52 h² a in place of 0.5 h² a: of no family, of order 1."""
    x, v = p.initial_displacement, p.initial_velocity
    a = np.linalg.solve(p.mass, load(0.0) - p.stiffness @ x - p.damping @ v)
    states = [(x, v)]
    for i in range(count):
        free, fast = x + h * v + 0.26 * h**2 * a, v + h / 2 * a
        left = p.mass + h / 2 * p.damping + 0.26 * h**2 * p.stiffness
        new = np.linalg.solve(left, load((i + 1) * h) - p.damping @ fast - p.stiffness @ free)
        x, v, a = free + 0.26 * h**2 * new, fast + h / 2 * new, new
        states.append((x, v))
    return states


def test_a_method_of_no_family_is_not_called_by_the_edge_of_one() -> None:
    reading = read(Stepper(shift_more))
    assert not reading.method
    assert not [line for line in reading.deviations if "alpha" in line or "beta" in line]
    numbers = re.findall(r"-?\d+(?:\.\d+)?", value(reading, "nearest family"))
    assert all(abs(float(number)) < 20 for number in numbers)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_deviations(name: str) -> None:
    solver, expected = FAULTS[name]
    deviations = read(solver).deviations
    assert any(expected in line for line in deviations), deviations


def test_exact_solver_is_held_to_other_motions_without_loads() -> None:
    """The first damping ratio serves for all modes that lack one: free vibrations, and two damped modes, are exact."""
    wrong = replace(MODAL, ratios=first_for_all)
    assert [read(each).method for each in (MODAL, wrong)] == ["exact on free vibrations, to rounding"] * 2
    assert read(MODAL).deviations == ()
    (line,) = read(wrong).deviations
    assert line.startswith("exact on free vibrations, but with one damped mode of two the state is")


@pytest.mark.parametrize("method", ["RK45", "DOP853", "LSODA"])
def test_adaptive_methods_have_an_error_over_their_tolerance(method: str) -> None:
    reading = read(SciPy(method))
    assert reading.deviations == ()
    assert value(reading, "slope of error over tolerance") == pytest.approx(1, abs=0.3)
    assert any("no step can be set" in gap.reason for gap in reading.gaps)


class Relative(SciPy):
    """SciPy's method whose absolute tolerance is no setting: 1e-9, whatever the relative one."""

    @property
    def settings(self) -> dict[str, str]:
        return {"rtol": "relative tolerance"}


def test_a_card_says_where_errors_stop_following_the_tolerance() -> None:
    assert value(read(Relative()), "floor of rtol") == 1e-10
    assert not any(figure.name.startswith("floor") for figure in read(SciPy()).figures)


class Deaf(SciPy):
    """SciPy's method at 1e-6, whatever tolerance is asked for."""

    def solve(self, problem: Any, settings: Any) -> Any:
        return super().solve(problem, {"rtol": 1e-6, "atol": 1e-9})


def test_a_tolerance_without_an_effect_is_a_deviation() -> None:
    (line,) = read(Deaf()).deviations
    assert line.startswith("errors do not follow rtol: ")


def test_rounding_and_untried_tolerances_are_no_floor() -> None:
    decades = (1e-4, 1e-6, 1e-8, 1e-10)
    assert find_floor(decades, (1e-4, 1e-6, 3e-8, 2e-8), rounding=1e-13) == 1e-8
    assert find_floor(decades, (1e-4, 1e-6, 3e-8, 2e-8), rounding=1e-7) is None
    assert find_floor(decades, (1e-4, 1e-6, 1e-8, 1e-10), rounding=1e-13) is None
    assert find_floor(decades[:1], (1e-4,), rounding=1e-13) is None, "nothing finer was tried"
