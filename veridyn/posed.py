"""What a case asks of a code that is run by hand: one variant, one problem, its checks and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from veridyn.changes import parameters_of, refuse_settings
from veridyn.nearest import did_you_mean
from veridyn.solver.errors import SolverInputError
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.problem.initial_value import InitialValueProblem
from veridyn.solver.problem.mechanical import MechanicalProblem, Problem
from veridyn.validation_cases.core.case import Case, Quantity, Variant
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.runner import Statement
from veridyn.validation_cases.core.subject import Subject

STOP_HISTORIES = {"normal_force": "N", "normal_velocity": "m/s", "gap": "m"}
FRICTION_HISTORIES = {"force": "N", "sliding_velocity": "m/s", "stuck": "", "normal_force": "N"}
DEVICE_HISTORIES = {"force": "N", "elongation": "m"}
SECOND_TANGENT = {"force_2": "N", "sliding_velocity_2": "m/s"}


class PoseError(SolverInputError):
    """A case has no such variant, or nothing is asked of a code in it."""


@dataclass(frozen=True)
class Posed:
    """One problem of a case, as it is put to a code that is run by hand."""

    statement: Statement
    parameters: Mapping[str, str]

    @property
    def case(self) -> Case:
        """The case."""
        return self.statement.case

    @property
    def variant(self) -> Variant:
        """The variant, or the parameter set of the user."""
        return self.statement.variant

    @property
    def problem(self) -> Problem:
        """The problem of the variant."""
        found: Problem = self.statement.problem
        return found

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities that the variant asks for, those included that no history holds."""
        return self.case.asked(self.variant)


def pose(name: str, variant: str | None = None, changes: Mapping[str, str] | None = None) -> Posed:
    """Return what is asked of a code that is run by hand in a variant of a case, some parameters changed.

    Raises what `choose` raises; PoseError if nothing is asked.
    """
    return _asking(choose(name, variant, changes))


def choose(name: str, variant: str | None = None, changes: Mapping[str, str] | None = None) -> Posed:
    """Return a variant of a case, some parameters changed.

    Without a variant: the one with the default parameters. Raises UnknownCase, ParameterError, CertificationError, see
    `load_case` and `parameters_of`; PoseError if there is no such variant; SettingsError if a change is a setting of a
    solver.
    """
    case = load_case(name)
    chosen = variant_of(case, variant)
    if not changes:
        return Posed(Statement(case, chosen), {})
    refuse_settings(changes, Subject.of(SOLVER).known)
    parameters = parameters_of(case, {**(chosen.changes if variant else {}), **changes})
    if (variant and chosen.problem) or not case.asked(chosen):
        raise PoseError(f"the problem of variant {chosen.name} has no parameters to set; leave out --set or --variant")
    return Posed(Statement(case, case.given(parameters) if parameters else chosen), parameters)


def variant_of(case: Case, name: str | None) -> Variant:
    """Return a variant by name; without one that with the default parameters. Raises PoseError for another name."""
    if name is None:
        usual = case.values()
        return next((v for v in case.variants if case.values(v.changes) == usual), case.variants[0])
    known = [variant.name for variant in case.variants]
    if name not in known:
        hint = did_you_mean(name, known, f"known are {', '.join(known)}")
        raise PoseError(f"{case.name} has no variant {name!r}: {hint}")
    return case.variant(name)


def _asking(posed: Posed) -> Posed:
    if not posed.statement.quantities:
        others = ", ".join(v.name for v in posed.case.variants if posed.case.measured(v))
        raise PoseError(f"variant {posed.variant.name} of {posed.case.name} asks nothing of a code; choose {others}")
    return posed


def needed_columns(problem: Problem) -> tuple[str, ...]:
    """Return the columns that a file of histories must have."""
    if isinstance(problem, MechanicalProblem):
        return ("time", *(f"displacement_{name}" for name in problem.coordinates))
    return ("time", *problem.unknowns) if isinstance(problem, InitialValueProblem) else ("time",)


def history_columns(problem: Problem) -> dict[str, str]:
    """Return the columns that a file of histories may have, and their units; states of initial values have none."""
    columns = {"time": "s"}
    if isinstance(problem, InitialValueProblem):
        return columns | dict.fromkeys((*problem.unknowns, "event"), "")
    assert isinstance(problem, MechanicalProblem)
    columns |= {f"displacement_{name}": "m" for name in problem.coordinates}
    columns |= {f"velocity_{name}": "m/s" for name in problem.coordinates}
    for stop in problem.stops:
        columns |= {f"{stop.name}.{history}": unit for history, unit in STOP_HISTORIES.items()}
    for friction in problem.frictions:
        reported = FRICTION_HISTORIES | (SECOND_TANGENT if len(friction.tangents) > 1 else {})
        columns |= {f"{friction.name}.{history}": unit for history, unit in reported.items()}
    for device in problem.devices:
        reported = {**DEVICE_HISTORIES, **device.internal}
        columns |= {f"{device.name}.{history}": unit for history, unit in reported.items()}
    return columns
