"""What SECURITY.md says of running code that one does not trust, tried with its own text."""

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from veridyn.solver.contract.errors import SolverFailure
from veridyn.solver.contract.programs import ExternalSolver
from veridyn.validation_cases.judgement.catalogue import load_case

PAGE = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
IMAGE = re.search(r"^FROM (\S+)$", PAGE, re.M).group(1)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces of Linux")
ENGINES = ("podman", "docker")
CLIENT_LIVES_ON = 3  # s; in place of the hour of the page

# Its version says what it could do; asked to solve, it starts another process and never answers.
CURIOUS = """#!/usr/bin/env python3
import json, os, socket, subprocess, sys, time

def attempt(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        return False
    return True

def is_root():
    return os.getuid() == 0 and attempt(os.chown, "/", 0, 0)

seen = {{
    "is root": is_root(),
    "has my variables": "VERIDYN_SECRET" in os.environ,
    "reaches the network": attempt(socket.create_connection, ("127.0.0.1", {port}), 3),
    "sees an interface": len(socket.if_nameindex()) > 1,
    "reads my files": attempt(open, {secret!r}),
    "changes itself": attempt(open, "/solver/program", "a"),
    "changes the system": attempt(open, "/usr/mine", "w"),
    "sees my processes": attempt(os.kill, {process}, 0),
}}
for line in sys.stdin:
    if json.loads(line)["command"] == "start":
        answer = {{"name": "curious", "version": json.dumps(seen), "capabilities": ["mechanical", "contact"]}}
        print(json.dumps(answer), flush=True)
    else:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", {token!r}])
        time.sleep(60)
"""


def quote(language, number=0):
    """Return a block of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)[number]


def read_solver(block):
    return re.search(r'--solver "cmd:(.*)"', block).group(1)


def has_image(engine):
    if not shutil.which(engine):
        return False
    asked = [engine, "image", "inspect", IMAGE]
    return subprocess.run(asked, capture_output=True, check=False, timeout=60).returncode == 0


def wrap(folder):
    """Do what the page says of bubblewrap; return the command of the solver, and how to clean up."""
    if not shutil.which("bwrap"):
        pytest.skip("no bubblewrap here")
    if subprocess.run(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], check=False).returncode:
        pytest.skip("bubblewrap may not make namespaces here")
    if not any(Path(place, "python3").exists() for place in ("/usr/local/bin", "/usr/bin")):
        pytest.skip("no Python in /usr, where the program looks for it")
    (folder / "apart").write_text(quote("sh"), encoding="utf-8")
    block = quote("bash", 0)
    subprocess.run(shlex.split(block.splitlines()[0]), cwd=folder, check=True)
    return read_solver(block), lambda: None


def contain(folder):
    """Do what the page says of containers, with a name of its own for the image."""
    engine = next((one for one in ENGINES if has_image(one)), None)
    if engine is None:
        pytest.skip(f"neither Podman nor Docker works here and has the image {IMAGE}")
    name = f"untrusted-{os.getpid()}"
    recipe = quote("dockerfile").replace("3600", str(CLIENT_LIVES_ON))
    (folder / "Dockerfile").write_text(recipe, encoding="utf-8")
    block = quote("bash", 1).replace("podman", engine).replace("untrusted", name)
    subprocess.run(shlex.split(block.splitlines()[0]), cwd=folder, check=True, capture_output=True)
    remove = [engine, "image", "rm", "--force", name]
    return read_solver(block), lambda: subprocess.run(remove, check=True, capture_output=True)


def list_processes(token):
    files = Path("/proc").glob("[0-9]*/cmdline")
    return [file for file in files if token.encode() in _read(file).split(b"\0")]


def _read(file):
    try:
        return file.read_bytes()
    except OSError:  # it has ended
        return b""


@pytest.fixture
def curious(tmp_path, monkeypatch):
    """A program in a folder `solver`, and a token by which its child is seen."""
    monkeypatch.setenv("VERIDYN_SECRET", "1")
    secret, token = tmp_path / "secret", f"token-{os.getpid()}"
    secret.write_text("mine", encoding="utf-8")
    (tmp_path / "solver").mkdir()
    program = tmp_path / "solver" / "program"
    with socket.create_server(("127.0.0.1", 0)) as server:
        numbers = {"port": server.getsockname()[1], "process": os.getpid()}
        program.write_text(CURIOUS.format(secret=str(secret), token=token, **numbers), encoding="utf-8")
        program.chmod(0o755)
        yield tmp_path, token


def watch(condition, seconds):
    """Tell whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def interrogate(command, folder, token):
    """Return what the program could do, having let it run into a time-out and end."""
    solver = ExternalSolver(command, folder, time_out=2)
    case = load_case("damped_stop")
    with ThreadPoolExecutor(1) as pool:
        begun = pool.submit(watch, lambda: list_processes(token), 5)
        with pytest.raises(SolverFailure, match="no answer"):
            solver.solve(case.problem(case.values()), {})
    assert begun.result()
    assert watch(lambda: not list_processes(token), CLIENT_LIVES_ON + 5)
    return {what for what, able in json.loads(solver.version).items() if able}


@pytest.mark.parametrize("way", [wrap, contain])
def test_what_is_run_apart_reaches_nothing_and_ends(way, curious):
    folder, token = curious
    command, clean = way(folder)
    try:
        assert interrogate(command, folder, token) == set()
    finally:
        clean()


def test_what_is_run_as_it_is_reaches_all_that_matters(curious):
    folder, token = curious
    seen = interrogate(f"{sys.executable} solver/program", folder, token)
    assert seen >= {"has my variables", "reads my files", "reaches the network", "sees my processes"}
