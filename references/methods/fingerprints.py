"""What known time integrators make of ``x'' + w² x = 0``, x(0) = 1 m, x'(0) = 0, and of a ball that bounces.

Functions take parameters as attributes, w in rad/s and the step h in s: balls in first routes, numbers of mpmath in
second ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
from flint import acb_mat, arb, arb_mat

from veridyn.references.engine.enclosure import Absent, ball
from veridyn.references.engine.jets import largest, rooted, value
from veridyn.references.methods.integrators import read_method
from veridyn.references.methods.recurrences import MatrixSystem, Recurrence, assemble
from veridyn.references.parameters import Exact

STEPS = 100
GRAVITY, RESTITUTION = 10, Fraction(1, 2)  # of the ball, dropped from 1 m

# ---- first route: powers and eigenvalues of the matrix of a step, in balls

Rows = list[list[Any]]


def newmark_step(p: Any, beta: str, gamma: str = "1/2", alpha_m: str = "0", alpha_f: str = "0") -> Rows:
    """Return the matrix (3, 3) of a step on x, h v and h² a."""
    b, g, m, f = (ball(Exact(Fraction(given))) for given in (beta, gamma, alpha_m, alpha_f))
    square, half = (p.w * p.h) ** 2, arb(1) / 2
    below = square * (1 - f) * b + (1 - m)
    push = [-square / below, -square * (1 - f) / below, -(square * (1 - f) * (half - b) + m) / below]
    return [
        [push[0] * b + 1, push[1] * b + 1, push[2] * b + half - b],
        [push[0] * g, push[1] * g + 1, push[2] * g + 1 - g],
        push,
    ]


def wilson_step(p: Any, theta: str) -> Rows:
    """Return that of Wilson's method: an acceleration that is linear up to theta steps."""
    t, square = ball(Exact(Fraction(theta))), (p.w * p.h) ** 2
    below = square * t**2 / 6 + 1
    beyond = [-square / below, -square * t / below, -square * t**2 / 3 / below]
    a, b, c = beyond[0] / t, beyond[1] / t, (beyond[2] - 1) / t + 1
    return [[a / 6 + 1, b / 6 + 1, (c + 2) / 6], [a / 2, b / 2 + 1, (c + 1) / 2], [a, b, c]]


def last(of: Callable[[Any], Rows], place: int, p: Any) -> Any:
    """Return x (m) or v (m/s) after the steps, from x = 1 m, v = 0 and the acceleration of the balance."""
    matrix, state = of(p), [arb(1), arb(0), -((p.w * p.h) ** 2)]
    for _ in range(STEPS):
        state = [sum((m * s for m, s in zip(row, state, strict=True)), start=arb(0)) for row in matrix]
    return state[1] / p.h if place else state[0]


def radius(of: Callable[[Any], Rows], p: Any) -> Any:
    """Return the spectral radius: real roots of the cubic, and with one alone the pair, whose square is det/root."""
    (a, b, c), (d, e, f), (g, h, i) = matrix = of(p)
    trace, minors = a + e + i, a * e - b * d + a * i - c * g + e * i - f * h
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    spectrum = acb_mat(arb_mat([[value(entry) for entry in row] for row in matrix])).eig()
    real = [z.real for z in spectrum if z.imag.contains(0)]
    roots = [rooted(r, lambda z: ((trace * -1 + z) * z + minors) * z - det) + arb(0) for r in real]
    pair = [(det / roots[0]).sqrt()] if len(roots) == 1 else []
    return largest([*map(abs, roots), *pair])


def ratio(beta: str, p: Any) -> Any:
    """Return the period in the mean over the true one, by the cosine of a step."""
    b, square = ball(Exact(Fraction(beta))), (p.w * p.h) ** 2
    cosine = (square * (b - arb(1) / 2) + 1) / (square * b + 1)
    if not cosine > -1:
        raise Absent("the step is beyond the limit of stability: nothing oscillates")
    return p.w * p.h / cosine.acos()


def bounced(_: Any = None, *, step: Fraction, count: int) -> Any:
    """Return the height (m) of the ball by Moreau and Jean's method with theta = 1/2, in rational numbers."""
    y, v = Fraction(1), Fraction(0)
    for _ in range(count):
        free = v - step * GRAVITY
        after = max(free, -RESTITUTION * v) if y + step * v / 2 <= 0 else free
        y, v = y + step * (v + after) / 2, after
    return ball(Exact(y))


