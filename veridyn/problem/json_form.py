"""The JSON form of what problems are made of."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from veridyn.problem.sparse import is_sparse, to_entries

KEPT: Mapping[str, Any] = {"json": False}
"""Metadata of a field that the JSON form leaves out."""


@singledispatch
def json_form(value: Any) -> Any:
    """Return a value in its JSON form: records and mappings as objects, arrays and tuples as lists."""
    if value is None or isinstance(value, str | float | int):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_sparse(value):
        return to_entries(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [json_form(item) for item in value]
    if isinstance(value, Mapping):
        return {name: json_form(item) for name, item in value.items()}
    return fields_of(value) if is_dataclass(value) else value


def fields_of(record: Any, without: Container[str] = ()) -> dict[str, Any]:
    """Return the fields of a record in their JSON form, but for some."""
    names = (each.name for each in fields(record) if each.metadata.get("json", True))
    return {name: json_form(getattr(record, name)) for name in names if name not in without}
