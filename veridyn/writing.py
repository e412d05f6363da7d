"""Files that are written wholly or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Yield a path to write to; what is there takes the place of the file when nothing went wrong.

    Pipes and devices are written as they are. Raises OSError.
    """
    part = file.with_name(file.name + ".part") if keeps(file) else file
    yield part
    if part != file:
        part.replace(file)


def keeps(file: Path) -> bool:
    """Tell whether a path is, or will be, a file that keeps what is written."""
    return file.is_file() or not file.exists()
