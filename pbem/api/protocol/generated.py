"""The schemas of the OpenAPI document that are made by program.

In the document a game's types carry its slug (`hogen.Call`); `hogen.Move` and `hogen.Event` are unions of them by
`type`, `Move` and `Event` unions over all games. Request types are closed: an unknown field is refused. Answer types
are open: fields may be added. A type that is both (`hogen.Guess`) has an open twin (`hogen.Guess.shown`).

A component that names its `game` and holds types of a game (`NewMatch`, `MatchSheet`, `Events`, …) becomes a union of
`<slug>.NewMatch` and so on, by `game`, so that a generated client knows every game's own types. In the end each schema
has a title of its own, and each list of words a name: programs that generate clients name their classes by them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
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


def _references_and_schemas(types: Iterable[Any], place: str, prefix: str) -> tuple[dict[str, str], dict[str, Schema]]:
    """Returns references by class name, and the schemas they lead to by prefixed name."""
    listed = list(types)
    refs, schemas = msgspec.json.schema_components(listed, ref_template=f"{place}{prefix}{{name}}")
    return (
        {kind.__name__: ref["$ref"] for kind, ref in zip(listed, refs, strict=True)},
        {f"{prefix}{name}": trim_descriptions(schema) for name, schema in schemas.items()},
    )


def _walk_parts(part: Any) -> Iterator[Any]:
    """Yields this part of a document and all that it holds, the outer ones first."""
    yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _walk_parts(inner)


def _rewrite(part: Any, change: Callable[[Schema], Schema]) -> Any:
    """Returns this part of a document with each object in it changed, the inner ones first."""
    match part:
        case dict():
            return change({key: _rewrite(inner, change) for key, inner in part.items()})
        case list():
            return [_rewrite(inner, change) for inner in part]
    return part


def trim_descriptions(schema: Schema) -> Any:
    """Returns the schema without examples and indentation of docstrings: Python strips that itself from 3.13 on."""

    def change(part: Schema) -> Schema:
        said = part.get("description")
        return {**part, "description": cleandoc(said).partition("\n\n>>>")[0]} if isinstance(said, str) else part

    return _rewrite(schema, change)


def _one_of_schema(refs: Mapping[str, str]) -> Schema:
    return {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": dict(refs)},
    }


def allow_more_fields(schema: Schema, renamed: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Returns the open form of a schema: fields may be added; its references use the new names."""

    def change(part: Schema) -> Schema:
        kept = {key: inner for key, inner in part.items() if (key, inner) != ("additionalProperties", False)}
        return {**kept, "$ref": renamed.get(kept["$ref"], kept["$ref"])} if "$ref" in kept else kept

    return _rewrite(schema, change)


def game_schemas(game: AnyGame) -> dict[str, Schema]:
    """Returns the game's schemas, each a JSON Schema document: options, moves, events, state."""
    meta = game.meta
    place = "#/$defs/"
    out = {}
    for name, types in (("moves", meta.moves), ("events", (*meta.events, *TABLE_EVENTS))):
        refs, defs = _references_and_schemas(types, place, "")
        out[name] = {"$schema": DIALECT, **_one_of_schema(refs), "$defs": defs}
    out["events"] = allow_more_fields(out["events"])
    for name, single in (("options", meta.options), ("state", meta.state)):
        refs, defs = _references_and_schemas((single,), place, "")
        out[name] = {"$schema": DIALECT, "$ref": refs[single.__name__], "$defs": defs}
    return out


class _Shelf:
    """Collects the components: first the closed types of requests, then the open types of answers."""

    def __init__(self) -> None:
        self.schemas: dict[str, Schema] = {}
        self._closed: frozenset[str] = frozenset()

    def add_request_types(self, types: Iterable[Any], prefix: str) -> dict[str, str]:
        """Adds types of requests; returns their references by class name."""
        refs, schemas = _references_and_schemas(types, COMPONENTS, prefix)
        self.schemas |= schemas
        self._closed |= schemas.keys()
        return refs

    def add_answer_types(self, types: Iterable[Any], prefix: str) -> dict[str, str]:
        """Adds types of answers; one that is also a request type gets a name of its own."""
        refs, schemas = _references_and_schemas(types, COMPONENTS, prefix)
        names = {name: f"{name}{SHOWN}" if name in self._closed else name for name in schemas}
        renamed = {f"{COMPONENTS}{old}": f"{COMPONENTS}{new}" for old, new in names.items()}
        self.schemas |= {names[name]: allow_more_fields(schema, renamed) for name, schema in schemas.items()}
        return {name: renamed[ref] for name, ref in refs.items()}


