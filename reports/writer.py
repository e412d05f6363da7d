"""Writes the files of a report."""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from veridyn.reports import badge, drawing, html, junit, markdown, spreadsheet
from veridyn.reports.against import Comparison
from veridyn.reports.document import Document, digest, gaps, scope
from veridyn.reports.errors import ReportError
from veridyn.reports.page import Page, make_page
from veridyn.reports.studio import studio

AGAINST = "against.md"
STALE = (
    "cases/case-*.html",
    "checks/case-*.html",
    *(f"figures/{stem}-*.*" for stem in ("figure", "work-precision", "case")),
)
"""Names of files that an earlier report in the folder may have and this one may not."""


def write(
    document: Document, folder: Path, compared: Comparison | None = None, *, processes: int = 1, single: bool = False
) -> list[Path]:
    """Write the report of a checked document, and what changed since an earlier run; returns the files.

    ``single`` puts all pages into index.html. Many figures are drawn beside the rest, in so many processes less this
    one. They are spawned: a script that asks for more than one needs ``if __name__ == "__main__":``. Raises ReportError
    if the folder cannot be written or a package is not installed.
    """
    # Everything is rendered before anything is written, so that a failure leaves no half report.
    texts = {folder / name: text for name, text in _render(document, compared, processes, single).items()}
    try:
        written = save_all(texts)
        for stale in (folder / AGAINST, *(file for names in STALE for file in folder.glob(names))):
            if stale not in texts:
                stale.unlink(missing_ok=True)
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from None
    return written


def save_all(texts: Mapping[Path, bytes]) -> list[Path]:
    """Write files beside their places, then put all of them there: a full disk leaves what was there before.

    Raises OSError if one cannot be written.
    """
    parts = {path: path.with_name(f"{path.name}.part") for path in texts}
    try:
        for path, text in texts.items():
            save(parts[path], text)
        return [part.replace(path) for path, part in parts.items()]
    except OSError:
        for part in parts.values():
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        raise


def _render(document: Document, compared: Comparison | None, processes: int, single: bool) -> dict[str, bytes]:
    with studio(processes, drawing.count(document)) as place:
        page = make_page(document, compared, place, single=single)
        results = results_file(document)  # meanwhile the studio draws
        page = replace(page, digest=hashlib.sha256(results).hexdigest())
        texts = {
            "summary.md": markdown.summary(page),
            "results.csv": spreadsheet.results(document["results"]),
            "junit.xml": junit.render(document, gaps(document)),
            "badge.svg": _svg_file(badge.render(page.tally, missing=bool(page.gaps), scope=scope(document))),
        }
        texts |= {AGAINST: markdown.changes(compared)} if compared else {}
        # last, for these wait for the figures
        texts |= dict(html.render(page)) | dict(_drawings(page))
    return {"results.json": results, **{name: _bytes(text) for name, text in texts.items()}}


def results_file(document: Document) -> bytes:
    """Return a checked document as the bytes of its file, with its digest."""
    return _bytes(_json(document | {"digest": digest(document)}))


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _json(document: Document) -> str:
    """Print a document, a record a line: quick to write, and fit for grep."""
    parts = [f'"{key}": {_lines(value)}' for key, value in document.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _ENCODE(value)
    return "[\n" + ",\n".join(map(_ENCODE, value)) + "\n]"


def _drawings(page: Page) -> Iterator[tuple[str, str]]:
    for one in page.drawn:
        yield one.file, _svg_file(one.svg)
        if one.csv:
            yield f"figures/{one.anchor}.csv", one.csv


def _svg_file(drawn: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n{drawn}'


def _bytes(text: str) -> bytes:
    """Encode; half a surrogate pair, which JSON can carry and no file can, becomes a question mark."""
    return text.encode("utf-8", errors="replace")


def save(path: Path, text: bytes) -> Path:
    """Write a file, its folder too if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    return path
