"""A problem of the user's own, through the public functions: solved, compared, reported."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import veridyn
from veridyn.api.comparing import SHARED
from veridyn.problem.errors import ProblemError
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.errors import CapabilityError, SettingsError
from veridyn.solver.contract.statements import DERIVATIVES

GRID = np.linspace(0.0, 1.0, 401)


def hammer(**changes):
    given = {
        "mass": 1.0,
        "stiffness": 100.0,
        "end": 1.0,
        "initial_velocity": [2.0],
        "stops": veridyn.Stop("stop", "x1", gap=0.1, stiffness=1e4),
    }
    return veridyn.MechanicalProblem(name="hammer", **{**given, **changes})


def spring(**changes):
    """Return a problem that the exact solver does not take."""
    return hammer(stops=(), devices=veridyn.NonlinearSpring.odd(name="s", direction="x1", coefficients=(0, 1, 0, 1e4)))


class Euler:
    """Symplectic Euler of the hammer, with a stop that is stiffer by a factor."""

    version, capabilities = "1", frozenset({"mechanical", "contact"})
    refinement = tuple({"step": step} for step in (8e-4, 4e-4, 2e-4))

    def __init__(self, factor):
        self.name, self.factor = f"euler{factor}", factor
        self.settings = {"step": "time step (s)"}

    def solve(self, problem, settings):
        h = settings.get("step", 2e-4)
        t = np.linspace(problem.start, problem.end, round((problem.end - problem.start) / h) + 1)
        (stop,), (v,) = problem.stops, problem.initial_velocity
        (k,), (m,) = problem.stiffness[0], problem.mass[0]
        x = problem.initial_displacement[0]
        rows = [(x, v)]
        for _ in t[1:]:
            force = self.factor * stop.stiffness * max(0.0, stop.normal[0] * x - stop.gap)
            v += h / m * (-k * x - stop.normal[0] * force)
            x += h * v
            rows.append((x, v))
        return {"time": t, "displacement": np.array(rows)[:, :1], "velocity": np.array(rows)[:, 1:]}


@pytest.fixture(scope="module")
def solution():
    return veridyn.solve(hammer(), "exact")


def test_names_are_public():
    assert set(veridyn.__all__) == set(dir(veridyn))
    for name in veridyn.__all__:
        assert getattr(veridyn, name)
    with pytest.raises(AttributeError, match="nothing"):
        _ = veridyn.nothing


def test_import_loads_no_numerical_library():
    code = "import sys, veridyn; dir(veridyn); print({'numpy', 'scipy', 'numba', 'mpmath', 'sympy'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_histories_have_names_and_units(solution):
    assert solution["x1"] is solution["displacement_x1"]
    assert solution["stop.normal_force"].max() > 100
    assert solution.units["stop.normal_force"] == "N"
    assert len(solution.events["stop"]) == len([t for t in solution.events["stop"] if t in solution.time])
    with pytest.raises(ProblemError, match=r"'x2'.*x1"):
        _ = solution["x2"]


@pytest.mark.parametrize("solver", ["exact", "veridyn"])
def test_any_grid(solver, solution):
    asked = veridyn.solve(hammer(), solver, times=GRID)
    assert asked.time.tolist() == GRID.tolist()
    assert asked["x1"] == pytest.approx(solution.at(GRID)["x1"], abs=2e-5)
    fine = veridyn.solve(hammer(output_times=GRID), "exact")
    kept = np.isin(fine.time, GRID)
    assert solution.at(GRID)["x1"] == pytest.approx(np.interp(GRID, fine.time[kept], fine["x1"][kept]), abs=1e-6)
    with pytest.raises(ProblemError, match="output_times"):
        solution.at([0.5, 2.0])


def test_settings_and_schemes():
    stepped = veridyn.solve(hammer(), "veridyn", scheme="symplectic_euler", step=1e-3)
    assert stepped.settings == {"scheme": "symplectic_euler", "step": 1e-3}
    assert stepped.time[1] == pytest.approx(1e-3)
    with pytest.raises(SettingsError, match=r"'stepp'.*step"):
        veridyn.solve(hammer(), "veridyn", stepp=1e-3)
    with pytest.raises(CapabilityError, match="device:nonlinear-spring"):
        veridyn.solve(spring(), "exact")


def test_a_problem_prints_as_one_line():
    assert repr(hammer()) == "<MechanicalProblem hammer: x1, stop, 0 s to 1 s>"


def test_tables(solution):
    frame, data = solution.to_pandas(), solution.to_xarray()
    assert frame["displacement_x1"].to_numpy().tolist() == data["displacement"].sel(coordinate="x1").values.tolist()
    assert frame.index.name == "time"
    assert data["stop.normal_force"].attrs["units"] == "N"
    assert data.attrs["solver"] == "exact"


def test_missing_package_is_named(solution, monkeypatch):
    monkeypatch.setattr("veridyn.api.solving.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="xarray"):
        solution.to_xarray()
    assert "<svg" not in solution._repr_html_()


def test_notebook_shows_text_and_plot(solution, tmp_path):
    shown = solution._repr_html_()
    assert "hammer by exact" in shown
    assert "<svg" in shown
    solution.plot("x1", "stop.normal_force").save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.fixture(scope="module")
def compared():
    return veridyn.compare(hammer(), ["exact", "veridyn", Euler(1.0), Euler(1.1)])


def relations(comparison, solver):
    return {a.quantity: a.relation for a in comparison.answers if a.solver == solver}


def test_references_are_proved(compared):
    assert set(compared.sources.values()) == {"proof"}
    assert not compared.unproved
    assert set(relations(compared, "exact").values()) == {"agrees"}
    assert all(reference.radius < 1e-20 for reference in compared.references.values())
    assert {r.verdict for r in compared.records if (r.solver, r.layer) == ("exact", "criterion")} == {"pass"}
    assert float(compared.references["x1_largest"]) == pytest.approx(0.2, rel=1e-15)


def test_without_time_for_proofs_the_exact_solver_is_the_reference():
    compared = veridyn.compare(hammer(), ["exact", "veridyn"], seconds=0)
    assert compared.agreement.endswith(f"; no truth is known of this problem: {SHARED}")
    assert set(compared.unproved.values()) == {"no time is set for proofs"}
    assert set(compared.sources.values()) == {"exact"}
    assert set(relations(compared, "exact").values()) == {"reference"}
    trusted = {r.quantity for r in compared.records if (r.solver, r.layer) == ("exact", "criterion")}
    assert trusted == {"velocity_residual", "stop_force_residual", "position_histories", "rate_histories"}
    assert all(float(r.radius) < 1e-5 * float(r) for r in compared.references.values() if float(r) > 1e-3)


def test_right_solvers_agree_and_a_stop_too_stiff_differs(compared):
    motion = ("x1_end", "x1_rms")
    assert set(relations(compared, "veridyn symplectic_euler").values()) == {"agrees"}
    assert {relations(compared, "euler1.0")[name] for name in motion} == {"agrees"}
    assert {relations(compared, "euler1.1")[name] for name in motion} == {"differs"}
    assert relations(compared, "euler1.1")["stop_impulse"] == "not judged"  # it reports no force
    assert {r.solver for r in compared.failures} == {"euler1.1"}
    assert "euler1.1: convergence x1_end fails: error" in str(compared)


def test_the_sentence_says_what_is_proved(compared):
    assert compared.agreement == "14 of 16 answers agree with the reference; all references are proved"
    assert compared.agreement in compared._repr_html_()
    assert repr(compared) == f"<Comparison of hammer: {compared.agreement}>"
    assert compared._repr_html_().count("<tr>") == 1 + len(compared.references)
    assert "<svg" in compared._repr_html_()
    assert compared.to_pandas().loc[("x1_end", "euler1.1"), "relation"] == "differs"


def test_a_solver_that_lacks_a_history_is_left_out_of_its_panel(compared):
    assert "<svg" in compared.plot("stop.normal_force").svg
    ((_, forces), (_, places)) = compared._panels(["stop.normal_force", "x1"])
    ours = "veridyn symplectic_euler"
    assert [label for label, *_ in forces] == ["exact", ours, f"{ours} - exact"]
    assert {"euler1.1", "euler1.1 - exact"} <= {label for label, *_ in places}
    with pytest.raises(ProblemError, match="no history 'nothing'"):
        compared.plot("nothing")


def test_report_of_a_comparison(compared, tmp_path):
    page = veridyn.report(compared, tmp_path).read_text(encoding="utf-8")
    assert "<h1>Comparison of solvers: " in page
    assert "all references are proved" in page
    assert compared.agreement in page
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert {r["kind"] for r in results["cases"][0]["references"]} == {"quasi-analytical"}
    assert results["figures"]
    run = veridyn.read_run(tmp_path / "results.json")
    frame = run.to_pandas()
    assert len(frame) == len(run) == len(compared.records)
    assert frame["verdict"].tolist() == [record.verdict for record in compared.records]
    assert "euler1.1" in str(run)
    assert run._repr_html_().startswith('<pre style="font-family: monospace">')


@pytest.mark.all_schemes
def test_without_the_exact_solver_the_smallest_uncertainty_is_the_reference():
    found = veridyn.compare(
        spring(),
        ["exact", "veridyn", ("veridyn", {"scheme": "devogelaere"})],
        quantities={"mean": lambda response: response.displacement.mean()},
        layers=("criterion", "convergence"),
    )
    assert found.missing == {"exact": "it does not offer device:nonlinear-spring"}
    assert set(found.sources.values()) <= {"veridyn symplectic_euler", "veridyn devogelaere"}
    assert {a.relation for a in found.answers if a.solver != "exact"} == {"reference", "agrees"}
    assert {r.layer for r in found.records} == {"criterion", "convergence"}
    assert all(reference.radius > 0 for reference in found.references.values())
    terms = [r.terms for r in found.records if r.layer == "convergence" and r.quantity == "x1_end"]
    assert all("uncertainty of the reference" in term for term in terms)


def test_without_levels_there_is_no_reference():
    class Single(Euler):
        refinement, capabilities = (), frozenset({"mechanical", "contact", "device:nonlinear-spring"})

        def solve(self, problem, settings):
            return super().solve(hammer(), settings)

    found = veridyn.compare(spring(), [Single(1.0)], seconds=0)
    assert {a.relation for a in found.answers} == {"not judged"}
    assert "neither the exact solver nor refinement levels" in found.references["x1_end"].routes[0]
    assert "none" in found.table()


@pytest.mark.parametrize(
    ("solvers", "culprit"),
    [([], "one solver or more"), (["exact", "exact"], "exact is given twice"), ([("veridyn", {"dt": 1})], "'dt'")],
)
def test_wrong_comparisons(solvers, culprit):
    with pytest.raises(SettingsError, match=culprit):
        veridyn.compare(hammer(), solvers)


# ---- initial value problems

BALL = veridyn.InitialValueProblem(
    name="ball",
    states=("y", "v"),
    parameters={"g": "9.81", "e": "0.8"},
    modes=(
        veridyn.Mode(
            name="flight",
            rates=("v", "-g"),
            events=(
                veridyn.Change(name="impact", guard="y", direction=-1, reset={"y": 0, "v": "-e*v"}),
                veridyn.Change(name="out", guard="y - 2", direction=1, terminal=True),
            ),
        ),
    ),
    initial=(1, 0),
    end=2.0,
    output_times=np.linspace(0.0, 2.0, 201),
)
PENDULUM = veridyn.InitialValueProblem(
    name="pendulum",
    states=("q", "w"),
    modes=(veridyn.Mode(name="swing", rates=("w", "-sin(q)")),),
    initial=(2, 0),
    end=3.0,
    invariants={"energy": "w**2/2 - cos(q)"},
)


class Misread:
    """SciPy on another problem than the one that is given."""

    version, capabilities, refinement = "1", SCIPY.capabilities - DERIVATIVES, SCIPY.refinement(BALL, "DOP853")
    settings, claims = {"rtol": "relative tolerance", "atol": "absolute tolerance"}, {"tolerance": "rtol"}

    def __init__(self, name, misread):
        self.name, self.misread = name, misread

    def solve(self, problem, settings):
        return SCIPY.solve(self.misread(problem), {"scheme": "DOP853", **settings})


def with_parameters(**changes):
    return lambda problem: replace(problem, parameters={**problem.parameters, **changes})


def test_a_jump_is_no_part_of_a_cubic():
    found = veridyn.solve(BALL, "scipy")
    first = (2 / 9.81) ** 0.5
    about = found.at([first - 1e-3, first, first + 1e-3])
    assert about["v"] == pytest.approx([-9.81 * (first - 1e-3), 0.8 * 9.81 * first, 0.8 * 9.81 * first - 9.81e-3])
    assert about["y"] == pytest.approx([0.5 * 9.81 * (2e-3 * first - 1e-6), 0, 0.8 * 9.81 * first * 1e-3], abs=5e-6)
    assert about.to_pandas()["v"].tolist() == about["v"].tolist()
    assert found.to_xarray()["y"].dims == ("time",)
    with pytest.raises(ProblemError, match="'velocity'"):
        _ = found["velocity"]


def test_nothing_is_read_after_the_end_of_a_motion():
    thrown = veridyn.solve(replace(BALL, initial=(1, 5)), "scipy")
    with pytest.raises(ProblemError, match=r"0\.27\d+ s"):
        thrown.at([0.1, 1.0])


def test_initial_value_problems_are_compared(tmp_path):
    found = veridyn.compare(
        BALL, [Misread("right", lambda p: p), Misread("wrong", with_parameters(e="0.801")), "scipy"]
    )
    after = ("y_end", "y_rms", "v_end", "v_rms", "impact_last")  # nothing is wrong before the first impact
    met = [(relations(found, "wrong")[name], found.sources[name]) for name in after]
    assert all(relation == "differs" or source == "wrong" for relation, source in met)
    assert "wrong" in {r.solver for r in found.failures}
    assert relations(found, "wrong")["impact_first"] != "differs"
    assert not found.unproved
    assert found.references["out_first"].routes == ("out does not happen",)
    assert relations(found, "right")["out_first"] == "not judged"
    assert float(found.references["impact_count"]) == 3
    assert "<svg" in found._repr_html_()
    page = veridyn.report(found, tmp_path).read_text(encoding="utf-8")
    assert "all references are proved" in page


def test_an_invariant_that_drifts_needs_no_other_solver():
    def pushed(problem):
        return replace(problem, modes=(veridyn.Mode(name="swing", rates=("w", "-sin(q) - w/1000000")),))

    found = veridyn.compare(PENDULUM, [Misread("pushed", pushed)], layers=("criterion", "convergence"), seconds=0)
    assert found.sources["energy_drift"] == "statement"
    assert relations(found, "pushed") == {
        **dict.fromkeys(relations(found, "pushed"), "reference"),
        "energy_drift": "differs",
    }
    assert [r.quantity for r in found.failures] == ["energy_drift"]


@pytest.mark.parametrize("use", [lambda p: veridyn.solve(p, "exact"), lambda p: veridyn.compare(p, ["exact"])])
def test_what_is_no_problem_is_refused(use):
    with pytest.raises(ProblemError, match="3"):
        use(3)
