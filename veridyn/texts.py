"""What `list`, `show` and `reference` print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veridyn.document import SCHEMA_VERSION, published, references, truth_of
from veridyn.validation_cases.case import Case

PIPE_WIDTH = 120  # columns when no terminal says how wide it is


def console() -> Console:
    """Return a console for standard output, plain and wide in a pipe."""
    screen = Console(highlight=False)
    return screen if screen.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _add(table: Table, *cells: Any) -> None:
    # Text, not markup: brackets in names are brackets
    table.add_row(*(Text(str(cell)) for cell in cells))


def entry(case: Case) -> dict[str, Any]:
    """Return a line of the list as data."""
    return {
        "case": case.name,
        "title": case.title,
        "document": case.document,
        "summary": case.summary,
        "variants": [v.name for v in case.variants],
        "parameters": [p.name for p in case.parameters],
        "quantities": [q.name for q in case.quantities],
    }


def print_list(cases: Iterable[Case]) -> None:
    """Print the list of cases."""
    table = _table("case", "document", "title", "variants")
    for case in cases:
        _add(table, case.name, case.document, case.title, ", ".join(v.name for v in case.variants))
    console().print(table)


def print_case(case: Case) -> None:
    """Print everything about a case: statement, parameters, references, published values, errata."""
    out = console()
    out.print(Text(f"{case.name}: {case.title} ({case.document})", style="bold"))
    for paragraph in case.statement:
        out.print(Text(f"\n{paragraph}"))
    _print_parameters(out, case)
    for variant in case.variants:
        if case.asked(variant):
            out.print(Text(f"\nReferences, {variant.name}", style="bold"))
            out.print(_reference_table(case, variant.changes, 30))
    _print_published(out, case)
    out.print(Text("\nModelling by our own schemes", style="bold"))
    out.print(Text("\n".join(f"- {line}" for line in case.modelling)))
    out.print(Text("\nRemarks: how to break it", style="bold"))
    out.print(Text("\n".join(f"- {line}" for line in case.remarks)))


def _print_parameters(out: Console, case: Case) -> None:
    table = _table("parameter", "default", "unit", "meaning")
    for p in case.parameters:
        _add(table, p.name, p.default, p.unit, p.help)
    out.print(table)


def _print_published(out: Console, case: Case) -> None:
    wrong = [p for p in case.published if p.verdict != "reproduced"]
    out.print(
        Text(f"\nPublished values: {len(case.published)}, {len(case.published) - len(wrong)} reproduced", style="bold")
    )
    table = _table("source", "variant", "quantity", "printed", "should read", "truth", "verdict")
    for p in case.published:
        if p.verdict != "reproduced" or p.explanation or len(case.published) < 60:
            _add(
                table, p.source, p.variant, p.quantity, p.value, p.correct or "as printed", truth_of(case, p), p.verdict
            )
    out.print(table)
    explained = list(dict.fromkeys((p.verdict, p.explanation) for p in case.published if p.explanation))
    out.print(Text("Explanations", style="bold"))
    for verdict, explanation in explained:
        cells = [
            f"{p.quantity} {p.variant} ({p.source}: {p.value})" for p in case.published if p.explanation == explanation
        ]
        shown = "; ".join(cells[:3]) + (f"; and {len(cells) - 3} more" if len(cells) > 3 else "")
        out.print(Text(f"- {verdict}: {explanation}\n  {shown}"))
    for line in case.errata:
        out.print(Text(f"- {line}"))


def _reference_table(case: Case, changes: Mapping[str, Any], digits: int) -> Table:
    table = _table("quantity", "value", "unit", "digits", "kind")
    for line in references(case, "", changes, digits):
        value = "undefined" if line["value"] is None else line["value"]
        _add(table, line["quantity"], value, line["unit"], line["digits"] or "", line["kind"])
    return table


def print_reference(case: Case, changes: Mapping[str, str], digits: int) -> None:
    """Print the certified values for a parameter set."""
    values = case.values(changes)
    # computed before anything is printed: parameters may have no certified reference
    table = _reference_table(case, changes, digits)
    out = console()
    out.print(Text(f"{case.name} with " + ", ".join(f"{name} = {value}" for name, value in values.items())))
    out.print(table)


def reference_document(case: Case, changes: Mapping[str, str], digits: int) -> dict[str, Any]:
    """Return the certified values for a parameter set as data.

    Published values are listed where they were printed for these parameters.
    """
    values = case.values(changes)
    quantities = [
        {
            "name": line["quantity"],
            "unit": line["unit"],
            "value": line["value"],
            "digits": line["digits"],
            "kind": line["kind"],
            "routes": line["routes"],
            "published": _printed(case, line["quantity"], values),
        }
        for line in references(case, "", changes, digits)
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "case": case.name,
        "parameters": {name: str(value) for name, value in values.items()},
        "quantities": quantities,
    }


def _printed(case: Case, quantity: str, values: Mapping[str, Any]) -> list[dict[str, str]]:
    found = []
    for p in case.published:
        if p.quantity == quantity and case.values({**case.variant(p.variant).changes, **p.at}) == values:
            full = published(case, p)
            found.append({key: full[key] for key in ("source", "value", "verdict", "truth", "explanation")})
    return found
