"""Readers of texts from outside end with their own errors, whatever the text is."""

import time
from pathlib import Path

import pytest

from veridyn.files.tables import read_table
from veridyn.inputs import InputError, parse_fraction, parse_json, parse_toml, read_bytes
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.expressions import read
from veridyn.problem.time_functions import time_function
from veridyn.validation_cases.judgement.subject import read_request

JSON = [
    ('{"mass": 1.0, "mass": 2.0}', "the key 'mass' occurs twice"),
    ('{"a": NaN}', "a is not finite"),
    ('{"a": 1e9999999}', "beyond the range of floats"),
    ('{"a": "\\ud800"}', "half a surrogate pair"),
    ("[" * 100_000, "nested too deeply"),
    ('"' + '\\"' * 200_000 + "\\", "ends too early|is not JSON"),
    ("1" * 5000, "5000 digits"),
]


@pytest.mark.parametrize(("text", "culprit"), JSON, ids=[culprit for _, culprit in JSON])
def test_json(text, culprit):
    begin = time.monotonic()
    with pytest.raises(InputError, match=culprit):
        parse_json(text)
    assert time.monotonic() - begin < 5.0


TOML = ["a = " + "[" * 5000, "x" + ".x" * 30_000 + " = 1", "a = {b = " * 100 + "1" + "}" * 100]


@pytest.mark.parametrize("text", TOML, ids=["lists", "dots", "tables"])
def test_toml(text):
    with pytest.raises(InputError):
        parse_toml(text)


def test_toml_of_a_depth_that_people_write_is_read():
    assert parse_toml("a = " + "[" * 40 + "]" * 40)["a"][0] != []


@pytest.mark.parametrize("text", ["order=1e999999999", "order=" + "9" * 400, "digits=nan"])
def test_claims_without_a_number_in_bounds(text):
    with pytest.raises(SolverInputError):
        read_request(claims=[text])


@pytest.mark.parametrize("text", ["1e999999999", "1" * 10_000, "1/1e999999999"])
def test_numbers(text):
    with pytest.raises(InputError, match="too many digits"):
        parse_fraction(text)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device that never ends")
def test_a_device_that_never_ends():
    with pytest.raises(InputError, match="has more than"):
        read_bytes(Path("/dev/zero"), 1 << 20)


BOMBS = [
    "1e999999999",
    "(((2**1000)**1000)**1000)**1000",
    "sin(exp(1e9))",
    "*".join(["(x+1)"] * 20_000),
    "+".join(f"1/{10007 + 2 * k}**999" for k in range(5000)),
    "9" * 5000,
]


@pytest.mark.parametrize("text", BOMBS, ids=[text[:20] for text in BOMBS])
def test_expressions_that_would_take_for_ever(text):
    begin = time.monotonic()
    with pytest.raises(ProblemError):
        read("rhs", text, ("x",))
    assert time.monotonic() - begin < 10.0


@pytest.mark.parametrize("order", [10**9, -(10**9), 1.0])
def test_an_order_that_would_take_for_ever(order):
    wave = {"kind": "harmonic", "amplitude": 1.0, "omega": 1.0, "order": order}
    window = {"kind": "windowed", "function": wave | {"order": 0}, "start": 0.0, "end": 1.0, "order": order}
    for data in (wave, window):
        with pytest.raises(ProblemError, match="must be a whole number from -100 to 100"):
            time_function(data)


def test_a_cell_over_the_limit(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(f'time,x\n0,"{"1" * 200_000}"\n')
    with pytest.raises(SolverInputError, match="field limit"):
        read_table(file)
