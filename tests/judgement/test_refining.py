"""Runs with another step, from which orders of convergence are read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from veridyn.validation_cases.refining import archived_whole, constant_step, refined

SETTINGS = {"step": 0.5, "points": 7}


@pytest.mark.parametrize(
    ("scheme", "held"), [("newmark", {}), ("devogelaere_adaptive", {"smallest": 1.0, "largest": 1.0})]
)
def test_a_constant_step_is_constant_for_adaptive_schemes_too(make_run, scheme, held):
    run = constant_step(make_run("a", scheme=scheme, **SETTINGS), 0.125)
    assert run.settings == {"scheme": scheme, "step": 0.125, "points": 7, **held}
    assert run.key == "a/h=0.125"


def test_a_refined_step_keeps_stiffness_times_its_square(make_run):
    run = refined(make_run("a", tangential_stiffness=3.0, **SETTINGS), 0.125)
    assert run.settings == {"step": 0.125, "points": 7, "tangential_stiffness": 48.0}
    assert run.settings["tangential_stiffness"] * 0.125**2 == 3.0 * 0.5**2
    assert run.key == "a/h=0.125"


def test_the_run_that_is_refined_stays_as_it_was(make_run):
    run = make_run(scheme="newmark", tangential_stiffness=3.0, **SETTINGS)
    constant_step(run, 0.1), refined(run, 0.1)
    assert (run.settings["step"], run.settings["tangential_stiffness"]) == (0.5, 3.0)


def test_a_whole_archive_has_every_step_of_the_same_problem(make_run):
    asked = replace(make_run("a", **SETTINGS), build=lambda values: replace(free(), output_times=np.array([0.5])))
    free = make_run().build
    run = archived_whole(asked)
    assert run.problem.output_times is None
    assert run.problem.name == free().name
    assert (run.key, run.settings) == ("a/whole", asked.settings)
