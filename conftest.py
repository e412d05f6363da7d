"""Loads the plugin from the checkout as well as from an installation; tests that share work stay in one process."""

import pytest

pytest_plugins = ["veridyn.validation_cases.core.plugin"]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Group tests if there are several processes; stated as an option, that would switch benchmarks off for one too."""
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "loadgroup"
