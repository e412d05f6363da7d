"""Result documents: read, check, merge.

The format is described by ``schema/results-2.json``. Whoever holds a document from here may rely on
it: all keys are there (the schema's defaults are filled in), numbers are finite, series have as many
ordinates as abscissae.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

from veridyn.reports.errors import ReportError, optional_package
from veridyn.reports.recomputed import contradictions
from veridyn.reports.tally import Record

__all__ = ["Document", "ReportError", "check_document", "environments", "gaps", "merge", "read_results"]

PROFILES = {"quick": "Quick profile", "comparison": "Agreement of solvers, no truth is known"}
LONGEST_NUMBER = 300  # digits of an integer: about the range of floats

Document = dict[str, Any]


def read_results(source: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Document:
    """Read one or several result files into one checked document.

    Parameters
    ----------
    source
        A path, or several. Results and figures of several files are concatenated, cases appear once,
        and the results carry the number of their run.

    Returns
    -------
    dict
        The document, with the schema's defaults filled in.

    Raises
    ------
    ReportError
        If a file is missing, unreadable, not JSON, cut short, or not a result file of version 2.
    """
    paths = [source] if isinstance(source, str | PathLike) else list(source)
    if not paths:
        raise ReportError("no result file given; write one with: veridyn run --json results.json")
    return merge([_read(Path(path)) for path in paths])


def check_document(document: Document, name: str = "document") -> Document:
    """Check a document against the schema.

    Parameters
    ----------
    document
        Data as from JSON; it is not changed.
    name
        What messages call it, for instance the file's path.

    Returns
    -------
    dict
        A copy with the schema's defaults filled in.

    Raises
    ------
    ReportError
        If the version is unknown, a key is missing, or a value has the wrong type.
    """
    return _completed(_copy(document, name), name)


def _completed(document: Document, name: str) -> Document:
    """Check what came from JSON and fill in the defaults, in place."""
    _check_version(document, name)
    _check_schema(document, name)
    _check_series(document, name)
    _check_runs(document, name)
    return document


def environments(document: Document) -> list[dict[str, Any]]:
    """Return the environment of every run in the document, at least one."""
    listed: list[dict[str, Any]] = document.get("environments") or [document["environment"]]
    return listed


def gaps(document: Document) -> list[str]:
    """Say what a document lacks, a sentence each: checks that were planned, cases without a result."""
    asked, found = document["planned"], len(document["results"])
    ended = [f"{asked - found} of {asked} checks are missing: the run ended early"] if (asked or 0) > found else []
    with_results = {record["case"] for record in document["results"]}
    empty = [case["case"] for case in document["cases"] if case["case"] not in with_results]
    return [*ended, *(f"{name} is described, but no check of it was recorded" for name in empty)]


def scope(document: Document) -> str:
    """Say that a run was asked for a part of its cases only; empty if for all of them, or if that is unknown."""
    planned, available = document["planned"] or len(document["results"]), document["available"]
    share = f"{planned} of {available} checks" if available and available > planned else ""
    name = PROFILES.get(document["profile"], "Selection" if share else "")
    return ", ".join(part for part in (name, share) if part)


def of_cases(document: Document, names: Sequence[str]) -> Document:
    """Return the part of a checked document that belongs to some cases; of a part nobody knows how much was planned.

    Raises ReportError if the document knows nothing of a case.
    """
    known = {entry["case"] for part in ("cases", "results") for entry in document[part]}
    if missing := [name for name in names if name not in known]:
        raise ReportError(f"no results of {', '.join(missing)} in the file; it has {', '.join(sorted(known))}")
    parts = ("cases", "results", "work_precision", "figures")
    chosen = {part: [entry for entry in document[part] if entry["case"] in names] for part in parts}
    return document | chosen | {"planned": None, "available": None}


def merge(documents: list[Document]) -> Document:
    """Merge checked documents into one; a single document is returned as it is."""
    if len(documents) == 1:
        return documents[0]
    runs: list[dict[str, Any]] = []
    profiles, available = ({document["profile"] for document in documents}, [d["available"] for d in documents])
    results, points = (
        [record for document in documents for record in _numbered(document, part, runs)]
        for part in ("results", "work_precision")
    )
    once = list({json.dumps(record, sort_keys=True): record for record in results}.values())
    left_out = len(results) - len(once)
    return {
        "schema_version": max(
            (document["schema_version"] for document in documents), key=lambda of: int(of.partition(".")[2])
        ),
        "environment": runs[0],
        "environments": runs,
        "planned": sum(document["planned"] or len(document["results"]) for document in documents) - left_out,
        "profile": profiles.pop() if len(profiles) == 1 else "selection",
        "available": None if None in available else sum(available),
        "solvers": _union([], [solver for document in documents for solver in document["solvers"]]),
        "cases": _merged_cases([case for document in documents for case in document["cases"]]),
        "results": once,
        "work_precision": points,
        "figures": [figure for document in documents for figure in document["figures"]],
        "messages": [
            *(text for document in documents for text in document["messages"]),
            *_remarks(left_out, runs),
        ],
    }


def _remarks(left_out: int, runs: list[dict[str, Any]]) -> Iterator[str]:
    """Say that files overlap, or that runs were made by different versions: their verdicts need not mean the same."""
    if left_out:
        yield f"{left_out} results occur more than once in these files; each is counted once"
    found = sorted({str(run["veridyn"]) for run in runs})
    if len(found) > 1:
        yield f"these runs were made by different versions of veridyn: {', '.join(found)}"


def _numbered(document: Document, part: str, runs: list[dict[str, Any]]) -> list[Record]:
    """Give records their run number, adding environments not seen before to `runs`."""
    numbers = []
    for environment in environments(document):
        if environment not in runs:
            runs.append(environment)
        numbers.append(1 + runs.index(environment))
    return [record | {"run": numbers[record.get("run", 1) - 1]} for record in document[part]]


def _merged_cases(cases: list[Record]) -> list[Record]:
    """Describe every case once; references and published values of further variants are added."""
    merged: dict[str, Record] = {}
    for case in cases:
        first = merged.setdefault(case["case"], case)
        grown = {key: _union(first[key], case[key]) for key in ("references", "published")}
        merged[case["case"]] = first | grown
    return list(merged.values())


def _union(old: list[Record], new: list[Record]) -> list[Record]:
    return [*old, *(item for item in new if item not in old)]


def _read(path: Path) -> Document:
    """Read and check one file; verdicts are not taken on trust."""
    found = _parse(_text(path), path)
    _check_digest(found, str(path))
    document = _completed(found, str(path))
    _check_records(document, str(path))
    return document


def digest(document: Document) -> str:
    """Return the SHA-256 of a document without its own digest; the order of keys and the layout do not matter."""
    kept = {name: part for name, part in document.items() if name != "digest"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def _check_digest(document: Any, name: str) -> None:
    """Refuse a file that was changed after it was written."""
    recorded = document.get("digest") if isinstance(document, dict) else None
    if recorded is not None and recorded != digest(document):
        raise ReportError(f"{name}: was changed after it was written, its digest does not fit; repeat the run")


def _check_records(document: Document, name: str) -> None:
    """Refuse what contradicts itself: wrong verdicts and errors, repetitions, cases that are not described."""
    for record, said in contradictions(document["results"]):
        raise ReportError(
            f"{name}: {record['case']} {record['id'] or record['quantity']} {said}; was the file changed?"
        )
    described = {case["case"] for case in document["cases"]}
    strange = next((r["case"] for r in document["results"] if described and r["case"] not in described), None)
    if strange is not None:
        raise ReportError(f"{name}: has results of {strange!r}, which it does not describe; was the file changed?")


def _text(path: Path) -> str:
    if path.is_dir():
        raise ReportError(f"{path}: is a folder; name a file, for instance {path / 'results.json'}")
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ReportError(f"{path}: no such file; write it with: veridyn run --json {path}") from None
    except UnicodeDecodeError as error:
        raise ReportError(f"{path}: not UTF-8 text at byte {error.start}; is it a result file?") from None
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None


def _parse(text: str, path: Path) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole)
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}: {_json_trouble(text, error)}") from None
    except RecursionError:
        raise ReportError(f"{path}: is nested too deeply; is it a result file?") from None
    except ValueError as error:
        raise ReportError(f"{path}: {error}; numbers must be finite, write null instead") from None


def _json_trouble(text: str, error: json.JSONDecodeError) -> str:
    """Tell a file that was cut short from one that never was JSON."""
    if not text.strip():
        return "is empty; the run was interrupted, repeat it"
    cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if cut and text.lstrip()[0] in "{[":
        return f"ends too early, at line {error.lineno}; the run was interrupted, repeat it"
    return f"not JSON at line {error.lineno}, column {error.colno} ({error.msg}); is it a result file?"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} exceeds the range of floats")
    return number


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"an integer has {len(text)} digits")
    return int(text)


def _copy(document: Document, name: str) -> Document:
    """Copy by way of JSON, which is also what will be written: it refuses what JSON cannot carry."""
    try:
        copy: Document = json.loads(json.dumps(document, allow_nan=False))
    except TypeError as error:
        raise ReportError(f"{name}: {error}; write plain numbers, strings, lists and dicts") from None
    except ValueError:
        where = next(_not_finite(document), "")
        raise ReportError(f"{name}: {where} is not finite; write null instead") from None
    return copy


def _not_finite(node: Any, where: str = "") -> Iterator[str]:
    """Places of NaN and infinity in nested data."""
    if isinstance(node, float) and not math.isfinite(node):
        yield where.lstrip(".")
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from _not_finite(item, f"{where}.{key}")
    elif isinstance(node, list | tuple):
        for number, item in enumerate(node):
            yield from _not_finite(item, f"{where}[{number}]")


def _check_version(document: Any, name: str) -> None:
    if not isinstance(document, dict) or "schema_version" not in document:
        raise ReportError(f"{name}: has no schema_version; it does not come from: veridyn run --json FILE")
    version = document["schema_version"]
    if str(version).split(".")[0] != "2":
        raise ReportError(f"{name}: schema version {version!r} is unknown here (2.x is); update veridyn")


@cache
def _validator() -> Callable[[Document], Document]:
    with optional_package():
        import fastjsonschema
    schema = files("veridyn.reports").joinpath("schema", "results-2.json").read_text(encoding="utf-8")
    validator: Callable[[Document], Document] = fastjsonschema.compile(json.loads(schema))
    return validator


def _check_schema(document: Document, name: str) -> None:
    """Validate, which also fills in the defaults."""
    validate = _validator()
    with optional_package():
        from fastjsonschema import JsonSchemaValueException
    try:
        validate(document)
    except JsonSchemaValueException as error:
        what = error.message.removeprefix("data").removeprefix(".").strip()
        here = "" if isinstance(error.value, dict | list) else f", not {error.value!r:.60}"
        whose = _whose(document, error.path)
        raise ReportError(f"{name}: {what}{here}{whose}; see docs/result-schema.md") from None


def _whose(document: Document, path: list[str]) -> str:
    """Name the record that a schema error points to, since nobody counts to results[317]."""
    try:
        record = document[path[1]][int(path[2])]
        keys = ("case", "variant", "quantity" if "quantity" in record else "id")
        named = [str(record[key]) for key in keys if key in record]
    except (KeyError, IndexError, TypeError, ValueError):
        return ""
    return f" (in {' '.join(named)})" if named else ""


def _check_series(document: Document, name: str) -> None:
    """Check what the schema cannot say: as many ordinates as abscissae."""
    for figure in document["figures"]:
        for series in (series for panel in figure["panels"] for series in panel["series"]):
            points = len(series["x"]), len(series["y"])
            if points[0] != points[1]:
                where = f"figure {figure['id']} of {figure['case']}, series {series['label']!r}"
                raise ReportError(f"{name}: {where}: {points[0]} x but {points[1]} y; record as many")


def _check_runs(document: Document, name: str) -> None:
    """Check what the schema cannot say either: a run number points to an environment."""
    known = len(environments(document))
    for part in ("results", "work_precision"):
        for number, record in enumerate(document[part]):
            run = record.get("run", 1)
            if run > known:
                raise ReportError(f"{name}: {part}[{number}].run is {run}, of {known} environments; merge anew")
