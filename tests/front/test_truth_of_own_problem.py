"""The truth that answers to one's own problem are held against: proved, and undefined where the engine gives up."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

import veridyn
from veridyn.api.prover import make_prover
from veridyn.api.questions import questions
from veridyn.references.certified import CertificationError
from veridyn.references.problems.queries import read_query
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.statements import DERIVATIVES

PARABOLA = veridyn.InitialValueProblem(
    name="thrown",
    states=("y", "v"),
    parameters={"g": "10"},
    modes=(
        veridyn.Mode(
            name="flight",
            rates=("v", "-g"),
            events=(veridyn.Change(name="lands", guard="y", direction=-1, terminal=True, reset={"y": 0}),),
        ),
    ),
    initial=(0, 5),
    end=3.0,
)
SLIDE = veridyn.MechanicalProblem(
    name="slide",
    mass=2.0,
    end=2.0,
    initial_velocity=[3.0],
    frictions=veridyn.Friction("floor", "x1", 20.0, 0.25, 0.25),
)


def truths(problem, seconds=30):
    """Return the proved values of what a problem is asked, by name."""
    prover = make_prover(problem, seconds)
    return {q.name: q.proof.value(prover) for q in questions(problem, {}) if q.proof}


def test_a_motion_ends_at_a_terminal_event():
    values = truths(PARABOLA)
    assert values["y_end"].value == 0
    assert float(values["v_end"]) == -5
    assert float(values["y_largest"]) == 1.25
    assert float(values["lands_last"]) == float(values["lands_first"]) == 1
    assert float(values["y_rms"]) == pytest.approx(math.sqrt(25 / 30), rel=1e-15)  # of 5 t - 5 t² over 1 s
    with mpmath.workdps(40):
        assert abs(values["v_rms"].value - mpmath.sqrt(mpmath.mpf(25) / 3)) <= values["v_rms"].radius < 1e-20


def test_a_block_slides_and_stops():
    values = truths(SLIDE)  # braked by 5 N: 2.5 m/s² over 1.2 s
    assert float(values["x1_end"]) == pytest.approx(1.8, rel=1e-15)
    assert float(values["floor_work"]) == pytest.approx(9, rel=1e-15)


def test_a_zero_is_confirmed_within_the_digits_of_a_second_route():
    ball = veridyn.InitialValueProblem(
        name="ball",
        states=("y", "v"),
        modes=(
            veridyn.Mode(
                name="flight",
                rates=("v", "-9.81"),
                events=(veridyn.Change(name="hits", guard="y", direction=-1, reset={"y": 0, "v": "-0.8*v"}),),
            ),
        ),
        initial=(1, 0),
        end=2.0,
    )
    lowest = veridyn.prove(ball, ["smallest y"])["smallest y"]
    assert lowest.value == 0
    assert len(lowest.routes) == 2


def test_what_the_engine_refuses_is_said_and_answered_by_solvers():
    profile = np.column_stack((np.linspace(0.0, 2 * np.pi, 5), np.full(5, 0.1)))
    framed = veridyn.MechanicalProblem(
        name="framed",
        mass=np.eye(2),
        stiffness=100 * np.eye(2),
        end=0.5,
        initial_velocity=[2.0, 0.3],
        stops=veridyn.Stop("frame", "x1", gap=0.0, stiffness=1e4, geometry="profile", lateral="x2", profile=profile),
    )
    found = veridyn.compare(framed, ["exact", "veridyn"], layers=("criterion",))
    assert set(found.unproved) == set(found.references)
    assert all("is a profile, which has no exact law" in why for why in found.unproved.values())
    assert "no truth is known of this problem" in found.agreement
    assert "x1_end is not proved: framed: stop 'frame' is a profile" in str(found)


def test_the_time_for_proofs_is_shared():
    prover = make_prover(PARABOLA, 1e-9)
    with pytest.raises(CertificationError, match="1e-09 s"):
        prover.prove(read_query("y@1"))


def test_a_wild_solver_does_not_widen_what_is_admitted():
    class Wild:
        name, version, capabilities, settings = "wild", "1", SCIPY.capabilities - DERIVATIVES, {}

        def solve(self, problem, settings):
            return SCIPY.solve(replace(problem, initial=(0, 500)), {"scheme": "DOP853", **settings})

    found = veridyn.compare(PARABOLA, [Wild(), "scipy"], layers=("criterion",))
    assert {a.relation for a in found.answers if a.solver == "wild" and a.quantity == "v_rms"} == {"differs"}
    (admitted,) = (a.admissible for a in found.answers if a.solver.startswith("scipy") and a.quantity == "v_end")
    assert admitted == pytest.approx(5e-3)  # a thousandth of the largest speed
