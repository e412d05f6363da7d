"""The message for packages that reports need and that are not installed."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from veridyn.results import ReportError


@contextmanager
def optional_package(extra: str = "report") -> Iterator[None]:
    """Turn a failing import of a package that only reports need into advice; `extra` is what installs it.

    Raises ReportError if an import inside the ``with`` block fails.
    """
    try:
        yield
    except ImportError as error:
        raise _missing(error.name or str(error), extra) from error


def need_packages(*names: str) -> None:
    """Find out before any work whether the packages of reports are installed; raises ReportError if one is not."""
    for name in names:
        if find_spec(name) is None:
            raise _missing(name, "report")


def _missing(package: str, extra: str) -> ReportError:
    return ReportError(f'reports need the package {package}: pip install "veridyn[{extra}]"')
