"""The second route of the mass on a Zener device: extrapolated steps in (x, v, z).

Spring K1 in series with [K2 beside (K3 in series with a dashpot)]; the dashpot carries D = C sign(w) |w|^α at the rate
w. With S = K1 + K2 + K3, the stretch x of the device and the path z of the dashpot,

    F = K1 ((K2 + K3) x - K3 z)/S,      D = K3 (K1 x - (K1 + K2) z)/S,      z' = sign(D) |D/C|^n,      n = 1/α.
"""

from __future__ import annotations

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.extrapolation import WORKING, Edge, Law, Rates, Step, Vector, at, followed, turned
from veridyn.references.parameters import Exact, ParameterError, Record

MOST = 4  # 1/α
AT_REST = "no stretch and no load: nothing moves"

Mode = tuple[int, bool]  # sign of D, whether the load acts


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


@per_precision
def _steps(o: Oscillator) -> list[Step]:
    """Return the motion up to its end."""
    (fx, fz), (dx, dz) = o.rows
    m, k, c, p, omega, x0 = (n.mpf() for n in (o.m, o.k, o.c, o.p, o.omega, o.x0))

    def rates(mode: Mode) -> Rates:
        sign, loaded = mode
        flow = (sign if o.power % 2 == 0 else 1) / c**o.power

        def found(time: mpf, y: Vector) -> Vector:
            x, v, z = y
            pushed = p * mpmath.sin(omega * time) if loaded else 0
            return v, -((fx + k) * x + fz * z + pushed) / m, flow * (dx * x + dz * z) ** o.power

        return found

    def edges(mode: Mode) -> list[Edge]:
        sign, loaded = mode
        if o.power % 2:
            return []  # D^n is what the dashpot follows whatever the sign
        return [Edge({0: sign * dx, 2: sign * dz}, mpmath.mpf(0), (-sign, loaded))]

    def ends(mode: Mode) -> tuple[mpf, Mode]:
        return (o.until.mpf(), (mode[0], False)) if mode[1] else (o.end.mpf(), mode)

    fastest = mpmath.sqrt((fx + k) / m)
    size = abs(x0) + abs(p) / (m * fastest * max(fastest, omega))
    forces = dx * size
    relaxing = o.power * -dz * forces ** (o.power - 1) / c**o.power
    law = Law(rates, edges, ends, 0.7 / max(fastest, relaxing, omega if o.loaded else 0), (size, size * fastest, size))
    sign = mpmath.sign(x0) or -mpmath.sign(p)  # of D a little later: x follows the load, D follows x
    return followed(law, (int(sign), o.loaded), (x0, mpmath.mpf(0), mpmath.mpf(0)), o.end.mpf())


def state(o: Oscillator, time: Exact) -> Vector:
    """Return displacement, velocity and force of the device at an instant up to the end."""
    with mpmath.workdps(WORKING):
        x, v, z = at(_steps(o), time.mpf())[1]
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
        (fx, fz), _ = o.rows
        force = Edge({0: fx, 2: fz}, mpmath.mpf(0), None)
        extremes = [(time, force.value(y)) for time, y in turned(_steps(o), force, o.end.mpf())]
    if not extremes:
        raise CertificationError("the force has no extreme")
    return max(extremes, key=lambda e: abs(e[1]))


def sudden_force(o: Oscillator) -> mpf:
    """Return the force right after the stretch (N)."""
    return o.x0.mpf() / (1 / o.k1.mpf() + 1 / (o.k2.mpf() + o.k3.mpf()))
