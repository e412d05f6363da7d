"""The patterns that seeded faults leave: which checks fail. The hints of a report compare failures with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from veridyn.reports.hints import FEWEST, SCHEMA_VERSION, name_failure
from veridyn.reports.tally import LAYERS, group

from .outcome import Document, Entry, key_of


def learn(document: Document) -> dict[str, Any]:
    """Return the patterns of a study, as JSON can carry them.

    A fault that makes fewer than three checks fail leaves no pattern.
    """
    faults = {key_of(fault): fault for fault in document["faults"]}
    trials = {
        key: mine
        for key, mine in group(document["trials"], key_of).items()
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
    return {"schema_version": SCHEMA_VERSION, "failures": names, "patterns": rows}


def _name_failures(trial: Entry) -> Iterator[str]:
    """Yield what a trial made fail; a check has the name of its record, ``variant-layer:quantity``."""
    case, variant = trial["place"]["case"], trial["place"]["variant"]
    for name, (layer, _) in trial["failures"].items():
        before, colon, after = name.removeprefix(f"{variant}-").partition(":")
        yield name_failure(case, layer, after if colon and before in LAYERS else f"{before}{colon}{after}")
