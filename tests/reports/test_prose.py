"""Formulas in sentences: recognised where they are ones, and every sentence reads as it was written."""

import re

import pytest

from veridyn.reports.prose import split, typeset
from veridyn.validation_cases.judgement.catalogue import all_cases


@pytest.mark.parametrize(
    ("sentence", "formulas"),
    [
        ("A mass m on a spring k starts at x = 0 towards a stop at a gap.", ["m", "k", "x = 0"]),
        ("It moves from rest at A and c A, by 5 m/s and 2 % of x.", ["c A", "x"]),
        ("Flight n lasts 2 e^n sqrt(2 h/g): for e < 1 impacts accumulate.", ["n", "2 e^n sqrt(2 h/g)", "e < 1"]),
        ("z' = x' - b |x'| z |z|^(n-1), at 1 m/s", ["z' = x' - b |x'| z |z|^(n-1)"]),
        ("x'' + x = F cos(W t + phase) for x < d", ["x'' + x = F cos(W t + phase)", "x < d"]),
        ("E - e sin E = t, r'' = -r/|r|³ in the plane", ["E - e sin E = t", "r'' = -r/|r|³"]),
        ("at x = d a stop returns e of it; the amplitude a is the root", ["x = d", "e"]),
        ("the cost is r (a² + b²)/2 + (x - L)²/2, a = b = 5 m/s", ["r (a² + b²)/2 + (x - L)²/2", "a = b"]),
        ("Euler's top, Variant a-two-masses, C5, sdnd101, V5.01.101, e.g. `k_c`", ["C5"]),
        ("x = A cn(Ω t|m), twice (index 3)", ["x = A cn(Ω t|m)"]),
        ("if a c + b (1 - c)² = 0, a mass", ["a c + b (1 - c)² = 0"]),
    ],
)
def test_formulas_are_told_from_words(sentence: str, formulas: list[str]) -> None:
    assert [text for text, is_formula in split(sentence) if is_formula] == formulas


def test_every_sentence_of_a_case_reads_as_before() -> None:
    for case in all_cases():
        for sentence in (*case.statement, *case.remarks):
            assert "".join(text for text, _ in split(sentence)) == sentence


def test_what_is_markup_is_escaped_and_code_is_set() -> None:
    made = typeset("0 < gap & `k_c` with x < d <br>")
    assert re.sub("<math.*</math>", "", made) == "0 &#60; gap &#38; <code>k_c</code> with  &#60;br&#62;"
    assert made.count("<math") == 1
