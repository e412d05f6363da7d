"""SDND106: how wrong a step and a penalty may make the motion of two masses of which one sticks and slips.

Forces that jump inside a step act up to a step too long or too short: the momentum is wrong by J = (jump) h. That of
the start (a scheme whose velocity is half a step late), of each break-away, (mu_s - mu_d) N h, and of the end of the
pull, F h, go on as J/M in the centre of mass and as J/m in the oscillation. The stick spring gives by mu_s N/k_T.

At a reversal, a slip that follows a slip, it is wound from -mu_d N to mu_s N: friction is wrong for a step and the time
constant sqrt(m1/k_T). Spring and critical damper overshoot by exp(-2) of the force that they take over, and by the part
h/sqrt(m1/k_T) of that more in steps: a stick so near to the limit slips at once, and friction stays below the force
that it should hold for as long as the stick lasts. A scheme with stages may see a break-away in some of them only, and
puts it off. A slip that slows down nearly to rest may stick until the spring has loaded m1 again.

The spring swings on while m1 sticks for good. If it comes so close to the limit that these errors decide, m1 may slip
once more, by up to 2 (mu_s - mu_d) N/k, within a period of stick and half a one of slip.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from veridyn.references import pulled_pair
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.sdnd106.measures import period
from veridyn.validation_cases.tolerances import Tolerance, cited, combined, exactly, from_theory, penalty

ASTER_TOLERANCE = (
    "tolerance of Code_Aster's test SDND106a, 1e-4 m while the pull lasts and 2e-3 m after, for F/k = 0.3 m"
)
PULLED, RELEASED = 1e-4 / 0.3, 2e-3 / 0.3
JUMPS = (
    "momentum F h/2 at the start, (mu_s - mu_d) N h at a break-away, (mu_s + mu_d) N (h + sqrt(m1/k_T)) at a reversal, "
    "F h at the end of the pull"
)
Given = tuple[tuple[str, Any], ...]
LOOKS = 24  # in a swing of the spring, for where m1 is slowest


def changes(values: Values) -> list[tuple[float, str]]:
    """Return the true changes of phase: instant (s), and the phase that begins."""
    return [(float(change.time), change.kind) for change in pulled_pair.phase_changes(**values, digits=15)]


def last_change(values: Values) -> float:
    """Return the instant of the last change of phase, 0 without any (s)."""
    return max((time for time, _ in changes(values)), default=0.0)


def _floats(values: Values, *names: str) -> Iterator[float]:
    return (float(values[name]) for name in names)


def _frequencies(values: Values) -> tuple[float, float]:
    """Frequencies of the spring in stick and slip (rad/s)."""
    m1, m2, k = _floats(values, "m1", "m2", "k")
    return math.sqrt(k / m2), math.sqrt(k / m1 + k / m2)


def _reversals(values: Values, chosen: Settings) -> list[tuple[float, float]]:
    """Instants (s) of the slips that follow a slip, and momentum over the step (N) that their delay leaves."""
    m1, normal, mu_s, mu_d = _floats(values, "m1", "normal", "mu_s", "mu_d")
    late = 1.0 + math.sqrt(m1 / float(chosen["tangential_stiffness"])) / float(chosen["step"])
    turns = [b[0] for a, b in pairwise(changes(values)) if "stick" not in (a[1], b[1])]
    return [(time, (mu_s + mu_d) * normal * late) for time in turns]


def overshoot(ratio: float) -> float:
    """Return how far spring and critical damper go beyond a force, over the change of force.

    ``ratio`` is the step over the time constant of the stick: the mass may have moved for a step when it sticks, and
    symplectic Euler, whose steps damp worst, adds as much again.
    """
    return math.exp(-2) * (1 + ratio)


def _overshot(values: Values, chosen: Settings) -> list[tuple[float, float]]:
    """Instants (s) of the sticks that an overshoot may end at once, and momentum (N s) that friction then lacks."""
    m1, normal, mu_s, mu_d = _floats(values, "m1", "normal", "mu_s", "mu_d")
    part = overshoot(float(chosen["step"]) / math.sqrt(m1 / float(chosen["tangential_stiffness"])))
    lost = []
    again = (last_change(values) + math.pi / _frequencies(values)[1], "")  # the last stick may end in half a swing
    for (time, kind), (end, _) in pairwise([*changes(values), again]):
        held = abs(_spring(values, time)) if kind == "stick" else 0.0
        if held + part * (held + mu_d * normal) > mu_s * normal:
            lost.append((time, (mu_s - mu_d) * normal * (end - time)))
    return lost


def _jumps(values: Values, before: float) -> list[tuple[float, float]]:
    """Instants (s) and sizes (N) of the jumps of force before an instant; the first counts half."""
    normal, mu_s, mu_d, pull, off = _floats(values, "normal", "mu_s", "mu_d", "pull", "t_off")
    jumps = [(0.0, pull / 2), (off, pull)]
    jumps += [(time, (mu_s - mu_d) * normal) for time, kind in changes(values) if kind != "stick"]
    return [(time, size) for time, size in jumps if time <= before]


def _put_off(values: Values, chosen: Settings, time: float, kind: str) -> float:
    """Return how late (s) a break-away is that one stage of a step sees before the others.

    A stage may count negatively: friction that drops in it pushes m1 back by up to (mu_s - mu_d) N h. The damper of
    the stick takes that for 2 (mu_s - mu_d) N h/T less force, T = sqrt(m1/k_T); it decays with T as the spring pulls.
    """
    m1, normal, mu_s, mu_d, k = _floats(values, "m1", "normal", "mu_s", "mu_d", "k")
    constant = math.sqrt(m1 / float(chosen["tangential_stiffness"]))
    dropped = 2 * (mu_s - mu_d) * normal * float(chosen["step"]) / constant
    return constant * math.log1p(dropped / (k * _rate(values, time, kind) * constant))


def _held_on(values: Values, chosen: Settings) -> list[tuple[float, float]]:
    """Instants (s) of the break-aways that a scheme with stages puts off, and momentum (N s) that this takes."""
    if not SCHEMES[chosen["scheme"]].stages:
        return []
    normal, mu_s, mu_d = _floats(values, "normal", "mu_s", "mu_d")
    slips = [found for found in changes(values) if found[1] != "stick"]
    return [(t, (mu_s - mu_d) * normal * _put_off(values, chosen, t, kind)) for t, kind in slips]


def _plain(values: Values, chosen: Settings, before: float) -> list[tuple[float, float]]:
    """Return what `_left` returns, but for slips that nearly stick."""
    step = float(chosen["step"])
    lost = [*_overshot(values, chosen), *_held_on(values, chosen)]
    rare = [(time, momentum / step) for time, momentum in lost]
    return [*_jumps(values, before), *((t, size) for t, size in (*_reversals(values, chosen), *rare) if t <= before)]


def _slowest(values: Values) -> list[tuple[float, float, float]]:
    """Return where m1 is slowest within each slip: instant (s), speed (m/s), speed of the spring there (m/s)."""
    motion, swing = pulled_pair.motion(**values, digits=15), 2 * math.pi / _frequencies(values)[1]
    found: list[tuple[float, float, float]] = []
    for (begin, kind), (end, _) in pairwise(changes(values)):
        if kind != "stick":
            times = np.linspace(begin, end, 4 + math.ceil(LOOKS * (end - begin) / swing)).tolist()
            found += _valleys([(t, *map(float, motion.state(repr(t)))) for t in times])
    return found


def _valleys(states: list[tuple[float, ...]]) -> Iterator[tuple[float, float, float]]:
    """Yield where |v1| has a minimum between samples (t, x1, v1, x2, v2), with its value, and |v2 - v1| there."""
    for before, (t, _, v1, _, v2), after in zip(states, states[1:], states[2:], strict=False):
        a, b, c = abs(before[2]), abs(v1), abs(after[2])
        if b <= min(a, c) and a + c > 2 * b:
            yield t, b - (a - c) ** 2 / (8 * (a - 2 * b + c)), abs(v2 - v1)


def _grazed(values: Values, chosen: Settings) -> tuple[tuple[float, float], ...]:
    return _rests(tuple(values.items()), tuple(chosen.items()))


@lru_cache(maxsize=256)
def _rests(
    given: tuple[tuple[str, Any], ...], settings: tuple[tuple[str, Any], ...]
) -> tuple[tuple[float, float], ...]:
    """Instants (s) at which errors may bring a slip to rest, and momentum (N s) that the stick takes until it breaks.

    Friction then grows from mu_d N to mu_s N as fast as the spring is pulled.
    """
    values, chosen = dict(given), dict(settings)
    k, m1, m2, normal, mu_s, mu_d = _floats(values, "k", "m1", "m2", "normal", "mu_s", "mu_d")
    step, whole = float(chosen["step"]), 1 / (m1 + m2) + 1 / min(m1, m2)
    return tuple(
        (time, ((mu_s - mu_d) * normal) ** 2 / (k * pulled))
        for time, speed, pulled in _slowest(values)
        if pulled and speed < step * whole * sum(size for _, size in _plain(values, chosen, time))
    )


def _left(values: Values, chosen: Settings, before: float) -> list[tuple[float, float]]:
    """Instants (s) before an instant at which momentum goes wrong, and by how much per step (N)."""
    step = float(chosen["step"])
    rests = ((time, momentum / step) for time, momentum in _grazed(values, chosen) if time <= before)
    return [*_plain(values, chosen, before), *rests]


def _displacement(values: Values, chosen: Settings, time: float) -> float:
    """Error of a displacement at an instant per step (m/s)."""
    m1, m2 = _floats(values, "m1", "m2")
    swing = 1 / (min(m1, m2) * _frequencies(values)[0])
    return sum(size * ((time - begun) / (m1 + m2) + swing) for begun, size in _left(values, chosen, time))


def _velocity(values: Values, chosen: Settings, time: float) -> float:
    """Error of a velocity at an instant per step (m/s²)."""
    m1, m2 = _floats(values, "m1", "m2")
    return sum(size * (1 / (m1 + m2) + 1 / min(m1, m2)) for _, size in _left(values, chosen, time))


def _spring(values: Values, time: float) -> float:
    """Force of the spring at an instant (N)."""
    x1, _, x2, _ = map(float, pulled_pair.motion(**values, digits=15).state(repr(time)))
    return float(values["k"]) * (x2 - x1)


def _phase(values: Values, scheme: str, chosen: Settings, time: float, weight: float = 1.0) -> Tolerance:
    """Return what the phase error of the scheme makes of the oscillation."""
    k, pull = _floats(values, "k", "pull")
    error, w = SCHEMES[scheme].error_per_radian(), _frequencies(values)[1]
    constant = weight * 2 * pull / k * abs(error.constant) * w**error.order * (w * time + 2 * math.pi)
    what = "phase error of the scheme on an oscillation of 2 F/k, one period more for the start"
    return from_theory(error.order, constant, float(chosen["step"]), what=what, kind="absolute")


def _elastic(values: Values, chosen: Settings, weight: float = 1.0) -> Tolerance:
    normal, mu_s, mu_d = _floats(values, "normal", "mu_s", "mu_d")
    give = (mu_s + mu_d) * normal / float(chosen["tangential_stiffness"])
    return penalty(weight * give, what="the stick spring gives by mu_s N/k_T, and unwinds mu_d N/k_T after a slip")


def state(values: Values, scheme: str, chosen: Settings, what: str, time: float) -> Tolerance:
    """Return the tolerance of a displacement or velocity at an instant."""
    w = _frequencies(values)[1] if what.startswith("v") else 1.0
    if not scheme:
        return _foreign(values, time, w)
    error = _velocity(values, chosen, time) if what.startswith("v") else _displacement(values, chosen, time)
    return combined(
        from_theory(1, error, float(chosen["step"]), what=JUMPS, kind="absolute"),
        _phase(values, scheme, chosen, time, w),
        _elastic(values, chosen, w),
    )


def _foreign(values: Values, time: float, weight: float = 1.0) -> Tolerance:
    pull, k, off = _floats(values, "pull", "k", "t_off")
    share = RELEASED if time > off else PULLED
    return cited(ASTER_TOLERANCE, weight * share * pull / k, kind="absolute")


def change(values: Values, scheme: str, chosen: Settings, number: int) -> Tolerance:
    """Return the tolerance of the instant of a change of phase, by its number (-1: the last)."""
    found = changes(values)
    if not found:
        return exactly("m1 never slips")
    time, kind = found[number]
    rate = _rate(values, time, kind)
    if not scheme:
        cite = _foreign(values, time, _frequencies(values)[1] if kind == "stick" else 1.0)
        sample = from_theory(1, 1.0, period(values) / 1000, what="flags change at requested outputs", kind="absolute")
        return combined(Tolerance(cite.value / rate, cite.kind, cite.reason), sample)
    step = float(chosen["step"])
    error = _velocity(values, chosen, time) if kind == "stick" else _displacement(values, chosen, time)
    give = _elastic(values, chosen, (_frequencies(values)[1] if kind == "stick" else 1.0) / rate)
    what = f"flags change at samples; {JUMPS}, over the rate at which the phase ends"
    seen = combined(from_theory(1, 1.0 + error / rate, step, what=what, kind="absolute"), give)
    if kind == "stick" or not SCHEMES[scheme].stages:
        return seen
    what = "a break-away that one stage sees pushes m1 back; the stick takes its time to load again"
    return combined(seen, penalty(_put_off(values, chosen, time, kind), what=what))


def _once_more(values: Values, chosen: Settings) -> bool:
    """Tell whether errors decide that the last stick is the last one."""
    return _overshot_last(values, chosen) or _comes_close(values, chosen)


def _overshot_last(values: Values, chosen: Settings) -> bool:
    return any(time == last_change(values) for time, _ in _overshot(values, chosen))


def _comes_close(values: Values, chosen: Settings) -> bool:
    k, m2, normal, mu_s, pull, off = _floats(values, "k", "m2", "normal", "mu_s", "pull", "t_off")
    last = last_change(values)
    x1, _, x2, v2 = map(float, pulled_pair.motion(**values, digits=15).state(repr(last)))
    centre = pull if last < off else 0.0
    largest = centre + math.hypot(k * (x2 - x1) - centre, math.sqrt(k * m2) * v2)
    return mu_s * normal - largest < k * _displacement(values, chosen, last) * float(chosen["step"])


_RARE = "sticks that an overshoot may end at once, slips that errors may bring to rest"
_CLOSE = "the spring comes so close to the limit after the last stick that m1 may slip once more"


def _with_one_more(tolerance: Tolerance, values: Values, chosen: Settings, size: float) -> Tolerance:
    """Add what one more slip changes, if there may be one."""
    more = Tolerance(size, "absolute", f"theory: {_CLOSE}")
    return combined(tolerance, more) if changes(values) and _once_more(values, chosen) else tolerance


def _one_more_path(values: Values) -> float:
    """Longest way of one more slip (m)."""
    k, normal, mu_s, mu_d = _floats(values, "k", "normal", "mu_s", "mu_d")
    return 2 * (mu_s - mu_d) * normal / k


def slips(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the number of slips."""
    more = len(_overshot(values, chosen)) + len(_grazed(values, chosen)) if scheme else 0
    if scheme and changes(values) and not _overshot_last(values, chosen):
        more += _comes_close(values, chosen)
    if more:
        return Tolerance(float(more), "absolute", f"theory: {_RARE}; {_CLOSE}")
    return exactly("slips are counted")


