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
from fractions import Fraction
from typing import NamedTuple

import mpmath
from mpmath import mpf

from veridyn.references import sliding_phases as phases
from veridyn.references.certified import (
    Certified,
    Route,
    bracketed_root,
    certify,
    certify_all,
    classification,
    exact_zero,
    undefined,
)
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_digits,
    checked,
    resolve,
)
from veridyn.references.sliding_phases import Block, Motion, PhaseKind
from veridyn.references.sliding_series import FOLLOWED, followed_events, followed_path, march

PARAMETERS = (
    Parameter("a0", "m/s²", "amplitude of the acceleration of the plane", "1.5"),
    Parameter("mu", "1", "coefficient of friction", "0.1"),
    Parameter("g", "m/s²", "gravity", "10"),
    Parameter("m", "kg", "mass", "1"),
    Parameter("omega", "rad/s", "circular frequency of the plane", "2*pi"),
    Parameter("t_start", "s", "start of the window", "4", "non-negative"),
    Parameter("t_end", "s", "end of the window", "12"),
)

_UNTIL = Parameter("until", "s", "end of the motion", "12")
_SERIES = f"Taylor series from phase to phase, events located on the polynomials (first {FOLLOWED} half periods)"
_STUCK = "the mass sticks for ever: friction holds it even at the peak acceleration"


class SlipEvent(NamedTuple):
    """A phase change: when, and the phase that begins (``slip+``, ``slip-`` or ``stick``)."""

    time: Certified
    kind: PhaseKind


def _block(**given: Number) -> Block:
    return Block(**resolve(PARAMETERS[:5], given))


def _window(t_start: Number, t_end: Number) -> tuple[Exact, Exact]:
    begin, end = checked(PARAMETERS[5], t_start), checked(PARAMETERS[6], t_end)
    with mpmath.workdps(1100):
        if begin.mpf() >= end.mpf():
            raise ParameterError(f"window reversed: t_start = {begin} must be less than t_end = {end}")
    return begin, end


def regime(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30) -> Certified:
    """Classify the motion: ``stick``, ``stick-slip`` or ``slip-slip``.

    Parameters
    ----------
    a0, mu, g, m, omega
        Acceleration of the plane (m/s²), friction coefficient, gravity (m/s²), mass (kg), circular
        frequency (rad/s).
    digits
        Digits wanted of a number; checked, without effect here.

    Returns
    -------
    Certified
        A classification, decided exactly: stick if η >= 1, slip-slip if η <= η*.

    Raises
    ------
    ParameterError
        If a parameter is not positive.
    """
    check_digits(digits)
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    return classification(phases.regime(block), "eta compared exactly with 1 and with 2/√(π²+4)")


def eta(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30) -> Certified:
    """Ratio η = μ g/a0 (dimensionless); parameters and errors as `regime`."""
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    return certify(
        Route("μ g/a0 in rational arithmetic", block.eta.mpf),
        Route("μ g/a0 in floating arithmetic", lambda: block.mu.mpf() * block.g.mpf() / block.a0.mpf()),
        digits=digits,
        kind="closed form",
        name="eta",
    )


def critical_eta(*, digits: int = 30) -> Certified:
    """η* = 2/√(π²+4), where stick-slip passes into slip-slip (dimensionless).

    Source: Westermo and Udwadia (1983).
    """
    # A slip that begins at asin η lasts exactly half a period when π η = 2 cos(asin η).
    half_period = Route(
        "root of π sin x = 2 cos x, x = asin η*",
        lambda: mpmath.sin(
            bracketed_root(
                lambda x: mpmath.pi * mpmath.sin(x) - 2 * mpmath.cos(x),
                lambda ctx, x: ctx.pi * ctx.cos(x) + 2 * ctx.sin(x),
                mpmath.mpf(0),
                mpmath.mpf(1),
                name="critical eta",
            )
        ),
    )
    first = Route("2/√(π²+4)", phases.critical_eta)
    return certify(first, half_period, digits=digits, kind="closed form", name="critical_eta")


