"""SDND121: figures."""
from collections.abc import Iterator
from typing import Any
def figures(case: Any, subject: Any, bench: Any) -> Iterator[dict[str, Any]]:
    yield from ()
