"""What may stand behind --over, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.references.parameters import ParameterError
from veridyn.sweep.request import read_grid
from veridyn.validation_cases.judgement.catalogue import load_case

CASE = load_case("sdnd104")


def asked(*over, **fixed):
    return read_grid(CASE, over, fixed)


def values(spec):
    return asked(f"a0={spec}").axes[0].values.tolist()


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("1:2:3", [1.0, 1.5, 2.0]),
        ("0.1:1:10", [k / 10 for k in range(1, 11)]),  # 0.3 and 0.7 as a reader writes them
        ("2:1:3", [2.0, 1.5, 1.0]),
        ("3/4:3/4:1", [0.75]),
        ("5:9:1", [5.0]),
        ("1:100:3:log", [1.0, 10.0, 100.0]),
        ("3,1,2", [3.0, 1.0, 2.0]),
        ("pi,2*pi", [math.pi, 2 * math.pi]),
        (" 1 : 2 : 2", [1.0, 2.0]),
        ("1.01", [1.01]),
    ],
)
def test_values(spec, expected):
    assert values(spec) == pytest.approx(expected, rel=1e-15, abs=0.0)
    assert spec.endswith("log") or values(spec) == expected


def test_a_range_in_pi_is_rounded_once():
    (axis,) = asked("omega=1:2*pi:3").axes
    assert axis.values.tolist() == [1.0, float((1 + 2 * Fraction("3.14159265358979323846264338")) / 2), 2 * math.pi]


def test_the_last_parameter_runs_fastest():
    points = asked("a0=1,2", "mu=0.1,0.2,0.3", g="5").columns(np.arange(6))
    assert points["a0"].tolist() == [1, 1, 1, 2, 2, 2]
    assert points["mu"].tolist() == [0.1, 0.2, 0.3] * 2
    assert points["g"].tolist() == [5.0] * 6
    assert points.keys() == {p.name for p in CASE.parameters}


def test_only_what_matters_enters_the_hash():
    one = asked("a0=1,2", m="2").hash()
    assert one == asked("a0=1:2:2", m="4/2").hash()
    assert len({one, asked("a0=1,2").hash(), asked("a0=2,1", m="2").hash(), asked("mu=1,2", m="2").hash()}) == 4


WRONG = [
    (["b=1:2:3"], {}, "unknown parameter 'b'"),
    (["a0=1:2:3"], {"nu": "1"}, "unknown parameter 'nu': did you mean mu"),
    (["a0=-1:2:3"], {}, "a0 must be positive, got -1"),
    (["a0=0,1"], {}, "a0 must be positive, got 0"),
    (["a0=nan:2:3"], {}, "a0 must be a finite number"),
    (["a0=1,inf"], {}, "a0 must be a finite number"),
    (["a0=1:2:0"], {}, "the count must be at least 1, got 0"),
    (["a0=1:2:-3"], {}, "the count must be at least 1, got -3"),
    (["a0=1:2:2.5"], {}, "write NAME=START:STOP:COUNT"),
    (["a0=1:2"], {}, "write NAME=START:STOP:COUNT"),
    (["a0=1:2:3:lin"], {}, "write NAME=START:STOP:COUNT"),
    (["a0=1:2:3:log:log"], {}, "write NAME=START:STOP:COUNT"),
    (["a0"], {}, "write NAME=START:STOP:COUNT"),
    (["a0=1,,2"], {}, "a0 must be a finite number"),
    (["a0=3:2:4:log"], {}, "must not begin above its end"),
    (["t_start=0:1:4:log"], {}, "must begin above zero"),
    (["a0=1:1:2"], {}, "a value comes twice"),
    (["a0=1,2,1"], {}, "a value comes twice"),
    (["a0=1,2", "a0=3,4"], {}, "--over a0 is given twice"),
    (["a0=1,2"], {"a0": "1"}, "both swept"),
    ([], {}, "nothing to sweep: --over a0="),
    (["a0=1:2:10000", "mu=0.1:1:10000"], {}, "100,000,000 points are more than the 20,000,000"),
    (["a0=1:2:100000000000000000000"], {}, "points are more than"),
    (["a0=1e400,1"], {}, "a0 = .* is beyond the floating-point numbers"),
    (["a0=1,1e-400"], {}, "a0 = .* is beyond the floating-point numbers"),
    (["a0=1,2"], {"m": "1e400"}, "m = .* is beyond the floating-point numbers"),
]


@pytest.mark.parametrize(("over", "fixed", "message"), WRONG, ids=[" ".join(w[0]) or "nothing" for w in WRONG])
def test_wrong(over, fixed, message):
    with pytest.raises((SolverInputError, ParameterError), match=message) as refused:
        asked(*over, **fixed)
    assert "\n" not in str(refused.value)
