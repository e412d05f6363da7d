"""`veridyn prove`: queries as text, numbers as they are given, what it refuses, and the command."""

from __future__ import annotations

import json

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import veridyn
from veridyn import Friction, Load, Stop
from veridyn.problem.errors import ProblemError
from veridyn.references.parameters import ParameterError
from veridyn.references.problems.queries import (
    CountOf,
    EventNumber,
    Extreme,
    InstantOf,
    Integral,
    Stretch,
    ValueAt,
    read_query,
)

FORMS = {
    "x@1.5": ValueAt("x", "1.5"),
    "x - y@pi/3": ValueAt("x - y", "pi/3"),
    "x@hit#2": ValueAt("x", EventNumber("hit", 2)),
    "x@-hit#2": ValueAt("x", EventNumber("hit", 2), before=True),
    "hit#12": InstantOf(EventNumber("hit", 12)),
    "count hit": CountOf("hit"),
    "count hit to 1/3": CountOf("hit", Stretch(None, "1/3")),
    "largest x": Extreme("x"),
    "smallest x - y from hit#1 to 2": Extreme("x - y", -1, Stretch(EventNumber("hit", 1), "2")),
    "integral push_stop from 1": Integral("push_stop", Stretch("1", None)),
}


@pytest.mark.parametrize("text", FORMS)
def test_each_form_of_a_query_is_read_and_written_back(text):
    assert read_query(text) == FORMS[text]
    assert read_query(str(FORMS[text])) == FORMS[text]


CULPRITS = {
    "x": "'x' asks for nothing",
    "x@": "'x@' asks for nothing",
    "hit#0": "hit#0: events are counted from 1",
    "x@soon": "the instant in 'x@soon' must be a finite number",
    "x@nan": "got 'nan'",
    "count hit from 1": "only its end may be given",
    "v@1": "unknown name 'v'",
    "hit#1": "unknown event 'hit'",
    "x1@2.5": "goes from 0 s to 2 s; 2.5 s is not in it",
    "x1@-1": "-1 s is not in it",
    "largest x1 from 1 to 3": "3 s is not in it",
}


@pytest.mark.parametrize("text", CULPRITS)
def test_a_query_that_means_nothing_is_named(text, body):
    with pytest.raises((ParameterError, ProblemError)) as refusal:
        veridyn.prove(body(), [text])
    assert CULPRITS[text] in str(refusal.value)
    assert "\n" not in str(refusal.value)


