"""Chain of eight masses with springs and dashpots between two walls, a rectangular force on one mass.

The dashpots at the two ends have constants of their own: unless all are equal the damping is not proportional, and the
modes are complex. The motion is that of one linear system, under the force and then without it; the modes are proved
eigenvalues of its matrix.

The second route: with the leading and trailing minors L, T of the tridiagonal Z(s) = s² M + s C + K the
receptance of mass 4 is H(s) = L(s) T(s)/det Z(s), and the response to a unit step from rest

    u(t) = H(0) + Σ_λ L(λ) T(λ)/(λ D'(λ)) e^{λt},    D = det Z, D(λ) = 0.

The force ends after a while: the response is u(t) - u(t - duration).

Source: EDF validation manuals V2.01.022 and V2.01.029 (SDLD22, SDLD29); K. A. Foss, Journal of Applied Mechanics 25,
1958 (complex modes).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations, pairwise

import mpmath
from flint import acb, acb_mat, arb
from mpmath import mpc, mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Absent, Exactly, Undecided, ball, less, per_bits, sign_of
from veridyn.references.engine.flows import LinearFlow, Row, State
from veridyn.references.engine.jets import Ball, Jet, differentiated, slope, value
from veridyn.references.engine.motion import Motion
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterSet
from veridyn.references.reference import NUMBER, TIME

MASSES, LOADED = 8, 4  # the force acts on mass 4, counted from the left, whose displacement is observed

PARAMETERS = (
    Parameter("m", "kg", "each of the eight masses", "10"),
    Parameter("k", "N/m", "each of the nine springs", "1e5"),
    Parameter("c", "N s/m", "each of the seven inner dashpots", "50", "non-negative"),
    Parameter("c_left", "N s/m", "dashpot at the left wall", "250", "non-negative"),
    Parameter("c_right", "N s/m", "dashpot at the right wall", "25", "non-negative"),
    Parameter("F", "N", "force on mass 4", "1"),
    Parameter("duration", "s", "how long the force acts", "1"),
)


class Chain(ParameterSet):
    """The parameters, and what follows from them."""

    @property
    def dashpots(self) -> list[Exact]:
        """Return the nine dashpots (N s/m) from left to right."""
        return [self.c_left, *[self.c] * (MASSES - 1), self.c_right]

    @property
    def unit(self) -> mpf:
        """Return sqrt(k/m) (rad/s), the unit of the roots."""
        return mpmath.sqrt((self.k / self.m).mpf())


def _rows(stiffness: Ball, dashpots: Sequence[Ball]) -> list[Row]:
    """Return y' = A y for y = (x, v), per mass."""
    rows: list[Row] = [{MASSES + i: arb(1)} for i in range(MASSES)]
    for i in range(MASSES):
        row = {i: -2 * stiffness, MASSES + i: -dashpots[i] - dashpots[i + 1]}
        for j, dashpot in ((i - 1, dashpots[i]), (i + 1, dashpots[i + 1])):
            if 0 <= j < MASSES:
                row |= {j: stiffness, MASSES + j: dashpot}
        rows.append(row)
    return rows


@per_bits
def _flow(o: Chain) -> LinearFlow:
    """Return the equations of (x, v, force on mass 4)."""
    rows = _rows(ball(o.k / o.m), [ball(d / o.m) for d in o.dashpots])
    rows[MASSES + LOADED - 1] = {**rows[MASSES + LOADED - 1], 2 * MASSES: 1 / ball(o.m)}
    return LinearFlow([*rows, {}])


def _state(o: Chain, time: Ball, over: bool) -> State:
    """Return the state at an instant, before or after the end of the force."""
    flow, rest = _flow(o), (arb(0),) * (2 * MASSES)
    if not over:
        return flow.after((*rest, ball(o.F)), time)
    state = flow.after((*rest, ball(o.F)), ball(o.duration))
    return flow.after((*state[:-1], arb(0)), time - ball(o.duration))


