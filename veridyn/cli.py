"""The command line: what may be said; what each command does stands in `commands`."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from veridyn import __version__
from veridyn.defaults import DefaultsError, completed
from veridyn.exit_code import ExitCode
from veridyn.nearest import did_you_mean

EXAMPLES = """\
examples:
  veridyn run                                      quick profile: every case, half a minute
  veridyn run --all --report r                     every variant, every scheme of our own solver; write a report
  veridyn run sdnd101 --solver solver.py:Solver    all checks of a solver of yours on one case
  veridyn run --solver 'cmd:./program' --fail-fast all checks of a program in any language, up to a failure
  veridyn reference sdnd104 --set a0=1.2           certified values for parameters of yours

defaults:
  veridyn.toml, or [tool.veridyn] in pyproject.toml, in this folder: a table for each command, options by long name

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


class _Completion(argparse.Action):
    """Prints the completion script of a shell, made from the parser."""

    def __call__(self, parser: argparse.ArgumentParser, _: Any, shell: Any, option_string: str | None = None) -> None:  # noqa: ARG002 - of argparse
        """Print and end; without the package that makes it, say so."""
        try:
            import shtab
        except ImportError:
            parser.error('completion needs the package shtab: pip install "veridyn[completion]"')
        print(shtab.complete(parser, shell))
        parser.exit()


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
    meant = did_you_mean(wrong[1], re.findall(r"\w+", wrong[2])) if wrong else ""
    return f"; {meant}" if meant else ""


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="veridyn",
        description="Verify solvers of nonlinear dynamics against certified references.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"veridyn {__version__}")
    script = 'print a completion script for a shell, e.g. for bash: eval "$(veridyn --print-completion bash)"'
    parser.add_argument(
        "--print-completion",
        action=_Completion,
        choices=("bash", "zsh", "tcsh"),
        default=argparse.SUPPRESS,
        help=script,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    _add_reading(commands)
    _add_new_case(commands)
    _add_run(commands)
    _add_exchange(commands)
    doctor = commands.add_parser("doctor", help="tell a broken adapter from an inaccurate solver")
    _add_solvers(doctor)
    _add_set(doctor, "change a setting that the solver declares, e.g. step=1e-4")
    _add_time_out(doctor)
    _add_sweep(commands)
    _add_reports(commands)
    _add_mutation(commands)
    return parser


def _repeatable(parser: argparse.ArgumentParser, option: str, metavar: str, meaning: str, **more: Any) -> None:
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=f"{meaning}; repeatable", **more)


def _place(parser: argparse.ArgumentParser, option: str, metavar: str, meaning: str, **more: Any) -> None:
    parser.add_argument(option, type=place, metavar=metavar, help=meaning, **more)


def _switch(parser: argparse.ArgumentParser, option: str, meaning: str) -> None:
    parser.add_argument(option, action="store_true", help=meaning)


def _add_reading(commands: Any) -> None:
    """Add the commands that run no solver."""
    listing = commands.add_parser("list", help="list the cases, by kind")
    _add_json(listing)
    rooms = ("mechanics", "ode", "hybrid", "dae")
    _repeatable(listing, "--kind", "KIND", f"cases of that kind: {', '.join(rooms)}", dest="kinds", choices=rooms)
    _repeatable(listing, "--topic", "TOPIC", "cases of that topic, e.g. impact, friction, chaos, stiff", dest="topics")
    show = commands.add_parser("show", help="statement, parameters, references, published values, errata of a case")
    show.add_argument("case")
    reference = commands.add_parser("reference", help="certified reference values")
    reference.add_argument("case")
    _add_set(reference)
    variant = "quantities and parameters of that variant, or of all; without it all quantities for the defaults"
    reference.add_argument("--variant", metavar="NAME|all", help=variant)
    digits = "significant digits, 1 to 1000 (default 30)"
    reference.add_argument("--digits", type=whole(1), default=30, metavar="N", help=digits)
    reference.add_argument("--derivative", metavar="NAME", help="derivatives with respect to a parameter instead")
    _add_json(reference)


def _add_new_case(commands: Any) -> None:
    """Add the command that writes a skeleton."""
    new = commands.add_parser("new-case", help="write the skeleton of a case of an initial value problem")
    new.add_argument("name")
    new.add_argument("--kind", choices=("ode", "hybrid", "dae"), default="ode", help="where it belongs (default ode)")
    _place(new, "--output", "DIR", "write into that folder instead of that of the kind")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON document on standard output")


def _add_run(commands: Any) -> None:
    run = commands.add_parser("run", help="run solvers through the cases and judge them", description=SELECTED)
    _add_run_options(run)
    _place(run, "--against", "FILE", "baseline: digits or cost lost since it was saved fail")
    baseline = commands.add_parser("baseline", help="keep digits and cost of a solver, for `run --against`")
    actions = baseline.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    save = actions.add_parser("save", help="run, and write what came out into FILE", description=SELECTED)
    save.add_argument("baseline", type=place, metavar="FILE")
    _add_run_options(save)


