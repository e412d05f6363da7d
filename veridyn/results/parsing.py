"""The text of a result file as plain data; what is wrong with it is said in one line."""

from pathlib import Path

from veridyn.inputs import InputError, parse_json, read_text
from veridyn.results.errors import ReportError


def parse_file(path: Path) -> object:
    """Return the JSON of a file; raises ReportError if it is missing, unreadable, no JSON, or cut short."""
    try:
        content: object = parse_json(read_text(path))
    except FileNotFoundError:
        raise ReportError(f"{path}: no such file; write it with: veridyn run --json {path}") from None
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror}); check its permissions") from None
    except InputError as error:
        raise ReportError(f"{path}: {error}; is it a result file? If a run was interrupted, repeat it") from None
    return content
