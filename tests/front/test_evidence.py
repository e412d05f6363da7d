"""Results held against the installed library, and signed: what reading alone cannot see."""

import json
import math
import shutil
import subprocess
from decimal import Decimal, localcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from veridyn.results import compute_checksum, read
from veridyn.run.execution import Findings
from veridyn.run.fingerprints import mark_solver


@pytest.fixture
def document(right):
    """Results of a right solver, as its file has them."""
    return json.loads(right)


@pytest.fixture
def save(tmp_path):
    """Write results with a fitting checksum."""

    def write(document):
        file = tmp_path / "results.json"
        file.write_text(json.dumps(document | {"digest": compute_checksum(document)}), encoding="utf-8")
        return file

    return write


def count(records):
    """Return the number of results by verdict."""
    verdicts = [record["verdict"] for record in records]
    return {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}


def move_reference(document, factor):
    """Change the first reference in sheet and check alike, and all that follows; return the name of the quantity."""
    rows = {row["quantity"]: row for row in document["cases"][0]["references"]}
    record = next(r for r in document["results"] if r["quantity"] in rows and r["error_kind"] == "relative")
    row = rows[record["quantity"]]
    with localcontext(prec=60):
        moved = Decimal(record["reference"]) * Decimal(factor)
        text = f"{moved:.{record['reference_digits'] - 1}e}"
        share = abs(Decimal(record["value"]) - Decimal(text)) / abs(Decimal(text))
    row["value"] = record["reference"] = text
    size = 1.0 if record["error_kind"] == "relative" else abs(float(text))
    record["error"] = float(share) * size
    record["digits"], record["margin"] = -math.log10(share), record["tolerance"] / record["error"]
    return record["quantity"]


def test_what_a_run_writes_agrees_with_the_library(veridyn, document, save):
    seen = veridyn("report", save(document), "--verify")
    assert seen.status == 0
    judged = sum(r["verdict"] != "not applicable" for r in document["results"])
    assert f"and {judged} results agree with the installed library" in seen.out


def test_a_reference_that_was_moved_everywhere_alike_is_seen(veridyn, document, save):
    name = move_reference(document, "1.0001")
    file = save(document)
    read(file)
    seen = veridyn("report", file, "--verify")
    assert seen.status == 2
    assert "the results are not what the library makes of them" in seen.err
    assert name in seen.err


def test_a_check_that_was_cut_from_the_plan_too_is_seen(veridyn, document, save):
    gone = document["results"].pop(0)
    (entry,) = (e for e in document["plan"] if gone["id"] in e["checks"])
    entry["checks"].remove(gone["id"])
    document |= {"planned": len(document["results"]), "counts": count(document["results"])}
    file = save(document)
    read(file)
    seen = veridyn("report", file, "--verify")
    assert seen.status == 2
    assert gone["id"] in seen.err


def test_a_solver_that_was_changed_since_is_named(veridyn, document, save, foreign):
    path = Path(foreign("Foreign").rpartition(":")[0])
    before = path.read_text(encoding="utf-8")
    try:
        path.write_text(before + "# another one\n", encoding="utf-8")
        seen = veridyn("report", save(document), "--verify")
    finally:
        path.write_text(before, encoding="utf-8")
    assert seen.status == 2
    assert "its files here are not those that were judged" in seen.err


