"""What scripts have measured, in ``docs/timing.json``, from which ``docs/timing.md`` is made."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import cpuinfo

STORED = Path(__file__).parents[2] / "docs" / "timing.json"

Cell = str | int | float


def store(section: str, command: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Put a table into the file, in place of an earlier one, with the command and the machine that made it."""
    tables = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    tables[section] = {
        "command": command,
        "machine": f"{cpuinfo.get_cpu_info()['brand_raw']}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": round(os.getloadavg()[0], 1),
        "date": datetime.now(UTC).date().isoformat(),
        "head": list(head),
        "rows": [list(row) for row in rows],
    }
    STORED.write_text(json.dumps(tables, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
