"""How kernels are compiled: cached on disk, IEEE arithmetic, no Python objects."""

import contextlib
from pathlib import Path
from typing import Any

import numba


def drop_stale_caches(folder: Path) -> None:
    """Delete compiled kernels older than the newest kernel source.

    numba looks only at the file of the function itself; a change in a function that it calls from
    another file would go unnoticed and the old machine code would be judged instead of the new.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        with contextlib.suppress(FileNotFoundError):  # another process drops them too
            if index.stat().st_mtime < newest:
                index.unlink()


drop_stale_caches(Path(__file__).parent)

# A scheme: compiled once, kept on disk.
kernel = numba.njit(cache=True, error_model="numpy", nogil=True)

# A part of a scheme: always inlined, and without reference counts, since counting the sixteen arrays of a
# system at every access costs ten times the step itself. The arrays belong to the caller of the scheme. A part
# cannot allocate: it would not compile.
options: dict[str, Any] = {"cache": True, "error_model": "numpy", "nogil": True, "forceinline": True, "_nrt": False}
part = numba.njit(**options)

# A part that is called instead of inlined, outside the loops: quicker to compile.
called = numba.njit(**{**options, "forceinline": False})

# A loop over independent problems, on several threads.
threaded = numba.njit(cache=True, error_model="numpy", nogil=True, parallel=True)
