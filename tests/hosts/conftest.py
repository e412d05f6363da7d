"""The host solvers, loaded from their files as users load theirs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

HOSTS = Path(__file__).resolve().parents[2] / "examples" / "hosts"


def host(name):
    """Return the module of a host solver."""
    spec = importlib.util.spec_from_file_location(f"hosts_{name}", HOSTS / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def event_driven():
    """The event-driven host solver."""
    return host("event_driven")