def _early(block: Block) -> Exact:
    """Give an instant by which the first slip has ended: two periods."""
    return Exact(Fraction(4), 1) / block.omega


def slip_start(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30) -> Certified:
    """Beginning of the first slip, t1 = asin(η)/ω, in s; undefined in stick.

    Parameters and errors as `regime`.
    """
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    if phases.regime(block) == "stick":
        return undefined(_STUCK)
    return certify(
        Route("asin(η)/ω", lambda: mpmath.asin(block.eta.mpf()) / block.omega.mpf()),
        Route(_SERIES, lambda: march(block, _early(block))[0][0][0]),
        digits=digits,
        kind="closed form",
        name="slip_start",
    )


def slip_end(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30) -> Certified:
    """End t2 of the first slip in s: the mass sticks, or slips back at once (slip-slip).

    Root of η ω (t2 - t1) - cos ωt1 + cos ωt2 = 0; undefined in stick. Parameters and errors as `regime`.
    """
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    if phases.regime(block) == "stick":
        return undefined(_STUCK)
    return certify(
        Route("root of the relative velocity, bracketed and unique", lambda: _first_end(block)),
        Route(_SERIES, lambda: march(block, _early(block))[0][1][0]),
        digits=digits,
        kind="quasi-analytical",
        name="slip_end",
    )


def _first_end(block: Block) -> mpf:
    return phases.slip_root(block, mpmath.asin(block.eta.mpf())) / block.omega.mpf()


def slip_events(
    *, a0: Number, mu: Number, g: Number, m: Number, omega: Number, until: Number, digits: int = 30
) -> tuple[SlipEvent, ...]:
    """All phase changes on [0, until] in order of time; empty in stick.

    Parameters and errors as `regime`; `until` in s, positive.
    """
    block, end = _block(a0=a0, mu=mu, g=g, m=m, omega=omega), checked(_UNTIL, until)
    check_digits(digits)
    if phases.regime(block) == "stick":
        return ()
    times = certify_all(
        Route("roots of the relative velocity, slip by slip", lambda: [t for t, _ in phases.events(block, end)]),
        Route(_SERIES, lambda: [t for t, _ in followed_events(block, end)]),
        digits=digits,
        kind="quasi-analytical",
        name="slip_events",
    )
    with mpmath.workdps(digits + 15):
        kinds = [kind for _, kind in phases.changes(block, end)]
    return tuple(map(SlipEvent, times, kinds))


def wear_energy(
    *,
    a0: Number,
    mu: Number,
    g: Number,
    m: Number,
    omega: Number,
    t_start: Number,
    t_end: Number,
    digits: int = 30,
) -> Certified:
    """Integral of N |v| over the window, N = m g, in J (Archard's wear work).

    Parameters
    ----------
    a0, mu, g, m, omega
        As for `regime`.
    t_start, t_end
        Window in s, 0 <= t_start < t_end.
    digits
        Digits wanted.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, or the window is reversed.
    """
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    return _worn(block, *_window(t_start, t_end), lambda: mpmath.mpf(1), digits, "wear_energy")


def wear_power(
    *,
    a0: Number,
    mu: Number,
    g: Number,
    m: Number,
    omega: Number,
    t_start: Number,
    t_end: Number,
    digits: int = 30,
) -> Certified:
    """Mean of N |v| over the window, N = m g, in W; parameters and errors as `wear_energy`.

    Source: EDF V5.01.104, whose text writes μ m g |v| but whose numbers are this.
    """
    block, window = _block(a0=a0, mu=mu, g=g, m=m, omega=omega), _window(t_start, t_end)
    return _worn(block, *window, lambda: 1 / (window[1].mpf() - window[0].mpf()), digits, "wear_power")


