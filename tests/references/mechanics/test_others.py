"""Devices, loads, supports, modes, matrices in exact arithmetic against closed forms; derivatives through events."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import veridyn
from veridyn import (
    Harmonic,
    Load,
    Modes,
    NonlinearDamper,
    NonlinearSpring,
    Stop,
    SupportMotion,
    TimeVarying,
    Zener,
    constant,
)
from veridyn.problem.errors import ProblemError
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter, exact


def test_a_spring_by_pieces(body, prove_all):
    """Nothing up to 1/4 m, then 16 N/m: x = 1/4 + sin(4 s)/4."""
    spring = NonlinearSpring(name="s", direction="x1", breaks=(0.25,), coefficients=((0.0,), (0.0, 16.0)))
    forms = {"s_rises_1#1": mpf(1) / 4, "x1@1": lambda: (1 + mpmath.sin(3)) / 4, "largest force_s": 4}
    prove_all(body(initial_velocity=[1.0], devices=spring, end=1.0), forms)


def test_a_cubic_spring_and_a_quadratic_damper(body, prove_all):
    """x'' = -2 x³ from 0 with 1 m/s is the lemniscate sine; v' = -v |v| is v = 1/(t + 1/2)."""
    cubic = NonlinearSpring(name="s", direction="x1", breaks=(0.0,), coefficients=((0.0, 0.0, 0.0, 2.0),) * 2)

    def lemniscate():
        return mpmath.findroot(lambda y: mpmath.quad(lambda x: 1 / mpmath.sqrt(1 - x**4), [0, y]).real - 1, mpf("0.9"))

    prove_all(body(initial_velocity=[1.0], devices=cubic), {"largest x1": 1, "x1@1": lemniscate})
    damper = NonlinearDamper.odd(name="d", direction="x1", coefficients=(0.0, 0.0, 1.0))
    forms = {"v_x1@2": mpf(2) / 5, "x1@2": lambda: mpmath.log(5)}
    prove_all(body(initial_velocity=[2.0], devices=damper), forms)


def test_a_zener_device_is_a_linear_system(body, prove_all):
    """With alpha = 1 the path is a third state: the exponential of the matrix gives the motion."""
    device = Zener(name="z", direction="x1", k1=100.0, k2=50.0, k3=20.0, damping=5.0, alpha=1.0)

    def motion():
        total = mpf(170)
        inner = [100 / total, 20 / total]  # of the elongation, of the path
        matrix = mpmath.matrix(
            [[0, 1, 0], [-100 * (1 - inner[0]), 0, 100 * inner[1]], [4 * inner[0], 0, 4 * (inner[1] - 1)]]
        )
        return (mpmath.expm(matrix) * mpmath.matrix([0, 1, 0]))[0]

    prove_all(body(initial_velocity=[1.0], devices=device, end=1.0), {"x1@1": motion})


def test_a_device_that_has_no_polynomial_is_named(body):
    device = Zener(name="z", direction="x1", k1=100.0, k2=50.0, k3=20.0, damping=5.0, alpha=0.7)
    with pytest.raises(ProblemError, match=r"zener 'z': alpha = 0\.7"):
        veridyn.prove(body(devices=device), ["x1@1"])


def test_a_support_drives_relative_motion_and_absolute_stops(body, prove_all):
    """x'' + 4 x = -a with a = 3 sin t: x = -sin t + sin(2 t)/2."""
    ground = SupportMotion.from_acceleration("g", [1.0], Harmonic(3.0, 1.0))
    forms = {"x1@1": lambda: -mpmath.sin(1) + mpmath.sin(2) / 2}
    prove_all(body(stiffness=4.0, supports=ground), forms)
    wall = Stop("wall", "x1", gap=1.0, restitution=0.5, frame="absolute")
    hit = veridyn.prove(body(stiffness=4.0, supports=ground, stops=wall, end=5.0), ["wall_hits#1"])["wall_hits#1"]

    def absolute(t):
        """The support moves by -3 sin t, its motion being the antiderivative that `Harmonic` has."""
        return -mpmath.sin(t) + mpmath.sin(2 * t) / 2 - 3 * mpmath.sin(t) - 1

    assert abs(absolute(hit.value)) < mpf(10) ** -28


