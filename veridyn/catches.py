"""The page on what the suite catches: what a run of `veridyn teeth` gave, from its result file.

>>> python -m veridyn.catches teeth.json docs  # doctest: +SKIP
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from veridyn.reports import hints, teeth, teeth_picture
from veridyn.reports.markdown import escape, table
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks
from veridyn.validation_cases.defects.catalogue import all_defects

PAGE, PICTURE = "what-the-suite-catches.md", "what-the-suite-catches.svg"
FEW = 6  # names in a cell
PACKAGES = ("numpy", "numba")  # whose versions may change what a bite gives

INTRODUCTION = """\
# What the suite catches

Written by `python -m veridyn.catches teeth.json docs`; do not edit. [How the suite is tried](teeth.md) says what the
defects are, how they are judged, and how to try them on cases of your own.

A defect is one of our schemes, or the exact solver, with one small thing wrong. *Theory*: the defect still claims to be
its scheme and gets the tolerances that theory gives that scheme. *Documents*: the same defect around the exact solver,
which claims nothing and gets the tolerances that documents ask for. Frozen values are left out: they see everything,
but only in our own solver.

A defect may have been tried on some of the cases that it touches only (`--most N`), always the same ones, evenly
spread; a check is then asked about fewer defects. What survived that was tried on all the cases that it touches. A bite
is one defect on one case in one judgement; of a bite that was tried again the later run counts. Checks that no case
asks any more are left out."""


def page(found: Mapping[str, Any], folder: str = "images") -> str:
    """Return the page as Markdown; the picture is taken from a folder beside it."""
    blocks = [INTRODUCTION, *_provenance(found), *_summary(found), *_picture(folder)]
    blocks += [*_defects(found), *_checks(found), *_silent(found), *_unseen(found), *_alone(found), *_hints(found)]
    return "\n\n".join(blocks) + "\n"


def _provenance(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield with which versions, when, and in how many runs the bites that count were tried."""
    environments = found.get("environments") or [found["environment"]]
    bites = Counter(run.get("made", 0) for run in found["runs"])
    alike: dict[tuple[str, ...], list[int]] = {}
    for number in sorted(bites):
        alike.setdefault(_versions(environments[number]), []).append(number)
    rows = []
    for versions, numbers in alike.items():
        days = sorted({environments[number]["date"][:10] for number in numbers})
        between = " to ".join(dict.fromkeys((days[0], days[-1])))
        rows.append((*versions, between, str(len(numbers)), str(sum(bites[number] for number in numbers))))
    yield table(("veridyn", "Python", *PACKAGES, "Machine", "Days", "Runs", "Bites"), rows)


def _versions(made: Mapping[str, Any]) -> tuple[str, ...]:
    return (made["veridyn"], made["python"], *(made["packages"][name] for name in PACKAGES), made["machine"])


