"""The page on random parameters, made from a survey: ``python -m tests.survey.page FILE``."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from veridyn.inputs import InputError, read_text
from veridyn.reports.markdown import escape, table
from veridyn.results import ReportError
from veridyn.run.journal import BROKEN

from .attempt import ERROR, OUT_OF_TIME, UNDEFINED
from .entry import ENDS, SetEntry, read_entry, write_entry

ROOT = Path(__file__).parents[2]
RESULTS, PAGE = "survey.jsonl", "survey.md"
EXPLANATIONS = Path(__file__).with_name("explanations.toml")
LONGEST = 90  # characters of a reason
MOST = 40  # kinds of reasons that are listed

INTRODUCTION = """\
# References at random parameters

At the defaults of every case many have looked. This survey tries parameters that nobody has looked at: those of a
variant, one to three of them changed (half, twice, a tenth, ten times, a millionth, a million times, the other sign,
zero, the value of another), or all of them by factors between a half and two. Rules of parameters are not minded: what
breaks one is to be refused.

A set is *complete* if all quantities that its motion has are given, each by both routes; *partly undefined* or
*undefined* if some or all have a reason instead; *refused* with a reason; *out of time* if a value was not there in
time; in *error* if anything but a refusal was raised. *Disagree* counts quantities whose two routes give two values;
neither is given.

Values are *held* against solvers that share nothing with them: DOP853 of SciPy at a relative tolerance of 1e-12 (to
1e-6 of the scale of a quantity), and the exact solver for piecewise linear problems (to 1e-8). Where the answer changes
with the tolerance by more than that, or depends on the distance of samples, nothing is held.

`tox -e survey`, or `python -m tests.survey.run -n 2 --report DIR`, repeats the survey. It grows: with
`--onto docs/survey.jsonl --seed 11 --minutes 60` a run adds sets to those that stand, many of cheap cases and few of
dear ones, since each case gets the same time; `python -m tests.survey.page DIR/survey.jsonl` writes this page and the
sets that it counts. `tests/survey/explanations.toml` holds why a value differs from a solver's where it rightly does.
Sets of a case that a survey led to mend are tried again (`CASE --again`), and stand in place of those of before."""


@dataclass(frozen=True)
class Explanation:
    """Why a solver differs from a value: of a case, of quantities that match a pattern, of a solver or of all.

    ``parameters``: of the sets with these parameters alone.
    """

    case: str
    quantity: str
    why: str
    solver: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)

    def explains(self, entry: SetEntry, difference: tuple[str, str, str]) -> bool:
        """Tell whether it explains a difference of a set."""
        solver, quantity, _ = difference
        same = all(entry.parameters.get(name) == value for name, value in self.parameters.items())
        here = entry.case == self.case and self.solver in ("", solver) and same
        return here and re.fullmatch(self.quantity, quantity) is not None


def read_explanations() -> list[Explanation]:
    """Return what is explained."""
    content = tomllib.loads(EXPLANATIONS.read_text(encoding="utf-8"))
    return [Explanation(**each) for each in content.get("explanation", [])]


def explain(entry: SetEntry, difference: tuple[str, str, str], explanations: Iterable[Explanation]) -> str:
    """Return why a difference is right; empty if nobody says."""
    return next((each.why for each in explanations if each.explains(entry, difference)), "")


def unexplained(entries: Iterable[SetEntry]) -> list[str]:
    """Return a line for every fault: errors, differences without explanation."""
    explanations, lines = read_explanations(), []
    for entry in entries:
        errors = [f"{name}: {text}" for name, (end, text) in entry.ends.items() if end == ERROR]
        differing = [d for d in entry.differences if not explain(entry, d, explanations)]
        lines += [f"{_name(entry)} {text}" for text in [*errors, *(f"{q}, {s}: {t}" for s, q, t in differing)]]
    return lines


def _name(entry: SetEntry) -> str:
    return f"{entry.case} {entry.number} [{', '.join(f'{n}={v}' for n, v in entry.parameters.items())}]"


def summarise(entries: Sequence[SetEntry]) -> Iterator[str]:
    """Yield what there is to say in a few lines: counts, then a line a fault."""
    counts = Counter(entry.end for entry in entries)
    yield f"{len(entries)} sets: " + ", ".join(f"{counts[end]} {end}" for end in ENDS)
    held = sum((Counter(entry.held) for entry in entries), Counter[str]())
    yield f"held against solvers: {', '.join(f'{n} by {solver}' for solver, n in held.items()) or 'nothing'}"
    yield f"routes disagree: {sum(len(entry.disagreements) for entry in entries)} values"
    yield from unexplained(entries)


def make_page(entries: Sequence[SetEntry], plan: Mapping[str, Any]) -> str:
    """Return the page as Markdown."""
    blocks = [INTRODUCTION, f"Seed {plan['seed']}, {plan['seconds']:g} s a value, {len(entries)} sets."]
    blocks += ["## By case", _cases(entries), *_differences(entries)]
    blocks += _disagreements(entries)
    for end, title in ((ERROR, "Errors"), (OUT_OF_TIME, "Out of time"), (UNDEFINED, "Undefined")):
        blocks += _reasons(
            title, [(e.case, q, text) for e in entries for q, (how, text) in e.ends.items() if how == end]
        )
    blocks += _reasons("Refused", [(e.case, "", e.refusal) for e in entries if e.refusal])
    return "\n\n".join(blocks) + "\n"


def _cases(entries: Sequence[SetEntry]) -> str:
    head = ("Case", "Sets", *(end.capitalize() for end in ENDS), "Disagree", "Held", "Differ")
    names = dict.fromkeys(entry.case for entry in entries)
    rows = [(name, *_count([e for e in entries if e.case == name])) for name in names]
    return table(head, [*rows, ("all", *_count(entries))])


def _count(entries: Sequence[SetEntry]) -> Iterator[str]:
    ends = Counter(entry.end for entry in entries)
    yield str(len(entries))
    yield from (_blank(ends[end]) for end in ENDS)
    yield _blank(sum(len(entry.disagreements) for entry in entries))
    yield _blank(sum(sum(entry.held.values()) for entry in entries))
    yield _blank(sum(len(entry.differences) for entry in entries))


def _blank(count: int) -> str:
    return str(count) if count else ""


def _differences(entries: Sequence[SetEntry]) -> Iterator[str]:
    explanations = read_explanations()
    lines: Counter[tuple[str, str]] = Counter()
    open_: list[str] = []
    for entry in entries:
        for difference in entry.differences:
            why = explain(entry, difference, explanations)
            solver, quantity, text = difference
            if why:
                lines[f"{entry.case}, {quantity}, {solver}", why] += 1
            else:
                open_.append(f"{_name(entry)}, {quantity}, {solver}: {text}")
    if lines:
        yield "## Values that solvers contradict, explained"
        yield table(("Where", "Times", "Why"), [(where, n, why) for (where, why), n in lines.items()])
    if open_:
        yield "## Values that solvers contradict, not explained"
        yield "\n".join(f"* {escape(line)}" for line in open_)


def _disagreements(entries: Sequence[SetEntry]) -> Iterator[str]:
    """Yield which values have two routes that disagree, and what solvers say of the first."""
    rows: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        for name in entry.disagreements:
            verdicts = {solver: differs for solver, quantity, differs in entry.doubted if quantity == name}
            said = [
                f"{solver} {'contradicts' if differs else 'confirms'} the first" for solver, differs in verdicts.items()
            ]
            rows[entry.case, ", ".join(said) or "not held"] += 1
    if rows:
        yield "## Values whose routes disagree"
        yield table(("Case", "Times", "Which route"), [(case, n, said) for (case, said), n in sorted(rows.items())])


def _reasons(title: str, reasons: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield a table of reasons by kind: how often, in how many cases, and the reason with its numbers left out."""
    if not reasons:
        return
    kinds: dict[str, list[str]] = {}
    for case, quantity, text in reasons:
        kinds.setdefault(sort_reason(quantity, text), []).append(case)
    ordered = sorted(kinds.items(), key=lambda kind: -len(kind[1]))
    yield f"## {title}"
    yield table(("Times", "Cases", "Reason"), [(len(c), _which(c), kind) for kind, c in ordered[:MOST]])
    if rest := [case for _, cases in ordered[MOST:] for case in cases]:
        yield f"and {len(rest)} times another reason, of {len(ordered) - MOST} kinds."


