"""Proved enclosures: balls of python-flint, and the precision that rises until the digits wanted are there.

A reference is read at one binary precision after the other. `Undecided` says that a comparison could not be made at the
present one; what is undecided at the largest is undefined, with that reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import mpmath
from flint import arb, ctx, fmpq
from mpmath import mpf

from veridyn.references.certified import (
    CertificationError,
    Certified,
    Kind,
    Route,
    classification,
    exact_count,
    remember,
    undefined,
)
from veridyn.references.deadline import check_time
from veridyn.references.engine.jets import Ball, Jet, find_order, stack, value
from veridyn.references.engine.shares import make_share
from veridyn.references.parameters import Exact, ParameterError, check_digits, exact

# Balls are Moore's intervals (Interval Analysis, 1966) as midpoint and radius: a result holds every value that the
# exact operation takes on points of its operands. So a blunt result is never wrong. If it is too blunt, all is computed
# again with more bits: 96, 128, 192, 256 … Work grows at least in proportion to the bits, so that all tries that failed
# cost together no more than a few times the last one.
LADDER = tuple(b << k for k in range(9) for b in (96, 128))  # bits; few, so that a motion serves many quantities
TOP = 3072  # bits at which a comparison is given up, or four times what the digits need
BITS_PER_DIGIT = 3.3219280948873626
THRICE = 3  # the digits wanted of a value, when a slope that is smaller than the last of them counts as none

P = ParamSpec("P")
T = TypeVar("T")


class Undecided(CertificationError):
    """Balls overlap, so that a comparison has no answer at this precision; the message says which."""


class Absent(Exception):
    """What a reading raises where its quantity does not exist; the message says why."""


class Exactly(Exception):
    """What a reading raises where structure gives its value: a whole number or the text of a classification; why."""

    def certified(self, digits: int, kind: Kind) -> Certified:
        """Return the value."""
        result, why = self.args
        return classification(result, why) if isinstance(result, str) else exact_count(result, why, digits, kind)


def ball(number: Exact | int) -> Ball:
    """Enclose an exact number at the present precision, with its derivatives where they are asked for."""
    if isinstance(number, int):
        return arb(number)
    if number.slope is not None:
        second = number.slope.slope
        return Jet(
            ball(number.plain), ball(number.slope.plain), make_share(number), None if second is None else ball(second)
        )
    rational = arb(fmpq(number.rational.numerator, number.rational.denominator))
    return rational * arb.pi() ** number.pi if number.pi else rational


def sign(x: Ball) -> int:
    """Return the sign, 0 for an exact zero and for a ball that holds zero."""
    return 1 if x > 0 else -1 if x < 0 else 0


def sign_of(*terms: Exact) -> int:
    """Return the sign of a sum of exact numbers: zero is decided, since powers of pi are independent.

    Raises
    ------
    Undecided
        If the sum is zero and has a derivative: the regimes that the sign tells apart have derivatives of their own.
    """
    powers = {t.pi: sum((u.rational for u in terms if u.pi == t.pi), Fraction(0)) for t in terms}
    # π is transcendental (Lindemann 1882). So a sum of rationals times different powers of π is zero only if every
    # rational is. Terms are first gathered by their power, in exact fractions. What is left then is not zero, and some
    # precision tells its sign. Without this step a true zero would overlap zero at every precision.
    left = [Exact(rational, pi) for pi, rational in powers.items() if rational]
    slopes = [term.slope for term in terms if term.slope is not None]
    # At the border of two regimes the sum is zero, but its derivative is not: a small change of the parameter
    # leads into one regime or the other by its sign. The value may be continuous there; the derivative
    # belongs to one side only.
    if not left and slopes and sign_of(*slopes):
        raise Undecided("there is no derivative where two regimes meet")
    if len(left) < 2:
        return sign(ball(left[0])) if left else 0

    def told() -> int:
        total = sum((ball(term) for term in left), arb(0))
        return 1 if less(arb(0), total, "two sums of powers of pi agree") else -1

    return decided(told)


def less(a: Ball, b: Ball, what: str) -> bool:
    """Tell whether a < b; raises `Undecided` with `what` if the balls overlap."""
    # A comparison of balls is true only if it holds for all pairs of points. So ``a < b`` and ``a >= b`` may both be
    # false. A program that took the first for "not less" would choose a branch that nothing proves.
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided(f"{what} within {value(a - b).abs_upper().str(2, radius=False)}")


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with so many bits, then with as many as before."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def per_bits(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function of hashable arguments whose result depends on the binary precision too.

    That nothing was decided at a precision is kept as well: the next quantity of a motion need not find it again.
    """

    @lru_cache(maxsize=512)
    def at(_bits: int, *args: P.args, **kwargs: P.kwargs) -> tuple[T | None, Undecided | None]:
        try:
            return function(*args, **kwargs), None
        except Undecided as doubt:
            return None, doubt.with_traceback(None)

    @wraps(function)
    def cached(*args: P.args, **kwargs: P.kwargs) -> T:
        # The precision is part of the key. A ball made with fewer bits would still be true, but as blunt as before, so
        # that no later precision would gain a digit from it.
        result, doubt = at(ctx.prec, *args, **kwargs)  # type: ignore[arg-type]
        if doubt is not None:
            raise doubt
        return result  # type: ignore[return-value]

    remember(at)
    return cached


