"""The second route of Andrews' mechanism: power series of Lagrange's equations with multipliers, in integers.

Each bar has its angle a against the frame and the unit vector w = (x, y) along it, w' = a' n with n = (-y, x). With
inertias J, couplings K of bars that carry each other, reaches L of the bars in the loops and forces F that close them,

    J a'' + K n·w''(of the other) + L n·F = torque,    sum of L w = where the hinges are.

A coefficient of all angles and forces follows from those before by the same matrix, one a step. Numbers are integers in
units of 2^-160, times in units of 2^-12 s, in which the coefficients neither grow nor vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any, NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references.certified import CertificationError, per_precision
from veridyn.references.parameters import ParameterSet, exact

PROMISED = 22  # digits
DIGITS = 44  # of what integers are made from
BITS = 160
UNIT = 12  # binary digits of the unit of time
ORDER = 36
SHARP = 2.0**-96  # of an angle: what a step leaves out
END = "0.03"  # s
BETA, PSI, GAMMA, DELTA, CHI, ETA, EPSILON = range(7)
LOOPS = range(3)  # each of crank and bar 2 with body 3, with the bars DELTA and CHI, with ETA and EPSILON

Series = list[int]


class MechanismBar(NamedTuple):
    """A bar: inertia over the square of the unit of time (N m), reach in its loops (m), loops that it closes."""

    inertia: int
    reach: int
    loops: tuple[int, ...]


class Mechanism(NamedTuple):
    """Bars, pairs of bars with their coupling (N m), the torque on the crank (N m) and the spring on body 3."""

    bars: Sequence[MechanismBar]
    couplings: Sequence[tuple[int, int, int]]
    torque: int
    spring: MechanismSpring


class MechanismSpring(NamedTuple):
    """Half the square of its length is `square` plus w·`along` (m²); its moment is -(w·`moment`) (1 - l0/length)."""

    square: int
    along: tuple[int, int]
    moment: tuple[int, int]
    free: int


def _fixed(x: mpf, bits: int = BITS) -> int:
    return int(mpmath.nint(mpmath.ldexp(x, bits)))


def _real(x: int, bits: int = BITS) -> mpf:
    return mpmath.ldexp(mpmath.mpf(x), -bits)


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return int(sum(map(mul, a, b)) >> BITS)


def _machine(p: Any) -> Mechanism:
    """Return the machine of parameters, attributes in mpmath."""
    e, f = p.e - p.ea, p.zf - p.fa
    inertias = (
        *(p.m1 * p.ra**2 + p.I1 + p.m2 * p.rr**2, p.m2 * p.da**2 + p.I2, p.m3 * (p.sa**2 + p.sb**2) + p.I3),
        *(p.m4 * p.zt**2 + p.m5 * (p.ta**2 + p.tb**2) + p.I5, p.m4 * e**2 + p.I4),
        *(p.m6 * f**2 + p.I6, p.m6 * p.u**2 + p.m7 * (p.ua**2 + p.ub**2) + p.I7),
    )
    reaches = (p.rr, -p.d, -p.ss, -p.zt, -p.e, -p.zf, -p.u)
    loops = ((0, 1, 2), (0, 1, 2), (0,), (1,), (1,), (2,), (2,))
    bars = [
        MechanismBar(_fixed(i, BITS + 2 * UNIT), _fixed(r), of)
        for i, r, of in zip(inertias, reaches, loops, strict=True)
    ]
    couplings = ((BETA, PSI, -p.m2 * p.da * p.rr), (DELTA, CHI, p.m4 * p.zt * e), (ETA, EPSILON, p.m6 * p.u * f))
    x, y = p.xb - p.xc, p.yb - p.yc
    spring = MechanismSpring(
        _fixed((p.sc**2 + p.sd**2 + x**2 + y**2) / 2),
        (_fixed(p.sc * x + p.sd * y), _fixed(p.sc * y - p.sd * x)),
        (_fixed(p.c0 * (p.sc * y - p.sd * x)), _fixed(-p.c0 * (p.sc * x + p.sd * y))),
        _fixed(p.l0),
    )
    return Mechanism(bars, [(i, j, _fixed(k, BITS + 2 * UNIT)) for i, j, k in couplings], _fixed(p.mom), spring)


# ---- one step


class StepExpansion:
    """The series of a step: angles, unit vectors, forces of the loops (N), each coefficient by coefficient."""

    def __init__(self, machine: Mechanism, angles: Sequence[int], rates: Sequence[int]) -> None:
        self.machine = machine
        self.angles = [[a, r] for a, r in zip(angles, rates, strict=True)]
        self.rates = [[r] for r in rates]
        units = [mpmath.cos_sin(_real(a)) for a in angles]
        self.x: list[Series] = [[_fixed(c)] for c, _ in units]
        self.y: list[Series] = [[_fixed(s)] for _, s in units]
        for i in range(7):
            x, y = self._vector(i, 0)
            self.x[i].append(x)
            self.y[i].append(y)
        self.forces: list[tuple[Series, Series]] = [([], []) for _ in LOOPS]
        self.inverse: Series = []  # of the length of the spring
        self._solve = _inverted(self._matrix())

    def _vector(self, i: int, k: int) -> tuple[int, int]:
        """Return coefficient k + 1 of a unit vector from the coefficients of the rate so far."""
        turned = self.rates[i][::-1]
        terms = k + 1
        first = terms - len(turned)  # a rate that is not known yet comes later
        x = -sum(map(mul, self.y[i][first:terms], turned)) >> BITS
        y = sum(map(mul, self.x[i][first:terms], turned)) >> BITS
        return x // terms, y // terms

    def _matrix(self) -> list[Series]:
        rows = [[0] * 13 for _ in range(13)]
        for i, bar in enumerate(self.machine.bars):
            rows[i][i] = bar.inertia
            for loop in bar.loops:
                for place, n in ((7 + 2 * loop, -self.y[i][0]), (8 + 2 * loop, self.x[i][0])):
                    rows[i][place] = rows[place][i] = bar.reach * n >> BITS
        for i, j, k in self.machine.couplings:
            along = (self.x[i][0] * self.x[j][0] + self.y[i][0] * self.y[j][0]) >> BITS
            rows[i][j] = rows[j][i] = k * along >> BITS
        return rows

    def extend(self, k: int) -> None:
        """Find coefficient k of the forces and k + 2 of the angles."""
        factor = (k + 1) * (k + 2)
        ahead = [self._vector(i, k + 1) for i in range(7)]
        torques = self._torques(k, ahead)
        right = [t // factor for t in torques]
        right += [self._open(loop, axis, ahead) for loop in LOOPS for axis in (0, 1)]
        result = [_dot(row, right) for row in self._solve]
        for i, a in enumerate(result[:7]):
            self.angles[i].append(a)
            self.rates[i].append((k + 2) * a)
            self.x[i].append(ahead[i][0] - (self.y[i][0] * a >> BITS))
            self.y[i].append(ahead[i][1] + (self.x[i][0] * a >> BITS))
        for (fx, fy), x, y in zip(self.forces, result[7::2], result[8::2], strict=True):
            fx.append(factor * x)
            fy.append(factor * y)

    def _open(self, loop: int, axis: int, ahead: Sequence[tuple[int, int]]) -> int:
        """Return by how much a loop would open, with what is known of the unit vectors."""
        return -sum(b.reach * a[axis] for b, a in zip(self.machine.bars, ahead, strict=True) if loop in b.loops) >> BITS

    def _torques(self, k: int, ahead: Sequence[tuple[int, int]]) -> list[int]:
        """Return what acts on the bars at order k beside what is sought."""
        result = [0] * 7
        result[BETA] = self.machine.torque if k == 0 else 0
        result[GAMMA] = self._pull(k)
        for i, bar in enumerate(self.machine.bars):
            closing = (zip(*(self.forces[loop][axis] for loop in bar.loops), strict=True) for axis in (0, 1))
            result[i] -= bar.reach * self._moment(i, *([*map(sum, parts)] for parts in closing)) >> BITS
        for i, j, coupling in self.machine.couplings:
            result[i] -= coupling * self._carried(i, j, k, ahead) >> BITS
            result[j] -= coupling * self._carried(j, i, k, ahead) >> BITS
        return result

    def _moment(self, i: int, fx: Series, fy: Series) -> int:
        """Return coefficient k of n·F, with the k terms of F that are known."""
        k = len(fx)
        return int((sum(map(mul, self.x[i][k:0:-1], fy)) - sum(map(mul, self.y[i][k:0:-1], fx))) >> BITS)

    def _carried(self, i: int, j: int, k: int, ahead: Sequence[tuple[int, int]]) -> int:
        """Return coefficient k of n·w'' of another bar, of which the last term is known but for its angle's."""
        bent = [(m + 1) * (m + 2) for m in range(k)]
        x = [*map(mul, bent, self.x[j][2:]), (k + 1) * (k + 2) * ahead[j][0]]
        y = [*map(mul, bent, self.y[j][2:]), (k + 1) * (k + 2) * ahead[j][1]]
        return int((sum(map(mul, self.x[i][k::-1], y)) - sum(map(mul, self.y[i][k::-1], x))) >> BITS)

    def _pull(self, k: int) -> int:
        """Return coefficient k of the moment of the spring."""
        spring = self.machine.spring
        x, y = self.x[GAMMA], self.y[GAMMA]
        half = [_dot(spring.along, w) for w in zip(x[: k + 1], y[: k + 1], strict=True)]
        half[0] += spring.square
        self.inverse.append(_inverse_length(half, self.inverse))
        arm = [_dot(spring.moment, w) for w in zip(x[: k + 1], y[: k + 1], strict=True)]
        return (spring.free * _dot(arm[::-1], self.inverse) >> BITS) - arm[k]

    def at(self, lapse: int) -> tuple[list[int], list[int]]:
        """Return angles and rates after a lapse."""
        return [_value(a, lapse) for a in self.angles], [_value(r, lapse) for r in self.rates]

    @property
    def reach(self) -> int:
        """The lapse after which the terms that are left out begin to count."""
        last = max(abs(a[-back] / 2.0**BITS) ** (1 / (len(a) - back)) for a in self.angles for back in (1, 2))
        return int(SHARP ** (1 / ORDER) / last * 2.0**BITS)


