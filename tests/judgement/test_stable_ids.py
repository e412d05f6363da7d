"""Names of checks are stable: others keep lists of expected failures, and results of years, by them.

``ids.json`` records them compactly: per case the number of checks, a digest of all ids, and variants, schemes and
quantities by name. After a deliberate change write it anew: ``python tests/judgement/test_stable_ids.py``.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from veridyn.solver.modal import SOLVER
from veridyn.solver.schemes import SCHEMES
from veridyn.validation_cases.case import Subject
from veridyn.validation_cases.catalogue import case_names, load_case
from veridyn.validation_cases.checks import checks

FILE = Path(__file__).parent / "ids.json"
REFRESH = "python tests/judgement/test_stable_ids.py"


@cache
def found(name):
    """What there is to record of a case."""
    made = list(checks(load_case(name), Subject.of(SOLVER)))
    ids = "\n".join(sorted(check.id for check in made))
    return {
        "checks": len(made),
        "digest": hashlib.sha256(ids.encode()).hexdigest()[:16],
        "variants": sorted({check.variant for check in made}),
        "schemes": sorted({check.scheme for check in made}),
        "quantities": sorted({f"{check.kind}:{check.quantity}" for check in made}),
    }


def recorded():
    return json.loads(FILE.read_text(encoding="utf-8"))


def changes(old, new):
    """Say what appeared and what vanished."""
    told = []
    for part in ("variants", "schemes", "quantities"):
        gone, come = set(old[part]) - set(new[part]), set(new[part]) - set(old[part])
        told += [f"{part} that vanished: {sorted(gone)}"] * bool(gone)
        told += [f"{part} that appeared: {sorted(come)}"] * bool(come)
    if not told and old != new:
        told = [f"other combinations of the same names: {old['checks']} checks became {new['checks']}"]
    return "; ".join(told)


@pytest.mark.parametrize("name", case_names())
def test_ids_are_those_recorded(name):
    known = recorded()
    assert name in known, f"{name} is new: {REFRESH}"
    assert not changes(known[name], found(name)), f"if that is meant: {REFRESH}"


def test_no_case_vanished():
    assert sorted(recorded()) == list(case_names())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ""),
        ({"quantities": ["truth:speed"]}, "quantities that vanished: ['truth:place']"),
        ({"schemes": ["euler", "newmark"]}, "schemes that appeared: ['newmark']"),
        ({"digest": "b", "checks": 3}, "other combinations of the same names: 2 checks became 3"),
    ],
)
def test_a_change_is_told(change, told):
    names = {"variants": ["v"], "schemes": ["euler"], "quantities": ["truth:place", "truth:speed"]}
    old = {"checks": 2, "digest": "a", **names}
    assert changes(old, old | change) == told


@pytest.mark.parametrize("name", case_names())
def test_every_scheme_is_asked_by_every_case(name):
    assert set(SCHEMES) <= set(found(name)["schemes"])


if __name__ == "__main__":
    FILE.write_text(
        json.dumps({name: found(name) for name in case_names()}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
