"""From files and plain data to documents: read, convert, check.

Whoever holds a document from here may rely on it: all that it does not state has its default, numbers are finite,
series have as many ordinates as abscissae, and runs that records name are described.
"""

import json
import re
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path

import msgspec

from veridyn.inputs import find_infinite
from veridyn.results.against_plan import find_deviations
from veridyn.results.contradictions import find_contradictions, make_context
from veridyn.results.document import VERSION, Document, Environment
from veridyn.results.errors import ReportError
from veridyn.results.merging import merge
from veridyn.results.parsing import parse_file
from veridyn.results.record import Record
from veridyn.results.words import CARD, MessageKind
from veridyn.results.writing import Plain, compute_checksum, unstructure

PLACE = re.compile(r"(.*?)(?: - at `(?:key in )?\$\.?(.*)`)?", re.DOTALL)  # msgspec states a place in its message only
MINOR = re.compile(r"2\.(\d+)")
CURRENT = int(VERSION.partition(".")[2])
ENTRY = re.compile(r"(\w+)\[(\d+)\]")


def read(source: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Document:
    """Read one or several result files into one checked document.

    Parameters
    ----------
    source
        A path, or several. Results and figures of several files are concatenated, cases appear once, and the results
        carry the number of their run.

    Raises
    ------
    ReportError
        If a file is missing, unreadable, not JSON, cut short, not a result file of version 2, was changed after it was
        written, or contradicts itself.
    """
    paths = [source] if isinstance(source, str | PathLike) else list(source)
    if not paths:
        raise ReportError("no result file given; write one with: veridyn run --json results.json")
    merged = merge([_read_file(Path(path)) for path in paths])
    _check_plan(merged, ", ".join(map(str, paths)))
    return merged


def _read_file(path: Path) -> Document:
    """Read and check one file; verdicts are not taken on trust."""
    content, name = parse_file(path), str(path)
    _check_checksum(content, name)
    document = _structure(content, name)
    _check_records(document, name)
    _check_plan(document, name)
    return document


def convert(content: Mapping[str, object], name: str = "document") -> Document:
    """Return plain data, as from JSON, as a checked document; `name` is what messages call it.

    Raises
    ------
    ReportError
        If the version is unknown, a key is missing, a value has the wrong type or is nothing that JSON carries.
    """
    try:
        copy: object = json.loads(json.dumps(content, allow_nan=False))
    except TypeError as error:
        raise ReportError(f"{name}: {error}; write plain numbers, strings, lists and dicts") from None
    except ValueError:
        where = next(find_infinite(content), "")
        raise ReportError(f"{name}: {where} is not finite; write null instead") from None
    return _structure(copy, name)


def check(document: Document, name: str = "document") -> Document:
    """Return a document that was put together here, checked as if it were read; raises ReportError, see `convert`."""
    return _structure(unstructure(document), name)


def convert_record(row: Mapping[str, object]) -> Record:
    """Return a row of a file as a record; NaN and infinity may stand in it. Raises ValueError if it is none."""
    try:
        return msgspec.convert(row, Record)
    except msgspec.ValidationError as error:  # a ValueError in some versions only
        raise ValueError(str(error)) from None


def _structure(content: object, name: str) -> Document:
    """Return what came from JSON as a document."""
    plain = _check_version(content, name)
    try:
        document = msgspec.convert(_restate(plain), Document)
    except msgspec.ValidationError as error:
        raise ReportError(f"{name}: {_locate(str(error), plain)}; see docs/result-schema.md") from None
    _check_series(document, name)
    _check_runs(document, name)
    return document


def _check_version(content: object, name: str) -> Plain:
    if not isinstance(content, dict) or "schema_version" not in content:
        raise ReportError(f"{name}: has no schema_version; it does not come from: veridyn run --json FILE")
    version = content["schema_version"]
    if str(version).split(".")[0] != "2":
        raise ReportError(f"{name}: schema version {version!r} is unknown here (2.x is); update veridyn")
    return content


def _restate(plain: Plain) -> Plain:
    """Return plain data as the types have it: messages that are plain strings as notes, further texts apart."""
    restated = plain | {"schema_version": _raise_version(plain["schema_version"])}
    if isinstance(messages := plain.get("messages"), list):
        restated["messages"] = [_make_note(message) if isinstance(message, str) else message for message in messages]
    if "environment" in plain:
        restated["environment"] = _set_apart(plain["environment"])
    if isinstance(places := plain.get("environments"), list):
        restated["environments"] = [_set_apart(place) for place in places]
    return restated


def _raise_version(version: object) -> object:
    """Return the version that a document has when it is written again, which is this one, or a later one."""
    match = MINOR.fullmatch(str(version))
    return VERSION if match and int(match[1]) < CURRENT else version


def _make_note(text: str) -> Plain:
    return {"kind": MessageKind.NOTE.value, "text": text}


def _set_apart(environment: object) -> object:
    """Return an environment with the texts that it states beyond what every environment does."""
    if not isinstance(environment, dict):
        return environment
    names = Environment.__struct_fields__
    further = {name: text for name, text in environment.items() if name not in names and isinstance(text, str)}
    return {name: value for name, value in environment.items() if name in names} | {"further": further}


def _locate(message: str, plain: Plain) -> str:
    """Return a message of msgspec with the place in front, and the record behind it: nobody counts to results[317]."""
    match = PLACE.fullmatch(message)
    what, place = (match[1], match[2] or "") if match else (message, "")
    fault = f"{what[:1].lower()}{what[1:]}"
    return f"{place}: {fault}{_name_entry(place, plain)}" if place else fault


def _name_entry(place: str, plain: Plain) -> str:
    entry = ENTRY.match(place)
    listed = plain.get(entry[1]) if entry else None
    if entry is None or not isinstance(listed, list) or not isinstance(row := listed[int(entry[2])], dict):
        return ""
    keys = ("case", "variant", "quantity" if "quantity" in row else "id")
    named = [str(row[key]) for key in keys if key in row]
    return f" (in {' '.join(named)})" if named else ""


def _check_checksum(content: object, name: str) -> None:
    """Refuse a file that was changed after it was written, by accident: whoever means it computes the sum anew."""
    if not isinstance(content, dict):
        return
    recorded = content.get("digest")
    if recorded is None and content.get("plan") is not None:
        raise ReportError(f"{name}: states a plan, but no checksum (digest); was the file changed?")
    if recorded is not None and recorded != compute_checksum(content):
        raise ReportError(
            f"{name}: was changed after it was written, its checksum (digest) does not fit; repeat the run"
        )


def _check_records(document: Document, name: str) -> None:
    """Refuse what contradicts itself: wrong verdicts and errors, repetitions, cases that are not described."""
    context = make_context(document.cases, document.expected_failures)
    for record, fault in find_contradictions(document.results, context):
        raise ReportError(f"{name}: {record.case} {record.id or record.quantity} {fault}; was the file changed?")
    described = {sheet.case for sheet in document.cases}
    strange = next((r.case for r in document.results if described and r.case not in {*described, CARD}), None)
    if strange is not None:
        raise ReportError(f"{name}: has results of {strange!r}, which it does not describe; was the file changed?")


def _check_plan(document: Document, name: str) -> None:
    """Refuse results that are not those of the plan, and runs that cannot be judged as one."""
    for fault in find_deviations(document):
        raise ReportError(f"{name}: {fault}")


def _check_series(document: Document, name: str) -> None:
    """Check what types cannot say: as many ordinates as abscissae."""
    for figure in document.figures:
        for series in (series for panel in figure.panels for series in panel.series):
            if len(series.x) != len(series.y):
                where = f"figure {figure.id} of {figure.case}, series {series.label!r}"
                raise ReportError(f"{name}: {where}: {len(series.x)} x but {len(series.y)} y; record as many")


def _check_runs(document: Document, name: str) -> None:
    """Check what types cannot say either: a run number points to an environment."""
    number = len(document.runs)
    numbers = {
        "results": [record.run_number for record in document.results],
        "plan": [entry.run or 1 for entry in document.plan or ()],
        "work_precision": [point.run_number for point in document.work_precision],
    }
    for part, runs in numbers.items():
        for place, run in enumerate(runs):
            if run > number:
                raise ReportError(f"{name}: {part}[{place}].run is {run}, of {number} environments; merge anew")
