"""Second route of the rubbing block in mpmath: phases as sums of exponentials, their ends as roots proved by bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.parameters import Exact, Record
from veridyn.references.waves import Waves

KINDS = {1: "slip+", -1: "slip-", 0: "stick"}


@dataclass(frozen=True)
class Phase:
    """A phase: start (s), direction of the slip or 0, displacement (m), friction (N), what is left of its limit (N)."""

    start: mpf
    sign: int
    x: Waves
    friction: Waves
    left: tuple[Waves, ...]  # towards slip+ and slip-; of a slip: nothing

    @property
    def kind(self) -> str:
        """Return ``stick``, ``slip+`` or ``slip-``."""
        return KINDS[self.sign]


def _sum(*terms: tuple[mpf, Waves]) -> Waves:
    """Return a linear combination, each factor times waves."""
    constant = mpmath.fsum(f * w.constant for f, w in terms)
    rates = tuple(rate for _, w in terms for rate in w.rates)
    return Waves(constant, rates, tuple(f * weight for f, w in terms for weight in w.weights))


def _rate(w: Waves) -> Waves:
    return Waves(mpf(0), w.rates, tuple(r * a for r, a in zip(w.rates, w.weights, strict=True)))


def _pressing(o: Record, time: mpf) -> Waves:
    """Return the normal force from an instant on: the block swings on its floor."""
    omega = mpmath.sqrt(o.kc.mpf() / o.m.mpf())
    swing = mpc(0, -1) * o.w0.mpf() * o.kc.mpf() / omega * mpmath.expj(omega * (time - o.t0.mpf()))
    return Waves(o.W.mpf(), (mpc(0, omega),), (swing,))


def _load(o: Record, time: mpf) -> Waves:
    omega = o.Omega.mpf()
    return Waves(mpf(0), (mpc(0, omega),), (o.F.mpf() * mpmath.expj(omega * time),))


def _swing(m: mpf, c: mpf, k: mpf, force: Waves, x: mpf, v: mpf) -> Waves:
    """Return the motion m x'' + c x' + k x = force from x and v on."""
    answers = tuple(w / (m * r * r + c * r + k) for r, w in zip(force.rates, force.weights, strict=True))
    forced = Waves(force.constant / k, force.rates, answers)
    root = mpmath.sqrt(mpc(c * c - 4 * m * k))
    one, other = (-c + root) / (2 * m), (-c - root) / (2 * m)
    x, v = x - forced(mpf(0)), v - forced(mpf(0), 1)
    free = ((v - other * x) / (one - other), (one * x - v) / (one - other))
    return Waves(forced.constant, (*forced.rates, one, other), (*answers, *free))


def _slip(o: Record, time: mpf, sign: int, x: mpf, v: mpf) -> Phase:
    friction = _sum((-sign * o.mu_d.mpf(), _pressing(o, time)))
    force = _sum((mpf(1), _load(o, time)), (mpf(1), friction))
    return Phase(time, sign, _swing(o.m.mpf(), mpf(0), o.k.mpf(), force, x, v), friction, ())


def _stick(o: Record, time: mpf, x: mpf, friction: mpf) -> Phase:
    """Return the stick after a slip that ended at x under some friction: rigid, or with a spring and a dashpot."""
    one, load = mpf(1), _load(o, time)
    if o.kt.rational == 0:
        held = Waves(x, (), ())
        rubs = _sum((o.k.mpf(), held), (-one, load))
    else:
        kt, ct = o.kt.mpf(), o.ct.mpf()
        anchor = Waves(friction + kt * x, (), ())
        force = _sum((one, load), (one, anchor))
        held = _swing(o.m.mpf(), ct, o.k.mpf() + kt, force, x, mpf(0))
        rubs = _sum((one, anchor), (-kt, held), (-ct, _rate(held)))
    limit = (o.mu_s.mpf(), _pressing(o, time))
    return Phase(time, 0, held, rubs, (_sum(limit, (one, rubs)), _sum(limit, (-one, rubs))))


def _after(o: Record, phase: Phase, span: mpf) -> tuple[mpf, Phase] | None:
    """Return how long a phase lasts, and the next one; None if it lasts for the span."""
    if phase.sign:
        resting = phase.start > o.t0.mpf() and abs(phase.x(mpf(0), 1)) < mpmath.sqrt(mpmath.eps)
        lapse = next(phase.x.roots(span, from_zero=resting, order=1), None)
        return None if lapse is None else (lapse, _stopped(o, phase, lapse))
    ends = ((next(left.roots(span, from_zero=False), None), sign) for left, sign in _sides(phase))
    found = min(((lapse, sign) for lapse, sign in ends if lapse is not None), default=None)
    if found is None:
        return None
    lapse, sign = found
    return lapse, _slip(o, phase.start + lapse, sign, phase.x(lapse), phase.x(lapse, 1))


def _sides(stick: Phase) -> Iterator[tuple[Waves, int]]:
    return zip(stick.left, (1, -1), strict=True)


def _stopped(o: Record, phase: Phase, lapse: mpf) -> Phase:
    """Return what follows a slip: stick, or where friction does not hold, rigid as it is, the slip back."""
    time, x = phase.start + lapse, phase.x(lapse)
    stick = _stick(o, time, x, phase.friction(lapse))
    lost = [sign for left, sign in _sides(stick) if left(mpf(0)) < 0]
    return _slip(o, time, lost[0], x, mpf(0)) if lost else stick


def _march(o: Record) -> Iterator[Phase]:
    phase, end = _slip(o, o.t0.mpf(), 1, o.x0.mpf(), o.v0.mpf()), o.t1.mpf()
    while True:
        yield phase
        ended = _after(o, phase, end - phase.start)
        if ended is None:
            return
        phase = ended[1]


@per_precision
def phases(o: Record) -> tuple[Phase, ...]:
    """Return the phases from t0 to t1."""
    with mpmath.extradps(10):
        return tuple(_march(o))


def change(o: Record, number: int) -> mpf:
    """Return the instant of a change of phase, counted from 1 (s)."""
    return phases(o)[number].start


def _at(o: Record, time: Exact) -> tuple[Phase, mpf]:
    t = time.mpf()
    phase = next(p for p in reversed(phases(o)) if p.start <= t)
    return phase, t - phase.start


def displacement(o: Record, time: Exact) -> mpf:
    """Return the displacement at an instant (m)."""
    phase, lapse = _at(o, time)
    return phase.x(lapse)


def force(o: Record, time: Exact) -> mpf:
    """Return the friction on the block at an instant (N)."""
    phase, lapse = _at(o, time)
    return phase.friction(lapse)