def test_the_hash_of_a_solver_is_of_the_modules_that_it_imports_but_not_of_the_suite(tmp_path):
    texts = {
        "mine.py": "import numpy, helper, parts, veridyn",
        "helper.py": "from mine import SOLVER; import further",
        "further.py": "import parts.one",
        "parts/__init__.py": "",
        "parts/one.py": "from parts import two; import last",
        "parts/two.py": "",
        "last.py": "",
        "veridyn/__init__.py": "import aside",
        "aside.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    mark = mark_solver(f"{tmp_path / 'mine.py'}:SOLVER", "mine")
    assert mark.files == tuple(sorted(set(texts) - {"veridyn/__init__.py", "aside.py"}))


def test_the_hash_of_a_package_is_of_what_was_written_not_of_what_was_made_of_it(tmp_path, monkeypatch):
    written = ("written/__init__.py", "written/data.json", "written/parts/one.py")
    for name in (*written, "written/__init__.pyc", "written/__pycache__/one.py", "written/parts/one.nbi"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "written" / "lost").symlink_to(tmp_path / "nowhere")
    monkeypatch.syspath_prepend(tmp_path)
    assert mark_solver("written:SOLVER", "mine").files == written


def test_without_a_plan_nothing_is_verified(veridyn, document, save):
    seen = veridyn("report", save(document | {"plan": None}), "--verify")
    assert (seen.status, "state no plan" in seen.err) == (2, True)


# ---- signatures

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def keys(tmp_path):
    """Make a key, and the list that allows it."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    public = (tmp_path / "key.pub").read_text(encoding="utf-8").split()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"me@example.org {public[0]} {public[1]}\n", encoding="utf-8")
    return key, allowed


@needs_ssh
def test_results_are_signed_and_the_page_says_by_whom(veridyn, document, save, keys, tmp_path):
    key, allowed = keys
    file, page = save(document), tmp_path / "page"
    assert veridyn("sign", file, "--key", key).status == 0
    seen = veridyn("check-signature", file, "--signers", allowed)
    assert (seen.status, "is signed by me@example.org, key SHA256:" in seen.out) == (0, True)
    assert veridyn("report", file, "--signers", allowed, "--output", page).status == 0
    assert "signed by me@example.org" in (page / "index.html").read_text(encoding="utf-8")
    unchecked = tmp_path / "unchecked"
    veridyn("report", file, "--output", unchecked)
    assert "has a signature, which was not checked" in (unchecked / "index.html").read_text(encoding="utf-8")


@needs_ssh
def test_one_byte_more_loses_the_signature(veridyn, document, save, keys):
    key, allowed = keys
    file = save(document)
    veridyn("sign", file, "--key", key)
    file.write_bytes(file.read_bytes() + b"\n")
    seen = veridyn("check-signature", file, "--signers", allowed)
    assert (seen.status, "its signature does not fit" in seen.err) == (2, True)


@needs_ssh
def test_a_key_that_nobody_allowed_signs_nothing(veridyn, document, save, keys, tmp_path):
    key, allowed = keys
    file = save(document)
    veridyn("sign", file, "--key", key)
    allowed.write_text(allowed.read_text(encoding="utf-8")[:-20] + "A" * 19 + "\n", encoding="utf-8")
    assert veridyn("check-signature", file, "--signers", allowed).status == 2
    missing = veridyn("check-signature", file, "--signers", tmp_path / "none")
    assert (missing.status, "no such file" in missing.err) == (2, True)


@needs_ssh
def test_what_contradicts_itself_is_not_signed(veridyn, document, save, keys):
    key, _ = keys
    next(r for r in document["results"] if r["layer"] == "criterion")["margin"] = 1e9
    seen = veridyn("sign", save(document), "--key", key)
    assert (seen.status, "has margin 1000000000.0" in seen.err) == (2, True)


@pytest.fixture(scope="module")
def moved(veridyn, foreign):
    """Results with a copy at moved parameters, as their file has them."""
    named = ("run", "sdnd101", "--variant", "2-shocks", "--solver", foreign("Foreign"))
    return json.loads(veridyn(*named, "--seed", "3", "--json", "-").out)


def test_copies_at_moved_parameters_agree_with_the_library(veridyn, moved, save):
    (copy,) = (r for r in moved["results"] if r["quantity"] == "moved_copy")
    assert copy["verdict"] == "pass"
    assert "Seed 3: m=" in copy["detail"]
    assert moved["solvers"][0]["seed"] == 3
    assert any("--seed 3" in message["text"] for message in moved["messages"])
    assert veridyn("report", save(moved), "--verify").status == 0


def test_another_seed_than_that_of_the_copies_is_seen(veridyn, moved, save):
    document = json.loads(json.dumps(moved))
    document["solvers"][0]["seed"] = 4
    seen = veridyn("report", save(document), "--verify")
    assert seen.status == 2
    assert "moved_copy: has true value of" in seen.err


def test_a_run_that_goes_on_moves_parameters_as_it_did_before():
    begun, resumed = Findings([[]], seed=3), Findings([[]], seed=4)
    kept = []
    begun.journal = SimpleNamespace(keep=kept.append)
    assert begun.keep_seed() == 3
    resumed.take(kept[0])
    assert resumed.keep_seed() == 3
