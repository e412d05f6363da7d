"""The second route of the rubbing mass: the manual's slips in mpmath, in physical units, marched one by one.

While the mass slips, its velocity relative to the plane is u = a0/ω (cos ωt - cos ωt1) ∓ μ g (t - t1). Every end is
searched as the next root of u, proved by bounds of u'' and u'''; what follows is read off the acceleration of the plane
there. Half a period later the same happens the other way: a march ends where slips repeat.

Source: EDF validation manual V5.01.104.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import ParameterError
from veridyn.references.second_routes.roots import Jets, polished_root, sign_changes

PhaseKind = Literal["slip+", "slip-", "stick"]

MOST_FOLLOWED = 20_000  # slips one by one before the motion repeats itself


@dataclass(frozen=True)
class ShakePeriod:
    """Amplitude, friction (m/s²), circular frequency, half period (s) now; every slip as one with u > 0."""

    a0: mpf
    grip: mpf
    omega: mpf
    half: mpf

    def slip(self, start: mpf) -> Jets:
        """Return u and its rate as a function of the instant, for the slip that began at `start`."""
        speed, cosine = self.a0 / self.omega, mpmath.cos(self.omega * start)

        def velocity(t: mpf) -> tuple[mpf, mpf]:
            c, s = mpmath.cos_sin(self.omega * t)
            return speed * (cosine - c) - self.grip * (t - start), self.a0 * s - self.grip

        return velocity

    def path(self, start: mpf, t: mpf) -> mpf:
        """Return the displacement since `start` (m)."""
        a, w, lapse = self.a0, self.omega, t - start
        wave = mpmath.sin(w * t) - mpmath.sin(w * start)
        return a / w * mpmath.cos(w * start) * lapse - a / w**2 * wave - self.grip * lapse**2 / 2

    def end(self, start: mpf) -> mpf:
        """Return the end (s) of the slip that began at `start`: the first root of u; raises `CertificationError`."""
        u = self.slip(start)
        second, third = self.a0 * self.omega, self.a0 * self.omega**2  # bounds of derivatives of u
        # With them Taylor's formula keeps u positive so far: u'' counts where u' vanishes, as in a first slip.
        bend = second * mpmath.cos(self.omega * start)
        a = start + max(u(start)[1] / second, bend / third)
        end = next(sign_changes(u, lambda *_: (second, third), a, a + 2 * self.half, u(a), "end of slip"), None)
        if end is None:
            raise CertificationError("end of slip: lost in rounding noise")
        return end


def shaking(block: Any) -> ShakePeriod:
    """Return the parameters at the current precision."""
    return ShakePeriod(block.a0, block.mu * block.g, block.omega, mpmath.pi / block.omega)


def first_start(block: Any) -> mpf:
    """Return the instant (s) at which the plane's acceleration exceeds friction for the first time."""
    s = shaking(block)
    return polished_root(
        lambda t: s.a0 * mpmath.sin(s.omega * t) - s.grip,
        lambda t: s.a0 * s.omega * mpmath.cos(s.omega * t),
        (mpmath.mpf(0), s.half / 2),
        rising=True,
        name="first slip",
    )


Slips = tuple[tuple[tuple[mpf, mpf], ...], bool]  # begin and end (s), shifted by half periods; whether the mass sticks


@per_precision
def slips(block: Any, count: int) -> Slips:
    """Return so many slips, or fewer if the last stands for all others; raises `ParameterError` for too many."""
    s, start = shaking(block), first_start(block)
    result = [(start, s.end(start))]
    if s.a0 * abs(mpmath.sin(s.omega * result[0][1])) < s.grip:  # stuck until the plane is as fast as at first
        return tuple(result), True
    while len(result) < count:
        if len(result) == MOST_FOLLOWED:
            raise ParameterError(f"more than {MOST_FOLLOWED} slips before the motion repeats: shorten the window")
        before, start = result[-1][0], result[-1][1] - s.half
        result.append((start, s.end(start)))
        if abs(start - before) <= 1024 * mpmath.eps * s.half:  # well above the noise of a root
            break
    return tuple(result), False


def worn(block: Any) -> mpf:
    """Return ∫ m g |v| dt over the window (J)."""
    s, since, until = shaking(block), block.t_start, block.t_end
    if s.grip >= s.a0:
        return mpmath.mpf(0)  # friction holds the mass at the peak acceleration
    known, _ = slips(block, int(until / s.half) + 1)
    return block.m * block.g * (_path_to(s, known, until) - _path_to(s, known, since))


def wear_power(block: Any) -> mpf:
    """Return its mean (W)."""
    return worn(block) / (block.t_end - block.t_start)


def _path_to(s: ShakePeriod, known: Sequence[tuple[mpf, mpf]], t: mpf) -> mpf:
    count = int(t / s.half) + 1
    surely = max(0, count - 2 - len(known))  # repetitions of the last one that are over
    total = surely * s.path(*known[-1])
    for k in (*range(min(len(known), count)), *range(len(known) + surely, count)):
        start, stop = known[min(k, len(known) - 1)]
        if (local := t - k * s.half) > start:
            total += s.path(start, min(local, stop))
    return total


def changes(block: Any, until: mpf) -> list[tuple[mpf, PhaseKind]]:
    """Return the changes of phase up to an instant: when (s), and the phase that begins."""
    s = shaking(block)
    count = int(until / s.half) + 1
    known, sticks = slips(block, count)
    result: list[tuple[mpf, PhaseKind]] = []
    for k in range(count):
        start, stop = (t + k * s.half for t in known[min(k, len(known) - 1)])
        result.append((start, "slip+" if k % 2 else "slip-"))
        if sticks:
            result.append((stop, "stick"))
    return [change for change in result if change[0] <= until]


def limit_start(block: Any) -> mpf:
    """Return where a slip must begin to last half a period (s)."""
    s = shaking(block)
    return polished_root(
        lambda t: s.slip(t)(t + s.half)[0],
        lambda t: -2 * s.a0 * mpmath.sin(s.omega * t),
        (mpmath.mpf(0), s.half / 2),
        rising=False,
        name="limit of the slip instants",
    )


def limit_speed(block: Any) -> mpf:
    """Return the mean of |u| over half a period of the limit motion (m/s)."""
    s = shaking(block)
    ((start, end), *_), sticks = slips(block, 1)
    if not sticks:
        start = limit_start(block)
        end = start + s.half
    return s.path(start, end) / s.half
