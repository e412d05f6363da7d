"""SDLD31: what theory allows our schemes.

The response is at most X = x0 + F/(m w) min(t, memory), where memory = max(1, 2 ξ²)/(ξ w) is how long free
vibrations last. A scheme gets the free vibration wrong by its error per radian, and the forced one by about as much as
one period of that.
"""

from __future__ import annotations

import math

from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory

CUBIC = 3 / 128  # of h⁴ times the fourth derivative: largest error of a cubic through four samples, in its middle


def memory(values: Values, time: float) -> float:
    """Return how long (s) an oscillator remembers, at most the time passed."""
    xi, w = float(values["xi"]), float(values["omega0"])
    return min(time, max(1.0, 2 * xi**2) / (xi * w)) if xi else time


def amplitude(values: Values, time: float) -> float:
    """Return a bound of the displacement (m)."""
    forced = float(values["F"]) / float(values["m"]) / float(values["omega0"]) * memory(values, time)
    return abs(float(values["x0"])) + forced


def displacement(values: Values, scheme: str, chosen: Settings, time: float) -> Tolerance:
    """Return the tolerance of a displacement (m), absolute."""
    w, W = float(values["omega0"]), float(values["omega"])
    X, radians, fast = amplitude(values, time), float(values["omega0"]) * memory(values, time) + 2 * math.pi, max(w, W)
    step, s = float(chosen["step"]), SCHEMES[scheme]
    parts = [
        _term(X * CUBIC * fast**4, 4, step, "cubic interpolation, 3/128 (w h)⁴ of the amplitude"),
        _term(CUBIC * min(1.0, W * time) * _load(values), 4, step, "the same of what follows the load at once"),
    ]
    if s.phase is None:
        parts.append(_term(X / 8 * W**2, 2, step, "force taken for a line, (Ω h)²/12 of it, half as much again"))
    else:
        error = s.error_per_radian()
        factor = abs(error.constant)
        what = f"error (w h)^{error.order}/{1 / factor:.3g} per radian while the oscillator remembers, and one period"
        parts.append(_term(X * factor * fast**error.order * radians, error.order, step, what))
    if s.damped and float(values["xi"]):
        factor = s.damped.constant * float(values["xi"])
        what = f"damping adds ξ (w h)^{s.damped.order}/{1 / s.damped.constant:g} per radian"
        parts.append(_term(X * factor * fast**s.damped.order * radians, s.damped.order, step, what))
    if s.lag and (let_go := abs(float(values["x0"]))):
        parts.append(
            _term(s.lag * w * let_go, 1, step, f"started with a velocity {s.lag:g} h back: {s.lag:g} w h of x0")
        )
    return combined(*parts)


def velocity(values: Values, scheme: str, chosen: Settings, time: float) -> Tolerance:
    """Return the tolerance of a velocity (m/s), absolute: that of the displacement times the frequency, and the lag."""
    fast = max(float(values["omega0"]), float(values["omega"]))
    inner = displacement(values, scheme, chosen, time)
    allowed = Tolerance(fast * inner.value, inner.kind, f"w times that of the displacement: {inner.reason}")
    what = "cubics through a velocity that follows the load"
    parts = [allowed, _term(CUBIC * float(values["omega"]) * _load(values), 4, float(chosen["step"]), what)]
    lag, ahead = SCHEMES[scheme].lag, SCHEMES[scheme].velocity
    if ahead:
        what = f"the reported velocity is {ahead.constant:g} (w h)^{ahead.order} too large"
        constant = ahead.constant * fast ** (1 + ahead.order) * amplitude(values, time)
        parts.append(_term(constant, ahead.order, float(chosen["step"]), what))
    if lag:
        acceleration = fast**2 * amplitude(values, time) + float(values["F"]) / float(values["m"])
        what = f"the velocity lies {lag:g} h back, at an acceleration of at most w² X + F/m"
        parts.append(_term(lag * acceleration, 1, float(chosen["step"]), what))
    return combined(*parts)


def _load(values: Values) -> float:
    """Return the fourth derivative that a load at its largest gives the displacement, (w² + Ω²) F/m (m/s⁴)."""
    w, W = float(values["omega0"]), float(values["omega"])
    return (w**2 + W**2) * float(values["F"]) / float(values["m"])


def _term(constant: float, order: int, step: float, what: str) -> Tolerance:
    return from_theory(order, constant, step, what=what, kind="absolute")
