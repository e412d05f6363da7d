"""The choice of versions on the pages of the documentation, and the list that it reads."""

import json
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import list_versions
import pytest

SCRIPT = Path(list_versions.__file__).parent / "style" / "versions.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAGE = """<!DOCTYPE html><html data-content_root="../"><head><script src="../versions.js"></script></head>
<body><a class="sidebar-brand">veridyn</a></body></html>"""


@pytest.fixture
def sites(tmp_path):
    """Return a folder with four versions of a site that has one page."""
    for version in ("1.9.0", "1.10.0", "1.10.0rc1", "latest"):
        page = tmp_path / version / "deep" / "page.html"
        page.parent.mkdir(parents=True)
        page.write_text(PAGE, encoding="utf-8")
        shutil.copy(SCRIPT, tmp_path / version)
        (tmp_path / version / "objects.inv").touch()
    (tmp_path / "no site").mkdir()
    return tmp_path


def test_versions_are_listed_the_newest_first(sites):
    assert list_versions.main([str(sites)]) == 0
    assert json.loads((sites / "versions.json").read_text()) == ["latest", "1.10.0", "1.10.0rc1", "1.9.0"]


def test_a_folder_without_sites_is_refused(tmp_path, capsys):
    assert list_versions.main([str(tmp_path)]) == 2
    assert "no folder in it is a site" in capsys.readouterr().err


@pytest.mark.skipif(CHROMIUM is None, reason="needs a Chromium of the system")
def test_a_page_offers_the_versions_and_shows_its_own(sites):
    list_versions.main([str(sites)])
    handler = partial(SimpleHTTPRequestHandler, directory=str(sites))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/1.9.0/deep/page.html"
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom"]
        shown = subprocess.run([*command, address], capture_output=True, text=True, timeout=120, check=True).stdout
        server.shutdown()
    assert shown.count("<option") == 4
    assert '<option value="1.9.0" selected="">' in shown
    assert '<a class="sidebar-brand">veridyn</a><select class="versions"' in shown
