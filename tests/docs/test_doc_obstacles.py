"""The page on obstacles: its program runs, its tables name what there is."""

import re
from pathlib import Path

from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.problem import obstacles, stick_damping
from veridyn.solver.problem.elements import GEOMETRIES

PAGE = (Path(__file__).parents[2] / "docs" / "obstacles.md").read_text(encoding="utf-8")


def test_the_program_runs_and_the_tube_touches_and_sticks():
    names = {}
    exec(re.search(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE).group(1), names)
    response = names["response"]
    assert response.elements["guide"]["normal_force"].max() > 0
    assert {0.0, 1.0} == set(response.elements["rub"]["stuck"])


def test_the_table_names_every_geometry():
    section = PAGE.partition("## Geometries")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `([a-z ]+)` \|", section, flags=re.MULTILINE)) - {"geometry"} == set(GEOMETRIES)


def test_functions_exist():
    for name in re.findall(r"`(\w+)\(", PAGE):
        assert hasattr(obstacles, name) or hasattr(stick_damping, name), name


def test_only_our_integrator_claims_curved_stops():
    tags = {f"contact:{geometry.replace(' ', '-')}" for geometry in GEOMETRIES[1:]}
    assert tags <= SOLVER.capabilities
