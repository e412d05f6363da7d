"""Certified numbers: a value, the digits that are known to be right, and the routes that agree on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, Literal, ParamSpec, TypeVar

import mpmath
from mpmath import mpf
from mpmath.ctx_iv import MPIntervalContext

from veridyn.references.parameters import check_digits

Kind = Literal["closed form", "quasi-analytical", "classification", "undefined"]

GUARDS = (15, 50, 200, 1000)  # guard digits: more are tried when cancellation ate the first ones
MAX_HALVINGS = 8  # of a bracket, to establish the sign of a slope on it
MAX_SPLITS = 40  # of an interval, to find out whether a function has a root on it

P = ParamSpec("P")
T = TypeVar("T")

# An interval context of our own: its precision is set at will, the global one is never touched.
_intervals = MPIntervalContext()


class CertificationError(ArithmeticError):
    """The routes to a value do not agree, or a root could not be proved unique."""


@dataclass(frozen=True)
class Certified:
    """A reference value.

    Attributes
    ----------
    value
        The number; text for a classification; None where the quantity does not exist.
    digits
        Significant decimal digits on which all routes agree; None where there is no number.
    kind
        ``closed form``, ``quasi-analytical``, ``classification`` or ``undefined``.
    routes
        How the value was obtained and checked, for a reader.
    radius
        Of the enclosure around the value; None where there is no number.
    second
        Routes that share nothing with the first, computed by `confirm`.
    derivative
        With respect to the parameter that is varied (`Exact.varied`); None where none is or the value is exact.
    proved
        What the enclosure took: phases, events, parts looked at, bits.
    """

    value: mpf | str | None
    digits: int | None
    kind: Kind
    routes: tuple[str, ...] = ()
    radius: mpf | None = None
    second: tuple[Route, ...] = field(default=(), compare=False, repr=False)
    derivative: Certified | None = None
    proved: str = ""

    def confirm(self, name: str = "value") -> Certified:
        """Compute the value by the second routes too, and return it; raises `CertificationError` if one disagrees."""
        for route in self.second:
            _confirm(self.value, self.digits or 0, route, name)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the second routes behind where a value goes to another process: they are functions."""
        rest = (self.routes, self.radius, (), self.derivative, self.proved)
        return type(self), (self.value, self.digits, self.kind, *rest)

    def text(self) -> str:
        """Decimal text rounded to the certified digits; ``undefined`` where there is no value."""
        if self.value is None:
            return "undefined"
        if isinstance(self.value, str):
            return self.value
        if self.value == 0:
            return "0"
        return str(mpmath.nstr(self.value, self.digits, strip_zeros=False, min_fixed=-5, max_fixed=17))

    def uncertainty(self) -> str:
        """Bound the distance of `text` from the truth, in two digits; "0" if it is exact, empty for no number."""
        if self.value is None or isinstance(self.value, str):
            return ""
        rounding = abs(Fraction(self.text()) - _fraction(self.value))
        return _upwards(rounding + (0 if self.radius is None else _fraction(self.radius)))

    def __float__(self) -> float:
        """Round to double precision; raises TypeError where there is no number."""
        if self.value is None or isinstance(self.value, str):
            raise TypeError(f"no number here: {self.text()}")
        return float(self.value)


@dataclass(frozen=True)
class Route:
    """One way to compute a value (or a sequence of values) at the current mpmath precision.

    `digits` is what this route can promise, whatever precision is asked of it; None: any.
    """

    how: str
    compute: Callable[[], Any]
    digits: int | None = None


def _fraction(value: mpf) -> Fraction:
    sign, mantissa, exponent, _ = value._mpf_
    size: Fraction = int(mantissa) * Fraction(2) ** int(exponent)
    return -size if sign else size


def _upwards(bound: Fraction) -> str:
    """Write a bound with two digits, rounded up."""
    with localcontext(prec=2, rounding=ROUND_CEILING):
        return f"{Decimal(bound.numerator) / Decimal(bound.denominator):.1e}".replace("e+", "e") if bound else "0"


