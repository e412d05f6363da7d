"""Faults in what a solver makes of a problem; any solver can have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from veridyn.problem.scalars import to_float
from veridyn.problem.time_functions import time_function

from ..fault import Fault, always
from .features import (
    has_devices,
    has_drives,
    has_frictions,
    has_gaps,
    has_inner_breaks,
    has_loads,
    has_matrices,
    has_modes,
    has_need,
    has_stops,
    has_supports,
    has_two_coordinates,
    has_waves,
    static_above,
)
from .tools import RELATIVE, RESOLUTION, Before, Damaged, Problem, Sizes, Touches, fault


def scaled(fields: str, factor_of: Callable[[float], float] = lambda s: 1 + s) -> Before:
    """Return the change of arrays of the problem itself."""
    return lambda p, s: replace(
        p, **{f: factor_of(s) * getattr(p, f) for f in fields.split() if getattr(p, f) is not None}
    )


def mass(p: Problem, s: float) -> Problem:
    """Return a problem whose masses are too large."""
    if p.modes is None:
        return replace(p, mass=(1 + s) * p.mass)
    root, m = np.sqrt(1 + s), p.modes
    return replace(p, modes=replace(m, masses=(1 + s) * m.masses, omega=m.omega / root, damping=m.damping / root))


def last_mass(p: Problem, s: float) -> Problem:
    """Return a problem whose last mass is too large."""
    changed = p.mass.copy()
    changed[-1, -1] *= 1 + s
    return replace(p, mass=changed)


def stiffness(p: Problem, s: float) -> Problem:
    """Return a problem whose structure is too stiff."""
    if p.modes is None:
        return replace(p, stiffness=(1 + s) * p.stiffness)
    root, m = np.sqrt(1 + s), p.modes
    return replace(p, modes=replace(m, omega=m.omega * root, damping=m.damping / root))


def damping(p: Problem, s: float) -> Problem:
    """Return a problem with too much structural damping."""
    if p.modes is None:
        return replace(p, damping=(1 + s) * p.damping)
    coupling = None if p.modes.coupling is None else (1 + s) * p.modes.coupling
    return replace(p, modes=replace(p.modes, damping=(1 + s) * p.modes.damping, coupling=coupling))


def uncoupled(p: Problem, s: float) -> Problem:
    """Return a problem whose damping couples the coordinates less."""
    if p.modes is not None:
        return replace(
            p, modes=replace(p.modes, coupling=None if p.modes.coupling is None else (1 - s) * p.modes.coupling)
        )
    return replace(p, damping=p.damping - s * (p.damping - np.diag(np.diag(p.damping))))


def is_stiff(p: Problem) -> bool:
    """Tell whether the structure has stiffness of its own."""
    return bool(np.any(p.modes.omega)) if p.modes is not None else bool(np.any(p.stiffness))


def of_elements(kind: str, **factors: Callable[[float], float]) -> Before:
    """Return the change of numbers of all elements of a kind: stops, frictions, devices, supports."""

    def before(p: Problem, s: float) -> Problem:
        return replace(p, **{kind: tuple(element_changed(element, s, factors) for element in getattr(p, kind))})

    return before


def element_changed(element: Any, s: float, factors: Mapping[str, Callable[[float], float]]) -> Any:
    """Return an element with some numbers times factors; what it has not, or has as a name, stays."""
    numbers = {name: getattr(element, name, None) for name in factors}
    changed = {
        name: times(old, factors[name](s))
        for name, old in numbers.items()
        if old is not None and not isinstance(old, str)
    }
    return replace(element, **changed)


def times(value: Any, factor: float) -> Any:
    """Return a number, an array or nested tuples of numbers times a factor."""
    return tuple(times(one, factor) for one in value) if isinstance(value, tuple) else factor * value


def more(s: float) -> float:
    """Return the factor of a number that is too large."""
    return 1 + s


def less(s: float) -> float:
    """Return the factor of a number that is too small."""
    return 1 - s


def kinetic_up(p: Problem, s: float) -> Problem:
    """Return a problem with more kinetic friction, and static friction not below it."""
    return replace(
        p,
        frictions=tuple(
            replace(f, kinetic=(1 + s) * f.kinetic, static=max(f.static, (1 + s) * f.kinetic)) for f in p.frictions
        ),
    )


def static_up(p: Problem, s: float) -> Problem:
    """Return a problem with more static friction."""
    return of_elements("frictions", static=more)(p, s)


def driven(change: Callable[[dict[str, Any], Problem, float], dict[str, Any]], *, whole: bool = False) -> Before:
    """Return the change of the functions of all loads and supports, of their accelerations alone unless ``whole``."""

    def before(p: Problem, s: float) -> Problem:
        def new(function: Any) -> Any:
            return time_function(change(function.to_dict(), p, s))

        motions = ("acceleration", "velocity", "displacement") if whole else ("acceleration",)
        return replace(
            p,
            loads=tuple(replace(load, function=new(load.function)) for load in p.loads),
            supports=tuple(replace(u, **{name: new(getattr(u, name)) for name in motions}) for u in p.supports),
        )

    return before


def of_leaves(change: Callable[[dict[str, Any], Problem, float], dict[str, Any]]) -> Any:
    """Return the change of the harmonic and polynomial parts of a function of time."""

    def changed(data: dict[str, Any], p: Problem, s: float) -> dict[str, Any]:
        if data["kind"] == "sum":
            return {**data, "summands": [changed(one, p, s) for one in data["summands"]]}
        if data["kind"] == "windowed":
            return {**data, "function": changed(data["function"], p, s)}
        return change(data, p, s)

    return changed


def louder(data: dict[str, Any], _: Problem, s: float) -> dict[str, Any]:
    """Return a part whose values are too large."""
    if data["kind"] == "harmonic":
        return {**data, "amplitude": (1 + s) * to_float(data["amplitude"])}
    return {**data, "coefficients": [[(1 + s) * to_float(c) for c in row] for row in data["coefficients"]]}


def faster(data: dict[str, Any], _: Problem, s: float) -> dict[str, Any]:
    """Return a wave of too high a frequency."""
    return {**data, "omega": (1 + s) * to_float(data["omega"])} if data["kind"] == "harmonic" else data


def ahead(data: dict[str, Any], _: Problem, s: float) -> dict[str, Any]:
    """Return a wave that runs ahead."""
    return {**data, "phase": s + to_float(data["phase"])} if data["kind"] == "harmonic" else data


def lasting(data: dict[str, Any], p: Problem, s: float) -> dict[str, Any]:
    """Return a function whose breaks inside the run come late by a part of the span."""
    by = s * (p.end - p.start)

    def late(at: Any) -> float:
        return to_float(at) + (by if p.start < to_float(at) < p.end else 0.0)

    if data["kind"] == "sum":
        return {**data, "summands": [lasting(one, p, s) for one in data["summands"]]}
    if data["kind"] == "windowed":
        return {
            **data,
            "start": late(data["start"]),
            "end": late(data["end"]),
            "function": lasting(data["function"], p, s),
        }
    return {**data, "breaks": [late(at) for at in data["breaks"]]} if "breaks" in data else data


def offset(data: dict[str, Any], p: Problem, s: float) -> dict[str, Any]:
    """Return a function with an offset: a part of its largest value."""
    largest = float(np.abs(time_function(data)(np.linspace(p.start, p.end, 1001))).max())
    plain = {"kind": "piecewise", "breaks": [p.start - (p.end - p.start)], "coefficients": [[s * largest]]}
    return {"kind": "sum", "summands": [data, plain]}


def late_load(p: Problem, s: float) -> Problem:
    """Return a problem whose loads come late by a part of the span."""
    by = s * (p.end - p.start)
    return replace(p, loads=tuple(replace(load, function=load.function.shifted(by)) for load in p.loads))


def support_part(name: str) -> Before:
    """Return the change of one of displacement, velocity and acceleration of all supports."""

    def before(p: Problem, s: float) -> Problem:
        change = of_leaves(louder)
        new = {id(u): time_function(change(getattr(u, name).to_dict(), p, s)) for u in p.supports}
        return replace(p, supports=tuple(replace(u, **{name: new[id(u)]}) for u in p.supports))

    return before


def shape(p: Problem, s: float) -> Problem:
    """Return a problem whose first mode shape is too large."""
    if p.modes is None:
        return p
    shapes = np.array(p.modes.shapes)
    shapes[:, 0] *= 1 + s
    return replace(p, modes=replace(p.modes, shapes=shapes))


def last_frequency(p: Problem, s: float) -> Problem:
    """Return a problem whose last mode is too fast."""
    if p.modes is None:
        return p
    omega = np.array(p.modes.omega)
    omega[-1] *= 1 + s
    return replace(p, modes=replace(p.modes, omega=omega))


def last_mode_mass(p: Problem, s: float) -> Problem:
    """Return a problem whose last mode is too heavy."""
    if p.modes is None:
        return p
    masses = np.array(p.modes.masses)
    masses[-1] *= 1 + s
    return replace(p, modes=replace(p.modes, masses=masses))


def rounded(fields: str) -> Before:
    """Return the change of arrays of the problem, of matrices or modes, to a relative resolution."""

    def before(p: Problem, s: float) -> Problem:
        owner = p.modes if p.mass is None and any(hasattr(p.modes, f) for f in fields.split()) else p
        held = {f: coarse(getattr(owner, f), s) for f in fields.split() if getattr(owner, f, None) is not None}
        return replace(p, modes=replace(owner, **held)) if owner is p.modes else replace(p, **held)

    return before


def coarse(values: Any, resolution: float) -> Any:
    """Return numbers rounded to a relative resolution, as a shorter mantissa does."""
    values = np.asarray(values, dtype=float)
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.round(mantissa / resolution) * resolution, exponent)


def problem_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return faults in what a host makes of a problem."""

    def changed(
        name: str,
        part: str,
        what: str,
        before: Before,
        touches: Touches = always,
        meaning: str = RELATIVE,
    ) -> Fault:
        return fault(sizes, name, part, what, lambda s: Damaged(solver, before, size=s), touches, meaning)

    shift, rad = "part of the time span", "rad"
    return [
        changed("mass", "modal", "All masses are too large.", mass),
        changed("last_mass", "modal", "The last mass is too large.", last_mass, lambda p: has_matrices(p) and has_two_coordinates(p)),
        changed("stiffness", "modal", "The structure is too stiff.", stiffness, is_stiff),
        changed("damping", "modal", "The structural damping is too large.", damping, has_need("damping")),
        changed("damping_uncoupled", "modal", "Damping couples the modes too little.", uncoupled, has_need("damping:coupled")),
        changed("mode_shape", "modal", "The first mode shape is too large.", shape, has_modes),
        changed("last_frequency", "modal", "The last mode is too fast.", last_frequency, has_modes),
        changed("last_modal_mass", "modal", "The last mode is too heavy.", last_mode_mass, has_modes),
        changed("gap", "contact", "The gaps of the stops are too large.", of_elements("stops", gap=more), has_gaps),
        changed("stop_stiffness", "contact", "The stops are too stiff.", of_elements("stops", stiffness=more), has_stops),
        changed("stop_damping", "contact", "The dashpots of the stops are too strong.", of_elements("stops", damping=more), has_need("contact:damped")),
        changed("static_friction", "friction", "The static coefficient of friction is too large.", static_up, static_above),
        changed("kinetic_friction", "friction", "The kinetic coefficient of friction is too large.", kinetic_up, has_frictions),
        changed("normal_force", "friction", "Constant normal forces are too large.", of_elements("frictions", normal=more), lambda p: any(not isinstance(f.normal, str) for f in p.frictions)),
        changed("friction_direction", "friction", "The direction of friction is too long.", of_elements("frictions", tangents=more), has_frictions),
        changed("zener_k1", "device", "The first spring of a Zener device is too stiff.", of_elements("devices", k1=more), has_devices("k1")),
        changed("zener_k2", "device", "The second spring of a Zener device is too stiff.", of_elements("devices", k2=more), has_devices("k2")),
        changed("zener_k3", "device", "The third spring of a Zener device is too stiff.", of_elements("devices", k3=more), has_devices("k3")),
        changed("zener_damping", "device", "The dashpot of a device is too strong.", of_elements("devices", damping=more), has_devices("damping")),
        changed("zener_exponent", "device", "The exponent of a dashpot is too small.", of_elements("devices", alpha=less), has_devices("alpha")),
        changed("spring_force", "device", "The force of a nonlinear spring is too large.", of_elements("devices", coefficients=more), has_devices("coefficients")),
        changed("spring_breaks", "device", "The pieces of a nonlinear spring end too far out.", of_elements("devices", breaks=more), has_devices("breaks")),
        changed("buckling_force", "device", "A stop buckles at too large a force.", of_elements("devices", critical_force=more), has_devices("critical_force")),
        changed("post_force", "device", "The force after buckling is too large.", of_elements("devices", post_force=more), has_devices("post_force")),
        changed("buckling_stiffness", "device", "A buckling stop is too stiff.", of_elements("devices", contact_stiffness=more), has_devices("contact_stiffness")),
        changed("plateau", "device", "The plateau of a buckling stop is too long.", of_elements("devices", plateau=more), has_devices("plateau")),
        changed("softening", "device", "The softening of a buckling stop is too long.", of_elements("devices", softening=more), has_devices("softening")),
        changed("load_amplitude", "load", "Loads are too large.", lambda p, s: driven(of_leaves(louder))(replace(p, supports=()), s) if not p.supports else _loads_only(louder)(p, s), has_loads),
        changed("load_frequency", "load", "Harmonic loads are too fast.", driven(of_leaves(faster)), has_waves),
        changed("load_phase", "load", "Harmonic loads run ahead.", driven(of_leaves(ahead)), has_waves, rad),
        changed("load_end", "load", "Drives that end or begin inside the run do so too late.", driven(lasting), has_inner_breaks, shift),
        changed("load_offset", "load", "Drives have an offset.", driven(offset), has_drives, "part of the largest value"),
        changed("load_late", "load", "Loads come too late.", late_load, has_loads, shift),
        changed("support_influence", "support", "The influence of the supports is too large.", of_elements("supports", influence=more), has_supports),
        changed("support_acceleration", "support", "The accelerations of the supports are too large.", support_part("acceleration"), has_supports),
        changed("support_velocity", "support", "Elements see too large a velocity of the supports.", support_part("velocity"), absolute_rate),
        changed("support_displacement", "support", "Elements see too large a displacement of the supports.", support_part("displacement"), _sees_displacement),
        changed("initial_displacement", "state", "The initial displacement is too large.", scaled("initial_displacement"), lambda p: bool(np.any(p.initial_displacement))),
        changed("initial_velocity", "state", "The initial velocity is too large.", scaled("initial_velocity"), lambda p: bool(np.any(p.initial_velocity))),
    ]  # fmt: skip


