"""Judge sound hosts on random parameters of every case: ``python -m tests.detection.sound --sets N``.

What fails is a false alarm. One failure is right: a criterion missed because the default step is coarse for these
parameters. It is told apart by the convergence of the same quantity to the truth, and counted by itself.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from veridyn.outputs import open_folder
from veridyn.problem.errors import SolverInputError
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.reports.writer import save_all
from veridyn.results import Record, ReportError, unstructure_environment
from veridyn.run.document import environment
from veridyn.run.execution import judge_all
from veridyn.run.exit_code import ExitCode
from veridyn.run.journal import Found, journal
from veridyn.run.posed import parameters_of
from veridyn.run.screen import bar
from veridyn.run.workers import Job, Pool
from veridyn.solver.contract.errors import CapabilityError, SolverFailure
from veridyn.solver.contract.opening import TIME_OUT
from veridyn.solver.contract.statements import Claims
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import UnknownCase, case_names, load_case
from veridyn.validation_cases.judgement.judge import explain
from veridyn.validation_cases.judgement.levels import convergence
from veridyn.validation_cases.judgement.runner import HarnessError, NotJudged, Runner
from veridyn.validation_cases.judgement.statement import Statement

from .catalogue import load_hosts
from .timed import OutOfTime, TimedGate, end_after
from .trial import FAILED

SCHEMA_VERSION = "3.0"
RESULTS = "sound.json"
REACH = 2.0  # parameters lie between half and twice those of a variant
DIGITS = 4  # of a parameter
TRIES = 500  # for a set that breaks no rule and has a reference; a table of four rows seldom grows by chance

Key = tuple[str, int]  # case, number of the set


@dataclass(frozen=True)
class Sample:
    """What a sound host got on one parameter set: verdicts by name.

    ``alarms`` are the false alarms, each in one line; ``coarse`` are criteria missed by answers and residuals that
    converge to the truth: the default step is too coarse for these parameters, and the verdict is right.
    """

    case: str
    number: int
    host: str
    parameters: Mapping[str, str]
    verdicts: Mapping[str, int]
    alarms: tuple[str, ...] = ()
    coarse: tuple[str, ...] = ()


@dataclass
class Samples(Found):
    """What was sampled so far; an entry is a sample."""

    samples: dict[Key, list[Sample]] = field(default_factory=dict)

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry."""
        sample = Sample(**{**entry, "alarms": tuple(entry["alarms"]), "coarse": tuple(entry["coarse"])})
        self.samples[sample.case, sample.number].append(sample)

    @property
    def everything(self) -> list[Sample]:
        """All samples, in the order of the sets."""
        return [sample for samples in self.samples.values() for sample in samples]


# --- one sample ----------------------------------------------------------------------------------------------------


def draw_parameters(case: Case, number: int) -> dict[str, str]:
    """Return a random parameter set, the same in every run: the changes of a variant, each value times a factor.

    Factors lie between 1/2 and 2, evenly in the logarithm; zeros stay, and what the case holds. Sets that break a rule
    of the parameters or of the problem, or have no certified reference, are drawn anew. Raises ParameterError if none
    of many can be used.
    """
    random = np.random.default_rng([zlib.crc32(case.name.encode()), number])
    measured = [variant for variant in case.variants if case.measured(variant)]
    base = case.values(measured[number % len(measured)].changes)
    for _ in range(TRIES):
        factors = REACH ** random.uniform(-1, 1, size=len(base))
        pairs = zip(base.items(), factors, strict=True)
        drawn = {n: str(v) if n in case.held else f"{float(v) * f:.{DIGITS}g}" for (n, v), f in pairs}
        try:
            parameters = parameters_of(case, drawn)
            case.problem(case.values(drawn))
        except (ParameterError, CertificationError, SolverInputError):
            continue
        return parameters
    raise ParameterError(f"{case.name}: none of {TRIES} random parameter sets has a certified reference")


def judge_sample(case: Case, number: int, parameters: Mapping[str, str], host: str, seconds: float) -> Sample:
    """Judge a sound host on a parameter set; ``seconds`` is the longest time of a solve."""
    solver = load_hosts()[host].solver
    try:
        records = list(judge_all(Runner(TimedGate(solver, seconds)), case, parameters))
    except SolverInputError as error:
        return Sample(case.name, number, host, parameters, {"error": 1}, (f"refused: {error}",))

    def converges(record: Record) -> bool:
        return tends_to_truth(Runner(TimedGate(solver, seconds)), case, parameters, record)

    alarms, coarse = sort_failures(records, converges)
    return Sample(case.name, number, host, parameters, dict(Counter(r.verdict for r in records)), alarms, coarse)


