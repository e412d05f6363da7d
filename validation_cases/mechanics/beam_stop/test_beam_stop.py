"""Beam on a stop: modal superposition with a unilateral support at mid-span."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from veridyn.references import beam_on_stop
from veridyn.validation_cases.core.case import Case, Observation, Quantity, Values, Variant
from veridyn.validation_cases.core.judge import verifies
from veridyn.validation_cases.core.tolerances import Tolerance, cited, exactly
from veridyn.validation_cases.measures.consistency import (
    energy,
    positions,
    rates,
    residual,
    stop_forces,
    velocities,
)
from veridyn.validation_cases.mechanics.beam_stop import beam, measures
from veridyn.validation_cases.mechanics.beam_stop.figures import figures

MOST = 5  # contacts whose quantities are asked for
KINK = 2.0  # regularity: the force of the stop has a kink
COUNTED = 1.0  # whatever is counted is right or wrong: no order is observed
SUITE = "this suite asks"
FIELDS = {
    "touch": ("s", "start", "instant at which contact {} begins"),
    "release": ("s", "end", "instant at which contact {} ends"),
    "impulse": ("N s", "impulse", "impulse of the stop in contact {}"),
}


def _span(values: Values) -> float:
    """Time span T (s)."""
    return float(values["T"])


def _lowered(values: Values) -> float:
    """Displacement scale v0/w1 (m)."""
    return float(values["v0"]) / 10


def _pressed(values: Values) -> float:
    """Force scale v0 sqrt(k_c) on a unit mass (N)."""
    return float(values["v0"]) * math.sqrt(float(values["kc"]))


def _momentum(values: Values) -> float:
    """Momentum v0 of the falling beam (N s)."""
    return float(values["v0"])


def _falling(values: Values) -> float:
    """Energy v0²/2 of the falling beam (J)."""
    return float(values["v0"]) ** 2 / 2


def _asked(share: float, scale: Callable[[Values], float], text: str, values: Values) -> Tolerance:
    return cited(f"{SUITE} {share:g} of {text}", share * scale(values), kind="absolute")


TIME = partial(_asked, 1e-3, _span, "the time span")
DISPLACEMENT = partial(_asked, 1e-2, _lowered, "v0/w1")
FORCE = partial(_asked, 1e-2, _pressed, "v0 sqrt(k_c), the force on a unit mass")
IMPULSE = partial(_asked, 1e-2, _momentum, "v0, the momentum")
ENERGY = partial(_asked, 1e-2, _falling, "v0²/2")


def _where(number: int, criterion: Callable[[Values], Tolerance], values: Values) -> Tolerance:
    """Return a criterion, or where there is no such contact that none may be found."""
    return criterion(values) if measures.count(values) >= number else exactly("there is no such contact up to T")


def _contact(what: str, number: int) -> Quantity:
    unit, field, definition = FIELDS[what]
    criterion, scale = (IMPULSE, _momentum) if what == "impulse" else (TIME, _span)
    return Quantity(
        f"{what}_{number}",
        unit,
        definition.format(number),
        partial(beam_on_stop.contact, what=what, number=number),
        measures.contact_reader(field, number),
        partial(_where, number, criterion),
        scale,
        KINK,
    )


def _mid_span(text: str) -> Quantity:
    return Quantity(
        f"mid_span@{text}",
        "m",
        f"displacement of mid-span at {text} s",
        partial(beam_on_stop.mid_span, time=text),
        partial(measures.mid_span, time=float(text)),
        DISPLACEMENT,
        _lowered,
        KINK,
        applies=lambda values: float(text) <= _span(values),
    )


QUANTITIES = (
    Quantity(
        "contacts",
        "1",
        "contacts that are over by T",
        beam_on_stop.contacts,
        measures.contacts,
        exactly("contacts are counted"),
        regularity=COUNTED,
    ),
    *(_contact(what, k) for k in range(1, MOST + 1) for what in FIELDS),
    Quantity(
        "peak_force",
        "N",
        "largest force of the stop",
        beam_on_stop.peak_force,
        measures.peak_force,
        partial(_where, 1, FORCE),
        _pressed,
        KINK,
    ),
    *(_mid_span(time) for time in beam.INSTANTS),
    Quantity(
        "energy",
        "J",
        "energy of beam and stop at T",
        beam_on_stop.energy,
        measures.modal_energy,
        ENERGY,
        _falling,
        KINK,
    ),
)


def _start_energy(o: Observation) -> float:
    return measures.start_energy(o.values)


BALANCE = cited("this suite: one percent of the energy at the start", 1e-2, kind="absolute")
OF_START = "of the energy at the start"
RESIDUALS = (
    energy(OF_START, _start_energy, BALANCE),
    residual(
        "energy_made_at_release",
        OF_START,
        "largest change of the energy balance from shortly before a release to shortly after it",
        measures.energy_made_at_release,
        BALANCE,
    ),
    stop_forces(),
    velocities(),
    positions(),
    rates(),
)


def _variant(name: str, modes: int, contacts: int) -> Variant:
    missing = {f"{what}_{k}" for what in FIELDS for k in range(contacts + 1, MOST + 1)}
    return Variant(name, {"N": str(modes)}, frozenset(q.name for q in QUANTITIES) - missing)


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
    variants=(_variant("5-modes", 5, 5), _variant("3-modes", 3, 4)),
    quantities=QUANTITIES,
    residuals=RESIDUALS,
    problem=beam.problem,
    modelling=(
        "Modes and shapes at seven points, the eighths of the span; the velocity at the start is that of the modes "
        "there.",
        "Output is asked for twenty times per radian of the largest frequency in contact, every 1.5e-4 s with five "
        "modes.",
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
    held={"N": "a number of modes"},
    figures=(figures,),
    beam=beam.drawn,
    benchmark_variant="5-modes",
)

test_beam_stop = verifies(CASE)