def friction_power(
    *,
    a0: Number,
    mu: Number,
    g: Number,
    m: Number,
    omega: Number,
    t_start: Number,
    t_end: Number,
    digits: int = 30,
) -> Certified:
    """Mean of μ N |v| over the window in W: the power that friction dissipates.

    Parameters and errors as `wear_energy`.
    """
    block, window = _block(a0=a0, mu=mu, g=g, m=m, omega=omega), _window(t_start, t_end)

    def factor() -> mpf:
        return block.mu.mpf() / (window[1].mpf() - window[0].mpf())

    return _worn(block, *window, factor, digits, "friction_power")


def _worn(block: Block, begin: Exact, end: Exact, factor: Callable[[], mpf], digits: int, name: str) -> Certified:
    """Certify factor × ∫ m g |v| dt."""
    check_digits(digits)
    if phases.regime(block) == "stick":
        return exact_zero(_STUCK, digits)
    with mpmath.workdps(digits + 50):
        if not phases.slides(block, begin, end):
            return exact_zero("the mass sticks throughout the window", digits)

    def scaled(path: Callable[[Block, Exact], mpf]) -> mpf:
        return factor() * (block.m * block.g).mpf() * (path(block, end) - path(block, begin))

    return certify(
        Route("closed form of the path of each slip between its roots", lambda: scaled(phases.path_slid)),
        Route(_SERIES, lambda: scaled(followed_path)),
        digits=digits,
        kind="quasi-analytical",
        name=name,
    )


def asymptotic_wear_power(
    *, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30
) -> Certified:
    """Mean of N |v| over a period of the limit motion in W; parameters and errors as `regime`.

    2 m g a0 √(4 - η²π²)/(ω² T) with T = 2π/ω in slip-slip; from t1 and t2 in stick-slip; 0 in stick.
    Source: EDF V5.01.104.
    """
    check_digits(digits)
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    if phases.regime(block) == "stick":
        return exact_zero(_STUCK, digits)
    unit = block.m * block.g * block.a0 / block.omega  # m g a0/ω, over π per half period

    def closed() -> mpf:
        return unit.mpf() / mpmath.pi * mpmath.sqrt(4 - (block.eta.mpf() * mpmath.pi) ** 2)

    def from_slip() -> mpf:
        tau1 = mpmath.asin(block.eta.mpf())
        return unit.mpf() / mpmath.pi * phases.slid(tau1, phases.slip_root(block, tau1), block.eta.mpf())

    slip_slip = phases.regime(block) == "slip-slip"
    return certify(
        Route("2 m g a0 √(4 - η²π²)/(ω² T)", closed) if slip_slip else Route("path of one slip, t1 to t2", from_slip),
        Route("quadrature of |v| over the limit slip", lambda: unit.mpf() / mpmath.pi * phases.limit_path(block)),
        digits=digits,
        kind="closed form" if slip_slip else "quasi-analytical",
        name="asymptotic_wear_power",
    )


def theta(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, digits: int = 30) -> Certified:
    """Limit acos(πη/2)/ω, in s, of the slip instants within their half periods; slip-slip only.

    Undefined in the other regimes. Parameters and errors as `regime`. Source: EDF V5.01.104.
    """
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    if phases.regime(block) != "slip-slip":
        return undefined("slips of half a period exist in slip-slip only")
    return certify(
        Route("acos(πη/2)/ω", lambda: mpmath.acos(mpmath.pi * block.eta.mpf() / 2) / block.omega.mpf()),
        Route(
            "root of πη = 2 cos ωθ, bracketed and unique",
            lambda: phases.limit_root(block) / block.omega.mpf(),
        ),
        digits=digits,
        kind="closed form",
        name="theta",
    )


def motion(*, a0: Number, mu: Number, g: Number, m: Number, omega: Number, until: Number, digits: int = 30) -> Motion:
    """Motion of plane and mass on [0, until] (s), for figures and comparison of histories.

    Parameters and errors as `regime`; the methods raise `ParameterError` outside the interval.
    """
    block = _block(a0=a0, mu=mu, g=g, m=m, omega=omega)
    return phases.motion(block, checked(_UNTIL, until), check_digits(digits))
