"""An event-driven solver: smooth phases by collocation under error control, events by roots of dense output.

Between two events every stop is open or closed, every friction sticks or slips one way, every device stays on one
branch of its law. In such a mode the motion is smooth. A step puts a polynomial through ``stages`` Chebyshev points and
asks the equation of motion there; the last coefficient of the polynomial is the estimate of its error, which `rtol`
bounds in parts of the largest displacement and velocity so far. The guards of the mode (gaps, pressures, margins of
stick, velocities of slip, ends of branches) are interpolated over each step as well; their first descent through zero
is the event, extrema inside the step included. Steps end where a load has a break.

Nothing of veridyn is imported. Every small method of `EventDriven` may be replaced by a subclass.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.optimize import brentq

Floats = NDArray[np.float64]

OPEN, CLOSED, RELEASED = range(3)  # of a plane; released: overlap without force, which a damped stop shows
STICK, FREE = 0, 2  # of a friction; +1 and -1: slip; free: its stop does not press
LIFTED, ELASTIC, PLATEAU, SOFTENING, POST, RETURNING = range(6)  # of a buckling stop
ROUNDING = 1e-13  # relative; a difference smaller than this is rounding


# --- functions of time ------------------------------------------------------------------------------------------


class Piece(NamedTuple):
    """A smooth piece of a function of time: ``Σ A sin(ω t + φ) + Σ c_k (t - origin)^k`` from ``start`` (s) on."""

    start: float
    waves: tuple[tuple[float, float, float], ...]
    origin: float
    powers: tuple[float, ...]

    def __call__(self, t: Any) -> Any:
        """Return the value at t, a float or an array."""
        value = 0.0 * t
        for c in reversed(self.powers):
            value = value * (t - self.origin) + c
        for amplitude, omega, phase in self.waves:
            value = value + amplitude * np.sin(omega * t + phase)
        return value


class Signal(NamedTuple):
    """A function of time as smooth pieces; ``whole`` replaces them where a function says nothing of its pieces."""

    breaks: tuple[float, ...]
    pieces: tuple[Piece, ...]
    whole: Callable[[Any], Any] | None = None

    def near(self, where: float) -> Piece | Callable[[Any], Any]:
        """Return the smooth function that holds around an instant (s)."""
        if self.whole is not None:
            return self.whole
        return self.pieces[bisect_right(self.breaks, where) - 1]


def number(value: float | str) -> float:
    """Return a number that may be a text such as ``"3/4"`` or ``"2*pi/3"``."""
    if not isinstance(value, str):
        return float(value)
    if "pi" not in value:
        return float(Fraction(value))
    before, _, after = value.replace(" ", "").partition("pi")
    return float(Fraction(before.rstrip("*") or 1) / Fraction(after.lstrip("/") or 1)) * math.pi


def signal(function: Any) -> Signal:
    """Return a function of time of a problem as smooth pieces."""
    if not hasattr(function, "to_dict"):
        return Signal((), (), function)
    pieces = pieces_of(function.to_dict())
    return Signal(tuple(piece.start for piece in pieces), pieces)


def pieces_of(data: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Return the smooth pieces of a function of time in its JSON form, the first of them from minus infinity."""
    kind = data["kind"]
    if kind == "harmonic":
        wave = tuple(number(data[key]) for key in ("amplitude", "omega", "phase"))
        return (_turned(Piece(-math.inf, (wave,), 0.0, ()), int(data["order"])),)  # type: ignore[arg-type]
    if kind == "piecewise":
        starts = [number(b) for b in data["breaks"]]
        rows = [tuple(number(c) for c in row) for row in data["coefficients"]]
        polynomials = (Piece(at, (), at, row) for at, row in zip(starts, rows, strict=True))
        return (Piece(-math.inf, (), 0.0, ()), *polynomials)
    if kind == "sum":
        return _summed([pieces_of(summand) for summand in data["summands"]])
    if kind == "windowed":
        cut = _cut_out(pieces_of(data["function"]), number(data["start"]), number(data["end"]))
        for _ in range(abs(int(data["order"]))):
            cut = _integrated(cut) if data["order"] < 0 else _differentiated(cut)
        return cut
    raise NotImplementedError(f"functions of time of kind {kind!r}")


def _turned(piece: Piece, order: int) -> Piece:
    """Return a piece whose waves are derived ``order`` times; negative: integrated, with mean zero."""
    waves = tuple((a * w**order, w, phase + order * math.pi / 2) for a, w, phase in piece.waves)
    return piece._replace(waves=waves)


def _cut_out(pieces: Sequence[Piece], start: float, end: float) -> tuple[Piece, ...]:
    """Return what is left of pieces between two instants (s)."""
    inner = [piece._replace(start=max(piece.start, start)) for piece in pieces if piece.start < end]
    ends = [piece.start for piece in inner[1:]] + [end]
    kept = [piece for piece, until in zip(inner, ends, strict=True) if until > start]
    return (Piece(-math.inf, (), 0.0, ()), *kept, Piece(end, (), end, ()))


