"""The page of attempts has a row for each of them, with an outcome and tests that exist."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "attempts.md").read_text(encoding="utf-8")
ROWS = [row for row in re.findall(r"^\| (.+) \| (.+) \|$", PAGE, re.M) if row[0] != "attempt"]
ENVIRONMENTS = re.findall(r"^\[testenv:(.+)\]$", (TESTS.parent / "tox.ini").read_text(encoding="utf-8"), re.M)


def find_evidence(outcome):
    """Return the tests, texts and environments of tox that an outcome names."""
    return re.findall(r"`((?:\w+/)?test_\w+\.py|texts/[\w.]+|tox -e \w+)`", outcome)


def exists(name):
    if name.startswith("tox -e "):
        return name.removeprefix("tox -e ") in ENVIRONMENTS
    return any(TESTS.rglob(name))


def test_what_is_held_is_tried_by_tests_that_exist_and_the_rest_is_explained():
    for attempt, outcome in ROWS:
        names = find_evidence(outcome)
        assert [name for name in names if not exists(name)] == [], attempt
        assert names or "xplained: " in outcome or ", as measured: " in outcome, attempt
