"""Results on the terminal: tables by rich, plain text in a pipe.

All text of the document goes in as `Text`, never as markup, so that a name in brackets stays a name.
"""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from veridyn.reports import numbers
from veridyn.reports.checks import measure
from veridyn.reports.comparison import score
from veridyn.reports.levels import LevelTable, level_table, sum_of, terms
from veridyn.reports.tally import (
    CAUSES,
    SEVERAL,
    TROUBLE,
    VERDICTS,
    Tally,
    by_layer,
    count_apart,
    flag,
    headline,
    named,
    subject,
    tally,
    worst_first,
)
from veridyn.results import Document, Layer, MessageKind, Record, Value, Verdict, describe_scope, find_gaps
from veridyn.results.cause import Cause
from veridyn.results.causes import explain_failures
from veridyn.results.grouping import group
from veridyn.results.unjudged import list_unjudged_claims

Layout = Literal["brief", "summary", "full"]
Namer = Callable[[Record], str]

LONGEST = 300  # characters of a value
STYLES = {
    Verdict.PASS: "green",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.HARNESS_ERROR: "bold magenta",
    Verdict.EXPECTED_FAILURE: "yellow",
    Verdict.NOT_APPLICABLE: "dim",
}

SHORT = {
    Verdict.EXPECTED_FAILURE: "xfail",
    Verdict.NOT_APPLICABLE: "n/a",
    Verdict.HARNESS_ERROR: "harness",
}
JUDGED = (Verdict.PASS, Verdict.FAIL)
IN_FULL = 30  # failures; of more, one of each cause
SEVERAL_FAILURES = 2  # from which on the causes are listed; a remedy of others stands with each failure


def summary_table(document: Document, console: Console) -> None:
    """Print passed checks per layer and worst margin of each case, variant and scheme, then failures, then totals."""
    console.print(_summary(document))
    _print_comparison(document, console)
    _print_close(document, console)


def full_table(document: Document, console: Console) -> None:
    """Print every check, a table per case, variant and scheme, then failures in full, then totals."""
    name = _namer(document)
    for place, records in _runs(document, name).items():
        console.print(Text(_run_name(*place), style="bold"))
        console.print(_checks(records))
        console.print()
    _print_close(document, console)


def brief(document: Document, console: Console) -> None:
    """Print a line for each failure, then the sentence that sums up."""
    name, results = _namer(document), document.results
    for record in worst_first(record for record in results if record.verdict in TROUBLE):
        console.print(_title(record, name(record)))
    _print_headline(document, console)


LAYOUTS: dict[Layout, Callable[[Document, Console], None]] = {
    "brief": brief,
    "summary": summary_table,
    "full": full_table,
}
"""What is printed of a checked result document, from little to everything; the width of the console decides how."""


def _namer(document: Document) -> Namer:
    """Return how to call what is under test: by its scheme if there is only one solver."""
    runs = count_apart(document)
    alone = runs == 1 and len({record.solver for record in document.results}) == 1
    return lambda record: (alone and record.scheme) or subject(record, runs)


def _runs(document: Document, name: Namer) -> dict[tuple[str, str, str], list[Record]]:
    return group(document.results, lambda record: (record.case, record.variant, name(record)))


def _run_name(case: str, variant: str, name: str) -> str:
    return f"{case}[{variant}] {name}" if variant else f"{case} {name}"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style="bold")


def _summary(document: Document) -> Table:
    """Make a table: how many checks of each layer passed, of how many, then what is no pass."""
    total = tally(document.results)
    layers = list(total.layers)
    others = [verdict for verdict in reversed(VERDICTS) if total.counts[verdict] and verdict not in JUDGED]
    table = _table()
    for title in ("case", "variant", "scheme"):
        table.add_column(title, overflow="fold")
    counted = [SEVERAL.get(layer, str(layer)) for layer in layers]
    counted += [SHORT.get(verdict, str(verdict)) for verdict in others]
    for title in (*counted, "margin"):
        table.add_column(title, justify="right", no_wrap=True)
    previous = ""
    for (case, variant, name), records in _runs(document, _namer(document)).items():
        cells = _cells(tally(records), layers, others)
        table.add_row(Text(case if case != previous else ""), Text(variant), Text(name), *cells)
        previous = case
    return table


