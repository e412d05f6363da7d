"""What mutation analysis found: which seeded faults are detected, by which layer, down to which size."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veridyn.reports.markdown import escape, table

Findings = Mapping[str, Any]
Entry = Mapping[str, Any]
Key = tuple[str, str]

LAYERS = ("criterion", "convergence", "claim", "invariance", "error")
FEW = 3  # checks named in a cell


def key_of(entry: Entry) -> Key:
    """Return host and name of a fault."""
    return entry["host"], entry.get("fault") or entry["name"]


def by_fault(found: Findings) -> dict[Key, list[Entry]]:
    """Return the trials of every fault, an empty list where it was not tried."""
    trials: dict[Key, list[Entry]] = {key_of(fault): [] for fault in found["faults"]}
    for trial in found["trials"]:
        trials[key_of(trial)].append(trial)
    return trials


def detected(found: Findings) -> list[Key]:
    """Return the faults that a check detects."""
    return [key for key, trials in by_fault(found).items() if any(trial["found"] for trial in trials)]


def survivors(found: Findings) -> list[Key]:
    """Return the faults that were judged and not detected."""
    return [
        key
        for key, trials in by_fault(found).items()
        if any(trial["judged"] for trial in trials) and not any(trial["found"] for trial in trials)
    ]


def unexplained(found: Findings) -> list[Key]:
    """Return the survivors for which nobody has said why no check can detect them."""
    reasons = {key_of(fault): fault["unseen"] for fault in found["faults"]}
    return [key for key in survivors(found) if not reasons[key]]


def unseen(found: Findings) -> list[Key]:
    """Return those of which the host shows why no check can detect them."""
    return [key for key in survivors(found) if key not in set(unexplained(found))]


def untried(found: Findings) -> list[Key]:
    """Return the faults that damage nothing in the cases, as far as their host solves them."""
    return [
        key for key, trials in by_fault(found).items() if not any(trial["judged"] or trial["found"] for trial in trials)
    ]


def broken(found: Findings) -> list[tuple[Entry, str, str]]:
    """Return trial, check and reason wherever a measure failed on a mutant."""
    return [(trial, check, why) for trial in found["trials"] for check, why in trial["broken"].items()]


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


def layers_of(trials: Iterable[Entry]) -> dict[str, int]:
    """Return how many checks of each layer detect a fault."""
    return dict(Counter(layer for trial in trials for layer, _ in trial["found"].values()))


def summary(found: Findings) -> Iterator[str]:
    """Yield what there is to say in a few sentences, host by host."""
    hit, alive, idle, hidden = (set(kind(found)) for kind in (detected, unexplained, untried, unseen))
    for host in found["hosts"]:
        mine = [key_of(fault) for fault in found["faults"] if fault["host"] == host]
        shown = sum(key not in idle | hidden for key in mine)
        yield f"{host}: {sum(key in hit for key in mine)} of {shown} faults are detected"
        yield from _named(host, "survive", (key for key in mine if key in alive))
        yield from _named(host, "cannot be shown, each for the reason stated", (key for key in mine if key in hidden))
        yield from _named(host, "damage nothing in the cases that were tried", (key for key in mine if key in idle))
    failing = broken(found)
    if failing:
        named = sorted({f"{trial['host']} {trial['fault']}" for trial, _, _ in failing})
        yield f"measures of the suite failed on {len(named)} mutants, which is no detection: {', '.join(named)}"
    if every := alarms(found):
        yield f"{len(every)} checks fail without any fault, and detect none"


def _named(host: str, what: str, keys: Iterable[Key]) -> Iterator[str]:
    names = [name for _, name in keys]
    if names:
        yield f"{host}: {len(names)} {what}: {', '.join(names)}"


def _place(trial: Entry) -> str:
    return " ".join((trial["place"]["case"], trial["place"]["variant"]))


# ---- on a terminal


def show(found: Findings, out: Console) -> None:
    """Print a line a fault, then what survives and what went wrong."""
    lines = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title in ("host", "kind", "fault", "size", "smallest detected", *LAYERS, "where"):
        lines.add_column(title, overflow="fold")
    for fault in found["faults"]:
        cells = _cells(found, fault)
        lines.add_row(*(Text(cell, style="" if cells[-1] else "bold red") for cell in cells))
    out.print(lines)
    out.print(Text("Checks that detect a fault, by layer; empty: none.", style="dim"))
    for sentence in summary(found):
        out.print(Text(sentence))
    for alarm in alarms(found):
        out.print(Text(f"  without fault: {' '.join(alarm)}", style="dim"))


def _cells(found: Findings, fault: Entry) -> tuple[str, ...]:
    trials = [t for t in found["trials"] if key_of(t) == key_of(fault)]
    layers = layers_of(trials)
    where = ", ".join(_place(trial) for trial in trials if trial["found"])
    counts = (str(layers.get(layer, "")) for layer in LAYERS)
    return (
        fault["host"],
        fault["kind"],
        fault["name"],
        _number(fault["size"]),
        _resolved(found, fault),
        *counts,
        where,
    )


def _number(size: float | None) -> str:
    return "" if size is None else f"{size:g}"


def _resolved(found: Findings, fault: Entry) -> str:
    rows = [row for row in found["resolution"] if key_of(row) == key_of(fault)]
    return "".join(_number(row["detected"]) for row in rows)


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
    groups: dict[Key, list[Entry]] = defaultdict(list)
    for fault in found["faults"]:
        groups[fault["host"], fault["kind"]].append(fault)
    trials = by_fault(found)
    tried = {name: [trials[key_of(fault)] for fault in faults] for name, faults in groups.items()}
    rows = [_row(name, [layers_of(mine) for mine in every if mine]) for name, every in tried.items()]
    everything = [layers_of(mine) for mine in trials.values() if mine]
    yield table(("Host", "Kind", "Tried", "Detected", *LAYERS), [*rows, _row(("all", ""), everything)])


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
    trials = by_fault(found)
    for fault in found["faults"]:
        places = (trial["place"]["case"] for trial in trials[key_of(fault)] if trial["found"])
        hits.update({(case, fault["kind"]) for case in places})
    rows = [(case, *(str(hits[case, kind] or "–") for kind in kinds)) for case in sorted({case for case, _ in hits})]
    yield table(("Case", *kinds), rows)


def _resolution(found: Findings) -> Iterator[str]:
    rows: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    hosts = [host for host in found["hosts"] if any(row["host"] == host for row in found["resolution"])]
    if not hosts:
        return
    said = {key_of(fault): fault for fault in found["faults"]}
    for row in found["resolution"]:
        fault = said[key_of(row)]
        below = "" if row["survived"] is not None else " (smallest tried)"
        rows[row["fault"], fault["meaning"]][row["host"]] = f"{row['detected']:g}{below}, {row['case']}"
    yield "## Resolution"
    yield (
        "Smallest size that is detected, in steps of 1, 3, 10, and in which case; a dash: not tried, or not detected "
        "at its stated size."
    )
    lines = [(*fault, *(mine.get(host, "–") for host in hosts)) for fault, mine in rows.items()]
    yield table(("Fault", "Size", *hosts), lines)


def _survivors(found: Findings) -> Iterator[str]:
    yield "## What survives, and what cannot be shown"
    yield "With a reason: the host cannot show it, and no check is missing."
    said = {key_of(fault): fault for fault in found["faults"]}
    trials = by_fault(found)
    rows = [
        (*key, said[key]["what"], _number(said[key]["size"]), said[key]["unseen"], ", ".join(map(_place, trials[key])))
        for key in survivors(found)
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
    trials = by_fault(found)
    for host in found["hosts"]:
        yield f"### {host}"
        rows = [
            (f["name"], f["kind"], f["what"], _number(f["size"]), *_where(trials[key_of(f)]))
            for f in found["faults"]
            if f["host"] == host
        ]
        yield table(("Fault", "Kind", "What is wrong", "Size", "Detected in", "First by"), rows)


def _where(trials: Sequence[Entry]) -> tuple[str, str]:
    hits = [trial for trial in trials if trial["found"]]
    if not hits:
        return "–", ""
    checks = list(hits[0]["found"])
    more = [f"{len(checks) - FEW} more"] if len(checks) > FEW else []
    return ", ".join(map(_place, hits)), ", ".join([*checks[:FEW], *more])
