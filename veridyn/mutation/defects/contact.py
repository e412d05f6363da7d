"""Defects of contact laws."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.mutation.defects.changes import stops
from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.rebuilt import FIRST, SECOND, part
from veridyn.solver.integrators.kernels.contact import (
    DAMPING,
    R_FORCE,
    R_GAP,
    R_VELOCITY,
    ROW_Y,
    STIFFNESS,
    contact_force,
)
from veridyn.solver.problem.elements import Stop
from veridyn.solver.problem.mechanical import MechanicalProblem
from veridyn.solver.response import Response

BOND = 0.05  # of the deepest penetration: how far an adhesive stop holds on


@part
def late(c, index, constants, parameter, position, velocity, state, record):
    """Law at the position of the evaluation before."""
    y, z, x = position
    before = state[c, FIRST] if state[c, SECOND] != 0.0 else y
    state[c, FIRST], state[c, SECOND] = y, 1.0
    return contact_force(c, index, constants, parameter, (before, z, x), velocity, state, record)


def bonded(reach: float) -> Any:
    """Return the law whose spring goes on pulling, up to ``reach`` times the deepest penetration."""

    @part
    def law(c, index, constants, parameter, position, velocity, state, record):
        fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
        gap = record[c, R_GAP]
        if index[c, ROW_Y] >= 0 and gap <= 0.0:
            state[c, FIRST] = max(state[c, FIRST], -gap)
            if fy != 0.0:
                state[c, SECOND] = math.copysign(1.0, fy)
        elif gap > reach * state[c, FIRST]:
            state[c, FIRST] = 0.0
        if gap > 0.0 and state[c, FIRST] > 0.0:
            fy = -constants[c, STIFFNESS] * gap * state[c, SECOND]
        return fy, fz, fx

    return law


@part
def pulling(c, index, constants, parameter, position, velocity, state, record):
    """Law whose normal force has the wrong sign."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    return -fy, fz, fx


@part
def twice(c, index, constants, parameter, position, velocity, state, record):
    """Law whose force counts twice in the first evaluation of every contact."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    begins = fy != 0.0 and state[c, FIRST] == 0.0
    state[c, FIRST] = 1.0 if fy != 0.0 else 0.0
    return (2.0 * fy if begins else fy), fz, fx


@part
def second_only(c, index, constants, parameter, position, velocity, state, record):
    """Law without force in the first evaluation of every contact."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    begins = fy != 0.0 and state[c, FIRST] == 0.0
    state[c, FIRST] = 1.0 if fy != 0.0 else 0.0
    if begins:
        record[c, R_FORCE] = 0.0
        return 0.0, 0.0, 0.0
    return fy, fz, fx


@part
def once(c, index, constants, parameter, position, velocity, state, record):
    """Law that misses the second contact: FIRST whether it touches, SECOND how many contacts have begun."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    if fy != 0.0 and state[c, FIRST] == 0.0:
        state[c, SECOND] += 1.0
    state[c, FIRST] = 1.0 if fy != 0.0 else 0.0
    if state[c, SECOND] == 2.0:
        record[c, R_FORCE] = 0.0
        return 0.0, 0.0, 0.0
    return fy, fz, fx


@part
def lingering(c, index, constants, parameter, position, velocity, state, record):
    """Law whose last force acts once more after the release."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    last = state[c, FIRST]
    state[c, FIRST] = fy
    return (last if fy == 0.0 else fy), fz, fx


