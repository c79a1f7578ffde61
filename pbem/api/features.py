"""Addresses of features: a feature has a module `api` with these names, those that it needs.

PARTS   its blueprints
AFTER   the tag after which they stand in the document; at its end without it

While a feature is off, its addresses answer 410, and the document does not have them.
"""

from collections.abc import Sequence

from flask import Flask, Response, request
from flask_smorest import Blueprint

from pbem.api.protocol import problems
from pbem.discovery import features, part
from pbem.errors import NotOffered


def with_features(core: Sequence[Blueprint], names: tuple[str, ...]) -> list[Blueprint]:
    """Returns these blueprints with those of the features that have these names, in the order of the document."""
    ordered = [*core]
    for parts, after in _parts(names):
        tags = [one.name.removeprefix("api-") for one in ordered]
        at = tags.index(after) + 1 if after in tags else len(tags)
        ordered[at:at] = parts
    return ordered


def refuse(app: Flask, on: tuple[str, ...]) -> None:
    """Answers 410 at the addresses of all features but these."""
    others = tuple(name for name in features() if name not in on)
    off = [blueprint for parts, _ in _parts(others) for blueprint in parts]
    if not off:
        return
    names = {blueprint.name for blueprint in off}
    for blueprint in off:
        app.register_blueprint(blueprint)

    def answer() -> Response | None:
        return problems.answer(NotOffered()) if request.blueprint in names else None

    app.before_request(answer)


def _parts(names: tuple[str, ...]) -> list[tuple[Sequence[Blueprint], str | None]]:
    """Returns the blueprints of these features, each with the tag that they follow."""
    found = [part(package, "api") for name, package in features().items() if name in names]
    return [(module.PARTS, getattr(module, "AFTER", None)) for module in found if module is not None]
