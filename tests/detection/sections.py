"""Sections of the detection page from studies of a part of the faults: ``python -m tests.detection.sections DIR …``.

A study without claims adds to the section on solvers that state nothing, whose trials docs/detection-silent.json
keeps; another one gives that on faults that were tried again after the study of the whole page.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from veridyn.reports.markdown import table
from veridyn.results.grouping import group

from .catalogue import load_hosts
from .outcome import Document, Outcome, find_alarms, join, key_of, read_outcomes
from .page import (
    AGAIN,
    RESULTS,
    ROOT,
    SILENT,
    bullets,
    list_cells,
    list_survivors,
    make_runs,
    summarise_faults,
    write_section,
)
from .study import describe
from .trial import CARD

TRIED_AGAIN = """\
Checks have changed, and cases were added, since the study above. These faults were tried again, at the size of their
row."""
STATES_NOTHING = """\
Most users' solvers state neither claims nor refinement. `python -m tests.detection.study --silent` lets the hosts state
nothing either: first comes the [card](identify.md), a deviation on which is a detection; then cases, by the step, the
order, the tolerance or the digits that the answers showed. Each fault was tried on some ten cases, not on all. Hosts
that are not listed were not tried so."""
CHOSEN = """\
Of these hosts some faults were not tried, as each costs a card and often several cases. The table says which parts of a
code were: a few faults of each as far as the time went, and of those with 0 none."""
STORED = "detection-silent.json"  # in docs: all trials without claims so far


def make_again(document: Document) -> str:
    """Return the section on what was tried again: a row a fault."""
    head = ("Host", "Fault", "Part", "What is wrong", "Size", "Smallest detected", "Layers", "Where", "Checks")
    rows = [list_cells(outcome) for outcome in read_outcomes(document)]
    return _join(AGAIN, TRIED_AGAIN, *make_runs(document), table(head, rows))


def make_silent(document: Document) -> str:
    """Return the section on hosts that state nothing: sums, and every fault that survives, with the reason."""
    outcomes = read_outcomes(document)
    sums = bullets(summarise_faults(document))
    parts = (*_state_parts(outcomes), *_show_places(outcomes), *_survive(outcomes), *_fail_wrongly(document))
    return _join(SILENT, STATES_NOTHING, *make_runs(document), sums, *parts)


def _state_parts(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table of the hosts of which not all faults were tried: how many of each part."""
    tried = Counter((outcome.fault["host"], outcome.fault["part"]) for outcome in outcomes)
    rows = []
    hosts = load_hosts()
    for name in dict.fromkeys(outcome.fault["host"] for outcome in outcomes):
        every = Counter(fault.part for fault in hosts[name].faults) if name in hosts else Counter[str]()
        count = sum(tried[name, part] for part in every)
        parts = ", ".join(f"{part} {tried[name, part]} of {total}" for part, total in every.items())
        rows += [(name, f"{count} of {every.total()}", parts)] if count < every.total() else []
    if rows:
        yield CHOSEN
        yield table(("Host", "Tried", "By part of the code that they damage"), rows)


def _show_places(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a table of where faults were detected: on the card, or in which case first."""
    rows = []
    for host, mine in group(outcomes, lambda o: o.fault["host"]).items():
        cases = Counter(outcome.hit["place"]["case"] for outcome in mine if outcome.hit)
        card = cases.pop(CARD.case, 0)
        rows.append((host, sum(cases.values()) + card, card, ", ".join(f"{n} {c}" for n, c in cases.most_common())))
    yield "Where they were detected first, on the card or in a case:"
    yield table(("Host", "Detected", "On the card", "In a case"), rows)


def _survive(outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield "Every fault of these hosts that survives without claims:"
    yield list_survivors(outcomes) or "None."


def _fail_wrongly(document: Document) -> Iterator[str]:
    alarms = find_alarms(document)
    if alarms:
        yield "Checks that fail without any fault, which are false alarms:"
        yield table(("Host", "Variant", "Check"), alarms)


def _join(*blocks: str) -> str:
    return "\n\n".join(blocks) + "\n"


def with_reasons(document: Document) -> Document:
    """Return a document with the reasons that the catalogue states now, where a fault is still there."""
    stated = {(host.name, fault.name): (host, fault) for host in load_hosts().values() for fault in host.faults}
    silent = document.get("silent", False)
    faults = [
        {**each, "unseen": describe(*stated[key_of(each)], silent=silent)["unseen"]} if key_of(each) in stated else each
        for each in document["faults"]
    ]
    return {**document, "faults": faults}


def main(folders: Sequence[str]) -> None:
    """Write the sections of which there are studies; trials without claims add to those that are kept."""
    texts = [(Path(folder) / RESULTS).read_text(encoding="utf-8") for folder in folders]
    documents = [with_reasons(json.loads(text)) for text in texts]
    silent = [document for document in documents if document.get("silent", False)]
    again = [document for document in documents if not document.get("silent", False)]
    if again:
        write_section(AGAIN, make_again(join(again)))
    if silent:
        write_section(SILENT, make_silent(_store(silent)))


def _store(documents: Sequence[Document]) -> Document:
    """Return all trials without claims so far with those of more studies, and keep them."""
    file = ROOT / "docs" / STORED
    before = [with_reasons(json.loads(file.read_text(encoding="utf-8")))] if file.exists() else []
    joined = join([*before, *documents])
    runs = {json.dumps(run): run for run in joined["runs"]}  # a study that is added again is one study
    document = {**joined, "runs": list(runs.values()), "silent": True}
    file.write_text(json.dumps(document).replace("}, {", "},\n{") + "\n", encoding="utf-8")
    return document


if __name__ == "__main__":
    main(sys.argv[1:])
