"""Bodies told apart by their game, so that a client can be generated that knows every game's own types.

What names its `game` and holds a game's own things (`NewMatch`, `MatchSheet`, `Events`, …) is in the OpenAPI document
one of `<slug>.NewMatch` and so on, by `game`; and within `hogen.Events` stand Hogen's entries and events alone. What
is read and written stays as it is: this only says it more exactly.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pbem.api.protocol.generated import COMPONENTS, OPTIONS_SHOWN, Schema

BY_GAME = "game"


def told_apart(schemas: Mapping[str, Schema], slugs: list[str]) -> dict[str, Schema]:
    """The components with those of each game, in the order of `slugs`, in place of what admits those of all."""
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
    """The components of one game, as they are found."""

    def __init__(self, schemas: Mapping[str, Schema], common: set[str], slug: str, at: int) -> None:
        self._schemas, self._common, self._slug = schemas, common, slug
        of_all = ("Options", OPTIONS_SHOWN, "State")
        listed: dict[str, str] = {kind: schemas[kind]["anyOf"][at]["$ref"] for kind in of_all}
        self._known = {name: ref.removeprefix(COMPONENTS) for name, ref in listed.items()}
        self._known |= {kind: f"{slug}.{kind}" for kind in ("Move", "Event")}
        self.made: dict[str, Schema] = {}

    def name(self, name: str) -> str:
        """The name of the component that says the same of this game alone."""
        if name in self._known or name not in self._common:
            return self._known.get(name, name)
        own = self._known[name] = f"{self._slug}.{name}"
        schema = self._said(self._schemas[name])
        if BY_GAME in schema.get("properties", {}):
            game = {**schema["properties"][BY_GAME], "enum": [self._slug]}
            schema["properties"] = {**schema["properties"], BY_GAME: game}
        self.made[own] = schema
        return own

    def _said(self, part: Any) -> Any:
        match part:
            case {"$ref": str(ref)}:
                return {**part, "$ref": f"{COMPONENTS}{self.name(ref.removeprefix(COMPONENTS))}"}
            case dict():
                return {key: self._said(inner) for key, inner in part.items()}
            case list():
                return [self._said(inner) for inner in part]
        return part


def _reaching(schemas: Mapping[str, Schema]) -> Iterator[str]:
    """The components, other than a game's own, that hold a game's things at some depth."""
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
