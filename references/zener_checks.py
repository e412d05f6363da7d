"""The second route of the mass on a Zener device: extrapolated steps in (x, v, z).

Spring K1 in series with [K2 beside (K3 in series with a dashpot)]; the dashpot carries D = C sign(w) |w|^α at the rate
w. With S = K1 + K2 + K3, the stretch x of the device and the path z of the dashpot,

    F = K1 ((K2 + K3) x - K3 z)/S,      D = K3 (K1 x - (K1 + K2) z)/S,      z' = sign(D) |D/C|^n,      n = 1/α.
"""

from __future__ import annotations

from functools import lru_cache

import mpmath
import sympy
from mpmath import mpf

from veridyn.references.certified import CertificationError
from veridyn.references.hybrid_steps import WORKING, Change, Mode, Problem, Steps, Vector, steps
from veridyn.references.parameters import Exact, ParameterError, Record

MOST = 4  # 1/α
AT_REST = "no stretch and no load: nothing moves"

LOADED, FREE = "loaded", "free"
SIDES = {1: "pulled", -1: "pushed"}  # by the sign of D
FORCE = sympy.sympify("fx*x + fz*z")


class Oscillator(Record):
    """A mass on the device and a spring k, m x'' = -F - k x - p sin(ωt) while t < until, at rest at x0 with z = 0."""

    def check(self) -> None:
        """Refuse powers that make no polynomial."""
        power = 1 / self.alpha.rational
        if self.alpha.pi or power.denominator != 1 or power > MOST:
            raise ParameterError(f"alpha must be 1, 1/2, 1/3 or 1/{MOST}, got {self.alpha}")

    @property
    def power(self) -> int:
        """The power n = 1/α."""
        return int(1 / self.alpha.rational)

    @property
    def loaded(self) -> bool:
        """Whether there is a load."""
        return self.p.rational != 0 and self.until.rational > 0

    @property
    def moves(self) -> bool:
        """Whether anything moves."""
        return self.x0.rational != 0 or self.loaded

    @property
    def rows(self) -> tuple[tuple[mpf, mpf], tuple[mpf, mpf]]:
        """Return the factors of x and z in F and in D."""
        k1, k2, k3 = self.k1.mpf(), self.k2.mpf(), self.k3.mpf()
        total = k1 + k2 + k3
        return (k1 * (k2 + k3) / total, -k1 * k3 / total), (k1 * k3 / total, -k3 * (k1 + k2) / total)


@lru_cache(maxsize=64)
def _problem(power: int, side: int, loaded: bool, end: Exact) -> Problem:
    """Return the motion, begun on a side of D: with odd powers, where the law does not ask for it, it stays there."""

    def mode(side: int, loaded: bool) -> Mode:
        load, flow = "p*sin(omega*t)" if loaded else "0", side if power % 2 == 0 else 1
        rates = ("v", f"-((fx + k)*x + fz*z + {load})/m", f"{flow}*((dx*x + dz*z)/c)**{power}")
        turns = [Change("turns", sympy.sympify(f"{side}*(dx*x + dz*z)"), name(-side, loaded))] if power % 2 == 0 else []
        ends = [Change("ends", sympy.sympify("until - t"), name(side, False))] if loaded else []
        return Mode(name(side, loaded), [*map(sympy.sympify, rates)], turns + ends)

    def name(side: int, loaded: bool) -> str:
        return f"{SIDES[side]}, {LOADED if loaded else FREE}"

    modes = tuple(mode(side, loaded) for side in SIDES for loaded in (True, False))
    numbers = ("m", "k", "c", "p", "omega", "until", "x0", "fx", "fz", "dx", "dz")
    start = sympy.Symbol("x0"), sympy.Integer(0), sympy.Integer(0)
    return Problem(("x", "v", "z"), numbers, modes, name(side, loaded), start, end.mpf())


def _steps(o: Oscillator) -> Steps:
    """Return the motion up to its end."""
    (fx, fz), (dx, dz) = o.rows
    side = 1 if (o.x0.rational or -o.p.rational) > 0 else -1  # of D a little later: x follows the load, D follows x
    return steps(_problem(o.power, side, o.loaded, o.end), o, fx=fx, fz=fz, dx=dx, dz=dz)


def state(o: Oscillator, time: Exact) -> Vector:
    """Return displacement, velocity and force of the device at an instant up to the end."""
    with mpmath.workdps(WORKING):
        _, (x, v, z) = _steps(o).at(time.mpf())
        (fx, fz), _ = o.rows
        return x, v, fx * x + fz * z


def peak(o: Oscillator) -> tuple[mpf, mpf]:
    """Return instant and value of the largest extreme of the force, found by extrapolated steps whatever α.

    Raises
    ------
    CertificationError
        If the force has no extreme.
    """
    with mpmath.workdps(WORKING):
        seen = _steps(o).outstanding(FORCE, mpmath.mpf(0), o.end.mpf())
        extremes = [(time, force) for time, force, turns in seen if turns]
    if not extremes:
        raise CertificationError("the force has no extreme")
    return max(extremes, key=lambda e: abs(e[1]))


def sudden_force(o: Oscillator) -> mpf:
    """Return the force right after the stretch (N)."""
    return o.x0.mpf() / (1 / o.k1.mpf() + 1 / (o.k2.mpf() + o.k3.mpf()))
