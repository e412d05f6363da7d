"""SDND100: how wrong a step and a penalty may make the motion of a slider that friction stops.

A turning point x_j at which the slider turns back is seen up to a step late. For so long friction has the wrong sign:
the half cycle that follows is ahead by 2 C/(|x_j| - C) of that time, and larger by C (omega h)² times
(|x_j| + C)/(|x_j| - C). The stick spring is wound from -R to R along 2 R/k_T, which costs 2 R²/k_T less than sliding:
the half cycle is larger by R/k_T 2 C/(|x_j| - C). At the start friction is missing for a step and while the
stick spring is wound from 0 to R: the first half cycle is ahead by C/(x0 - C) of that time. After the last stop
friction drives for a step, and the stick spring unwinds by S/k_T, where S = R + k |x_N| is the swing of friction from
the end of the slip to what holds the slider, also where the first evaluation takes rest for slip. The force of spring
and critical damper overshoots by S exp(-2). If that is more than friction has left, the slider slides on with at most
S/(e sqrt(k_T m)) until friction, R - k |x_N| in reserve, has stopped it; and once more with R h/m, since friction may
have the wrong sign, 2 R of force, for half a step when it turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from veridyn.references import friction_decay
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.sdnd100.measures import (
    SHORTEST_STICK,
    friction_of,
    half_cycles_of,
    period,
    share_of,
)
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory, penalty

ASTER_TOLERANCE = "tolerance 1e-3 (5e-3 for the fourth) of Code_Aster's tests SDND100a, b and d"
FOREIGN = 1e-3


def held_of(values: Values) -> float:
    """Return C = R/k (m)."""
    return friction_of(values) / float(values["k"])


def _omega(values: Values) -> float:
    return 2 * math.pi / period(values)


def _turns(values: Values, before: float) -> list[float]:
    """Distances |x_j| (m) of the turning points before an instant (s) at which the slider turns back."""
    half, last = period(values) / 2, half_cycles_of(values)
    count = min(max(last - 1, 0), max(math.ceil(before / half - 1e-9) - 1, 0))
    return [abs(float(values["x0"])) - 2 * j * held_of(values) for j in range(1, count + 1)]


def _tangential(values: Values, chosen: Settings) -> float:
    """Stiffness of stick along the line (N/m)."""
    return float(chosen["tangential_stiffness"]) * share_of(values) ** 2


def _start(values: Values) -> float:
    """Return C/(x0 - C), the weight of friction that is missing at the start; 0 if nothing moves."""
    x0, C = abs(float(values["x0"])), held_of(values)
    return C / (x0 - C) if x0 > C else 0.0


def _lag(values: Values, chosen: Settings, scheme: str, time: float) -> float:
    """Return by how much (s) the motion may be ahead or behind at an instant."""
    step, C = float(chosen["step"]), held_of(values)
    delay = step + math.sqrt(float(values["m"]) / _tangential(values, chosen))
    error = SCHEMES[scheme].error_per_radian()
    start = _start(values)
    drift = abs(error.constant) * (_omega(values) * step) ** error.order * time
    return step + drift + delay * (start + sum(2 * C / (x - C) for x in _turns(values, time)))


def _amplitude(values: Values, chosen: Settings, scheme: str, time: float) -> Tolerance:
    """Return by how much (m) a turning point may lie wrong."""
    step, C, omega = float(chosen["step"]), held_of(values), _omega(values)
    turns, decay, x0 = _turns(values, time), SCHEMES[scheme].decay, abs(float(values["x0"]))
    start = _start(values) * omega**2 * x0 / 2
    late = start + omega**2 * C + sum(C * omega**2 * (x + C) / (x - C) for x in turns)
    lost = abs(decay.constant) * omega**decay.order * omega * time * x0 if decay else 0.0
    wound = friction_of(values) / _tangential(values, chosen) * sum(2 * C / (x - C) for x in turns)
    what = "start, turns and stop are seen up to a step late: C (omega h)² times x0/(x0 - C)/2, (|x| + C)/(|x| - C), 1"
    parts = [
        from_theory(2, late, step, what=what, kind="absolute"),
        penalty(wound, what="winding the stick spring from -R to R costs 2 R²/k_T less than sliding, per turn"),
    ]
    if decay:
        parts.append(from_theory(decay.order, lost, step, what="decay of the scheme", kind="absolute"))
    return combined(*parts)


def component(values: Values, scheme: str, chosen: Settings, time: Callable[[Values], float]) -> Tolerance:
    """Return the tolerance of the displacement along x at an instant."""
    instant, part = time(values), math.cos(float(values["angle"]))
    if not scheme:
        scale = abs(float(values["x0"])) * part
        return cited(f"{ASTER_TOLERANCE}, of the amplitude at the release", FOREIGN * scale, kind="absolute")
    motion = friction_decay.motion(**values, digits=15)
    lag, omega = _lag(values, chosen, scheme, instant), _omega(values)
    speed = abs(float(motion.velocity(repr(instant))))
    turning = 0.5 * omega**2 * (abs(float(values["x0"])) + held_of(values)) * lag**2
    what = "velocity × lag + acceleration × lag²/2; a lag of one step and of step + sqrt(m/k_T) per turn, weighed"
    late = from_theory(
        1, part * (speed * lag + turning) / float(chosen["step"]), float(chosen["step"]), what=what, kind="absolute"
    )
    return combined(
        late, _part(part, _amplitude(values, chosen, scheme, instant)), _part(part, spring_back(values, chosen))
    )


def _part(factor: float, tolerance: Tolerance) -> Tolerance:
    return Tolerance(factor * tolerance.value, tolerance.kind, tolerance.reason)


def _swing(values: Values) -> tuple[float, float]:
    """Return the swing S of friction at the last stop (N), and what it has in reserve then (N)."""
    force = friction_of(values)
    held = float(values["k"]) * abs(float(friction_decay.final_position(**values, digits=15)))
    return force + held, force - held


def _settling(values: Values, chosen: Settings) -> tuple[float, float]:
    """Return how far (m) and until how long after the stop (s) the slider slides on; zeros if the stick holds."""
    swing, reserve = _swing(values)
    if swing * math.exp(-2) <= reserve:
        return 0.0, 0.0
    constant = math.sqrt(float(values["m"]) / _tangential(values, chosen))
    push = swing / math.e * constant * _omega(values)  # N: what the spring k answers to this momentum
    way = (math.hypot(reserve, push) - reserve) / float(values["k"])
    # the overshoot is largest after two constants; a turn seen half a step late leaves a velocity R h/m
    again = math.atan2(friction_of(values) * float(chosen["step"]) * _omega(values), reserve)
    return way, 2 * constant + (math.atan2(push, reserve) + again) / _omega(values)


def spring_back(values: Values, chosen: Settings) -> Tolerance:
    """Return how far (m) the slider creeps after the last stop."""
    swing, _ = _swing(values)
    way, _ = _settling(values, chosen)
    unwound = penalty(swing / _tangential(values, chosen), what="the stick spring unwinds by S/k_T")
    if not way:
        return unwound
    return combined(unwound, penalty(way, what="the stick overshoots by S exp(-2), more than friction has left"))


def half_cycles(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the number of slips: none, unless the stick overshoots for as long as a slip is asked."""
    _, time = _settling(values, chosen) if scheme else (0.0, 0.0)
    more = math.floor(time / (SHORTEST_STICK * period(values)))
    what = "next to the limit of friction the stick overshoots for the time of so many shortest slips"
    return penalty(float(more), what=what) if more else exactly("half cycles are counted")


