"""Problems of one body, and what is proved of them beside closed forms."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import veridyn

REACH = 28  # digits that a closed form and a proved value of thirty have in common


@pytest.fixture(autouse=True)
def _digits():
    """Let closed forms have fifty digits."""
    with mpmath.workdps(50):
        yield


@pytest.fixture
def prove_all():
    """Return a check of proved values against closed forms, by query; a form is a function, a number or None."""

    def check(problem, forms, **options):
        values = veridyn.prove(problem, list(forms), **options)
        for query, form in forms.items():
            proved = values[query]
            if form is None:
                assert proved.value is None, query
                continue
            assert proved.value is not None, (query, proved.routes)
            truth = mpmath.mpf(form() if callable(form) else form)
            assert abs(proved.value - truth) <= proved.radius + abs(truth) * mpmath.mpf(10) ** -REACH, query
        return values

    return check


@pytest.fixture
def body():
    """Return a maker of problems: n free bodies of 1 kg."""

    def make(count=1, **fields):
        stated = {"mass": np.eye(count), "stiffness": np.zeros((count, count)), "end": 2.0, "name": "body", **fields}
        return veridyn.MechanicalProblem(**stated)

    return make
