"""Seeded faults that any solver can have: a changed problem on the way in, a changed response on the way out.

`problem_faults`, `response_faults` and `state_faults` return records for a host; the modules ``faults_HOST`` add those of
its own method.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numba import njit

from veridyn.solver.problem.scalars import to_float
from veridyn.solver.problem.time_functions import time_function

Problem = Any
Response = dict[str, Any]
Before = Callable[[Problem, float], Problem]
After = Callable[[Problem, Response, float], Response]
Touches = Callable[[Problem], bool]
RELATIVE, RESOLUTION = "relative change", "relative resolution"  # what sizes mean


def always(_: Problem) -> bool:
    """Tell that a fault damages every problem."""
    return True


@dataclass(frozen=True)
class Fault:
    """A fault that can be seeded into a solver.

    ``kind``: contact, friction, device, load, support, modal, event, output, state, precision or method. ``what``: what
    is wrong, in one sentence. ``size``, ``meaning``, ``smallest``: how large, what the number means, where a search for the
    smallest size ends; None and empty for a fault that is there or not. ``make`` returns the solver with a fault of a
    size, ``touches`` tells whether a problem has anything that it damages, ``unseen`` why no check can detect it, if so.
    """

    name: str
    kind: str
    what: str
    size: float | None
    meaning: str
    smallest: float | None
    make: Callable[[float], Any]
    touches: Touches = always
    unseen: str = ""


@dataclass(frozen=True)
class Sizes:
    """How large faults of a host are: relative changes, and the smallest that are tried."""

    size: float
    smallest: float


class Standing:
    """Stands before a solver and states what that one states of itself."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    def __getattr__(self, name: str) -> Any:
        """Return what the solver states of itself."""
        if name == "solver":  # not there yet while an object is restored
            raise AttributeError(name)
        return getattr(self.solver, name)


class Damaged(Standing):
    """A solver whose problems or responses are changed."""

    def __init__(
        self, solver: Any, before: Before | None = None, after: After | None = None, size: float = 0.0
    ) -> None:
        super().__init__(solver)
        self.before, self.after, self.size = before, after, size

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the changed response to the changed problem; raises what the solver raises."""
        given = self.before(problem, self.size) if self.before else problem
        response = self.solver.solve(given, settings)
        return self.after(problem, dict(response), self.size) if self.after else response


class Patched(Standing):
    """A solver that finds other functions in its own module while it solves."""

    def __init__(self, solver: Any, **functions: Any) -> None:
        super().__init__(solver)
        self.functions = functions

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response with the other functions; raises what the solver raises."""
        with patched(importlib.import_module(type(self.solver).__module__), self.functions):
            return dict(self.solver.solve(problem, settings))


def fault(
    sizes: Sizes,
    name: str,
    kind: str,
    what: str,
    make: Callable[[float], Any],
    touches: Touches = always,
    meaning: str = "",
    size: float | None = None,
    smallest: float | None = None,
    unseen: str = "",
) -> Fault:
    """Return a fault of the usual sizes where none are given; without a meaning it is there or not."""
    if not meaning:
        return Fault(name, kind, what, None, "", None, make, touches, unseen)
    return Fault(name, kind, what, size or sizes.size, meaning, smallest or sizes.smallest, make, touches, unseen)


def overridden(host: Any, method: str, change: Callable[..., Any]) -> Callable[[float], Any]:
    """Return what makes a host with one method changed: change(size, solver, kept method, *arguments)."""

    def make(size: float) -> Any:
        kept = getattr(type(host), method)

        def changed(self: Any, *given: Any) -> Any:
            return change(size, self, lambda *arguments: kept(self, *arguments), *given)

        return type("Changed", (type(host),), {method: changed})()

    return make


def result(change: Callable[[Any, float], Any]) -> Callable[..., Any]:
    """Return the change of what a method returns."""
    return lambda size, solver, kept, *given: change(kept(*given), size)


def loads_taken(change: Callable[[Any, float], Any]) -> Callable[..., Any]:
    """Return the change of the instants at which a time-stepping host takes its loads."""
    return lambda size, solver, kept, problem, s, times: kept(problem, s, change(times, size))


