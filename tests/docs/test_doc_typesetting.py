"""Equations of the site: what the converter leaves as it finds it is refused, bars and signs stand close."""

from __future__ import annotations

import pytest

typesetting = pytest.importorskip("typesetting", reason="pip install 'veridyn[docs]'")


def test_bars_and_signs_stand_close_to_what_they_belong_to() -> None:
    made = typesetting.typeset(r"|u| - (-1, b - 1)", "inline")
    assert made.count('lspace="0" rspace="0">&#x0007C;') == 2
    assert made.count('form="prefix"') == 1, "the minus after the bracket is a sign, the others are differences"


def test_a_command_that_is_not_understood_is_refused() -> None:
    with pytest.raises(ValueError, match="not understood"):
        typesetting.typeset(r"\unheardof{x}", "inline")
