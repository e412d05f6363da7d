"""Links between Markdown files lead somewhere, anchors included."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/*.md")})
GENERATED = "generated/"  # made and checked when the site is built
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def prose(page):
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page):
    """Anchors as GitHub makes them: lower case, spaces to hyphens, punctuation gone."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links():
    for page in PAGES:
        for target in LINK.findall(prose(page)):
            if "://" not in target and not target.startswith(GENERATED):
                yield page, target


def resolves(page, target):
    name, _, anchor = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    return file.exists() and (not anchor or anchor in anchors(file))


def test_links_resolve():
    assert [(page.name, target) for page, target in links() if not resolves(page, target)] == []


def test_index_names_every_page():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    named = {line for tree in re.findall(r"```{toctree}.*?```", index, flags=re.DOTALL) for line in tree.splitlines()}
    assert {page.stem for page in ROOT.glob("docs/*.md")} - {"index"} <= named


ROOMS = "references|solver|validation_cases|reports|veridyn|tests|docs|examples"
NAMED = re.compile(rf"`((?:{ROOMS})/[\w./]+)`")
MADE = {
    "references/problems/struck_oscillator.py",
    "validation_cases/mechanics/test_struck.py",
}  # by who follows a page


def test_files_that_pages_name_are_there():
    names = ((page, name) for page in PAGES if page.name != "CHANGELOG.md" for name in NAMED.findall(prose(page)))
    assert [(page.name, name) for page, name in names if name not in MADE and not (ROOT / name).exists()] == []