def slow(times: Any, s: float) -> Any:
    """Return the instants of a slow clock."""
    return times[0] + (1 - s) * (times - times[0])


def function_changed(host: Any, name: str, change: Callable[..., Any]) -> Callable[[float], Patched]:
    """Return what makes a host with another function in its module: change(size, kept, *arguments)."""

    def make(size: float) -> Patched:
        kept = getattr(importlib.import_module(type(host).__module__), name)
        return Patched(host, **{name: lambda *given: change(size, kept, *given)})

    return make


@contextmanager
def patched(module: Any, functions: Mapping[str, Any]) -> Iterator[None]:
    """Put other functions into a module for a while."""
    kept = {name: getattr(module, name) for name in functions}
    vars(module).update(functions)
    try:
        yield
    finally:
        vars(module).update(kept)


# --- what a problem has --------------------------------------------------------------------------------------------


def has_need(tag: str) -> Touches:
    """Return whether a problem needs a capability."""
    return lambda p: tag in p.needs


def has_elements(*lists: str) -> Touches:
    """Return whether there is anything in one of these fields of a problem."""
    return lambda p: any(getattr(p, name) for name in lists)


has_modes, has_stops, has_frictions = has_elements("modes"), has_elements("stops"), has_elements("frictions")
has_loads, has_supports, has_drives = has_elements("loads"), has_elements("supports"), has_elements("loads", "supports")
has_nonlinear = has_elements("stops", "frictions", "devices")


def has_matrices(p: Problem) -> bool:
    """Tell whether the structure is given by matrices."""
    return p.mass is not None


def has_absolute(p: Problem) -> bool:
    """Tell whether an element sees the motion of supports."""
    return has_supports(p) and any(e.frame == "absolute" for e in (*p.stops, *p.frictions, *p.devices))


def has_gaps(p: Problem) -> bool:
    """Tell whether a stop has a gap other than zero."""
    return any(stop.gap != 0 for stop in p.stops)


def two_sided(p: Problem) -> bool:
    """Tell whether a stop has two planes."""
    return any(stop.geometry == "parallel planes" for stop in p.stops)


def static_above(p: Problem) -> bool:
    """Tell whether static friction is above the kinetic one."""
    return any(f.static > f.kinetic for f in p.frictions)


def has_two_coordinates(p: Problem) -> bool:
    """Tell whether there are several coordinates."""
    return p.initial_displacement.size > 1


def has_devices(*fields: str) -> Touches:
    """Return whether a device has one of these numbers, not zero, or one of these tables, not empty."""
    return lambda p: any(bool(getattr(d, name, 0.0)) for d in p.devices for name in fields)


def has_inner_breaks(p: Problem) -> bool:
    """Tell whether a drive begins or ends inside the run."""
    return any(p.start < at < p.end for function in functions_of(p) for at in breaks_of(function.to_dict()))


def has_waves(p: Problem) -> bool:
    """Tell whether a drive has a harmonic part."""
    return any("omega" in str(function.to_dict()) for function in functions_of(p))


def functions_of(p: Problem) -> list[Any]:
    """Return the functions of time of loads and accelerations of supports."""
    return [*(load.function for load in p.loads), *(support.acceleration for support in p.supports)]


def breaks_of(data: Mapping[str, Any]) -> list[float]:
    """Return the instants (s) at which a function of time has breaks."""
    if data["kind"] == "windowed":
        return [to_float(data["start"]), to_float(data["end"]), *breaks_of(data["function"])]
    if data["kind"] == "sum":
        return [at for one in data["summands"] for at in breaks_of(one)]
    return [to_float(at) for at in data.get("breaks", ())]


