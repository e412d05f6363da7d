"""Runs with another step, as orders of convergence need them."""

from __future__ import annotations

from dataclasses import replace

from veridyn.solver.problem import Problem
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Run, Values


def constant_step(base: Run, step: float) -> Run:
    """Return a run with another step (s), constant also for an adaptive scheme."""
    held = SCHEMES[str(base.settings["scheme"])].constant_step
    return replace(base, key=f"{base.key}/h={step}", settings={**base.settings, "step": step, **held})


def refined(base: Run, step: float) -> Run:
    """Return a run with another step (s), and the penalty stiffness of friction that keeps k_T step² constant."""
    ratio = float(base.settings["step"]) / step
    changed = {"step": step, "tangential_stiffness": base.settings["tangential_stiffness"] * ratio**2}
    return replace(base, key=f"{base.key}/h={step}", settings={**base.settings, **changed})


def archived_whole(base: Run) -> Run:
    """Return a run that keeps every step, whatever instants the case asks for."""

    def build(values: Values) -> Problem:
        return replace(base.build(values), output_times=None)

    return replace(base, key=f"{base.key}/whole", build=build)
