"""Documents of several runs as one, and the part of a document that belongs to some cases."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec import structs

from veridyn.results.document import Document, Environment, Message, SolverVersion
from veridyn.results.errors import ReportError
from veridyn.results.plan import Fingerprint, PlannedChecks
from veridyn.results.record import Record, WorkPrecisionPoint
from veridyn.results.sheet import CaseSheet
from veridyn.results.words import Profile
from veridyn.results.writing import unstructure_row

Item = TypeVar("Item")
Row = TypeVar("Row", Record, WorkPrecisionPoint, PlannedChecks, Fingerprint, SolverVersion)


def select_cases(document: Document, names: Sequence[str]) -> Document:
    """Return the part of a document that belongs to some cases; how much of all there is was planned, nobody knows.

    Raises ReportError if the document knows nothing of a case.
    """
    there = {sheet.case for sheet in document.cases} | {record.case for record in document.results}
    if missing := [name for name in names if name not in there]:
        raise ReportError(f"no results of {', '.join(missing)} in the file; it has {', '.join(sorted(there))}")
    plan = None if document.plan is None else tuple(entry for entry in document.plan if entry.case in names)
    return structs.replace(
        document,
        planned=None if plan is None else sum(len(entry.checks) for entry in plan),
        plan=plan,
        available=None,
        cases=tuple(sheet for sheet in document.cases if sheet.case in names),
        results=tuple(record for record in document.results if record.case in names),
        work_precision=tuple(point for point in document.work_precision if point.case in names),
        figures=tuple(figure for figure in document.figures if figure.case in names),
    )


def merge(documents: Sequence[Document]) -> Document:
    """Merge checked documents into one; a single document is returned as it is."""
    if len(documents) == 1:
        return documents[0]
    runs = _unite(run for document in documents for run in document.runs)
    results = [record for document in documents for record in _number(document, document.results, runs)]
    distinct = list({json.dumps(unstructure_row(record), sort_keys=True): record for record in results}.values())
    repeated = len(results) - len(distinct)
    remarks = (Message(text=text) for text in _remark(repeated))
    plan = _merge_plans(documents, runs)
    return Document(
        schema_version=max((document.schema_version for document in documents), key=_read_minor),
        environment=runs[0],
        environments=tuple(runs),
        planned=sum(document.planned or len(document.results) for document in documents) - repeated
        if plan is None
        else sum(len(entry.checks) for entry in plan),
        plan=plan,
        ended="; ".join(_unite(document.ended for document in documents if document.ended)),
        expected_failures=tuple(_unite(line for document in documents for line in document.expected_failures)),
        fingerprints=tuple(
            _unite(one for document in documents for one in _number(document, document.fingerprints, runs))
        ),
        profile=_merge_profiles(documents),
        available=_add(document.available for document in documents),
        solvers=tuple(_unite(one for document in documents for one in _number(document, document.solvers, runs))),
        cases=tuple(_merge_cases(sheet for document in documents for sheet in document.cases)),
        results=tuple(distinct),
        work_precision=tuple(
            point for document in documents for point in _number(document, document.work_precision, runs)
        ),
        figures=tuple(figure for document in documents for figure in document.figures),
        messages=(*(message for document in documents for message in document.messages), *remarks),
    )


def _read_minor(version: str) -> int:
    return int(version.partition(".")[2])


def _merge_profiles(documents: Iterable[Document]) -> Profile | None:
    profiles = {document.profile for document in documents}
    return profiles.pop() if len(profiles) == 1 else Profile.SELECTION


def _add(numbers: Iterable[int | None]) -> int | None:
    """Return a sum, None if a part of it is not recorded."""
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _remark(repeated: int) -> Iterator[str]:
    """Say that files overlap."""
    if repeated:
        yield f"{repeated} results occur more than once in these files; each is counted once"


def _number(document: Document, rows: Iterable[Row], runs: Sequence[Environment]) -> Iterator[Row]:
    """Yield records with the number of their run among all runs."""
    numbers = [1 + runs.index(run) for run in document.runs]
    for row in rows:
        yield structs.replace(row, run=numbers[(row.run or 1) - 1])


def _merge_plans(documents: Sequence[Document], runs: Sequence[Environment]) -> tuple[PlannedChecks, ...] | None:
    """Return the plans of all documents, what several of them plan alike once; None if one states no plan."""
    plans = [document.plan for document in documents]
    if any(plan is None for plan in plans):
        return None
    numbered = zip(documents, plans, strict=True)
    return tuple(_unite(one for document, plan in numbered for one in _number(document, plan or (), runs)))


def _merge_cases(sheets: Iterable[CaseSheet]) -> Iterator[CaseSheet]:
    """Describe every case once; references and published values of further variants are added."""
    merged: dict[str, list[CaseSheet]] = {}
    for sheet in sheets:
        merged.setdefault(sheet.case, []).append(sheet)
    for alike in merged.values():
        yield structs.replace(
            alike[0],
            references=tuple(_unite(row for sheet in alike for row in sheet.references)),
            published=tuple(_unite(value for sheet in alike for value in sheet.published)),
        )


def _unite(items: Iterable[Item]) -> list[Item]:
    """Return items in their order, equal ones once."""
    # by content, so that the time grows with their number and not with its square
    united: dict[bytes, Item] = {}
    for item in items:
        united.setdefault(msgspec.json.encode(item, order="sorted"), item)
    return list(united.values())
