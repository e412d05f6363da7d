"""Beam on a stop: modal superposition with a unilateral support at mid-span."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from veridyn.references import beam_on_stop
from veridyn.references.certified import Certified, undefined
from veridyn.references.parameters import Number
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.beam_stop import beam, further, measures, theory
from veridyn.validation_cases.beam_stop.figures import figures
from veridyn.validation_cases.case import Case, Quantity, Settings, Values, Variant
from veridyn.validation_cases.tolerances import Tolerance, cited, exactly

STEP_NUMBER = 0.02  # largest frequency times the step: 5.8e-5 s with five modes
MOST = 5  # contacts whose quantities are asked for
SUITE = "this suite asks"
FIELDS = {
    "touch": ("s", "start", "instant at which contact {} begins"),
    "release": ("s", "end", "instant at which contact {} ends"),
    "impulse": ("N s", "impulse", "impulse of the stop in contact {}"),
}


def settings(values: Values, scheme: str) -> Settings:
    """Step of our schemes: a fiftieth of a radian of the fastest motion."""
    return {"scheme": scheme, "step": STEP_NUMBER / beam.fastest(values), **SCHEMES[scheme].only_shorter}


def _contact_reference(what: str, number: int) -> Callable[..., Certified]:
    def reference(
        *, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30
    ) -> Certified:
        return beam_on_stop.contact(what, number, N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T, digits=digits)

    return reference


def _foreign(what: str, values: Values) -> Tolerance:
    """Return what this suite asks of other solvers: a thousandth of the time, a hundredth of the rest."""
    T, v0, kc = (float(values[name]) for name in ("T", "v0", "kc"))
    scales = {
        "time": (1e-3 * T, "1e-3 of the time span"),
        "displacement": (1e-2 * v0 / 10, "1e-2 of v0/w1"),
        "force": (1e-2 * v0 * kc**0.5, "1e-2 of v0 sqrt(k_c), the force on a unit mass"),
        "impulse": (1e-2 * v0, "1e-2 of v0, the momentum"),
        "energy": (1e-2 * v0**2 / 2, "1e-2 of v0²/2"),
    }
    value, text = scales[what]
    return cited(f"{SUITE} {text}", value, kind="absolute")


def _contact_tolerance(what: str, number: int) -> Callable[[Values, str, Settings], Tolerance]:
    own = {
        "touch": theory.instant(2 * number - 2),
        "release": theory.instant(2 * number - 1),
        "impulse": theory.impulse(number),
    }[what]

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if len(theory.events(tuple(values.items()))) < 2 * number:
            return exactly("there is no such contact up to T")
        if not scheme:
            return _foreign("impulse" if what == "impulse" else "time", values)
        return own(values, scheme, chosen)

    return tolerance


def _contact(what: str, number: int) -> Quantity:
    unit, field, definition = FIELDS[what]
    return Quantity(
        f"{what}_{number}",
        unit,
        definition.format(number),
        _contact_reference(what, number),
        measures.contact_reader(field, number),
        _contact_tolerance(what, number),
    )


def _mid_span(time: str) -> Quantity:
    def reference(
        *, N: Number, xi: Number, kc: Number, gap: Number, v0: Number, T: Number, digits: int = 30
    ) -> Certified:
        if float(time) > float(T):
            return undefined("the instant lies beyond T")
        return beam_on_stop.mid_span(time=time, N=N, xi=xi, kc=kc, gap=gap, v0=v0, T=T, digits=digits)

    def tolerance(values: Values, scheme: str, chosen: Settings) -> Tolerance:
        if float(time) > float(values["T"]):
            return exactly("the instant lies beyond T")
        if not scheme:
            return _foreign("displacement", values)
        return theory.gap_error(values, scheme, float(chosen["step"]), float(time))

    measure = partial(measures.mid_span, time=float(time))
    return Quantity(f"mid_span@{time}", "m", f"displacement of mid-span at {time} s", reference, measure, tolerance)


def _counted(values: Values, scheme: str, chosen: Settings) -> Tolerance:  # noqa: ARG001 - a count is right or wrong
    return exactly("contacts are counted")


def _peak(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    if not theory.events(tuple(values.items())):
        return exactly("there is no contact up to T")
    return theory.peak(values, scheme, chosen) if scheme else _foreign("force", values)


def _energy(values: Values, scheme: str, chosen: Settings) -> Tolerance:
    return theory.energy(values, scheme, chosen) if scheme else _foreign("energy", values)


QUANTITIES = (
    Quantity("contacts", "1", "contacts that are over by T", beam_on_stop.contacts, measures.contacts, _counted),
    *(_contact(what, k) for k in range(1, MOST + 1) for what in FIELDS),
    Quantity("peak_force", "N", "largest force of the stop", beam_on_stop.peak_force, measures.peak_force, _peak),
    *(_mid_span(time) for time in beam.INSTANTS),
    Quantity("energy", "J", "energy of beam and stop at T", beam_on_stop.energy, measures.modal_energy, _energy),
)


def _variant(modes: int, contacts: int) -> Variant:
    missing = {f"{what}_{k}" for what in FIELDS for k in range(contacts + 1, MOST + 1)}
    return Variant(f"{modes}-modes", {"N": str(modes)}, frozenset(q.name for q in QUANTITIES) - missing)


CASE = Case(
    name="beam_stop",
    title="Beam that falls on a stop at mid-span",
    document="this suite",
    summary="A simply supported beam, given by its first modes, falls on an elastic stop and bounces, at last three "
    "times within 54 ms: every instant, impulse and the energy, with five modes and with three.",
    statement=(
        "EI = ρA = L = 1, simply supported: w_n = n² π², φ_n = √2 sin(nπx), the first N modes with 2 % damping. The "
        "beam is straight at t = 0 and has the velocity -v0 everywhere; an elastic stop k_c waits under mid-span at a "
        "gap.",
        "The problem is the truncated one: q_n'(0) = -2√2 v0/(nπ) for odd n and zero for even n, whose shapes vanish "
        "at mid-span. In each phase the equations are linear; in contact the modes couple through k_c φ φᵀ, and their "
        "damping is no longer proportional.",
    ),
    equations=(
        "q_n'' + 2 xi w_n q_n' + w_n² q_n = phi_n R, w_n = n² pi², phi_n = sqrt(2) sin(n pi/2)",
        "w = Σ_{n=1}^N phi_n q_n, R = k_c max(0, -gap - w)",
        "q_n(0) = 0, q_n'(0) = -v0 ∫_0^1 sqrt(2) sin(n pi x) d x = -v0 sqrt(2) (1 - cos(n pi))/(n pi)",
        "contact: q'' + 2 xi Λ q' + (Λ² + k_c phi phi^T) q = -k_c gap phi, Λ = diag(w_1, …, w_N)",
        "q = q_s + Σ_{j=1}^{2N} a_j u_j e^{lambda_j tau}, w(t_j) = -gap, tau = t - t_j",
        "E = 1/2 Σ_{n=1}^N (q_n'² + w_n² q_n²) + R²/(2 k_c)",
    ),
    parameters=beam_on_stop.PARAMETERS,
    variants=(_variant(5, 5), _variant(3, 4)),
    quantities=QUANTITIES,
    problem=beam.problem,
    settings=settings,
    modelling=(
        "Modes and shapes at seven points, the eighths of the span; the velocity at the start is that of the modes "
        "there.",
        "Step 0.02 over the largest frequency in contact, 5.8e-5 s with five modes.",
        "Contact instants are roots of the gap between samples, forces and impulses come from a spline of the "
        "penetration.",
    ),
    published=(),
    remarks=(
        "Dropping modes 4 and 5 loses a contact: three modes touch four times, one mode twice.",
        "Five modes hold 93 % of the energy v0²/2 of the falling beam, one mode 81 %.",
        "A touch noticed a step late lets the beam fall deeper; what the spring did not take on the way in it gives "
        "back on the way out: energy made at release, up to k_c (v h)²/2 each time.",
        "Contacts 3 and 4 lie 4.1 ms apart: a rest of 5 ms in an impact count merges them.",
        "Proportional damping in contact (the modes of the beam with the stop closed, 2 % each) is another problem.",
    ),
    further_checks=further.MAKERS,
    held={"N": "a number of modes"},
    figures=figures,
    beam=beam.drawn,
    benchmark_variant="5-modes",
)