def sort_failures(
    records: Sequence[Record], converges: Callable[[Record], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the false alarms of a sound solver, and the criteria that its default step rightly missed."""
    failed = [r for r in records if r.verdict in (*FAILED, "harness error")]
    missed = [r for r in failed if _misses_answer(r) and converges(r)]
    return tuple(explain(r) for r in failed if r not in missed), tuple(map(explain, missed))


def _misses_answer(record: Record) -> bool:
    """Return whether a number is farther from the truth than a criterion allows."""
    return record.layer == "criterion" and record.verdict == "fail" and record.error_kind in ("absolute", "relative")


def tends_to_truth(runner: Runner, case: Case, parameters: Mapping[str, str], record: Record) -> bool:
    """Return whether what a criterion missed tends to the truth as the solver is refined: an answer, or a residual.

    The levels are solved by the runner, which has not been used: of residuals a run looks at default steps alone.
    """
    tending = replace(case, residuals=tuple(replace(q, converges=True) for q in case.residuals))
    statement = Statement(tending, case.make_variant(parameters))
    quantity = next(q for q in statement.quantities if q.name == record.quantity)
    claims = runner.subject.claims.get(record.scheme, Claims())
    try:
        return convergence(runner, statement, record.scheme, quantity, claims).passes
    except (NotJudged, CapabilityError, SolverFailure, HarnessError):
        return False


# --- all samples ---------------------------------------------------------------------------------------------------


def sample_set(name: str, number: int, hosts: Sequence[str], seconds: float) -> Iterator[Sample]:
    """Draw a set in a worker, and judge hosts on it; an exception is an alarm of the sample, and the study goes on."""
    parameters: Mapping[str, str] = {}
    for host in hosts:
        try:
            case = load_case(name)
            if not parameters:
                with end_after(seconds):
                    parameters = draw_parameters(case, number)
            yield judge_sample(case, number, parameters, host, seconds)
        except (Exception, OutOfTime) as error:  # noqa: BLE001 - one of them must not end the study
            yield Sample(name, number, host, parameters, {"error": 1}, (f"{type(error).__name__}: {error}",))


def run(samples: Samples, hosts: Sequence[str], jobs: int, time_out: float) -> None:
    """Judge what was not judged yet, a job a parameter set; a host that hangs costs its own sample."""
    keys = [key for key, earlier in samples.samples.items() if len(earlier) < len(hosts)]
    todo = [Job(sample_set, (*key, hosts[len(samples.samples[key]) :], time_out)) for key in keys]
    total = len(hosts) * len(samples.samples) - len(samples.everything)
    with Pool(jobs) as pool, bar(total, "samples") as advance:
        for _, sample in pool.share(todo):
            samples.add(asdict(sample))
            advance(1, f"{sample.case} {sample.host}")


def summarise(samples: Sequence[Sample]) -> list[str]:
    """Return what there is to say: a line a case, a line a false alarm, the sum."""
    lines: list[str] = []
    for name in dict.fromkeys(sample.case for sample in samples):
        mine = [sample for sample in samples if sample.case == name]
        verdicts: Counter[str] = sum((Counter(sample.verdicts) for sample in mine), Counter())
        words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        lines.append(f"{name}: {len({sample.number for sample in mine})} parameter sets, {words}")
        for sample in mine:
            values = ", ".join(f"{key}={value}" for key, value in sample.parameters.items())
            lines += [f"  {sample.number} {sample.host} [{values}]: {alarm}" for alarm in sample.alarms]
    alarms, coarse = (sum(len(getattr(sample, name)) for sample in samples) for name in ("alarms", "coarse"))
    lines.append(f"{alarms or 'No'} false alarms")
    if coarse:
        lines.append(f"{coarse} criteria missed at default steps by quantities that converge to the truth")
    return lines


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.detection.sound", description="Judge sound hosts.")
    parser.add_argument("cases", nargs="*", help="cases; default all")
    parser.add_argument("--sets", type=int, default=20, metavar="N", help="parameter sets of every case")
    parser.add_argument("-n", dest="jobs", type=int, default=1, metavar="N", help="processes")
    parser.add_argument("--host", action="append", default=[], choices=sorted(load_hosts()), help="default all")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write sound.json into a folder")
    parser.add_argument("--resume", action="store_true", help="go on where a study with the same report was ended")
    parser.add_argument("--time-out", type=float, default=TIME_OUT, metavar="S", help="seconds for one solve")
    return parser


def make_command(options: argparse.Namespace) -> list[str]:
    """Return the command that repeats a study anywhere: without places, processes and limits of one machine."""
    hosts = [word for name in options.host for word in ("--host", name)]
    chosen = [*options.cases, "--sets", str(options.sets), *hosts]
    return ["python", "-m", "tests.detection.sound", *chosen, "--report", "DIR"]


def main(arguments: Sequence[str]) -> int:
    """Run the study; return 1 if there is a false alarm, 2 if it cannot be run."""
    options = make_parser().parse_args(arguments)
    hosts = options.host or list(load_hosts())
    try:
        names = [load_case(name).name for name in options.cases] or list(case_names())
        samples = Samples({(name, number): [] for number in range(options.sets) for name in names})
        plan = {"sets": options.sets, "cases": names, "hosts": hosts}
        opened = open_folder(options.report, "sound") if options.report else nullcontext()
        with opened as place, journal(place and place.work, plan, samples, resume=options.resume):
            run(samples, hosts, options.jobs, options.time_out)
            if place:
                made = {
                    "schema_version": SCHEMA_VERSION,
                    "environment": unstructure_environment(environment(make_command(options))),
                }
                text = json.dumps({**made, "samples": [asdict(each) for each in samples.everything]}, indent=1)
                save_all(place, {RESULTS: f"{text}\n".encode()})
            samples.done()
    except (SolverInputError, UnknownCase, ReportError) as error:
        print(f"sound: {error}", file=sys.stderr)
        return ExitCode.UNUSABLE
    print("\n".join(summarise(samples.everything)))
    return ExitCode.FAILED if any(sample.alarms for sample in samples.everything) else ExitCode.FINE


if __name__ == "__main__":
    from tests.detection import sound  # by its name, under which workers know it

    sys.exit(sound.main(sys.argv[1:]))
