"""The page of what each case proves, a line a case: ``python docs/proofs_page.py [CASE ...]`` records what it needs.

What modes state, what parameters must meet and what both routes rest on is read off the cases. How a value was proved
and confirmed is known once it is computed: that takes two minutes for all cases, so that it is recorded, and tests
compare it with what is computed anew.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.problem.modes import Mode
from veridyn.references.mechanics.steps import THROUGH
from veridyn.references.problems.hybrid_quantities import PROOF
from veridyn.reports.markdown import escape
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case

RECORDED = Path(__file__).with_name("proofs.json")
DIGITS = 30
HEAD = ("Case", "First route", "Proved besides", "Parameters must meet", "Second route", "Both routes rest on")
LAWS = ("stops", "frictions", "devices")  # of mechanical problems, which pick what follows an event
SAME_MODES = "The second route goes through the modes that the first one has proved."
INTRODUCTION = f"""\
# What each case proves

A line a case. A number in brackets counts quantities.

* **First route**: how values are enclosed, to {DIGITS} digits at the parameters of the variants.
* **Proved besides**: what must hold for the values to be those of the problem as it is stated. Where it does not, a
  value is undefined and says so.
* **Parameters must meet**: what is refused otherwise, besides signs and ranges of single parameters.
* **Second route**: other mathematics, compared with the first whenever a value is asked for. Counts and zeros that
  follow from the structure of a problem have none.
* **Both routes rest on**: what neither of them computes, with the reason. Empty: nothing that we know of.

How the first route proves is told in [References](../references.md).

"""

Routes = list[str]  # of a quantity: the first, and those that confirm it
Entry = dict[str, Routes]


def record(case: Case) -> Entry:
    """Return the routes of each quantity, at the first variant that asks for it and gives it a value."""
    entry: Entry = {}
    for variant in case.variants:
        values = case.values(variant.changes)
        for quantity in case.select_quantities(variant):
            if quantity.name not in entry and (value := quantity.truth(values, DIGITS)).value is not None:
                entry[quantity.name] = list(value.routes)
    return entry


def read_recorded() -> dict[str, Entry]:
    """Return what is recorded, by case."""
    entries: dict[str, Entry] = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    return entries


def write_page(cases: Iterable[Case], recorded: Mapping[str, Entry]) -> str:
    """Return the page: a line a case."""
    lines = [HEAD, ("---",) * len(HEAD), *(write_line(case, recorded[case.name]) for case in cases)]
    return INTRODUCTION + "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def write_line(case: Case, entry: Entry) -> Sequence[str]:
    """Return the cells of a case."""
    firsts = count(first for first, *_ in entry.values())
    seconds = count(route for _, *rest in entry.values() for route in rest)
    rests = [*case.shared, *([SAME_MODES] if any(THROUGH in routes for routes in entry.values()) else [])]
    needed = "; ".join(escape(each.words) if each.words else f"`{each.condition}`" for each in case.requirements)
    is_followed = any(first == PROOF for first, *_ in entry.values())
    proved = "".join(f"{each}. " for each in (*(list_stated(case) if is_followed else ()), *list_premises(case)))
    link = f"[{case.name}](cases/{case.name}.md)"
    return link, escape(firsts), escape(proved), needed, escape(seconds), escape(" ".join(rests))


def count(routes: Iterable[str]) -> str:
    """Return routes with the number of quantities that each has, the most frequent first."""
    return "; ".join(f"{route} ({number})" for route, number in Counter(routes).most_common())


def list_stated(case: Case) -> Iterator[str]:
    """Yield what a case states of its motion, and what is proved where the engine follows it: it reads that problem."""
    problems = [state_problem(case, variant) for variant in case.variants]
    mechanical = [problem for problem in problems if isinstance(problem, MechanicalProblem)]
    laws = [name for name in LAWS if any(getattr(problem, name) for problem in mechanical)]
    if laws:
        yield f"The start, each event, and which place of its {' and '.join(laws)} follows it"
    modes = [problem.modes for problem in problems if isinstance(problem, InitialValueProblem)]
    yield from dict.fromkeys(line for each in modes for line in list_modes(each))


def list_premises(case: Case) -> Iterator[str]:
    """Yield what quantities of a case presume, and what is proved for each of them."""
    premises = dict.fromkeys(each for q in case.quantities for each in q.reference.premises)
    yield from (f"Where quantities need it: {each}" for each in premises)


def state_problem(case: Case, variant: Variant) -> Problem:
    """Return the problem of a variant."""
    return (variant.problem or case.problem)(case.values(variant.changes))


def list_modes(modes: Sequence[Mode]) -> Iterator[str]:
    """Yield what modes state."""
    if any(mode.events for mode in modes):
        yield "Each event is the next one, and no mode begins past one of its events"
    for mode in modes:
        yield from (f"In {mode.name} all along: {each.meaning}" for each in mode.conditions)
        waiting = [event for event in mode.events if event.waits]
        yield from (f"In {mode.name} {event.name} may be past at the start: {event.waits}" for event in waiting)


def main(names: list[str]) -> None:
    """Record some cases, or all."""
    recorded = read_recorded()
    for case in map(load_case, names) if names else all_cases():
        sys.stdout.write(f"{case.name}\n")
        sys.stdout.flush()
        recorded[case.name] = record(case)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(recorded[name])}" for name in sorted(recorded))
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
