"""False positives: solvers without fault on random parameter sets of every case must pass every check.

One failure is right: a criterion missed because the default step is coarse for these parameters. It is told apart by
the convergence of the same quantity to the truth, and counted by itself.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from rich.text import Text

from veridyn.document import environment
from veridyn.exit_code import ExitCode
from veridyn.journal import Found, journal
from veridyn.mutation import trials
from veridyn.mutation.trials import FAILED, load_host
from veridyn.posed import parameters_of
from veridyn.references import ParameterError
from veridyn.references.certified import CertificationError
from veridyn.running import writable, write_json
from veridyn.screen import bar, console
from veridyn.solver.contract import Claims
from veridyn.solver.errors import CapabilityError, SolverFailure, SolverInputError
from veridyn.validation_cases.core.case import Case, Variant
from veridyn.validation_cases.core.catalogue import case_names, load_case
from veridyn.validation_cases.core.judge import Record, explain
from veridyn.validation_cases.core.levels import convergence
from veridyn.validation_cases.core.runner import HarnessError, NotJudged, Runner, Statement
from veridyn.validation_cases.core.subject import Request
from veridyn.verification import judge_all, watched_runner
from veridyn.workers import TIME_OUT, Channel, Job, Loss, Pool, Watch, WorkerLost

SCHEMA_VERSION = "2.1"
REACH = 2.0  # parameters lie between half and twice those of a variant
DIGITS = 4  # of a parameter
DRAWN = "drawn"  # key of a watch: a set that is drawn, with its references
TRIES = 500  # for a set that breaks no rule and has a reference; a table of four rows seldom grows by chance


@dataclass(frozen=True)
class Sample:
    """What a solver without fault got on one parameter set: verdicts by name.

    ``alarms`` are the false positives, each in one line; ``coarse`` are criteria missed by answers and residuals that
    converge to the truth: the default step is too coarse for these parameters, and the verdict is right.
    """

    case: str
    number: int
    solver: str
    parameters: Mapping[str, str]
    verdicts: Mapping[str, int]
    alarms: tuple[str, ...] = ()
    coarse: tuple[str, ...] = ()


def solver_of(place: str, case: Case, number: int) -> Any:
    """Return the solver without fault of a host that a parameter set is for: schemes take turns on every variant."""
    solvers = list(load_host(place).undamaged.values())
    return solvers[number // len(_measured(case)) % len(solvers)]


def _measured(case: Case) -> list[Variant]:
    return [variant for variant in case.variants if case.measured(variant)]


def parameter_set(case: Case, number: int) -> dict[str, str]:
    """Return a random parameter set, the same in every run: the changes of a variant, each value times a factor.

    Factors lie between 1/2 and 2, evenly in the logarithm; zeros stay, and what the case holds. Sets that break a rule
    of the parameters or of the problem, or have no certified reference, are drawn anew. Raises ParameterError if none
    of many can be used.
    """
    random = np.random.default_rng([zlib.crc32(case.name.encode()), number])
    measured = _measured(case)
    base = case.values(measured[number % len(measured)].changes)
    for _ in range(TRIES):
        factors = REACH ** random.uniform(-1, 1, size=len(base))
        pairs = zip(base.items(), factors, strict=True)
        drawn = {n: str(v) if n in case.held else f"{float(v) * f:.{DIGITS}g}" for (n, v), f in pairs}
        try:
            found = parameters_of(case, drawn)
            case.problem(case.values(drawn))
        except (ParameterError, CertificationError, SolverInputError):
            continue
        return found
    raise ParameterError(f"{case.name}: none of {TRIES} random parameter sets has a certified reference")


def sample(channel: Channel, case: Case, number: int, parameters: Mapping[str, str], solver: Any) -> Sample:
    """Judge a solver without fault on a parameter set."""
    runner = watched_runner(channel, solver, Request(), {})
    try:
        records = list(judge_all(runner, case, parameters))
    except SolverInputError as refused:
        return Sample(case.name, number, solver.name, parameters, {"error": 1}, (f"refused: {refused}",))
    verdicts = Counter[str](record.verdict for record in records)
    alarms, coarse = sorted_failures(
        records, lambda record: _converges(watched_runner(channel, solver, Request(), {}), case, parameters, record)
    )
    return Sample(case.name, number, solver.name, parameters, dict(verdicts), alarms, coarse)


def sorted_failures(
    records: Sequence[Record], converges: Callable[[Record], bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the false positives of a solver without fault, and the criteria that its default step rightly missed."""
    failed = [r for r in records if r.verdict in (*FAILED, "harness error")]
    missed = [r for r in failed if _is_answer_missed(r) and converges(r)]
    return tuple(explain(r) for r in failed if r not in missed), tuple(map(explain, missed))


def _is_answer_missed(record: Record) -> bool:
    """Whether a number is farther from the truth than a criterion allows."""
    return record.layer == "criterion" and record.verdict == "fail" and record.error_kind in ("absolute", "relative")


