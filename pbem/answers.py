"""What the fields of answers say of themselves, in the schemas of the API's document."""

from collections.abc import Sequence

from msgspec import Meta

COMPONENTS = "#/components/schemas/"
SHOWN = ".shown"
OPTIONS_SHOWN = f"Options{SHOWN}"
"""The component of the options of all games, as they are answered."""


def about(description: str) -> Meta:
    """Returns what the schema of a value says it is."""
    return Meta(description=description)


def one_of(words: Sequence[str]) -> Meta:
    """Returns what the schema of a text says that is always one of these words."""
    return Meta(extra_json_schema={"enum": list(words)})


def of_games(component: str, *, or_null: bool = False) -> Meta:
    """Returns what the schema of a value says whose type each game has, in this component."""
    ref = {"$ref": f"{COMPONENTS}{component}"}
    return Meta(extra_json_schema={"anyOf": [ref, {"type": "null"}]} if or_null else ref)