def _print_comparison(document: Document, console: Console) -> None:
    """Print a line per subject and a column per case, if there are several solvers and the table fits."""
    if len({record.solver for record in document.results}) < 2:
        return
    table = _comparison(document)
    anywhere = console.options.update(width=10_000)
    if console.measure(table, options=anywhere).maximum <= console.width:
        console.print()
        console.print(table)


def _comparison(document: Document) -> Table:
    """Make a table of passed checks, of all that could be judged, and fewest digits."""
    name = _namer(document)
    scores = group(document.results, lambda record: (name(record), record.case))
    table = _table()
    table.add_column("passed, fewest digits", no_wrap=True)
    cases = list(dict.fromkeys(record.case for record in document.results))
    for case in cases:
        table.add_column(Text(case), justify="right", no_wrap=True)
    for subject_name in dict.fromkeys(place[0] for place in scores):
        table.add_row(Text(subject_name), *(_score(scores.get((subject_name, case), [])) for case in cases))
    return table


def _score(records: list[Record]) -> Text:
    counted, scored = tally(records), score(records)
    asked = counted.judged + counted.counts[Verdict.ERROR] + counted.counts[Verdict.EXPECTED_FAILURE]
    if not asked:
        return Text("n/a" if records else "", style="dim")
    return Text(f"{counted.counts[Verdict.PASS]}/{asked}  {scored.fewest:>4}", style=STYLES[counted.verdict])


def _cells(found: Tally, layers: Iterable[Layer], others: Iterable[Verdict]) -> list[Text]:
    counts = [(found.counts[verdict], verdict) for verdict in others]
    cells = [Text(str(count), style=STYLES[verdict]) if count else Text("") for count, verdict in counts]
    return [*(_passed(found.layers.get(layer)) for layer in layers), *cells, Text(numbers.margin(found.worst))]


def _passed(counts: Mapping[Verdict, int] | None) -> Text:
    """Print how many checks of a layer passed, of how many that were judged: '8', or '7/8' where one failed."""
    judged = counts[Verdict.PASS] + counts[Verdict.FAIL] if counts else 0
    if counts is None or not judged:
        return Text("")
    if counts[Verdict.FAIL]:
        return Text(f"{counts[Verdict.PASS]}/{judged}", style=STYLES[Verdict.FAIL])
    return Text(str(judged), style=STYLES[Verdict.PASS])


def _checks(records: list[Record]) -> Table:
    table = _table()
    table.add_column("", no_wrap=True)
    table.add_column("quantity", overflow="fold")
    for title in ("value", "error", "tolerance", "margin", "LRE"):
        table.add_column(title, justify="right", overflow="fold")
    table.add_column("", no_wrap=True)
    for layer, members in by_layer(records).items():
        table.add_row(Text(layer, style="italic"))
        for record in members:
            table.add_row(*_check_cells(record))
    return table


def _check_cells(record: Record) -> list[Text]:
    cells = (
        record.quantity,
        numbers.value(record.value, 7),
        numbers.error(record.error),
        numbers.tolerance(record.tolerance),
        numbers.margin(record.margin),
        numbers.correct_digits(record.digits),
    )
    verdict = record.verdict
    mark = Text(f" {SHORT.get(verdict, verdict)}", style=STYLES[verdict])
    return [mark, *map(Text, cells), Text(flag(record), style="yellow")]


def _print_close(document: Document, console: Console) -> None:
    """Print what both tables end with."""
    name = _namer(document)
    results = document.results
    trouble = worst_first(record for record in results if record.verdict in TROUBLE)
    explained = explain_failures(document)
    shown = trouble if len(trouble) <= IN_FULL else _choose_failures(trouble, explained)[:IN_FULL]
    listed = explained[:CAUSES] if len(trouble) >= SEVERAL_FAILURES else []
    remedied = {id(record): cause for cause, members in explained[len(listed) :] for record in members if cause.remedy}
    for record in shown:
        console.print()
        _print_failure(record, name(record), remedied.get(id(record)), console)
    console.print()
    if len(trouble) > len(shown):
        console.print(f"and {len(trouble) - len(shown)} further failures: -v lists every check, --json FILE holds all")
    for message in document.messages:
        if message.kind is not MessageKind.CARD:
            console.print(Text(f"Note: {message.sentence}", style="yellow"))
    for text in list_unjudged_claims(document):
        console.print(Text(f"Not judged: {text}", style="yellow"))
    for message in document.messages:
        if message.kind is MessageKind.CARD:
            console.print(Text(f"Deviation: {message.text}", style="red"))
    if listed:
        _print_causes([cause for cause, _ in explained], console)
    _print_headline(document, console)
    _print_totals(tally(results), console)


