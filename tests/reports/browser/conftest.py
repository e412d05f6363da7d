"""A headless browser: Chromium or Chrome from `VERIDYN_BROWSER` or the path, driven by Playwright."""

import os
import shutil

import pytest

from veridyn.reports import build
from veridyn.results import convert

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


@pytest.fixture(scope="session")
def browser():
    driver = pytest.importorskip(
        "playwright.sync_api", reason="needs Playwright: tox -e browser, or pip install playwright"
    )
    named = os.environ.get("VERIDYN_BROWSER")
    path = named or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium or Chrome on the path; name one in VERIDYN_BROWSER")
    with driver.sync_playwright() as playwright:
        # containers have no user namespaces for the sandbox, and the page is our own
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(make_document, make_result, tmp_path_factory):
    """A report with every verdict, hostile names, and tables long enough to be filtered."""
    many = [
        make_result(variant=f"a0={n}", margin=1 + n * 7 % 20, error=10.0**-n, wall_time=0.9 / (n + 1))
        for n in range(30)
    ]
    document = make_document()
    many[0]["quantity"] = "long_" * 30
    many[0]["margin"] = 0.5
    document["results"] += many + [result | {"solver": "foreign"} for result in many]
    folder = tmp_path_factory.mktemp("browser") / "report"
    typed = convert(document)
    build(typed, folder, single=True)
    build(typed, folder.with_name("pages"))
    return folder / "index.html"


@pytest.fixture
def opened(browser, report):
    """Open the report; what the browser complains about and asks for is kept on the page object."""
    contexts = []

    def show(file=report, width=1280, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.heard, page.asked = [], []
        page.on("console", lambda message: page.heard.append(message.text))
        page.on("pageerror", lambda error: page.heard.append(str(error)))
        page.on("dialog", lambda dialog: page.heard.append(dialog.message))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(file.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
