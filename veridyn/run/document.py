"""The result document: what `veridyn run --json` prints and reports are built from."""

from __future__ import annotations

import math
import platform
import shlex
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import mpmath

from veridyn import __version__
from veridyn.references.certified import Certified
from veridyn.reports.hints import hints
from veridyn.run import system
from veridyn.run.screen import printable
from veridyn.validation_cases.judgement.case import Case, Published
from veridyn.validation_cases.judgement.judge import Record

SCHEMA_VERSION = "1.0"  # of all JSON documents but the one below
RESULTS_VERSION = "2.2"
PACKAGES = ("numpy", "scipy", "mpmath", "python-flint", "numba", "llvmlite", "matplotlib")
LONGEST_NUMBER = 17  # digits; longer decimals stay strings


def environment(command: Sequence[str]) -> dict[str, Any]:
    """Return what a reader needs to repeat the run."""
    described = {
        "veridyn": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": f"{platform.machine()}, {_processor()}",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(command),
        "packages": {name: _version(name) for name in PACKAGES},
    }
    commit = _commit()
    return described | ({"commit": commit} if commit else {})


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _commit() -> str:
    """Commit of the checkout this package runs from; empty for an installed wheel."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    answer = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


@dataclass(frozen=True)
class Scope:
    """How much was asked for: the profile of a run, how many checks its cases have for its solvers; None: unknown."""

    profile: str | None = None
    available: int | None = None


def document(
    records: Iterable[Record],
    cases: Sequence[dict[str, Any]],
    figures: Sequence[dict[str, Any]],
    command: Sequence[str],
    messages: Sequence[str] = (),
    work_precision: Sequence[dict[str, Any]] = (),
    planned: int | None = None,
    scope: Scope = Scope(),
    solvers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Assemble the result document of a run; `planned` is the number of checks that it set out to make.

    Cases are given as sheets, ``solvers`` as their names and versions. Messages end with what the failures resemble, if
    they resemble anything.
    """
    results = [finite(record.as_dict()) for record in records]
    return {
        "schema_version": RESULTS_VERSION,
        "environment": environment(command),
        "planned": planned,
        **asdict(scope),
        "solvers": [
            {"name": printable(name), "version": printable(version)} for name, version in (solvers or {}).items()
        ],
        "cases": list(cases),
        "results": results,
        "work_precision": list(work_precision),
        "figures": list(figures),
        "messages": [*map(printable, messages), *hints(results)],
    }


def finite(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as JSON and terminals allow: NaN and infinity become null, control characters blanks."""
    return {name: _finite(value) for name, value in entry.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def sheet(case: Case, changes: Mapping[str, str], only: Sequence[str] = ()) -> dict[str, Any]:
    """Return the sheet of a case: problem, parameters, references, published values, remarks.

    With changed parameters the references are those of the user's parameter set, else those of all variants, or of some
    ``only``; so are the published values.
    """
    chosen = [v for v in case.variants if not only or changes or v.name in only]
    variants: list[tuple[str, Mapping[str, str]]] = [(v.name, v.changes) for v in chosen if case.asked(v)]
    if changes:
        variants = [(",".join(f"{k}={v}" for k, v in changes.items()), changes)]
    names = {variant.name for variant in chosen}
    return {
        "case": case.name,
        "title": case.title,
        "document": case.document,
        "sources": list(case.sources),
        "summary": case.summary,
        "statement": list(case.statement),
        "equations": list(case.equations),
        "system": drawn_system(case, variants),
        "beam": drawn_beam(case, changes or chosen[0].changes),
        "parameters": [{"name": p.name, "unit": p.unit, "default": p.default, "help": p.help} for p in case.parameters],
        "quantities": [{"name": q.name, "unit": q.unit, "definition": q.definition} for q in case.quantities],
        "references": [line for name, given in variants for line in references(case, name, given)],
        "modelling": list(case.modelling),
        "published": [published(case, value) for value in case.published if value.variant in names],
        "remarks": list(case.remarks),
        "errata": list(case.errata),
    }


def drawn_system(case: Case, variants: Iterable[tuple[str, Mapping[str, str]]]) -> dict[str, Any] | None:
    """Return the system of the first variant that can be drawn as a line of masses, or what the case says is drawn."""
    own = {variant.name: variant.problem for variant in case.variants}
    problems = ((case.drawn or own.get(name) or case.problem)(case.values(changes)) for name, changes in variants)
    return next((found for found in map(system.describe, problems) if found), None)


def drawn_beam(case: Case, changes: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the beam of a case as it is drawn; None if there is none."""
    values = case.values(changes)
    return system.describe_beam(case.problem(values), case.beam(values)) if case.beam else None


def references(case: Case, variant: str, changes: Mapping[str, Any], digits: int = 30) -> list[dict[str, Any]]:
    """Return the certified reference of every quantity for a parameter set."""
    values = case.values(changes)
    return [
        {"variant": variant, "quantity": q.name, "unit": q.unit, **stated(q.truth(values, digits))}
        for q in case.quantities
    ]


def stated(truth: Certified) -> dict[str, Any]:
    """Return a certified value as data; ``radius`` bounds the distance of the printed value from the truth."""
    return {
        "value": None if truth.value is None else truth.text(),
        "radius": truth.uncertainty() or None,
        "digits": truth.digits,
        "kind": truth.kind,
        "routes": list(truth.routes),
        "proved": truth.proved,
    }


def published(case: Case, value: Published) -> dict[str, str]:
    """Return a published value with the truth beside it: what should have been printed."""
    names = ("source", "variant", "quantity", "value", "verdict", "correct")
    said = {name: str(getattr(value, name)) for name in names}
    return said | {"truth": truth_of(case, value), "explanation": value.explanation}


def certified(case: Case, value: Published) -> Certified | None:
    """Return the certified value of the quantity behind a published value; None if it is none."""
    quantity = {q.name: q for q in case.quantities}.get(value.quantity)
    return quantity.truth(case.values({**case.variant(value.variant).changes, **value.at})) if quantity else None


def truth_of(case: Case, value: Published) -> str:
    """Return the certified value (12 digits) of the quantity behind a published value; empty if it is none."""
    truth = certified(case, value)
    if truth is None:
        return ""
    return truth.text() if truth.value is None or isinstance(truth.value, str) else str(mpmath.nstr(truth.value, 12))