def game_components(games: Iterable[AnyGame]) -> dict[str, Schema]:
    """Returns the schemas of all games as components of one OpenAPI document."""
    shelf, metas = _Shelf(), [game.meta for game in games]
    refs_of: dict[str, list[dict[str, str]]] = {"Move": [], "Event": [], "Options": [], "State": [], OPTIONS_SHOWN: []}
    for meta in metas:
        refs_of["Move"].append(shelf.add_request_types(meta.moves, f"{meta.slug}."))
        refs_of["Options"].append(shelf.add_request_types((meta.options,), f"{meta.slug}."))
    table = shelf.add_answer_types(TABLE_EVENTS, TABLE)
    for meta in metas:
        refs_of["Event"].append(shelf.add_answer_types(meta.events, f"{meta.slug}."))
        refs_of["State"].append(shelf.add_answer_types((meta.state,), f"{meta.slug}."))
        refs_of[OPTIONS_SHOWN].append(shelf.add_answer_types((meta.options,), f"{meta.slug}."))
    out = shelf.schemas
    for meta, moves, events in zip(metas, refs_of["Move"], refs_of["Event"], strict=True):
        out[f"{meta.slug}.Move"], out[f"{meta.slug}.Event"] = _one_of_schema(moves), _one_of_schema(events | table)
    for kind, common in (("Move", {}), ("Event", table)):
        variants = {name: [ref] for name, ref in common.items()}
        for refs in refs_of[kind]:
            for name, ref in refs.items():
                variants.setdefault(name, []).append(ref)
        out[kind] = _one_of_schema(
            {name: _reference_to_union(out, kind, name, refs) for name, refs in variants.items()}
        )
    for kind in ("Options", "State", OPTIONS_SHOWN):
        out[kind] = {"anyOf": [{"$ref": ref} for refs in refs_of[kind] for ref in refs.values()]}
    return out | _entry_schemas()


def _reference_to_union(out: dict[str, Schema], kind: str, name: str, refs: list[str]) -> str:
    """Returns a reference to the only schema of this name, or to a new union over several games."""
    if len(refs) == 1:
        return refs[0]
    out[f"{kind}.{name}"] = {"anyOf": [{"$ref": ref} for ref in refs]}
    return f"{COMPONENTS}{kind}.{name}"


def _entry_schemas() -> dict[str, Schema]:
    _, schemas = _references_and_schemas((SealedEntry,), COMPONENTS, "")
    schemas["Entry"] = schemas.pop("SealedEntry") | {"title": "Entry", "description": ENTRY}
    entry = schemas["Entry"]["properties"]
    entry["event"] = {"$ref": f"{COMPONENTS}Event"}
    entry["at"]["format"] = "date-time"
    return {name: allow_more_fields(schema) for name, schema in schemas.items()}


BY_GAME = "game"


def split_by_game(schemas: Mapping[str, Schema], slugs: list[str]) -> dict[str, Schema]:
    """Returns the components, with one per game in the order of `slugs` in place of those that allow all games."""
    common = _components_holding_game_types(schemas)
    out = dict(schemas)
    apart = sorted(name for name in common if BY_GAME in schemas[name].get("properties", {}))
    for at, slug in enumerate(slugs):
        of_all = ("Options", OPTIONS_SHOWN, "State")
        listed: dict[str, str] = {kind: schemas[kind]["anyOf"][at]["$ref"] for kind in of_all}
        known = {name: ref.removeprefix(COMPONENTS) for name, ref in listed.items()}
        known |= {kind: f"{slug}.{kind}" for kind in ("Move", "Event")}
        out |= _components_narrowed_to_game({name: schemas[name] for name in common}, known, slug, apart)
    for name in apart:
        refs = {slug: f"{COMPONENTS}{slug}.{name}" for slug in slugs}
        variants = [{"$ref": ref} for ref in refs.values()]
        out[name] = {"oneOf": variants, "discriminator": {"propertyName": BY_GAME, "mapping": refs}}
    return out


def _components_narrowed_to_game(
    schemas: Mapping[str, Schema], known: dict[str, str], slug: str, names: list[str]
) -> dict[str, Schema]:
    """Returns the forms of these components for this game alone, and of what they hold; adds their names to `known`."""
    made: dict[str, Schema] = {}

    def rename(part: Schema) -> Schema:
        if "$ref" not in part:
            return part
        return {**part, "$ref": f"{COMPONENTS}{name_of(part['$ref'].removeprefix(COMPONENTS))}"}

    def name_of(name: str) -> str:
        if name not in known and name in schemas:
            own = known[name] = f"{slug}.{name}"
            schema = made[own] = _rewrite(schemas[name], rename)
            if BY_GAME in schema.get("properties", {}):
                game = {**schema["properties"][BY_GAME], "enum": [slug]}
                schema["properties"] = {**schema["properties"], BY_GAME: game}
        return known.get(name, name)

    for name in names:
        name_of(name)
    return made


