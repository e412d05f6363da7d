"""Derivatives of our schemes: those of their own answers, for all laws, and what has none is declined."""

from dataclasses import replace

import numpy as np
import pytest

from veridyn.problem.devices import BucklingStop, NonlinearDamper, NonlinearSpring, Zener
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.tangent import Tangent
from veridyn.problem.time_functions import Harmonic, Windowed
from veridyn.problem.variations import shift
from veridyn.solver.contract.derivatives import read_differentiated
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FIRST

WEIGHTS = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
NEAR = (1e-5, 1e-6)  # of a number: so far are neighbours; far ones take other branches, near ones are rounded
PUSH = Load([1.0, 0.5], Harmonic(3.0, 9.0, 0.3))


def pose(name, **changes):
    default = {
        "mass": [[2.0, 0.1], [0.1, 1.0]],
        "damping": [[0.3, -0.1], [-0.1, 0.2]],
        "stiffness": [[300.0, -100.0], [-100.0, 200.0]],
        "initial_displacement": [0.1, 0.0],
        "initial_velocity": [0.2, 0.3],
        "loads": (PUSH,),
        "end": 1.0,
    }
    return MechanicalProblem(name=name, **{**default, **changes})


WALL = Stop("wall", [0.0, 1.0], 0.03, 2e4)
RUBBED = pose(
    "rubbed",
    stops=(WALL,),
    frictions=(Friction("pad", [1.0, 0.0], 4.0, 0.2, 0.2), Friction("shoe", [1.0, 0.0], "wall", 0.2, 0.2)),
)
ROUND = pose("round", stops=(Stop("hole", [1.0, 0.0], 0.105, 2e4, geometry="circle", lateral=[0.0, 1.0]),))
WINDOWED = pose("windowed", loads=(Load([0.0, 1.0], Windowed(Harmonic(9.0, 5.0, 0.3), 0.1, 0.7)),))
SHAPED = MechanicalProblem(
    name="shaped",
    modes=Modes(omega=[5.0, 9.0], damping=[0.02, 0.05], masses=[1.0, 2.0], shapes=[[1.0, 0.5], [0.4, -1.0]]),
    initial_displacement=[0.3, 0.1],
    initial_velocity=[0.0, 0.0],
    end=1.0,
    stops=(Stop("pair", [1.0, 0.0], 0.2, 500.0, geometry="parallel planes", offset=0.02),),
    loads=(PUSH,),
)
BUCKLING = BucklingStop(
    name="law", direction=[1.0, 0.0], contact_stiffness=4e3, critical_force=20.0, post_force=8.0, plateau=2e-3,
    softening=5e-3,
    returns=((0.01, 3e3),),
)  # fmt: skip
DEVICES = {
    "spring": (
        NonlinearSpring(
            name="law", direction=[1.0, 0.0], breaks=(0.0,), coefficients=((0.0, 50.0), (0.0, 50.0, 800.0))
        ),
    ),
    "damper": (
        NonlinearDamper(name="law", direction=[1.0, 0.0], breaks=(0.0,), coefficients=((0.0, 2.0), (0.0, 6.0))),
    ),
    "zener": (Zener(name="law", direction=[1.0, 0.0], k1=120.0, k2=10.0, k3=60.0, damping=1.7),),
    "square": (Zener(name="law", direction=[1.0, 0.0], k1=120.0, k2=10.0, k3=60.0, damping=1.7, alpha=0.5),),
    "power": (Zener(name="law", direction=[1.0, 0.0], k1=120.0, k2=10.0, k3=60.0, damping=1.7, alpha=0.7),),
    "buckling": (BUCKLING,),
}
WITH_DEVICES = {name: pose(name, devices=devices) for name, devices in DEVICES.items()}
CASES = [
    (RUBBED, "mass[1,2]", 0.1),
    (RUBBED, "stiffness[1,1]", 300.0),
    (RUBBED, "damping[2,2]", 0.2),
    (RUBBED, "wall.gap", 0.03),
    (RUBBED, "wall.stiffness", 2e4),
    (RUBBED, ("pad.static", "pad.kinetic"), 0.2),
    (RUBBED, ("shoe.static", "shoe.kinetic"), 0.2),
    (RUBBED, "pad.normal", 4.0),
    (RUBBED, "initial_velocity[1]", 0.2),
    (RUBBED, "loads[1].function.omega", 9.0),
    (RUBBED, "loads[1].direction[2]", 0.5),
    (ROUND, "hole.gap", 0.105),
    (WINDOWED, "loads[1].function.function.phase", 0.3),
    (SHAPED, "modes.omega[1]", 5.0),
    (SHAPED, "modes.shapes[1,2]", 0.5),
    (SHAPED, "pair.offset", 0.02),
    (WITH_DEVICES["spring"], "law.coefficients[2][3]", 800.0),
    (WITH_DEVICES["damper"], "law.coefficients[2][2]", 6.0),
    (WITH_DEVICES["zener"], "law.k3", 60.0),
    (WITH_DEVICES["square"], "law.damping", 1.7),
    (WITH_DEVICES["power"], "law.alpha", 0.7),
    (WITH_DEVICES["buckling"], "law.post_force", 8.0),
]


