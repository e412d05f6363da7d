"""Mutation testing with Cosmic Ray: a fixed sample of mutants of every module, each against its quick tests.

Static tools do not follow the mapping of the rooms at the top of the repository, and no mutant may touch the
checkout. So the rooms are copied to a folder of their own, as ``veridyn/references`` and so on; there Cosmic Ray
mutates, and there Python finds them first. Run ``python tests/mutation/run.py -n 2``, or ``tox -e mutation``.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import mutate_code, use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from data import RESULT, Result, Subject, Survivor, read_choices, read_results, read_subjects  # noqa: E402

ROOMS = ("references", "solver", "validation_cases", "reports")
# replacements of one operator by another that a slip of the pen might make; others only raise TypeError
PLAUSIBLE = re.compile(
    r"core/(ReplaceBinaryOperator_(Add_Sub|Sub_Add|Mul_Div|Div_Mul|Pow_Mul|FloorDiv_Div|Mod_Sub|MatMul_Mul)"
    r"|ReplaceComparisonOperator_(Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|LtE_GtE|GtE_LtE|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)"
    r"|ReplaceUnaryOperator_(Delete_Not|Delete_USub|USub_UAdd)|NumberReplacer|AddNot|ReplaceAndWithOr|ReplaceOrWithAnd"
    r"|ReplaceTrueWithFalse|ReplaceFalseWithTrue|ReplaceBreakWithContinue|ReplaceContinueWithBreak|ExceptionReplacer"
    r"|ZeroIterationForLoop)"
)
LIBRARIES = ("flint", "hypothesis", "mpmath", "numba", "numpy", "pytest", "scipy.linalg", "sympy")
LEAST_TIME, TIMES = 10, 5  # s, and times of the tests without a mutant: who takes longer is killed
FORK = multiprocessing.get_context("fork")


def copy_rooms(folder: Path) -> Path:
    """Copy the rooms as they are installed, without tests; return the folder for the import path."""
    without = shutil.ignore_patterns("__pycache__", "test_*.py")
    shutil.copytree(ROOT / "veridyn", folder / "veridyn", ignore=without)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / "veridyn" / room, ignore=without)
    for cases in (ROOT / "validation_cases").glob("*/test_*.py"):  # cases are data of some tests
        shutil.copy(cases, folder / "veridyn" / cases.relative_to(ROOT))
    return folder


def load_libraries(copies: Path) -> None:
    """Make this process one that tries mutants: a copy of the rooms, and the libraries that every test needs."""
    folder = copy_rooms(copies / str(os.getpid()))
    os.environ |= {"CI": "1", "NUMBA_CACHE_DIR": str(folder / "numba"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for library in LIBRARIES:
        importlib.import_module(library)


def run_tests(subject: Subject) -> None:
    """Run the tests of a module and end this process with what pytest returns; nothing is printed."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    import numba
    import pytest

    numba.config.DISABLE_JIT = int(not subject.jit)
    tests = [str(ROOT / test) for test in subject.tests]
    options = ["-x", "-q", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    options += ["--confcutdir", os.path.commonpath([Path(test).parent for test in tests])]
    quick = ["-k", f"not ({subject.without})"] if subject.without else []
    sys.exit(int(pytest.main([*options, *quick, *tests])))


def notice(subject: Subject, timeout: float | None = None) -> bool:
    """Tell whether the tests of a module fail, or take longer than they may (s)."""
    process = FORK.Process(target=run_tests, args=(subject,))
    process.start()
    process.join(timeout)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode != 0


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


def time_tests(subject: Subject) -> float:
    """Return how long the tests take without a mutant (s).

    Raises
    ------
    RuntimeError
        If they fail: then nothing could be said of a mutant.
    """
    begin = time.monotonic()
    if notice(subject):
        raise RuntimeError(f"the tests of {subject.module} fail without any mutant: {' '.join(subject.tests)}")
    return time.monotonic() - begin


def survives(subject: Subject, timeout: float, mutant: MutationSpec) -> bool:
    """Tell whether no test notices a mutant."""
    with use_mutation(mutant.module_path, get_operator(mutant.operator_name)(), mutant.occurrence):
        return not notice(subject, timeout)


def mutate(subject: Subject, before: Result | None) -> Result:
    """Try a sample of the mutants of a module, those of lines that are a matter of choice left out.

    With a result of a run ``before``, only what survived then is tried again.
    """
    time_tests(subject)  # compiles what the mutants load
    timeout = LEAST_TIME + TIMES * time_tests(subject)
    begin = time.monotonic()
    module = Path("veridyn", subject.module).absolute()
    lines, choices = module.read_text(encoding="utf-8").splitlines(), read_choices()
    mutants = list_mutants(module)
    free = [m for m in mutants if not any(c.covers(subject.module, lines[m.start_pos[0] - 1]) for c in choices)]
    tried = choose_sample(free, subject.sample)
    again = tried if before is None else [mutant for mutant in tried if describe(mutant) in before.survivors]
    alive = [mutant for mutant in again if survives(subject, timeout, mutant)]
    survivors = tuple(sorted(map(describe, alive), key=lambda s: (s.function, s.before, s.after)))
    seconds = round(time.monotonic() - begin)
    return Result(subject.module, len(mutants), len(mutants) - len(free), len(tried), survivors, seconds)


def run(subjects: Sequence[Subject], before: Sequence[Result | None], jobs: int) -> Iterable[Result]:
    """Yield the results of modules, several at a time, each job in a copy of its own; for ``before`` see `mutate`."""
    with tempfile.TemporaryDirectory() as place:
        libraries = {"initializer": load_libraries, "initargs": (Path(place),)}
        with ProcessPoolExecutor(jobs, FORK, **libraries) as pool:
            yield from pool.map(mutate, subjects, before)


def main() -> None:
    """Run, and write the result beside this file after every module, so that a run may be interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help="paths such as references/engine/events.py; all if none is named")
    parser.add_argument("-n", "--jobs", type=int, default=1, help="modules at a time")
    parser.add_argument("--again", action="store_true", help="try only what survived the last run")
    options = parser.parse_args()
    subjects = {subject.module: subject for subject in read_subjects()}
    unknown = set(options.modules) - set(subjects)
    if unknown:
        parser.error(f"unknown modules {', '.join(sorted(unknown))}; there are {', '.join(subjects)}")
    results = {result.module: result for result in read_results()} if options.modules or options.again else {}
    chosen = options.modules or list(results if options.again else subjects)
    before = [results.get(module) if options.again else None for module in chosen]
    for result in run([subjects[module] for module in chosen], before, options.jobs):
        print(f"{result.module}: {len(result.survivors)} of {result.tried} survive, {result.seconds} s", flush=True)
        for survivor in result.survivors:
            print(f"    {survivor.function}\n      - {survivor.before}\n      + {survivor.after}", flush=True)
        results[result.module] = result
        rows = [asdict(results[module]) for module in subjects if module in results]
        RESULT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
