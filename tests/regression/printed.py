"""The digits that Code_Aster printed, and what the integrator gives with the same model and settings.

One file a case, ``parity/<case>.json``: ``reasons`` are texts by name; each of ``groups`` is what a source prints of
one run. ``values`` are the printed numbers by quantity, ``scheme`` and ``settings`` those of the integrator (no
settings: the run cannot be repeated). ``model`` and ``read`` are functions of ``models_<case>.py``: the first makes the
problem of the code from that of the case, with the arguments ``with``; the second reads a quantity as the code did.
Without them the problem is that of the variant, and the measurement that of the case's quantity. ``minus`` is a second
run, whose reading is subtracted. Each of ``notes`` holds for some ``quantities``, or for all of the group: the verdict
if it is not ``reproduced``, the reasons (``because``), what should have been printed (``correct``), how many ``units``
of the last digit are allowed instead of half a one, how far roundings of the data move the value (``rounding``) or how
much a run rounds at least (``at_least``), both absolute.
"""

import importlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.case import Observation
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.tolerances import HALF_UNIT, printed_digits

FOLDER = Path(__file__).parent / "parity"
KEPT = 4  # responses held in memory; values come grouped by run
OF_A_RUN = ("variant", "scheme", "settings", "model", "with")


@dataclass(frozen=True)
class Printed:
    """One printed value; the runs are JSON texts, the second is subtracted."""

    case: str
    source: str
    variant: str
    scheme: str
    quantity: str
    value: str
    runs: tuple[str, ...] = ()
    read: str = ""
    verdict: str = "reproduced"
    explanation: str = ""
    correct: str = ""
    units: float = HALF_UNIT
    rounding: float = 0.0
    at_least: float = 0.0

    @property
    def id(self):
        """Stable name: case, variant, quantity, source without spaces and brackets, scheme."""
        slug = re.sub(r"[^\w.]+", "_", self.source.replace("§", "")).strip("_")
        return f"{self.case}-{self.variant}-{self.quantity}@{slug}-{self.scheme}"

    @property
    def expected(self):
        """The digits that the run should give."""
        return self.correct or self.value

    @property
    def allowed(self):
        """The largest distance from them: none from a zero."""
        if float(self.expected) == 0:
            return 0.0
        digits = printed_digits(self.expected, self.units, why=self.explanation)
        return max(digits.value + self.rounding, self.at_least)


def printed(case):
    """Return what is printed for a case, in the order of its file."""
    data = json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))
    return [value for group in data["groups"] for value in _values(case, group, data["reasons"])]


def cases():
    """Return the names of the cases for which a code printed something."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def _values(case, group, reasons):
    runs = tuple(json.dumps(run) for run in _runs(group))
    notes = _notes(group, reasons)
    common = {name: group[name] for name in ("source", "variant", "scheme")}
    for quantity, value in group["values"].items():
        read = group.get("read", "")
        yield Printed(case, quantity=quantity, value=value, runs=runs, read=read, **common, **notes[quantity])


def _runs(group):
    if "settings" in group:
        run = {name: group[name] for name in OF_A_RUN if name in group}
        yield run
        if "minus" in group:
            yield {**run, **group["minus"], "settings": {**run["settings"], **group["minus"].get("settings", {})}}


def _notes(group, reasons):
    """Return what is noted of each quantity."""
    notes = defaultdict(dict)
    for note in group.get("notes", ()):
        fields = {name: entry for name, entry in note.items() if name not in ("quantities", "because")}
        explanation = "; ".join(reasons[name] for name in note["because"])
        for quantity in note.get("quantities", group["values"]):
            if quantity not in group["values"]:
                raise KeyError(f"{group['source']}: a note on {quantity}, which is not printed")
            notes[quantity] = {**fields, "explanation": explanation}
    return notes


def computed(value):
    """Return what the integrator gives for a printed value."""
    first, *others = (reading(value, observed(value.case, run)) for run in value.runs)
    return first - sum(others)


def reading(value, seen):
    """Return what is read of a printed quantity from a run."""
    if value.read:
        return getattr(_models(value.case), value.read)(value.quantity, seen)
    (quantity,) = (q for q in load_case(value.case).quantities if q.name == value.quantity)
    return quantity.measure(seen)


@lru_cache(maxsize=KEPT)
def observed(case, run):
    """Return what there is to see of a run, given as JSON text; it is solved once while it is kept."""
    problem, values = stated(case, run)
    return Observation(values, problem, SOLVER.solve(problem, settings(run)))


def settings(run):
    """Return the settings of a run, its scheme among them."""
    known = json.loads(run)
    return {"scheme": known["scheme"], **known["settings"]}


def stated(case, run):
    """Return the problem of a run and its parameters."""
    known, of = json.loads(run), load_case(case)
    variant = of.variant(known["variant"])
    values = of.values(variant.changes)
    problem = (variant.problem or of.problem)(values)
    if "model" in known:
        problem = getattr(_models(case), known["model"])(values, problem, **known.get("with", {}))
    return problem, values


@cache
def _models(case):
    return importlib.import_module(f"models_{case}")