@part
def curved(c, index, constants, parameter, position, velocity, state, record):
    """Law whose force goes with the power 1.01 of the penetration."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    gap = record[c, R_GAP]
    return (fy * (-gap) ** 0.01 if gap < 0.0 else fy), fz, fx


@part
def two_way(c, constants, gap, closing):
    """Force of a closed stop that may pull."""
    return -constants[c, STIFFNESS] * gap - constants[c, DAMPING] * closing


@part
def one_way(c, constants, gap, closing):
    """Force of a stop whose damper acts only while the gap closes."""
    return max(0.0, -constants[c, STIFFNESS] * gap - constants[c, DAMPING] * min(0.0, closing))


@part
def back_only(c, constants, gap, closing):
    """Force of a stop whose damper acts only while the gap opens."""
    return max(0.0, -constants[c, STIFFNESS] * gap - constants[c, DAMPING] * max(0.0, closing))


@part
def approaching(c, index, constants, parameter, position, velocity, state, record):
    """Law that acts only while the gap closes."""
    fy, fz, fx = contact_force(c, index, constants, parameter, position, velocity, state, record)
    return (0.0 if record[c, R_VELOCITY] > 0.0 else fy), fz, fx


def _without_stops(p: MechanicalProblem) -> MechanicalProblem:
    return replace(p, stops=(), frictions=tuple(f for f in p.frictions if not isinstance(f.normal, str)))


def _wider(p: MechanicalProblem, stop: Stop) -> Stop:
    """Return a stop with a gap 1 % too wide, or where it has none, 1 % of the penetration that the start suggests."""
    if stop.gap != 0 or p.mass is None:
        return replace(stop, gap=1.01 * stop.gap)
    speed = float(np.abs(p.initial_velocity).max())
    return replace(stop, gap=0.01 * speed / math.sqrt(stop.stiffness / float(p.mass.max())))


def _and_structure(p: MechanicalProblem, stop: Stop) -> Stop:
    own = 0.0 if p.stiffness is None else float(np.abs(np.diag(p.stiffness)).min())
    return replace(stop, stiffness=stop.stiffness + own)


def _of_squared_ratio(p: MechanicalProblem, stop: Stop) -> Stop:
    """Return a stop whose damping ratio, of the mass on its spring, is squared."""
    assert p.mass is not None
    critical = 2 * math.sqrt(stop.stiffness * float(p.mass.max()))
    return replace(stop, damping=stop.damping**2 / critical)


def _springs_alone(p: MechanicalProblem, response: Response) -> Response:
    """Return a response whose normal forces are those of the springs of the stops."""
    stiffness = {stop.name: stop.stiffness for stop in p.stops}
    elements = {
        name: {**own, "normal_force": stiffness[name] * np.maximum(0.0, -own["gap"])} if name in stiffness else own
        for name, own in response.elements.items()
    }
    return replace(response, elements=elements)


def _law(name: str, what: str, law: Any) -> Defect:
    return Defect(name, "contact", what, ("contact",), parts={"contact_force": law})


def _damper(name: str, what: str, **damage: Any) -> Defect:
    return Defect(name, "contact", what, ("damped contact",), **damage)


DEFECTS = (
    _law("contact_one_step_late", "The contact law sees the position of the evaluation before.", late),
    _law("adhesive_contact", f"The spring of the stop goes on pulling to {BOND:g} of the deepest penetration.",
        bonded(BOND)),
    _law("no_separation", "After the first touch the spring of the stop acts both ways.", bonded(math.inf)),
    _law("contact_pulls", "The normal force has the wrong sign.", pulling),
    _law("first_contact_step_twice", "The force of the first evaluation of a contact counts twice.", twice),
    _law("second_impact_missed", "The second contact has no force.", once),
    _law("short_contacts_missed", "A contact is noticed at its second evaluation.", second_only),
    _law("force_after_release", "The last force of a contact acts for one evaluation after the release.", lingering),
    _law("curved_penalty", "The force goes with the power 1.01 of the penetration.", curved),
    _law("no_rebound_force", "The stop pushes only while the gap closes.", approaching),
    Defect("gap_too_wide", "contact", "The gap is 1 % too wide, or 1 % of the first penetration where there is none.",
        ("contact",), before=stops(_wider)),
    Defect("penalty_one_percent_high", "contact", "The stiffness of the stop is 1 % too high.", ("contact",),
        before=stops(lambda _, stop: replace(stop, stiffness=1.01 * stop.stiffness))),
    Defect("structure_in_penalty", "contact", "The stiffness of the structure is added to that of the stop.",
        ("contact", "matrices"), before=stops(_and_structure)),
    Defect("no_stop", "contact", "There is no stop.", ("contact",),
        before=_without_stops),
    Defect("plane_on_both_sides", "contact", "A single plane acts on both sides of the origin.", ("plane stop",),
        before=stops(lambda _, stop: replace(stop, geometry="parallel planes") if stop.geometry == "plane" else stop)),
    Defect("gap_sign", "contact", "The gap has the wrong sign: play becomes overlap.", ("gap",),
        before=stops(lambda _, stop: replace(stop, gap=-stop.gap))),
    _damper("contact_damper_one_percent_high", "The damper of the stop is 1 % too strong.",
        before=stops(lambda _, stop: replace(stop, damping=1.01 * stop.damping))),
    _damper("contact_damper_missing", "The stop has no damper.",
        before=stops(lambda _, stop: replace(stop, damping=0.0))),
    _damper("contact_damper_pulls", "The force of a damped stop may pull until the gap opens.",
        parts={"pressure": two_way}),
    _damper("contact_damper_one_way", "The damper of the stop acts only while the gap closes.",
        parts={"pressure": one_way}),
    _damper("contact_damper_on_the_way_back", "The damper of the stop acts only while the gap opens.",
        parts={"pressure": back_only}),
    Defect("contact_damping_ratio_squared", "contact", "The damping ratio of the mass on the stop is squared.",
        ("damped contact", "matrices"), before=stops(_of_squared_ratio)),
    _damper("contact_damper_halved", "The damper of the stop has half its strength.",
        before=stops(lambda _, stop: replace(stop, damping=0.5 * stop.damping))),
    _damper("contact_force_without_damper", "Normal forces in the histories are those of the springs of the stops.",
        after=_springs_alone),
)  # fmt: skip
