"""List the versions of the documentation that lie in a folder: ``python docs/list_versions.py public``.

Each version is a site in a folder of its name. The list, ``versions.json``, is what every page reads for its choice
of versions, pages of older sites as well.
"""

import json
import re
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Write the list; return the exit status."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("name the folder that holds a site per version: python docs/list_versions.py public\n")
        return 2
    folder = Path(arguments[0])
    versions = find_versions(folder)
    if not versions:
        sys.stderr.write(f"{folder}: no folder in it is a site; build one with: sphinx-build docs {folder}/VERSION\n")
        return 2
    (folder / "versions.json").write_text(json.dumps(versions) + "\n", encoding="utf-8")
    return 0


def find_versions(folder: Path) -> list[str]:
    """Return the names of the folders that hold a site, the newest version first, names without a number before all."""
    return sorted((site.parent.name for site in folder.glob("*/objects.inv")), key=_rank, reverse=True)


def _rank(name: str) -> tuple[bool, tuple[int, ...], bool, str]:
    """Order 1.10.0 after 1.9.0, and 1.0.0rc1 before 1.0.0."""
    number = re.match(r"v?(\d+(?:\.\d+)*)", name)
    if number is None:
        return True, (), True, name
    return False, tuple(map(int, number[1].split("."))), number.end() == len(name), name


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
