"""Package list: the four rooms stand at the top of the repository but install under ``veridyn``.

The rest of the configuration is in pyproject.toml. The list is computed here so that a new case
folder is packaged without touching any configuration.
"""

from setuptools import find_packages, setup

ROOMS = ("references", "solver", "validation_cases", "reports")


def packages() -> list[str]:
    """All import names, outermost first."""
    below = [f"veridyn.{room}.{sub}" for room in ROOMS for sub in find_packages(room)]
    inside = [f"veridyn.{sub}" for sub in find_packages("veridyn")]
    return ["veridyn", *inside, *(f"veridyn.{room}" for room in ROOMS), *below]


setup(
    packages=packages(),
    package_dir={"veridyn": "veridyn", **{f"veridyn.{room}": room for room in ROOMS}},
)
