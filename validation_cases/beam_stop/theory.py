"""Beam on a stop: what theory allows our schemes.

The force of the stop is continuous, so that small errors obey the linear equations of the phases that the true motion
goes through. What a scheme does wrong feeds them:

* in smooth motion a step multiplies by e^{Ah} up to e (Ah)^{p+1}, e being the error per radian: a rate e h^p A^{p+1} y,
  and at the start as much as in one period;
* damping adds ξ h^q A^{q+1} y at its own order q; where velocities lie λ h back it adds λ h C a to the acceleration,
  and λ h a(0) to the velocity at the start;
* a contact that begins or ends inside a step costs at most h²/4 of the slope of the force, as an impulse.

The adjoint equations, solved backwards from the quantity, tell what becomes of each; magnitudes are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.references import beam_on_stop
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.beam_stop import beam
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance, combined, from_theory

Floats = NDArray[np.float64]
Given = tuple[tuple[str, object], ...]

HIGHER = 1.5  # times the leading terms
GRID_NUMBER = 0.1  # largest frequency times the spacing of the grid


@dataclass(frozen=True, eq=False)
class Path:
    """The true motion on a grid: instants (m + 1,), states (m + 1, 2r) with 1 behind, the matrix of each interval.

    ``rates`` (m, 2r + 1, 2r + 1): y' = A y with the constant as last state; ``moves``: e^{A h} of each interval;
    ``events``: places of touches and releases on the grid; ``push`` (2r + 1,): a unit force on mid-span.
    """

    times: Floats
    states: Floats
    rates: Floats
    moves: Floats
    events: tuple[int, ...]
    push: Floats
    stiffness: float

    @property
    def gap(self) -> Floats:
        """Return the row (2r + 1,) that makes a displacement of mid-span from a state."""
        r = self.push.size // 2
        return np.concatenate((self.push[r : 2 * r], np.zeros(r + 1)))

    def place(self, t: float) -> int:
        """Return the grid point nearest to an instant."""
        return int(np.argmin(np.abs(self.times - t)))


@lru_cache(maxsize=16)
def path(given: Given) -> Path:
    """Return the true motion of a parameter set, from the instants of its events."""
    from scipy.linalg import expm

    values: Values = dict(given)  # type: ignore[arg-type]
    changes = map(float, beam_on_stop.motion(**dict[str, Any](given)).instants())
    edges = [0.0, *changes, float(values["T"])]
    state, push = _start(values)
    times, states, rates, moves, places = [0.0], [state], [], [], []
    for k, (a, b) in enumerate(pairwise(edges)):
        A = _rates(values, push, closed=k % 2 == 1)
        count = max(2, int(np.ceil((b - a) * beam.fastest(values) / GRID_NUMBER)))
        move = expm(A * (b - a) / count)
        for i in range(count):
            state = move @ state
            times.append(a + (b - a) * (i + 1) / count)
            states.append(state)
            rates.append(A)
            moves.append(move)
        places.append(len(times) - 1)
    return Path(
        np.array(times),
        np.array(states),
        np.array(rates),
        np.array(moves),
        tuple(places[:-1]),
        push,
        float(values["kc"]),
    )


@lru_cache(maxsize=16)
def events(given: Given) -> tuple[float, ...]:
    """Return the instants (s) of touch and release, one after the other."""
    values = dict[str, Any](given)
    count = int(float(beam_on_stop.contacts(**values)))
    pairs = [
        [float(beam_on_stop.contact(what, k, **values)) for what in ("touch", "release")] for k in range(1, count + 1)
    ]
    return tuple(t for pair in pairs for t in pair)


def _start(values: Values) -> tuple[Floats, Floats]:
    """Return the state at the start and the push on mid-span (2r + 1,), of all modes."""
    n, w, speeds = beam.modes(values)
    shape = np.where(n % 2 == 1, np.sqrt(2) * (-1.0) ** ((n - 1) // 2), 0.0)
    return np.concatenate((0 * w, speeds, [1.0])), np.concatenate((0 * w, shape, [0.0]))


def _rates(values: Values, push: Floats, *, closed: bool) -> Floats:
    _, w, _ = beam.modes(values)
    r, kc = w.size, float(values["kc"]) * closed
    A = np.zeros((2 * r + 1, 2 * r + 1))
    A[:r, r : 2 * r] = np.eye(r)
    shape = push[r : 2 * r]
    A[r : 2 * r, :r] = -np.diag(w**2) - kc * np.outer(shape, shape)
    A[r : 2 * r, r : 2 * r] = -2 * float(values["xi"]) * np.diag(w)
    A[r : 2 * r, 2 * r] = -kc * shape * float(values["gap"])
    return A


@lru_cache(maxsize=256)
def adjoint(given: Given, place: int, row: tuple[float, ...]) -> Floats:
    """Return what a disturbance at each grid point up to a place makes of a row there, (place + 1, 2r + 1)."""
    p = path(given)
    found = np.empty((place + 1, len(row)))
    found[place] = row
    for i in range(place, 0, -1):
        found[i - 1] = found[i] @ p.moves[i - 1]
    return found


def error(values: Values, scheme: str, step: float, place: int, row: Floats) -> tuple[Tolerance, ...]:
    """Return the bounds of the error of ``row @ state`` at a grid point, one per cause."""
    given = tuple(values.items())
    p, s = path(given), SCHEMES[scheme]
    seen = adjoint(given, place, tuple(row))
    term = s.error_per_radian()
    smooth, begun = abs(term.constant) * _integral(p, seen, fed(given, term.order)), abs(term.constant) * 2 * np.pi
    begun *= abs(seen[0] @ powers(p, 0, term.order))
    kinks = sum(abs(seen[k] @ p.push) * slope(p, k) for k in p.events if k <= place) / 4
    parts = [
        _term(term.order, smooth, step, f"error of smooth motion, order {term.order}"),
        _term(term.order, begun, step, "the same for one period more at the start"),
        _term(2, kinks, step, "contacts that begin or end inside a step"),
    ]
    if s.lag:
        late = s.lag * _integral(p, seen, np.array([_accelerated(-_damped(p) @ r) for r in fed(given, 0)]))
        begun = s.lag * abs(seen[0] @ _accelerated(powers(p, 0, 1)))
        parts.append(_term(1, late, step, "dampers that see velocities that lie back"))
        parts.append(_term(1, begun, step, "velocity at the start half a step off"))
    elif s.damped:
        damping = s.damped.constant * float(values["xi"]) * _integral(p, seen, fed(given, s.damped.order))
        parts.append(_term(s.damped.order, damping, step, "damping"))
    return tuple(scaled(part, HIGHER, "half as much again for higher orders") for part in parts)


def powers(p: Path, place: int, count: int) -> Floats:
    """Return A^count times the state at a grid point."""
    found: Floats = p.states[place]
    for _ in range(count):
        found = np.asarray(p.rates[place] @ found)
    return found


@lru_cache(maxsize=64)
def fed(given: Given, order: int) -> Floats:
    """Return A^{order + 1} y at the beginning of each interval, (m, 2r + 1)."""
    p = path(given)
    return np.array([powers(p, i, order + 1) for i in range(len(p.rates))])


def _integral(p: Path, seen: Floats, disturbance: Floats) -> float:
    """Return the integral of |row · disturbance|."""
    m = len(seen) - 1
    return float(np.abs(np.einsum("ij,ij->i", seen[:m], disturbance[:m])) @ np.diff(p.times[: m + 1]))


def _damped(p: Path) -> Floats:
    """Return the matrix that makes the rates by which damping slows velocities from a rate of the state."""
    r = p.push.size // 2
    damping: Floats = np.zeros(p.rates[0].shape)
    damping[r : 2 * r, r : 2 * r] = p.rates[0][r : 2 * r, r : 2 * r]
    return damping


def _accelerated(rate: Floats) -> Floats:
    """Return accelerations as a disturbance of the velocities."""
    r = rate.size // 2
    return np.concatenate((np.zeros(r), rate[r : 2 * r], [0.0]))


def slope(p: Path, place: int) -> float:
    """Return the slope (N/s) of the force at a touch or release."""
    return p.stiffness * abs(float(p.gap @ (p.rates[place - 1] @ p.states[place])))


def _term(order: int, constant: float, step: float, what: str) -> Tolerance:
    return from_theory(order, constant, step, what=what, kind="absolute")


def reading(values: Values, step: float) -> Tolerance:
    """Return the error of a cubic through the gap (m), beside a kink and in smooth motion."""
    p = path(tuple(values.items()))
    jump = max((slope(p, k) for k in p.events), default=0.0) * float(p.push @ p.push) / 16
    A, curve = p.rates[0], p.states[0]
    for _ in range(4):
        curve = A @ curve
    fourth = float(np.abs(p.push[: p.push.size // 2]).sum() + np.abs(p.gap) @ np.abs(curve)) * 3 / 128
    return combined(
        _term(3, jump, step, "a cubic through a kink"), _term(4, fourth, step, "cubic interpolation, 3/128 (w h)⁴")
    )


def gap_error(values: Values, scheme: str, step: float, t: float) -> Tolerance:
    """Return the tolerance of the displacement of mid-span (m) at an instant."""
    p = path(tuple(values.items()))
    return combined(*error(values, scheme, step, p.place(t), p.gap), reading(values, step))


def scaled(allowed: Tolerance, factor: float, what: str) -> Tolerance:
    """Return a tolerance times a factor that ``what`` explains."""
    return Tolerance(factor * allowed.value, allowed.kind, f"{what}: {allowed.reason}")


def instant(number: int) -> Callable[[Values, str, Settings], Tolerance]:
    """Return the tolerance (s) of an event, counted from 0: the error of the gap over its rate."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        given, step = tuple(values.items()), float(chosen["step"])
        p, t = path(given), events(given)[number]
        rate = slope(p, p.events[number]) / p.stiffness
        return scaled(gap_error(values, scheme, step, t), 1 / rate, f"error of the gap over its rate, {rate:.3g} m/s")

    return tolerance


