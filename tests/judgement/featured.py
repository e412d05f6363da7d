"""Problems with every feature, the right solvers of each, and how two of their responses are compared."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from veridyn.problem.basis import modal_basis
from veridyn.problem.devices import BucklingStop, NonlinearDamper, NonlinearSpring, Zener
from veridyn.problem.elements import Friction, Load, Stop, SupportMotion, TimeVarying
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.modal_basis import Modes
from veridyn.problem.time_functions import Harmonic, Piecewise, Sum, Windowed, polynomial, table
from veridyn.solver.contract.responses import read_response
from veridyn.solver.exact.solver import SOLVER as EXACT
from veridyn.solver.integrators.modal import SOLVER as MODAL
from veridyn.validation_cases.judgement.changed_units import SI
from veridyn.validation_cases.judgement.relations import RELATIONS

BY_NAME = {relation.name: relation for relation in RELATIONS}
RESTARTS = {"restarted", "restarted_twice"}
EVENTS = {"events_reordered", "restarted_after_event"}  # of initial value problems alone
# of the largest value; rounding grew to 9e-13 at most in four seconds with some contacts
ROUNDING = 1e-11
STEP = 1 / 128  # s, of the modal integrator; a double without rounding
END = 4.0

# ---- problems with every feature

E1, E2, E3 = np.eye(3)
Y, Z = np.eye(2)
WINDOW = Windowed(Harmonic(5.0, "2*pi", 0.3), "1/2", 2.25)
PIECES = Piecewise(("1/3", 2.5), (("2", "-1.5", "0.25"), (1.0, 2.0)))
WAVE = Load(3 * E1, Harmonic("1.5", "3*pi/2", 0.4, order=1))
LOADS = (
    WAVE,
    Load(E2, table([0.25, 1.0, 2.0, 3.0], [1.0, 4.0, -2.0, 1.0])),
    Load(E3, WINDOW),
    Load(E1 - E3, Sum((PIECES, Harmonic(2.0, 4.0)))),
)
SUPPORTS = (
    SupportMotion.from_acceleration("left", [0.7, 0.4, 0.2], Harmonic(6.0, "2*pi")),
    SupportMotion.from_acceleration("right", [0.3, 0.6, 0.8], polynomial(1.0, "-0.5", "0.25")),
)
WALL = Stop("wall", E1, 0.2, 400.0)
GUIDE = Stop("guide", E2 - 0.5 * E1, 0.15, 300.0, offset=0.02, geometry="parallel planes")
BUFFER = Stop("buffer", -E3, 0.1, 200.0, damping=4.0, offset=-0.05)
CIRCLE = Stop("ring", Y, 0.5, 300.0, geometry="circle", lateral=Z, offset=0.02, lateral_offset=-0.03)
ANGLES = np.linspace(-0.4, 2 * math.pi - 0.4, 8)
PROFILE = replace(
    CIRCLE, geometry="profile", gap=0.0, profile=np.column_stack((ANGLES, [0.5, 0.6, 0.45, 0.5, 0.55, 0.6, 0.5, 0.5]))
)
PAD = Friction("pad", (E2,), 15.0, 0.5, 0.5)
SOFT = {"law": "regularised", "stiffness": 400.0, "damping": 5.0}
RUB = Friction("rub", (Z,), "ring", 0.3, 0.2, **SOFT)
ODD = NonlinearSpring.odd(name="spring", direction=E1 - E2, coefficients=(0.5, 30.0, 200.0), slack=0.05)
CRUSH = BucklingStop(
    name="crush", direction=E1, offset=-0.1, contact_stiffness=300.0, critical_force=20.0, post_force=10.0,
    plateau=0.02, softening=0.03, returns=((0.1, 200.0), (0.3, 180.0)), crushed=0.08,
)  # fmt: skip
ZENER = Zener(name="zener", direction=E3, k1=50.0, k2=20.0, k3=30.0, damping=4.0, path=0.01)


DRAG = NonlinearDamper.odd(name="drag", direction=E1 - E2, coefficients=(0.0, 0.3, 0.4))
VALVES = NonlinearDamper.table(
    name="valves", direction=E2, points=((-1.0, -1.0), (-0.3, -0.8), (0.2, 0.6), (1.0, 1.0)), frame="absolute"
)
VARYING = (
    TimeVarying("stiffness", 5 * np.outer(E1 - E2, E1 - E2), Harmonic(1.0, 9.0, 0.4)),
    TimeVarying("damping", np.array([[0.3, 0.1, 0.0], [0.0, 0.0, 0.0], [0.0, 0.2, 0.1]]), WINDOW),
)
SPRINGS = np.array([40.0, 30.0, 20.0, 10.0])
STIFFNESS = np.diag(SPRINGS[:-1] + SPRINGS[1:]) - np.diag(SPRINGS[1:-1], 1) - np.diag(SPRINGS[1:-1], -1)
DAMPING = np.diag([0.3, 0.0, 0.6])
SKEW = np.array([[0.0, 0.6, -0.1], [-0.6, 0.0, 0.3], [0.1, -0.3, 0.0]])


def chain(**changes):
    """Three masses between two walls, with damping that couples the modes."""
    default = {
        "name": "chain",
        "mass": np.diag([1.0, 2.0, 1.5]),
        "stiffness": STIFFNESS,
        "damping": DAMPING,
        "initial_displacement": [0.3, -0.2, 0.1],
        "initial_velocity": [-1.0, 0.5, 2.0],
        "end": END,
        "output_times": np.linspace(0.0, END, 129),
    }
    return MechanicalProblem(**{**default, **changes})


def plane(**changes):
    """A body in a plane, pushed around in it."""
    default = {
        "name": "plane",
        "mass": np.diag([1.0, 1.2]),
        "stiffness": np.diag([4.0, 9.0]),
        "damping": 0.05 * np.eye(2),
        "initial_displacement": [0.3, 0.1],
        "initial_velocity": [1.0, -2.0],
        "end": END,
        "output_times": np.linspace(0.0, END, 129),
        "loads": (Load(Y - 0.5 * Z, Harmonic(2.0, 3.0, 0.2)),),
    }
    return MechanicalProblem(**{**default, **changes})


def by_modes(stiffness_coupling=None, **changes):
    """The chain by two of its three modes, which its initial values are in."""
    full = modal_basis(chain())
    parts = {name: getattr(full, name)[:2] for name in ("omega", "damping", "masses")}
    modes = Modes(**parts, shapes=full.shapes[:, :2], coupling=full.coupling[:2, :2])
    modes = replace(modes, stiffness_coupling=stiffness_coupling)
    x, v = modes.shapes @ [0.3, -0.2], modes.shapes @ [0.5, 1.0]
    start = {"initial_displacement": x, "initial_velocity": v}
    return chain(mass=None, stiffness=None, damping=None, modes=modes, **start, **changes)


PROBLEMS = {
    "loads": chain(loads=LOADS),
    "supports": chain(supports=SUPPORTS),
    "windowed support": chain(supports=(SupportMotion.from_acceleration("ground", [1, 1, 1], WINDOW),)),
    "absolute frame": chain(supports=SUPPORTS, stops=tuple(replace(s, frame="absolute") for s in (WALL, GUIDE))),
    "stops": chain(stops=(WALL, GUIDE, BUFFER), loads=(WAVE,)),
    "rigid stop": chain(stops=(Stop("hard", WALL.normal, 0.4, restitution=0.6), GUIDE), loads=(WAVE,)),
    "later start, no outputs": chain(start=1.5, end=3.5, output_times=None, loads=LOADS, stops=(WALL,)),
    "gyroscopic": chain(damping=DAMPING + SKEW, stops=(WALL,), loads=(WAVE,)),
    "circulatory": chain(damping=DAMPING + SKEW, stiffness=STIFFNESS + 10 * SKEW, stops=(WALL,), loads=(WAVE,)),
    "modes": by_modes(stops=(WALL, GUIDE, BUFFER), loads=(WAVE,)),
    "friction": chain(frictions=(PAD,), loads=(WAVE,)),
    "static and kinetic friction": chain(frictions=(replace(PAD, static=0.7),), loads=(WAVE,)),
    "friction on a stop": chain(
        stops=(replace(WALL, gap=0.0),), frictions=(replace(PAD, normal="wall"),), loads=(WAVE,)
    ),
    "two tangents on a line": chain(frictions=(replace(PAD, tangents=(0.6 * E2, 0.8 * E2)),), loads=(WAVE,)),
    "circle": plane(stops=(replace(CIRCLE, damping=1.0),)),
    "outside circle": plane(
        stops=(replace(CIRCLE, geometry="outside circle", gap=0.2, offset=0.0),),
        initial_displacement=[0.3, 0.2],
        initial_velocity=[-2.0, -1.0],
    ),
    "profile": plane(stops=(PROFILE,)),
    "rubbing circle": plane(stops=(CIRCLE,), frictions=(RUB,)),
    "rubbing profile": plane(stops=(PROFILE,), frictions=(RUB,)),
    "two tangents": plane(  # it stops where its direction does not turn fast: a turn magnifies what rounding does
        initial_velocity=[0.5, -1.0], frictions=(Friction("pad", (Y, Z), 5.0, 0.6, 0.5, **SOFT),)
    ),
    "varying matrices": chain(varying=VARYING, stops=(WALL,), loads=(WAVE,)),
    "varying matrices, modes": by_modes(varying=VARYING),
    "circulatory modes": by_modes(stiffness_coupling=[[0.0, 4.0], [-4.0, 0.0]], loads=(WAVE,)),
    "sparse": chain(stiffness=csr_array(STIFFNESS), stops=(WALL,), loads=(WAVE,)),
    "damper": chain(devices=(DRAG,), loads=(WAVE,)),
    "damper of lines": chain(supports=SUPPORTS, stops=(WALL,), devices=(VALVES,)),
    "nonlinear spring": chain(devices=(ODD,), loads=(WAVE,)),
    "buckling stop": chain(devices=(CRUSH,), loads=(WAVE,)),
    "zener": chain(devices=(ZENER,), loads=(WAVE,)),
    "power-law zener, absolute frame": chain(supports=SUPPORTS, devices=(replace(ZENER, alpha=0.5, frame="absolute"),)),
}
# below 1e-6 m/s the friction of the modal integrator may stick, as Code_Aster's: no property of the problem
STICKS_BELOW_A_SPEED = "two tangents"


def exact(units=SI):
    return lambda problem: read_response(problem, EXACT.solve(problem, {}), "exact")


def modal(units=SI):
    """The modal integrator by its first scheme at a constant step, a setting with a dimension."""
    settings = {"scheme": "symplectic_euler", "step": STEP * units.time, "check_step": False}

    def solve(problem):
        archived = {} if problem.output_times is None else {"archive_at": "output_times"}
        return read_response(problem, MODAL.solve(problem, {**settings, **archived}), "modal")

    return solve


def solvers(problem):
    ideal = any(f.law == "set-valued" for f in problem.frictions)
    turns = any(np.linalg.matrix_rank(f.tangents) > 1 for f in problem.frictions)
    linear = problem.needs <= EXACT.capabilities and not turns
    return ([modal] if problem.needs <= MODAL.capabilities and not ideal else []) + ([exact] if linear else [])


PAIRS = [
    pytest.param(make, name, id=f"{make.__name__}-{name}") for name in PROBLEMS for make in solvers(PROBLEMS[name])
]


# ---- how two responses are compared


def common_samples(one, other):
    """Places of the samples that both responses have, but for rounding of their instants."""
    j = np.clip(np.searchsorted(other.time, one.time - 1e-9), 0, other.time.size - 1)
    same = np.abs(other.time[j] - one.time) < 1e-9
    return np.flatnonzero(same), j[same]


def largest_difference(one, other):
    """Largest difference of motions and element histories at common samples, over the largest value of each."""
    i, j = common_samples(one, other)
    assert i.size >= 0.3 * one.time.size
    pairs = [(one.displacement, other.displacement), (one.velocity, other.velocity)]
    for name, histories in one.elements.items():
        assert set(histories) == set(other.elements[name])
        pairs += [(values, other.elements[name][key]) for key, values in histories.items()]
    return max(np.abs(a[i] - b[j]).max() / max(np.abs(a).max(), 1e-300) for a, b in pairs)
