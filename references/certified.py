"""Certified numbers: a value with the radius of its enclosure, and the routes that confirm it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, wraps
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

import mpmath
from mpmath import mpf

from veridyn.references.deadline import OutOfTime, check_time, time_limit
from veridyn.references.parameters import Exact, check_digits, exact

Kind = Literal["closed form", "quasi-analytical", "classification", "undefined", "numerical"]

GUARDS = (15, 50, 200, 1000)  # guard digits: more are tried when cancellation ate the first ones

P = ParamSpec("P")
T = TypeVar("T")

_caches: list[Any] = []


class CertificationError(ArithmeticError):
    """The routes to a value do not agree, or what it depends on could not be decided."""


class RoutesDisagree(CertificationError):
    """A second route gives another value."""


@dataclass(frozen=True)
class Certified:
    """A reference value.

    Attributes
    ----------
    value
        The number; text for a classification; None where the quantity does not exist.
    digits
        Significant decimal digits that the radius leaves; None where there is no number.
    kind
        ``closed form``, ``quasi-analytical``, ``classification`` or ``undefined``; ``numerical``: what a solver gave,
        proved by nobody, with its uncertainty as radius.
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
    curvature
        The second derivative, where it is asked for.
    share
        The factor from the value to its derivative, for all values of the parameters, where structure gives it.
    """

    value: mpf | str | None
    digits: int | None
    kind: Kind
    routes: tuple[str, ...] = ()
    radius: mpf | None = None
    second: tuple[Route, ...] = field(default=(), compare=False, repr=False)
    derivative: Certified | None = None
    proved: str = ""
    curvature: Certified | None = None
    share: Exact | None = None

    def confirm(self, name: str = "value") -> Certified:
        """Compute the value by the second routes too, and return it; raises `CertificationError` if one disagrees."""
        for route in self.second:
            _confirm(self.value, self.digits or 0, route, name)
        return self

    def settle(self, name: str = "value", seconds: float | None = None) -> Certified:
        """Return the value with what its second routes say: undefined if one gives another.

        A route that comes to no value, as at the end of its convergence or in the seconds that it has, contradicts
        nothing: the value stands without it, and says so.
        """
        silent: dict[str, str] = {}
        for route in self.second:
            try:
                with time_limit(seconds):
                    _confirm(self.value, self.digits or 0, route, name)
            except RoutesDisagree as reason:
                return undefined(f"two routes disagree, so that neither is believed: {reason}")
            except OutOfTime:
                forget()
                silent[route.how] = "it does not end in the time that is set"
            except Exception as reason:  # noqa: BLE001 - SymPy and mpmath raise what they like where a formula ends
                silent[route.how] = _describe(reason)
        if not silent:
            return self
        first, *rest = self.routes
        alone = "".join(f"; not confirmed by {how}: {reason}" for how, reason in silent.items())
        return replace(self, routes=(first + alone, *(how for how in rest if how not in silent)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the second routes behind where a value goes to another process: they are functions."""
        stated = (self.digits, self.kind, self.routes, _packed(self.radius))
        return _restored, (_packed(self.value), *stated, self.derivative, self.proved, self.curvature, self.share)

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
        rounding = abs(Fraction(self.text()) - exact(self.value).rational)
        return _upwards(rounding + (0 if self.radius is None else exact(self.radius).rational))

    def __float__(self) -> float:
        """Round to double precision; raises TypeError where there is no number."""
        if self.value is None or isinstance(self.value, str):
            raise TypeError(f"no number here: {self.text()}")
        return float(self.value)


class PhaseChange(NamedTuple):
    """A phase change: when, and the phase that begins (``slip+``, ``slip-`` or ``stick``)."""

    time: Certified
    kind: str


@dataclass(frozen=True)
class Route:
    """One way to compute a value (or a sequence of values) at the current mpmath precision.

    `digits` is what this route can promise, whatever precision is asked of it; None: any. `size` gives what these
    digits are counted from where the value is smaller, or zero: the largest absolute value on the way, say.
    """

    how: str
    compute: Callable[[], Any]
    digits: int | None = None
    size: Callable[[], Any] | None = None


def _packed(value: Any) -> Any:
    """Return what pickle keeps exactly: it would round a number of mpmath."""
    return value._mpf_ if isinstance(value, mpf) else value


def _restored(
    value: Any, digits: int | None, kind: Kind, routes: tuple[str, ...], radius: Any, *rest: Any
) -> Certified:
    number, bound = (mpmath.mp.make_mpf(x) if isinstance(x, tuple) else x for x in (value, radius))
    return Certified(number, digits, kind, routes, bound, (), *rest)


def _upwards(bound: Fraction) -> str:
    """Write a bound with two digits, rounded up."""
    with localcontext(prec=2, rounding=ROUND_CEILING):
        return f"{Decimal(bound.numerator) / Decimal(bound.denominator):.1e}".replace("e+", "e") if bound else "0"


