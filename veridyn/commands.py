"""What each command does. Numerical libraries are imported only by the commands that need them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from veridyn.exit_code import ExitCode
from veridyn.reports.errors import ReportError
from veridyn.solver.errors import SolverInputError
from veridyn.validation_cases.core.catalogue import UnknownCase, all_cases, listed, load_case


def bad_input_errors() -> tuple[type[Exception], ...]:
    """Return what bad input raises; imported late, since references need numerical libraries."""
    from veridyn.references import CertificationError, ParameterError

    return ParameterError, CertificationError, SolverInputError, UnknownCase, ReportError, OSError


class UsageError(SolverInputError):
    """An option has a value that cannot be used."""


def run(options: argparse.Namespace, command: Sequence[str]) -> int:
    """Carry out a command; returns the exit status."""
    handlers: dict[str, Callable[[argparse.Namespace, Sequence[str]], int]] = {
        "list": _list,
        "show": _show,
        "reference": _reference,
        "run": _run,
        "export": _export,
        "check": _check,
        "doctor": _doctor,
        "sweep": _sweep,
        "report": _report,
        "manual": _manual,
        "bench": _bench,
        "mutation": _mutation,
        "baseline": _baseline,
    }
    # an ASCII-only pipe must not stop on a "²"
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    return handlers[options.command](options, command)


def changes(pairs: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs.

    Raises
    ------
    UsageError
        If a pair has no ``=``, an empty side, or a name is given twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--set {pair!r}: write NAME=VALUE, e.g. a0=1.2")
        if name in found:
            raise UsageError(f"--set {name} is given twice")
        found[name] = value
    return found


def _print_json(data: Any) -> None:
    print(json.dumps(data, indent=1, ensure_ascii=True, allow_nan=False))


def _list(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001 - one signature for all
    if options.json:
        from veridyn import texts

        _print_json({"schema_version": "1.0", "cases": [texts.entry(case) for case in all_cases()]})
        return ExitCode.FINE
    from veridyn.screen import print_list

    print_list(listed())
    return ExitCode.FINE


def _show(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001
    from veridyn import texts

    texts.print_case(load_case(options.case))
    return ExitCode.FINE


def _reference(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001
    from veridyn import texts
    from veridyn.references.parameters import check_digits

    case = load_case(options.case)
    given = changes(options.set)
    case.values(given)
    digits = check_digits(options.digits)
    if options.json:
        _print_json(texts.reference_document(case, given, digits, options.derivative))
    else:
        texts.print_reference(case, given, digits, options.derivative)
    return ExitCode.FINE


def _run(options: argparse.Namespace, command: Sequence[str]) -> int:
    return _judged_run(options, command, against=options.against)


def _selection(options: argparse.Namespace) -> Any:
    """Return what is to be run: the quick profile if nothing is named."""
    from veridyn.selection import Selection

    named = (options.cases, options.kind, options.variant, options.quantity, options.scheme)
    cases, kinds, variants, quantities, schemes = map(tuple, named)
    asked = (options.solver, options.set, options.claim, options.refine, options.require)
    if options.all or any(named) or any(asked):
        return Selection(cases, kinds, variants, quantities, schemes)
    return Selection(quick=True)


def _request(options: argparse.Namespace) -> Any:
    from veridyn.validation_cases.core.subject import read_request

    return read_request(claims=options.claim, refine=options.refine or "", require=options.require or "")


def _judged_run(options: argparse.Namespace, command: Sequence[str], **more: Any) -> int:
    from veridyn import running
    from veridyn.solver.loading import EXACT

    selection = _selection(options)
    return running.run(
        selection=selection,
        solvers=[*_solvers(options), *([EXACT] if selection.quick else [])],
        changed=changes(options.set),
        jobs=_jobs(options),
        report=options.report,
        output=options.json,
        layout=options.layout,
        fail_fast=options.fail_fast,
        command=command,
        expected_failures=options.expected_failures,
        work_precision=options.work_precision,
        time_out=options.time_out,
        resume=options.resume,
        request=_request(options),
        **more,
    )


def _export(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001
    from veridyn import exporting

    return exporting.export(
        case=options.case,
        variant=options.variant,
        changed=changes(options.set),
        form=options.format,
        output=options.output,
    )


def _check(options: argparse.Namespace, command: Sequence[str]) -> int:
    from veridyn import checking

    return checking.check(
        case=options.case,
        files=options.results,
        variant=options.variant,
        changed=changes(options.set),
        report=options.report,
        output=options.json,
        layout=options.layout,
        command=command,
        request=_request(options),
    )


def _solvers(options: argparse.Namespace) -> list[str]:
    from veridyn.solver.loading import OWN

    return options.solver or [OWN]


def _jobs(options: argparse.Namespace) -> int:
    """Return how many processes are to work: as many as the machine has cores, if nobody says."""
    from veridyn.reports.studio import cores

    return options.jobs or cores()


def _doctor(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001
    from veridyn.doctor import command as doctor

    return doctor.examine_all(_solvers(options), changes(options.set), options.time_out)


def _sweep(options: argparse.Namespace, command: Sequence[str]) -> int:
    from veridyn.sweep import command as sweeping

    return sweeping.sweep(
        case=options.case,
        over=options.over,
        changed=changes(options.set),
        output=options.output,
        scheduler=options.scheduler,
        threads=options.threads,
        resume=options.resume,
        check=options.check,
        command=command,
    )


def _report(options: argparse.Namespace, command: Sequence[str]) -> int:  # noqa: ARG001
    from veridyn import running
    from veridyn.reports import gaps, read_results
    from veridyn.reports.against import compare
    from veridyn.reports.studio import cores
    from veridyn.reports.writer import write

    found, before = read_results(options.results), options.against
    compared = compare(found, read_results([before])) if before else None
    write(found, options.output, compared, processes=cores())  # what was read is checked
    print(f"{options.output / 'index.html'}")
    if compared:
        print(f"against {before}: {compared.headline}")
    worse = ExitCode.FAILED if compared and compared.is_worse else ExitCode.FINE
    return running.status(found["results"], gaps(found)) or worse


def _manual(options: argparse.Namespace, command: Sequence[str]) -> int:
    from veridyn import manual

    return manual.manual(
        cases=options.cases,
        results=options.results,
        output=options.output,
        jobs=_jobs(options),
        pdf=options.pdf,
        command=command,
    )


def _bench(options: argparse.Namespace, command: Sequence[str]) -> int:
    from veridyn import timing

    return timing.bench(
        cases=options.cases,
        solvers=_solvers(options),
        report=options.report,
        against=options.against,
        history=options.history,
        results=options.results,
        command=command,
    )


def _mutation(options: argparse.Namespace, command: Sequence[str]) -> int:
    from veridyn.mutation import analysis as mutation
    from veridyn.mutation import false_positives

    common = {
        "cases": options.cases,
        "hosts": options.host,
        "jobs": _jobs(options),
        "output": options.json,
        "time_out": options.time_out,
        "resume": options.resume,
        "command": command,
    }
    if options.false_positives is not None:
        if options.fault or options.resolution:
            raise UsageError("--false-positives tries solvers without fault; leave out --fault and --resolution")
        return false_positives.study(count=options.false_positives, **common)
    return mutation.mutation(
        faults=options.fault,
        options=mutation.Options(options.most, options.all_cases, options.resolution),
        report=options.report,
        **common,
    )


def _baseline(options: argparse.Namespace, command: Sequence[str]) -> int:
    """Run and keep what came out as a baseline; the run itself is judged as ever."""
    return _judged_run(options, command, baseline=options.file)
