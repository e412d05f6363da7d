"""The command line: what may be said; what each command does stands in `commands`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from veridyn.api.limits import SECONDS
from veridyn.cli.arguments import duration, named, place, seconds, whole
from veridyn.cli.configuration import completed
from veridyn.problem.errors import SolverInputError
from veridyn.problem.nearest import did_you_mean
from veridyn.problem.printable import make_printable
from veridyn.run.exit_code import ExitCode
from veridyn.version import __version__

MAY_TAKE = f"that a value may take (default {SECONDS:g})"
EXAMPLES = """\
examples:
  veridyn run                                      quick profile: every case, about a minute
  veridyn new-solver mine.py                       a solver that runs, to put yours in its place
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


LONGEST_MESSAGE = 2000  # characters


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


SELECTED = """\
Without a name or --all, the quick profile runs: the default variant of each case and one relation, by the first scheme
of our own solver, or of SciPy where the case is an initial value problem. Whatever is named (CASE, --needs, --variant,
--quantity, --scheme, --solver, --set, --claim, --refine, --require) is judged in full; with --quick as in that profile.
"""


def _suggestion(message: str) -> str:
    """Name the command that was probably meant."""
    wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
    meant = did_you_mean(wrong[1], re.findall(r"\w+", wrong[2])) if wrong else ""
    return f"; {meant}" if meant else ""


Option = tuple[tuple[str, ...], dict[str, Any]]
"""Names of an option or argument, and what argparse is told of it."""


def _option(*names: str, **said: Any) -> Option:
    return names, said


def _repeatable(name: str, metavar: str, meaning: str, **more: Any) -> Option:
    said = f"{meaning}; repeatable" if meaning else "repeatable"
    return _option(name, **{"action": "append", "default": [], "metavar": metavar, "help": said, **more})


def _place(name: str, metavar: str, meaning: str, **more: Any) -> Option:
    return _option(name, type=place, metavar=metavar, help=meaning, **more)


def _switch(name: str, meaning: str) -> Option:
    return _option(name, action="store_true", help=meaning)


def _set(meaning: str = "change a parameter, e.g. a0=1.2 or omega=2*pi") -> Option:
    return _repeatable("--set", "NAME=VALUE", meaning, dest="changed")


def _solvers(default: str = "our own") -> Option:
    said = f"NAME, package.module:attr, path/file.py:attr or 'cmd:program args'; repeatable (default: {default})"
    return _repeatable("--solver", "S", "", dest="solvers", help=said)


def _jobs(of: str = "") -> Option:
    said = f"processes{of} (default: the cores of this machine)"
    return _option("-n", "--jobs", type=whole(1), metavar="JOBS", help=said)


def _output(what: str) -> Option:
    return _option("--json", type=named, dest="output", metavar="FILE", help=f"{what}; - for standard output")


def _length(short: str, name: str, layout: str, meaning: str) -> Option:
    return _option(short, name, action="store_const", const=layout, dest="layout", default="summary", help=meaning)


ROOMS = ("mechanics", "ode", "hybrid", "dae")
LANGUAGES = ("python", "c", "c++", "fortran", "julia", "octave", "javascript")
FORMS = ("json", "csv", "c", "fmu", "calculix", "scene", "mjcf")
FORM = (
    "one document, tables, C functions (rates, Jacobian, guards, resets), a functional mock-up unit, an input deck of "
    "CalculiX, bodies in contact, or a model of MuJoCo"
)

CASE = _option("case")
CASES = _option("cases", nargs="*", metavar="CASE", help="all cases if none is named")
POSED = (CASE, _option("--variant", metavar="V", help="variant of the case (default: the default parameters)"), _set())
JSON = _option("--json", action="store_true", dest="as_json", help="one JSON document on standard output")
SCHEDULER = _option(
    "--scheduler", type=named, metavar="ADDRESS", help="Dask scheduler whose workers solve, e.g. tcp://host:8786"
)
TIME_OUT = _option(
    "--time-out", type=seconds, default=600.0, metavar="SECONDS", help="after which a solve is stopped (default 600)"
)
IN_PROCESS = _switch(
    "--in-process", "import Python solvers into the process that judges, for debuggers; the document says so"
)
REQUEST = (
    _repeatable("--claim", "NAME=VALUE", "claim of the solver: order=2, tolerance=rtol, digits=12, method=newmark with "
        "its parameters", dest="claims"),
    _option("--refine", default="", metavar="NAME=V1,V2,V3", help="refinement levels of a setting, coarse to fine; or "
        "its name alone"),
    _option("--require", default="", metavar="digits=N", help="criterion of yours: digits=6 or rel=1e-6"),
)  # fmt: skip
"""What a user asks of a solver."""

