"""Two masses on a spring, one rubbing: pulled until it breaks away, slips, and sticks again when the pull ends.

A mass m1 rests on a plane, pressed with the force `normal`; the coefficients of friction are mu_s at rest and mu_d
sliding. A spring k couples it to a mass m2 that moves without friction along the same line. At t = 0 everything is
at rest and the spring slack; a force `pull` acts on m2 until `t_off`, then none.

While m1 sticks, m2 oscillates with ω = √(k/m2); m1 breaks away when the spring force reaches mu_s `normal`. While it
slips, the centre of mass moves with constant acceleration and the spring oscillates with Ω = √(k/m1 + k/m2); the
slip ends at the first root of the velocity of m1.

Source: EDF validation manual V5.01.106 (SDND106).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from mpmath import mpf

from veridyn.references import pulled_phases as phases
from veridyn.references.certified import Certified, Route, certify, certify_all, exact_zero, undefined
from veridyn.references.parameters import Number, Parameter, ParameterError, check_digits, exact, resolve
from veridyn.references.pulled_phases import Motion, Pair, PhaseChange

PARAMETERS = (
    Parameter("m1", "kg", "mass that rubs", "5"),
    Parameter("m2", "kg", "mass that is pulled", "5"),
    Parameter("k", "N/m", "stiffness of the spring between them", "1e4"),
    Parameter("normal", "N", "normal force on m1", "1e4"),
    Parameter("mu_s", "1", "coefficient of friction at rest", "0.3"),
    Parameter("mu_d", "1", "coefficient of friction in motion, not above mu_s", "0.2"),
    Parameter("pull", "N", "force on m2", "3000"),
    Parameter("t_off", "s", "end of the pull", "0.2"),
)

_CLOSED = "closed form of every phase, first roots proved by interval arithmetic"
_SERIES = "Taylor series from phase to phase, events located on the polynomials"
_STUCK = "the spring never reaches mu_s normal: the mass sticks for ever"


def _pair(**given: Number) -> Pair:
    pair = Pair(**resolve(PARAMETERS, given))
    if pair.mu_s.rational < pair.mu_d.rational:
        raise ParameterError(f"mu_d must not be above mu_s, got {pair.mu_d} above {pair.mu_s}")
    return pair


def _certified(name: str, digits: int, read: Callable[[Any], mpf], pair: Pair) -> Certified:
    """Certify what is read from all phases of the motion, by both routes."""
    return certify(
        Route(_CLOSED, lambda: read(phases.closed(pair))),
        Route(_SERIES, lambda: read(phases.followed(pair))),
        digits=digits,
        kind="quasi-analytical",
        name=name,
    )


def phase_changes(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> tuple[PhaseChange, ...]:
    """All changes of phase in order of time: instant, and the phase that begins; empty if the mass sticks for ever.

    Parameters
    ----------
    m1, m2, k, normal
        Masses (kg), stiffness (N/m), normal force (N).
    mu_s, mu_d
        Coefficients of friction at rest and in motion.
    pull, t_off
        Force (N) and its end (s).
    digits
        Digits wanted.

    Raises
    ------
    ParameterError
        If a parameter is not positive, mu_d is above mu_s, or there are too many phases.
    CertificationError
        If friction balances the spring so nearly that nothing tells stick from slip.
    """
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    check_digits(digits)
    times = certify_all(
        Route(_CLOSED, lambda: [phase.start for phase in phases.closed(pair)[1:]]),
        Route(_SERIES, lambda: [phase.start for phase in phases.followed(pair)[1:]]),
        digits=digits,
        kind="quasi-analytical",
        name="phase_changes",
    )
    with mpmath.workdps(digits + 15):
        signs = [phase.sign for phase in phases.closed(pair)]
    changes = zip(times, signs[1:], signs, strict=False)
    return tuple(PhaseChange(time, phases.KINDS[sign]) for time, sign, before in changes if sign != before)


def slip_start(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Instant in s at which m1 breaks away first; undefined if it sticks for ever.

    Parameters and errors as `phase_changes`. Source: EDF V5.01.106.
    """
    given: dict[str, Any] = {"m1": m1, "m2": m2, "k": k, "normal": normal, "mu_s": mu_s, "mu_d": mu_d}
    changes = phase_changes(**given, pull=pull, t_off=t_off, digits=digits)
    return changes[0].time if changes else undefined(_STUCK)