def settle(scheme, step=1e-3):
    return {"scheme": scheme, "step": step, "tangential_stiffness": 4e3, **SCHEMES[scheme].constant_step}


def move(names):
    return Tangent("p", dict.fromkeys((names,) if isinstance(names, str) else names, 1.0))


def differentiate(problem, name, settings):
    return read_differentiated(problem, SOLVER.solve_tangent(problem, move(name), settings), "veridyn")


def take_differences(problem, name, step, settings):
    answers = {k: SOLVER.solve(shift(problem, move(name), k * step), settings) for k in WEIGHTS}

    def combine(read):
        return sum(weight * read(answers[k]) for k, weight in WEIGHTS.items()) / step

    elements = {
        (element, history): combine(lambda r, e=element, h=history: r.elements[e][h])
        for element, histories in answers[1].elements.items()
        for history in histories
        if history != "stuck"
    }
    return {"x": combine(lambda r: r.displacement), "v": combine(lambda r: r.velocity), **elements}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("problem", "name", "size"), CASES, ids=lambda given: getattr(given, "name", None))
def test_a_derivative_is_that_of_the_answers_of_the_scheme(problem, name, size, scheme, pytestconfig):
    if scheme != FIRST and not pytestconfig.getoption("all_schemes"):
        pytest.skip(f"compiles {scheme}: --all-schemes")
    settings = settle(scheme)
    pair = differentiate(problem, name, settings)
    assert np.array_equal(pair.response.time, SOLVER.solve(problem, settings).time)
    assert pair.response.displacement == pytest.approx(
        SOLVER.solve(problem, settings).displacement, rel=1e-9, abs=1e-12
    )
    slopes = {"x": pair.tangent.displacement, "v": pair.tangent.velocity}
    slopes |= {(e, h): value for e, histories in pair.tangent.elements.items() for h, value in histories.items()}
    tables = [take_differences(problem, name, near * size, settings) for near in NEAR]
    assert set(slopes) == set(tables[0]), "flags have no derivative"
    for key, slope in slopes.items():
        scale = max(np.abs(slope).max(), np.abs(slopes["x"]).max())
        assert min(np.abs(slope - table[key]).max() for table in tables) < 1e-6 * scale, key
    assert np.abs(slopes["x"]).max() > 0


def test_derivatives_converge_as_the_scheme_does():
    problem = pose("elastic", stops=(Stop("wall", [0.0, 1.0], 0.03, 2e2),), output_times=np.linspace(0, 1, 11))
    for name in ("wall.gap", "mass[1,2]", "loads[1].function.omega"):
        truth = EXACT.solve_tangent(problem, Tangent("p", {name: 1.0}), {})
        wanted = truth.tangent.displacement[np.searchsorted(truth.response.time, problem.output_times)]
        errors = [
            np.abs(
                differentiate(problem, name, {**settle(FIRST, step), "archive_at": "output_times"}).tangent.displacement
                - wanted
            ).max()
            for step in (1e-3, 1e-4)
        ]
        assert errors[1] < 0.2 * errors[0], name
        assert errors[1] < 1e-3 * np.abs(wanted).max(), name


