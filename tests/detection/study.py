"""Try seeded faults on the cases: ``python -m tests.detection.study``, from the root of the checkout."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from veridyn.outputs import open_folder
from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import nearest
from veridyn.results import ReportError, unstructure_environment
from veridyn.run.document import environment
from veridyn.run.exit_code import ExitCode
from veridyn.run.journal import Found, journal
from veridyn.run.screen import bar
from veridyn.run.workers import Job, Pool
from veridyn.solver.contract.opening import TIME_OUT
from veridyn.validation_cases.judgement.catalogue import UnknownCase, case_names, load_case

from .catalogue import load_hosts
from .examine import examine
from .fault import Fault, Host
from .page import find_survivors, summarise_faults, write_report
from .trial import Place, Trial, read_trial

SCHEMA_VERSION = "3.0"

Key = tuple[str, str]  # host and fault


@dataclass(frozen=True)
class Plan:
    """What is tried: faults of hosts on cases; whether smallest sizes are looked for, and hosts state nothing."""

    pairs: tuple[tuple[Host, Fault], ...]
    cases: tuple[str, ...]
    sizes: bool = False
    silent: bool = False

    @property
    def description(self) -> dict[str, Any]:
        """What tells this study from another."""
        faults = [[host.name, fault.name] for host, fault in self.pairs]
        return {"faults": faults, "cases": list(self.cases), "sizes": self.sizes, "silent": self.silent}


@dataclass
class Study(Found):
    """What was observed so far. An entry is a trial, a smallest size, or the end of a fault."""

    sound: dict[tuple[str, Place], Trial] = field(default_factory=dict)
    trials: dict[Key, list[Trial]] = field(default_factory=dict)
    smallest: dict[Key, dict[str, Any]] = field(default_factory=dict)
    finished: set[Key] = field(default_factory=set)

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry."""
        key = (entry["host"], entry["fault"])
        if "trial" in entry:
            trial = read_trial(entry["trial"])
            if trial.fault:
                self.trials.setdefault(key, []).append(trial)
            else:
                self.sound[trial.host, trial.place] = trial
        elif "smallest" in entry:
            self.smallest[key] = {**entry["place"], **entry["smallest"]}
        else:
            self.finished.add(key)


def choose(hosts: Sequence[str], faults: Sequence[str]) -> tuple[tuple[Host, Fault], ...]:
    """Return the faults of these names in these hosts; all where nothing is named.

    Raises SolverInputError if there is none of a name; the message suggests the nearest.
    """
    every = load_hosts()
    for name in hosts:
        if name not in every:
            raise SolverInputError(f"unknown host {name!r}: {nearest(name, sorted(every))}")
    chosen = [every[name] for name in dict.fromkeys(hosts)] or list(every.values())
    names = {fault.name for host in chosen for fault in host.faults}
    for name in faults:
        if name not in names:
            raise SolverInputError(f"unknown fault {name!r}: {nearest(name, sorted(names))}")
    return tuple((host, fault) for host in chosen for fault in host.faults if not faults or fault.name in faults)


def run(plan: Plan, study: Study, jobs: int, time_out: float) -> None:
    """Try what was not tried yet, a job a fault; a solve that hangs is an entry like others."""
    pairs = [(host, fault) for host, fault in plan.pairs if (host.name, fault.name) not in study.finished]

    def make_job(host: Host, fault: Fault) -> Job:
        key = (host.name, fault.name)
        trials = [t for (name, _), t in study.sound.items() if name == host.name] + study.trials.get(key, [])
        return Job(examine, (*key, plan.cases, plan.sizes, plan.silent, trials, time_out), host.name)

    with Pool(jobs) as pool, bar(len(pairs), "faults") as advance:
        for _, entry in pool.share([make_job(*pair) for pair in pairs]):
            study.add(entry)
            if "finished" in entry:
                advance(1, f"{entry['host']} {entry['fault']}")


