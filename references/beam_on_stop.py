"""Simply supported beam that falls on an elastic stop at mid-span, by its first N modes.

EI = ρA = L = 1: w_n = n² π², shapes φ_n = √2 sin(nπx), generalised masses 1, one damping ratio ξ for all modes. The
beam starts straight with the uniform velocity -v0; projected on the modes

    q_n'(0) = -v0 ∫ φ_n dx = -v0 √2 (1 - cos nπ)/(nπ),

which is -2√2 v0/(nπ) for odd n and zero for even n. The even modes vanish at mid-span and never move. The truncated
problem is posed exactly by these amplitudes: no further approximation enters. The stop pushes up with k_c (-gap - w)
where the mid-span displacement w is below -gap.

Source: this suite; modal superposition of an Euler-Bernoulli beam, any textbook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mpmath
from mpmath import mpf

from veridyn.references.beam_series import followed
from veridyn.references.beam_waves import PARAMETERS, Beam, Phase, beam, phases, summary
from veridyn.references.certified import Certified, Route, certify, certify_all, undefined
from veridyn.references.parameters import Number, Parameter, ParameterError, check_digits, checked

__all__ = ["PARAMETERS", "contact", "contacts", "energy", "mid_span", "motion", "peak_force"]

_TIME = Parameter("time", "s", "instant", "0", "non-negative")

_CLOSED = "sums of exponentials from event to event, roots proved by bounds of the curvature"
_TAYLOR = "Taylor series of the modal equations, event by event"
PER_CONTACT = ("touch", "release", "peak", "impulse")


def _certified(b: Beam, digits: int) -> tuple[Certified, ...]:
    """Return instants, peaks and impulses of all contacts that are over by T."""
    return certify_all(
        Route(_CLOSED, lambda: summary(b)),
        Route(_TAYLOR, lambda: followed(b).numbers),
        digits=digits,
        kind="quasi-analytical",
        name="contacts",
    )


def contact(
    what: str, number: int, *, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30
) -> Certified:
    """Return a quantity of a contact that is over by T.

    Parameters
    ----------
    what
        ``touch`` or ``release`` (instants, s), ``peak`` (largest force, N), ``impulse`` (N s).
    number
        Which contact, from 1.
    N, xi, kc, gap, v0, T
        Modes kept, damping ratio, stiffness of the stop (N/m), gap (m), initial velocity (m/s), time span (s).
    digits
        Digits wanted.

    Raises
    ------
    ParameterError
        See `beam`.
    CertificationError
        If the gap merely touches zero.
    """
    found = _certified(beam(N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T), digits)
    place = 4 * (number - 1) + PER_CONTACT.index(what)
    if place >= len(found):
        return undefined(f"there are {len(found) // 4} contacts up to T")
    return found[place]


def contacts(*, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30) -> Certified:
    """Return the number of contacts that are over by T; parameters and errors as `contact`."""
    count = len(_certified(beam(N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T), digits)) // 4
    return Certified(mpmath.mpf(count), check_digits(digits), "quasi-analytical", (_CLOSED, _TAYLOR))


def peak_force(*, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30) -> Certified:
    """Return the largest force of the stop (N) in a contact that is over by T; parameters and errors as `contact`."""
    peaks = _certified(beam(N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T), digits)[2::4]
    return max(peaks, key=float, default=undefined("there is no contact up to T"))


def mid_span(
    *, time: Number, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30
) -> Certified:
    """Return the displacement of mid-span (m) at an instant up to T; parameters and errors as `contact`."""
    b, instant = beam(N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T), checked(_TIME, time)
    if float(instant) > float(b.T):
        raise ParameterError(f"time must lie within T = {b.T} s, got {time}")
    return certify(
        Route(_CLOSED, lambda: _mid_span(b, instant.mpf())),
        Route(_TAYLOR, lambda: _combined(b.shapes, followed(b).state(instant.mpf()))),
        digits=digits,
        kind="quasi-analytical",
        name=f"mid_span@{time}",
    )


def _phase(b: Beam, t: mpf) -> Phase:
    return next(phase for phase in phases(b) if t <= phase.end)


def _mid_span(b: Beam, t: mpf) -> mpf:
    phase = _phase(b, t)
    return phase.gap(t - phase.start) - b.gap.mpf()


def _combined(shapes: Sequence[mpf], state: Sequence[mpf]) -> mpf:
    return mpmath.fsum(s * x for s, x in zip(shapes, state[: len(shapes)], strict=True))


def energy(*, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30) -> Certified:
    """Return the energy (J) at T, of the beam and of the stop; parameters and errors as `contact`."""
    b = beam(N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T)
    return certify(
        Route(_CLOSED, lambda: _energy(b, _state(b, b.T.mpf()))),
        Route(_TAYLOR, lambda: _energy(b, followed(b).state(b.T.mpf()))),
        digits=digits,
        kind="quasi-analytical",
        name="energy",
    )


def _state(b: Beam, t: mpf) -> list[mpf]:
    phase = _phase(b, t)
    return [f(t - phase.start) for f in phase.states]


def _energy(b: Beam, state: Sequence[mpf]) -> mpf:
    m = len(b.omegas)
    modal = mpmath.fsum((w * q) ** 2 + v**2 for w, q, v in zip(b.omegas, state[:m], state[m : 2 * m], strict=True))
    closed = min(b.gap.mpf() + _combined(b.shapes, state), mpmath.mpf(0))
    return (modal + b.kc.mpf() * closed**2) / 2


@dataclass(frozen=True)
class Motion:
    """The motion up to T, for figures and histories, to about `digits` digits."""

    beam: Beam
    digits: int

    def mid_span(self, t: Number) -> mpf:
        """Displacement of mid-span in m."""
        with mpmath.workdps(self.digits + 15):
            return _mid_span(self.beam, checked(_TIME, t).mpf())

    def instants(self) -> tuple[mpf, ...]:
        """Instants of all touches and releases up to T in s, also the touch of a contact that lasts at T."""
        with mpmath.workdps(self.digits + 15):
            return tuple(phase.start for phase in phases(self.beam))[1:]


def motion(*, digits: int = 20, **given: Number) -> Motion:
    """Motion for figures; parameters and errors as `contact`."""
    return Motion(beam(**given), digits)
