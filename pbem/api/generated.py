"""JSON schemas of moves, events, options and states, made from each game's `meta`.

A game's types bear its slug in the OpenAPI document (`hogen.Call`); `hogen.Move` and `hogen.Event` are one of them
by their `type`, `Move` and `Event` those of all games.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from pbem.rules.contract import AnyGame
from pbem.rules.replay import TABLE_EVENTS, Entry

Schema = dict[str, Any]

COMPONENTS = "#/components/schemas/"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TABLE = "table."


def _named(types: Iterable[Any], place: str, prefix: str) -> tuple[dict[str, str], dict[str, Schema]]:
    """References by class name, and the schemas they lead to by prefixed name."""
    listed = list(types)
    refs, schemas = msgspec.json.schema_components(listed, ref_template=f"{place}{prefix}{{name}}")
    return (
        {kind.__name__: ref["$ref"] for kind, ref in zip(listed, refs, strict=True)},
        {f"{prefix}{name}": schema for name, schema in schemas.items()},
    )


def _one_of(refs: Mapping[str, str]) -> Schema:
    return {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "type", "mapping": dict(refs)},
    }


def of_game(game: AnyGame) -> dict[str, Schema]:
    """The game's schemas, each a JSON Schema document of its own: options, moves, events, state."""
    meta = game.meta
    place = "#/$defs/"
    out = {}
    for name, types in (("moves", meta.moves), ("events", (*meta.events, *TABLE_EVENTS))):
        refs, defs = _named(types, place, "")
        out[name] = {"$schema": DIALECT, **_one_of(refs), "$defs": defs}
    for name, single in (("options", meta.options), ("state", meta.state)):
        refs, defs = _named((single,), place, "")
        out[name] = {"$schema": DIALECT, "$ref": refs[single.__name__], "$defs": defs}
    return out


def components(games: Iterable[AnyGame]) -> dict[str, Schema]:
    """The schemas of all games as components of one OpenAPI document."""
    table_refs, out = _named(TABLE_EVENTS, COMPONENTS, TABLE)
    variants: dict[str, dict[str, list[str]]] = {"Move": {}, "Event": {n: [r] for n, r in table_refs.items()}}
    wholes: dict[str, list[Schema]] = {"Options": [], "State": []}
    for game in games:
        prefix = f"{game.meta.slug}."
        for kind, types in (("Move", game.meta.moves), ("Event", game.meta.events)):
            refs, schemas = _named(types, COMPONENTS, prefix)
            out |= schemas
            out[f"{prefix}{kind}"] = _one_of(refs | table_refs if kind == "Event" else refs)
            for name, ref in refs.items():
                variants[kind].setdefault(name, []).append(ref)
        for kind, single in (("Options", game.meta.options), ("State", game.meta.state)):
            refs, schemas = _named((single,), COMPONENTS, prefix)
            out |= schemas
            wholes[kind].append({"$ref": refs[single.__name__]})
    for kind, found in variants.items():
        out[kind] = _one_of({name: _shared(out, kind, name, refs) for name, refs in found.items()})
    for kind, schemas_of_kind in wholes.items():
        out[kind] = {"anyOf": schemas_of_kind}
    return out | _entry()


def _shared(out: dict[str, Schema], kind: str, name: str, refs: list[str]) -> str:
    """A reference to the one schema of this name, or to a new one that admits those of several games."""
    if len(refs) == 1:
        return refs[0]
    out[f"{kind}.{name}"] = {"anyOf": [{"$ref": ref} for ref in refs]}
    return f"{COMPONENTS}{kind}.{name}"


def _entry() -> dict[str, Schema]:
    _, schemas = _named((Entry,), COMPONENTS, "")
    schemas["Entry"]["properties"]["event"] = {"$ref": f"{COMPONENTS}Event"}
    return schemas
