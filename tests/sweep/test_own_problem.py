"""A sweep over numbers of a problem of the user: mechanical or initial value, from a Python file or JSON."""

import csv

import numpy as np
import pytest

from veridyn import Change, InitialValueProblem, MechanicalProblem, Mode, Stop

OSCILLATOR = MechanicalProblem(
    name="oscillator",
    mass=1.0,
    stiffness=4.0,
    initial_displacement=[1.0],
    end=1.0,
    stops=Stop("wall", "x1", gap=2.0, stiffness=1e3),
)
BALL = InitialValueProblem(
    name="ball",
    states=("y", "v"),
    parameters={"g": "9.81"},
    modes=(Mode(name="flight", rates=("v", "-g"), events=(Change(name="floor", guard="y", terminal=True),)),),
    initial=(1, 0),
    end=2.0,
)


@pytest.fixture
def own(veridyn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for problem in (OSCILLATOR, BALL):
        (tmp_path / f"{problem.name}.json").write_text(problem.to_json(), encoding="utf-8")
    return lambda *arguments: veridyn("sweep", *arguments, "--in-process", "-n", "1")


@pytest.mark.usefixtures("undrawn")
def test_numbers_of_a_mechanical_problem(own, out):
    over = ("--over", "stiffness[1,1]=1,4,-1e400", "--over", "mass[1,1]=1,0")
    assert own("oscillator.json", *over).status == 2
    seen = own("oscillator.json", "--over", "stiffness[1,1]=1,4", "--over", "mass[1,1]=1,0", "--set", "wall.gap=3",
               "--solver", "exact", "--check", "4", "--output", out.path)  # fmt: skip
    assert (seen.status, seen.err) == (0, "")
    assert (
        "not compared at {'stiffness[1,1]': 1.0, 'mass[1,1]': 0.0, 'wall.gap': 3.0}: the point is refused" in seen.out
    )
    with (out / "sweep.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["outcome"] for row in rows] == ["answered", "refused"] * 2
    np.testing.assert_allclose([float(rows[i]["x1_end [m]"]) for i in (0, 2)], np.cos([1.0, 2.0]), rtol=1e-12)
    assert out.document()["check"]["worst_digits"] > 9


@pytest.mark.usefixtures("undrawn")
def test_a_sweep_of_another_problem_is_not_resumed(own, out, tmp_path):
    arguments = ("ball.json", "--over", "g=1,4,9", "--output", out.path)
    assert own(*arguments).status == 0
    np.testing.assert_allclose(out.table()["floor_first"], np.sqrt(2 / np.array([1, 4, 9])), rtol=1e-6)
    heavier = BALL.to_json().replace('"end": 2.0', '"end": 3.0')
    assert heavier != BALL.to_json()
    (tmp_path / "ball.json").write_text(heavier, encoding="utf-8")
    assert "belongs to another sweep" in own(*arguments, "--resume").err


def test_a_number_that_the_problem_does_not_have(own):
    seen = own("oscillator.json", "--over", "wall.gpa=1,2")
    assert seen.status == 2
    assert seen.err.startswith("veridyn: unknown number 'wall.gpa': did you mean wall.gap?")
