"""Write docs/mutation.md from the result of the last run and the reasons for what survives."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from selection import subjects  # noqa: E402 - the folder is no package

PAGE = HERE.parents[1] / "docs" / "mutation.md"

HEAD = """# What the tests of veridyn itself detect

The references, the judgement and the post-processing are changed on purpose, one operator or number at a time, by
[Cosmic Ray](https://cosmic-ray.readthedocs.io); a mutant is killed if the quick tests of its module fail.
What survives is listed below with the reason. `tox -e mutation` writes `tests/mutation/result.json` and, from it and
`tests/mutation/survivors.toml`, this page.

It is a fixed sample, chosen by a digest of place and operator: at most 12 mutants of a module of judgement or
post-processing, 4 of a reference, so that a run of all should take about a quarter of an hour on two idle cores.
Replacements that no slip of the pen makes are left out, and so are tests of seconds (`tests/mutation/selection.py`):
what survives here may still be killed by them.

"""


def reasons() -> dict[tuple[str, str, str], str]:
    """Return why a mutant survives, by module, line and mutated line."""
    listed = tomllib.loads((HERE / "survivors.toml").read_text(encoding="utf-8"))["survivor"]
    return {(entry["module"], entry["from"], entry["to"]): entry["reason"] for entry in listed}


def survivors(result: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return module, line and mutated line of all that survive."""
    return [(module, s["from"], s["to"]) for module, found in result.items() for s in found["survivors"]]


def page(result: dict[str, Any], known: dict[tuple[str, str, str], str]) -> str:
    """Return the text of the page; modules that were written since the last run wait for the next one."""
    rows = ["| module | plausible mutants | tried | killed | score |", "|---|---|---|---|---|"]
    for module, found in result.items():
        killed = found["tried"] - len(found["survivors"])
        score = f"{killed / found['tried']:.0%}" if found["tried"] else "–"
        rows.append(f"| `{module}` | {found['plausible']} | {found['tried']} | {killed} | {score} |")
    tried = sum(found["tried"] for found in result.values())
    left = survivors(result)
    rows += ["", f"{tried - len(left)} of {tried} mutants are killed.", "", "## What survives", ""]
    for key in left:
        module, old, new = key
        rows += [f"* `{module}`: {known[key]}", "", "  ```diff", f"  - {old}", f"  + {new}", "  ```", ""]
    waiting = [subject.path for subject in subjects() if subject.path not in result]
    rows += ["## Not tried yet", "", *(f"* `{path}`" for path in waiting)] if waiting else []
    return HEAD + "\n".join(rows).rstrip() + "\n"


def recorded() -> dict[str, Any]:
    """Return the result of the last run."""
    result: dict[str, Any] = json.loads((HERE / "result.json").read_text(encoding="utf-8"))
    return result


if __name__ == "__main__":
    PAGE.write_text(page(recorded(), reasons()), encoding="utf-8")
