"""What goes over the pipe to the process of a solver comes back as it was."""

from io import BytesIO
from math import inf, nan

import pytest

from veridyn.solver.contract.wire import make_frame, read_frame

LISTS = {
    "doubles": [0.1, -0.0, 5e-324, inf, nan, -inf, 1e308, 3.0] * 5,
    "rows": [[0.1, 1.0], [-0.0, nan]] * 20,
    "rows of nothing": [[]] * 40,
    "rows of rows": [[[0.5], [1.5]]] * 40,
    "integers among doubles": [0.5] * 39 + [10**400],
    "truths": [1.0] * 39 + [True],
    "rows of integers": [[0.5, 1]] * 40,
    "rows of several lengths": [[0.5], [0.5, 1.5]] * 20,
    "a number among rows": [[0.5]] * 39 + [0.5],
    "a text among doubles": [0.5] * 39 + ["0.5"],
    "nothing": [],
}


@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS.keys())
def test_a_list_comes_back_with_the_types_of_its_items(content):
    assert repr(read_frame(BytesIO(b"".join(make_frame({"x": content, "$": content}))))) == repr(
        {"x": content, "$": content}
    )


def test_a_long_list_of_doubles_goes_as_raw_doubles():
    assert sum(map(len, make_frame([1 / 3] * 1000))) < 8100
