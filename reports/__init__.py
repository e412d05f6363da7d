"""Reports: what people look at. This room reads recorded results and knows no solver.

>>> from veridyn import reports, results
>>> reports.build(results.read("results.json"), "report")  # doctest: +SKIP
"""

from os import PathLike
from pathlib import Path

from veridyn.results import Document, check

__all__ = ["build"]


def build(document: Document, folder: str | PathLike[str], *, single: bool = False) -> list[Path]:
    """Write a report: its pages, figures, and the results in all formats; see docs/result-schema.md.

    Parameters
    ----------
    document
        A result document; it is checked.
    folder
        Where to write; created if need be. Files of the same names are overwritten.
    single
        Whether index.html holds all pages.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ReportError
        If the document is not valid, the folder cannot be written, or a package is not installed.
    """
    from veridyn.reports.writer import write

    return write(check(document), Path(folder), single=single)