def _inverse_length(half: Series, before: Series) -> int:
    """Return the next coefficient of w = (2 h)^(-1/2), by h w' = -h' w/2."""
    k = len(before)
    if not k:
        return _fixed(1 / mpmath.sqrt(2 * _real(half[0])))
    return -sum((2 * k - j) * half[j] * before[k - j] for j in range(1, k + 1)) // (2 * k * half[0])


def _value(series: Series, lapse: int) -> int:
    result = 0
    for coefficient in reversed(series):
        result = coefficient + (result * lapse >> BITS)
    return result


def _inverted(matrix: list[Series]) -> list[Series]:
    """Return the inverse of a matrix (Gauss and Jordan, with pivots)."""
    n = len(matrix)
    rows = [[*row, *((1 << BITS) * (i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        top = rows[i][i]
        if not top:
            raise CertificationError("the loops are locked")
        rows[i] = here = [(x << BITS) // top for x in rows[i]]
        for r in range(n):
            factor = rows[r][i]
            if r != i and factor:
                rows[r] = [x - (factor * y >> BITS) for x, y in zip(rows[r], here, strict=True)]
    return [row[n:] for row in rows]


# ---- the motion


def _start(p: Any) -> list[mpf]:
    """Return the angles at the start: triangles whose sides are known; crank and bar 2 are in line."""
    hinge, far = mpmath.mpc(p.xb, p.yb), mpmath.mpc(p.xa, p.ya)
    reach, apart = p.d - p.rr, abs(hinge)
    beta = mpmath.arg(hinge) - mpmath.acos((p.ss**2 - reach**2 - apart**2) / (2 * reach * apart))
    joint = -reach * mpmath.expj(beta)
    upper, lower = _triangle(joint - far, p.zt, p.e), _triangle(joint - far, p.zf, p.u)
    return [beta, beta, mpmath.arg(1j * (joint - hinge)), *upper, *lower]


def _triangle(side: Any, a: mpf, b: mpf) -> tuple[mpf, mpf]:
    """Return angles p and q of two bars with a e^(ip) - i b e^(iq) = side, q - p within a right angle."""
    apart = abs(side)
    p = mpmath.arg(side) + mpmath.acos((a**2 + apart**2 - b**2) / (2 * a * apart))
    return p, mpmath.arg(1j * (side - a * mpmath.expj(p)))


ACROSS = (GAMMA, CHI, EPSILON)  # whose unit vector is a right angle behind the angle


class MechanismState(NamedTuple):
    """Angles, velocities, accelerations as the problem counts them (7 each), multipliers (6)."""

    angles: Sequence[mpf]
    velocities: Sequence[mpf]
    accelerations: Sequence[mpf]
    multipliers: Sequence[mpf]


@per_precision
def _followed(o: ParameterSet, moves: bool) -> MechanismState:
    """Return the state at the start or, if it moves, at the end."""
    with mpmath.workdps(DIGITS):
        p = _MultiprecisionParameters(o)
        machine, right = _machine(p), mpmath.pi / 2
        angles = [_fixed(a - right if i in ACROSS else a) for i, a in enumerate(_start(p))]
        rates, left = [0] * 7, _fixed(exact(END).mpf(), BITS + UNIT) if moves else 0
        while True:
            motion = StepExpansion(machine, angles, rates)
            for k in range(ORDER if left else 1):
                motion.extend(k)
            if not left:
                return _read(motion)
            lapse = min(motion.reach, left)
            angles, rates = motion.at(lapse)
            left -= lapse


def _read(motion: StepExpansion) -> MechanismState:
    right = mpmath.pi / 2
    angles = [_real(a[0]) + (right if i in ACROSS else 0) for i, a in enumerate(motion.angles)]
    rates = [_real(a[1], BITS - UNIT) for a in motion.angles]
    accelerations = [2 * _real(a[2], BITS - 2 * UNIT) for a in motion.angles]
    forces = [_real(f[0]) for loop in motion.forces for f in loop]
    return MechanismState(_relative(angles), _relative(rates), _relative(accelerations), forces)


def _relative(a: Sequence[mpf]) -> list[mpf]:
    return [
        *(a[BETA], a[PSI] - a[BETA], a[GAMMA], a[CHI] - a[DELTA], a[DELTA]),
        *(a[ETA] - a[EPSILON], a[EPSILON]),
    ]


class _MultiprecisionParameters:
    """Parameters as attributes in mpmath."""

    def __init__(self, o: ParameterSet) -> None:
        vars(self).update({name: number.mpf() for name, number in vars(o).items()})


def at_end(o: ParameterSet) -> MechanismState:
    """Return the state at 0.03 s."""
    return _followed(o, True)


def at_start(o: ParameterSet) -> MechanismState:
    """Return the state at 0."""
    return _followed(o, False)
