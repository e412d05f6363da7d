"""Claims, default settings and refinement levels of the schemes of the modal integrator."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest
from scipy.linalg import eigh

from veridyn.problem.devices import BucklingStop, NonlinearSpring, Zener
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.solver.contract.errors import DivergenceError, SettingsError, StepError
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER, regularised
from veridyn.solver.integrators.refining import FEWEST, KEPT, MOST, limit
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.integrators.schemes.newmark import NewmarkOptions

each_scheme = pytest.mark.parametrize("scheme", SCHEMES)

ONE, BOTH = [1.0, 0.0], [1.0, -1.0]


def pair(**changes):
    """Two unit masses on springs, proportionally damped, struck; outputs every hundredth of the span."""
    stiffness = np.array([[300.0, -100.0], [-100.0, 150.0]])
    given = {
        "name": "pair",
        "mass": np.eye(2),
        "stiffness": stiffness,
        "damping": 2e-3 * stiffness + 0.1 * np.eye(2),
        "initial_displacement": [0.03, -0.01],
        "initial_velocity": [1.0, 2.0],
        "end": 0.5,
        **changes,
    }
    given.setdefault("output_times", np.linspace(0.0, given["end"], 101))
    return MechanicalProblem(**given)


def rubbing(tangents=(ONE,), normal=2.0, **changes):
    return Friction("rub", tuple(tangents), normal, 0.4, 0.3, **changes)


MOVING = SupportMotion.from_acceleration("ground", [1.0, 1.0], Harmonic(5.0, 7.0))
WAVE = Load([1.0, 0.5], Harmonic(20.0, "2*pi"))

LINEAR = {
    "free": pair(),
    "coupled damping": pair(damping=np.array([[1.5, 0.0], [0.0, 0.1]])),
    "load": pair(loads=(WAVE,)),
    "support": pair(supports=(MOVING,)),
    "stop": pair(stops=(Stop("wall", ONE, 0.02, 1e4),)),
    "damped stop": pair(stops=(Stop("wall", ONE, 0.02, 1e4, damping=10.0),)),
    "parallel planes": pair(stops=(Stop("walls", BOTH, 0.03, 1e4, geometry="parallel planes"),)),
    "friction": pair(frictions=(rubbing(),), loads=(WAVE,)),
    "friction on a stop": pair(
        stops=(Stop("wall", ONE, 0.02, 1e4),), frictions=(rubbing(([0.0, 1.0],), "wall"),), loads=(WAVE,)
    ),
}
"""Problems that the exact solver has too."""

MODES = Modes(omega=[3.0, 40.0], damping=[0.01, 0.02], masses=[1.0, 2.0], shapes=np.array([[1.0, 0.5], [0.3, -1.0]]))
OTHERS = {
    "modes": pair(mass=None, stiffness=None, damping=None, modes=MODES),
    "no spring": pair(stiffness=np.zeros((2, 2)), damping=np.zeros((2, 2)), output_times=None),
    "absolute frame": pair(supports=(MOVING,), stops=(Stop("wall", ONE, 0.02, 1e4, frame="absolute"),)),
    "circle": pair(
        stops=(Stop("tube", ONE, 0.02, 1e4, geometry="circle", lateral=[0.0, 1.0]),),
        frictions=(rubbing(([0.0, 1.0],), "tube"),),
    ),
    "two tangents": pair(frictions=(rubbing(([1.0, 0.0], [0.0, 1.0])),)),
    "regularised": pair(frictions=(rubbing(law="regularised", stiffness=1e4, damping=10.0),)),
    "two frictions": pair(
        frictions=(rubbing(), replace(rubbing(([0.0, 1.0],)), name="other")), mass=np.diag([1.0, 9.0])
    ),
    "spring": pair(devices=(NonlinearSpring.odd(name="spring", direction=ONE, coefficients=(0.0, 200.0)),)),
    "buckling stop": pair(
        devices=(
            BucklingStop(
                name="stop", direction=BOTH, contact_stiffness=1e3, critical_force=9.0, post_force=5.0, softening=0.01
            ),
        )
    ),
    "zener": pair(devices=(Zener(name="damper", direction=ONE, k1=900.0, k2=50.0, k3=300.0, damping=20.0),)),
}
PROBLEMS = LINEAR | OTHERS
ROUND_ROBIN = [*zip(PROBLEMS, cycle(SCHEMES), strict=False)]
"""Every problem by one scheme, every scheme on some problems."""


def levels(problem, scheme):
    return SOLVER.refinement(problem, scheme)


@each_scheme
def test_without_a_step_the_motion_is_that_of_the_exact_solver(scheme):
    """To 1e-3 of the largest displacement, and to 1e-2 of the largest velocity, with the lag of the scheme."""
    for problem in LINEAR.values():
        assert_that_of_the_exact_solver(problem, scheme)


def assert_that_of_the_exact_solver(problem, scheme):
    found, true = SOLVER.solve(problem, {"scheme": scheme}), EXACT.solve(problem, {})
    late = SOLVER.claims(scheme).get("lag", 0.0) * SOLVER.defaults(problem, scheme)["step"]
    times = problem.output_times[1:-1]
    for history, allowed, shift in (("displacement", 1e-3, 0.0), ("velocity", 1e-2, late)):
        right = getattr(true, history)[np.searchsorted(true.time, times - 1e-9)]
        after = np.clip(np.searchsorted(found.time - shift, times), 1, found.time.size - 1)
        nearest = after - (times - found.time[after - 1] + shift < found.time[after] - shift - times)
        assert np.abs(getattr(found, history)[nearest] - right).max() < allowed * np.abs(right).max()


@pytest.mark.parametrize(("problem", "scheme"), ROUND_ROBIN)
def test_without_a_step_every_problem_is_solved_to_its_end(problem, scheme):
    response = SOLVER.solve(PROBLEMS[problem], {"scheme": scheme})
    assert response.time[-1] == pytest.approx(PROBLEMS[problem].end)
    assert np.abs(response.displacement).max() > 0.01


@pytest.mark.parametrize(("problem", "scheme"), ROUND_ROBIN)
def test_default_settings_are_those_that_solve_takes(problem, scheme):
    short = replace(PROBLEMS[problem], end=0.05, output_times=None)
    explicit = SOLVER.solve(short, {"scheme": scheme, **SOLVER.defaults(short, scheme)})
    assert np.array_equal(explicit.displacement, SOLVER.solve(short, {"scheme": scheme}).displacement)


@each_scheme
def test_levels_halve_the_step_down_to_the_default(scheme):
    for name, problem in PROBLEMS.items():
        settings, default = levels(problem, scheme), SOLVER.defaults(problem, scheme)
        steps = np.array([level["step"] for level in settings])
        assert steps[:-1] == pytest.approx(2 * steps[1:]), name
        assert (len(steps), steps[-1]) == (4, default["step"]), name
        assert SCHEMES[scheme].adaptive or settings[-1] == default, name


@each_scheme
def test_the_coarsest_level_has_the_steps_of_the_strictest_rule(scheme):
    for name, problem in PROBLEMS.items():
        coarsest = levels(problem, scheme)[0]
        stuck = regularised(problem, coarsest.get("tangential_stiffness", 0.0))
        assert coarsest["step"] <= limit(stuck).period / FEWEST, name
        SOLVER.solve(problem, {"scheme": scheme, **coarsest})


@each_scheme
def test_stick_is_resolved_alike_at_every_level(scheme):
    """sqrt(k_T/m) h = 0.3 for the lightest mass that rubs, 1 kg; on a circle the normal direction counts too."""
    for name in ("friction", "friction on a stop", "circle", "two tangents", "two frictions"):
        mass = 0.5 if name == "circle" else 1.0
        for level in levels(PROBLEMS[name], scheme):
            assert math.sqrt(level["tangential_stiffness"] / mass) * level["step"] == pytest.approx(0.3), name


@pytest.mark.all_schemes
def test_a_given_stiffness_of_stick_is_a_time_scale():
    stiff = {"scheme": "devogelaere", "tangential_stiffness": 1e12}
    short = replace(LINEAR["friction"], end=1e-3, output_times=None)
    steps = SOLVER.solve(short, stiff).counters["steps"]
    assert steps >= 8 * FEWEST * 1e-3 * math.sqrt(1e12) / (2 * math.pi) - 1
    with pytest.raises(StepError):
        SOLVER.solve(short, {**stiff, "step": SOLVER.defaults(LINEAR["friction"], "devogelaere")["step"]})


LONG = pair(stops=(Stop("wall", ONE, 0.02, 1e6),), end=100.0, output_times=np.linspace(0.0, 100.0, 11))


@each_scheme
def test_a_long_motion_keeps_its_outputs_at_every_level(scheme):
    assert SOLVER.defaults(LONG, scheme)["archive_at"] == "output_times"
    assert all(level["archive_at"] == "output_times" for level in levels(LONG, scheme))


def test_a_long_motion_without_outputs_keeps_every_nth_step():
    problem = replace(LONG, output_times=None)
    settings = SOLVER.defaults(problem, "newmark")
    states = problem.end / settings["step"] / settings["archive_every"]
    assert 0.5 * KEPT < states * 13 <= KEPT  # time, two modes with their velocities, eight numbers of the stop


@pytest.mark.all_schemes
def test_what_to_keep_can_be_asked_for_without_a_step():
    problem = pair(stops=(Stop("wall", ONE, 0.02, 1e6),), end=100.0)
    assert SOLVER.solve(problem, {"scheme": "newmark", "archive_at": [50.0]}).time == pytest.approx([0, 50, 100])


def test_stability_comes_before_the_largest_number_of_steps():
    step = SOLVER.defaults(LONG, "newmark")["step"]
    assert step == pytest.approx(limit(LONG).period / (8 * FEWEST))
    assert LONG.end / step > MOST


@pytest.mark.parametrize("ask", ["claims", "defaults", "refinement"])
def test_an_unknown_scheme_is_refused(ask, refused):
    with refused(SettingsError, "unknown scheme 'leapfrog'"):
        getattr(SOLVER, ask)(*([LINEAR["free"]] if ask != "claims" else []), "leapfrog")


def free_motion(problem, times):
    """Return displacement and velocity (m, 2) of a linear problem of unit masses without loads."""
    rates = np.block([[np.zeros((2, 2)), np.eye(2)], [-problem.stiffness, -problem.damping]])
    start = np.concatenate((problem.initial_displacement, problem.initial_velocity))
    values, shapes = np.linalg.eig(rates)
    states = ((np.exp(np.outer(times, values)) * np.linalg.solve(shapes, start)) @ shapes.T).real
    return states[:, :2], states[:, 2:]


@each_scheme
def test_claimed_order_is_the_observed_one_where_damping_couples_modes(scheme):
    """Errors of displacement and velocity over the span; a claim that is too bold fails, and one that is too timid."""
    problem, claims = replace(LINEAR["coupled damping"], output_times=None), SOLVER.claims(scheme)
    # a damping force that sees a velocity of the past costs a scheme its order: it claims so by ``force_lag``
    order = 1 if claims.get("force_lag") else claims["order"]
    counts, errors = (100, 200, 400, 800) if order > 3 else (400, 800, 1600, 3200), []
    for count in counts:
        step = {"step": problem.end / count, "check_step": False, **SCHEMES[scheme].constant_step}
        found = SOLVER.solve(problem, {"scheme": scheme, **step})
        x, v = free_motion(problem, found.time[:: count // 20])
        slow = found.displacement[:: count // 20] - x, found.velocity[:: count // 20] - v
        errors.append(max(np.abs(slow[0]).max(), np.abs(slow[1]).max() / 20))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-2:] == pytest.approx(order, abs=0.2)


def undamped(**changes):
    return pair(damping=np.zeros((2, 2)), output_times=None, **changes)


SQUARES, SHAPES = eigh(LINEAR["free"].stiffness)
FASTEST = math.sqrt(SQUARES[-1])


def growth(scheme, wh, steps):
    """Return by what factor the faster mode grows over so many steps with w h; infinite if it diverges."""
    step = wh / FASTEST
    problem = undamped(end=steps * step, initial_displacement=SHAPES[:, -1], initial_velocity=np.zeros(2))
    settings = {"step": step, "check_step": False, **SCHEMES[scheme].constant_step}
    try:
        x = np.abs(SOLVER.solve(problem, {"scheme": scheme, **settings}).displacement)
    except DivergenceError:
        return math.inf
    return x[-steps // 10 :].max() / x[: steps // 10].max()


@each_scheme
def test_stable_up_to_the_claimed_limit(scheme):
    claimed = min(SOLVER.claims(scheme)["stability"], 1e3)
    assert growth(scheme, 0.995 * claimed, 100_000) < 1.01


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if SOLVER.claims(name)["stability"] < math.inf])
def test_unstable_above_the_claimed_limit(scheme):
    """The least growth is that of Dormand and Prince's formula: 1.67 by its stability polynomial."""
    assert growth(scheme, 1.01 * SOLVER.claims(scheme)["stability"], 100_000) > 1.5


