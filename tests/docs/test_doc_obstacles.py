"""The program of the page on obstacles runs."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "obstacles.md").read_text(encoding="utf-8")


def test_the_program_runs_and_the_tube_touches_and_sticks():
    names = {}
    exec(re.search(r"^```python\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE).group(1), names)
    response = names["response"]
    assert response.elements["guide"]["normal_force"].max() > 0
    assert {0.0, 1.0} == set(response.elements["rub"]["stuck"])
