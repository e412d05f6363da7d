"""What each command does. Numerical libraries are imported only by the commands that need them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veridyn.problem.errors import SolverInputError
from veridyn.problem.printable import print_line
from veridyn.results import ReportError, find_gaps, read
from veridyn.run.exit_code import ExitCode
from veridyn.validation_cases.judgement.catalogue import UnknownCase, UnknownTopic, load_case, select

if TYPE_CHECKING:
    from veridyn.run.delivery import Delivery
    from veridyn.run.running import Crew, Order

Changes = Mapping[str, str]
Command = Sequence[str]  # as it was given, for the results to say


DELIVERING = frozenset({"run_checks", "check", "manual", "sweep", "bench"})
"""Functions of commands whose results say by which command they were made."""


def bad_input_errors() -> tuple[type[Exception], ...]:
    """Return what bad input raises; imported late, since references need numerical libraries."""
    from veridyn.references import CertificationError, ParameterError

    return ParameterError, CertificationError, SolverInputError, UnknownCase, UnknownTopic, ReportError, OSError


def lost_process_error() -> type[Exception]:
    """Return what is raised where a process that judges ends again and again, before the work or after it."""
    from veridyn.run.workers import WorkerLost

    return WorkerLost


def run(place: str, given: dict[str, Any], command: Command) -> int:
    """Carry out a command by the function at a place, with the options that are its arguments; returns the exit status.

    What is delivered says by which command: its function gets that, too.
    """
    # an ASCII-only pipe must not stop on a "²"
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    module, _, name = place.rpartition(".")
    function = getattr(import_module(f"veridyn.{module}"), name)
    if name in DELIVERING:
        given["command"] = command
    status: int = function(**_read(given))
    sys.stdout.flush()  # a reader that has gone, or a full disk, can still be said
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
    if "layout" in given:
        _read_delivery(given)
    if "fail_fast" in given:
        _read_order(given)
    if "time_out" in given:
        _read_access(given)
    return given


def _read_delivery(given: dict[str, Any]) -> None:
    """Replace the options that say where results go by a `Delivery`."""
    from veridyn.run.delivery import Delivery

    names = ("command", "report", "output", "layout", "baseline", "resume")
    given["delivery"] = Delivery(**{name: given.pop(name) for name in names if name in given})


def _read_order(given: dict[str, Any]) -> None:
    """Replace the options that say what is judged by an `Order`.

    Without a name that is the quick profile.
    """
    from veridyn.results import Profile
    from veridyn.run.running import Order
    from veridyn.run.selection import Selection
    from veridyn.solver.contract.loading import is_ours
    from veridyn.validation_cases.judgement.subject import Request

    quick, everything, solvers = (given.pop(name) for name in ("quick", "all", "solvers"))
    if quick and (everything or given["variants"]):
        raise SolverInputError("--quick judges default variants alone: leave out --all and --variant")
    picked = ("cases", "needs", "variants", "quantities", "schemes")
    rest = ("changed", "request", "expected_failures", "work_precision", "fail_fast", "budget", "seed")
    named: dict[str, Any] = {name: tuple(given.pop(name)) for name in picked}
    selection = Selection(**named, quick=quick)
    names_nothing = selection == Selection(quick=quick) and given["request"] == Request()
    is_plain = names_nothing and not (everything or solvers or given["changed"])
    solvers = solvers or choose_solvers(selection.cases, is_plain=is_plain)
    given["order"] = Order(
        solvers=solvers,
        selection=(chosen := replace(selection, quick=quick or is_plain, shared=is_plain)),
        # a baseline keeps what later runs can repeat
        moves="against" in given and (chosen.profile is Profile.ALL or not all(map(is_ours, solvers))),
        **{name: given.pop(name) for name in rest},
        against=given.pop("against", None),
    )


def choose_solvers(cases: Sequence[str], *, is_plain: bool = False) -> list[str]:
    """Return the solvers of a run for which the user names none.

    Those that are always there: our own for mechanical cases, SciPy for initial value problems. Where no case is named
    that is our own, in the plain run both. Raises UnknownCase if there is no such case.
    """
    from veridyn.solver.contract.loading import OWN, USUAL
    from veridyn.validation_cases.judgement.catalogue import kind_of

    if is_plain:
        return list(USUAL.values())
    return list(dict.fromkeys(USUAL[kind_of(name)] for name in cases)) or [OWN]


def _read_access(given: dict[str, Any]) -> None:
    """Replace the options that say how solvers are reached, and by whom, by an `Access` or a `Crew`."""
    from veridyn.run.plan import Access
    from veridyn.run.running import Crew

    access = Access(given.pop("time_out"), given.pop("in_process"))
    if "jobs" in given:
        given["crew"] = Crew(given.pop("jobs"), access, given.pop("scheduler"))
    else:
        given["access"] = access


def changes(pairs: Sequence[str]) -> dict[str, str]:
    """Read NAME=VALUE pairs.

    Raises SolverInputError if a pair has no ``=``, an empty side, or a name is given twice.
    """
    result: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not (name and equals and value):
            raise SolverInputError(f"--set {pair!r}: write NAME=VALUE, e.g. a0=1.2")
        if name in result:
            raise SolverInputError(f"--set {name} is given twice")
        result[name] = value
    return result


def list_cases(rooms: Sequence[str], topics: Sequence[str], *, as_json: bool) -> int:
    """List cases of some rooms and topics, all without any."""
    cases = select(rooms, topics)
    if as_json:
        from veridyn.cli import texts

        entries = [texts.entry(load_case(case.name)) for case in cases]
        return texts.print_json({"schema_version": "1.0", "cases": entries})
    from veridyn.run.screen import print_list

    print_list(cases)
    return ExitCode.FINE


def run_checks(
    *,
    order: Order,
    delivery: Delivery,
    crew: Crew,
    action: str = "",  # noqa: ARG001 - of a baseline: to save it is all there is
) -> int:
    """Run what is ordered."""
    from veridyn.run.running import run

    return run(order, delivery, crew)


def report(
    results: Sequence[Path],
    output: Path | None,
    against: Path | None,
    signers: Path | None,
    *,
    single_file: bool,
    verify: bool,
) -> int:
    """Build a report from result files; fails as they do, and if something became worse.

    Before, their signatures are checked, and they are held against the library, as far as that is asked for.
    """
    from veridyn.cli import evidence
    from veridyn.reports.against import compare
    from veridyn.reports.studio import cores
    from veridyn.reports.writer import write
    from veridyn.run.delivery import status

    if output is None and not verify:
        raise SolverInputError("report needs --output DIR for its pages, or --verify, which needs none")
    signatures = evidence.list_signatures(results, signers)
    result = read(results)
    if verify:
        print(evidence.verify(result))
    compared = compare(result, read(against)) if against else None
    if output is not None:  # what was read is checked
        write(result, output, compared, processes=cores(), single=single_file, signatures=signatures)
        print_line(f"{output / 'index.html'}")
    if compared:
        print_line(f"against {against}: {compared.headline}")
    worse = ExitCode.FAILED if compared and compared.is_worse else ExitCode.FINE
    return status((record.verdict for record in result.results), find_gaps(result)) or worse
