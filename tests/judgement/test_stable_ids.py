"""Names of checks are stable: others keep lists of expected failures, baselines, and results of years, by them.

``ids.json`` records them compactly: per case the number of checks of the modal integrator, a digest of all ids, and
variants, schemes and the names of each layer. After a deliberate change write it anew:
``python tests/judgement/test_stable_ids.py``.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import pytest

from veridyn.solver.integrators.modal import SOLVER
from veridyn.solver.integrators.schemes import SCHEMES
from veridyn.validation_cases.core.catalogue import case_names, load_case
from veridyn.validation_cases.core.checks import checks
from veridyn.validation_cases.core.relations import RELATIONS
from veridyn.validation_cases.core.subject import Subject

FILE = Path(__file__).parent / "ids.json"
REFRESH = "python tests/judgement/test_stable_ids.py"
LAYERS = ("criterion", "convergence", "claim", "invariance")


@cache
def asked(name):
    return tuple(checks(load_case(name), Subject.of(SOLVER)))


@cache
def found(name):
    """What there is to record of a case."""
    made = asked(name)
    ids = "\n".join(sorted(check.id for check in made))
    return {
        "checks": len(made),
        "digest": hashlib.sha256(ids.encode()).hexdigest()[:16],
        "variants": sorted({check.variant for check in made}),
        "schemes": sorted({check.scheme for check in made}),
        **{layer: sorted({check.name for check in made if check.layer == layer}) for layer in LAYERS},
    }


@cache
def recorded():
    return json.loads(FILE.read_text(encoding="utf-8"))


def changes(old, new):
    """Say what appeared and what vanished."""
    told = []
    for part in ("variants", "schemes", *LAYERS):
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
        ({"criterion": ["speed"]}, "criterion that vanished: ['place']"),
        ({"schemes": ["euler", "newmark"]}, "schemes that appeared: ['newmark']"),
        ({"digest": "b", "checks": 3}, "other combinations of the same names: 2 checks became 3"),
    ],
)
def test_a_change_is_told(change, told):
    names = {"variants": ["v"], "schemes": ["euler"], **dict.fromkeys(LAYERS, ()), "criterion": ["place", "speed"]}
    old = {"checks": 2, "digest": "a", **names}
    assert changes(old, old | change) == told


@pytest.mark.parametrize("name", case_names())
def test_every_scheme_is_asked_by_every_case_in_every_layer(name):
    expected = {(scheme, layer) for scheme in SCHEMES for layer in LAYERS if layer != "claim"}
    assert {(check.scheme, check.layer) for check in asked(name)} >= expected
    assert set(found(name)["invariance"]) == {relation.name for relation in RELATIONS}


def written(records):
    """Return the text of the file: a line for each part of a case."""
    parts = [
        f" {json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(part)}: {json.dumps(value)}" for part, value in record.items())
        + "\n }"
        for name, record in records.items()
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written({name: found(name) for name in case_names()}), encoding="utf-8")
