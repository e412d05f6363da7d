"""A summary in Markdown for the page of a continuous-integration job: verdict, counts, cases, what failed."""

from veridyn.reports.markdown import Lines, escape, table
from veridyn.reports.page import Page

MOST = 50  # failures; the job's log has all


def render(page: Page) -> str:
    """Render what a reader of a job wants to know first.

    GitHub shows what is appended to the file that ``$GITHUB_STEP_SUMMARY`` names.
    """
    mark = "✅" if page.verdict == "pass" else "⚠️" if page.verdict in ("not applicable", "expected failure") else "❌"
    lines = [f"## {mark} {escape(page.headline)}", *_gaps(page), *_cases(page), *_failures(page)]
    return "\n\n".join(lines) + "\n"


def _gaps(page: Page) -> Lines:
    return ["\n".join(f"- {escape(gap)}" for gap in page.gaps)] if page.gaps else []


def _cases(page: Page) -> Lines:
    rows = [(sheet.name, sheet.tally.words, sheet.margin, len(sheet.errata)) for sheet in page.sheets]
    return [table(("Case", "Checks", "Worst margin", "Errata"), rows)] if rows else []


def _failures(page: Page) -> Lines:
    if not page.failures.total:
        return []
    keys = ("verdict", "case", "variant", "layer", "quantity")
    rows = [
        (*(row.record[key] for key in keys), row.subject, row.error, row.tolerance, row.record["detail"])
        for row in page.failures.shown[:MOST]
    ]
    more = page.failures.total - len(rows)
    head = ("Verdict", "Case", "Variant", "Layer", "Quantity", "Subject", "Error", "Tolerance", "Detail")
    return ["### Failures and errors", table(head, rows), *([f"and {more} more"] if more else [])]