def _rate(values: Values, time: float, kind: str) -> float:
    """Return how fast a phase ends: acceleration of m1 (m/s²) before a stick, velocity of the spring before a slip."""
    m1, k, mu_d, normal = _floats(values, "m1", "k", "mu_d", "normal")
    x1, v1, x2, v2 = map(float, pulled_pair.motion(**values, digits=15).state(repr(time)))
    if kind != "stick":
        return abs(v2 - v1)
    return max(mu_d * normal - k * abs(x2 - x1), mu_d * normal / 2) / m1


def slip_start(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the first break-away."""
    return change(values, scheme, chosen, 0)


def slip_end(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the end of the last slip."""
    seen = change(values, scheme, chosen, -1)
    stick, slip = _frequencies(values)
    return _with_one_more(seen, values, chosen, 2 * math.pi / stick + math.pi / slip) if scheme else seen


def final_position(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the place where m1 stays."""
    last = last_change(values)
    if not scheme:
        return _foreign(values, max(last, 2 * float(values["t_off"])))
    what = JUMPS
    theory = from_theory(1, _displacement(values, chosen, last), float(chosen["step"]), what=what, kind="absolute")
    place = combined(theory, _phase(values, scheme, chosen, last), _elastic(values, chosen))
    return _with_one_more(place, values, chosen, _one_more_path(values))


def dissipated_energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the dissipated energy: friction force times what the path may be wrong."""
    if not changes(values):
        return exactly("m1 never slips and the adherence flag says so: exactly zero") if scheme else _energy(values)
    place = final_position(values, scheme, chosen)
    mu_d, normal = _floats(values, "mu_d", "normal")
    return Tolerance(mu_d * normal * place.value, place.kind, place.reason)


def _energy(values: Values) -> Tolerance:
    mu_d, normal = _floats(values, "mu_d", "normal")
    place = _foreign(values, 2 * float(values["t_off"]))
    return Tolerance(mu_d * normal * place.value, place.kind, place.reason)


def energy_residual(values: Values, chosen: Settings) -> Tolerance:
    """Return the tolerance of the energy balance, in F²/k."""
    k, pull, off = _floats(values, "k", "pull", "t_off")
    speed = abs(float(pulled_pair.motion(**values, digits=15).state(str(values["t_off"])).v2))
    what = "the pull ends inside a step: F |v2| h/2 of work"
    step, w = float(chosen["step"]), _frequencies(values)[1]
    smooth = from_theory(2, w**2 * (1 + w * off), step, what="trapezoidal work of smooth forces", kind="absolute")
    jumps = sum(size * (0.5 * speed) for _, size in _jumps(values, math.inf)) / (pull**2 / k)
    return combined(from_theory(1, jumps, step, what=what, kind="absolute"), smooth)