def _choose_failures(trouble: Sequence[Record], explained: Sequence[tuple[Cause, Sequence[Record]]]) -> list[Record]:
    """Return one failure of each cause, and all faults of the suite itself, which have none."""
    faults = [record for record in trouble if record.verdict is Verdict.HARNESS_ERROR]
    return [*faults, *(members[0] for _, members in explained)]


def _print_causes(causes: Sequence[Cause], console: Console) -> None:
    """Print the causes that explain most failures, each with where to begin."""
    several = len({(cause.solver, cause.scheme) for cause in causes}) > 1
    console.print(Text("Causes, those that explain most first:", style="bold"))
    for number, cause in enumerate(causes[:CAUSES], start=1):
        who = f"{named(cause.solver, cause.scheme)}: " if several else ""
        console.print(_hanging(str(number), f"{who}{cause.text}", console.width))
        if cause.remedy:
            console.print(_hanging("remedy", cause.remedy, console.width))
        console.print(_hanging("first", cause.command, console.width))
    if len(causes) > CAUSES:
        console.print(Text(f"  and {numbers.plural(len(causes) - CAUSES, 'further cause')}", style="dim"))


def _print_failure(record: Record, name: str, cause: Cause | None, console: Console) -> None:
    """Print one failed check, a line for each thing known of it, and its cause where that has a remedy."""
    console.print(_title(record, name))
    remedy = {"cause": cause.text, "remedy": cause.remedy} if cause else {}
    for fact, text in (_facts(record) | remedy).items():
        if text:
            console.print(_hanging(fact, text, console.width))
    table = level_table(record)
    if table:
        console.print(_levels(table))


def _title(record: Record, name: str) -> Text:
    where = _run_name(record.case, record.variant, name)
    title = Text(record.verdict.upper(), style=STYLES[record.verdict])
    return title.append(f"  {where}  {record.quantity} ({record.layer})", style="bold")


def _levels(given: LevelTable) -> Padding:
    """Lay out a level table, indented below what else is known of a check."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for place, title in enumerate(given.head):
        table.add_column(Text(title), justify="right" if place else "left", overflow="fold")
    for row in given.rows:
        table.add_row(*map(Text, row))
    if given.left_out:
        table.add_row(Text(f"and {given.left_out} more", style="dim"))
    return Padding(table, (0, 0, 0, 2))


def _hanging(name: str, text: str, width: int) -> Text:
    """Lay out a named text with a hanging indent."""
    lines = textwrap.wrap(text, max(width, 40), initial_indent=f"  {name:<9}  ", subsequent_indent=" " * 13)
    laid = Text("\n".join(lines))
    laid.stylize("dim", 0, 11)
    return laid


def _facts(record: Record) -> dict[str, str]:
    unit = f" {record.unit}" if record.unit else ""
    tolerance = numbers.tolerance(record.tolerance)
    return {
        "value": _full(record.value, unit),
        "reference": _full(record.reference, unit),
        "error": f"{numbers.error(record.error)} {measure(record)}" if record.error is not None else "",
        "tolerance": tolerance if record.tolerance is not None else "",
        "reason": record.reason,
        "parts": sum_of(terms(record)),
        "detail": record.detail,
    }


def _full(value: Value, unit: str) -> str:
    """Print every digit, and the beginning of a long list of words."""
    text = numbers.full(value)
    return f"{text if len(text) <= LONGEST else f'{text[:LONGEST]}…'}{unit}" if text else ""


def _print_headline(document: Document, console: Console) -> None:
    total, missing = tally(document.results), find_gaps(document)
    said = headline(total, missing, describe_scope(document))
    console.print(Text(said, style=STYLES[Verdict.FAIL if missing else total.verdict]))


def _print_totals(total: Tally, console: Console) -> None:
    console.print(Text(f"{numbers.plural(total.total, 'check')}: {total.words}", style="dim"))
    flags = {"fragile (margin < 2)": total.fragile, "loose (criteria, margin > 1000)": total.loose}
    weak = ", ".join(f"{count} {name}" for name, count in flags.items() if count)
    if weak:
        console.print(Text(weak, style="dim"))
