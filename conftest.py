"""Loads the plugin from the checkout as well as from an installation; one process runs the tests of a file."""

import pytest

pytest_plugins = ["veridyn.validation_cases.core.plugin"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Spread files over processes, if there are several: what the tests of a file share is solved or proved once.

    Stated as an option of every run, that would switch benchmarks off where there is one process.
    """
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadfile"