@per_bits
def _modes(o: Chain) -> list[tuple[Ball, Ball]]:
    """Return real and imaginary part of the eigenvalues above the real axis, ascending, over sqrt(k/m)."""
    scale = (ball(o.k) * ball(o.m)).sqrt()
    dashpots = [ball(d) / scale for d in o.dashpots]
    plain = [value(d) for d in dashpots]
    upper = _upper(plain)
    if not differentiated(*dashpots):
        return [(z.real, z.imag) for z in upper]
    shifts = [-slope(_determinant(dashpots, z)) / slope(_determinant(plain, Jet(z, acb(1)))) for z in upper]
    return [(Jet(z.real, dz.real), Jet(z.imag, dz.imag)) for z, dz in zip(upper, shifts, strict=True)]


def _determinant(dashpots: Sequence[Ball], z: Ball) -> Ball:
    """Return det(z² + z C + K) of unit masses and springs, by its three-term recurrence."""
    before, now = acb(0), acb(1)
    for a, b in pairwise(dashpots):
        before, now = now, (z**2 + (a + b) * z + 2) * now - (a * z + 1) ** 2 * before
    return now


def _upper(dashpots: Sequence[Ball]) -> list[acb]:
    """Return the eigenvalues of unit masses and springs above the real axis, ascending."""
    matrix = acb_mat(2 * MASSES, 2 * MASSES)
    for i, row in enumerate(_rows(arb(1), dashpots)):
        for j, a in row.items():
            matrix[i, j] = a
    try:
        result = matrix.eig()
    except ValueError as error:
        raise Undecided("two complex modes coincide, or nearly") from error
    upper = sorted((z for z in result if z.imag > 0), key=lambda z: float(z.imag.mid()))
    if len(upper) < MASSES and _real([z for z in result if z.imag.contains(0)], result):
        raise Absent("strong damping leaves fewer than eight modes that oscillate")
    if len(upper) < MASSES or not all(less(a.imag, b.imag, "two frequencies agree") for a, b in pairwise(upper)):
        raise Undecided("a mode oscillates slowly or not at all")
    return upper


def _real(some: Sequence[acb], found: Sequence[acb]) -> bool:
    """Tell whether eigenvalues are surely real: of a real matrix, in a ball whose mirror image meets no other."""
    return all(sum(z.conjugate().overlaps(other) for other in found) == 1 for z in some)


def _scaled(o: Chain) -> list[mpf]:
    """Return the dashpots of the same chain with unit masses and springs."""
    return [d.mpf() * o.unit / o.k.mpf() for d in o.dashpots]


def _minor(dashpots: Sequence[mpf], s: mpc) -> tuple[mpc, mpc]:
    """Return det(s² + s C + K) of the masses between dashpots, masses and springs being one, and its derivative."""
    u, du, v, dv = map(mpmath.mpc, (0, 0, 1, 0))
    for a, b in pairwise(dashpots):
        pivot, link = s**2 + (a + b) * s + 2, a * s + 1
        slope = (2 * s + a + b) * v + pivot * dv - 2 * a * link * u - link**2 * du
        u, du, v, dv = v, dv, pivot * v - link**2 * u, slope
    return v, dv


def _across(dashpots: Sequence[mpf], s: mpc) -> mpc:
    """Return L T."""
    return _minor(dashpots[:LOADED], s)[0] * _minor(dashpots[LOADED:], s)[0]


@per_precision
def _poles(o: Chain) -> list[tuple[mpc, mpc]] | None:
    """Return the roots λ of D, each with its L T/(λ D'), in units of sqrt(k/m) and k; None if some coincide."""
    near = mpmath.sqrt(mpmath.eps)
    with mpmath.workdps(2 * mpmath.mp.dps):
        dashpots, matrix = _scaled(o), mpmath.zeros(2 * MASSES)
        for i in range(MASSES):
            matrix[i, MASSES + i], last = 1, MASSES + i
            matrix[last, i], matrix[last, last] = -2, -dashpots[i] - dashpots[i + 1]
            if i:
                matrix[last, i - 1] = matrix[last - 1, i] = 1
                matrix[last, last - 1] = matrix[last - 1, last] = dashpots[i]
        roots = mpmath.eig(matrix, left=False, right=False)
        if any(abs(y - z) < near * abs(z) for y, z in combinations(roots, 2)):
            return None
        return [(z, _across(dashpots, z) / (z * _minor(dashpots, z)[1])) for z in roots]


