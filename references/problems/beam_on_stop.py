"""Simply supported beam that falls on an elastic stop at mid-span, by its first N modes.

EI = ρA = L = 1: w_n = n² π², shapes φ_n = √2 sin(nπx), generalised masses 1, one damping ratio ξ for all modes. The
beam starts straight with the uniform velocity -v0; projected on the modes

    q_n'(0) = -v0 ∫ φ_n dx = -v0 √2 (1 - cos nπ)/(nπ),

which is -2√2 v0/(nπ) for odd n and zero for even n. The even modes vanish at mid-span and never move. The truncated
problem is posed exactly by these amplitudes: no further approximation enters. The stop pushes up with k_c (-gap - w)
where the mid-span displacement w is below -gap.

Every flight and contact is one linear system of modal displacements and velocities, with the integral of the gap.

Source: this suite; modal superposition of an Euler-Bernoulli beam, any textbook.
"""

from __future__ import annotations

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Absent, ball, less, per_bits, sign_of
from veridyn.references.engine.events import Event, Guard
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, largest
from veridyn.references.engine.motion import Motion, Phase, PhaseEnd, follow, holding, proved, value_at
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import NUMBER, TIME, choice
from veridyn.references.second_routes import waves

PARAMETERS = (
    Parameter("N", "1", "number of modes kept", "5"),
    Parameter("xi", "1", "damping ratio of every mode, below 1", "0.02"),
    Parameter("kc", "N/m", "stiffness of the stop", "1e4"),
    Parameter("gap", "m", "gap under mid-span", "0.02"),
    Parameter("v0", "m/s", "initial velocity, downwards", "1"),
    Parameter("T", "s", "time span", "0.5"),
)

PER_CONTACT = ("touch", "release", "peak", "impulse")
MOST_MODES = 41


class BeamOnStop(ParameterSet):
    """The parameters, and the modes."""

    def check(self) -> None:
        """Refuse numbers of modes that are not whole or too large, and overdamped modes."""
        if self.N.pi or self.N.rational.denominator != 1 or self.N.rational > MOST_MODES:
            raise ParameterError(f"N must be a whole number from 1 to {MOST_MODES}, got {self.N}")
        if float(self.xi) >= 1:
            raise ParameterError(f"xi must be below 1, got {self.xi}")

    @property
    def numbers(self) -> range:
        """Return the numbers of the modes that move: odd ones."""
        return range(1, int(self.N.rational) + 1, 2)


@per_bits
def _frequencies(b: BeamOnStop) -> list[Ball]:
    return [(n * arb.pi()) ** 2 for n in b.numbers]


@per_bits
def _gap(b: BeamOnStop) -> Row:
    """Return gap + w of the state (q, q', 1, integral of the gap)."""
    m = len(b.numbers)
    return {**_combined(b, 0), 2 * m: ball(b.gap)}


