"""The command line, in this process and in one of its own, for all tests."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper

import pytest
from hypothesis import settings

from veridyn.cli.main import main
from veridyn.reports import studio
from veridyn.run import screen
from veridyn.solver.integrators.schemes import SCHEMES

settings.register_profile("suite", deadline=None)  # a machine that is busy is no fault; benchmarks measure times
settings.load_profile("suite")
OTHER_SCHEMES = frozenset(list(SCHEMES)[1:])


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def document(self):
        """Standard output as exactly one JSON document."""
        return json.loads(self.out, parse_constant=_not_json)


def _not_json(name):
    raise ValueError(f"{name} is not JSON")


def pytest_configure(config):
    """Declare the markers of tests that compile kernels which nothing else needs, and of references that take long."""
    config.addinivalue_line("markers", "all_schemes: compiles many schemes of our integrator; runs with --all-schemes")
    config.addinivalue_line("markers", "truth: a reference that takes seconds; runs where VERIDYN_PROBLEMS is set")


def pytest_collection_modifyitems(config, items):
    """Leave schemes of our integrator beyond its first to ``--all-schemes``: one compiles for up to half a minute.

    References that take seconds are left to `tox -e truth`.
    """
    every_scheme, every_truth = config.getoption("all_schemes"), "VERIDYN_PROBLEMS" in os.environ
    left_out = [
        item
        for item in items
        if (not every_scheme and _is_of_another_scheme(item))
        or (not every_truth and item.get_closest_marker("truth") is not None)
    ]
    if not left_out:
        return
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def _is_of_another_scheme(item):
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    names = [parameters.get(name) for name in ("scheme", "solver")]
    other = any(isinstance(name, str) and name in OTHER_SCHEMES for name in names)
    return other or item.get_closest_marker("all_schemes") is not None


@pytest.fixture(scope="session", autouse=True)
def _hear_ctrl_c():
    """Hear Ctrl-C, which a shell that starts the tests in the background lets them and their children ignore."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def one_core():
    """Let commands in this process work as on one core, and silently: tests share the cores among themselves.

    How many lines of progress there are is the machine's business.
    """
    with pytest.MonkeyPatch.context() as patch:
        for pause in ("FIRST", "EVERY"):
            patch.setattr(screen, pause, threading.TIMEOUT_MAX)
        patch.setattr(studio, "cores", lambda: 1)
        yield


@pytest.fixture(scope="session")
def veridyn(one_core):
    """Run the command line in this process; its solvers work in processes of their own, as always.

    Each run with a solver takes a second or two for that: tests of a module share runs where they can.
    """

    def run(*arguments):
        out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", newline="") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            try:
                status = main([str(argument) for argument in arguments])
            except SystemExit as stop:  # argparse
                status = stop.code
        return Outcome(status, *(read_all(stream) for stream in (out, err)))

    return run


def read_all(stream):
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8")


@pytest.fixture
def python(tmp_path):
    """Run a fresh interpreter away from the checkout."""

    def run(*arguments, **options):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            **({"cwd": tmp_path} | options),
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
