"""Cyclic garbage, for programs that live for seconds and keep nearly all that they make."""

import atexit
import gc

RARELY = (10_000, 20, 100)


def collect_rarely() -> None:
    """Collect garbage rarely in this process, and none at its end, where a third of a short run's time went."""
    gc.set_threshold(*RARELY)
    atexit.register(gc.freeze)