def _step_response(o: Chain, t: mpf) -> mpf:
    """Displacement of mass 4 (m) under a step of 1 N that began t ago."""
    if t <= 0:
        return mpmath.mpf(0)
    poles, dashpots = _poles(o), _scaled(o)
    if poles is None:
        return _around(o, o.unit * t) / o.k.mpf()
    free = mpmath.re(mpmath.fsum(b * mpmath.exp(z * o.unit * t) for z, b in poles))
    return (free + _across(dashpots, mpmath.mpc(0)).real / _minor(dashpots, mpmath.mpc(0))[0].real) / o.k.mpf()


def _around(o: Chain, t: mpf) -> mpf:
    """Return k u by the mean of H(s) e^{st} on a circle around all poles, which may coincide."""
    radius = 2 * (2 + 4 * max(d.mpf() for d in o.dashpots) * o.unit / o.k.mpf())  # twice a bound of the poles
    bits = mpmath.mp.prec + int(3 * radius * t)
    with mpmath.workprec(2 * bits):
        circle = [radius * mpmath.expjpi(mpmath.mpf(2 * n) / (3 * bits)) for n in range(3 * bits)]
        dashpots = _scaled(o)
        terms = (_across(dashpots, s) / _minor(dashpots, s)[0] * mpmath.exp(s * t) for s in circle)
        return mpmath.re(mpmath.fsum(terms)) / (3 * bits)


def _response(o: Chain, t: mpf) -> mpf:
    return o.F.mpf() * (_step_response(o, t) - _step_response(o, t - o.duration.mpf()))


def _upper_pole(o: Chain, number: int) -> mpc:
    upper = sorted((z for z, _ in _poles(o) or () if z.imag > 0), key=lambda z: z.imag)
    return upper[-MASSES:][number - 1]


reference = References(
    PARAMETERS,
    Chain,
    proof="linear motion enclosed",
    how="complex modes: poles and residues of the receptance",
)
of_mode = partial(
    reference,
    proof="eigenvalues of the state matrix, enclosed one by one",
    how="roots of det(s² M + s C + K)",
)


@reference(lambda o, time: _response(o, time.mpf()), takes=(TIME,))
def displacement(o: Chain, time: Exact) -> Ball:
    """Displacement of mass 4 at an instant, in m."""
    if not time.rational:
        raise Exactly(0, "at rest at t = 0")
    return _state(o, ball(time), over=sign_of(time, -o.duration.plain) > 0)[LOADED - 1]


@of_mode(lambda o, number: _upper_pole(o, number).imag * o.unit / (2 * mpmath.pi), takes=(NUMBER,))
def frequency(o: Chain, number: int) -> Ball:
    """Damped frequency Im λ/2π of a complex mode (Hz), counted from 1, ascending; undefined unless all oscillate."""
    return _modes(o)[number - 1][1] * ball(o.k / o.m).sqrt() / (2 * arb.pi())


@of_mode(lambda o, number: -_upper_pole(o, number).real / abs(_upper_pole(o, number)), takes=(NUMBER,))
def damping(o: Chain, number: int) -> Ball:
    """Damping ratio -Re λ/|λ| of a complex mode; as `frequency`."""
    if not any(d.rational for d in o.dashpots):
        raise Exactly(0, "no dashpot acts")
    real, imaginary = _modes(o)[number - 1]
    return -real / (real**2 + imaginary**2).sqrt()


@reference.function(digits=20)
def motion(o: Chain, digits: int) -> Motion:
    """Return the motion for figures and comparison of histories: displacement of mass 4."""

    def read(t: Ball) -> Ball:
        over = not less(t, ball(o.duration), "an instant lies at the end of the force")
        return _state(o, t, over)[LOADED - 1]

    return Motion({"displacement": read}, lambda: [(ball(o.duration), "free")], digits)
