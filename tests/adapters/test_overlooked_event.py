"""An integrator that overlooks an event is asked again, and not believed twice."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from veridyn.problem.elements import Stop
from veridyn.solver.adapters.scipy_adapter import SolveIvp
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.event_driven.answer import ToleranceControls, respond


@dataclass
class Deaf:
    """Overlooks every event of its first calls."""

    calls: int
    sees_dips: bool = True

    def integrate(self, leg):
        self.calls -= 1
        if self.calls >= 0:
            leg = replace(leg, armed=np.full_like(leg.armed, np.inf))
        return SolveIvp("DOP853", CONTROLS, sees_dips=True).integrate(leg)


CONTROLS = ToleranceControls("DOP853")
WALL = {"stops": (Stop("wall", np.ones(1), 0.5, 1e4),), "initial_velocity": [1.0]}


def test_overlooked_event_is_found_the_second_time(block):
    response = respond(block(**WALL), Deaf(1), CONTROLS)
    assert response.counters["overlooked"] == 1
    assert response.velocity[-1, 0] == pytest.approx(-1.0, abs=1e-8)


def test_event_overlooked_twice_is_a_failure(block):
    with pytest.raises(SolverFailure, match="overlooked twice"):
        respond(block(**WALL), Deaf(2), CONTROLS)
