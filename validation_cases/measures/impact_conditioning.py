"""Which contacts of a driven oscillator are decided: how small perturbations grow from contact to contact.

The force is continuous where stop and mass meet, so that small deviations of displacement and velocity are carried by
the linear propagators of the phases. What is perturbed by a relative `ROUNDING`:

* every number of the law of motion, all of them at once and for the worst: damping, frequency of flight, frequency of
  contact, drive, drive's frequency, place of the stop;
* the state, once, at the beginning of the phase where it matters most.

Roundings of doubles are smaller and come in every phase: they are added up where it is asked what digits may be
claimed.

A solver that steps through the motion has errors of its own. Those of a method of second order, with steps h as long as
the output asked for around contacts is apart, are added where it is asked what such solvers may be judged on:
(omega h)²/12 of a frequency, that of flight and that of contact, and (omega_c h)²/12 of a velocity where the force
kinks within a step.

An instant of contact is decided while it moves by less than half of the phases beside it. Whether a phase is the one
phase that it seems is decided where the distance to the stop is proved to stay above what the perturbation moves. No
solver enters.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import mpmath
import numpy as np
from mpmath import mpf

from veridyn.references.parameters import Exact
from veridyn.references.second_routes.impact_phases import ImpactPhase, growth
from veridyn.validation_cases.judgement.case import Floats, Values
from veridyn.validation_cases.judgement.uncertainty import ROUNDING
from veridyn.validation_cases.measures import struck_oscillator
from veridyn.validation_cases.measures.impacts import contact_frequency
from veridyn.validation_cases.measures.vibro_impact import select_parameters

Parameters = tuple[tuple[str, Exact], ...]

ENOUGH = 25  # digits of a distance to the stop: of the gap, perturbations are 1e-9
DATA: tuple[tuple[str, bool | None], ...] = (  # numbers of the law of motion, and the phases that know them (None: all)
    ("beta", None),
    ("omega", False),
    ("omega", True),
    ("A", None),
    ("B", True),
    ("Omega", None),
)
ROOT = 4  # roundings of a root: the least relative tolerance that common codes of Brent's method take
NEWTON = 4  # steps to a peak: it needs no more digits than a bound


@dataclass(frozen=True)
class PhaseSequence:
    """The true motion as far as perturbations need it, phase by phase (n,)."""

    starts: Floats  # s
    lapses: Floats  # s
    rates: Floats  # m/s, of the gap, when a phase starts
    turns: Floats  # m, from the stop to the nearest place where a phase turns back, as is proved
    phases: tuple[ImpactPhase, ...]
    gap: mpf


def course(values: Values) -> PhaseSequence:
    """Return the true course for the parameters of a case."""
    return _course(_key(values))


def _key(values: Values) -> Parameters:
    return tuple(sorted(select_parameters(values).items()))


@lru_cache(maxsize=16)
def _course(parameters: Parameters) -> PhaseSequence:
    named = dict(parameters)
    phases = struck_oscillator.closed_phases.compute(named, struck_oscillator.PHASES)
    with mpmath.workdps(ENOUGH):
        ends = [*(phase.start for phase in phases[1:]), max(phases[-1].start, named["t_end"].mpf())]
        lapses = [end - phase.start for phase, end in zip(phases, ends, strict=True)]
        rates = [phase.observed(mpmath.mpf(0))[1] for phase in phases]
    starts = [phase.start for phase in phases]
    turns = struck_oscillator.turns.compute(named, struck_oscillator.PHASES)
    rows = [np.array(row, dtype=float) for row in (starts, lapses, rates, turns)]
    return PhaseSequence(rows[0], rows[1], rows[2], rows[3], phases, named["gap"].mpf())


@dataclass(frozen=True)
class Perturbation:
    """A relative perturbation of all data, and of the state: once where it matters most, or in every phase.

    In every phase it is what a solver in floating point numbers does: the root that is the instant of contact has
    `ROOT` roundings, too, and those are larger where the clock shows so many seconds at the start.
    """

    relative: float
    in_every_phase: bool = False
    clock: float = 0.0

    def displacement(self, phase: ImpactPhase) -> float:
        """Return by how much the instant at which a phase starts may move its displacement (m)."""
        shown = float(phase.start) + self.clock
        return ROOT * self.relative * abs(float(phase.v0) * shown) if self.in_every_phase else 0.0

    def gathered(self, states: Floats) -> float:
        """Return what perturbed states (n,), each a displacement and a velocity, move together, or the worst."""
        each = np.abs(states).reshape(-1, 2).sum(axis=1)
        return float(each.sum() if self.in_every_phase else each.max())


ONCE = Perturbation(ROUNDING)


class PerturbationReach(NamedTuple):
    """What perturbations move: displacements at the ends of all phases, at most within them, and at peaks; (n,) in m.

    A peak moves as the displacement at its instant does, since the rate is zero there; it is zero in flight.
    """

    at_end: Floats
    within: Floats
    at_peak: Floats


def moved(values: Values, resolution: float = 0.0) -> PerturbationReach:
    """Return what a relative perturbation of `ROUNDING` moves, and errors of steps of ``resolution``/ω_c (s)."""
    return _moved(_key(values), resolution / contact_frequency(values), ONCE)


@lru_cache(maxsize=16)
def _moved(parameters: Parameters, step: float, by: Perturbation) -> PerturbationReach:
    true = _course(parameters)
    kinked = max((_dispersion(phase, step) for phase in true.phases if phase.touching), default=0.0)
    place = by.relative * (float(true.gap) + abs(float(true.phases[0].law.S)))  # of the stop, and of its motion
    data, states, at_end, within, at_peak = np.zeros((2, len(DATA))), np.empty((2, 0)), [], [], []
    for phase, lapse in zip(true.phases, true.lapses, strict=True):
        carried, added = _passed(phase, lapse, step, by)
        start = [place + by.displacement(phase), (by.relative + kinked) * abs(float(phase.v0))]
        states = np.column_stack((states, np.diag(start)))
        # free motion turns (x, v/omega) and never makes it longer
        length = np.array([1.0, 1 / float(phase.law.omega)])
        within.append(place + (length @ (np.abs(data) + np.abs(added))).sum() + by.gathered(length @ np.abs(states)))
        deepest = _passed(phase, _peak(phase, lapse), step, by) if phase.touching else None
        at_peak.append(place + _displaced(*deepest, data, states, by) if deepest else 0.0)
        at_end.append(place + _displaced(carried, added, data, states, by))
        data, states = carried @ data + added, carried @ states
    return PerturbationReach(np.array(at_end), np.array(within), np.array(at_peak))


def _passed(phase: ImpactPhase, tau: float, step: float, by: Perturbation) -> tuple[Floats, Floats]:
    """Return what carries perturbations for tau (s) from the start of a phase on (2, 2), and what data add (2, n)."""
    return np.array(phase.propagator(float(tau))), _added(phase, mpmath.mpf(tau), step, by.relative)


def _displaced(carried: Floats, added: Floats, data: Floats, states: Floats, by: Perturbation) -> float:
    """Return what perturbed data (2, n) and states (2, m) have moved a displacement (m)."""
    return float(np.abs(carried[0] @ data + added[0]).sum()) + by.gathered(carried[0] @ states)


def _peak(phase: ImpactPhase, lapse: float) -> float:
    """Return when a contact is deepest (s after its start), by Newton's method; at the ends where it is not between."""
    tau = mpmath.mpf(lapse) / 2
    for _ in range(NEWTON):
        _, rate, acceleration = phase.observed(tau)
        tau -= rate / acceleration
    return min(max(float(tau), 0.0), float(lapse))


