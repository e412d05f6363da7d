"""What small problems look like to an adapter with a fault: the doctor compares, and names what to mend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from veridyn.doctor.bodies import Body, Floats, Slider, Springs
from veridyn.doctor.misreadings import MISREADINGS, VELOCITIES, handovers
from veridyn.solver.problem.basis import undamped_modes
from veridyn.solver.problem.mechanical import Problem

ALIKE = 0.1  # largest misfit of a fault that is recognised, of the amplitude
CLOSE = 0.01  # misfit of a fault beside which no factor is looked for
MUCH_BETTER = 5.0  # and how much better than the truth it fits
TIES = 1.5  # misfits that close say the same: nothing is named
SEVERAL = "several faults look like this here; see the other problems"
FACTORS = np.logspace(-4, 4, 4001)  # of stiffness over mass
NOTICEABLE = 1.2  # a factor that no inaccuracy explains
FRICTIONS = np.logspace(-1, 1, 201)  # factors of the friction force


def _displacement(body: Body, t: Floats) -> Floats:
    return body.motion(t)[0]


def error_of(found: Floats, truth: Floats) -> float:
    """Return the largest deviation, of the amplitude of the truth."""
    return float(np.abs(found - truth).max() / np.abs(truth).max())


def fault_of_displacement(body: Body, t: Floats, found: Floats) -> str:
    """Return the fault that explains a wrong displacement, `SEVERAL` if many do; empty if none does."""
    truth, known = _displacement(body, t), paths_of_faults(body, t)
    least = min(_misfit(found, path, truth) for _, path in known)
    misfit, text = _wrong_factor(body, t, found) if least > CLOSE else (math.inf, "")
    if misfit <= min(ALIKE, least / MUCH_BETTER, error_of(found, truth) / MUCH_BETTER):
        return text
    return _nearest(known, found, truth)


def paths_of_faults(body: Body, t: Floats) -> list[tuple[str, Floats]]:
    """Return the displacement (m, n) that each known fault leads to."""
    return _paths(body, t.tobytes())


@lru_cache(maxsize=16)  # solvers of one kind answer at the same instants
def _paths(body: Body, instants: bytes) -> list[tuple[str, Floats]]:
    t = np.frombuffer(instants)
    known = [(text, _displacement(misread(body), t)) for text, misread in MISREADINGS[type(body)]]
    return known + [(text, hand_over(body, t)) for text, hand_over in handovers(body)]


def _wrong_factor(body: Body, t: Floats, found: Floats) -> tuple[float, str]:
    """Return how well a factor of stiffness or friction explains what was found, and which one."""
    if isinstance(body, Slider):
        return _wrong_friction(body, t, found)
    if isinstance(body, Springs) and np.any(body.stiffness):
        return _wrong_frequency(body, t, found)
    return math.inf, ""


def fault_of_velocity(body: Body, t: Floats, found: Floats) -> str:
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
    misfit, factor = _best(FRICTIONS, lambda f: _displacement(replace(body, normal=f * body.normal), t), found)
    return misfit, f"the friction force is {factor:.2g} times what it should be"


def _wrong_frequency(body: Springs, t: Floats, found: Floats) -> tuple[float, str]:
    """Recognise stiffness over mass that is off by any factor."""
    misfit, factor = _best(FACTORS, lambda f: _displacement(replace(body, stiffness=f * body.stiffness), t), found)
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
