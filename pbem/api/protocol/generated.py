"""The schemas of the OpenAPI document that are made by program.

In the document a game's types carry its slug (`hogen.Call`); `hogen.Move` and `hogen.Event` are unions of them by
`type`, `Move` and `Event` unions over all games. Request types are closed: an unknown field is refused. Answer types
are open: fields may be added. A type that is both (`hogen.Guess`) has an open twin (`hogen.Guess.shown`).

A component that names its `game` and holds types of a game (`NewMatch`, `MatchSheet`, `Events`, …) becomes a union of
`<slug>.NewMatch` and so on, by `game`, so that a generated client knows every game's own types. In the end each schema
has a title of its own, and each list of words a name: programs that generate clients name their classes by them.
"""

from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

import msgspec

from pbem.answers import COMPONENTS, OPTIONS_SHOWN, SHOWN
from pbem.kit.contract import AnyGame
from pbem.kit.logs.entries import SealedEntry
from pbem.kit.replay import TABLE_EVENTS

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TABLE = "table."
ENTRY = (
    "An event in its envelope. `n` counts from 1; `key` is the ask it answers, null for the table's own. `sealed` has "
    "the seal of each value that not everybody may see, by its path, the same for everybody; `salts` has the salts of "
    "those that the caller sees."
)


def _references(types: Iterable[Any], place: str, prefix: str) -> tuple[dict[str, str], dict[str, Schema]]:
    """Returns references by class name, and the schemas they lead to by prefixed name."""
    listed = list(types)
    refs, schemas = msgspec.json.schema_components(listed, ref_template=f"{place}{prefix}{{name}}")
    return (
        {kind.__name__: ref["$ref"] for kind, ref in zip(listed, refs, strict=True)},
        {f"{prefix}{name}": trim(schema) for name, schema in schemas.items()},
    )


def trim(schema: Any) -> Any:
    """Returns the schema without examples and indentation of docstrings: Python strips that itself from 3.13 on."""
    match schema:
        case dict():
            return {
                key: cleandoc(part).partition("\n\n>>>")[0] if key == "description" and isinstance(part, str)
                else trim(part)
                for key, part in schema.items()
            }  # fmt: skip
        case list():
            return [trim(part) for part in schema]
    return schema


def _one_of(refs: Mapping[str, str]) -> Schema:
    return {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": dict(refs)},
    }


