"""Derivatives of public simulators on a page: what scripts printed becomes a summary, the summary a table.

``sh docs/record_gradients.sh FOLDER`` runs the scripts of ``examples/gradients`` that this machine has simulators for;
``python docs/gradients_page.py FOLDER/*.jsonl --output docs/gradients.json`` proves the derivatives, computes what
they would be with a term left out, and writes all of it.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import veridyn
from veridyn.problem.extended import Term
from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Change, Mode
from veridyn.problem.tangent import read_tangent
from veridyn.reports.markdown import table
from veridyn.results.grouping import group
from veridyn.solver.adapters.scipy_adapter import SOLVER as SCIPY
from veridyn.solver.contract.responses import Trajectory
from veridyn.solver.rewriting.tangents import solve_extended

Entry = dict[str, Any]

RIGHT = 0.02  # of the size of a derivative: what steps and soft contacts may leave
LIKE = 0.03  # of the distance from the truth: so near is a derivative to that of a motion with a term left out
STATE = {"bounce": "y", "slide": "x", "strike": "b", "stop": "x", "spring": "x"}  # whose derivative is judged
TITLES = {
    "bounce": "Ball that bounces once",
    "slide": "Block that slides and stops",
    "strike": "Ball that strikes its like",
    "stop": "Body against a spring",
    "spring": "Oscillator, without events",
}
SOFT = "SOFT"  # no term of a rule: the motion with a soft contact, differentiated rightly
ABSENT = {SOFT: "the contact were soft"} | {term.name: term.value for term in Term}


def _bounce(after: str) -> InitialValueProblem:
    impact = Change(name="impact", guard="y", direction=-1, reset={"y": after, "v": "-e*v"})
    return InitialValueProblem(
        name="bounce",
        states=("y", "v"),
        parameters={"e": "0.8", "g": "9.81", "h": "1"},
        modes=(Mode(name="flight", rates=("v", "-g"), events=(impact,)),),
        initial=("h", 0),
        end=0.8,
    )


def _slide() -> InitialValueProblem:
    stop = Change(name="stop", guard="v", direction=-1, mode="rest")
    return InitialValueProblem(
        name="slide",
        states=("x", "v"),
        parameters={"mu": "0.4", "v0": "3", "g": "9.81"},
        modes=(Mode(name="slip", rates=("v", "-mu*g"), events=(stop,)), Mode(name="rest", rates=("v", 0))),
        initial=(0, "v0"),
        end=1.0,
    )


def _strike() -> InitialValueProblem:
    after = {"v": "(v + w)/2 - e*(v - w)/2", "w": "(v + w)/2 + e*(v - w)/2"}
    impact = Change(name="impact", guard="b - a", direction=-1, reset=after)
    return InitialValueProblem(
        name="strike",
        states=("a", "b", "v", "w"),
        parameters={"e": "0.8", "v0": "2", "d": "0.5"},
        modes=(Mode(name="roll", rates=("v", "w", 0, 0), events=(impact,)),),
        initial=("-d", 0, "v0", 0),
        end=1.0,
    )


def _stop() -> InitialValueProblem:
    touch = Change(name="touch", guard="gap - x", direction=-1, mode="pushed")
    leave = Change(name="leave", guard="x - gap", direction=-1, mode="free")
    return InitialValueProblem(
        name="stop",
        states=("x", "v"),
        parameters={"k": "400", "gap": "0.2", "v0": "1"},
        modes=(
            Mode(name="free", rates=("v", 0), events=(touch,)),
            Mode(name="pushed", rates=("v", "-k*(x - gap)"), events=(leave,)),
        ),
        initial=(0, "v0"),
        end=0.6,
    )


def _spring() -> InitialValueProblem:
    return InitialValueProblem(
        name="spring",
        states=("x", "v"),
        parameters={"k": "40", "c": "1"},
        modes=(Mode(name="swing", rates=("v", "-k*x - c*v")),),
        initial=("0.1", 0),
        end=1.0,
    )


def _soft_bounce() -> InitialValueProblem:
    # the floor of MuJoCo: a spring and a damper per mass, of the share 9/10, that do not pull
    touch = Change(name="touch", guard="y", direction=-1, mode="contact")
    leave = Change(name="leave", guard="9/10*g - b*v - k*y", direction=-1, mode="flight")
    return InitialValueProblem(
        name="bounce",
        states=("y", "v", "b"),
        parameters={"e": "0.8", "g": "9.81", "h": "1", "k": "10**6"},
        modes=(
            Mode(name="flight", rates=("v", "-g", 0), events=(touch,)),
            Mode(name="contact", rates=("v", "-g/10 - b*v - k*y", 0), events=(leave,)),
        ),
        initial=("h", 0, DAMPING),
        end=0.8,
    )


def _soft_strike() -> InitialValueProblem:
    touch = Change(name="touch", guard="b - a", direction=-1, mode="contact")
    leave = Change(name="leave", guard="-c*(w - v) - k*(b - a)", direction=-1, mode="roll")
    push = "(-c*(w - v) - k*(b - a))/2"
    return InitialValueProblem(
        name="strike",
        states=("a", "b", "v", "w", "c"),
        parameters={"e": "0.8", "v0": "2", "d": "0.5", "k": "10**6"},
        modes=(
            Mode(name="roll", rates=("v", "w", 0, 0, 0), events=(touch,)),
            Mode(name="contact", rates=("v", "w", f"-({push})", push, 0), events=(leave,)),
        ),
        initial=("-d", 0, "v0", 0, DAMPING),
        end=1.0,
    )


DAMPING = "2*sqrt(k)*(-log(e))/sqrt(log(e)**2 + pi**2)"  # 1/s: what the coefficient of restitution makes of a damper

# statements of one motion; a term that is left out shows in each in its own way: is the place set, kept or mirrored?
STATEMENTS = {
    "bounce": (_bounce("0"), _bounce("y"), _bounce("-y"), _bounce("-e*y"), _soft_bounce()),
    "slide": (_slide(),),
    "strike": (_strike(), _soft_strike()),
    "stop": (_stop(),),
    "spring": (_spring(),),
}


def measure_truths() -> Iterator[Entry]:
    """Yield each derivative as it is proved, and as it were with a term left out or with a soft contact.

    ``scale`` is the answer over the number.
    """
    for motion, statements in STATEMENTS.items():
        first, state = statements[0], STATE[motion]
        query = f"{state}@{first.end!r}"
        answer = float(veridyn.prove(first, [query])[query])
        for number, value in first.parameters.items():
            true = float(veridyn.prove(first, [query], derivative=number)[query])
            by = number.removesuffix("0")
            scale = abs(answer) / float(value)
            others = [_leave_out(each, number, max(abs(true), scale)) for each in statements]
            soft = [_differentiate(each, number) for each in statements if len(each.states) > len(first.states)]
            without = {name: sorted({v for each in others for n, v in each if n == name}) for name in Term.__members__}
            without[SOFT] = [round(each, 9) for each in soft]
            near = {name: values for name, values in without.items() if values}
            yield {"motion": motion, "by": by, "true": true, "scale": scale, "without": near}


def _leave_out(statement: InitialValueProblem, number: str, size: float) -> list[tuple[str, float]]:
    """Return the derivatives with a term left out with the name of the term, where that makes a difference."""
    whole = _differentiate(statement, number)
    values = [(term.name, _differentiate(statement, number, term)) for term in Term]
    return [(name, round(value, 9)) for name, value in values if abs(value - whole) > RIGHT * size]


def _differentiate(problem: InitialValueProblem, number: str, *without: Term) -> float:
    stated = replace(problem, output_times=np.array([0.0, problem.end]))
    pair = solve_extended(stated, read_tangent(problem, number), _follow, without)
    assert isinstance(pair.tangent, Trajectory)
    return float(pair.tangent.states[-1, problem.states.index(STATE[problem.name])])


def _follow(problem: InitialValueProblem) -> Trajectory:
    answer = SCIPY.solve(problem, {"scheme": "DOP853"})
    assert isinstance(answer, Trajectory)
    return answer


def judge(row: Mapping[str, Any], truth: Mapping[str, Any]) -> str:
    """Return what a derivative is: right, that of a motion with a term left out, or another."""
    if row["derivative"] is None:
        return "none"
    value, true, own = row["derivative"], truth["true"], row["difference"]
    if not math.isfinite(value):
        return "not a number"
    size = max(abs(true), truth["scale"])
    if abs(value - true) <= RIGHT * size:
        return "right"
    for name, values in truth["without"].items():
        if any(abs(value - each) <= LIKE * abs(true - each) for each in values):
            return f"zero, as if {ABSENT[name]}" if value == 0.0 else f"as if {ABSENT[name]}"
    if value == 0.0:
        return "zero"
    if abs(value - own) <= RIGHT * max(size, abs(own)):
        return "that of its own answers, which follow the number otherwise"
    return "another"


def read_rows(files: Iterable[str]) -> list[Entry]:
    """Return the rows that scripts printed."""
    lines = [line for file in files for line in Path(file).read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{")]


def write_page(summary: Mapping[str, Any]) -> str:
    """Return the page in Markdown."""
    truths = {(truth["motion"], truth["by"]): truth for truth in summary["truths"]}
    parts = [HEAD.format(date=summary["date"]), _overview(summary["rows"], truths)]
    parts += ["## Motion by motion", READING]
    for motion, title in TITLES.items():
        rows = [row for row in summary["rows"] if row["motion"] == motion]
        parts.append(_motion(motion, title, rows, truths))
    return "\n\n".join([*parts, ELSEWHERE, AGAIN]) + "\n"


def _overview(rows: Sequence[Entry], truths: Mapping[tuple[str, str], Entry]) -> str:
    subjects = group(rows, _name)
    lines = [(*who, *(_tally(members, motion, truths) for motion in TITLES)) for who, members in subjects.items()]
    return table(("simulator", "used as", "versions", *TITLES.values()), lines)


def _name(row: Entry) -> tuple[str, str, str]:
    return row["simulator"], row["way"], ", ".join(f"{name} {each}" for name, each in row["versions"].items())


def _tally(rows: Sequence[Entry], motion: str, truths: Mapping[tuple[str, str], Entry]) -> str:
    found = [judge(row, truths[motion, row["by"]]) for row in rows if row["motion"] == motion]
    if not found:
        return "–"
    if set(found) == {"none"}:
        return "no derivative"
    return f"{found.count('right')}/{len(found)} right"


def _motion(motion: str, title: str, rows: Sequence[Entry], truths: Mapping[tuple[str, str], Entry]) -> str:
    lines, refused = [], {}
    for row in rows:
        if row["told"]:
            refused[row["simulator"], row["way"]] = row["told"]
            continue
        truth = truths[motion, row["by"]]
        given = "–" if row["derivative"] is None else f"{row['derivative']:.6g}"
        numbers = (given, f"{truth['true']:.6g}", f"{row['difference']:.6g}")
        lines.append((row["simulator"], row["way"], row["by"], *numbers, judge(row, truth)))
    head = ("simulator", "used as", "by", "its derivative", "true", "difference of its answers", "what it is")
    told = "".join(f"\n\n{name}, {way}, gives none: `{why}`" for (name, way), why in refused.items())
    return f"### {title}\n\n{table(head, lines)}{told}"


HEAD = """# Gradients of public simulators

