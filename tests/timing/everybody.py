"""Ours beside all others in six problems, from one run: ``python -m tests.timing.everybody RESULTS.json``.

The results are those of `COMMAND`, where all libraries of solvers that have wheels are installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from veridyn.reports.comparison import quickest
from veridyn.results import WorkPrecisionPoint, read
from veridyn.results.grouping import group

from .storing import Cell, store

DIGITS = (4, 8, 12)
OURS = ("veridyn", "exact")
SIX = ("incline_block", "sdnd101", "shaking_plane", "bouncing_ball", "van_der_pol", "andrews")
OTHERS = ("scipy", "heyoka", "sundials", "sundials_ida", "scipy_dae", "casadi", "exudyn", "mujoco_scene")
COMMAND = " ".join(
    (
        "veridyn run",
        *SIX,
        *(f"--solver {name}" for name in (*OURS, *OTHERS)),
        "--quick --work-precision --json every.json",
    )
)

Points = Sequence[WorkPrecisionPoint]


def compare(points: Points) -> Iterator[tuple[Cell, ...]]:
    """Yield of each number of digits the quickest of ours and of all others, and how many times as long they take."""
    by_case = group(points, lambda point: point.case)
    for case in SIX:
        ours, others = ([p for p in by_case.get(case, []) if (p.solver in OURS) is own] for own in (True, False))
        for digits in DIGITS:
            first, second = _find_quickest(ours, digits), _find_quickest(others, digits)
            ratio = f"{second[0] / first[0]:.2g}" if first and second else "–"
            yield case, digits, *(_describe(each) for each in (first, second)), ratio


def _find_quickest(points: Points, digits: int) -> tuple[float, str] | None:
    """Return the least time (s) to some correct digits, and whose it is; None if nobody reaches them."""
    times = []
    for (solver, scheme), mine in group(points, lambda point: (point.solver, point.scheme)).items():
        time = quickest(mine, digits)
        if time is not None:
            times.append((time, " ".join(filter(None, (solver, scheme)))))
    return min(times, default=None)


def _describe(found: tuple[float, str] | None) -> str:
    return f"{found[1]} {1e3 * found[0]:.3g} ms" if found else "none"


def main() -> None:
    """Print and store the table."""
    rows = list(compare(read([Path(sys.argv[1])]).work_precision))
    print(*rows, sep="\n")
    store("everybody", COMMAND, ("problem", "digits", "ours", "quickest of all others", "times as long"), rows)


if __name__ == "__main__":
    main()