def extensible(schema: Any, renamed: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Returns the open form of a schema: fields may be added; its references use the new names."""
    match schema:
        case dict():
            kept = {k: v for k, v in schema.items() if (k, v) != ("additionalProperties", False)}
            return {k: renamed.get(v, v) if k == "$ref" else extensible(v, renamed) for k, v in kept.items()}
        case list():
            return [extensible(part, renamed) for part in schema]
    return schema


def game_schemas(game: AnyGame) -> dict[str, Schema]:
    """Returns the game's schemas, each a JSON Schema document: options, moves, events, state."""
    meta = game.meta
    place = "#/$defs/"
    out = {}
    for name, types in (("moves", meta.moves), ("events", (*meta.events, *TABLE_EVENTS))):
        refs, defs = _references(types, place, "")
        out[name] = {"$schema": DIALECT, **_one_of(refs), "$defs": defs}
    out["events"] = extensible(out["events"])
    for name, single in (("options", meta.options), ("state", meta.state)):
        refs, defs = _references((single,), place, "")
        out[name] = {"$schema": DIALECT, "$ref": refs[single.__name__], "$defs": defs}
    return out


class _Shelf:
    """Collects the components: first the closed types of requests, then the open types of answers."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._closed: frozenset[str] = frozenset()

    def close(self, types: Iterable[Any], prefix: str) -> dict[str, str]:
        """Adds types of requests; returns their references by class name."""
        refs, schemas = _references(types, COMPONENTS, prefix)
        self.schemas |= schemas
        self._closed |= schemas.keys()
        return refs

    def open(self, types: Iterable[Any], prefix: str) -> dict[str, str]:
        """Adds types of answers; one that is also a request type gets a name of its own."""
        refs, schemas = _references(types, COMPONENTS, prefix)
        names = {name: f"{name}{SHOWN}" if name in self._closed else name for name in schemas}
        renamed = {f"{COMPONENTS}{old}": f"{COMPONENTS}{new}" for old, new in names.items()}
        self.schemas |= {names[name]: extensible(schema, renamed) for name, schema in schemas.items()}
        return {name: renamed[ref] for name, ref in refs.items()}


def components(games: Iterable[AnyGame]) -> dict[str, Schema]:
    """Returns the schemas of all games as components of one OpenAPI document."""
    shelf, metas = _Shelf(), [game.meta for game in games]
    refs_of: dict[str, list[dict[str, str]]] = {"Move": [], "Event": [], "Options": [], "State": [], OPTIONS_SHOWN: []}
    for meta in metas:
        refs_of["Move"].append(shelf.close(meta.moves, f"{meta.slug}."))
        refs_of["Options"].append(shelf.close((meta.options,), f"{meta.slug}."))
    table = shelf.open(TABLE_EVENTS, TABLE)
    for meta in metas:
        refs_of["Event"].append(shelf.open(meta.events, f"{meta.slug}."))
        refs_of["State"].append(shelf.open((meta.state,), f"{meta.slug}."))
        refs_of[OPTIONS_SHOWN].append(shelf.open((meta.options,), f"{meta.slug}."))
    out = shelf.schemas
    for meta, moves, events in zip(metas, refs_of["Move"], refs_of["Event"], strict=True):
        out[f"{meta.slug}.Move"], out[f"{meta.slug}.Event"] = _one_of(moves), _one_of(events | table)
    for kind, common in (("Move", {}), ("Event", table)):
        variants = {name: [ref] for name, ref in common.items()}
        for refs in refs_of[kind]:
            for name, ref in refs.items():
                variants.setdefault(name, []).append(ref)
        out[kind] = _one_of({name: _reference_to(out, kind, name, refs) for name, refs in variants.items()})
    for kind in ("Options", "State", OPTIONS_SHOWN):
        out[kind] = {"anyOf": [{"$ref": ref} for refs in refs_of[kind] for ref in refs.values()]}
    return out | _entry()


def _reference_to(out: dict[str, Schema], kind: str, name: str, refs: list[str]) -> str:
    """Returns a reference to the only schema of this name, or to a new union over several games."""
    if len(refs) == 1:
        return refs[0]
    out[f"{kind}.{name}"] = {"anyOf": [{"$ref": ref} for ref in refs]}
    return f"{COMPONENTS}{kind}.{name}"


def _entry() -> dict[str, Schema]:
    _, schemas = _references((SealedEntry,), COMPONENTS, "")
    schemas["Entry"] = schemas.pop("SealedEntry") | {"title": "Entry", "description": ENTRY}
    entry = schemas["Entry"]["properties"]
    entry["event"] = {"$ref": f"{COMPONENTS}Event"}
    entry["at"]["format"] = "date-time"
    return {name: extensible(schema) for name, schema in schemas.items()}


BY_GAME = "game"


def split_by_game(schemas: Mapping[str, Schema], slugs: list[str]) -> dict[str, Schema]:
    """Returns the components, with one per game in the order of `slugs` in place of those that allow all games."""
    common = set(_reaching(schemas))
    out = dict(schemas)
    apart = [name for name in common if BY_GAME in schemas[name].get("properties", {})]
    for at, slug in enumerate(slugs):
        own = _Own(schemas, common, slug, at)
        for name in sorted(apart):
            own.name(name)
        out |= own.made
    for name in apart:
        refs = {slug: f"{COMPONENTS}{slug}.{name}" for slug in slugs}
        variants = [{"$ref": ref} for ref in refs.values()]
        out[name] = {"oneOf": variants, "discriminator": {"propertyName": BY_GAME, "mapping": refs}}
    return out


class _Own:
    """Collects the components of one game."""

    def __init__(self, schemas: Mapping[str, Schema], common: set[str], slug: str, at: int) -> None:
        self._schemas, self._common, self._slug = schemas, common, slug
        of_all = ("Options", OPTIONS_SHOWN, "State")
        listed: dict[str, str] = {kind: schemas[kind]["anyOf"][at]["$ref"] for kind in of_all}
        self._known = {name: ref.removeprefix(COMPONENTS) for name, ref in listed.items()}
        self._known |= {kind: f"{slug}.{kind}" for kind in ("Move", "Event")}
        self.made: dict[str, Schema] = {}

    def name(self, name: str) -> str:
        """Returns the name of this component's form for this game alone."""
        if name in self._known or name not in self._common:
            return self._known.get(name, name)
        own = self._known[name] = f"{self._slug}.{name}"
        schema = self._rename_refs(self._schemas[name])
        if BY_GAME in schema.get("properties", {}):
            game = {**schema["properties"][BY_GAME], "enum": [self._slug]}
            schema["properties"] = {**schema["properties"], BY_GAME: game}
        self.made[own] = schema
        return own

    def _rename_refs(self, part: Any) -> Any:
        match part:
            case {"$ref": str(ref)}:
                return {**part, "$ref": f"{COMPONENTS}{self.name(ref.removeprefix(COMPONENTS))}"}
            case dict():
                return {key: self._rename_refs(inner) for key, inner in part.items()}
            case list():
                return [self._rename_refs(inner) for inner in part]
        return part


def _reaching(schemas: Mapping[str, Schema]) -> Iterator[str]:
    """Returns the components, other than a game's own, that hold a game's types at any depth."""
    generic = {"Move", "Event", "Options", OPTIONS_SHOWN, "State"}
    held = {name: set(_refs(schema)) for name, schema in schemas.items() if name not in generic and "." not in name}
    reached, found = set(generic), generic
    while found:
        found = {name for name, refs in held.items() if name not in reached and refs & reached}
        reached |= found
    return iter(reached - generic)


def _refs(part: Any) -> Iterator[str]:
    match part:
        case {"$ref": str(ref)}:
            yield ref.removeprefix(COMPONENTS)
        case dict():
            for inner in part.values():
                yield from _refs(inner)
        case list():
            for inner in part:
                yield from _refs(inner)


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
    used = _names_in_use(document)
    document["components"]["schemas"] = {
        name: {"title": name, **{key: part for key, part in schema.items() if key != "title"}}
        for name, schema in sorted(document["components"]["schemas"].items())
        if name in used
    }


def _names(schemas: Mapping[str, Schema], document: Mapping[str, Any]) -> dict[Words, str]:
    """Returns a name for each list of words: that of its field if it is the only one there, else with the schema's.

    Schemas that only webhooks post come last, so that what answers say has the name of an answer.
    """
    found: dict[Words, list[tuple[str, str]]] = {}
    answers = _reach([document["paths"]], schemas)
    for owner in sorted(schemas, key=lambda name: name not in answers):
        for field, inner in schemas[owner].get("properties", {}).items():
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


def _names_in_use(document: Mapping[str, Any]) -> set[str]:
    """Returns the names of the components to which addresses and webhooks lead."""
    places = [document["paths"], document.get("webhooks", {}), document["components"]["responses"]]
    return _reach(places, document["components"]["schemas"])


def _reach(queue: list[Any], schemas: Mapping[str, Schema]) -> set[str]:
    """Returns the names of the components to which these parts of a document lead."""
    seen = set[str]()
    while queue:
        for name in _components_in(queue.pop()):
            if name not in seen:
                seen.add(name)
                queue.append(schemas[name])
    return seen


def _components_in(part: Any) -> Iterator[str]:
    if isinstance(part, str) and part.startswith(COMPONENTS):
        yield part.removeprefix(COMPONENTS)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _components_in(inner)
