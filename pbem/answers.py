"""Answers of the API: what their fields say of themselves in the document's schemas, and those that show a value."""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Meta, Struct

Answer = TypeVar("Answer", bound=Struct)

COMPONENTS = "#/components/schemas/"
SHOWN = ".shown"
OPTIONS_SHOWN = f"Options{SHOWN}"
"""The component of the options of all games, as they are answered."""


def about(description: str) -> Meta:
    """Returns what the schema of a value says it is."""
    return Meta(description=description)


def answer_from(kind: type[Answer], source: object, **more: Any) -> Answer:
    """Returns an answer of this kind: `more` are some of its fields, the others are those of the source by name."""
    same = {name: getattr(source, name) for name in kind.__struct_fields__ if name not in more}
    return kind(**same, **more)


def one_of(words: Sequence[str]) -> Meta:
    """Returns what the schema of a text says that is always one of these words."""
    return Meta(extra_json_schema={"enum": list(words)})


def of_games(component: str, *, or_null: bool = False) -> Meta:
    """Returns what the schema of a value says whose type each game has, in this component."""
    ref = {"$ref": f"{COMPONENTS}{component}"}
    return Meta(extra_json_schema={"anyOf": [ref, {"type": "null"}]} if or_null else ref)