def _dispersion(phase: ImpactPhase, step: float) -> float:
    """Return the relative error of the frequency that a method of second order has with steps of that length (s)."""
    return (float(phase.law.omega) * step) ** 2 / 12


def _added(phase: ImpactPhase, lapse: mpf, step: float, relative: float) -> Floats:
    """Return by how much perturbed `DATA` move displacement and velocity while a phase lasts (2, n)."""
    with mpmath.workdps(ENOUGH):
        x, v = phase.state(lapse)
        columns = []
        for name, touching in DATA:
            number = getattr(phase.law, name)
            if number == 0 or touching not in {None, phase.touching}:  # as in any phase without damping
                columns.append((0.0, 0.0))
                continue
            share = relative + (_dispersion(phase, step) if name == "omega" else 0.0)
            xp, vp = replace(phase, law=replace(phase.law, **{name: number * (1 + share)})).state(lapse)
            columns.append((float(xp - x), float(vp - v)))
    return np.array(columns).T


def instant_rounded(values: Values, clock: float, number: int) -> float:
    """Return how far the roundings of doubles, as the motion magnifies them, move an instant, counted from 1 (s).

    The ``clock`` (s) is what it shows at the start.
    """
    true = course(values)
    if number >= true.starts.size:
        return 0.0
    return float(_rounded(values, clock).at_end[number - 1] / abs(true.rates[number]))


