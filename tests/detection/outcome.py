"""What became of each fault, read from the document of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veridyn.results.grouping import group

from .trial import CARD

Document = Mapping[str, Any]
Entry = Mapping[str, Any]

LAYERS = ("criterion", "convergence", "claim", "invariance", "error", "card")
FATES = {
    "detected": "detected",
    "survived": "survive",
    "unseen": "cannot be shown, for the reason stated",
    "idle": "damage nothing that is tried",
}
"""What may become of a fault, and what is said of several."""


@dataclass(frozen=True)
class Outcome:
    """A fault, its trials (none where no case has what it damages), and its smallest detected size, if sought."""

    fault: Entry
    trials: Sequence[Entry]
    smallest: Entry | None

    @property
    def hit(self) -> Entry | None:
        """The trial that detected it."""
        return next((trial for trial in self.trials if trial["failures"]), None)

    @property
    def layers(self) -> set[str]:
        """The layers that detected it."""
        return {layer for trial in self.trials for layer, _ in trial["failures"].values()}

    @property
    def is_broken(self) -> bool:
        """Whether a measure of the suite failed on it."""
        return any(trial["broken"] for trial in self.trials)

    @property
    def fate(self) -> str:
        """What became of it, one of `FATES`."""
        if self.hit:
            return "detected"
        cases = (trial for trial in self.trials if trial["place"]["case"] != CARD.case)
        if any(trial["judged"] or trial["broken"] for trial in cases):
            return "unseen" if self.fault["unseen"] else "survived"
        return "idle"


def key_of(entry: Entry) -> tuple[str, str]:
    """Return host and name of a fault."""
    return entry["host"], entry.get("fault") or entry["name"]


def read_outcomes(document: Document) -> list[Outcome]:
    """Return what became of all faults."""
    trials, smallest = group(document["trials"], key_of), {key_of(row): row for row in document["smallest"]}
    faults = {key_of(fault): fault for fault in document["faults"]}
    return [Outcome(fault, trials.get(key, []), smallest.get(key)) for key, fault in faults.items()]


def find_alarms(document: Document) -> list[tuple[str, str, str]]:
    """Return host, variant and check wherever a check fails without any fault."""
    return sorted({(t["host"], place_of(t), check) for t in document["sound"] for check in t["failures"]})


def place_of(trial: Entry) -> str:
    """Return case and variant of a trial."""
    return f"{trial['place']['case']} {trial['place']['variant']}"


def join(documents: Iterable[Document]) -> dict[str, Any]:
    """Return the documents of several studies as one: of what several tried, fault or sound host, the last counts."""
    parts = ("trials", "smallest", "sound", "faults", "cases", "runs")
    joined: dict[str, Any] = {part: [] for part in parts}
    for document in documents:
        again = {key_of(fault) for fault in document["faults"]}
        for part in ("faults", "trials", "smallest"):
            joined[part] = [entry for entry in joined[part] if key_of(entry) not in again] + list(document[part])
        renewed = {(t["host"], place_of(t)) for t in document["sound"]}
        joined["sound"] = [t for t in joined["sound"] if (t["host"], place_of(t)) not in renewed] + document["sound"]
        joined["runs"] += document["runs"]
        joined["cases"] += [name for name in document["cases"] if name not in joined["cases"]]
        joined["schema_version"] = document["schema_version"]
    return joined
