"""Free decay of a mass on a spring under dry friction: half cycles of falling amplitude, then rest for good.

A mass m on a spring k is guided along a straight line and released at x0 with velocity 0; it is pressed with its
weight m g on a plane with the coefficient of friction μ. The line makes an `angle` with the axis x. Friction acts in
both directions of the plane (`directions` = 2), so with R = μ m g along the line, or only along x (1), so that its
part along the line is R = μ m g cos(angle).

With C = R/k and ω = √(k/m): as long as |x_n| > C the mass goes, in the time π/ω, from the turning point x_n to
x_{n+1} = -x_n + 2 C sgn x_n. The first turning point with |x_n| <= C is the last: friction holds it for ever.
In between x = C sgn x_n + (x_n - C sgn x_n) cos ω(t - t_n), whose velocity keeps its sign.

So x_n = (-1)^n sgn x0 (|x0| - 2 n C), and the number of half cycles N is that of the odd numbers below |x0|/C.

The motion is proved here and not by the engine: in closed form it takes no longer however many half cycles there are.

Source: EDF validation manual V5.01.100 (SDND100); J.P. Den Hartog, Transactions ASME 53 (1931) 107-115.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
from flint import arb
from mpmath import mpf

from veridyn.references.certified import per_precision
from veridyn.references.engine.enclosure import Absent, Undecided, ball, sign_of
from veridyn.references.engine.jets import hull, value
from veridyn.references.engine.motion import Motion, read_each
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import NUMBER, TIME

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("mu", "1", "coefficient of friction", "0.1"),
    Parameter("g", "m/s²", "gravity, presses the mass on the plane", "10"),
    Parameter("x0", "m", "displacement at the release, along the line", "0.85e-3", "any"),
    Parameter("angle", "rad", "angle between the line and the axis x", "pi/4", "any"),
    Parameter("directions", "1", "2: friction acts in the plane; 1: only along the axis x", "2", among=("1", "2")),
)

FOLLOWED = 10_000  # half cycles, at most, for the second route
NOISE = 1e9  # roundings: turning points as near as that to where friction holds, or the spring is slack, are there
ONE, TWO = Exact(Fraction(1)), Exact(Fraction(2))
THIRDS = (Exact(Fraction(1, 3), 1), Exact(Fraction(-1, 3), 1))  # of pi


class DecayParameters(ParameterSet):
    """The parameters."""

    def check(self) -> None:
        """Refuse a line that turns back."""
        if sign_of(Exact(Fraction(1, 2), 1), Exact(-abs(self.angle.rational), self.angle.pi)) <= 0:
            raise ParameterError(f"angle must lie between -pi/2 and pi/2, got {self.angle}")


def _share(o: DecayParameters) -> Any:
    """Return the part of friction that acts along the line, exactly where it is rational (Niven's theorem)."""
    if o.directions.plain == TWO or not o.angle.rational:
        return arb(1)
    return arb(1) / 2 if o.angle in THIRDS else ball(o.angle).cos()


def _held(o: DecayParameters) -> Any:
    """Return C (m)."""
    return ball(o.mu * o.m * o.g / o.k) * _share(o)


def _release(o: DecayParameters) -> Any:
    """Return x0/C; an integer is exact."""
    return ball(o.x0 * o.k / (o.mu * o.m * o.g)) / _share(o)


def _count(o: DecayParameters) -> int:
    """Return the number of half cycles."""
    halves = (abs(value(_release(o))) - 1) / 2
    least, most = (int(bound.ceil().unique_fmpz()) for bound in (halves.lower(), halves.upper()))
    if least < most and most > 0:
        raise Undecided(f"friction holds turning point {max(least, 0)}, or hardly not")
    return max(0, most)


def _turn(o: DecayParameters, n: int) -> Any:
    """Return x_n (m), or the last turning point if that comes before."""
    n = min(n, _count(o))
    return (-1) ** n * _held(o) * (_release(o) - 2 * n * sign_of(o.x0))


def _omega(o: DecayParameters) -> Any:
    return ball(o.k / o.m).sqrt()


def _at(o: DecayParameters, passed: Any) -> tuple[Any, Any]:
    """Return displacement and velocity after a while in half periods; where half cycles meet, what holds both."""
    first, last = (int(bound.floor().unique_fmpz()) for bound in (value(passed).lower(), value(passed).upper()))
    if last > first + 1:
        raise Undecided(f"half cycle {first} cannot be told from half cycle {last}")
    (x, v), (y, w) = _half_cycle(o, first, passed), _half_cycle(o, last, passed)
    return hull(x, y), hull(v, w)


def _half_cycle(o: DecayParameters, n: int, passed: Any) -> tuple[Any, Any]:
    """Return displacement and velocity in the half cycle that begins at x_n, or at rest."""
    start, angle = _turn(o, n), arb.pi() * (passed - n)
    if n >= _count(o):
        return start, arb(0)
    centre = (-1) ** n * sign_of(o.x0) * _held(o)
    return centre + (start - centre) * angle.cos(), (centre - start) * _omega(o) * angle.sin()


# ---- the second route: turning points one after the other by the balance of energy
#
# From a turning point x to the next, y, on the other side, the spring loses k (x² - y²)/2 = R |x - y|; on the way
# v² = ω² (x - z)(z - y) at z, so that the time is an integral of 1/|v|; between them a matrix exponential leads.


def _cosine(o: DecayParameters) -> mpf:
    """Return the part of a displacement along the line that lies along x."""
    return mpmath.cos(o.angle.mpf())


def _friction(o: DecayParameters) -> mpf:
    """Return the force of friction along the line (N)."""
    full = (o.mu * o.m * o.g).mpf()
    return full if o.directions.rational == 2 else full * _cosine(o)


@per_precision
def _turns(o: DecayParameters) -> tuple[mpf, ...]:
    """Return the places of the release and of all turning points (m)."""
    R, k = _friction(o), o.k.mpf()
    noise = NOISE * mpmath.eps * abs(o.x0.mpf())
    places = [o.x0.mpf()]
    while abs(places[-1]) > R / k + noise:
        y = 2 * mpmath.sign(places[-1]) * R / k - places[-1]  # the balance of energy over x - y
        places.append(y if abs(y) > noise else mpmath.mpf(0))
    return tuple(places)


@per_precision
def _half_cycle_time(o: DecayParameters) -> mpf:
    """Return how long every half cycle lasts (s): twice the time to its middle, where z = x - (x - y)/2.

    With z = x - (x - y) w² the time is that of dz/|v| = 2 dw/(ω √(1 - w²)).
    """
    middle = mpmath.sqrt(mpmath.mpf(1) / 2)
    return 4 * mpmath.quad(lambda w: 1 / mpmath.sqrt(1 - w * w), [0, middle]) / mpmath.sqrt((o.k / o.m).mpf())


def _displacement(o: DecayParameters, time: Exact) -> mpf:
    """Return the place on the line at an instant (s)."""
    left, places = time.mpf(), _turns(o)
    for x, y in pairwise(places):
        if left < _half_cycle_time(o):
            swing = mpmath.expm(mpmath.matrix([[0, left], [-left * (o.k / o.m).mpf(), 0]]))
            return (x + y) / 2 + (x - y) / 2 * swing[0, 0]
        left -= _half_cycle_time(o)
    return places[-1]


def _how(o: DecayParameters, **_: Any) -> str:
    long = abs(value(_release(o))) >= 2 * FOLLOWED
    return "" if long else "turning points one after the other by the balance of energy, time by quadrature"


reference = References(
    PARAMETERS,
    DecayParameters,
    kind="closed form",
    proof="closed form of the half cycles, their number proved",
    how=_how,
)


@reference(lambda o: mpf(len(_turns(o)) - 1))
def half_cycles(o: DecayParameters) -> Any:
    """Count the half cycles until the mass stops for good: the odd numbers below |x0| k/R; 0 if friction holds it.

    Undefined if a turning point lies so close to ±R/k that nothing tells whether friction holds it.
    """
    return arb(_count(o))


@reference(lambda o: (len(_turns(o)) - 1) * _half_cycle_time(o))
def stop_time(o: DecayParameters) -> Any:
    """Instant of the last stop in s: half cycles × π/ω."""
    return _count(o) * arb.pi() / _omega(o)


@reference(lambda o, number: len(_turns(o)[1 : number + 1]) * _half_cycle_time(o), takes=(NUMBER,))
def turning_time(o: DecayParameters, number: int) -> Any:
    """Instant of a turning point in s, counted from 1, the last stop included; undefined after it."""
    if number > _count(o):
        raise Absent("it stops before")
    return number * arb.pi() / _omega(o)


@reference(lambda o: _turns(o)[-1])
def final_position(o: DecayParameters) -> Any:
    """Place in m, along the line, where the mass stops for good."""
    return _turn(o, _count(o))


@reference(lambda o, number: _cosine(o) * _turns(o)[: number + 1][-1], takes=(NUMBER,))
def component_after(o: DecayParameters, number: int) -> Any:
    """Displacement along the axis x in m after a number of half periods π/ω: of a turning point, or of the last.

    Source: EDF V5.01.100.
    """
    return ball(o.angle).cos() * _turn(o, number)


@reference(lambda o, time: _cosine(o) * _displacement(o, time), takes=(TIME,))
def component(o: DecayParameters, time: Exact) -> Any:
    """Displacement along the axis x in m at an instant (s): cos(angle) times that along the line.

    Source: EDF V5.01.100.
    """
    # in half periods, where an integer is exact
    passed = ball(time * time * o.k / (o.m * Exact(Fraction(1), 2))).sqrt() if time.rational else arb(0)
    return ball(o.angle).cos() * _at(o, passed)[0]


@reference(lambda o: o.k.mpf() * (o.x0.mpf() ** 2 - _turns(o)[-1] ** 2) / 2)
def dissipated_energy(o: DecayParameters) -> Any:
    """Energy in J that friction dissipates: R times the path slid, 2 N (|x0| - N C)."""
    return 2 * _count(o) * ball(o.k) * _held(o) * (abs(ball(o.x0)) - _count(o) * _held(o))


@reference(lambda o: _friction(o) / o.k.mpf())
def held(o: DecayParameters) -> Any:
    """Half-width R/k in m of the places where friction holds the mass."""
    return _held(o)


@reference.function()
def motion(o: DecayParameters, digits: int) -> Motion:
    """Motion along the line from the release on: displacement (m), velocity (m/s); events are the turning points."""
    return Motion(
        {
            "displacement": read_each(lambda t: _at(o, t * _omega(o) / arb.pi())[0]),
            "velocity": read_each(lambda t: _at(o, t * _omega(o) / arb.pi())[1]),
        },
        lambda: [(n * arb.pi() / _omega(o), f"turn {n}") for n in range(_count(o) + 1)],
        digits,
    )
