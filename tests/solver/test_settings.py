"""Settings, step rule, archive, memory guard: what the integrator accepts and what it keeps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.basis import moved_mass
from veridyn.problem.elements import Friction, Load, Stop
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic
from veridyn.solver.contract.errors import SettingsError, StepError
from veridyn.solver.integrators import integration
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.refining import STICK
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import FAMILIES

FIRST = next(iter(SCHEMES))
each_scheme = pytest.mark.parametrize("scheme", FAMILIES)
each_ruled = pytest.mark.parametrize("scheme", [s.name for s in SCHEMES.values() if s.points_per_period])


@pytest.mark.parametrize(
    ("settings", "culprit"),
    [
        ({}, "unknown scheme None"),
        ({"scheme": "leapfrog"}, "'leapfrog'"),
        ({"scheme": "devogelaere", "step": 0.0}, "step = 0.0"),
        ({"scheme": "devogelaere", "step": -1e-3}, "step = -0.001"),
        ({"scheme": "devogelaere", "step": math.nan}, "step = nan"),
        ({"scheme": "devogelaere", "step": "small"}, "step = 'small'"),
        ({"scheme": "devogelaere", "step": None}, "step = None"),
        ({"scheme": "devogelaere", "step": 1e-3, "tangential_stiffness": -1.0}, "tangential_stiffness = -1.0"),
        ({"scheme": "devogelaere", "step": 1e-3, "archive_every": 0}, "archive_every = 0"),
        ({"scheme": "devogelaere", "step": 1e-3, "archive_every": 1.5}, "archive_every = 1.5"),
        ({"scheme": "devogelaere", "step": 1e-3, "largest": 1.0}, "knows no setting largest"),
        ({"scheme": "central_adaptive", "step": 1e-3, "speed": 1.0, "colour": 1}, "colour, speed"),
        ({"scheme": "central_adaptive", "step": 1e-3, "control": "1999"}, "'1999'"),
        ({"scheme": "central_adaptive", "step": 1e-3, "velocity_floor": "mean"}, "'mean'"),
        ({"scheme": "central_adaptive", "step": 1e-3, "grow": 1.0}, "grow"),
        ({"scheme": "central_adaptive", "step": 1e-3, "shrink": 0.5}, "shrink"),
        ({"scheme": "central_adaptive", "step": 1e-3, "tries": 0}, "tries"),
        ({"scheme": "central_adaptive", "step": 1e-3, "points_per_period": 0.0}, "points_per_period"),
        ({"scheme": "central_adaptive", "step": 1e-3, "smallest": 0.0}, "smallest = 0.0"),
        ({"scheme": "central_adaptive", "step": 1e-3, "largest": math.inf}, "largest = inf"),
        (
            {"scheme": "central_adaptive", "step": 1e-3, "smallest": 1e-2, "largest": 1e-3},
            "largest = 0.001 are multiples",
        ),
        ({"scheme": "central_adaptive", "step": 1e-3, "smallest": 2.0}, "smallest = 2 and largest"),
        ({"scheme": "central_adaptive", "step": 1e-3, "largest": 0.5}, "largest = 0.5 are multiples"),
        ({"scheme": "central_adaptive", "step": 1e-3, "archive_grid": -1.0}, "archive_grid = -1.0"),
    ],
)
def test_malformed_setting_is_refused(settings, culprit, build, refused):
    with refused(SettingsError, culprit):
        SOLVER.solve(build.oscillator(), settings)


def test_set_valued_friction_takes_the_stiffness_that_goes_with_the_step(build, run, refused):
    rubs = build.mass(frictions=(Friction("shoe", ([1.0],), 1.0, 0.1, 0.1),))
    stiffness = moved_mass(rubs, np.ones(1)) * (STICK / 0.01) ** 2
    chosen, given = run(rubs, FIRST, 0.01), run(rubs, FIRST, 0.01, tangential_stiffness=stiffness)
    assert np.array_equal(chosen.displacement, given.displacement)
    with refused(SettingsError, "'shoe'", "tangential_stiffness"):
        run(rubs, FIRST, 0.01, tangential_stiffness=0.0)


@pytest.mark.parametrize("by_modes", [False, True])
def test_stiffness_regularises_with_critical_damping(by_modes, build, run):
    """2 sqrt(m k) with the mass that the tangent moves, 1/(tᵀ M⁻¹ t)."""
    mass = np.array([[2.0, 0.5], [0.5, 3.0]])
    moved = 1 / (np.array([1.0, 1.0]) @ np.linalg.solve(mass, [1.0, 1.0]))
    shapes = np.linalg.inv(np.linalg.cholesky(mass)).T
    inertia = {"modes": Modes(omega=[0.0, 0.0], damping=[0.0, 0.0], masses=[1.0, 1.0], shapes=shapes)}
    if not by_modes:
        inertia = {"mass": mass}

    def problem(**law):
        friction = Friction("shoe", ([1.0, 1.0],), 1.0, 0.1, 0.1, **law)
        return MechanicalProblem(
            name="rub",
            end=1.0,
            initial_displacement=[0.0, 0.0],
            initial_velocity=[0.0, 0.0],
            loads=(Load([1.0, 0.0], Harmonic(0.3, 5.0)),),
            frictions=(friction,),
            **inertia,
        )

    ideal = run(problem(), FIRST, 0.01, tangential_stiffness=50.0)
    law = {"law": "regularised", "stiffness": 50.0, "damping": 2 * math.sqrt(50.0 * moved)}
    given = run(problem(**law), FIRST, 0.01, tangential_stiffness=7.0)
    assert ideal.displacement == pytest.approx(given.displacement, rel=1e-12, abs=1e-14)
    assert ideal.elements["shoe"]["stuck"].any()


def rubbing_chain(build, stop_stiffness, tangential_stiffness):
    stop = Stop("wall", [0.0, 1.0], 1.0, stop_stiffness)
    friction = Friction("shoe", ([1.0, 0.0],), 1.0, 0.1, 0.1, "regularised", tangential_stiffness)
    return build.chain(2, stops=(stop,), frictions=(friction,))


@each_ruled
@pytest.mark.parametrize(
    ("stiffnesses", "culprit"),
    [
        ((100.0, 1e-9), "stiffness 100 N/m of 'wall' on mode"),
        ((100.0, 900.0), "tangential stiffness 900 N/m of 'shoe' on mode"),
    ],
)
def test_step_rule_names_what_limits_the_step(scheme, stiffnesses, culprit, build, refused):
    problem = rubbing_chain(build, *stiffnesses)
    with refused(StepError, scheme, culprit, f"{SCHEMES[scheme].points_per_period} steps are needed"):
        SOLVER.solve(problem, {"scheme": scheme, "step": 1.0})


def test_step_rule_looks_along_both_tangents(build, refused):
    friction = Friction("shoe", ([0.1, 0.0], [0.0, 1.0]), 1.0, 0.1, 0.1, "regularised", 900.0)
    problem = build.chain(2, stiffness=np.zeros((2, 2)), frictions=(friction,))
    with refused(StepError, "'shoe'", f"period of {2 * math.pi / 30:.4g} s"):
        SOLVER.solve(problem, {"scheme": "devogelaere", "step": 0.1})


@pytest.mark.parametrize("geometry", ["plane", "circle"])
def test_step_rule_looks_all_around_a_curved_stop(geometry, build, refused):
    """A mode that moves 0.6 along y and 0.8 along z feels the whole stiffness of a circle, 0.36 of it on a plane."""
    lateral = [0.0, 1.0] if geometry == "circle" else None
    stop = Stop("ring", [1.0, 0.0], 1.0, 900.0, geometry=geometry, lateral=lateral)
    modes = Modes(omega=[0.0], damping=[0.0], masses=[1.0], shapes=[[0.6], [0.8]])
    still = {"initial_displacement": [0.0, 0.0], "initial_velocity": [0.0, 0.0]}
    problem = MechanicalProblem(name="one mode", end=1.0, modes=modes, stops=(stop,), **still)
    rate = 30 if geometry == "circle" else 18
    with refused(StepError, "'ring'", f"period of {2 * math.pi / rate:.4g} s"):
        SOLVER.solve(problem, {"scheme": "devogelaere", "step": 0.1})


@each_ruled
def test_step_rule_names_the_fastest_mode(scheme, build, refused):
    frequency = math.sin(5 * math.pi / 14) / math.pi
    with refused(
        StepError, scheme, f"mode 3 ({frequency:.6g} Hz)", f"{SCHEMES[scheme].points_per_period} steps are needed"
    ):
        SOLVER.solve(build.chain(3), {"scheme": scheme, "step": 1.0})


@each_ruled
def test_step_rule_asks_for_points_per_period(scheme, build):
    """A stop of 8 N/m on an oscillator of 1 rad/s: the period is 2 pi/3."""
    problem = build.oscillator(stops=(Stop("wall", [1.0], 5.0, 8.0),))
    limit = 2 * math.pi / 3 / SCHEMES[scheme].points_per_period
    SOLVER.solve(problem, {"scheme": scheme, "step": 0.999 * limit})
    with pytest.raises(StepError):
        SOLVER.solve(problem, {"scheme": scheme, "step": 1.001 * limit})


@each_scheme
def test_free_mass_has_no_step_rule(scheme, build):
    r = SOLVER.solve(build.mass(initial_velocity=[2.0]), {"scheme": scheme, "step": 0.25})
    assert r.displacement[:, 0] == pytest.approx(2 * r.time)


@each_scheme
@pytest.mark.parametrize("every", [2, 7, 100, 1000])
def test_archiving_less_keeps_the_same_states(scheme, every, build, march):
    problem = build.oscillator(3.0, 0.05, end=1.0, stops=(Stop("wall", [1.0], 0.5, 100.0),))
    full, part = (march(problem, scheme, 0.01, archive_every=n) for n in (1, every))
    kept = sorted({*range(0, 101, every), 100})
    assert np.array_equal(part.time, full.time[kept])
    assert np.array_equal(part.displacement, full.displacement[kept])
    assert np.array_equal(part.velocity, full.velocity[kept])
    assert np.array_equal(part.elements["wall"]["gap"], full.elements["wall"]["gap"][kept])


@each_scheme
@pytest.mark.parametrize(("end", "steps"), [(1.0, 10), (1.05, 11), (0.05, 1)])
def test_span_is_covered_by_whole_steps(scheme, end, steps, build, run):
    """An adaptive scheme lands on the end, the others pass it by less than a step."""
    r = run(build.mass(end=end, initial_velocity=[1.0]), scheme, 0.1, **SCHEMES[scheme].only_shorter)
    assert r.counters["steps"] == steps
    assert r.time.size == steps + 1
    assert r.time[-1] == pytest.approx(end if SCHEMES[scheme].adaptive else steps * 0.1)


def test_span_may_start_anywhere(build, run):
    r = run(build.oscillator(start=-2.0, end=-1.0), FIRST, 0.1)
    assert r.time == pytest.approx(np.linspace(-2, -1, 11))


@pytest.mark.parametrize(("scheme", "evaluations"), [("symplectic_euler", 11), ("devogelaere", 21)])
def test_evaluations_are_counted(scheme, evaluations, build, run):
    assert run(build.oscillator(), scheme, 0.1).counters == {"steps": 10, "evaluations": evaluations}


@each_scheme
def test_long_archive_is_refused_before_it_is_allocated(scheme, build, run, refused, monkeypatch):
    monkeypatch.setattr(integration, "MEMORY", 1e5)
    with refused(SettingsError, "GB", "raise archive_every"):
        run(build.oscillator(end=100.0), scheme, 0.001)
    run(build.oscillator(end=100.0), "symplectic_euler", 0.001, archive_every=1000)


def test_initial_state_is_the_first_record(build, run):
    problem = build.chain(2, initial_displacement=[0.1, 0.2], initial_velocity=[0.3, 0.4])
    r = run(problem, FIRST, 0.1)
    assert r.displacement[0] == pytest.approx([0.1, 0.2])
    assert r.velocity[0] == pytest.approx([0.3, 0.4])


@each_scheme
def test_warm_up_compiles_for_any_settings(scheme):
    SOLVER.warm_up({"scheme": scheme, "step": 1e9, "archive_every": 7})
