"""Chains too stiff for the second route are refused at once, not computed for hours."""

import pytest

from veridyn.references import ParameterError
from veridyn.references.driven_chain import relative_displacement, uniform_chain


@pytest.mark.parametrize("k", ["1e12", "1e400"])
def test_a_chain_that_cannot_be_followed_is_refused(k):
    with pytest.raises(ParameterError, match="soften the springs"):
        relative_displacement(uniform_chain(m=10, k=k, a=2e5), node=2, time="1.0")


def test_the_limit_lies_beyond_engineering_chains():
    found = relative_displacement(uniform_chain(m=10, k="1e6", a=2e5), node=2, time="0.1", digits=15)
    assert found.digits >= 15