JUMPING = {
    "'wall', whose damper": pose("damped", stops=(replace(WALL, damping=5.0),)),
    "'pad', whose force jumps from static": pose("breaks", frictions=(Friction("pad", [1.0, 0.0], 4.0, 0.3, 0.2),)),
    "'stop', whose force jumps": pose(
        "buckles",
        devices=(
            BucklingStop(name="stop", direction=[1.0, 0.0], contact_stiffness=50.0, critical_force=0.5, post_force=0.2),
        ),
    ),
    "'law', whose force jumps": pose(
        "preloaded",
        devices=(NonlinearSpring(name="law", direction=[1.0, 0.0], breaks=(0.0,), coefficients=((0.0,), (5.0, 50.0))),),
    ),
}


@pytest.mark.parametrize("reason", JUMPING)
def test_a_force_that_jumps_is_declined(reason):
    """What the instant of a jump adds is not in any step: such a derivative does not tend to that of the motion."""
    with pytest.raises(NotImplementedError, match=reason):
        differentiate(JUMPING[reason], "mass[1,1]", settle(FIRST))


def test_friction_that_turns_within_a_few_steps_is_declined():
    """Its stick is as stiff as the step allows: by zeta, `y@0.3` of tube_between_stops is -0.14, -0.28, -0.06 as the
    step falls, and -0.417 in truth."""
    rubbed = replace(RUBBED, frictions=RUBBED.frictions[:1], stops=())
    default = {"scheme": FIRST, "step": 1e-3}
    with pytest.raises(NotImplementedError, match="tangential_stiffness=5e\\+03"):
        differentiate(rubbed, "pad.normal", default)
    stated = replace(rubbed.frictions[0], law="regularised", stiffness=2e4)
    assert differentiate(replace(rubbed, frictions=(stated,)), "pad.normal", default).tangent.displacement.any()


def test_derivatives_through_a_slide_that_turns_tend_to_those_of_the_motion():
    pad = Friction("pad", [1.0, 0.0], 3.0, 0.2, 0.2)
    problem = pose("turns", loads=(), frictions=(pad,), end=2.0, output_times=np.array([0.0, 2.0]))
    truth = EXACT.solve_tangent(problem, move("stiffness[1,1]"), {}).tangent.displacement[-1]
    settings = {**settle(FIRST, 1e-5), "tangential_stiffness": 1e6, "archive_at": "output_times"}
    assert differentiate(problem, "stiffness[1,1]", settings).tangent.displacement[-1] == pytest.approx(truth, rel=5e-2)


def test_what_has_no_derivative_is_declined():
    same = pose("same", stiffness=np.diag([2.0, 1.0]), mass=np.diag([2.0, 1.0]), damping=np.zeros((2, 2)))
    with pytest.raises(NotImplementedError, match="frequencies meet"):
        differentiate(same, "mass[1,2]", settle(FIRST))
    assert differentiate(same, "stiffness[2,2]", settle(FIRST)).tangent.displacement[-1, 1]
    with pytest.raises(NotImplementedError, match="runge_kutta_54 with a step that follows an error"):
        differentiate(RUBBED, "wall.gap", {"scheme": "runge_kutta_54", "step": 1e-3})
    with pytest.raises(NotImplementedError, match="derivatives by p, which has no neighbours"):
        differentiate(RUBBED, "shoe.kinetic", settle(FIRST))
    with pytest.raises(NotImplementedError, match=r"by loads.*, at which a function of time changes"):
        differentiate(WINDOWED, "loads[1].function.end", settle(FIRST))
