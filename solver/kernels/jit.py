"""How kernels are compiled: cached on disk, IEEE arithmetic, no Python objects."""

from pathlib import Path

import numba


def drop_stale_caches(folder: Path) -> None:
    """Delete compiled kernels older than the newest kernel source.

    numba looks only at the file of the function itself; a change in a function that it calls from
    another file would go unnoticed and the old machine code would be judged instead of the new.
    """
    newest = max(source.stat().st_mtime for source in folder.glob("*.py"))
    for index in (folder / "__pycache__").glob("*.nbi"):
        if index.stat().st_mtime < newest:
            index.unlink(missing_ok=True)


drop_stale_caches(Path(__file__).parent)

kernel = numba.njit(cache=True, error_model="numpy", nogil=True)
