"""Half the limit cycle of a tube between two stops, by closed phases and a secant for its reach.

The tube moves on a line 4/5 across the stops and 3/5 along them; friction adds to the stiffness of a contact on the way
in and takes from it on the way out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath

from veridyn.references.certified import CertificationError, per_precision

STEPS = 60  # of Newton's method at most


@dataclass(frozen=True)
class Swing:
    """``q'' = 2 rate q' - stiffness q + load`` from q and v on, in mpmath."""

    rate: Any
    stiffness: Any
    load: Any
    q: Any
    v: Any

    def __call__(self, t: Any) -> tuple[Any, Any]:
        """Return displacement and velocity."""
        rest, w = self.load / self.stiffness, mpmath.sqrt(self.stiffness - self.rate**2)
        a, b = self.q - rest, (self.v - self.rate * (self.q - rest)) / w
        grown, c, s = mpmath.exp(self.rate * t), mpmath.cos(w * t), mpmath.sin(w * t)
        q = grown * (a * c + b * s)
        return rest + q, self.rate * q + grown * w * (b * c - a * s)

    def until(self, which: int, value: Any, near: Any) -> Any:
        """Return the time at which displacement (0) or velocity (1) has a value, by Newton's method.

        Raises `CertificationError` if it does not settle.
        """
        time, last = near, mpmath.inf
        for _ in range(STEPS):
            q, v = self(time)
            slope = 2 * self.rate * v - self.stiffness * q + self.load if which else v
            step = ((q, v)[which] - value) / slope
            if abs(step) >= last and last < mpmath.sqrt(mpmath.eps) * abs(time):
                return time  # what is left is rounding
            time, last = time - step, abs(step)
        raise CertificationError("Newton's method does not settle on an instant of the cycle")


@dataclass(frozen=True)
class HalfCycle:
    """Half a cycle from a turn on the right: times of release, middle, touch and turn (s), and speeds."""

    reach: Any
    release: Any
    middle: Any
    touch: Any
    turn: Any
    speed: Any  # in the middle
    arrival: Any  # normal speed of the touch
    mirrored: Any  # where it turns on the left
    rubbed: Any  # normal force times sliding speed, over a contact (J)


def half(tube: tuple[Any, ...], reach: Any) -> HalfCycle:
    """Return half a cycle of a tube, given by m, w, zeta, kc, g and mu, that turns on the right."""
    m, w, zeta, kc, g, mu = tube
    c, s, rate = mpmath.mpf(4) / 5, mpmath.mpf(3) / 5, zeta * w
    back, into = (kc / m * (c + sign * s * mu) for sign in (-1, 1))
    leaving = Swing(rate, w**2 + back * c, back * g, reach, mpmath.mpf(0))
    release = leaving.until(0, g / c, mpmath.sqrt(2 * (reach - g / c) / (w**2 * reach + back * (c * reach - g) / 2)))
    flight = Swing(rate, w**2, mpmath.mpf(0), *leaving(release))
    middle = flight.until(0, mpmath.mpf(0), mpmath.pi / 2 / w - release)
    touch = flight.until(0, -g / c, 2 * middle)
    there = flight(touch)
    arriving = Swing(rate, w**2 + into * c, -into * g, *there)
    turn = arriving.until(1, mpmath.mpf(0), release / 2)
    times = release, release + middle, release + touch, release + touch + turn
    rubbed = s / c * kc * (c * reach - g) ** 2
    return HalfCycle(reach, *times, -flight(middle)[1], -c * there[1], -arriving(turn)[0], rubbed)


@per_precision
def closed_cycle(*given: Any) -> HalfCycle:
    """Return half the limit cycle."""
    least = given[4] / mpmath.mpf("0.8")  # where it just touches
    near = least * mpmath.mpf("1.04"), least * mpmath.mpf("1.05")
    return half(given, mpmath.findroot(lambda reach: half(given, reach).mirrored - reach, near))
