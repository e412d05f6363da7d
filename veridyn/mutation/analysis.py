"""The command `mutation`: seeded faults in solvers, and which checks of the cases detect them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from veridyn.document import environment
from veridyn.exit_code import ExitCode
from veridyn.journal import Found, journal
from veridyn.mutation.trials import (
    Fault,
    Host,
    Place,
    Resolution,
    Trial,
    chosen,
    is_touched,
    judged,
    load_host,
    places,
    resolve,
    trial,
)
from veridyn.reports import detection, hints
from veridyn.running import save, writable, write_json
from veridyn.screen import bar, console
from veridyn.validation_cases.core.catalogue import case_names, load_case
from veridyn.validation_cases.core.judge import Check
from veridyn.validation_cases.core.runner import Runner
from veridyn.validation_cases.core.subject import Request
from veridyn.verification import Reasons
from veridyn.workers import TIME_OUT, Channel, Job, Loss, Pool, Watch, WorkerLost

SCHEMA_VERSION = "2.0"
RESULTS, PAGE, PATTERNS = "mutation.json", "detection.md", hints.FILE

HANGS = "no answer"

WITHOUT_FAULT: list[Trial] = []  # what a worker knows of solvers without fault, for its next jobs

Key = tuple[str, str]  # host and fault


@dataclass(frozen=True)
class Options:
    """How far faults are tried: on all cases though one detects it, down to the smallest size."""

    all_cases: bool = False
    resolution: bool = False


@dataclass
class Study(Found):
    """What was found so far. An entry is a trial, the search for a smallest size, a lost run, or the end of a fault."""

    trials: dict[Key, list[Trial]] = field(default_factory=dict)
    undamaged: dict[tuple[str, str, Place], Trial] = field(default_factory=dict)
    resolved: dict[Key, tuple[Place, Resolution | None]] = field(default_factory=dict)
    lost: dict[Key, dict[str, str]] = field(default_factory=dict)
    finished: set[Key] = field(default_factory=set)

    def take(self, entry: Mapping[str, Any]) -> None:
        key = (entry["host"], entry["fault"])
        if "trial" in entry:
            found = _trial(entry["trial"])
            if found.fault:
                self.trials.setdefault(key, []).append(found)
            else:
                self.undamaged[found.host, found.solver, found.place] = found
        elif "resolution" in entry:
            self.resolved[key] = Place(**entry["place"]), Resolution(**entry["resolution"])
        elif "lost" in entry:
            self.lost.setdefault(key, {})[entry["lost"]] = entry["why"]
        else:
            self.finished.add(key)


def _trial(given: Mapping[str, Any]) -> Trial:
    found = {name: (layer, ratio) for name, (layer, ratio) in given["found"].items()}
    return Trial(**{**given, "place": Place(**given["place"]), "found": found})


def mutation(
    *,
    cases: Sequence[str],
    hosts: Sequence[str],
    faults: Sequence[str],
    options: Options,
    jobs: int,
    report: Path | None,
    output: str | None,
    command: Sequence[str],
    time_out: float = TIME_OUT,
    resume: bool = False,
) -> int:
    """Try seeded faults on the cases, print and write what detects them; returns 1 if one survives without a reason.

    With ``resume`` what was found by a run that was ended is taken from its journal. Raises UnknownCase,
    SolverInputError if something was asked for that does not exist; ReportError if the results cannot be written; found
    out before the work starts.
    """
    names = [load_case(name).name for name in cases] or list(case_names())
    wanted = chosen(hosts, faults)
    writable(report, output)
    study = Study()
    plan = {"cases": names, "faults": [[host.name, fault.name] for host, fault in wanted], **asdict(options)}
    with journal(output, report, plan, study, resume=resume):
        _try_all(study, wanted, names, options, jobs, time_out)
        result = document(study, wanted, names, command)
        _write(result, report, output)
        study.done()
    if output != "-":
        detection.show(result, console())
    return ExitCode.FAILED if detection.survivors(result, "survived") else ExitCode.FINE


def _try_all(
    study: Study,
    wanted: Sequence[tuple[Host, Fault]],
    cases: Sequence[str],
    options: Options,
    jobs: int,
    time_out: float,
) -> None:
    """Try what was not tried yet, a job a fault."""
    todo = [pair for pair in wanted if (pair[0].name, pair[1].name) not in study.finished]

    def job(number: int) -> Job:
        host, fault = todo[number]
        key = (host.name, fault.name)
        known = [t for (name, _, _), t in study.undamaged.items() if name == host.name] + study.trials.get(key, [])
        return Job(_examine, (host.place, fault.name, tuple(cases), options, known, dict(study.lost.get(key, {}))))

    def renewed(number: int, loss: Loss) -> Job:
        if loss.watch is None or loss.watch.act != "solve":
            raise WorkerLost(loss.text)
        host, fault = todo[number]
        study.add({"host": host.name, "fault": fault.name, "lost": loss.watch.key, "why": loss.text})
        return job(number)

    with Pool(jobs, time_out) as pool, bar(len(todo), "faults") as advance:
        for _, entry in pool.share([job(number) for number in range(len(todo))], renewed):
            study.add(entry)
            if "finished" in entry:
                advance(f"{entry['host']} {entry['fault']}")


_cheapest_first = cache(places)


def _examine(
    channel: Channel,
    host: str,
    fault: str,
    cases: tuple[str, ...],
    options: Options,
    known: Sequence[Trial],
    lost: Reasons,
) -> None:
    """Try one fault in a worker, and tell what is found, entry by entry."""
    examination = Examination(channel, load_host(host), fault, lost, list(known))
    found = examination.at_stated_size(_cheapest_first(cases), options)
    if options.resolution and found is not None:
        examination.smallest(found)
    channel.tell({**examination.entry, "finished": True})


@dataclass
class Examination:
    """The trials of one fault in a worker."""

    channel: Channel
    host: Host
    name: str
    lost: Reasons
    known: list[Trial]

    @property
    def fault(self) -> Fault:
        """What is seeded."""
        return self.host.faults[self.name]

    @property
    def entry(self) -> dict[str, Any]:
        """What every entry begins with."""
        return {"host": self.host.name, "fault": self.name}

    def at_stated_size(self, every: Sequence[Place], options: Options) -> Trial | None:
        """Try the fault at its size; returns the trial that detects it most clearly, None if none does."""
        capable = frozenset(self.host.undamaged[self.fault.undamaged].capabilities)
        found: list[Trial] = []
        for place in (place for place in every if is_touched(self.fault, capable, place)):
            found.append(self.tried(self.fault.size, place))
            if found[-1].detected and not options.all_cases:
                break
        return max((t for t in found if t.detected), key=lambda t: t.worst, default=None)

    def smallest(self, seen: Trial) -> None:
        """Look for the smallest size that is detected where a trial detected the fault most clearly.

        There is none to look for where the solver hangs, as it might at every size.
        """
        if self.fault.size is None or self.fault.smallest is None or any(name.startswith(HANGS) for name in seen.found):
            return
        layers = {layer for layer, _ in seen.found.values()}

        def wanted(check: Check) -> bool:
            return check.layer != "invariance" or "invariance" in layers

        def attempt(size: float) -> Trial:
            tried = self.judged(size, seen.place, wanted)
            gives_up = {layer for layer, _ in tried.found.values()} == {"error"} and layers != {"error"}
            return replace(tried, found={}) if gives_up else tried  # a tiny change that stops the solver tells nothing

        found = resolve(attempt, seen, self.fault.smallest)
        self.channel.tell({**self.entry, "place": asdict(seen.place), "resolution": asdict(found)})

    def tried(self, size: float | None, place: Place) -> Trial:
        """Return the trial of a size on a variant; it is told unless it was known."""
        for old in self.known:
            if (old.fault, old.size, old.place) == (self.name, size, place):
                return old
        found = self.judged(size, place, lambda _: True)
        self.tell(found)
        return found

    def tell(self, found: Trial) -> None:
        """Tell a trial, and remember it."""
        self.known.append(found)
        self.channel.tell({**self.entry, "trial": asdict(found)})

    def judged(self, size: float | None, place: Place, wanted: Callable[[Check], bool]) -> Trial:
        """Judge the mutant of a size on a variant against the solver without fault."""
        before = self.without_fault(place)
        prefix = "" if size is None else f"{size:g} "
        named: dict[str, Any] = {
            "host": self.host.name,
            "solver": self.fault.undamaged,
            "fault": self.name,
            "size": size,
            "place": place,
        }
        if gone := self.gone(prefix, place):  # one lost process is enough: every further run might hang as long
            return Trial(found={f"{HANGS}: {gone}": ("error", None)}, **named)
        return trial(judged(self.runner(self.fault.make(size), prefix), place, wanted), before, **named)

    def gone(self, prefix: str, place: Place) -> str:
        """Return why a run of a size on a variant was lost with its process; empty if none was."""
        begins = f"{prefix}{place.case}/{place.variant}/"
        return next((why for key, why in self.lost.items() if key.startswith(begins)), "")

    def without_fault(self, place: Place) -> Trial:
        """Return what the checks say of the solver without fault on a variant."""
        name = self.fault.undamaged
        for old in (*self.known, *WITHOUT_FAULT):
            if (old.host, old.fault, old.solver, old.place) == (self.host.name, "", name, place):
                return old
        named = {"host": self.host.name, "solver": name, "fault": "", "size": None, "place": place}
        found = trial(judged(self.runner(self.host.undamaged[name], "0 "), place, lambda _: True), None, **named)
        WITHOUT_FAULT.append(found)
        self.tell(found)
        return found

    def runner(self, solver: Any, size: str) -> Runner:
        """Return a runner; runs are told apart by the size of the fault, too."""
        lost = {key.removeprefix(size): why for key, why in self.lost.items() if key.startswith(size)}
        return Runner(solver, Request(), lost, lambda key: self.channel.watched(Watch("solve", self.name, size + key)))


def document(
    study: Study, wanted: Sequence[tuple[Host, Fault]], cases: Sequence[str], command: Sequence[str]
) -> dict[str, Any]:
    """Return what was found, as JSON can carry it."""
    keys = [(host.name, fault.name) for host, fault in wanted]
    return {
        "schema_version": SCHEMA_VERSION,
        "environment": environment(command),
        "cases": list(cases),
        "hosts": list(dict.fromkeys(host.name for host, _ in wanted)),
        "faults": [_described(host, fault) for host, fault in wanted],
        "undamaged": [asdict(found) for found in study.undamaged.values()],
        "trials": [asdict(found) for key in keys for found in study.trials.get(key, [])],
        "resolution": [
            {"host": key[0], "fault": key[1], **asdict(place), **asdict(found)}
            for key in keys
            if key in study.resolved
            for place, found in [study.resolved[key]]
            if found
        ],
    }


def _described(host: Host, fault: Fault) -> dict[str, Any]:
    said = {name: getattr(fault, name) for name in ("name", "kind", "what", "size", "meaning", "smallest", "unseen")}
    return {"host": host.name, "solver": fault.undamaged, **said}


def _write(result: Mapping[str, Any], report: Path | None, output: str | None) -> None:
    write_json(result, output)
    if report:
        write_json(result, str(report / RESULTS))
        save(report / PAGE, detection.page(result))
        save(report / PATTERNS, _patterns(result))
        print(f"report: {report / PAGE}", file=sys.stderr if output == "-" else sys.stdout)


def _patterns(result: Mapping[str, Any]) -> str:
    """Return what hints compare failures with, a fault a line; the package ships these as `reports/patterns.json`."""
    text = json.dumps(hints.learn(result), ensure_ascii=False, separators=(",", ":"))
    return text.replace("},{", "},\n{") + "\n"


def main(*files_and_folder: str) -> None:
    """Write one page, and the patterns of hints, from the result files of several runs.

    >>> main("integrator.json", "explicit.json", "mutation")  # doctest: +SKIP
    """
    *files, folder = files_and_folder
    result = detection.joined(json.loads(Path(name).read_text(encoding="utf-8")) for name in files)
    save(Path(folder) / PAGE, detection.page(result))
    save(Path(folder) / PATTERNS, _patterns(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
