"""Run the tests that guard each group of rooms, report line and branch coverage, and fail where it is below 95 percent.

Run ``tox -e coverage``; the result is written to `coverage.json` beside this file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import coverage

sys.path.insert(0, str(Path(__file__).parent))
from data import COVERAGE, Covered, Group, read_groups

ROOT = Path(__file__).parents[2]
LEAST = 95.0  # percent of statements and branches


def run_tests(tests: Sequence[str], folder: Path, variables: Mapping[str, str]) -> None:
    """Run tests in a process of their own, which leaves what it covered in a folder; raises if they fail."""
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, **variables, "COVERAGE_FILE": str(folder / "coverage")}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def read_files(folder: Path) -> dict[str, Any]:
    """Return the report of each file that was measured, by its path in the checkout."""
    measured, report = coverage.Coverage(data_file=str(folder / "coverage")), folder / "report.json"
    measured.combine([str(folder)])
    measured.json_report(outfile=str(report))
    files: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["files"]
    return {Path(name).as_posix(): file for name, file in files.items()}


def add_up(group: Group, files: Mapping[str, Any]) -> Covered:
    """Return the coverage of a group."""
    chosen = {name: file for name, file in files.items() if any(fnmatchcase(name, p) for p in group.files)}
    keys = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    sums = [sum(file["summary"][key] for file in chosen.values()) for key in keys]
    missed = {name: file["missing_lines"] for name, file in sorted(chosen.items()) if file["missing_lines"]}
    return Covered(group.name, *sums, missed)


def main() -> None:
    """Run and report all groups."""
    os.chdir(ROOT)  # where coverage finds its configuration
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for group in read_groups():
            run_tests(group.tests, folder, {})
            if group.uncompiled:
                run_tests(group.uncompiled, folder, {"NUMBA_DISABLE_JIT": "1"})
        files = read_files(folder)
    groups = [add_up(group, files) for group in read_groups()]
    COVERAGE.write_text(json.dumps([asdict(group) for group in groups], indent=1) + "\n", encoding="utf-8")
    for group in groups:
        print(f"{group.name}: {group.percent:.1f} % of {group.statements} statements and {group.branches} branches")
        for name, lines in group.missed.items():
            print(f"    {name}: lines {', '.join(map(str, lines))}")
    if low := [group.name for group in groups if group.percent < LEAST]:
        sys.exit(f"below {LEAST:g} %: {', '.join(low)}")


if __name__ == "__main__":
    main()
