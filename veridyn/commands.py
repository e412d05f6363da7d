"""What each command does. Numerical libraries are imported only by the commands that need them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from veridyn.exit_code import ExitCode
from veridyn.reports.errors import ReportError
from veridyn.solver.errors import SolverInputError
from veridyn.validation_cases.core.catalogue import UnknownCase, UnknownTopic, listed, load_case

Command = Sequence[str]  # as it was given, for the results to say


def bad_input_errors() -> tuple[type[Exception], ...]:
    """Return what bad input raises; imported late, since references need numerical libraries."""
    from veridyn.references import CertificationError, ParameterError

    return ParameterError, CertificationError, SolverInputError, UnknownCase, UnknownTopic, ReportError, OSError


class UsageError(SolverInputError):
    """An option has a value that cannot be used."""


def run(options: argparse.Namespace, command: Command) -> int:
    """Carry out a command; returns the exit status.

    Options bear the names of the arguments of the functions that they go to.
    """
    commands: dict[str, Callable[..., int]] = {
        "list": _list, "show": _show, "reference": _reference, "run": _run, "baseline": _baseline, "export": _export,
        "check": _check, "doctor": _doctor, "sweep": _sweep, "report": _report, "manual": _manual, "bench": _bench,
        "mutation": _mutation, "new-case": _new_case,
    }  # fmt: skip
    # an ASCII-only pipe must not stop on a "²"
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    given = vars(options)
    return commands[given.pop("command")](command, **_read(given))


def _read(given: dict[str, Any]) -> dict[str, Any]:
    """Return options as the commands take them: pairs, requests and the number of processes read."""
    if "changed" in given:
        given["changed"] = changes(given["changed"])
    if given.get("jobs") and given.get("scheduler"):
        raise UsageError("-n counts processes of this machine; a scheduler has workers of its own: leave one out")
    if "jobs" in given and given["jobs"] is None:
        from veridyn.reports.studio import cores

        given["jobs"] = cores()
    return given


def changes(pairs: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs; raises UsageError if a pair has no ``=``, an empty side, or a name is given twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--set {pair!r}: write NAME=VALUE, e.g. a0=1.2")
        if name in found:
            raise UsageError(f"--set {name} is given twice")
        found[name] = value
    return found


def _print_json(data: Any) -> int:
    print(json.dumps(data, indent=1, ensure_ascii=True, allow_nan=False))
    return ExitCode.FINE


def _list(_: Command, kinds: Sequence[str], topics: Sequence[str], *, as_json: bool) -> int:
    found = list(listed(kinds, topics))
    if as_json:
        from veridyn import texts

        return _print_json({"schema_version": "1.0", "cases": [texts.entry(load_case(case.name)) for case in found]})
    from veridyn.screen import print_list

    print_list(found)
    return ExitCode.FINE


def _show(_: Command, case: str) -> int:
    from veridyn import texts

    texts.print_case(load_case(case))
    return ExitCode.FINE


def _reference(
    _: Command,
    case: str,
    changed: Mapping[str, str],
    digits: int,
    derivative: str | None,
    variant: str | None,
    *,
    as_json: bool,
) -> int:
    from veridyn import posed, texts
    from veridyn.references.parameters import check_digits

    chosen = load_case(case)
    variants = chosen.variants if variant == "all" else [posed.variant_of(chosen, variant)] if variant else [None]
    asked = [
        (chosen, {**(of.changes if of else {}), **changed}, check_digits(digits), derivative, of) for of in variants
    ]
    if as_json:
        documents = [texts.reference_document(*each) for each in asked]
        return _print_json(texts.of_all_variants(documents) if variant == "all" else documents[0])
    for each in asked:
        texts.print_reference(*each)
    return ExitCode.FINE


def _request(claims: Sequence[str], refine: str, require: str) -> Any:
    from veridyn.validation_cases.core.subject import read_request

    return read_request(claims=claims, refine=refine, require=require)


def _run(command: Command, **given: Any) -> int:
    """Run what is named; without a name the quick profile, with the exact solver beside our own."""
    from veridyn import running
    from veridyn.selection import Selection
    from veridyn.solver.loading import EXACT

    names = ("cases", "kinds", "variants", "quantities", "schemes")
    named: dict[str, Any] = {name: tuple(given.pop(name)) for name in names}
    asked = {name: given.pop(name) for name in ("claims", "refine", "require")}
    solvers, everything = given.pop("solvers"), given.pop("all")
    quick = not (everything or solvers or given["changed"] or any(named.values()) or any(asked.values()))
    return running.run(
        selection=Selection(quick=True) if quick else Selection(**named),
        solvers=[*_or_own(solvers), *([EXACT] if quick else [])],
        request=_request(**asked),
        command=command,
        **given,
    )


def _or_own(solvers: Sequence[str]) -> Sequence[str]:
    from veridyn.solver.loading import OWN

    return solvers or [OWN]


def _baseline(command: Command, action: str, **given: Any) -> int:  # noqa: ARG001 - there is one action
    """Run and keep what came out as a baseline; the run itself is judged as ever."""
    return _run(command, **given)


def _export(_: Command, **given: Any) -> int:
    from veridyn import exporting

    return exporting.export(**given)


def _check(command: Command, *, claims: Sequence[str], refine: str, require: str, **given: Any) -> int:
    from veridyn import checking

    return checking.check(command=command, request=_request(claims, refine, require), **given)


def _new_case(_: Command, **given: Any) -> int:
    from veridyn.new_case import new_case

    return new_case(**given)


def _doctor(_: Command, *, solvers: Sequence[str], **given: Any) -> int:
    from veridyn.doctor.command import examine

    return examine(_or_own(solvers), **given)


def _sweep(command: Command, **given: Any) -> int:
    from veridyn.sweep.command import sweep

    return sweep(command=command, **given)


def _report(_: Command, *, results: Sequence[Path], output: Path, against: Path | None, single_file: bool) -> int:
    from veridyn import running
    from veridyn.reports import gaps, read_results
    from veridyn.reports.against import compare
    from veridyn.reports.studio import cores
    from veridyn.reports.writer import write

    found = read_results(results)
    compared = compare(found, read_results([against])) if against else None
    write(found, output, compared, processes=cores(), single=single_file)  # what was read is checked
    print(f"{output / 'index.html'}")
    if compared:
        print(f"against {against}: {compared.headline}")
    worse = ExitCode.FAILED if compared and compared.is_worse else ExitCode.FINE
    return running.status(found["results"], gaps(found)) or worse


def _manual(command: Command, **given: Any) -> int:
    from veridyn import manual

    return manual.manual(command=command, **given)


def _bench(command: Command, *, solvers: Sequence[str], **given: Any) -> int:
    from veridyn import timing

    return timing.bench(solvers=_or_own(solvers), command=command, **given)


def _mutation(
    command: Command,
    *,
    false_positives: int | None,
    faults: Sequence[str],
    report: Path | None,
    all_cases: bool,
    resolution: bool,
    **given: Any,
) -> int:
    from veridyn.mutation import analysis
    from veridyn.mutation.false_positives import study

    if false_positives is None:
        asked = analysis.Options(all_cases, resolution)
        return analysis.mutation(faults=faults, options=asked, report=report, command=command, **given)
    if faults or resolution:
        raise UsageError("--false-positives tries solvers without fault; leave out --fault and --resolution")
    return study(count=false_positives, command=command, **given)