RESULTS = (
    _place("--report", "DIR", "write a report: page, figures, results as JSON, CSV, JUnit"),
    _output("write the result document"),
    _length("-v", "--verbose", "full", "list every check, not only the failures"),
    _length("-q", "--quiet", "brief", "a line for each failure and the verdict alone, no progress"),
)
RUN = (
    CASES,
    _switch("--all", "every case, variant and scheme, where nothing is named"),
    _switch("--quick", "the quick profile of what is named: default variants, one relation, the first scheme where "
        "none is named"),
    _repeatable("--needs", "NAME", "variants whose problem needs this, e.g. contact, friction, device, multi-dof",
        type=named, dest="needs"),
    _repeatable("--variant", "NAME", "variants of this name", type=named, dest="variants"),
    _repeatable("--quantity", "NAME", "checks of this quantity", type=named, dest="quantities"),
    _repeatable("--scheme", "NAME", "a scheme of the solver", type=named, dest="schemes"),
    _solvers("our own, SciPy for initial value problems"),
    _set("change a parameter, e.g. a0=1.2 or omega=2*pi; or a setting that a solver declares, e.g. step=5e-5"),
    *REQUEST,
    *RESULTS,
    _jobs(),
    SCHEDULER,
    TIME_OUT,
    IN_PROCESS,
    _switch("--fail-fast", "end at the first check that fails"),
    _option("--budget", type=duration, metavar="TIME", help="that the run may take, e.g. 90s, 10min, 2h: default "
        "variants come first, and what would not end in time is left out"),
    _switch("--resume", "go on with the run that was ended, into the same files"),
    _place("--expected-failures", "FILE", "lines CASE/CHECK: REASON; * stands for anything"),
    _option("--seed", type=whole(0), metavar="N", help="moves the parameters of the copies that are judged beside the "
        "cases (default: a fresh one, which the results state, for solvers of yours and where every case is judged)"),
    _option("--work-precision", action=argparse.BooleanOptionalAction, help="measure time and error at several "
        "settings, for the report (default: with several solvers)"),
)  # fmt: skip

