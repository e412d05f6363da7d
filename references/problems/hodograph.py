"""A body that slides on a tilted plane in any direction, until it stops: its hodograph is known in closed form.

x (m) counts down the slope, whose tangent is s, y across; φ is the angle of the velocity to x, v its size. With
g' = g cos a, a = atan s:  v' = g' (s cos φ - μ), v φ' = -g' s sin φ. So v sin φ is proportional to u^n, u = tan(φ/2),
n = μ/s, and time and path are sums of two powers of u. On a level plane the path is straight.

The motion is proved here and not by the engine. Friction against a slide in two directions has no direction where the
slide ends: the speed v touches zero and does not cross it, and the rate of φ grows without bounds like 1/v, so that
steps along the motion shrink without end. The closed form has that end as u = 0.

Source: derived in these lines.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mpmath

from veridyn.references.engine.enclosure import Absent, ball
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Parameter, ParameterError, ParameterSet

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("s", "1", "tangent of the slope", "0.2", "non-negative"),
    Parameter("mu", "1", "coefficient of friction", "0.4"),
    Parameter("v_x", "m/s", "velocity at the start down the slope", "0", "any"),
    Parameter("v_y", "m/s", "velocity at the start across", "2"),
)


class Plane(ParameterSet):
    """The parameters; the body stops."""

    def check(self) -> None:
        """Refuse a slope that friction does not hold."""
        if self.s.rational >= self.mu.rational:
            raise ParameterError(f"s = {self.s} is not below mu = {self.mu}: the body need not stop; lower it")


class HodographStart(NamedTuple):
    """Begin of the hodograph: u and n; K with v = K u^n/sin φ; g s cos a (m/s²)."""

    u: Any
    n: Any
    scale: Any
    pull: Any


reference = References(PARAMETERS, Plane, kind="closed form", proof="closed form in ball arithmetic")


def _down(o: Plane) -> Any:
    """Return g cos a (m/s²)."""
    return ball(o.g) / (1 + ball(o.s) * ball(o.s)).sqrt()


def _size(o: Plane) -> Any:
    x, y = ball(o.v_x), ball(o.v_y)
    return (x * x + y * y).sqrt()


def _powers(o: Plane) -> HodographStart:
    u, n = ball(o.v_y) / (_size(o) + ball(o.v_x)), ball(o.mu) / ball(o.s)
    return HodographStart(u, n, ball(o.v_y) / _to(u, n), _down(o) * ball(o.s))


def _to(u: Any, power: Any) -> Any:
    return (u.log() * power).exp()


def _half(u: Any) -> Any:
    """Return tan(φ/4)."""
    return u / (1 + (1 + u * u).sqrt())


def _still_to_go(p: HodographStart, u: Any) -> tuple[Any, Any, Any]:
    """Return time, way down and way across that are left to the stop."""
    time, way = p.scale / (2 * p.pull), p.scale * p.scale / (2 * p.pull)
    n, square, powers = p.n, u * u, _to(u, p.n - 1)
    both = powers * powers
    return (
        time * powers * (1 / (n - 1) + square / (n + 1)),
        way / 4 * both * (1 / (n - 1) - square * square / (n + 1)),
        way * both * u * (1 / (2 * n - 1) + square / (2 * n + 1)),
    )


def _stop(o: Plane) -> tuple[Any, Any, Any]:
    """Return instant (s) and place (m) of the stop."""
    if o.s.rational:
        return _still_to_go(_powers(o), _powers(o).u)
    time = _size(o) / (ball(o.mu) * ball(o.g))
    return time, ball(o.v_x) * time / 2, ball(o.v_y) * time / 2


def _turned(o: Plane) -> tuple[Any, Any, Any]:
    """Return instant (s) and place (m) at which half of the angle is left."""
    if not o.s.rational:
        raise Absent("on a level plane the velocity keeps its direction")
    p = _powers(o)
    whole, left = _still_to_go(p, p.u), _still_to_go(p, _half(p.u))
    return whole[0] - left[0], whole[1] - left[1], whole[2] - left[2]


# ---- the second route: time by a linear invariant, places by quadrature over the angle


def _angle(o: Any) -> Any:
    return mpmath.atan2(o.v_y.mpf(), o.v_x.mpf())


def _gravity(o: Any) -> Any:
    return o.g.mpf() * mpmath.cos(mpmath.atan(o.s.mpf()))


def _speed(o: Any, angle: Any) -> Any:
    """Return v at an angle."""
    start, n = _angle(o), o.mu.mpf() / o.s.mpf()
    return o.v_y.mpf() / mpmath.sin(angle) * (mpmath.tan(angle / 2) / mpmath.tan(start / 2)) ** n


def _lapse(o: Any, angle: Any) -> Any:
    """Return the instant of an angle: μ v + s v_x falls by g cos a (μ² - s²) in a second."""
    mu, s = o.mu.mpf(), o.s.mpf()
    start = mu * mpmath.hypot(o.v_x.mpf(), o.v_y.mpf()) + s * o.v_x.mpf()
    left = _speed(o, angle) * (mu + s * mpmath.cos(angle)) if angle else mpmath.mpf(0)
    return (start - left) / (_gravity(o) * (mu**2 - s**2))


def _way(o: Any, part: Any, angle: Any) -> Any:
    """Return the way until an angle is left, down (cos) or across (sin)."""
    if not o.s.rational:
        return _lapse(o, 0) / 2 * (o.v_x.mpf() if part is mpmath.cos else o.v_y.mpf())
    pull = _gravity(o) * o.s.mpf()
    return mpmath.quad(lambda a: _speed(o, a) ** 2 * part(a) / (pull * mpmath.sin(a)), [angle, _angle(o)])


INVARIANT, QUADRATURE = "a linear invariant", "quadrature over the angle of the velocity"


@reference(lambda o: _lapse(o, 0), how=INVARIANT)
def stop_time(o: Plane) -> Any:
    """Return the instant (s) at which the body comes to rest."""
    return _stop(o)[0]


@reference(lambda o: _way(o, mpmath.cos, 0), how=QUADRATURE)
def stop_x(o: Plane) -> Any:
    """Return the place (m) of rest down the slope."""
    return _stop(o)[1]


@reference(lambda o: _way(o, mpmath.sin, 0), how=QUADRATURE)
def stop_y(o: Plane) -> Any:
    """Return the place (m) of rest across."""
    return _stop(o)[2]


@reference(lambda o: _lapse(o, _angle(o) / 2), how=INVARIANT)
def turn_time(o: Plane) -> Any:
    """Return the instant (s) at which the velocity has turned half of its way to the line of slope."""
    return _turned(o)[0]


@reference(lambda o: _way(o, mpmath.cos, _angle(o) / 2), how=QUADRATURE)
def turn_x(o: Plane) -> Any:
    """Return the place (m) down the slope at that instant."""
    return _turned(o)[1]


@reference(lambda o: _way(o, mpmath.sin, _angle(o) / 2), how=QUADRATURE)
def turn_y(o: Plane) -> Any:
    """Return the place (m) across at that instant."""
    return _turned(o)[2]