# --- changes of a problem -------------------------------------------------------------------------------------------


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
    given = {name: getattr(element, name, None) for name in factors}
    changed = {
        name: times(old, factors[name](s))
        for name, old in given.items()
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
    shapes = np.array(p.modes.shapes)
    shapes[:, 0] *= 1 + s
    return replace(p, modes=replace(p.modes, shapes=shapes))


def last_frequency(p: Problem, s: float) -> Problem:
    """Return a problem whose last mode is too fast."""
    omega = np.array(p.modes.omega)
    omega[-1] *= 1 + s
    return replace(p, modes=replace(p.modes, omega=omega))


def last_mode_mass(p: Problem, s: float) -> Problem:
    """Return a problem whose last mode is too heavy."""
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
        kind: str,
        what: str,
        before: Before,
        touches: Touches = always,
        meaning: str = RELATIVE,
    ) -> Fault:
        return fault(sizes, name, kind, what, lambda s: Damaged(solver, before, size=s), touches, meaning)

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


# --- changes of a response ------------------------------------------------------------------------------------------


def late_motion(names: str) -> After:
    """Return the change of displacement or velocity that stands late, by a part of the span."""

    def after(p: Problem, r: Response, s: float) -> Response:
        t = r["time"]
        return {**r, **{name: at_times(t, r[name], t - s * (p.end - p.start)) for name in names.split()}}

    return after


def at_times(t: Any, columns: Any, wanted: Any) -> Any:
    """Return columns (m, n) at other instants, along straight lines."""
    return np.column_stack([np.interp(wanted, t, column) for column in columns.T])


def sample_late(names: str) -> After:
    """Return the change of what stands one sample late."""
    return lambda _, r, s: {**r, **{n: np.concatenate((r[n][:1], r[n][:-1])) for n in names.split()}}


