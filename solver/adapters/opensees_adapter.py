"""OpenSees, a finite-element code for earthquake engineering, through OpenSeesPy.

How a problem is told to OpenSees:

* Every coordinate is a node with one degree of freedom and a lumped mass; a mass matrix that is not diagonal is not
  applicable. Stiffness and damping are `zeroLength` springs of `Elastic` material, between two nodes for what stands
  off the diagonal (negative ones too), to the ground for what is left in a row.
* A support that carries all coordinates with it is a `UniformExcitation` by its accelerogram; the nodes then move
  relative to it. Other supports are nodes of a `MultipleSupport` pattern, moved by displacement, velocity and
  acceleration together, and the relative displacement is the absolute one less the driven one. With the acceleration
  alone OpenSees integrates by the trapezoidal rule at a fixed 0.01 s.
* Time functions are `Path` series with a value at every step instant, and one beyond the end: after its last point a
  `Path` is zero.
* A stop is the material `ElasticPPGap` that never yields. It has no damper: damped stops are not applicable.
* Coulomb friction is the material `ElasticPP`: stick is a spring, slip is plastic flow under ``mu N``. There is one
  limit only, so that static and kinetic coefficient must be equal, and the spring has no damper. For set-valued
  friction it is as stiff as the step resolves, ``stick_steps`` per period of its oscillation: the shorter the step the
  more rigid is stick. What sticks rings on that spring unless the scheme damps it (HHT, TRBDF2).
* A stop or friction acts on one coordinate or on the difference of two.

OpenSees takes the acceleration at the start for zero, which costs Newmark's scheme its second order. Therefore a first
step of 1e-9 of the usual one finds the acceleration before the clock is set to the start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from math import pi
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.solver.adapters.controls import described, number, read_controls
from veridyn.solver.adapters.stepping import LADDER, Grid, StepControls, grid
from veridyn.solver.elements import Friction, Stop
from veridyn.solver.errors import SolverFailure
from veridyn.solver.problem import MechanicalProblem
from veridyn.solver.response import Response
from veridyn.solver.time_functions import TimeFunction

try:
    import openseespy.opensees as ops
except RuntimeError as missing:  # what it raises where its shared libraries are not found
    raise ImportError(f"{missing} (on Debian it needs libblas3 and liblapack3)") from missing

Floats = NDArray[np.float64]

SCHEMES = ("HHT", "TRBDF2", "Newmark", "NewmarkExplicit", "CentralDifference")
EXPLICIT = ("NewmarkExplicit", "CentralDifference")
NEVER = 1e30  # N: where a stop would yield
FIRST = 1e-9  # of a step: what finds the acceleration at the start

CAPABILITIES = frozenset(
    {
        "mechanical",
        "multi-dof",
        "loads",
        "support-motion",
        "multi-support",
        "damping",
        "contact",
        "contact:parallel-planes",
        "friction:set-valued",
        "friction:regularised",
    }
)
REASONS = {
    "modes": "a modal basis; give matrices",
    "contact:damped": "a damped stop: gap materials have no damper",
    "friction:on-stop": "friction under the force of a stop: plastic flow under a constant force is what there is",
    "friction:two-tangents": "friction in two directions",
    "absolute-frame": "stops or frictions in the absolute frame",
}


@dataclass(frozen=True)
class OpenSeesControls(StepControls):
    """Steps, spring of stick, and the parameters of integrators and Newton's iteration."""

    stick_steps: int = number(5, "steps per period of the spring that holds what sticks")
    alpha: float = number(0.9, "parameter alpha of HHT, 2/3 to 1")
    tolerance: float = number(1e-12, "Newton stops at increments below this (m)")
    iterations: int = number(50, "most iterations of Newton in a step")


@dataclass(frozen=True)
class Link:
    """The coordinate ``scale (u_last - u_first)`` as two node tags."""

    first: int
    last: int
    scale: float


@dataclass
class Builder:
    """Hands out the tags of elements, materials, series and patterns; OpenSees counts nothing itself."""

    tag: int = 0
    elements: dict[str, tuple[int, float]] = field(default_factory=dict)

    def next(self) -> int:
        """Return a new tag."""
        self.tag += 1
        return self.tag

    def spring(self, first: int, last: int, *material: Any) -> int:
        """Add a `zeroLength` element of a material (name, then parameters); returns its tag."""
        tag = self.next()
        ops.uniaxialMaterial(material[0], tag, *material[1:])
        ops.element("zeroLength", tag, first, last, "-mat", tag, "-dir", 1)
        return tag

    def series(self, times: Floats, function: TimeFunction) -> int:
        """Add a `Path` with the values of a function; returns its tag."""
        tag = self.next()
        values = np.asarray(function(times), dtype=float)
        ops.timeSeries("Path", tag, "-time", *times.tolist(), "-values", *values.tolist())
        return tag


