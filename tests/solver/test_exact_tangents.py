"""Derivatives of the exact solver: its own answers at neighbours agree, and what has no derivative is declined."""

import numpy as np
import pytest

from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.named_numbers import move_numbers
from veridyn.problem.tangent import Tangent
from veridyn.problem.time_functions import Harmonic, Sum, Windowed, constant, polynomial
from veridyn.solver.contract.derivatives import read_differentiated
from veridyn.solver.exact.solver import SOLVER

END = 4.0
WEIGHTS = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
PUSH = Load([1.0, 0.0], Harmonic(6.0, 5.0, 0.3))


def pose(name, *, mass=(1.3, 1.0), x=(0.5, 0.3), v=(0.0, 0.0), **elements):
    return MechanicalProblem(
        name=name,
        mass=np.diag(mass),
        stiffness=[[40.0, -5.0], [-5.0, 20.0]],
        damping=[[0.2, 0.0], [0.0, 0.1]],
        initial_displacement=x,
        initial_velocity=v,
        end=END,
        output_times=np.linspace(0, END, 31),
        **elements,
    )


RUB = Friction("rub", [0.0, 1.0], "wall", 0.35, 0.3)
ELASTIC = pose(
    "elastic",
    stops=(
        Stop("wall", [1.0, 0.0], 0.2, 300.0, 2.0),
        Stop("pair", [0.0, 1.0], 0.25, 500.0, geometry="parallel planes", offset=0.02),
    ),
    loads=(
        Load([0.0, 1.0], Windowed(Harmonic(9.0, 5.0, 0.3), 0.5, 3.0)),
        Load([1.0, 0.0], Sum((polynomial(0.1, 0.2), Harmonic(1.0, 2.0)))),
    ),
)
RUBBED = pose("rubbed", stops=(Stop("wall", [1.0, 0.0], 0.05, 300.0),), frictions=(RUB,), loads=(PUSH,))
STICKING = pose("sticking", frictions=(Friction("shoe", [1.0, 0.0], 9.0, 0.35, 0.3),), loads=(PUSH,), v=(0.3, 0.0))
RIGID = pose(
    "rigid",
    stops=(Stop("wall", [1.0, 0.0], 0.1, restitution=0.7),),
    frictions=(RUB,),
    loads=(PUSH,),
    x=(0, 0.3),
    v=(1, 0),
)
SETTLING = MechanicalProblem(
    name="settling",
    mass=[[1.3]],
    stiffness=[[1.0]],
    initial_displacement=[0.0],
    initial_velocity=[1.0],
    end=END,
    output_times=np.linspace(0, END, 31),
    stops=(Stop("wall", [1.0], 0.1, restitution=0.4),),
    loads=(Load([1.0], Sum((constant(8.0), Harmonic(3.0, 1.5, 0.3)))),),
)
MODAL = MechanicalProblem(
    name="modal",
    modes=Modes(omega=[5.0, 9.0], damping=[0.02, 0.05], masses=[1.0, 2.0], shapes=[[1.0, 0.5], [0.4, -1.0]]),
    initial_displacement=[0.3, 0.1],
    initial_velocity=[0.0, 0.0],
    end=END,
    output_times=np.linspace(0, END, 31),
    stops=(Stop("wall", [1.0, 0.0], 0.1, 300.0),),
    loads=(PUSH,),
)
MATES = MechanicalProblem(
    name="mates",
    mass=np.eye(2),
    stiffness=np.zeros((2, 2)),
    initial_velocity=[1.0, 1.0],
    end=END,
    stops=(Stop("a", [1.0, 0.0], 1.0, 9.0), Stop("b", [0.0, 1.0], 1.0, 9.0)),
)
NUMBERS = [
    (
        ELASTIC,
        ("mass[1,2]", "stiffness[2,1]", "damping[1,1]", "wall.gap", "wall.damping", "pair.stiffness", "pair.offset"),
    ),
    (ELASTIC, ("loads[1].function.function.omega", "loads[2].function.summands[1].coefficients[1][2]")),
    (RUBBED, ("mass[1,1]", "wall.stiffness", "rub.kinetic", "rub.static", "loads[1].function.phase")),
    (STICKING, ("mass[1,1]", "shoe.normal", "shoe.static", "initial_velocity[1]", "loads[1].direction[1]")),
    (RIGID, ("mass[1,2]", "wall.gap", "wall.restitution", "rub.kinetic", "loads[1].function.amplitude")),
    (SETTLING, ("mass[1,1]", "wall.restitution", "initial_velocity[1]")),
    (MODAL, ("modes.omega[1]", "modes.damping[2]", "modes.masses[1]", "modes.masses[2]")),
]