def _converges(runner: Runner, case: Case, parameters: Mapping[str, str], record: Record) -> bool:
    """Whether what a criterion missed tends to the truth as the solver is refined: an answer, or a residual.

    The levels are solved by the runner, which has not been used: of residuals a run looks at default steps alone.
    """
    tending = replace(case, residuals=tuple(replace(q, converges=True) for q in case.residuals))
    statement = Statement(tending, case.given(parameters))
    quantity = next(q for q in statement.quantities if q.name == record.quantity)
    claims = runner.subject.claims.get(record.scheme, Claims())
    try:
        return convergence(runner, statement, record.scheme, quantity, claims).passes
    except (NotJudged, CapabilityError, SolverFailure, HarnessError):
        return False


@dataclass
class Samples(Found):
    """What was sampled so far, set by set; an entry is a sample."""

    sets: dict[tuple[str, int], list[Sample]]

    def take(self, entry: Mapping[str, Any]) -> None:
        found = Sample(**{**entry, "alarms": tuple(entry["alarms"]), "coarse": tuple(entry["coarse"])})
        self.sets[found.case, found.number].append(found)

    @property
    def all(self) -> list[Sample]:
        """All samples, in the order of the sets."""
        return [found for samples in self.sets.values() for found in samples]


def study(
    *,
    cases: Sequence[str],
    hosts: Sequence[str],
    count: int,
    jobs: int,
    output: str | None,
    command: Sequence[str],
    time_out: float = TIME_OUT,
    resume: bool = False,
) -> int:
    """Try hosts without fault on so many parameter sets of every case; returns 1 at a false positive.

    With ``resume`` what was found by a run that was ended is taken from its journal. Raises UnknownCase,
    SolverInputError if a case or a host does not exist; ReportError if the results cannot be written; found out before
    the work starts.
    """
    names = [load_case(name).name for name in cases] or list(case_names())
    chosen = list(hosts or trials.hosts())
    for place in chosen:
        load_host(place)
    writable(None, output)
    plan = {"false_positives": count, "cases": names, "hosts": chosen}
    samples = Samples({(name, number): [] for number in range(count) for name in names})
    with journal(output, None, plan, samples, resume=resume):
        _draw(samples, chosen, jobs, time_out)
        made = {"schema_version": SCHEMA_VERSION, "environment": environment(command)}
        write_json({**made, "samples": [asdict(each) for each in samples.all]}, output)
        samples.done()
    if output != "-":
        _show(names, samples.all)
    return ExitCode.FAILED if any(found.alarms for found in samples.all) else ExitCode.FINE


def _draw(samples: Samples, hosts: Sequence[str], jobs: int, time_out: float) -> None:
    """Try what was not tried yet, a job a parameter set; a host that is lost costs its own sample."""
    todo = [key for key, known in samples.sets.items() if len(known) < len(hosts)]
    total = len(hosts) * len(samples.sets) - len(samples.all)

    def left(key: tuple[str, int]) -> Sequence[str]:
        return hosts[len(samples.sets[key]) :]

    def renewed(place: int, loss: Loss) -> Job:
        key = todo[place]
        if loss.watch is None:
            raise WorkerLost(loss.text)
        for host in left(key) if loss.watch.key == DRAWN else left(key)[:1]:
            drawn = next((found.parameters for found in samples.sets[key]), {})
            samples.add(asdict(_broken(*key, host, drawn, loss.text)))
        return Job(_try, (*key, left(key)))

    with Pool(jobs, time_out) as pool, bar(total, "samples") as advance:
        for _, found in pool.share([Job(_try, (*key, left(key))) for key in todo], renewed):
            samples.add(asdict(found))
            advance(f"{found.case} {found.solver}")


def _try(channel: Channel, name: str, number: int, hosts: Sequence[str]) -> None:
    """Draw a set, and judge hosts on it; an exception is an alarm of the sample, and the study goes on."""
    parameters: Mapping[str, str] = {}
    for place in hosts:
        try:
            case = load_case(name)
            if not parameters:
                with channel.watched(Watch("solve", f"the reference of {name}", DRAWN)):
                    parameters = parameter_set(case, number)
            found = sample(channel, case, number, parameters, solver_of(place, case, number))
        except Exception as error:  # noqa: BLE001 - one of them must not end the study
            found = _broken(name, number, place, parameters, f"{type(error).__name__}: {error}")
        channel.tell(found)


def _broken(name: str, number: int, host: str, parameters: Mapping[str, str], why: str) -> Sample:
    """Return the sample of a host on a set that came to no verdict."""
    return Sample(name, number, host, parameters, {"error": 1}, (why,))


def _show(names: Sequence[str], found: Sequence[Sample]) -> None:
    out = console()
    for name in names:
        mine = [each for each in found if each.case == name]
        verdicts: Counter[str] = sum((Counter(each.verdicts) for each in mine), Counter())
        words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        sets = len({each.number for each in mine})
        out.print(Text(f"{name}: {sets} parameter sets, {words}"))
        for each in mine:
            for alarm in each.alarms:
                given = ", ".join(f"{key}={value}" for key, value in each.parameters.items())
                out.print(Text(f"  {each.number} {each.solver} [{given}]: {alarm}", style="bold red"))
    alarms, coarse = sum(len(each.alarms) for each in found), sum(len(each.coarse) for each in found)
    words = f"{alarms} false positives" if alarms else "No false positive"
    if coarse:
        words += f"; {coarse} criteria missed at default steps by quantities that converge to the truth"
    out.print(Text(words, style="bold red" if alarms else "green"))