def _combined(b: BeamOnStop, first: int) -> Row:
    """Return the sum of shapes times states from one on."""
    return {first + i: arb(2).sqrt() * (-1) ** (n // 2) for i, n in enumerate(b.numbers)}


@per_bits
def _flow(b: BeamOnStop, closed: bool) -> LinearFlow:
    m, gap = len(b.numbers), _gap(b)
    rows: list[Row] = [{m + i: arb(1)} for i in range(m)]
    for i, w in enumerate(_frequencies(b)):
        push = {j: -ball(b.kc) * gap[i] * factor for j, factor in gap.items()} if closed else {}
        rows.append({**push, i: push.get(i, arb(0)) - w**2, m + i: -2 * ball(b.xi) * w})
    return LinearFlow([*rows, {}, gap])


@per_bits
def _phases(b: BeamOnStop) -> tuple[PhaseEnd, ...]:
    """Return flights and contacts up to T."""
    m, zero, one = len(b.numbers), arb(0), arb(1)
    flows = {"flight": _flow(b, False), "contact": _flow(b, True)}
    below = {j: -factor for j, factor in _gap(b).items()}

    def following(phase: Phase, _event: Event | None, time: Ball, state: State) -> Phase:
        there = (*state[:-1], zero)
        if phase.kind == "flight":
            return Phase("contact", flows["contact"], time, there, (Guard("release", below, 1),))
        return Phase("flight", flows["flight"], time, there, (Guard("touch", _gap(b), 1),))

    speeds = [-2 * arb(2).sqrt() * ball(b.v0) / (n * arb.pi()) for n in b.numbers]
    start = (*[zero] * m, *speeds, one, zero)
    return follow(Phase("flight", flows["flight"], zero, start, (Guard("touch", _gap(b)),)), following, ball(b.T))


def _contacts(b: BeamOnStop) -> list[tuple[PhaseEnd, Ball]]:
    """Return the contacts that are over by T, with their ends."""
    ended = [(p, p.end) for p in _phases(b) if p.phase.kind == "contact" and p.end is not None]
    return [(p, end) for p, end in ended if less(end, ball(b.T), "a contact ends at T")]


def _peak(b: BeamOnStop, contact: PhaseEnd) -> Ball:
    """Return the largest force of a contact, at the deepest of its turning points."""
    rate = _combined(b, len(b.numbers))
    return largest([-ball(b.kc) * contact.phase.read(_gap(b), t) for t in contact.extremes(rate)])


# ---- the second route: modal roots in flight, eigenvalues of the closed system in contact


def _matrix(b: BeamOnStop, closed: bool) -> waves.Matrix:
    """Return the matrix of amplitudes, their rates and the gap at rest."""
    m, gap = len(b.numbers), _row(b)
    result = mpmath.zeros(2 * m + 1)
    for i, n in enumerate(b.numbers):
        w = (n * mpmath.pi) ** 2
        result[i, m + i] = mpf(1)
        for j in range(2 * m + 1) if closed else ():
            result[m + i, j] = -b.kc.mpf() * gap[i] * gap[j]
        result[m + i, i] -= w**2
        result[m + i, m + i] -= 2 * b.xi.mpf() * w
    return result


def _row(b: BeamOnStop) -> waves.Matrix:
    """Return the shapes at mid-span, and one for the gap at rest."""
    shapes = [mpmath.sqrt(2) * (-1) ** ((n - 1) // 2) for n in b.numbers]
    return mpmath.matrix([[*shapes, *[mpf(0)] * len(shapes), mpf(1)]])


@per_precision
def phases(b: BeamOnStop) -> tuple[waves.WavePhase, ...]:
    """Return flights and contacts up to T, by sums of exponentials."""
    speeds = [-2 * mpmath.sqrt(2) * b.v0.mpf() / (n * mpmath.pi) for n in b.numbers]
    start = [*[mpf(0)] * len(speeds), *speeds, b.gap.mpf()]
    return waves.alternating(lambda closed: _matrix(b, closed), _row(b), start, b.T.mpf())


def _over(b: BeamOnStop) -> list[waves.WavePhase]:
    """Return the contacts that are over by T."""
    return [p for p in phases(b) if p.closed and p.end < b.T.mpf()]


@per_precision
def _in_contact(b: BeamOnStop, number: int) -> tuple[mpf, mpf, mpf, mpf]:
    """Return touch, release (s), largest force (N) and impulse (N s) of a contact, counted from 1."""
    p, kc = _over(b)[number - 1], b.kc.mpf()
    return p.start, p.end, kc * p.deepest(), -kc * p.gap.integral(p.end - p.start)


def _mid_span(b: BeamOnStop, time: Exact) -> mpf:
    phase, lapse = waves.holding(phases(b), time.mpf())
    return phase.gap(lapse) - b.gap.mpf()


def _energy(b: BeamOnStop) -> mpf:
    """Return the energy at T, of modes and stop."""
    phase, lapse = waves.holding(phases(b), b.T.mpf())
    pairs = zip(b.numbers, phase.states, phase.states[len(b.numbers) :], strict=False)
    modal = mpmath.fsum(((n * mpmath.pi) ** 2 * q(lapse)) ** 2 + v(lapse) ** 2 for n, q, v in pairs)
    return (modal + b.kc.mpf() * min(phase.gap(lapse), mpf(0)) ** 2) / 2


reference = References(
    PARAMETERS,
    BeamOnStop,
    proof="linear phases enclosed, every touch and release proved to be the next root of the gap",
    how="sums of exponentials from event to event, roots proved by bounds of the curvature",
    effort=lambda b, **_: proved(_phases(b)),
)


@reference(
    lambda b, what, number: _in_contact(b, number)[PER_CONTACT.index(what)], takes=(choice("what", PER_CONTACT), NUMBER)
)
def contact(b: BeamOnStop, what: str, number: int) -> Ball:
    """Return a quantity of a contact that is over by T, counted from 1.

    ``what``: ``touch`` or ``release`` (instants, s), ``peak`` (largest force, N), ``impulse`` (N s).
    """
    result = _contacts(b)
    if number > len(result):
        raise Absent(f"there are {len(result)} contacts up to T")
    p, end = result[number - 1]
    if what == "impulse":
        return -ball(b.kc) * p.phase.at(end)[-1]
    return _peak(b, p) if what == "peak" else p.phase.start if what == "touch" else end


@reference(lambda b: mpf(len(_over(b))))
def contacts(b: BeamOnStop) -> Ball:
    """Return the number of contacts that are over by T."""
    return arb(len(_contacts(b)))


@reference(lambda b: b.kc.mpf() * max(p.deepest() for p in _over(b)))
def peak_force(b: BeamOnStop) -> Ball:
    """Return the largest force of the stop (N) in a contact that is over by T."""
    if not (result := _contacts(b)):
        raise Absent("there is no contact up to T")
    return largest([_peak(b, p) for p, _ in result])


@reference(_mid_span, takes=(TIME,))
def mid_span(b: BeamOnStop, time: Exact) -> Ball:
    """Return the displacement of mid-span (m) at an instant up to T; raises `ParameterError` for a later one."""
    if sign_of(time, -b.T.plain) > 0:
        raise ParameterError(f"time must lie within T = {b.T} s, got {time}")
    return value_at(_phases(b), _combined(b, 0), ball(time))


@reference(_energy)
def energy(b: BeamOnStop) -> Ball:
    """Return the energy (J) at T, of the beam and of the stop."""
    phase, m = holding(_phases(b), ball(b.T))[-1], len(b.numbers)
    state = phase.at(ball(b.T))
    modal = sum(((w * q) ** 2 + v**2 for w, q, v in zip(_frequencies(b), state, state[m:], strict=False)), arb(0))
    pressed = phase.read(_gap(b), ball(b.T)) if phase.kind == "contact" else arb(0)
    return (modal + ball(b.kc) * pressed**2) / 2


@reference.function(digits=20)
def motion(b: BeamOnStop, digits: int) -> Motion:
    """Return the motion up to T for figures and comparison of histories: mid_span.

    Its events are all touches and releases up to T, also the touch of a contact that lasts at T.
    """

    def changes() -> list[tuple[Ball, str]]:
        result = [(p.phase.start, p.phase.kind) for p in _phases(b)[1:]]
        return [(t, kind) for t, kind in result if less(t, ball(b.T), "a contact begins or ends at T")]

    return Motion({"mid_span": lambda t: value_at(_phases(b), _combined(b, 0), t)}, changes, digits)
