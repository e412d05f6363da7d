"""Free decay of a mass on a spring under dry friction: half cycles of falling amplitude, then rest for good.

A mass m on a spring k is guided along a straight line and released at x0 with velocity 0; it is pressed with its
weight m g on a plane with the coefficient of friction μ. The line makes an `angle` with the axis x. Friction acts in
both directions of the plane (`directions` = 2), so with R = μ m g along the line, or only along x (1), so that its
part along the line is R = μ m g cos(angle).

With C = R/k and ω = √(k/m): as long as |x_n| > C the mass goes, in the time π/ω, from the turning point x_n to
x_{n+1} = -x_n + 2 C sgn x_n. The first turning point with |x_n| <= C is the last: friction holds it for ever.

Source: EDF validation manual V5.01.100 (SDND100); J.P. Den Hartog, Transactions ASME 53 (1931) 107-115.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
from mpmath import mpf

from veridyn.references import friction_half_cycles as cycles
from veridyn.references.certified import Certified, Route, certify, exact_zero, undefined
from veridyn.references.friction_half_cycles import Motion, Slider
from veridyn.references.parameters import (
    Exact,
    Number,
    Parameter,
    ParameterError,
    check_count,
    check_digits,
    resolve,
)

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m", "stiffness of the spring", "1e4"),
    Parameter("mu", "1", "coefficient of friction", "0.1"),
    Parameter("g", "m/s²", "gravity, presses the mass on the plane", "10"),
    Parameter("x0", "m", "displacement at the release, along the line", "0.85e-3", "any"),
    Parameter("angle", "rad", "angle between the line and the axis x", "pi/4", "any"),
    Parameter("directions", "1", "2: friction acts in the plane; 1: only along the axis x", "2"),
)

_SERIES = "Taylor series from turning point to turning point"
_SLACK = "it stops where the spring is slack"
_HELD = "friction holds the mass from the start: |x0| <= R/k"


def _slider(**given: Number) -> Slider:
    slider = Slider(**resolve(PARAMETERS, given))
    if slider.directions not in (Exact(Fraction(1)), Exact(Fraction(2))):
        raise ParameterError(f"directions must be 1 or 2, got {slider.directions}")
    with mpmath.workdps(50):
        if abs(slider.angle.mpf()) >= mpmath.pi / 2:
            raise ParameterError(f"angle must lie between -pi/2 and pi/2, got {slider.angle}")
    return slider


def _certified(name: str, digits: int, how: str, value: Callable[[], mpf], *others: Route) -> Certified:
    return certify(Route(how, value), *others, digits=digits, kind="closed form", name=name)


def half_cycles(
    *,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Count the half cycles until the mass stops for good.

    Parameters
    ----------
    m, k, mu, g
        Mass (kg), stiffness (N/m), friction coefficient, gravity (m/s²).
    x0
        Displacement at the release (m).
    angle, directions
        Angle of the line (rad), number of directions in which friction acts, 1 or 2.
    digits
        Digits wanted.

    Returns
    -------
    Certified
        How many odd numbers lie below |x0| k/R; 0 if friction holds the mass at once.

    Raises
    ------
    ParameterError
        If a parameter breaks its rule, the angle is not below a right one, or there are too many half cycles.
    CertificationError
        If a turning point lies so close to ±R/k that nothing tells whether friction holds it.
    """
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    count = cycles.count(slider)
    if count == 0:
        return exact_zero(_HELD, digits)

    def last_held() -> mpf:
        turns = cycles.followed(slider)[0]
        held = [n for n, (_, x) in enumerate(turns) if abs(x) <= slider.held * (1 + 1024 * mpmath.eps)]
        return mpmath.mpf(held[0]) if held else mpmath.mpf(-1)

    followed = Route(f"{_SERIES}: the first that friction holds", last_held)
    return _certified("half_cycles", digits, "odd numbers below |x0| k/R", lambda: mpmath.mpf(count), followed)


