"""Try random parameters on every case: ``python -m tests.survey.run``, from the root of the checkout."""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, cast

from veridyn.outputs import open_folder
from veridyn.problem.errors import SolverInputError
from veridyn.reports.writer import save_all
from veridyn.results import ReportError
from veridyn.run.exit_code import ExitCode
from veridyn.run.journal import Found, journal
from veridyn.run.screen import bar
from veridyn.run.workers import PULSE, Job, Worker
from veridyn.validation_cases.judgement.catalogue import UnknownCase, case_names, load_case

from .attempt import ERROR, OUT_OF_TIME, attempt
from .drawing import draw_parameters
from .entry import SetEntry, read_entry, write_entry
from .holding import HOLDERS, Item
from .mechanics import NAME as MECHANICAL
from .mechanics import attempt_problem, describe_problem, draw_problem
from .page import PAGE, RESULTS, make_page, read_survey, summarise, unexplained, write_survey

MEMORY = 6 << 30  # bytes that a process may take
PATIENCE = 3.0  # times the seconds that a value has, and
STARTING = 30.0  # s: a process that says nothing for so long is ended

Key = tuple[str, int]  # case, number of the set


@dataclass
class Survey(Found):
    """What was observed so far."""

    entries: dict[Key, SetEntry] = field(default_factory=dict)

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry."""
        made = read_entry(entry)
        self.entries[made.case, made.number] = made


def try_set(name: str, parameters: Mapping[str, str], seconds: float) -> Iterator[Item]:
    """Try a set in a worker whose memory is limited."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if name == MECHANICAL:
        return attempt_problem(draw_problem(int(parameters["seed"]), int(parameters["number"])), seconds)
    return attempt(name, parameters, seconds)


def draw_set(name: str, seed: int, number: int) -> dict[str, str]:
    """Return the parameters of a set of a case, or what a random mechanical problem is drawn from."""
    if name == MECHANICAL:
        return {"seed": str(seed), "number": str(number), **describe_problem(draw_problem(seed, number))}
    return draw_parameters(load_case(name), seed, number)


@dataclass
class Trial:
    """A set in a worker, and until when the worker may be silent."""

    entry: SetEntry
    ends: float
    begun: float = field(default_factory=time.monotonic)


class Waiting:
    """The sets that are to be tried: next is one of the case that took the least time so far.

    A run that is ended early has tried few sets of dear cases, many of cheap ones, and some of all.
    """

    def __init__(self, entries: Sequence[SetEntry]) -> None:
        self._spent = Counter({entry.case: 0.0 for entry in entries})
        self._sets = {name: deque(entry for entry in entries if entry.case == name) for name in self._spent}

    def __bool__(self) -> bool:
        return bool(self._sets)

    def take_next(self) -> SetEntry:
        """Return the next set, which waits no longer."""
        name = min(self._sets, key=self._spent.__getitem__)
        entry = self._sets[name].popleft()
        if not self._sets[name]:
            del self._sets[name]
        return entry

    def charge(self, name: str, seconds: float) -> None:
        """Note that a set of a case took so long."""
        self._spent[name] += seconds

    def clear(self) -> None:
        """Try no more."""
        self._sets.clear()


def try_sets(entries: Sequence[SetEntry], jobs: int, seconds: float, end: float = math.inf) -> Iterator[SetEntry]:
    """Yield the sets as they are done, each in a worker; one that crashes or hangs is closed with the reason.

    None is begun after ``end`` on the monotonic clock.
    """
    patience = PATIENCE * seconds * len(HOLDERS) + STARTING
    workers, waiting = [Worker(1) for _ in range(jobs)], Waiting(entries)
    busy: dict[Worker, Trial] = {}
    try:
        while waiting or busy:
            if time.monotonic() > end:
                waiting.clear()
            for worker in [worker for worker in workers if worker not in busy]:
                if not waiting:
                    break
                entry = waiting.take_next()
                worker.begin(Job(try_set, (entry.case, entry.parameters, seconds), entry.case))
                busy[worker] = Trial(entry, time.monotonic() + patience)
            wait([worker.pipe for worker in busy], PULSE)
            for worker, trial in list(busy.items()):
                if _listen(worker, trial, patience):
                    del busy[worker]
                    waiting.charge(trial.entry.case, time.monotonic() - trial.begun)
                    yield trial.entry
    finally:
        for worker in workers:
            worker.kill()


