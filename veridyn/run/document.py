"""The result document: what `veridyn run --json` prints and reports are built from."""

from __future__ import annotations

import math
import platform
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import mpmath
from msgspec import structs

from veridyn.problem.printable import make_printable
from veridyn.references.certified import Certified
from veridyn.reports.hints import hints
from veridyn.results import (
    VERSION,
    CaseSheet,
    Document,
    DrawnBeam,
    DrawnSystem,
    Environment,
    ExpectedFailure,
    Figure,
    Fingerprint,
    Message,
    MessageKind,
    ParameterRow,
    PlannedChecks,
    PrintedVerdict,
    Profile,
    PublishedValue,
    QuantityRow,
    Record,
    ReferenceRow,
    SolverVersion,
    WorkPrecisionPoint,
)
from veridyn.results.causes import list_unexplained
from veridyn.run import system
from veridyn.validation_cases.judgement.case import Case, Published
from veridyn.version import __version__

SCHEMA_VERSION = "1.0"  # of all JSON documents but the one below
PACKAGES = ("numpy", "scipy", "mpmath", "python-flint", "numba", "llvmlite", "matplotlib")
LONGEST_NUMBER = 17  # digits; longer decimals stay strings


def environment(command: Sequence[str]) -> Environment:
    """Return what a reader needs to repeat the run."""
    commit = _commit()
    return Environment(
        veridyn=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        machine=f"{platform.machine()}, {_processor()}",
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        command=shlex.join(command),
        packages={name: _version(name) for name in PACKAGES},
        further={"commit": commit} if commit else {},
    )


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
    if not (root / ".git").exists() or not shutil.which("git"):
        return ""
    answer = subprocess.run(
        ["git", "-C", str(root), "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return answer.stdout.strip()


@dataclass(frozen=True)
class Scope:
    """How much was asked for: the profile of a run, how many checks its cases have for its solvers; None: unknown."""

    profile: Profile | None = None
    available: int | None = None


@dataclass(frozen=True)
class Undertaking:
    """What a run set out to do, and what tells it from others.

    Attributes
    ----------
    plan
        Every check, by solver and variant.
    solvers
        Who is judged, and what was asked of them.
    expected
        Failures that the user expects.
    fingerprints
        Hashes of what was judged, and of the judge.
    ended
        Why the run ended before its plan was done; empty if it was done.
    """

    plan: tuple[PlannedChecks, ...]
    solvers: tuple[SolverVersion, ...]
    expected: tuple[ExpectedFailure, ...] = ()
    fingerprints: tuple[Fingerprint, ...] = ()
    ended: str = ""


def state_undertaking(records: Iterable[Record], solvers: Iterable[SolverVersion] = ()) -> Undertaking:
    """Return an undertaking that was done whole: its records are the checks that it set out to make."""
    checks: dict[tuple[str, str, str], list[str]] = {}
    for record in records:
        checks.setdefault((record.solver, record.case, record.variant), []).append(record.id)
    stated = {solver.name: solver for solver in solvers}
    names = dict.fromkeys(solver for solver, _, _ in checks)
    return Undertaking(
        plan=tuple(
            PlannedChecks(solver=solver, case=case, variant=variant, checks=tuple(ids))
            for (solver, case, variant), ids in checks.items()
        ),
        solvers=tuple(stated.get(name, SolverVersion(name=name)) for name in names),
    )


def document(
    records: Iterable[Record],
    cases: Sequence[CaseSheet],
    figures: Sequence[Figure],
    command: Sequence[str],
    messages: Sequence[Message] = (),
    work_precision: Sequence[WorkPrecisionPoint] = (),
    undertaking: Undertaking | None = None,
    scope: Scope = Scope(),
) -> Document:
    """Assemble the result document of a run; without an undertaking its records are all that it set out to make.

    Cases are given as sheets. Messages end with what the failures resemble that nothing else explains, if they resemble
    anything.
    """
    results = tuple(map(finite, records))
    undertaking = undertaking or state_undertaking(results)
    plan = tuple(map(finite, undertaking.plan))
    made = Document(
        schema_version=VERSION,
        environment=environment(command),
        planned=sum(len(entry.checks) for entry in plan),
        plan=plan,
        ended=make_printable(undertaking.ended),
        expected_failures=tuple(map(finite, undertaking.expected)),
        fingerprints=tuple(map(finite, undertaking.fingerprints)),
        profile=scope.profile,
        available=scope.available,
        solvers=tuple(map(finite, undertaking.solvers)),
        cases=tuple(cases),
        results=results,
        work_precision=tuple(work_precision),
        figures=tuple(figures),
        messages=tuple(structs.replace(one, text=make_printable(one.text)) for one in messages),
    )
    resemblances = (Message(kind=MessageKind.HINT, text=text) for text in hints(list_unexplained(made)))
    return structs.replace(made, messages=(*made.messages, *resemblances))


Row = TypeVar("Row", Record, WorkPrecisionPoint, PlannedChecks, SolverVersion, ExpectedFailure, Fingerprint)


def finite(row: Row) -> Row:
    """Return a record as terminals allow: NaN and infinity are nothing, control characters blanks."""
    cleaned = {name: _finite(getattr(row, name)) for name in row.__struct_fields__}
    return structs.replace(row, **cleaned)


def _finite(value: object) -> object:
    if isinstance(value, str):
        return value if isinstance(value, StrEnum) else make_printable(value)
    if isinstance(value, tuple):
        return tuple(map(_finite, value))
    return None if isinstance(value, float) and not math.isfinite(value) else value


def sheet(case: Case, changes: Mapping[str, str], only: Sequence[str] = ()) -> CaseSheet:
    """Return the sheet of a case: problem, parameters, references, published values, remarks.

    With changed parameters the references are those of the user's parameter set, else those of all variants, or of some
    ``only``; so are the published values.
    """
    chosen = [v for v in case.variants if not only or changes or v.name in only]
    variants: list[tuple[str, Mapping[str, str]]] = [(v.name, v.changes) for v in chosen if case.select_quantities(v)]
    if changes:
        variants = [(",".join(f"{k}={v}" for k, v in changes.items()), changes)]
    names = {variant.name for variant in chosen}
    return CaseSheet(
        case=case.name,
        title=case.title,
        document=case.document,
        sources=tuple(case.sources),
        summary=case.summary,
        statement=tuple(case.statement),
        equations=tuple(case.equations),
        sketch=case.sketch,
        system=None if case.sketch else drawn_system(case, variants),
        beam=drawn_beam(case, changes or chosen[0].changes),
        parameters=tuple(
            ParameterRow(name=p.name, unit=p.unit, default=p.default, help=p.help) for p in case.parameters
        ),
        quantities=tuple(QuantityRow(name=q.name, unit=q.unit, definition=q.definition) for q in case.quantities),
        references=tuple(row for name, given in variants for row in references(case, name, given)),
        modelling=tuple(case.modelling),
        published=tuple(published(case, value) for value in case.published if value.variant in names),
        remarks=tuple(case.remarks),
        errata=tuple(case.errata),
    )


def drawn_system(case: Case, variants: Iterable[tuple[str, Mapping[str, str]]]) -> DrawnSystem | None:
    """Return the system of the first variant that can be drawn as a line of masses."""
    own = {variant.name: variant.problem for variant in case.variants}
    problems = ((own.get(name) or case.problem)(case.values(changes)) for name, changes in variants)
    return next((result for result in map(system.describe, problems) if result), None)


def drawn_beam(case: Case, changes: Mapping[str, str]) -> DrawnBeam | None:
    """Return the beam of a case as it is drawn; None if there is none."""
    values = case.values(changes)
    return system.describe_beam(case.problem(values), case.beam(values)) if case.beam else None


def references(case: Case, variant: str, changes: Mapping[str, object], digits: int = 30) -> list[ReferenceRow]:
    """Return the certified reference of every quantity for a parameter set."""
    values = case.values(changes)
    return [
        make_reference_row(q.truth(values, digits), quantity=q.name, unit=q.unit, variant=variant)
        for q in case.quantities
    ]


def make_reference_row(truth: Certified, *, quantity: str, unit: str, variant: str = "") -> ReferenceRow:
    """Return a certified value as data; ``radius`` bounds the distance of the printed value from the truth."""
    return ReferenceRow(
        variant=variant,
        quantity=quantity,
        unit=unit,
        value=None if truth.value is None else truth.text(),
        radius=truth.uncertainty() or None,
        digits=truth.digits,
        kind=truth.kind,
        routes=tuple(truth.routes),
        proved=truth.proved,
    )


def published(case: Case, value: Published) -> PublishedValue:
    """Return a published value with the truth beside it: what should have been printed."""
    return PublishedValue(
        source=value.source,
        variant=value.variant,
        quantity=value.quantity,
        value=value.value,
        verdict=PrintedVerdict(value.verdict),
        correct=value.correct,
        truth=truth_of(case, value),
        explanation=value.explanation,
    )


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
