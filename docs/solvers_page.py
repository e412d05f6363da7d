"""Solvers side by side on a page of the documentation: recorded runs become a compact summary, the summary a page.

``python docs/solvers_page.py RUN.json … --output docs/solvers.json`` writes the summary; a file after
``--tuned`` or ``--adapted`` has settings chosen for the case, or the problem restated for the solver; one after
``--declared`` was sent in, and not run here. ``sh docs/record_solvers.sh FOLDER`` records all solvers of a machine.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from pathlib import Path
from statistics import median
from typing import Any

from cost_diagrams import draw_costs

from veridyn.reports import comparison, numbers
from veridyn.reports.comparison import quickest
from veridyn.reports.markdown import table
from veridyn.reports.numbers import correct_digits as digits
from veridyn.reports.tally import named
from veridyn.results import Document, Layer, Record, ReportError, Verdict, WorkPrecisionPoint, read
from veridyn.results.grouping import group

Entry = dict[str, Any]  # of the summary

SETTINGS = {
    "default": "settings that the adapter ships with",
    "tuned": "settings chosen for the case",
    "adapted": "the problem restated for the solver: a penalty for a contact, an index reduced",
}
ORIGINS = {"verified": "run here", "self-declared": "sent in as a results file, not run here"}
OURS = ("veridyn", "exact")  # written beside this suite: outside any comparison
COSTS = (4, 8)  # correct digits whose time is told
RUN = {"veridyn": str, "date": str, "python": str, "machine": str, "settings": str, "origin": str}
ROW = {
    "run": int,
    "case": str,
    "title": str,
    "variant": str,
    "solver": str,
    "scheme": str,
    "version": str,
    "digits": float,
    "best": float,
    "cost": list,
    "claim": str,
    "claimed": float,
    "observed": float,
    "held": int,
    "claims": int,
    "silent": list,
    "told": int,
    "out": str,
}
OPTIONAL = frozenset({"digits", "best", "claimed", "observed"})  # may be null


def summary(runs: Iterable[tuple[Document, str, str]]) -> Entry:
    """Return the summary of runs: documents with the kind of their settings and where they come from.

    Raises
    ------
    ReportError
        If nothing was judged in them.
    """
    rows: list[Entry] = []
    told: list[Entry] = []  # files of one day, machine and kind are one run
    for document, settings, origin in runs:
        run = _run(document, settings, origin)
        if run not in told:
            told.append(run)
        rows += _rows(told.index(run), document)
    if not rows:
        raise ReportError("no run judged a solver; record one with: veridyn run CASE --solver NAME --json FILE")
    return {
        "schema_version": 1,
        "runs": told,
        "rows": sorted(rows, key=lambda r: (r["case"], r["solver"], r["scheme"])),
    }


def _run(document: Document, settings: str, origin: str) -> Entry:
    place = document.environment
    told = {"veridyn": place.veridyn, "python": place.python, "machine": place.machine}
    return {**told, "date": place.date[:10], "settings": settings, "origin": origin}


def _rows(place: int, document: Document) -> Iterator[Entry]:
    titles = {sheet.case: sheet.title for sheet in document.cases}
    versions = {solver.name: solver.version for solver in document.solvers}
    points = group(document.work_precision, _which)
    for which, records in group(document.results, _which).items():
        case, variant, solver, scheme = which
        if solver not in OURS:
            named = {"case": case, "title": titles.get(case, case), "variant": variant, "solver": solver}
            known = {"run": place, **named, "scheme": scheme, "version": versions.get(solver, "")}
            yield known | _found(records, points.get(which, []))


def _which(row: Record | WorkPrecisionPoint) -> tuple[str, str, str, str]:
    return row.case, row.variant, row.solver, row.scheme


def _found(records: Sequence[Record], points: Sequence[WorkPrecisionPoint]) -> Entry:
    """Return what one subject got in a variant of a case."""
    judged = [r for r in records if r.verdict in (Verdict.PASS, Verdict.FAIL)]
    claims = [r for r in judged if r.layer is Layer.CLAIM]
    levels = [p.digits for p in points if p.digits is not None]
    kind, told = next((r.quantity.partition(":")[0] for r in claims), ""), len(comparison.select_messages(records))
    seen = comparison.observed(claims, kind) if claims else _slopes(records)
    claimed = () if kind == "digits" else (r.reference for r in claims)  # of digits it is the truth of a quantity
    return {
        "digits": _short(min(comparison.truth_digits(records), default=None)),
        "best": _short(max(levels, default=None)),
        "cost": [_short(quickest(points, number)) for number in COSTS],
        "claim": kind or ("slope" if seen else ""),
        "claimed": next((_short(float(number)) for number in claimed if number is not None), None),
        "observed": _short(median(seen) if seen else None),
        "held": sum(r.verdict is Verdict.PASS for r in claims),
        "claims": len(claims),
        "silent": sorted({r.quantity for r in comparison.silently_wrong(records)}),
        "told": told,
        "out": "" if judged or told else next((r.detail for r in records if r.detail), "not judged"),
    }


def _slopes(records: Iterable[Record]) -> list[float]:
    """Return how fast errors fall with the refined setting, of all that is refined, where nothing is claimed."""
    tables = [_sizes_and_errors(r) for r in records if r.layer is Layer.CONVERGENCE]
    ends = [(pairs[0], pairs[-1]) for pairs in tables if len(pairs) > 1]
    return [log(a[1] / b[1]) / log(a[0] / b[0]) for a, b in ends]


def _sizes_and_errors(record: Record) -> list[tuple[float, float]]:
    return [(level.size, level.error) for level in record.levels if level.size and level.error]


def _short(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.3g}")


def checked(given: Any, name: str = "summary") -> Entry:
    """Return a summary whose fields are all of their kind; raises `ReportError` naming the first that is not."""
    if not isinstance(given, dict) or given.get("schema_version") != 1:
        raise ReportError(f"{name}: no summary of version 1; write one with: python docs/solvers_page.py")
    for part, fields in (("runs", RUN), ("rows", ROW)):
        for place, record in enumerate(given.get(part, ())):
            _check(record, fields, f"{name}: {part} {place}")
    for place, run in enumerate(given["runs"]):
        if run["settings"] not in SETTINGS or run["origin"] not in ORIGINS:
            raise ReportError(f"{name}: runs {place}: settings {run['settings']!r}, origin {run['origin']!r}")
    if any(not 0 <= row["run"] < len(given["runs"]) for row in given["rows"]):
        raise ReportError(f"{name}: a row is of a run that is not told")
    return given


def _check(record: Mapping[str, Any], fields: Mapping[str, type], where: str) -> None:
    if set(record) != set(fields):
        raise ReportError(f"{where}: has {sorted(record)}, not {sorted(fields)}")
    for key, kind in fields.items():
        value, kinds = record[key], (float, int) if kind is float else kind
        if not (isinstance(value, kinds) or (value is None and key in OPTIONAL)):
            raise ReportError(f"{where}: {key} is {value!r}, not of kind {kind.__name__}")


# ---- the page


def page(found: Entry) -> str:
    """Return the page in Markdown: what is compared, each solver over all cases, then case by case."""
    runs, rows = found["runs"], found["rows"]
    cases = group(rows, lambda row: (row["case"], row["title"], row["variant"]))
    parts = [INTRODUCTION, _solvers(runs, rows), "## Case by case", READING]
    parts += [_case(*case, runs, members) for case, members in cases.items()]
    return "\n\n".join([*parts, ANSWER]) + "\n"


def _solvers(runs: Sequence[Entry], rows: Sequence[Entry]) -> str:
    subjects = group(rows, lambda row: (row["solver"], row["scheme"], row["version"], row["run"]))
    head = (
        "solver",
        "version",
        "settings",
        "source",
        "cases",
        "digits: fewest · median",
        "claims",
        "unreported errors",
    )
    lines = [_line(named(*key[:2]), key[2], runs[key[3]], members) for key, members in subjects.items()]
    return f"## Solvers\n\n{table(head, sorted(lines, key=lambda line: str(line[0]).lower()))}"


def _line(name: str, version: str, run: Entry, rows: Sequence[Entry]) -> tuple[str, ...]:
    got = [row["digits"] for row in rows if row["digits"] is not None]
    silent = [row["case"] for row in rows if row["silent"]]
    kept, made = sum(row["held"] for row in rows), sum(row["claims"] for row in rows)
    return (
        *(name, version, run["settings"], f"{run['origin']} {run['date']}"),
        f"{sum(not row['out'] for row in rows)}/{len(rows)}",
        f"{digits(min(got, default=None))} · {digits(median(got) if got else None)}",
        f"{kept}/{made}" if made else numbers.NONE,
        ", ".join(silent) or "none",
    )


def _case(case: str, title: str, variant: str, runs: Sequence[Entry], rows: Sequence[Entry]) -> str:
    head = (
        *("solver", "digits, default", "digits, best", *(f"time for {number}" for number in COSTS)),
        *("observed (claimed)", "claims", "unreported errors", "reported failures"),
    )
    lines = [_cells(row, runs[row["run"]]) for row in rows if not row["out"]]
    idle = [(named(row["solver"], row["scheme"]), row["out"]) for row in rows if row["out"]]
    out = "".join(f"\n\n{name} does not apply: {why}." for name, why in idle)
    shown = table(head, lines) if lines else "No solver that was run takes this case."
    again = "".join(_again(case, variant, row) for row in rows if row["silent"])
    drawn = f"\n\n![Times of solvers on {case}](costs/{case}.svg)" if draw_costs(case, rows) else ""
    return f"### {title}\n\n[{case}](cases/{case}.md), variant {variant}.\n\n{shown}{drawn}{out}{again}"


def draw_all_costs(found: Entry) -> dict[str, str]:
    """Return the diagrams of the page by their names."""
    cases = group(found["rows"], lambda row: row["case"])
    drawn = {f"costs/{case}.svg": draw_costs(case, members) for case, members in cases.items()}
    return {name: svg for name, svg in drawn.items() if svg}


def _again(case: str, variant: str, row: Entry) -> str:
    """Return the smallest command that shows an error that the solver did not report."""
    scheme = f" --scheme {row['scheme']}" if row["scheme"] else ""
    command = f"veridyn run {case} --variant {variant} --solver {row['solver']}{scheme} --quantity {row['silent'][0]}"
    return f"\n\n{named(row['solver'], row['scheme'])}, shown by `{command}`."


def _cells(row: Entry, run: Entry) -> tuple[Any, ...]:
    observed = numbers.NONE if row["observed"] is None else f"{row['claim']} {numbers.value(row['observed'], 3)}"
    claimed = "" if row["claimed"] is None else f" ({numbers.value(row['claimed'], 3)})"
    return (
        named(row["solver"], row["scheme"]) + ("" if run["settings"] == "default" else f" ({run['settings']})"),
        *(digits(row["digits"]), digits(row["best"])),
        *(numbers.time(cost) for cost in row["cost"]),
        observed + claimed,
        f"{row['held']}/{row['claims']}" if row["claims"] else numbers.NONE,
        ", ".join(row["silent"]) or "none",
        row["told"] or "none",
    )


INTRODUCTION = """# Solvers compared

