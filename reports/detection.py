"""What mutation analysis found: which seeded faults are detected, by which layer, down to which size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veridyn.reports.markdown import escape, table
from veridyn.reports.tally import group

Findings = Mapping[str, Any]
Entry = Mapping[str, Any]
Key = tuple[str, str]
Fate = Literal["detected", "survived", "hidden", "idle"]

LAYERS = ("criterion", "convergence", "claim", "invariance", "error")
FEW = 3  # checks named in a cell
FATES: Mapping[Fate, str] = {
    "detected": "",
    "survived": "survive",
    "hidden": "cannot be shown, each for the reason stated",
    "idle": "damage nothing in the cases that were tried",
}
"""What may become of a fault, and what is said of those that are not detected."""


@dataclass(frozen=True)
class Tried:
    """A fault, its trials (none where it was not tried), and the search for its smallest size, if there was one."""

    fault: Entry
    trials: list[Entry]
    search: Entry | None

    @property
    def hits(self) -> list[Entry]:
        """The trials in which a check detects it."""
        return [trial for trial in self.trials if trial["found"]]

    @property
    def fate(self) -> Fate:
        """What became of it: ``hidden``, a survivor of which the host shows why; ``idle``, it damages nothing."""
        if self.hits:
            return "detected"
        if any(trial["judged"] for trial in self.trials):
            return "hidden" if self.fault["unseen"] else "survived"
        return "idle"

    @property
    def size(self) -> str:
        """Its size, printed; empty if it has none."""
        return _number(self.fault["size"])

    @property
    def layers(self) -> dict[str, int]:
        """How many checks of each layer detect it."""
        return dict(Counter(layer for trial in self.trials for layer, _ in trial["found"].values()))


def key_of(entry: Entry) -> Key:
    """Return host and name of a fault."""
    return entry["host"], entry.get("fault") or entry["name"]


def tried(found: Findings) -> list[Tried]:
    """Return all faults with what was found of them."""
    trials, searches = group(found["trials"], key_of), {key_of(row): row for row in found["resolution"]}
    keys = {key_of(fault): fault for fault in found["faults"]}
    return [Tried(fault, trials.get(key, []), searches.get(key)) for key, fault in keys.items()]


def _by_host(found: Findings) -> list[tuple[str, list[Tried]]]:
    every = tried(found)
    return [(host, [one for one in every if one.fault["host"] == host]) for host in found["hosts"]]


def survivors(found: Findings, *fates: Fate) -> list[Key]:
    """Return the faults that were judged and not detected: with a reason why no check can, or without."""
    return [key_of(one.fault) for one in tried(found) if one.fate in (fates or ("survived", "hidden"))]


def alarms(found: Findings) -> list[tuple[str, str, str, str]]:
    """Return host, solver, variant and check wherever a check fails without any fault."""
    return sorted({(t["host"], t["solver"], _place(t), check) for t in found["undamaged"] for check in t["found"]})


def joined(documents: Iterable[Findings]) -> dict[str, Any]:
    """Return several result documents as one, with its ``runs``; of a fault that several tried the last one counts."""
    parts = ("trials", "resolution", "undamaged", "faults", "hosts", "cases", "runs")
    found: dict[str, Any] = {part: [] for part in parts}
    for document in documents:
        again = {key_of(fault) for fault in document["faults"]}
        for part in ("faults", "trials", "resolution"):
            found[part] = [entry for entry in found[part] if key_of(entry) not in again] + list(document[part])
        found["undamaged"] += document["undamaged"]
        found["runs"] += _runs(document)
        for part in ("hosts", "cases"):
            found[part] += [name for name in document[part] if name not in found[part]]
        found |= {part: document[part] for part in ("schema_version", "environment")}
    return found


def _runs(found: Findings) -> list[Entry]:
    """Return the environment of every run that a document is made of, with how many faults it tried."""
    return list(found.get("runs", ())) or [{**found["environment"], "faults": len(found["faults"])}]


def summary(found: Findings) -> Iterator[str]:
    """Yield what there is to say in a few sentences, host by host."""
    for host, mine in _by_host(found):
        names = {fate: [one.fault["name"] for one in mine if one.fate == fate] for fate in FATES}
        shown = len(names["detected"]) + len(names["survived"])
        yield f"{host}: {len(names['detected'])} of {shown} faults are detected"
        for fate, said in FATES.items():
            if said and names[fate]:
                yield f"{host}: {len(names[fate])} {said}: {', '.join(names[fate])}"
    failing = {f"{trial['host']} {trial['fault']}" for trial in found["trials"] if trial["broken"]}
    if failing:
        named = ", ".join(sorted(failing))
        yield f"measures of the suite failed on {len(failing)} mutants, which is no detection: {named}"
    if every := alarms(found):
        yield f"{len(every)} checks fail without any fault, and detect none"


def _place(trial: Entry) -> str:
    return " ".join((trial["place"]["case"], trial["place"]["variant"]))


# ---- on a terminal


def show(found: Findings, out: Console) -> None:
    """Print a line a fault, then what survives and what went wrong."""
    lines = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title in ("host", "kind", "fault", "size", "smallest detected", *LAYERS, "where"):
        lines.add_column(title, overflow="fold")
    for one in tried(found):
        named = (one.fault["host"], one.fault["kind"], one.fault["name"], one.size)
        smallest = _number(one.search["detected"]) if one.search else ""
        counts = (str(one.layers.get(layer, "")) for layer in LAYERS)
        cells = (*named, smallest, *counts, ", ".join(map(_place, one.hits)))
        lines.add_row(*(Text(cell, style="" if one.hits else "bold red") for cell in cells))
    out.print(lines)
    out.print(Text("Checks that detect a fault, by layer; empty: none.", style="dim"))
    for sentence in summary(found):
        out.print(Text(sentence))
    for alarm in alarms(found):
        out.print(Text(f"  without fault: {' '.join(alarm)}", style="dim"))


def _number(size: float | None) -> str:
    return "" if size is None else f"{size:g}"


# ---- as a page

INTRODUCTION = """\
# What the checks detect

