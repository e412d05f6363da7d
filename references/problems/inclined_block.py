"""A block on an incline under dry friction: it holds, slides to a stop, runs on, or comes back after a climb.

The place x (m) counts down the slope, whose tangent is s; the block has the velocity v0 at x = 0. In motion it
accelerates with g cos a (s - μ_d sgn v), a = atan s. Where it rests it holds if s <= μ_s, and slides down otherwise.

Source: C. A. Coulomb, Théorie des machines simples (1785); any textbook of mechanics.
"""

from __future__ import annotations

from typing import Any

import mpmath
from flint import arb

from veridyn.references.engine.enclosure import Absent, Exactly, ball, less, sign_of
from veridyn.references.engine.jets import value
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError, ParameterSet
from veridyn.references.reference import TIME

PARAMETERS = (
    Parameter("m", "kg", "mass", "2"),
    Parameter("g", "m/s^2", "acceleration of gravity", "9.81"),
    Parameter("s", "1", "tangent of the slope", "0.2", "non-negative"),
    Parameter("mu_s", "1", "coefficient of static friction", "0.4"),
    Parameter("mu_d", "1", "coefficient of kinetic friction", "0.4"),
    Parameter("v0", "m/s", "velocity at the start, down the slope", "2", "any"),
)


class Incline(ParameterSet):
    """The parameters; nothing hangs on a limit of friction."""

    def check(self) -> None:
        """Refuse a static coefficient below the kinetic one, and what no rounding may decide."""
        if self.mu_s.rational < self.mu_d.rational:
            raise ParameterError(f"mu_s = {self.mu_s} is below mu_d = {self.mu_d}: raise it")
        if self.s.rational == self.mu_s.rational or (self.v0.rational > 0 and self.s.rational == self.mu_d.rational):
            raise ParameterError(f"s = {self.s} is a coefficient of friction: a rounding decides whether it holds")


reference = References(PARAMETERS, Incline, kind="closed form", proof="closed form, its phases decided exactly")


def _holds(o: Incline) -> bool:
    """Whether friction holds a block at rest."""
    return o.s.rational < o.mu_s.rational


def _stops(o: Incline) -> bool:
    """Whether a block that moves at the start comes to rest."""
    return o.v0.rational < 0 or (o.v0.rational > 0 and o.s.rational < o.mu_d.rational)


def _order(o: Incline) -> str:
    """Return the phases of the motion in order of time."""
    first = [] if not o.v0.rational else ["slip+" if o.v0.rational > 0 else "slip-"]
    last = ["stick" if _holds(o) else "slip+"] if _stops(o) or not first else []
    return " ".join(first + last)


def _pull(o: Incline, side: int) -> Any:
    """Return the acceleration (m/s²) in slip to a side."""
    s = ball(o.s)
    return ball(o.g) * (s - side * ball(o.mu_d)) / (1 + s * s).sqrt()


def _stop(o: Incline) -> Any:
    """Return the instant (s) of rest; raises `Absent` if it moves on."""
    if not _stops(o):
        raise Absent("the block does not come to rest from motion")
    return -ball(o.v0) / _pull(o, sign_of(o.v0))


def _phase(o: Incline, time: Exact) -> tuple[Any, Any, Any, Any]:
    """Return place, velocity and acceleration at the begin of the phase of an instant (s), and how long it has gone."""
    now = ball(time)
    if o.v0.rational and (not _stops(o) or less(now, _stop(o), f"{time} s is the instant of the stop")):
        return arb(0), ball(o.v0), _pull(o, sign_of(o.v0)), now
    pull = arb(0) if _holds(o) else _pull(o, 1)
    if not _stops(o):
        return arb(0), arb(0), pull, now
    return ball(o.v0) * _stop(o) / 2, arb(0), pull, now - _stop(o)


# ---- the second route: angles, and energies instead of times


def _angles(o: Any) -> tuple[Any, Any]:
    """Return slope and angle of friction."""
    return mpmath.atan(o.s.mpf()), mpmath.atan(o.mu_d.mpf())


def _slip(o: Any, side: int) -> Any:
    """Return the acceleration in slip: g sin(a - side φ)/cos φ."""
    slope, friction = _angles(o)
    return o.g.mpf() * mpmath.sin(slope - side * friction) / mpmath.cos(friction)


def _side(o: Any) -> int:
    return 1 if o.v0.rational > 0 else -1


def _length(o: Any) -> Any:
    """Return the place of the stop: where friction and gravity have taken the energy of the start."""
    return -(o.v0.mpf() ** 2) / (2 * _slip(o, _side(o)))


def _rest(o: Any) -> Any:
    """Return the instant of the stop: its place over the mean velocity."""
    return 2 * _length(o) / o.v0.mpf()


def _followed(o: Any, time: Exact) -> tuple[Any, Any]:
    """Return place and velocity, from the stop forwards or backwards where there is one."""
    if not o.v0.rational or not _stops(o):
        pull = _slip(o, 1) if o.v0.rational or not _holds(o) else mpmath.mpf(0)
        velocity = o.v0.mpf() + pull * time.mpf()
        return (o.v0.mpf() + velocity) / 2 * time.mpf(), velocity
    passed = time.mpf() - _rest(o)
    pull = _slip(o, _side(o)) if passed < 0 else (mpmath.mpf(0) if _holds(o) else _slip(o, 1))
    return _length(o) + pull * passed**2 / 2, pull * passed


ANGLES = "angles of slope and friction, energy"


@reference()
def phase_order(o: Incline) -> Any:
    """Return the phases in order of time: slip+ (down the slope), slip- and stick."""
    raise Exactly(_order(o), "coefficients compared exactly")


@reference(_rest, how=ANGLES)
def stop_time(o: Incline) -> Any:
    """Return the instant (s) at which the block comes to rest: v0/(g cos a (μ_d sgn v0 - s)), undefined if none."""
    return _stop(o)


@reference(_length, how=ANGLES)
def stop_place(o: Incline) -> Any:
    """Return the place (m) at which the block comes to rest."""
    return ball(o.v0) * _stop(o) / 2


@reference(lambda o, time: _followed(o, time)[0], how=ANGLES, takes=(TIME,))
def place(o: Incline, time: Exact) -> Any:
    """Return the place (m) at an instant (s)."""
    if not o.v0.rational and _holds(o):
        raise Exactly(0, "friction holds the block from the start")
    begin, speed, pull, lapse = _phase(o, time)
    return begin + speed * lapse + pull * lapse * lapse / 2


@reference(lambda o, time: _followed(o, time)[1], how=ANGLES, takes=(TIME,))
def velocity(o: Incline, time: Exact) -> Any:
    """Return the velocity (m/s) at an instant (s)."""
    _, speed, pull, lapse = _phase(o, time)
    if not value(speed) and not value(pull):
        raise Exactly(0, "friction holds the block")
    return speed + pull * lapse