COMMANDS: dict[str, tuple[str, str, tuple[Option, ...]]] = {
    "list": ("cli.commands.list_cases", "list the cases, by room", (
        JSON,
        _repeatable("--room", "ROOM", f"cases of that room: {', '.join(ROOMS)}", dest="rooms", choices=ROOMS),
        _repeatable("--topic", "TOPIC", "cases of that topic, e.g. impact, friction, chaos, stiff", dest="topics"),
    )),
    "show": ("cli.texts.show", "statement, parameters, references, published values, errata of a case", (CASE,)),
    "reference": ("cli.texts.reference", "certified reference values", (
        CASE,
        _set(),
        _option("--variant", metavar="NAME|all", help="quantities and parameters of that variant, or of all; without "
            "it all quantities for the defaults"),
        _option("--digits", type=whole(1), default=30, metavar="N", help="significant digits, 1 to 1000 (default 30)"),
        _repeatable("--derivative", "NAME", "derivatives with respect to a parameter instead, of two the second ones"),
        _option("--seconds", type=seconds, default=SECONDS, metavar="SECONDS", help=MAY_TAKE),
        JSON,
    )),
    "prove": ("cli.proving.prove_problem", "proved values of a problem of your own", (
        _option("problem", type=named, metavar="PROBLEM", help="problem.json, or path/file.py:name of a problem or a "
            "function that returns one"),
        _option("quantities", type=named, nargs="*", metavar="QUANTITY", help="'x@1.5', 'hit#2', 'x@hit#2', 'count "
            "hit', 'largest x', 'smallest x', 'integral x from 0 to 1'; none: the names that may stand in them"),
        _option("--digits", type=whole(1), default=30, metavar="N", help="significant digits, 1 to 1000 (default 30)"),
        _repeatable("--derivative", "NAME", "derivatives with respect to a parameter, or to a number of a mechanical "
            "problem such as wall.gap or mass[1,1], instead, of two the second ones"),
        _option("--seconds", type=seconds, default=SECONDS, metavar="SECONDS", help=MAY_TAKE),
        JSON,
    )),
    "new-case": ("cli.new_case.new_case", "write the skeleton of a case", (
        _option("name"),
        _option("--room", choices=ROOMS, default="ode", help="where cases of its like are (default ode)"),
        _place("--output", "DIR", "write into that folder instead of the room"),
    )),
    "new-solver": ("cli.new_solver.new_solver", "write a solver that runs, to put yours in its place", (
        _place("file", "FILE", "new file; its suffix says the language: .py, .c, .cpp, .f90, .jl, .m, .mjs"),
        _option("--language", choices=LANGUAGES, help="where the suffix is another one"),
        _option("--kind", choices=("mechanical", "initial-value"), default="mechanical", help="of problems that it "
            "solves (default mechanical); initial-value in Python alone"),
    )),
    "run": ("cli.commands.run_checks", "run solvers through the cases and judge them", (
        *RUN,
        _place("--against", "FILE", "baseline: digits or cost lost since it was saved fail"),
    )),
    "baseline": ("cli.commands.run_checks", "keep digits and cost of a solver, for `run --against`", ()),
    "export": ("cli.exporting.export", "write a problem statement for a code that is run by hand", (
        *POSED,
        _option("--format", choices=FORMS, default="json", dest="form", help=FORM),
        _option("--fmi", choices=("2.0", "3.0"), default="3.0", help="version of FMI of a unit (default: 3.0)"),
        _option("--output", type=named, default="-", metavar="DIR", help="folder to write into; - for standard output "
            "(default)"),
    )),
    "check": ("cli.checking.check", "judge the results files of a code that is run by hand", (
        *POSED,
        _option("files", nargs="+", type=place, metavar="RESULTS.csv", help="histories or quantities, one file or one "
            "a refinement level, coarse to fine; see docs/results-files.md"),
        _option("--name", default="", metavar="TEXT", help="name of the code, for report and manual"),
        _option("--code-version", default="", metavar="TEXT", help="its version"),
        _repeatable("--setting", "NAME=VALUE", "setting that it ran with, e.g. step=1e-4", dest="stated"),
        _option("--date", default="", metavar="DATE", help="when it ran, e.g. 2026-03-31"),
        _option("--machine", default="", metavar="TEXT", help="where it ran"),
        *REQUEST,
        *RESULTS,
    )),
    "doctor": ("doctor.command.examine", "tell a broken adapter from an inaccurate solver", (
        _solvers(),
        _set("change a setting that the solver declares, e.g. step=1e-4"),
        TIME_OUT,
        IN_PROCESS,
    )),
    "identify": ("cli.identifying.identify", "say what a solver is: its method, order, deviations", (
        _option("--solver", type=named, metavar="S", help="NAME, package.module:attr, path/file.py:attr or "
            "'cmd:program args' (default: our own)"),
        _repeatable("--scheme", "NAME", "a scheme of the solver (default: all)", type=named, dest="schemes"),
        _set("change a setting that the solver declares, beside its step"),
        _place("--output", "DIR", "write cards.json, cards.txt and a drawing of each scheme there"),
        _place("--against", "FILE", "cards of an earlier version (--json): what has changed follows"),
        TIME_OUT,
        IN_PROCESS,
        JSON,
    )),
    "sweep": ("sweep.command.sweep", "solve a case, or a problem of yours, for all combinations of many parameters", (
        _option("case", metavar="CASE", help="a case; or a problem of yours, problem.json or path/file.py:name, whose "
            "numbers are swept by name"),
        _repeatable("--over", "NAME=START:STOP:COUNT", "parameter to sweep; NAME=START:STOP:COUNT:log or "
            "NAME=VALUE,VALUE,… too"),
        _set("change a parameter that is not swept, or a setting that the solver declares"),
        _option("--solver", type=named, metavar="S", help="NAME, package.module:attr, path/file.py:attr or "
            "'cmd:program args' (default: who solves many at once, else our own, or scipy)"),
        _option("--scheme", default="", metavar="NAME", help="scheme of the solver (default: its first)"),
        _place("--output", "DIR", "write sweep.npz, sweep.csv (if small), sweep.json, sweep.svg"),
        _switch("--resume", "go on with the sweep that was ended in that folder"),
        _jobs(", or threads of a solver that solves many at once"),
        SCHEDULER,
        TIME_OUT,
        IN_PROCESS,
        _option("--check", type=whole(0), default=5, metavar="N", help="points that are compared with the certified "
            "reference (default 5)"),
    )),
    "report": ("cli.commands.report", "build a report from result documents", (
        _option("results", nargs="+", type=place, metavar="RESULTS.json"),
        _place("--output", "DIR", "write the pages there; may be left out with --verify"),
        _place("--against", "OLD.json", "say what changed since; fails if something became worse"),
        _switch("--verify", "compute references, criteria, plan and hashes anew from the installed library"),
        _place("--signers", "FILE", "allowed signers, as ssh-keygen has them: each file must be signed by one of them"),
        _switch("--single-file", "all pages in index.html"),
    )),
    "sign": ("cli.evidence.sign", "sign a result file by an SSH key, into RESULTS.json.sig", (
        _option("results", type=place, metavar="RESULTS.json"),
        _place("--key", "KEY", "private key, or a public one whose other half the agent holds", required=True),
    )),
    "check-signature": ("cli.evidence.check_signer", "check who signed a result file", (
        _option("results", type=place, metavar="RESULTS.json"),
        _place("--signers", "FILE", "allowed signers, a line each: NAME KEYTYPE KEY", required=True),
    )),
    "manual": ("cli.manual.manual", "build the manual for a quality file, as HTML and PDF", (
        CASES,
        _place("--output", "DIR", "write manual.html, manual.pdf, results.json", required=True),
        _repeatable("--results", "RESULTS.json", "of a run or a check (default: run our own solver)", type=place),
        _jobs(" of that run"),
        _switch("--resume", "go on with the run of a manual that was ended"),
        _option("--pdf", action=argparse.BooleanOptionalAction, default=True, help="write the PDF, too"),
        _place("--quality", "FILE.toml", "document number, intended use, revision history, assessments of deviations"),
        _place("--requirements", "FILE.csv", "requirements: id, text, cases, quantities, tolerance"),
    )),
    "bench": ("cli.bench.bench", "time the solvers, digits beside the times", (
        CASES,
        _solvers(),
        _place("--report", "DIR", "write timing.html, timing.md and timing.json"),
        _place("--against", "OLD.json", "timing.json to compare with: ratios, with their noise"),
        _place("--history", "DIR", "folder of earlier runs, to draw; this one is added"),
        _place("--results", "TIMING.json", "of a run (default: run the benchmarks)"),
    )),
}  # fmt: skip
"""The function of each command, what it is for, and what it takes: options bear the names of the arguments."""


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="veridyn",
        description="Verify solvers of nonlinear dynamics against certified references.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"veridyn {__version__}")
    script = 'print a completion script for a shell, e.g. for bash: eval "$(veridyn --print-completion bash)"'
    shells: dict[str, Any] = {"choices": ("bash", "zsh", "tcsh"), "default": argparse.SUPPRESS}
    parser.add_argument("--print-completion", action=_Completion, help=script, **shells)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name, (_, what, options) in COMMANDS.items():
        _fill(commands.add_parser(name, help=what, description=SELECTED if name == "run" else None), options)
    actions = commands.choices["baseline"].add_subparsers(
        dest="action", required=True, metavar="ACTION", parser_class=_Parser
    )
    save = actions.add_parser("save", help="run, and write what came out into FILE", description=SELECTED)
    _fill(save, (_option("baseline", type=place, metavar="FILE"), *RUN))
    return parser