def slip_end(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Instant in s from which m1 sticks for ever; undefined if it has never slipped.

    Parameters and errors as `phase_changes`. Source: EDF V5.01.106.
    """
    given: dict[str, Any] = {"m1": m1, "m2": m2, "k": k, "normal": normal, "mu_s": mu_s, "mu_d": mu_d}
    changes = phase_changes(**given, pull=pull, t_off=t_off, digits=digits)
    return changes[-1].time if changes else undefined(_STUCK)


def slips(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Count the slips; parameters and errors as `phase_changes`."""
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    if _sticks(pair, digits):
        return exact_zero(_STUCK, digits)
    return _certified("slips", digits, lambda found: mpmath.mpf(phases.count_slips(found)), pair)


def _sticks(pair: Pair, digits: int) -> bool:
    with mpmath.workdps(check_digits(digits) + 15):
        return phases.count_slips(phases.closed(pair)) == 0


def final_position(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Place in m where m1 sticks for ever; parameters and errors as `phase_changes`."""
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    if _sticks(pair, digits):
        return exact_zero(_STUCK, digits)
    return _certified("final_position", digits, lambda found: found[-1].state.x1, pair)


def dissipated_energy(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Energy in J that friction dissipates, mu_d normal times the path slid; parameters and errors as `phase_changes`.

    A third route is the energy balance: work of the pull less what stays in the oscillation of m2.
    """
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    if _sticks(pair, digits):
        return exact_zero(_STUCK, digits)
    return certify(
        Route(f"mu_d normal × path; {_CLOSED}", lambda: phases.dissipated(pair, phases.closed(pair))),
        Route(f"work of the pull less the energy that is left; {_CLOSED}", lambda: phases.balance(pair)),
        Route(f"mu_d normal × path; {_SERIES}", lambda: phases.dissipated(pair, phases.followed(pair))),
        digits=digits,
        kind="quasi-analytical",
        name="dissipated_energy",
    )


def state(
    *,
    what: str,
    time: Number,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Certified:
    """Displacement (m) or velocity (m/s) of a mass at an instant; parameters and errors as `phase_changes`.

    Parameters
    ----------
    what
        ``x1``, ``v1``, ``x2`` or ``v2``.
    time
        Instant in s, not negative.

    Source: EDF V5.01.106.
    """
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    instant = exact(time, "time")
    if instant.rational < 0:
        raise ParameterError(f"time must be non-negative, got {time}")
    if what in ("x1", "v1") and _rests(pair, what, instant, digits):
        return exact_zero("m1 sticks", digits)
    return certify(
        Route(_CLOSED, lambda: getattr(phases.state_at(pair, phases.closed(pair), instant.mpf()), what)),
        Route(_SERIES, lambda: getattr(phases.followed_to(pair, instant.mpf()), what)),
        digits=digits,
        kind="quasi-analytical",
        name=what,
    )


def _rests(pair: Pair, what: str, instant: Any, digits: int) -> bool:
    with mpmath.workdps(check_digits(digits) + 15):
        return bool(getattr(phases.state_at(pair, phases.closed(pair), instant.mpf()), what) == 0)


def motion(
    *,
    m1: Number,
    m2: Number,
    k: Number,
    normal: Number,
    mu_s: Number,
    mu_d: Number,
    pull: Number,
    t_off: Number,
    digits: int = 30,
) -> Motion:
    """Motion of both masses, for figures and comparison of histories; parameters and errors as `phase_changes`."""
    pair = _pair(m1=m1, m2=m2, k=k, normal=normal, mu_s=mu_s, mu_d=mu_d, pull=pull, t_off=t_off)
    return Motion(pair, check_digits(digits))
