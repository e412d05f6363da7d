"""Whatever is given in place of what belongs there, a problem is made of it or one error of ours says what is wrong."""

import contextlib
import inspect

import numpy as np
import pytest

import veridyn
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.solver.contract.errors import SettingsError

NONSENSE = (
    float("nan"), float("inf"), -1.0, 0.0, 1e300, 1j, True, None, "x", "nan", b"1", [], [1, 2, 3], (1,), [[1]],
    {"x9": 1}, np.array([[1, 2], [3, 4]]), np.full((1, 1), np.nan), abs, ...,
)  # fmt: skip
SHAKE = veridyn.Harmonic(50.0, 60.0)
BROKEN = {"breaks": (0.0,), "coefficients": ((0.0, 1.0), (0.0, 2.0))}
MOVED = {"acceleration": SHAKE, "velocity": SHAKE, "displacement": SHAKE}
CRUSHED = {"contact_stiffness": 1e3, "critical_force": 10.0, "post_force": 5.0}
ELEMENTS = (
    (veridyn.Stop, "stops", {"name": "wall", "normal": "x1", "gap": 1e-3, "stiffness": 1e6}),
    (veridyn.Stop, "stops", {"name": "wall", "normal": "x1", "gap": 1e-3, "restitution": 0.5}),
    (veridyn.Friction, "frictions", {"name": "pad", "tangents": "x1", "normal": 1.0, "static": 0.3, "kinetic": 0.2}),
    (veridyn.NonlinearSpring, "devices", {"name": "d", "direction": "x1", **BROKEN}),
    (veridyn.Zener, "devices", {"name": "d", "direction": "x1", "k1": 1.0, "k2": 1.0, "k3": 1.0, "damping": 1.0}),
    (veridyn.BucklingStop, "devices", {"name": "d", "direction": "x1", **CRUSHED}),
    (veridyn.SupportMotion, "supports", {"name": "s", "influence": "x1", **MOVED}),
    (veridyn.TimeVarying, "varying", {"of": "stiffness", "matrix": [[1.0]], "function": SHAKE}),
    (veridyn.Load, "loads", {"direction": "x1", "function": SHAKE}),
    (veridyn.Load, "loads", {"direction": "x1", "function": abs}),
)
IMPACT = {"name": "impact", "guard": "y", "direction": -1, "reset": {"y": 0, "v": "-e*v"}}
FLIGHT = {"name": "flight", "rates": ("v", "-g")}
LANDED = {"event": "impact", "mode": "flight"}
FUNCTIONS = ("Harmonic", "Sum", "Windowed", "constant", "polynomial", "pulse", "step", "table", "pieces")


def free(**changes):
    return veridyn.MechanicalProblem(**{"mass": 1.0, "stiffness": 1e4, "end": 0.1, **changes})


@pytest.mark.parametrize("name", inspect.signature(veridyn.MechanicalProblem).parameters)
def test_in_a_problem(name):
    for wrong in NONSENSE:
        with contextlib.suppress(ProblemError):
            free(**{name: wrong})


@pytest.mark.parametrize(("kind", "field", "given"), ELEMENTS)
def test_in_an_element(kind, field, given):
    for name in inspect.signature(kind).parameters:
        for wrong in NONSENSE:
            with contextlib.suppress(ProblemError):
                free(**{field: kind(**{**given, name: wrong})})


def ball(change=None, flies=None, **changes):
    """A ball that bounces; one event and one mode need no tuple."""
    flight = veridyn.Mode(**{**FLIGHT, "events": veridyn.Change(**{**IMPACT, **(change or {})}), **(flies or {})})
    given = {"parameters": {"g": "9.81", "e": "0.8"}, "initial": (1, 0), "modes": flight, "end": 0.3}
    return veridyn.InitialValueProblem(**{"states": ("y", "v"), **given, **changes})


def landed(**changes):
    return {"accumulation": veridyn.Accumulation(**{**LANDED, **changes})}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (veridyn.InitialValueProblem, lambda **changed: changed),
        (veridyn.Mode, lambda **changed: {"flies": changed}),
        (veridyn.Change, lambda **changed: {"change": changed}),
        (veridyn.Accumulation, landed),
    ],
)
def test_in_an_initial_value_problem(kind, changes):
    assert ball().modes[0].events[0].name == "impact"
    for name in inspect.signature(kind).parameters:
        for wrong in NONSENSE:
            with contextlib.suppress(ProblemError):
                ball(**changes(**{name: wrong}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_in_a_time_function(name):
    make = getattr(veridyn, name)
    numbers = [1.0, 2.0, 3.0, 4.0][: len(inspect.signature(make).parameters)]
    for i in range(len(numbers)):
        for wrong in NONSENSE:
            with contextlib.suppress(ProblemError):
                free(loads=veridyn.Load("x1", make(*numbers[:i], wrong, *numbers[i + 1 :])))


@pytest.mark.parametrize("wrong", [wrong for wrong in NONSENSE if wrong is not None], ids=repr)
def test_in_place_of_a_solver(wrong):
    with pytest.raises(SolverInputError):
        veridyn.solve(free(), wrong)
    with pytest.raises((SolverInputError, SettingsError)):
        veridyn.compare(free(), wrong)
    with pytest.raises((SolverInputError, SettingsError)):
        veridyn.solve(free(), "exact", scheme=wrong)


@pytest.mark.parametrize(
    ("make", "culprits"),
    [
        (lambda: free(stops=veridyn.Load("x1", SHAKE)), ("stops", "Load(direction=")),
        (lambda: free(modes=3.0), ("modes", "3.0")),
        (lambda: free(coordinates=(3.0,)), ("coordinates", "(3.0,)")),
        (lambda: free(name=3.0), ("name", "3.0")),
        (lambda: veridyn.Stop("wall", "x1", "1e-3", 1e6), ("wall", "gap", "'1e-3'")),
        (lambda: veridyn.Load("x1", abs, breaks="soon"), ("Load", "breaks")),
        (lambda: veridyn.pieces(abs, 1.0, 0.0), ("pieces", "start = 1.0", "end = 0.0")),
        (lambda: ball(modes=3), ("modes", "3")),
        (lambda: ball(change={"reset": "v"}), ("impact", "reset", "'v'")),
        (lambda: veridyn.solve(free(), object), ("object", "name", "capabilities", "solve")),
        (lambda: veridyn.compare(free(), [("exact",)]), ("compare",)),
    ],
)
def test_the_error_names_what_is_wrong(make, culprits, refused):
    with refused(SolverInputError, *culprits):
        make()


def test_one_break_one_name_and_one_solver_need_no_tuple():
    problem = free(coordinates="s", loads=veridyn.Load("s", lambda t: abs(t - 0.05), breaks=0.05))
    assert (problem.coordinates, problem.loads[0].function.breaks) == (("s",), (0.0, 0.05))
    assert isinstance(veridyn.compare(problem, "exact"), veridyn.Comparison)