@dataclass(frozen=True)
class OpenSees:
    """OpenSees under test; it keeps one model in the process, which every solve wipes."""

    name: str = "opensees"
    schemes: tuple[str, ...] = SCHEMES
    capabilities: frozenset[str] = CAPABILITIES
    ladder: tuple[Mapping[str, Any], ...] = LADDER

    @property
    def version(self) -> str:
        """Version of OpenSeesPy."""
        return version("openseespy")

    @property
    def settings(self) -> dict[str, str]:
        """Meaning of every setting."""
        return described(OpenSeesControls)

    def solve(self, problem: MechanicalProblem, settings: Mapping[str, Any]) -> Response:
        """Return the response at the output instants.

        Raises
        ------
        NotImplementedError
            If the problem is not expressible; see the module.
        SettingsError
            If a setting is unknown or out of range.
        SolverFailure
            If a step fails, or the response is not finite.
        """
        controls = read_controls(OpenSeesControls, settings, self.schemes)
        _refuse(problem, controls)
        steps = grid(problem, controls.substeps)
        with _model() as log:
            builder = build(problem, controls, steps)
            table = _integrate(problem, controls, steps, builder, log)
        return _response(problem, steps, builder, table)


def _refuse(problem: MechanicalProblem, controls: OpenSeesControls) -> None:
    missing = sorted(problem.needs - CAPABILITIES)
    if missing:
        raise NotImplementedError("; ".join(REASONS.get(tag, tag) for tag in missing))
    assert problem.mass is not None
    if np.count_nonzero(problem.mass - np.diag(np.diag(problem.mass))):
        raise NotImplementedError("a mass matrix that is not diagonal: nodes have lumped masses")
    if not _is_uniform(problem) and problem.supports and (problem.stops or problem.frictions):
        raise NotImplementedError("stops or frictions beside supports that do not carry all coordinates alike")
    for friction in problem.frictions:
        if friction.static != friction.kinetic:
            raise NotImplementedError(f"friction {friction.name!r}: ElasticPP has one limit, static = kinetic")
        if friction.damping:
            raise NotImplementedError(f"friction {friction.name!r}: the spring of ElasticPP has no damper")
    if controls.scheme == "CentralDifference" and np.any(_initial(problem)[1]):
        raise NotImplementedError("an initial velocity: CentralDifference assumes the displacement before the start")


@contextmanager
def _model() -> Iterator[Path]:
    """Open an empty model with one degree of freedom per node; yields the file to which OpenSees writes its log."""
    with TemporaryDirectory() as folder:
        log = Path(folder) / "opensees.log"
        ops.logFile(str(log), "-noEcho")
        ops.wipe()
        ops.model("basic", "-ndm", 1, "-ndf", 1)
        try:
            yield log
        finally:
            ops.wipe()
            ops.logFile(os.devnull, "-noEcho")


def _is_uniform(problem: MechanicalProblem) -> bool:
    return len(problem.supports) == 1 and bool(np.all(problem.supports[0].influence == 1.0))


def _driven(problem: MechanicalProblem, times: Floats, kind: str) -> Floats:
    """Displacement or velocity (m, n) that `MultipleSupport` adds to the relative one."""
    if _is_uniform(problem):
        return np.zeros((times.size, problem.size))
    parts = [np.outer(getattr(support, kind)(times), support.influence) for support in problem.supports]
    return np.asarray(sum(parts, start=np.zeros((times.size, problem.size))))


def _initial(problem: MechanicalProblem) -> tuple[Floats, Floats]:
    """Displacement and velocity (n,) of the nodes at the start."""
    start = np.array([problem.start])
    return (
        problem.initial_displacement + _driven(problem, start, "displacement")[0],
        problem.initial_velocity + _driven(problem, start, "velocity")[0],
    )


