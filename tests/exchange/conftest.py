"""A foreign code that is run by hand: our own integrator, its results written in somebody else's manner."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from veridyn.run.posed import pose
from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES

FIRST = next(iter(SCHEMES))  # the one whose kernels are compiled anyway


class ByHand:
    """Our integrator as a foreign solver; what it answers is what the results files hold."""

    name, version = "by hand", "1"
    capabilities = frozenset({"mechanical", "multi-dof", "contact", "support-motion", "friction:set-valued"})
    settings: Mapping[str, str] = {"step": "step (s)"}

    def __init__(self):
        self.given = {"scheme": FIRST, "archive_at": "output_times"}

    def solve(self, problem, settings):
        return SOLVER.solve(problem, self.given | settings)


@pytest.fixture
def command(veridyn):
    """Run the command line in this process."""
    return veridyn


@cache
def columns(case, variant, step=None):
    """Columns of histories in SI, by name."""
    problem = pose(case, variant).problem
    response = ByHand().solve(problem, {} if step is None else {"step": step})
    found = {"time [s]": response.time}
    for i, name in enumerate(problem.coordinates):
        found[f"displacement_{name} [m]"] = response.displacement[:, i]
        found[f"velocity_{name} [m/s]"] = response.velocity[:, i]
    units = {"force": "N", "sliding_velocity": "m/s", "stuck": ""}
    for element, histories in response.elements.items():
        for history in histories.keys() & units.keys():
            found[f"{element}.{history} [{units[history]}]"] = histories[history]
    return found


def write(path: Path, header, rows, separator=",", decimal="."):
    """Write a table as text."""
    lines = [separator.join(header)]
    lines += [separator.join(repr(float(x)).replace(".", decimal) for x in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def plain_file(tmp_path):
    """Write the histories of a variant, SI, comma; every ``thin``-th row, of a step."""

    def written(case="sdnd101", variant="2-shocks", *, without=(), thin=1, step=None, name="results.csv"):
        known = columns(case, variant, step)
        found = {heading: c[::thin] for heading, c in known.items() if heading.split()[0] not in without}
        return write(tmp_path / name, found, zip(*found.values(), strict=True))

    return written


@pytest.fixture
def foreign_file(tmp_path):
    """Write the histories of a variant in mm and ms, semicolons, decimal commas, columns backwards, no velocity."""

    def written(case, variant):
        found = {}
        for heading, values in reversed(columns(case, variant).items()):
            name, _, unit = heading.partition(" ")
            if name.startswith("velocity"):
                continue
            milli = unit in ("[s]", "[m]", "[m/s]")
            found[heading.replace("[", "[m") if milli else heading] = values * 1e3 if milli else values
        return write(tmp_path / "results.csv", found, zip(*found.values(), strict=True), ";", ",")

    return written


@pytest.fixture
def table(tmp_path):
    """Write a small text as results file."""

    def written(text, name="results.csv"):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    return written


@pytest.fixture
def by_hand():
    return ByHand