def _describe(reason: Exception) -> str:
    """Say why a route comes to no value, in words of ours."""
    if isinstance(reason, CertificationError):
        return str(reason)
    if isinstance(reason, ZeroDivisionError):
        return "it divides by zero there"
    if isinstance(reason, TypeError):
        return "it gives no real number there"
    if isinstance(reason, ValueError):
        return "it finds no root there"
    return "its formulas have no value there"


def _confirm(value: Any, digits: int, route: Route, name: str) -> None:
    """Raise `CertificationError` unless a route agrees, with more guard digits if it takes them.

    Whatever it gives contradicts the value, unless several precisions were tried and each has given another number: no
    digit of its terms is left then.
    """
    least = digits if route.digits is None else min(digits, route.digits)
    before, settled = None, list[bool]()
    for guard in GUARDS:
        check_time(route.how, "with", least + guard, "digits")
        try:
            with mpmath.workdps(least + guard):
                second = mpmath.mpf(route.compute())
                agreed = agreeing_digits(value, second)
        except CertificationError as error:  # a root drowned in rounding noise: more digits may help
            complaint = str(error)
            continue
        if agreed >= least or (value == 0 and _is_zero(route, least, second, before, guard)):
            return
        if route.size is not None and abs(value - second) <= mpmath.mpf(10) ** -least * route.size():
            raise CertificationError(f"the value is below {least} digits of what it follows")
        if before is not None:
            settled.append(agreeing_digits(before[1], second) >= least)
        before = guard, second
        complaint = f"{route.how} agrees on {max(agreed, 0)} digits, {least} are needed"
    if settled and not any(settled):
        raise CertificationError("its terms cancel: each precision gives another value")
    raise (RoutesDisagree if before else CertificationError)(f"{name}: {complaint}")


def _is_zero(route: Route, digits: int, second: mpf, before: tuple[int, mpf] | None, guard: int) -> bool:
    """Tell whether what a second route gives is a zero, but for its errors."""
    if route.size is not None and abs(second) <= mpmath.mpf(10) ** -digits * route.size():
        return True
    return before is not None and _fades(before, (guard, second))


def _fades(before: tuple[int, mpf], after: tuple[int, mpf]) -> bool:
    """Tell whether a number is smaller by most of the digits that were added: rounding of a zero, and no number.

    A number that is not zero stays as digits are added; what is left of terms that cancel falls with each of them.
    """
    (few, coarse), (many, fine) = before, after
    return bool(abs(fine) <= abs(coarse) * mpmath.mpf(10) ** (-3 * (many - few) // 4))


def classification(value: str, *routes: str) -> Certified:
    """State a verdict in words."""
    return Certified(value, None, "classification", routes)


def undefined(reason: str) -> Certified:
    """State that the quantity does not exist for these parameters, and why."""
    return Certified(None, None, "undefined", (reason,))


def exact_zero(reason: str, digits: int, kind: Kind = "closed form") -> Certified:
    """State a zero that follows from the structure of the problem."""
    return exact_count(0, reason, digits, kind)


def exact_count(count: int, reason: str, digits: int, kind: Kind = "closed form") -> Certified:
    """State a number of events that follows from the structure of the problem."""
    return Certified(mpmath.mpf(count), check_digits(digits), kind, (reason,))


def agreeing_digits(left: mpf, right: mpf) -> float:
    """Count the significant decimal digits common to two numbers (infinite if they are equal)."""
    if left == right:
        return float("inf")
    with mpmath.workdps(15):  # the difference is exact before it is rounded
        error = abs(left - right) / max(abs(left), abs(right))
        return int(mpmath.floor(-mpmath.log10(error)))


def remember(cache: Any) -> None:
    """Let `forget` empty a cache: its values depend on a precision, or are motions that are followed on demand."""
    _caches.append(cache)


def forget() -> None:
    """Empty the caches of all motions, so that the next reference is computed anew."""
    for cache in _caches:
        cache.cache_clear()


def compute_in_time(compute: Callable[[], Certified], seconds: float, remedy: str = "") -> Certified:
    """Return a value by its first route, undefined with how far it came if it does not come within some seconds."""
    try:
        with time_limit(seconds):
            return compute()
    except OutOfTime as reached:
        forget()  # motions that were left half-way
        return undefined("; ".join(filter(None, (f"not within {seconds:g} s: it came to {reached}", remedy))))


def per_precision(function: Callable[P, T]) -> Callable[P, T]:
    """Cache a function of hashable arguments whose result depends on the current precision too."""

    @lru_cache(maxsize=512)
    def at(_precision: int, *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    @wraps(function)
    def cached(*args: P.args, **kwargs: P.kwargs) -> T:
        return at(mpmath.mp.prec, *args, **kwargs)  # type: ignore[arg-type]

    cached.cache_clear = at.cache_clear  # type: ignore[attr-defined]
    remember(at)
    return cached
