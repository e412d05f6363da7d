"""Wrong input: status 2, one line on stderr, nothing on stdout, nothing written."""

from __future__ import annotations

import importlib

import pytest

from veridyn.problem.errors import SolverInputError
from veridyn.run.spreading import connected

OVER = ("--over", "a0=1:2:3")

WRONG = [
    (("sdnd14", *OVER), "did you mean sdnd104"),
    (("sdnd104", "--over", "t_end=3:20:5"), "window reversed: t_start = 4 must be less than t_end = 3"),
    (("sdnd104", "--over", "omega=1:1e9:5"), "shorten the window"),
    (("sdnd101", "--over", "v0=1,2", "--solver", "exakt"), "did you mean exact"),
    (("sdnd101", "--over", "v0=1,2", "--scheme", "newmrak"), "did you mean newmark"),
    (("sdnd101", "--over", "v0=1,2", "--set", "stepp=1"), "unknown parameter 'stepp'"),
    (("sdnd104",), "nothing to sweep"),
    (("sdnd104", *OVER, "--set", "a0"), "write NAME=VALUE"),
    (("sdnd104", *OVER, "-n", "0"), "--jobs: must be at least 1"),
    (("sdnd104", *OVER, "-n", "1", "--scheduler", "tcp://127.0.0.1:1"), "leave one out"),
    (("sdnd104", *OVER, "--check", "-1"), "--check: must be at least 0"),
    (("sdnd104", *OVER, "--check", "x"), "--check: must be a whole number"),
    (("sdnd104", *OVER, "--resume"), "--resume needs the --output"),
    (("sdnd104", *OVER, "--output", ""), "--output: needs a name"),
    (("sdnd104", *OVER, "--scheduler", ""), "--scheduler: needs a name"),
]


@pytest.fixture
def refused(veridyn):
    def check(*arguments):
        seen = veridyn("sweep", *arguments)
        assert (seen.status, seen.out) == (2, "")
        assert seen.err.startswith("veridyn: ")
        assert seen.err.count("\n") == 1
        return seen.err

    return check


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[" ".join(w[0]) for w in WRONG])
def test_wrong(refused, arguments, message):
    assert message in refused(*arguments)


def test_a_file_where_a_folder_is_wanted(refused, tmp_path):
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    assert "choose another folder" in refused("sdnd104", *OVER, "--output", tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "precious"


def test_without_dask(refused, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(SolverInputError, match=r'pip install "veridyn\[sweep\]"'), connected("x"):
        pass
