"""A sweep that was ended goes on; damage is repaired; another sweep is refused."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from numpy.testing import assert_equal

from veridyn.sweep import command

pytestmark = pytest.mark.usefixtures("small_chunks", "undrawn")


@pytest.fixture
def count(monkeypatch):
    """List of the chunks that are computed; ``count.end`` of them raise an interrupt."""
    solve = command.solve_chunk

    class Count(list):
        end = -1

    counted = Count()

    def counting(access, request, chunk, threads):
        if request.size > 1:  # not the warming up
            if len(counted) == counted.end:
                raise KeyboardInterrupt
            counted.append(chunk)
        yield from solve(access, request, chunk, threads)

    monkeypatch.setattr(command, "solve_chunk", counting)
    return counted


@pytest.fixture
def ended(small_chunks, sweep, count, out, tmp_path):
    """Return the truth of a whole sweep, after a sweep that was ended after three of seven chunks."""
    sweep()
    whole = out.table()
    out.path.rename(tmp_path / "whole")
    count.clear()
    count.end = 3
    seen = sweep()
    assert seen.status == 130
    assert seen.err == "veridyn: interrupted; 3 of 7 chunks are kept, --resume goes on\n"
    assert sorted(file.name for file in (out / ".veridyn" / "chunks").glob("*.npz")) == [
        f"{k:06d}.npz" for k in range(3)
    ]
    count.end = -1
    count.clear()
    return whole


def test_only_what_is_missing_is_computed(sweep, out, count, ended):
    assert sweep("--resume").status == 0
    assert count == [3, 4, 5, 6]
    assert_equal(out.table(), ended)
    assert out.document()["timing"]["points"] == 120 - 3 * 18
    assert not (out / ".veridyn" / "chunks").exists()


def call_regimes(file, code):
    """Return the bytes of a chunk whose regimes are those of a code."""
    with np.load(file) as kept:
        columns = {name: kept[name] for name in kept.files}
    content = io.BytesIO()
    np.savez(content, **columns | {"regime": np.full_like(columns["regime"], code)})
    return content.getvalue()


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other", "regime", "gone"])
def test_a_damaged_chunk_is_computed_again(sweep, out, count, ended, damage):
    file = out / ".veridyn" / "chunks" / "000001.npz"
    data = file.read_bytes()
    middle = data.index(b"wear_power") + 200
    changed = {
        "cut": data[:-100],
        "flipped": data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
        "empty": b"",
        "other": b"no archive at all",
        "regime": call_regimes(file, 3),  # there are three, from 0 on
        "gone": b"",
    }
    file.write_bytes(changed[damage])
    if damage == "gone":
        file.unlink()
    assert sweep("--resume").status == 0
    assert count == [1, 3, 4, 5, 6]
    assert_equal(out.table(), ended)


def test_half_written_files_do_not_count(sweep, out, count, ended):
    (out / ".veridyn" / "chunks" / "000003.npz.part").write_bytes(b"half")
    assert sweep("--resume").status == 0
    assert count == [3, 4, 5, 6]


@pytest.mark.usefixtures("ended")
def test_another_sweep_is_refused(sweep, out, count):
    seen = sweep("--resume", "--set", "g=9.81")
    assert seen.status == 2
    assert "request.json belongs to another sweep" in seen.err
    assert not count


@pytest.mark.usefixtures("ended")
def test_an_unfinished_sweep_is_not_lost_by_mistake(sweep, out, count):
    seen = sweep()
    assert seen.status == 2
    assert "holds an unfinished sweep: --resume goes on with it" in seen.err
    assert len(list((out / ".veridyn" / "chunks").glob("*.npz"))) == 3


@pytest.mark.usefixtures("ended")
@pytest.mark.parametrize("text", ["", "[]", "{}", "null"])
def test_a_manifest_that_cannot_be_read(sweep, out, text):
    (out / ".veridyn" / "chunks" / "request.json").write_text(text, encoding="utf-8")
    seen = sweep("--resume")
    assert seen.status == 2
    assert "request.json cannot be read; choose another --output" in seen.err


def test_resume_of_nothing_begins(sweep, count):
    assert sweep("--resume").status == 0
    assert len(count) == 7


def test_resume_of_a_complete_sweep(sweep, out, count):
    sweep()
    count.clear()
    seen = sweep("--resume")
    assert (seen.status, seen.out) == (0, f"{out} is complete: nothing to do\n")
    assert not count
    other = sweep("--resume", "--set", "m=3")
    assert other.status == 2
    assert "sweep.json belongs to another sweep" in other.err


def test_an_interrupt_without_a_folder(veridyn, count):
    count.end = 0
    seen = veridyn("sweep", "sdnd104", "--over", "a0=1,2")
    assert (seen.status, seen.out, seen.err) == (130, "", "veridyn: interrupted\n")


def test_a_chunk_that_is_lost_while_the_sweep_runs(sweep, out, count, monkeypatch):
    solve = command.solve_chunk

    def losing(access, request, chunk, threads):
        if chunk == 6:
            (out / ".veridyn" / "chunks" / "000000.npz").unlink()
        yield from solve(access, request, chunk, threads)

    monkeypatch.setattr(command, "solve_chunk", losing)
    seen = sweep()
    assert seen.status == 2
    assert "were lost while the sweep ran: --resume computes them again" in seen.err


def test_the_manifest_holds_the_hash(sweep, out, count):
    count.end = 1
    sweep()
    assert len(json.loads((out / ".veridyn" / "chunks" / "request.json").read_text(encoding="utf-8"))["hash"]) == 64


def test_chunks_that_a_kill_has_left_without_their_request_are_taken_by_no_sweep(sweep, out, count, ended):
    """They may belong to another sweep: a table that ends deletes the request first."""
    (out / ".veridyn" / "chunks" / "request.json").unlink()
    assert sweep().status == 0
    assert count == list(range(7))
    assert_equal(out.table(), ended)
