"""What a sweep leaves on disk: chunks while it runs, tables when it is done."""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridyn.problem.errors import SolverInputError
from veridyn.run.journal import whole
from veridyn.sweep.points import sweep_of
from veridyn.sweep.request import Axis, SweepRequest
from veridyn.validation_cases.judgement.sweeping import Columns, Swept

CSV_POINTS = 100_000  # above these a CSV file would take longer than the sweep, and no spreadsheet opens it
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, ValueError)  # what a damaged chunk may raise


class Chunks:
    """The chunks of a sweep in a folder of their own, with the hash of the request that they belong to."""

    def __init__(self, folder: Path, request: SweepRequest) -> None:
        self.folder = folder / "chunks"
        self.request = request
        self.quantities = sweep_of(request).quantities

    def open(self, *, resume: bool) -> None:
        """Make the folder, or go on with what is in it.

        Raises SolverInputError if there is an unfinished sweep that is not to be resumed, or another one.
        """
        manifest = self.folder / "request.json"
        if manifest.exists():
            if not resume:
                raise SolverInputError(
                    f"{self.folder.parent} holds an unfinished sweep: --resume goes on with it, "
                    "another --output starts afresh"
                )
            refuse_other(manifest, self.request)
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole(manifest) as part:
            part.write_text(json.dumps({"hash": self.request.hash()}) + "\n", encoding="utf-8")

    def missing(self) -> list[int]:
        """Return the chunks that are not there or damaged."""
        return [chunk for chunk in range(self.request.chunks) if self.read(chunk) is None]

    def _file(self, chunk: int) -> Path:
        return self.folder / f"{chunk:06d}.npz"

    def write(self, chunk: int, columns: Columns) -> None:
        """Keep a chunk; it is there wholly or not at all."""
        with whole(self._file(chunk)) as part, part.open("wb") as stream:
            _save(stream, {q.name: columns[q.name] for q in self.quantities})

    def read(self, chunk: int) -> dict[str, NDArray[Any]] | None:
        """Return a chunk; None if it is not there or damaged."""
        first, end = self.request.bounds(chunk)
        try:
            with self._file(chunk).open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
                columns = {q.name: kept[q.name] for q in self.quantities}
        except BROKEN:
            return None
        return columns if all(column.shape == (end - first,) for column in columns.values()) else None

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return all quantities in the shape of the grid; raises `SolverInputError` if a chunk was lost meanwhile."""
        parts = [self.read(chunk) for chunk in range(self.request.chunks)]
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            raise SolverInputError(
                f"chunks in {self.folder} were lost while the sweep ran: --resume computes them again"
            )
        shape = self.request.shape
        return {q.name: np.concatenate([part[q.name] for part in whole]).reshape(shape) for q in self.quantities}

    def remove(self) -> None:
        """Delete the chunks: the table has taken their place."""
        shutil.rmtree(self.folder)


def refuse_other(file: Path, request: SweepRequest) -> None:
    """Refuse a folder whose sweep is another one; raises `SolverInputError`."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))["hash"]
    except (ValueError, KeyError, TypeError):
        raise SolverInputError(f"{file} cannot be read; choose another --output") from None
    if kept != request.hash():
        raise SolverInputError(
            f"{file} belongs to another sweep (other ranges, parameters or version); repeat its command with "
            "--resume, or choose another --output"
        )


def write_npz(file: Path, request: SweepRequest, columns: Columns) -> None:
    """Write axes (c,), fixed parameters (), and quantities in the shape of the grid."""
    arrays: dict[str, NDArray[Any]] = {axis.name: axis.values for axis in request.axes}
    arrays |= {name: np.array(value) for name, value in request.fixed.items()}
    with whole(file) as part, part.open("wb") as stream:
        _save(stream, {**arrays, **columns})


def _save(stream: Any, arrays: Columns) -> None:
    named: dict[str, Any] = dict(arrays)
    np.savez(stream, **named)


def write_csv(file: Path, request: SweepRequest, columns: Columns) -> None:
    """Write a line per point: the swept parameters, then the quantities; what does not exist is left empty."""
    quantities = sweep_of(request).quantities
    heads = [*((axis.name, axis.parameter.unit) for axis in request.axes), *((q.name, q.unit) for q in quantities)]
    rows = zip(
        *_axis_texts(request.axes, request.shape), *(_texts(q, columns[q.name]) for q in quantities), strict=True
    )
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(",".join(f"{name} [{unit}]" if unit not in ("", "1") else name for name, unit in heads) + "\n")
        stream.writelines(",".join(row) + "\n" for row in rows)


def _axis_texts(axes: tuple[Axis, ...], shape: tuple[int, ...]) -> Iterator[list[str]]:
    for place, axis in zip(np.indices(shape, sparse=True), axes, strict=True):
        texts = np.array([repr(float(value)) for value in axis.values])
        yield np.broadcast_to(texts[place], shape).ravel().tolist()


def _texts(quantity: Swept, column: NDArray[Any]) -> list[str]:
    if quantity.labels:
        return [quantity.labels[code] for code in column.ravel().tolist()]
    if quantity.text:
        return [str(word) for word in column.ravel().tolist()]
    return ["" if text == "nan" else text for text in map(repr, column.ravel().tolist())]
