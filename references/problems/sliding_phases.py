"""Slips of a mass on a shaken plane, enclosed: the first route of the rubbing mass.

In the time τ = ω t and the velocity unit a0/ω everything depends on η = μ g/a0 alone. Slip k begins at φ_k + kπ and
lasts 2h_k; shifted by kπ, and mirrored if k is odd, it is one that begins at φ in [τ1, π - τ1], τ1 = asin η, with
the relative velocity w = η(τ - φ) + cos τ - cos φ.

*End.* G(h) = sin(φ + h) sin h - η h = -w/2 at τ = φ + 2h rises from 0 until τ = π - τ1 and falls from there on, to less
than zero at 2π - τ1: so one root, the first, lies between, and whatever root is enclosed there is that one.

*What follows.* Let ψ = φ + 2h - π, where a reverse slip would begin, and cos θ = πη/2. Then with d = (ψ - φ)/2
cos((φ + ψ)/2) = η (π/2 + d)/cos d. The right hand side falls with -d up to π/2 and grows with d, so ψ - θ has the other
sign than φ - θ and is not larger. Slip-slip (τ1 <= θ): all φ_k stay between τ1 and 2θ - τ1 < π - τ1, the next slip
begins at once, φ_(k+1) = ψ_k. Stick-slip: φ = τ1 and ψ >= τ1 would mean cos τ1 >= πη/2, that is η <= η*; so
-τ1 <= ψ < τ1, the plane holds the mass, and every slip begins at τ1.

*Limit.* dψ/dφ = -(sin φ - η)/(sin ψ + η). The product of k such factors along slips telescopes to one of
(s - η)/(s + η), s >= η being sines, and is at most exp(-2η(k - 1))/(2η): so fast φ_k tends to θ. Derivatives by η obey
φ_(k+1)' = F(φ_k) + (φ_k' - θ') dψ/dφ, F(φ) = -((sin φ - η) θ' + 2h)/(sin ψ + η), F(θ) = θ', |dF/dφ| < (|θ'| + 8)/η³;
with |θ'| <= π/(2η) and the bounds above, summed over all slips before, |φ_k' - θ'| < 162 k exp(-2ηk)/η⁶, which is less
than 60 exp(-ηk)/η⁷.

Source: EDF validation manual V5.01.104; B. Westermo, F. Udwadia, Earthquake Engineering and Structural Dynamics 11
(1983) 135-146. The bounds are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Literal

from flint import arb, ctx

from veridyn.references.engine.enclosure import Undecided, ball, decided, less, per_bits
from veridyn.references.engine.jets import Ball, Jet, differentiated, rooted, slope, value
from veridyn.references.parameters import Exact, ParameterError, ParameterSet
from veridyn.references.second_routes.sliding_closed import MOST_FOLLOWED

MOST_HALF_PERIODS = 10**12

Regime = Literal["stick", "stick-slip", "slip-slip"]


class Block(ParameterSet):
    """The parameters, and what follows from them; with `t_start` and `t_end` of a window, if there is one."""

    @property
    def eta(self) -> Exact:
        """Return η = μ g/a0: the friction available over the friction needed to follow the plane."""
        return self.mu * self.g / self.a0

    def tau(self, time: Exact) -> Exact:
        """Return ωt."""
        return self.omega * time


def critical_eta() -> arb:
    """Return η* = 2/√(π²+4): at and below it the mass never sticks again."""
    return 2 / (arb.pi() ** 2 + 4).sqrt()


@lru_cache(maxsize=256)
def regime(block: Block) -> Regime:
    """Decide the regime exactly: η is rational times a power of π and never equals η*; raises `ParameterError`."""
    eta = block.eta.plain
    if (eta.rational, eta.pi) == (Fraction(1), 0):
        return "stick"
    try:
        if decided(lambda: less(arb(1), ball(eta), "eta is 1"), 1000):
            return "stick"
        return (
            "stick-slip" if decided(lambda: less(critical_eta(), ball(eta), "eta is critical"), 1000) else "slip-slip"
        )
    except Undecided as error:
        raise ParameterError(
            f"a0, mu, g are too close to the border of two regimes to tell them apart: {error}"
        ) from error


@dataclass(frozen=True)
class Slip:
    """A slip, shifted by half periods into the first: begin φ and half of what it lasts, in τ."""

    eta: Ball
    begin: Ball
    half: Ball

    @property
    def end(self) -> Ball:
        """Return the end."""
        return self.begin + 2 * self.half

    @property
    def path(self) -> Ball:
        """Return the path of the whole slip, in units of a0/ω²: ∫|w| with η h = sin(φ + h) sin h put in."""
        return -2 * (self.begin + self.half).cos() * (self.half.sin() - self.half * self.half.cos())

    def part(self, since: Ball, until: Ball) -> Ball:
        """Return the path between two instants, exactly zero if the slip is surely elsewhere."""
        if until <= self.begin or since >= self.end:
            return arb(0)
        if since <= self.begin and until >= self.end:
            return self.path
        return self._path_to(until) - self._path_to(since)

    def _path_to(self, time: Ball) -> Ball:
        time = self._within(time)
        lapse = time - self.begin
        return lapse * self.begin.cos() - self.eta * lapse * lapse / 2 - time.sin() + self.begin.sin()

    def _within(self, time: Ball) -> Ball:
        zero = 0 * (time + self.begin)  # makes pairs of all if one is
        return (time + zero).max(self.begin + zero).min(self.end + zero)

    def following(self) -> Ball:
        """Return where the reverse slip begins, shifted, by the mean value theorem: errors shrink from slip to slip."""
        eta, begin, whole = value(self.eta), value(self.begin), value(self.half)
        turn, middle, half = (begin + 2 * whole).sin() - eta, begin.mid(), whole.mid()
        half -= _excess(eta, middle, half) / turn
        result: Ball = middle + 2 * half - arb.pi() + (begin.sin() - eta) / turn * (begin - middle)
        if not differentiated(self.eta, self.begin):
            return result
        return Jet(result, ((begin.sin() - eta) * slope(self.begin) + 2 * whole * slope(self.eta)) / turn)


def _excess(eta: Ball, begin: Ball, half: Ball) -> Ball:
    """Return G, which falls through zero where the slip ends."""
    return (begin + half).sin() * half.sin() - eta * half


def slip_from(eta: Ball, begin: Ball) -> Slip:
    """Enclose the slip that begins at φ; raises `Undecided` if the precision does not do."""
    return Slip(eta, begin, rooted(_half(value(eta), value(begin)), partial(_excess, eta, begin)))


def _half(eta: Ball, begin: Ball) -> Ball:
    """Return half of what a slip lasts."""
    last = begin + eta.asin()
    low, high = (arb.pi() - last) / 2, arb.pi() - last / 2
    near = _near(eta.mid(), begin.mid(), low.mid(), high.mid())
    excess = _excess(eta, begin, near)
    guess = near - excess / ((begin + 2 * near).sin() - eta)
    around = near + 4 * (guess - near).union(-(guess - near))
    half = near - excess / ((begin + 2 * around).sin() - eta)  # interval Newton: a root for every φ of the ball
    if not (around.contains_interior(half) and low < around and around < high):
        raise Undecided("the end of a slip is too close to its beginning, or that is known too roughly")
    return half


def _near(eta: Ball, begin: Ball, low: Ball, high: Ball) -> Ball:
    """Return a number near the root of G: Newton's iteration inside a bracket; nothing is proved here."""
    x, least = ((low + high) / 2).mid(), low
    for _ in range(4 * ctx.prec):
        value = _excess(eta, begin, x).mid()
        low, high = (x, high) if value > 0 else (low, x)
        following = (x - value / ((begin + 2 * x).sin() - eta)).mid()
        step = abs(following - x)
        x = following if low <= following <= high else ((low + high) / 2).mid()
        if step <= arb(2) ** -(ctx.prec // 2) * (x - least):
            break
    return x


@dataclass(frozen=True)
class Slips:
    """The slips of a motion: some followed one by one, from 0 or None at all, then one that stands for all others."""

    followed: tuple[Slip, ...]
    limit: Slip

    def __getitem__(self, k: int) -> Slip:
        return self.followed[k] if k < len(self.followed) else self.limit


def half_periods(tau: Ball) -> int:
    """Return about τ/π, rounded down, wrong by one at most; raises `ParameterError` for too many."""
    count = value(tau / arb.pi()).mid()
    if count > MOST_HALF_PERIODS:
        raise ParameterError(f"{count.str(3, radius=False)} half periods are too many: shorten the window")
    return int(count.floor().unique_fmpz())


def slips(block: Block, first: int, last: int) -> Slips:
    """Return the slips from one number to another; those before may be missing.

    Raises
    ------
    ParameterError
        If there are too many before they repeat.
    """
    eta = ball(block.eta)
    if regime(block) == "stick-slip":
        return Slips((), limit(block))
    size, tiny = value(eta), arb(2) ** -ctx.prec
    if differentiated(eta):  # settled: from there on the limit within the last bit, with its derivative
        settled = ((60 / size**7 / tiny).log() / size + 3).mid()
    else:
        settled = ((1 / size / tiny).log() / (2 * size) + 3).mid()
    count = int(settled.min(arb(last + 1)).floor().unique_fmpz())
    if count > MOST_FOLLOWED:
        raise ParameterError(f"more than {MOST_FOLLOWED} slips before the motion repeats: shorten the window")
    return Slips(_followed(block.eta, count) if first < settled else (), limit(block))


@per_bits
def limit(block: Block) -> Slip:
    """Return the slip to which all tend, within the last bit."""
    eta = ball(block.eta)
    if regime(block) == "stick-slip":
        return slip_from(eta, eta.asin())
    last = arb(0, arb(2) ** -ctx.prec)
    return slip_from(eta, theta(eta) + (Jet(last, last * slope(eta)) if differentiated(eta) else last))


def theta(eta: Ball) -> Ball:
    """Return where a slip begins that lasts half a period."""
    return (arb.pi() * eta / 2).acos()


@per_bits
def _followed(eta: Exact, count: int) -> tuple[Slip, ...]:
    result = [slip_from(ball(eta), ball(eta).asin())]
    while len(result) < count:
        result.append(slip_from(ball(eta), result[-1].following()))
    return tuple(result)


def path(block: Block, begin: Exact, end: Exact) -> Ball:
    """Return the path slid between two instants, in units of a0/ω²."""
    if regime(block) == "stick" or is_first_slip(block, end):
        return arb(0)
    since, until, pi = ball(block.tau(begin)), ball(block.tau(end)), arb.pi()
    first, last = half_periods(since), half_periods(until)
    result = slips(block, max(0, first - 2), last + 1)
    whole = range(first + 2, last - 2)  # slip k lies within kπ and (k + 2)π
    cut = {k for j in (first, last) for k in range(max(0, j - 2), j + 2) if k not in whole}
    followed = range(whole.start, min(whole.stop, len(result.followed)))
    repeated = len(whole) - len(followed)
    total = sum((result[k].path for k in followed), repeated * result.limit.path)
    return sum((result[k].part(since - k * pi, until - k * pi) for k in sorted(cut)), total)


def is_first_slip(block: Block, time: Exact) -> bool:
    """Tell whether a slip begins for the first time at an instant that can be told exactly: sin π/6 = 1/2."""
    tau = block.tau(time)
    return (block.eta.rational, block.eta.pi) == (Fraction(1, 2), 0) and (tau.rational, tau.pi) == (Fraction(1, 6), 1)


def begun(block: Block, until: Exact) -> int:
    """Return how many slips have begun by an instant."""
    if regime(block) == "stick":
        return 0
    if is_first_slip(block, until):
        return 1
    tau = ball(block.tau(until))
    last = half_periods(tau)
    result, sure = slips(block, max(0, last - 1), last + 1), max(0, last - 1)
    return sure + sum(
        less(result[k].begin + k * arb.pi(), tau, "a slip begins at the end") for k in range(sure, last + 2)
    )
