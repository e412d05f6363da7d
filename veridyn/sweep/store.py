"""What a sweep leaves on disk: chunks while it runs, tables when it is done."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from veridyn.inputs import InputError, parse_json, read_text
from veridyn.outputs import replace_file
from veridyn.problem.errors import SolverInputError
from veridyn.sweep.points import sweep_of
from veridyn.sweep.request import Axis, SweepRequest
from veridyn.validation_cases.judgement.sweeping import Columns, Swept

CHUNKS = "chunks"
REQUEST = "request.json"  # which sweep the chunks belong to
CSV_POINTS = 100_000  # above these a CSV file would take longer than the sweep, and no spreadsheet opens it
LARGEST = 1 << 12  # bytes of a quantity at a point: a word of a thousand letters


class Chunks:
    """The chunks of a sweep in a folder of ours, with the hash of the request that they belong to."""

    def __init__(self, work: Path, request: SweepRequest) -> None:
        self.folder = work / CHUNKS
        self.request = request
        self.quantities = sweep_of(request).quantities

    @property
    def manifest(self) -> Path:
        """The file that says which sweep the chunks belong to."""
        return self.folder / REQUEST

    def open(self, *, resume: bool) -> None:
        """Make the folder, or go on with what is in it.

        Raises SolverInputError if there is an unfinished sweep that is not to be resumed, or another one.
        """
        if self.manifest.exists():
            if not resume:
                raise SolverInputError(
                    f"{self.folder} holds an unfinished sweep: --resume goes on with it, another --output starts afresh"
                )
            refuse_other(self.manifest, self.request)
        elif self.folder.exists():  # nobody can say which sweep these chunks belong to
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_file(self.manifest, (json.dumps({"hash": self.request.hash()}) + "\n").encode())

    def missing(self) -> list[int]:
        """Return the chunks that are not there or damaged."""
        return [chunk for chunk in range(self.request.chunks) if self.read(chunk) is None]

    def _file(self, chunk: int) -> Path:
        return self.folder / f"{chunk:06d}.npz"

    def write(self, chunk: int, columns: Columns) -> None:
        """Keep a chunk; it is there wholly or not at all."""
        content = io.BytesIO()
        save_arrays(content, {q.name: columns[q.name] for q in self.quantities})
        replace_file(self._file(chunk), content.getvalue(), durable=False)  # a damaged one is computed again

    def read(self, chunk: int) -> dict[str, NDArray[Any]] | None:
        """Return a chunk; None if it is not there or damaged."""
        first, end = self.request.bounds(chunk)
        try:
            with self._file(chunk).open("rb") as stream:
                _refuse_large(stream, LARGEST * (end - first))
                with np.load(stream, allow_pickle=False) as stored:
                    columns = {q.name: stored[q.name] for q in self.quantities}
        except Exception:  # noqa: BLE001 - whatever a damaged file makes the reader raise: it is computed again
            return None
        return columns if all(_fits(q, columns[q.name], end - first) for q in self.quantities) else None

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
        """Delete the chunks: the table has taken their place.

        The request goes first. Chunks that a kill leaves then belong to nothing, so that no other sweep takes them.
        """
        self.manifest.unlink()
        shutil.rmtree(self.folder)


def refuse_other(file: Path, request: SweepRequest) -> None:
    """Refuse a folder whose sweep is another one; raises `SolverInputError`."""
    try:
        kept = parse_json(read_text(file))["hash"]
    except (InputError, OSError, KeyError, TypeError):
        raise SolverInputError(f"{file} cannot be read; choose another --output") from None
    if kept != request.hash():
        raise SolverInputError(
            f"{file} belongs to another sweep (other ranges, parameters or version); repeat its command with "
            "--resume, or choose another --output"
        )


def _refuse_large(stream: BinaryIO, largest: int) -> None:
    """Raise ValueError if an array of an archive would fill the memory."""
    with zipfile.ZipFile(stream) as archive:
        if max((member.file_size for member in archive.infolist()), default=0) > largest + LARGEST:
            raise ValueError("an array is too large")
    stream.seek(0)


def _fits(quantity: Swept, column: NDArray[Any], points: int) -> bool:
    """Tell whether a column is one of a quantity: its length, its kind, and codes that have a label."""
    if column.shape != (points,):
        return False
    if quantity.labels:
        return column.dtype.kind in "iu" and bool(np.all((column >= 0) & (column < len(quantity.labels))))
    return column.dtype.kind in ("U" if quantity.text else "iuf")


def write_npz(stream: BinaryIO, request: SweepRequest, columns: Columns) -> None:
    """Write axes (c,), fixed parameters (), and quantities in the shape of the grid."""
    arrays: dict[str, NDArray[Any]] = {axis.name: axis.values for axis in request.axes}
    arrays |= {name: np.array(value) for name, value in request.fixed.items()}
    save_arrays(stream, {**arrays, **columns})


def save_arrays(stream: BinaryIO, arrays: Columns) -> None:
    """Write arrays by their names."""
    named: dict[str, Any] = dict(arrays)
    np.savez(stream, **named)


def write_csv(stream: BinaryIO, request: SweepRequest, columns: Columns) -> None:
    """Write a line per point: the swept parameters, then the quantities; what does not exist is left empty."""
    quantities = sweep_of(request).quantities
    heads = [*((axis.name, axis.parameter.unit) for axis in request.axes), *((q.name, q.unit) for q in quantities)]
    rows = zip(
        *_axis_texts(request.axes, request.shape), *(_texts(q, columns[q.name]) for q in quantities), strict=True
    )
    header = ",".join(_head(name, unit) for name, unit in heads)
    stream.write(f"{header}\n".encode())
    stream.writelines((",".join(row) + "\n").encode() for row in rows)


def _head(name: str, unit: str) -> str:
    text = f"{name} [{unit}]" if unit not in ("", "1") else name
    return f'"{text}"' if "," in text else text  # stiffness[1,1]


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
