"""The text of a result file as plain data; what is wrong with it is said in one line."""

import json
import math
from pathlib import Path
from typing import NoReturn

from veridyn.results.errors import ReportError

LONGEST_NUMBER = 300  # digits of an integer: about the range of floats


def parse_file(path: Path) -> object:
    """Return the JSON of a file; raises ReportError if it is missing, unreadable, no JSON, or cut short."""
    return _parse(_read_text(path), path)


def _read_text(path: Path) -> str:
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


def _parse(text: str, path: Path) -> object:
    try:
        content: object = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_parse_float, parse_int=_parse_int
        )
    except json.JSONDecodeError as error:
        raise ReportError(f"{path}: {_explain(text, error)}") from None
    except RecursionError:
        raise ReportError(f"{path}: is nested too deeply; is it a result file?") from None
    except ValueError as error:
        raise ReportError(f"{path}: {error}; numbers must be finite, write null instead") from None
    return content


def _explain(text: str, error: json.JSONDecodeError) -> str:
    """Tell a file that was cut short from one that never was JSON."""
    if not text.strip():
        return "is empty; the run was interrupted, repeat it"
    cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    if cut and text.lstrip()[0] in "{[":
        return f"ends too early, at line {error.lineno}; the run was interrupted, repeat it"
    return f"not JSON at line {error.lineno}, column {error.colno} ({error.msg}); is it a result file?"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parse_float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} exceeds the range of floats")
    return number


def _parse_int(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"an integer has {len(text)} digits")
    return int(text)
