"""The patterns that seeded faults leave: which checks fail. The hints of a report compare failures with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from veridyn.reports.hints import FEWEST, SCHEMA_VERSION, Learnt, Pattern, find_nearest, name_failure, patterns_of
from veridyn.reports.tally import LAYERS
from veridyn.results.grouping import group

from .outcome import Document, Entry, key_of
from .trial import CARD


def learn(document: Document) -> dict[str, Any]:
    """Return the patterns of a study, as JSON can carry them.

    A fault that makes fewer than three checks fail leaves no pattern.
    """
    faults = {key_of(fault): fault for fault in document["faults"]}
    trials = {
        key: mine
        for key, mine in group((t for t in document["trials"] if t["place"]["case"] != CARD.case), key_of).items()
        if sum(len(trial["failures"]) for trial in mine) >= FEWEST
    }
    failures = {key: {name for trial in mine for name in _name_failures(trial)} for key, mine in trials.items()}
    names = sorted(set().union(*failures.values()))
    number = {name: place for place, name in enumerate(names)}
    rows = [
        {
            "host": key[0],
            "fault": key[1],
            "part": faults[key]["part"],
            "what": faults[key]["what"],
            "cases": sorted({trial["place"]["case"] for trial in mine}),
            "failures": sorted(number[name] for name in failures[key]),
        }
        for key, mine in trials.items()
    ]
    learnt = {"schema_version": SCHEMA_VERSION, "failures": names, "patterns": rows, "least": {}}
    return learnt | {"least": find_least(list(patterns_of(msgspec.convert(learnt, Learnt))))}


RIGHT = 0.9  # share of hints that name the right part
TRIALS = 10  # hints of a part, fewer of which prove nothing


def find_least(patterns: Sequence[Pattern]) -> dict[str, float]:
    """Return by part the least similarity from which on nine of ten hints are right; parts without one are left out.

    Each pattern is diagnosed by those of other solvers, since a user's solver left none of them. At least ten hints
    must have been given.
    """
    given: dict[str, list[tuple[float, bool]]] = {}
    for pattern in patterns:
        others = [other for other in patterns if other.host != pattern.host]
        hint = find_nearest(pattern.failures, others)
        if hint:
            given.setdefault(hint.part, []).append((hint.similarity, hint.part == pattern.part))
    least = {part: find_threshold(sorted(trials, reverse=True)) for part, trials in sorted(given.items())}
    return {part: similarity for part, similarity in least.items() if similarity is not None}


def find_threshold(trials: Sequence[tuple[float, bool]]) -> float | None:
    """Return the least similarity such that nine of ten hints of at least that are right; None if there is none."""
    right = 0
    threshold = None
    for count, (similarity, is_right) in enumerate(trials, start=1):
        right += is_right
        is_last = count == len(trials) or trials[count][0] < similarity
        if is_last and count >= TRIALS and right >= RIGHT * count:
            threshold = similarity
    return threshold


def _name_failures(trial: Entry) -> Iterator[str]:
    """Yield what a trial made fail; a check has the name of its record, ``variant-layer:quantity``."""
    case, variant = trial["place"]["case"], trial["place"]["variant"]
    for name, (layer, _) in trial["failures"].items():
        before, colon, after = name.removeprefix(f"{variant}-").partition(":")
        yield name_failure(case, layer, after if colon and before in LAYERS else f"{before}{colon}{after}")