def ladder(digits: int) -> Iterator[int]:
    """Yield the binary precisions to try for so many digits."""
    # A decimal digit takes log2(10) bits. How many the computation loses cannot be said beforehand. The 16 are for a
    # short one; if more are lost, the radius shows it, and the next precision is tried.
    least = digits * BITS_PER_DIGIT + 16
    return (bits for bits in LADDER if least <= bits <= max(TOP, 4 * least))


def decided(question: Callable[[], T], digits: int = 30) -> T:
    """Return an answer as soon as the precision allows one; raises `Undecided` if the largest does not."""
    for bits in ladder(digits):
        check_time(bits, "bits")
        with precision(bits):
            try:
                return question()
            except Undecided as error:
                doubt = error
    raise doubt


def enclose(
    read: Callable[[], Ball],
    *second: Route,
    digits: int,
    kind: Kind,
    name: str,
    proof: str = "proved enclosure",
    proved: Callable[[], str] = str,
) -> Certified:
    """Enclose a number to the digits wanted.

    Parameters
    ----------
    read
        Returns a ball that holds the number, at the present precision; it may raise `Undecided`, `Absent`, `Exactly`.
    second
        Routes in mpmath that share nothing with it; `Certified.confirm` computes them.
    digits
        Significant decimal digits wanted, 1 to 1000.
    kind
        Kind of the result.
    name
        Name of the quantity, for the message.
    proof
        What was proved and how, in a line for the reader.
    proved
        Returns what that took: `motion.proved` of its phases, say.

    Returns
    -------
    Certified
        ``undefined`` with the reason where the quantity is `Absent`, or the largest precision does not decide.

    Raises
    ------
    ParameterError
        If `digits` is out of range.
    """
    try:
        bits, (number,) = _sharpened(lambda: (_read_safely(read),), check_digits(digits))
    except Absent as reason:
        return undefined(str(reason))
    except Exactly as known:
        return known.certified(digits, kind)
    except Undecided as doubt:
        return undefined(f"{name}: {doubt}")
    return _certified(number, second, digits, kind, proof, _effort(bits, proved))


def _read_safely(read: Callable[[], T]) -> T:
    """Return a reading; what arithmetic raises where it comes to no number leaves it undecided, at this precision."""
    try:
        return read()
    except (CertificationError, ParameterError):
        raise
    except (ArithmeticError, ValueError, LookupError, RuntimeError) as error:
        raise Undecided(f"{type(error).__name__}: {error}") from error


def enclose_all(
    read: Callable[[], Sequence[Ball]],
    *second: Route,
    digits: int,
    kind: Kind,
    name: str,
    proof: str = "proved enclosure",
    proved: Callable[[], str] = str,
) -> tuple[Certified, ...]:
    """Enclose numbers that are found together, such as all instants of a motion; see `enclose`.

    The second routes return as many numbers.

    Raises
    ------
    CertificationError
        If the largest precision does not decide how many there are, or what they are.
    """
    try:
        bits, numbers = _sharpened(lambda: _read_safely(read), check_digits(digits))
    except Undecided as doubt:
        raise CertificationError(f"{name}: {doubt}") from None
    effort = _effort(bits, proved)
    return tuple(
        _certified(number, tuple(_of(route, place) for route in second), digits, kind, proof, effort)
        for place, number in enumerate(numbers)
    )


def _of(route: Route, place: int) -> Route:
    """Return the route to one of several numbers."""
    return replace(route, compute=lambda: route.compute()[place])


def _effort(bits: int, proved: Callable[[], str]) -> str:
    with precision(bits):
        return ", ".join(filter(None, (proved(), f"{bits} bits")))


