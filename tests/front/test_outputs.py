"""Nothing is deleted or overwritten that veridyn did not write."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from veridyn.outputs import open_file, open_folder
from veridyn.results import ReportError

WRITE = """
import sys, time
from pathlib import Path
from veridyn.outputs import open_folder

letter = sys.argv[2].encode()
with open_folder(Path(sys.argv[1]), "trial") as place:
    print("open", flush=True)
    place.write({f"{number}.txt": letter * 200_000 for number in range(40)})
"""


def contents(folder):
    files = (file for file in folder.rglob("*") if ".veridyn" not in file.parts)
    return {str(file.relative_to(folder)): file.read_bytes() for file in files if file.is_file()}


def write(folder, files, kind="report"):
    with open_folder(folder, kind) as place:
        place.write(files)


@pytest.mark.parametrize("name", ["notes.txt", "chunks/000000.npz"])
def test_a_folder_with_files_of_others_is_refused(tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with (
        pytest.raises(ReportError, match="holds files that veridyn did not write"),
        open_folder(tmp_path, "sweep", ["sweep.json"]),
    ):
        raise AssertionError("work begins")
    assert contents(tmp_path) == {name: b"mine"}


def test_files_of_ours_are_replaced_and_those_of_others_stay(tmp_path):
    write(tmp_path, {"index.html": b"1", "figures/a.svg": b"a", "cases/a.html": b"a"})
    mine = {"figures/figure-of-mine.png": b"mine", "cases/case-report.html": b"mine", "results.json.part": b"mine"}
    for name, content in mine.items():
        (tmp_path / name).write_bytes(content)
    write(tmp_path, {"index.html": b"2", "figures/b.svg": b"b", "results.json": b"{}"})
    assert contents(tmp_path) == {"index.html": b"2", "figures/b.svg": b"b", "results.json": b"{}", **mine}


def test_outputs_of_another_kind_stay(tmp_path):
    write(tmp_path, {"index.html": b"1", "results.json": b"{}"})
    write(tmp_path, {"manual.html": b"m", "results.json": b"[]"}, "manual")
    write(tmp_path, {"index.html": b"2"})
    assert contents(tmp_path) == {"index.html": b"2", "manual.html": b"m", "results.json": b"[]"}


@pytest.mark.parametrize("name", ["index.html", "new.html"])
def test_a_file_that_somebody_changed_or_put_there_is_refused(tmp_path, name):
    write(tmp_path, {"index.html": b"1"})
    (tmp_path / name).write_bytes(b"mine")
    before = contents(tmp_path)
    with (
        pytest.raises(ReportError, match=f"{name} was not written by veridyn, or was changed since"),
        open_folder(tmp_path, "report", ["index.html", "new.html"]),
    ):
        raise AssertionError("work begins")
    with pytest.raises(ReportError, match=f"{name} was not written"):  # and where names are not stated beforehand
        write(tmp_path, {"index.html": b"2", "new.html": b"2"})
    assert contents(tmp_path) == before


def test_a_link_is_not_followed(tmp_path):
    write(tmp_path / "r", {"index.html": b"1"})
    (tmp_path / "precious").write_bytes(b"1")
    (tmp_path / "r" / "index.html").unlink()
    (tmp_path / "r" / "index.html").symlink_to(tmp_path / "precious")
    with pytest.raises(ReportError, match="was not written by veridyn"):
        write(tmp_path / "r", {"index.html": b"2"})
    assert (tmp_path / "precious").read_bytes() == b"1"


def test_a_lock_that_is_a_link_empties_nothing(tmp_path):
    (tmp_path / "precious").write_bytes(b"1")
    (tmp_path / "r" / ".veridyn").mkdir(parents=True)
    (tmp_path / "r" / ".veridyn" / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises(ReportError, match="cannot write into"):
        write(tmp_path / "r", {"index.html": b"2"})
    assert (tmp_path / "precious").read_bytes() == b"1"


def test_a_place_that_can_never_be_made_is_not_taken_for_that_of_another_run(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / ".veridyn").write_bytes(b"")
    with pytest.raises(ReportError, match="cannot write into"):
        write(tmp_path / "r", {"index.html": b"1"})


@pytest.mark.parametrize("name", ["../precious", "/precious", "a/../../precious", ".veridyn/lock", ""])
def test_a_manifest_that_leads_out_of_the_folder_is_refused(tmp_path, name):
    folder = tmp_path / "r"
    write(folder, {"index.html": b"1"})
    manifest = folder / ".veridyn" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("index.html", name))
    with pytest.raises(ReportError, match="cannot be read"):
        write(folder, {"index.html": b"2"})


def test_a_folder_that_stays_empty_goes(tmp_path):
    with open_folder(tmp_path / "a" / "b", "report"):
        assert (tmp_path / "a" / "b").is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_others_is_refused(tmp_path):
    file = tmp_path / "results.json"
    file.write_text('{"mine": 1}')
    with pytest.raises(ReportError, match="was not written by veridyn"), open_file(file, lambda made: "ours" in made):
        pass
    assert file.read_text() == '{"mine": 1}'
    with open_file(file, lambda made: "mine" in made) as place:
        place.write(b"{}")
    assert file.read_text() == "{}"
    assert list(tmp_path.iterdir()) == [file]


def test_two_processes_do_not_write_to_one_place_whatever_their_folders_are(tmp_path):
    file = str(tmp_path / "x")
    code = (
        f"from pathlib import Path\nfrom veridyn.outputs import open_file\nopen_file(Path({file!r}), bool).__enter__()"
    )
    with open_file(tmp_path / "x", bool):
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        seen = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
        )
    assert "another run writes to" in seen.stderr


def test_files_are_on_the_disk_before_they_take_their_places(tmp_path, monkeypatch):
    seen, replace, fsync = [], Path.replace, os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(os.fstat(descriptor).st_ino) or fsync(descriptor))

    def note(self, target):
        seen.append((target.name, self.stat().st_ino))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", note)
    write(tmp_path, {"a": b"1", "b": b"2"})
    places = {name: place for place, (name, _) in ((i, each) for i, each in enumerate(seen) if isinstance(each, tuple))}
    for name in ("a", "b"):
        assert (tmp_path / name).stat().st_ino in seen[: places[name]]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes there")
def test_a_full_disk_leaves_the_earlier_files(tmp_path):
    import resource

    write(tmp_path, {"a": b"1", "b": b"1"})
    before = contents(tmp_path)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    earlier = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limit[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            write(tmp_path, {"a": b"2", "b": b"2" * (1 << 17)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, earlier)
    assert contents(tmp_path) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_kill_at_any_instant_leaves_each_file_whole_and_ours(tmp_path):
    """Also those kills that come while files are replaced: the next command must see that all is ours."""
    folder, letters = tmp_path / "r", "ab"
    for trial in range(12):
        command = [sys.executable, "-c", WRITE, str(folder), letters[trial % 2]]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            time.sleep(0.004 * trial)
            process.send_signal(signal.SIGKILL)
        for name, content in contents(folder).items():
            assert len(content) == 200_000, name
            assert len(set(content)) == 1, name
    seen = subprocess.run([sys.executable, "-c", WRITE, str(folder), "c"], capture_output=True, check=False)
    assert (seen.returncode, seen.stderr) == (0, b"")
    assert contents(folder) == {f"{number}.txt": b"c" * 200_000 for number in range(40)}
