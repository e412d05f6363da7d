"""Readers of texts from outside end with their own errors, whatever the text is, and in a bounded time.

Texts that once ended a command otherwise lie in ``texts``; each goes through each reader, and others are made of them.
`tox -e fuzz` goes on making others for as many minutes as VERIDYN_FUZZ says, an equal share for each reader.
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veridyn.cli.commands import changes
from veridyn.files.tables import read_table
from veridyn.inputs import InputError, parse_fraction, parse_json, parse_toml
from veridyn.problem.errors import ProblemError, SolverInputError
from veridyn.problem.expressions import read
from veridyn.problem.kinds import problem_from_json
from veridyn.references import ParameterError
from veridyn.references.problems.queries import read_query
from veridyn.reports.timing import read_timing
from veridyn.results import ReportError
from veridyn.results import read as read_results
from veridyn.run.baseline import read_baseline
from veridyn.run.journal import Journal
from veridyn.validation_cases.judgement.expected import read_expectations
from veridyn.validation_cases.judgement.subject import read_request
from veridyn.validation_cases.judgement.tolerances import read_requirement

MINUTES = float(os.environ.get("VERIDYN_FUZZ", "0"))  # for all readers together
EXAMPLES = 500 if MINUTES else 40  # a round
LONGEST = 10  # s, for a text of some thousand characters
TEXTS = sorted((Path(__file__).parent / "texts").iterdir())
TOKENS = [
    *"[]{}(),:;\"'\\\n\t\0\x1b=+-*/.^|#@ ", *"0123456789", "1e999", "**", "e", "null", "NaN", "\\ud800", "\\u", "true",
    "sin(", "exp(", "pi", "x", "order=", "digits=", "largest ", "@end", "count ", "kind", "mass",
    "\ufeff", "\ud800", "é", "²",
]  # fmt: skip

READERS_OF_TEXT = {
    "expression": (lambda text: read("rhs", text, ("x",)), ProblemError),
    "fraction": (parse_fraction, (ValueError, ZeroDivisionError)),
    "JSON": (parse_json, InputError),
    "TOML": (parse_toml, InputError),
    "problem": (problem_from_json, ProblemError),
    "query": (read_query, ParameterError),
    "requirement": (read_requirement, SolverInputError),
    "claim": (lambda text: read_request(claims=[text]), SolverInputError),
    "refinement": (lambda text: read_request(refine=text), SolverInputError),
    "change": (lambda text: changes([text]), SolverInputError),
}


def take_in(file):
    """Go on with a journal that a file stands in for."""
    work = file.parent / "work"
    work.mkdir(exist_ok=True)
    (work / "journal").write_bytes(file.read_bytes())
    journal = Journal(work, {"cases": []}, lambda entry: entry["record"])
    try:
        journal.begin(resume=True)
    finally:
        journal.close()


READERS_OF_FILES = {
    "table": (read_table, SolverInputError),
    "baseline": (read_baseline, SolverInputError),
    "results": (lambda file: read_results([file]), ReportError),
    "timing": (read_timing, ReportError),
    "expected failures": (read_expectations, SolverInputError),
    "journal": (take_in, ReportError),
}


@contextlib.contextmanager
def limited(seconds=LONGEST):
    """Raise TimeoutError in what takes longer."""
    if sys.platform == "win32":
        yield
        return

    def expire(*_):
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def try_reader(reader, errors, content):
    with limited(), contextlib.suppress(*errors if isinstance(errors, tuple) else (errors,)):
        reader(content)


def try_each(name, readers, contents):
    """Give a reader every content, by the name of its text, which a failure shows."""
    for text, content in contents.items():
        try:
            try_reader(*readers[name], content)
        except Exception as error:
            error.add_note(f"reading {text}")
            raise


@pytest.mark.parametrize("name", READERS_OF_TEXT)
def test_texts_that_once_ended_a_command(name):
    try_each(name, READERS_OF_TEXT, {file.name: file.read_text(encoding="utf-8") for file in TEXTS})


@pytest.mark.parametrize("name", READERS_OF_FILES)
def test_files_that_once_ended_a_command(name, tmp_path):
    copies = {file.name: tmp_path / file.name / file.name for file in TEXTS}  # a reader may write beside what it reads
    for file in TEXTS:
        copies[file.name].parent.mkdir()
        copies[file.name].write_bytes(file.read_bytes())
    try_each(name, READERS_OF_FILES, copies)


@st.composite
def texts(draw):
    """Texts that are free, of tokens, or one that lies here with some of its parts changed."""
    if draw(st.booleans()):
        return "".join(draw(st.lists(st.sampled_from(TOKENS) | st.text(max_size=3), max_size=30)))
    text = draw(st.sampled_from([file.read_text(encoding="utf-8") for file in TEXTS]))
    for _ in range(draw(st.integers(1, 4))):
        first, last = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        middle = draw(st.sampled_from(["", text[first:last] * 2, *TOKENS]))
        text = text[:first] + middle + text[last:]
    return text


def go_on(make_round):
    """Make rounds of fresh texts until the time of a reader is over; one at least."""
    share = 60.0 * MINUTES / (len(READERS_OF_TEXT) + len(READERS_OF_FILES))
    begin, rounds = time.monotonic(), 0
    while not rounds or time.monotonic() - begin < share:
        make_round()
        rounds += 1
    print(f"{rounds * EXAMPLES} texts")


@pytest.mark.parametrize("name", READERS_OF_TEXT)
def test_any_text(name):
    @settings(max_examples=EXAMPLES)
    @given(text=texts())
    def make_round(text):
        try_reader(*READERS_OF_TEXT[name], text)

    go_on(make_round)


@pytest.mark.parametrize("name", READERS_OF_FILES)
def test_any_file(name, tmp_path):
    file = tmp_path / "file"

    @settings(max_examples=EXAMPLES)
    @given(content=texts().map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=200))
    def make_round(content):
        file.write_bytes(content)
        try_reader(*READERS_OF_FILES[name], file)

    go_on(make_round)
