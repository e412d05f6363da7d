"""What each command does. Numerical libraries are imported only by the commands that need them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from veridyn.problem.errors import SolverInputError
from veridyn.results import ReportError, find_gaps, read, select_cases
from veridyn.run.exit_code import ExitCode
from veridyn.validation_cases.judgement.catalogue import UnknownCase, UnknownTopic, load_case, select

Command = Sequence[str]  # as it was given, for the results to say


def bad_input_errors() -> tuple[type[Exception], ...]:
    """Return what bad input raises; imported late, since references need numerical libraries."""
    from veridyn.references import CertificationError, ParameterError

    return ParameterError, CertificationError, SolverInputError, UnknownCase, UnknownTopic, ReportError, OSError


def run(place: str, given: dict[str, Any], command: Command) -> int:
    """Carry out a command by the function at a place, with the options that are its arguments; returns the exit status.

    The function gets the command as it was given, too, if it takes that.
    """
    # an ASCII-only pipe must not stop on a "²"
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    module, _, name = place.rpartition(".")
    function = getattr(import_module(f"veridyn.{module}"), name)
    told = {"command": command} if "command" in signature(function).parameters else {}
    status: int = function(**_read(given), **told)
    return status


def _read(given: dict[str, Any]) -> dict[str, Any]:
    """Return options as the commands take them: pairs, requests and the number of processes read."""
    if "changed" in given:
        given["changed"] = changes(given["changed"])
    if "claims" in given:
        from veridyn.validation_cases.judgement.subject import read_request

        given["request"] = read_request(**{name: given.pop(name) for name in ("claims", "refine", "require")})
    if given.get("jobs") and given.get("scheduler"):
        raise SolverInputError("-n counts processes of this machine; a scheduler has workers of its own: leave one out")
    if "jobs" in given and given["jobs"] is None:
        from veridyn.reports.studio import cores

        given["jobs"] = cores()
    return given


def changes(pairs: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs.

    Raises SolverInputError if a pair has no ``=``, an empty side, or a name is given twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise SolverInputError(f"--set {pair!r}: write NAME=VALUE, e.g. a0=1.2")
        if name in found:
            raise SolverInputError(f"--set {name} is given twice")
        found[name] = value
    return found


def list_cases(kinds: Sequence[str], topics: Sequence[str], *, as_json: bool) -> int:
    """List cases of some kinds and topics, all without any."""
    cases = select(kinds, topics)
    if as_json:
        from veridyn.cli import texts

        return texts.print_json({"schema_version": "1.0", "cases": [texts.entry(case) for case in cases]})
    from veridyn.run.screen import print_list

    print_list(cases)
    return ExitCode.FINE


def run_checks(command: Command, solvers: Sequence[str], request: Any, **given: Any) -> int:
    """Run what is named; without a name the quick profile, with the exact solver beside our own."""
    from veridyn.run import running
    from veridyn.run.selection import Selection
    from veridyn.solver.contract.loading import EXACT, OWN
    from veridyn.validation_cases.judgement.subject import Request

    names = ("cases", "kinds", "variants", "quantities", "schemes")
    named: dict[str, Any] = {name: tuple(given.pop(name)) for name in names}
    given.pop("action", "")  # of a baseline: to save it is all there is
    everything, quick = given.pop("all"), given.pop("quick")
    if quick and (everything or named["variants"]):
        raise SolverInputError("--quick judges default variants alone: leave out --all and --variant")
    nothing = not (everything or solvers or given["changed"] or any(named.values()) or request != Request())
    return running.run(
        selection=Selection(**named, quick=quick or nothing),
        solvers=[*(solvers or [OWN]), *([EXACT] if nothing else [])],
        request=request,
        command=command,
        **given,
    )


def report(results: Sequence[Path], output: Path, against: Path | None, *, single_file: bool) -> int:
    """Build a report from result files; fails as they do, and if something became worse."""
    from veridyn.reports.against import compare
    from veridyn.reports.studio import cores
    from veridyn.reports.writer import write
    from veridyn.run import running

    found = read(results)
    compared = compare(found, read(against)) if against else None
    write(found, output, compared, processes=cores(), single=single_file)  # what was read is checked
    print(f"{output / 'index.html'}")
    if compared:
        print(f"against {against}: {compared.headline}")
    worse = ExitCode.FAILED if compared and compared.is_worse else ExitCode.FINE
    return running.status((record.verdict for record in found.results), find_gaps(found)) or worse


def manual(
    *,
    cases: Sequence[str],
    results: Path | None,
    output: Path,
    jobs: int,
    pdf: bool,
    number: str,
    revision: str,
    intended_use: str,
    command: Command,
) -> int:
    """Build the manual of some cases, of all without any; returns the status of the results.

    Without ``results`` our own solver is run first and its results are kept in the folder. Raises UnknownCase if there
    is no such case; ReportError if results cannot be read, have nothing of a case, or the manual cannot be written.
    """
    from veridyn.reports.manual import write
    from veridyn.reports.manual_blocks import typesetter
    from veridyn.run import running

    if pdf:
        typesetter()  # said before the run, not after it
    if results is None:
        results = output / "results.json"
        ended = _run_our_own(cases, results, jobs, command)
        if ended == ExitCode.INTERRUPTED:
            return ended
    elif cases and results.resolve() == (output / "results.json").resolve():
        raise ReportError(f"{results} would lose the cases that are not asked for; choose another folder")
    found = read(results)
    chosen = select_cases(found, cases) if cases else found
    for file in write(chosen, output, pdf=pdf, number=number, revision=revision, use=intended_use):
        if file.stem == "manual":
            print(file)
    return running.status((record.verdict for record in chosen.results), find_gaps(chosen))


def _run_our_own(cases: Sequence[str], file: Path, jobs: int, command: Command) -> int:
    from veridyn.run import running
    from veridyn.run.selection import Selection
    from veridyn.solver.contract.loading import OWN

    for name in cases:
        load_case(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    return running.run(
        selection=Selection(cases=tuple(cases)),
        solvers=[OWN],
        changed={},
        jobs=jobs,
        report=None,
        output=str(file),
        command=command,
    )