def test_a_modal_basis_reads_coordinates(body, prove_all):
    """Two modes of shapes (1, 1) and (1, -1): the start x1' = 1 is one half of each."""
    modes = Modes(omega=[1.0, 3.0], damping=[0.0, 0.0], shapes=[[1.0, 1.0], [1.0, -1.0]], masses=[2.0, 2.0])
    problem = veridyn.MechanicalProblem(name="modal", modes=modes, initial_velocity=[1.0, 0.0], end=1.0)
    forms = {
        "x1@1": lambda: (mpmath.sin(1) + mpmath.sin(3) / 3) / 2,
        "x2@1": lambda: (mpmath.sin(1) - mpmath.sin(3) / 3) / 2,
        "q_1@1": lambda: mpmath.sin(1) / 2,
    }
    prove_all(problem, forms)


def test_full_and_gyroscopic_matrices(body, prove_all):
    """A mass matrix with a coupling: M v' = load; and the rotating plane x'' - 2 y' + x = 0, y'' + 2 x' + y = 0."""
    coupled = body(2, mass=[[2.0, 1.0], [1.0, 2.0]], loads=Load("x1", 3.0))
    prove_all(coupled, {"x1@1": 1, "x2@1": lambda: -mpf(1) / 2})
    rotating = body(2, stiffness=np.eye(2), damping=[[0.0, -2.0], [2.0, 0.0]], initial_displacement=[1.0, 0.0])

    def complex_motion():
        """With z = x + i y it is z'' + 2 i z' + z = 0: rates i (-1 ± sqrt 2)."""
        a, b = mpmath.mpc(0, -1 + mpmath.sqrt(2)), mpmath.mpc(0, -1 - mpmath.sqrt(2))
        return (b * mpmath.exp(a) - a * mpmath.exp(b)) / (b - a)

    forms = {"x1@1": lambda: complex_motion().real, "x2@1": lambda: complex_motion().imag}
    prove_all(rotating, forms)


def test_a_stiffness_that_varies_is_an_equation_of_mathieu(body, prove_all):
    """x'' + (4 + sin(2 t)) x = 0, by the Taylor series of mpmath."""
    varying = TimeVarying("stiffness", [[1.0]], Harmonic(1.0, 2.0))

    def motion():
        solve = mpmath.odefun(lambda t, y: [y[1], -(4 + mpmath.sin(2 * t)) * y[0]], 0, [1, 0])
        return solve(1)[0]

    prove_all(body(stiffness=4.0, varying=varying, initial_displacement=[1.0]), {"x1@1": motion})


def test_the_energy_of_masses_and_springs_is_read(body, prove_all):
    """Two bodies and a spring keep what they have; in modes, the one that swings undamped does."""
    chain = [[9.0, -9.0], [-9.0, 9.0]]
    start = {"initial_velocity": [1.0, -1.0], "initial_displacement": [0.125, 0.0]}
    prove_all(body(2, stiffness=chain, **start), dict.fromkeys(("energy@0", "energy@1.5"), 1.0703125))
    modes = Modes(omega=[1.0, 3.0], damping=[0.0, 0.1], shapes=[[1.0, 1.0], [1.0, -1.0]], masses=[2.0, 2.0])
    modal = veridyn.MechanicalProblem(name="modal", modes=modes, initial_velocity=[1.0, 1.0], end=1.0)
    prove_all(modal, {"energy@0.7": 1})


