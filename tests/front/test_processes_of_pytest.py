"""Tests spread over processes: those of a file stay together, so that what they share is solved or proved once."""

import re
from pathlib import Path

HERE = Path(__file__).parents[1]
FILES = ("reports/test_ticks.py", "reports/test_numbers.py")


def test_one_process_runs_the_tests_of_a_file(python):
    seen = python("-m", "pytest", "-v", "-n", "2", "-p", "no:cacheprovider", *(HERE / file for file in FILES))
    assert seen.status == 0, seen.out
    found = re.findall(r"^\[(gw\d)\] .* PASSED (.*?)::", seen.out, flags=re.MULTILINE)
    assert len(found) > 2 * len(FILES)
    assert len(set(found)) == len(FILES)