def _confirm(value: Any, digits: int, route: Route, name: str) -> None:
    """Raise `CertificationError` unless a route agrees, with more guard digits if it takes them."""
    wanted = digits if route.digits is None else min(digits, route.digits)
    for guard in GUARDS:
        try:
            with mpmath.workdps(wanted + guard):
                agreed = agreeing_digits(value, mpmath.mpf(route.compute()))
        except CertificationError as error:  # a root drowned in rounding noise: more digits may help
            complaint = str(error)
            continue
        if agreed >= wanted:
            return
        complaint = f"{route.how} agrees on {max(agreed, 0)} digits, {wanted} wanted"
    raise CertificationError(f"{name}: {complaint}")


def classification(value: str, *routes: str) -> Certified:
    """State a verdict in words."""
    return Certified(value, None, "classification", routes)


def undefined(reason: str) -> Certified:
    """State that the quantity does not exist for these parameters, and why."""
    return Certified(None, None, "undefined", (reason,))


def exact_zero(reason: str, digits: int, kind: Kind = "closed form") -> Certified:
    """State a zero that follows from the structure of the problem."""
    return Certified(mpmath.mpf(0), check_digits(digits), kind, (reason,))


def exact_count(count: int, reason: str, digits: int, kind: Kind = "closed form") -> Certified:
    """State a number of events that follows from the structure of the problem."""
    return Certified(mpmath.mpf(count), check_digits(digits), kind, (reason,))


def certify(first: Route, *others: Route, digits: int, kind: Kind, name: str) -> Certified:
    """Evaluate a scalar by all routes and certify the digits on which they agree.

    Parameters
    ----------
    first
        The route that gives the value; computed at two working precisions.
    others
        Independent routes; each must confirm the value.
    digits
        Significant decimal digits asked for, 1 to 1000.
    kind
        Kind of the result.
    name
        Name of the quantity, for the message.

    Raises
    ------
    CertificationError
        If two precisions or two routes agree on fewer digits than promised.
    ParameterError
        If `digits` is out of range.
    """
    return certify_all(_wrapped(first), *map(_wrapped, others), digits=digits, kind=kind, name=name)[0]


def _wrapped(route: Route) -> Route:
    return Route(route.how, lambda: (route.compute(),), route.digits)


def certify_all(first: Route, *others: Route, digits: int, kind: Kind, name: str) -> tuple[Certified, ...]:
    """Certify a sequence of values that the routes produce together; see `certify`."""
    check_digits(digits)
    limited = [route for route in others if route.digits is not None]
    values = _settled(first, [route for route in others if route.digits is None], digits, name)
    for route in limited:  # it has a precision of its own: more guard digits are no help
        if complaint := _complaint(values, route, digits, digits + GUARDS[0]):
            raise CertificationError(f"{name}: {complaint}")
    promised = min([digits, *(route.digits for route in limited if route.digits is not None)])
    routes = (f"{first.how}, at two precisions", *(route.how for route in others))
    return tuple(Certified(value, promised, kind, routes) for value in values)


def _settled(first: Route, others: Sequence[Route], digits: int, name: str) -> tuple[mpf, ...]:
    """Return the values on which two precisions and the routes that any precision helps agree."""
    complaint = ""
    for guard in GUARDS:
        try:
            values, complaint = _attempt(first, others, digits, guard)
        except CertificationError as error:  # a bracket drowned in rounding noise: more digits may help
            values, complaint = (), str(error)
        if not complaint:
            return values
    raise CertificationError(f"{name}: {complaint}")


