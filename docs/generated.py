"""Pages of the site that are made from the code: the gallery of cases, the command line, the formats of files."""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import gradients_page
import pictures
import proofs_page
import solvers_page

from veridyn.cli import main as cli
from veridyn.identification.card import Card, read_card
from veridyn.identification.drawing import draw_card
from veridyn.identification.pages import write_card
from veridyn.reports import drawing, mathml, prose
from veridyn.results import CaseSheet
from veridyn.results.schema import make_schema
from veridyn.run import document
from veridyn.solver.contract.loading import EXACT, OWN, SCIPY, USUAL, load_solver
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import all_cases, kind_of

ROOT = Path(__file__).parents[1]
PROTOCOL = "solver/contract/protocol-1.json"
RECORDED = ROOT / "docs/solvers.json"
GRADIENTS = ROOT / "docs/gradients.json"
CARDS = ROOT / "docs/cards.json"
HISTORIES = ROOT / "docs/histories.json"

ALWAYS = (OWN, SCIPY, EXACT)
DAE_SOLVER, DAE_EXTRA = "scipy_dae", "scipy-dae"  # for what none of those offers


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
    drawn = draw_cases(cases)
    made = {f"cases/{case.name}.md": case_page(case, drawn) for case in cases}
    proofs = proofs_page.write_page(cases, proofs_page.read_recorded())
    single = {"gallery.md": gallery(cases, drawn), "command-line.md": command_line(), "formats.md": formats()}
    return single | {"proofs.md": proofs} | solvers() | gradients() | made | drawn | cards()


def draw_cases(cases: Iterable[Case]) -> dict[str, str]:
    """Return all drawings of cases by their names: what moves, the motion, one curve over another."""
    made: dict[str, str] = {}
    for case in cases:
        motion = pictures.read_motion(case.name, read_histories()[case.name])
        made[f"cases/{case.name}.svg"] = system(case)
        made[f"cases/{case.name}-motion.svg"] = pictures.draw_motion(motion)
        made[f"cases/{case.name}-portrait.svg"] = pictures.draw_portraits(case, motion)
    return {name: svg for name, svg in made.items() if svg}


@cache
def read_histories() -> dict[str, Any]:
    """Return the recorded motions by case."""
    entries: dict[str, Any] = json.loads(HISTORIES.read_text(encoding="utf-8"))
    return entries


def solvers() -> dict[str, str]:
    """Return the comparison of solvers and its diagrams, from recorded runs."""
    recorded = solvers_page.checked(json.loads(RECORDED.read_text(encoding="utf-8")), RECORDED.name)
    return {"solvers.md": solvers_page.page(recorded)} | solvers_page.draw_all_costs(recorded)


def gradients() -> dict[str, str]:
    """Return the table of the derivatives of simulators, from what they were recorded to return."""
    return {"simulators-gradients.md": gradients_page.write_page(json.loads(GRADIENTS.read_text(encoding="utf-8")))}


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


def gallery(cases: Sequence[Case], drawn: Mapping[str, str]) -> str:
    """Return the gallery of all cases, each with its picture."""
    endings = {case.name: "" if f"cases/{case.name}.svg" in drawn else "-motion" for case in cases}
    shown = {name: f"cases/{name}{ending}.svg" for name, ending in endings.items()}
    hidden = "\n".join(f"cases/{case.name}" for case in cases)
    return f"{pictures.write_gallery(cases, shown)}```{{toctree}}\n:hidden:\n\n{hidden}\n```\n"


def case_page(case: Case, drawn: Mapping[str, str]) -> str:
    """Return the page of a case."""
    return "\n".join(_case_parts(case, drawn))


