"""False alarms: sound solvers on random parameter sets of every case must pass every check."""

from __future__ import annotations

import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from rich.text import Text

from veridyn.changes import parameters_of
from veridyn.document import environment
from veridyn.journal import Journal, done, journal
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.running import save, writable
from veridyn.solver import exact
from veridyn.solver.errors import SolverInputError
from veridyn.solver.schemes import SCHEMES
from veridyn.teeth import FAILED, FAILING, FINE, bar
from veridyn.texts import console
from veridyn.validation_cases.case import Case
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.defects.defect import Sound
from veridyn.validation_cases.judge import Record
from veridyn.validation_cases.plugin import explain
from veridyn.validation_cases.workbench import Workbench
from veridyn.verification import judge_all, watched_bench
from veridyn.workers import Crew, Job, Line, Loss, WorkerLost

SCHEMA_VERSION = "1.0"
REACH = 2.0  # parameters lie between half and twice those of a variant
DIGITS = 4  # of a parameter
TRIES = 500  # for a set that breaks no rule and has a reference; a table of four rows seldom grows by chance


@dataclass(frozen=True)
class Hearing:
    """What a sound solver got on one parameter set: verdicts by name, and the alarms among them, each in one line."""

    case: str
    number: int
    solver: str
    parameters: Mapping[str, str]
    verdicts: Mapping[str, int]
    alarms: tuple[str, ...] = ()


def sound_solvers() -> tuple[Any, ...]:
    """Return the sound solvers: every scheme of ours, and the exact solver."""
    return (*(Sound(scheme) for scheme in SCHEMES), exact.SOLVER)


def parameter_set(case: Case, number: int) -> dict[str, str]:
    """Return a random parameter set, the same in every run: the changes of a variant, each value times a factor.

    Factors lie between 1/2 and 2, evenly in the logarithm; zeros stay, and what the case holds. Sets that break a rule
    of the parameters or have no certified reference are drawn anew.

    Raises
    ------
    ParameterError
        If none of many can be used.
    """
    random = np.random.default_rng([zlib.crc32(case.name.encode()), number])
    asking = [variant for variant in case.variants if case.asked(variant)]
    base = case.values(asking[number % len(asking)].changes)
    for _ in range(TRIES):
        factors = REACH ** random.uniform(-1, 1, size=len(base))
        pairs = zip(base.items(), factors, strict=True)
        drawn = {n: str(v) if n in case.held else f"{float(v) * f:.{DIGITS}g}" for (n, v), f in pairs}
        try:
            return parameters_of(case, drawn)
        except (ParameterError, CertificationError):
            continue
    raise ParameterError(f"{case.name}: none of {TRIES} random parameter sets has a certified reference")


def hear(case: Case, number: int, parameters: Mapping[str, str], bench: Workbench) -> Hearing:
    """Judge a sound solver on a parameter set."""
    try:
        records = list(judge_all(bench, case, parameters, {}))
    except SolverInputError as refused:  # the settings are those of the case: it must not ask for what is refused
        return Hearing(case.name, number, bench.solver.name, parameters, {"error": 1}, (f"refused: {refused}",))
    verdicts = Counter[str](record.verdict for record in records)
    return Hearing(case.name, number, bench.solver.name, parameters, dict(verdicts), tuple(_alarms(records)))


def _alarms(records: Sequence[Record]) -> Iterator[str]:
    return (explain(record) for record in records if record.verdict in FAILING)


@dataclass
class Heard:
    """What was heard so far, set by set; the ``keeper`` gets every hearing as soon as it is there."""

    sets: dict[tuple[str, int], list[Hearing]]
    keeper: Journal | None = None

    def add(self, hearing: Hearing) -> None:
        """Take in a hearing."""
        self.sets[hearing.case, hearing.number].append(hearing)
        if self.keeper:
            self.keeper.keep(asdict(hearing))

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take in a hearing that was kept."""
        hearing = Hearing(**{**entry, "alarms": tuple(entry["alarms"])})
        self.sets[hearing.case, hearing.number].append(hearing)

    @property
    def hearings(self) -> list[Hearing]:
        """All hearings, in the order of the sets."""
        return [hearing for hearings in self.sets.values() for hearing in hearings]


def sound(
    *, cases: Sequence[str], count: int, jobs: int, output: str | None, command: Sequence[str], resume: bool = False
) -> int:
    """Try all sound solvers on so many parameter sets of every case; returns 1 at a false alarm.

    With ``resume`` what was heard by a run that was ended is taken from its journal.

    Raises
    ------
    UnknownCase
        If a case does not exist.
    ReportError
        If the results cannot be written; found out before the work starts.
    """
    names = [load_case(name).name for name in cases] or list(case_names())
    writable(None, output)
    asked = {"sound": count, "cases": names, "solvers": [solver.name for solver in sound_solvers()]}
    heard = Heard({(name, number): [] for name in names for number in range(count)})
    with journal(output, None, asked, heard.take, resume=resume) as heard.keeper:
        _listen(heard, jobs)
        _write(heard.hearings, output, command)
        done(heard.keeper)
    if output != "-":
        _show(names, heard.hearings)
    return FAILED if any(hearing.alarms for hearing in heard.hearings) else FINE


def _listen(heard: Heard, jobs: int) -> None:
    """Hear what was not heard yet."""
    every = len(sound_solvers())
    work = [Job(_hear, (*place, len(known))) for place, known in heard.sets.items() if len(known) < every]
    with Crew(jobs) as crew, bar(every * len(heard.sets) - len(heard.hearings), "hearings") as advance:
        for _, hearing in crew.share(work, _lost):
            heard.add(hearing)
            advance(f"{hearing.case} {hearing.solver}")


def _hear(line: Line, name: str, number: int, skip: int) -> None:
    """Draw a set, the costly part, and judge all solvers on it but the first."""
    case = load_case(name)
    parameters = parameter_set(case, number)
    for solver in sound_solvers()[skip:]:
        line.tell(hear(case, number, parameters, watched_bench(line, solver, {})))


def _lost(_: int, loss: Loss) -> NoReturn:
    raise WorkerLost(loss.text)


def _show(names: Sequence[str], heard: Sequence[Hearing]) -> None:
    out = console()
    for name in names:
        mine = [hearing for hearing in heard if hearing.case == name]
        verdicts: Counter[str] = sum((Counter(hearing.verdicts) for hearing in mine), Counter())
        words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        sets = len({hearing.number for hearing in mine})
        out.print(Text(f"{name}: {sets} parameter sets, {words}"))
        for hearing in mine:
            for alarm in hearing.alarms:
                given = ", ".join(f"{key}={value}" for key, value in hearing.parameters.items())
                out.print(Text(f"  {hearing.number} {hearing.solver} [{given}]: {alarm}", style="bold red"))
    alarms = sum(len(hearing.alarms) for hearing in heard)
    out.print(Text(f"{alarms} false alarms" if alarms else "No false alarm", style="bold red" if alarms else "green"))


def _write(heard: Sequence[Hearing], output: str | None, command: Sequence[str]) -> None:
    if output is None:
        return
    found = {
        "schema_version": SCHEMA_VERSION,
        "environment": environment(command),
        "hearings": [asdict(hearing) for hearing in heard],
    }
    text = json.dumps(found, indent=1, allow_nan=False) + "\n"
    if output == "-":
        sys.stdout.write(text)
    else:
        save(Path(output), text)