def build(problem: MechanicalProblem, controls: OpenSeesControls, steps: Grid) -> Builder:
    """Build the model and its analysis; returns the tags.

    Raises
    ------
    NotImplementedError
        If a stop or friction acts on anything but one coordinate or the difference of two.
    """
    builder, ground, times = Builder(), problem.size + 1, _step_instants(problem, steps)
    assert problem.mass is not None
    for i in range(problem.size):
        ops.node(i + 1, 0.0)
        ops.mass(i + 1, float(problem.mass[i, i]))
    ops.node(ground, 0.0)
    ops.fix(ground, 1)
    _add_supports(builder, problem, times)
    _add_springs(builder, problem)
    for load in problem.loads:
        ops.pattern("Plain", builder.next(), builder.series(times, load.function))
        for place in np.flatnonzero(load.direction):
            ops.load(int(place) + 1, float(load.direction[place]))
    for stop in problem.stops:
        _add_stop(builder, problem, stop)
    for friction in problem.frictions:
        _add_friction(builder, problem, friction, controls, float(steps.lengths.max()))
    _set_analysis(controls, linear=not (problem.stops or problem.frictions))
    for i, (x, v) in enumerate(zip(*_initial(problem), strict=True)):
        ops.setNodeDisp(i + 1, 1, float(x), "-commit")
        ops.setNodeVel(i + 1, 1, float(v), "-commit")
    return builder


def _step_instants(problem: MechanicalProblem, steps: Grid) -> Floats:
    """All instants of steps, the start, and one step beyond the end."""
    first = np.concatenate(([problem.start], steps.times[:-1]))
    total = int(steps.counts.sum())
    place = np.arange(1, total + 1) - np.repeat(np.cumsum(steps.counts) - steps.counts, steps.counts)
    inner = np.repeat(first, steps.counts) + place * np.repeat(steps.lengths, steps.counts)
    return np.concatenate(([problem.start], inner, [inner[-1] + steps.lengths[-1]]))


def _add_supports(builder: Builder, problem: MechanicalProblem, times: Floats) -> None:
    if _is_uniform(problem):
        series = builder.series(times, problem.supports[0].acceleration)
        ops.pattern("UniformExcitation", builder.next(), 1, "-accel", series)
        return
    for j, support in enumerate(problem.supports):
        node, pattern, motion = _support_node(problem, j), builder.next(), builder.next()
        ops.node(node, 0.0)
        displacement, velocity, acceleration = (
            builder.series(times, f) for f in (support.displacement, support.velocity, support.acceleration)
        )
        ops.pattern("MultipleSupport", pattern)
        ops.groundMotion(motion, "Plain", "-disp", displacement, "-vel", velocity, "-accel", acceleration)
        ops.imposedMotion(node, 1, motion)


def _support_node(problem: MechanicalProblem, j: int) -> int:
    return problem.size + 2 + j


def _add_springs(builder: Builder, problem: MechanicalProblem) -> None:
    """Decompose stiffness and damping into springs between nodes, to supports and to the ground."""
    assert problem.stiffness is not None
    assert problem.damping is not None
    n, ground = problem.size, problem.size + 1
    moving = [] if _is_uniform(problem) else [support.influence for support in problem.supports]
    pull_k, pull_c = ([matrix @ influence for influence in moving] for matrix in (problem.stiffness, problem.damping))
    for i in range(n):
        for j in range(i):
            _add_spring(builder, j + 1, i + 1, -problem.stiffness[i, j], -problem.damping[i, j])
        for j in range(len(moving)):
            _add_spring(builder, _support_node(problem, j), i + 1, pull_k[j][i], pull_c[j][i])
        k, c = problem.stiffness[i].sum(), problem.damping[i].sum()
        _add_spring(builder, ground, i + 1, k - sum(p[i] for p in pull_k), c - sum(p[i] for p in pull_c))


def _add_spring(builder: Builder, first: int, last: int, stiffness: float, damping: float) -> None:
    if stiffness or damping:
        builder.spring(first, last, "Elastic", float(stiffness), float(damping))


def _link(problem: MechanicalProblem, name: str, direction: Floats) -> Link:
    places = np.flatnonzero(direction)
    if places.size == 1:
        ends, scale = (problem.size + 1, int(places[0]) + 1), float(direction[places[0]])
    elif places.size == 2 and direction[places].sum() == 0.0:
        ends, scale = (int(places[0]) + 1, int(places[1]) + 1), float(direction[places[1]])
    else:
        raise NotImplementedError(f"{name!r} acts on neither one coordinate nor the difference of two")
    return Link(*ends, scale) if scale > 0 else Link(ends[1], ends[0], -scale)


