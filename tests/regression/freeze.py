"""What the integrator gave on an earlier day, by case, variant and scheme: frozen/<case>.json, one line per run.

A line holds the settings and the values by quantity. A value may move by 1e-9 of itself. What is nothing but error,
the velocity of a mass at rest say, has no such digits: there the second number of a pair is the distance allowed, a
millionth of what the judgement of the day granted the quantity. A line without values is filled with all quantities of
its variant::

    python tests/regression/freeze.py [CASE...]

rewrites the values that moved further, and shows old and new. The reason belongs into the commit message.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.judgement.catalogue import load_case

FOLDER = Path(__file__).parent / "frozen"
TOLERANCE = 1e-9  # relative; absolute for a zero


@dataclass(frozen=True)
class Frozen:
    """One run: its settings, and the stored values by quantity, some with the distance allowed."""

    case: str
    variant: str
    scheme: str
    settings: dict
    stored: dict

    def values(self):
        """Return the stored values by quantity."""
        return {name: _pair(entry)[0] for name, entry in self.stored.items()}

    def moved(self, found):
        """Return (stored, found) of the quantities that moved too far, appeared or are gone."""
        old = self.values()
        both = {name: (old.get(name), found.get(name)) for name in {**old, **found}}
        return {name: pair for name, pair in both.items() if None in pair or not self._near(name, *pair)}

    def _near(self, name, old, new):
        return abs(new - old) <= (_pair(self.stored[name])[1] or TOLERANCE * abs(old) or TOLERANCE)

    def measured(self):
        """Return what the run gives today, by quantity: of those that are stored, or all if none is."""
        case = load_case(self.case)
        variant = case.variant(self.variant)
        values = case.values(variant.changes)
        problem = (variant.problem or case.problem)(values)
        seen = Observation(values, problem, SOLVER.solve(problem, {"scheme": self.scheme, **self.settings}))
        wanted = [q for q in case.quantities if q.measure is not None and self._holds(variant, q.name)]
        found = {quantity.name: quantity.measure(seen) for quantity in wanted}
        return {name: value for name, value in found.items() if isinstance(value, float)}

    def _holds(self, variant, name):
        if self.stored:
            return name in self.stored
        return variant.quantities is None or name in variant.quantities


def _pair(entry):
    """Return a value and the distance allowed, None if the relative one holds."""
    return entry if isinstance(entry, list) else (entry, None)


def frozen(case):
    """Return the runs of a case that are stored."""
    variants = json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))
    return [
        Frozen(case, variant, scheme, run["settings"], run["values"])
        for variant, runs in variants.items()
        for scheme, run in runs.items()
    ]


def cases():
    """Return the names of the cases that have frozen values."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def updated(run):
    """Return the stored values of a run with those replaced that moved; shows old and new."""
    stored, moved = dict(run.stored), run.moved(run.measured())
    for name, (old, new) in moved.items():
        print(f"{run.case} {run.variant} {run.scheme} {name}: {old} -> {new}")
        allowed = _pair(stored.pop(name, None))[1]
        if new is not None:
            stored[name] = [new, allowed] if allowed else new
    print(f"{run.case} {run.variant} {run.scheme}: {len(moved)} values changed")
    return stored


def write(case, runs):
    """Write the file of a case, one line per run."""
    lines = {}
    for run, stored in runs:
        text = json.dumps({"settings": run.settings, "values": dict(sorted(stored.items()))})
        lines.setdefault(run.variant, []).append(f"  {json.dumps(run.scheme)}: {text}")
    blocks = [f" {json.dumps(variant)}: " + _braced(rows, " ") for variant, rows in lines.items()]
    (FOLDER / f"{case}.json").write_text(_braced(blocks) + "\n", encoding="utf-8")


def _braced(rows, indent=""):
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


def main(names):
    """Update the files of the cases named, or of all."""
    for case in names or cases():
        write(case, [(run, updated(run)) for run in frozen(case)])


if __name__ == "__main__":
    main(sys.argv[1:])