def _which(cases: Sequence[str]) -> str:
    names = list(dict.fromkeys(cases))
    return names[0] if len(names) == 1 else f"{len(names)} cases"


_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.]*(?:e[-+]?\d+)?(?:/\d+)?(?!\w)")


def sort_reason(quantity: str, text: str) -> str:
    """Return the kind of a reason: without the name of the quantity before it, without its numbers."""
    said = text.removeprefix(f"{quantity}: ")
    said = re.sub(r"^[^:]{1,40}: (?=nothing more than)", "", said)
    plain = _NUMBER.sub("#", said)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def write_survey(entries: Iterable[SetEntry], plan: Mapping[str, Any]) -> str:
    """Return a survey as text: its plan, then a set a line."""
    lines = [{"plan": dict(plan)}, *map(write_entry, entries)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def read_survey(file: Path) -> tuple[dict[str, Any], list[SetEntry]]:
    """Return plan and entries of a survey. Raises ReportError if the file is none."""
    try:
        first, *lines = read_text(file).splitlines()
        return json.loads(first)["plan"], [read_entry(json.loads(line)) for line in lines]
    except (InputError, *BROKEN) as error:
        raise ReportError(f"{file} is no survey: {error}; give a {RESULTS} that a survey wrote") from None


def main(file: str) -> None:
    """Write the page of the documentation, and the sets that it counts, from a survey."""
    plan, entries = read_survey(Path(file))
    plan = {name: plan[name] for name in ("seed", "seconds")}  # which cases the last run had does not matter
    for name, text in ((PAGE, make_page(entries, plan)), (RESULTS, write_survey(entries, plan))):
        (ROOT / "docs" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