def final_position(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the place of the last stop."""
    if not scheme:
        return cited(f"{ASTER_TOLERANCE}, of x0", FOREIGN * abs(float(values["x0"])), kind="absolute")
    end = half_cycles_of(values) * period(values) / 2
    return combined(_amplitude(values, chosen, scheme, end), spring_back(values, chosen))


def stop_time(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the instant of the last stop."""
    count = half_cycles_of(values)
    if count == 0:
        return _overshot(values, chosen) if scheme else exactly(_NO_SLIP)
    if not scheme:
        what = f"{ASTER_TOLERANCE}, taken as a part of the time until the stop, and one requested output"
        return cited(what, FOREIGN * (count / 2 + 1) * period(values), kind="absolute")
    step = float(chosen["step"])
    lag = _lag(values, chosen, scheme, count * period(values) / 2)
    what = "one step for the sample, one for the start, and step + sqrt(m/k_T) per turn, weighed with 2 C/(|x| - C)"
    seen = from_theory(1, (lag + step) / step, step, what=what, kind="absolute")
    overshot = _overshot(values, chosen)
    return combined(seen, overshot) if overshot.value else seen


_NO_SLIP = "there is no slip"


def _overshot(values: Values, chosen: Settings) -> Tolerance:
    """Return how long (s) the overshoot of the stick may last."""
    _, time = _settling(values, chosen)
    return penalty(time, what="the overshoot of the last stick") if time else exactly(_NO_SLIP)


def dissipated_energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the dissipated energy: R times what two turning points per half cycle may be wrong."""
    force, count = friction_of(values), half_cycles_of(values)
    if not scheme:
        energy = 0.5 * float(values["k"]) * float(values["x0"]) ** 2
        return cited(f"{ASTER_TOLERANCE}, of the energy at the release", FOREIGN * energy, kind="absolute")
    end = count * period(values) / 2
    place = combined(_amplitude(values, chosen, scheme, end), spring_back(values, chosen))
    return _part(force * 2 * max(count, 1), place)
