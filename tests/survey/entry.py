"""What a survey observes of a parameter set, and how the set ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .attempt import DISAGREE, ERROR, OTHER, OUT_OF_TIME, SOLVERS, UNDEFINED, VALUE

COMPLETE, PARTLY, WHOLLY, REFUSED = "complete", "partly undefined", "undefined", "refused"
ENDS = (COMPLETE, PARTLY, WHOLLY, REFUSED, OUT_OF_TIME, ERROR)


@dataclass
class SetEntry:
    """A parameter set: what its quantities ended as, what solvers said; filled as items come.

    ``ends`` are pairs of end and text by quantity, ``refusal`` why the set was refused, ``held`` how many values a
    solver confirmed or contradicted, ``differences`` lines by solver and quantity, ``doubted`` the same of first
    routes that the second one contradicts (empty: the solver confirms the first), ``silent`` why a solver, or a
    measure, says nothing.
    """

    case: str
    number: int
    parameters: Mapping[str, str]
    ends: dict[str, tuple[str, str]] = field(default_factory=dict)
    refusal: str = ""
    held: dict[str, int] = field(default_factory=dict)
    differences: list[tuple[str, str, str]] = field(default_factory=list)
    doubted: list[tuple[str, str, str]] = field(default_factory=list)
    silent: list[tuple[str, str, str]] = field(default_factory=list)
    seconds: float = 0.0
    trying: str = field(default="", repr=False)

    def take(self, item: Mapping[str, Any]) -> None:
        """Take in an item of `attempt`."""
        if "trying" in item:
            self.trying = str(item["trying"])
        elif "refused" in item:
            self.refusal = str(item["refused"])
        elif "silent" in item:
            self.silent.append((item["silent"], item.get("quantity", ""), item["reason"]))
        elif "doubted" in item:
            self.doubted.append((item["doubted"], item["quantity"], item["differs"]))
        elif "held" in item:
            self.held[item["held"]] = self.held.get(item["held"], 0) + 1
            if item["differs"]:
                self.differences.append((item["held"], item["quantity"], item["differs"]))
        else:
            self.ends[item["quantity"]] = (item["end"], item["text"])
            self.seconds = round(self.seconds + item.get("seconds", 0.0), 2)

    def close(self, ended: str, end: str) -> None:
        """Note that the process ended, or was ended, before the set was done; a solver that did it is silent."""
        if self.trying == SOLVERS:
            self.silent.append(("all", "", ended))
        else:
            self.ends[self.trying] = (end, ended)

    @property
    def end(self) -> str:
        """How the set ended: the worst of its quantities."""
        if self.refusal:
            return REFUSED
        counts = Counter(end for end, _ in self.ends.values())
        for worst in (ERROR, OUT_OF_TIME):
            if counts[worst]:
                return worst
        if not counts[VALUE]:
            return WHOLLY
        return PARTLY if counts[UNDEFINED] or counts[DISAGREE] else COMPLETE

    @property
    def disagreements(self) -> list[str]:
        """The quantities whose routes disagree."""
        return [name for name, (end, _) in self.ends.items() if end == DISAGREE]

    @property
    def reasons(self) -> dict[str, str]:
        """Why quantities have no value, by name; without those that other motions have."""
        return {name: text for name, (end, text) in self.ends.items() if end not in (VALUE, OTHER)}


def write_entry(entry: SetEntry) -> dict[str, Any]:
    """Return what JSON keeps of an entry: how quantities ended, names with one reason together; no values."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for name, (end, text) in entry.ends.items():
        kinds.setdefault((end, "" if end == VALUE else text), []).append(name)
    content = {**vars(entry), "ends": [[*kind, names] for kind, names in kinds.items()], "trying": ""}
    return {name: part for name, part in content.items() if part or name in ("number", "parameters")}


def read_entry(content: Mapping[str, Any]) -> SetEntry:
    """Return an entry from what JSON keeps of it."""
    ends = {name: (end, text) for end, text, names in content.get("ends", ()) for name in names}
    triples = {
        name: [(solver, quantity, text) for solver, quantity, text in content.get(name, ())]
        for name in ("differences", "doubted", "silent")
    }
    return SetEntry(**{**content, "ends": ends, **triples})
