"""A driven mass on a spring that strikes an elastic stop: its problem, and the truth of every contact.

The mass is driven by a force or by its support. The stop stands still (wall = 1) and sees the absolute displacement, or
moves with the support (wall = 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import mpmath
import numpy as np
from flint import arb

from veridyn.problem.elements import Load, Stop, SupportMotion
from veridyn.problem.formulas import sqrt
from veridyn.problem.mechanical import MechanicalProblem
from veridyn.problem.time_functions import Harmonic
from veridyn.references.certified import Certified
from veridyn.references.engine.enclosure import Absent, less
from veridyn.references.engine.jets import Ball
from veridyn.references.mechanics.motions import make_quantities
from veridyn.references.parameters import Exact, Parameter, ParameterSet
from veridyn.references.problems.hybrid_quantities import MotionTerms
from veridyn.references.problems.hybrid_system import ParameterView
from veridyn.references.reference import Reference
from veridyn.references.requirements import Requirement, restrict
from veridyn.references.second_routes import impact_phases
from veridyn.validation_cases.judgement.case import numbers

PARAMETERS = (
    Parameter("m", "kg", "mass", "1"),
    Parameter("k", "N/m", "stiffness of the spring", "1"),
    Parameter("xi", "-", "damping ratio, below 1", "0", "non-negative"),
    Parameter("kc", "N/m", "stiffness of the stop", "1"),
    Parameter("gap", "m", "gap at rest", "1"),
    Parameter("F", "N", "amplitude of the force on the mass", "0", "any"),
    Parameter("a", "m/s²", "amplitude of the acceleration of the support", "0", "any"),
    Parameter("Omega", "rad/s", "circular frequency of force and support", "1"),
    Parameter("wall", "-", "1: the stop stands still; 0: it moves with the support", "1", "non-negative"),
    Parameter("t_end", "s", "end of the observed span", "1"),
)
SWINGS = Requirement("xi < 1", "the mass creeps and does not swing")
STANDS = Requirement("wall == 0 or wall == 1", "the stop stands still, or moves with the support: nothing between")


def parameters(**defaults: str) -> tuple[Parameter, ...]:
    """Return the parameters that a case names, with its defaults; raises KeyError for an unknown one."""
    stated = {p.name: p for p in PARAMETERS}
    return tuple(Parameter(n, stated[n].unit, stated[n].help, d, stated[n].rule) for n, d in defaults.items())


def state(values: Mapping[str, Any], name: str = "struck_oscillator") -> MechanicalProblem:
    """Return the problem up to t_end; what a case does not name is not there: damper, force or support."""
    m, k, kc, gap, Omega, end = numbers(values, "m", "k", "kc", "gap", "Omega", "t_end")
    loads: tuple[Load, ...] = ()
    supports: tuple[SupportMotion, ...] = ()
    damping = None
    if "xi" in values:
        (xi,) = numbers(values, "xi")
        damping = np.array([[2 * xi * sqrt(k * m)]])
    if "F" in values:
        (F,) = numbers(values, "F")
        loads = (Load(np.ones(1), Harmonic(F, Omega)),)
    if "a" in values:
        (a,) = numbers(values, "a")
        supports = (SupportMotion.from_acceleration("support", np.ones(1), Harmonic(a, Omega)),)
    stands = "wall" in values and float(values["wall"]) == 1
    return MechanicalProblem(
        name=name,
        mass=np.array([[m]]),
        stiffness=np.array([[k]]),
        damping=damping,
        end=end,
        loads=loads,
        supports=supports,
        stops=(Stop("stop", np.ones(1), gap=gap, stiffness=kc, frame="absolute" if stands else "relative"),),
        coordinates=("x",),
    )


# Contacts magnify errors, and 30 digits take 192 bits mostly. With so many from the beginning, quantities and phases to
# `PHASES` digits share one motion.
SPARE, PHASES = 64, 35
MOTION = make_quantities(state, PARAMETERS, record=restrict(SWINGS, STANDS), spare=SPARE)
HISTORY = MOTION.history(gap="gap_stop", force="push_stop", x="x", velocity="v_x")
TOUCH, RELEASE = "stop_closes", "stop_opens"
INWARD = "-gap_stop"  # what is watched
CLOSED = "closed form of every flight and contact, instants as roots proved by bounds of the curvature"


def instant(number: int) -> Reference[Certified]:
    """Return one instant of contact up to t_end, counted from 1 (s): odd numbers touch, even ones release."""
    name = TOUCH if number % 2 else RELEASE
    return MOTION.event(name, (number + 1) // 2, second=lambda p: impact_phases.march(p)[number].start, how=CLOSED)


ENDED = MOTION.count(RELEASE, second=lambda p: mpmath.mpf(len(impact_phases.list_contacts(p))), how=CLOSED)


def peak_force(contact: int) -> Reference[Certified]:
    """Return the largest force of one contact, counted from 1 (N), if it ends before t_end."""
    deepest = MOTION.largest(INWARD, (TOUCH, contact), (RELEASE, contact))
    terms: MotionTerms = {"second": lambda p: p.kc * impact_phases.find_penetration(p, contact), "how": CLOSED}
    return MOTION.combine(f"peak force {contact}", lambda p: p.kc * p.deepest, {"deepest": deepest}, **terms)


largest_force = MOTION.combine(
    "largest force",
    lambda p: p.kc * p.deepest,
    {"deepest": MOTION.largest(INWARD, None, (RELEASE, -1))},
    second=lambda p: p.kc * impact_phases.find_largest_penetration(p),
    how=CLOSED,
)


def displacement(t: str) -> Reference[Certified]:
    """Return what the stop sees at an instant (m): absolute if it stands still, relative if it moves along."""
    distance = MOTION.value("gap_stop", t)
    terms: MotionTerms = {"second": partial(impact_phases.observe, t=t), "how": CLOSED}
    return MOTION.combine(f"displacement at {t}", lambda p: p.gap - p.distance, {"distance": distance}, **terms)


def force(t: str) -> Reference[Certified]:
    """Return the force of the stop at an instant (N); undefined in flight."""

    def press(p: Any) -> Ball:
        distance = p.distance
        if less(arb(0), distance, "the stop is just touched at t"):
            raise Absent(f"the stop is not touched at t = {t} s")
        return -p.kc * distance

    terms: MotionTerms = {"second": lambda p: p.kc * (impact_phases.observe(p, t) - p.gap), "how": CLOSED}
    return MOTION.combine(f"force at {t}", press, {"distance": MOTION.value("gap_stop", t)}, **terms)


@MOTION.reference.function()
def closed_phases(o: ParameterSet, digits: int) -> tuple[impact_phases.ImpactPhase, ...]:
    """Return the closed form of every flight and contact up to t_end, with starts that are proved."""
    motion = HISTORY.compute(vars(o), digits)
    starts = [time for time, _ in motion.events()[1:]]
    with mpmath.workdps(digits):
        velocities = motion.sample("velocity", starts)
        return impact_phases.join_phases(ParameterView(o, Exact.mpf), starts, velocities)


turns = MOTION.nearest_turns(INWARD)