def half_sample_late(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose velocity is that of half a sample before."""
    v = r["velocity"]
    return {**r, "velocity": 0.5 * (v + np.concatenate((v[:1], v[:-1])))}


def every_second(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose displacement lies on straight lines between every second sample."""
    t, kept = r["time"], np.append(np.arange(0, r["time"].size - 1, 2), r["time"].size - 1)
    return {**r, "displacement": at_times(t[kept], r["displacement"][kept], t)}


def of_motion(**change: Callable[[Any, float], Any]) -> After:
    """Return the change of displacement or velocity."""
    return lambda _, r, s: {**r, **{name: new(r[name], s) for name, new in change.items()}}


def of_histories(names: str, change: Callable[[Any, float], Any]) -> After:
    """Return the change of histories of all elements that have them."""

    def after(_: Problem, r: Response, s: float) -> Response:
        wanted = names.split()
        return {
            **r,
            "elements": {
                e: {h: change(np.asarray(x), s) if h in wanted else x for h, x in own.items()}
                for e, own in r["elements"].items()
            },
        }

    return after


def grown(x: Any, s: float) -> Any:
    """Return what is too large."""
    return (1 + s) * x


def coarse_steps(x: Any, s: float) -> Any:
    """Return multiples of a part of the largest value."""
    tick = s * max(float(np.abs(x).max()), 1e-300)
    return tick * np.round(x / tick)


def one_late(x: Any, _: float) -> Any:
    """Return a history one sample late."""
    return np.concatenate((x[:1], x[:-1]))


def one_early(x: Any, _: float) -> Any:
    """Return a history one sample early."""
    return np.concatenate((x[1:], x[-1:]))


def noisy(x: Any, s: float) -> Any:
    """Return values with noise that differs from call to call."""
    return x + s * float(np.abs(x).max()) * np.random.default_rng().standard_normal(x.shape)


def worn_by_output(_: Problem, r: Response, s: float) -> Response:
    """Return a motion that loses a part of its amplitude at every thousandth of 1000 outputs."""
    factor = 1 - s * np.arange(r["time"].size)[:, None] / 1000
    return {**r, "displacement": factor * r["displacement"]}


def end_held(_: Problem, r: Response, s: float) -> Response:
    """Return a response whose last sample repeats the one before."""
    return {**r, "displacement": np.concatenate((r["displacement"][:-1], r["displacement"][-2:-1]))}


def swapped(_: Problem, r: Response, s: float) -> Response:
    """Return a response with the columns of the velocity in reverse order."""
    return {**r, "velocity": r["velocity"][:, ::-1]}


def biased(x: Any, s: float) -> Any:
    """Return displacements that are too large on one side."""
    return x + s * np.abs(x)


def response_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return faults in how a host writes its answer."""

    def changed(
        name: str,
        what: str,
        after: After,
        touches: Touches = always,
        meaning: str = RELATIVE,
        kind: str = "output",
        size: float | None = None,
    ) -> Fault:
        return fault(sizes, name, kind, what, lambda s: Damaged(solver, after=after, size=s), touches, meaning, size)

    shift = "part of the time span"
    of_law = max(sizes.size, 1e-5)  # laws of reported forces are held to six printed digits
    return [
        changed("displacement_size", "Displacements are written too large.", of_motion(displacement=grown)),
        changed("velocity_size", "Velocities are written too large.", of_motion(velocity=grown)),
        changed("displacement_late", "Displacements are written under too late an instant.", late_motion("displacement"), meaning=shift),
        changed("velocity_late", "Velocities are written under too late an instant.", late_motion("velocity"), meaning=shift),
        changed("motion_late", "Displacements and velocities are written under too late an instant.", late_motion("displacement velocity"), meaning=shift),
        changed("displacement_sample_late", "Displacements are those of the sample before.", sample_late("displacement"), meaning=""),
        changed("velocity_sample_late", "Velocities are those of the sample before.", sample_late("velocity"), meaning=""),
        changed("velocity_half_sample_late", "Velocities are those of half a sample before.", half_sample_late, meaning=""),
        changed("output_interpolated", "Displacements lie on straight lines between every second sample.", every_second, meaning=""),
        changed("output_single", "Displacements are written in single precision.", of_motion(displacement=coarse), meaning=RESOLUTION, kind="precision", size=6e-8),
        changed("output_ticks", "Displacements are multiples of a part of their largest value.", of_motion(displacement=coarse_steps), meaning="part of the largest value", kind="precision"),
        changed("output_noise", "Displacements carry noise that differs from run to run.", of_motion(displacement=noisy), meaning="part of the largest value"),
        changed("one_side_larger", "Displacements to one side are written too large.", of_motion(displacement=biased)),
        changed("end_held", "The last sample repeats the displacement of the one before.", end_held, meaning=""),
        changed("columns_swapped", "Velocities stand in reverse order of the coordinates.", swapped, has_two_coordinates, meaning=""),
        changed("push_size", "Pushes of stops are written too large.", of_histories("normal_force", grown), has_stops),
        changed("gap_size", "Gaps are written too large.", of_histories("gap", grown), has_stops),
        changed("gap_rate_size", "Rates of gaps are written too large.", of_histories("normal_velocity", grown), has_stops),
        changed("friction_force_size", "Forces of friction are written too large.", of_histories("force", grown), has_frictions, size=of_law),
        changed("sliding_velocity_size", "Sliding velocities are written too large.", of_histories("sliding_velocity", grown), has_frictions),
        changed("stick_sample_late", "Stick is written one sample late.", of_histories("stuck", one_late), has_frictions, meaning=""),
        changed("device_force_size", "Forces of devices are written too large.", of_histories("force", grown), has_elements("devices")),
        changed("elongation_size", "Elongations of devices are written too large.", of_histories("elongation", grown), has_elements("devices")),
        changed("dashpot_force_size", "Forces of dashpots are written too large.", of_histories("dashpot_force", grown), has_devices("k1"), size=of_law),
        changed("push_sample_late", "Pushes of stops are those of the sample before.", of_histories("normal_force", one_late), has_stops, meaning=""),
        changed("outputs_cost_motion", "Every output takes a part of the displacement away.", worn_by_output, meaning="loss in 1000 outputs", kind="state"),
    ]  # fmt: skip


# --- what is left from other solves ---------------------------------------------------------------------------------


class Stale(Standing):
    """A solver that keeps a part of the state that an earlier solve ended with."""

    def __init__(self, solver: Any, size: float, keep: str) -> None:
        super().__init__(solver)
        self.size, self.keep = size, keep
        self.last: dict[int, Any] = {}

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response from an initial state that is not quite that of the problem."""
        field = f"initial_{self.keep}"
        start = getattr(problem, field)
        left = self.last.get(start.size, np.zeros(start.size))
        response = dict(self.solver.solve(replace(problem, **{field: start + self.size * left}), settings))
        self.last[start.size] = np.array(response[self.keep][-1])
        return response


class Cached(Standing):
    """A solver that keeps the response to a problem by its name and settings."""

    def __init__(self, solver: Any) -> None:
        super().__init__(solver)
        self.known: dict[str, Response] = {}

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response to the problem that had the name, span and settings first."""
        key = f"{problem.name} {problem.start} {problem.end} {sorted(settings.items())} {problem.output_times is None}"
        if key not in self.known:
            self.known[key] = dict(self.solver.solve(problem, settings))
        return self.known[key]


class Counting(Standing):
    """A solver whose every further solve has a little more of something: a counter that is never set back."""

    def __init__(self, solver: Any, size: float) -> None:
        super().__init__(solver)
        self.size, self.calls = size, count()

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> Response:
        """Return the response of a structure that gets stiffer from solve to solve."""
        return dict(self.solver.solve(stiffness(problem, self.size * next(self.calls)), settings))


def state_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return faults of what a host keeps from one solve to the next."""

    def kept(name: str, what: str, make: Any, meaning: str, touches: Touches = always) -> Fault:
        return fault(sizes, name, "state", what, make, touches, meaning)

    left = "part of the last state"
    return [
        kept("displacement_left", "A part of the last displacement of an earlier solve is left.", lambda s: Stale(solver, s, "displacement"), left),
        kept("velocity_left", "A part of the last velocity of an earlier solve is left.", lambda s: Stale(solver, s, "velocity"), left),
        kept("answer_cached", "The answer is kept by name and settings of a problem.", lambda _: Cached(solver), ""),
        kept("stiffness_accumulates", "The structure gets stiffer from solve to solve.", lambda s: Counting(solver, s), "relative change a solve", is_stiff),
    ]  # fmt: skip


# --- laws that both time-stepping hosts have -------------------------------------------------------------------------


def lawful(with_law: Any, host: Any, **make: Callable[[float], Any]) -> Callable[[float], Any]:
    """Return what makes a host with other laws, each made for a size."""
    return lambda size: with_law(host, **{name: law(size) for name, law in make.items()})


def touched_early(size: float) -> Any:
    """Return the distance to a stop that is too small by an absolute length (m)."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return (width - abs(y) if two_sided else width - y) - size

    return law


def touched_by_single(_: float) -> Any:
    """Return the distance to a stop as a number of single precision."""

    @njit
    def law(y: float, width: float, two_sided: bool) -> float:
        return np.float64(np.float32(width - abs(y) if two_sided else width - y))

    return law


def slip_one_sided(size: float) -> Any:
    """Return the force of slip, too large against the tangent."""

    @njit
    def law(direction: float, normal: float, kinetic: float) -> float:
        return -direction * kinetic * normal * (1.0 + size if direction < 0.0 else 1.0)

    return law


def dashpot_power(size: float) -> Any:
    """Return the rate of a dashpot with another exponent."""

    @njit
    def law(force: float, damping: float, power: float) -> float:
        return math.copysign(abs(force / damping) ** (power * (1.0 + size)), force)

    return law


@njit
def one_plane(y: float, size: float, _: bool) -> float:
    """Distance to the upper plane alone."""
    return size - y


@njit
def upward(y: float, _: bool) -> float:
    """Direction of the outward normal of the upper plane."""
    return 1.0


def common_faults(solver: Any, sizes: Sizes) -> list[Fault]:
    """Return all faults of this module for a host."""
    return [
        *problem_faults(solver, sizes),
        *precision_faults(solver, min(sizes.smallest, 1e-9)),
        *response_faults(solver, sizes),
        *state_faults(solver, sizes),
    ]
