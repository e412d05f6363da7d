"""How far a scheme may stray from the motion of a driven oscillator with a stop: contact by contact, then carried on.

Each contact leaves a deviation of displacement and velocity, in terms of the velocity v of its touch:

* its period error, twice for the instants between samples: 2 p (ω_c h)² π v/ω_c of displacement for schemes of order 2.
  It has one sign: the deviations of all contacts add up.
* what touching and releasing inside a step leave uncounted, half of it each, up to k_c (v h)²/2 of energy: (ω_c h)²/2
  of v, and as much of v h. Where in a step a contact falls is chance: the squares of these deviations add up.

Free motion adds the errors of the scheme per radian and of the load, contacts its decay, damping what it costs. All
deviations are carried on by the true propagators of the phases, which tell how much an impact magnifies them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import mpmath
import numpy as np
from numpy.typing import NDArray

from veridyn.references import impact_oscillator
from veridyn.references.impact_phases import Phase
from veridyn.references.parameters import Exact
from veridyn.solver.interpolation import turning_points
from veridyn.solver.schemes import SCHEMES, Scheme
from veridyn.validation_cases.case import Settings, Values
from veridyn.validation_cases.tolerances import Tolerance
from veridyn.validation_cases.vibro_impact import FAR, OUTPUT_NUMBER, given, spacing

Floats = NDArray[np.float64]
Parameters = tuple[tuple[str, Exact], ...]

PHASES = 35  # digits at which the references of 30 digits have found the phases already
ROUNDING = 2.220446049250313e-16
PER_RADIAN = 4  # samples of a flight, for its turning points
CUBIC = 3 / 128  # largest error of a cubic through four samples where the third derivative jumps, over jump × spacing³
WHAT = (
    "every contact leaves its period error {period:.3g} (w_c h)², doubled for instants between samples, and up to "
    "(w_c h)²/2 of its velocity for touching inside a step; carried on by the propagators of flights and contacts"
)


@dataclass(frozen=True)
class Course:
    """The true motion as far as deviations need it, phase by phase (n,)."""

    starts: Floats  # s
    touching: NDArray[np.bool_]
    rates: Floats  # m/s, of the gap, when a phase starts
    accelerations: Floats  # m/s², there
    swept: tuple[Floats, ...]  # m, by amplitude times frequency since a phase began, at the end of each radian
    phases: tuple[Phase, ...]

    @property
    def omega(self) -> float:
        """ω of flight (rad/s)."""
        return float(self.phases[0].law.omega)

    @property
    def omega_contact(self) -> float:
        """ω_c (rad/s); that of flight if nothing is touched."""
        return float(self.phases[min(1, len(self.phases) - 1)].law.omega)

    @property
    def damping_ratio(self) -> float:
        """ξ of flight."""
        return float(self.phases[0].law.beta) / self.omega


def course(values: Values) -> Course:
    """Return the true course for the parameters of a case."""
    return _course(_key(values))


def _key(values: Values) -> Parameters:
    return tuple(sorted(given(values).items()))


@lru_cache(maxsize=16)
def _course(parameters: Parameters) -> Course:
    phases = impact_oscillator.motion(digits=PHASES, **dict(parameters)).phases
    with mpmath.workdps(20):
        rates, accelerations = np.array([phase.observed(mpmath.mpf(0))[1:3] for phase in phases], dtype=float).T
        ends = [*(phase.start for phase in phases[1:]), max(phases[-1].start, dict(parameters)["t_end"].mpf())]
        swept = tuple(_swept(phase, end - phase.start) for phase, end in zip(phases, ends, strict=True))
    return Course(
        np.array([float(phase.start) for phase in phases]),
        np.array([phase.touching for phase in phases]),
        rates,
        accelerations,
        swept,
        phases,
    )


def _swept(phase: Phase, lapse: mpmath.mpf) -> Floats:
    """Return the integral of amplitude times frequency at the end of every radian of a phase, 0 in front (m).

    A load near resonance makes it grow all the time.
    """
    radian = 1 / phase.law.omega
    radians = int(mpmath.ceil(lapse / radian))
    sizes = [phase.bounds(j * radian, radian)[0] / phase.law.omega for j in range(radians)]
    return np.concatenate(([0.0], np.cumsum([float(size * radian) for size in sizes])))


def deviation(values: Values, scheme: str, step: float, time: float) -> Floats:
    """Return how far displacement (m) and velocity (m/s) may be off at an instant (2,)."""
    return np.asarray(_deviations(_key(values), scheme, step, time)[-1])


@lru_cache(maxsize=64)
def _deviations(parameters: Parameters, scheme: str, step: float, time: float) -> Floats:
    """Return the deviations at the end of every phase up to an instant, and there (n, 2)."""
    true = _course(parameters)
    begun = true.starts[: max(1, np.searchsorted(true.starts, time))]  # one that starts there has left nothing yet
    steady, chance, found = np.empty((2, 0)), np.empty((2, 0)), []
    for j, (start, end) in enumerate(pairwise([*begun, time])):
        carried = np.array(true.phases[j].propagator(end - start))
        one_sign, any_sign = _left(true, j, end - start, scheme, step)
        steady = np.column_stack((carried @ steady, one_sign))
        chance = np.column_stack((carried @ chance, any_sign))
        found.append(np.abs(steady).sum(axis=1) + np.linalg.norm(chance, axis=1))
    return np.array(found)


def _left(true: Course, j: int, lapse: float, scheme: str, step: float) -> tuple[Floats, Floats]:
    """Return what one phase adds (2, k): deviations that add up, and such as fall by chance."""
    return (_of_contact if true.touching[j] else _of_flight)(true, j, lapse, SCHEMES[scheme], step)


def _of_flight(true: Course, j: int, lapse: float, scheme: Scheme, step: float) -> tuple[Floats, Floats]:
    """Return what free and forced motion add: errors per radian, of the load, and rounding of every step.

    An adaptive scheme sums its steps: the instant is rounded too, always the same way while the step stays the same.
    """
    law, w = true.phases[0].law, true.omega
    instant = float(true.starts[j]) + lapse if scheme.adaptive else 0.0
    free = [term for term in (scheme.phase, scheme.decay) if term]
    error = sum(abs(term.constant) * (w * step) ** term.order for term in free) + _damped(true, scheme, w * step)
    load = (float(law.Omega) * step) ** scheme.order / 12 * abs(float(law.A))
    swept = float(np.interp(lapse * w, np.arange(true.swept[j].size), true.swept[j]))
    rounding = ROUNDING / step * (1 + w * instant / 2) * swept
    drift = error * w * swept + lapse * load + rounding
    return np.diag([drift / w, drift]), np.empty((2, 0))


def _of_contact(true: Course, j: int, lapse: float, scheme: Scheme, step: float) -> tuple[Floats, Floats]:
    """Return what a contact adds: period error, decay and damping over half a turn, and what is uncounted.

    What touching leaves is carried on: after half a turn it has changed its sign, a slow contact is over sooner.
    """
    wc, v = true.omega_contact, abs(true.rates[j])
    number = wc * step
    decay = scheme.decay_in_contact
    lost = (decay.constant * number**decay.order if decay else 0.0) + _damped(true, scheme, number) * true.omega / wc
    late = 2 * period_error(scheme.name) * number**2 * math.pi * v / wc
    uncounted = np.diag([step, 1.0]) * v * number**2 / 2 * math.sqrt(0.5)
    touching = np.array(true.phases[j].propagator(lapse)) @ uncounted
    return np.diag([late, math.pi * lost * v]), np.column_stack((touching, uncounted))


def _damped(true: Course, scheme: Scheme, number: float) -> float:
    """Return what damping adds per radian: twice the phase error, which it costs the amplitude near resonance."""
    term = scheme.damped
    return 2 * true.damping_ratio * term.constant * number**term.order if term else 0.0


def period_error(scheme: str) -> float:
    """Return the relative error of a period in contact over (ω_c h)²; none for schemes of higher order."""
    term = SCHEMES[scheme].in_contact
    return abs(term.constant) if term.order == 2 else 0.0


class Decided(NamedTuple):
    """How many instants of contact are decided, and whether that is all of them and there are no others."""

    instants: int
    all: bool


def decided(values: Values, step: float) -> Decided:
    """Return which instants errors of our schemes leave as they are.

    They decide where an instant may be off by more than half of the phase before or after it, and where a flight, or
    the end of the motion, is nearer to the stop than the displacement may be off.
    """
    return _decided(_key(values), step)


@lru_cache(maxsize=16)
def _decided(parameters: Parameters, step: float) -> Decided:
    true, end, gap = _course(parameters), *(float(dict(parameters)[name]) for name in ("t_end", "gap"))
    moved = np.max([_deviations(parameters, scheme, step, end)[:, 0] for scheme in SCHEMES], axis=0)
    lapses = np.diff([*true.starts, end])
    late = moved[:-1] / np.abs(true.rates[1:]) > np.minimum(lapses[:-1], lapses[1:]) / 2
    grazed = _clearances(true, lapses, gap) < moved
    grazed[-1] |= abs(float(true.phases[-1].observed(mpmath.mpf(lapses[-1]))[0]) - gap) < moved[-1]
    wrong = np.flatnonzero(np.append(late, False) | grazed)
    return Decided(int(wrong[0]), False) if wrong.size else Decided(late.size, True)


def _clearances(true: Course, lapses: Floats, gap: float) -> Floats:
    """Return by how much each phase keeps clear of the stop (m) at the turning points within; none if it is touched."""
    return np.array(
        [
            math.inf if touching else _clearance(phase, lapse, gap)
            for phase, touching, lapse in zip(true.phases, true.touching, lapses, strict=True)
        ]
    )


def _clearance(phase: Phase, lapse: float, gap: float) -> float:
    fastest = float(max(phase.law.omega, phase.law.Omega))
    times = np.linspace(0.0, lapse, math.ceil(PER_RADIAN * fastest * lapse) + 8)
    with mpmath.workdps(20):
        turns, seen = turning_points(times, [float(phase.observed(mpmath.mpf(t))[0]) for t in times.tolist()])
    inside = (turns > 0) & (turns < lapse)
    return gap - float(seen[inside].max(initial=-math.inf))


def of_displacement(values: Values, scheme: str, chosen: Settings, time: float) -> Tolerance:
    """Return the tolerance of a displacement at an instant (m)."""
    return _absolute(scheme, chosen, _observed(values, scheme, chosen["step"], time))


def _observed(values: Values, scheme: str, step: float, time: float) -> float:
    """Return how far a displacement may be off at an instant (m): of the motion, and of the cubic between samples.

    Steps of constant length pass by the instant: of the samples around it two are neighbouring states, the others
    outputs that were asked for.
    """
    moved = float(deviation(values, scheme, step, time)[0])
    if SCHEMES[scheme].adaptive:
        return moved  # its steps end there
    true = course(values)
    phase = true.phases[np.searchsorted(true.starts, time, side="right") - 1]
    fourth = float(phase.bounds(time - phase.start, mpmath.mpf(0))[2])
    outer = spacing(values) * (1 if phase.touching else FAR) + step
    return moved + fourth * (step / 2) ** 2 * outer**2 / 24


def of_force_at(values: Values, scheme: str, chosen: Settings, time: float) -> Tolerance:
    """Return the tolerance of the force at an instant in contact (N)."""
    return _absolute(scheme, chosen, float(values["kc"]) * _observed(values, scheme, chosen["step"], time))


def of_instant(values: Values, scheme: str, chosen: Settings, number: int) -> Tolerance:
    """Return the tolerance of an instant of contact, counted from 1 (s)."""
    return _absolute(scheme, chosen, float(of_each_instant(values, scheme, chosen["step"])[number - 1]))


def of_instants(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the worst instant of contact (s)."""
    return _absolute(scheme, chosen, float(of_each_instant(values, scheme, chosen["step"]).max(initial=0.0)))


