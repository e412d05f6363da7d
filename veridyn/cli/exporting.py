"""The command `export`: a problem statement for codes that can only be run by hand."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import singledispatch
from pathlib import Path
from typing import Any, Literal

import numpy as np

from veridyn.cli.texts import Lookup, reference_document
from veridyn.files.columns import history_columns, needed_columns
from veridyn.files.fmu_unit import Unit, Version
from veridyn.outputs import open_folder
from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.devices import Device
from veridyn.problem.elements import Friction, Stop
from veridyn.problem.errors import ProblemError
from veridyn.problem.generated import c_source, equations
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.printable import print_line
from veridyn.reports.writer import save_all
from veridyn.run.document import SCHEMA_VERSION
from veridyn.run.exit_code import ExitCode
from veridyn.run.posed import choose, pose
from veridyn.solver.adapters.as_scene import scene_of
from veridyn.solver.adapters.calculix_deck import deck, increments
from veridyn.solver.adapters.mjcf import mjcf
from veridyn.validation_cases.judgement.statement import Statement

Row = tuple[Any, ...]
Format = Literal["json", "csv", "c", "fmu", "calculix", "scene", "mjcf"]

DIGITS = 30  # of the reference inside a unit
SUBSTEPS = 2  # increments of a deck between two outputs
IS_NO: Mapping[Format, str] = {
    "calculix": "no input deck of CalculiX", "scene": "not a scene", "mjcf": "not a model of MuJoCo",
}  # fmt: skip
"""Models of other programs, and what is said of a problem that is none."""

EQUATION = "M x'' + C x' + K x = loads - M sum_j psi_j a_j(t) + stops + friction; x relative to the supports; SI units"


def export(
    *, case: str, variant: str | None, changed: Mapping[str, str], form: Format, fmi: Version, output: str
) -> int:
    """Write the statement of a problem into a folder, or to standard output (``-``); returns the exit status 0.

    Raises what `pose` raises; ReportError if the folder cannot be written into; ProblemError if a problem is no
    unit, deck or scene.
    """
    if form == "fmu" and output == "-":
        raise ProblemError("a unit is no text: name a folder, e.g. --output units")
    if output == "-":
        for name, text in _make_texts(case, variant, changed, form).items():
            print(f"# file {name}\n{text}" if form == "csv" else text, end="")
        return ExitCode.FINE
    # a kind for each statement: the next one into the folder leaves this one where it is
    kind = f"export {case} {variant or ''} {form} {fmi}"
    with open_folder(Path(output), kind) as place:
        for file in save_all(place, _make_files(case, variant, changed, form, fmi)):
            print_line(file)
    return ExitCode.FINE


def _make_files(
    case: str, variant: str | None, changed: Mapping[str, str], form: Format, fmi: Version
) -> dict[str, bytes]:
    if form == "fmu":
        chosen = choose(case, variant, changed)
        return {f"{chosen.problem.name}.fmu": unit(chosen, fmi)}
    return {name: text.encode() for name, text in _make_texts(case, variant, changed, form).items()}


def _make_texts(case: str, variant: str | None, changed: Mapping[str, str], form: Format) -> dict[str, str]:
    by_hand = form not in IS_NO
    return statement(pose(case, variant, changed), form) if by_hand else model(choose(case, variant, changed), form)


def unit(posed: Statement, fmi: Version) -> bytes:
    """Return a problem as a functional mock-up unit, the certified reference in it."""
    reference = reference_document(Lookup(posed.case, posed.variant.changes, DIGITS, variant=posed.variant))
    return Unit(_by_modes(posed.problem), fmi).archive(json.dumps(reference, indent=1))


def model(posed: Statement, form: Format) -> dict[str, str]:
    """Return a deck of CalculiX, a scene as JSON or a model of MuJoCo; ProblemError says why a problem is none."""
    problem, name = posed.problem, posed.case.name
    try:
        if form != "calculix":
            scene = scene_of(problem)
            if form == "mjcf":
                return {f"{name}.xml": mjcf(scene)}
            return {f"{name}.scene.json": json.dumps(scene.to_dict(), indent=1, allow_nan=False) + "\n"}
        if isinstance(problem, MechanicalProblem):
            return {f"{problem.name}.inp": deck(problem, increments(problem, SUBSTEPS))}
    except NotImplementedError as reason:
        raise ProblemError(f"{name} is {IS_NO[form]}: {reason}") from None
    raise ProblemError(f"{name} is {IS_NO[form]}: it has no masses and springs")


def statement(posed: Statement, form: Format) -> dict[str, str]:
    """Return the files of a problem statement: name and text."""
    if form == "json":
        return {"problem.json": json.dumps(document(posed), indent=1, allow_nan=False) + "\n"}
    if form == "c":
        return {"problem.c": c_source(_by_modes(posed.problem)) + "\n"}
    instants = _instants(posed.problem)
    open_values = ((q.name, "", q.unit, q.definition) for q in posed.case.select_quantities(posed.variant))
    tables = {
        "scalars.csv": _table(("name", "value", "unit", "meaning"), _scalars(posed)),
        **_own_tables(posed.problem, instants),
        "output_times.csv": _table(("time [s]",), ((t,) for t in instants)),
        "results.csv": _table([f"{n} [{u}]" if u else n for n, u in history_columns(posed.problem).items()], ()),
        "quantities.csv": _table(("quantity", "value", "unit", "definition"), open_values),
    }
    return {name: text for name, text in tables.items() if text}


@singledispatch
def _own_tables(problem: Problem, instants: list[float]) -> dict[str, str]:  # noqa: ARG001 - of matrices and loads
    """Return what states the motion: matrices and loads, or equations."""
    return {"equations.txt": "".join(f"{line}\n" for line in _equations(problem))}


@_own_tables.register
def _(problem: MechanicalProblem, instants: list[float]) -> dict[str, str]:
    return {
        "matrices.csv": _table(("name", "row", "column", "value", "unit"), _arrays(problem)),
        "loads.csv": _load_table(problem, instants),
    }


def _by_modes(problem: Any) -> InitialValueProblem:
    return as_initial_value(problem) if problem.kind == "mechanical" else problem


def _equations(problem: Any) -> tuple[str, ...]:
    return (EQUATION,) if problem.kind == "mechanical" else equations(problem)


def document(posed: Statement) -> dict[str, Any]:
    """Return the statement as data; ``problem`` is what `problem_from_json` reads."""
    instants = _instants(posed.problem)
    return {
        "schema_version": SCHEMA_VERSION,
        "case": posed.case.name,
        "variant": posed.variant.name,
        "title": posed.case.title,
        "document": posed.case.document,
        "statement": list(posed.case.statement),
        "equation": "; ".join(_equations(posed.problem)),
        "parameters": [
            {"name": name, "value": value, "unit": unit, "meaning": meaning}
            for name, value, unit, meaning in _parameters(posed)
        ],
        "quantities": [
            {"name": q.name, "unit": q.unit, "definition": q.definition}
            for q in posed.case.select_quantities(posed.variant)
        ],
        "results": {
            "columns": [{"name": name, "unit": unit} for name, unit in history_columns(posed.problem).items()],
            "required": list(needed_columns(posed.problem)),
            "until": posed.problem.end,
        },
        "output_times": {"unit": "s", "count": len(instants), "values_in": "problem.output_times"},
        "problem": {**json.loads(posed.problem.to_json()), "output_times": instants},
    }


def _instants(problem: Problem) -> list[float]:
    wanted = problem.output_times
    return [problem.start, problem.end] if wanted is None else [float(t) for t in wanted]


def _table(header: Iterable[str], rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _parameters(posed: Statement) -> Iterator[Row]:
    """Yield name, value, unit and meaning of the parameters, decimals as they were given."""
    for p in posed.case.parameters:
        text = str(posed.values[p.name])
        decimal = re.fullmatch(r"[-+.\deE]+", text)  # a formula such as 2*pi is no number to other programs
        yield p.name, text if decimal else repr(float(posed.values[p.name])), p.unit, p.help


def _scalars(posed: Statement) -> Iterator[Row]:
    problem = posed.problem
    yield from _parameters(posed)
    yield "start", problem.start, "s", "start of the motion"
    yield "end", problem.end, "s", "end of the motion"
    yield from _element_scalars(problem)


@singledispatch
def _element_scalars(problem: Problem) -> Iterator[Row]:  # noqa: ARG001 - of a problem without elements
    yield from ()


@_element_scalars.register
def _(problem: MechanicalProblem) -> Iterator[Row]:
    for stop in problem.stops:
        yield from _stop_scalars(stop)
    for friction in problem.frictions:
        yield from _friction_scalars(friction)
    for device in problem.devices:
        yield from _device_scalars(device)


def _stop_scalars(stop: Stop) -> Iterator[Row]:
    name = stop.name
    yield f"{name}.gap", stop.gap, "m", f"gap of the stop: {stop.geometry}, {stop.frame} displacement"
    yield f"{name}.offset", stop.offset, "m", "added to normal . x before the gap is taken"
    if stop.curved:
        yield f"{name}.lateral_offset", stop.lateral_offset, "m", "added to lateral . x before the gap is taken"
    for k, (angle, radius) in enumerate(() if stop.profile is None else stop.profile.tolist(), start=1):
        yield f"{name}.angle_{k}", angle, "rad", f"point {k} of the profile, from normal towards lateral"
        yield f"{name}.radius_{k}", radius, "m", f"point {k} of the profile"
    if stop.rigid:
        yield f"{name}.restitution", stop.restitution, "1", "speed after an impact over that before; rigid, never pulls"
        return
    yield f"{name}.stiffness", stop.stiffness, "N/m", "stiffness of the stop; it never pulls"
    yield f"{name}.damping", stop.damping, "N s/m", "damping of the stop"


def _friction_scalars(friction: Friction) -> Iterator[Row]:
    name, normal = friction.name, friction.normal
    unit = "" if isinstance(normal, str) else "N"
    yield f"{name}.normal", normal, unit, "normal force, or the stop that presses"
    yield f"{name}.static", friction.static, "1", f"coefficient of static friction, {friction.law} law"
    yield f"{name}.kinetic", friction.kinetic, "1", f"coefficient of kinetic friction, {friction.frame} displacement"
    if friction.law == "regularised":
        yield f"{name}.stiffness", friction.stiffness, "N/m", "tangential stiffness of stick"
        yield f"{name}.damping", friction.damping, "N s/m", "tangential damping of stick"


def _device_scalars(device: Device) -> Iterator[Row]:
    name = device.name
    yield f"{name}.offset", device.offset, "m", f"{device.type}: added to direction . x, {device.frame} displacement"
    yield from ((f"{name}.{own}", value, unit, meaning) for own, value, unit, meaning in device.numbers())


def _arrays(problem: MechanicalProblem) -> Iterator[Row]:
    """Yield every entry of matrices and vectors; rows and columns bear the names of the coordinates."""
    names = problem.coordinates
    for name, unit, value in _named_arrays(problem.dense()):
        for index, number in np.ndenumerate(value):
            row = names[index[0]] if len(value) == len(names) else index[0] + 1
            column = "" if len(index) == 1 else (names[index[1]] if value.shape[1] == len(names) else index[1] + 1)
            yield name, row, column, float(number), unit


def _named_arrays(problem: MechanicalProblem) -> Iterator[tuple[str, str, Any]]:
    if problem.modes is None:
        yield "mass", "kg", problem.mass
        yield "damping", "N s/m", problem.damping
        yield "stiffness", "N/m", problem.stiffness
    else:
        yield "modes.omega", "rad/s", problem.modes.omega
        yield "modes.damping", "1", problem.modes.damping
        if problem.modes.coupling is not None:
            yield "modes.coupling", "kg/s", problem.modes.coupling
        if problem.modes.stiffness_coupling is not None:
            yield "modes.stiffness_coupling", "N/m", problem.modes.stiffness_coupling
        yield "modes.masses", "kg", problem.modes.masses
        yield "modes.shapes", "1", problem.modes.shapes
    units = {"stiffness": "N/m", "damping": "N s/m"}
    parts = enumerate(problem.varying, start=1)
    yield from ((f"varying_{i}.{part.of}", units[part.of], part.matrix) for i, part in parts)
    yield "initial_displacement", "m", problem.initial_displacement
    yield "initial_velocity", "m/s", problem.initial_velocity
    yield from ((f"load_{i}.direction", "1", load.direction) for i, load in enumerate(problem.loads, start=1))
    yield from ((f"{support.name}.influence", "1", support.influence) for support in problem.supports)
    for stop in problem.stops:
        yield from ((f"{stop.name}.{w}", "1", d) for w, d in zip(("normal", "lateral"), stop.directions, strict=False))
    yield from ((f"{device.name}.direction", "1", device.direction) for device in problem.devices)
    for friction in problem.frictions:
        yield from ((f"{friction.name}.tangent_{i}", "1", t) for i, t in enumerate(friction.tangents, start=1))


def _load_table(problem: MechanicalProblem, instants: list[float]) -> str:
    """Return loads, factors of varying matrices and motions of supports at the instants; nothing if there are none."""
    functions: list[tuple[str, Callable[[Any], Any]]] = []
    for i, load in enumerate(problem.loads, start=1):
        functions.append((f"load_{i} [N]", load.function))
    functions += [(f"varying_{i} [1]", part.function) for i, part in enumerate(problem.varying, start=1)]
    for support in problem.supports:
        functions += [
            (f"acceleration_{support.name} [m/s^2]", support.acceleration),
            (f"velocity_{support.name} [m/s]", support.velocity),
            (f"displacement_{support.name} [m]", support.displacement),
        ]
    if not functions:
        return ""
    columns = [np.asarray(function(np.array(instants))).tolist() for _, function in functions]
    return _table(("time [s]", *(name for name, _ in functions)), zip(instants, *columns, strict=True))
