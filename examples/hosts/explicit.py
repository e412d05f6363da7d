"""Central differences in leapfrog form for structures with stops, dry friction and devices.

    (M + h C/2) w1 = (M - h C/2) w0 + h (F - K u - devices + stops + friction)
    v = (w0 + w1)/2,    u1 = u + h w1

with a constant step h; w0 and w1 are the velocities half a step before and after the instant of u and F, and v is what
is reported there. The start is w0 = v0 - h a0/2, with the acceleration a0 from the equation of motion. Without damping
that is the velocity-Verlet method. The mass is full, or lumped by the sums of its rows. A load that jumps counts by its
mean under the hat from instant to instant.

Stops and frictions act by impulses, found one after the other until none changes: a stop pushes by its penetration and
by the rate v, which holds its own push; a friction takes what is needed to stop the sliding velocity w1, within its
cone. Several frictions are held without a limit first: none slips because others have not taken their share yet.

The loop over steps is compiled by Numba. The laws are small functions, handed to the loop as a record, so that a
subclass or `dataclasses.replace` can put another one in place of each.

T. Belytschko and T. J. R. Hughes, Computational Methods for Transient Analysis, 1983; J. J. Moreau, Computer Methods in
Applied Mechanics and Engineering 177, 1999 (impulses of friction).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numba import njit
from scipy.linalg import eigh

Problem = Any  # the record of a mechanical problem, see docs/plugging-in-a-solver.md
Law = Callable[..., Any]
F = TypeVar("F", bound=Law)
Floats = np.ndarray[Any, np.dtype[Any]]

jit: Any = njit
compiled: Callable[[F], F] = jit
part: Callable[[F], F] = jit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
SPRING, ZENER = 0, 1  # kinds of devices
STICK = 0.0  # status of a friction; +1 and -1: it slips along or against its tangent
UNLIMITED = 1e300  # coefficient of friction
STABILITY = 2.0  # largest omega h
MOST_STEPS = 200_000  # by default
FINER = 4  # a step that is asked for may be so much shorter than the shortest by default
ENOUGH = 150_000  # steps beyond this are not taken for the sake of forces that jump, or of a dense output


# --- laws: one number in, one number out ---------------------------------------------------------------------------


@compiled
def gap(y: float, size: float, two_sided: bool) -> float:
    """Distance (m) to a plane at ``size``, or to the nearer of two at ``-size`` and ``size``."""
    return size - abs(y) if two_sided else size - y


@compiled
def side(y: float, two_sided: bool) -> float:
    """Direction of the outward normal: -1 at the lower of two planes."""
    return -1.0 if two_sided and y < 0.0 else 1.0


@compiled
def contact_force(distance: float, rate: float, stiffness: float, damping: float, mobility: float) -> float:
    """Push of a stop (N), never negative.

    ``rate`` (m/s) is that of the distance without the push, ``mobility`` (m/s/N) what the push adds to it.
    """
    if distance > 0.0:
        return 0.0
    return max(0.0, (-stiffness * distance - damping * rate) / (1.0 + damping * mobility))


@compiled
def slip_force(direction: float, normal: float, kinetic: float) -> float:
    """Force on the structure along the tangent (N) while it slips in a direction."""
    return -direction * kinetic * normal


@compiled
def friction_force(
    status: float, velocity: float, normal: float, static: float, kinetic: float, mobility: float, slip: Any
) -> tuple[float, float]:
    """Return the force of a friction over a step (N) and its new status.

    ``velocity`` (m/s) is what the step would end with without friction, ``mobility`` (m/s/N) what a force adds to it.
    """
    needed = -velocity / mobility
    if status != STICK:
        force = slip(status, normal, kinetic)
        if status * (velocity + force * mobility) > 0.0:
            return force, status
    if abs(needed) <= static * normal:
        return needed, STICK
    direction = -math.copysign(1.0, needed)
    return slip(direction, normal, kinetic), direction


@compiled
def spring_force(u: float, breaks: Floats, coefficients: Floats) -> float:
    """Force (N) of a spring whose force is a polynomial between breaks (m)."""
    i = 0
    while i < breaks.size and u >= breaks[i]:
        i += 1
    tau, value = u - breaks[max(i - 1, 0)], 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        value = value * tau + coefficients[i, k]
    return value


@compiled
def dashpot_rate(force: float, damping: float, power: float) -> float:
    """Rate (m/s) of a dashpot under a force (N)."""
    return math.copysign(abs(force / damping) ** power, force)


@compiled
def dashpot_slope(force: float, damping: float, power: float) -> float:
    """Return the derivative of `dashpot_rate` (m/(s N))."""
    return power / damping if power == 1.0 else power / damping * abs(force / damping) ** (power - 1.0)


# --- what the loop over steps is handed ----------------------------------------------------------------------------


class Laws(NamedTuple):
    """The functions above."""

    gap: Any
    side: Any
    contact_force: Any
    slip_force: Any
    friction_force: Any
    spring_force: Any
    dashpot_rate: Any
    dashpot_slope: Any


class Model(NamedTuple):
    """Matrices (n, n), of which ``inverse`` is that of M + h C/2 and ``before`` is M - h C/2; one row an element.

    ``force`` (steps + 1, n) at the instants. Elements are stops, then frictions, then devices, with directions
    (elements, n), what a unit force on them does to the velocity in a step (``kicks``, ``mobility`` along the element),
    and the drift that supports and offsets add to their coordinate (steps + 1, elements) in m, to its rate, and to its
    rate half a step later. ``stops``: gap, two-sided, stiffness, damping; ``frictions``: number of the stop that
    presses or -1, normal force, static, kinetic; ``devices``: kind, k1, k2, k3, damping, 1/alpha.
    """

    inverse: Floats
    before: Floats
    stiffness: Floats
    force: Floats
    directions: Floats
    kicks: Floats
    mobility: Floats
    drift: Floats
    drift_rate: Floats
    next_rate: Floats
    stops: Floats
    frictions: Floats
    devices: Floats
    breaks: Floats
    coefficients: Floats


class State(NamedTuple):
    """Displacement (n,), velocities half a step before and after, and what belongs to elements; written over.

    ``local`` (elements,): force of a stop or friction (N), path of a dashpot (m); ``status`` (elements,): of frictions.
    """

    u: Floats
    w0: Floats
    w1: Floats
    local: Floats
    status: Floats


class History(NamedTuple):
    """Rows of all instants."""

    u: Floats
    v: Floats
    local: Floats
    status: Floats


# --- one step ------------------------------------------------------------------------------------------------------


@part
def along(directions: Floats, e: int, vector: Floats) -> float:
    """Component of a vector along the direction of an element."""
    total = 0.0
    for i in range(vector.size):
        total += directions[e, i] * vector[i]
    return total


@part
def add_row(rows: Floats, e: int, size: float, out: Floats) -> None:
    """Add a multiple of a row."""
    for i in range(out.size):
        out[i] += size * rows[e, i]


@part
def device_force(laws: Any, model: Any, d: int, u: float, path: float) -> float:
    """Force of a device (N) at an elongation and a path of its dashpot (m)."""
    numbers = model.devices
    if numbers[d, 0] == SPRING:
        return float(laws.spring_force(u, model.breaks[d], model.coefficients[d]))
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    return float(k1 * ((k2 + k3) * u - k3 * path) / (k1 + k2 + k3))


@part
def dashpot_force(numbers: Floats, d: int, u: float, path: float) -> float:
    """Force (N) of the dashpot of a Zener device at an elongation and a path (m)."""
    k1, k2, k3 = numbers[d, 1], numbers[d, 2], numbers[d, 3]
    return float(k3 * (k1 * u - (k1 + k2) * path) / (k1 + k2 + k3))


@part
def relaxed_path(laws: Any, numbers: Floats, d: int, before: float, start: float, u: float, h: float) -> float:
    """Path of a dashpot after a step from an elongation to u, by the trapezoidal rule."""
    k1, k2, k3, damping, power = (numbers[d, 1], numbers[d, 2], numbers[d, 3], numbers[d, 4], numbers[d, 5])
    rate = laws.dashpot_rate(dashpot_force(numbers, d, start, before), damping, power)
    yielding, path = k3 * (k1 + k2) / (k1 + k2 + k3), before
    for _ in range(60):
        force = dashpot_force(numbers, d, u, path)
        error = path - before - 0.5 * h * (rate + laws.dashpot_rate(force, damping, power))
        change = error / (1.0 + 0.5 * h * laws.dashpot_slope(force, damping, power) * yielding)
        path -= change
        if abs(change) <= 1e-15 * abs(path):
            break
    return path


@part
def kick(laws: Any, model: Any, k: int, now: Any, h: float, work: Floats) -> None:
    """Set the velocity after instant k as it is without stops and frictions."""
    n, first = now.u.size, model.stops.shape[0] + model.frictions.shape[0]
    for i in range(n):
        work[i] = h * model.force[k, i]
        for j in range(n):
            work[i] += model.before[i, j] * now.w0[j] - h * model.stiffness[i, j] * now.u[j]
    for d in range(model.devices.shape[0]):
        u = along(model.directions, first + d, now.u) + model.drift[k, first + d]
        add_row(model.directions, first + d, -h * device_force(laws, model, d, u, now.local[first + d]), work)
    for i in range(n):
        now.w1[i] = 0.0
        for j in range(n):
            now.w1[i] += model.inverse[i, j] * work[j]


@part
def push(laws: Any, model: Any, s: int, k: int, now: Any) -> float:
    """Let a stop push; returns by how much its force changed (N)."""
    both = model.stops[s, 1] != 0.0
    y = along(model.directions, s, now.u) + model.drift[k, s]
    out = laws.side(y, both)
    add_row(model.kicks, s, out * now.local[s], now.w1)
    mean = 0.5 * (along(model.directions, s, now.w0) + along(model.directions, s, now.w1))
    rate = -out * (mean + model.drift_rate[k, s])
    distance = laws.gap(y, model.stops[s, 0], both)
    force = laws.contact_force(distance, rate, model.stops[s, 2], model.stops[s, 3], 0.5 * model.mobility[s])
    change = force - now.local[s]
    now.local[s] = force
    add_row(model.kicks, s, -out * force, now.w1)
    return float(abs(change))


@part
def rub(laws: Any, model: Any, f: int, k: int, now: Any, status: Floats, most: float) -> float:
    """Let a friction act that had a status before the step; returns by how much its force changed (N).

    ``most`` is the least that the static coefficient may be: stick is tried without a limit first.
    """
    e, s = model.stops.shape[0] + f, int(model.frictions[f, 0])
    add_row(model.kicks, e, -now.local[e], now.w1)
    velocity = along(model.directions, e, now.w1) + model.next_rate[k, e]
    normal = model.frictions[f, 1] if s < 0 else now.local[s]
    static, kinetic = max(most, model.frictions[f, 2]), model.frictions[f, 3]
    force, now.status[e] = laws.friction_force(
        status[e], velocity, normal, static, kinetic, model.mobility[e], laws.slip_force
    )
    change = force - now.local[e]
    now.local[e] = force
    add_row(model.kicks, e, force, now.w1)
    return float(abs(change))


@part
def forget(model: Any, now: Any, status: Floats) -> None:
    """Begin a step without forces of stops and frictions, from the status that frictions have."""
    for e in range(model.stops.shape[0] + model.frictions.shape[0]):
        now.local[e] = 0.0
        status[e] = now.status[e]


@part
def settled(
    laws: Any, model: Any, k: int, now: Any, sweeps: int, tolerance: float, status: Floats, most: float
) -> bool:
    """Let stops and frictions act one after the other until none changes; tells whether they settled."""
    count = model.stops.shape[0] + model.frictions.shape[0]
    for _ in range(sweeps):
        change, largest = 0.0, 0.0
        for s in range(model.stops.shape[0]):
            change = max(change, push(laws, model, s, k, now))
        for f in range(model.frictions.shape[0]):
            change = max(change, rub(laws, model, f, k, now, status, most))
        for e in range(count):
            largest = max(largest, abs(now.local[e]))
        if count <= 1 or change <= tolerance * largest:
            return True
    return False


@part
def impulses(laws: Any, model: Any, k: int, now: Any, sweeps: int, tolerance: float, status: Floats) -> bool:
    """Add the impulses of stops and frictions to the velocity after instant k; tells whether they settled.

    Frictions that hold each other share a load: what sticks is held without a limit until the shares are known.
    """
    forget(model, now, status)
    if model.frictions.shape[0] > 1 and not settled(laws, model, k, now, sweeps, tolerance, status, UNLIMITED):
        return False
    return settled(laws, model, k, now, sweeps, tolerance, status, 0.0)


@part
def drift_on(laws: Any, model: Any, k: int, now: Any, h: float) -> None:
    """Move displacements, and paths of dashpots, from instant k to the next one."""
    first = model.stops.shape[0] + model.frictions.shape[0]
    for d in range(model.devices.shape[0]):
        if model.devices[d, 0] == ZENER and k + 1 < model.drift.shape[0]:
            e = first + d
            start = along(model.directions, e, now.u) + model.drift[k, e]
            end = start + h * along(model.directions, e, now.w1) + model.drift[k + 1, e] - model.drift[k, e]
            now.local[e] = relaxed_path(laws, model.devices, d, now.local[e], start, end, h)
    for i in range(now.u.size):
        now.u[i] += h * now.w1[i]
        now.w0[i] = now.w1[i]


@part
def keep(history: Any, k: int, now: Any) -> None:
    """Write the state into row k, with the mean of the velocities before and after."""
    for i in range(now.u.size):
        history.u[k, i] = now.u[i]
        history.v[k, i] = 0.5 * (now.w0[i] + now.w1[i])
    for e in range(now.local.size):
        history.local[k, e] = now.local[e]
        history.status[k, e] = now.status[e]


@compiled
def march(laws: Any, model: Any, now: Any, h: float, sweeps: int, tolerance: float, history: Any) -> int:
    """Go through all instants; returns the number of those that settled."""
    work, status = np.zeros(now.u.size), np.zeros(now.status.size)
    for k in range(model.force.shape[0]):
        kick(laws, model, k, now, h, work)
        if not impulses(laws, model, k, now, sweeps, tolerance, status):
            return k
        keep(history, k, now)
        drift_on(laws, model, k, now, h)
    return int(model.force.shape[0])


# --- reading a problem ---------------------------------------------------------------------------------------------


class Structure(NamedTuple):
    """Matrices (r, r) of the unknowns, shapes (n, r) that make displacements of them, and their start (r,)."""

    mass: Floats
    damping: Floats
    stiffness: Floats
    shapes: Floats
    displacement: Floats
    velocity: Floats


def structure(problem: Problem, lumped: bool) -> Structure:
    """Return the structure in its own coordinates, or in those of the modal basis that it brings."""
    x, v = (np.asarray(problem.initial_displacement, float), np.asarray(problem.initial_velocity, float))
    modes = problem.modes
    if modes is None:
        mass, damping, stiffness = (np.array(m, float) for m in (problem.mass, problem.damping, problem.stiffness))
        mass = np.diag(mass.sum(axis=1)) if lumped else mass
        return Structure(mass, damping, stiffness, np.eye(x.size), x, v)
    back, masses = np.linalg.pinv(modes.shapes), np.asarray(modes.masses)
    damping = np.diag(2 * modes.damping * modes.omega * masses)
    if getattr(modes, "coupling", None) is not None:
        damping = damping + modes.coupling
    stiffness = np.diag(masses * modes.omega**2)
    return Structure(np.diag(masses), damping, stiffness, np.array(modes.shapes), back @ x, back @ v)


def highest_frequency(problem: Problem, s: Structure, *, stops: bool) -> float:
    """Return the highest circular frequency (rad/s), with devices, and with all stops closed if asked for."""
    stiffness = s.stiffness.copy()
    for device in problem.devices:
        direction = direction_of(device) @ s.shapes
        stiffness += device_stiffness(device) * np.outer(direction, direction)
    for stop in problem.stops if stops else ():
        normal = direction_of(stop) @ s.shapes
        stiffness += stop.stiffness * np.outer(normal, normal)
    return math.sqrt(max(0.0, float(eigh(stiffness, s.mass, eigvals_only=True)[-1])))


def has_jumps(problem: Problem) -> bool:
    """Tell whether forces jump: those of frictions at reversals, those of damped stops when touched."""
    return bool(problem.frictions) or any(stop.damping for stop in problem.stops)


def device_stiffness(device: Any) -> float:
    """Return about the largest stiffness (N/m) that a device shows."""
    if device.type == "zener":
        return float(device.k1 * (device.k2 + device.k3) / (device.k1 + device.k2 + device.k3))
    return max([0.0, *(float(row[1]) for row in getattr(device, "coefficients", ()) if len(row) > 1)])


def direction_of(element: Any) -> Floats:
    """Return the direction (n,) of the coordinate that an element sees: normal, tangent or direction."""
    if hasattr(element, "tangents"):
        return np.asarray(element.tangents[0], dtype=float)
    return np.asarray(element.normal if hasattr(element, "geometry") else element.direction, dtype=float)


def drift(problem: Problem, times: Floats, motion: str) -> Floats:
    """Return what the motion of supports adds to coordinates of elements (m, elements)."""
    elements = elements_of(problem)
    out = np.zeros((times.size, len(elements)))
    for i, element in enumerate(elements):
        for support in problem.supports if element.frame == "absolute" else ():
            factor = float(direction_of(element) @ np.asarray(support.influence))
            if factor:
                out[:, i] += factor * getattr(support, motion)(times)
    return out


def elements_of(problem: Problem) -> list[Any]:
    """Return stops, frictions and devices."""
    return [*problem.stops, *problem.frictions, *problem.devices]


def number(value: float | str) -> float:
    """Return a number of a time function: a float, or exact text such as ``3/4`` or ``1/4*pi``."""
    if not isinstance(value, str):
        return float(value)
    factor, pi, _ = value.partition("pi")
    exact = float(Fraction(factor.strip(" *") or 1))
    return exact * math.pi if pi else exact


def break_instants(form: Mapping[str, Any]) -> list[float]:
    """Return the instants (s) at which a time function in its JSON form may jump."""
    if form["kind"] == "sum":
        return [instant for summand in form["summands"] for instant in break_instants(summand)]
    if form["kind"] == "windowed":
        return [number(form["start"]), number(form["end"]), *break_instants(form["function"])]
    return [number(instant) for instant in form.get("breaks", ())]


def jumps(function: Any, times: Floats) -> list[tuple[float, float]]:
    """Return instants (s) within a span at which a function of time jumps, and by how much."""
    near = 1e-9 * (times[-1] - times[0])
    instants = break_instants(function.to_dict()) if hasattr(function, "to_dict") else []
    inside = sorted({instant for instant in instants if times[0] < instant < times[-1]})
    sizes = [(instant, float(function(instant + near)), float(function(instant - near))) for instant in inside]
    return [
        (at, after - before) for at, after, before in sizes if abs(after - before) > 1e-6 * (abs(after) + abs(before))
    ]


def spring_tables(devices: Any) -> tuple[Floats, Floats]:
    """Return breaks (d, b) and coefficients (d, b + 1, k) of all devices, filled up with infinity and zeros."""
    tables = [d.coefficients if d.type == "nonlinear-spring" else ((0.0,), (0.0,)) for d in devices]
    width = max((len(row) for table in tables for row in table), default=1)
    length = max((len(table) for table in tables), default=2)
    breaks = np.full((len(devices), length - 1), np.inf)
    coefficients = np.zeros((len(devices), length, width))
    for d, (device, table) in enumerate(zip(devices, tables, strict=True)):
        breaks[d, : len(table) - 1] = device.breaks if device.type == "nonlinear-spring" else 0.0
        for i, row in enumerate(table):
            coefficients[d, i, : len(row)] = row
    return breaks, coefficients


def stop_table(stops: Any) -> Floats:
    """Return the numbers of stops (s, 4), see `Model`."""
    numbers = [(s.gap, s.geometry == "parallel planes", s.stiffness, s.damping) for s in stops]
    return np.array(numbers, dtype=float).reshape(len(stops), 4)


def friction_table(frictions: Any, stops: Any) -> Floats:
    """Return the numbers of frictions (f, 4), see `Model`."""
    number = {stop.name: i for i, stop in enumerate(stops)}
    pressed = [(number[f.normal], 0.0) if isinstance(f.normal, str) else (-1, f.normal) for f in frictions]
    numbers = [(*p, f.static, f.kinetic) for p, f in zip(pressed, frictions, strict=True)]
    return np.array(numbers, dtype=float).reshape(len(frictions), 4)


def device_table(devices: Any) -> Floats:
    """Return the numbers of devices (d, 6), see `Model`."""
    numbers = [
        (ZENER, d.k1, d.k2, d.k3, d.damping, 1 / d.alpha) if d.type == "zener" else (SPRING, *[1.0] * 5)
        for d in devices
    ]
    return np.array(numbers, dtype=float).reshape(len(devices), 6)


# --- the solver ----------------------------------------------------------------------------------------------------

CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "contact", "contact:parallel-planes", "contact:damped", "friction:set-valued", "friction:on-stop",
    "device:nonlinear-spring", "device:zener", "absolute-frame",
})  # fmt: skip
LAWS = Laws(
    gap, side, contact_force, slip_force, friction_force,
    spring_force, dashpot_rate, dashpot_slope,
)  # fmt: skip


@dataclass(frozen=True)
class Explicit:
    """The method with its numbers and laws.

    ``drift`` is the phase error (rad) that the structure may gather over the span at the finest level, ``per_period``
    and ``per_output`` the steps in the shortest period with all stops closed and in the mean spacing of the output.
    ``per_jump`` are those in that period where forces jump at events inside of steps, which costs an order.
    """

    lumped: bool = False
    sweeps: int = 200
    sweep_tolerance: float = 1e-14
    drift: float = 5e-4
    per_period: float = 320.0
    per_output: float = 4.0
    per_jump: float = 10000.0
    levels: int = 4
    laws: Laws = field(default=LAWS, repr=False)
    name: ClassVar[str] = "explicit"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = CAPABILITIES
    settings: ClassVar[Mapping[str, str]] = {"step": "step (s); default that of the finest level"}
    claims: ClassVar[Mapping[str, Any]] = {
        "order": 2,
        "method": "central-difference",
        "lag": 0,
        "numerical_damping": 0,
        "stability": STABILITY,
    }

    # --- how many steps

    def coarsest(self, problem: Problem) -> int:
        """Return the number of steps of the coarsest level: a multiple of twelve, so that it has many divisors."""
        span, outputs, s = float(problem.end - problem.start), problem.output_times, structure(problem, self.lumped)
        slow, fast = (span * highest_frequency(problem, s, stops=stops) for stops in (False, True))
        output = 1000 if outputs is None else len(outputs) * span / (outputs[-1] - outputs[0])
        periods = fast / (2 * math.pi)
        finest: float = max(
            slow**1.5 / math.sqrt(24 * self.drift),
            periods * self.per_period,
            min(output * self.per_output, max(ENOUGH, output)),
            min(periods * self.per_jump, ENOUGH) if has_jumps(problem) else 0.0,
        )
        coarsest: int = math.ceil(finest / 2 ** (self.levels - 1) / 12 - 1e-6)
        return 12 * coarsest

    def refinement(self, problem: Problem) -> list[dict[str, float]]:
        """Return steps from coarse to fine, each half of the one before."""
        count = self.coarsest(problem)
        return [{"step": (problem.end - problem.start) / (count * 2**i)} for i in range(self.levels)]

    def defaults(self, problem: Problem) -> dict[str, float]:
        """Return the settings of the finest level."""
        return self.refinement(problem)[-1]

    def steps(self, problem: Problem, settings: Mapping[str, Any]) -> int:
        """Return the number of steps, the largest step being that of the settings.

        Raises
        ------
        ValueError
            If the step is not positive, or too long to be stable.
        NotImplementedError
            If there are too many.
        """
        chosen = float(settings.get("step") or self.defaults(problem)["step"])
        span = float(problem.end - problem.start)
        fastest = highest_frequency(problem, structure(problem, self.lumped), stops=True)
        if not 0 < chosen * fastest <= STABILITY and not (fastest == 0 < chosen):
            raise ValueError(f"step = {chosen} s must be positive and not above {STABILITY}/{fastest:.6g} rad/s")
        count = max(1, math.ceil(span / chosen * (1 - 1e-9)))
        needed = self.coarsest(problem) * 2 ** (self.levels - 1)
        for steps, most in ((needed, MOST_STEPS), (count, FINER * MOST_STEPS)):
            if steps > most:
                raise NotImplementedError(f"{steps} steps are needed, at most {most} are taken")
        return count

    # --- forces in time

    def value(self, function: Any, times: Floats) -> Floats:
        """Return a function of time at instants (m,); a jump as its mean under the hat from instant to instant.

        That keeps the impulse of the jump, and its moment; at an instant it is the mean of both sides.
        """
        out = np.array(function(times), dtype=float)
        h = (times[-1] - times[0]) / (times.size - 1)
        for at, size in jumps(function, times):
            away = np.clip((times - at) / h, -1.0, 1.0)
            share = np.where(away < 0, 0.5 * (1 + away) ** 2, 1 - 0.5 * (1 - away) ** 2)
            out += size * (share - (times >= at))
        return out

    def loads(self, problem: Problem, s: Structure, times: Floats) -> Floats:
        """Return the forces of loads and supports (m, r) on the unknowns."""
        back = np.linalg.pinv(s.shapes)
        pairs = [(load.function, np.asarray(load.direction) @ s.shapes) for load in problem.loads]
        pairs += [(u.acceleration, -s.mass @ (back @ np.asarray(u.influence))) for u in problem.supports]
        out = np.zeros((times.size, s.shapes.shape[1]))
        for function, direction in pairs:
            out += np.multiply.outer(self.value(function, times), direction)
        return out

    # --- one solve

    def model(self, problem: Problem, s: Structure, times: Floats, h: float) -> Model:
        """Return what the loop needs to know of a problem."""
        elements = elements_of(problem)
        directions = np.array([direction_of(e) @ s.shapes for e in elements]).reshape(len(elements), s.mass.shape[0])
        inverse = np.linalg.inv(s.mass + 0.5 * h * s.damping)
        kicks = h * directions @ inverse
        breaks, coefficients = spring_tables(problem.devices)
        return Model(
            inverse=inverse,
            before=s.mass - 0.5 * h * s.damping,
            stiffness=s.stiffness,
            force=self.loads(problem, s, times),
            directions=directions,
            kicks=kicks,
            mobility=np.sum(kicks * directions, axis=1),
            drift=drift(problem, times, "displacement")
            + np.array([getattr(element, "offset", 0.0) for element in elements], dtype=float),
            drift_rate=drift(problem, times, "velocity"),
            next_rate=drift(problem, times + 0.5 * h, "velocity"),
            stops=stop_table(problem.stops),
            frictions=friction_table(problem.frictions, problem.stops),
            devices=device_table(problem.devices),
            breaks=breaks,
            coefficients=coefficients,
        )

    def initial_acceleration(self, problem: Problem, s: Structure, model: Model, state: State, h: float) -> Floats:
        """Return the acceleration (r,) at the start; sets forces and status of stops and frictions there."""
        inverse, first = np.linalg.inv(s.mass), len(problem.stops)
        force = model.force[0] - s.damping @ s.velocity - s.stiffness @ s.displacement
        a = inverse @ (force + self.first_pushes(model, s, state) + self.first_device_forces(problem, model, s))
        for _ in range(self.sweeps if len(problem.frictions) > 1 else 1):
            for e in range(first, first + len(problem.frictions)):
                before = state.local[e]
                self.first_friction(model, s, state, inverse, e, a, h)
                a = a + inverse @ model.directions[e] * (state.local[e] - before)
        return np.asarray(a)

    def first_pushes(self, model: Model, s: Structure, state: State) -> Floats:
        """Return the force (r,) of stops at the start, and keep their pushes in the state."""
        total = np.zeros(s.velocity.size)
        for i, (size, both, stiffness, damping) in enumerate(model.stops):
            y = float(model.directions[i] @ s.displacement + model.drift[0, i])
            out = self.laws.side(y, both != 0)
            rate = -out * float(model.directions[i] @ s.velocity + model.drift_rate[0, i])
            distance = self.laws.gap(y, size, both != 0)
            state.local[i] = self.laws.contact_force(distance, rate, stiffness, damping, 0.0)
            total -= out * state.local[i] * model.directions[i]
        return total

    def first_device_forces(self, problem: Problem, model: Model, s: Structure) -> Floats:
        """Return the force (r,) of devices on the structure at the start."""
        first, total = (len(problem.stops) + len(problem.frictions), np.zeros(s.velocity.size))
        for d, device in enumerate(problem.devices):
            u = model.directions[first + d] @ s.displacement + model.drift[:1, first + d]
            path = np.array([getattr(device, "path", 0.0)])
            total -= self.device_forces(device, model, d, u, path)[0] * model.directions[first + d]
        return total

    def first_friction(
        self, model: Model, s: Structure, state: State, inverse: Floats, e: int, a: Floats, h: float
    ) -> None:
        """Set force and status of a friction at the start, where the acceleration (r,) is a with the force so far."""
        stop, pressure, static, kinetic = model.frictions[e - model.stops.shape[0]]
        normal = pressure if stop < 0 else state.local[int(stop)]
        direction = model.directions[e]
        sliding = float(direction @ s.velocity + model.drift_rate[0, e])
        if sliding != 0:
            state.status[e] = math.copysign(1.0, sliding)
            state.local[e] = self.laws.slip_force(state.status[e], normal, kinetic)
            return
        mobility = float(direction @ inverse @ direction)
        drifting = 2 * (model.next_rate[0, e] - model.drift_rate[0, e]) / h
        free = float(direction @ a) + drifting - mobility * state.local[e]
        state.local[e], state.status[e] = self.laws.friction_force(
            STICK, free, normal, static, kinetic, mobility, self.laws.slip_force
        )

    def state(self, problem: Problem, s: Structure, model: Model, h: float) -> State:
        """Return the state at the start, with the velocity half a step before."""
        first = len(problem.stops) + len(problem.frictions)
        local = np.array([0.0] * first + [getattr(device, "path", 0.0) for device in problem.devices])
        state = State(s.displacement.copy(), s.velocity.copy(), s.velocity.copy(), local, np.zeros(local.size))
        state.w0[:] -= 0.5 * h * self.initial_acceleration(problem, s, model, state, h)
        return state

    def solve(self, problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the ends of all steps.

        Raises
        ------
        NotImplementedError
            If the problem has what the solver does not treat.
        ValueError
            If the step is not positive, or too long to be stable.
        ArithmeticError
            If the impulses of a step do not settle, or the motion grows without bound.
        """
        refuse(problem, self.capabilities)
        count = self.steps(problem, settings)
        times = np.linspace(problem.start, problem.end, count + 1)
        h = (problem.end - problem.start) / count
        s = structure(problem, self.lumped)
        model = self.model(problem, s, times, h)
        now = self.state(problem, s, model, h)
        history = History(*(np.zeros((count + 1, size)) for size in (now.u.size, now.u.size, *[now.local.size] * 2)))
        settled = march(self.laws, model, now, h, self.sweeps, self.sweep_tolerance, history)
        if settled <= count:
            raise ArithmeticError(f"impulses do not settle at t = {times[settled]:.9g} s, step {settled} of {count}")
        if not np.all(np.isfinite(history.u)):
            raise ArithmeticError(f"the motion grows without bound: step = {h:.6g} s is too long")
        return self.response(problem, s, model, times, history)

    # --- output

    def response(self, problem: Problem, s: Structure, model: Model, times: Floats, history: History) -> dict[str, Any]:
        """Return the answer in physical coordinates."""
        x, v = history.u @ s.shapes.T, history.v @ s.shapes.T
        elements: dict[str, Any] = {}
        for e, element in enumerate(elements_of(problem)):
            elements[element.name] = self.element_history(element, model, e, history)
        counters = {"steps": times.size - 1}
        return {"time": times, "displacement": x, "velocity": v, "elements": elements, "counters": counters}

    def element_history(self, element: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return the histories (m,) of a stop, friction or device."""
        if e < model.stops.shape[0]:
            return self.stop_history(model, e, history)
        if e < model.stops.shape[0] + model.frictions.shape[0]:
            return self.friction_history(model, e, history)
        return self.device_history(element, model, e, history)

    def stop_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return normal force, gap and its rate."""
        y = history.u @ model.directions[e] + model.drift[:, e]
        rate = history.v @ model.directions[e] + model.drift_rate[:, e]
        size, both = model.stops[e, :2]
        out = np.where((y < 0) & bool(both), -1.0, 1.0)
        return {"normal_force": history.local[:, e], "gap": size - out * y, "normal_velocity": -out * rate}

    def friction_history(self, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, sliding velocity and whether it sticks."""
        stop, pressure = model.frictions[e - model.stops.shape[0], :2]
        normal = history.local[:, int(stop)] if stop >= 0 else np.full(history.u.shape[0], pressure)
        return {
            "force": history.local[:, e],
            "sliding_velocity": history.v @ model.directions[e] + model.drift_rate[:, e],
            "stuck": ((history.status[:, e] == STICK) & (normal > 0)).astype(float),
            "normal_force": normal,
        }

    def device_history(self, device: Any, model: Model, e: int, history: History) -> dict[str, Floats]:
        """Return force, elongation and what the device remembers."""
        d = e - model.stops.shape[0] - model.frictions.shape[0]
        u, path = (history.u @ model.directions[e] + model.drift[:, e], history.local[:, e])
        shown = {"force": self.device_forces(device, model, d, u, path), "elongation": u}
        if device.type == "nonlinear-spring":
            return shown
        k1, k2, k3 = model.devices[d, 1:4]
        force = k3 * (k1 * u - (k1 + k2) * path) / (k1 + k2 + k3)
        return {**shown, "dashpot_force": force, "dashpot_path": path}

    def device_forces(self, device: Any, model: Model, d: int, u: Floats, path: Floats) -> Floats:
        """Return the forces (m,) of a device at elongations and paths of its dashpot (m,)."""
        if device.type == "nonlinear-spring":
            return np.array([self.laws.spring_force(x, model.breaks[d], model.coefficients[d]) for x in u])
        k1, k2, k3 = model.devices[d, 1:4]
        return np.asarray(k1 * ((k2 + k3) * u - k3 * path) / (k1 + k2 + k3))

    def warm_up(self, settings: Mapping[str, Any]) -> None:  # noqa: ARG002 - compiled alike whatever the step
        """Compile the loop."""
        self.solve(OSCILLATOR, {"step": 0.1})


def refuse(problem: Problem, capabilities: frozenset[str]) -> None:
    """Raise `NotImplementedError` for what a problem needs and the solver does not have."""
    missing = sorted(set(problem.needs) - capabilities)
    if missing:
        raise NotImplementedError(", ".join(missing))


OSCILLATOR = SimpleNamespace(
    needs=frozenset({"mechanical"}), start=0.0, end=1.0, output_times=None, mass=np.eye(1), damping=np.zeros((1, 1)),
    stiffness=np.eye(1), modes=None, initial_displacement=np.ones(1), initial_velocity=np.zeros(1), loads=(),
    supports=(), stops=(), frictions=(), devices=(),
)  # fmt: skip

SOLVER = Explicit()


def with_law(solver: Explicit, **changed: Law) -> Explicit:
    """Return a solver with some laws exchanged, each a function compiled by Numba."""
    return replace(solver, laws=solver.laws._replace(**changed))
