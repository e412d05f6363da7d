"""The commands on the page about proofs print what the page shows."""

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "prove.md"


EXAMPLES = re.compile(r"^```bash\n(.*?)^```\n\n```text\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


def test_the_examples_print_what_the_page_shows(tmp_path, monkeypatch, veridyn):
    text = PAGE.read_text(encoding="utf-8")
    (tmp_path / "block.py").write_text(re.search(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)[1])
    monkeypatch.chdir(tmp_path)
    examples = EXAMPLES.findall(text)
    assert len(examples) == 3
    for command, shown in examples:
        seen = veridyn(*shlex.split(command)[1:])
        printed = {tuple(line.split()) for line in seen.out.splitlines()}
        assert seen.status == 0
        assert {tuple(line.split()) for line in shown.splitlines()} <= printed