def _integrated(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the antiderivative that is zero up to the first break."""
    found = [pieces[0]]
    for piece in pieces[1:]:
        powers = (0.0, *(c / (k + 1) for k, c in enumerate(piece.powers)))
        turned = _turned(piece._replace(powers=powers), -1)
        missing = (
            float(found[-1](piece.start)) - float(turned(piece.start))
            if len(found) > 1
            else -float(turned(piece.start))
        )
        found.append(turned._replace(powers=(powers[0] + missing, *powers[1:])))
    return tuple(found)


def _differentiated(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    return tuple(
        _turned(piece._replace(powers=tuple(k * c for k, c in enumerate(piece.powers))[1:]), 1) for piece in pieces
    )


def _summed(summands: Sequence[Sequence[Piece]]) -> tuple[Piece, ...]:
    """Return the sum of functions, on pieces between all their breaks."""
    starts = sorted({piece.start for pieces in summands for piece in pieces})
    tables = [([piece.start for piece in pieces], pieces) for pieces in summands]
    found = []
    for at in starts:
        origin = at if math.isfinite(at) else 0.0
        parts = [pieces[bisect_right(begins, at) - 1] for begins, pieces in tables]
        rows = [_shifted(part, origin) for part in parts if any(part.powers)]
        powers = [sum(row[k] for row in rows if k < len(row)) for k in range(max(map(len, rows), default=0))]
        found.append(Piece(at, tuple(wave for part in parts for wave in part.waves), origin, tuple(powers)))
    return tuple(found)


def _shifted(piece: Piece, origin: float) -> list[float]:
    """Return the powers of a piece about another origin."""
    by, powers = origin - piece.origin, piece.powers
    return [
        sum(math.comb(j, k) * c * by ** (j - k) for j, c in enumerate(powers) if j >= k) for k in range(len(powers))
    ]


# --- what the solver knows of a problem ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Plane:
    """One plane of a stop in the unknowns: gap ``gap - normal · q - carried · supports``."""

    name: str
    normal: Floats
    gap: float
    stiffness: float
    damping: float
    carried: Floats


@dataclass(frozen=True, eq=False)
class Rub:
    """A friction along one line of the unknowns; ``cosines``: parts of its force along the tangents of the problem."""

    name: str
    line: Floats
    cosines: tuple[float, ...]
    normal: float
    planes: tuple[int, ...]
    static: float
    kinetic: float
    carried: Floats


@dataclass(frozen=True, eq=False)
class Local:
    """A device along one direction of the unknowns; ``memory``: its place among the further states, -1 without any."""

    law: Any
    direction: Floats
    carried: Floats
    memory: int


@dataclass(frozen=True)
class Mode:
    """Discrete state: of every plane, of every friction, and (branch, crush) of every device."""

    planes: tuple[int, ...]
    grips: tuple[int, ...]
    branches: tuple[tuple[int, float], ...]

    def changed(self, what: str, place: int, state: Any) -> Mode:
        """Return the mode with another state of one element."""
        states = list(getattr(self, what))
        states[place] = state
        return replace(self, **{what: tuple(states)})


@dataclass(frozen=True, eq=False)
class System:
    """The problem in the unknowns q = modal coordinates or displacements; displacements are ``shapes @ q``."""

    shapes: Floats | None
    mass: Floats
    inverse: Floats
    damping: Floats | None
    stiffness: Floats
    loads: tuple[tuple[Floats, Signal], ...]
    supports: tuple[tuple[Floats, tuple[Signal, ...]], ...]
    planes: tuple[Plane, ...]
    rubs: tuple[Rub, ...]
    devices: tuple[Local, ...]
    carries: bool

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return int(self.mass.shape[0])

    @property
    def signals(self) -> list[Signal]:
        """All functions of time."""
        return [s for _, s in self.loads] + [s for _, motion in self.supports for s in motion]


@dataclass(slots=True, eq=False)
class Look:
    """Everything at instants (m,): rates (m, d) of the states; histories (m,) of every element."""

    rate: Floats
    gaps: list[Floats] = field(default_factory=list)
    gap_rates: list[Floats] = field(default_factory=list)
    pressures: list[Floats] = field(default_factory=list)
    normals: list[Floats] = field(default_factory=list)
    rubbing: list[Floats] = field(default_factory=list)
    sliding: list[Floats] = field(default_factory=list)
    elongations: list[Floats] = field(default_factory=list)
    stretching: list[Floats] = field(default_factory=list)
    device_forces: list[Floats] = field(default_factory=list)
    dashpots: list[Floats] = field(default_factory=list)


# --- collocation ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tables:
    """Constant matrices of collocation at Chebyshev points, and of the interpolation of guards."""

    nodes: Floats  # (s,) in parts of the step
    integrals: Floats  # (s, s): from 0 to each node
    values: NDArray[np.complex128]  # (s,): eigenvalues of the integrals
    vectors: NDArray[np.complex128]  # (s, s): their eigenvectors
    apart: NDArray[np.complex128]  # (s, s): the inverse of these
    coefficients: Floats  # (s + 1, s): rates at the nodes to Chebyshev coefficients of their integral
    grid: Floats  # (g,) in parts of the step, both ends included
    on_grid: Floats  # (g, s + 1): Chebyshev coefficients of the motion to the grid
    of_grid: Floats  # (g, g): values on the grid to Chebyshev coefficients
    limit: Floats  # (g - 1,): values on the grid but its start to the value there


@cache
def tables(stages: int) -> Tables:
    """Return the matrices for a number of stages."""
    points = np.cos(np.pi * (np.arange(stages)[::-1] + 0.5) / stages)
    of_nodes = np.linalg.inv(chebyshev.chebvander(points, stages - 1))
    integral = np.array([chebyshev.chebint(row, lbnd=-1, scl=0.5) for row in np.eye(stages)]).T
    coefficients = integral @ of_nodes
    g = 2 * stages + 1
    grid = np.cos(np.pi * np.arange(g)[::-1] / (g - 1))
    of_grid = np.linalg.inv(np.asarray(chebyshev.chebvander(grid, g - 1), dtype=float))
    integrals = chebyshev.chebvander(points, stages) @ coefficients
    values, vectors = np.linalg.eig(integrals)
    return Tables(
        nodes=(points + 1) / 2,
        integrals=integrals,
        values=values,
        vectors=vectors,
        apart=np.linalg.inv(vectors),
        coefficients=coefficients,
        grid=(grid + 1) / 2,
        on_grid=np.asarray(chebyshev.chebvander(grid, stages), dtype=float),
        of_grid=of_grid,
        limit=(-1.0) ** np.arange(g - 1) @ np.linalg.inv(chebyshev.chebvander(grid[1:], g - 2)),
    )


class Step(NamedTuple):
    """A step: start (s), length (s), state at its start (d,), coefficients (s + 1, d) of its motion.

    ``least`` (d,) are the smallest sizes that its error is compared with.
    """

    start: float
    length: float
    state: Floats
    motion: Floats
    least: Floats

    def at(self, tau: Any) -> Floats:
        """Return the states (k, d) at parts (k,) of the step."""
        angle = np.arccos(np.clip(2 * np.asarray(tau) - 1, -1.0, 1.0))
        return np.asarray(self.state + np.cos(np.multiply.outer(angle, np.arange(len(self.motion)))) @ self.motion)


class Phase(NamedTuple):
    """What lies between two events or breaks: start (s), state there, mode, whether an element has changed, steps.

    ``where`` is an instant of the smooth piece of the loads.
    """

    start: float
    state: Floats
    mode: Mode
    where: float
    changed: bool
    steps: list[Step]


class Alarm(NamedTuple):
    """A guard of a mode: its values (g,), their usual size, and what it changes when it falls below zero."""

    values: Floats
    size: float
    what: str
    place: int
    state: Any


# --- the solver ---------------------------------------------------------------------------------------------------


@dataclass
class EventDriven:
    """Event-driven solver; attributes are its numerical parameters."""

    rtol: float = 1e-12
    max_step: float = math.inf
    most_events: int = 10_000
    stages: int = 12
    safety: float = 0.9
    largest_growth: float = 4.0
    first_step: float = 0.1  # over the largest frequency
    newton_limit: int = 12
    newton_old: int = 3  # passes after which the matrix of Newton's iteration is computed anew for the next step
    newton_tolerance: float = 1e-14
    guard_tolerance: float = 1e-11  # relative; a guard nearer to zero at the start of a phase is at zero
    guard_resolution: float = 1e-11  # relative; last coefficients of the interpolation of a guard
    guard_noise: float = 1e-9  # relative; derivatives of a guard that moves less in a step are rounding
    near: float = 1e-4  # of the output spacing; outputs nearer to an event are left to the event

    # what belongs to the problem that is being solved
    system: System = field(init=False, repr=False)
    tables: Tables = field(init=False, repr=False)
    weights: Floats = field(init=False, repr=False)  # (n,): roots of the masses
    sizes: list[float] = field(init=False, repr=False)  # largest displacement and velocity so far, times these
    shortest: float = field(init=False, repr=False)  # first step in a mode (s)
    counters: dict[str, int] = field(init=False, repr=False)
    jacobians: dict[Mode, Floats] = field(init=False, repr=False)
    inverses: dict[tuple[Mode, float], NDArray[np.complex128]] = field(init=False, repr=False)
    lengths: dict[Any, float] = field(init=False, repr=False)  # of the next step in each mode (s)
    phases: list[Phase] = field(init=False, repr=False)
    events: dict[str, list[float]] = field(init=False, repr=False)
    final: Floats = field(init=False, repr=False)

    name: ClassVar[str] = "event-driven"
    version: ClassVar[str] = "1.0"
    capabilities: ClassVar[frozenset[str]] = frozenset(
        {
            *("mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "absolute-frame"),
            *("damping", "damping:coupled", "contact", "contact:parallel-planes", "contact:damped"),
            *("friction:set-valued", "friction:on-stop", "friction:two-tangents"),
            *("device:nonlinear-spring", "device:zener", "device:buckling-stop"),
        }
    )
    settings: ClassVar[dict[str, str]] = {
        "rtol": "error of a step over the largest displacement and velocity so far; default 1e-12",
        "max_step": "largest step (s); default inf",
    }
    claims: ClassVar[dict[str, str]] = {"tolerance": "rtol"}
    refinement: ClassVar[list[dict[str, float]]] = [{"rtol": 1e-6}, {"rtol": 1e-8}, {"rtol": 1e-10}, {"rtol": 1e-12}]

    def defaults(self, problem: Any) -> dict[str, float]:  # noqa: ARG002 - the same for all problems
        """Return the settings that `solve` takes where none are given."""
        return {"rtol": self.rtol}

    def solve(self, problem: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the response at the output instants and at the events.

        Raises
        ------
        ValueError
            If a setting is unknown or not positive.
        NotImplementedError
            If the problem has an element that is not treated.
        RuntimeError
            If no mode is consistent, a step fails, or events do not end.
        """
        unknown = sorted(set(settings) - set(self.settings))
        if unknown or not all(value > 0 for value in settings.values()):
            raise ValueError(f"settings are positive {', '.join(self.settings)}; got {dict(settings)!r}")
        parameters = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return type(self)(**{**parameters, **settings}).run(problem)

    # --- the problem in unknowns ---

    def project(self, problem: Any) -> tuple[Floats | None, Floats, Floats, Floats]:
        """Return shapes (or None), mass, damping and stiffness matrices of the unknowns."""
        modes = problem.modes
        if modes is None:
            return None, problem.mass, problem.damping, problem.stiffness
        damping = np.diag(2 * modes.damping * modes.omega * modes.masses)
        if modes.coupling is not None:
            damping = damping + modes.coupling
        return modes.shapes, np.diag(modes.masses), damping, np.diag(modes.omega**2 * modes.masses)

    def initial_state(self, problem: Any, system: System) -> Floats:
        """Return displacements and velocities of the unknowns and the memory of devices at the start."""
        back = np.eye(problem.size) if system.shapes is None else np.linalg.pinv(system.shapes)
        memory = [d.law.path for d in system.devices if d.memory >= 0]
        return np.concatenate((back @ problem.initial_displacement, back @ problem.initial_velocity, memory))

    def describe(self, problem: Any) -> System:
        """Return the problem in its unknowns."""
        shapes, mass, damping, stiffness = self.project(problem)
        to_unknowns = np.eye(problem.size) if shapes is None else shapes
        influences = [support.influence for support in problem.supports]
        back = np.eye(problem.size) if shapes is None else np.linalg.pinv(shapes)
        planes, places = self.planes_of(problem, to_unknowns, influences)
        motions = [(s.acceleration, s.velocity, s.displacement) for s in problem.supports]
        elements = (*problem.stops, *problem.frictions, *problem.devices)
        return System(
            shapes=shapes,
            mass=mass,
            inverse=np.linalg.inv(np.asarray(mass, dtype=float)),
            damping=damping if np.any(damping) else None,
            stiffness=stiffness,
            loads=tuple((to_unknowns.T @ load.direction, signal(load.function)) for load in problem.loads),
            supports=tuple(
                (self.participation(mass, back @ psi), tuple(signal(f) for f in motion))
                for psi, motion in zip(influences, motions, strict=True)
            ),
            planes=planes,
            rubs=tuple(self.rub_of(f, to_unknowns, influences, places) for f in problem.frictions),
            devices=self.locals_of(problem, to_unknowns, influences),
            carries=bool(influences) and any(e.frame == "absolute" for e in elements),
        )

    def participation(self, mass: Floats, influence: Floats) -> Floats:
        """Return the load (n,) of a unit acceleration of a support."""
        return np.asarray(-mass @ influence)

    def carried(self, element: Any, direction: Floats, influences: Sequence[Floats]) -> Floats:
        """Return how far each support carries the place of an element along a direction."""
        return np.array([direction @ psi if element.frame == "absolute" else 0.0 for psi in influences])

    def planes_of(
        self, problem: Any, to_unknowns: Floats, influences: Sequence[Floats]
    ) -> tuple[tuple[Plane, ...], dict[str, tuple[int, ...]]]:
        """Return all planes, and the places of those of each stop."""
        planes: list[Plane] = []
        places = {}
        for stop in problem.stops:
            if stop.geometry not in ("plane", "parallel planes") or (stop.geometry != "plane" and stop.gap < 0):
                raise NotImplementedError(f"stop {stop.name!r}: {stop.geometry} with gap {stop.gap}")
            first = len(planes)
            for side in (1.0, -1.0) if stop.geometry == "parallel planes" else (1.0,):
                normal, gap = side * stop.normal, stop.gap - side * stop.offset
                carried = self.carried(stop, normal, influences)
                law = stop.stiffness, stop.damping
                planes.append(Plane(stop.name, to_unknowns.T @ normal, gap, *law, carried))
            places[stop.name] = tuple(range(first, len(planes)))
        return tuple(planes), places

    def rub_of(
        self, friction: Any, to_unknowns: Floats, influences: Sequence[Floats], places: Mapping[str, tuple[int, ...]]
    ) -> Rub:
        """Return a friction along its line; two tangents must lead along the same line of the unknowns."""
        if friction.law != "set-valued":
            raise NotImplementedError(f"friction {friction.name!r}: law {friction.law!r}")
        tangents = [to_unknowns.T @ t for t in friction.tangents]
        lengths = [float(np.linalg.norm(t)) for t in tangents]
        longest = tangents[int(np.argmax(lengths))]
        if np.linalg.matrix_rank(np.array(tangents), tol=1e-12 * max(lengths)) > 1:
            raise NotImplementedError(f"friction {friction.name!r} may turn in the plane of its two tangents")
        line = longest * math.hypot(*lengths) / max(lengths)
        along = np.array(friction.tangents).T @ [float(t @ line) / float(line @ line) for t in tangents]
        pressed = isinstance(friction.normal, str)
        return Rub(
            name=friction.name,
            line=line,
            cosines=tuple(float(t @ line) / float(line @ line) for t in tangents),
            normal=0.0 if pressed else friction.normal,
            planes=places[friction.normal] if pressed else (),
            static=friction.static,
            kinetic=friction.kinetic,
            carried=self.carried(friction, along, influences),
        )

    def locals_of(self, problem: Any, to_unknowns: Floats, influences: Sequence[Floats]) -> tuple[Local, ...]:
        """Return the devices with the places of their memories."""
        found: list[Local] = []
        memory = 2 * to_unknowns.shape[1]
        for law in problem.devices:
            if law.type not in ("nonlinear-spring", "buckling-stop", "zener"):
                raise NotImplementedError(f"device {law.name!r}: {law.type}")
            place = memory if law.type == "zener" else -1
            memory += law.type == "zener"
            carried = self.carried(law, law.direction, influences)
            found.append(Local(law, to_unknowns.T @ law.direction, carried, place))
        return tuple(found)

    # --- laws: each over instants (m,) ---

    def load(self, function: Signal, t: Floats, where: float) -> Floats:
        """Return a load (m,) at instants of the smooth piece around ``where``."""
        return np.asarray(function.near(where)(t))

    def support(self, function: Signal, t: Floats, where: float) -> Floats:
        """Return an acceleration, velocity or displacement of a support (m,)."""
        return np.asarray(function.near(where)(t))

    def gap(self, plane: Plane, x: Floats, driven: Floats | None) -> Floats:
        """Return the gap (m,) of a plane at unknowns (m, n) and displacements of supports (m, j)."""
        gap = plane.gap - x @ plane.normal
        return gap if driven is None else gap - driven @ plane.carried

    def gap_rate(self, plane: Plane, v: Floats, driven: Floats | None) -> Floats:
        """Return the rate of the gap (m,)."""
        rate = -(v @ plane.normal)
        return rate if driven is None else rate - driven @ plane.carried

    def contact_force(self, plane: Plane, gap: Floats, rate: Floats) -> Floats:
        """Return the push (m,) of a closed plane; negative where it would pull."""
        return -plane.stiffness * gap - plane.damping * rate

    def sliding_velocity(self, rub: Rub, v: Floats, driven: Floats | None) -> Floats:
        """Return the sliding velocity (m,)."""
        sliding = v @ rub.line
        return sliding if driven is None else sliding + driven @ rub.carried

    def normal_force(self, rub: Rub, pushes: Sequence[Floats], zero: Floats) -> Floats:
        """Return the normal force (m,) of a friction."""
        return sum((pushes[i] for i in rub.planes), start=zero + rub.normal)

    def slip_force(self, rub: Rub, normal: Floats, direction: int) -> Floats:
        """Return the force of a slipping friction (m,) along its line."""
        return -direction * rub.kinetic * normal

    def stick_limit(self, rub: Rub, normal: Floats) -> Floats:
        """Return the largest force (m,) of a sticking friction."""
        return rub.static * normal

    def stick_forces(self, lines: Floats, inverse: Floats, force: Floats, carried: Floats) -> Floats:
        """Return the forces (m, k) that keep the sliding velocities along lines (k, n) from changing.

        ``force`` (m, n) are all other forces, ``carried`` (m, k) the accelerations of the ground.
        """
        mobility = lines @ inverse
        return np.asarray(np.linalg.solve(lines @ mobility.T, -(force @ mobility.T + carried).T).T)

    def elongation(self, device: Local, x: Floats, driven: Floats | None) -> Floats:
        """Return the elongation (m,) of a device."""
        u = np.asarray(x @ device.direction + device.law.offset)
        return u if driven is None else u + driven @ device.carried

    def stretching(self, device: Local, v: Floats, driven: Floats | None) -> Floats:
        """Return the rate of the elongation (m,)."""
        rate = v @ device.direction
        return rate if driven is None else rate + driven @ device.carried

    def spring_force(self, law: Any, u: Floats, branch: int) -> Floats:
        """Return the force (m,) of a nonlinear spring on one of its polynomials."""
        by = u - law.breaks[max(branch - 1, 0)]
        force = np.zeros_like(u)
        for c in reversed(law.coefficients[branch]):
            force = force * by + c
        return force

    def zener_forces(self, law: Any, u: Floats, z: Floats) -> tuple[Floats, Floats]:
        """Return the force of a Zener device and that of its dashpot (m,)."""
        total = law.k1 + law.k2 + law.k3
        force = law.k1 * ((law.k2 + law.k3) * u - law.k3 * z) / total
        return force, law.k3 * (law.k1 * u - (law.k1 + law.k2) * z) / total

    def dashpot_rate(self, law: Any, dashpot: Floats, sign: int) -> Floats:
        """Return the rate of the path of a dashpot (m,) under forces of one sign."""
        if law.alpha == 1:
            return np.asarray(dashpot / law.damping)
        power = 1 / law.alpha
        base = sign * dashpot / law.damping
        whole = abs(power - round(power)) < ROUNDING
        return np.asarray(sign * (base ** round(power) if whole else np.maximum(base, 0.0) ** power))

    def residual_crush(self, law: Any, largest: float) -> float:
        """Return the crush (m) that remains of a largest crush."""
        first = law.critical_force / law.contact_stiffness
        points = [(first, 0.0), (first + law.plateau, law.plateau)]
        points += [(d + law.post_force / k, d) for d, k in law.returns]
        if largest <= first:
            return 0.0
        i = max(j for j, (x, _) in enumerate(points) if largest >= x)
        (x, d) = points[i]
        if i + 1 == len(points):
            return float(d + largest - x)
        return float(d + (largest - x) / (points[i + 1][0] - x) * (points[i + 1][1] - d))

    def crush_branch(self, law: Any, largest: float) -> int:
        """Return the branch of first loading at a crush (m)."""
        return ELASTIC + sum(largest >= end for end in self.branch_ends(law))

    def branch_ends(self, law: Any) -> tuple[float, float, float]:
        """Return the crushes (m) at which elastic loading, plateau and softening end."""
        first = law.critical_force / law.contact_stiffness
        return first, first + law.plateau, first + law.plateau + law.softening

    def crush_force(self, law: Any, u: Floats, branch: int, largest: float) -> Floats:
        """Return the push (m,) of a buckling stop on one of its branches."""
        if branch == LIFTED:
            return np.zeros_like(u)
        if branch == ELASTIC:
            return np.asarray(law.contact_stiffness * u)
        if branch == SOFTENING:
            beyond = (u - self.branch_ends(law)[1]) / law.softening
            return np.asarray(law.critical_force - (law.critical_force - law.post_force) * beyond)
        if branch in (PLATEAU, POST):
            return np.full_like(u, law.critical_force if branch == PLATEAU else law.post_force)
        top = np.array([largest])
        envelope = self.crush_force(law, top, self.crush_branch(law, largest), largest)[0]
        residual = self.residual_crush(law, largest)
        return np.asarray(envelope * (u - residual) / (largest - residual))

    # --- the equation of motion ---

    def look(self, mode: Mode, t: Floats, y: Floats, where: float) -> Look:
        """Return rates and element histories at instants (m,) and states (m, d) in a mode."""
        system, n = self.system, self.system.size
        x, v = y[:, :n], y[:, n : 2 * n]
        seen = Look(np.zeros_like(y))
        seen.rate[:, :n] = v
        force = -(x @ system.stiffness)
        if system.damping is not None:
            force -= v @ system.damping
        for direction, function in system.loads:
            force += np.multiply.outer(self.load(function, t, where), direction)
        for direction, (acceleration, _, _) in system.supports:
            force += np.multiply.outer(self.support(acceleration, t, where), direction)
        placed, moved = (self.driven(t, where, order) for order in (0, 1))
        self.press(seen, mode, x, v, placed, moved, force)
        self.stretch(seen, mode, y, placed, moved, force)
        self.rub(seen, mode, t, v, moved, force, where)
        seen.rate[:, n : 2 * n] = force @ system.inverse
        return seen

    def driven(self, t: Floats, where: float, order: int) -> Floats | None:
        """Return displacements (order 0), velocities (1) or accelerations (2) of the supports (m, j), if needed."""
        if not self.system.carries:
            return None
        return np.array([self.support(motion[2 - order], t, where) for _, motion in self.system.supports]).T

    def press(
        self, seen: Look, mode: Mode, x: Floats, v: Floats, placed: Floats | None, moved: Floats | None, force: Floats
    ) -> None:
        """Add the pushes of the stops to forces (m, n)."""
        for plane, state in zip(self.system.planes, mode.planes, strict=True):
            gap, rate = self.gap(plane, x, placed), self.gap_rate(plane, v, moved)
            pressure = self.contact_force(plane, gap, rate)
            seen.gaps.append(gap)
            seen.gap_rates.append(rate)
            seen.pressures.append(pressure)
            if state == CLOSED:
                force -= np.multiply.outer(pressure, plane.normal)

    def stretch(
        self, seen: Look, mode: Mode, y: Floats, placed: Floats | None, moved: Floats | None, force: Floats
    ) -> None:
        """Add the forces of the devices to forces (m, n), and the rates of their memories."""
        n = self.system.size
        for device, (branch, crush) in zip(self.system.devices, mode.branches, strict=True):
            u, dashpot = self.elongation(device, y[:, :n], placed), np.zeros(len(y))
            if device.law.type == "zener":
                push, dashpot = self.zener_forces(device.law, u, y[:, device.memory])
                seen.rate[:, device.memory] = self.dashpot_rate(device.law, dashpot, branch)
            elif device.law.type == "nonlinear-spring":
                push = self.spring_force(device.law, u, branch)
            else:
                push = self.crush_force(device.law, u, branch, crush)
            seen.elongations.append(u)
            seen.stretching.append(self.stretching(device, y[:, n : 2 * n], moved))
            seen.device_forces.append(push)
            seen.dashpots.append(dashpot)
            force -= np.multiply.outer(push, device.direction)

    def rub(
        self, seen: Look, mode: Mode, t: Floats, v: Floats, moved: Floats | None, force: Floats, where: float
    ) -> None:
        """Add the forces of frictions to forces (m, n): those that slip, then those that stick."""
        rubs, zero = self.system.rubs, np.zeros(len(v))
        pushes = [p if s == CLOSED else zero for p, s in zip(seen.pressures, mode.planes, strict=True)]
        stuck = [i for i, grip in enumerate(mode.grips) if grip == STICK]
        for rub, grip in zip(rubs, mode.grips, strict=True):
            normal = self.normal_force(rub, pushes, zero)
            seen.normals.append(normal)
            seen.sliding.append(self.sliding_velocity(rub, v, moved))
            seen.rubbing.append(self.slip_force(rub, normal, grip) if grip in (1, -1) else zero)
            if grip in (1, -1):
                force += np.multiply.outer(seen.rubbing[-1], rub.line)
        if stuck:
            lines = np.array([rubs[i].line for i in stuck])
            held = self.stick_forces(lines, self.system.inverse, force, self.ground(stuck, t, where))
            force += held @ lines
            for i, column in zip(stuck, held.T, strict=True):
                seen.rubbing[i] = column

    def ground(self, stuck: Sequence[int], t: Floats, where: float) -> Floats:
        """Return the accelerations (m, k) that the supports give to frictions of the absolute frame."""
        accelerations = self.driven(t, where, 2)
        if accelerations is None:
            return np.zeros((t.size, len(stuck)))
        return np.asarray(accelerations @ np.array([self.system.rubs[i].carried for i in stuck]).T)

    # --- modes and their guards ---

    def first_mode(self, t: float, y: Floats) -> Mode:
        """Return the mode that an initial state suggests; settling corrects it."""
        n, system = self.system.size, self.system
        lifted = Mode((OPEN,) * len(system.planes), (FREE,) * len(system.rubs), self.first_branches(t, y))
        seen = self.look(lifted, np.array([t]), y[None], t)
        overlaps = [gap[0] < 0 for gap in seen.gaps]
        states = [
            (CLOSED if push[0] > 0 else RELEASED) if overlap else OPEN
            for overlap, push in zip(overlaps, seen.pressures, strict=True)
        ]
        speed = np.abs(y[n : 2 * n])
        directions = [
            int(np.sign(s[0])) if abs(s[0]) > ROUNDING * float(np.abs(rub.line) @ speed) else STICK
            for rub, s in zip(system.rubs, seen.sliding, strict=True)
        ]
        mode = replace(lifted, planes=tuple(states), grips=tuple(directions))
        return self.regripped(mode, directions)

    def first_branches(self, t: float, y: Floats) -> tuple[tuple[int, float], ...]:
        """Return the branches of the devices at the start."""
        placed = self.driven(np.array([t]), t, 0)
        found: list[tuple[int, float]] = []
        for device in self.system.devices:
            law, u = device.law, float(self.elongation(device, y[None, : self.system.size], placed)[0])
            if law.type == "nonlinear-spring":
                found.append((bisect_right(law.breaks, u), 0.0))
            elif law.type == "zener":
                found.append((1, 0.0))
            else:
                largest = max(law.crushed, u)
                below = u < self.residual_crush(law, largest) or largest <= 0
                found.append((LIFTED if below else RETURNING, largest))
        return tuple(found)

    def regripped(self, mode: Mode, directions: Sequence[int]) -> Mode:
        """Free the frictions whose stops are open; let the others that were free slip in their directions, or stick."""
        grips = []
        for rub, grip, direction in zip(self.system.rubs, mode.grips, directions, strict=True):
            pressed = not rub.planes or any(mode.planes[i] == CLOSED for i in rub.planes)
            grips.append((direction if grip == FREE else grip) if pressed else FREE)
        return replace(mode, grips=tuple(grips))

    def guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return the guards of a mode, positive inside it."""
        return [*self.stop_guards(mode, seen), *self.friction_guards(mode, seen), *self.device_guards(mode, seen)]

    def reach(self, direction: Floats, order: int) -> float:
        """Return the largest displacement (order 0) or velocity (1) that there may have been along a direction."""
        return float(np.abs(direction) @ (self.sizes[order] / self.weights))

    def stop_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return gaps of open planes, pressures of closed ones, both of released ones."""
        found = []
        for i, (plane, state) in enumerate(zip(self.system.planes, mode.planes, strict=True)):
            gap, pressure, reach = seen.gaps[i], seen.pressures[i], self.reach(plane.normal, 0)
            push = plane.stiffness * reach + plane.damping * self.reach(plane.normal, 1)
            if state == OPEN:
                found.append(Alarm(gap, reach, "planes", i, CLOSED))
            elif state == CLOSED:
                found.append(Alarm(pressure, push, "planes", i, RELEASED if plane.damping else OPEN))
            else:
                found += [Alarm(-gap, reach, "planes", i, OPEN), Alarm(-pressure, push, "planes", i, CLOSED)]
        return found

    def friction_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return sliding velocities of slip, margins of stick."""
        found = []
        for i, (rub, grip) in enumerate(zip(self.system.rubs, mode.grips, strict=True)):
            if grip == STICK:
                normal, force = seen.normals[i], seen.rubbing[i]
                # a limit below the force of slip would leave no state in between
                limit = np.maximum(self.stick_limit(rub, normal), np.abs(self.slip_force(rub, normal, 1)))
                size = float(np.abs(force).max())
                found += [Alarm(limit - force, size, "grips", i, -1), Alarm(limit + force, size, "grips", i, 1)]
            elif grip != FREE:
                found.append(Alarm(grip * seen.sliding[i], self.reach(rub.line, 1), "grips", i, STICK))
        return found

    def device_guards(self, mode: Mode, seen: Look) -> list[Alarm]:
        """Return the distances to the ends of the branches of devices."""
        found = []
        for i, (device, (branch, _)) in enumerate(zip(self.system.devices, mode.branches, strict=True)):
            law, u, reach = device.law, seen.elongations[i], self.reach(device.direction, 0)
            if law.type == "nonlinear-spring":
                below = [(u - law.breaks[branch - 1], branch - 1)] if branch > 0 else []
                above = [(law.breaks[branch] - u, branch + 1)] if branch < len(law.breaks) else []
                found += [Alarm(values, reach, "branches", i, (to, 0.0)) for values, to in (*below, *above)]
            elif law.type == "buckling-stop":
                pairs = self.crush_guards(device, i, seen, mode)
                found += [Alarm(values, size, "branches", i, to) for values, size, to in pairs]
            elif law.alpha != 1:
                dashpot = float(np.abs(seen.dashpots[i]).max())
                found.append(Alarm(branch * seen.dashpots[i], dashpot, "branches", i, (-branch, 0.0)))
        return found

    def crush_guards(
        self, device: Local, i: int, seen: Look, mode: Mode
    ) -> list[tuple[Floats, float, tuple[int, float]]]:
        """Return the guards of a buckling stop, their sizes, and the branches behind them."""
        law, u, (branch, crush) = device.law, seen.elongations[i], mode.branches[i]
        reach, speed = self.reach(device.direction, 0), self.reach(device.direction, 1)
        residual, loading = self.residual_crush(law, crush), self.crush_branch(law, crush)
        if branch == LIFTED:
            return [(residual - u, reach, (RETURNING if crush > residual else loading, crush))]
        if branch == RETURNING:
            return [(u - residual, reach, (LIFTED, crush)), (crush - u, reach, (loading, crush))]
        turned = (seen.stretching[i], speed, (RETURNING, math.nan))  # the crush is filled in at the turning point
        if branch == POST:
            return [turned]
        end = self.branch_ends(law)[branch - ELASTIC]
        return [turned, (end - u, reach, (self.crush_branch(law, end), crush))]

    def entered(self, mode: Mode, alarm: Alarm, t: float, y: Floats, where: float) -> Mode:
        """Return the mode behind a guard at an instant and state."""
        state = alarm.state
        n = self.system.size
        moved, placed = (self.driven(np.array([t]), where, order) for order in (1, 0))
        if alarm.what == "branches" and math.isnan(state[1]):
            device = self.system.devices[alarm.place]
            state = (state[0], float(self.elongation(device, y[None, :n], placed)[0]))
        mode = mode.changed(alarm.what, alarm.place, state)
        if alarm.what != "planes":
            return mode
        sliding = [float(self.sliding_velocity(rub, y[None, n : 2 * n], moved)[0]) for rub in self.system.rubs]
        still = ROUNDING * self.sizes[1] / self.weights.min(initial=math.inf)
        return self.regripped(mode, [int(np.sign(s)) if abs(s) > still else STICK for s in sliding])

    def held(self, mode: Mode, t: float, y: Floats, where: float) -> Floats:
        """Return the state with sliding velocities of sticking frictions set to zero."""
        return self.stilled([i for i, grip in enumerate(mode.grips) if grip == STICK], t, y, where)

    def stilled(self, places: Sequence[int], t: float, y: Floats, where: float) -> Floats:
        """Return the state with sliding velocities of some frictions set to zero, by impulses of theirs."""
        if not places:
            return y
        n, moved = self.system.size, self.driven(np.array([t]), where, 1)
        rubs = [self.system.rubs[i] for i in places]
        lines = np.array([rub.line for rub in rubs])
        sliding = np.array([self.sliding_velocity(rub, y[None, n : 2 * n], moved)[0] for rub in rubs])
        mobility = self.system.inverse @ lines.T
        y = y.copy()
        y[n : 2 * n] -= mobility @ np.linalg.solve(lines @ mobility, sliding)
        rest = np.abs(y[n : 2 * n]) * self.weights <= ROUNDING * self.sizes[1]
        y[n : 2 * n][rest] = 0.0  # what is left is rounding, and its sign would be taken for a direction
        return y

    # --- steps ---

    def rate(self, mode: Mode, t: Floats, y: Floats, where: float) -> Floats:
        """Return the rates (m, d) of states (m, d)."""
        self.counters["evaluations"] += 1
        return self.look(mode, t, y, where).rate

    def jacobian(self, mode: Mode, t: float, y: Floats, where: float) -> Floats:
        """Return the derivative (d, d) of the rates by differences, exact where they are linear."""
        n, at = self.system.size, t + self.shortest * np.array([0.0, 0.5, 1.0])
        pull = np.abs(self.rate(mode, at, np.repeat(y[None], 3, axis=0), where)[:, n : 2 * n]).max()
        fastest = self.first_step / self.shortest
        place, speed = np.abs(y[:n]).max(), np.abs(y[n : 2 * n]).max()
        place = max(place, speed / fastest, pull / fastest**2) or 1.0  # of the motion that forces would make
        by = 1e-3 * np.repeat((place, max(speed, place * fastest), place), (n, n, y.size - 2 * n))
        states = y + np.vstack((np.zeros(y.size), np.diag(by)))
        rates = self.rate(mode, np.full(len(states), t), states, where)
        return np.asarray(((rates[1:] - rates[0]) / by[:, None]).T)

    def newton_matrix(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> NDArray[np.complex128]:
        """Return the inverses (s, d, d) of Newton's iteration, computed once for a mode and a length of step."""
        if (mode, length) not in self.inverses:
            if mode not in self.jacobians:
                self.jacobians[mode] = self.jacobian(mode, t, y, where)
            scaled = np.multiply.outer(length * self.tables.values, self.jacobians[mode])
            self.inverses[mode, length] = np.asarray(np.linalg.inv(np.eye(y.size) - scaled), dtype=complex)
        return self.inverses[mode, length]

    def correction(self, inverse: NDArray[np.complex128], residual: Floats) -> Floats:
        """Return the correction of the rates (s, d) for what is missing of them, by the eigenvectors of the nodes."""
        apart = self.tables.apart @ residual
        return np.asarray((self.tables.vectors @ np.matmul(inverse, apart[:, :, None])[:, :, 0]).real)

    def collocated(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> Step | None:
        """Return the step whose rates satisfy the equation of motion at the nodes; None if it is not found."""
        nodes, integrals = t + length * self.tables.nodes, length * self.tables.integrals
        inverse = self.newton_matrix(mode, t, y, length, where)
        rates = np.zeros((nodes.size, y.size))
        states, last = np.broadcast_to(y, rates.shape), math.inf
        least = self.least_spans(mode, t, y, length, where)
        for passes in range(self.newton_limit):
            change = self.correction(inverse, self.rate(mode, nodes, states, where) - rates)
            rates = rates + change
            moved = integrals @ change
            states = y + integrals @ rates
            size = float(np.max(np.abs(moved).max(axis=0) / np.maximum(self.spans(states), least)))
            left = size * min(1.0, size / last) if passes else size  # of a series that falls geometrically
            if left <= self.newton_tolerance or (size < 0.01 * self.rtol and size > 0.1 * last):
                if passes > self.newton_old:
                    self.forget(mode)
                return Step(t, length, y, length * (self.tables.coefficients @ rates), least)
            if passes > 1 and not size < 2 * last:
                return None
            last = size
        return None

    def error(self, step: Step) -> float:
        """Return the estimated error of a step in parts of what `rtol` allows."""
        errors = np.abs(step.motion[-1]) + 0.1 * np.abs(step.motion[-2])
        spans = self.spans(step.state + self.tables.on_grid @ step.motion)
        return float(np.max(errors / np.maximum(spans, step.least))) / self.rtol

    def least_spans(self, mode: Mode, t: float, y: Floats, length: float, where: float) -> Floats:
        """Return the smallest sizes (d,) to compare errors of a step with, so that `rtol` allows rounding of forces.

        Forces that hold a body still cancel but for their rounding. The motion which that makes in a step has no
        relative accuracy, however short the step.
        """
        pull = ROUNDING / self.rtol * self.gross_acceleration(mode, t + length * np.array([0.0, 0.5, 1.0]), y, where)
        memory = np.zeros(y.size - 2 * self.system.size)
        return np.concatenate((length**2 * pull, length * pull, memory))

    def gross_acceleration(self, mode: Mode, t: Floats, y: Floats, where: float) -> Floats:
        """Return the largest accelerations (n,) at instants (m,) in a state, if no force took from another."""
        system, n = self.system, self.system.size
        seen = self.look(mode, t, np.repeat(y[None], t.size, axis=0), where)
        force = np.abs(system.stiffness) @ np.abs(y[:n])
        if system.damping is not None:
            force += np.abs(system.damping) @ np.abs(y[n : 2 * n])
        parts = [(self.load(function, t, where), direction) for direction, function in system.loads]
        parts += [(self.support(motion[0], t, where), direction) for direction, motion in system.supports]
        parts += [(seen.pressures[i], p.normal) for i, p in enumerate(system.planes) if mode.planes[i] == CLOSED]
        parts += [(push, device.direction) for push, device in zip(seen.device_forces, system.devices, strict=True)]
        parts += [(push, rub.line) for push, rub in zip(seen.rubbing, system.rubs, strict=True)]
        for size, direction in parts:
            force += float(np.abs(size).max()) * np.abs(direction)
        return np.asarray(np.abs(system.inverse) @ force)

    def spans(self, states: Floats) -> Floats:
        """Return the sizes (d,) that errors are compared with: largest displacement, velocity and elongation so far.

        Displacements and velocities are compared after multiplication with the roots of the masses, the memories of
        devices with their elongations.
        """
        n, largest = self.system.size, np.abs(states).max(axis=0)
        parts = (self.weights * largest[:n], self.weights * largest[n : 2 * n])
        moving = [max(size, float(part.max())) / self.weights for size, part in zip(self.sizes, parts, strict=True)]
        remembering = [d.direction for d in self.system.devices if d.memory >= 0]
        stretches = [float(np.abs(direction) @ moving[0]) for direction in remembering]
        spans = np.concatenate((*moving, np.maximum(stretches, largest[2 * n :])))
        return np.asarray(np.maximum(spans, 1e-300))

    def note_sizes(self, spans: Floats) -> None:
        """Keep the largest displacement and velocity so far, both times the root of a mass."""
        n = self.system.size
        self.sizes = [float((self.weights * part).max()) for part in (spans[:n], spans[n : 2 * n])]

    def next_length(self, length: float, error: float) -> float:
        """Return the length of the next step (s), from a sequence of factors 2^(1/8) so that lengths come again."""
        factor = min(self.largest_growth, max(0.1, self.safety * max(error, 1e-30) ** (-1 / self.stages)))
        return float(2.0 ** (math.floor(8 * math.log2(min(self.max_step, factor * length))) / 8))

    def step(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Step, list[Alarm]]:
        """Return an accepted step and the guards over it.

        Raises
        ------
        RuntimeError
            If no length of step is short enough.
        """
        where, kind = 0.5 * (t + until), (mode.planes, mode.grips, tuple(b for b, _ in mode.branches))
        length = self.lengths.get(kind, self.shortest)
        while length > ROUNDING * self.shortest:
            whole = math.ceil((until - t) / length * (1 - 1e-9))
            used = length if whole > 2 else (until - t) / max(whole, 1)
            step = self.collocated(mode, t, y, used, where)
            self.counters["tries"] += 1
            if step is None:
                length = self.next_length(used, 2.0**self.stages)
                self.forget(mode)
                continue
            error = self.error(step)
            if error <= 1:
                alarms = self.guards_over(mode, step, where)
                error = max(error, *(self.unresolved(alarm) for alarm in alarms), 0.0)
            length = self.next_length(used, error)
            if error <= 1:
                self.lengths[kind] = max(length, self.lengths.get(kind, 0.0)) if used < length else length
                self.note_sizes(self.spans(step.state + self.tables.on_grid @ step.motion))
                self.counters["steps"] += 1
                return step, alarms
        raise RuntimeError(f"no step is short enough at t = {t:.9g} s")

    def forget(self, mode: Mode) -> None:
        """Drop what is known of a mode whose equations have changed along the way."""
        self.jacobians.pop(mode, None)
        self.inverses = {key: value for key, value in self.inverses.items() if key[0] != mode}

    def guards_over(self, mode: Mode, step: Step, where: float) -> list[Alarm]:
        """Return the guards on the grid of a step."""
        states = step.state + self.tables.on_grid @ step.motion
        return self.guards(mode, self.look(mode, step.start + step.length * self.tables.grid, states, where))

    def unresolved(self, alarm: Alarm) -> float:
        """Return how far the interpolation of a guard is from what is allowed."""
        size = max(float(np.abs(alarm.values).max()), alarm.size)
        tail = float(np.abs(self.tables.of_grid[-3:] @ alarm.values).max())
        return tail / (self.guard_resolution * size) if size else 0.0

    # --- events ---

    def first_fall(self, values: Floats) -> float:
        """Return the first part of a step at which a guard (g,) falls below zero; inf if it does not."""
        below = np.flatnonzero(values < 0)
        upto = int(below[0]) if below.size else values.size
        if upto == 0:
            return 0.0
        dip = self.dip(values, upto)
        if dip is not None:
            return dip
        return self.located(values, self.tables.grid[upto - 1], self.tables.grid[upto]) if below.size else math.inf

    def dip(self, values: Floats, upto: int) -> float | None:
        """Return where a guard falls below zero and rises again between samples before the sample ``upto``."""
        inside = values[:upto]
        bend = float(np.abs(np.diff(values, 2)).max())
        low = np.flatnonzero((inside <= np.append(values[1:], math.inf)[:upto]) & (inside < bend))
        low = low[(low == 0) | (inside[low] <= values[np.maximum(low - 1, 0)])]
        if not low.size:
            return None
        coefficients = self.tables.of_grid @ values
        turns = chebyshev.chebroots(chebyshev.chebder(coefficients))
        turns = np.sort(turns.real[np.abs(turns.imag) < 1e-6])
        last = 2 * self.tables.grid[upto - 1] - 1
        for x in turns[(turns > -1) & (turns < last)]:
            if chebyshev.chebval(x, coefficients) < -ROUNDING * np.abs(values).max():
                part = 0.5 * (float(x) + 1)
                before = self.tables.grid[np.searchsorted(self.tables.grid, part) - 1]
                return self.located(values, float(before), part)
        return None

    def located(self, values: Floats, above: float, below: float) -> float:
        """Return the root of an interpolated guard between parts of a step where it is above and below zero."""
        coefficients = (self.tables.of_grid @ values).tolist()[::-1]

        def guard(part: float) -> float:
            twice, one, two = 4 * part - 2, 0.0, 0.0  # Clenshaw's recurrence
            for c in coefficients[:-1]:
                one, two = c + twice * one - two, one
            return float(coefficients[-1] + 0.5 * twice * one - two)

        if guard(above) <= 0:
            return above
        return below if guard(below) >= 0 else float(brentq(guard, above, below, xtol=1e-16, rtol=1e-15))

    def deflated(self, alarm: Alarm) -> Floats:
        """Return a guard over the first step of a phase, without the roots that it has at the start.

        A root is divided out, so that the sign at the start is that of the first derivative that does not vanish.
        """
        values, grid = alarm.values, self.tables.grid
        size = usual = max(float(np.abs(values).max()), alarm.size)
        for order in range(4):
            zero = max(self.guard_tolerance * 1000.0**order, 10 * self.rtol if order else 0.0)
            if abs(values[0]) > zero * size:
                return values
            values = np.concatenate(([0.0], (values[1:] - values[0]) / grid[1:]))
            size = float(np.abs(values).max())
            if size <= self.guard_noise * usual:  # the step is very short: the trend tells, if anything
                return np.full_like(values, values[-1] if abs(values[-1]) > ROUNDING * usual else 1.0)
            values[0] = self.limit_at_start(values)
        return values

    def limit_at_start(self, values: Floats) -> float:
        """Return the value at the start of a step of the polynomial through the other values on the grid."""
        return float(self.tables.limit @ values[1:])

    def settled(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Step, list[Alarm]]:
        """Return the mode that is consistent just after t, its first step, and its guards without roots at t.

        Raises
        ------
        RuntimeError
            If there is none.
        """
        tried: set[Mode] = set()
        while mode not in tried:
            tried.add(mode)
            found = self.tried(mode, t, y, until)
            violated = next((a for a in found[1] if a.values[0] < 0), None)
            if violated is None:
                return mode, *found
            mode = self.entered(mode, violated, t, y, 0.5 * (t + until))
        return self.searched(mode, t, y, until)

    def tried(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Step, list[Alarm]]:
        """Return the first step of a mode from a state, and its guards without roots at the start."""
        step, alarms = self.step(mode, t, self.held(mode, t, y, 0.5 * (t + until)), until)
        return step, [alarm._replace(values=self.deflated(alarm)) for alarm in alarms]

    def searched(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Step, list[Alarm]]:
        """Return a consistent mode by trying all of them, where changing one element after the other goes round."""
        stops = [(OPEN, CLOSED, RELEASED) if plane.damping else (OPEN, CLOSED) for plane in self.system.planes]
        for planes in product(*stops):
            for directions in product((STICK, 1, -1), repeat=len(self.system.rubs)):
                free = Mode(planes, (FREE,) * len(self.system.rubs), mode.branches)
                candidate = self.regripped(free, directions)
                found = self.tried(candidate, t, y, until)
                if all(alarm.values[0] >= 0 for alarm in found[1]):
                    return candidate, *found
        raise RuntimeError(f"no state of stops and frictions is consistent at t = {t:.9g} s")

    # --- the march ---

    def run(self, problem: Any) -> dict[str, Any]:
        """Solve one problem; the object is used for nothing else."""
        if getattr(problem, "kind", "mechanical") != "mechanical":
            raise NotImplementedError(f"problems of kind {problem.kind!r}")
        self.prepare(problem)
        y = self.initial_state(problem, self.system)
        mode, t = self.first_mode(problem.start, y), problem.start
        starts = {at for s in self.system.signals for at in s.breaks if problem.start < at < problem.end}
        for until in (*sorted(starts), problem.end):
            mode, y = self.march(mode, t, y, until)
            t = until
        self.final = y
        return self.response(problem)

    def prepare(self, problem: Any) -> None:
        """Make tables and empty memories for a problem."""
        self.system, self.tables = self.describe(problem), tables(self.stages)
        self.weights = np.sqrt(np.diag(self.system.mass))
        self.counters = {"steps": 0, "tries": 0, "evaluations": 0, "events": 0}
        self.jacobians = {}
        self.inverses = {}
        self.lengths = {}
        self.phases = []
        self.events = {e.name: [] for e in (*problem.stops, *problem.frictions, *problem.devices)}
        y = self.initial_state(problem, self.system)
        n = self.system.size
        self.sizes = [float((self.weights * np.abs(part)).max()) for part in (y[:n], y[n : 2 * n])]
        self.shortest = self.first_length(problem)

    def first_length(self, problem: Any) -> float:
        """Return the length of the first step in a mode (s): a part of a radian of the fastest wave."""
        bound = np.abs(self.system.inverse @ self.system.stiffness).sum(axis=1).max()
        bound += sum(p.stiffness * float(p.normal @ self.system.inverse @ p.normal) for p in self.system.planes)
        waves = [w for s in self.system.signals for piece in s.pieces for _, w, _ in piece.waves]
        fastest = max(math.sqrt(bound), *waves, 1 / (problem.end - problem.start))
        return float(min(self.max_step, self.first_step / fastest, problem.end - problem.start))

    def march(self, mode: Mode, t: float, y: Floats, until: float) -> tuple[Mode, Floats]:
        """Go from one break of the loads to the next; return mode and state there."""
        shortest = 4e-16 * max(abs(t), abs(until), until - t)
        fresh = True
        while until - t > shortest:
            if fresh:
                mode, step, alarms = self.settled(mode, t, y, until)
                self.begin(mode, step, until)
            else:
                step, alarms = self.step(mode, t, y, until)
            part, fired = min(((self.first_fall(a.values), i) for i, a in enumerate(alarms)), default=(math.inf, -1))
            fresh = part <= 1
            self.phases[-1].steps.append(step)
            t, y = self.reached(step, min(part, 1.0), until)
            if fresh:
                self.counters["events"] += 1
                if self.counters["events"] > self.most_events:
                    raise RuntimeError(f"more than {self.most_events} events before t = {t:.9g} s")
                where = 0.5 * (step.start + until)
                y = self.stilled([alarms[fired].place] if alarms[fired].what == "grips" else [], t, y, where)
                mode = self.entered(mode, alarms[fired], t, y, where)
        return mode, y

    def reached(self, step: Step, part: float, until: float) -> tuple[float, Floats]:
        """Return instant and state at a part of a step."""
        t = step.start + part * step.length
        return (until if abs(t - until) <= 1e-13 * step.length else t), step.at(part)

    def begin(self, mode: Mode, step: Step, until: float) -> None:
        """Open a phase and note which elements have changed their states since the phase before."""
        names = self.changed(self.phases[-1].mode, mode) if self.phases else []
        for name in names:
            if step.start not in self.events[name][-1:]:
                self.events[name].append(step.start)
        again = bool(self.phases) and self.phases[-1].start == step.start  # nothing happened in between
        first = self.phases.pop().changed if again else not self.phases
        changed = first or bool(names)
        self.phases.append(Phase(step.start, step.state, mode, 0.5 * (step.start + until), changed, []))

    def changed(self, was: Mode, mode: Mode) -> list[str]:
        """Return the names of the elements whose states differ between two modes."""
        planes = zip(self.system.planes, was.planes, mode.planes, strict=True)
        rubs = zip(self.system.rubs, was.grips, mode.grips, strict=True)
        devices = zip((d.law for d in self.system.devices), was.branches, mode.branches, strict=True)
        return list(dict.fromkeys(e.name for part in (planes, rubs, devices) for e, a, b in part if a != b))

    # --- the answer ---

    def outputs(self, problem: Any) -> Floats:
        """Return the instants (m,) at which to answer."""
        if problem.output_times is not None:
            return np.asarray(problem.output_times)
        return np.linspace(problem.start, problem.end, 2001)

    def sampled(self, phase: Phase, start: float, end: float, outputs: Floats) -> tuple[Floats, Floats]:
        """Return instants (k,) and states (k, d) of a phase: the outputs between two instants, and its start.

        The start is left out where only a load has a break: no element changes there.
        """
        times = outputs[(outputs > start) & (outputs < end)]
        edges = np.append(np.searchsorted(times, [step.start for step in phase.steps]), times.size)
        edges[0] = 0
        pairs = zip(phase.steps, edges[:-1], edges[1:], strict=True)
        states = [step.at((times[a:b] - step.start) / step.length) for step, a, b in pairs]
        if not phase.changed:
            return times, np.concatenate(states)
        return np.append(phase.start, times), np.concatenate((phase.state[None], *states))

    def response(self, problem: Any) -> dict[str, Any]:
        """Return the response at the outputs and at the events."""
        outputs = self.outputs(problem)
        near = self.near * float(np.diff(outputs).min(initial=problem.end - problem.start))
        starts = [p.start + near if p.changed else math.nextafter(p.start, -math.inf) for p in self.phases]
        ends = [p.start - near if p.changed else p.start for p in self.phases[1:]] + [problem.end - near]
        parts = [self.sampled(*given, outputs) for given in zip(self.phases, starts, ends, strict=True)]
        times = np.append(np.concatenate([t for t, _ in parts]), problem.end)
        states = np.vstack((*(y for _, y in parts), self.final))
        owners = np.repeat(np.arange(len(parts)), [t.size for t, _ in parts])
        x, v = (self.restored(part) for part in np.split(states, [self.system.size, 2 * self.system.size], axis=1)[:2])
        return {
            "time": times,
            "displacement": x,
            "velocity": v,
            "elements": self.histories(times, states, np.append(owners, owners[-1])),
            "events": {name: np.array(instants) for name, instants in self.events.items()},
            "counters": dict(self.counters),
        }

    def restored(self, unknowns: Floats) -> Floats:
        """Return displacements or velocities (m, n) of unknowns (m, r)."""
        return unknowns if self.system.shapes is None else unknowns @ self.system.shapes.T

    def histories(self, times: Floats, states: Floats, owners: NDArray[np.int64]) -> dict[str, dict[str, Floats]]:
        """Return the histories of all elements at samples, each of which belongs to a phase."""
        kinds: dict[Any, list[int]] = {}
        for i, phase in enumerate(self.phases):
            kinds.setdefault((phase.mode, phase.where if self.system.signals else 0.0), []).append(i)
        found: dict[str, dict[str, Floats]] = {}
        for (mode, where), members in kinds.items():
            here = np.flatnonzero(np.isin(owners, members))
            seen = self.look(mode, times[here], states[here], where)
            for name, values in self.element_values(mode, seen, states[here]).items():
                for history, part in values.items():
                    found.setdefault(name, {}).setdefault(history, np.zeros(times.size))[here] = part
        return found

    def element_values(self, mode: Mode, seen: Look, states: Floats) -> dict[str, dict[str, Any]]:
        """Return the histories of the elements at samples of one mode."""
        found = self.stop_values(mode, seen)
        for i, rub in enumerate(self.system.rubs):
            stuck = mode.grips[i] == STICK
            found[rub.name] = {"stuck": float(stuck)}
            for ending, cosine in zip(("", "_2"), rub.cosines, strict=False):
                found[rub.name][f"force{ending}"] = cosine * seen.rubbing[i]
                found[rub.name][f"sliding_velocity{ending}"] = 0.0 if stuck else cosine * seen.sliding[i]
        for i, device in enumerate(self.system.devices):
            memory = states[:, device.memory]
            found[device.law.name] = self.device_values(device, seen, i, mode.branches[i], memory)
        return found

    def stop_values(self, mode: Mode, seen: Look) -> dict[str, dict[str, Any]]:
        """Return the histories of the stops: pushes of all planes, gap and rate of the nearest."""
        found: dict[str, dict[str, Any]] = {}
        for plane, state, gap, rate, push in zip(
            self.system.planes, mode.planes, seen.gaps, seen.gap_rates, seen.pressures, strict=True
        ):
            values = found.setdefault(plane.name, {"normal_force": 0.0, "gap": math.inf, "normal_velocity": 0.0})
            nearer = gap < values["gap"]
            values["normal_force"] = values["normal_force"] + (np.maximum(push, 0.0) if state == CLOSED else 0.0)
            values["normal_velocity"] = np.where(nearer, rate, values["normal_velocity"])
            values["gap"] = np.where(nearer, gap, values["gap"])
        return found

    def device_values(
        self, device: Local, seen: Look, i: int, state: tuple[int, float], memory: Floats
    ) -> dict[str, Any]:
        """Return the histories of a device."""
        u = seen.elongations[i]
        found: dict[str, Any] = {"force": seen.device_forces[i], "elongation": u}
        if device.law.type == "zener":
            found |= {"dashpot_force": seen.dashpots[i], "dashpot_path": memory}
        if device.law.type == "buckling-stop":
            loading = state[0] not in (LIFTED, RETURNING)
            largest = u if loading else np.full_like(u, state[1])
            found["largest_crush"] = largest
            found["residual_crush"] = np.array([self.residual_crush(device.law, float(one)) for one in largest])
        return found


SOLVER = EventDriven()
