"""Tests spread over processes: those of a file stay together, so that what they share is solved or proved once."""

import re
from pathlib import Path
from types import SimpleNamespace

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


def test_long_files_are_spread_by_their_first_parameter(pytestconfig):
    spread = pytestconfig.pluginmanager.get_plugin(str(HERE.parent / "conftest.py"))
    assert [file for file in spread.BY_FIRST_PARAMETER if not (HERE.parent / file).is_file()] == []
    config = SimpleNamespace(option=SimpleNamespace(dist="loadfile"), getvalue=lambda _: ["popen"])
    scope_of = spread.pytest_xdist_make_scheduler(config, None)._split_scope
    file, names = spread.BY_FIRST_PARAMETER[0], ("lorenz-scipy", "lorenz-heyoka", "ueda-scipy")
    assert len({scope_of(f"{file}::test_it[{name}]") for name in names}) == 2
    assert len({scope_of(f"tests/other.py::test_it[{name}]") for name in names}) == 1
    judging = (HERE / "judgement").glob("test_*.py")
    assert len({scope_of(f"{file.relative_to(HERE.parent).as_posix()}::test_it") for file in judging}) == 1
