"""Results as JUnit XML, which continuous integration servers show as a list of tests."""

from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import quoteattr

from veridyn.reports import svg
from veridyn.reports.levels import level_table
from veridyn.reports.page import is_order
from veridyn.reports.tally import Tally, count_apart, subject, tally
from veridyn.results import Document, Record, Value, Verdict, describe_scope
from veridyn.results.grouping import group


def render(document: Document, gaps: Sequence[str]) -> str:
    """Return a test suite per case and subject, a test case per check; what is missing is an error of its own."""
    runs = count_apart(document)
    suites = group(document.results, lambda record: f"{record.case} · {subject(record, runs)}")
    lines = [line for name, records in suites.items() for line in _suite(name, records)]
    total = tally(document.results)
    name = _quoted(": ".join(filter(None, ("veridyn", describe_scope(document)))))
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={name} {_counts(total, len(gaps))}>'
    return "\n".join([head, *lines, *_missing(gaps), "</testsuites>\n"])


def _counts(total: Tally, missing: int = 0) -> str:
    """Return how checks ended, and those that are missing as errors, as attributes of a suite."""
    counts = total.counts
    errors = counts[Verdict.ERROR] + counts[Verdict.HARNESS_ERROR] + missing
    skipped = counts[Verdict.EXPECTED_FAILURE] + counts[Verdict.NOT_APPLICABLE]
    return f'tests="{total.total + missing}" failures="{counts[Verdict.FAIL]}" errors="{errors}" skipped="{skipped}"'


def _suite(name: str, records: list[Record]) -> Iterator[str]:
    yield f"<testsuite name={_quoted(name)} {_counts(tally(records))}>"
    for record in records:
        yield _check(record)
    yield "</testsuite>"


def _check(record: Record) -> str:
    place = ".".join(filter(None, (record.case, record.variant, record.scheme)))
    spent = f' time="{record.wall_time:.6f}"' if record.wall_time is not None else ""
    name = f"{record.quantity} ({record.layer})"
    result = "".join(_properties(record))
    inside = f"<properties>{result}</properties>{_outcome(record)}" if result else _outcome(record)
    return f"<testcase classname={_quoted(place)} name={_quoted(name)}{spent}>{inside}</testcase>"


def _properties(record: Record) -> Iterator[str]:
    """Yield what a server may plot: digits, margin, observed order, parts of the tolerance, levels."""
    table = level_table(record)
    result: dict[str, Value] = {
        "digits": record.digits,
        "margin": record.margin,
        "observed_order": record.value if is_order(record) else None,
        **{f"term: {name}": value for name, value in record.terms.items()},
        "levels": table.line if table else None,
    }
    for name, value in result.items():
        if value is not None:
            yield f"<property name={_quoted(name)} value={_quoted(str(value))}/>"


TAGS = {Verdict.FAIL: "failure", Verdict.ERROR: "error", Verdict.HARNESS_ERROR: "error"}


def _outcome(record: Record) -> str:
    verdict = record.verdict
    if verdict is Verdict.PASS:
        return ""
    tag = TAGS.get(verdict, "skipped")
    said = record.detail or _measured(record)
    return f"<{tag} message={_quoted(f'{verdict}: {said}')}/>"


def _measured(record: Record) -> str:
    return (
        f"computed {record.value}, reference {record.reference}, {record.error_kind} error {record.error}, "
        f"tolerance {record.tolerance} ({record.reason})"
    )


def _missing(gaps: Iterable[str]) -> Iterator[str]:
    for gap in gaps:
        yield f'<testsuite name="missing" {_counts(tally([]), 1)}>'
        yield f'<testcase classname="missing" name={_quoted(gap)}><error message={_quoted(gap)}/></testcase>'
        yield "</testsuite>"


def _quoted(text: str) -> str:
    return quoteattr(svg.clean(text))
