"""For notebooks: a problem solved by one solver, its histories by name and on any grid; a run that was recorded."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from rich.console import Console

from veridyn.files.columns import history_columns
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import Floats, Problem
from veridyn.problem.nearest import nearest
from veridyn.reports.terminal import summary_table
from veridyn.results import Document, Figure, Panel, read, unstructure_row
from veridyn.solver.contract.errors import CapabilityError, SettingsError
from veridyn.solver.contract.gate import Gate
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.solver.contract.opening import open_gate
from veridyn.solver.contract.protocol import Solver
from veridyn.solver.contract.responses import AnyResponse, Trajectory, read_response
from veridyn.solver.postprocessing.interpolation import resampled
from veridyn.validation_cases.judgement.subject import Request, Subject
from veridyn.validation_cases.measures.plotting import figure, panel, series, thinned
from veridyn.validation_cases.measures.trajectories import on_grid

FLAGS = ("stuck",)  # histories that are no numbers between two samples


class MissingPackage(SolverInputError, ImportError):
    """What is asked for needs a package that is not installed."""


@dataclass(frozen=True)
class Drawing:
    """A figure as SVG: a notebook shows it, `save` writes it."""

    svg: str

    def save(self, file: str | Path) -> None:
        """Write an SVG file; raises OSError if it cannot be written."""
        Path(file).write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{self.svg}', encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver answered to a problem: histories, of a mechanical one in SI units, over ``time`` (m,) in s."""

    problem: Problem
    solver: str
    settings: Mapping[str, Any]
    response: AnyResponse
    wall_time: float

    @property
    def time(self) -> Floats:
        """Instants (m,) in s: those that were asked for, or those of the solver, instants of events among them."""
        return self.response.time

    @property
    def events(self) -> Mapping[str, Floats]:
        """Instants (k,) in s of the events, or at which each element changes its state, as far as they are reported."""
        return self.response.events

    @cached_property
    def columns(self) -> Mapping[str, Floats]:
        """Every history (m,) by its name: ``displacement_x1``, ``stop.normal_force``, or that of an unknown."""
        names, r = self.problem.unknowns, self.response
        if isinstance(r, Trajectory):
            return dict(zip(names, r.states.T, strict=True))
        result = {f"displacement_{name}": x for name, x in zip(names, r.displacement.T, strict=True)}
        result |= {f"velocity_{name}": v for name, v in zip(names, r.velocity.T, strict=True)}
        return result | {f"{e}.{name}": h for e, histories in r.elements.items() for name, h in histories.items()}

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Unit of every history by its name, as far as it has one."""
        return history_columns(self.problem)

    def __getitem__(self, name: str) -> Floats:
        """Return a history (m,) by its name; the name of a degree of freedom is its displacement.

        Raises
        ------
        ProblemError
            If there is none of that name.
        """
        result = self.columns.get(name, self.columns.get(f"displacement_{name}"))
        if result is None:
            known = nearest(name, dict.fromkeys([*self.problem.unknowns, *self.columns]))
            raise ProblemError(f"{self.solver} reports no history {name!r}; {known}")
        return result

    def reports(self, name: str) -> bool:
        """Whether there is a history of that name."""
        return name in self.columns or f"displacement_{name}" in self.columns

    def at(self, times: ArrayLike) -> Solution:
        """Return the solution on other instants (k,) in s: motions on cubics between events.

        Histories of elements are straight lines from sample to sample; flags keep the value of the sample before.

        Raises
        ------
        ProblemError
            If instants do not increase or lie outside of what was solved.
        """
        chosen = replace(self.problem, output_times=np.asarray(times))  # checks the instants
        grid, r = np.asarray(chosen.output_times), self.response
        if isinstance(r, Trajectory):
            return replace(
                self,
                problem=chosen,
                response=_trajectory(cast(InitialValueProblem, self.problem), r, grid, self.solver),
            )
        x, v = (resampled(r.time, h, grid, r.instants) for h in (r.displacement, r.velocity))
        elements = {e: {n: _between(n, r.time, h, grid) for n, h in hs.items()} for e, hs in r.elements.items()}
        return replace(
            self, problem=chosen, response=replace(r, time=grid, displacement=x, velocity=v, elements=elements)
        )

    def to_pandas(self) -> Any:
        """Return all histories as a pandas DataFrame over the time in s; raises `MissingPackage`."""
        need("pandas")
        import pandas as pd

        return pd.DataFrame(dict(self.columns), index=pd.Index(self.time, name="time"))

    def to_xarray(self) -> Any:
        """Return all histories as an xarray Dataset over time (s) and degree of freedom; raises `MissingPackage`.

        Those of an initial value problem are variables of their own.
        """
        need("xarray")
        import xarray as xr

        r, names = self.response, list(self.problem.unknowns)
        about = {"solver": self.solver, "problem": self.problem.name}
        if isinstance(r, Trajectory):
            return xr.Dataset({n: ("time", h) for n, h in self.columns.items()}, {"time": r.time}, about)
        states = {"displacement": (r.displacement, "m"), "velocity": (r.velocity, "m/s")}
        result = {n: xr.Variable(("time", "coordinate"), a, {"units": unit}) for n, (a, unit) in states.items()}
        for name in (name for name in self.columns if "." in name):
            result[name] = xr.Variable("time", self.columns[name], {"units": self.units.get(name, "")})
        axes = {"time": ("time", r.time, {"units": "s"}), "coordinate": names}
        return xr.Dataset(result, coords=axes, attrs=about)

    def plot(self, *names: str) -> Drawing:
        """Return a drawing of histories by their names, of all that moves if none is named, a panel each.

        Raises
        ------
        ProblemError
            If there is no history of that name.
        ReportError
            If what draws is not installed.
        """
        return drawn(self.problem.name, [(name, [("", "computed", self)]) for name in names or self.problem.unknowns])

    def _repr_html_(self) -> str:
        return shown(str(self), self.plot if can_draw() else None)

    def __repr__(self) -> str:
        return f"<Solution of {self}>"

    def __str__(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        events = sum(map(len, self.events.values()))
        return (
            f"{self.problem.name} by {self.solver}{f' ({said})' if said else ''}: {self.time.size} samples from "
            f"{self.time[0]:g} s to {self.time[-1]:g} s, {events} events, {self.wall_time:.3g} s"
        )


def solve(problem: Problem, solver: Solver | str, *, times: ArrayLike | None = None, **settings: Any) -> Solution:
    """Solve a problem with a solver.

    Parameters
    ----------
    problem
        What is to be solved.
    solver
        A solver object or a specification (see `load_solver`): ``"exact"``, ``"scipy"``, ``"mine.py:SOLVER"`` …
    times
        Instants (k,) in s of the solution, whatever grid the solver has; None: the solver's own samples.
    settings
        Settings of the solver, e.g. ``scheme="newmark", step=1e-4``; its defaults where none are given.

    Raises
    ------
    ProblemError
        If the first argument is no problem.
    SolverNotFound
        If there is no such solver.
    CapabilityError
        If it does not offer what the problem needs.
    SettingsError
        If settings are unknown or cannot be used.
    SolverFailure
        If it crashed, diverged, or returned a malformed response.
    """
    refuse_others(problem)
    gate = open_here(solver)
    subject = subject_of(gate, settings)
    missing = sorted(problem.needs - subject.capabilities)
    if missing:
        remedy = "; veridyn takes sparse matrices, problem.dense() has arrays instead" if "sparse" in missing else ""
        raise CapabilityError(
            f"solver {subject.name} does not offer {', '.join(missing)}, which {problem.name} needs{remedy}"
        )
    asked = problem if times is None else replace(problem, output_times=np.asarray(times))
    chosen = dict(subject.default_settings(gate, asked, subject.schemes[0]))
    gate.warm_up(chosen)  # compiles, outside the timing
    answer = gate.solve(asked, chosen)
    response = read_response(asked, answer.content, subject.name)
    solution = Solution(asked, subject.name, chosen, response, answer.seconds)
    return solution if times is None else solution.at(times)


def refuse_others(problem: object) -> None:
    """Raise ProblemError for what is no problem."""
    if not isinstance(problem, Problem):
        raise ProblemError(
            f"{problem!r} is no problem: veridyn.MechanicalProblem and veridyn.InitialValueProblem make one; "
            "veridyn.verify judges a solver on cases"
        )


def open_here(solver: Solver | str) -> Gate:
    """Return the gate to a solver in this process: an object, or what a specification names.

    Raises SolverNotFound, see `load_solver`; SolverInputError if it does not introduce itself as a solver does.
    """
    return open_gate(solver, in_process=True) if isinstance(solver, str) else LocalGate(solver)


def subject_of(gate: Gate, settings: Mapping[str, Any]) -> Subject:
    """Return a solver as the judgement sees it, with settings of the user and one scheme: the chosen or its first.

    Raises
    ------
    SettingsError
        If it declares no such setting, or the scheme is no name.
    SolverInputError
        If it has no such scheme.
    """
    own = {name: value for name, value in settings.items() if name != "scheme"}
    subject = Subject.from_introduction(gate.introduction, request_of(settings))
    for name in own:
        if name not in subject.settings[subject.schemes[0]]:
            known = subject.settings[subject.schemes[0]]
            hint = nearest(name, sorted(known)) if known else "it declares none"
            raise SettingsError(f"solver {subject.name} has no setting {name!r}; {hint}")
    return replace(subject, schemes=subject.schemes[:1])


def request_of(settings: Mapping[str, Any]) -> Request:
    """Return settings, the scheme among them, as the request that the judgement takes.

    Raises SettingsError if the scheme is no name.
    """
    own = {name: value for name, value in settings.items() if name != "scheme"}
    if not isinstance(settings.get("scheme", ""), str):
        raise SettingsError(f"scheme must be a name, got {settings['scheme']!r}")
    return Request(settings=own, schemes=(settings["scheme"],) if "scheme" in settings else ())


def _trajectory(problem: InitialValueProblem, r: Trajectory, grid: Floats, solver: str) -> Trajectory:
    """Return a trajectory on other instants; raises ProblemError where the motion has ended before."""
    if grid[-1] > r.time[-1]:
        raise ProblemError(
            f"the motion of {problem.name} by {solver} ends at {r.time[-1]:.9g} s, before {grid[-1]:g} s"
        )
    modes = tuple(r.modes[i] for i in np.searchsorted(r.time, grid, side="right") - 1) if r.modes else ()
    return replace(r, time=grid, states=on_grid(problem, r, grid), modes=modes)


def _between(name: str, samples: Floats, history: Floats, times: Floats) -> Floats:
    if name in FLAGS:
        return history[np.searchsorted(samples, times, side="right") - 1]
    return np.interp(times, samples, history)


def need(*packages: str) -> None:
    """Refuse what needs a package that is not installed; raises `MissingPackage`."""
    for name in packages:
        if find_spec(name) is None:
            raise MissingPackage(f'this needs the package {name}: pip install "veridyn[notebook]"')


def can_draw() -> bool:
    """Tell whether what draws is installed."""
    return find_spec("matplotlib") is not None


Curves = Sequence[tuple[str, Any, Solution]]  # label, role, where the history is


def drawn(title: str, panels: Iterable[tuple[str, Curves]]) -> Drawing:
    """Return a drawing of histories over the time, a panel for each name; raises `ReportError`, see `figures.draw`."""
    from veridyn.reports import figures

    made = figure_of(title, panels)
    return Drawing(figures.draw(made, made.id))


def figure_of(title: str, panels: Iterable[tuple[str, Curves]]) -> Figure:
    """Return a figure as data: histories over the time, a panel for each name."""
    return figure(title, "histories", title, "Histories over time.", [_panel(name, curves) for name, curves in panels])


def _panel(name: str, curves: Curves) -> Panel:
    lines = []
    for label, role, solution in curves:
        history = solution[name]
        start, end = float(solution.time[0]), float(solution.time[-1])
        lines.append(series(label, role, *thinned(solution.time, history, start=start, end=end)))
    units = curves[0][2].units
    unit = units.get(name, units.get(f"displacement_{name}", ""))
    return panel("t [s]", f"{name} [{unit}]" if unit else name, lines)


def shown(text: str, plot: Any = None) -> str:
    """Return what a notebook shows: a text as it stands, and a drawing if there is one."""
    return f'<pre style="font-family: monospace">{html.escape(text)}</pre>{plot().svg if plot else ""}'


def tabulated(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, the first one their heads, as a table of a notebook."""
    head, *body = rows
    return f"<table>{_row('th', head)}{''.join(_row('td', row) for row in body)}</table>"


def _row(tag: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


WIDTH = 120  # characters of a table


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Result files that were read: ``document`` is their content, a `veridyn.results.Document`."""

    document: Document

    def __len__(self) -> int:
        """Return the number of checks."""
        return len(self.document.results)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each check, columns as in the result file; raises `MissingPackage`."""
        need("pandas")
        import pandas as pd

        return pd.DataFrame([unstructure_row(record) for record in self.document.results])

    def __repr__(self) -> str:
        return f"<RecordedRun of {len(self)} checks>"

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
        with console.capture() as text:
            summary_table(self.document, console)
        return text.get().strip("\n")

    def _repr_html_(self) -> str:
        return shown(str(self))


def read_run(*files: str | PathLike[str]) -> RecordedRun:
    """Read result files (``veridyn run --json``, ``results.json`` of a report); of several each result counts once.

    Raises
    ------
    ReportError
        If a file cannot be read, is none of these, was changed, or contradicts itself.
    """
    return RecordedRun(read(files))
