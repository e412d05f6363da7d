"""Write docs/mutation.md from what the last runs gave and the reasons for what survives."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from data import (  # noqa: E402 - the folder is no package
    Covered,
    Result,
    read_choices,
    read_coverage,
    read_gaps,
    read_reasons,
    read_results,
    read_subjects,
)

PAGE = HERE.parents[1] / "docs" / "mutation.md"

AROUND = 16  # characters shown beside what differs

HEAD = """# What the tests of veridyn itself detect

## Mutants

References, judgement and post-processing are changed on purpose, one operator or number at a time, by
[Cosmic Ray](https://cosmic-ray.readthedocs.io). A mutant is killed if the quick tests of its module fail.
`tox -e mutation` tries a fixed sample, chosen by a digest of place and operator: up to 25 mutants of each module of the
engine of the references and of judgement, 12 of a measure or of post-processing, 4 of any other reference.
Replacements that no slip of the pen makes are left out, and so are lines that are a matter of choice (below).

"""

COVERED = """## Coverage

`tox -e coverage` runs the tests that guard these rooms and counts lines and branches. It fails where a group is below
95 percent of both together. Kernels in doubles (`references/engine/coarse.py`) are counted uncompiled, in a run of
their own.

"""


def write_table(results: Sequence[Result]) -> Iterator[str]:
    """Yield the table of mutants by module."""
    yield "| module | mutants | of choice | tried | killed |"
    yield "|---|---|---|---|---|"
    for result in results:
        killed = result.tried - len(result.survivors)
        yield f"| `{result.module}` | {result.plausible} | {result.chosen} | {result.tried} | {killed} |"
    tried, alive = sum(r.tried for r in results), sum(len(r.survivors) for r in results)
    yield from ("", f"{tried - alive} of {tried} mutants are killed.", "")


def count_same(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def cut_out(before: str, after: str) -> tuple[str, str]:
    """Return what differs between two lines, with a little on both sides."""
    start = max(0, count_same(before, after) - AROUND)
    end = max(0, count_same(before[start:][::-1], after[start:][::-1]) - AROUND)
    return before[start : len(before) - end].strip(), after[start : len(after) - end].strip()


def write_survivors(results: Sequence[Result]) -> Iterator[str]:
    """Yield what survives: what is changed to what, and the reason."""
    reasons = read_reasons()
    yield from ("## What survives", "")
    for result in results:
        for mutant in result.survivors:
            reason = reasons.get((result.module, mutant.before, mutant.after), "no reason is stated yet")
            where = f"`{result.module}`, `{mutant.function}`" if mutant.function else f"`{result.module}`"
            old, new = cut_out(mutant.before, mutant.after)
            yield f"* {where}: `{old}` becomes `{new}`; {reason}"
    yield ""


def write_choices() -> Iterator[str]:
    """Yield the lines that are a matter of choice, by module."""
    lines: dict[str, list[str]] = {}
    for choice in read_choices():
        lines.setdefault(choice.module, []).append(f"`{choice.line}`")
    yield from ("## Lines that are a matter of choice", "")
    yield from (
        "Whatever they say, what is proved stays proved; `tests/mutation/survivors.toml` has the reason of each.",
        "",
    )
    yield from (f"* `{module}`: {', '.join(begins)}" for module, begins in lines.items())
    yield ""


def write_coverage(groups: Sequence[Covered]) -> Iterator[str]:
    """Yield coverage by group, and its gaps."""
    yield COVERED.rstrip()
    yield from ("", "| group | statements | reached | branches | taken | together |", "|---|---|---|---|---|---|")
    for g in groups:
        yield f"| {g.name} | {g.statements} | {g.reached} | {g.branches} | {g.taken} | {g.percent:.1f} % |"
    yield from ("", "What is left:", "")
    yield from (f"* {place}: {reason}" for place, reason in read_gaps())


def write_waiting(results: Sequence[Result]) -> Iterator[str]:
    """Yield how many modules of each folder the last run left out."""
    done = {result.module for result in results}
    waiting = [Path(subject.module) for subject in read_subjects() if subject.module not in done]
    if waiting:
        counts = Counter(module.parent.as_posix() for module in waiting)
        listed = ", ".join(f"{count} of `{folder}`" for folder, count in counts.items())
        yield from (f"Not tried in the last run: {listed}.", "")


def main() -> None:
    """Write the page."""
    results = read_results()
    parts = (write_table(results), write_waiting(results), write_survivors(results), write_choices())
    lines = [line for part in (*parts, write_coverage(read_coverage())) for line in part]
    PAGE.write_text(HEAD + "\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
