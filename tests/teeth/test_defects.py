"""Deliberate defects are documented, leave alone what they do not damage, and are caught."""

import importlib
import inspect
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

from veridyn.solver import kernels
from veridyn.solver.errors import SolverInputError
from veridyn.solver.loading import SolverNotFound, load_solver
from veridyn.solver.modal import SOLVER
from veridyn.solver.schemes import SCHEMES
from veridyn.teeth import Bite, bites
from veridyn.validation_cases import defects
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.defects.catalogue import UnknownDefect, all_defects, chosen
from veridyn.validation_cases.defects.defect import Defect, Foreign, Sound
from veridyn.validation_cases.defects.features import FEATURES
from veridyn.validation_cases.judge import judge
from veridyn.validation_cases.workbench import Workbench

KINDS = {"integrator", "contact", "friction", "device", "modal", "seismic", "post-processing", "numerics"}

# by case: defects of each sort (problem, response, settings, parts of the kernel) that it catches
SAMPLE = (
    ("sdnd101", "gap_too_wide"),
    ("sdnd101", "state_one_step_late"),
    ("sdnd101", "numerical_damping"),
    ("sdnd101", "first_contact_step_twice"),
    ("sdnd104", "mu_one_percent_low"),
    ("sdnd104", "friction_reported_on_obstacle"),
    ("sdld103", "static_mode_one_percent_high"),
    ("sdld103", "first_participation_turned"),
    ("sdnd105", "crush_forgotten"),
    ("sdnd103", "device_one_step_late"),
    ("sdnd106", "mu_one_percent_low"),
    ("sdld31", "wrong_start"),
    ("damped_stop", "contact_damper_one_percent_high"),
    ("damped_stop", "contact_damper_pulls"),
    ("sdnd105", "step_grows_too_soon"),
    ("sdnd104", "rejected_try_remembered"),
)


def failures(solver, case_name):
    case, bench = load_case(case_name), Workbench(solver)
    records = [judge(check, bench) for check in checks(case, Subject.of(solver))]
    assert len(records) > 10
    return [record for record in records if record.verdict in ("fail", "error")]


@pytest.mark.parametrize("defect", all_defects().values(), ids=lambda d: d.name)
def test_a_defect_is_documented(defect):
    assert defect.kind in KINDS
    assert defect.what.endswith(".")
    assert defect.mistake.endswith(".")
    assert defect.of in SCHEMES
    assert set(defect.needs) <= set(FEATURES)
    assert defect.name == defect.name.lower()


def test_there_are_many_defects_of_every_kind():
    every = all_defects().values()
    assert len(every) >= 60
    assert {defect.kind for defect in every} == KINDS


def test_names_of_defects_are_unique():
    rooms = [importlib.import_module(f"{defects.__name__}.{m.name}") for m in pkgutil.iter_modules(defects.__path__)]
    assert sum(len(vars(room).get("DEFECTS", ())) for room in rooms) == len(all_defects())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_a_defect_that_touches_every_problem(scheme):
    assert [defect for defect in all_defects().values() if defect.of == scheme and not defect.needs]


@pytest.mark.parametrize(("case", "name"), SAMPLE)
def test_a_defect_is_caught(case, name):
    caught = failures(all_defects()[name], case)
    assert caught
    assert not [record.detail for record in caught if " raised " in record.detail]


KERNELS = [importlib.import_module(f"{kernels.__name__}.{m.name}") for m in pkgutil.iter_modules(kernels.__path__)]


def signatures(name):
    """Return the names of the arguments of every part of that name."""
    parts = {id(vars(module)[name]): vars(module)[name] for module in KERNELS if name in vars(module)}
    return [list(inspect.signature(part.py_func).parameters) for part in parts.values()]


@pytest.mark.parametrize("defect", [d for d in all_defects().values() if d.parts], ids=lambda d: d.name)
def test_a_part_takes_the_arguments_of_the_sound_one(defect):
    for name, thing in defect.parts.items():
        assert list(inspect.signature(thing.py_func).parameters) in signatures(name)


