"""Many problems of one family at once, in closed form: what the exact solver offers to sweeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]

RUBBING = ("a0", "mu", "g", "m", "omega", "t_start", "t_end")  # rows of the table that the kernel takes
AT_ONCE = 1024  # problems: regimes cost differently, so that threads take small parts by turns


def solve_rubbing_masses(parameters: Columns, threads: int) -> Columns:
    """Solve for arrays of parameters; see `veridyn.solver.integrators.kernels.sliding_block`."""
    # not above: who loads the solver does not wait for this kernel
    from veridyn.solver.integrators.kernels import sliding_block as kernel

    table = np.stack([np.asarray(parameters[name], dtype=np.float64) for name in RUBBING])
    n = table.shape[1]
    result: dict[str, NDArray[Any]] = {
        "wear_power": np.empty(n),
        "regime": np.empty(n, dtype=np.int8),
        "slips": np.empty(n, dtype=np.int64),
        "slip_start": np.empty(n),
        "slip_end": np.empty(n),
    }
    if threads == 1:
        kernel.solve(table, *result.values())
    else:
        with _use_threads(threads):
            kernel.solve_on_threads(table, *result.values())
    return result


@contextmanager
def _use_threads(count: int) -> Iterator[None]:
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(min(count, before))
    try:
        with numba.parallel_chunksize(AT_ONCE):
            yield
    finally:
        numba.set_num_threads(before)


FAMILIES: Mapping[str, Callable[[Columns, int], Columns]] = {"sdnd104": solve_rubbing_masses}
"""By the name of the case whose problems they are."""
