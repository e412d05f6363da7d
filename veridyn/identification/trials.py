"""Small linear motions that are asked of a solver, and its answers at the ends of the steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from veridyn.identification.examinee import REFUSED, Examinee, LimitReached
from veridyn.identification.stepping import StepControl
from veridyn.problem.elements import Load
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic, polynomial
from veridyn.solver.contract.responses import Response

Floats = NDArray[np.float64]
Row = tuple[float, ...]

ON_STEP = 1e-6  # of a step: how far a sample may lie from the end of a step and still belong to it
SLOWER = (0.5, 0.5, 0.25)  # one after the other
MASS = 2.0  # kg; a power of two, so that dividing by it rounds nothing


@dataclass(frozen=True)
class LinearTrial:
    """A linear motion over some steps.

    Attributes
    ----------
    mass, damping, stiffness
        Rows of the matrices (n, n) in kg, N s/m, N/m.
    displacement, velocity
        At the start, (n,) in m and m/s.
    direction, powers, rate
        The load (n,) in N is the direction times the polynomial with the coefficients ``powers`` (of 1, t, t², …), or
        times cos(rate t) where there are none; no direction: no load.
    steps
        How many steps are answered.
    span
        Length of a step in s.
    every
        After how many steps there is an answer.
    """

    mass: tuple[Row, ...]
    damping: tuple[Row, ...]
    stiffness: tuple[Row, ...]
    displacement: Row
    velocity: Row
    direction: Row = ()
    powers: Row = ()
    rate: float = 1.0
    steps: int = 10
    span: float = 1.0
    every: int = 1

    @property
    def instants(self) -> Floats:
        """Instants (s) that are answered."""
        return np.arange(0, self.steps + 1, self.every, dtype=float) * self.span

    def load(self, t: float) -> Floats:
        """Return the load (n,) in N at an instant in s."""
        if not self.direction:
            return np.zeros(len(self.displacement))
        value = sum(c * t**k for k, c in enumerate(self.powers)) if self.powers else np.cos(self.rate * t)
        return np.array(self.direction) * value

    def slowed(self, factor: float) -> LinearTrial:
        """Return the motion that has the same displacements at instants ``1/factor`` times as late."""
        return replace(
            self,
            damping=tuple(tuple(x * factor for x in row) for row in self.damping),
            stiffness=tuple(tuple(x * factor**2 for x in row) for row in self.stiffness),
            velocity=tuple(x * factor for x in self.velocity),
            direction=tuple(x * factor**2 for x in self.direction),
            powers=tuple(x * factor**k for k, x in enumerate(self.powers)),
            rate=self.rate * factor,
        )

    def state(self) -> MechanicalProblem:
        """Return the motion as a solver gets it."""
        function = polynomial(*self.powers) if self.powers else Harmonic(1.0, self.rate, np.pi / 2)
        return MechanicalProblem(
            name="identification",
            end=self.steps * self.span,
            output_times=self.instants,
            mass=np.array(self.mass),
            damping=np.array(self.damping),
            stiffness=np.array(self.stiffness),
            initial_displacement=np.array(self.displacement),
            initial_velocity=np.array(self.velocity),
            loads=(Load(np.array(self.direction), function),) if self.direction else (),
        )


def pose_oscillator(
    frequency: float, x: float, v: float, *, damper: float = 0.0, powers: Row = (), rate: float = 0.0, steps: int = 10
) -> LinearTrial:
    """Return the motion of one mass.

    ``frequency`` is in rad/s, ``x`` in m; ``v`` in m/s and ``damper`` (damping over mass, 1/s) are as they stand. The
    load is ``MASS`` times a polynomial in t, or times cos(rate t).
    """
    return LinearTrial(
        mass=((MASS,),),
        damping=((MASS * damper,),),
        stiffness=((MASS * frequency**2,),),
        displacement=(x,),
        velocity=(v,),
        direction=(MASS,) if powers or rate else (),
        powers=powers,
        rate=rate or 1.0,
        steps=steps,
    )


class Unmeasured(str):
    """Why there is no answer, where the solver was not asked: it has refused nothing."""


Answer = Floats | str
"""States (steps + 1, 2, n) in m and m/s, or why there are none."""


@dataclass(frozen=True)
class Bench:
    """A solver that is examined by linear motions, how its step is set, and all that it answered.

    ``answers`` grows: a motion is solved once.
    """

    examinee: Examinee
    control: StepControl = field(default_factory=StepControl)
    answers: dict[LinearTrial, Answer] = field(default_factory=dict)

    def controlled(self, control: StepControl) -> Bench:
        """Return the same solver with another way to set its step."""
        return Bench(self.examinee, control)

    def answer(self, trial: LinearTrial) -> Answer:
        """Return the states at the ends of the steps, or why there are none."""
        if trial not in self.answers:
            self.answers[trial] = _solve(self, trial)
        return self.answers[trial]

    def answer_slowed(self, trials: Sequence[LinearTrial]) -> tuple[Sequence[LinearTrial], list[Floats]] | str:
        """Return motions and their states: as they stand, or slower where a solver refuses so few steps a period."""
        answers = [self.answer_all(trials)]
        for factor in SLOWER:
            if not isinstance(answers[-1], str):
                break
            trials = [trial.slowed(factor) for trial in trials]
            answers.append(self.answer_all(trials))
        return answers[0] if isinstance(answers[-1], str) else (trials, answers[-1])  # type: ignore[return-value]

    def answer_all(self, trials: Sequence[LinearTrial]) -> list[Floats] | str:
        """Return the states of all motions, or why one has none."""
        states: list[Floats] = []
        for trial in trials:
            answer = self.answer(trial)
            if isinstance(answer, str):
                return answer
            states.append(answer)
        return states


def _solve(bench: Bench, trial: LinearTrial) -> Answer:
    response = ask(bench, trial)
    return response if isinstance(response, str) else _pick(response, trial)


def ask(bench: Bench, trial: LinearTrial) -> Response | str:
    """Return what a solver answers to a motion, or why it does not."""
    try:
        return bench.examinee.solve(trial.state(), bench.control.make_settings(trial.span))
    except LimitReached as reached:
        return Unmeasured(reached)
    except REFUSED as refused:
        return str(refused)


def _pick(response: Response, trial: LinearTrial) -> Answer:
    """Return the states at the ends of the steps; a solver may answer at more instants."""
    ends = trial.instants
    after = np.searchsorted(response.time, ends - ON_STEP * trial.span)
    after = np.minimum(after, response.time.size - 1)
    if np.abs(response.time[after] - ends).max() > ON_STEP * trial.span:
        return "the solver does not answer at the ends of its steps"
    return np.stack([response.displacement[after], response.velocity[after]], axis=1)
