"""The solver of the tutorial with the mistakes that the page makes in it; test_doc_commands runs it without."""

import re
from pathlib import Path

import pytest

from veridyn import verify

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugging-in-a-solver.md").read_text(encoding="utf-8")
JUDGEMENT = (ROOT / "docs" / "judgement.md").read_text(encoding="utf-8")
SHORT = {"v0": "2"}  # the first variant, which is the shorter one; test_doc_commands runs both


def pick(records, quantity):
    return next(record for record in records if record.quantity == quantity)


def describe_convergence(failed):
    found = pick(failed, "flight_duration")
    return (f"{found.value:.10f} s", f"error {found.error:.1e}, admissible {found.tolerance:.1e}")


def describe_invariance(failed):
    detail = pick(failed, "other_units").detail.partition("peak_time_1")[2]
    before, after = (float(number) for number in re.findall(r"\d\.\d+", detail)[:2])
    return (f"peak_time_1 {before:.10g} became {after:.10g}, {detail.partition(', ')[2]}",)


WORKED = {"convergence": describe_convergence, "invariance": describe_invariance}  # as the page on judgement shows them


def code(place=0):
    return re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)[place]


@pytest.fixture
def spec(tmp_path):
    file = tmp_path / "my_solver.py"
    file.write_text(code(), encoding="utf-8")
    return f"{file}:Euler"


def test_the_doctor_knows_a_wrong_sign(spec, veridyn):
    Path(spec.rpartition(":")[0]).write_text(code().replace("force -= n", "force += n"), encoding="utf-8")
    seen = veridyn("doctor", "--solver", spec)
    assert seen.status == 3
    assert "sign of the contact force" in seen.out


def test_its_order_is_the_one_stated_and_it_reports_no_histories(spec):
    records = verify(spec, ["sdnd101"], parameters=SHORT)
    left = {r.quantity for r in records if r.verdict != "pass"}
    assert left == {"stop_force_residual", "position_histories", "rate_histories", "permuted"}
    (order,) = (r for r in records if r.layer == "claim")
    assert f"an observed order of {order.value:.1f}" in PAGE


@pytest.mark.parametrize(
    ("right", "wrong", "layer"),
    [
        ("force = -k * x", "force = -1.0001 * k * x", "convergence"),
        ("max(0.0, -stop.stiffness", "max(0.0, 0.1 - stop.stiffness", "invariance"),
    ],
)
def test_mistakes_below_the_criteria_are_detected(spec, right, wrong, layer):
    assert wrong in PAGE
    assert right in code()
    Path(spec.rpartition(":")[0]).write_text(code().replace(right, wrong), encoding="utf-8")
    failed = [r for r in verify(spec, ["sdnd101"], parameters=SHORT) if r.verdict == "fail"]
    assert {r.layer for r in failed} == {layer}
    assert all(text in JUDGEMENT for text in WORKED[layer](failed))
    for levels in (r.levels for r in failed if (r.layer, r.quantity) == ("convergence", "flight_duration")):
        assert all(f"{level.value:.9g}  " in PAGE for level in levels)


def test_the_initial_value_solver_keeps_its_order(tmp_path):
    file = tmp_path / "my_rates.py"
    file.write_text(code(1), encoding="utf-8")
    records = verify(f"{file}:RungeKutta", ["duffing_free"])
    assert {record.verdict for record in records} <= {"pass", "not applicable"}
    assert any(record.layer == "claim" and record.verdict == "pass" for record in records)


def test_failures_of_criterion_and_claim_are_those_of_the_page_on_judgement(spec, tmp_path):
    (force,) = (
        r
        for r in verify(spec, ["sdnd101"], parameters=SHORT, require="digits=4")
        if r.quantity == "peak_force" and r.layer == "criterion"
    )
    said = f"{force.value:.2f} N where {float(force.reference):.2f} N is true"
    said += f": error {force.error:.1f}, admissible {force.tolerance:.2f}, margin {force.margin:.1f}"
    assert said in JUDGEMENT
    other = tmp_path / "claiming.py"  # the process of the first one has its file
    other.write_text(code().replace('"lag": 0.5', '"lag": 0'), encoding="utf-8")
    (claim,) = (r for r in verify(f"{other}:Euler", ["sdnd101"], parameters=SHORT) if r.verdict == "fail")
    assert (claim.case, claim.layer) == ("identification", "claim")
    assert f"| {claim.detail} |" in JUDGEMENT


def test_the_failure_of_the_baseline_is_that_of_the_page_on_judgement(spec, tmp_path, veridyn):
    chosen = ("sdnd101", "--set", "v0=2", "--solver", spec, "--in-process", "-n", "1")
    assert veridyn("baseline", "save", tmp_path / "base.json", *chosen).status == 0
    Path(spec.rpartition(":")[0]).write_text(code().replace("force = -k", "force = -1.001 * k"), encoding="utf-8")
    seen = veridyn("run", *chosen, "--against", tmp_path / "base.json")
    lost = re.search(r"digits:flight_duration \(baseline\)\n  value +(\S+)\n  reference +(\S+)", seen.out)
    assert f"| {float(lost[1]):.1f} digits, {float(lost[2]):.1f} before |" in JUDGEMENT
