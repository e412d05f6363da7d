"""Judge sound solvers of random styles: ``python -m tests.detection.styles.study --end 200 --report DIR``.

Each is identified, and judged on a case of each kind that it solves. A deviation on its card is an alarm. A check that
fails is one, unless the loss is the solver's own: a criterion that it truly misses, by a coarse step, single precision
or printed digits, or steps that are the output, where half of the output doubles them. The same solver without them
tells.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from veridyn import identify, verify
from veridyn.results import Record
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.judge import explain

from ..trial import FAILED
from .drawing import FAMILIES, Sound, draw_solver, sharpen
from .solvers import Adaptive

CASES = {
    "mechanical": ("sdld31", "sdld103", "integrator_fingerprints"),
    "initial-value": ("kelvin_voigt", "chaplygin_sleigh", "skew_body", "nonproportional", "duffing_forced"),
}
RESULTS = "styles.json"
NEARER = 2.0  # times nearer to the truth, by which a criterion is seen to be missed for a reason


@dataclass(frozen=True)
class Trial:
    """What a sound solver got: method by its card, verdicts by name, alarms, and criteria that it truly missed."""

    seed: int
    style: str
    method: str
    cases: tuple[str, ...]
    verdicts: Mapping[str, int]
    deviations: tuple[str, ...]
    alarms: tuple[str, ...]
    missed: tuple[str, ...]
    seconds: float


def describe(solver: Sound) -> str:
    """Return the style of a solver in words."""
    method = solver.method if isinstance(solver, Adaptive) else _name_method(solver.method)
    habits = solver.habits
    words = [
        method,
        "" if isinstance(solver, Adaptive) else habits.steps,
        "single" if habits.single else "",
        f"{habits.printed} digits" if habits.printed else "",
        "summed" if habits.summed else "",
        ", ".join(solver.kinds),
        "claims " + (", ".join(solver.claims) or "nothing") + (", refined" if solver.refined else ""),
    ]
    return "; ".join(filter(None, words))


def _name_method(method: Any) -> str:
    numbers = ", ".join(f"{value:.4g}" for value in vars(method).values() if isinstance(value, float))
    return f"{type(method).__name__} {getattr(method, 'tableau', numbers)}".strip()


def try_solver(seed: int) -> Trial:
    """Identify and judge the sound solver of a seed."""
    solver, begin = draw_solver(seed), time.perf_counter()
    cards = identify(solver)
    names = [CASES[kind][seed // len(FAMILIES) % len(CASES[kind])] for kind in solver.kinds]
    records = [record for name in names for record in _judge(solver, name)]
    failed = [record for record in records if record.verdict in (*FAILED, "harness error")]
    missed = [record for record in failed if record.layer == "criterion" or _halves_steps(solver, record)]
    truly = list(_list_truly_missed(solver, missed)) if missed else []
    return Trial(
        seed=seed,
        style=describe(solver),
        method="; ".join(filter(None, (card.method for card in cards))),
        cases=tuple(names),
        verdicts=dict(Counter(record.verdict for record in records)),
        deviations=tuple(line for card in cards for line in card.deviations),
        alarms=tuple(explain(record) for record in failed if record not in truly),
        missed=tuple(record.id for record in truly),
        seconds=round(time.perf_counter() - begin, 1),
    )


def _halves_steps(solver: Sound, record: Record) -> bool:
    return solver.habits.steps == "grid" and "half_output" in record.id


def _judge(solver: Sound, name: str) -> list[Record]:
    """Judge the default parameters of a case."""
    case = load_case(name)
    parameters = dict(case.variants[0].changes) or {case.parameters[0].name: str(case.parameters[0].default)}
    return verify(solver, [name], parameters=parameters)


def _list_truly_missed(solver: Sound, missed: Sequence[Record]) -> Iterator[Record]:
    """Yield the criteria that the same solver passes, or comes nearer to, once it is sharper."""
    sharper = sharpen(solver)
    again = {r.id: r for name in dict.fromkeys(r.case for r in missed) for r in _judge(sharper, name)}
    for record in missed:
        other = again[record.id]
        is_nearer = record.error is not None and other.error is not None and other.error * NEARER <= record.error
        if other.verdict == "pass" or is_nearer:
            yield record


def summarise(trials: Iterable[Trial]) -> Iterator[str]:
    """Yield a line an alarm, and the sums."""
    every = list(trials)
    for trial in every:
        for line in (*trial.deviations, *trial.alarms):
            yield f"{trial.seed} [{trial.style}]: {line}"
    counts = {name: sum(len(getattr(trial, name)) for trial in every) for name in ("deviations", "alarms", "missed")}
    yield (
        f"{len(every)} sound solvers: {counts['deviations']} false deviations, {counts['alarms']} false alarms, "
        f"{counts['missed']} criteria truly missed"
    )


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.detection.styles.study", description="Judge sound solvers.")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="seed of the first solver")
    parser.add_argument("--end", type=int, default=200, metavar="N", help="seed behind the last solver")
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="folder of styles.json; what it holds is not tried again"
    )
    return parser


def read_trials(folder: Path | None) -> list[Trial]:
    """Return the trials that a folder holds; none without one."""
    if folder is None or not (folder / RESULTS).exists():
        return []
    lists = ("cases", "deviations", "alarms", "missed")
    data = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    return [Trial(**{**each, **{name: tuple(each[name]) for name in lists}}) for each in data]


def save_trials(folder: Path, trials: Sequence[Trial]) -> None:
    """Write all trials into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(trial) for trial in sorted(trials, key=lambda trial: trial.seed)], indent=1)
    (folder / RESULTS).write_text(f"{text}\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Run the study, and go on where it was ended; return 1 if there is an alarm."""
    options = make_parser().parse_args(arguments)
    trials = read_trials(options.report)
    tried = {trial.seed for trial in trials}
    for seed in (seed for seed in range(options.first, options.end) if seed not in tried):
        trials.append(try_solver(seed))
        is_quiet = not (trials[-1].alarms or trials[-1].deviations)
        print(f"{seed} quiet" if is_quiet else "\n".join(summarise(trials[-1:])), flush=True)
        if options.report:
            save_trials(options.report, trials)
    print("\n".join(summarise(trials)))
    return int(any(trial.alarms or trial.deviations for trial in trials))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
