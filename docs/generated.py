"""Pages of the site that are made from the code: the gallery of cases, the command line, the formats of files."""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import solvers_page

from veridyn.cli import main as cli
from veridyn.identification.card import Card, read_card
from veridyn.identification.drawing import draw_card
from veridyn.identification.pages import write_card
from veridyn.reports import drawing
from veridyn.results import CaseSheet
from veridyn.results.schema import make_schema
from veridyn.run import document
from veridyn.validation_cases.judgement.case import Case
from veridyn.validation_cases.judgement.catalogue import all_cases, kind_of

ROOT = Path(__file__).parents[1]
PROTOCOL = "solver/contract/protocol-1.json"
RECORDED = ROOT / "docs/solvers.json"
CARDS = ROOT / "docs/cards.json"

KINDS = {"mechanical": "Mechanical problems", "initial-value": "Initial value problems"}


def write(folder: Path) -> None:
    """Write all pages into a folder; a page that is the same already is left alone, so that nothing is built twice."""
    for name, text in pages().items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return all pages by their names."""
    cases = all_cases()
    made = {f"cases/{case.name}.md": case_page(case) for case in cases}
    drawings = {f"cases/{case.name}.svg": drawn for case in cases if (drawn := system(case))}
    single = {"gallery.md": gallery(cases), "command-line.md": command_line(), "formats.md": formats()}
    return single | {"solvers.md": solvers()} | made | drawings | cards()


def solvers() -> str:
    """Return the comparison of solvers, from recorded runs."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    return solvers_page.page(solvers_page.checked(recorded, RECORDED.name))


def cards() -> dict[str, str]:
    """Return the page of identity cards and its drawings, from cards that were measured."""
    recorded = [read_card(data) for data in json.loads(CARDS.read_text(encoding="utf-8"))]
    drawings = {f"cards/{number}.svg": draw_card(card) for number, card in enumerate(recorded)}
    parts = [_card(card, f"cards/{number}.svg") for number, card in enumerate(recorded)]
    head = "# Identity cards\n\nWhat they say and how they are measured: [What a solver is](../identify.md).\n\n"
    return {"cards.md": head + "".join(parts)} | {name: drawn for name, drawn in drawings.items() if drawn}


def _card(card: Card, drawing: str) -> str:
    name = f"{card.solver} {card.scheme}".strip()
    drawn = f"![Spectral radius, damping ratio and period error of {name}]({drawing})\n\n"
    has_curves = any(reading.curves for reading in card.readings.values())
    return f"## {_plain(name)}\n\n```text\n{write_card(card)}```\n\n{drawn if has_curves else ''}"


def gallery(cases: Iterable[Case]) -> str:
    """Return the list of all cases, those of a kind together."""
    kinds: dict[str, list[Case]] = {}
    for case in cases:
        kinds.setdefault(kind_of(case.name), []).append(case)
    parts = [_kind(kind, members) for kind, members in kinds.items()]
    return "# Gallery of cases\n\nEvery case has a page with its statement, parameters and quantities.\n\n" + "".join(
        parts
    )


def _kind(kind: str, cases: Iterable[Case]) -> str:
    rows = ((f"[{case.name}](cases/{case.name}.md)", case.title, case.document) for case in cases)
    hidden = "\n".join(f"cases/{case.name}" for case in cases)
    table = _table(("case", "title", "source"), rows)
    return f"## {KINDS[kind]}\n\n{table}\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n\n"


def case_page(case: Case) -> str:
    """Return the page of a case."""
    return "\n".join(_case_parts(case))


def _case_parts(case: Case) -> Iterator[str]:
    yield f"# {case.name}: {case.title}\n\nSource: {_plain(case.document)}\n"
    yield "\n\n".join(map(_plain, case.statement)) + "\n"
    if system(case):
        yield f"![System of {case.name}]({case.name}.svg)\n"
    if case.equations:
        yield "## Equations\n\n```text\n" + "\n".join(case.equations) + "\n```\n"
    yield "## Parameters\n\n" + _table(
        ("name", "default", "unit", "allowed", "meaning"),
        ((f"`{p.name}`", p.default, p.unit, p.allowed, p.help) for p in case.parameters),
    )
    if case.requirements:
        rows = ((each.needed, each.otherwise) for each in case.requirements)
        yield _table(("needed", "otherwise"), rows)
    yield "## Variants\n\n" + _table(("name", "changes"), ((f"`{v.name}`", _changes(v.changes)) for v in case.variants))
    yield "## Quantities\n\n" + _table(
        ("name", "unit", "definition"), ((f"`{q.name}`", q.unit, q.definition) for q in case.quantities)
    )
    yield "## Remarks\n\n" + "\n".join(f"* {_plain(line)}" for line in case.remarks) + "\n"
    if case.sources:
        yield "## Sources\n\n" + "\n".join(f"* {_plain(line)}" for line in case.sources) + "\n"
    commands = "\n".join(f"veridyn {command} {case.name}" for command in ("show", "reference", "run"))
    yield f"## Run it\n\n```bash\n{commands}\n```\n"


def _changes(changes: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in changes.items()) or "none"


def system(case: Case) -> str:
    """Return the drawing of the mechanical system of a case; empty if it is none that can be drawn."""
    variants = [(variant.name, variant.changes) for variant in case.variants]
    sheet = CaseSheet(
        case=case.name,
        title=case.title,
        system=document.drawn_system(case, variants),
        beam=document.drawn_beam(case, variants[0][1]),
    )
    drawn = drawing.system(sheet, case.name)
    return drawn.svg if drawn else ""


def command_line() -> str:
    """Return what each command says of itself."""
    parser = cli._parser()  # noqa: SLF001 - the parser is no part of the public functions
    commands = cli._commands(parser)  # noqa: SLF001
    head = "# Command line\n\nThis is what `veridyn --help` and `veridyn COMMAND --help` print.\n\n"
    return head + "".join(_help(*one) for one in {"veridyn": parser, **commands}.items())


def _help(name: str, parser: argparse.ArgumentParser) -> str:
    return f"## {name}\n\n```text\n{parser.format_help()}```\n\n"


def formats() -> str:
    """Return the JSON schemas."""
    protocol = json.loads((ROOT / PROTOCOL).read_text(encoding="utf-8"))
    parts = [
        _schema("Result file", "result-schema.md", "python -m veridyn.results.schema", make_schema()),
        _schema("Command protocol", "command-protocol.md", PROTOCOL, protocol),
    ]
    return "# JSON schemas\n\n" + "\n".join(parts)


def _schema(name: str, page: str, origin: str, schema: Mapping[str, object]) -> str:
    text = json.dumps(schema, indent=2, ensure_ascii=False)
    return f"## {name}\n\n`{origin}`; what the keys mean: [{name.lower()}](../{page}).\n\n```json\n{text}\n```\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(_plain(str(cell)).replace("|", "\\|") for cell in row) + " |\n" for row in lines)


def _plain(text: str) -> str:
    """Keep what is no Markdown from being read as Markdown."""
    return text.replace("*", "\\*").replace("_", "\\_") if "`" not in text and "](" not in text else text
