"""Wear of a mass that rubs on a shaken plane (dry friction): stick, stick-slip, slip-slip.

A mass m lies on a plane whose acceleration is a0 sin ωt; Coulomb friction μ, weight m g; the mass
starts stuck. With η = μ g/a0 and η* = 2/√(π²+4): it sticks for ever if η >= 1, sticks and slips by
turns if η* < η < 1, and slips to and fro without sticking if η <= η*.

Times are in s from the start; the sign of a slip is that of the velocity of the mass relative to the
plane, so the first slip is ``slip-``. Wear power means N |v| with N = m g (Archard); the dissipated
friction power is μ times that.

Source: EDF validation manual V5.01.104 (SDND104); B. Westermo, F. Udwadia, Earthquake Engineering
and Structural Dynamics 11 (1983) 135-146.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
from flint import arb

from veridyn.references.certified import Kind
from veridyn.references.engine.enclosure import Absent, Exactly, ball
from veridyn.references.engine.jets import Ball
from veridyn.references.engine.quantities import References
from veridyn.references.parameters import Exact, Parameter, ParameterError
from veridyn.references.problems import sliding_phases as phases
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.problems.sliding_phases import Block
from veridyn.references.second_routes import sliding_closed as closed

PARAMETERS = (
    Parameter("a0", "m/s²", "amplitude of the acceleration of the plane", "1.5"),
    Parameter("mu", "1", "coefficient of friction", "0.1"),
    Parameter("g", "m/s²", "gravity", "10"),
    Parameter("m", "kg", "mass", "1"),
    Parameter("omega", "rad/s", "circular frequency of the plane", "2*pi"),
    Parameter("t_start", "s", "start of the window", "4", "non-negative"),
    Parameter("t_end", "s", "end of the window", "12"),
)

BLOCK = PARAMETERS[:5]
_STUCK = "the mass sticks for ever: friction holds it even at the peak acceleration"
_PROOF = "slips enclosed: each ends at the only root of the relative velocity, what follows is proved"
MARCH = "closed form in physical units, slip by slip, each end proved to be the next root by bounds of derivatives"


class BlockWithWindow(Block):
    """A block with a window."""

    def check(self) -> None:
        """Refuse a window that is reversed."""
        with mpmath.workdps(1100):
            if self.t_start.mpf() >= self.t_end.mpf():
                raise ParameterError(
                    f"window reversed: t_start = {self.t_start} must be less than t_end = {self.t_end}"
                )


def _in_mpmath(read: Callable[[Any], Any]) -> Callable[[Block], Any]:
    """Return a second route that takes the parameters in mpmath."""
    return lambda b: read(ParameterView(b, Exact.mpf))


def _kind(b: Block) -> Kind:
    return "closed form" if phases.regime(b) == "stick" else "quasi-analytical"


reference = References(
    BLOCK,
    Block,
    proof=_PROOF,
    how=MARCH,
)
in_window = replace(reference, parameters=PARAMETERS, record=BlockWithWindow, kind=_kind)
to_end = replace(reference, parameters=(*BLOCK, PARAMETERS[-1]))


@reference()
def regime(b: Block) -> Ball:
    """Classify the motion: ``stick`` (η >= 1), ``stick-slip`` or ``slip-slip`` (η <= η*), decided exactly."""
    raise Exactly(phases.regime(b), "eta compared exactly with 1 and with 2/√(π²+4)")


# A slip that begins at asin η lasts exactly half a period when π η = 2 cos(asin η).
@replace(reference, parameters=())(
    lambda _: mpmath.sin(mpmath.atan(2 / mpmath.pi)),
    how="sin x where π sin x = 2 cos x",
    kind="closed form",
    proof="2/√(π²+4)",
)
def critical_eta(_: Block) -> Ball:
    """η* = 2/√(π²+4), where stick-slip passes into slip-slip (dimensionless). Source: Westermo and Udwadia (1983)."""
    return phases.critical_eta()


def _first(b: Block) -> Ball:
    """Return where the first slip begins, in ωt."""
    if phases.regime(b) == "stick":
        raise Absent(_STUCK)
    return ball(b.eta).asin()


@reference(_in_mpmath(closed.first_start), how="root of a0 sin ωt = μ g", kind="closed form", proof="asin(η)/ω")
def slip_start(b: Block) -> Ball:
    """Beginning of the first slip, t1 = asin(η)/ω, in s; undefined in stick."""
    return _first(b) / ball(b.omega)


@reference(_in_mpmath(lambda p: closed.slips(p, 1)[0][0][1]))
def slip_end(b: Block) -> Ball:
    """End t2 of the first slip in s: the mass sticks, or slips back at once (slip-slip).

    Root of η ω (t2 - t1) - cos ωt1 + cos ωt2 = 0; undefined in stick.
    """
    return phases.slip_from(ball(b.eta), _first(b)).end / ball(b.omega)


@to_end()
def slips_begun(b: Block) -> Ball:
    """Count the slips that have begun by `t_end` (s)."""
    raise Exactly(phases.begun(b, b.t_end), _PROOF)


def _worn(b: BlockWithWindow) -> Ball:
    """Return ∫ m g |v| dt over the window."""
    if phases.regime(b) == "stick":
        raise Exactly(0, _STUCK)
    return ball(b.m * b.g) * _length(b) * phases.path(b, b.t_start, b.t_end)


def _length(b: Block) -> Ball:
    """Return the unit of paths, a0/ω² (m)."""
    return ball(b.a0 / b.omega / b.omega)


def _power(b: BlockWithWindow) -> Ball:
    return _worn(b) / (ball(b.t_end) - ball(b.t_start))


@in_window(_in_mpmath(closed.worn))
def wear_energy(b: BlockWithWindow) -> Ball:
    """Integral of N |v| over the window, N = m g, in J (Archard's wear work).

    Raises
    ------
    ParameterError
        If the window is reversed, or the motion takes more than 20000 slips to settle.
    """
    return _worn(b)


@in_window(_in_mpmath(closed.wear_power))
def wear_power(b: BlockWithWindow) -> Ball:
    """Mean of N |v| over the window, N = m g, in W.

    Source: EDF V5.01.104, whose text writes μ m g |v| but whose numbers are this.
    """
    return _power(b)


@in_window(_in_mpmath(lambda p: p.mu * closed.wear_power(p)))
def friction_power(b: BlockWithWindow) -> Ball:
    """Mean of μ N |v| over the window in W: the power that friction dissipates."""
    return ball(b.mu) * _power(b)


def _closed(b: Block) -> bool:
    return phases.regime(b) != "stick-slip"


@reference(
    _in_mpmath(lambda p: p.m * p.g * closed.limit_speed(p)),
    how="displacement between the roots of one limit slip",
    kind=lambda b: "closed form" if _closed(b) else "quasi-analytical",
    proof=lambda b: "2 m g a0 √(4 - η²π²)/(ω² T)" if _closed(b) else _PROOF,
)
def asymptotic_wear_power(b: Block) -> Ball:
    """Mean of N |v| over a period of the limit motion in W.

    2 m g a0 √(4 - η²π²)/(ω² T) with T = 2π/ω in slip-slip; from t1 and t2 in stick-slip; 0 in stick.
    Source: EDF V5.01.104.
    """
    if phases.regime(b) == "stick":
        raise Exactly(0, _STUCK)
    path = (4 - (ball(b.eta) * arb.pi()) ** 2).sqrt() if _closed(b) else phases.limit(b).path  # of half a period
    return ball(b.m * b.g * b.a0 / b.omega) / arb.pi() * path


@reference(
    _in_mpmath(closed.limit_start),
    how="root of the velocity that a slip of half a period ends with",
    kind="closed form",
    proof="acos(πη/2)/ω",
)
def theta(b: Block) -> Ball:
    """Limit acos(πη/2)/ω, in s, of the slip instants within their half periods; undefined but in slip-slip.

    Source: EDF V5.01.104.
    """
    if phases.regime(b) != "slip-slip":
        raise Absent("slips of half a period exist in slip-slip only")
    return phases.theta(ball(b.eta)) / ball(b.omega)
