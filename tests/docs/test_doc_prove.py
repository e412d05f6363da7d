"""The worked example of the page about proofs prints what the page shows."""

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "prove.md"


def test_the_example_prints_what_the_page_shows(tmp_path, monkeypatch, veridyn):
    text = PAGE.read_text(encoding="utf-8")
    code, command, shown = (
        re.search(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)[1]
        for language in ("python", "bash", "text")
    )
    (tmp_path / "block.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    seen = veridyn(*shlex.split(command)[1:])
    printed = {tuple(line.split()) for line in seen.out.splitlines()}
    assert seen.status == 0
    assert {tuple(line.split()) for line in shown.splitlines()} <= printed
