"""The command line, in this process and in one of its own, for all tests."""

import json
import math
import multiprocessing
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from veridyn import screen, workers
from veridyn.cli import main
from veridyn.reports import studio

sys.path.insert(0, str(Path(__file__).parent))  # for the modules beside this one, here and in processes started here
from forked import forking


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


@pytest.fixture(scope="session", autouse=True)
def _hear_ctrl_c():
    """Hear Ctrl-C, which a shell that starts the tests in the background lets them and their children ignore."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def one_core(monkeypatch):
    """Let this process work as on one core, with workers that are forked: tests share the cores among themselves.

    Without lines of progress: how many there are is the machine's business.
    """
    monkeypatch.setattr(screen, "EVERY", math.inf)
    monkeypatch.setattr(studio, "cores", lambda: 1)
    if "forkserver" in multiprocessing.get_all_start_methods():
        monkeypatch.setattr(workers, "multiprocessing", SimpleNamespace(get_context=lambda _: forking()))


@pytest.fixture
def veridyn(capsys, one_core):
    """Run the command line in this process."""

    def run(*arguments):
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            status = stop.code
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


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
