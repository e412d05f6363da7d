"""The JSON schema of result files, made from the types.

``python -m veridyn.results.schema`` prints it.
"""

import json
from collections.abc import Iterable

import msgspec

from veridyn.results.document import Document

TITLE = "veridyn results, version 2"
DESCRIPTION = (
    "What one or several verification runs found. Additional keys are allowed everywhere: minor versions add, only a "
    "new major version changes or removes. NaN and infinity are null; numbers with more than 17 digits are strings."
)

Schema = dict[str, object]


def make_schema() -> Schema:
    """Return the schema in JSON Schema 2020-12."""
    (document,), parts = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
    definitions = {name: _simplify(part) for name, part in parts.items()}
    _allow_further_texts(definitions["Environment"])
    _allow_plain_messages(definitions["Document"])
    _describe_tags(definitions.values())
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": TITLE, "description": DESCRIPTION}
    return {**head, **document, "$defs": definitions}


def _simplify(node: object) -> object:
    """Write a choice of plain types as a list of types; an integer is a number."""
    if isinstance(node, list):
        return [_simplify(part) for part in node]
    if not isinstance(node, dict):
        return node
    simple = {key: _simplify(part) for key, part in node.items()}
    choices = simple.pop("anyOf", None)
    return simple if choices is None else simple | _merge_choices(choices)


def _merge_choices(choices: object) -> Schema:
    assert isinstance(choices, list)
    types = [choice.get("type") for choice in choices]
    limits = [{key: value for key, value in choice.items() if key != "type"} for choice in choices]
    shared = [limit for kind, limit in zip(types, limits, strict=True) if kind != "null"]
    if not all(isinstance(kind, str) for kind in types) or any(limit != shared[0] for limit in shared):
        return {"anyOf": choices}
    if "array" in types or "object" in types:
        return {"anyOf": choices}
    kinds = [str(kind) for kind in types if kind != "integer" or "number" not in types]
    return {"type": kinds[0] if len(kinds) == 1 else kinds, **shared[0]}


def _allow_further_texts(environment: object) -> None:
    """State the further texts of an environment as they are written: beside the others."""
    assert isinstance(environment, dict)
    del environment["properties"]["further"]
    environment["description"] = "Where and how a run was made; other texts may stand beside these, such as `commit`."


def _describe_tags(definitions: Iterable[object]) -> None:
    """Describe the property that tells types of one place apart: msgspec has no place for its meaning."""
    for part in definitions:
        properties = part.get("properties", {}) if isinstance(part, dict) else {}
        for item in properties.values():
            if "enum" in item and "description" not in item:
                item["description"] = "Which of the types that may stand here this is."


def _allow_plain_messages(document: object) -> None:
    """Allow messages as they were until version 2.2."""
    assert isinstance(document, dict)
    messages = document["properties"]["messages"]
    messages["items"] = {"anyOf": [messages["items"], {"type": "string"}]}


def print_schema() -> str:
    """Return the schema as text."""
    return json.dumps(make_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(print_schema(), end="")
