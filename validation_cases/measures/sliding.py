"""Sliding bodies: criteria of one step of a method of order one, and phases of slip and stick in order of time."""

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np

from veridyn.problem.basis import driven_velocity
from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.postprocessing.wear import SlidingPhase, phases
from veridyn.validation_cases.judgement.case import Observation, Values, read_once
from veridyn.validation_cases.measures.quantities import share_of

STEPS = 500  # requested outputs of a motion
SHORTEST = 5  # output spacings: what a penalised law shows of another phase while it settles is shorter
ONE_STEP = "this suite: what a method of order one leaves at a step of one requested output"
WORDS = {1: "slip+", 0: "stick", -1: "slip-"}
PHASE_WORDS = {"slips ahead": WORDS[1], "sticks": WORDS[0], "slips back": WORDS[-1]}  # the words for those of a motion


def a_step_of(rate: Callable[[Values], float], end: float) -> dict[str, Any]:
    """Return criterion and regularity of what changes by so much in a second: an error of one output spacing of it."""
    return {"criterion": share_of(rate, end / STEPS, ONE_STEP), "regularity": 1.0}


@read_once
def find_phases(o: Observation, name: str) -> list[SlidingPhase]:
    """Return slip and stick of a friction in order of time; in a plane slip has the direction 1."""
    friction = next(f for f in o.problem.frictions if f.name == name)
    moved = driven_velocity(o.problem, o.response.time) if friction.frame == "absolute" else 0.0
    rubbing = (o.response.velocity + moved) @ np.array(friction.tangents).T
    rubbing = rubbing[:, 0] if len(friction.tangents) == 1 else np.hypot.reduce(rubbing, axis=1)
    shortest = SHORTEST * (o.problem.end - o.problem.start) / STEPS
    stuck = o.response.elements.get(name, {}).get("stuck")
    result = phases(o.response.time, rubbing, stuck, shortest_stick=shortest)
    return _joined([phase for phase in result if phase.end - phase.start > shortest])


def _joined(found: list[SlidingPhase]) -> list[SlidingPhase]:
    """Return phases of one kind that follow each other as one."""
    runs = [list(run) for _, run in groupby(found, lambda phase: phase.direction)]
    return [SlidingPhase(run[0].start, run[-1].end, run[0].direction) for run in runs]


def order(o: Observation, name: str) -> str:
    """Return the phases of a friction in words, in order of time."""
    return " ".join(WORDS[phase.direction] for phase in find_phases(o, name))


def end_of_slip(o: Observation, name: str) -> float:
    """Return the end (s) of the first slip; raises SolverFailure if it does not end."""
    slip = next((phase for phase in find_phases(o, name) if phase.direction), None)
    if slip is None or slip.end >= o.problem.end:
        raise SolverFailure(f"{name} does not come to rest from slip")
    return slip.end
