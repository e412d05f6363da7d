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
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import Queue

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from data import RESULT, Choice, Result, Subject, Survivor, read_choices, read_results, read_subjects  # noqa: E402

ROOMS = ("references", "solver", "validation_cases", "reports")
# replacements of one operator by another that a slip of the pen might make; others only raise TypeError
PLAUSIBLE = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Div|Mod_Sub|MatMul_Mul)"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|LtE_GtE|GtE_LtE|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)"
    r"|ReplaceUnaryOperator_(Delete_Not|Delete_USub|USub_UAdd)|NumberReplacer|AddNot|ReplaceAndWithOr|ReplaceOrWithAnd"
    r"|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer"
    r"|ZeroIterationForLoop)"
)
LEAST_TIME, TIMES = 10, 4  # s, and times of the tests without a mutant: who takes longer is killed


def copy_rooms(folder: Path) -> Path:
    """Copy the rooms as they are installed, without tests; return the folder for the import path."""
    without = shutil.ignore_patterns("__pycache__", "test_*.py")
    shutil.copytree(ROOT / "veridyn", folder / "veridyn", ignore=without)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / "veridyn" / room, ignore=without)
    for cases in (ROOT / "validation_cases").glob("*/test_*.py"):  # cases are data of some tests
        shutil.copy(cases, folder / "veridyn" / cases.relative_to(ROOT))
    return folder


def write_command(subject: Subject, folder: Path) -> str:
    """Return the command that fails if a mutant in the folder is noticed; it loads no plugin: that takes longest."""
    variables = [f"NUMBA_CACHE_DIR={folder / 'numba'}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"]
    variables += [] if subject.jit else ["NUMBA_DISABLE_JIT=1"]
    tests = [str(ROOT / test) for test in subject.tests]
    options = ["-x", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    options += ["--confcutdir", os.path.commonpath([Path(test).parent for test in tests])]
    quick = ["-k", f"not ({subject.without})"] if subject.without else []
    return shlex.join(["env", "-C", str(folder), *variables, sys.executable, "-m", "pytest", *options, *quick, *tests])


def list_mutants(module: Path) -> list[MutationSpec]:
    """Return the plausible mutants of a module."""
    with use_db(str(module.with_suffix(".sqlite")), WorkDB.Mode.create) as work:
        init([module], work, {})
        mutants = [mutant for item in work.work_items for mutant in item.mutations]
    return [mutant for mutant in mutants if PLAUSIBLE.fullmatch(mutant.operator_name)]


def describe(mutant: MutationSpec) -> Survivor:
    """Return where a mutant is, and the lines that it changes, before and after."""
    source = mutant.module_path.read_text(encoding="utf-8")
    mutated = mutate_code(source, get_operator(mutant.operator_name)(), mutant.occurrence)
    pairs = [(a.strip(), b.strip()) for a, b in zip(source.splitlines(), mutated.splitlines(), strict=False) if a != b]
    before, after = (" ".join(lines) for lines in zip(*pairs, strict=True))
    return Survivor(mutant.definition_name or "", before, after)


def choose_sample(mutants: Iterable[MutationSpec], count: int) -> list[MutationSpec]:
    """Return a fixed sample, by a digest of what does not change when lines move."""

    def digest(mutant: MutationSpec) -> str:
        text = f"{mutant.definition_name}:{mutant.operator_name}:{mutant.occurrence}"
        return hashlib.sha256(text.encode()).hexdigest()

    return sorted(mutants, key=digest)[:count]


def time_tests(subject: Subject, command: str) -> float:
    """Return how long the tests take without a mutant (s).

    Raises
    ------
    RuntimeError
        If they fail: then nothing could be said of a mutant.
    """
    begin = time.monotonic()
    done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"the tests of {subject.module} fail without any mutant:\n{done.stdout[-2000:]}{done.stderr}"
        )
    return time.monotonic() - begin


def mutate(subject: Subject, choices: Sequence[Choice], folder: Path) -> Result:
    """Try a sample of the mutants of a module, those of lines that are a matter of choice left out."""
    command = write_command(subject, folder)
    time_tests(subject, command)  # compiles what the mutants load
    timeout = LEAST_TIME + TIMES * time_tests(subject, command)
    begin = time.monotonic()
    mutants = list_mutants(folder / "veridyn" / subject.module)
    free = [m for m in mutants if not any(c.covers(subject.module, describe(m)) for c in choices)]
    tried = choose_sample(free, subject.sample)
    alive = [m for m in tried if mutate_and_test([m], command, timeout).test_outcome == TestOutcome.SURVIVED]
    survivors = tuple(sorted(map(describe, alive), key=lambda s: (s.function, s.before, s.after)))
    seconds = round(time.monotonic() - begin)
    return Result(subject.module, len(mutants), len(mutants) - len(free), len(tried), survivors, seconds)


def run(subjects: Sequence[Subject], jobs: int) -> Iterable[Result]:
    """Yield the results of modules, several at a time, each job in a copy of its own."""
    os.environ |= {"CI": "1"}  # Hypothesis repeats itself
    choices = read_choices()
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(jobs) as pool:
        copies: Queue[Path] = Queue()
        for job in range(jobs):
            copies.put(copy_rooms(Path(place) / str(job)))

        def try_one(subject: Subject) -> Result:
            folder = copies.get()
            try:
                return mutate(subject, choices, folder)
            finally:
                copies.put(folder)

        yield from pool.map(try_one, subjects)


def main() -> None:
    """Run, and write the result beside this file after every module, so that a run may be interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths such as references/events.py; all if none is named")
    parser.add_argument("-n", "--jobs", type=int, default=1, help="modules at a time")
    options = parser.parse_args()
    subjects = {subject.module: subject for subject in read_subjects()}
    unknown = set(options.modules) - set(subjects)
    if unknown:
        parser.error(f"unknown modules {', '.join(sorted(unknown))}; there are {', '.join(subjects)}")
    results = {result.module: result for result in read_results()} if options.modules else {}
    for result in run([subjects[module] for module in options.modules or subjects], options.jobs):
        print(f"{result.module}: {len(result.survivors)} of {result.tried} survive, {result.seconds} s", flush=True)
        for survivor in result.survivors:
            print(f"    {survivor.function}\n      - {survivor.before}\n      + {survivor.after}", flush=True)
        results[result.module] = result
        rows = [asdict(results[module]) for module in subjects if module in results]
        RESULT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
