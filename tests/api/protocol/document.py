"""The document of the API, and how answers are held against it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.api.cast import Api, json_of


@pytest.fixture
def document(rest: Api) -> dict[str, Any]:
    found: dict[str, Any] = json_of(rest.caller().get("/openapi.json"))
    return found


def checker(document: dict[str, Any], name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": document["components"]})


def components_reached(document: dict[str, Any], name: str, seen: set[str]) -> set[str]:
    """The component and all those it refers to."""
    if name not in seen:
        seen.add(name)
        reach_from(document, document["components"]["schemas"][name], seen)
    return seen


def reach_from(document: dict[str, Any], part: Any, seen: set[str] | None = None) -> set[str]:
    """All components that this part of the document refers to."""
    seen = set() if seen is None else seen
    for found in json.dumps(part).split('"#/components/schemas/')[1:]:
        components_reached(document, found.partition('"')[0], seen)
    return seen
