"""From a document to the text of its file: plain data first, then JSON, a record a line."""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from veridyn.inputs import are_finite
from veridyn.results.causes import find_causes
from veridyn.results.document import Document, Environment
from veridyn.results.errors import ReportError
from veridyn.results.record import LevelRow, Record
from veridyn.results.words import Verdict

Plain = dict[str, Any]  # as JSON has it: nested data whose types only the records know

LAWS = ("stiffness", "restitution")  # of a stop, which has one of them


def unstructure(document: Document) -> Plain:
    """Return a document as JSON has it: dicts, lists, texts and numbers; NaN and infinity become null.

    Raises ReportError if a value is nothing that JSON knows.
    """
    plain = _reduce(document)
    places = [_flatten(place) for place in plain.pop("environments")]
    plain["results"] = [_shorten(row) for row in plain["results"]]
    plain["work_precision"] = [_leave_out(row, ("run",)) for row in plain["work_precision"]]
    for sheet in plain["cases"]:
        _leave_out_laws(sheet)
    plain["counts"] = count_verdicts(document.results)
    plain["causes"] = [_reduce(cause) for cause in find_causes(document)]
    for part in ("plan", "solvers", "fingerprints", "causes"):
        plain[part] = plain[part] and [_leave_out(entry, ("run",)) for entry in plain[part]]
    head = {"schema_version": plain.pop("schema_version"), "environment": _flatten(plain.pop("environment"))}
    return head | ({"environments": places} if places else {}) | plain


def unstructure_environment(environment: Environment) -> Plain:
    """Return an environment as it is written."""
    return _flatten(_reduce(environment))


def unstructure_row(record: Record) -> Plain:
    """Return a record as a row of the file."""
    return _shorten(_reduce(record))


def unstructure_levels(levels: Iterable[LevelRow]) -> list[Plain]:
    """Return the rows of a level table, without the columns that none of them has."""
    return _shorten_table([_reduce(level) for level in levels])


def encode(document: Document) -> bytes:
    """Return a document as the bytes of its file, a record a line, with its checksum.

    Half a surrogate pair, which JSON can carry and no file can, becomes a question mark. Raises ReportError if a
    number is not finite.
    """
    plain = add_checksum(document)
    parts = [f"{_encode(key)}: {_print_lines(value)}" for key, value in plain.items()]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8", errors="replace")


def add_checksum(document: Document) -> Plain:
    """Return a document as plain data, with its checksum."""
    plain = unstructure(document)
    return plain | {"digest": compute_checksum(plain)}


def count_verdicts(records: Iterable[Record]) -> dict[str, int]:
    """Return the number of records by verdict, in the order of the verdicts."""
    counts = Counter(record.verdict for record in records)
    return {verdict.value: counts[verdict] for verdict in Verdict if counts[verdict]}


def compute_checksum(plain: Mapping[str, object]) -> str:
    """Return the SHA-256 of a document without its own `digest`; the order of keys and the layout do not matter."""
    content = {name: part for name, part in plain.items() if name != "digest"}
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise ReportError(f"the document holds a number that is not finite ({error}); write null instead") from None
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def _reduce(struct: msgspec.Struct) -> Plain:
    try:
        plain: Plain = msgspec.to_builtins(struct, enc_hook=_convert_number)
    except TypeError as error:
        raise ReportError(f"{error}; write plain numbers, strings, lists and dicts") from None
    return {name: _restrict(part) for name, part in plain.items()}


def _convert_number(value: object) -> float:
    """Return a number of a library, such as NumPy, as one of Python."""
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a value of type {type(value).__name__} is not JSON")


def _restrict(node: object) -> object:
    """Return nested data as JSON has it: tuples are lists, NaN and infinity null."""
    if isinstance(node, dict):
        return {name: _restrict(part) for name, part in node.items()}
    if isinstance(node, list | tuple):
        return list(node) if are_finite(node) else [_restrict(part) for part in node]
    return None if isinstance(node, float) and not math.isfinite(node) else node


def _flatten(environment: Plain) -> Plain:
    """Return an environment with its further texts beside the others."""
    common = {name: value for name, value in environment.items() if name != "further"}
    return {**common, **environment["further"]}


def _shorten(row: Plain) -> Plain:
    return _leave_out(row, ("run",)) | {"levels": _shorten_table(row["levels"])}


def _shorten_table(levels: list[Plain]) -> list[Plain]:
    empty = [name for name in LevelRow.__struct_fields__ if all(level[name] is None for level in levels)]
    return [_leave_out(level, empty) for level in levels]


def _leave_out(entry: Plain, names: Iterable[str]) -> Plain:
    """Return an entry without the keys that are written only where they say something."""
    return {name: value for name, value in entry.items() if value is not None or name not in names}


def _leave_out_laws(sheet: Plain) -> None:
    for drawn in (sheet["system"], sheet["beam"]):
        if drawn:
            drawn["stops"] = [_leave_out(stop, LAWS) for stop in drawn["stops"]]


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _print_lines(value: object) -> str:
    """Print a part of a document, an entry a line: quick to write, and fit for grep."""
    if not isinstance(value, list) or not value:
        return _encode(value)
    return "[\n" + ",\n".join(map(_encode, value)) + "\n]"
