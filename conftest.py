pytest_plugins = ["veridyn.validation_cases.plugin"]
