"""JSON schemas of moves, events, options and states, made from each game's `meta`.

In the OpenAPI document a game's types carry its slug (`hogen.Call`); `hogen.Move` and `hogen.Event` are unions of them
by `type`, `Move` and `Event` unions over all games. Request types are closed: an unknown field is refused. Answer types
are open: fields may be added. A type that is both (`hogen.Guess`) has an open twin (`hogen.Guess.shown`).
"""

from collections.abc import Iterable, Mapping
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