def _case_parts(case: Case, drawn: Mapping[str, str]) -> Iterator[str]:
    yield f"# {case.name}: {case.title}\n\nSource: {_plain(case.document)}\n"
    yield _raw(f"<p>{prose.typeset(text)}</p>" for text in case.statement)
    if f"cases/{case.name}.svg" in drawn:
        yield f"![System of {case.name}]({case.name}.svg)\n"
    if case.equations:
        lines = (f'<div class="equation" tabindex="0">{mathml.math(line)}</div>' for line in case.equations)
        yield f"## Equations\n\n{_raw(lines)}"
    yield from _motion_parts(case, drawn)
    yield "## Parameters\n\n" + _table(
        ("name", "default", "unit", "allowed", "meaning"),
        ((f"`{p.name}`", p.default, p.unit, p.allowed, p.help) for p in case.parameters),
    )
    if case.requirements:
        rows = ((each.needed, each.otherwise) for each in case.requirements)
        yield _table(("needed", "otherwise"), rows)
    variants = ((f"`{variant.name}`", _describe(variant, case)) for variant in case.variants)
    yield "## Variants\n\n" + _table(("name", "what it is"), variants)
    yield "## Quantities\n\n" + _table(
        ("name", "unit", "definition"), ((f"`{q.name}`", q.unit, q.definition) for q in case.quantities)
    )
    remarks = (f"<li>{prose.typeset(text)}</li>" for text in case.remarks)
    yield f"## Remarks\n\n{_raw(['<ul>', *remarks, '</ul>'])}"
    if case.sources:
        yield "## Sources\n\n" + "\n".join(f"* {_plain(line)}" for line in case.sources) + "\n"
    yield "## Run it\n\n```bash\n" + "\n".join(run_it(case)) + "\n```\n"


def run_it(case: Case) -> list[str]:
    """Return commands for a case; the last judges it by a solver that offers what it needs."""
    usual, solver = USUAL[kind_of(case.name)], choose_solver(case)
    named = "" if solver == usual else f" --solver {solver}"
    packages = [] if solver in ALWAYS else [f'pip install "veridyn[{DAE_EXTRA}]"']
    return [
        f"veridyn show {case.name}",
        f"veridyn reference {case.name}",
        *packages,
        f"veridyn run {case.name} --quick{named}",
    ]


def choose_solver(case: Case) -> str:
    """Return the name of a solver that offers what the default variant of a case needs: one that is always there."""
    needs = case.problem(case.values(case.default_variant.changes)).needs
    able = [name for name in (USUAL[kind_of(case.name)], *ALWAYS) if needs.issubset(load_solver(name).capabilities)]
    return able[0] if able else DAE_SOLVER


def _motion_parts(case: Case, drawn: Mapping[str, str]) -> Iterator[str]:
    motion = pictures.read_motion(case.name, read_histories()[case.name])
    yield f"## Motion\n\n{pictures.describe_motion(motion)}\n\n![Motion of {case.name}]({case.name}-motion.svg)\n"
    if f"cases/{case.name}-portrait.svg" in drawn:
        across, up = case.shown.portraits[0]
        yield f"`{up}` over `{across}`; the dot is the start.\n\n![Portrait of {case.name}]({case.name}-portrait.svg)\n"


def _describe(variant: Variant, case: Case) -> str:
    """Return the parameters of a variant, and what else makes it another one."""
    changed = ", ".join(f"{name} = {value}" for name, value in variant.changes.items()) or "default parameters"
    model = ["another model"] if variant.problem else []
    few = [f"{len(variant.quantities)} of {len(case.quantities)} quantities"] if variant.quantities is not None else []
    return "; ".join([changed, *model, *few])


def system(case: Case) -> str:
    """Return the drawing of what moves in a case; empty if there is none."""
    variants = [(variant.name, variant.changes) for variant in case.variants]
    sheet = CaseSheet(
        case=case.name,
        title=case.title,
        sketch=case.sketch,
        system=None if case.sketch else document.drawn_system(case, variants),
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


def _raw(lines: Iterable[str]) -> str:
    """Return a block of HTML that stays as it is."""
    return "```{raw} html\n" + "".join(f"{line}\n" for line in lines) + "```\n"


def _plain(text: str) -> str:
    """Keep what is no Markdown from being read as Markdown."""
    return text.replace("*", "\\*").replace("_", "\\_") if "`" not in text and "](" not in text else text
