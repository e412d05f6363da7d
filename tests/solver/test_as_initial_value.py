"""Mechanical problems as initial value problems: the same motion as the exact solver, or as equations by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from veridyn import (
    BucklingStop,
    Friction,
    Harmonic,
    Load,
    MechanicalProblem,
    Modes,
    NonlinearSpring,
    Stop,
    SupportMotion,
    Windowed,
    Zener,
    as_initial_value,
    pulse,
)
from veridyn.problem.errors import ProblemError
from veridyn.problem.kinds import problem_from_json
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.exact.solver import SOLVER as EXACT

TIMES = np.linspace(0.0, 3.0, 61)
TIGHT = {"scheme": "DOP853", "rtol": 1e-11, "atol": 1e-13}
AGREE = 1e-8  # of the largest: events by a tolerance of 1e-11, some tens of them


def oscillator(**changes):
    given = {"mass": 1.5, "stiffness": 40.0, "damping": 0.3, "initial_velocity": [1.0], "end": 3.0}
    return MechanicalProblem(**{**given, "output_times": TIMES, **changes})


def tower(**changes):
    return MechanicalProblem(
        **{
            "mass": [[2.0, 0.5], [0.5, 1.0]],
            "stiffness": [[300.0, -100.0], [-100.0, 100.0]],
            "damping": [[0.6, -0.2], [-0.2, 0.2]],
            "coordinates": ("floor", "roof"),
            "initial_velocity": [0.2, 1.0],
            "end": 3.0,
            "output_times": TIMES,
            **changes,
        }
    )


SHAKEN = SupportMotion.from_acceleration("ground", [1.0, 1.0], Harmonic(3.0, "2*pi", 0.4))
CUT = Windowed(Harmonic(5.0, "4*pi"), 0.25, 1.5)
PROBLEMS = {
    "stop": oscillator(stops=Stop("stop", [1.0], gap=0.05, stiffness=500.0)),
    "damped stop": oscillator(stops=Stop("stop", [1.0], gap=0.05, stiffness=500.0, damping=8.0)),
    "pressed from the start": oscillator(stops=Stop("a stop", [1.0], gap=-0.01, stiffness=500.0, damping=8.0)),
    "at the stop, leaving": oscillator(stops=Stop("stop", [-1.0], gap=0.0, stiffness=500.0)),
    "at the stop, at rest": oscillator(
        initial_velocity=[0.0], loads=Load([1.0], pulse(3.0, 0.0, 5.0)), stops=Stop("s", [1.0], gap=0.0, stiffness=90.0)
    ),
    "between planes": oscillator(
        stops=Stop("stop", [1.0], gap=0.05, stiffness=500.0, damping=2.0, geometry="parallel planes", offset=0.01)
    ),
    "loads that jump": oscillator(loads=(Load([1.0], CUT), Load([2.0], pulse(1.0, 0.5, "5/3")))),
    "two stops": tower(
        stops=(Stop("low", [1.0, 0.0], gap=0.02, stiffness=900.0), Stop("high", [-1.0, 1.0], gap=0.03, stiffness=900.0))
    ),
    "shaken": tower(supports=SHAKEN),
    "shaken, stop that stays": tower(
        supports=SHAKEN, stops=Stop("wall", [0.0, 1.0], gap=0.02, stiffness=900.0, damping=1.0, frame="absolute")
    ),
    "friction": oscillator(
        frictions=Friction("pad", [1.0], normal=2.0, static=0.5, kinetic=0.5, law="regularised", stiffness=4e3)
    ),
    "friction, damped": tower(
        frictions=Friction(
            "pad", [-1.0, 1.0], normal=3.0, static=0.6, kinetic=0.4, law="regularised", stiffness=2e3, damping=5.0
        ),
        loads=Load([0.0, 1.0], Harmonic(4.0, 6.0)),
    ),
}


def motion(problem):
    """Displacements and velocities of the exact solver and of SciPy, which takes the other kind."""
    exact = EXACT.solve(problem, {})
    found = SCIPY.solve(as_initial_value(problem), TIGHT)
    common = TIMES[np.isin(TIMES, exact.time) & np.isin(TIMES, found.time)]  # one near an event may be left out
    assert common.size >= TIMES.size - 1
    states = np.hstack((exact.displacement, exact.velocity))[np.searchsorted(exact.time, common)]
    return states, found.states[np.searchsorted(found.time, common)][:, : 2 * problem.size], found


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_motion_is_that_of_the_exact_solver(name):
    expected, got, found = motion(PROBLEMS[name])
    assert found.events or name == "shaken"
    assert np.abs(got - expected).max() <= AGREE * np.abs(expected).max()


def test_a_circle_is_met_from_inside_where_the_motion_starts_at_its_centre():
    ring = Stop("ring", [1.0, 0.0], gap=0.1, stiffness=800.0, geometry="circle", lateral=[0.0, 1.0])
    problem = oscillator(mass=np.eye(2), stiffness=np.eye(2), damping=None, initial_velocity=[1.0, 0.0], stops=ring)
    line = oscillator(mass=1.0, stiffness=1.0, damping=None, stops=Stop("stop", [1.0], gap=0.1, stiffness=800.0,
                      geometry="parallel planes"))  # fmt: skip
    expected, _, _ = motion(line)
    found = SCIPY.solve(as_initial_value(problem), TIGHT)
    got = found.states[np.searchsorted(found.time, TIMES)]
    assert np.abs(got[:, [0, 2]] - expected).max() <= AGREE
    assert np.abs(got[:, [1, 3]]).max() <= 1e-15


@pytest.mark.parametrize(
    "device",
    [
        NonlinearSpring.odd(name="n", direction=[1.0], coefficients=[0.0, 30.0, 900.0], slack=0.02),
        Zener(name="z", direction=[1.0], k1=50.0, k2=20.0, k3=80.0, damping=4.0, path=0.01),
        Zener(name="z", direction=[1.0], k1=50.0, k2=20.0, k3=80.0, damping=4.0, alpha=1 / 3),
    ],
)
def test_devices_obey_their_law(device):
    def rate(_, y):
        if isinstance(device, NonlinearSpring):
            return [y[1], -(40.0 * y[0] + 0.3 * y[1] + float(device.force(y[0]))) / 1.5, 0.0]
        force, dashpot = map(float, device.forces(y[0], y[2]))
        flow = np.sign(dashpot) * abs(dashpot / device.damping) ** (1 / device.alpha)
        return [y[1], -(40.0 * y[0] + 0.3 * y[1] + force) / 1.5, flow]

    start = [0.0, 1.0, getattr(device, "path", 0.0)]
    byhand = solve_ivp(rate, (0.0, 3.0), start, t_eval=TIMES, method="DOP853", rtol=1e-11, atol=1e-13, max_step=0.01)
    found = SCIPY.solve(as_initial_value(oscillator(devices=device)), TIGHT)
    got = found.states[np.searchsorted(found.time, TIMES)]
    assert np.abs(got - byhand.y.T[:, : got.shape[1]]).max() <= AGREE


def test_json_keeps_what_was_made():
    made = as_initial_value(PROBLEMS["friction, damped"])
    assert problem_from_json(made.to_json()).to_json() == made.to_json()


CLOSE = {"gap": 0.1, "stiffness": 1.0}
REFUSED = {
    "a modal basis: give matrices": MechanicalProblem(
        modes=Modes(omega=[1.0], damping=[0.0], masses=[1.0], shapes=[[1.0]]), end=1.0
    ),
    "is set-valued: regularise it": oscillator(frictions=Friction("f", [1.0], normal=1.0, static=0.1, kinetic=0.1)),
    "under the force of a stop": oscillator(
        stops=Stop("s", [1.0], **CLOSE),
        frictions=Friction("f", [1.0], normal="s", static=0.1, kinetic=0.1, law="regularised", stiffness=1.0),
    ),
    "in two directions: one tangent": oscillator(
        frictions=Friction("f", ([1.0], [2.0]), normal=1.0, static=0.1, kinetic=0.1, law="regularised", stiffness=1.0)
    ),
    "alpha = 0.5: 1, 1/3": oscillator(
        devices=Zener(name="z", direction=[1.0], k1=1.0, k2=1.0, k3=1.0, damping=1.0, alpha=0.5)
    ),
    "remembers its largest crush": oscillator(
        devices=BucklingStop(name="b", direction=[1.0], contact_stiffness=1.0, critical_force=1.0, post_force=0.5)
    ),
    "128 modes": oscillator(stops=[Stop(f"s{i}", [1.0], **CLOSE) for i in range(7)]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_such_equations_is_refused(message):
    with pytest.raises(ProblemError, match=message.replace("(", r"\(")) as caught:
        as_initial_value(REFUSED[message])
    assert "\n" not in str(caught.value)
