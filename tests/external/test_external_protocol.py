"""The page about the protocol: its conversation is real, its program works, its schema fits."""

import json
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import fastjsonschema
import pytest

from veridyn.problem.kinds import problem_from_json
from veridyn.solver.contract import programs as external
from veridyn.validation_cases.judgement.catalogue import all_cases

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-protocol.md").read_text(encoding="utf-8")
SCHEMA = json.loads((Path(external.__file__).parent / "protocol-1.json").read_text(encoding="utf-8"))

HISTORIES = ("displacement", "velocity")


def block(language, mark=""):
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return next(text for text in found if text.startswith(mark))


def conversation():
    """Return [(direction, message)] of the page."""
    parts = re.split(r"^([<>]) ", block("text", "> "), flags=re.MULTILINE)[1:]
    return [(mark, json.loads(text)) for mark, text in zip(parts[::2], parts[1::2], strict=True)]


def definition(message):
    """Return the name of the definition that a message must fit."""
    if "command" in message:
        return message["command"]
    kinds = {"name": "introduction", "not_applicable": "declined", "error": "failed", "response": "answer"}
    return next(kind for key, kind in kinds.items() if key in message)


@cache
def validate(name):
    return fastjsonschema.compile({**SCHEMA, "oneOf": [{"$ref": f"#/definitions/{name}"}]})


@pytest.fixture
def solver(tmp_path):
    """The program of the page, which also writes down what it reads."""
    listens = block("python").replace("    message =", "    open('heard', 'a').write(line)\n    message =")
    (tmp_path / "oscillator.py").write_text(listens, encoding="utf-8")
    found = external.ExternalSolver(shlex.join([sys.executable, "-W", "ignore", "oscillator.py"]), tmp_path)
    yield found
    found.close()


def test_the_conversation_is_real(solver, tmp_path):
    said = conversation()
    heard = []
    for question, answer in zip(said[2::2], said[3::2], strict=False):
        assert (question[0], answer[0]) == (">", "<")
        problem = problem_from_json(json.dumps(question[1]["problem"]))
        try:
            heard.append({"response": solver.solve(problem, question[1]["settings"])})
        except NotImplementedError as declined:
            heard.append({"not_applicable": str(declined)})
    solver.close()
    introduction = {"name": solver.name, "version": solver.version, "capabilities": sorted(solver.capabilities)}
    assert introduction == said[1][1]
    for number, (got, (_, shown)) in enumerate(zip(heard, said[3::2], strict=True), start=1):
        assert shown["id"] == number
        assert got == shown_as_approximate(shown)
    written = [json.loads(line) for line in (tmp_path / "heard").read_text(encoding="utf-8").splitlines()]
    assert written == [message for mark, message in said if mark == ">"]


def shown_as_approximate(shown):
    """Return the answer of the page; other machines round differently."""
    if "response" not in shown:
        return {"not_applicable": shown["not_applicable"]}
    rows = {name: [pytest.approx(row, rel=1e-14) for row in shown["response"][name]] for name in HISTORIES}
    return {"response": {"time": shown["response"]["time"], **rows}}


@pytest.mark.parametrize("message", [message for _, message in conversation()], ids=definition)
def test_the_conversation_fits_the_schema(message):
    validate(definition(message))(message)
    fastjsonschema.compile(SCHEMA)(message)


@pytest.mark.parametrize(
    "message",
    [
        {"command": "begin"},
        {"name": "x", "version": 1, "capabilities": []},
        {"id": "1", "response": {}},
        {"id": 1, "response": {"time": [0, 1], "displacement": [0, None], "velocity": [0, 0]}},
        {"id": 1},
    ],
    ids=str,
)
def test_the_schema_refuses(message):
    with pytest.raises(fastjsonschema.JsonSchemaException):
        fastjsonschema.compile(SCHEMA)(message)


def test_the_problems_of_all_cases_fit_the_schema():
    check = validate("problem")
    for case in all_cases():
        for variant in case.variants[:3]:
            check(json.loads(case.problem(case.values(variant.changes)).to_json()))


def test_the_page_names_every_key():
    named = set(re.findall(r"`(\w+)`", PAGE))
    mechanical, initial = (SCHEMA["definitions"][kind]["properties"] for kind in ("mechanical", "initial value"))
    keys = {*mechanical, *initial, *initial["modes"]["items"]["properties"]}
    keys |= set(initial["modes"]["items"]["properties"]["events"]["items"]["properties"])
    for records in ("stops", "frictions", "supports", "loads"):
        keys |= set(mechanical[records]["items"]["properties"])
    assert keys <= named


def test_the_limits_of_the_page():
    assert external.TIMEOUT_VARIABLE in PAGE
    assert f"{external.SOLVE_TIMEOUT:g} s" in PAGE
    assert f"{external.START_TIMEOUT:g} s" in PAGE
    assert f"{external.LARGEST_ANSWER / 1024**3:g} GB" in PAGE