How solvers of other people did on problems of the literature and of contact and friction, compared with proved
references. This is no ranking: solvers are sorted by name, and only you know which cases matter to you. A solver that
took part in several runs has a row for each of them. The solvers of this project are left out."""

READING = """Settings are the default ones unless the name says tuned or adapted. The columns:

* *Digits*: the fewest correct digits of any quantity, with default settings and at the best refinement level.
* *Time for 4* and *8*: the shortest solve in which all quantities had so many correct digits. Times of different
  machines cannot be compared. A diagram shows both times where three solvers or more reached four digits.
* *Observed*: the median of the observed orders, or of the slopes of the error over the tolerance; in brackets the
  claimed one. Without a claim it is the slope from the coarsest level to the finest.
* *Unreported errors*: wrong numbers from solves that the solver reported as successful. *Reported failures* came with
  a message. [How a solver is judged](../judgement.md) says when a number is wrong."""

ANSWER = """## Answer, or send in a solver

Whoever wrote a solver and finds it treated unfairly, or missing, can answer with a results file, together with the
adapter and a lock file of the packages it was made with:

```bash
veridyn run CASE --solver path/to/adapter.py:SOLVER --work-precision --json results.json
```

What we run again with that adapter and lock is marked *verified*, all else *self-declared*. Settings are kept apart:
*default* are those that the adapter ships with, *tuned* were chosen for the case, *adapted* means that the problem was
restated for the solver, by a penalty for a contact, say. [Plugging in a solver](../plugging-in-a-solver.md) says how an
adapter is written, [results files](../results-files.md) how a program without one takes part."""


def main(given: Sequence[str] | None = None) -> None:
    """Write the summary of recorded runs."""
    parser = argparse.ArgumentParser(prog="python docs/solvers_page.py", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", metavar="RUN.json", help="runs with default settings")
    for kind in ("tuned", "adapted"):
        parser.add_argument(f"--{kind}", nargs="+", default=[], metavar="RUN.json", help=SETTINGS[kind])
    parser.add_argument("--declared", nargs="+", default=[], metavar="RUN.json", help=ORIGINS["self-declared"])
    parser.add_argument("--output", required=True, metavar="FILE", help="the summary, JSON")
    asked = parser.parse_args(given)
    kinds = [(asked.files, "default"), (asked.tuned, "tuned"), (asked.adapted, "adapted"), (asked.declared, "default")]
    origins = ("verified", "verified", "verified", "self-declared")
    try:
        runs = [
            (read(file), kind, origin) for (files, kind), origin in zip(kinds, origins, strict=True) for file in files
        ]
        Path(asked.output).write_text(written(summary(runs)), encoding="utf-8")
    except ReportError as error:
        parser.error(str(error))


def written(found: Entry) -> str:
    """Return a summary as text, a line for each run and row."""
    lines = {part: ",\n".join(json.dumps(one, ensure_ascii=False) for one in found[part]) for part in ("runs", "rows")}
    return f'{{"schema_version": 1,\n"runs": [\n{lines["runs"]}\n],\n"rows": [\n{lines["rows"]}\n]}}\n'


if __name__ == "__main__":
    main()
