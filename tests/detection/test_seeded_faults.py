"""Seeded faults are documented, leave alone what they do not damage, claim what the solver claims, and are detected."""

import importlib
import inspect
import pkgutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from veridyn.mutation import defects
from veridyn.mutation.defects import all_defects
from veridyn.mutation.defects.defect import FEATURES, Defect, Foreign, undamaged
from veridyn.mutation.trials import EXAMPLES, INTEGRATOR, chosen, hosts, load_host
from veridyn.solver.errors import SolverInputError
from veridyn.solver.integrators import kernels
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.solver.loading import SolverNotFound, load_solver
from veridyn.validation_cases.core.catalogue import load_case
from veridyn.validation_cases.core.subject import Subject

KINDS = {"integrator", "contact", "friction", "device", "modal", "seismic", "post-processing", "numerics"}
ANY_KINDS = {"load", "output", "state", "precision", "method"}
HOST_KINDS = ANY_KINDS | {"contact", "friction", "device", "support", "modal"}
EXAMPLE_HOSTS = [name for name in hosts() if name not in (INTEGRATOR, "exact")]
MECHANICAL_HOSTS = [name for name in EXAMPLE_HOSTS if name != "scipy"]


@pytest.mark.parametrize("defect", all_defects().values(), ids=lambda d: d.name)
def test_a_defect_is_documented(defect):
    assert defect.kind in KINDS
    assert defect.what.endswith(".")
    assert defect.scheme in SCHEMES
    assert set(defect.needs) <= set(FEATURES)
    assert defect.name == defect.name.lower()


def test_names_of_defects_are_unique():
    rooms = [importlib.import_module(f"{defects.__name__}.{m.name}") for m in pkgutil.iter_modules(defects.__path__)]
    assert sum(len(vars(room).get("DEFECTS", ())) for room in rooms) == len(all_defects())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_a_defect_that_touches_every_problem(scheme):
    assert [defect for defect in all_defects().values() if defect.scheme == scheme and not defect.needs]


KERNELS = [importlib.import_module(f"{kernels.__name__}.{m.name}") for m in pkgutil.iter_modules(kernels.__path__)]


def signatures(name):
    """Return the names of the arguments of every part of that name."""
    parts = {id(vars(module)[name]): vars(module)[name] for module in KERNELS if name in vars(module)}
    return [list(inspect.signature(part.py_func).parameters) for part in parts.values()]


@pytest.mark.parametrize("defect", [d for d in all_defects().values() if d.parts], ids=lambda d: d.name)
def test_a_part_takes_the_arguments_of_the_one_it_replaces(defect):
    for name, thing in defect.parts.items():
        assert list(inspect.signature(thing.py_func).parameters) in signatures(name)


def short(case_name, scheme):
    case = load_case(case_name)
    problem = case.problem(case.values(case.variants[0].changes))
    settings = {"scheme": scheme, **SOLVER.defaults(problem, scheme)}
    return replace(problem, end=problem.start + 20 * settings["step"], output_times=None), settings


@pytest.mark.parametrize("defect", all_defects().values(), ids=lambda d: d.name)
def test_a_defect_leaves_alone_what_it_does_not_damage(defect):
    for case in ("sdnd101", "sdnd104", "sdld103"):
        problem, settings = short(case, defect.scheme)
        if not defect.touches(problem):
            before, damaged = SOLVER.solve(problem, settings), defect.solve(problem, settings)
            assert np.array_equal(before.displacement, damaged.displacement)


def test_a_rebuilt_kernel_is_the_old_one_where_its_law_has_no_work():
    law = all_defects()["first_contact_step_twice"]
    problem, settings = short("sdld103", law.scheme)
    before, damaged = SOLVER.solve(problem, settings), replace(SOLVER, rebuild=law._rebuild).solve(problem, settings)
    assert np.array_equal(before.displacement, damaged.displacement)


def test_a_defect_claims_what_its_scheme_claims():
    defect = all_defects()["wrong_beta"]
    assert defect.claims == SOLVER.claims("newmark") == undamaged("newmark").claims
    assert Subject.of(defect).claims[""].parameters == {"beta": "1/4", "gamma": "1/2"}


def test_a_defect_states_the_settings_of_its_scheme_and_needs_none():
    defect = all_defects()["gap_sign"]
    problem, settings = short("sdnd101", defect.scheme)
    assert defect.defaults(problem) == {"scheme": defect.scheme, **SOLVER.defaults(problem, defect.scheme)}
    assert [level["scheme"] for level in defect.refinement(problem)] == [defect.scheme] * 4
    given = {name: value for name, value in settings.items() if name != "scheme"}
    assert np.array_equal(defect.solve(problem, given).displacement, defect.solve(problem, settings).displacement)


def test_defects_are_solvers_by_name():
    assert load_solver("veridyn.mutation.defects:gap_sign") is all_defects()["gap_sign"]
    assert load_solver("veridyn.mutation.defects.foreign:gap_sign").claims == {"digits": 12}