def _add_run_options(run: argparse.ArgumentParser) -> None:
    """Add the options of a run: cases, solvers, what is asked of them, how it is run and written."""
    _add_cases(run)
    _switch(run, "--all", "every case, variant and scheme, where nothing is named")
    for option, names, meaning in SELECTING:
        _repeatable(run, option, "NAME", meaning, type=named, dest=names)
    _add_solvers(run, "our own; in the quick profile the exact one, too")
    _add_set(run, f"{PARAMETER}; or a setting that a solver declares, e.g. step=5e-5")
    _add_request(run)
    _add_results(run)
    _add_jobs(run)
    _add_scheduler(run)
    _add_time_out(run)
    _switch(run, "--fail-fast", "end at the first check that fails")
    _switch(run, "--resume", "go on with the run that was ended, into the same files")
    _place(run, "--expected-failures", "FILE", "lines CASE/CHECK: REASON; * stands for anything")
    measured = "measure time and error at several settings, for the report (default: with several solvers)"
    run.add_argument("--work-precision", action=argparse.BooleanOptionalAction, help=measured)


SELECTING = (
    ("--kind", "kinds", "variants whose problem needs this, e.g. contact, friction, device, multi-dof"),
    ("--variant", "variants", "variants of this name"),
    ("--quantity", "quantities", "checks of this quantity"),
    ("--scheme", "schemes", "a scheme of the solver"),
)
"""What selects checks by name, beside the case."""


def _add_jobs(parser: argparse.ArgumentParser, of: str = "") -> None:
    said = f"processes{of} (default: the cores of this machine)"
    parser.add_argument("-n", "--jobs", type=whole(1), metavar="JOBS", help=said)


def _add_scheduler(parser: argparse.ArgumentParser) -> None:
    scheduler = "Dask scheduler whose workers solve, e.g. tcp://host:8786"
    parser.add_argument("--scheduler", type=named, metavar="ADDRESS", help=scheduler)


def _add_exchange(commands: Any) -> None:
    """Add the commands for codes that can only be run by hand."""
    export = commands.add_parser("export", help="write a problem statement for a code that is run by hand")
    _add_posed(export)
    forms = ("json", "csv", "c", "fmu", "calculix", "scene", "mjcf")
    said = (
        "one document, tables, C functions (rates, Jacobian, guards, resets), a functional mock-up unit, "
        "an input deck of CalculiX, bodies in contact, or a model of MuJoCo"
    )
    export.add_argument("--format", choices=forms, default="json", dest="form", help=said)
    export.add_argument("--fmi", choices=("2.0", "3.0"), default="3.0", help="version of FMI of a unit (default: 3.0)")
    folder = "folder to write into; - for standard output (default)"
    export.add_argument("--output", type=named, default="-", metavar="DIR", help=folder)
    check = commands.add_parser("check", help="judge the results files of a code that is run by hand")
    _add_posed(check)
    files = "histories or quantities, one file or one a refinement level, coarse to fine; see docs/results-files.md"
    check.add_argument("files", nargs="+", type=place, metavar="RESULTS.csv", help=files)
    _add_request(check)
    _add_results(check)


def _add_request(parser: argparse.ArgumentParser) -> None:
    """Add what a user asks of a solver: claims, refinement, requirement."""
    claim = "claim of the solver: order=2, tolerance=rtol, digits=12, method=newmark with its parameters"
    _repeatable(parser, "--claim", "NAME=VALUE", claim, dest="claims")
    levels = "refinement levels of a setting, coarse to fine; or its name alone"
    parser.add_argument("--refine", default="", metavar="NAME=V1,V2,V3", help=levels)
    parser.add_argument("--require", default="", metavar="digits=N", help="criterion of yours: digits=6 or rel=1e-6")


def _add_sweep(commands: Any) -> None:
    """Add the command that solves many parameter sets at once."""
    sweep = commands.add_parser("sweep", help="solve a case for all combinations of many parameters")
    sweep.add_argument("case")
    axis = "parameter to sweep; NAME=START:STOP:COUNT:log or NAME=VALUE,VALUE,… too"
    _repeatable(sweep, "--over", "NAME=START:STOP:COUNT", axis)
    _add_set(sweep)
    _place(sweep, "--output", "DIR", "write sweep.npz, sweep.csv (if small), sweep.json, sweep.svg")
    _switch(sweep, "--resume", "go on with the sweep that was ended in that folder")
    threads = "threads (default: all of this machine)"
    sweep.add_argument("-n", "--threads", type=whole(1), metavar="THREADS", help=threads)
    _add_scheduler(sweep)
    points = "points that are compared with the certified reference (default 5)"
    sweep.add_argument("--check", type=whole(0), default=5, metavar="N", help=points)


