"""Loads the plugin from the checkout as well as from an installation."""

pytest_plugins = ["veridyn.validation_cases.judgement.plugin"]
