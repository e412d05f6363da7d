"""How the step of a solver is set: by a setting, by name or as the solver refines it, or by the instants of output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from veridyn.identification.examinee import REFUSED, TOLERANCE_NAMES, Examinee
from veridyn.problem.mechanical import Problem
from veridyn.solver.contract.gate import read_levels
from veridyn.solver.contract.statements import Settings, as_float

STEP_NAMES = ("step", "dt", "h", "time_step", "timestep", "step_size", "stepsize", "delta_t", "max_step")
PROPORTION = 1e-5  # by which settings that go with the step may be rounded
TOO_LONG = 1e9  # periods, or times over 2 pi, a step: then the instants of output cut it


@dataclass(frozen=True)
class StepControl:
    """What sets the step of a solver.

    Attributes
    ----------
    setting
        Its name; empty: the instants of output are the ends of the steps.
    size
        A step (s) that is accepted, where not all are.
    proportional
        Other settings that go with the step, over it.
    constant
        Settings that hold for every step, as the one that turns a step control off.
    share
        The setting that is the step as a part of a period, which is not known here: it is made so large that the
        instants of output set the step.
    """

    setting: str = ""
    size: Fraction = Fraction(1)
    proportional: tuple[tuple[str, float], ...] = ()
    constant: tuple[tuple[str, object], ...] = ()
    share: str = ""

    @property
    def refined(self) -> str:
        """The setting that is refined with the step; empty if that is the output grid."""
        return self.setting or self.share

    @property
    def words(self) -> str:
        """What sets the step."""
        return self.setting or f"the instants of output{self._tell_share()}"

    @property
    def description(self) -> str:
        """The same, as cards of initial value solvers say it."""
        return f"setting {self.setting}" if self.setting else f"output grid{self._tell_share()}"

    def _tell_share(self) -> str:
        return f", with {self.share} = {TOO_LONG:g}" if self.share else ""

    def make_settings(self, size: float) -> Settings:
        """Return the settings for steps of a size (s)."""
        if not self.setting:
            return {**dict(self.constant), **({self.share: TOO_LONG} if self.share else {})}
        others = {name: factor * size for name, factor in self.proportional}
        return {**dict(self.constant), **others, self.setting: size}


def list_controls(examinee: Examinee, problem: Problem, names: Sequence[str] = STEP_NAMES) -> list[StepControl]:
    """Return what may set the step: what the solver refines, what is called like a step, the instants of output.

    What it refines may be a part of a period; no tolerance is a step.
    """
    tolerances = {examinee.claims.tolerance, *TOLERANCE_NAMES}
    declared = {name.lower(): name for name in examinee.declared}
    refined = _read_control(*_refine(examinee, problem))
    plain = [StepControl(declared[name]) for name in names if name in declared]
    settings = [each for each in dict.fromkeys((refined, *plain)) if each.setting]
    settings = [each for each in settings if not {each.setting, each.setting.lower()} & tolerances]
    shares = [StepControl(constant=each.constant, share=each.setting) for each in settings if each == refined]
    return [*settings, StepControl(), *shares]


def find_control(controls: Sequence[StepControl], refuse: Callable[[StepControl], str]) -> StepControl | str:
    """Return the first that sets the step, or why none does; ``refuse`` says why one does not, or nothing."""
    reasons = []
    for control in controls:
        reason = refuse(control)
        if not reason:
            return control
        reasons.append(f"{control.words}: {reason}")
    return "; ".join(dict.fromkeys(reasons))


def _refine(examinee: Examinee, problem: Problem) -> tuple[str, Sequence[Settings]]:
    """Return the setting that the solver itself refines, empty if it states none, and its levels."""
    try:
        refinement = read_levels(examinee.gate, problem, examinee.scheme)
    except REFUSED:
        return "", ()
    return refinement.key, refinement.levels


def _read_control(key: str, levels: Sequence[Settings]) -> StepControl:
    """Return what levels say of the other settings: those in proportion to the step, and those that never change."""
    proportional, constant = [], []
    for name in levels[0] if levels else ():
        values = [level.get(name) for level in levels]
        if all(value == values[0] for value in values):
            constant.append((name, values[0]))
        elif name != key and all(isinstance(value, int | float) for value in values):
            factors = [as_float(level[name]) / as_float(level[key]) for level in levels]
            if max(factors) - min(factors) <= PROPORTION * abs(factors[0]):
                proportional.append((name, factors[0]))
    return StepControl(key, proportional=tuple(proportional), constant=tuple(constant))