def _add_stop(builder: Builder, problem: MechanicalProblem, stop: Stop) -> None:
    link = _link(problem, stop.name, stop.normal)
    stiffness = stop.stiffness * link.scale**2
    opening = (stop.gap - stop.offset) / link.scale
    tag = builder.spring(link.first, link.last, "ElasticPPGap", stiffness, NEVER, opening)
    builder.elements[stop.name] = (tag, link.scale)
    if stop.geometry == "parallel planes":
        if stop.gap < 0:
            raise NotImplementedError(f"stop {stop.name!r}: parallel planes that overlap")
        opposite = (stop.gap + stop.offset) / link.scale
        tag = builder.spring(link.first, link.last, "ElasticPPGap", stiffness, -NEVER, -opposite)
        builder.elements[f"{stop.name}, other side"] = (tag, link.scale)


def _add_friction(
    builder: Builder, problem: MechanicalProblem, friction: Friction, controls: OpenSeesControls, step: float
) -> None:
    (tangent,) = friction.tangents
    link = _link(problem, friction.name, tangent)
    stiffness = friction.stiffness
    if friction.law == "set-valued":
        mass = 1.0 / float(tangent @ np.linalg.solve(problem.mass, tangent))
        stiffness = mass * (2 * pi / (controls.stick_steps * step)) ** 2
    limit = friction.kinetic * float(friction.normal)
    law = ("ElasticPP", stiffness * link.scale**2, limit / (stiffness * link.scale))
    builder.elements[friction.name] = (builder.spring(link.first, link.last, *law), link.scale)


def _set_analysis(controls: OpenSeesControls, *, linear: bool) -> None:
    integrators: dict[str, tuple[Any, ...]] = {
        "Newmark": ("Newmark", 0.5, 0.25),
        "HHT": ("HHT", controls.alpha),
        "NewmarkExplicit": ("NewmarkExplicit", 0.5),
    }
    ops.constraints("Transformation")
    ops.numberer("RCM")
    ops.system("BandGeneral")
    ops.test("NormDispIncr", controls.tolerance, controls.iterations)
    ops.algorithm("Linear" if linear or controls.scheme in EXPLICIT else "Newton")
    ops.integrator(*integrators.get(controls.scheme, (controls.scheme,)))
    ops.analysis("Transient")


def _integrate(
    problem: MechanicalProblem, controls: OpenSeesControls, steps: Grid, builder: Builder, log: Path
) -> Floats:
    """Return one row per output: displacement, velocity of the nodes, then stress and tangent of the elements."""
    _analyze(controls, 1, FIRST * float(steps.lengths.max()), log)
    ops.setTime(problem.start)
    rows = []
    for count, length in zip(steps.counts.tolist(), steps.lengths.tolist(), strict=True):
        if count:
            _analyze(controls, count, length, log)
        rows.append(_state(problem, builder))
    table = np.array(rows)
    if not np.all(np.isfinite(table)):
        raise SolverFailure(f"OpenSees ({controls.scheme}) reported success and numbers that are not finite")
    return table


def _analyze(controls: OpenSeesControls, count: int, length: float, log: Path) -> None:
    status = ops.analyze(count, length)
    if status:
        words = log.read_text(errors="replace").split()[-30:] if log.exists() else []
        raise SolverFailure(
            f"OpenSees ({controls.scheme}) gave up after t = {ops.getTime():.9g} s, status {status}: {' '.join(words)}"
        )


def _state(problem: MechanicalProblem, builder: Builder) -> list[float]:
    nodes = range(1, problem.size + 1)
    return [
        *(ops.nodeDisp(i, 1) for i in nodes),
        *(ops.nodeVel(i, 1) for i in nodes),
        *(ops.eleResponse(e, "material", 1, r)[0] for e, _ in builder.elements.values() for r in ("stress", "tangent")),
    ]


def _response(problem: MechanicalProblem, steps: Grid, builder: Builder, table: Floats) -> Response:
    n = problem.size
    force, tangent = {}, {}
    for i, (name, (_, scale)) in enumerate(builder.elements.items()):
        force[name], tangent[name] = table[:, 2 * n + 2 * i] / scale, table[:, 2 * n + 2 * i + 1]
    elements = {}
    for stop in problem.stops:
        other = force.get(f"{stop.name}, other side", 0.0)
        elements[stop.name] = {"normal_force": force[stop.name] - other}
    for friction in problem.frictions:
        elements[friction.name] = {
            "force": -force[friction.name],
            "stuck": (tangent[friction.name] != 0).astype(float),
            "normal_force": np.full(steps.times.size, float(friction.normal)),
        }
    displacement = table[:, :n] - _driven(problem, steps.times, "displacement")
    velocity = table[:, n : 2 * n] - _driven(problem, steps.times, "velocity")
    return Response(steps.times, displacement, velocity, elements, {"steps": int(steps.counts.sum())})


SOLVER = OpenSees()
