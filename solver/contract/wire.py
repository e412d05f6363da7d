"""What goes over a pipe between the judge and the process of a solver: a header in JSON, arrays as raw doubles.

Neither side evaluates or unpickles what comes. A frame is the length of its header and of its arrays (two unsigned
integers of eight bytes, little endian), the header, the bytes of the arrays one after another.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from itertools import chain
from numbers import Integral, Real
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

LENGTHS = struct.Struct("<QQ")
LARGEST = 4 * 1024**3  # bytes of a frame: what is larger is no answer
LONGEST_TEXT = 10_000  # characters of what is neither number, text, list, mapping nor array
NUMBERS = "biufc"  # kinds of arrays that go over as they are
ARRAY, PAIRS, OPAQUE, TUPLE, DOUBLES = "$array", "$pairs", "$opaque", "$tuple", "$doubles"
FEWEST_DOUBLES = 32  # numbers of a list that are worth an array; a shorter one is as quick in JSON


class BrokenFrame(ValueError):
    """What came over a pipe is no frame."""


@dataclass(frozen=True)
class Opaque:
    """Stands for an object that does not go over a pipe: the text that it prints."""

    text: str

    def __repr__(self) -> str:
        """Return that text."""
        return self.text


Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Arrays = list[NDArray[np.generic]]

Frame = Sequence[bytes | memoryview]
"""Lengths, header, arrays: to be written one after another."""


def make_frame(content: object) -> Frame:
    """Return the frame of a content; raises RecursionError, ValueError if a content contains itself."""
    arrays: Arrays = []
    header = json.dumps(_pack(content, arrays)).encode()
    lengths = LENGTHS.pack(len(header), sum(array.nbytes for array in arrays))
    return [lengths, header, *(array.data.cast("B") for array in arrays if array.size)]


def write_frame(stream: IO[bytes], frame: Frame) -> None:
    """Write one frame."""
    for part in frame:
        stream.write(part)
    stream.flush()


def read_frame(stream: IO[bytes]) -> object:
    """Read one frame; raises EOFError at the end of the stream or in the middle of a frame, `BrokenFrame`."""
    lengths = LENGTHS.unpack(_read(stream, LENGTHS.size))
    if sum(lengths) > LARGEST:
        raise BrokenFrame(f"a frame of {sum(lengths)} bytes; {LARGEST} are taken at most")
    header, data = (_read(stream, length) for length in lengths)
    try:
        return _Unpacking(memoryview(data)).restore(json.loads(header))
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise BrokenFrame(f"{type(error).__name__}: {error}") from None


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _pack(value: object, arrays: Arrays) -> Json:
    """Return a value as JSON; its arrays are appended to a list."""
    if value is None or (isinstance(value, bool | str | int | float) and type(value) in (bool, str, int, float)):
        return value
    if isinstance(value, np.ndarray):
        return _pack_array(value, arrays)
    if isinstance(value, Mapping):
        return _pack_mapping(value, arrays)
    if isinstance(value, tuple):
        return {TUPLE: [_pack(item, arrays) for item in value]}
    if isinstance(value, list):
        return _pack_list(value, arrays)
    if isinstance(value, set | frozenset):
        return [_pack(item, arrays) for item in sorted(value, key=repr)]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _pack(getattr(value, field.name), arrays) for field in fields(value)}
    return _pack_scalar(value)


def _pack_list(value: list[object], arrays: Arrays) -> Json:
    """Return a list, one of doubles as an array: who answers in plain Python hands over a hundred thousand of them."""
    if not _holds_doubles(value):
        return [_pack(item, arrays) for item in value]
    return {DOUBLES: _pack_array(np.array(value), arrays)}


def _holds_doubles(value: list[object]) -> bool:
    """Tell whether a list is one of doubles, or of equally long lists of them, and long enough."""
    if len(value) < FEWEST_DOUBLES:
        return False
    rows = [row for row in value if type(row) is list]
    if not rows:
        return set(map(type, value)) <= {float, np.float64}
    same = len(rows) == len(value) and len(set(map(len, rows))) == 1
    return same and set(map(type, chain.from_iterable(rows))) <= {float, np.float64}


def _pack_scalar(value: object) -> Json:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Real):
        return float(value)
    return str(value) if isinstance(value, str) else {OPAQUE: describe(value)}


def _pack_mapping(value: Mapping[object, object], arrays: Arrays) -> Json:
    if all(isinstance(key, str) and not key.startswith("$") for key in value):
        return {str(key): _pack(item, arrays) for key, item in value.items()}
    return {PAIRS: [[_pack(key, arrays), _pack(item, arrays)] for key, item in value.items()]}


def _pack_array(value: NDArray[np.generic], arrays: Arrays) -> Json:
    if value.dtype.kind not in NUMBERS:
        return [_pack(item, arrays) for item in value.tolist()] if value.ndim else _pack(value.item(), arrays)
    plain = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    arrays.append(plain)
    return {ARRAY: [plain.dtype.str, list(value.shape)]}


def describe(value: object) -> str:
    """Return the text of an object, whatever its code does, no longer than a reader takes."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the code of a solver may raise anything
        text = f"<{type(value).__name__} that cannot be printed>"
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"


class _Unpacking:
    """Restores what was packed; arrays are taken from the data in the order in which the header names them."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.position = data, 0

    def restore(self, value: object) -> object:
        if isinstance(value, list):
            return [self.restore(item) for item in value]
        if not isinstance(value, dict):
            return value
        if ARRAY in value:
            return self._array(*value[ARRAY])
        if DOUBLES in value:
            return self._array(*value[DOUBLES][ARRAY]).tolist()
        if TUPLE in value:
            return tuple(self.restore(item) for item in value[TUPLE])
        if OPAQUE in value:
            return Opaque(str(value[OPAQUE]))
        if PAIRS in value:
            return {_hashable(self.restore(key)): self.restore(item) for key, item in value[PAIRS]}
        return {key: self.restore(item) for key, item in value.items()}

    def _array(self, kind: str, shape: Sequence[int]) -> NDArray[np.generic]:
        dtype = np.dtype(kind)
        if dtype.kind not in NUMBERS or min(shape, default=0) < 0:
            raise BrokenFrame(f"an array of {kind!r} and shape {shape!r}")
        size = dtype.itemsize * math.prod(shape)
        part = self.data[self.position : self.position + size]
        self.position += size
        return np.frombuffer(part, dtype).reshape(shape).copy()


def _hashable(key: object) -> object:
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key
