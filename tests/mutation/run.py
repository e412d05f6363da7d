"""Mutation testing with Cosmic Ray: a fixed sample of mutants of every module, each against its quick tests.

Static tools do not follow the mapping of the rooms at the top of the repository, and no mutant may touch the
checkout. So the rooms are copied to a folder of their own, as ``veridyn/references`` and so on; there Cosmic Ray
mutates, and there Python finds them first. Run ``python tests/mutation/run.py -n 2``, or ``tox -e mutation``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from typing import Any

from cosmic_ray.commands import execute, init
from cosmic_ray.config import ConfigDict
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from selection import Subject, subjects  # noqa: E402

RESULT = HERE / "result.json"
ROOMS = ("references", "solver", "validation_cases", "reports")
# replacements of one operator by another that a slip of the pen might make; others only raise TypeError
PLAUSIBLE = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Div|Mod_Sub|MatMul_Mul)"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|LtE_GtE|GtE_LtE|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)"
    r"|ReplaceUnaryOperator_(Delete_Not|Delete_USub|USub_UAdd)|NumberReplacer|AddNot|ReplaceAndWithOr|ReplaceOrWithAnd"
    r"|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer"
    r"|ZeroIterationForLoop)"
)


def copy_of_the_rooms(folder: Path) -> Path:
    """Copy the rooms as they are installed, with their compiled kernels; return the folder for the import path."""
    without = shutil.ignore_patterns("*.nbi.tmp*", "test_*.py")
    shutil.copytree(ROOT / "veridyn", folder / "veridyn", ignore=without)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / "veridyn" / room, ignore=without)
    return folder


def test_command(subject: Subject) -> list[str]:
    """Return the command, to be run in the folder of the copy, that fails if a mutant is noticed."""
    options = ["-x", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    plugins = ["-p", "no:cacheprovider", "-p", "no:benchmark"]
    quick = ["-k", f"not ({subject.without})"] if subject.without else []
    return [sys.executable, "-m", "pytest", *options, *plugins, *quick, *(str(ROOT / test) for test in subject.tests)]


def identity(item: WorkItem) -> str:
    """Return a text that does not change when lines move."""
    (mutation,) = item.mutations
    return f"{mutation.definition_name}:{mutation.operator_name}:{mutation.occurrence}"


def sampled(items: Sequence[WorkItem], count: int) -> tuple[list[WorkItem], int]:
    """Return a fixed sample of the plausible mutants, and how many of them there are."""
    plausible = [item for item in items if PLAUSIBLE.fullmatch(item.mutations[0].operator_name)]
    return sorted(plausible, key=lambda i: hashlib.sha256(identity(i).encode()).hexdigest())[:count], len(plausible)


def baseline(subject: Subject, folder: Path) -> float:
    """Return how long the tests take without a mutant (s).

    Raises
    ------
    RuntimeError
        If they fail: then nothing could be said of a mutant.
    """
    begin = time.monotonic()
    done = subprocess.run(test_command(subject), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the tests of {subject.path} fail without any mutant:\n{done.stdout[-2000:]}{done.stderr}")
    return time.monotonic() - begin


def mutate(subject: Subject, folder: Path) -> dict[str, Any]:
    """Run the sample of one module in a copy of the rooms; return its part of the result."""
    timeout = 10 + 5 * baseline(subject, folder)
    room, _, _ = subject.path.partition("/")
    module = folder / "veridyn" / subject.path
    session = folder / f"{room}-{module.stem}.sqlite"
    command = shlex.join(["env", "-C", str(folder), *test_command(subject)])
    config = ConfigDict({"timeout": timeout, "test-command": command, "distributor": ConfigDict({"name": "local"})})
    with use_db(str(session), WorkDB.Mode.create) as work:
        init([module], work, {})
        chosen, plausible = sampled(list(work.work_items), subject.sample)
        kept = {item.job_id for item in chosen}
        skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not in the sample")
        work.set_multiple_results([item.job_id for item in work.work_items if item.job_id not in kept], skipped)
        execute(work, config)
        results = {job: result for job, result in work.results if job in kept}
        left = [item for item in chosen if results[item.job_id].test_outcome == TestOutcome.SURVIVED]
        return {
            "plausible": plausible,
            "tried": len(chosen),
            "survivors": sorted((change(i, results[i.job_id]) for i in left), key=lambda c: list(c.values())),
        }


def change(item: WorkItem, result: WorkResult) -> dict[str, str]:
    """Return where a mutant is and what it changes."""
    lines = (result.diff or "").splitlines()
    old = [line[1:].strip() for line in lines if line.startswith("-") and not line.startswith("---")]
    new = [line[1:].strip() for line in lines if line.startswith("+") and not line.startswith("+++")]
    return {"in": item.mutations[0].definition_name or "", "from": " ".join(old), "to": " ".join(new)}


def run(chosen: Sequence[Subject], jobs: int, record: Callable[[str, dict[str, Any]], None]) -> None:
    """Mutate modules, several at a time, each job in a copy of its own; ``record`` gets what was found of each."""
    os.environ |= {"CI": "1", "PYTHONDONTWRITEBYTECODE": "1"}  # Hypothesis repeats itself; no stale bytecode
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(jobs):
            copies.put(copy_of_the_rooms(Path(place) / str(job)))

        def one(subject: Subject) -> tuple[str, dict[str, Any]]:
            folder = copies.get()
            try:
                return subject.path, mutate(subject, folder)
            finally:
                copies.put(folder)

        for path, found in pool.map(one, chosen):
            record(path, found)


def recorder(fresh: bool, order: Sequence[str]) -> Callable[[str, dict[str, Any]], None]:
    """Return what writes the result file anew after every module, so that a run may be interrupted."""
    known = {} if fresh or not RESULT.exists() else json.loads(RESULT.read_text(encoding="utf-8"))

    def record(path: str, found: dict[str, Any]) -> None:
        print(f"{path}: {len(found['survivors'])} of {found['tried']} survive", flush=True)
        known[path] = found
        text = json.dumps({p: known[p] for p in order if p in known}, indent=1, ensure_ascii=False)
        RESULT.write_text(text + "\n", encoding="utf-8")

    return record


def main() -> None:
    """Run, and write the result beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths such as solver/postprocessing/wear.py; all if none is named")
    parser.add_argument("-n", "--jobs", type=int, default=1, help="modules at a time")
    asked = parser.parse_args()
    os.nice(10)
    known = {subject.path: subject for subject in subjects()}
    unknown = set(asked.modules) - set(known)
    if unknown:
        parser.error(f"unknown modules {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    chosen = [known[path] for path in asked.modules or known]
    run(chosen, asked.jobs, recorder(fresh=not asked.modules, order=list(known)))


if __name__ == "__main__":
    main()
