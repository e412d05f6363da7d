"""Tests spread over processes: those of a file stay together, so that what they share is solved or proved once."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parents[1]
FILES = ("judgement/test_regime.py", "reports/test_ticks.py", "reports/test_numbers.py")


def test_one_process_runs_the_tests_of_a_file(python):
    seen = python("-m", "pytest", "-v", "-n", "2", "-p", "no:cacheprovider", *(HERE / file for file in FILES))
    assert seen.status == 0, seen.out
    found = re.findall(r"^\[(gw\d)\] .* PASSED (.*?)::", seen.out, flags=re.MULTILINE)
    assert len(found) > 2 * len(FILES)
    assert len(set(found)) == len(FILES)


def test_files_are_begun_in_the_order_of_the_command(python):  # few tests may be long ones
    few, many = FILES[0], FILES[-1]
    seen = python("-m", "pytest", "-v", "-n", "1", "-p", "no:cacheprovider", HERE / few, HERE / many)
    assert seen.status == 0, seen.out
    passed = re.findall(r"^\[gw0\] .* PASSED (.*?)::", seen.out, flags=re.MULTILINE)
    assert 0 < sum(file.endswith(few) for file in passed) < sum(file.endswith(many) for file in passed)
    assert [file.endswith(few) for file in passed] == sorted((file.endswith(few) for file in passed), reverse=True)


@pytest.fixture
def spread(pytestconfig):
    """Return what the conftest of the checkout spreads tests by."""
    return pytestconfig.pluginmanager.get_plugin(str(HERE.parent / "conftest.py"))


@pytest.fixture
def scheduling(spread):
    option = SimpleNamespace(dist="loadfile", loadscopereorder=False)
    return spread.pytest_xdist_make_scheduler(SimpleNamespace(option=option, getvalue=lambda _: ["popen"]), None)


class Process:
    """A process as the scheduler sees it, that does nothing."""

    shutting_down = False

    def __init__(self):
        self.sent = []

    def send_runtest_some(self, places):
        self.sent.append(places)

    def shutdown(self):
        pass


def begun(scheduling, names):
    """Return a process that has told what it has collected."""
    process = Process()
    scheduling.add_node(process)
    scheduling.add_node_collection(process, names)
    scheduling.schedule()
    return process


def test_a_process_is_given_another_file_when_two_tests_are_left(scheduling):
    names = [f"tests/{file}.py::test_{i}" for file in ("one", "other") for i in range(5)]
    node, given = begun(scheduling, names), []
    for done in range(len(names)):
        given.append(sum(map(len, node.sent)) - done)  # what the process knows that it has to do
        assert scheduling.has_pending
        scheduling.mark_test_complete(node, done)
    assert given == [5, 4, 3, 7, 6, 5, 4, 3, 2, 1]
    assert node.sent == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert scheduling.tests_finished
    assert not scheduling.has_pending


def test_of_a_process_that_ends_the_test_is_named_and_the_rest_is_done_by_another(scheduling):
    names = [f"tests/file.py::test_{i}" for i in range(4)]
    ends = begun(scheduling, names)
    scheduling.mark_test_complete(ends, 0)
    assert scheduling.remove_node(ends) == names[1]
    assert begun(scheduling, names).sent == [[1, 2, 3]]


def test_long_files_are_spread_by_their_first_parameter(spread, scheduling):
    assert [file for file in spread.BY_FIRST_PARAMETER if not (HERE.parent / file).is_file()] == []
    scope_of = scheduling._split_scope
    file, names = spread.BY_FIRST_PARAMETER[0], ("lorenz-scipy", "lorenz-heyoka", "ueda-scipy")
    assert len({scope_of(f"{file}::test_it[{name}]") for name in names}) == 2
    assert len({scope_of(f"tests/other.py::test_it[{name}]") for name in names}) == 1
    judging = (HERE / "judgement").glob("test_*.py")
    assert len({scope_of(f"{file.relative_to(HERE.parent).as_posix()}::test_it") for file in judging}) == 1
