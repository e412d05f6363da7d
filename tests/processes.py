"""Whether processes that a test knows by number have ended."""

import os
import time
from pathlib import Path


def is_alive(pid):
    """Tell whether a process runs; a zombie that nobody has waited for yet is dead enough."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(pid, within=5.0):
    """Tell whether a process ends within some seconds."""
    last = time.monotonic() + within
    while is_alive(pid) and time.monotonic() < last:
        time.sleep(0.01)
    return not is_alive(pid)
