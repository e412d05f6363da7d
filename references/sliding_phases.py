"""Phases of a mass that rubs on a shaken plane: which slip begins and ends when.

In the time τ = ω t and the velocity unit a0/ω everything depends on η = μ g/a0 alone. A slip that
begins at φ (a half period shifts it and changes all signs) has the relative velocity
w(τ) = η (τ - φ) + cos τ - cos φ, first negative. It ends at the only root of w between π - τ1 and
2π - τ1, where τ1 = asin η, since w' = η - sin τ is positive there. What follows is stick, or at once
the reverse slip: which of the two, the regime says, and the regime is decided exactly.

Source: EDF validation manual V5.01.104; B. Westermo, F. Udwadia, Earthquake Engineering and
Structural Dynamics 11 (1983) 135-146.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, bracketed_root, halve_until, per_precision
from veridyn.references.parameters import Exact, Number, ParameterError, exact

MAX_HALF_PERIODS = 10**12
MAX_TRANSIENT = 20_000  # slips computed one by one before the motion repeats itself

Regime = Literal["stick", "stick-slip", "slip-slip"]
PhaseKind = Literal["slip+", "slip-", "stick"]


@dataclass(frozen=True)
class Block:
    """Parameters of the rubbing mass, exact."""

    a0: Exact
    mu: Exact
    g: Exact
    m: Exact
    omega: Exact

    @property
    def eta(self) -> Exact:
        """η = μ g/a0: the friction available over the friction needed to follow the plane."""
        return self.mu * self.g / self.a0

    def tau(self, time: Exact) -> mpf:
        """ω t at the current precision."""
        return (self.omega * time).mpf()


def critical_eta() -> mpf:
    """η* = 2/√(π²+4): below it the mass never sticks again."""
    return 2 / mpmath.sqrt(mpmath.pi**2 + 4)


@lru_cache(maxsize=256)
def regime(block: Block) -> Regime:
    """Decide the regime exactly: η is rational times a power of π and never equals η*."""
    eta = block.eta
    if eta == Exact(Fraction(1)) or _exceeds(eta, lambda: mpmath.mpf(1)):
        return "stick"
    return "stick-slip" if _exceeds(eta, critical_eta) else "slip-slip"


def _exceeds(number: Exact, threshold: Callable[[], mpf]) -> bool:
    """Compare two unequal numbers with as much precision as it takes."""
    for dps in (30, 300, 3000):
        with mpmath.workdps(dps):
            excess = number.mpf() - threshold()
            if abs(excess) > mpmath.mpf(10) ** (5 - dps) * number.mpf():
                return bool(excess > 0)
    raise CertificationError("eta is too close to the border of two regimes to tell them apart")


@per_precision
def slip_root(block: Block, phi: mpf) -> mpf:
    """End τ of a slip that began at φ in [τ1, π - τ1]."""
    eta = block.eta.mpf()
    tau1 = mpmath.asin(eta)

    def w(tau: mpf) -> mpf:
        return eta * (tau - phi) + mpmath.cos(tau) - mpmath.cos(phi)

    def slope(ctx: Any, tau: Any) -> Any:
        return ctx.convert(eta) - ctx.sin(tau)

    low, high = mpmath.pi - tau1, 2 * mpmath.pi - tau1
    # w falls until π - τ1, where its slope vanishes; a little later it is still negative and rises.
    length = halve_until(lambda step: w(low + step) < 0, (high - low) / 2, name="end of slip")
    return bracketed_root(w, slope, low + length, high, name="end of slip")


@dataclass(frozen=True)
class Slips:
    """All slips of a motion: slip k begins at `starts[k]` + kπ, and from the last entry on they repeat.

    `ends` are where they end, shifted alike.
    """

    starts: tuple[mpf, ...]
    ends: tuple[mpf, ...]

    @property
    def transient(self) -> int:
        """Number of slips before they repeat."""
        return len(self.starts) - 1

    def slip(self, k: int) -> tuple[mpf, mpf]:
        """Beginning and end of slip k, shifted by kπ into the first half period."""
        index = min(k, self.transient)
        return self.starts[index], self.ends[index]


@per_precision
def slips(block: Block, count: int) -> Slips:
    """Compute slips one by one until they repeat, `count` at most; raises `ParameterError` if that takes too many."""
    phi = mpmath.asin(block.eta.mpf())
    if regime(block) == "stick-slip":  # every slip begins at τ1: periodic at once
        return Slips((phi,), (slip_root(block, phi),))
    starts: list[mpf] = []
    ends: list[mpf] = []
    while len(starts) < count:
        if len(starts) > MAX_TRANSIENT:
            raise ParameterError(f"more than {MAX_TRANSIENT} slips before the motion repeats: shorten the window")
        starts.append(phi)
        ends.append(slip_root(block, phi))
        previous, phi = phi, ends[-1] - mpmath.pi
        if abs(phi - previous) <= 1024 * mpmath.eps:  # well above the noise of a root
            break
    return Slips(tuple(starts), tuple(ends))


def half_periods(block: Block, time: Exact) -> int:
    """Count the half periods begun by `time`, and one more for safety; raises `ParameterError` for too many."""
    with mpmath.workdps(50):
        count = block.tau(time) / mpmath.pi
        if count > MAX_HALF_PERIODS:
            raise ParameterError(f"t = {time} is too many half periods away: shorten the window")
        return int(mpmath.floor(count)) + 2


def slid(phi: mpf, tau: mpf, eta: mpf) -> mpf:
    """Path of a slip from φ to τ in units of a0/ω²: the integral of |w|."""
    lapse = tau - phi
    return lapse * mpmath.cos(phi) - eta * lapse**2 / 2 - mpmath.sin(tau) + mpmath.sin(phi)


def path(block: Block, time: Exact) -> mpf:
    """Path slid from 0 to `time`, in units of a0/ω²."""
    if regime(block) == "stick":
        return mpmath.mpf(0)
    tau, eta, count = block.tau(time), block.eta.mpf(), half_periods(block, time)
    found = slips(block, count)
    complete = max(0, count - 3 - found.transient)  # repeated slips that are surely over
    total = complete * slid(*found.slip(found.transient), eta) if complete else mpmath.mpf(0)
    for k in (*range(found.transient), *range(found.transient + complete, count)):
        start, end = found.slip(k)
        local = tau - k * mpmath.pi
        if local > start:
            total += slid(start, min(local, end), eta)
    return total


def slides(block: Block, begin: Exact, end: Exact) -> bool:
    """Tell whether any slip falls into the window."""
    if regime(block) == "stick":
        return False
    count = half_periods(block, end)
    found = slips(block, count)

    def overlaps(k: int) -> bool:
        first, last = (tau + k * mpmath.pi for tau in found.slip(k))
        return bool(first < block.tau(end) and last > block.tau(begin))

    return any(overlaps(k) for k in range(max(0, half_periods(block, begin) - 3), count))


def changes(block: Block, until: Exact) -> Iterator[tuple[mpf, PhaseKind]]:
    """Yield the phase changes up to `until`: time τ, and the phase that begins."""
    if regime(block) == "stick":
        return
    count, limit = half_periods(block, until), block.tau(until)
    found = slips(block, count)
    sticks = regime(block) == "stick-slip"
    for k in range(count):
        start, end = (tau + k * mpmath.pi for tau in found.slip(k))
        if start <= limit:
            yield start, "slip+" if k % 2 else "slip-"
        if sticks and end <= limit:
            yield end, "stick"


def events(block: Block, until: Exact) -> tuple[tuple[mpf, PhaseKind], ...]:
    """List the phase changes up to `until`: time in s, and the phase that begins."""
    omega = block.omega.mpf()
    return tuple((tau / omega, kind) for tau, kind in changes(block, until))


def path_slid(block: Block, time: Exact) -> mpf:
    """Path slid from 0 to `time` in m."""
    return path(block, time) * (block.a0 / block.omega / block.omega).mpf()


def limit_path(block: Block) -> mpf:
    """Quadrature of |w| over one slip of the periodic motion, in units of a0/ω²."""
    eta = block.eta.mpf()
    if regime(block) == "slip-slip":
        start = limit_root(block)
        end = start + mpmath.pi
    else:
        start = mpmath.asin(eta)
        end = slip_root(block, start)
    return -mpmath.quad(lambda tau: relative(eta, 1, start, tau)[0], [start, (start + end) / 2, end])


def limit_root(block: Block) -> mpf:
    """Phase at which a slip must begin to last half a period: π η = 2 cos φ."""
    return bracketed_root(
        lambda phi: block.eta.mpf() * mpmath.pi - 2 * mpmath.cos(phi),
        lambda ctx, phi: 2 * ctx.sin(phi),
        mpmath.asin(block.eta.mpf()) / 2,
        mpmath.pi / 2,
        name="limit of the slip instants",
    )


@dataclass(frozen=True)
class Phase:
    """A phase: beginning (s), kind, and the relative displacement (m) accumulated by then."""

    start: mpf
    kind: PhaseKind
    displacement: mpf


SIGNS: dict[PhaseKind, int] = {"slip+": -1, "slip-": 1, "stick": 0}  # of the friction force on the mass


@dataclass(frozen=True)
class Motion:
    """The motion of plane and mass from 0 to `until`; methods take an instant in s.

    Velocities are those of a plane whose acceleration is a0 sin ωt and whose mean velocity is zero;
    the relative velocity is that of the mass less that of the plane.
    """

    block: Block
    until: Exact
    digits: int
    phases: tuple[Phase, ...]

    def plate_velocity(self, t: Number) -> mpf:
        """Velocity of the plane in m/s: -a0/ω cos ωt."""
        return self._evaluate(t)[0]

    def mass_velocity(self, t: Number) -> mpf:
        """Velocity of the mass in m/s."""
        plate, relative, _ = self._evaluate(t)
        with mpmath.workdps(self.digits):
            return plate + relative

    def relative_velocity(self, t: Number) -> mpf:
        """Velocity of the mass less that of the plane, in m/s."""
        return self._evaluate(t)[1]

    def relative_displacement(self, t: Number) -> mpf:
        """Displacement of the mass less that of the plane, in m, from 0 at t = 0."""
        return self._evaluate(t)[2]

    def phase(self, t: Number) -> Phase:
        """Phase that holds at an instant; raises `ParameterError` outside [0, until]."""
        time = self._instant(t)
        with mpmath.workdps(self.digits + 15):
            return self.phases[bisect_right(self.phases, time.mpf(), key=lambda phase: phase.start) - 1]

    def _instant(self, t: Number) -> Exact:
        time = exact(t, "t")
        with mpmath.workdps(self.digits + 15):
            if not 0 <= time.mpf() <= self.until.mpf():
                raise ParameterError(f"t must lie between 0 and {self.until}, got {t}")
        return time

    def _evaluate(self, t: Number) -> tuple[mpf, mpf, mpf]:
        phase, time = self.phase(t), self._instant(t)
        with mpmath.workdps(self.digits + 15):
            b, tau = self.block, self.block.tau(time)
            speed = (b.a0 / b.omega).mpf()
            w, d = relative(b.eta.mpf(), SIGNS[phase.kind], b.omega.mpf() * phase.start, tau)
            values = -speed * mpmath.cos(tau), speed * w, phase.displacement + speed / b.omega.mpf() * d
        with mpmath.workdps(self.digits):
            return +values[0], +values[1], +values[2]


def relative(eta: mpf, sign: int, start: mpf, tau: mpf) -> tuple[mpf, mpf]:
    """Relative velocity (unit a0/ω) and displacement (unit a0/ω²) since the `start` of a phase."""
    if sign == 0:
        return mpmath.mpf(0), mpmath.mpf(0)
    lapse, s0, c0 = tau - start, mpmath.sin(start), mpmath.cos(start)
    w = sign * eta * lapse + mpmath.cos(tau) - c0
    return w, sign * eta * lapse**2 / 2 + mpmath.sin(tau) - s0 - c0 * lapse


def motion(block: Block, until: Exact, digits: int) -> Motion:
    """Assemble all phases from 0 to `until`."""
    with mpmath.workdps(digits + 15):
        omega, length = block.omega.mpf(), (block.a0 / block.omega / block.omega).mpf()
        current, tau, eta = Phase(mpmath.mpf(0), "stick", mpmath.mpf(0)), mpmath.mpf(0), block.eta.mpf()
        phases = [current]
        for change, kind in changes(block, until):
            d = relative(eta, SIGNS[current.kind], tau, change)[1]
            current, tau = Phase(change / omega, kind, current.displacement + length * d), change
            phases.append(current)
    return Motion(block, until, digits, tuple(phases))
