"""The one exception of this room, and the message for packages that are not installed."""

from collections.abc import Iterator
from contextlib import contextmanager


class ReportError(ValueError):
    """Results cannot be read or a report cannot be written; the message is one line and names the remedy."""


@contextmanager
def optional_package(extra: str = "report") -> Iterator[None]:
    """Turn a failing import of a package that only reports need into advice; `extra` is what installs it.

    Raises
    ------
    ReportError
        If an import inside the ``with`` block fails.
    """
    try:
        yield
    except ImportError as error:
        missing = error.name or str(error)
        raise ReportError(f'reports need the package {missing}: pip install "veridyn[{extra}]"') from error
