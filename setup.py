"""Package list: the four rooms stand at the top of the repository but install under ``veridyn``.

The rest of the configuration is in pyproject.toml. The list is computed here so that a new case
folder is packaged without touching any configuration.

The long description is README.md. A package index has no files beside it, so its links become absolute if
`REPOSITORY_URL` says where they lead; that address is then stated as the one of the project, too.
"""

import os
import re
from pathlib import Path

from setuptools import find_packages, setup

ROOMS = ("references", "solver", "validation_cases", "reports")


def packages() -> list[str]:
    """All import names, outermost first."""
    below = [f"veridyn.{room}.{sub}" for room in ROOMS for sub in find_packages(room)]
    inside = [f"veridyn.{sub}" for sub in find_packages("veridyn")]
    return ["veridyn", *inside, *(f"veridyn.{room}" for room in ROOMS), *below]


def long_description(address: str) -> str:
    """README.md, with absolute links if the address of the repository is known."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    if not address:
        return text
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\1{address}/raw/main/", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?:|#)", rf"\1{address}/blob/main/", text)


ADDRESS = os.environ.get("REPOSITORY_URL", "").rstrip("/")

setup(
    long_description=long_description(ADDRESS),
    long_description_content_type="text/markdown",
    project_urls={"Repository": ADDRESS, "Issues": f"{ADDRESS}/issues"} if ADDRESS else {},
    packages=packages(),
    package_dir={"veridyn": "veridyn", **{f"veridyn.{room}": room for room in ROOMS}},
)
