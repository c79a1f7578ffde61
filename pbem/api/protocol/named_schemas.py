"""The last touch to the schemas of the document: each has a title of its own, and each list of words a name.

Programs that generate clients name their classes by titles, and call what has no name `Status17`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.answers import COMPONENTS
from pbem.api.protocol.generated import Schema

Words = tuple[str, ...]


def name_words(document: dict[str, Any]) -> None:
    """Gives each list of words a component of its own. Call this before the components are split by game."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    names = _names(schemas, document)
    for part in (*document["paths"].values(), *document.get("webhooks", {}).values(), *schemas.values()):
        _refer(part, names)
    for words, name in names.items():
        schemas[name] = {"type": "string", "enum": list(words)}


def finish(document: dict[str, Any]) -> None:
    """Gives each component its name as title, and drops those that nobody refers to."""
    used = _used(document)
    document["components"]["schemas"] = {
        name: {"title": name, **{key: part for key, part in schema.items() if key != "title"}}
        for name, schema in sorted(document["components"]["schemas"].items())
        if name in used
    }


def _names(schemas: Mapping[str, Schema], document: Mapping[str, Any]) -> dict[Words, str]:
    """Returns a name for each list of words: that of its field if it is the only one there, else with the schema's."""
    found: dict[Words, list[tuple[str, str]]] = {}
    for owner, schema in schemas.items():
        for field, inner in schema.get("properties", {}).items():
            for words in _lists(inner):
                found.setdefault(words, []).append((owner, field))
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()) if isinstance(operation, dict) else ():
                for words in _lists(parameter.get("schema", {})):
                    found.setdefault(words, []).append(("", parameter["name"]))
    names: dict[Words, str] = {}
    for words, places in found.items():
        owner, field = places[0]
        game = f"{owner.partition('.')[0]}." if all("." in one for one, _ in places) else ""
        bare = owner.rpartition(".")[2] if "." in owner else owner
        for name in (f"{game}{_pascal(field)}", f"{game}{bare}{_pascal(field)}", f"{game}{bare}{_pascal(field)}Word"):
            if name not in schemas and name not in names.values():
                names[words] = name
                break
    return names


def _pascal(field: str) -> str:
    return "".join(part.title() for part in field.replace("-", "_").split("_"))


def _words(part: Any) -> Words | None:
    """Returns the words of a schema that lists several of them."""
    listed = part.get("enum", ()) if isinstance(part, dict) else ()
    return tuple(sorted(listed)) if len(listed) > 1 and all(isinstance(one, str) for one in listed) else None


def _lists(part: Any) -> Iterator[Words]:
    if (words := _words(part)) is not None:
        yield words
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _lists(inner)


def _refer(part: Any, names: Mapping[Words, str]) -> None:
    """Puts a reference in the place of each list of words within this part of the document."""
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        words = _words(inner)
        if words in names and words is not None:
            inner.pop("type", None)
            del inner["enum"]
            inner["$ref"] = f"{COMPONENTS}{names[words]}"
        _refer(inner, names)


def _used(document: Mapping[str, Any]) -> set[str]:
    """Returns the names of the components to which addresses and webhooks lead."""
    schemas, seen = document["components"]["schemas"], set[str]()
    queue = [document["paths"], document.get("webhooks", {}), document["components"]["responses"]]
    while queue:
        for name in _references(queue.pop()):
            if name not in seen:
                seen.add(name)
                queue.append(schemas[name])
    return seen


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, str) and part.startswith(COMPONENTS):
        yield part.removeprefix(COMPONENTS)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _references(inner)
