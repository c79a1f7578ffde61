"""Addresses of features: a feature has a module `api` with these names, those that it needs.

PARTS   its blueprints
AFTER   the tag after which they stand in the document, of the core or of a feature; at its end without it
LIMITS  its rate limits, each a `Limit` of `pbem.limits`

While a feature is off, its addresses answer 410, and the document does not have them.
"""

from collections.abc import Sequence

from flask import Flask, Response, request
from flask_smorest import Blueprint

from pbem.api.protocol import problems
from pbem.discovery import attributes_of_features, module_of_feature, packages_of_features
from pbem.errors import NotOffered


def with_features(core: Sequence[Blueprint], names: tuple[str, ...]) -> list[Blueprint]:
    """Returns these blueprints with those of the features that have these names, in the order of the document.

    The order is the same whatever features are off, also for those that follow a feature which is off.
    """
    modules = (module_of_feature(package, "api") for package in packages_of_features().values())
    ordered, waiting = [*core], [module for module in modules if module is not None]
    while waiting:
        tags = [one.name.removeprefix("api-") for one in ordered]
        module = next((one for one in waiting if getattr(one, "AFTER", None) in tags), waiting[0])
        at = tags.index(module.AFTER) + 1 if getattr(module, "AFTER", None) in tags else len(tags)
        ordered[at:at] = getattr(module, "PARTS", ())
        waiting.remove(module)
    on = {one.name for parts in (core, *attributes_of_features("api", "PARTS", names)) for one in parts}
    return [one for one in ordered if one.name in on]


def refuse(app: Flask, on: tuple[str, ...]) -> None:
    """Answers 410 at the addresses of all features but these."""
    off = [
        one
        for parts in attributes_of_features("api", "PARTS", packages_of_features().keys() - set(on))
        for one in parts
    ]
    if not off:
        return
    names = {blueprint.name for blueprint in off}
    for blueprint in off:
        app.register_blueprint(blueprint)

    def refuse_if_off() -> Response | None:
        return problems.answer(NotOffered()) if request.blueprint in names else None

    app.before_request(refuse_if_off)
