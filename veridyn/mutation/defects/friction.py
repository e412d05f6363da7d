"""Defects of friction laws."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.mutation.defects.changes import frictions, histories
from veridyn.mutation.defects.defect import Defect
from veridyn.mutation.defects.rebuilt import FIRST, SECOND, part
from veridyn.solver.integrators.kernels.contact import (
    ANCHOR_F1,
    ANCHOR_F2,
    ANCHOR_X,
    ANCHOR_Z,
    KINETIC,
    LAST_W1,
    LAST_W2,
    STUCK,
    TANGENT_DAMPING,
    TINY,
    contact_force,
    friction_force,
    hang,
    length,
)

SLOW = 1e-2  # m/s: a threshold of the velocity where the adherence belongs
DELAY = 20  # evaluations between two looks for a stick
TRIAL = 50  # samples from one wrong flag to the next
CREEP = 1e-3  # of the way from the anchor to the mass, per evaluation


@part
def slide(c, constants, normal, w1, w2):
    """Force of sliding."""
    speed = length(w1, w2)
    if speed <= TINY:
        return 0.0, 0.0
    limit = -constants[c, KINETIC] * normal
    return limit * w1 / speed, limit * w2 / speed


@part
def wrong_at_reversals(c, constants, normal, d1, d2, w1, w2, state):
    """Law with the wrong sign in the evaluation after a reversal."""
    turned = w1 * state[c, LAST_W1] + w2 * state[c, LAST_W2] < 0.0
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    return (-f1, -f2) if turned else (f1, f2)


@part
def never_again(c, constants, normal, d1, d2, w1, w2, state):
    """Law that slides for ever once it has slid: FIRST whether it has."""
    if state[c, FIRST] != 0.0:
        return slide(c, constants, normal, w1, w2)
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    if state[c, STUCK] == 0.0:
        state[c, FIRST] = 1.0
    return f1, f2


@part
def sometimes(c, constants, normal, d1, d2, w1, w2, state):
    """Law that looks for a stick at every twentieth evaluation: FIRST counts them, SECOND whether it slides."""
    state[c, FIRST] += 1.0
    if state[c, SECOND] != 0.0 and state[c, FIRST] < DELAY:
        return slide(c, constants, normal, w1, w2)
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    state[c, FIRST] = 0.0
    state[c, SECOND] = 1.0 if state[c, STUCK] == 0.0 else 0.0
    return f1, f2


@part
def smoothed(c, constants, normal, d1, d2, w1, w2, state):  # noqa: ARG001 - the signature of the sound part
    """Law without adherence: below a threshold the force goes with the velocity."""
    f1, f2 = slide(c, constants, normal, w1, w2)
    part_of_it = min(1.0, length(w1, w2) / SLOW)
    return part_of_it * f1, part_of_it * f2


@part
def slow_is_stuck(c, constants, normal, d1, d2, w1, w2, state):
    """Law that takes slowness for adherence."""
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    if length(w1, w2) < SLOW:
        state[c, STUCK] = 1.0
    return f1, f2


@part
def old_anchor(state, c, f1, f2, y, z, x):  # noqa: ARG001 - the signature of the sound part
    """Anchor that stays where it was while the mass slides."""
    state[c, ANCHOR_F1] = f1
    state[c, ANCHOR_F2] = f2


@part
def limp_anchor(state, c, f1, f2, y, z, x):  # noqa: ARG001 - the signature of the sound part
    """Anchor of a stick that begins without force."""
    hang(state, c, 0.0, 0.0, y, z, x)


@part
def creeping(c, constants, normal, d1, d2, w1, w2, state):
    """Law whose anchor creeps after the mass while it sticks."""
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    if state[c, STUCK] != 0.0:
        state[c, ANCHOR_Z] += CREEP * d1
        state[c, ANCHOR_X] += CREEP * d2
    return f1, f2


@part
def driving(c, constants, normal, d1, d2, w1, w2, state):
    """Law that pushes along while it slides."""
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    return (-f1, -f2) if state[c, STUCK] == 0.0 else (f1, f2)


@part
def boxed(c, constants, normal, d1, d2, w1, w2, state):
    """Law that slides along each axis with the whole limit."""
    f1, f2 = friction_force(c, constants, normal, d1, d2, w1, w2, state)
    if state[c, STUCK] != 0.0:
        return f1, f2
    limit = constants[c, KINETIC] * normal
    return (-math.copysign(limit, w1) if w1 != 0.0 else f1), (-math.copysign(limit, w2) if w2 != 0.0 else f2)


@part
def undamped(c, index, constants, parameter, position, velocity, state, record):
    """Contact without the damper of the stick."""
    constants[c, TANGENT_DAMPING] = 0.0
    return contact_force(c, index, constants, parameter, position, velocity, state, record)


def _law(name: str, what: str, law: Any, replaces: str = "friction_force", needs: str = "friction") -> Defect:
    return Defect(name, "friction", what, (needs,), parts={replaces: law})


def _coefficients(name: str, what: str, change: Any, needs: str = "friction") -> Defect:
    return Defect(name, "friction", what, (needs,), before=frictions(lambda f: replace(f, **change(f))))


DEFECTS = (
    _law("wrong_sign_at_reversal", "In the evaluation after a reversal friction has the sign of the old direction.",
        wrong_at_reversals),
    _law("no_re_stick", "What has slid once never sticks again.", never_again),
    _law("sticks_too_late", f"While it slides, adherence is looked for at every {DELAY}th evaluation.", sometimes),
    _law("velocity_threshold", f"There is no adherence: below {SLOW:g} m/s friction goes with the velocity.", smoothed),
    _law("adherence_by_slowness", f"Whatever is slower than {SLOW:g} m/s counts as stuck.", slow_is_stuck),
    _law("anchor_not_updated", "The anchor of the tangential spring stays behind while the mass slides.", old_anchor,
        "hang"),
    _law("stick_without_force", "A stick begins with no force in the tangential spring.", limp_anchor, "hang"),
    _law("drift_in_stick", f"While the mass sticks, the anchor follows it by {CREEP:g} of the way per evaluation.",
        creeping),
    _law("friction_drives", "Sliding friction has the wrong sign.", driving),
    Defect("stick_undamped", "friction", "The tangential spring has no damper beside it.", ("friction",),
        parts={"contact_force": undamped}),
    _coefficients("mu_forgotten", "The coefficients of friction are one.", lambda _: {"static": 1.0, "kinetic": 1.0},
        "friction other than one"),
    _coefficients("mu_squared", "The coefficients of friction are squared.",
        lambda f: {"static": f.static**2, "kinetic": f.kinetic**2}, "friction other than one"),
    _coefficients("mu_one_percent_low", "Both coefficients of friction are 1 % too low.",
        lambda f: {"static": 0.99 * f.static, "kinetic": 0.99 * f.kinetic}),
    _coefficients("breakaway_five_percent_high", "The static coefficient is 5 % too high.",
        lambda f: {"static": 1.05 * f.static}),
    _coefficients("kinetic_one_percent_low", "The kinetic coefficient is 1 % below what it should be.",
        lambda f: {"kinetic": 0.99 * f.kinetic}),
    _coefficients("static_for_kinetic", "The static coefficient is used for sliding too.",
        lambda f: {"kinetic": f.static}, "static above kinetic"),
    _coefficients("kinetic_for_static", "The kinetic coefficient is used for adherence too.",
        lambda f: {"static": f.kinetic}, "static above kinetic"),
    Defect("isotropic_for_unidirectional", "friction",
        "Friction along one axis acts along the whole line of the motion.", ("friction along one axis",),
        before=frictions(lambda f: replace(f, tangents=tuple(t / np.linalg.norm(t) for t in f.tangents)))),
    Defect("unidirectional_for_isotropic", "friction", "Friction in a plane acts along its first axis alone.",
        ("friction in a plane",), before=frictions(lambda f: replace(f, tangents=f.tangents[:1]))),
    _law("box_for_cone", "Sliding friction has the whole limit along each of two axes.", boxed,
        needs="friction in a plane"),
    Defect("rejected_try_remembered", "friction",
        "A step that is tried again starts from the memory of friction that the rejected try has left.", ("friction",),
        scheme="central_adaptive", changed={"restore_friction": False}),
    Defect("no_adherence_flag", "friction", "The flag of adherence is never set in the histories.", ("friction",),
        scheme="devogelaere", after=histories("stuck", np.zeros_like)),
    Defect("adherence_flag_of_a_trial", "friction", f"Every {TRIAL}th sample has no flag of adherence.", ("friction",),
        after=histories("stuck", lambda flag: np.where(np.arange(flag.size) % TRIAL == TRIAL - 1, 0.0, flag))),
    Defect("friction_in_millinewtons", "friction", "Forces of frictions in the histories are in mN.", ("friction",),
        after=histories("force", lambda force: 1e3 * force)),
    Defect("adherence_flag_late", "friction", "The flag of adherence stands one sample late in the histories.",
        ("friction",), after=histories("stuck", lambda flag: np.concatenate((flag[:1], flag[:-1])))),
    Defect("friction_reported_on_obstacle", "friction", "The friction force in the histories is that on the obstacle.",
        ("friction",), after=histories("force", np.negative)),
)  # fmt: skip