def _components_holding_game_types(schemas: Mapping[str, Schema]) -> set[str]:
    """Returns the components, other than a game's own, that hold a game's types at any depth."""
    generic = {"Move", "Event", "Options", OPTIONS_SHOWN, "State"}
    held = {
        name: set(_components_in(schema)) for name, schema in schemas.items() if name not in generic and "." not in name
    }
    reached, found = set(generic), generic
    while found:
        found = {name for name, refs in held.items() if name not in reached and refs & reached}
        reached |= found
    return reached - generic


Words = tuple[str, ...]


def name_word_lists(document: dict[str, Any]) -> None:
    """Gives each list of words a component of its own. Call this before the components are split by game."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    names = _names_of_word_lists(schemas, document)
    for part in (*document["paths"].values(), *document.get("webhooks", {}).values(), *schemas.values()):
        _refer_word_lists(part, names)
    for words, name in names.items():
        schemas[name] = {"type": "string", "enum": list(words)}


def title_and_prune_components(document: dict[str, Any]) -> None:
    """Gives each component its name as title, and drops those to which neither addresses nor webhooks lead."""
    places = [document["paths"], document.get("webhooks", {}), document["components"]["responses"]]
    used = _components_led_to(places, document["components"]["schemas"])
    document["components"]["schemas"] = {
        name: {"title": name, **{key: part for key, part in schema.items() if key != "title"}}
        for name, schema in sorted(document["components"]["schemas"].items())
        if name in used
    }


def _names_of_word_lists(schemas: Mapping[str, Schema], document: Mapping[str, Any]) -> dict[Words, str]:
    """Returns a name for each list of words: that of its field if it is the only one there, else with the schema's.

    Schemas that only webhooks post come last, so that what answers say has the name of an answer.
    """
    found: dict[Words, list[tuple[str, str]]] = {}
    answers = _components_led_to([document["paths"]], schemas)
    for owner in sorted(schemas, key=lambda name: name not in answers):
        for field, inner in schemas[owner].get("properties", {}).items():
            for words in _word_lists_in(inner):
                found.setdefault(words, []).append((owner, field))
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", ()) if isinstance(operation, dict) else ():
                for words in _word_lists_in(parameter.get("schema", {})):
                    found.setdefault(words, []).append(("", parameter["name"]))
    names: dict[Words, str] = {}
    for words, places in found.items():
        owner, field = places[0]
        games = {one[: one.find(".") + 1] for one, _ in places}
        game = games.pop() if len(games) == 1 else ""  # of several games it is nobody's own
        bare = owner.rpartition(".")[2] if "." in owner else owner
        for name in (
            f"{game}{_pascal_case(field)}",
            f"{game}{bare}{_pascal_case(field)}",
            f"{game}{bare}{_pascal_case(field)}Word",
        ):
            if name not in schemas and name not in names.values():
                names[words] = name
                break
    return names


def _pascal_case(field: str) -> str:
    return "".join(part.title() for part in field.replace("-", "_").split("_"))


def _enum_words(part: Any) -> Words | None:
    """Returns the words of a schema that lists several of them."""
    listed = part.get("enum", ()) if isinstance(part, dict) else ()
    return tuple(sorted(listed)) if len(listed) > 1 and all(isinstance(one, str) for one in listed) else None


def _word_lists_in(part: Any) -> Iterator[Words]:
    return (words for one in _walk_parts(part) if (words := _enum_words(one)) is not None)


def _refer_word_lists(part: Any, names: Mapping[Words, str]) -> None:
    """Puts a reference in the place of each list of words within this part of the document."""
    for inner in _walk_parts(part):
        words = _enum_words(inner)
        if inner is not part and words in names and words is not None:
            inner.pop("type", None)
            del inner["enum"]
            inner["$ref"] = f"{COMPONENTS}{names[words]}"


def _components_led_to(queue: list[Any], schemas: Mapping[str, Schema]) -> set[str]:
    """Returns the names of the components to which these parts of a document lead."""
    seen = set[str]()
    while queue:
        for name in _components_in(queue.pop()):
            if name not in seen:
                seen.add(name)
                queue.append(schemas[name])
    return seen


def _components_in(part: Any) -> Iterator[str]:
    texts = (one for one in _walk_parts(part) if isinstance(one, str))
    return (text.removeprefix(COMPONENTS) for text in texts if text.startswith(COMPONENTS))
