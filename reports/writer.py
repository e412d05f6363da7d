"""Writes the files of a report."""

import json
from pathlib import Path

from veridyn.reports import html, markdown
from veridyn.reports.document import Document
from veridyn.reports.errors import ReportError
from veridyn.reports.page import Page, make_page

STEMS = ("figure", "work-precision")
"""How the names of drawings begin that another run may not have."""


def write(document: Document, folder: Path) -> list[Path]:
    """Write the report of a checked document and return the files.

    Raises
    ------
    ReportError
        If the folder cannot be written or a package is not installed.
    """
    # Everything is rendered before anything is written, so that a failure leaves no half report.
    texts = _render(document)
    try:
        for stale in (file for stem in STEMS for file in (folder / "figures").glob(f"{stem}-*.svg")):
            stale.unlink()
        return [_write(folder / name, text) for name, text in texts.items()]
    except OSError as error:
        raise ReportError(f"{folder}: cannot be written ({error.strerror}); choose another folder") from None


def _render(document: Document) -> dict[str, str]:
    page = make_page(document)
    return {
        "index.html": html.render(page),
        "report.md": markdown.render(page),
        "results.json": json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n",
        **_drawings(page),
    }


def _drawings(page: Page) -> dict[str, str]:
    drawn = [page.overview, *(one for sheet in page.sheets for one in sheet.drawn)]
    return {one.file: f'<?xml version="1.0" encoding="utf-8"?>\n{one.svg}' for one in drawn if one}


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
