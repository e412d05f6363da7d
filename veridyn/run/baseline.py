"""A user's own baseline: digits and cost of a solver, kept, and what was lost since."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from veridyn.inputs import InputError, parse_json, read_text
from veridyn.outputs import OutputFile
from veridyn.problem.errors import SolverInputError
from veridyn.results import ErrorKind, Layer, Record, Verdict, unstructure_environment
from veridyn.run.document import environment

FORMAT = "1.0"
LAYERS = (Layer.CRITERION, Layer.CONVERGENCE)  # whose answers have digits that can be lost
DIGITS_LOST = 0.5  # a factor of three in the error
DIGITS_KEPT = 12.0  # beyond that, digits are rounding
COST_GROWTH = 1.1  # of counters: steps, evaluations


@dataclass(frozen=True)
class Entry:
    """What is kept of a check: solver, its id, digits, and what it cost in counters of the solver."""

    solver: str
    case: str
    id: str
    digits: float | None
    counters: Mapping[str, float]


Key = tuple[str, str, str]
Baseline = Mapping[Key, Entry]


def entries(records: Iterable[Record]) -> Iterator[Entry]:
    """Yield what a baseline keeps: answers that have digits, or cost."""
    for record in records:
        if record.layer in LAYERS and record.verdict is Verdict.PASS and (record.digits is not None or record.counters):
            yield Entry(record.solver, record.case, record.id, record.digits, record.counters)


def is_baseline(content: object) -> bool:
    """Tell whether what a file holds is a baseline."""
    return isinstance(content, dict) and {"baseline", "environment", "entries"} <= content.keys()


def write_baseline(file: OutputFile, records: Iterable[Record], command: Sequence[str]) -> int:
    """Write a baseline, whole or not at all; returns how many answers it holds.

    Raises SolverInputError if nothing passed that could be kept, or the file cannot be written.
    """
    kept = list(entries(records))
    if not kept:
        raise SolverInputError("no check passed with digits or counters: there is nothing to keep as a baseline")
    content = {
        "baseline": FORMAT,
        "environment": unstructure_environment(environment(command)),
        "entries": [{**vars(entry), "counters": dict(entry.counters)} for entry in kept],
    }
    try:
        file.write((json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
    except OSError as error:
        raise SolverInputError(f"cannot write {file.path}: {error.strerror or error}") from None
    return len(kept)


def read_baseline(file: Path) -> Baseline:
    """Read a baseline; raises SolverInputError if it cannot be read or is none."""
    try:
        content = parse_json(read_text(file))
        written = content["baseline"]
        result = [_entry(each) for each in content["entries"]] if written == FORMAT else []
    except OSError as error:
        raise SolverInputError(f"cannot read {file}: {error.strerror or error}") from None
    except InputError as error:
        raise SolverInputError(
            f"{file} is no baseline; `veridyn baseline save {file.name}` writes one (it {error})"
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        raise SolverInputError(f"{file} is no baseline; `veridyn baseline save {file.name}` writes one") from None
    if written != FORMAT:
        raise SolverInputError(f"{file} is a baseline of format {written!r}, not {FORMAT}; save it again")
    return {(entry.solver, entry.case, entry.id): entry for entry in result}


def _entry(given: object) -> Entry:
    if not isinstance(given, dict):
        raise TypeError(given)
    digits = given["digits"]
    counters = {str(name): float(value) for name, value in given["counters"].items()}
    if digits is not None and not 0 <= float(digits) < math.inf:
        raise ValueError("digits")
    return Entry(str(given["solver"]), str(given["case"]), str(given["id"]), digits, counters)


def compared(records: Iterable[Record], before: Baseline) -> Iterator[Record]:
    """Yield one record of the layer ``baseline`` for each answer that the baseline holds.

    Raises SolverInputError if the baseline holds none of the checks.
    """
    known = [(record, before[key]) for record in records if (key := (record.solver, record.case, record.id)) in before]
    if not known:
        raise SolverInputError(
            "the baseline holds none of these checks: was it saved for another solver or other cases?"
        )
    for record, entry in known:
        yield from _compared(record, entry)


def _compared(record: Record, entry: Entry) -> Iterator[Record]:
    if entry.digits is not None:
        now = min(record.digits or 0.0, DIGITS_KEPT)
        lost = max(0.0, min(entry.digits, DIGITS_KEPT) - now)
        reason = f"{DIGITS_LOST:g} digits are a factor of three in the error; beyond {DIGITS_KEPT:g} none count"
        yield _record(record, "digits", now, entry.digits, lost, DIGITS_LOST, reason)
    for name, cost in entry.counters.items():
        if record.layer is Layer.CRITERION and cost > 0 and record.quantity and name in record.counters:
            growth = max(0.0, record.counters[name] / cost - 1.0)
            reason = f"a tenth more {name} than in the baseline"
            yield _record(record, name, record.counters[name], cost, growth, COST_GROWTH - 1.0, reason)


def _record(
    record: Record, what: str, value: float, reference: float, error: float, tolerance: float, reason: str
) -> Record:
    """Return a record of the layer ``baseline`` beside that of a check."""
    return structs.replace(
        record,
        layer=Layer.BASELINE,
        quantity=f"{what}:{record.quantity}",
        unit="",
        value=value,
        reference=reference,
        reference_digits=None,
        error=error,
        error_kind=ErrorKind.ABSOLUTE,
        tolerance=tolerance,
        reason=reason,
        margin=tolerance / error if error else None,
        digits=None,
        verdict=Verdict.PASS if error <= tolerance else Verdict.FAIL,
        detail="",
        levels=(),
        terms={},
        id=f"baseline:{what}:{record.id}",
    )
