"""Numbers of a problem by name: which there are, and what replacing one changes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
import sympy

import veridyn
from veridyn import Friction, Harmonic, Load, Stop
from veridyn.problem.named_numbers import list_numbers, replace_number
from veridyn.problem.time_functions import Piecewise

LATE = Piecewise((0.0, 0.5), ((1.0,), (2.0, "1/3")))
FULL = veridyn.MechanicalProblem(
    name="full",
    mass=np.array([[2.0, 0.25], [0.25, 1.5]]),
    stiffness=np.array([[50.0, -10.0], [-9.0, 30.0]]),
    initial_velocity=[1.0, 0.0],
    loads=(Load("x1", Harmonic(3.0, "2*pi")), Load("x2", LATE)),
    supports=veridyn.SupportMotion.from_acceleration("ground", np.ones(2), Harmonic(1.0, 2.0)),
    stops=Stop("wall", "x1", gap=0.5, stiffness=500.0),
    frictions=Friction("rub", "x2", "wall", static=0.3, kinetic=0.2),
    end=2.0,
)


def test_numbers_go_by_the_names_of_elements_and_fields():
    numbers = list_numbers(FULL)
    shown = {"wall.gap", "rub.static", "mass[1,2]", "stiffness[2,1]", "initial_velocity[2]", "supports[1].influence[2]"}
    assert shown < set(numbers)
    assert numbers["loads[1].function.omega"].value == 2 * sympy.pi
    assert numbers["loads[2].function.breaks[2]"].value == 0.5


def test_what_is_no_number_of_its_own_is_left_out():
    """The mirror image in the mass, the edge of a load on the start, one statement of a support's motion of three."""
    without = {"mass[2,1]", "end", "start", "loads[2].function.breaks[1]", "supports[1].acceleration.amplitude"}
    numbers = list_numbers(FULL)
    assert without.isdisjoint(numbers)
    assert not [name for name in numbers if name.endswith((".name", "rub.normal", ".order", ".geometry"))]


def test_a_number_put_in_its_own_place_leaves_the_problem_as_it_is():
    for number in list_numbers(FULL).values():
        same = replace_number(FULL, number, number.value)
        assert np.array_equal(same.mass, FULL.mass), number.name
        assert [f(0.7) for f in same.functions] == [f(0.7) for f in FULL.functions], number.name
        assert (same.stops[0].gap, same.frictions[0].static) == (0.5, 0.3), number.name


PLACES = {
    "mass[1,2]": lambda p: {p.mass[0, 1], p.mass[1, 0]},
    "stiffness[2,1]": lambda p: {p.stiffness[1, 0]},
    "wall.gap": lambda p: {p.stops[0].gap},
    "loads[2].function.coefficients[2][2]": lambda p: {p.loads[1].function.coefficients[1][1]},
    "initial_velocity[1]": lambda p: {p.initial_velocity[0]},
}


@pytest.mark.parametrize("name", PLACES)
def test_another_value_stands_where_the_name_says_and_nowhere_else(name):
    before = list_numbers(FULL)
    changed = replace_number(FULL, before[name], 0.375)
    assert PLACES[name](changed) == {0.375}
    others = {n: float(number.value) for n, number in list_numbers(changed).items() if n != name}
    assert others == {n: float(number.value) for n, number in before.items() if n != name}


def test_modal_and_sparse_problems_have_names_as_well():
    modes = veridyn.Modes(omega=[3.0], damping=[0.01], masses=[2.0], shapes=[[1.0], [0.5]])
    modal = veridyn.MechanicalProblem(modes=modes, end=1.0)
    assert replace_number(modal, list_numbers(modal)["modes.omega[1]"], 4.0).modes.omega[0] == 4.0
    sparse = veridyn.MechanicalProblem(mass=scipy.sparse.eye(2), stiffness=scipy.sparse.eye(2), end=1.0)
    assert "stiffness[1,2]" in list_numbers(sparse.dense())