Written by `veridyn mutation --report`; do not edit. [Mutation analysis](mutation-analysis.md) says what the faults are
and how they are tried.

A fault is seeded into a solver, which goes on claiming what it claims without the fault. It is detected if a check
fails that does not fail without it. It is tried on the cheapest cases that it touches, up to the first one that detects
it, so a count is no measure of how many checks could."""

SEVERAL = """\
**This page is put together from several runs at different commits.** Every fault was tried on the cases and with the
checks of its own run; what came later was not tried on it. Of a fault in several runs the last one counts."""


def page(found: Findings) -> str:
    """Return the page as Markdown."""
    blocks = [INTRODUCTION, *_provenance(found), *_summary(found), *_matrix(found), *_cases(found), *_resolution(found)]
    return "\n\n".join([*blocks, *_survivors(found), *_alarms(found), *_faults(found)]) + "\n"


def _provenance(found: Findings) -> Iterator[str]:
    runs = _runs(found)
    if len(runs) > 1:
        yield SEVERAL
    titles = ("veridyn", "Python", "numpy", "numba", "Machine", "Day", "Commit", "Faults")
    faults: Counter[tuple[str, ...]] = Counter()
    for run in runs:
        faults[_of_run(run)] += run["faults"]
    yield table(titles, [(*run, str(count)) for run, count in faults.items()])


def _of_run(run: Entry) -> tuple[str, ...]:
    versions = (run["veridyn"], run["python"], *(run["packages"][name] for name in ("numpy", "numba")))
    return (*versions, run["machine"], run["date"][:10], run.get("commit", "")[:7])


def _summary(found: Findings) -> Iterator[str]:
    yield "## Summary"
    yield "\n".join(f"* {escape(sentence)}." for sentence in summary(found))


def _matrix(found: Findings) -> Iterator[str]:
    yield "## Detection matrix"
    yield (
        "Of the faults of a kind: how many were tried, how many are detected, and how many of those a layer detects "
        "(among others; *alone*: by no other layer)."
    )
    every = tried(found)
    groups = group(every, lambda one: (one.fault["host"], one.fault["kind"])) | {("all", ""): every}
    rows = [_row(name, [one.layers for one in mine if one.trials]) for name, mine in groups.items()]
    yield table(("Host", "Kind", "Tried", "Detected", *LAYERS), rows)


def _row(name: Key, layers: Sequence[Mapping[str, int]]) -> tuple[str, ...]:
    hit = [found for found in layers if found]
    cells = []
    for layer in LAYERS:
        among, alone = sum(layer in found for found in hit), sum(set(found) == {layer} for found in hit)
        cells.append(f"{among} ({alone} alone)" if alone else str(among or "–"))
    return (*name, str(len(layers)), str(len(hit)), *cells)


def _cases(found: Findings) -> Iterator[str]:
    """Yield which case detects faults of which kind."""
    yield "## Cases"
    yield (
        "How many faults of each kind a case detects, all hosts together. A fault is tried on the cheapest case first "
        "and, unless all are asked for, ends at the first that detects it: what dear cases detect is seen seldom."
    )
    kinds = list(dict.fromkeys(fault["kind"] for fault in found["faults"]))
    hits: Counter[tuple[str, str]] = Counter()
    for one in tried(found):
        hits.update({(trial["place"]["case"], one.fault["kind"]) for trial in one.hits})
    rows = [(case, *(str(hits[case, kind] or "–") for kind in kinds)) for case in sorted({case for case, _ in hits})]
    yield table(("Case", *kinds), rows)


def _resolution(found: Findings) -> Iterator[str]:
    searched = [one for one in tried(found) if one.search]
    hosts = [host for host in found["hosts"] if any(one.fault["host"] == host for one in searched)]
    if not hosts:
        return
    yield "## Resolution"
    yield (
        "Smallest size that is detected, in steps of 1, 3, 10, and in which case; a dash: not tried, or not detected "
        "at its stated size."
    )
    by_name = group(searched, lambda one: (one.fault["name"], one.fault["meaning"]))
    rows = [(*name, *_smallest(mine, hosts)) for name, mine in by_name.items()]
    yield table(("Fault", "Size", *hosts), rows)


def _smallest(faults: Iterable[Tried], hosts: Iterable[str]) -> list[str]:
    """Return the smallest size of a fault that is detected in each host, and where."""
    found = {one.fault["host"]: one.search for one in faults if one.search}
    below = {host: "" if row["survived"] is not None else " (smallest tried)" for host, row in found.items()}
    return [f"{found[h]['detected']:g}{below[h]}, {found[h]['case']}" if h in found else "–" for h in hosts]


def _survivors(found: Findings) -> Iterator[str]:
    yield "## What survives, and what cannot be shown"
    yield "With a reason: the host cannot show it, and no check is missing."
    rows = [
        (*key_of(one.fault), one.fault["what"], one.size, one.fault["unseen"], ", ".join(map(_place, one.trials)))
        for one in tried(found)
        if one.fate in ("survived", "hidden")
    ]
    yield table(("Host", "Fault", "What is wrong", "Size", "Why", "Tried on"), rows) if rows else "Nothing."


def _alarms(found: Findings) -> Iterator[str]:
    every = alarms(found)
    if every:
        yield "## Checks that fail without any fault"
        yield "They detect nothing, and may hide what they would detect."
        yield table(("Host", "Solver", "Variant", "Check"), every)


def _faults(found: Findings) -> Iterator[str]:
    yield "## Faults"
    for host, mine in _by_host(found):
        yield f"### {host}"
        rows = [(f.fault["name"], f.fault["kind"], f.fault["what"], f.size, *_where(f.hits)) for f in mine]
        yield table(("Fault", "Kind", "What is wrong", "Size", "Detected in", "First by"), rows)


def _where(hits: Sequence[Entry]) -> tuple[str, str]:
    if not hits:
        return "–", ""
    checks = list(hits[0]["found"])
    more = [f"{len(checks) - FEW} more"] if len(checks) > FEW else []
    return ", ".join(map(_place, hits)), ", ".join([*checks[:FEW], *more])
