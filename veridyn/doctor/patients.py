"""The small problems of the doctor, and what takes their place where a solver offers less."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from veridyn.doctor.bodies import Body, Flight, Shake, Slider, Springs
from veridyn.doctor.equations import Bounce, Linear


@dataclass(frozen=True)
class Patient:
    """A small problem, and where to look first if nothing is known about a gross error.

    ``simpler`` takes its place for a solver that offers or solves less.
    """

    body: Body
    hint: str
    simpler: Patient | None = None

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self.body.name

    @property
    def chain(self) -> tuple[Patient, ...]:
        """The problem and what may take its place."""
        return (self, *(self.simpler.chain if self.simpler else ()))


def _one(value: float) -> np.ndarray[Any, Any]:
    return np.array([[value]])


FREE_MASS = Patient(
    Springs(name="free mass", mass=_one(2.0), stiffness=_one(0.0), x0=np.array([0.5]), v0=np.ones(1)),
    "initial values or units",
)
MATRICES = "stiffness or mass matrix (factor, sign, transposition)"
OSCILLATOR = Springs(name="oscillator", mass=_one(2.0), stiffness=_one(72.0), x0=np.array([0.1]), v0=np.ones(1))
# nothing is alike for the two masses: what mixes them up shows
TWO_MASSES = Springs(
    name="two degrees of freedom",
    mass=np.diag([2.0, 4.0]),
    stiffness=np.array([[96.0, -24.0], [-24.0, 72.0]]),
    x0=np.array([0.1, 0.0]),
    v0=np.array([0.0, -0.8]),
)
TOUCH = Patient(  # w = 20 rad/s: long enough for steps that are not small
    Flight(name="one touch of a stop", mass=_one(2.0), x0=np.zeros(1), v0=np.ones(1), gap=0.5, contact=800.0),
    "sign of the contact force, gap, or contact stiffness",
)

LAWS = "the friction force: sign, size, when it holds and when it lets go"
# slides until it rests at 0.42 s, is held, also beyond the kinetic limit, until 1.01 s, slips back, and shortly forward
PULLS = (
    *((0.0, 0.0), (0.5, 0.0), (0.55, -4.0), (0.8, -4.0), (0.85, -7.0)),
    *((1.0, -7.0), (1.05, -10.0), (1.15, -10.0), (1.2, 0.0)),
)
SHORT_PULL = ((1.4, 0.0), (1.42, 60.0), (1.44, 0.0))
SLIDER = Slider(
    name="friction",
    mass=_one(2.0),
    x0=np.array([0.05]),
    v0=np.ones(1),
    end=1.8,
    normal=12.0,
    static=0.65,
    kinetic=0.4,
    pulls=(*PULLS, *SHORT_PULL),
    held=(0.65, 0.8),
)
ONE_COEFFICIENT = replace(SLIDER, name="friction with one coefficient", static=0.4)
FRICTION = Patient(
    SLIDER,
    LAWS,
    Patient(
        ONE_COEFFICIENT,
        LAWS,
        Patient(replace(ONE_COEFFICIENT, name="friction without a load", pulls=(), held=(0.7, 1.7)), LAWS),
    ),
)

SHAKE = Shake(np.array([2 / 3]), amplitude=2.0, omega=9.0, phase=1.0)
FORCES = "the force of the support, -M influence a(t), and what is relative to it"
# a mass between a wall that moves and one that does not: the influence is the share of the spring at the moving one
SUPPORT = Patient(replace(OSCILLATOR, name="support", x0=np.array([0.02]), v0=np.array([0.1]), shakes=(SHAKE,)), FORCES)
# masses in a row, springs 72, 24, 48 N/m from wall to wall: the influences follow from the stiffness
TWO_SUPPORTS = Patient(
    replace(
        TWO_MASSES,
        name="two supports",
        x0=np.array([0.02, 0.0]),
        v0=np.array([0.0, 0.1]),
        shakes=(
            replace(SHAKE, influence=np.array([9.0, 3.0]) / 11),
            Shake(np.array([2.0, 8.0]) / 11, amplitude=3.0, omega=5.0, phase=0.5),
        ),
    ),
    FORCES,
    Patient(
        replace(
            OSCILLATOR,
            name="two supports of one mass",
            x0=np.array([0.02]),
            v0=np.array([0.1]),
            shakes=(SHAKE, Shake(np.array([1 / 3]), amplitude=3.0, omega=5.0, phase=0.5)),
        ),
        FORCES,
    ),
)
EQUATIONS = Patient(
    Linear(name="equations", initial=(0.5, -2.0), parameters=(40.0, 2.0, 60.0)),
    "the right-hand side, or initial values",
)
EVENTS = Patient(
    Bounce(name="equations with events", initial=(-0.2, 3.0), parameters=(8.0, 0.75, 2.0), end=3.0),
    "guards, resets and modes",
)
PATIENTS = (
    FREE_MASS,
    Patient(OSCILLATOR, MATRICES),
    Patient(TWO_MASSES, MATRICES),
    TOUCH,
    FRICTION,
    SUPPORT,
    TWO_SUPPORTS,
    EQUATIONS,
    EVENTS,
)
KINDS = frozenset({"mechanical", "initial-value"})


def patients_of(capabilities: Set[str]) -> tuple[Patient, ...]:
    """Return the problems of the kinds that a solver offers; all if it offers none."""
    return tuple(p for p in PATIENTS if p.body.problem.needs & KINDS & capabilities) or PATIENTS
