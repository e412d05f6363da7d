"""First contact with a damped stop: errors of order 1, sign included, of schemes whose dampers see the past."""

from __future__ import annotations

import numpy as np
import pytest

from veridyn.problem.elements import Stop
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.postprocessing.interpolation import crossings
from veridyn.validation_cases.mechanics.test_damped_stop import BOUNCES

TRUE = {"m": 1.0, "k": 100.0, "kc": 2400.0, "cc": 10.0, "v0": 1.0}
CONTACT = 50.0  # rad/s, undamped
STEP = 6.25e-4 / CONTACT


def first_contact(**values):
    """Return the instant (s) at which the mass leaves the stop, and its rebound (m)."""
    return [float(read(**values, digits=20)) for read in (BOUNCES.opening(), BOUNCES.rebound())]


def predicted(scheme):
    """Return what theory makes of both: the mass is lighter by 2 β λ h in contact, and starts slower by 2 β l h."""
    jump = TRUE["cc"] / TRUE["m"] * STEP
    lighter = scheme.claims.get("force_lag", 0.0) * jump
    # the spring is lighter too, so that the flight stays as it is, and the stop takes its place in contact
    changed = {"m": TRUE["m"] * (1 - lighter), "k": TRUE["k"] * (1 - lighter), "kc": TRUE["kc"] + TRUE["k"] * lighter}
    opened, rebound = first_contact(**{**TRUE, **changed})
    return opened, rebound * (1 - scheme.claims.get("lag", 0.0) * jump)


@pytest.mark.parametrize("name", [name for name, scheme in SCHEMES.items() if scheme.claims.get("force_lag", 0.0)])
def test_dampers_that_see_the_past_make_the_mass_lighter(name, build, march):
    stop = Stop("stop", [1.0], gap=0.0, stiffness=TRUE["kc"], damping=TRUE["cc"])
    start = {"initial_displacement": [0.0], "initial_velocity": [TRUE["v0"]]}
    problem = build.oscillator(np.sqrt(TRUE["k"]), end=0.3, stops=(stop,), **start)
    r = march(problem, name, STEP)
    opened = next(t for t, side in crossings(r.time, r.displacement[:, 0]) if side < 0)
    errors = np.array([opened, -r.displacement.min()]) - first_contact(**TRUE)
    assert errors == pytest.approx(np.array(predicted(SCHEMES[name])) - first_contact(**TRUE), rel=0.05)
