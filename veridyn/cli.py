"""The command line: what may be said; what each command does stands in `commands`."""

from __future__ import annotations

import argparse
import difflib
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from veridyn import __version__
from veridyn.exit_code import ExitCode

EXAMPLES = """\
examples:
  veridyn run                                      quick profile: every case, half a minute
  veridyn run --all --report r                     every variant, every scheme of our own solver; write a report
  veridyn run sdnd101 --solver solver.py:Solver    all checks of a solver of yours on one case
  veridyn run --solver 'cmd:./program' --fail-fast all checks of a program in any language, up to a failure
  veridyn reference sdnd104 --set a0=1.2           certified values for parameters of yours

exit status:
  0  fine                    1  a check failed
  2  wrong usage, bad input, a missing package, or nothing could be judged
  3  a solver crashed      130  interrupted
"""
PARAMETER = "change a parameter, e.g. a0=1.2 or omega=2*pi"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line."""
        self.exit(
            ExitCode.UNUSABLE,
            f"veridyn: {_one_line(message.removeprefix('argument '))}{_suggestion(message)}; see {self.prog} --help\n",
        )


def whole(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {number}")
        return number

    return read


def whole_or_all(text: str) -> int | None:
    """Read a whole number, or ``all`` (None)."""
    return None if text == "all" else whole(1)(text)


def seconds(text: str) -> float:
    """Read a duration."""
    try:
        duration = float(text)
    except ValueError:
        duration = math.nan
    if not 0 < duration < math.inf:
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, got {text!r}")
    return duration


def named(text: str) -> str:
    """Read a text that must not be empty, as from a variable of a shell that is not set."""
    if not text:
        raise argparse.ArgumentTypeError("needs a name, got nothing")
    return text


def place(text: str) -> Path:
    """Read the name of a file or folder."""
    return Path(named(text))


SELECTED = """\
Without a name or --all, the quick profile runs: the default variant of each case, for the first scheme of our own
solver and for the exact solver. Whatever is named (CASE, --kind, --variant, --quantity, --scheme, --solver, --set,
--claim, --refine, --require) is judged in full.
"""


def _suggestion(message: str) -> str:
    """Name the command that was probably meant."""
    wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    near = difflib.get_close_matches(wrong[1], re.findall(r"\w+", wrong[2]), n=1) if wrong else []
    return f"; did you mean {near[0]}?" if near else ""


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="veridyn",
        description="Verify solvers of nonlinear dynamics against certified references.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"veridyn {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    listing = commands.add_parser("list", help="list the cases")
    listing.add_argument("--json", action="store_true", help="one JSON document on standard output")

    show = commands.add_parser("show", help="statement, parameters, references, published values, errata of a case")
    show.add_argument("case")

    reference = commands.add_parser("reference", help="certified reference values")
    reference.add_argument("case")
    _add_set(reference)
    reference.add_argument(
        "--digits", type=whole(1), default=30, metavar="N", help="significant digits, 1 to 1000 (default 30)"
    )
    reference.add_argument("--derivative", metavar="NAME", help="derivatives with respect to a parameter instead")
    reference.add_argument("--json", action="store_true", help="one JSON document on standard output")

    _add_run(commands)
    _add_exchange(commands)

    doctor = commands.add_parser("doctor", help="tell a broken adapter from an inaccurate solver")
    _add_solvers(doctor)
    _add_set(doctor, "change a setting that the solver declares, e.g. step=1e-4")
    _add_time_out(doctor)

    _add_sweep(commands)

    report = commands.add_parser("report", help="build a report from result documents")
    report.add_argument("results", nargs="+", type=place, metavar="RESULTS.json")
    report.add_argument("--output", required=True, type=place, metavar="DIR")
    report.add_argument(
        "--against", type=place, metavar="OLD.json", help="say what changed since; fails if something became worse"
    )

    manual = commands.add_parser("manual", help="build the validation manual, as HTML and PDF")
    _add_cases(manual)
    manual.add_argument(
        "--output", required=True, type=place, metavar="DIR", help="write manual.html, manual.pdf, results.json"
    )
    manual.add_argument("--results", type=place, metavar="RESULTS.json", help="of a run (default: run our own solver)")
    _add_jobs(manual, " of that run")
    manual.add_argument("--pdf", action=argparse.BooleanOptionalAction, default=True, help="write the PDF, too")

    bench = commands.add_parser("bench", help="time the solvers, digits beside the times")
    _add_cases(bench)
    _add_solvers(bench)
    bench.add_argument("--report", type=place, metavar="DIR", help="write timing.html, timing.md and timing.json")
    bench.add_argument(
        "--against", type=place, metavar="OLD.json", help="timing.json to compare with: ratios, with their noise"
    )
    bench.add_argument(
        "--history", type=place, metavar="DIR", help="folder of earlier runs, to draw; this one is added"
    )
    bench.add_argument("--results", type=place, metavar="TIMING.json", help="of a run (default: run the benchmarks)")

    _add_mutation(commands)

    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="run solvers through the cases and judge them", description=SELECTED)
    _add_run_options(run)
    run.add_argument(
        "--against", type=place, metavar="FILE", help="baseline: digits or cost lost since it was saved fail"
    )

    baseline = commands.add_parser("baseline", help="keep digits and cost of a solver, for `run --against`")
    actions = baseline.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    save = actions.add_parser("save", help="run, and write what came out into FILE", description=SELECTED)
    save.add_argument("file", type=place, metavar="FILE")
    _add_run_options(save)


def _add_run_options(run: argparse.ArgumentParser) -> None:
    """Add the options of a run: cases, solvers, what is asked of them, how it is run and written."""
    _add_selection(run)
    _add_solvers(run, "our own; in the quick profile the exact one, too")
    _add_set(run, f"{PARAMETER}; or a setting that a solver declares, e.g. step=5e-5")
    _add_request(run)
    _add_results(run)
    _add_jobs(run)
    _add_time_out(run)
    run.add_argument("--fail-fast", action="store_true", help="end at the first check that fails")
    run.add_argument("--resume", action="store_true", help="go on with the run that was ended, into the same files")
    run.add_argument(
        "--expected-failures", type=place, metavar="FILE", help="lines CASE/CHECK: REASON; * stands for anything"
    )
    run.add_argument(
        "--work-precision",
        action=argparse.BooleanOptionalAction,
        help="measure time and error at several settings, for the report (default: with several solvers)",
    )


def _add_selection(run: argparse.ArgumentParser) -> None:
    """Add what selects the checks of a run."""
    run.add_argument("cases", nargs="*", metavar="CASE", help="all cases if none is named")
    run.add_argument("--all", action="store_true", help="every case, variant and scheme, where nothing is named")
    for option, meaning in SELECTING.items():
        run.add_argument(
            f"--{option}", action="append", default=[], type=named, metavar="NAME", help=f"{meaning}; repeatable"
        )


SELECTING = {
    "kind": "variants whose problem needs this, e.g. contact, friction, device, multi-dof",
    "variant": "variants of this name",
    "quantity": "checks of this quantity",
    "scheme": "a scheme of the solver",
}
"""What selects checks by name, beside the case."""


def _add_jobs(parser: argparse.ArgumentParser, of: str = "") -> None:
    parser.add_argument(
        "-n", "--jobs", type=whole(1), metavar="JOBS", help=f"processes{of} (default: the cores of this machine)"
    )


def _add_exchange(commands: Any) -> None:
    """Add the commands for codes that can only be run by hand."""
    export = commands.add_parser("export", help="write a problem statement for a code that is run by hand")
    _add_posed(export)
    export.add_argument("--format", choices=("json", "csv"), default="json", help="one document or tables")
    export.add_argument(
        "--output", type=named, default="-", metavar="DIR", help="folder to write into; - for standard output (default)"
    )

    check = commands.add_parser("check", help="judge the results files of a code that is run by hand")
    _add_posed(check)
    check.add_argument(
        "results",
        nargs="+",
        type=place,
        metavar="RESULTS.csv",
        help="histories or quantities, one file or one a refinement level, coarse to fine; see docs/results-files.md",
    )
    _add_request(check)
    _add_results(check)


def _add_request(parser: argparse.ArgumentParser) -> None:
    """Add what a user asks of a solver: claims, refinement, requirement."""
    parser.add_argument(
        "--claim",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="claim of the solver: order=2, tolerance=rtol, digits=12, method=newmark with its parameters; repeatable",
    )
    parser.add_argument(
        "--refine", metavar="NAME=V1,V2,V3", help="refinement levels of a setting, coarse to fine; or its name alone"
    )
    parser.add_argument("--require", metavar="digits=N", help="criterion of yours: digits=6 or rel=1e-6")


def _add_sweep(commands: Any) -> None:
    """Add the command that solves many parameter sets at once."""
    sweep = commands.add_parser("sweep", help="solve a case for all combinations of many parameters")
    sweep.add_argument("case")
    sweep.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=START:STOP:COUNT",
        help="parameter to sweep; NAME=START:STOP:COUNT:log or NAME=VALUE,VALUE,… too; repeatable",
    )
    _add_set(sweep)
    sweep.add_argument(
        "--output", type=place, metavar="DIR", help="write sweep.npz, sweep.csv (if small), sweep.json, sweep.svg"
    )
    sweep.add_argument("--resume", action="store_true", help="go on with the sweep that was ended in that folder")
    sweep.add_argument(
        "-n", "--threads", type=whole(1), metavar="THREADS", help="threads (default: all of this machine)"
    )
    sweep.add_argument(
        "--scheduler", type=named, metavar="ADDRESS", help="Dask scheduler whose workers solve, e.g. tcp://host:8786"
    )
    sweep.add_argument(
        "--check",
        type=whole(0),
        default=5,
        metavar="N",
        help="points that are compared with the certified reference (default 5)",
    )


def _add_mutation(commands: Any) -> None:
    """Add the command that tries the suite itself."""
    mutation = commands.add_parser(
        "mutation", help="try the suite itself: seeded faults must be detected, solvers without fault must pass"
    )
    _add_cases(mutation)
    mutation.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="H",
        help="solver into which faults are seeded: integrator, exact, one of examples/hosts, or FILE.py with FAULTS; "
        "repeatable (default: all)",
    )
    mutation.add_argument("--fault", action="append", default=[], metavar="NAME", help="repeatable (default: all)")
    mutation.add_argument(
        "--most", type=whole_or_all, default=3, metavar="N", help="try a fault on at most N cases, or all (default 3)"
    )
    mutation.add_argument("--all-cases", action="store_true", help="go on after the first case that detects a fault")
    mutation.add_argument("--resolution", action="store_true", help="look for the smallest size that is detected")
    mutation.add_argument(
        "--false-positives",
        type=whole(1),
        metavar="N",
        help="instead: solvers without fault on N random parameter sets of every case",
    )
    mutation.add_argument(
        "--report", type=place, metavar="DIR", help="write mutation.json, detection.md and patterns.json"
    )
    mutation.add_argument("--json", type=named, metavar="FILE", help="write what was found; - for standard output")
    mutation.add_argument("--resume", action="store_true", help="go on with the run that was ended, into the same file")
    _add_jobs(mutation)
    _add_time_out(mutation)


def _add_posed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case")
    parser.add_argument("--variant", metavar="V", help="variant of the case (default: the default parameters)")
    _add_set(parser)


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--report", type=place, metavar="DIR", help="write a report: page, figures, results as JSON, CSV, JUnit"
    )
    parser.add_argument("--json", type=named, metavar="FILE", help="write the result document; - for standard output")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "-v",
        "--verbose",
        action="store_const",
        const="full",
        default="summary",
        dest="layout",
        help="list every check, not only the failures",
    )
    length.add_argument(
        "-q",
        "--quiet",
        action="store_const",
        const="brief",
        dest="layout",
        help="a line for each failure and the verdict alone, no progress",
    )


def _add_cases(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all cases if none is named")


def _add_solvers(parser: argparse.ArgumentParser, default: str = "our own") -> None:
    parser.add_argument(
        "--solver",
        action="append",
        default=[],
        metavar="S",
        help=f"NAME, package.module:attr, path/file.py:attr or 'cmd:program args'; repeatable (default: {default})",
    )


def _add_time_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--time-out",
        type=seconds,
        default=600.0,
        metavar="SECONDS",
        help="after which a solve is stopped (default 600)",
    )


def _add_set(parser: argparse.ArgumentParser, meaning: str = PARAMETER) -> None:
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"{meaning}; repeatable")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return ExitCode.UNUSABLE
    from veridyn import commands

    try:
        return commands.run(options, ["veridyn", *given])
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; the interpreter must not try to flush to it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    except commands.bad_input_errors() as error:
        print(f"veridyn: {_one_line(error)}", file=sys.stderr)
        return ExitCode.UNUSABLE
    except KeyboardInterrupt:
        print("veridyn: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