def peak_rounded(values: Values, clock: float, contact: int) -> float:
    """Return how far they move the largest penetration of a contact, counted from 1 (m)."""
    at_peak = _rounded(values, clock).at_peak
    return float(at_peak[2 * contact - 1]) if 2 * contact <= at_peak.size else 0.0


def largest_peak_rounded(values: Values, clock: float) -> float:
    """Return how far they move the largest penetration of all contacts (m): the most of any that may be the largest."""
    true, at_peak = course(values), _rounded(values, clock).at_peak[1:-1:2]
    ended = zip(true.phases[1:-1:2], true.lapses[1:-1:2], range(1, true.starts.size - 1, 2), strict=True)
    depths = np.array([_distance(true, j, mpmath.mpf(_peak(phase, lapse))) for phase, lapse, j in ended])
    may_be = depths + at_peak >= (depths - at_peak).max(initial=-np.inf)
    return float(at_peak[may_be].max(initial=0.0))


def _rounded(values: Values, clock: float) -> PerturbationReach:
    doubles = Perturbation(float(np.finfo(float).eps), in_every_phase=True, clock=clock)
    return _moved(_key(values), 0.0, doubles)


def amplification(values: Values) -> float:
    """Return the largest growth of (x, v/ω) from phase to phase, the conditioning of the instants of contact."""
    true = course(values)
    matrices = [phase.propagator(float(lapse)) for phase, lapse in zip(true.phases, true.lapses, strict=True)]
    return growth(matrices, float(true.phases[0].law.omega))


class ContactCount(NamedTuple):
    """How many instants of contact are decided, and whether that is all of them and there are no others."""

    instants: int
    all: bool


def decided(values: Values, resolution: float = 0.0) -> ContactCount:
    """Return which instants of contact perturbations of `ROUNDING`, and errors of steps, leave as they are.

    They decide where an instant may move by more than half of the phase before or after it, and where a phase, or the
    end of the motion, is not proved to keep farther from the stop than the displacement may move.
    """
    return _decided(_key(values), resolution / contact_frequency(values))


@lru_cache(maxsize=16)
def _decided(parameters: Parameters, step: float) -> ContactCount:
    true, may_move = _course(parameters), _moved(parameters, step, ONCE)
    late = may_move.at_end[:-1] / np.abs(true.rates[1:]) > np.minimum(true.lapses[:-1], true.lapses[1:]) / 2
    for j in range(true.starts.size):
        if not true.turns[j] > may_move.within[j] or (j < late.size and late[j]):
            return ContactCount(j, False)
    last = len(true.phases) - 1
    ending = abs(_distance(true, last, mpmath.mpf(true.lapses[last]))) > may_move.at_end[last]
    return ContactCount(late.size, bool(ending))


def _distance(true: PhaseSequence, j: int, tau: mpf) -> float:
    """Return how far the motion is from the stop (m), tau (s) after the start of a phase; in contact: inside it."""
    with mpmath.workdps(ENOUGH):
        outside = true.gap - true.phases[j].observed(tau)[0]
    return float(-outside if true.phases[j].touching else outside)


def touch_energy(values: Values) -> float:
    """Return the energy at the fastest touch, m v²/2 + k gap²/2 (J)."""
    m, k, gap = (float(values[name]) for name in ("m", "k", "gap"))
    return 0.5 * m * float(np.abs(course(values).rates[1::2]).max(initial=0.0)) ** 2 + 0.5 * k * gap**2
