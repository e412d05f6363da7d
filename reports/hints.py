"""What failed checks resemble: the patterns that known defects leave, as hints and never as verdicts."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from veridyn.reports.tally import Record, group
from veridyn.reports.teeth import Findings, check_name, side

LEAST = 0.5  # similarity below which nothing is said
MOST = 3  # defects that are named
FILE = "patterns.json"
UNTOLD = ("not applicable", "error")  # verdicts that say nothing of how wrong a number is

Failures = frozenset[str]  # case, check and side of the truth, e.g. "sdnd101 2-shocks-truth:peak_force +"


@dataclass(frozen=True)
class Pattern:
    """What a known defect does to the checks, in one judgement, and the cases on which it was tried."""

    defect: str
    kind: str
    what: str
    failures: Failures
    cases: frozenset[str]


@dataclass(frozen=True)
class Hint:
    """A known defect and how much what failed resembles what it makes fail, from 0 to 1."""

    pattern: Pattern
    similarity: float


def hints(records: Iterable[Record]) -> Iterator[str]:
    """Yield a sentence for each solver (and scheme) whose failures resemble those of known defects."""
    for (solver, scheme), mine in group(records, lambda r: (r["solver"], r["scheme"])).items():
        near = resembling(mine, known()) if any(record["verdict"] == "fail" for record in mine) else []
        if near:
            subject = " ".join(filter(None, (solver, scheme)))
            yield f"hint: what fails with {subject} resembles {'; '.join(map(_text, near))}"


def _text(hint: Hint) -> str:
    pattern = hint.pattern
    return f"{pattern.kind}: {pattern.what.rstrip('.')} ({pattern.defect}, similarity {hint.similarity:.2f})"


def resembling(records: Iterable[Record], patterns: Iterable[Pattern]) -> list[Hint]:
    """Return the known defects whose patterns are nearest, best first; none if nothing resembles.

    Similarity is that of Jaccard, common failures over all failures, among the checks that were asked. A check that
    fails on the other side of the truth is another failure. What fails in a case on which a defect was not tried says
    nothing about it.
    """
    judged = [record for record in records if record["verdict"] not in UNTOLD]
    asked = {_place(record) for record in judged}
    failed = frozenset(_failure(record) for record in judged if record["verdict"] == "fail")
    best: dict[str, Hint] = {}
    for pattern in patterns:
        expected = frozenset(failure for failure in pattern.failures if failure.rpartition(" ")[0] in asked)
        hint = Hint(pattern, jaccard(_within(failed, pattern.cases), expected))
        if hint.similarity >= max(LEAST, best[pattern.defect].similarity if pattern.defect in best else 0.0):
            best[pattern.defect] = hint
    return sorted(best.values(), key=lambda hint: -hint.similarity)[:MOST]


def _within(failures: Failures, cases: frozenset[str]) -> Failures:
    """Return the failures in some cases."""
    return frozenset(failure for failure in failures if failure.partition(" ")[0] in cases)


def jaccard(a: Failures, b: Failures) -> float:
    """Return the number of common elements over that of all, 0 if there are none."""
    return len(a & b) / len(a | b) if a | b else 0.0


def _place(record: Mapping[str, Any]) -> str:
    return f"{record['case']} {check_name(record)}"


def _failure(record: Mapping[str, Any]) -> str:
    return f"{_place(record)} {side(record)}"


@cache
def known() -> tuple[Pattern, ...]:
    """Return the patterns that come with the package."""
    return tuple(patterns_of(json.loads((files("veridyn.reports") / FILE).read_text(encoding="utf-8"))))


def patterns_of(learnt: Mapping[str, Any]) -> Iterator[Pattern]:
    """Yield the patterns of a file that `learn` made."""
    failures = learnt["failures"]
    for row in learnt["patterns"]:
        failed = frozenset(failures[i] for i in row["failures"])
        yield Pattern(row["defect"], row["kind"], row["what"], failed, frozenset(row["cases"]))


def learn(found: Findings) -> dict[str, Any]:
    """Return the patterns of all defects that were caught, a row for each judgement, as JSON can carry them."""
    by_pattern: dict[tuple[str, str], set[str]] = {}
    tried: dict[tuple[str, str], list[str]] = {}
    for run in found["runs"]:
        tried.setdefault((run["defect"], run["judged_by"]), []).append(run["case"])
        failed = {f"{run['case']} {check} {where}" for check, where in run["caught"].items()}
        by_pattern.setdefault((run["defect"], run["judged_by"]), set()).update(failed)
    failures = sorted(set().union(*by_pattern.values()))
    place = {failure: number for number, failure in enumerate(failures)}
    defects = {defect["name"]: defect for defect in found["defects"]}
    rows = [
        {
            "defect": name,
            "kind": defects[name]["kind"],
            "what": defects[name]["what"],
            "judged_by": judged_by,
            "cases": sorted(tried[name, judged_by]),
            "failures": sorted(place[failure] for failure in failed),
        }
        for (name, judged_by), failed in by_pattern.items()
        if failed
    ]
    return {"schema_version": "1.0", "failures": failures, "patterns": rows}


def recognised(patterns: Iterable[Pattern]) -> dict[str, list[tuple[bool, bool]]]:
    """Return, by kind, whether a defect's own kind is that of the nearest other defect, and among the nearest few."""
    everything = list(patterns)
    found: dict[str, list[tuple[bool, bool]]] = {}
    for left_out in everything:
        kinds = [other.kind for other in _nearest_others(left_out, everything)]
        found.setdefault(left_out.kind, []).append((kinds[:1] == [left_out.kind], left_out.kind in kinds))
    return found


def _similarity(one: Pattern, other: Pattern) -> float:
    """Return how alike two patterns are in the cases on which both defects were tried."""
    both = one.cases & other.cases
    return jaccard(_within(one.failures, both), _within(other.failures, both))


def _nearest_others(left_out: Pattern, patterns: list[Pattern]) -> list[Pattern]:
    """Return the patterns of the nearest other defects, each defect once."""
    others = (pattern for pattern in patterns if pattern.defect != left_out.defect)
    best: dict[str, Pattern] = {}
    for other in sorted(others, key=lambda other: -_similarity(left_out, other)):
        best.setdefault(other.defect, other)
    return list(best.values())[:MOST]
