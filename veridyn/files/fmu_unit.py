"""A problem as a functional mock-up unit for model exchange: description, C source, binary, certified reference.

Source: FMI 2.0.5 and 3.0.2 (Modelica Association), https://fmi-standard.org; related files: FMI-LS-REF 1.0.0-beta.1.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import sympy

from veridyn.problem.errors import ProblemError
from veridyn.problem.expressions import Expr
from veridyn.problem.generated import Names, after, c_function, c_resets, derivative, right_hand_side
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.version import __version__

Version = Literal["2.0", "3.0"]

ORDERS = 4  # guards and three derivatives: how a guard moves where it is at zero
PLATFORM = {"2.0": "linux64", "3.0": "x86_64-linux"}
RELATED = "extra/org.fmi-standard.fmi-ls-ref"
LAYERED = "http://fmi-standard.org/fmi-ls-manifest"
FIXED = (2000, 1, 1, 0, 0, 0)  # dates of files in the archive: the same problem gives the same bytes


@dataclass(frozen=True)
class Signal:
    """A variable of a unit. ``place``: its value reference; ``start``: its value if the unit is told no other."""

    name: str
    place: int
    causality: str
    variability: str
    description: str
    start: float | None = None
    rate_of: int | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """A problem as a unit of one version of FMI.

    Raises
    ------
    ProblemError
        If the problem has constraints or a mass matrix: a unit for model exchange is an explicit system.
    """

    problem: InitialValueProblem
    version: Version

    def __post_init__(self) -> None:
        if self.problem.constraints or self.problem.mass is not None:
            what = "constraints" if self.problem.constraints else "a mass matrix"
            raise ProblemError(f"{self.problem.name} has {what}: FMI has units of explicit systems only")

    @property
    def name(self) -> str:
        """Name of the model and of its files."""
        return self.problem.name

    @cached_property
    def guards(self) -> int:
        """Number of event indicators: those of the mode that has most."""
        return max(len(mode.events) for mode in self.problem.modes)

    @cached_property
    def signals(self) -> tuple[Signal, ...]:
        """Variables in the order of their value references."""
        problem, events, guards = self.problem, self.problem.event_names, range(1, self.guards + 1)
        result = [
            ("time", "independent", "continuous", "time (s)"),
            *((name, "output", "continuous", f"state {name}") for name in problem.states),
            *((f"der({name})", "local", "continuous", f"rate of {name}") for name in problem.states),
            *((name, "parameter", "fixed", f"parameter {name}") for name in problem.parameters),
            *((f"{name}.count", "output", "discrete", f"number of events {name} so far") for name in events),
            *((f"{name}.time", "output", "discrete", f"instant of the last event {name} (s)") for name in events),
            *((f"indicator_{i}", "local", "continuous", "event where it falls through zero") for i in guards),
        ]
        n = len(problem.states)
        starts = dict(enumerate(problem.parameter_numbers, start=1 + 2 * n))
        rates = {place: place - n for place in range(1 + n, 1 + 2 * n)}
        return tuple(Signal(s[0], i, *s[1:], starts.get(i), rates.get(i)) for i, s in enumerate(result))

    def of(self, *causalities: str) -> list[Signal]:
        """Return the variables of some causalities."""
        return [signal for signal in self.signals if signal.causality in causalities]

    @property
    def rates(self) -> list[Signal]:
        """The rates of the states."""
        return [signal for signal in self.signals if signal.rate_of is not None]

    @property
    def indicators(self) -> list[Signal]:
        """The event indicators."""
        return self.signals[len(self.signals) - self.guards :]  # type: ignore[return-value]

    # ---- source

    @cached_property
    def equations(self) -> str:
        """``equations.h``: the problem in C."""
        return "\n".join([*self._sizes(), "", *self._tables(), "", *self._functions()])

    @cached_property
    def token(self) -> str:
        """What binary and description must agree on: a digest of the equations."""
        return "{" + hashlib.sha256("\n".join(self._functions()).encode()).hexdigest()[:32] + "}"

    def _sizes(self) -> Iterator[str]:
        problem, limit = self.problem, self.problem.accumulation
        modes = [mode.name for mode in problem.modes]
        accumulates = problem.event_names.index(limit.event) if limit else -1
        numbers = {
            "NX": len(problem.states),
            "NP": len(problem.parameters),
            "NE": len(problem.event_names),
            "NG": self.guards,
            "ORDERS": ORDERS,
            "FIRST_MODE": modes.index(problem.mode),
            "ACCUMULATES": f"({accumulates})",
            "MODE_OF_LIMIT": modes.index(limit.mode) if limit else 0,
            "START": repr(problem.start),
            "SPAN": repr(problem.end - problem.start),
            "TOKEN": f'"{self.token}"',
        }
        yield from (f"#define {name} {value}" for name, value in numbers.items())

    def _tables(self) -> Iterator[str]:
        problem = self.problem
        modes, m, g = [mode.name for mode in problem.modes], len(problem.modes), self.guards + 1
        yield _table("double DEFAULTS[NP + 1]", problem.parameter_numbers)
        yield _table("double NOMINALS[NX]", self.nominals)
        yield _table(f"int guards_in[{m}]", [len(mode.events) for mode in problem.modes])
        rows = {
            "event_of": [[problem.event_names.index(c.name) for c in mode.events] for mode in problem.modes],
            "direction": [[c.direction for c in mode.events] for mode in problem.modes],
            "mode_after": [[modes.index(c.mode or mode.name) for c in mode.events] for mode in problem.modes],
            "ends": [[int(c.terminal) for c in mode.events] for mode in problem.modes],
        }
        for name, result in rows.items():
            yield _table(f"int {name}[{m}][{g}]", [_row(row) for row in result])

    @property
    def nominals(self) -> list[float]:
        """Size of each state: that of its initial value, 1 where that is 0."""
        return [abs(float(value)) or 1.0 for value in self.problem.initial_state[: len(self.problem.states)]]

    def _functions(self) -> list[str]:
        problem, names = self.problem, Names.from_problem(self.problem)
        rates = [(f"case {i}", right_hand_side(problem, mode.name)) for i, mode in enumerate(problem.modes)]
        limit = after(problem, problem.accumulation.reset if problem.accumulation else {})
        lines = c_function("rates", "int mode, ", names, rates)
        lines += c_function("guard_rates", "int mode, int order, ", names, self._guards(), "ORDERS * mode + order")
        lines += c_function("reset", "int which, ", names, c_resets(problem), "which")
        lines += c_function("initial", "", names, [("default", problem.initial)], "0")
        lines += c_function("accumulated", "", names, [("default", limit)], "0")
        return [line.replace("void ", "static void ", 1) if line.startswith("void ") else line for line in lines]

    def _guards(self) -> list[tuple[str, tuple[Expr, ...]]]:
        result = []
        for i, mode in enumerate(self.problem.modes):
            row = tuple(change.guard for change in mode.events)
            for order in range(ORDERS):
                result.append((f"case {ORDERS * i + order}", row))
                row = tuple(sympy.together(derivative(self.problem, mode.name, guard)) for guard in row)
        return result

    # ---- description

    def description(self) -> bytes:
        """Return ``modelDescription.xml``."""
        root = ElementTree.Element(
            "fmiModelDescription",
            {
                "fmiVersion": self.version,
                "modelName": self.name,
                "guid" if self.version == "2.0" else "instantiationToken": self.token,
                "generationTool": f"veridyn {__version__}",
                "variableNamingConvention": "structured",
            },
        )
        if self.version == "2.0":
            root.set("numberOfEventIndicators", str(self.guards))
        exchange = ElementTree.SubElement(root, "ModelExchange", modelIdentifier=self.name)
        if self.version == "3.0":
            exchange.set("needsCompletedIntegratorStep", "true")
        if self.version == "2.0":
            sources = ElementTree.SubElement(exchange, "SourceFiles")
            ElementTree.SubElement(sources, "File", name="model.c")
        problem = self.problem
        span = {"startTime": repr(problem.start), "stopTime": repr(problem.end), "tolerance": "1e-06"}
        ElementTree.SubElement(root, "DefaultExperiment", span)
        variables = ElementTree.SubElement(root, "ModelVariables")
        for signal in self.signals:
            self._variable(variables, signal)
        self._structure(ElementTree.SubElement(root, "ModelStructure"))
        return _written(root)

    def _variable(self, parent: ElementTree.Element, signal: Signal) -> None:
        shared = {
            "name": signal.name,
            "valueReference": str(signal.place),
            "causality": signal.causality,
            "variability": signal.variability,
            "description": signal.description,
        }
        own = {} if signal.start is None else {"start": repr(signal.start)}
        initial = "exact" if signal.start is not None else "calculated"
        shared |= {} if signal.causality == "independent" else {"initial": initial}
        if signal.causality == "output" and signal.variability == "continuous":
            own["nominal"] = repr(self.nominals[signal.place - 1])
        if self.version == "2.0":
            own |= {} if signal.rate_of is None else {"derivative": str(signal.rate_of + 1)}
            ElementTree.SubElement(ElementTree.SubElement(parent, "ScalarVariable", shared), "Real", own)
        else:
            own |= {} if signal.rate_of is None else {"derivative": str(signal.rate_of)}
            ElementTree.SubElement(parent, "Float64", shared | own)

    def _structure(self, parent: ElementTree.Element) -> None:
        outputs, unknown = self.of("output"), [*self.of("output"), *self.rates]
        if self.version == "2.0":
            groups = {"Outputs": outputs, "Derivatives": self.rates, "InitialUnknowns": unknown}
            for group, signals in groups.items():
                element = ElementTree.SubElement(parent, group)
                for signal in signals:
                    ElementTree.SubElement(element, "Unknown", index=str(signal.place + 1))
            return
        groups = {"Output": outputs, "ContinuousStateDerivative": self.rates}
        groups |= {"InitialUnknown": unknown, "EventIndicator": self.indicators}
        for group, signals in groups.items():
            for signal in signals:
                ElementTree.SubElement(parent, group, valueReference=str(signal.place))

    # ---- archive

    def archive(self, reference: str, *, binary: bool = True) -> bytes:
        """Return the unit, the certified reference (JSON) in it.

        Raises `ProblemError` if a binary is asked for and no C compiler is there, or it fails.
        """
        source = files("veridyn.files").joinpath("model.c").read_text(encoding="utf-8")
        contents: dict[str, bytes] = {
            "modelDescription.xml": self.description(),
            "sources/model.c": source.encode(),
            "sources/equations.h": self.equations.encode(),
            f"{RELATED}/fmi-ls-manifest.xml": _manifest(),
            f"{RELATED}/reference.json": reference.encode(),
        }
        if self.version == "3.0":
            contents["sources/buildDescription.xml"] = self._build()
        if binary:
            contents[f"binaries/{PLATFORM[self.version]}/{self.name}.so"] = self._compiled(contents)
        return _zipped(contents)

    def _build(self) -> bytes:
        root = ElementTree.Element("fmiBuildDescription", fmiVersion="3.0")
        one = ElementTree.SubElement(root, "BuildConfiguration", modelIdentifier=self.name)
        files_of = ElementTree.SubElement(one, "SourceFileSet", language="C11")
        ElementTree.SubElement(files_of, "SourceFile", name="model.c")
        ElementTree.SubElement(files_of, "PreprocessorDefinition", name="FMI_VERSION", value="3")
        return _written(root)

    def _compiled(self, contents: Mapping[str, bytes]) -> bytes:
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise ProblemError("a unit with a binary needs a C compiler (cc, gcc or clang), and none is on the path")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("model.c", "equations.h"):
                (Path(folder) / name).write_bytes(contents[f"sources/{name}"])
            options = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
            command = [compiler, *options, f"-DFMI_VERSION={self.version[0]}", "-o", "unit.so", "model.c", "-lm"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                raise ProblemError(f"{self.name}: {compiler} fails: {done.stderr.strip()[:500]}")
            return (Path(folder) / "unit.so").read_bytes()


def _row(values: list[int]) -> str:
    return "{" + ", ".join(str(value) for value in [*values, 0]) + "}"


def _table(name: str, values: object) -> str:
    written = ", ".join(v if isinstance(v, str) else repr(v) for v in values)  # type: ignore[attr-defined]
    return f"static const {name} = {{{written or 0}}};"


def _written(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _manifest() -> bytes:
    """Return the manifest that names the reference as a related file."""
    ElementTree.register_namespace("fmi-ls", LAYERED)
    root = ElementTree.Element(
        "fmiReferences",
        {
            f"{{{LAYERED}}}fmi-ls-name": "org.fmi-standard.fmi-ls-ref",
            f"{{{LAYERED}}}fmi-ls-version": "1.0.0-beta.1",
            f"{{{LAYERED}}}fmi-ls-description": "Files related to this unit: the certified reference",
        },
    )
    what = "values with radius and certified digits of the quantities of this problem"
    ElementTree.SubElement(
        root, "Related", source="reference.json", role="reference", type="application/json", description=what
    )
    return _written(root)


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(zipfile.ZipInfo(name, FIXED), data, zipfile.ZIP_DEFLATED)
    return result.getvalue()
