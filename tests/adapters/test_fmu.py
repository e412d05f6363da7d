"""Functional mock-up units: written by `export`, read by FMPy, judged as solvers."""

import json
import shutil
import subprocess
import zipfile
from textwrap import dedent

import numpy as np
import pytest

from veridyn.cli.main import main
from veridyn.files.fmu_unit import ORDERS, Unit
from veridyn.problem.as_initial_value import as_initial_value
from veridyn.problem.errors import ProblemError
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.solver.contract.loading import SolverNotFound, load_solver
from veridyn.solver.contract.local_gate import LocalGate
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.judge import judge
from veridyn.validation_cases.judgement.runner import Runner
from veridyn.validation_cases.judgement.subject import Request

fmpy = pytest.importorskip("fmpy", reason="FMPy reads the units: pip install veridyn[fmi]")
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")

VERSIONS = ("2.0", "3.0")
SMOOTH_AND_HYBRID = ("bouncing_ball", "belt_stick_slip", "elastoplastic", "two_state_model", "kepler", "pendulum")
BELOW_TEN_DIGITS = {"rtol": 1e-10}


def written(problem, folder, version="3.0"):
    file = folder / f"{problem.name}.fmu"
    file.write_bytes(Unit(problem, version).archive("{}"))
    return file


def default_problem(name):
    case = load_case(name)
    return case.problem(case.values(case.default_variant.changes))


def chain(**changes):
    """A point that moves at unit speed through guards."""
    given = {
        "name": "passage",
        "states": ("x",),
        "modes": (Mode(name="only", rates=("1",), events=()),),
        "initial": (0,),
        "end": 3.0,
        "output_times": np.linspace(0, 3, 7),
    }
    return InitialValueProblem(**{**given, **changes})


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SMOOTH_AND_HYBRID)
def test_units_follow_the_standard(name, version, tmp_path):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(written(default_problem(name), tmp_path, version))) == []


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["belt_stick_slip", "elastoplastic"])
def test_units_are_judged_as_the_problem_that_they_hold(name, version, tmp_path):
    case = load_case(name)
    variant = case.default_variant
    file = written(case.problem(case.values(variant.changes)), tmp_path, version)
    runner = Runner(LocalGate(load_solver(f"fmu:{file}")), Request(BELOW_TEN_DIGITS))
    asked = checks(case, runner.subject, None, variant.name)
    records = [judge(check, runner) for check in asked if check.layer in ("criterion", "convergence")]
    assert [f"{r.id}: {r.error} {r.detail}" for r in records if r.verdict not in ("pass", "not applicable")] == []
    assert sum(r.verdict == "pass" for r in records) >= 6


@pytest.mark.parametrize("version", VERSIONS)
def test_impacts_are_those_of_the_problem(version, tmp_path):
    case = load_case("bouncing_ball")
    problem = case.problem(case.values({"e": "1"}))
    found = load_solver(f"fmu:{written(problem, tmp_path, version)}").solve(problem, BELOW_TEN_DIGITS)
    fall = np.sqrt(2 / 9.81)
    assert found.events["impact"] == pytest.approx(fall * np.arange(1, 12, 2), rel=1e-7)
    assert found.before["impact"][:, 1] == pytest.approx(-9.81 * fall, rel=1e-6)


@pytest.mark.parametrize(("direction", "count"), [(1, 1), (-1, 0), (0, 1)])
def test_directions_of_guards_count(direction, count, tmp_path):
    crossing = Change(name="passed", guard="x - 1", direction=direction)
    problem = chain(modes=(Mode(name="only", rates=("1",), events=(crossing,)),))
    found = load_solver(f"fmu:{written(problem, tmp_path)}").solve(problem, {})
    assert found.events["passed"] == pytest.approx([1.0] * count, rel=1e-9)


def test_a_guard_that_starts_at_zero_is_passed_when_it_comes_back(tmp_path):
    """Its side is read from its derivatives: the second one here."""
    problem = chain(
        states=("x", "v"),
        modes=(Mode(name="only", rates=("v", "6*t - 2"), events=(Change(name="back", guard="x", direction=1),)),),
        initial=(0, 0),  # x = t^3 - t^2
    )
    assert ORDERS > 2
    found = load_solver(f"fmu:{written(problem, tmp_path)}").solve(problem, {"rtol": 1e-10})
    assert found.events["back"] == pytest.approx([1.0], rel=1e-7)


