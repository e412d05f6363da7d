"""The badge: the verdict in one line, for a README."""

from veridyn.reports import svg
from veridyn.reports.tally import Tally

COLOURS = {"pass": "#00664a", "fail": "#a83600", "error": "#8a1f63", "harness error": "#8a1f63"}
OTHERWISE = "#52606d"
LETTER = 6.6  # width of a letter at this size, generously
NAME = "veridyn"


def render(total: Tally, *, missing: bool, scope: str = "") -> str:
    """Return the badge as SVG: '42/42 checks', red if one failed, ended in an error, or is missing.

    A run that was asked for a part only says so: '42/42 checks, quick profile'.
    """
    words, colour = _words(total, missing=missing)
    right = ", ".join(filter(None, (words, scope.partition(",")[0].lower())))
    widths = [LETTER * len(word) + 14 for word in (NAME, right)]
    parts = [
        f"<title>{NAME}: {right}</title>",
        '<clipPath id="veridyn-badge"><rect width="100%" height="20" rx="3"/></clipPath>',
        '<g clip-path="url(#veridyn-badge)">',
        f'<rect width="{svg.number(widths[0])}" height="20" fill="#3b4651"/>',
        f'<rect x="{svg.number(widths[0])}" width="{svg.number(widths[1])}" height="20" fill="{colour}"/>',
        "</g>",
        svg.text(widths[0] / 2, 14, NAME, _TEXT),
        svg.text(widths[0] + widths[1] / 2, 14, right, _TEXT),
    ]
    return svg.drawing(sum(widths), 20, f"{NAME}: {right}", parts, "badge")


_TEXT = 'fill="#ffffff" font-size="11" text-anchor="middle"'


def _words(total: Tally, *, missing: bool) -> tuple[str, str]:
    if missing:
        return "incomplete", COLOURS["error"]
    if not total.judged and not total.trouble:
        return "nothing judged", OTHERWISE
    asked = total.judged + total.counts["error"] + total.counts["harness error"]
    return f"{total.counts['pass']}/{asked} checks", COLOURS["pass" if not total.trouble else total.verdict]
