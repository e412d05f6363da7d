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
from itertools import cycle
from typing import Any, NamedTuple

import mpmath
from flint import arb

from veridyn.references import sliding_closed as closed
from veridyn.references import sliding_phases as phases
from veridyn.references.certified import Certified, Kind, Route, classification, exact_count, exact_zero, undefined
from veridyn.references.enclosure import Undecided, ball, decided, enclose, enclose_all
from veridyn.references.jets import Ball
from veridyn.references.motion import Motion
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_digits,
    checked,
    resolve,
    takes,
)
from veridyn.references.sliding_closed import Block, PhaseKind

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
_UNTIL = Parameter("until", "s", "end of the motion", "12")
_STUCK = "the mass sticks for ever: friction holds it even at the peak acceleration"
_PROOF = "slips enclosed: each ends at the only root of the relative velocity, what follows is proved"
_MARCH = "closed form in physical units, slip by slip, each end proved to be the next root by bounds of derivatives"


class SlipEvent(NamedTuple):
    """A phase change: when, and the phase that begins (``slip+``, ``slip-`` or ``stick``)."""

    time: Certified
    kind: PhaseKind


def _block(given: dict[str, Number]) -> Block:
    return Block(**resolve(BLOCK, given))


def _certified(
    name: str, digits: int, read: Callable[[], arb], second: Route, kind: Kind = "quasi-analytical", proof: str = _PROOF
) -> Certified:
    return enclose(read, second, digits=digits, kind=kind, name=name, proof=proof)


@takes(BLOCK)
def regime(*, digits: int = 30, **given: Number) -> Certified:
    """Classify the motion: ``stick``, ``stick-slip`` or ``slip-slip``.

    Parameters
    ----------
    digits
        Digits wanted of a number; checked, without effect here.
    given
        Acceleration of the plane (m/s²), friction coefficient, gravity (m/s²), mass (kg), circular
        frequency (rad/s): the first five of `PARAMETERS`; those that are not given have their default.

    Returns
    -------
    Certified
        A classification, decided exactly: stick if η >= 1, slip-slip if η <= η*.

    Raises
    ------
    ParameterError
        If a parameter is unknown or not positive.
    """
    check_digits(digits)
    return classification(phases.regime(_block(given)), "eta compared exactly with 1 and with 2/√(π²+4)")


@takes(BLOCK)
def eta(*, digits: int = 30, **given: Number) -> Certified:
    """Ratio η = μ g/a0 (dimensionless); parameters and errors as `regime`."""
    b = _block(given)
    second = Route("μ g/a0 in floating arithmetic", lambda: b.mu.mpf() * b.g.mpf() / b.a0.mpf())
    return _certified("eta", digits, lambda: ball(b.eta), second, "closed form", "μ g/a0 in rational arithmetic")


def critical_eta(*, digits: int = 30) -> Certified:
    """η* = 2/√(π²+4), where stick-slip passes into slip-slip (dimensionless).

    Source: Westermo and Udwadia (1983).
    """
    # A slip that begins at asin η lasts exactly half a period when π η = 2 cos(asin η).
    second = Route("sin x where π sin x = 2 cos x", lambda: mpmath.sin(mpmath.atan(2 / mpmath.pi)))
    return _certified("critical_eta", digits, phases.critical_eta, second, "closed form", "2/√(π²+4)")


@takes(BLOCK)
def slip_start(*, digits: int = 30, **given: Number) -> Certified:
    """Beginning of the first slip, t1 = asin(η)/ω, in s; undefined in stick.

    Parameters and errors as `regime`.
    """
    b = _block(given)
    if phases.regime(b) == "stick":
        return undefined(_STUCK)
    second = Route("root of a0 sin ωt = μ g", lambda: closed.first_start(b))
    return _certified(
        "slip_start", digits, lambda: ball(b.eta).asin() / ball(b.omega), second, "closed form", "asin(η)/ω"
    )


@takes(BLOCK)
def slip_end(*, digits: int = 30, **given: Number) -> Certified:
    """End t2 of the first slip in s: the mass sticks, or slips back at once (slip-slip).

    Root of η ω (t2 - t1) - cos ωt1 + cos ωt2 = 0; undefined in stick. Parameters and errors as `regime`.
    """
    b = _block(given)
    if phases.regime(b) == "stick":
        return undefined(_STUCK)

    def read() -> Ball:
        return phases.slip_from(ball(b.eta), ball(b.eta).asin()).end / ball(b.omega)

    return _certified("slip_end", digits, read, Route(_MARCH, lambda: closed.slips(b, 1)[0][0][1]))


@takes(BLOCK)
def slip_events(*, digits: int = 30, until: Number, **given: Number) -> tuple[SlipEvent, ...]:
    """All phase changes on [0, until] in order of time; empty in stick.

    Parameters and errors as `regime`; `until` in s, positive.

    Raises
    ------
    ParameterError
        Too if there are more than 20000 slips.
    CertificationError
        If a phase changes at `until`, as far as any precision tells.
    """
    b, end = _block(given), checked(_UNTIL, until)
    check_digits(digits)
    if phases.regime(b) == "stick":
        return ()

    def times() -> list[arb]:
        return [tau / ball(b.omega) for tau, _ in phases.changes(b, end)]

    second = Route(_MARCH, lambda: [t for t, _ in closed.changes(b, end)])
    found = enclose_all(times, second, digits=digits, kind="quasi-analytical", name="slip_events", proof=_PROOF)
    return tuple(map(SlipEvent, found, cycle(phases.ORDER[phases.regime(b)])))


