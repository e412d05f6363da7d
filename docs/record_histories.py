"""Record the proved motions that the pages of the cases draw: ``python docs/record_histories.py [CASE ...]``.

Without a name it records what is stale.

The engine of the references reads every curve at each instant. That takes seconds for a case, so that the documentation
is built from what is recorded here, and a test compares the fingerprint of each problem with the recorded one.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from veridyn.api.proving import follow_problem, read_values
from veridyn.problem.mechanical import MechanicalProblem, Problem
from veridyn.references.engine.enclosure import Absent
from veridyn.references.problems.hybrid import MotionQuantities
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case

RECORDED = Path(__file__).with_name("histories.json")
POINTS = 240  # of a curve, evenly spread, besides those beside the events
MOST_EVENTS = 24  # that a picture shows
DIGITS = 12  # that the engine proves of each value
BESIDE = 1e-9  # how far from an event a curve is read on either side, as a share of its length

Entry = dict[str, Any]


def state_problem(case: Case) -> Problem:
    """Return the problem whose motion the page of a case draws: that of the default variant."""
    variant = case.default_variant
    return (variant.problem or case.problem)(case.values(variant.changes))


def fingerprint(case: Case, problem: Problem) -> str:
    """Return a hash of what is drawn: the problem, its numbers to nine digits, and what the case shows of it."""
    shown = case.shown
    stated = {**problem.to_dict(), "output_times": None}
    parts = [stated, shown.curves, shown.portraits, shown.until]
    return hashlib.sha256(json.dumps(round_numbers(parts)).encode()).hexdigest()[:16]


def round_numbers(value: Any) -> Any:
    """Return what JSON holds with its numbers to nine digits: the last ones depend on the machine."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: round_numbers(each) for name, each in value.items()}
    return [round_numbers(each) for each in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class ReadMotion:
    """A proved motion that can be read: its curves by name, at any instant, and its events."""

    read: Callable[[str, float], Any]
    curves: tuple[str, ...]
    events: list[tuple[float, str]]


def follow(case: Case, problem: Problem, until: float) -> ReadMotion:
    """Return the motion of a case up to an instant, by its own reference or from the problem as it is stated."""
    if case.shown.motion is None:
        return follow_stated(case, problem, until)
    motion = case.shown.motion.compute(case.values(case.default_variant.changes), DIGITS)
    changes = [(float(time), name) for time, name in motion.events() if problem.start < time < until]
    return ReadMotion(motion, case.shown.curves, changes)


def follow_stated(case: Case, problem: Problem, until: float) -> ReadMotion:
    """Return the motion that the engine proves of a problem."""
    shortened = replace(problem, end=until, output_times=None)  # beyond, some motions cannot be followed
    motion = follow_problem(shortened)
    values = read_values(problem, motion)
    curves = case.shown.curves or choose_curves(problem, motion)
    names = dict.fromkeys([*curves, *(name for pair in case.shown.portraits for name in pair)])
    keys = {name: f"c{number}" for number, name in enumerate(names)}
    history = motion.history(repr(until), **{key: name for name, key in keys.items()}).compute(values, DIGITS)
    events = motion.events(repr(until)).compute(values)
    return ReadMotion(lambda name, time: history(keys[name], time), curves, list(events))


def choose_curves(problem: Problem, motion: MotionQuantities) -> tuple[str, ...]:
    """Return what is drawn over the time if the case does not say it."""
    states: tuple[str, ...] = motion.problem.states
    if isinstance(problem, MechanicalProblem):
        shown = min(2, problem.size)
        return states[:shown] + states[problem.size : problem.size + shown]
    return states[:2]


def record(case: Case) -> Entry:
    """Return the proved curves and events of a case."""
    problem = state_problem(case)
    until = problem.end if case.shown.until is None else case.shown.until
    motion = follow(case, problem, until)
    events = motion.events[:MOST_EVENTS]
    if len(motion.events) > MOST_EVENTS:
        until = events[-1][0]
    names = dict.fromkeys([*motion.curves, *(name for pair in case.shown.portraits for name in pair)])
    stretches = list(choose_stretches(problem.start, until, [time for time, _ in events]))
    times = [time for stretch in stretches for time in np.linspace(*stretch).tolist()]
    return {
        "fingerprint": fingerprint(case, problem),
        "variant": case.default_variant.name,
        "curves": list(motion.curves),
        "stretches": stretches,
        "values": {name: [read_proved(motion, name, time) for time in times] for name in names},
        "events": [[shorten(time), name] for time, name in events],
    }


def read_proved(motion: ReadMotion, name: str, time: float) -> float | None:
    """Return a curve at an instant; None where nothing is proved of it."""
    try:
        return shorten(motion.read(name, time))
    except Absent:
        return None


def choose_stretches(start: float, end: float, events: list[float]) -> Iterator[tuple[float, float, int]]:
    """Yield first and last instant of each phase, just beside its events, and at how many instants it is read."""
    beside = BESIDE * (end - start)
    edges = [start, *(time for time in dict.fromkeys(events) if start + 4 * beside < time < end - 4 * beside), end]
    for first, last in pairwise(edges):
        if last - first > 4 * beside:
            count = max(4, round(POINTS * (last - first) / (end - start)))
            yield first + beside * (first > start), last - beside, count


def shorten(number: Any) -> float:
    """Return a number to six digits, which is less than the eye can tell."""
    return float(f"{float(number):.6g}")


def read_recorded() -> dict[str, Entry]:
    """Return what is recorded, by case."""
    entries: dict[str, Entry] = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    return entries


def is_current(case: Case, problem: Problem, recorded: dict[str, Entry]) -> bool:
    """Whether what is recorded of a case is what it states today."""
    return case.name in recorded and recorded[case.name]["fingerprint"] == fingerprint(case, problem)


def main(names: list[str]) -> None:
    """Record some cases, or all whose record is stale."""
    recorded = read_recorded()
    stale = (case for case in all_cases() if not is_current(case, state_problem(case), recorded))
    for case in map(load_case, names) if names else stale:
        sys.stdout.write(f"{case.name}\n")
        sys.stdout.flush()
        recorded[case.name] = record(case)
        write(recorded)


def write(recorded: dict[str, Entry]) -> None:
    """Write all entries, one in a line."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(recorded[name])}" for name in sorted(recorded))
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