# ---- second route: cosines, the recurrences by which solvers are held to their method, leaps of the ball


def assembled(p: Any, method: str, constants: Mapping[str, str]) -> Recurrence:
    """Return the step of a method as `veridyn.references.methods.discrete` makes it."""

    def one(number: Any) -> Any:
        return np.array([[number]], dtype=object)

    rule = read_method(method, constants).rule()
    return assemble(rule, MatrixSystem(one(mpmath.mpf(1)), one(mpmath.mpf(0)), one(p.w**2), p.h))


def marched(p: Any, method: str, constants: Mapping[str, str]) -> Any:
    """Return x after the steps."""
    made = assembled(p, method, constants)
    state = made.start @ np.array([mpmath.mpf(1), mpmath.mpf(0), mpmath.mpf(0)], dtype=object)
    for _ in range(STEPS):
        state = made.step @ state
    return state[0]


def spectral(p: Any, method: str, constants: Mapping[str, str]) -> Any:
    """Return the largest magnitude of an eigenvalue."""
    result = mpmath.eig(mpmath.matrix(assembled(p, method, constants).step.tolist()), left=False, right=False)
    return max(map(abs, result))


def tilt(p: Any, beta: str) -> tuple[Any, Any]:
    """Return beta as a number, and the angle φ of a step of Newmark's family, from sin φ/2."""
    b, square = Exact(Fraction(beta)).mpf(), (p.w * p.h) ** 2
    return b, 2 * mpmath.asin(mpmath.sqrt(square / 4 / (1 + b * square)))


def turned(p: Any, beta: str) -> Any:
    """Return x after the steps: cos n φ."""
    return mpmath.re(mpmath.cos(STEPS * tilt(p, beta)[1]))


def speed(p: Any, beta: str) -> Any:
    """Return v after the steps: what the method keeps is v² + w² (1 + (beta - 1/4) (w h)²) x²."""
    b, angle = tilt(p, beta)
    return -p.w * mpmath.re(mpmath.sqrt(1 + (b - mpmath.mpf(1) / 4) * (p.w * p.h) ** 2) * mpmath.sin(STEPS * angle))


def share(p: Any, beta: str) -> Any:
    """Return the period in periods of the motion."""
    return p.w * p.h / tilt(p, beta)[1]


def leapt(_: Any, *, step: Fraction, count: int) -> Any:
    """Return the height of the ball by parabolas, whose next impact is where y + h v/2 is not positive any more."""
    h, g = (mpmath.mpf(x.numerator) / x.denominator for x in (step, Fraction(GRAVITY)))
    y, v, left = mpmath.mpf(1), mpmath.mpf(0), count
    while left:
        # y + v t - g t²/2 + h (v - g t)/2 = 0
        rest, gap = v - g * h / 2, y + h * v / 2
        free = min(left, int(mpmath.ceil((rest + mpmath.sqrt(rest**2 + 2 * g * gap)) / g / h))) if gap > 0 else 0
        y, v, left = y + v * free * h - g * (free * h) ** 2 / 2, v - g * free * h, left - free
        if left:
            after = max(v - g * h, -v / 2)
            y, v, left = y + h * (v + after) / 2, after, left - 1
    return y


# ---- members of the families

FALLS = (("", Fraction(1, 100), 200), ("_dyadic", Fraction(1, 128), 256))  # steps (s) of the ball, and how many
NEWMARK = (("average", "1/4"), ("linear", "1/6"), ("fox_goodwin", "1/12"), ("central", "0"))
OTHERS: tuple[tuple[str, str, Callable[[Any], Rows], str, dict[str, str]], ...] = (
    (
        "hht",
        "Hilber, Hughes and Taylor's method, alpha = -1/10",
        partial(newmark_step, beta="121/400", gamma="3/5", alpha_f="1/10"),
        "hht-alpha",
        {"alpha": "-1/10"},
    ),
    (
        "generalised_alpha",
        "the generalised alpha method, rho = 4/5",
        partial(newmark_step, beta="25/81", gamma="11/18", alpha_m="1/3", alpha_f="4/9"),
        "generalised-alpha",
        {"rho_inf": "4/5"},
    ),
    ("wilson", "Wilson's method, theta = 7/5", partial(wilson_step, theta="7/5"), "wilson-theta", {"theta": "7/5"}),
)
