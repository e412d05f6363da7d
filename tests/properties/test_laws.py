"""What stops and frictions may never do, whatever the system; what rigid and penalised laws have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as OWN
from veridyn.solver.integrators.schemes import SCHEMES

from .conftest import System, numbers, systems

# every example solves; to shrink a failure would solve hundreds
examples = settings(derandomize=True, deadline=None, max_examples=12, phases=(Phase.explicit, Phase.generate))
each_solver = pytest.mark.parametrize("scheme", ["exact", *SCHEMES])
STEP = 1 / 256  # s


def solved(scheme, problem):
    if scheme == "exact":
        return EXACT.solve(problem, {})
    return OWN.solve(problem, {"scheme": scheme, "step": STEP, "check_step": False, **SCHEMES[scheme].constant_step})


@each_solver
@examples
@given(
    systems(), st.tuples(st.integers(0, 0), st.floats(0.0, 0.5), st.floats(20.0, 200.0)), st.sampled_from([0.0, 5.0])
)
def test_a_stop_never_pulls(scheme, system, stop, damping):
    """A damper in the stop would pull where the body leaves quickly."""
    problem = replace(system, stop=stop, friction=None).posed()
    problem = replace(problem, stops=(replace(problem.stops[0], damping=damping),))
    force = solved(scheme, problem).elements["stop"]["normal_force"]
    assert force.min() >= 0.0


@each_solver
@examples
@given(systems(), numbers, st.floats(0.1, 0.6), st.floats(0.0, 0.4))
def test_the_force_of_a_friction_stays_in_its_cone(scheme, system, normal, kinetic, more):
    """Stuck: at most mu_s N. Slipping: mu_d N."""
    law = "set-valued" if scheme == "exact" else "regularised"
    system = replace(system, friction=(0, normal, kinetic + more, kinetic), law=law)
    found = solved(scheme, system.posed()).elements["rub"]
    force, stuck = np.abs(found["force"]), found["stuck"] != 0
    assert force[stuck].max(initial=0.0) <= (kinetic + more) * normal * (1 + 1e-12)
    assert force[~stuck].max(initial=0.0) <= kinetic * normal * (1 + 1e-12)


def mechanical_energy(problem, response):
    """Kinetic and strain energy, and that of the stops (J)."""
    x, v = response.displacement, response.velocity
    stops = sum(
        (0.5 * s.stiffness * np.maximum(x @ s.normal - s.gap, 0.0) ** 2 for s in problem.stops), np.zeros(len(x))
    )
    kinetic = 0.5 * np.einsum("mi,ij,mj->m", v, problem.mass, v)
    return kinetic + 0.5 * np.einsum("mi,ij,mj->m", x, problem.stiffness, x) + stops


@pytest.mark.parametrize("law", ["set-valued", "regularised"])
@examples
@given(systems(loaded=st.just(False)), numbers, st.floats(0.1, 0.6), st.floats(0.0, 0.3))
def test_friction_never_feeds_energy(law, system, normal, kinetic, more):
    """No sample lies above an earlier one by more than the anchor can have stored, (mu_s N)²/(2 k_T); none if rigid."""
    system = replace(system, friction=(0, normal, kinetic + more, kinetic), law=law)
    problem = system.posed()
    energy = mechanical_energy(problem, EXACT.solve(problem, {}))
    (rub,) = problem.frictions
    stored = (rub.static * normal) ** 2 / (2 * rub.stiffness) if rub.stiffness else 0.0
    lowest_so_far = np.minimum.accumulate(energy)
    assert np.all(energy - lowest_so_far <= stored + 1e-12 * energy[0])


@examples
@given(systems(nonlinear=False))
def test_random_chains_move_as_the_exponential_says(system):
    """State and load as one autonomous system: x, v, sin, cos."""
    problem, n = system.posed(), len(system.masses)
    node, amplitude, omega, phase = system.load or (0, 0.0, 1.0, 0.0)
    a = np.zeros((2 * n + 2, 2 * n + 2))
    a[:n, n : 2 * n] = np.eye(n)
    a[n : 2 * n, :n] = -np.linalg.solve(problem.mass, problem.stiffness)
    a[n : 2 * n, n : 2 * n] = -np.linalg.solve(problem.mass, problem.damping)
    a[n + node, 2 * n] = amplitude / system.masses[node]
    a[2 * n, 2 * n + 1], a[2 * n + 1, 2 * n] = omega, -omega
    start = np.array([*system.place, *system.speed, np.sin(phase), np.cos(phase)])
    r = EXACT.solve(problem, {})
    for t, x, v in list(zip(r.time, r.displacement, r.velocity, strict=True))[::20]:
        np.testing.assert_allclose(np.concatenate((x, v)), (expm(a * t) @ start)[: 2 * n], atol=1e-11)


def reverses_without_rest(response):
    """Whether slip one way ever goes over into slip the other way at once."""
    stuck = response.elements["rub"]["stuck"][np.searchsorted(response.time, response.events["rub"])]
    return bool(np.any((stuck[1:] == 0) & (stuck[:-1] == 0)))


@examples
@given(numbers, numbers, numbers, st.floats(0.1, 0.5), st.floats(1.5, 4.0))
def test_penalised_friction_tends_to_rigid_stick_with_the_spring(mass, spring, normal, mu, excess):
    """Order one in 1/k_T, the elongation, as long as rest follows every slip.

    Where slip reverses at once, half an order: the spring takes a time like the square root of m/k_T to turn its
    force round.
    """
    load = (0, excess * mu * normal, 1.3, 0.0)
    system = System((mass,), (spring,), 0.0, (0.0,), (0.0,), friction=(0, normal, mu, mu), load=load, end=8.0)
    problem = system.posed()
    rigid = EXACT.solve(problem, {})
    assume(rigid.counters["events"] > 2)
    at = problem.output_times[-20:]

    def place(response):
        return np.interp(at, response.time, response.displacement[:, 0])

    coarse, fine = (
        np.abs(place(EXACT.solve(problem, {"tangential_stiffness": k})) - place(rigid)).max() for k in (1e4, 1e6)
    )
    assert fine <= coarse / (8 if reverses_without_rest(rigid) else 50)