def differentiate(problem, *names):
    answer = SOLVER.solve_tangent(problem, Tangent("p", dict.fromkeys(names, 1.0)), {})
    return read_differentiated(problem, answer, "exact")


def take_differences(problem, name, step):
    """Return differences of displacements and forces at common samples, and of the instants of events."""
    answers = {k: SOLVER.solve(move_numbers(problem, {name: k * step}), {}) for k in WEIGHTS}
    common = problem.output_times
    for answer in answers.values():
        common = np.intersect1d(common, answer.time)

    def combine(read):
        return sum(weight * read(answers[k]) for k, weight in WEIGHTS.items()) / step

    def at(answer):
        return np.searchsorted(answer.time, common)

    forces = {
        element: combine(lambda r, e=element: r.elements[e]["normal_force"][at(r)]) for element in answers[1].elements
    }
    events = {element: combine(lambda r, e=element: r.events[e]) for element in answers[1].events}
    return common, combine(lambda r: r.displacement[at(r)]), combine(lambda r: r.velocity[at(r)]), forces, events


@pytest.mark.parametrize(("problem", "names"), NUMBERS, ids=lambda given: getattr(given, "name", None))
def test_derivatives_are_those_of_answers_beside(problem, names):
    for name in names:
        pair = differentiate(problem, name)
        common, x, v, forces, events = take_differences(problem, name, 1e-5)
        common, kept = np.intersect1d(common, pair.response.time), np.isin(common, pair.response.time)
        places = np.searchsorted(pair.response.time, common)
        slopes = pair.tangent
        assert slopes.displacement[places] == pytest.approx(x[kept], rel=1e-5, abs=1e-6 * np.abs(x).max()), name
        assert slopes.velocity[places] == pytest.approx(v[kept], rel=1e-5, abs=1e-6 * np.abs(v).max()), name
        for element, force in forces.items():
            size = max(np.abs(force).max(), 1e-3)
            found = slopes.elements[element]["normal_force"][places]
            assert found == pytest.approx(force[kept], rel=1e-5, abs=1e-5 * size), (name, element)
        for element, moves in events.items():
            assert slopes.events[element] == pytest.approx(moves, rel=1e-5, abs=1e-5), (name, element)
        assert sum(instants.size for instants in pair.response.events.values()) > 3


def test_derivatives_add_up():
    """What a parameter moves together is the sum of what each number does, without differences."""
    one, other, both = (
        differentiate(RIGID, *names).tangent for names in (("wall.gap",), ("mass[1,1]",), ("wall.gap", "mass[1,1]"))
    )
    assert one.velocity + other.velocity == pytest.approx(both.velocity, rel=1e-11, abs=1e-11)
    assert one.events["wall"] + other.events["wall"] == pytest.approx(both.events["wall"], rel=1e-11)


@pytest.mark.parametrize(
    ("problem", "name", "reason"),
    [
        (ELASTIC, "wall.normal[1]", r"derivatives by wall.normal\[1\]"),
        (ELASTIC, "loads[1].function.start", "derivatives by loads"),
        (pose("edge", stops=(Stop("wall", [1.0, 0.0], 0.5, 300.0),)), "wall.gap", "begins between two modes"),
        (
            pose("spring", frictions=(Friction("shoe", [1.0, 0.0], 9.0, 0.3, 0.3, "regularised", 1e4, 1.0),)),
            "shoe.normal",
            "sticks through a spring",
        ),
        (
            MATES,
            "a.gap",
            "events that meet but do not move together at t = 1 s",
        ),
    ],
)
def test_what_has_no_derivative_here_is_declined(problem, name, reason):
    with pytest.raises(NotImplementedError, match=reason):
        differentiate(problem, name)


def test_numbers_that_hang_together_are_moved_at_once():
    """One by one the friction would stick less than it slides."""
    problem = pose("slope", frictions=(Friction("shoe", [1.0, 0.0], 9.0, 0.3, 0.3),))
    (moved,) = move_numbers(problem, {"shoe.static": -0.1, "shoe.kinetic": -0.1}).frictions
    assert (moved.static, moved.kinetic) == pytest.approx((0.2, 0.2))
