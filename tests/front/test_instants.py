"""A kill or Ctrl-C at any instant, a disk full at any size: the earlier outputs stand, and the same command goes on.

One instant of one command here; `tox -e instants` tries a hundred of each: an hour's work, which VERIDYN_WHICH cuts
into parts ("90:100" are the last ten).
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from veridyn.results import read

INSTANTS = int(os.environ.get("VERIDYN_INSTANTS", "1"))
FIRST, END = (int(number) for number in os.environ.get("VERIDYN_WHICH", f"0:{INSTANTS}").split(":"))
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL and sessions")


@dataclass(frozen=True)
class Work:
    """A command, and where it leaves what an ended one goes on with."""

    arguments: tuple[str, ...]
    unfinished: str = "none"

    def start(self, folder, *more):
        command = [sys.executable, "-m", "veridyn", *self.arguments, *more]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, cwd=folder, start_new_session=True, **pipes)

    def finish(self, folder):
        """Give the command again, to the end; return its status and what it says of trouble."""
        more = ("--resume",) if (folder / self.unfinished).exists() else ()
        with self.start(folder, *more) as process:
            _, said = process.communicate(timeout=500)
        return process.returncode, said.decode()


RUN = ("run", "sdnd101", "--variant", "2-shocks", "--in-process", "--solver", "scipy", "--scheme", "RK45")
OVER = ("--over", "a0=0.5:20:40", "--over", "mu=0.1:1:25")
WORKS = {
    "run": Work((*RUN, "--json", "out.json"), ".out.json.veridyn/journal"),
    "run with a report": Work((*RUN, "--report", "out"), "out/.veridyn/journal"),
    "sweep": Work(
        ("sweep", "sdnd104", *OVER, "--check", "3", "--in-process", "--output", "out"),
        "out/.veridyn/chunks/request.json",
    ),
    "report": Work(("report", "judged.json", "--output", "out")),
    "manual": Work(("manual", "sdnd101", "--results", "judged.json", "--no-pdf", "--output", "out")),
}


TRIED = WORKS if "VERIDYN_INSTANTS" in os.environ else ("sweep",)


@dataclass(frozen=True)
class Ended:
    """A command that was given once: how it ended, after how long, and the folder with its outputs."""

    work: Work
    folder: Path
    status: int
    seconds: float

    def copy(self, folder):
        """Copy what the command left; return the copy."""
        return Path(shutil.copytree(self.folder, folder / "copy"))


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A result document to make reports of."""
    folder = tmp_path_factory.mktemp("judged")
    assert WORKS["run"].finish(folder)[0] in {0, 1}
    return folder / "out.json"


@pytest.fixture(scope="module", params=TRIED)
def ended(request, tmp_path_factory):
    """Each command, given once."""
    work, folder = WORKS[request.param], tmp_path_factory.mktemp("ended")
    if "judged.json" in work.arguments:
        shutil.copy(request.getfixturevalue("judged"), folder / "judged.json")
    begin = time.monotonic()
    status, said = work.finish(folder)
    assert status in {0, 1}, said
    return Ended(work, folder, status, time.monotonic() - begin)


def outputs(folder):
    """Return what a command has left, by name; what lies in folders of ours is no output."""
    files = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    return {str(file): folder / file for file in files if not any(part.endswith(".veridyn") for part in file.parts)}


def leftovers(folder):
    """Return what is left in folders of ours beside the manifest."""
    kept = {"manifest.json"}
    return [str(file) for file in folder.rglob("*.veridyn/**/*") if file.is_file() and file.name not in kept]


def test_a_kill_leaves_the_earlier_outputs_and_the_command_goes_on(ended, tmp_path):
    names = outputs(ended.folder).keys()
    for number in range(FIRST, END):
        folder = ended.copy(tmp_path)
        with ended.work.start(folder) as process:
            time.sleep(ended.seconds * (number + 1) / (INSTANTS + 1))
            os.killpg(process.pid, signal.SIGKILL)
        assert outputs(folder).keys() >= names, number
        for file in outputs(folder).values():
            if file.name == "results.json" or file.name == "out.json":
                read([file])
            elif file.suffix == ".json":
                json.loads(file.read_text(encoding="utf-8"))
        assert ended.work.finish(folder)[0] == ended.status, number
        assert outputs(folder).keys() == names, number
        assert leftovers(folder) == [], number
        shutil.rmtree(folder)


def test_ctrl_c_is_130_and_no_traceback(ended, tmp_path):
    """Or the status of the whole, where it had ended. Python itself starts in the first half, without code of ours."""
    folder = ended.copy(tmp_path)
    for number in range(FIRST, END):
        with ended.work.start(folder) as process:
            time.sleep(ended.seconds * (INSTANTS + number + 1) / (2 * INSTANTS + 1))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            _, trouble = process.communicate(timeout=500)
        assert (process.returncode in {130, ended.status}, b"Traceback" in trouble) == (True, False), (number, trouble)
        assert process.returncode != 130 or trouble.splitlines()[-1].startswith(b"veridyn: interrupted"), trouble
        assert ended.work.finish(folder)[0] == ended.status


CONVERTED = """
import signal, sys
import veridyn.cli.main
from veridyn.cli.start import start
def main():
    try:
        if sys.argv[1] == "interrupted":
            signal.raise_signal(signal.SIGINT)
    finally:
        raise ValueError("Invalid affine transformation matrix")
veridyn.cli.main.main = main
sys.exit(start())
"""


@pytest.mark.parametrize(("way", "status"), [("interrupted", 130), ("not", 1)])
def test_an_interrupt_that_a_library_raises_as_an_error_is_130(way, status):
    """As matplotlib does, where an interrupt comes while it converts an argument; an error of its own stays one."""
    seen = subprocess.run([sys.executable, "-c", CONVERTED, way], capture_output=True, check=False)
    assert seen.returncode == status
    assert (seen.stderr == b"veridyn: interrupted\n") == (status == 130)


def test_a_disk_that_fills_up_leaves_the_earlier_outputs(ended, tmp_path):
    """The limit of a file's size stands in for a full disk."""
    folder = ended.copy(tmp_path)
    before = {name: file.read_bytes() for name, file in outputs(folder).items()}
    largest = max(len(content) for name, content in before.items() if name != "judged.json")
    for part in range(FIRST + 1, END + 1):
        limited = LIMITED.format(size=largest * part // (INSTANTS + 1), arguments=list(ended.work.arguments))
        command = [sys.executable, "-c", limited]
        seen = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert (seen.returncode, "Traceback" in seen.stderr) == (2, False), seen.stderr
        assert {name: file.read_bytes() for name, file in outputs(folder).items()} == before
        assert ended.work.finish(folder)[0] == ended.status
        before = {name: file.read_bytes() for name, file in outputs(folder).items()}


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
sys.argv = ["veridyn", *{arguments}]
from veridyn.cli.start import start
sys.exit(start())
"""