def _fill(parser: argparse.ArgumentParser, options: Sequence[Option]) -> None:
    """Add options; of those that say how much is printed one may be given."""
    lengths = [option for option in options if option[1].get("dest") == "layout"]
    either = parser.add_mutually_exclusive_group() if lengths else parser
    for names, said in options:
        (either if (names, said) in lengths else parser).add_argument(*names, **said)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status; without arguments those of this process, which ends with it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    try:
        given = completed(given, _commands(parser))
    except SolverInputError as error:
        print(f"veridyn: {_one_line(error)}", file=sys.stderr)
        return ExitCode.UNUSABLE
    chosen = vars(parser.parse_args(given))
    name = chosen.pop("command")
    if name is None:
        parser.print_help()
        return ExitCode.UNUSABLE
    from veridyn.cli import commands

    try:
        return commands.run(COMMANDS[name][0], chosen, ["veridyn", *given])
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; the interpreter must not try to flush to it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FINE
    except commands.bad_input_errors() as error:
        print(f"veridyn: {_one_line(error)}", file=sys.stderr)
        return ExitCode.UNUSABLE
    except commands.lost_process_error() as error:
        print(f"veridyn: {_one_line(error)}", file=sys.stderr)
        return ExitCode.CRASHED
    except KeyboardInterrupt:
        print("veridyn: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by their names."""
    (result,) = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001 - there is no public way
    return dict(result)


def _one_line(error: object) -> str:
    """Return a message as one line that does nothing to a terminal, cut where it would fill it."""
    text = make_printable(" ".join(str(error).split()))
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} …"
