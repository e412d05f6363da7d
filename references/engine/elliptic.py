"""Jacobi's elliptic functions in ball arithmetic, with derivatives: by theta series, in the parameter m = k².

Source: NIST Digital Library of Mathematical Functions, chapters 19, 20 and 22. https://dlmf.nist.gov/22.2
"""

from __future__ import annotations

from math import ceil, log2, sqrt

from flint import acb, arb, ctx

from veridyn.references.engine.enclosure import Undecided
from veridyn.references.engine.jets import Ball, Jet, chain, curve, differentiated, find_order, slope, value

LARGEST = 0.8  # nome: above it series are long, and m is 1 but for 1e-18
FEWEST = 3  # terms: then each that is left out is less than half of the one before
NUMERATORS, DENOMINATORS = {"sn": 1, "cn": 2, "dn": 3}, {"sn": (3, 2), "cn": (4, 2), "dn": (4, 3)}


def first_kind(m: Ball) -> Ball:
    """Return the complete integral K(m), 0 < m < 1."""
    return chain(m, _first(value(m)), lambda m: (second_kind(m) - (1 - m) * first_kind(m)) / (2 * m * (1 - m)))


def second_kind(m: Ball) -> Ball:
    """Return the complete integral E(m), 0 < m < 1."""
    return chain(m, _second(value(m)), lambda m: (second_kind(m) - first_kind(m)) / (2 * m))


def nome(m: Ball) -> Ball:
    """Return q = exp(-π K(1 - m)/K(m)), 0 < m < 1."""
    plain, whole = value(m), _first(value(m))
    q = (-arb.pi() * _first(1 - plain) / whole).exp()
    # d(K(1 - m)/K(m))/dm = -π/(4 m (1 - m) K(m)²), by Legendre's relation (DLMF 19.7.1). So E is not needed here.
    return chain(m, q, lambda m: nome(m) * arb.pi() ** 2 / (4 * m * (1 - m) * first_kind(m) ** 2))


def jacobi(name: str, u: Ball, m: Ball) -> Ball:
    """Return sn, cn or dn of u and m, 0 < m < 1."""
    q = nome(m)
    z = u / theta(3, arb(0), q) ** 2
    above, below = (theta(number, arb(0), q) for number in DENOMINATORS[name])
    return above * theta(NUMERATORS[name], z, q) / (below * theta(4, z, q))


def theta(number: int, z: Ball, q: Ball) -> Ball:
    """Return Jacobi's theta function of a number, 1 to 4, at z, a series in the nome q.

    Raises
    ------
    Undecided
        For a nome that is not small enough.
    """
    odd, sign = int(number < 3), -1 if number in (1, 4) else 1
    count = _terms(q)
    total = _rest(z, q, count)
    for k in range(count):
        angle = (2 * k + odd) * z
        total = total + sign**k * q ** (k * (k + odd)) * (angle.sin() if number == 1 else angle.cos())
    return 2 * q ** (arb(1) / 4) * total if odd else 2 * total - 1


def _terms(q: Ball) -> int:
    if not value(q) < LARGEST:
        raise Undecided("the parameter m of an elliptic function is too near to 1")
    return max(FEWEST, ceil(sqrt(ctx.prec / -log2(max(float(value(q)), 1e-9)))) + 1)


def _rest(z: Ball, q: Ball, count: int) -> Ball:
    """Return what holds the terms that are left out, a geometric series, and their derivatives."""
    # The first term left out is at most q^(count²), as sine and cosine are at most 1. The next one has the factor
    # q^(2 k + 1) or less: with k >= 3 and q < 0.8 that is 0.8^7 = 0.21. So the rest is less than twice its first
    # term. Of derivatives the factors k (k + 1) and 2 k + 1 grow by 5/3 and 9/7 at most from term to term, and
    # the ratio stays below 1/2. Of second derivatives the largest factor is the square of k (k + 1): the ratio stays
    # below 0.21 (5/3)² = 0.6, and the rest below three times its first term.
    left = 2 * value(q) ** (count * count)
    rest = arb(0, left.abs_upper())
    if not differentiated(z, q):
        return rest
    power, turns = 2 * count**2, 3 * count  # bounds of k (k + 1) and 2 k + 1
    grows, moves = power * abs(slope(q)) / value(q), turns * abs(slope(z))
    rate = left * (grows + moves)
    if find_order(z, q) < 2:
        return Jet(rest, arb(0, rate.abs_upper()))
    bend = 2 * left * ((grows + moves) ** 2 + power * abs(curve(q)) / value(q) + turns * abs(curve(z)))
    return Jet(rest, arb(0, rate.abs_upper()), None, arb(0, bend.abs_upper()))


def _first(m: arb) -> arb:
    return acb(m).elliptic_k().real


def _second(m: arb) -> arb:
    return acb(m).elliptic_e().real