@pytest.mark.parametrize("spec", ["defects:gap_sing", "defects.foreign:numerical_damping"])
def test_what_is_no_defect_is_not_found(spec):
    with pytest.raises(SolverNotFound, match="has no attribute"):
        load_solver(f"veridyn.mutation.{spec}")


def test_a_defect_inside_a_scheme_has_no_place_around_the_exact_solver():
    assert not Defect("x", "contact", "what.", parts={"a": 1}).outside
    assert Defect("x", "contact", "what.").outside
    assert set(load_host("exact").faults) == {d.name for d in all_defects().values() if d.outside}
    assert isinstance(load_host("exact").faults["gap_sign"].make(None), Foreign)


# ---- faults of other solvers


@pytest.mark.parametrize("name", EXAMPLE_HOSTS)
def test_faults_of_a_host_are_documented(name):
    host = load_host(name)
    mechanical = name in MECHANICAL_HOSTS
    kinds = HOST_KINDS if mechanical else ANY_KINDS | {"event"}
    assert len(host.faults) >= (50 if mechanical else 20)
    for fault in host.faults.values():
        assert fault.kind in kinds
        assert fault.what.endswith(".")
        sized = fault.size is not None
        assert sized == bool(fault.meaning) == (fault.smallest is not None)
        assert not sized or 0 < fault.smallest < fault.size
    assert {fault.kind for fault in host.faults.values()} == kinds


@pytest.mark.parametrize("name", EXAMPLE_HOSTS)
def test_names_of_the_faults_of_a_host_are_unique(name):
    module = importlib.import_module(Path(load_host(name).place).stem)
    assert len({fault.name for fault in module.FAULTS}) == len(module.FAULTS)


@pytest.mark.parametrize("name", EXAMPLE_HOSTS)
def test_a_mutant_claims_what_its_host_claims(name):
    host = load_host(name)
    (solver,) = host.undamaged.values()
    mechanical = name in MECHANICAL_HOSTS
    for wanted in ("mass", "displacement_size", "velocity_left") if mechanical else ("guard_late", "state_left"):
        mutant = host.faults[wanted].make(1e-3)
        assert (mutant.name, mutant.claims) == (solver.name, solver.claims)


def oscillator():
    return load_case("sdld31").problem(load_case("sdld31").values())


@pytest.mark.skipif(not EXAMPLE_HOSTS, reason="examples are not installed")
def test_a_fault_grows_with_its_size():
    host, problem = load_host("event_driven"), oscillator()
    (solver,) = host.undamaged.values()
    settings = solver.defaults(problem)
    right = solver.solve(problem, settings)["displacement"]
    errors = [
        abs(host.faults["mass"].make(s).solve(problem, settings)["displacement"] - right).max() for s in (1e-5, 1e-4)
    ]
    assert errors[1] == pytest.approx(10 * errors[0], rel=0.05)
    assert errors[0] > 0


@pytest.mark.skipif(not EXAMPLE_HOSTS, reason="examples are not installed")
@pytest.mark.parametrize(("name", "late"), [("guard_late", 1), ("guard_early", -1), ("parameter_too_large", -1)])
def test_an_event_moves_with_the_size_of_its_fault(name, late):
    host, case = load_host("scipy"), load_case("bouncing_ball")
    problem = case.problem(case.values(case.variant("elastic").changes))
    shifts = [
        host.faults[name].make(size).solve(problem, {})["events"]["impact"][0]
        - host.undamaged["scipy"].solve(problem, {})["events"]["impact"][0]
        for size in (1e-5, 1e-4)
    ]
    assert late * shifts[0] > 1e-7
    assert shifts[1] == pytest.approx(10 * shifts[0], rel=0.01)


@pytest.mark.skipif(not EXAMPLE_HOSTS, reason="examples are not installed")
def test_a_fault_in_an_initial_value_problem_is_detected(veridyn):
    seen = veridyn("mutation", "elastoplastic", "--host", "scipy", "--fault", "mode_change_missed", "-n", "1")
    assert (seen.status, "1 of 1 faults are detected" in seen.out) == (0, True)


def test_an_unknown_host_or_fault_gets_a_suggestion():
    with pytest.raises(SolverInputError, match="did you mean integrator"):
        chosen(["integrater"], [])
    with pytest.raises(SolverInputError, match="did you mean gap_sign"):
        chosen([INTEGRATOR], ["gap_sing"])


def test_a_file_without_faults_is_refused(tmp_path):
    file = tmp_path / "faults_nothing.py"
    file.write_text("SOLVER = None\n")
    with pytest.raises(SolverInputError, match="lacks FAULTS"):
        load_host(str(file))


def test_the_examples_are_found_in_a_checkout():
    assert EXAMPLES.is_dir() == bool(EXAMPLE_HOSTS)
