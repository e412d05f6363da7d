from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridyn.reports.mathml import math


@pytest.mark.parametrize(
    ("formula", "element"),
    [
        ("x''", "<mover><mi>x</mi><mo>¨</mo></mover>"),
        ("omega_c", "<msub><mi>ω</mi><mi>c</mi></msub>"),
        ("v0", "<msub><mi>v</mi><mi>0</mi></msub>"),
        ("NO2", "<mi>NO2</mi>"),
        ("t⁴/12", "<mfrac><msup><mi>t</mi><mn>4</mn></msup><mn>12</mn></mfrac>"),
        ("(a + b)/c", "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>"),
        ("a/b/c", "<mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mi>c</mi></mfrac>"),
        ("sqrt(k/m)", "<msqrt><mrow><mfrac><mi>k</mi><mi>m</mi></mfrac></mrow></msqrt>"),
        ("K^{-1}", "<msup><mi>K</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>"),
        ("eta* = 1", "<msup><mi>η</mi><mo>*</mo></msup><mo>=</mo>"),
        ("1e-3…", "<mn>1e-3…</mn>"),
        ("|x|", "<mo>|</mo><mrow><mi>x</mi></mrow><mo>|</mo>"),
        ("x <= 1", "<mi>x</mi><mo>≤</mo>"),
        ("q_n²", "<msubsup><mi>q</mi><mi>n</mi><mn>2</mn></msubsup>"),
        ("x_{n+1}", "<msub><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub>"),
        ("K_{i,j}", "<mrow><mi>i</mi><mo>,</mo><mi>j</mi></mrow>"),
        ("Σ_i q_i", "<munder><mo>∑</mo><mi>i</mi></munder>"),
        ("Σ_{n=1}^N q_n", "<mrow><mi>n</mi><mo>=</mo><mn>1</mn></mrow><mi>N</mi></munderover>"),
        ("∫_0^T F", "<msubsup><mo>∫</mo><mi>0</mi><mi>T</mi></msubsup>"),
        ("max(0, x)", "<mo>,</mo><mi>x</mi>"),
        ("a, b", "<mo>,</mo><mspace width='.8em'/><mi>b</mi>"),
        ("2 gap", "<mn>2</mn><mspace width='.17em'/><mi>gap</mi>"),
        ("-gap", "<mo>−</mo><mi>gap</mi>"),
        ("gap²", "<msup><mi>gap</mi><mn>2</mn></msup>"),
    ],
)
def test_notation(formula, element):
    assert element in math(formula)


def test_a_function_keeps_its_argument_in_a_fraction():
    argument = "<mrow><mo>(</mo><mrow><mi>x</mi></mrow><mo>)</mo></mrow>"
    top = f"<mrow><mi>acos</mi>{argument}</mrow>"
    assert f"<mfrac>{top}<mi>ω</mi></mfrac>" in math("acos(x)/omega")


def test_the_formula_as_written_is_there_for_those_who_cannot_see():
    assert ElementTree.fromstring(math("a < b")).get("alttext") == "a < b"


@given(st.text(alphabet="ab12 ()[]{}|/^_'*+-=<>&\"\x00∫Σ²sqrt", max_size=30))
def test_any_text_gives_well_formed_markup_that_keeps_its_letters(formula):
    element = ElementTree.fromstring(math(formula))
    letters = [c for c in formula if c in "ab"]
    assert [c for c in "".join(element.itertext()) if c in "ab"] == letters or "sqrt" in formula or "_" in formula
