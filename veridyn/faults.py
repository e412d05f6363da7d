"""What small problems look like to an adapter with a fault: the doctor compares, and names what to mend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from veridyn.solver.elements import Stop
from veridyn.solver.problem import MechanicalProblem

Floats = NDArray[np.float64]
Path = tuple[Floats, Floats]  # displacement and velocity, (m, n) each

ALIKE = 0.1  # largest misfit of a fault that is recognised, of the amplitude
MUCH_BETTER = 5.0  # and how much better than the truth it fits
TIES = 1.5  # misfits that close say the same; the first fault in the list counts
FACTORS = np.logspace(-4, 4, 4001)  # of stiffness over mass
NOTICEABLE = 1.2  # a factor that no inaccuracy explains


@dataclass(frozen=True)
class Body:
    """A small problem whose motion is known in closed form, also as a faulty adapter would state it.

    Masses on springs; or one free mass in front of a stop, whose ``restitution``, if set, replaces its
    stiffness ``contact`` (N/m; negative: it pulls).
    """

    name: str
    mass: Floats
    stiffness: Floats
    x0: Floats
    v0: Floats
    gap: float = math.inf
    contact: float = 0.0
    restitution: float | None = None

    @property
    def problem(self) -> MechanicalProblem:
        """The problem as it is posed."""
        stop = Stop("stop", np.ones(1), gap=self.gap, stiffness=self.contact) if math.isfinite(self.gap) else None
        return MechanicalProblem(
            name=self.name,
            mass=self.mass,
            stiffness=self.stiffness,
            initial_displacement=self.x0,
            initial_velocity=self.v0,
            end=1.0,
            output_times=np.linspace(0.0, 1.0, 101),
            stops=(stop,) if stop else (),
        )


def motion(body: Body, t: Floats) -> Path:
    """Return displacement and velocity at given instants."""
    if math.isfinite(body.gap) and body.v0[0] > 0:
        return _touch(body, t)
    squares, shapes = eigh(body.stiffness, body.mass)
    w = np.emath.sqrt(squares.astype(complex))
    phase = np.outer(t, w)
    q, p = shapes.T @ body.mass @ body.x0, shapes.T @ body.mass @ body.v0
    sine = t[:, None] * np.sinc(phase / np.pi)  # sin(w t)/w, w = 0 included
    x, v = np.cos(phase) * q + sine * p, np.cos(phase) * p - w**2 * sine * q
    return (x @ shapes.T).real, (v @ shapes.T).real


def _touch(body: Body, t: Floats) -> Path:
    """Free flight, contact, free flight."""
    x0, v0, m = float(body.x0[0]), float(body.v0[0]), float(body.mass[0, 0])
    s = t - (body.gap - x0) / v0
    w = complex(np.emath.sqrt(body.contact / m))
    leave = math.pi / w.real if body.contact > 0 else math.inf
    inside = np.clip(s, 0.0, leave if math.isfinite(leave) else None)
    x_in, v_in = (inside * np.sinc(w * inside / np.pi)).real, np.cos(w * inside).real
    after, back = np.maximum(s - leave, 0.0), 1.0
    if body.restitution is not None:
        x_in, v_in, after, back = np.zeros_like(s), np.ones_like(s), np.maximum(s, 0.0), body.restitution
    x = body.gap + v0 * (np.minimum(s, 0.0) + x_in - back * after)
    v = v0 * np.where(after > 0, -back, v_in)
    return x[:, None], v[:, None]


def _x(body: Body, t: Floats) -> Floats:
    return motion(body, t)[0]


def _v(body: Body, t: Floats) -> Floats:
    return motion(body, t)[1]


Misreading = Callable[[Body], Body]
Handover = Callable[[Body, Floats], Floats]

MISREADINGS: tuple[tuple[str, Misreading], ...] = (
    (
        "it stays at rest: pass problem.initial_displacement and problem.initial_velocity on",
        lambda b: replace(b, x0=0 * b.x0, v0=0 * b.v0),
    ),
    ("the initial velocity is ignored: pass problem.initial_velocity on", lambda b: replace(b, v0=0 * b.v0)),
    ("the initial velocity has the wrong sign", lambda b: replace(b, v0=-b.v0)),
    (
        "the initial velocity is divided by the mass: it is a velocity, no momentum",
        lambda b: replace(b, v0=b.v0 / np.diag(b.mass)),
    ),
    ("the initial displacement is ignored: pass problem.initial_displacement on", lambda b: replace(b, x0=0 * b.x0)),
    ("the initial displacement has the wrong sign", lambda b: replace(b, x0=-b.x0)),
    (
        "it flies on as if there were no spring: look at stiffness or mass matrix, the stiffness does not arrive",
        lambda b: replace(b, stiffness=0 * b.stiffness),
    ),
    ("the stiffness has the wrong sign: springs act with -K x", lambda b: replace(b, stiffness=-b.stiffness)),
    (
        "the coupling is ignored: pass the whole matrices on, not their diagonals",
        lambda b: replace(b, stiffness=np.diag(np.diag(b.stiffness))),
    ),
    ("the mass is taken as 1: divide every force by the mass", lambda b: replace(b, mass=np.eye(len(b.x0)))),
    ("forces are divided by the mass twice", lambda b: replace(b, mass=b.mass @ b.mass)),
    (
        "it flies through the stop: pass problem.stops on, look at the sign of normal and gap",
        lambda b: replace(b, contact=0.0),
    ),
    (
        "the stop pulls instead of pushing: turn the sign of the contact force",
        lambda b: replace(b, contact=-b.contact),
    ),
    ("the gap is ignored: contact begins at x = gap, not at x = 0", lambda b: replace(b, gap=0.0)),
    (
        "it sticks to the stop: a stop is elastic and gives the energy back",
        lambda b: replace(b, restitution=0.0),
    ),
    (
        "it rebounds in an instant: the stop is to have its stiffness, not a restitution",
        lambda b: replace(b, restitution=1.0),
    ),
    (
        "it rebounds in an instant with half the speed: the stop is elastic, not to be replaced by a restitution",
        lambda b: replace(b, restitution=0.5),
    ),
)

# what is computed well but handed over wrongly
HANDOVERS: tuple[tuple[str, Handover], ...] = (
    ("the displacement has the wrong sign", lambda b, t: -_x(b, t)),
    ("displacement and velocity are exchanged", _v),
    ("the displacement is 1000 times too large: return metres", lambda b, t: 1e3 * _x(b, t)),
    ("the displacement is 1000 times too small: return metres", lambda b, t: 1e-3 * _x(b, t)),
    ("every row is the last state: store a copy at every instant", lambda b, t: 0 * _x(b, t) + _x(b, t)[-1]),
    (
        "every row is one instant ahead: the first row is the state at problem.start",
        lambda b, t: _x(b, t + _spacing(t)),
    ),
    (
        "every row is one instant late: the state at problem.start comes once",
        lambda b, t: _x(b, np.maximum(t - _spacing(t), t[0])),
    ),
    ("the degrees of freedom are exchanged: look at their order", lambda b, t: _x(b, t)[:, ::-1]),
    (
        "rows and columns are mixed up: (m, n) is the transpose of (n, m), not a reshape",
        lambda b, t: _x(b, t).T.reshape(t.size, -1),
    ),
)

VELOCITIES: tuple[tuple[str, Handover], ...] = (
    ("the velocity has the wrong sign", lambda b, t: -_v(b, t)),
    ("the velocity is zero: return it too", lambda b, t: 0 * _v(b, t)),
    ("the velocity is the displacement once more", _x),
    ("the velocity has lost its sign", lambda b, t: np.abs(_v(b, t))),
    ("the velocity is a momentum: divide it by the mass", lambda b, t: _v(b, t) @ b.mass),
    ("the velocity is 1000 times too large: return m/s", lambda b, t: 1e3 * _v(b, t)),
    ("the velocity is 1000 times too small: return m/s", lambda b, t: 1e-3 * _v(b, t)),
    ("the velocity is an increment: divide it by the time between the rows", lambda b, t: _spacing(t) * _v(b, t)),
    ("every row of the velocity is the last one: store a copy", lambda b, t: 0 * _v(b, t) + _v(b, t)[-1]),
)


def _spacing(t: Floats) -> float:
    return float(np.median(np.diff(t)))


def error_of(found: Floats, truth: Floats) -> float:
    """Return the largest deviation, of the amplitude of the truth."""
    return float(np.abs(found - truth).max() / np.abs(truth).max())


def fault_of_displacement(body: Body, t: Floats, found: Floats) -> str:
    """Return the fault that explains a wrong displacement; empty if none does."""
    known = [(text, _x(misread(body), t)) for text, misread in MISREADINGS]
    known += [(text, hand_over(body, t)) for text, hand_over in HANDOVERS]
    return _nearest(known, found, _x(body, t)) or _wrong_frequency(body, t, found)


def fault_of_velocity(body: Body, t: Floats, found: Floats) -> str:
    """Return the fault that explains a wrong velocity beside a right displacement; empty if none does."""
    return _nearest([(text, hand_over(body, t)) for text, hand_over in VELOCITIES], found, _v(body, t))


def _nearest(known: Sequence[tuple[str, Floats]], found: Floats, truth: Floats) -> str:
    misfits = [(_misfit(found, path, truth), text) for text, path in known]
    least, _ = min(misfits)
    if least > ALIKE or least > error_of(found, truth) / MUCH_BETTER:
        return ""
    return next(text for misfit, text in misfits if misfit <= TIES * least + 1e-6)


def _misfit(found: Floats, path: Floats, truth: Floats) -> float:
    scale = float(np.abs(path).max()) or float(np.abs(truth).max())
    return float(np.abs(found - path).max()) / scale


def _wrong_frequency(body: Body, t: Floats, found: Floats) -> str:
    """Recognise stiffness over mass that is off by any factor."""
    if not np.any(body.stiffness):
        return ""
    misfits = [_misfit(found, _x(replace(body, stiffness=f * body.stiffness), t), found) for f in FACTORS]
    best = int(np.argmin(misfits))
    factor = float(FACTORS[best])
    if misfits[best] > ALIKE or abs(math.log(factor)) < math.log(NOTICEABLE):
        return ""
    w = math.sqrt(eigh(body.stiffness, body.mass, eigvals_only=True)[0])
    return (
        f"it oscillates at {math.sqrt(factor) * w:.3g} rad/s instead of {w:.3g}: stiffness over mass is "
        f"{factor:.2g} times what it should be{_origin(factor)}"
    )


def _origin(factor: float) -> str:
    origins = {(2 * math.pi) ** 2: "Hz are taken for rad/s", (2 * math.pi) ** -2: "rad/s are taken for Hz"}
    origins |= {1e3: "a unit of 1000", 1e-3: "a unit of 1000", 2.0: "twice the matrix", 0.5: "half the matrix"}
    return next((f", {text}" for f, text in origins.items() if abs(math.log(factor / f)) < math.log(1.03)), "")


def faults_of_arrays(problem: MechanicalProblem, answer: Any) -> Iterator[str]:
    """Yield what may be wrong with an answer whose arrays are refused."""
    arrays = answer if isinstance(answer, Mapping) else getattr(answer, "__dict__", {})
    time, x = (_array(arrays.get(name)) for name in ("time", "displacement"))
    if x.ndim == 2 and x.shape != x.T.shape and x.shape[0] == problem.size and x.shape[1] == time.size:
        yield "transpose displacement and velocity: one row per instant"
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
