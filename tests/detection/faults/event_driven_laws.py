"""Seeded faults in the laws of the event-driven host: stops, frictions, devices, loads and supports."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..fault import Fault
from ..hosts.event_driven import SOLVER as HOST
from ..hosts.event_driven import EventDriven
from ..hosts.event_driven.records import RETURNING
from . import tools
from .features import (
    has_absolute,
    has_devices,
    has_frictions,
    has_inner_breaks,
    has_loads,
    has_need,
    has_stops,
    has_supports,
    has_two_coordinates,
    static_above,
)
from .gross import FEATURES, gross_faults
from .gross_elements import DEVICES
from .problem import coarse
from .tools import RELATIVE, RESOLUTION, Sizes, overridden

SIZES = Sizes(1e-6, 1e-13)
own, sized = partial(tools.fault, SIZES), partial(overridden, HOST)


def hardening(size: float, solver: Any, sound: Any, plane: Any, gap: Any, rate: Any) -> Any:
    """Return the push of a stop that hardens."""
    return sound(plane, gap, rate) + size * plane.stiffness * 1e3 * gap * np.abs(gap) * -1


def lost_on_return(size: float, solver: Any, sound: Any, plane: Any, gap: Any, rate: Any) -> Any:
    """Return the push of a stop that is smaller the faster the gap opens: a hidden dashpot."""
    critical = 2 * np.sqrt(plane.stiffness / float(plane.normal @ solver.system.inverse @ plane.normal))
    return sound(plane, gap, rate) - size * critical * rate


def undamped_push(size: float, solver: Any, sound: Any, plane: Any, gap: Any, rate: Any) -> Any:
    """Return a push whose dashpot is weaker while the gap opens."""
    return sound(plane, gap, rate) + size * plane.damping * np.maximum(rate, 0.0)


def released_late(size: float, solver: Any, sound: Any, rub: Any, normal: Any) -> Any:
    """Return too large a limit of stick."""
    return (1 + size) * sound(rub, normal)


def kinetic_limit(size: float, solver: Any, sound: Any, rub: Any, normal: Any) -> Any:
    """Return a limit of stick that lies towards the kinetic one."""
    return sound(rub, normal) - size * (rub.static - rub.kinetic) * normal


def slip_one_sided(size: float, solver: Any, sound: Any, rub: Any, normal: Any, direction: int) -> Any:
    """Return the force of slip, too large in one direction."""
    return sound(rub, normal, direction) * (1 + size * (direction < 0))


def support_unseen(size: float, solver: Any, sound: Any, element: Any, v: Any, driven: Any) -> Any:
    """Return what an element sees of a velocity, too little of which comes from supports."""
    return sound(element, v, None if driven is None else (1 - size) * driven)


def held_less(size: float, solver: Any, sound: Any, lines: Any, inverse: Any, force: Any, carried: Any) -> Any:
    """Return the forces of stick without a part of what the moving ground needs."""
    return sound(lines, inverse, force, (1 - size) * carried)


def creeping(size: float, solver: Any, sound: Any, lines: Any, inverse: Any, force: Any, carried: Any) -> Any:
    """Return forces of stick that hold a little too little."""
    return (1 - size) * sound(lines, inverse, force, carried)


def dashpot_power(size: float, solver: Any, sound: Any, law: Any, dashpot: Any, sign: int) -> Any:
    """Return the rate of a dashpot whose exponent is too large."""
    return (
        sound(replace(law, alpha=law.alpha / (1 + size)), dashpot, sign)
        if law.alpha < 1
        else (1 + size) * sound(law, dashpot, sign)
    )


def residual(size: float, solver: Any, sound: Any, law: Any, largest: float) -> float:
    """Return too large a crush that remains."""
    return (1 + size) * sound(law, largest)


def steeper_return(size: float, solver: Any, sound: Any, law: Any, u: Any, branch: int, largest: float) -> Any:
    """Return the push of a buckling stop, too large on its way back."""
    return sound(law, u, branch, largest) * (1 + size * (branch == RETURNING))


def memory_of_spring(size: float, solver: Any, sound: Any, law: Any, u: Any, z: Any) -> Any:
    """Return the forces of a Zener device whose dashpot sees too large a path."""
    return sound(law, u, (1 + size) * z)


def turned_load(size: float, solver: Any, sound: Any, mass: Any, influence: Any) -> Any:
    """Return the load of a support on the masses, too large on the last one."""
    load = np.array(sound(mass, influence))
    load[-1] *= 1 + size
    return load


def late_piece(size: float, solver: Any, sound: Any, function: Any, t: Any, where: float) -> Any:
    """Return a load at instants of few digits."""
    return sound(function, coarse(t, size), where)


def slow_clock(size: float, solver: Any, sound: Any, function: Any, t: Any, where: float) -> Any:
    """Return a load of a slow clock."""
    return sound(function, (1 - size) * t, where)


def next_piece(size: float, solver: Any, sound: Any, function: Any, t: Any, where: float) -> Any:
    """Return a load whose breaks come too late by a part of the instant."""
    return sound(function, t, (1 - size) * where)


class Forgetful(EventDriven):
    """Has buckling stops without memory: the way back is the way there."""

    def residual_crush(self, law: Any, largest: float) -> float:
        """Return no crush that remains."""
        return 0.0

    def crush_force(self, law: Any, u: Any, branch: int, largest: float) -> Any:
        """Return the push of first loading, on the way back as well."""
        if branch != RETURNING:
            return super().crush_force(law, u, branch, largest)
        pushes = [super(Forgetful, self).crush_force(law, np.array([x]), self.crush_branch(law, x), x) for x in u]
        return np.concatenate(pushes)


def no_residual(*_: Any) -> float:
    """Return no crush that remains."""
    return 0.0


def boxed(size: float, solver: Any, sound: Any, rub: Any, normal: Any, direction: int) -> Any:
    """Return the force of slip that has the whole limit along each of two tangents."""
    return sound(rub, normal, direction) * float(np.sum(np.abs(rub.cosines)) / np.linalg.norm(rub.cosines))


def absolute_friction(p: Any) -> bool:
    """Tell whether a friction sees the motion of supports."""
    return has_supports(p) and any(f.frame == "absolute" for f in p.frictions)


def absolute_damper(p: Any) -> bool:
    """Tell whether a damped stop sees the motion of supports."""
    return has_supports(p) and any(s.frame == "absolute" and s.damping for s in p.stops)


def law_faults() -> list[Fault]:
    """Return the faults of laws."""
    relative, bits = RELATIVE, RESOLUTION
    return [
        own("stop_hardens", "contact", "A stop hardens with the penetration.", sized("contact_force", hardening), has_stops, "part of the stiffness at 1 mm", 1e-3),
        own("stop_loses", "contact", "A stop has a hidden dashpot.", sized("contact_force", lost_on_return), has_stops, "damping ratio"),
        own("damper_weak_on_return", "contact", "The dashpot of a stop is weaker while the gap opens.", sized("contact_force", undamped_push), has_need("contact:damped"), relative),
        own("stick_released_late", "friction", "Stick holds beyond the static limit.", sized("stick_limit", released_late), has_frictions, "part of the limit"),
        own("stick_at_kinetic", "friction", "Stick ends between the static and the kinetic limit.", sized("stick_limit", kinetic_limit), static_above, "part of the difference"),
        own("slip_one_sided", "friction", "Slip against the tangent has too much friction.", sized("slip_force", slip_one_sided), has_frictions, relative),
        own("ground_moves_unseen", "friction", "Stick does not see all of the acceleration of the ground.", sized("stick_forces", held_less), absolute_friction, relative),
        own("stick_creeps", "friction", "Stick holds a little too little.", sized("stick_forces", creeping), has_frictions, relative),
        own("slide_on_support", "support", "Sliding sees too little of the velocity of the ground.", sized("sliding_velocity", support_unseen), absolute_friction, relative),
        own("gap_rate_on_support", "support", "Damped stops see too little of the velocity of the ground.", sized("gap_rate", support_unseen), absolute_damper, relative),
        own("gap_on_support", "support", "Gaps see too little of the displacement of the ground.", sized("gap", support_unseen), lambda p: has_absolute(p) and has_stops(p), relative),
        own("participation", "support", "The load of a support on the last coordinate is too large.", sized("participation", turned_load), lambda p: has_supports(p) and has_two_coordinates(p), relative),
        own("dashpot_power", "device", "The exponent of a dashpot, or its rate, is too large.", sized("dashpot_rate", dashpot_power), has_devices("alpha"), relative),
        own("dashpot_path", "device", "A dashpot sees too large a path.", sized("zener_forces", memory_of_spring), has_devices("alpha"), relative),
        own("residual_crush", "device", "The crush that remains is too large.", sized("residual_crush", residual), has_devices("critical_force"), relative),
        own("steep_return", "device", "A buckling stop pushes too much on its way back.", sized("crush_force", steeper_return), has_devices("critical_force"), relative),
        own("load_time_single", "precision", "Loads are taken at instants of few digits.", sized("load", late_piece), has_loads, bits, 6e-8),
        own("support_time_single", "precision", "Supports are taken at instants of few digits.", sized("support", late_piece), has_supports, bits, 6e-8),
        own("load_clock_slow", "load", "The clock of the loads is slow.", sized("load", slow_clock), has_loads, relative),
        own("support_clock_slow", "support", "The clock of the supports is slow.", sized("support", slow_clock), has_supports, relative),
        own("load_piece_late", "load", "Loads change from piece to piece too late.", sized("load", next_piece), lambda p: bool(p.loads) and has_inner_breaks(p), "part of the instant", 0.3, 1e-3),
        own("crush_forgotten", "device", "A buckling stop remembers no crush: the way back is the way there.", lambda _: Forgetful(), has_devices("critical_force")),
        own("no_residual_crush", "device", "A buckling stop returns to its first length.", sized("residual_crush", no_residual), has_devices("critical_force")),
        own("box_for_cone", "friction", "Sliding friction has the whole limit along each of two axes.", sized("slip_force", boxed), FEATURES["friction in a plane"]),
        *gross_faults(HOST, DEVICES),
    ]  # fmt: skip
