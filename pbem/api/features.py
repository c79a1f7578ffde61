"""Addresses of features: a feature has a module `api` with these names, those that it needs.

PARTS   its blueprints
AFTER   the tag after which they stand in the document, of the core or of a feature; at its end without it
LIMITS  its rate limits, each a `Limit` of `pbem.limits`

While a feature is off, its addresses answer 410, and the document does not have them.
"""

from collections.abc import Sequence
from types import ModuleType

from flask import Flask, Response, request
from flask_smorest import Blueprint

from pbem.api.protocol import problems
from pbem.discovery import features, part
from pbem.errors import NotOffered


def with_features(core: Sequence[Blueprint], names: tuple[str, ...]) -> list[Blueprint]:
    """Returns these blueprints with those of the features that have these names, in the order of the document.

    The order is the same whatever features are off, also for those that follow a feature which is off.
    """
    ordered, waiting = [*core], _modules(tuple(features()))
    while waiting:
        tags = [one.name.removeprefix("api-") for one in ordered]
        module = next((one for one in waiting if getattr(one, "AFTER", None) in tags), waiting[0])
        at = tags.index(module.AFTER) + 1 if getattr(module, "AFTER", None) in tags else len(tags)
        ordered[at:at] = _parts(module)
        waiting.remove(module)
    on = {one.name for module in _modules(names) for one in _parts(module)} | {one.name for one in core}
    return [one for one in ordered if one.name in on]


def refuse(app: Flask, on: tuple[str, ...]) -> None:
    """Answers 410 at the addresses of all features but these."""
    others = tuple(name for name in features() if name not in on)
    off = [blueprint for module in _modules(others) for blueprint in _parts(module)]
    if not off:
        return
    names = {blueprint.name for blueprint in off}
    for blueprint in off:
        app.register_blueprint(blueprint)

    def answer() -> Response | None:
        return problems.answer(NotOffered()) if request.blueprint in names else None

    app.before_request(answer)


def _parts(module: ModuleType) -> Sequence[Blueprint]:
    return getattr(module, "PARTS", ())


def _modules(names: tuple[str, ...]) -> list[ModuleType]:
    """Returns the modules `api` of these features that have one."""
    found = [part(package, "api") for name, package in features().items() if name in names]
    return [module for module in found if module is not None]
