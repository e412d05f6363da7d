"""Texts from outside: files, JSON and TOML, read within bounds of size, depth and digits.

It imports nothing of ours, so that every room may read by it. What is wrong is said in one line, without the name of
the file: whoever reads names it.
"""

import json
import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

LARGEST = 1 << 28  # bytes of a document: some hundred runs of everything
LARGEST_TABLE = 1 << 30  # bytes of a table of samples
LARGEST_SETTINGS = 1 << 20  # bytes of a file of settings
DEEPEST = 64  # brackets within brackets; documents of ours have fewer than ten
LONGEST_NUMBER = 300  # digits of an integer: about the range of floats

LONGEST_FRACTION = 2 * 4000  # characters; Python reads no integer of more than 4300 digits
LARGEST_EXPONENT = 10_000

EXPONENT = re.compile(r"[eE]([+-]?[0-9_]+)")
STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # one without an end reaches to that of the text
NO_BRACKET = re.compile(r"[^\[\]{}]+")
HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
DOTTED = re.compile(r"(?<![\w-])(?:[\w-]++\s*+\.\s*+){65}")


class InputError(ValueError):
    """A text from outside cannot be read; the message is one line."""


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of a file.

    Raises InputError if it is a folder or has more bytes than ``largest``, a device that never ends among them; OSError
    if it cannot be read.
    """
    if path.is_dir():
        raise InputError("is a folder; name a file in it")
    with path.open("rb") as stream:
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise InputError(f"has more than {largest} bytes")
    return content


def explain_error(error: Exception) -> str:
    """Return why a file cannot be read, without the number of the error and the path: whoever reports it names that."""
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)


def read_text(path: Path, largest: int = LARGEST) -> str:
    """Return the UTF-8 text of a file; a byte order mark is left out. Raises what `read_bytes` raises."""
    try:
        return read_bytes(path, largest).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text at byte {error.start}") from None


def parse_json(text: str, *, finite: bool = True) -> Any:
    """Return what a JSON text says.

    Without ``finite`` NaN, infinity and half a surrogate pair may stand in it. Raises InputError if it is no JSON, a
    key occurs twice in one object, a number is not finite or exceeds the range of floats, a text has half a surrogate
    pair, or brackets are nested deeper than `DEEPEST`.
    """
    _check_depth(text)
    try:
        content = json.loads(text, parse_int=_parse_int, object_pairs_hook=_join)
    except json.JSONDecodeError as error:
        raise InputError(_explain(text, error)) from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    place = next(find_infinite(content), None) if finite else None
    if place is not None:
        raise InputError(f"{place or 'the number'} is not finite, or beyond the range of floats; write null instead")
    if finite and HALF_PAIR.search(text):
        _check_letters(content)
    return content


def parse_fraction(text: str) -> Fraction:
    """Return the number that a text such as 1.5e-3 or 3/4 says, exactly.

    Raises InputError if it has more than `LONGEST_FRACTION` characters or an exponent beyond `LARGEST_EXPONENT`, which
    would stand for gigabytes; ValueError, ZeroDivisionError if it is no number.
    """
    exponent = EXPONENT.search(text)
    if len(text) > LONGEST_FRACTION or (exponent and abs(int(exponent[1])) > LARGEST_EXPONENT):
        raise InputError(f"{text[:40]!r} is a number of too many digits")
    return Fraction(text)


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says; raises InputError if it is none, or is nested deeper than `DEEPEST`."""
    if DOTTED.search(text):  # the time of the parser grows with the square of the length of a dotted key
        raise InputError(f"has a key of more than {DEEPEST} parts")
    try:
        content = tomllib.loads(text)
    except ValueError as error:
        raise InputError(f"is not TOML: {error}") from None
    except RecursionError:
        raise InputError("is nested too deeply") from None
    if _measure_depth(content) > DEEPEST:
        raise InputError(f"is nested too deeply: {DEEPEST} levels are the most")
    return content


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the parser, which recurses, has seen it."""
    depth = 0
    for bracket in NO_BRACKET.sub("", STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > DEEPEST:
            raise InputError(f"is nested too deeply: {DEEPEST} levels are the most")


def _measure_depth(content: object) -> int:
    """Return how many lists and objects lie within each other, without recursion."""
    level, depth = [content], 0
    while level := [item for node in level for item in _list_items(node)]:
        depth += 1
    return depth


def _list_items(node: object) -> list[object]:
    if isinstance(node, dict):
        return list(node.values())
    return list(node) if isinstance(node, list) else []


def _explain(text: str, error: json.JSONDecodeError) -> str:
    """Tell a text that was cut short from one that never was JSON."""
    if not text.strip():
        return "is empty"
    cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if cut and text.lstrip()[0] in "{[":
        return f"ends too early, at line {error.lineno}"
    return f"is not JSON at line {error.lineno}, column {error.colno} ({error.msg})"


def are_finite(nodes: Sequence[object]) -> bool:
    """Tell whether nodes are finite numbers alone; curves have a million of them, and one call looks at all of one."""
    try:
        return all(map(math.isfinite, cast(Sequence[float], nodes)))
    except (TypeError, OverflowError):
        return False


def find_infinite(node: object, where: str = "") -> Iterator[str]:
    """Yield the places of NaN and infinity in nested data."""
    if isinstance(node, float) and not math.isfinite(node):
        yield where.lstrip(".")
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from find_infinite(item, f"{where}.{key}")
    elif isinstance(node, list | tuple) and not are_finite(node):
        for number, item in enumerate(node):
            yield from find_infinite(item, f"{where}[{number}]")


def _parse_int(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise InputError(f"an integer has {len(text)} digits; {LONGEST_NUMBER} are the most")
    return int(text)


def _join(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the key {twice[:60]!r} occurs twice in one object; keep one")
    return result


def _check_letters(content: object) -> None:
    try:
        json.dumps(content, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        raise InputError(f"a text has half a surrogate pair, {letter!a}") from None