def make_document(plan: Plan, study: Study, command: Sequence[str]) -> dict[str, Any]:
    """Return what was observed, as JSON can carry it."""
    keys = [(host.name, fault.name) for host, fault in plan.pairs]
    smallest = [{"host": key[0], "fault": key[1], **study.smallest[key]} for key in keys if key in study.smallest]
    return {
        "schema_version": SCHEMA_VERSION,
        "runs": [{**unstructure_environment(environment(command)), "faults": len(keys), "cases": len(plan.cases)}],
        "cases": list(plan.cases),
        "silent": plan.silent,
        "faults": [describe(host, fault, silent=plan.silent) for host, fault in plan.pairs],
        "sound": [asdict(trial) for trial in study.sound.values()],
        "trials": [asdict(trial) for key in keys for trial in study.trials.get(key, [])],
        "smallest": smallest,
    }


def describe(host: Host, fault: Fault, *, silent: bool = False) -> dict[str, Any]:
    """Return what a document says of a fault; ``silent``: of a host that states nothing."""
    names = ("name", "part", "what", "size", "meaning", "smallest")
    unseen = fault.unseen or (fault.unclaimed if silent else "")
    return {"host": host.name, **{name: getattr(fault, name) for name in names}, "unseen": unseen}


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.detection.study", description="Try seeded faults.")
    parser.add_argument("cases", nargs="*", help="cases to try them on; default all")
    parser.add_argument("-n", dest="jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--host", action="append", default=[], help="host; may be repeated; default all")
    parser.add_argument("--fault", action="append", default=[], help="fault; may be repeated; default all")
    parser.add_argument("--sizes", action="store_true", help="look for the smallest size that is detected")
    parser.add_argument("--silent", action="store_true", help="hosts state neither claims nor refinement")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write tables, page and patterns into a folder")
    parser.add_argument("--resume", action="store_true", help="go on where a study with the same report was ended")
    parser.add_argument("--time-out", type=float, default=TIME_OUT, metavar="S", help="seconds for one solve")
    return parser


def make_command(options: argparse.Namespace) -> list[str]:
    """Return the command that repeats a study anywhere: without places, processes and limits of one machine."""
    switches = [*(["--sizes"] if options.sizes else []), *(["--silent"] if options.silent else [])]
    hosts = [word for name in options.host for word in ("--host", name)]
    faults = [word for name in options.fault for word in ("--fault", name)]
    chosen = [*options.cases, *switches, *hosts, *faults]
    return ["python", "-m", "tests.detection.study", *chosen, "--report", "DIR"]


def main(arguments: Sequence[str]) -> int:
    """Run the study; return 1 if a fault survives without a reason, 2 if it cannot be run."""
    options = make_parser().parse_args(arguments)
    try:
        cases = tuple(load_case(name).name for name in options.cases) or tuple(case_names())
        plan = Plan(choose(options.host, options.fault), cases, options.sizes, options.silent)
        document = observe(plan, options)
    except (SolverInputError, UnknownCase, ReportError) as error:
        print(f"study: {error}", file=sys.stderr)
        return ExitCode.UNUSABLE
    print("\n".join(summarise_faults(document)))
    return ExitCode.FAILED if find_survivors(document) else ExitCode.FINE


def observe(plan: Plan, options: argparse.Namespace) -> dict[str, Any]:
    """Run a plan under its journal, write the report, and return the document."""
    study = Study()
    opened = open_folder(options.report, "study") if options.report else nullcontext()
    with opened as place, journal(place and place.work, plan.description, study, resume=options.resume):
        run(plan, study, options.jobs, options.time_out)
        document = make_document(plan, study, make_command(options))
        if place:
            write_report(document, place)
        study.done()
    return document


if __name__ == "__main__":
    from tests.detection import study  # by its name, under which workers know it

    sys.exit(study.main(sys.argv[1:]))