def _add_reports(commands: Any) -> None:
    """Add the commands that write documents: report, manual, timing."""
    report = commands.add_parser("report", help="build a report from result documents")
    report.add_argument("results", nargs="+", type=place, metavar="RESULTS.json")
    report.add_argument("--output", required=True, type=place, metavar="DIR")
    _place(report, "--against", "OLD.json", "say what changed since; fails if something became worse")
    _switch(report, "--single-file", "all pages in index.html")
    manual = commands.add_parser("manual", help="build the manual for a quality file, as HTML and PDF")
    _add_cases(manual)
    _place(manual, "--output", "DIR", "write manual.html, manual.pdf, results.json", required=True)
    _place(manual, "--results", "RESULTS.json", "of a run (default: run our own solver)")
    _add_jobs(manual, " of that run")
    manual.add_argument("--pdf", action=argparse.BooleanOptionalAction, default=True, help="write the PDF, too")
    for option, meaning in (
        ("--number", "document number, for the title page"),
        ("--revision", "revision of the document"),
        ("--intended-use", "intended use of the solver, for the chapter on scope"),
    ):
        manual.add_argument(option, default="", metavar="TEXT", help=meaning)
    bench = commands.add_parser("bench", help="time the solvers, digits beside the times")
    _add_cases(bench)
    _add_solvers(bench)
    _place(bench, "--report", "DIR", "write timing.html, timing.md and timing.json")
    _place(bench, "--against", "OLD.json", "timing.json to compare with: ratios, with their noise")
    _place(bench, "--history", "DIR", "folder of earlier runs, to draw; this one is added")
    _place(bench, "--results", "TIMING.json", "of a run (default: run the benchmarks)")


def _add_mutation(commands: Any) -> None:
    """Add the command that tries the suite itself."""
    tried = "try the suite itself: seeded faults must be detected, solvers without fault must pass"
    mutation = commands.add_parser("mutation", help=tried)
    _add_cases(mutation)
    host = "solver into which faults are seeded: integrator, exact, one of examples/hosts, or FILE.py with FAULTS"
    several: dict[str, Any] = {"action": "append", "default": []}
    mutation.add_argument("--host", dest="hosts", metavar="H", help=f"{host}; repeatable (default: all)", **several)
    mutation.add_argument("--fault", dest="faults", metavar="NAME", help="repeatable (default: all)", **several)
    _switch(mutation, "--all-cases", "go on after the first case that detects a fault")
    _switch(mutation, "--resolution", "look for the smallest size that is detected")
    sets = "instead: solvers without fault on N random parameter sets of every case"
    mutation.add_argument("--false-positives", type=whole(1), metavar="N", help=sets)
    _place(mutation, "--report", "DIR", "write mutation.json, detection.md and patterns.json")
    _add_output(mutation, "write what was found")
    _switch(mutation, "--resume", "go on with the run that was ended, into the same file")
    _add_jobs(mutation)
    _add_time_out(mutation)


def _add_output(parser: argparse.ArgumentParser, what: str) -> None:
    said = f"{what}; - for standard output"
    parser.add_argument("--json", type=named, dest="output", metavar="FILE", help=said)


def _add_posed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case")
    parser.add_argument("--variant", metavar="V", help="variant of the case (default: the default parameters)")
    _add_set(parser)


def _add_results(parser: argparse.ArgumentParser) -> None:
    _place(parser, "--report", "DIR", "write a report: page, figures, results as JSON, CSV, JUnit")
    _add_output(parser, "write the result document")
    length = parser.add_mutually_exclusive_group()
    brief = "a line for each failure and the verdict alone, no progress"
    chosen: dict[str, Any] = {"action": "store_const", "dest": "layout"}
    length.add_argument(
        "-v", "--verbose", const="full", default="summary", help="list every check, not only the failures", **chosen
    )
    length.add_argument("-q", "--quiet", const="brief", help=brief, **chosen)


def _add_cases(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("cases", nargs="*", metavar="CASE", help="all cases if none is named")


def _add_solvers(parser: argparse.ArgumentParser, default: str = "our own") -> None:
    said = f"NAME, package.module:attr, path/file.py:attr or 'cmd:program args'; repeatable (default: {default})"
    parser.add_argument("--solver", action="append", default=[], dest="solvers", metavar="S", help=said)


def _add_time_out(parser: argparse.ArgumentParser) -> None:
    said = "after which a solve is stopped (default 600)"
    parser.add_argument("--time-out", type=seconds, default=600.0, metavar="SECONDS", help=said)


def _add_set(parser: argparse.ArgumentParser, meaning: str = PARAMETER) -> None:
    _repeatable(parser, "--set", "NAME=VALUE", meaning, dest="changed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    try:
        given = completed(given, _commands(parser))
    except DefaultsError as error:
        print(f"veridyn: {_one_line(error)}", file=sys.stderr)
        return ExitCode.UNUSABLE
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


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by their names."""
    (found,) = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001 - there is no public way
    return dict(found)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