def oscillator(*, hangs):
    """Unit mass and frequency, its spring a stop that never opens if it hangs."""
    return MechanicalProblem(
        name="oscillator",
        mass=np.eye(1),
        stiffness=np.eye(1) * (not hangs),
        initial_displacement=[0.5],
        initial_velocity=[0.0],
        end=60.0,
        stops=(Stop("spring", [-1.0], -1.0, 1.0),) if hangs else (),
        loads=(Load([1.0], constant(-1.0)),) if hangs else (),
    )


@each_scheme
def test_claimed_damping_is_the_largest_numerical_damping_ratio(scheme):
    """At 20 steps per period, from the three-term recurrence of the displacement, of a spring and of a stop."""
    ratios = []
    for problem in (oscillator(hangs=False), oscillator(hangs=True)):
        step = {"step": math.pi / 10, "check_step": False, **SCHEMES[scheme].constant_step}
        x = SOLVER.solve(problem, {"scheme": scheme, **step}).displacement[5:-2, 0]
        trace, determinant = np.linalg.lstsq(np.column_stack((x[1:-1], -x[:-2])), x[2:])[0]
        angle = math.acos(trace / (2 * math.sqrt(determinant)))
        ratios.append(-0.5 * math.log(determinant) / angle)
    claimed = SOLVER.claims(scheme)["numerical_damping"]
    assert 0.9 * claimed - 1e-9 <= max(ratios) <= claimed + 1e-9


@each_scheme
def test_claimed_lag_is_that_of_the_reported_velocity(scheme):
    problem = replace(undamped(), initial_displacement=np.zeros(2))
    step = problem.end / 20000
    settings = {"step": step, **SCHEMES[scheme].constant_step}
    found = SOLVER.solve(problem, {"scheme": scheme, **settings})
    times = found.time[50::400]
    x, v = free_motion(problem, times)
    slope = -x @ problem.stiffness
    behind = ((v - found.velocity[50::400]) * slope).sum() / (slope**2).sum() / step
    assert behind == pytest.approx(SOLVER.claims(scheme).get("lag", 0.0), abs=0.01)


def test_newmark_claims_the_parameters_that_it_takes():
    claims = SOLVER.claims("newmark")
    assert Fraction(claims["beta"]) == Fraction(NewmarkOptions().beta)
    assert Fraction(claims["gamma"]) == Fraction(NewmarkOptions().gamma)
