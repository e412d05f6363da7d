"""What small problems look like to an adapter with a fault: the doctor compares, and names what to mend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from veridyn.doctor.bodies import Bounce, Equations, Flight, Linear, PatientBody, Shake, Slider, Springs
from veridyn.problem.basis import undamped_modes
from veridyn.problem.mechanical import Floats, Problem

GRAVITY = 9.81  # m/s²
SHORT = 3  # points of the load that make the short slip

Misreading = Callable[[Any], PatientBody]
Handover = Callable[[Any, Floats], Floats]
Misreadings = tuple[tuple[str, Misreading], ...]


def _x(body: PatientBody, t: Floats) -> Floats:
    return body.motion(t)[0]


def _v(body: PatientBody, t: Floats) -> Floats:
    return body.motion(t)[1]


def _shaken(change: Callable[[Shake, Springs], Shake]) -> Misreading:
    """Return the misreading that changes every support."""
    return lambda b: replace(b, shakes=tuple(change(shake, b) for shake in b.shakes))


def _influenced(change: Callable[[Floats, Springs], Floats]) -> Misreading:
    """Return the misreading that changes the influences, one row per support."""

    def misread(b: Springs) -> Springs:
        rows = change(np.array([shake.influence for shake in b.shakes]).reshape(-1, len(b.x0)), b)
        return replace(b, shakes=tuple(replace(s, influence=row) for s, row in zip(b.shakes, rows, strict=True)))

    return misread


def _only(place: int) -> Misreading:
    return lambda b: replace(b, shakes=b.shakes[place : place + 1 or None])


def _swapped(matrix: Floats) -> Floats:
    return matrix[::-1, ::-1]


EVERYWHERE: Misreadings = (
    ("it stays at rest: pass problem.initial_displacement and problem.initial_velocity on",
     lambda b: replace(b, x0=0 * b.x0, v0=0 * b.v0)),
    ("the initial velocity is ignored: pass problem.initial_velocity on", lambda b: replace(b, v0=0 * b.v0)),
    ("the initial velocity has the wrong sign", lambda b: replace(b, v0=-b.v0)),
    ("the initial velocity is divided by the mass: it is a velocity, no momentum",
     lambda b: replace(b, v0=b.v0 / np.diag(b.mass))),
    ("the initial displacement is ignored: pass problem.initial_displacement on", lambda b: replace(b, x0=0 * b.x0)),
    ("the initial displacement has the wrong sign", lambda b: replace(b, x0=-b.x0)),
    ("the mass is taken as 1: divide every force by the mass", lambda b: replace(b, mass=np.eye(len(b.x0)))),
    ("forces are divided by the mass twice", lambda b: replace(b, mass=b.mass @ b.mass)),
)  # fmt: skip

ON_SPRINGS: Misreadings = (
    ("it flies on as if there were no spring: look at stiffness or mass matrix, the stiffness does not arrive",
     lambda b: replace(b, stiffness=0 * b.stiffness)),
    ("the stiffness has the wrong sign: springs act with -K x", lambda b: replace(b, stiffness=-b.stiffness)),
    ("the coupling is ignored: pass the whole matrices on, not their diagonals",
     lambda b: replace(b, stiffness=np.diag(np.diag(b.stiffness)))),
    ("the coupling has the wrong sign: take the off-diagonal terms of the stiffness as they are",
     lambda b: replace(b, stiffness=2 * np.diag(np.diag(b.stiffness)) - b.stiffness)),
    ("the masses belong to other degrees of freedom: look at their order in the mass matrix",
     lambda b: replace(b, mass=_swapped(b.mass))),
    ("the stiffness belongs to other degrees of freedom: look at their order in the stiffness matrix",
     lambda b: replace(b, stiffness=_swapped(b.stiffness))),
    ("the matrices have another order of the degrees of freedom than initial values and results",
     lambda b: replace(b, mass=_swapped(b.mass), stiffness=_swapped(b.stiffness))),
    ("the initial displacement has another order of the degrees of freedom than the matrices",
     lambda b: replace(b, x0=b.x0[::-1])),
    ("the initial velocity has another order of the degrees of freedom than the matrices",
     lambda b: replace(b, v0=b.v0[::-1])),
    ("the initial values have another order of the degrees of freedom than the matrices",
     lambda b: replace(b, x0=b.x0[::-1], v0=b.v0[::-1])),
    ("the supports do not move: pass problem.supports on", lambda b: replace(b, shakes=())),
    ("the acceleration of the support has the wrong sign: its force is -M influence a(t)",
     _shaken(lambda s, _: replace(s, amplitude=-s.amplitude))),
    ("the influence of the support is ignored: its force is -M influence a(t)",
     _influenced(lambda rows, _: np.ones_like(rows))),
    ("the mass is missing in the force of the support: it is -M influence a(t)",
     _influenced(lambda rows, b: rows @ np.linalg.inv(b.mass))),
    ("the displacement of the support is taken for its acceleration",
     _shaken(lambda s, _: replace(s, amplitude=-s.amplitude / s.omega**2))),
    ("the velocity of the support is taken for its acceleration",
     _shaken(lambda s, _: replace(s, amplitude=s.amplitude / s.omega, phase=s.phase - math.pi / 2))),
    ("the acceleration of the support is taken in g: it is in m/s²",
     _shaken(lambda s, _: replace(s, amplitude=s.amplitude * GRAVITY))),
    ("the supports are exchanged: each acts through its own influence", _influenced(lambda rows, _: rows[::-1])),
    ("rows and columns of the influences are exchanged: each support has one influence for every degree of freedom",
     _influenced(lambda rows, _: rows.T if rows.shape[0] == rows.shape[1] else rows)),
    ("the influences have another order of the degrees of freedom than the matrices",
     _influenced(lambda rows, _: rows[:, ::-1])),
    ("the last support is ignored: add all of problem.supports up", _only(0)),
    ("the first support is ignored: add all of problem.supports up", _only(-1)),
    ("all supports move like the first: each has its own acceleration",
     _shaken(lambda s, b: replace(b.shakes[0], influence=s.influence))),
    ("all supports move like the last: each has its own acceleration",
     _shaken(lambda s, b: replace(b.shakes[-1], influence=s.influence))),
)  # fmt: skip

AT_A_STOP: Misreadings = (
    ("it flies through the stop: pass problem.stops on, look at the sign of normal and gap",
     lambda b: replace(b, contact=0.0)),
    ("the stop pulls instead of pushing: turn the sign of the contact force", lambda b: replace(b, contact=-b.contact)),
    ("the gap is ignored: contact begins at x = gap, not at x = 0", lambda b: replace(b, gap=0.0)),
    ("it sticks to the stop: a stop is elastic and gives the energy back", lambda b: replace(b, restitution=0.0)),
    ("it rebounds in an instant: the stop is to have its stiffness, not a restitution",
     lambda b: replace(b, restitution=1.0)),
    ("it rebounds in an instant with half the speed: the stop is elastic, not to be replaced by a restitution",
     lambda b: replace(b, restitution=0.5)),
)  # fmt: skip

SLIP_MISSED = "a slip is missed: no step may pass over a whole slip, look at the load within the step"
WITH_FRICTION: Misreadings = (
    ("it slides without friction: pass problem.frictions on", lambda b: replace(b, static=0.0, kinetic=0.0)),
    ("friction drives it: the friction force has the wrong sign, it acts against the sliding velocity",
     lambda b: replace(b, static=-b.static, kinetic=-b.kinetic)),
    ("it turns back where it stops: friction holds it at rest until the load exceeds the static limit",
     lambda b: replace(b, sticks=False)),
    ("the static coefficient acts while it slides: take the kinetic one, or are the two exchanged?",
     lambda b: replace(b, kinetic=b.static)),
    ("it slips again at the kinetic limit: while it rests, the static coefficient counts",
     lambda b: replace(b, static=b.kinetic)),
    ("it never slips again: a load beyond the static limit ends the rest, and no step may pass over a whole slip; "
     "pass problem.loads on", lambda b: replace(b, pulls=())),
    (SLIP_MISSED, lambda b: replace(b, pulls=b.pulls[:-SHORT])),
    (SLIP_MISSED, lambda b: replace(b, pulls=b.pulls[:1] + b.pulls[-SHORT:])),
    ("the load has the wrong sign", lambda b: replace(b, pulls=tuple((t, -f) for t, f in b.pulls))),
    ("the load is not divided by the mass",
     lambda b: replace(b, pulls=tuple((t, f * float(b.mass[0, 0])) for t, f in b.pulls))),
    ("the friction force is not divided by the mass", lambda b: replace(b, normal=b.normal * float(b.mass[0, 0]))),
    ("the normal force is ignored: the friction force is coefficient times normal force",
     lambda b: replace(b, normal=1.0)),
    ("the weight is taken for the normal force: take problem.frictions[0].normal",
     lambda b: replace(b, normal=GRAVITY * float(b.mass[0, 0]))),
)  # fmt: skip


def _ordered(*places: int) -> Misreading:
    return lambda b: replace(b, parameters=tuple(b.parameters[i] for i in places))


OTHER_PARAMETERS = "the parameters have another order: take that of problem.parameters"
IN_EQUATIONS: Misreadings = (
    ("the initial values are ignored: begin with problem.initial_state", lambda b: replace(b, initial=(0.0, 0.0))),
    ("the initial values have another order than the states", lambda b: replace(b, initial=b.initial[::-1])),
    ("the initial values have the wrong sign", lambda b: replace(b, initial=tuple(-y for y in b.initial))),
    *((OTHER_PARAMETERS, _ordered(*places)) for places in permutations(range(3)) if places != (0, 1, 2)),
)
SMOOTH: Misreadings = (
    (
        "the time does not reach the right-hand side: it is rhs(t, y)",
        lambda b: replace(b, parameters=(*b.parameters[:2], 0.0)),
    ),
    ("the rates have the wrong sign, or time runs backwards", lambda b: replace(b, sense=-1.0)),
    ("the rates have another order than the states", lambda b: replace(b, swapped=True)),
)
WITH_EVENTS: Misreadings = (
    ("it falls through the ground: watch the guards of the mode, and act where one passes zero",
     lambda b: replace(b, impacts=0)),
    ("the first event is the last: watch the guards again after an event", lambda b: replace(b, impacts=1)),
    ("the reset is ignored: at an event the states jump to what reset says",
     lambda b: replace(b, factor=1.0, restitution=1.0)),
    ("the reset has the wrong sign", lambda b: replace(b, factor=1.0)),
    ("the rebound loses nothing: the reset takes the parameters, too", lambda b: replace(b, restitution=1.0)),
    ("the mode does not change at an event: take the rates of the mode that the event names",
     lambda b: replace(b, parameters=(*b.parameters[:2], b.parameters[0]))),
    ("a guard counts that passes zero the other way: look at direction, -1 is falling",
     lambda b: replace(b, both=True)),
    ("it begins in the wrong mode: begin with problem.mode, which need not be the first of problem.modes",
     lambda b: replace(b, mode="rises")),
)  # fmt: skip

MISREADINGS: Mapping[type[PatientBody], Misreadings] = {
    Springs: EVERYWHERE + ON_SPRINGS,
    Flight: EVERYWHERE + AT_A_STOP,
    Slider: EVERYWHERE + WITH_FRICTION,
    Linear: IN_EQUATIONS + SMOOTH,
    Bounce: IN_EQUATIONS + WITH_EVENTS,
}


def _absolute(b: Springs, t: Floats) -> Floats:
    return _x(b, t) + b.carried(t)


def _absolute_from_rest(b: Springs, t: Floats) -> Floats:
    """Return absolute displacements, the supports starting from rest where they are not carried."""
    zero = np.zeros(1)
    return _absolute(b, t) - b.carried(zero) - np.outer(t, b.carried(zero, order=-1))


def _absolute_throughout(b: Springs, t: Floats) -> Floats:
    """Return absolute displacements that begin with the initial values of the relative ones."""
    zero = np.zeros(1)
    return _absolute(replace(b, x0=b.x0 - b.carried(zero)[0], v0=b.v0 - b.carried(zero, order=-1)[0]), t)


ARE_ABSOLUTE = "displacements are absolute: return them relative to the supports, without what these carry along"
ABSOLUTE: tuple[tuple[str, Handover], ...] = (
    (ARE_ABSOLUTE, _absolute),
    (ARE_ABSOLUTE, _absolute_from_rest),
    ("the equation is solved for absolute displacements: initial values and results are relative to the supports",
     _absolute_throughout),
)  # fmt: skip

# what is computed well but handed over wrongly
IN_ROWS: tuple[tuple[str, Handover], ...] = (
    ("every row is the last state: store a copy at every instant", lambda b, t: 0 * _x(b, t) + _x(b, t)[-1]),
    ("every row is one instant ahead: the first row is the state at problem.start", lambda b, t: _x(b, t + spacing(t))),
    ("every row is one instant late: the state at problem.start comes once",
     lambda b, t: _x(b, np.maximum(t - spacing(t), t[0]))),
    ("rows and columns are mixed up: (m, n) is the transpose of (n, m), not a reshape",
     lambda b, t: _x(b, t).T.reshape(t.size, -1)),
)  # fmt: skip
OF_MASSES: tuple[tuple[str, Handover], ...] = (
    ("the displacement has the wrong sign", lambda b, t: -_x(b, t)),
    ("displacement and velocity are exchanged", _v),
    ("the displacement is 1000 times too large: return metres", lambda b, t: 1e3 * _x(b, t)),
    ("the displacement is 1000 times too small: return metres", lambda b, t: 1e-3 * _x(b, t)),
    ("the degrees of freedom are exchanged: look at their order", lambda b, t: _x(b, t)[:, ::-1]),
    ("the first degree of freedom is returned for all: give each its column",
     lambda b, t: 0 * _x(b, t) + _x(b, t)[:, :1]),
)  # fmt: skip
OF_STATES: tuple[tuple[str, Handover], ...] = (
    ("the states are exchanged: return them in the order of problem.states", lambda b, t: _x(b, t)[:, ::-1]),
    ("the first state is returned for all: give each its column", lambda b, t: 0 * _x(b, t) + _x(b, t)[:, :1]),
)


def handovers(body: PatientBody) -> tuple[tuple[str, Handover], ...]:
    """Return the ways in which a right motion may be handed over wrongly."""
    if isinstance(body, Equations):
        return IN_ROWS + OF_STATES
    return IN_ROWS + OF_MASSES + (ABSOLUTE if isinstance(body, Springs) and body.shakes else ())


VELOCITIES: tuple[tuple[str, Handover], ...] = (
    ("the velocity has the wrong sign", lambda b, t: -_v(b, t)),
    ("the velocity is zero: return it too", lambda b, t: 0 * _v(b, t)),
    ("the velocity is the displacement once more", _x),
    ("the velocity has lost its sign", lambda b, t: np.abs(_v(b, t))),
    ("the velocity is a momentum: divide it by the mass", lambda b, t: _v(b, t) @ b.mass),
    ("the velocity is 1000 times too large: return m/s", lambda b, t: 1e3 * _v(b, t)),
    ("the velocity is 1000 times too small: return m/s", lambda b, t: 1e-3 * _v(b, t)),
    ("the velocity is an increment: divide it by the time between the rows", lambda b, t: spacing(t) * _v(b, t)),
    ("every row of the velocity is the last one: store a copy", lambda b, t: 0 * _v(b, t) + _v(b, t)[-1]),
)  # fmt: skip


def spacing(t: Floats) -> float:
    """Return the time between two rows (s)."""
    return float(np.median(np.diff(t)))


# ---- which of them it is

ALIKE = 0.1  # largest misfit of a fault that is recognised, of the amplitude
CLOSE = 0.01  # misfit of a fault beside which no factor is looked for
MUCH_BETTER = 5.0  # and how much better than the truth it fits
TIES = 1.5  # misfits that close say the same: nothing is named
SEVERAL = "several faults look like this here; see the other problems"
FACTORS = np.logspace(-4, 4, 4001)  # of stiffness over mass
NOTICEABLE = 1.2  # a factor that no inaccuracy explains
FRICTIONS = np.logspace(-1, 1, 201)  # factors of the friction force


def error_of(found: Floats, truth: Floats) -> float:
    """Return the largest deviation, of the amplitude of the truth."""
    return float(np.abs(found - truth).max() / np.abs(truth).max())


def fault_of_displacement(body: PatientBody, t: Floats, found: Floats) -> str:
    """Return the fault that explains a wrong displacement, `SEVERAL` if many do; empty if none does."""
    truth, known = _x(body, t), paths_of_faults(body, t)
    least = min(_misfit(found, path, truth) for _, path in known)
    misfit, text = _wrong_factor(body, t, found) if least > CLOSE else (math.inf, "")
    if misfit <= min(ALIKE, least / MUCH_BETTER, error_of(found, truth) / MUCH_BETTER):
        return text
    return _nearest(known, found, truth)


def paths_of_faults(body: PatientBody, t: Floats) -> list[tuple[str, Floats]]:
    """Return the displacement (m, n) that each known fault leads to."""
    return _paths(body, t.tobytes())


@lru_cache(maxsize=16)  # solvers of one kind answer at the same instants
def _paths(body: PatientBody, instants: bytes) -> list[tuple[str, Floats]]:
    t = np.frombuffer(instants)
    known = [(text, _x(misread(body), t)) for text, misread in MISREADINGS[type(body)]]
    return known + [(text, hand_over(body, t)) for text, hand_over in handovers(body)]


def _wrong_factor(body: PatientBody, t: Floats, found: Floats) -> tuple[float, str]:
    """Return how well a factor of stiffness or friction explains what was found, and which one."""
    if isinstance(body, Slider):
        return _wrong_friction(body, t, found)
    if isinstance(body, Springs) and np.any(body.stiffness):
        return _wrong_frequency(body, t, found)
    return math.inf, ""


def fault_of_velocity(body: PatientBody, t: Floats, found: Floats) -> str:
    """Return the fault that explains a wrong velocity beside a right displacement; empty if none does."""
    return _nearest([(text, hand_over(body, t)) for text, hand_over in VELOCITIES], found, body.motion(t)[1])


def _nearest(known: Sequence[tuple[str, Floats]], found: Floats, truth: Floats) -> str:
    misfits = [(_misfit(found, path, truth), text) for text, path in known]
    least, text = min(misfits)
    if least > ALIKE or least > error_of(found, truth) / MUCH_BETTER:
        return ""
    alike = {text for misfit, text in misfits if misfit <= TIES * least + 1e-6}
    return text if len(alike) == 1 else SEVERAL


def _misfit(found: Floats, path: Floats, truth: Floats) -> float:
    scale = float(np.abs(path).max()) or float(np.abs(truth).max())
    return float(np.abs(found - path).max()) / scale


def _wrong_friction(body: Slider, t: Floats, found: Floats) -> tuple[float, str]:
    """Recognise a friction force that is off by any factor."""
    misfit, factor = _best(FRICTIONS, lambda f: _x(replace(body, normal=f * body.normal), t), found)
    return misfit, f"the friction force is {factor:.2g} times what it should be"


def _wrong_frequency(body: Springs, t: Floats, found: Floats) -> tuple[float, str]:
    """Recognise stiffness over mass that is off by any factor."""
    misfit, factor = _best(FACTORS, lambda f: _x(replace(body, stiffness=f * body.stiffness), t), found)
    w = math.sqrt(undamped_modes(body.stiffness, body.mass)[0][0])
    return misfit, (
        f"it oscillates at {math.sqrt(factor) * w:.3g} rad/s instead of {w:.3g}: stiffness over mass is "
        f"{factor:.2g} times what it should be{_origin(factor)}"
    )


def _best(factors: Floats, path: Callable[[float], Floats], found: Floats) -> tuple[float, float]:
    """Return the least misfit and its factor; infinite if inaccuracy explains the factor."""
    misfits = [_misfit(found, path(factor), found) for factor in factors]
    best = int(np.argmin(misfits))
    factor = float(factors[best])
    return misfits[best] if abs(math.log(factor)) >= math.log(NOTICEABLE) else math.inf, factor


def _origin(factor: float) -> str:
    origins = {(2 * math.pi) ** 2: "Hz are taken for rad/s", (2 * math.pi) ** -2: "rad/s are taken for Hz"}
    origins |= {1e3: "a unit of 1000", 1e-3: "a unit of 1000", 2.0: "twice the matrix", 0.5: "half the matrix"}
    return next((f", {text}" for f, text in origins.items() if abs(math.log(factor / f)) < math.log(1.03)), "")


def faults_of_arrays(problem: Problem, answer: Any) -> Iterator[str]:
    """Yield what may be wrong with an answer whose arrays are refused."""
    arrays = answer if isinstance(answer, Mapping) else getattr(answer, "__dict__", {})
    what = ("displacement", "velocity") if problem.kind == "mechanical" else ("states",)
    time, x = (_array(arrays.get(name)) for name in ("time", what[0]))
    if x.ndim == 2 and x.shape != x.T.shape and x.shape[0] == len(problem.unknowns) and x.shape[1] == time.size:
        yield f"transpose {' and '.join(what)}: one row per instant"
    span = float(np.ptp(time)) / (problem.end - problem.start) if time.ndim == 1 and time.size > 1 else 1.0
    if abs(span - 1) > ALIKE and np.array_equal(np.diff(time), np.ones(time.size - 1)):
        yield "time counts the samples: seconds are wanted"
    elif abs(span - 1e3) < 1e3 * ALIKE:
        yield "time is in milliseconds: seconds are wanted"


def _array(value: Any) -> Floats:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.empty(0)
    return array if np.all(np.isfinite(array)) else np.empty(0)
