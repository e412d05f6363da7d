"""Gross faults of stops, frictions and devices."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.problem.devices import BucklingStop, NonlinearSpring, Zener

from .gross import Gross
from .tools import Problem, Response

EASY = 1e-9  # m: a return that begins a little later than the softening ends, whatever is rounded
TRIAL = 50  # samples from one wrong flag to the next

Change = Callable[[Any], Any]


def stops(change: Callable[[Problem, Any], Any]) -> Change:
    """Return the change of every stop."""
    return lambda p: replace(p, stops=tuple(change(p, stop) for stop in p.stops))


def frictions(change: Change) -> Change:
    """Return the change of every friction."""
    return lambda p: replace(p, frictions=tuple(change(f) for f in p.frictions))


def coefficients(change: Callable[[Any], dict[str, float]]) -> Change:
    """Return the change of the coefficients of every friction."""
    return frictions(lambda f: replace(f, **change(f)))


def devices(kind: type, change: Change) -> Change:
    """Return the change of every device of a type."""
    return lambda p: replace(p, devices=tuple(change(d) if isinstance(d, kind) else d for d in p.devices))


def histories(name: str, change: Callable[[Any], Any]) -> Callable[[Problem, Response], Response]:
    """Return the change of one history (m,) of all elements that have it."""

    def after(_: Problem, r: Response) -> Response:
        changed = {e: {h: change(x) if h == name else x for h, x in own.items()} for e, own in r["elements"].items()}
        return {**r, "elements": changed}

    return after


# --- stops ---------------------------------------------------------------------------------------------------------


def _without_stops(p: Problem) -> Problem:
    return replace(p, stops=(), frictions=tuple(f for f in p.frictions if not isinstance(f.normal, str)))


def _wider(p: Problem, stop: Any) -> Any:
    """Return a stop with a gap 1 % too wide, or where it has none, 1 % of the penetration that the start suggests."""
    if stop.gap != 0 or p.mass is None:
        return replace(stop, gap=1.01 * stop.gap)
    speed = float(np.abs(p.initial_velocity).max())
    return replace(stop, gap=0.01 * speed / math.sqrt(stop.stiffness / float(p.mass.max())))


def _and_structure(p: Problem, stop: Any) -> Any:
    own = 0.0 if p.stiffness is None else float(np.abs(np.diag(p.stiffness)).min())
    return replace(stop, stiffness=stop.stiffness + own)


def _of_squared_ratio(p: Problem, stop: Any) -> Any:
    """Return a stop whose damping ratio, of the mass on its spring, is squared."""
    critical = 2 * math.sqrt(stop.stiffness * float(p.mass.max()))
    return replace(stop, damping=stop.damping**2 / critical)


def _two_sided(_: Problem, stop: Any) -> Any:
    return replace(stop, geometry="parallel planes") if stop.geometry == "plane" else stop


def _springs_alone(p: Problem, r: Response) -> Response:
    """Return a response whose normal forces are those of the springs of the stops."""
    stiffness = {stop.name: stop.stiffness for stop in p.stops}

    def push(name: str, own: Any) -> Any:
        return {**own, "normal_force": stiffness[name] * np.maximum(0.0, -np.asarray(own["gap"]))}

    elements = {name: push(name, own) if name in stiffness else own for name, own in r["elements"].items()}
    return {**r, "elements": elements}


CONTACT = (
    Gross("gap_too_wide", "contact", "The gap is 1 % too wide, or 1 % of the first penetration where there is none.", ("contact",), stops(_wider)),
    Gross("penalty_one_percent_high", "contact", "The stiffness of the stop is 1 % too high.", ("contact",), stops(lambda _, s: replace(s, stiffness=1.01 * s.stiffness))),
    Gross("structure_in_penalty", "contact", "The stiffness of the structure is added to that of the stop.", ("contact", "matrices"), stops(_and_structure)),
    Gross("no_stop", "contact", "There is no stop.", ("contact",), _without_stops),
    Gross("plane_on_both_sides", "contact", "A single plane acts on both sides of the origin.", ("plane stop",), stops(_two_sided)),
    Gross("gap_sign", "contact", "The gap has the wrong sign: play becomes overlap.", ("gap",), stops(lambda _, s: replace(s, gap=-s.gap))),
    Gross("contact_damper_one_percent_high", "contact", "The damper of the stop is 1 % too strong.", ("damped contact",), stops(lambda _, s: replace(s, damping=1.01 * s.damping))),
    Gross("contact_damper_missing", "contact", "The stop has no damper.", ("damped contact",), stops(lambda _, s: replace(s, damping=0.0))),
    Gross("contact_damper_halved", "contact", "The damper of the stop has half its strength.", ("damped contact",), stops(lambda _, s: replace(s, damping=0.5 * s.damping))),
    Gross("contact_damping_ratio_squared", "contact", "The damping ratio of the mass on the stop is squared.", ("damped contact", "matrices"), stops(_of_squared_ratio)),
    Gross("contact_force_without_damper", "contact", "Normal forces in the histories are those of the springs of the stops.", ("damped contact",), after=_springs_alone),
    Gross("contact_velocity_sign", "contact", "The rate of the gap has the wrong sign in the histories.", ("contact",), after=histories("normal_velocity", np.negative)),
    Gross("kilonewtons", "contact", "Normal forces in the histories are in kN.", ("contact",), after=histories("normal_force", lambda force: force / 1000)),
)  # fmt: skip


# --- frictions -----------------------------------------------------------------------------------------------------


def _of_the_text_book(f: Any) -> Any:
    return f if isinstance(f.normal, str) else replace(f, normal=0.981 * f.normal)


FRICTION = (
    Gross("mu_forgotten", "friction", "The coefficients of friction are one.", ("friction other than one",), coefficients(lambda _: {"static": 1.0, "kinetic": 1.0})),
    Gross("mu_squared", "friction", "The coefficients of friction are squared.", ("friction other than one",), coefficients(lambda f: {"static": f.static**2, "kinetic": f.kinetic**2})),
    Gross("mu_one_percent_low", "friction", "Both coefficients of friction are 1 % too low.", ("friction",), coefficients(lambda f: {"static": 0.99 * f.static, "kinetic": 0.99 * f.kinetic})),
    Gross("breakaway_five_percent_high", "friction", "The static coefficient is 5 % too high.", ("friction",), coefficients(lambda f: {"static": 1.05 * f.static})),
    Gross("kinetic_one_percent_low", "friction", "The kinetic coefficient is 1 % below what it should be.", ("friction",), coefficients(lambda f: {"kinetic": 0.99 * f.kinetic})),
    Gross("static_for_kinetic", "friction", "The static coefficient is used for sliding too.", ("static above kinetic",), coefficients(lambda f: {"kinetic": f.static})),
    Gross("kinetic_for_static", "friction", "The kinetic coefficient is used for adherence too.", ("static above kinetic",), coefficients(lambda f: {"static": f.kinetic})),
    Gross("isotropic_for_unidirectional", "friction", "Friction along one axis acts along the whole line of the motion.", ("friction along one axis",), frictions(lambda f: replace(f, tangents=tuple(t / np.linalg.norm(t) for t in f.tangents)))),
    Gross("unidirectional_for_isotropic", "friction", "Friction in a plane acts along its first axis alone.", ("friction in a plane",), frictions(lambda f: replace(f, tangents=f.tangents[:1]))),
    Gross("gravity_of_the_text_book", "friction", "The constant normal forces of frictions are those of g = 9.81 instead of 10 m/s².", ("friction under constant force",), frictions(_of_the_text_book)),
    Gross("no_adherence_flag", "friction", "The flag of adherence is never set in the histories.", ("friction",), after=histories("stuck", np.zeros_like)),
    Gross("adherence_flag_of_a_trial", "friction", f"Every {TRIAL}th sample has no flag of adherence.", ("friction",), after=histories("stuck", lambda flag: np.where(np.arange(flag.size) % TRIAL == TRIAL - 1, 0.0, flag))),
    Gross("friction_in_millinewtons", "friction", "Forces of frictions in the histories are in mN.", ("friction",), after=histories("force", lambda force: 1e3 * force)),
    Gross("adherence_flag_late", "friction", "The flag of adherence stands one sample late in the histories.", ("friction",), after=histories("stuck", lambda flag: np.concatenate((flag[:1], flag[:-1])))),
    Gross("friction_reported_on_obstacle", "friction", "The friction force in the histories is that on the obstacle.", ("friction",), after=histories("force", np.negative)),
)  # fmt: skip


# --- devices -------------------------------------------------------------------------------------------------------


def _stiff_return(stop: Any) -> Any:
    total = stop.buckling_crush + stop.plateau + stop.softening + EASY
    return replace(stop, returns=((total - stop.post_force / stop.contact_stiffness, stop.contact_stiffness),))


def _tangent(spring: Any) -> Any:
    return replace(spring, coefficients=tuple(tuple(row[:2]) for row in spring.coefficients))


def _even(spring: Any) -> Any:
    """Return the spring whose powers above the first lose their sign below the first break."""
    below = tuple(c if k < 2 else -c for k, c in enumerate(spring.coefficients[0]))
    return replace(spring, coefficients=(below, *spring.coefficients[1:]))


def _closed(spring: Any) -> Any:
    first, *_, last = spring.coefficients
    return replace(spring, breaks=(0.0,), coefficients=(first, last))


DEVICES = (
    Gross("dashpot_linear", "device", "The dashpot is linear where it should obey a power law.", ("power-law dashpot",), devices(Zener, lambda d: replace(d, alpha=1.0))),
    Gross("dashpot_exponent_inverted", "device", "The exponent of the dashpot is halved.", ("Zener device",), devices(Zener, lambda d: replace(d, alpha=d.alpha / 2))),
    Gross("dashpot_one_percent_strong", "device", "The constant of the dashpot is 1 % too large.", ("Zener device",), devices(Zener, lambda d: replace(d, damping=1.01 * d.damping))),
    Gross("zener_springs_swapped", "device", "The spring beside the dashpot and that in series with it have each other's stiffness.", ("Zener device",), devices(Zener, lambda d: replace(d, k2=d.k3, k3=d.k2))),
    Gross("zener_first_spring_rigid", "device", "The spring in series with the rest of the device is rigid.", ("Zener device",), devices(Zener, lambda d: replace(d, k1=1e6 * d.k1))),
    Gross("buckling_force_one_percent_high", "device", "The stop buckles at a force 1 % too large.", ("buckling stop",), devices(BucklingStop, lambda d: replace(d, critical_force=1.01 * d.critical_force))),
    Gross("post_force_one_percent_high", "device", "The force that is left after the collapse is 1 % too large.", ("buckling stop",), devices(BucklingStop, lambda d: replace(d, post_force=1.01 * d.post_force))),
    Gross("plateau_dropped", "device", "The force of the stop falls at once, without a plateau.", ("buckling plateau",), devices(BucklingStop, lambda d: replace(d, plateau=0.0))),
    Gross("softening_dropped", "device", "The force of the stop collapses where it should fall along a line.", ("buckling softening",), devices(BucklingStop, lambda d: replace(d, softening=0.0))),
    Gross("return_with_first_stiffness", "device", "The stop returns with the stiffness of the first contact.", ("buckling stop",), devices(BucklingStop, _stiff_return)),
    Gross("spring_linearised", "device", "The nonlinear spring is its tangent.", ("nonlinear spring",), devices(NonlinearSpring, _tangent)),
    Gross("square_without_sign", "device", "The powers of the nonlinear spring have lost their sign on one side.", ("nonlinear spring",), devices(NonlinearSpring, _even)),
    Gross("dead_zone_closed", "device", "The nonlinear spring has no dead zone.", ("dead zone",), devices(NonlinearSpring, _closed)),
    Gross("device_force_reversed", "device", "The force of devices has the wrong sign in the histories.", ("device",), after=histories("force", np.negative)),
)  # fmt: skip