def stop_time(
    *,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Instant of the last stop in s: half cycles × π/ω; parameters and errors as `half_cycles`."""
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    if cycles.count(slider) == 0:
        return exact_zero(_HELD, digits)
    followed = Route(_SERIES, lambda: cycles.followed(slider)[0][-1][0])
    return _certified("stop_time", digits, "N π/ω", lambda: cycles.count(slider) * slider.half_period, followed)


def turning_time(
    *,
    number: int,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Instant of a turning point in s, counted from 1, the last stop included; undefined after it.

    Parameters and errors as `half_cycles`.
    """
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    n = check_count(number, "number")
    if n > cycles.count(slider):
        return undefined("it stops before")
    followed = Route(_SERIES, lambda: cycles.followed(slider)[0][n][0])
    return _certified("turning_time", digits, "n π/ω", lambda: n * slider.half_period, followed)


def final_position(
    *,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Place in m, along the line, where the mass stops for good; parameters and errors as `half_cycles`."""
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    if cycles.is_slack(slider, cycles.count(slider)):
        return exact_zero(_SLACK, digits)
    followed = Route(_SERIES, lambda: cycles.followed(slider)[0][-1][1])
    how = "(-1)^N sgn x0 (|x0| - 2 N R/k)"
    return _certified("final_position", digits, how, lambda: cycles.turning(slider, cycles.count(slider)), followed)


def component_after(
    *,
    number: int,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Displacement along the axis x in m after a number of half periods π/ω: of a turning point, or of the last.

    Parameters and errors as `half_cycles`. Source: EDF V5.01.100.
    """
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    n = min(check_count(number, "number"), cycles.count(slider))
    if cycles.is_slack(slider, n):
        return exact_zero(_SLACK, digits)
    followed = Route(_SERIES, lambda: slider.cosine * cycles.followed(slider)[0][n][1])
    how = "cos(angle) (-1)^n sgn x0 (|x0| - 2 n R/k)"
    return _certified("component_after", digits, how, lambda: slider.cosine * cycles.turning(slider, n), followed)


def component(
    *,
    time: Number,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Displacement along the axis x in m at an instant (s): cos(angle) times that along the line.

    Parameters and errors as `half_cycles`, and a `ParameterError` for a negative time. Source: EDF V5.01.100.
    """
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    instant = cycles.instant_of(time)
    if _rests_slack(slider, instant):
        return exact_zero(_SLACK, digits)
    followed = Route(_SERIES, lambda: slider.cosine * cycles.followed(slider, instant)[1][1])
    return _certified(
        "component",
        digits,
        "cosine of the half cycle",
        lambda: slider.cosine * cycles.state_at(slider, instant.mpf())[0],
        followed,
    )


def _rests_slack(slider: Slider, instant: Exact) -> bool:
    count = cycles.count(slider)
    with mpmath.workdps(50):
        return cycles.is_slack(slider, count) and instant.mpf() >= count * slider.half_period


def dissipated_energy(
    *,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Certified:
    """Energy in J that friction dissipates: R times the path slid, 2 N (|x0| - N C).

    Parameters and errors as `half_cycles`.
    """
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    n = cycles.count(slider)
    if n == 0:
        return exact_zero(_HELD, digits)

    def spring() -> mpf:
        return slider.k.mpf() * (slider.x0.mpf() ** 2 - cycles.turning(slider, n) ** 2) / 2

    return _certified(
        "dissipated_energy",
        digits,
        "R 2 N (|x0| - N R/k)",
        lambda: slider.friction * 2 * n * (abs(slider.x0.mpf()) - n * slider.held),
        Route("energy that the spring has lost", spring),
        Route(_SERIES, lambda: slider.friction * cycles.followed(slider)[1][3]),
    )


def motion(
    *,
    m: Number,
    k: Number,
    mu: Number,
    g: Number,
    x0: Number,
    angle: Number,
    directions: Number,
    digits: int = 30,
) -> Motion:
    """Motion from the release on, for figures and comparison of histories; parameters and errors as `half_cycles`."""
    slider = _slider(m=m, k=k, mu=mu, g=g, x0=x0, angle=angle, directions=directions)
    cycles.count(slider)
    return Motion(slider, check_digits(digits))
