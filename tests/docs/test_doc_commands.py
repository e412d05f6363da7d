"""Commands shown in the documentation parse; those in console blocks run and print what the page shows."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from veridyn.cli import main as cli
from veridyn.solver.contract.loading import load_solver
from veridyn.validation_cases.judgement.catalogue import load_case
from veridyn.validation_cases.judgement.statement import Statement

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
ELLIPSIS = "…"


def text_of(page):
    return page.read_text(encoding="utf-8")


def blocks(page, *languages):
    for language in languages:
        yield from re.findall(rf"^```{language}\n(.*?)^```", text_of(page), flags=re.DOTALL | re.MULTILINE)


def commands():
    """All commands in blocks that begin with veridyn, with their pages."""
    for page in PAGES:
        lines = [line for block in blocks(page, "bash", "console", "text") for line in block.splitlines()]
        yield from ((page.name, line) for line in (each.removeprefix("$ ") for each in lines) if is_ours(line))


def mentions():
    """All commands in the text, some of them without their arguments, with their pages."""
    return ((page.name, text) for page in PAGES for text in re.findall(r"`(veridyn [^`]+)`", text_of(page)))


def is_ours(line):
    return line.startswith("veridyn ")


def complaint(command, capsys):
    """What the parser of the command line says against a command; empty if it takes it."""
    try:
        cli._parser().parse_args(shlex.split(command)[1:])
    except SystemExit as ended:
        return capsys.readouterr().err if ended.code else ""
    return ""


def test_commands_parse(capsys):
    assert [(page, command) for page, command in commands() if complaint(command, capsys)] == []


def test_mentions_parse(capsys):
    complaints = [(page, command, complaint(command, capsys)) for page, command in mentions()]
    incomplete = ("arguments are required", "expected one argument")
    wrong = [each for each in complaints if each[2] and not any(part in each[2] for part in incomplete)]
    assert wrong == []


def sessions(page):
    """Yield (command, lines shown, exit status shown or None) of the console blocks."""
    for block in blocks(page, "console"):
        shown = []
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.splitlines()
            if command == "echo $?":
                shown[-1] = (*shown[-1][:2], int(lines[0]))
            else:
                shown.append((command, [line.rstrip() for line in lines], None))
        yield from shown


def all_sessions():
    return [pytest.param(*s, id=f"{page.name}:{s[0]}") for page in PAGES for s in sessions(page)]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """Return an empty folder with the solver of the tutorial in it."""
    code, _ = blocks(ROOT / "docs" / "plugging-in-a-solver.md", "python")
    (tmp_path / "my_solver.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = {"coarse.csv": 1e-3, "medium.csv": 5e-4, "fine.csv": 2.5e-4}


def write_results(folder):
    """Write what the solver of the tutorial gives for SDND101 with three steps, as a code run by hand prints it."""
    case = load_case("sdnd101")
    problem = Statement(case, case.variants[0]).problem
    solver = load_solver(f"{folder / 'my_solver.py'}:Euler")
    for name, step in FILES.items():
        columns = solver.solve(problem, {"step": step})
        table = np.column_stack([columns[key] for key in ("time", "displacement", "velocity")])
        header = "time [s],displacement_x [m],velocity_x [m/s]"
        np.savetxt(folder / name, table, fmt="%.17g", delimiter=",", header=header)


@pytest.mark.parametrize(("command", "shown", "status"), all_sessions())
def test_output_is_real(command, shown, status, workplace, veridyn):
    given = shlex.split(command)
    assert given[0] == "veridyn"
    if given[1] == "check":
        write_results(workplace)
    seen = veridyn(*given[1:])
    printed = [line.rstrip() for line in (seen.out + seen.err).splitlines()]
    compare(shown, printed, exactly="reference" in given)
    assert status is None or seen.status == status


def compare(shown, printed, *, exactly):
    """Find the shown lines among the printed ones: in order, and adjacent where no ellipsis stands between."""
    place, free = 0, False
    for line in shown:
        if line == ELLIPSIS:
            free = True
            continue
        candidates = range(place, len(printed)) if free else range(place, place + 1)
        found = next((i for i in candidates if i < len(printed) and same(line, printed[i], exactly=exactly)), None)
        assert found is not None, f"{line!r} is not printed; the output is\n" + "\n".join(printed)
        place, free = found + 1, False


def same(shown, printed, *, exactly):
    """Compare word by word; numbers of a solver to a few percent, since other machines round differently."""
    left, right = shown.split(), printed.split()
    return len(left) == len(right) and all(
        a == b or (not exactly and near(a, b)) for a, b in zip(left, right, strict=True)
    )


def near(a, b):
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= 0.06 * abs(y) or max(abs(x), abs(y)) < 1e-12