def _sharpened(read: Callable[[], Sequence[Ball]], digits: int) -> tuple[int, tuple[arb, ...]]:
    """Return the bits that it took and balls with the digits wanted; raises `Undecided` with what stayed so."""
    for bits in ladder(digits):
        check_time(bits, "bits")
        with precision(bits):
            try:
                # No estimate of lost digits enters: the radius of the result itself tells them, after any number of
                # cancellations and events. So the least precision that does is taken, and a motion that separates
                # neighbours quickly just takes more.
                balls = tuple(read())
            except Undecided as error:
                doubt = str(error)
                continue
            short = next((x for b in balls for x in _list_wanted(b, digits) if not _sharp(x, digits)), None)
            if short is None:
                return bits, balls
            doubt = f"nothing more than {short.str(5)} is known"
    raise Undecided(f"{doubt} (with {bits} bits)")


def _list_wanted(b: Ball, digits: int) -> tuple[arb, ...]:
    """Return what is to have the digits wanted: the value, and the derivative of the highest order if it has any."""
    if not isinstance(b, Jet):
        return (b,)
    last = b.slope if b.curve is None else b.curve
    return (b.value,) if _vanishes(last, b.value, digits) else (b.value, last)


def _vanishes(derivative: arb, value: arb, digits: int) -> bool:
    """Tell whether a derivative is below three times the digits wanted of its value, and may be zero.

    No precision gives digits to a derivative that is zero, and each costs several times the one before: the bound that
    is reached is the answer.
    """
    many = THRICE * (digits + 1) * BITS_PER_DIGIT
    faint = abs(value) * arb(2) ** -many
    return bool(derivative.contains(0) and abs(derivative) < faint and value.rel_accuracy_bits() > many)


def _sharp(b: arb, digits: int) -> bool:
    """Tell whether the radius leaves the digits wanted, and one more; an exact zero has them all."""
    # A relative radius below 10^-(d + 1) moves the d-th digit by a tenth of its unit at most. A ball around zero has no
    # relative accuracy, however small it is; only an exact zero passes then.
    return bool(b.is_zero() or (b.is_finite() and b.rel_accuracy_bits() > (digits + 1) * BITS_PER_DIGIT))


def _certified(number: Ball, second: tuple[Route, ...], digits: int, kind: Kind, proof: str, proved: str) -> Certified:
    b, routes = value(number), (proof, *(route.how for route in second))
    parts = stack([number], find_order(number))[1:]

    def derive(part: arb) -> Certified | None:
        if _sharp(part, digits):
            return _certified(part, (), digits, kind, proof, proved)
        return _bound(part, digits, kind, proof, proved) if _vanishes(part, b, digits) else None

    derivative, curvature, *_ = (*map(derive, parts), None, None)
    own = number.share if isinstance(number, Jet) else None
    return Certified(
        to_mpf(b), digits, kind, routes, to_mpf(b.rad()), second, derivative, proved, curvature, own and Exact(*own)
    )


def _bound(derivative: arb, digits: int, kind: Kind, proof: str, proved: str) -> Certified:
    """Return the zero that a derivative is, or is nearer to than its bound."""
    bound = abs(derivative).upper()
    line = f"{proof}; zero, or smaller than {bound.str(2, radius=False)}: no precision proves a zero"
    return Certified(to_mpf(arb(0)), digits, kind, (line,), to_mpf(bound), proved=proved)


def mix(plus: Certified, minus: Certified, times: Exact, digits: int) -> tuple[Certified | None, int]:
    """Return the difference of two proved numbers over an exact one, or None, and how many digits it lacks."""
    bits = int(2 * BITS_PER_DIGIT * max(plus.digits or 0, minus.digits or 0)) + 64
    with precision(bits):
        one, other = _ball_of(plus) / ball(times), _ball_of(minus) / ball(times)
        result = one - other
        if _sharp(result, digits):
            return _certified(result, (), digits, plus.kind, plus.routes[0], plus.proved), 0
        faint = abs(one).max(abs(other)) * arb(2) ** (-THRICE * digits * BITS_PER_DIGIT)
        are_zero = plus.value == minus.value == 0
        if are_zero or (result.contains(0) and abs(result) < faint):
            return _bound(result, digits, plus.kind, plus.routes[0], plus.proved), 0
        return None, digits - max(0, int(result.rel_accuracy_bits() / BITS_PER_DIGIT))


def _ball_of(number: Certified) -> arb:
    middle, radius = (ball(exact(x)) for x in (number.value, number.radius or 0))
    result: arb = middle + radius * arb(0, 1)
    return result


def to_mpf(x: arb) -> mpf:
    """Convert the midpoint of a ball without rounding."""
    # The radius belongs to this midpoint. mpmath rounds to its own precision: with fewer bits than the mantissa has,
    # the number would move, and the radius would no longer hold the true value.
    mantissa, exponent = x.mid().man_exp()
    with mpmath.workprec(max(1, int(abs(mantissa)).bit_length())):
        return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))
