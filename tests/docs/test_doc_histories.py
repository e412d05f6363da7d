"""The recorded motions that the pages of the cases draw are what the engine proves today."""

import json
import sys
from pathlib import Path

import pytest

from veridyn.validation_cases.judgement.catalogue import load_case

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import record_histories

    yield record_histories
    sys.modules.pop("record_histories")


@pytest.mark.parametrize("name", ["sdnd101", "bouncing_ball", "pendulum_constrained"])
def test_a_motion_is_recorded_again(recorder, name):
    again, entry = recorder.record(load_case(name)), recorder.read_recorded()[name]
    assert json.loads(json.dumps(again)) == entry
