"""Splits components by game, so that a generated client knows every game's own types.

A component that names its `game` and holds types of a game (`NewMatch`, `MatchSheet`, `Events`, …) becomes a union of
`<slug>.NewMatch` and so on, discriminated by `game`; `hogen.Events` then holds only Hogen's entries and events. This
changes the description, not what is read and written.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.answers import COMPONENTS, OPTIONS_SHOWN
from pbem.api.protocol.generated import Schema

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