def test_events_at_one_instant_follow_one_another(tmp_path):
    first = Change(name="first", guard="x - 1", direction=1, mode="second")
    second = Change(name="second_event", guard="x - 1 + y", direction=-1, terminal=True)
    modes = (
        Mode(name="one", rates=("1", "0"), events=(first,)),
        Mode(name="second", rates=("-1", "0"), events=(second,)),
    )
    problem = chain(states=("x", "y"), modes=modes, initial=(0, 0))
    found = load_solver(f"fmu:{written(problem, tmp_path)}").solve(problem, {})
    assert found.events["first"] == pytest.approx([1.0])
    assert found.events["second_event"] == pytest.approx([1.0])
    assert found.time[-1] == pytest.approx(1.0)


def test_the_same_problem_gives_the_same_bytes(tmp_path):
    problem = default_problem("kepler")
    assert written(problem, tmp_path).read_bytes() == Unit(problem, "3.0").archive("{}")


# ---- the command


def test_export_puts_the_certified_reference_into_the_unit(tmp_path, capsys):
    variant = ["--variant", "near_collision"]
    assert main(["export", "kepler", *variant, "--format", "fmu", "--output", str(tmp_path)]) == 0
    file = tmp_path / "kepler.fmu"
    assert capsys.readouterr().out.strip() == str(file)
    with zipfile.ZipFile(file) as archive:
        inside = json.loads(archive.read("extra/org.fmi-standard.fmi-ls-ref/reference.json"))
    assert main(["reference", "kepler", *variant, "--json"]) == 0
    assert inside["quantities"] == json.loads(capsys.readouterr().out)["quantities"]


def test_a_mechanical_case_is_a_unit_by_modes(tmp_path):
    assert main(["export", "sdnd101", "--format", "fmu", "--fmi", "2.0", "--output", str(tmp_path)]) == 0
    case = load_case("sdnd101")
    held = as_initial_value(case.problem(case.values(case.default_variant.changes)))
    found = load_solver(f"fmu:{tmp_path}/{held.name}.fmu").solve(held, BELOW_TEN_DIGITS)
    wanted = load_solver("scipy").solve(held, {"scheme": "DOP853"})
    assert {name: len(times) for name, times in found.events.items()} == {
        name: len(times) for name, times in wanted.events.items()
    }
    for name, times in wanted.events.items():
        assert found.events[name] == pytest.approx(times, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "said"),
    [("pendulum_constrained", "has constraints"), ("sdnd104", "is set-valued: regularise it")],
)
def test_export_says_what_is_no_unit(name, said, capsys, tmp_path):
    assert main(["export", name, "--format", "fmu", "--output", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


def test_a_mass_matrix_is_refused():
    with pytest.raises(ProblemError, match="a mass matrix"):
        Unit(chain(mass=(("2",),)), "3.0")


# ---- units of others

ROTATION = dedent(
    """
    /* co-simulation, FMI 2.0: x'' = -x by the implicit midpoint rule with its own step of 1 ms */
    #include <math.h>
    #include <stdlib.h>
    typedef struct { double v[3]; } M;
    const char *fmi2GetTypesPlatform(void) { return "default"; }
    const char *fmi2GetVersion(void) { return "2.0"; }
    void *fmi2Instantiate(void) { return calloc(1, sizeof(M)); }
    void fmi2FreeInstance(void *m) { free(m); }
    int fmi2SetupExperiment(void) { return 0; }
    int fmi2EnterInitializationMode(void) { return 0; }
    int fmi2ExitInitializationMode(void) { return 0; }
    int fmi2Terminate(void) { return 0; }
    int fmi2GetReal(M *m, const unsigned *r, size_t n, double *o)
    { for (size_t i = 0; i < n; i++) o[i] = m->v[r[i]]; return 0; }
    int fmi2SetReal(M *m, const unsigned *r, size_t n, const double *o)
    { for (size_t i = 0; i < n; i++) m->v[r[i]] = o[i]; return 0; }
    int fmi2DoStep(M *m, double t, double h, int keep) {
      int parts = (int)ceil(h / 1e-3 - 1e-9); double d = h / parts / 2, w2 = m->v[2], s = 1 + d * d * w2;
      for (int i = 0; i < parts; i++) {
        double x = m->v[0], v = m->v[1];
        m->v[0] = ((1 - d * d * w2) * x + 2 * d * v) / s; m->v[1] = ((1 - d * d * w2) * v - 2 * d * w2 * x) / s;
      }
      return 0; }
    """
)
DESCRIPTION = dedent(
    """
    <fmiModelDescription fmiVersion="2.0" modelName="rotation" guid="{1}" generationTool="by hand">
     <CoSimulation modelIdentifier="rotation" canHandleVariableCommunicationStepSize="true"/>
     <ModelVariables>
      <ScalarVariable name="place" valueReference="0" causality="output" variability="continuous" initial="exact">
       <Real start="1"/></ScalarVariable>
      <ScalarVariable name="speed" valueReference="1" causality="output" variability="continuous" initial="exact">
       <Real start="0"/></ScalarVariable>
      <ScalarVariable name="w2" valueReference="2" causality="parameter" variability="fixed" initial="exact">
       <Real start="1"/></ScalarVariable>
     </ModelVariables>
     <ModelStructure><Outputs><Unknown index="1"/><Unknown index="2"/></Outputs></ModelStructure>
    </fmiModelDescription>
    """
).strip()
NOT_USED = """SetDebugLogging Reset
GetInteger GetBoolean GetString SetInteger SetBoolean SetString GetFMUstate SetFMUstate
FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate GetDirectionalDerivative CancelStep GetStatus
SetRealInputDerivatives GetRealOutputDerivatives GetRealStatus GetIntegerStatus GetBooleanStatus GetStringStatus"""
MAP = '[states]\nx = "place"\nv = "speed"\n[parameters]\nk = "w2"\n'


@pytest.fixture
def rotation(tmp_path):
    stubs = "".join(f"int fmi2{name}(void) {{ return 3; }}\n" for name in NOT_USED.split())
    (tmp_path / "r.c").write_text(ROTATION + stubs)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "rotation.so", "r.c", "-lm"], cwd=tmp_path, check=True)
    with zipfile.ZipFile(tmp_path / "rotation.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", DESCRIPTION)
        archive.write(tmp_path / "rotation.so", "binaries/linux64/rotation.so")
    (tmp_path / "map.toml").write_text(MAP)
    return tmp_path


