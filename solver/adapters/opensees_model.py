"""A problem as an OpenSees model: nodes, springs, supports, loads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from veridyn.problem import basis
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.function_of_time import TimeFunction
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import Grid, StepControls, stick_stiffness
from veridyn.solver.contract.controls import number

try:
    from openseespy import opensees as ops
except RuntimeError as missing:  # what it raises where its shared libraries are not found
    raise ImportError(f"{missing} (on Debian it needs libblas3 and liblapack3)") from missing

__all__ = ["Builder", "OpenSeesControls", "build", "driven", "initial", "is_uniform", "ops"]

EXPLICIT = ("NewmarkExplicit", "CentralDifference")
NEVER = 1e30  # N: where a stop would yield


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


def is_uniform(problem: MechanicalProblem) -> bool:
    """Tell whether one support carries all coordinates alike."""
    return len(problem.supports) == 1 and bool(np.all(problem.supports[0].influence == 1.0))


def driven(problem: MechanicalProblem, times: Floats, kind: str) -> Floats:
    """Displacement or velocity (m, n) that `MultipleSupport` adds to the relative one."""
    if is_uniform(problem):
        return np.zeros((times.size, problem.size))
    return basis.driven(problem, times, kind)


def initial(problem: MechanicalProblem) -> tuple[Floats, Floats]:
    """Displacement and velocity (n,) of the nodes at the start."""
    start = np.array([problem.start])
    return (
        problem.initial_displacement + driven(problem, start, "displacement")[0],
        problem.initial_velocity + driven(problem, start, "velocity")[0],
    )


def build(problem: MechanicalProblem, controls: OpenSeesControls, steps: Grid) -> Builder:
    """Build the model and its analysis; returns the tags.

    Raises `NotImplementedError` if a stop or friction acts on anything but one coordinate or the difference of two.
    """
    builder, ground, times = Builder(), problem.size + 1, _step_instants(problem, steps)
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
    for i, (x, v) in enumerate(zip(*initial(problem), strict=True)):
        ops.setNodeDisp(i + 1, 1, float(x), "-commit")
        ops.setNodeVel(i + 1, 1, float(v), "-commit")
    return builder


def _step_instants(problem: MechanicalProblem, steps: Grid) -> Floats:
    """All instants of steps, the start, and one step beyond the end."""
    intervals = zip(steps.begins, steps.lengths, steps.counts, strict=True)
    inner = np.concatenate([begin + length * np.arange(1, count + 1) for begin, length, count in intervals])
    return np.concatenate(([problem.start], inner, [inner[-1] + steps.lengths[-1]]))


def _add_supports(builder: Builder, problem: MechanicalProblem, times: Floats) -> None:
    if is_uniform(problem):
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
    n, ground = problem.size, problem.size + 1
    moving = [] if is_uniform(problem) else [support.influence for support in problem.supports]
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
        stiffness = stick_stiffness(problem, tangent, controls.stick_steps * step)
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