def _listen(worker: Worker, trial: Trial, patience: float) -> bool:
    """Take in what a worker says; tell whether the set is done."""
    while (said := worker.receive()) is not None:
        kind, content = said
        if kind == "item":
            trial.entry.take(cast(Item, content))
            trial.ends = time.monotonic() + patience
            continue
        if kind == "grown":
            worker.kill()
        elif kind == "lost":
            trial.entry.close(f"the process ended: {content}", ERROR)
        elif kind != "done":
            trial.entry.ends[""] = (ERROR, str(content).strip().splitlines()[-1])
        return True
    silent = time.monotonic() > trial.ends
    if silent:
        worker.kill()
        trial.entry.close(f"no answer within {patience:g} s", OUT_OF_TIME)
    return silent


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.survey.run", description="Try random parameters.")
    parser.add_argument("cases", nargs="*", help=f"cases, or {MECHANICAL}; default all")
    parser.add_argument("--sets", type=int, default=100, metavar="N", help="parameter sets of every case")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="number of the first set")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sets")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="S", help="that a value may take")
    parser.add_argument("-n", dest="jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write survey.jsonl and survey.md into a folder")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="after which none is begun")
    parser.add_argument(
        "--onto", type=Path, metavar="FILE", help="a survey of the same seed and seconds that grows by this one"
    )
    parser.add_argument("--again", action="store_true", help="try those again that stand, in their place")
    parser.add_argument("--resume", action="store_true", help="go on where a survey with the same report was ended")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the survey; return 1 if a set ended in an error or a difference has no explanation, 2 if it cannot be run."""
    options = make_parser().parse_args(arguments)
    try:
        names = [name if name == MECHANICAL else load_case(name).name for name in options.cases]
        names = names or [*case_names(), MECHANICAL]
        entries = observe(names, options)
    except (SolverInputError, UnknownCase, ReportError) as error:
        print(f"survey: {error}", file=sys.stderr)
        return ExitCode.UNUSABLE
    print("\n".join(summarise(entries)))
    return ExitCode.FAILED if unexplained(entries) else ExitCode.FINE


def observe(names: Sequence[str], options: argparse.Namespace) -> list[SetEntry]:
    """Try the sets under a journal, write the results, and return them in the order of cases and numbers."""
    numbers = range(options.first, options.first + options.sets)
    plan = {name: getattr(options, name) for name in ("sets", "first", "seed", "seconds")} | {"cases": list(names)}
    survey = Survey(_read_former(options))
    opened = open_folder(options.report, "survey") if options.report else nullcontext()
    with opened as place, journal(place and place.work, plan, survey, resume=options.resume):
        keys = [(name, number) for number in numbers for name in names]
        wanted = [key for key in keys if (key in survey.entries) == options.again]
        todo = [SetEntry(name, number, draw_set(name, options.seed, number)) for name, number in wanted]
        with bar(len(todo), "sets") as advance:
            for entry in try_sets(todo, options.jobs, options.seconds, time.monotonic() + 60 * options.minutes):
                survey.add(write_entry(entry))
                advance(1, f"{entry.case} {entry.number}")
        entries = [survey.entries[key] for key in sorted(survey.entries)]
        if place:
            texts = {RESULTS: write_survey(entries, plan), PAGE: make_page(entries, plan)}
            save_all(place, {name: text.encode() for name, text in texts.items()})
        survey.done()
    return entries


def _read_former(options: argparse.Namespace) -> dict[Key, SetEntry]:
    """Return the sets that stand. Raises ReportError if they were tried in another way."""
    if options.onto is None:
        return {}
    plan, entries = read_survey(options.onto)
    for name in ("seed", "seconds"):
        if plan[name] != getattr(options, name):
            raise ReportError(f"--onto: {options.onto} has {name} {plan[name]:g}; give --{name} {plan[name]:g}")
    return {(entry.case, entry.number): entry for entry in entries}


if __name__ == "__main__":
    from tests.survey import run  # by its name, under which workers know it

    sys.exit(run.main(sys.argv[1:]))
