"""Commands do their work, or say in one line why not, in environments that are not as usual."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from veridyn.run.screen import console, table

INTERRUPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from veridyn.cli import start
import builtins

real = builtins.__import__


def interrupt(name, *rest, **named):
    if name == {module!r}:
        signal.raise_signal(signal.SIGINT)
    return real(name, *rest, **named)


builtins.__import__ = interrupt
sys.argv = ["veridyn", "list"]
sys.exit(start.start())
"""

FULL = Path("/dev/full")

LOST = """
import sys
from veridyn.cli import main, start


class Loses:
    def __del__(self):
        raise KeyboardInterrupt


def work():
    import time
    Loses()
    time.sleep(60)
    return 0


main.main = work
sys.exit(start.start())
"""

TWICE = """
import signal, sys
from veridyn.cli import main, start


def work():
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)


main.main = work
sys.exit(start.start())
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=100,
    )


@pytest.mark.parametrize("module", ["veridyn.cli.main", "argparse", "rich.console", "veridyn.run.screen"])
def test_an_interrupt_while_modules_are_loaded(module):
    seen = run(INTERRUPT.format(module=module))
    assert (seen.returncode, seen.stdout, seen.stderr) == (130, "", "veridyn: interrupted\n")


def test_a_second_interrupt_while_the_first_is_worked_off():
    seen = run(TWICE)
    assert (seen.returncode, seen.stderr) == (130, "veridyn: interrupted\n")


def test_an_interrupt_that_is_lost_comes_again():
    begin = time.monotonic()
    seen = run(LOST)
    assert (seen.returncode, seen.stderr) == (130, "veridyn: interrupted\n")
    assert time.monotonic() - begin < 50.0


def test_a_backend_that_does_not_exist(tmp_path):
    draw = "import sys; from veridyn.cli import main, start; main.main = lambda: __import__('matplotlib') and 0; "
    seen = run(f"{draw} sys.exit(start.start())", MPLBACKEND="nonsense")
    assert (seen.returncode, seen.stderr) == (0, "")


BARE = "--unshare-user --uid 12345 --gid 12345 --ro-bind / / --dev /dev --proc /proc --clearenv --die-with-parent"


@pytest.mark.skipif(not (shutil.which("bwrap") and shutil.which("prlimit")), reason="no bubblewrap, or no prlimit")
def test_somebody_without_name_and_home_and_git_in_a_system_that_is_read_only_with_a_small_stack(tmp_path):
    """Kernels of the references are compiled anew, and nothing but the result is written."""
    apart = ["bwrap", *BARE.split(), "--bind", str(tmp_path), str(tmp_path), "--chdir", str(tmp_path)]
    command = ["run", "bouncing_ball", "--quick", "--solver", "scipy", "-n", "1", "--json", "results.json", "-q"]
    work = ["prlimit", "--stack=262144", *apart, sys.executable, "-m", "veridyn", *command]
    seen = subprocess.run(work, capture_output=True, text=True, check=False, timeout=300)
    if "bwrap:" in seen.stderr:
        pytest.skip(seen.stderr)
    assert (seen.returncode, seen.stderr) == (0, "")
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


@pytest.mark.skipif(not FULL.exists(), reason="no disk that is full")
def test_standard_output_on_a_full_disk():
    with FULL.open("w") as full:
        seen = subprocess.run(
            [sys.executable, "-m", "veridyn", "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (seen.returncode, seen.stderr.count("\n")) == (2, 1)
    assert "No space left on device" in seen.stderr


def test_no_text_does_anything_to_a_terminal(capsys):
    screen = console()
    screen.print(table(("\x1b[2J", "head"), [("\x1b]0;title\x07", "[bold]cell[/bold]\x9b31m")]))
    out = capsys.readouterr().out
    assert "[bold]cell[/bold]" in out
    assert all(letter.isprintable() or letter == "\n" for letter in out)


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)], ids=["plain", "NO_COLOR"])
def test_colours_go_where_nobody_wants_them(monkeypatch, capsys, variables, coloured):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", **variables}.items():
        monkeypatch.setenv(name, value)
    console().print("word", style="red")
    assert ("\x1b[31m" in capsys.readouterr().out) is coloured
