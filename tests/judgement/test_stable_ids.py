"""Names are a contract: lists of expected failures, baselines and results of years refer to checks by them.

``names.json`` records variants and quantities of every case. After a deliberate change write it anew:
``python tests/judgement/test_stable_ids.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

from veridyn.solver.contract.introduction import introduce
from veridyn.solver.contract.statements import read_claims
from veridyn.solver.integrators.modal import SOLVER
from veridyn.validation_cases.judgement.catalogue import all_cases, load_case
from veridyn.validation_cases.judgement.checks import checks
from veridyn.validation_cases.judgement.subject import Subject

FILE = Path(__file__).parent / "names.json"


def names_of(case):
    """Return the names of variants, quantities and residuals of a case."""
    return {
        "variants": [variant.name for variant in case.variants],
        "quantities": [quantity.name for quantity in (*case.quantities, *case.residuals)],
    }


def read_names():
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_names_of_cases_are_those_recorded():
    assert {case.name: names_of(case) for case in all_cases()} == read_names()


def test_an_id_is_made_of_variant_layer_name_and_scheme():
    exact = Subject("exact", claims={"": read_claims("exact", {"digits": 12})})
    ids = {check.id for check in checks(load_case("sdnd101"), exact)}
    expected = ("2-shocks-impulse", "100-shocks-claim:digits:impacts_100", "100-shocks-invariance:permuted")
    assert ids.issuperset(expected)
    assert "2-shocks-impulse-newmark" in {
        check.id for check in checks(load_case("sdnd101"), Subject.from_introduction(introduce(SOLVER)))
    }


if __name__ == "__main__":
    lines = [f" {json.dumps(case.name)}: {json.dumps(names_of(case))}" for case in all_cases()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