def of_each_instant(values: Values, scheme: str, step: float) -> Floats:
    """Return what all instants may be off (s): of the motion, and of the cubic through samples around the kink."""
    true = course(values)
    moved = _at_instants(values, scheme, step)[:, 0] / np.abs(true.rates[1:])
    return np.asarray(moved + CUBIC * true.omega_contact**2 * (spacing(values) + step) ** 3)


def _at_instants(values: Values, scheme: str, step: float) -> Floats:
    """Return the deviations at all instants of contact (n, 2)."""
    starts = course(values).starts
    return _deviations(_key(values), scheme, step, float(starts[-1]))[: starts.size - 1]


def of_force(values: Values, scheme: str, chosen: Settings, contact: int) -> Tolerance:
    """Return the tolerance of the largest force of a contact, counted from 1, which goes with its velocity."""
    return _relative(scheme, chosen, _weaker(values, scheme, chosen["step"])[contact - 1])


def of_largest_force(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the largest force of all contacts."""
    v = np.abs(course(values).rates[1::2])
    return _relative(scheme, chosen, (_weaker(values, scheme, chosen["step"]) * v).max() / v.max())


def _weaker(values: Values, scheme: str, step: float) -> Floats:
    """Return the relative errors of the velocities of all touches, and what each contact itself adds."""
    true = course(values)
    v, a = np.abs(true.rates[1::2]), np.abs(true.accelerations[1::2])
    moved, changed = _at_instants(values, scheme, step)[::2].T
    touches = range(1, true.starts.size, 2)
    left = [_left(true, touch, 0.0, scheme, step) for touch in touches]
    own = [abs(steady[1]).sum() + np.linalg.norm(chance[1]) for steady, chance in left]
    return np.asarray((changed + a * moved / v + np.array(own)) / v)


def touch_energy(values: Values) -> float:
    """Return the energy at the fastest touch, m v²/2 + k gap²/2 (J)."""
    m, k, gap = (float(values[name]) for name in ("m", "k", "gap"))
    return 0.5 * m * float(np.abs(course(values).rates[1::2]).max()) ** 2 + 0.5 * k * gap**2


def of_energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    """Return the tolerance of the energy balance, in percent of the energy at the fastest touch.

    Each contact leaves (ω_c h)² of its m v²/2 uncounted, by chance, and loses twice its decay. The balance itself is
    read from velocities that are differences over the spacing of the outputs.
    """
    v = course(values).rates[1::2]
    kinetic = 0.5 * float(values["m"]) * v**2
    number = course(values).omega_contact * float(chosen["step"])
    decay = SCHEMES[scheme].decay_in_contact
    lost = 2 * math.pi * decay.constant * number**decay.order * kinetic.sum() if decay else 0.0
    read = (OUTPUT_NUMBER**2 / 6 + OUTPUT_NUMBER**2 / 12) * kinetic.max()
    value = 100 * float(number**2 * np.linalg.norm(kinetic) + lost + read) / touch_energy(values)
    what = (
        "every contact leaves (w_c h)² of its energy uncounted, by chance, and twice its decay; read from differences "
        "of displacements and by the trapezoidal rule, (w_c dt)²/4 of it"
    )
    return Tolerance(value, "absolute", f"theory, order 2: {what}; step {chosen['step']:g} s")


def _absolute(scheme: str, chosen: Settings, value: float) -> Tolerance:
    return Tolerance(value, "absolute", _reason(scheme, chosen))


def _relative(scheme: str, chosen: Settings, value: float) -> Tolerance:
    return Tolerance(float(value), "relative", _reason(scheme, chosen))


def _reason(scheme: str, chosen: Settings) -> str:
    return f"theory, order 2: {WHAT.format(period=period_error(scheme))}; step {chosen['step']:g} s"