WALL = Stop("wall", "x1", gap=1.0, restitution=0.5)
REFUSED = {
    "inside the rigid stop 'wall'": {"stops": WALL, "initial_displacement": [1.5]},
    "at the rigid stop 'wall' with a velocity into it": {
        "stops": WALL,
        "initial_displacement": [1.0],
        "initial_velocity": [1.0],
    },
    "friction 'rub' is pressed by the rigid stop 'wall'": {
        "stops": WALL,
        "frictions": Friction("rub", "x1", "wall", static=0.2, kinetic=0.1),
    },
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_problem_that_is_not_proved_is_refused_in_a_line(reason, body):
    with pytest.raises(ProblemError) as refusal:
        veridyn.prove(body(**REFUSED[reason]), ["x1@1"])
    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("digits", [0, 1001, 3.5])
def test_digits_out_of_range_are_refused(digits, body):
    with pytest.raises(ParameterError, match="digits must be an integer from 1 to 1000"):
        veridyn.prove(body(), ["x1@1"], digits=digits)


def test_nothing_asked_and_another_thing_than_a_problem():
    with pytest.raises(ParameterError, match="nothing is asked"):
        veridyn.prove(veridyn.MechanicalProblem(mass=1.0, end=1.0), [])
    with pytest.raises(ProblemError, match="is no problem"):
        veridyn.prove("x", ["x@1"])


def test_a_double_is_the_binary_fraction_that_it_is(body, prove_all):
    """0.1 m/s for a second is the double next to a tenth, not a tenth."""
    prove_all(body(initial_velocity=[0.1]), {"x1@1": mpf(0.1)})
    assert mpf(0.1) != mpf(1) / 10


def test_a_load_in_text_is_the_number_that_it_says(body, prove_all):
    """x'' = cos(pi/3 t): x = (1 - cos(pi t/3)) 9/pi²."""
    load = Load("x1", veridyn.Harmonic(1.0, "pi/3", "pi/2"))
    prove_all(body(loads=load), {"x1@1": lambda: (1 - mpmath.cos(mpmath.pi / 3)) * 9 / mpmath.pi**2})


def test_derivatives_are_taken_to_any_number_of_a_mechanical_problem(body):
    """A ball that falls from rest through h, hits at T = √(2 h m/F) with v = √(2 h F/m), and leaves with -e v."""
    stop = Stop("wall", "x1", gap=0.5, restitution=0.5)
    ball = body(loads=Load("x1", veridyn.polynomial(4.0)), stops=stop, end=0.9)
    asked = ["wall_hits#1", "v_x1@wall_hits#1", "x1@0.875", "largest x1"]
    # T = 1/2, v = 2; with s = 7/8 - T the body is at h - e v s + F/m s²/2
    slopes = {
        "wall.gap": (0.5, -1.0, 0.375, 1.0),
        "wall.restitution": (0.0, -2.0, -0.75, 0.0),
        "mass[1,1]": (0.25, 0.5, -0.21875, 0.0),
        "loads[1].direction[1]": (-0.25, -0.5, 0.21875, 0.0),
        "initial_displacement[1]": (-0.5, 1.0, 0.625, 0.0),
    }
    for number, expected in slopes.items():
        values = veridyn.prove(ball, asked, derivative=number)
        for query, slope in zip(asked, expected, strict=True):
            assert abs(values[query].value - slope) < 1e-28, (number, query)


def test_a_derivative_agrees_with_quotients_of_proved_values(body):
    """Two masses that touch a stop with damping and rub: gap, and a coupling mass, which stands in two places."""

    def make(gap=0.0625, coupling=0.25):
        return body(
            2,
            mass=np.array([[2.0, coupling], [coupling, 1.5]]),
            stiffness=np.array([[50.0, -10.0], [-10.0, 30.0]]),
            initial_velocity=[1.0, 0.5],
            loads=Load("x1", veridyn.Harmonic(3.0, "2*pi")),
            stops=Stop("wall", "x1", gap=gap, stiffness=512.0, damping=1.0),
            frictions=Friction("rub", "x2", normal=2.0, static=0.25, kinetic=0.125),
        )

    asked, step = ["x1@0.75", "wall_closes#1"], 2.0**-20
    numbers = {"gap": ("wall.gap", 0.0625), "coupling": ("mass[1,2]", 0.25)}
    for argument, (name, number) in numbers.items():
        slopes = veridyn.prove(make(), asked, derivative=name)
        above, below = (veridyn.prove(make(**{argument: number + s}), asked) for s in (step, -step))
        for query in asked:
            quotient = (above[query].value - below[query].value) / (2 * step)
            assert abs(slopes[query].value - quotient) < 1e-8 * (1 + abs(quotient)), (name, query)


def test_a_number_that_the_problem_does_not_have_is_named(body):
    with pytest.raises(ParameterError, match=r"unknown number 'wall.gab': did you mean .*wall.gap"):
        veridyn.prove(body(stops=WALL), ["x1@1"], derivative="wall.gab")
    load = Load("x1", veridyn.Harmonic(1.0, "2*pi"))
    slope = veridyn.prove(body(loads=load), ["x1@1"], derivative="loads[1].function.omega")["x1@1"]
    assert abs(slope.value + 1 / (2 * mpmath.pi**2)) < 1e-28  # x = t/ω - sin(ω t)/ω²


def test_where_no_mode_follows_it_says_what_happened_when(body):
    """Two pads on one body: two constraints that say the same have forces that are not determined."""
    pads = tuple(Friction(name, "x1", normal=1.0, static=0.5, kinetic=0.5) for name in ("left", "right"))
    value = veridyn.prove(body(frictions=pads), ["x1@1"])["x1@1"]
    assert value.value is None
    assert "constraints depend on each other" in value.routes[0]


def test_the_command_reads_python_and_json(veridyn, tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "import veridyn\n"
        "stop = veridyn.Stop('wall', 'x1', gap=0.5, restitution=0.5)\n"
        "BALL = veridyn.MechanicalProblem(name='ball', mass=1.0, loads=veridyn.Load('x1', 4.0), stops=stop, end=0.9)\n"
    )
    asked = ("wall_hits#1", "v_x1@wall_hits#1")
    rows = veridyn("prove", f"{source}:BALL", *asked, "--json").document["quantities"]
    assert [row["value"].rstrip("0").rstrip(".") for row in rows] == ["0.5", "-1"]
    exported = veridyn("export", "rigid_stop").document
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(exported))
    first = veridyn("prove", str(file), "stop_hits#1", "--json").document
    assert first["problem"]
    assert first["quantities"][0]["kind"] == "quasi-analytical"
    for arguments, culprit in (
        ((f"{source}:BALL", "x@0.5"), "unknown name 'x'"),
        ((f"{source}:BALL",), "nothing is asked"),
        ((f"{source}:BALL", "x1@7"), "7 s is not in it"),
        ((f"{source}:BALL", "x1@nan"), "finite number"),
        ((str(tmp_path / "none.json"), "x1@1"), "none.json cannot be read: no such file or directory"),
    ):
        refused = veridyn("prove", *arguments)
        assert refused.status == 2
        assert culprit in refused.err
        assert len(refused.err.strip().splitlines()) == 1