def oscillator(**changes):
    return chain(
        name="oscillator",
        states=("x", "v"),
        parameters={"k": "4"},
        modes=(Mode(name="only", rates=("v", "-k*x"), events=()),),
        initial=("3", "0"),
        **changes,
    )


def test_a_foreign_unit_of_co_simulation_is_stepped(rotation):
    solver = load_solver(f"fmu:{rotation}/rotation.fmu,{rotation}/map.toml")
    found = solver.solve(oscillator(), {"step": 0.05})
    assert found.states[:, 0] == pytest.approx(3 * np.cos(2 * found.time), abs=1e-5)
    assert "by hand; FMI 2.0; FMPy" in solver.version
    assert solver.claims == {}
    assert [level["step"] for level in solver.refinement(oscillator())] == pytest.approx([6e-3, 3e-3, 1.5e-3])


def test_names_that_a_unit_does_not_have_are_not_applicable(rotation):
    solver = load_solver(f"fmu:{rotation}/rotation.fmu")
    with pytest.raises(NotImplementedError, match="no variable for the state x: name it in a map"):
        solver.solve(oscillator(), {})


def test_a_problem_that_starts_elsewhere_is_not_applicable(tmp_path):
    file = written(oscillator(), tmp_path)
    with pytest.raises(NotImplementedError, match="starts from x = 3, not 2"):
        load_solver(f"fmu:{file}").solve(chain(**{**vars_of(oscillator()), "initial": ("2", "0")}), {})
    with pytest.raises(NotImplementedError, match="starts at 0 s, not at 1 s"):
        load_solver(f"fmu:{file}").solve(oscillator(start=1.0, output_times=None), {})


def vars_of(problem):
    return {name: getattr(problem, name) for name in ("name", "states", "parameters", "modes")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[states\n", "cannot be read"),
        ('[forces]\nx = "place"\n', "unknown table forces; known are states, parameters, events"),
        ('[states]\nx = "plaice"\n', "states.x: the unit has no variable 'plaice'"),
    ],
)
def test_a_map_that_does_not_fit_is_said(rotation, text, said):
    (rotation / "map.toml").write_text(text)
    with pytest.raises(SolverNotFound, match=said):
        load_solver(f"fmu:{rotation}/rotation.fmu,{rotation}/map.toml")


def test_what_is_no_unit_is_said(tmp_path):
    (tmp_path / "no.fmu").write_text("nothing")
    with pytest.raises(SolverNotFound, match="is no unit that FMPy reads"):
        load_solver(f"fmu:{tmp_path}/no.fmu")
    with pytest.raises(SolverNotFound, match=r"there is no file gone\.fmu"):
        load_solver("fmu:gone.fmu")