def _lowest(values: Values, number: int) -> tuple[float, float]:
    """Return instant (s) and displacement (m) of the deepest point of a contact, counted from 1."""
    p = path(tuple(values.items()))
    a, b = p.events[2 * number - 2], p.events[2 * number - 1]
    low = a + int(np.argmin(p.states[a : b + 1] @ p.gap))
    return float(p.times[low]), float(p.states[low] @ p.gap)


def peak(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the largest force (N): that of the deepest point."""
    given = tuple(values.items())
    count = len(events(given)) // 2
    t, _ = min((_lowest(values, k) for k in range(1, count + 1)), key=lambda low: low[1])
    inner = gap_error(values, scheme, float(chosen["step"]), t)
    return scaled(inner, float(values["kc"]), "k_c times the error of the gap")


def impulse(number: int) -> Callable[[Values, str, Settings], Tolerance]:
    """Return the tolerance of an impulse (N s): the error of the force over the contact."""

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        a, b = events(tuple(values.items()))[2 * number - 2 : 2 * number]
        errors = [gap_error(values, scheme, float(chosen["step"]), t) for t in (a, _lowest(values, number)[0], b)]
        worst = max(errors, key=lambda e: e.value)
        return scaled(worst, float(values["kc"]) * (b - a), "k_c times the largest error of the gap times the duration")

    return tolerance


def energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the energy at T (J), from its gradient."""
    given, step = tuple(values.items()), float(chosen["step"])
    p = path(given)
    _, w, _ = beam.modes(values)
    r, end = w.size, len(p.times) - 1
    pressed = min(float(p.gap @ p.states[end]) + float(values["gap"]), 0.0) if len(p.events) % 2 else 0.0
    gradient = np.concatenate((w**2 * p.states[end][:r], p.states[end][r : 2 * r], [0.0]))
    gradient += p.stiffness * pressed * p.gap
    parts = error(values, scheme, step, end, gradient)
    lag = SCHEMES[scheme].lag * abs(gradient @ _accelerated(p.rates[-1] @ p.states[end]))
    return combined(*parts, _term(1, float(lag), step, "velocities that lie back")) if lag else combined(*parts)