def _summary(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Summary"
    yield "\n".join(f"* {escape(sentence)}." for sentence in teeth.summary(found))


def _picture(folder: str) -> Iterator[str]:
    yield f"![Matrix of defects and checks]({f'{folder}/' if folder else ''}{PICTURE})"
    yield (
        "Part of the checks of a kind that fail, the darker the more. White: the case has nothing that the defect "
        "damages, or no such check. Grey: asked in vain."
    )


def _defects(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Defects"
    yield (
        "How many checks of each case fail, by theory and (after the bar) by documents; a dash: nothing to damage, or "
        "not tried."
    )
    kind = ""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for defect in found["defects"]:
        kind = defect["kind"]
        cells = (_cell(found, defect["name"], case) for case in found["cases"])
        rows.setdefault(kind, []).append((defect["name"], defect["what"], defect["mistake"], defect["of"], *cells))
    for kind, members in rows.items():
        yield f"### {kind.capitalize()}"
        yield table(("Defect", "What is wrong", "What a user would have done", "Scheme", *found["cases"]), members)


def _cell(found: Mapping[str, Any], defect: str, case: str) -> str:
    counts = {run["judged_by"]: len(run["caught"]) for run in teeth.runs_of(found, defect) if run["case"] == case}
    return " / ".join(str(counts[view]) for view in teeth.VIEWS if view in counts) or "–"


def _checks(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Checks"
    yield f"How many defects each check catches, and the first {FEW} of them."
    caught = teeth.catches(found)
    for case in found["cases"]:
        rows = [
            (check, str(len(names)), ", ".join(names[:FEW]) + (", …" if len(names) > FEW else ""))
            for (of, check), names in caught.items()
            if of == case and names
        ]
        yield f"### {case}"
        yield table(("Check", "Catches", "Defects"), rows)


def _silent(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Checks that catch none of the defects"
    silent = teeth.silent(found)
    yield "A check of parity belongs to one scheme. One that is silent belongs to a scheme that few defects damage."
    yield _listed(silent)
    if unasked := teeth.unasked(found):
        yield "## Checks that no defect was asked"
        yield _listed(unasked)


def _listed(places: Sequence[teeth.Place]) -> str:
    return "\n".join(f"* {escape(case)} {escape(check)}" for case, check in places) or "There is none."


def _unseen(found: Mapping[str, Any]) -> Iterator[str]:
    reasons = teeth.unseen(found)
    if reasons:
        yield "## Defects that documents cannot see"
        yield "Theory catches them; around the exact solver, held to documents, they survive by their nature."
        yield "\n".join(f"* `{name}`: {escape(reason)}" for name, reason in reasons.items())


def _alone(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Defects that one case alone catches"
    rows = [(case, ", ".join(names)) for case, names in sorted(teeth.only_caught_by(found).items())]
    yield table(("Case", "Defects"), rows)


def _hints(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## How well failures tell the kind of a defect"
    yield (
        f"A failed run names up to {hints.MOST} defects whose failures are most like its own. Here each defect is left "
        "out and the nearest others named, by both judgements: how often the first, and any of them, is of the same "
        "kind. Errors of time and of scale look alike whatever their cause."
    )
    told = hints.recognised(hints.patterns_of(hints.learn(found)))
    answers = {**told, "all": [answer for members in told.values() for answer in members]}
    yield table(
        ("Kind", "First", f"Among {hints.MOST}"), [(kind, *_counted(members)) for kind, members in answers.items()]
    )


def _counted(answers: list[tuple[bool, bool]]) -> tuple[str, str]:
    first, any_of_them = (sum(answer[place] for answer in answers) for place in (0, 1))
    return f"{first} of {len(answers)}", f"{any_of_them} of {len(answers)}"


def write(found: Mapping[str, Any], folder: Path, images: str = "") -> Path:
    """Write the page and its picture; returns the page.

    Raises
    ------
    ReportError
        If matplotlib is not installed.
    """
    (folder / images / PICTURE).write_text(teeth_picture.draw(found), encoding="utf-8")
    (folder / PAGE).write_text(page(found, images), encoding="utf-8")
    return folder / PAGE


def asked_today(cases: Iterable[str]) -> set[teeth.Place]:
    """Return case and name of every check that is asked of a scheme that is claimed, or of a foreign solver."""
    subjects = [*(Subject("", (scheme,), own=True) for scheme in SCHEMES), Subject("", ("",), own=False)]
    asked = ((case, checks(load_case(case), subject)) for case in cases for subject in subjects)
    return {(case, teeth.check_name(vars(check))) for case, every in asked for check in every}


def main(*files_and_folder: str) -> None:
    """Write the page of one or more result files into a folder, its picture among the images, and the patterns.

    What no longer exists is left out.
    """
    *results, folder = files_and_folder
    joint = teeth.joined(json.loads(Path(name).read_text(encoding="utf-8")) for name in results)
    found = teeth.current(joint, all_defects(), asked_today(case_names()))
    write(found, Path(folder), "images")
    learnt = json.dumps(hints.learn(found), separators=(",", ":"), allow_nan=False)
    Path(str(files("veridyn.reports") / hints.FILE)).write_text(learnt + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