def _attempt(first: Route, others: Sequence[Route], digits: int, guard: int) -> tuple[tuple[mpf, ...], str]:
    """Return the values with this many guard digits, and what is wrong with them (empty if nothing)."""
    low = digits + guard
    values = _evaluate(first, low + max(guard, digits // 4))
    for route in (replace(first, how="two precisions"), *others):
        if complaint := _complaint(values, route, digits, low):
            return values, complaint
    return values, ""


def _complaint(values: Sequence[mpf], route: Route, digits: int, dps: int) -> str:
    """Say how far a route is from confirming the values; empty if it confirms them."""
    wanted = digits if route.digits is None else min(digits, route.digits)
    agreed = _agreement(values, _evaluate(route, dps))
    return f"{route.how} agree on {max(agreed, 0)} digits, {wanted} wanted" if agreed < wanted else ""


def _evaluate(route: Route, dps: int) -> tuple[mpf, ...]:
    with mpmath.workdps(dps):
        return tuple(mpmath.mpf(value) for value in route.compute())


def _agreement(left: Sequence[mpf], right: Sequence[mpf]) -> float:
    """Count the digits on which two sequences agree; -1 if they differ in length."""
    if len(left) != len(right):
        return -1
    return min((agreeing_digits(a, b) for a, b in zip(left, right, strict=True)), default=mpmath.inf)


def agreeing_digits(left: mpf, right: mpf) -> float:
    """Count the significant decimal digits common to two numbers (infinite if they are equal)."""
    if left == right:
        return float("inf")
    with mpmath.workdps(15):  # the difference is exact before it is rounded
        error = abs(left - right) / max(abs(left), abs(right))
        return int(mpmath.floor(-mpmath.log10(error)))


def per_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function of hashable arguments whose result depends on the current precision too."""

    @lru_cache(maxsize=512)
    def at(_precision: int, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    @wraps(function)
    def cached(*args: P.args, **kwargs: P.kwargs) -> T:
        return at(mpmath.mp.prec, *args, **kwargs)  # type: ignore[arg-type]

    cached.cache_clear = at.cache_clear  # type: ignore[attr-defined]
    return cached


def halve_until(condition: Callable[[mpf], bool], length: mpf, *, name: str) -> mpf:
    """Halve a length until the condition holds; raises `CertificationError` at the current precision."""
    for _ in range(mpmath.mp.prec):
        if condition(length):
            return length
        length /= 2
    raise CertificationError(f"{name}: lost in rounding noise")


def bracketed_root(f: Callable[[mpf], mpf], slope: Callable[[Any, Any], Any], low: mpf, high: mpf, *, name: str) -> mpf:
    """Find the only root of `f` on [low, high] to the current precision.

    Existence is shown by the change of sign, uniqueness by interval arithmetic: the slope keeps
    one sign on the whole bracket.

    Parameters
    ----------
    f
        Function of one mpf.
    slope
        Its derivative ``slope(ctx, x)``, written with the functions of `ctx` (``ctx.sin``...), so
        that it can be evaluated on numbers and on intervals.
    low, high
        The bracket.
    name
        What is sought, for the message.

    Raises
    ------
    CertificationError
        If `f` has one sign at both ends, or the slope may change sign in between.
    """
    f_low, f_high = f(low), f(high)
    if f_low * f_high > 0:
        raise CertificationError(f"{name}: no change of sign between {_short(low)} and {_short(high)}")
    _prove_monotone(slope, low, high, name)
    if f_low == 0 or f_high == 0:
        return low if f_low == 0 else high
    return polished_root(f, slope, (low, high), rising=f_high > 0, name=name)


def first_root(
    f: Callable[[Any, Any], Any], *derivatives: Callable[[Any, Any], Any], high: mpf, name: str
) -> mpf | None:
    """Find the first root of `f` on (0, high] where it falls through zero; None if it stays positive.

    Interval arithmetic proves that there is no earlier one: on every piece before it either `f` is positive or it
    rises from a positive value.

    Parameters
    ----------
    f, derivatives
        Function ``f(ctx, x)`` and its derivatives, written with the functions of `ctx` (``ctx.sin``...), for numbers
        and intervals. `f` is positive just after 0; if it is zero at 0 itself (the event before), the first of the
        derivatives that is not zero there shows that.
    high
        End of the search.
    name
        What is sought, for the message.

    Raises
    ------
    CertificationError
        If `f` touches zero, or comes so close to it that nothing can be proved.
    """
    _intervals.prec = mpmath.mp.prec

    leading = _leading((f, *derivatives), high, name)
    low = halve_until(lambda length: leading(_intervals, _intervals.mpf([0, length])).a > 0, high, name=name)
    slope = derivatives[0]
    pieces = [(low, high, 0)]
    while pieces:
        a, b, depth = pieces.pop()
        piece = _intervals.mpf([a, b])
        rate = slope(_intervals, piece)
        if a == b or f(_intervals, piece).a > 0 or rate.a > 0 or (rate.b < 0 < f(mpmath, b)):
            continue
        if rate.b < 0:
            return bracketed_root(lambda x: f(mpmath, x), slope, a, b, name=name)
        if depth == MAX_SPLITS:
            raise CertificationError(f"{name}: too close to touching zero near {_short(a)} to tell an event from none")
        middle = (a + b) / 2
        pieces += [(middle, b, depth + 1), (a, middle, depth + 1)]
    return None


def _leading(functions: Sequence[Callable[[Any, Any], Any]], high: mpf, name: str) -> Callable[[Any, Any], Any]:
    """Return the first of a function and its derivatives that is not zero at 0 up to rounding; it must be positive."""
    for function in functions:
        size = function(_intervals, _intervals.mpf([0, high]))
        value = function(mpmath, mpmath.mpf(0))
        if abs(value) > mpmath.sqrt(mpmath.eps) * max(abs(size.a), abs(size.b)):
            if value > 0:
                return function
            break
    raise CertificationError(f"{name}: not positive just after the start")


def _prove_monotone(slope: Callable[[Any, Any], Any], low: mpf, high: mpf, name: str) -> None:
    _intervals.prec = mpmath.mp.prec
    signs, pieces = set(), [(low, high, 0)]
    while pieces:
        a, b, depth = pieces.pop()
        s = slope(_intervals, _intervals.mpf([a, b]))
        sign = int(s.a > 0) - int(s.b < 0)
        if sign:
            signs.add(sign)
        if len(signs) == 2 or (not sign and depth == MAX_HALVINGS):
            raise CertificationError(
                f"{name}: not monotone between {_short(low)} and {_short(high)}; the root may not be unique"
            )
        if not sign:
            middle = (a + b) / 2
            pieces += [(a, middle, depth + 1), (middle, b, depth + 1)]


def polished_root(
    f: Callable[[mpf], mpf],
    slope: Callable[[Any, Any], Any],
    bracket: tuple[mpf, mpf],
    *,
    rising: bool,
    name: str,
) -> mpf:
    """Find the root in a bracket by Newton's iteration, kept inside by bisection; `bracketed_root` proves it too.

    Raises
    ------
    CertificationError
        If rounding noise keeps the iteration from settling.
    """
    low, high = bracket
    x = (low + high) / 2
    last_step = mpmath.inf
    for _ in range(4 * mpmath.mp.prec):
        value = f(x)
        low, high = (x, high) if (value < 0) == rising else (low, x)
        step = value / slope(mpmath, x)
        previous, x = x, x - step
        if not low <= x <= high:
            x = (low + high) / 2
        step = abs(x - previous)
        # Steps that are tiny and shrink no more are rounding noise.
        if step <= 4 * mpmath.eps * abs(x) or last_step <= min(2 * step, mpmath.sqrt(mpmath.eps) * abs(x)):
            return x
        last_step = step
    raise CertificationError(f"{name}: no convergence")


def _short(value: mpf) -> str:
    return str(mpmath.nstr(value, 6))
