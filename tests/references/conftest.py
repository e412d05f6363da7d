"""Fixtures of the tests of the references."""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import pytest


@pytest.fixture(autouse=True)
def _context_untouched() -> Iterator[None]:
    """No reference, right or failing, may leave a changed global context behind."""
    before = (mpmath.mp.prec, mpmath.iv.prec)
    yield
    assert (mpmath.mp.prec, mpmath.iv.prec) == before