def test_a_parameter_is_sought_at_an_event():
    """From which height a ball on a floor at 0 hits with 3 m/s under g = 4: h = 9/(2 g), and dh/dg = -h/g."""
    parameters = (Parameter("g", "m/s^2", "", "4"), Parameter("h", "m", "", "1"))

    def state(o):
        stop = Stop("floor", "x1", gap=0, restitution=0)
        return veridyn.MechanicalProblem(
            mass=1.0, loads=Load("x1", constant(o["g"])), stops=stop, initial_displacement=np.array([-o["h"]]), end=2.0
        )

    motion = make_quantities(state, parameters)
    sought = motion.where("h", "v_x1 - 3", at=("floor_hits", 1))
    height = sought.value("x1", "0", second=lambda p: -9 / (2 * p.g), how="energy")
    assert height().confirm().text() == "-1.12500000000000000000000000000"
    assert float(height(g=exact(4).varied()).derivative.value) == pytest.approx(9 / 32, rel=1e-14)
    assert [parameter.name for parameter in sought.parameters] == ["g"]


def test_a_support_is_shared_among_modes(prove_all):
    """One mode (1, 1) of two bodies has half of a support that pulls the second: x'' + 4 x = -4."""
    modes = Modes(omega=[2.0], damping=[0.0], shapes=[[1.0], [1.0]], masses=[4.0])
    ground = SupportMotion.from_acceleration("ground", [0.0, 1.0], constant(8.0))
    problem = veridyn.MechanicalProblem(
        name="modal", modes=modes, supports=ground, initial_velocity=[1.0, 1.0], end=2.0
    )

    def place():
        return mpmath.sin(2) / 2 - 1 + mpmath.cos(2)

    prove_all(problem, {"x1@1": place, "absolute_x1@1": place, "absolute_x2@1": lambda: place() + 4})


def test_derivatives_pass_impacts_and_the_end_of_a_slide():
    """A ball from h hits at sqrt(2 h/g); a block with v rests after v/a and v²/(2 a)."""
    height = Parameter("h", "m", "", "1/2")

    def state(o):
        stop = Stop("floor", "x1", gap=o["h"], restitution=0.5)
        return veridyn.MechanicalProblem(mass=1.0, loads=Load("x1", 4.0), stops=stop, end=0.8)

    motion = make_quantities(state, (height,))
    varied = {"h": exact("1/2").varied()}
    hit = motion.event("floor_hits").compute(varied, 30)
    after = motion.value("v_x1", ("floor_hits", 1)).compute(varied, 30)
    with mpmath.workdps(40):
        assert (
            abs(hit.derivative.value - 1 / mpmath.sqrt(mpf(2) * 4 / 2) / 1) < mpf(10) ** -28
        )  # 1/sqrt(2 g h)... = 1/2
        assert abs(after.derivative.value + 1) < mpf(10) ** -28  # -e sqrt(g/(2 h))

    def slide(o):
        pad = veridyn.Friction("pad", "x1", normal=1.0, static=0.5, kinetic=0.5)
        return veridyn.MechanicalProblem(mass=1.0, frictions=pad, initial_velocity=[o["v"]], end=8.0)

    motion = make_quantities(slide, (Parameter("v", "m/s", "", "1"),))
    rest = motion.value("x1", "7").compute({"v": exact(1).varied()}, 30)
    assert abs(rest.derivative.value - 2) < mpf(10) ** -28


def test_a_zener_device_whose_dashpot_has_an_even_power(prove_all, body):
    """With alpha = 1/2, pulled beside a body that a huge mass keeps in place: D' = -f (D/c)² is a hyperbola.

    It is odd: pushed as far, it has the other sign.
    """
    for side in (1, -1):
        device = Zener(name="z", direction="x1", k1=120.0, k2=10.0, k3=60.0, damping=1.5, alpha=0.5, path=-0.125 * side)
        values = veridyn.prove(body(mass=[[1e90]], devices=device, end=1.0), ["force_z@1"])
        f, c = mpf(60) * 130 / 190, mpf(3) / 2
        carried = side / (8 / f + f / c**2)
        assert abs(values["force_z@1"].value - carried * 120 / 130) < mpf(10) ** -28