def _loads_only(change: Any) -> Before:
    def before(p: Problem, s: float) -> Problem:
        only = driven(of_leaves(change))(replace(p, supports=()), s)
        return replace(p, loads=only.loads)

    return before


def absolute_rate(p: Problem) -> bool:
    """Tell whether an element sees the velocity of supports."""
    damped = [stop for stop in p.stops if stop.damping]
    return has_supports(p) and any(e.frame == "absolute" for e in (*damped, *p.frictions))


def _sees_displacement(p: Problem) -> bool:
    return has_supports(p) and any(e.frame == "absolute" for e in (*p.stops, *p.devices))


def precision_faults(solver: Any, smallest: float) -> list[Fault]:
    """Return faults of numbers with too few digits in what a host reads; the size is that of single precision."""

    def changed(name: str, what: str, before: Before, touches: Touches = always) -> Fault:
        sizes = Sizes(6e-8, smallest)
        return fault(sizes, name, "precision", what, lambda s: Damaged(solver, before, size=s), touches, RESOLUTION)

    return [
        changed("single_mass", "Masses are kept in single precision.", rounded("mass masses")),
        changed("single_stiffness", "Stiffnesses are kept in single precision.", rounded("stiffness omega"), is_stiff),
        changed("single_start", "Initial values are kept in single precision.", lambda p, s: replace(p, initial_displacement=coarse(p.initial_displacement, s), initial_velocity=coarse(p.initial_velocity, s))),
    ]  # fmt: skip
