"""Readers of single arguments of the command line: numbers, durations, names, places."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from pathlib import Path


def whole(least: int) -> Callable[[str], int]:
    """Return a reader of whole numbers."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {number}")
        return number

    return read


def seconds(text: str) -> float:
    """Read a duration."""
    try:
        duration = float(text)
    except ValueError:
        duration = math.nan
    if not 0 < duration < math.inf:
        raise argparse.ArgumentTypeError(f"must be a positive number of seconds, got {text!r}")
    return duration


UNITS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


def duration(text: str) -> float:
    """Read a duration with its unit: 90s, 10min, 2h; without one it is in seconds."""
    match = re.fullmatch(r"\s*([0-9.]+)\s*(s|min|h|)\s*", text)
    if not match:
        raise argparse.ArgumentTypeError(f"must be a duration such as 90s, 10min or 2h, got {text!r}")
    return seconds(match[1]) * UNITS[match[2]]


def named(text: str) -> str:
    """Read a text that must not be empty, as from a variable of a shell that is not set."""
    if not text:
        raise argparse.ArgumentTypeError("needs a name, got nothing")
    return text


def place(text: str) -> Path:
    """Read the name of a file or folder."""
    return Path(named(text))
