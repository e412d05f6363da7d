"""What is read of a mechanical problem: absolute places, peaks, histories, frequencies, windows of loads."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

import veridyn
from veridyn import Harmonic, Load, Stop, SupportMotion
from veridyn.problem.errors import ProblemError
from veridyn.problem.formulas import T, write_function
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Piecewise, Sum, Windowed, polynomial, pulse
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Parameter, exact
from veridyn.validation_cases.judgement.case import numbers

PARAMETERS = (Parameter("k", "N/m", "", "4"), Parameter("c", "N s/m", "", "1/2", "non-negative"))


def chain(values):
    """Return two masses between springs, with a dashpot at the left wall, let go from (1, 0)."""
    k, c = numbers(values, "k", "c")
    return MechanicalProblem(
        name="chain",
        mass=np.eye(2, dtype=int),
        stiffness=k * np.array([[2, -1], [-1, 2]]),
        damping=np.array([[c, 0], [0, 0]]),
        initial_displacement=np.array([1, 0]),
        end=4,
        coordinates=("x", "y"),
    )


CHAIN = make_quantities(chain, PARAMETERS)


def test_frequencies_and_damping_are_roots_of_the_characteristic_polynomial():
    polynomial_ = [1, mpf(1) / 2, 16, 4, 48]  # (s² + s/2 + 8)(s² + 8) - 16
    roots = sorted((z for z in mpmath.polyroots(polynomial_, maxsteps=200, extraprec=200) if z.imag > 0),
                   key=lambda z: z.imag)  # fmt: skip
    for number, root in enumerate(roots, start=1):
        assert float(CHAIN.frequency(number)()) == pytest.approx(float(root.imag / (2 * mpmath.pi)), rel=1e-14)
        assert float(CHAIN.damping_ratio(number)()) == pytest.approx(float(-root.real / abs(root)), rel=1e-14)


def test_without_damping_frequencies_are_closed_at_any_scale():
    for k in ("1e-30", "4", "1e30"):
        for number, factor in ((1, 1), (2, 3)):
            result = CHAIN.frequency(number)(k=k, c=0)
            with mpmath.workdps(40):
                expected = mpmath.sqrt(factor * mpmath.mpf(k)) / (2 * mpmath.pi)
                assert abs(result.value - expected) < 1e-29 * expected
    assert CHAIN.damping_ratio(1)(c=0).text() == "0"


def test_strong_damping_leaves_fewer_frequencies():
    result = CHAIN.frequency(1)(c="100")
    assert result.value is None
    assert "fewer than 2 modes oscillate" in result.routes[0]


@pytest.mark.parametrize("name", ["k", "c"])
def test_derivatives_of_frequencies_are_slopes(name):
    values = {"k": exact("4"), "c": exact("1/2")}
    step = exact("1e-10").rational
    for read in (CHAIN.frequency(2), CHAIN.damping_ratio(1)):
        low, high = (read(**values | {name: values[name].rational + d}, digits=40).value for d in (-step, step))
        slope = read(**values | {name: values[name].varied()}).derivative
        assert float(slope) == pytest.approx(float((high - low) / (2 * mpf(10) ** -10)), rel=1e-8)


def test_a_peak_is_the_largest_magnitude_at_a_turn(body):
    """From 0 with 1 m/s on a spring of 4 N/m: x = sin(2 t)/2 is 1/2 at pi/4, and -1/2 later; up to 2 s the first."""
    motion = make_quantities(lambda _: body(stiffness=[[4.0]], initial_velocity=[1.0], end=3.0))
    height, instant = (read("x1", until=2)().confirm() for read in (motion.peak, motion.peak_time))
    with mpmath.workdps(40):
        assert abs(height.value - mpf(1) / 2) < 1e-29
        assert abs(instant.value - mpmath.pi / 4) < 1e-29
    both = motion.peak_time("x1")()
    assert both.value is None
    assert "equally high" in both.routes[0]
    assert "at an end" in motion.peak("x1", until="0.5")().routes[0]


def test_a_peak_may_lie_where_a_body_hits(body):
    """At a rigid stop the velocity jumps: the place is largest where no rate is zero."""
    stop = Stop("wall", np.ones(1), 1.0, restitution=0.5)
    motion = make_quantities(lambda _: body(initial_velocity=[2.0], stops=stop, end=0.75))
    assert float(motion.peak("x1")()) == 1
    assert float(motion.peak_time("x1")()) == 0.5


def test_a_history_has_values_and_events(body):
    stop = Stop("wall", np.ones(1), 1.0, restitution=0.5)
    history = make_quantities(lambda _: body(initial_velocity=[2.0], stops=stop, end=2.0)).history(
        place="x1", v="v_x1"
    )()
    assert [(float(t), kind) for t, kind in history.events()] == [(0.0, "wall: free"), (0.5, "wall: free")]
    assert [float(history(name, 1)) for name in ("place", "v")] == [0.5, -1.0]


def test_absolute_places_hold_the_motion_of_the_support(prove_all, body):
    """A free body beside a support that moves by sin t stays where it is, but for its start."""
    ground = SupportMotion.from_acceleration("g", [1.0], Harmonic(-1.0, 1.0))
    moving = body(supports=ground, initial_displacement=[1.0], initial_velocity=[1.0], end=2.0)
    prove_all(moving, {"absolute_x1@1.5": 4, "absolute_v_x1@1.5": 2, "x1@1.5": lambda: 4 - mpmath.sin(mpf(3) / 2)})


WAVE = Sum((Harmonic(2.0, 3.0, 0.4), Piecewise((0.1, 0.9), ((1.0, -2.0), (0.5, 0.1, 0.2)))))


@pytest.mark.parametrize("order", [-3, -2, -1, 0])
@pytest.mark.parametrize("at", [0.2, 0.7, 0.95, 1.2, 1.69, 1.8, 3.0])
def test_the_formula_of_a_window_is_its_function(order, at):
    """Its antiderivatives are zero before and polynomials after; it has breaks of its own."""
    window = Windowed(WAVE, 0.3, 1.7, order)
    formula = write_function(window, at).xreplace({T: sympy.Float(at, 30)})
    assert float(formula) == pytest.approx(float(window(at)), abs=1e-13)


def test_the_formula_of_a_window_is_exact():
    """The integral of sin t from pi/3 to pi is 1/2 - cos t, then 3/2."""
    window = Windowed(Harmonic(1.0, 1.0), "pi/3", "pi", -1)
    formulas = [write_function(Sum((window, polynomial(0.0))), inside) for inside in (0.0, 2.0, 4.0)]
    assert formulas == [0, sympy.Rational(1, 2) - sympy.cos(T), sympy.Rational(3, 2)]


def test_a_support_that_moves_within_a_window(prove_all, body):
    """Acceleration 1 m/s² from 1 s to 2 s: afterwards the body has lost 1 m/s against it."""
    push = Windowed(polynomial(1.0), 1.0, 2.0)
    ground = SupportMotion.from_acceleration("g", [1.0], push)
    prove_all(body(supports=ground, end=4.0), {"v_x1@3": -1, "x1@3": -mpf(3) / 2, "absolute_x1@3": 0})


def test_a_load_in_a_window_that_has_a_break(prove_all, body):
    """A force of 1 N from 1 s on, 3 N from 2 s on, cut out up to 3 s: 4 N s in all."""
    steps = Windowed(Piecewise((0.0, 2.0), ((1.0,), (3.0,))), 1.0, 3.0)
    prove_all(body(loads=Load([1.0], steps), end=4.0), {"v_x1@4": 4})


def test_the_instant_at_which_a_load_ends_is_exact(prove_all, body):
    """A force up to pi s gives pi N s, not the double next to it; ends that doubles do not tell apart are refused."""
    short, longer = (Load([1.0], pulse(1.0, 0.0, end)) for end in ("pi", math.pi))
    prove_all(body(loads=short, end=4.0), {"v_x1@4": lambda: +mpmath.pi, "load_changes#1": lambda: +mpmath.pi})
    with pytest.raises(ProblemError, match="one as doubles"):
        veridyn.prove(body(loads=(short, longer), end=4.0), ["v_x1@4"])
