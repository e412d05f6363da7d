"""The page on problems of the user's own: its snippets run one after the other and print what it shows."""

import re
from pathlib import Path

from test_doc_commands import compare

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "your-own-problem.md").read_text(encoding="utf-8")
SNIPPET = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", flags=re.DOTALL | re.MULTILINE)
OF_ANOTHER_SCHEME = re.compile(r"\"veridyn\", scheme=")  # which compiles for half a minute
TIME = re.compile(r"\b[\d.e-]+ s$", flags=re.MULTILINE)


def test_snippets_print_what_is_shown(tmp_path, monkeypatch, capsys, pytestconfig):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code, shown in SNIPPET.findall(PAGE):
        if OF_ANOTHER_SCHEME.search(code) and not pytestconfig.getoption("all_schemes"):
            continue
        exec(compile(code, "your-own-problem.md", "exec"), names)
        printed = [line.rstrip() for line in TIME.sub("0 s", capsys.readouterr().out).splitlines()]
        compare([line.rstrip() for line in TIME.sub("0 s", shown).splitlines()], printed, exactly=False)
    assert (tmp_path / "comparison.svg").read_text(encoding="utf-8").startswith("<?xml")
    assert "Comparison of solvers" in (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
