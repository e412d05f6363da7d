"""Energy balance: nothing appears from nowhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from veridyn.problem.basis import modal_basis
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, constant
from veridyn.solver.contract.errors import MissingHistory
from veridyn.solver.contract.responses import Response
from veridyn.solver.postprocessing.balance import energy_residual, stop_gap

WALL = Stop("wall", [1.0], 0.3, 50.0)


def answer(time, *columns, **elements):
    x = np.column_stack(columns)
    return Response(time, x, np.gradient(x, time, axis=0), elements)


def residual(problem, run, h):
    return np.abs(energy_residual(problem, run(problem, "symplectic_euler", h))).max()


def shaken(build, **changes):
    default = {"initial_displacement": [0.3, 0.0], "supports": (sway(),), "end": 4.0}
    return build.chain(2, **{**default, **changes})


def sway():
    return SupportMotion.from_acceleration("base", [1.0, 0.5], Harmonic(1.0, 2.0))


RUB = Friction("rub", ([0.0, 1.0],), "stop", 0.2, 0.2, "regularised", 200.0, 20.0)
SQUARE = [[angle, 0.3] for angle in np.linspace(0, 2 * math.pi, 5)]


def around(build, geometry, gap, *, frame="relative", profile=None, **changes):
    """Return a chain of two masses whose displacements are the local coordinates of a curved stop."""
    section = {"lateral": [0.0, 1.0], "profile": profile}
    stop = Stop("stop", [1.0, 0.0], gap, 50.0, geometry=geometry, frame=frame, **section)
    return build.chain(2, **{"stops": (stop,), "end": 4.0, **changes})


def by_modes(build):
    """Two of three modes, damped, that hit a stop."""
    modes = modal_basis(build.chain(3))
    kept = Modes(omega=modes.omega[:2], damping=[0.02, 0.05], masses=[1.0, 1.0], shapes=modes.shapes[:, :2])
    return MechanicalProblem(
        name="by modes",
        modes=kept,
        initial_displacement=np.zeros(3),
        initial_velocity=kept.shapes @ [1.0, 0.3],
        end=4.0,
        stops=(Stop("wall", np.array([1.0, 0.0, 0.0]), 0.1, 50.0),),
    )


CASES = {
    "free": lambda b: b.oscillator(2.0, end=4.0),
    "loaded": lambda b: b.oscillator(2.0, end=4.0, loads=(Load([1.0], Harmonic(3.0, 1.0)),)),
    "shaken": shaken,
    "damped": lambda b: b.chain(2, damping=[[0.5, -0.1], [-0.1, 0.2]], initial_displacement=[1.0, 0.0], end=4.0),
    "modes": by_modes,
    "plane": lambda b: b.oscillator(2.0, end=4.0, stops=(WALL,)),
    "slot": lambda b: b.oscillator(2.0, end=4.0, stops=(Stop("s", [1.0], 0.3, 50.0, geometry="parallel planes"),)),
    "absolute plane": lambda b: shaken(b, stops=(Stop("s", [1.0, 0.0], 0.1, 50.0, frame="absolute"),)),
    "absolute slot": lambda b: shaken(
        b, stops=(Stop("s", [1.0, 0.0], 0.05, 50.0, geometry="parallel planes", frame="absolute"),)
    ),
    "circle": lambda b: around(b, "circle", 0.3, initial_velocity=[0.6, 0.4]),
    "outside circle": lambda b: around(b, "outside circle", 0.3, initial_displacement=[0.6, 0.1]),
    "profile": lambda b: around(b, "profile", 0.0, initial_velocity=[0.6, 0.4], profile=SQUARE),
    "absolute circle": lambda b: around(b, "circle", 0.1, frame="absolute", supports=(sway(),)),
    "friction in a circle": lambda b: around(b, "circle", 0.3, initial_velocity=[0.6, 0.4], frictions=(RUB,)),
    "friction": lambda b: b.oscillator(
        2.0, end=4.0, frictions=(Friction("f", ([1.0],), 5.0, 0.2, 0.2, "regularised", 200.0, 20.0),)
    ),
    "two tangents": lambda b: b.chain(
        2,
        initial_displacement=[1.0, -1.0],
        end=4.0,
        frictions=(Friction("f", ([1.0, 0.0], [0.0, 1.0]), 2.0, 0.2, 0.2, "regularised", 200.0, 20.0),),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_residual_vanishes_with_the_step(case, build, run):
    problem = CASES[case](build)
    coarse, fine = (residual(problem, run, h) for h in (4e-3, 2.5e-4))
    assert fine < coarse / 10
    assert fine < 3e-3


def test_every_term_counts(build, run):
    """Hiding a load, a support, a stop or a friction from the balance shows at once."""
    for name, hidden in (("loaded", "loads"), ("shaken", "supports"), ("plane", "stops"), ("friction", "frictions")):
        problem = CASES[name](build)
        kept = {
            field: getattr(problem, field) for field in ("loads", "supports", "stops", "frictions") if field != hidden
        }
        blind = MechanicalProblem(
            name="blind",
            end=problem.end,
            mass=problem.mass,
            stiffness=problem.stiffness,
            initial_displacement=problem.initial_displacement,
            initial_velocity=problem.initial_velocity,
            **kept,
        )
        r = run(problem, "symplectic_euler", 1e-3)
        assert np.abs(energy_residual(blind, r)).max() > 0.05


def test_harmonic_motion_has_no_residual(build):
    t = np.linspace(0, 5, 2001)
    assert energy_residual(build.oscillator(2.0), answer(t, np.cos(2 * t))) == pytest.approx(0, abs=3e-5)


def test_free_flight_has_none_at_all(build):
    t = np.linspace(0, 5, 101) ** 1.5
    assert energy_residual(build.mass(), answer(t, 3 * t)) == pytest.approx(0, abs=1e-12)


def test_free_fall_has_none_at_all(build):
    """Uneven samples of a parabola: the centred velocity is exact, and so is the work of a constant force."""
    t = np.linspace(0, 2, 41) ** 1.3
    problem = build.mass(loads=(Load([1.0], constant(2.0)),))
    work_of_flight = energy_residual(problem, answer(t, t**2))
    assert work_of_flight == pytest.approx(0, abs=1e-12)


def test_energy_from_nowhere_is_measured(build):
    """Twice the amplitude halfway: four times the energy of k/2."""
    t = np.linspace(0, 4 * math.pi, 4001)
    x = np.cos(t) * np.where(t < 2 * math.pi, 1.0, 2.0)
    assert energy_residual(build.oscillator(1.0), answer(t, x))[-1] == pytest.approx(1.5, rel=1e-4)


def test_gap_of_each_geometry(build):
    t, x = np.array([0.0, 1.0, 2.0]), np.array([-2.0, 0.0, 3.0])
    two_sided = Stop("slot", [2.0], 5.0, 1.0, offset=1.0, geometry="parallel planes")
    assert stop_gap(build.mass(), answer(t, x), WALL).tolist() == pytest.approx((0.3 - x).tolist())
    assert stop_gap(build.mass(), answer(t, x), two_sided).tolist() == [2.0, 4.0, -2.0]


def test_gap_in_the_room_sees_the_support(build):
    base = SupportMotion("base", [0.5], constant(0.0), constant(0.0), constant(4.0))
    t = np.array([0.0, 1.0, 2.0])
    stop = Stop("wall", [1.0], 0.0, 1.0, frame="absolute")
    assert stop_gap(build.mass(supports=(base,)), answer(t, t), stop).tolist() == [-2.0, -3.0, -4.0]


def test_friction_must_report_its_force(build, refused):
    t = np.linspace(0, 1, 11)
    with refused(MissingHistory, "no force of friction 'f'", "elements['f']"):
        energy_residual(CASES["friction"](build), answer(t, t))


def test_damped_stops_are_not_covered(build):
    t = np.linspace(0, 1, 11)
    with pytest.raises(NotImplementedError, match="undamped elastic stops"):
        energy_residual(build.oscillator(1.0, stops=(Stop("wall", [1.0], 0.0, 1.0, 0.5),)), answer(t, t))