@takes(BLOCK)
def slips_begun(*, t_end: Number, digits: int = 30, **given: Number) -> Certified:
    """Count the slips that have begun by `t_end` (s); parameters and errors as `regime`."""
    b, end = _block(given), checked(PARAMETERS[-1], t_end)
    try:
        return exact_count(decided(lambda: phases.begun(b, end)), _PROOF, digits, "quasi-analytical")
    except Undecided as doubt:
        return undefined(f"slips_begun: {doubt}")


@takes(PARAMETERS)
def wear_energy(*, digits: int = 30, **given: Number) -> Certified:
    """Integral of N |v| over the window, N = m g, in J (Archard's wear work).

    Parameters
    ----------
    digits
        Digits wanted.
    given
        As for `regime`, and the window in s, 0 <= t_start < t_end.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, the window is reversed, or the motion takes more than 20000 slips to settle.
    """
    return _worn("wear_energy", given, digits, lambda _mu, _span: 1)


@takes(PARAMETERS)
def wear_power(*, digits: int = 30, **given: Number) -> Certified:
    """Mean of N |v| over the window, N = m g, in W; parameters and errors as `wear_energy`.

    Source: EDF V5.01.104, whose text writes μ m g |v| but whose numbers are this.
    """
    return _worn("wear_power", given, digits, lambda _mu, span: 1 / span)


@takes(PARAMETERS)
def friction_power(*, digits: int = 30, **given: Number) -> Certified:
    """Mean of μ N |v| over the window in W: the power that friction dissipates.

    Parameters and errors as `wear_energy`.
    """
    return _worn("friction_power", given, digits, lambda mu, span: mu / span)


def _worn(name: str, given: dict[str, Number], digits: int, factor: Callable[[Any, Any], Any]) -> Certified:
    """Return factor × ∫ m g |v| dt; the factor is one of μ and the length of the window (s)."""
    values = resolve(PARAMETERS, given)
    begin, end = values.pop("t_start"), values.pop("t_end")
    with mpmath.workdps(1100):
        if begin.mpf() >= end.mpf():
            raise ParameterError(f"window reversed: t_start = {begin} must be less than t_end = {end}")
    b = Block(**values)
    if phases.regime(b) == "stick":
        return exact_zero(_STUCK, digits)

    def scaled(number: Callable[[Exact], Any], path: Any) -> Any:
        return factor(number(b.mu), number(end) - number(begin)) * number(b.m * b.g) * path

    second = Route(_MARCH, lambda: scaled(Exact.mpf, closed.path(b, begin, end)))
    return _certified(name, digits, lambda: scaled(ball, _length(b) * phases.path(b, begin, end)), second)


def _length(b: Block) -> Ball:
    """Return the unit of paths, a0/ω² (m)."""
    return ball(b.a0 / b.omega / b.omega)


@takes(BLOCK)
def asymptotic_wear_power(*, digits: int = 30, **given: Number) -> Certified:
    """Mean of N |v| over a period of the limit motion in W; parameters and errors as `regime`.

    2 m g a0 √(4 - η²π²)/(ω² T) with T = 2π/ω in slip-slip; from t1 and t2 in stick-slip; 0 in stick.
    Source: EDF V5.01.104.
    """
    b = _block(given)
    if phases.regime(b) == "stick":
        return exact_zero(_STUCK, digits)
    unit = b.m * b.g * b.a0 / b.omega  # m g a0/ω, over π per half period

    def from_root() -> Ball:
        return ball(unit) / arb.pi() * (4 - (ball(b.eta) * arb.pi()) ** 2).sqrt()

    def from_slip() -> Ball:
        return ball(unit) / arb.pi() * phases.limit(b).path

    second = Route(
        "displacement between the roots of one limit slip", lambda: (b.m * b.g).mpf() * closed.limit_speed(b)
    )
    if phases.regime(b) == "slip-slip":
        how = "2 m g a0 √(4 - η²π²)/(ω² T)"
        return _certified("asymptotic_wear_power", digits, from_root, second, "closed form", how)
    return _certified("asymptotic_wear_power", digits, from_slip, second)


@takes(BLOCK)
def theta(*, digits: int = 30, **given: Number) -> Certified:
    """Limit acos(πη/2)/ω, in s, of the slip instants within their half periods; slip-slip only.

    Undefined in the other regimes. Parameters and errors as `regime`. Source: EDF V5.01.104.
    """
    b = _block(given)
    if phases.regime(b) != "slip-slip":
        return undefined("slips of half a period exist in slip-slip only")
    second = Route("root of the velocity that a slip of half a period ends with", lambda: closed.limit_start(b))
    return _certified(
        "theta", digits, lambda: phases.theta(ball(b.eta)) / ball(b.omega), second, "closed form", "acos(πη/2)/ω"
    )


@takes(BLOCK)
def motion(*, until: Number, digits: int = 30, **given: Number) -> Motion:
    """Motion of plane and mass, for figures and comparison of histories, with its changes up to `until` (s).

    plate_velocity, mass_velocity, relative_velocity (m/s; of a plane whose mean velocity is zero; the relative one is
    that of the mass less that of the plane), relative_displacement (m, from 0 at t = 0).
    Parameters and errors as `slip_events`.
    """
    b, end = _block(given), checked(_UNTIL, until)

    def plate(t: arb) -> Ball:
        return -ball(b.a0 / b.omega) * (ball(b.omega) * t).cos()

    def relative(t: arb) -> Ball:
        return ball(b.a0 / b.omega) * phases.velocity(b, ball(b.omega) * t)

    return Motion(
        {
            "plate_velocity": plate,
            "mass_velocity": lambda t: plate(t) + relative(t),
            "relative_velocity": relative,
            "relative_displacement": lambda t: _length(b) * phases.displacement(b, ball(b.omega) * t),
        },
        lambda: [(tau / ball(b.omega), kind) for tau, kind in phases.changes(b, end)],
        check_digits(digits),
    )
