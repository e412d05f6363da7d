"""Makers of cases and quantities: what they fill in, and what may be stated otherwise."""

import math

import numpy as np
import pytest

from veridyn.problem.initial_value import InitialValueProblem
from veridyn.problem.modes import Mode
from veridyn.references.parameters import Parameter, exact
from veridyn.references.problems import hybrid
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.measures.motions import Quantities
from veridyn.validation_cases.measures.quantities import always, size

PARAMETERS = (Parameter("w", "rad/s", "circular frequency", "2"), Parameter("a", "m", "start", "1/2"))
PROBLEM = InitialValueProblem(
    name="swing",
    states=("x", "v"),
    parameters={p.name: p.default for p in PARAMETERS},
    modes=(Mode(name="free", rates=("v", "-w**2*x")),),
    initial=("a", 0),
    end=5.0,
    output_times=np.linspace(0.0, 5.0, 51),
)
of = Quantities(hybrid.motion(PROBLEM, PARAMETERS))
VALUES = {"w": exact("2"), "a": exact("1/2")}
STATED = {
    "name": "swing",
    "parameters": PARAMETERS,
    "problem": PROBLEM.with_parameters,
    "title": "Swing",
    "document": "this suite",
    "summary": "A swing.",
    "statement": ("x'' = -w² x.",),
    "variants": (Variant("slow", {}), Variant("fast", {"w": "3"})),
    "quantities": (of.value("x", "1", "m", scale="a"),),
}


def test_a_benchmark_variant_stands_for_the_case():
    assert Case(**STATED, benchmark_variant="fast").default_variant.name == "fast"
    with pytest.raises(KeyError):
        assert Case(**STATED, benchmark_variant="faster").default_variant


def test_a_shorter_span_has_its_own_outputs():
    short = of.until(1.0, 10)(VALUES)
    assert short.output_times.tolist() == np.linspace(0.0, 1.0, 11).tolist()
    assert short.number("a") == 0.5


def test_equations_of_motion_come_first():
    first, *_, last = of.equations("x = a cos(w t)")
    assert "x'" in first
    assert last == "x = a cos(w t)"


def test_a_scale_is_an_expression_or_a_function_of_the_parameters():
    by_text, by_function = (of.value("x", "1", "m", scale=scale) for scale in ("2*a", size("pi*hypot(w, 3*a)")))
    assert [by_text.scale(VALUES), by_function.scale(VALUES)] == [1.0, math.pi * 2.5]
    assert by_function.tolerance(VALUES).value == 1e-6 * math.pi * 2.5
    assert always(3.0)(VALUES) == 3.0


def test_a_regularity_is_that_of_all_quantities_unless_one_states_another():
    kinked = Quantities(of.motion, regularity=2.0)
    assert kinked.value("x", "1", "m").smooth_to(VALUES) == 2.0
    assert kinked.value("x", "1", "m", regularity=1.0).smooth_to(VALUES) == 1.0
    assert of.value("x", "1", "m").smooth_to(VALUES) == np.inf


@pytest.mark.parametrize("formula", ["w.real", "w if a else 1", "__import__('os')", "w @ a", "[w]", "'w'", "+w"])
def test_a_size_is_nothing_but_a_formula(formula):
    with pytest.raises(TypeError, match="is no part of a size"):
        size(formula)(VALUES)


def test_operators_of_a_size_bind_as_usual():
    assert size("-w**2 + 3*(w - a)/abs(-a) - 2**-1")(VALUES) == -4.0 + 9.0 - 0.5