@pytest.mark.parametrize(
    ("case", "name"),
    [
        ("sdnd101", "penalty_one_percent_high"),
        ("sdnd101", "end_held"),
        ("damped_stop", "contact_damper_one_percent_high"),
        ("sdnd104", "adherence_flag_late"),
    ],
)
def test_a_defect_around_the_exact_solver_is_caught(case, name):
    assert failures(Foreign(all_defects()[name]), case)


def test_what_is_too_small_for_documents_lies_outside_a_scheme_and_says_why():
    small = [defect for defect in all_defects().values() if defect.unseen]
    assert small
    assert all(defect.outside and defect.unseen.endswith(".") for defect in small)


@pytest.mark.parametrize("case", case_names())
def test_every_case_bites(case):
    assert failures(all_defects()["millimetres"], case)


@pytest.mark.parametrize("scheme", ["symplectic_euler", "newmark"])
def test_a_sound_solver_that_claims_to_be_a_scheme_passes(scheme):
    assert failures(Sound(scheme), "sdnd101") == []


def short(case_name, scheme):
    case = load_case(case_name)
    run = case.run(Subject("", (scheme,), own=True), case.variants[0], scheme)
    return replace(run.problem, end=run.problem.start + 20 * run.settings["step"], output_times=None), run.settings


@pytest.mark.parametrize("defect", all_defects().values(), ids=lambda d: d.name)
def test_a_defect_leaves_alone_what_it_does_not_damage(defect):
    for case in ("sdnd101", "sdnd104", "sdld103"):
        problem, settings = short(case, defect.of)
        if not defect.touches(problem):
            sound, damaged = SOLVER.solve(problem, settings), defect.solve(problem, settings)
            assert np.array_equal(sound.displacement, damaged.displacement)


def test_a_rebuilt_kernel_is_the_sound_one_where_its_law_has_no_work():
    law = all_defects()["first_contact_step_twice"]
    problem, settings = short("sdld103", law.of)
    sound, damaged = SOLVER.solve(problem, settings), replace(SOLVER, rebuild=law._rebuild).solve(problem, settings)
    assert np.array_equal(sound.displacement, damaged.displacement)


def test_defects_are_solvers_by_name():
    assert load_solver("veridyn.validation_cases.defects:gap_sign") is all_defects()["gap_sign"]
    assert load_solver("veridyn.validation_cases.defects.foreign:gap_sign").of == ""


@pytest.mark.parametrize("spec", ["defects:gap_sing", "defects.foreign:numerical_damping"])
def test_what_is_no_defect_is_not_found(spec):
    with pytest.raises(SolverNotFound, match="has no attribute"):
        load_solver(f"veridyn.validation_cases.{spec}")


def test_a_misspelt_defect_gets_a_suggestion():
    with pytest.raises(UnknownDefect, match="did you mean gap_sign"):
        chosen(["gap_sing"])


def test_who_claims_a_scheme_gets_its_settings_but_not_our_frozen_values():
    subject = Subject.of(Sound("newmark"))
    assert (subject.schemes, subject.own, subject.ours) == (("newmark",), True, False)
    kinds = {check.kind for check in checks(load_case("sdnd101"), subject)}
    assert "frozen" not in kinds
    assert "order" in kinds


def test_who_claims_a_scheme_that_does_not_exist_is_refused():
    with pytest.raises(SolverInputError, match="'leapfrog' is no scheme; known: symplectic_euler"):
        Subject.of(Sound("leapfrog"))


def test_a_defect_may_be_tried_on_few_cases_always_the_same():
    late = all_defects()["state_one_step_late"]
    names = ["sdnd101", "sdnd104", "sdld103"]
    few = bites([late], names, most=1)
    assert len(few) == 2
    assert {bite.foreign for bite in few} == {False, True}
    assert few == bites([late], names, most=1) == bites([late], [few[0].case])


def test_only_cases_that_a_defect_touches_are_tried():
    sign = all_defects()["inertia_force_sign"]
    assert bites([sign], ["sdnd101", "sdnd104"]) == [Bite(sign, "sdnd104", False), Bite(sign, "sdnd104", True)]


def test_a_defect_inside_a_scheme_has_no_foreign_side():
    assert not Defect("x", "contact", "what.", "mistake.", parts={"a": 1}).outside
    assert Defect("x", "contact", "what.", "mistake.").outside
