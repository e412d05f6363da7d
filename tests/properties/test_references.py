"""Certified references at random parameters: against the exact solver, and in other units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from veridyn.problem.elements import Friction, Load, Stop, SupportMotion
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.problems import friction_decay, sliding_block
from veridyn.solver.exact.solver import SOLVER
from veridyn.validation_cases.measures import struck_oscillator
from veridyn.validation_cases.mechanics import test_damped_stop as damped_stop
from veridyn.validation_cases.mechanics import test_sdld31 as sdld31
from veridyn.validation_cases.mechanics.sdnd104.statement import CHANGES

from .conftest import numbers

# every example certifies; to shrink a failure would certify hundreds
examples = settings(derandomize=True, deadline=None, max_examples=8, phases=(Phase.explicit, Phase.generate))
ONE = np.ones(1)


def exactly(**changes):
    """Solve a problem of one mass exactly; initial displacement and velocity are zero unless given."""
    given = {"name": "random", "initial_displacement": [0.0], "initial_velocity": [0.0], **changes}
    return SOLVER.solve(MechanicalProblem(**given), {})


@examples
@given(numbers, numbers, st.floats(10.0, 1e4), numbers)
def test_elastic_stop(m, k, kc, v0):
    """Contacts of SDND101, and the force at the deepest point."""
    chosen = {"m": m, "k": k, "kc": kc, "cc": 0, "v0": v0}
    bounces = damped_stop.BOUNCES
    truth = [float(f(n)(**chosen)) for n in (1, 2, 3) for f in (bounces.touch, bounces.opening)]
    r = exactly(
        mass=[[m]], stiffness=[[k]], stops=(Stop("stop", ONE, 0.0, kc),), initial_velocity=[v0], end=1.01 * truth[-1]
    )
    np.testing.assert_allclose(r.events["stop"][-5:], truth[1:], rtol=1e-13)
    peak = float(bounces.peak_force()(**chosen))
    # samples miss the vertex by less than the parabola falls over half their spacing
    assert peak * (1 - 1e-2) <= r.elements["stop"]["normal_force"].max() <= peak * (1 + 1e-13)


@examples
@given(st.floats(1.05, 12.0), st.floats(0.1, 0.9), numbers, numbers)
def test_sliding_block(excess, mu, m, omega):
    """Slips of SDND104 from a shaking that barely moves the block to one that never lets it rest."""
    g, a0 = 10.0, excess * mu * 10.0
    shake = SupportMotion.from_acceleration("plane", ONE, Harmonic(a0, omega))
    rub = Friction("shoe", (ONE,), m * g, mu, mu)
    end = 20.0 / omega
    r = exactly(mass=[[m]], supports=(shake,), frictions=(rub,), end=end)
    truth = CHANGES(a0=a0, mu=mu, g=g, m=m, omega=omega, t_start=0, t_end=end)
    times = [float(event.time) for event in truth if float(event.time) > 0]
    np.testing.assert_allclose(r.events["shoe"][-len(times) :], times, rtol=1e-11)


@examples
@given(numbers, numbers, st.floats(0.1, 0.9), st.floats(1.5, 12.0))
def test_friction_decay(m, k, mu, half_cycles):
    """SDND100: where and when the mass stops for good."""
    g = 10.0
    x0 = half_cycles * mu * m * g / k
    chosen = {"m": m, "k": k, "mu": mu, "g": g, "x0": x0, "angle": 0, "directions": 1}
    stop = float(friction_decay.stop_time(**chosen))
    rub = Friction("rub", (ONE,), m * g, mu, mu)
    r = exactly(mass=[[m]], stiffness=[[k]], frictions=(rub,), initial_displacement=[x0], end=1.2 * stop)
    assert r.events["rub"][-1] == pytest.approx(stop, rel=1e-12)
    assert r.displacement[-1, 0] == pytest.approx(float(friction_decay.final_position(**chosen)), abs=1e-12 * x0)


@settings(examples, max_examples=3)
@given(numbers, numbers, st.floats(50.0, 500.0), st.floats(0.05, 0.2), st.floats(1.0, 4.0))
def test_impact_oscillator(m, k, kc, gap, Omega):
    """SDND121: all contacts of a driven oscillator in about two periods."""
    F, end = 2.0, 12.0 / Omega
    chosen = {"m": m, "k": k, "xi": 0, "kc": kc, "gap": gap, "F": F, "a": 0, "Omega": Omega, "wall": 0, "t_end": end}
    truth = [float(instant) for instant, _ in struck_oscillator.HISTORY(**chosen, digits=15).events()[1:]]
    load = Load(ONE, Harmonic(F, Omega))
    r = exactly(mass=[[m]], stiffness=[[k]], stops=(Stop("stop", ONE, gap, kc),), loads=(load,), end=end)
    assert len(truth) > 1
    np.testing.assert_allclose(r.events["stop"][-len(truth) :], truth, rtol=1e-10)


SIZES = {"kg": (1, 0, 0), "N/m": (1, 0, -2), "m/s": (0, 1, -1), "m": (0, 1, 0), "1": (0, 0, 0), "m/s²": (0, 1, -2)}
SIZES |= {"N": (1, 1, -2), "rad/s": (0, 0, -1), "s": (0, 0, 1), "N s": (1, 1, -1), "J": (1, 2, -2), "W": (1, 2, -3)}
SIZES |= {"rad": (0, 0, 0), "N s/m": (1, 0, -1)}


def scaled(unit, M, L, T):
    """Return the factor of a unit for factors of mass, length and time."""
    mass, length, time = SIZES[unit]
    return M**mass * L**length * T**time


DEFAULTS = {
    damped_stop: {},
    friction_decay: {},
    sliding_block: {"a0": "1.5", "mu": "0.1", "g": "10", "m": "1", "omega": "2*pi"},
    sdld31: {"m": "2", "omega0": "10", "xi": "0.1", "F": "3", "omega": "7"},
}
LAWS = [
    (damped_stop, damped_stop.BOUNCES.peak_force(), "N", {}),
    (damped_stop, damped_stop.BOUNCES.impulse(), "N s", {}),
    (damped_stop, damped_stop.BOUNCES.force_duration(), "s", {}),
    (damped_stop, damped_stop.BOUNCES.energy(), "J", {}),
    (friction_decay, friction_decay.stop_time, "s", {}),
    (friction_decay, friction_decay.final_position, "m", {}),
    (friction_decay, friction_decay.dissipated_energy, "J", {}),
    (friction_decay, friction_decay.half_cycles, "1", {}),
    (sliding_block, sliding_block.slip_start, "s", {}),
    (sliding_block, sliding_block.slip_end, "s", {}),
    (sliding_block, sliding_block.wear_energy, "J", {"t_start": ("s", "1"), "t_end": ("s", "3")}),
    (sdld31, sdld31.PEAK, "m", {}),
    (sdld31, sdld31.PEAK_TIME, "s", {}),
]
factors = st.sampled_from(["1/3", "2", "7/5"])


@pytest.mark.parametrize(("module", "quantity", "unit", "more"), LAWS, ids=lambda law: getattr(law, "__name__", None))
@settings(examples, max_examples=4)
@given(factors, factors, factors)
def test_references_obey_dimensions(module, quantity, unit, more, M, L, T):
    """In other units of mass, length and time a value changes as its unit says, to thirty digits."""
    import mpmath

    from veridyn.references.parameters import exact

    M, L, T = (exact(factor).rational for factor in (M, L, T))
    plain = {p.name: (p.unit, DEFAULTS[module].get(p.name, p.default)) for p in module.PARAMETERS} | more
    other = {
        name: exact(value) * exact(scaled(size, M, L, T) if size in SIZES else 1)
        for name, (size, value) in plain.items()
    }
    names = {p.name for p in (*quantity.parameters, *quantity.arguments)}
    before = quantity(**{name: value for name, (_, value) in plain.items() if name in names}).value
    after = quantity(**{name: value for name, value in other.items() if name in names}).value
    with mpmath.workdps(40):
        expected = before * exact(scaled(unit, M, L, T)).mpf()
        assert abs(after - expected) <= 1e-29 * abs(expected)
