"""A mechanical problem as an input deck of CalculiX, in the Abaqus dialect.

* Every coordinate is degree of freedom 1 of a node; x is relative to the supports. A stop, a nonlinear spring, and a
  mass matrix that is not diagonal act on nodes of their own, which `*EQUATION` ties to the coordinates.
* Stiffness is `SPRING1` and `SPRING2`, damping `DASHPOTA`, between nodes for what stands off the diagonal, to the
  ground for what is left in a row; nodes are 1000 m apart, so that dashpots, which act along their length, keep their
  direction.
* Stops and nonlinear springs are `SPRING2` with a table, to a fixed node each, whose reaction is their force.
* Loads and the inertia forces -M ψ a of moving supports are `*CLOAD` with an amplitude that has a value at every
  increment; for stops in the absolute frame the supports are nodes that move.
* Numbers have a decimal point and at most 20 characters: CalculiX reads no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from veridyn.problem.basis import driven, in_modal_coordinates
from veridyn.problem.devices import NonlinearSpring
from veridyn.problem.elements import Stop
from veridyn.problem.mechanical import Floats, MechanicalProblem
from veridyn.solver.adapters.stepping import is_diagonal, usual_spacing

Table = tuple[tuple[float, float], ...]  # force (N) over elongation (m)

CAPABILITIES = frozenset({
    "mechanical", "multi-dof", "modes", "loads", "support-motion", "multi-support", "damping", "damping:coupled",
    "contact", "contact:parallel-planes", "absolute-frame", "device:nonlinear-spring",
})  # fmt: skip
WHY = {
    "contact:damped": "a damped stop: springs with a table have no damper that lets go",
    "friction:set-valued": "friction: no spring element has it, only contact of faces",
    "friction:regularised": "friction: no spring element has it, only contact of faces",
    **dict.fromkeys(("contact:circle", "contact:outside-circle", "contact:profile"), "a curved stop"),
    **dict.fromkeys(("device:buckling-stop", "device:zener"), "a device with memory: a spring has a table of forces"),
}
COORDINATES, ELEMENTS = "COORDINATES", "ELEMENTS"  # names of the node sets that are printed
APART = 1000.0  # m between nodes
FAR = 1e6  # m: where the tables of springs end; beyond, forces would be constant
LONGEST = 20  # characters of a number
PAIRS = 3  # of an amplitude, and terms of an equation, in a line: CalculiX reads 132 characters


@dataclass(frozen=True)
class Increments:
    """Equal increments over the span: ``outputs`` printed ones, ``substeps`` increments from one to the next."""

    start: float
    end: float
    outputs: int
    substeps: int

    @property
    def count(self) -> int:
        """Number of increments."""
        return self.outputs * self.substeps

    @property
    def instants(self) -> Floats:
        """Start and end of every increment (s)."""
        return np.linspace(self.start, self.end, self.count + 1)

    @property
    def printed(self) -> Floats:
        """Instants (s) of the output, without the start."""
        return np.linspace(self.start, self.end, self.outputs + 1)[1:]


def increments(problem: MechanicalProblem, substeps: int) -> Increments:
    """Return increments that print as densely as the problem asks for; they meet outputs of equal spacing."""
    outputs = math.ceil((problem.end - problem.start) / usual_spacing(problem) * (1 - 1e-9))
    return Increments(problem.start, problem.end, outputs, substeps)


def refuse_what_no_deck_says(problem: MechanicalProblem) -> None:
    """Raise `NotImplementedError` for what the elements of a deck do not express."""
    missing = sorted(problem.needs - CAPABILITIES)
    if missing:
        raise NotImplementedError("; ".join(dict.fromkeys(WHY.get(tag, tag) for tag in missing)))
    if problem.modes is not None and "absolute-frame" in problem.needs:
        raise NotImplementedError("elements in the absolute frame beside a modal basis, which lacks the driven motion")


def deck(problem: MechanicalProblem, steps: Increments, alpha: float = 0.0) -> str:
    """Return the input deck of a direct integration; raises what `refuse_what_no_deck_says` raises.

    A problem with modes has the modal coordinates as degrees of freedom; ``alpha``, the parameter of the alpha method,
    goes from -1/3 to 0, the average acceleration.
    """
    refuse_what_no_deck_says(problem)
    matrices = problem if problem.modes is None else in_modal_coordinates(problem)
    model = _model(matrices)
    lines = [
        f"*HEADING\n{problem.name}; SI units; displacements relative to the supports",
        *_nodes(model),
        *model.elements,
        *_equations(model),
        "*BOUNDARY",
        *(f"{node},2,3" for node in model.nodes),
        *(f"{node},1,1" for node in model.fixed),
        *_amplitudes(matrices, steps),
        *_initial(matrices, model),
        f"*STEP,INC={steps.count + 1}",
        f"*DYNAMIC,DIRECT,ALPHA={_number(alpha)}",
        f"{_number((steps.end - steps.start) / steps.count)},{_number(steps.end - steps.start)}",
        *_drives(matrices, model),
        f"*NODE PRINT,NSET={COORDINATES},FREQUENCY={steps.substeps}\nU,V",
        *([f"*NODE PRINT,NSET={ELEMENTS},FREQUENCY={steps.substeps}\nRF"] if model.reactions else []),
        "*END STEP",
    ]
    return "\n".join(lines) + "\n"


@dataclass
class _Model:
    """Nodes and elements as they are added; the first nodes are the coordinates."""

    size: int
    nodes: dict[int, float] = field(default_factory=dict)  # place (m)
    fixed: list[int] = field(default_factory=list)
    ties: dict[int, dict[int, float]] = field(default_factory=dict)  # a node as a sum of others
    supports: dict[int, int] = field(default_factory=dict)  # node of a support
    reactions: list[int] = field(default_factory=list)
    elements: list[str] = field(default_factory=list)

    def node(self, place: float = 0.0, *, fixed: bool = False) -> int:
        """Add a node; returns its number."""
        number = len(self.nodes) + 1
        self.nodes[number] = place
        if fixed:
            self.fixed.append(number)
        return number

    def along(self, direction: Floats, others: Iterable[tuple[int, float]] = ()) -> int:
        """Return a node that moves as ``direction · x`` and other nodes say."""
        terms = {i + 1: c for i, c in enumerate(direction.tolist()) if c} | {n: c for n, c in others if c}
        number = self.node()
        self.ties[number] = terms
        return number

    def element(self, kind: str, nodes: Sequence[int], card: str, *data: str) -> None:
        """Add an element with a property of its own."""
        number = len(self.elements) + 1
        head = f"*ELEMENT,TYPE={kind},ELSET=E{number}\n{number},{','.join(map(str, nodes))}"
        name, _, option = card.partition(",")
        self.elements.append("\n".join((head, f"*{name},ELSET=E{number}{',' if option else ''}{option}", *data)))


def _model(problem: MechanicalProblem) -> _Model:
    model = _Model(problem.size)
    for i in range(problem.size):
        model.node((i + 1) * APART)
    _add_masses(model, problem)
    _add_springs(model, problem)
    _add_dashpots(model, problem)
    for direction, frame, table in _laws(problem):
        _add_table(model, problem, direction, frame, table)
    return model


def _laws(problem: MechanicalProblem) -> Iterator[tuple[Floats, str, Table]]:
    """Yield direction, frame and table of every stop, then of every device."""
    for stop in problem.stops:
        yield stop.normal, stop.frame, _stop_table(stop.name, stop)
    for device in problem.devices:
        assert isinstance(device, NonlinearSpring)
        yield device.direction, device.frame, _spring_table(device)


def forces_at_start(problem: MechanicalProblem) -> Floats:
    """Return the forces (k,) in N of stops and devices at the initial values, by their tables: none is printed."""
    moved = driven(problem, np.array([problem.start]), "displacement")[0]
    forces = []
    for direction, frame, table in _laws(problem):
        place = direction @ (problem.initial_displacement + (moved if frame == "absolute" else 0.0))
        force, at = np.array(table).T
        forces.append(float(np.interp(place, at, force)))
    return np.array(forces)


def _add_masses(model: _Model, problem: MechanicalProblem) -> None:
    mass = np.asarray(problem.mass)
    if is_diagonal(mass):
        for i, own in enumerate(np.diag(mass)):
            model.element("MASS", [i + 1], "MASS", _number(own))
        return
    for value, shape in zip(*_principal(mass), strict=True):
        model.element("MASS", [model.along(shape)], "MASS", _number(value))


def _principal(matrix: Floats) -> tuple[Floats, Floats]:
    values, shapes = np.linalg.eigh(matrix)
    return values, shapes.T


def _add_springs(model: _Model, problem: MechanicalProblem) -> None:
    for i, j, value in _pieces(np.asarray(problem.stiffness)):
        if i == j:
            model.element("SPRING1", [i + 1], "SPRING", "1", _number(value))
        else:
            model.element("SPRING2", [i + 1, j + 1], "SPRING", "1,1", _number(value))


def _add_dashpots(model: _Model, problem: MechanicalProblem) -> None:
    pieces = _pieces(np.asarray(problem.damping))
    ground = model.node(fixed=True) if pieces else 0
    for i, j, value in pieces:
        model.element("DASHPOTA", [ground if i == j else j + 1, i + 1], "DASHPOT", "", _number(value))


def _pieces(matrix: Floats) -> list[tuple[int, int, float]]:
    """Return what acts between two coordinates, and between one and the ground (i, i), nothing that is rounding."""
    n = len(matrix)
    pieces = [(i, j, -float(matrix[i, j])) for i in range(n) for j in range(i)]
    left = matrix.sum(axis=1)
    left[np.abs(left) < n * np.finfo(float).eps * np.abs(matrix).sum(axis=1)] = 0.0
    return [piece for piece in (*pieces, *((i, i, float(left[i])) for i in range(n))) if piece[2]]


def _add_table(model: _Model, problem: MechanicalProblem, direction: Floats, frame: str, table: Table) -> None:
    moved = []
    for j, support in enumerate(problem.supports if frame == "absolute" else ()):
        model.supports[j] = model.supports.get(j) or model.node()
        moved.append((model.supports[j], float(direction @ support.influence)))
    ends = model.along(direction, moved), model.node(fixed=True)
    model.reactions.append(ends[1])
    rows = (f"{_number(force)},{_number(at)}" for force, at in table)
    model.element("SPRING2", ends, "SPRING,NONLINEAR", "1,1", *rows)


def _stop_table(name: str, stop: Stop) -> Table:
    push = (0.0, stop.gap - stop.offset), (stop.stiffness * FAR, stop.gap - stop.offset + FAR)
    if stop.geometry == "plane":
        return (0.0, -FAR), *push
    if stop.gap <= 0:
        raise NotImplementedError(f"stop {name!r}: parallel planes without a gap between them")
    return (-stop.stiffness * FAR, -stop.gap - stop.offset - FAR), (0.0, -stop.gap - stop.offset), *push


def _spring_table(device: NonlinearSpring) -> Table:
    if any(any(row[2:]) for row in device.coefficients):
        raise NotImplementedError(f"device {device.name!r} is curved; the table of a spring is straight between points")
    places = np.array([device.breaks[0] - FAR, *device.breaks, device.breaks[-1] + FAR])
    right, left = device.force(places), device.force(np.nextafter(places, -math.inf))
    size = max(abs(c) for row in device.coefficients for c in row)
    if not np.allclose(right, left, rtol=1e-9, atol=1e-9 * size):
        raise NotImplementedError(f"device {device.name!r} jumps; the table of a spring does not")
    return tuple(zip(right.tolist(), (places - device.offset).tolist(), strict=True))


def _nodes(model: _Model) -> Iterator[str]:
    yield "*NODE,NSET=ALL"
    yield from (f"{node},{_number(place)},0.,0." for node, place in model.nodes.items())
    yield f"*NSET,NSET={COORDINATES},GENERATE\n1,{model.size}"
    if model.reactions:
        yield f"*NSET,NSET={ELEMENTS}"
        yield from (f"{node}," for node in model.reactions)


def _equations(model: _Model) -> Iterator[str]:
    for node, terms in model.ties.items():
        yield f"*EQUATION\n{len(terms) + 1}"
        yield from _rows(f"{n},1,{_number(c)}" for n, c in ((node, -1.0), *terms.items()))


def _rows(items: Iterable[str]) -> Iterator[str]:
    listed = list(items)
    return (",".join(listed[i : i + PAIRS]) for i in range(0, len(listed), PAIRS))


def _amplitudes(problem: MechanicalProblem, steps: Increments) -> Iterator[str]:
    """Yield tables over the time from the start: loads L, accelerations A and displacements D of supports."""
    functions = {f"L{i + 1}": load.function for i, load in enumerate(problem.loads)}
    functions |= {f"A{j + 1}": support.acceleration for j, support in enumerate(problem.supports)}
    if "absolute-frame" in problem.needs:
        functions |= {f"D{j + 1}": support.displacement for j, support in enumerate(problem.supports)}
    for name, function in functions.items():
        yield f"*AMPLITUDE,NAME={name}"
        values = np.asarray(function(steps.instants), dtype=float)
        pairs = zip((steps.instants - steps.start).tolist(), values.tolist(), strict=True)
        yield from _rows(f"{_number(t)},{_number(value)}" for t, value in pairs)


def _initial(problem: MechanicalProblem, model: _Model) -> Iterator[str]:
    """Yield initial values; tied nodes need theirs too, else their velocity starts at zero."""
    for kind, motion in (("DISPLACEMENT", "displacement"), ("VELOCITY", "velocity")):
        values = dict(enumerate(getattr(problem, f"initial_{motion}").tolist(), start=1))
        for j, node in model.supports.items():
            values[node] = float(getattr(problem.supports[j], motion)(problem.start))
        for node, terms in model.ties.items():
            values[node] = sum(c * values[n] for n, c in terms.items())
        if any(values.values()):
            yield f"*INITIAL CONDITIONS,TYPE={kind}"
            yield from (f"{node},1,{_number(value)}" for node, value in values.items() if value)


def _drives(problem: MechanicalProblem, model: _Model) -> Iterator[str]:
    forces = {f"L{i + 1}": load.direction for i, load in enumerate(problem.loads)}
    for j, support in enumerate(problem.supports):
        forces[f"A{j + 1}"] = -np.asarray(problem.mass) @ support.influence
    for name, force in forces.items():
        yield f"*CLOAD,AMPLITUDE={name}"
        yield from (f"{i + 1},1,{_number(force[i])}" for i in np.flatnonzero(force))
    for j, node in model.supports.items():
        yield f"*BOUNDARY,AMPLITUDE=D{j + 1}\n{node},1,1,1."


def _number(value: float) -> str:
    """Return a number as CalculiX reads it: one without a point may be taken for a degree of freedom."""
    shortest = repr(float(value))
    return shortest if "." in shortest and len(shortest) <= LONGEST else f"{value:.13e}"
