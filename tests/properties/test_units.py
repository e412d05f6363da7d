"""Other units, another start of time, other names of the coordinates: the same motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh

from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as OWN
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import System, systems

# every example solves; to shrink a failure would solve hundreds
examples = settings(derandomize=True, deadline=None, max_examples=10, phases=(Phase.explicit, Phase.generate))
each_solver = pytest.mark.parametrize("scheme", ["exact", *SCHEMES])
STEP = 1 / 64  # s, of the schemes; a double without rounding
# four seconds of unit motion with some contacts magnify rounding by less than this
MAGNIFIED = 1e-9

powers = st.integers(-6, 6).map(lambda n: 2.0**n)
# what a friction can hold went into a root, whose bits depend on the unit of mass
HELD = System(
    masses=(253 / 64, 209 / 64, 3.375), springs=(3.3125, 0.25, 3.375), damping=0.1, place=(99 / 64, 39 / 64, 2.0),
    speed=(103 / 64, -13 / 64, -73 / 64), stop=(2, 0.99999, 170.0818856208094),
    friction=(1, 223 / 64, 0.4593917549337051, 0.3778991634820186), load=(1, 70 / 64, 3.78125, 2.0),
)  # fmt: skip


def motion(scheme, problem, T=1.0):
    """Time, displacement and velocity by the exact solver or by a scheme at constant step."""
    if scheme == "exact":
        r = EXACT.solve(problem, {})
    else:
        options = {"step": STEP * T, "check_step": False, **SCHEMES[scheme].constant_step}
        r = OWN.solve(problem, {"scheme": scheme, **options})
    return r.time, r.displacement, r.velocity


def soft(system, scheme):
    """Our schemes stick through a spring."""
    return system if scheme == "exact" else replace(system, law="regularised")


def without_constants(system, scheme):
    """Leave friction out of our schemes: as in Code_Aster, motion below 1e-6 m/s may stick, whatever the units."""
    return system if scheme == "exact" else replace(system, friction=None)


def assert_same(found, expected, *, rtol=0.0, atol=0.0):
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@each_solver
@examples
@given(system=systems(), M=st.integers(-3, 3).map(lambda n: 4.0**n), L=powers)
@example(system=HELD, M=1 / 64, L=1 / 4)
def test_units_of_mass_and_length_do_not_matter_at_all(scheme, system, M, L):
    """Powers of two are exact, powers of four under a root: equal bits."""
    plain = motion(scheme, without_constants(system, scheme).posed())
    t, x, v = motion(scheme, without_constants(system, scheme).posed(M=M, L=L))
    assert_same((t, x / L, v / L), plain)


@each_solver
@examples
@given(systems(), powers)
def test_the_unit_of_time_does_not_matter(scheme, system, T):
    plain = motion(scheme, without_constants(system, scheme).posed())
    t, x, v = motion(scheme, without_constants(system, scheme).posed(T=T), T)
    assert_same((t / T, x, v * T), plain, atol=MAGNIFIED)


@each_solver
@examples
@given(systems(), st.sampled_from([1.0, 7.0, -3.0]))
def test_it_does_not_matter_when_the_clock_starts(scheme, system, start):
    plain = motion(scheme, soft(system, scheme).posed())
    t, x, v = motion(scheme, soft(system, scheme).posed(start=start))
    assert_same((t - start, x, v), plain, atol=MAGNIFIED)


def permuted(problem, order):
    """Return the problem with its coordinates in another order."""

    def turned(element, *names):
        return replace(element, **{name: getattr(element, name)[order] for name in names})

    grid = np.ix_(order, order)
    return MechanicalProblem(
        **{
            **vars(problem),
            **{name: getattr(problem, name)[grid] for name in ("mass", "stiffness", "damping")},
            **{name: getattr(problem, name)[order] for name in ("initial_displacement", "initial_velocity")},
            "stops": tuple(turned(stop, "normal") for stop in problem.stops),
            "frictions": tuple(replace(f, tangents=(f.tangents[0][order],)) for f in problem.frictions),
            "loads": tuple(turned(load, "direction") for load in problem.loads),
            "coordinates": (),
        }
    )


@each_solver
@examples
@given(systems(size=st.just(3)), st.permutations(range(3)))
def test_the_order_of_the_coordinates_does_not_matter(scheme, system, order):
    problem, order = soft(system, scheme).posed(), np.array(order)
    t, x, v = motion(scheme, problem)
    assert_same(motion(scheme, permuted(problem, order)), (t, x[:, order], v[:, order]), atol=MAGNIFIED)


@each_solver
@examples
@given(systems(size=st.just(3)), st.permutations(range(3)), st.tuples(*[st.sampled_from([-4.0, -0.5, 1.0, 8.0])] * 3))
def test_order_sign_and_size_of_the_modes_do_not_matter(scheme, system, order, factors):
    problem = soft(replace(system, friction=None), scheme).posed()
    squares, shapes = eigh(problem.stiffness, problem.mass)
    omega, order, factors = np.sqrt(squares), np.array(order), np.array(factors)

    def by_modes(order, factors):
        modes = Modes(
            omega=omega[order],
            damping=0.5 * system.damping * omega[order],
            masses=factors**2,
            shapes=shapes[:, order] * factors,
        )
        return replace(problem, mass=None, stiffness=None, damping=None, modes=modes)

    plain = motion(scheme, by_modes(np.arange(3), np.ones(3)))
    assert_same(motion(scheme, by_modes(order, factors)), plain, atol=MAGNIFIED)


@each_solver
@examples
@given(systems(nonlinear=False, loaded=st.just(True)), st.floats(-3, 3), st.floats(-3, 3))
def test_linear_systems_superpose(scheme, system, a, b):
    """The motion from a start, and that under a load from rest, add up with any factors."""
    zero = (0.0,) * len(system.masses)
    free, forced = replace(system, load=None), replace(system, place=zero, speed=zero)
    node, amplitude, omega, phase = system.load
    both = replace(
        system,
        place=tuple(a * x for x in system.place),
        speed=tuple(a * v for v in system.speed),
        load=(node, b * amplitude, omega, phase),
    )
    (t, *one), (_, *other) = (motion(scheme, s.posed()) for s in (free, forced))
    sums = (t, *(a * p + b * q for p, q in zip(one, other, strict=True)))
    assert_same(motion(scheme, both.posed()), sums, atol=1e-11)
