"""Names the kernels that got slower: ``python -m tests.benchmarks.gate NOW.json [STORED.json]``.

Both files are pytest-benchmark's. The measure of a kernel is its least time over that of a loop of plain Python that
took turns with it in the same run, so that machines may differ. ``--store`` writes the measures of the first file into
the second: at a release, or where a change is meant.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("stored.json")
SLOWER = 1.2  # times as long as before: what is slower by more than a fifth
MACHINE = ("python_version", "machine", "system")  # what is stored of a machine, beside its processor


def read_measures(data: Mapping[str, Any]) -> dict[str, float]:
    """Return the time of each kernel in those of the reference loop."""
    infos = ((each["extra_info"], each["stats"]["min"]) for each in data["benchmarks"])
    return {info["kernel"]: least / info["turn"] for info, least in infos}


def find_slower(now: Mapping[str, float], stored: Mapping[str, float]) -> list[str]:
    """Return a line for each kernel that got slower by more than a fifth, or that one of the runs lacks."""
    slower = [
        f"{name}: {now[name] / stored[name]:.2f} times as long as before ({now[name]:.3g} loops, {stored[name]:.3g})"
        for name in sorted(now.keys() & stored.keys())
        if now[name] > SLOWER * stored[name]
    ]
    lost = [f"{name}: not timed in this run" for name in sorted(stored.keys() - now.keys())]
    new = [f"{name}: has no stored time; write it with --store" for name in sorted(now.keys() - stored.keys())]
    return slower + lost + new


def strip(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the gate needs of a run: no single times, no names of machines and folders."""
    machine = {key: data["machine_info"][key] for key in MACHINE}
    machine["cpu"] = {"brand_raw": data["machine_info"]["cpu"]["brand_raw"]}
    benchmarks = [
        {"name": each["name"], "extra_info": each["extra_info"], "stats": {"min": each["stats"]["min"]}}
        for each in data["benchmarks"]
    ]
    return {"machine_info": machine, "datetime": data["datetime"], "benchmarks": benchmarks}


def main() -> int:
    """Print what got slower; return 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("now", type=Path)
    parser.add_argument("stored", type=Path, nargs="?", default=STORED)
    parser.add_argument("--store", action="store_true")
    given = parser.parse_args()
    data = json.loads(given.now.read_text(encoding="utf-8"))
    if given.store:
        given.stored.write_text(json.dumps(strip(data), indent=1) + "\n", encoding="utf-8")
        return 0
    stored = json.loads(given.stored.read_text(encoding="utf-8"))
    lines = find_slower(read_measures(data), read_measures(stored))
    print("\n".join(lines) or f"no kernel got slower by more than a fifth, of {len(data['benchmarks'])}")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
