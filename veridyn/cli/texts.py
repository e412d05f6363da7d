"""What `show`, `reference` and `list --json` print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from veridyn.api import front
from veridyn.api.limits import SECONDS
from veridyn.references.parameters import Exact, check_digits
from veridyn.results import ReferenceRow
from veridyn.run.document import SCHEMA_VERSION, make_reference_row, published, references, truth_of
from veridyn.run.exit_code import ExitCode
from veridyn.run.posed import variant_of
from veridyn.run.screen import console, table
from veridyn.validation_cases.judgement.case import Case, Variant
from veridyn.validation_cases.judgement.catalogue import load_case, room_of


def entry(case: Case) -> dict[str, Any]:
    """Return a line of the list as data."""
    return {
        "case": case.name,
        "room": room_of(case.name),
        "topics": list(case.topics),
        "title": case.title,
        "document": case.document,
        "summary": case.summary,
        "variants": [v.name for v in case.variants],
        "parameters": [p.name for p in case.parameters],
        "quantities": [q.name for q in case.quantities],
    }


def print_json(data: Any) -> int:
    """Print a document; returns the exit status 0."""
    print(json.dumps(data, indent=1, ensure_ascii=True, allow_nan=False))
    return ExitCode.FINE


def show(case: str) -> int:
    """Print everything about a case; returns the exit status 0."""
    _print_case(load_case(case))
    return ExitCode.FINE


@dataclass(frozen=True)
class Lookup:
    """What reference values are looked up: of which case, with which changes of its parameters, and how."""

    case: Case
    changes: Mapping[str, str]
    digits: int
    derivative: Sequence[str] = ()
    variant: Variant | None = None
    seconds: float = SECONDS

    @property
    def values(self) -> dict[str, Exact]:
        """All parameters; raises `ParameterError`."""
        return self.case.values(self.changes)


def reference(
    case: str,
    changed: Mapping[str, str],
    digits: int,
    derivative: Sequence[str],
    variant: str | None,
    *,
    as_json: bool,
    seconds: float = SECONDS,
) -> int:
    """Print the certified values of a case, of a variant, or of ``all``; returns the exit status 0."""
    chosen = load_case(case)
    variants = chosen.variants if variant == "all" else [variant_of(chosen, variant)] if variant else [None]
    lookups = [
        Lookup(chosen, {**(each.changes if each else {}), **changed}, check_digits(digits), derivative, each, seconds)
        for each in variants
    ]
    if as_json:
        documents = list(map(reference_document, lookups))
        return print_json(_of_all_variants(documents) if variant == "all" else documents[0])
    for lookup in lookups:
        _print_reference(lookup)
    return ExitCode.FINE


def _print_case(case: Case) -> None:
    out = console()
    out.print(Text(f"{case.name}: {case.title} ({case.document})", style="bold"))
    for paragraph in case.statement:
        out.print(Text(f"\n{paragraph}"))
    parameters = ((p.name, p.default, p.unit, p.allowed, p.help) for p in case.parameters)
    out.print(table(("parameter", "default", "unit", "allowed", "meaning"), parameters))
    for requirement in case.requirements:
        out.print(Text(f"Needed: {requirement.needed}; else {requirement.otherwise}."))
    for variant in case.variants:
        if case.select_quantities(variant):
            out.print(Text(f"\nReferences, {variant.name}", style="bold"))
            out.print(_reference_table(references(case, "", variant.changes)))
    _print_published(out, case)
    out.print(Text("\nModelling by our own schemes", style="bold"))
    out.print(Text("\n".join(f"- {line}" for line in case.modelling)))
    out.print(Text("\nRemarks", style="bold"))
    out.print(Text("\n".join(f"- {line}" for line in case.remarks)))
    if case.sources:
        out.print(Text("\nSources", style="bold"))
        out.print(Text("\n".join(f"- {line}" for line in case.sources)))


def _print_published(out: Console, case: Case) -> None:
    if not case.published:
        return
    wrong = [p for p in case.published if p.verdict != "reproduced"]
    out.print(
        Text(f"\nPublished values: {len(case.published)}, {len(case.published) - len(wrong)} reproduced", style="bold")
    )
    rows = (
        (p.source, p.variant, p.quantity, p.value, p.correct or "as printed", truth_of(case, p), p.verdict)
        for p in case.published
        if p.verdict != "reproduced" or p.explanation or len(case.published) < 60
    )
    out.print(table(("source", "variant", "quantity", "printed", "should read", "truth", "verdict"), rows))
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


def _reference_table(lines: Iterable[ReferenceRow]) -> Table:
    rows = (
        (
            *(line.quantity, "undefined" if line.value is None else line.value, line.radius or ""),
            *(line.unit, line.digits or "", line.kind),
        )
        for line in lines
    )
    return table(("quantity", "value", "±", "unit", "digits", "kind"), rows)


def reference_lines(lookup: Lookup) -> list[ReferenceRow]:
    """Return the references for a parameter set, or their derivatives, computed by all routes, as data."""
    case, values = lookup.case, lookup.values
    result = front.references(case, values, lookup.digits, lookup.derivative, lookup.variant, lookup.seconds)
    units = {q.name: q.unit for q in case.quantities}
    parameters = {p.name: p.unit for p in case.parameters}
    per = [parameters[name] for name in lookup.derivative]
    return [make_reference_row(truth, quantity=name, unit=_per(units[name], per)) for name, truth in result.items()]


def _per(unit: str, others: Sequence[str]) -> str:
    """Write the unit of a derivative."""
    divisors = "".join(f"/({other})" for other in others if other not in ("", "1"))
    return f"({unit or 1}){divisors}" if divisors else unit


def describe_derivative(names: Sequence[str]) -> str:
    """Return what precedes the name of what is differentiated, for a reader; empty where nothing is."""
    order = "second derivatives" if len(names) > 1 else "derivatives"
    return f"{order} with respect to {' and '.join(names)} of " if names else ""


def name_derivative(names: Sequence[str]) -> dict[str, Any]:
    """Return the entry of a document that says to which parameter derivatives are taken, or to which two."""
    return {"derivative": names[0] if len(names) == 1 else list(names)} if names else {}


def _print_reference(lookup: Lookup) -> None:
    """Print the certified values for a parameter set, or their derivatives, with what was proved."""
    # computed before anything is printed: parameters may have no certified reference
    lines = reference_lines(lookup)
    out = console()
    what = describe_derivative(lookup.derivative)
    variant = f", variant {lookup.variant.name}," if lookup.variant else ""
    values = ", ".join(f"{name} = {value}" for name, value in lookup.values.items())
    out.print(Text(f"{what}{lookup.case.name}{variant} with {values}"))
    print_lines(out, lines)


def print_lines(out: Console, lines: Sequence[ReferenceRow]) -> None:
    """Print certified values as a table, and below it how they were obtained."""
    out.print(_reference_table(lines))
    for (first, proof, second), members in ways(lines).items():
        names = ", ".join(line.quantity for line in members)
        confirmed = f"; confirmed by: {second}" if second else ""
        out.print(Text(f"{names}: {first}" + (f" ({proof})" if proof else "") + confirmed))


def ways(lines: Iterable[ReferenceRow]) -> dict[tuple[str, str, str], list[ReferenceRow]]:
    """Return first route, what was proved and what confirmed it, with the references of which that is true."""
    result: dict[tuple[str, str, str], list[ReferenceRow]] = {}
    for line in lines:
        first, *second = line.routes
        result.setdefault((first, line.proved, ", ".join(second)), []).append(line)
    return result


STATED = ("unit", "value", "radius", "digits", "kind", "routes", "proved")


def reference_document(lookup: Lookup) -> dict[str, Any]:
    """Return the certified values for a parameter set, or their derivatives, as data.

    Published values are listed where they were printed for these parameters.
    """
    case, variant, derivative, values = lookup.case, lookup.variant, lookup.derivative, lookup.values
    quantities = []
    for line in reference_lines(lookup):
        printed = {} if derivative else {"published": _printed(case, line.quantity, values)}
        quantities.append({"name": line.quantity, **{name: getattr(line, name) for name in STATED}, **printed})
    return {
        "schema_version": SCHEMA_VERSION,
        "case": case.name,
        **({"variant": variant.name} if variant else {}),
        "parameters": {name: str(value) for name, value in values.items()},
        **name_derivative(derivative),
        "quantities": quantities,
    }


def _of_all_variants(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the documents of several variants as one."""
    shared = {key: documents[0][key] for key in ("schema_version", "case")}
    return {**shared, "variants": [{k: v for k, v in each.items() if k not in shared} for each in documents]}


PRINTED = ("source", "value", "verdict", "truth", "explanation")


def _printed(case: Case, quantity: str, values: Mapping[str, Any]) -> list[dict[str, str]]:
    result = []
    for p in case.published:
        if p.quantity == quantity and case.values({**case.variant(p.variant).changes, **p.at}) == values:
            full = published(case, p)
            result.append(
                {key: str(getattr(full, key)) for key in ("source", "value", "verdict", "truth", "explanation")}
            )
    return result