Which of these returns which derivative, on five motions whose derivatives are proved. Measured on {date}, each
simulator by its public interface as its documentation recommends; versions move on, and `examples/gradients` has the
scripts. A fraction counts the numbers by which the derivative is right."""

READING = f"""A derivative is *right* within {RIGHT:.0%} of its size, or of the answer over the number: steps and
soft contacts need that much. A wrong one is held against derivatives that are computed with one term left out
([what is told](../gradients.md#wrong-codes)), of rigid contacts and of soft ones, and has the name of the one that it
equals. *Difference of its answers* is the central difference of what the simulator itself answers: where the derivative
is neither that nor true, the differentiation is at fault, not the step. Where answers jump with the place of the step,
as those of an impact on a fixed grid do, the difference is no measure."""

ELSEWHERE = """## Why

* **Steps with a branch at the contact** are differentiated rightly, and what is differentiated is a motion whose
  impacts happen in fixed steps: nothing moves their instants. Where the force jumps and the speed does not, as where a
  block comes to rest, that is no error; `sign(v)` never lets it rest, and so it never forgets its speed.
* **MuJoCo MJX** solves for contact forces by iterations that start from the last step, and are none where that is good
  enough: then the derivative is that of the last step, too. With `tolerance` 0 it is that of its answers. The damper of
  a contact is another matter: its force jumps as bodies touch, and smaller steps do not mend that.
* **Brax** pushes bodies apart by their overlap at the end of a step: the height of its ball follows the place of the
  step, and the derivative follows that height.
* **nimblephysics** throws a ball back in the step in which it lands. It needs NumPy below 2: beside NumPy 2 it ends
  with a segmentation fault.

## No derivative, or none judged here

* SUNDIALS by scikit-sundae 1.2.0: its wheel holds CVODE and IDA, and not CVODES or IDAS, which have sensitivities.
* Newton 1.8.0 is not judged yet: compiling its solver and the adjoint took longer than this run had.
* heyoka 7.13.2 makes variational equations (`var_ode_sys`); what its events do to them is left to who uses it. Here, as
  with SciPy, a problem and its derivative are [one problem](../gradients.md) that it solves."""

AGAIN = """## Again

    sh docs/record_gradients.sh FOLDER
    python docs/gradients_page.py FOLDER/*.jsonl --output docs/gradients.json

A simulator of your own is judged in ten lines: [Gradients through contact](../gradients.md)."""


def main(given: Sequence[str] | None = None) -> None:
    """Write the summary of what scripts printed."""
    parser = argparse.ArgumentParser(prog="python docs/gradients_page.py", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="ROWS.jsonl", help="what the scripts of examples/gradients printed")
    parser.add_argument("--output", required=True, metavar="FILE", help="the summary, JSON")
    asked = parser.parse_args(given)
    parts = {"truths": list(measure_truths()), "rows": read_rows(asked.files)}
    lines = {name: ",\n".join(json.dumps(one, ensure_ascii=False) for one in part) for name, part in parts.items()}
    date = datetime.now(UTC).date().isoformat()
    body = ",\n".join(f'"{name}": [\n{text}\n]' for name, text in lines.items())
    Path(asked.output).write_text(f'{{"date": "{date}",\n{body}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
