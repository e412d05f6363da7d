"""The second route of the rubbing block: sums of exponentials, whose ends are roots proved by bounds.

A block of mass m on a spring k is pressed on a floor of stiffness kc by W; it swings on it without leaving it, so that
the floor presses with N = W + sqrt(kc m) w0 sin(ωz (t - t0)), ωz = sqrt(kc/m). Along the floor F cos(Ω t) pushes it;
at t0 it is at x0 and moves at v0. Friction is mu_d N while it slides. Where it comes to rest it sticks if mu_s N, which
is more, holds it. Stick is rigid (kt = 0); or it is a spring kt with a dashpot ct that hang on the place where the slip
ended and begin with its friction, and it ends at mu_s N (Antunes et al., 1990).

Parameters are attributes in mpmath. Source: derived here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.second_routes.waves import Waves


@dataclass(frozen=True)
class Stretch:
    """A phase: start (s), direction of the slip or 0, displacement (m), friction (N), what is left of its limit (N)."""

    start: mpf
    sign: int
    x: Waves
    friction: Waves
    left: tuple[Waves, ...]  # towards slip+ and slip-; of a slip: nothing


def _sum(*terms: tuple[mpf, Waves]) -> Waves:
    """Return a linear combination, each factor times waves."""
    constant = mpmath.fsum(f * w.constant for f, w in terms)
    rates = tuple(rate for _, w in terms for rate in w.rates)
    return Waves(constant, rates, tuple(f * weight for f, w in terms for weight in w.weights))


def _rate(w: Waves) -> Waves:
    return Waves(mpf(0), w.rates, tuple(r * a for r, a in zip(w.rates, w.weights, strict=True)))


def _pressing(o: Any, time: mpf) -> Waves:
    """Return the normal force from an instant on: the block swings on its floor."""
    omega = mpmath.sqrt(o.kc / o.m)
    swing = mpc(0, -1) * o.w0 * o.kc / omega * mpmath.expj(omega * (time - o.t0))
    return Waves(o.W, (mpc(0, omega),), (swing,))


def _load(o: Any, time: mpf) -> Waves:
    return Waves(mpf(0), (mpc(0, o.Omega),), (o.F * mpmath.expj(o.Omega * time),))


def _swing(m: mpf, c: mpf, k: mpf, force: Waves, x: mpf, v: mpf) -> Waves:
    """Return the motion m x'' + c x' + k x = force from x and v on."""
    answers = tuple(w / (m * r * r + c * r + k) for r, w in zip(force.rates, force.weights, strict=True))
    forced = Waves(force.constant / k, force.rates, answers)
    root = mpmath.sqrt(mpc(c * c - 4 * m * k))
    one, other = (-c + root) / (2 * m), (-c - root) / (2 * m)
    x, v = x - forced(mpf(0)), v - forced(mpf(0), 1)
    free = ((v - other * x) / (one - other), (one * x - v) / (one - other))
    return Waves(forced.constant, (*forced.rates, one, other), (*answers, *free))


def _slip(o: Any, time: mpf, sign: int, x: mpf, v: mpf) -> Stretch:
    friction = _sum((-sign * o.mu_d, _pressing(o, time)))
    force = _sum((mpf(1), _load(o, time)), (mpf(1), friction))
    return Stretch(time, sign, _swing(o.m, mpf(0), o.k, force, x, v), friction, ())


def _stick(o: Any, time: mpf, x: mpf, friction: mpf) -> Stretch:
    """Return the stick after a slip that ended at x under some friction: rigid, or with a spring and a dashpot."""
    one, load = mpf(1), _load(o, time)
    if o.kt == 0:
        held = Waves(x, (), ())
        rubs = _sum((o.k, held), (-one, load))
    else:
        anchor = Waves(friction + o.kt * x, (), ())
        force = _sum((one, load), (one, anchor))
        held = _swing(o.m, o.ct, o.k + o.kt, force, x, mpf(0))
        rubs = _sum((one, anchor), (-o.kt, held), (-o.ct, _rate(held)))
    limit = (o.mu_s, _pressing(o, time))
    return Stretch(time, 0, held, rubs, (_sum(limit, (one, rubs)), _sum(limit, (-one, rubs))))


def _after(o: Any, phase: Stretch, span: mpf) -> tuple[mpf, Stretch] | None:
    """Return how long a phase lasts, and the next one; None if it lasts for the span."""
    if phase.sign:
        resting = phase.start > o.t0 and abs(phase.x(mpf(0), 1)) < mpmath.sqrt(mpmath.eps)
        lapse = next(phase.x.roots(span, from_zero=resting, order=1), None)
        return None if lapse is None else (lapse, _stopped(o, phase, lapse))
    ends = ((next(left.roots(span, from_zero=False), None), sign) for left, sign in _sides(phase))
    result = min(((lapse, sign) for lapse, sign in ends if lapse is not None), default=None)
    if result is None:
        return None
    lapse, sign = result
    return lapse, _slip(o, phase.start + lapse, sign, phase.x(lapse), phase.x(lapse, 1))


def _sides(stick: Stretch) -> Iterator[tuple[Waves, int]]:
    return zip(stick.left, (1, -1), strict=True)


def _stopped(o: Any, phase: Stretch, lapse: mpf) -> Stretch:
    """Return what follows a slip: stick, or where friction does not hold, rigid as it is, the slip back."""
    time, x = phase.start + lapse, phase.x(lapse)
    stick = _stick(o, time, x, phase.friction(lapse))
    lost = [sign for left, sign in _sides(stick) if left(mpf(0)) < 0]
    return _slip(o, time, lost[0], x, mpf(0)) if lost else stick


def _march(o: Any) -> Iterator[Stretch]:
    phase, end = _slip(o, o.t0, 1, o.x0, o.v0), o.t1
    while True:
        yield phase
        ended = _after(o, phase, end - phase.start)
        if ended is None:
            return
        phase = ended[1]


@per_precision
def follow_block(o: Any) -> tuple[Stretch, ...]:
    """Return the phases from t0 to t1."""
    with mpmath.extradps(10):
        return tuple(_march(o))


def find_change(o: Any, number: int) -> mpf:
    """Return the instant of a change of phase, counted from 1 (s)."""
    return follow_block(o)[number].start


def _find_stretch(o: Any, time: mpf) -> tuple[Stretch, mpf]:
    """Return the phase at an instant (s), and how long it has lasted."""
    phase = next(each for each in reversed(follow_block(o)) if each.start <= time)
    return phase, time - phase.start


def read_displacement(o: Any, time: mpf) -> mpf:
    """Return the displacement at an instant (m)."""
    phase, lapse = _find_stretch(o, time)
    return phase.x(lapse)


def read_friction(o: Any, time: mpf) -> mpf:
    """Return the friction on the block at an instant (N)."""
    phase, lapse = _find_stretch(o, time)
    return phase.friction(lapse)
