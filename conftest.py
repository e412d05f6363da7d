"""Loads the plugins from the checkout as well as from an installation; reads every case once."""

import importlib
import sys
from pathlib import Path

import pytest

pytest_plugins = ["veridyn.validation_cases.judgement.plugin", "veridyn.run.claims_plugin"]
CASES = Path(__file__).parent / "validation_cases"


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path: Path) -> None:
    """Let the module of a case be the one that the catalogue imports.

    pytest would name it by its path in the checkout, without ``veridyn``, and so read the case a second time.
    """
    if module_path.is_relative_to(CASES):
        name = ".".join(module_path.relative_to(CASES.parent).with_suffix("").parts)
        sys.modules.setdefault(name, importlib.import_module(f"veridyn.{name}"))
