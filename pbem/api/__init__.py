"""The REST API, for programs. `init_app` puts it on an application.

Its rooms have the same nouns as those of the services; each endpoint stands beside its schemas.

protocol       what endpoints share: callers, bodies, problems, headers, the OpenAPI document
lobby          a match until it begins
play           a match while it is played
views          what the caller may see of matches
games          the games, and everything about each that can be said without playing it
preferences    a player's own time, what they show of themselves, access tokens, what a program may know of its player
privacy        change of address, and erasure
features       addresses of features
"""

from flask import Flask

from pbem import limits
from pbem.api import features, games, preferences, privacy
from pbem.api.lobby import invitations, matches
from pbem.api.play import acts, moves, orders
from pbem.api.protocol import document, problems
from pbem.api.views import match_list, match_views
from pbem.discovery import attributes_of_features
from pbem.limits import JOINS, Limit
from pbem.services.site import Site

__all__ = ["init_app"]

BLUEPRINTS = (
    games.blueprint,
    matches.blueprint,
    invitations.blueprint,
    match_views.blueprint,
    moves.blueprint,
    orders.blueprint,
    acts.takebacks,
    acts.talks,
    acts.blueprint,
    preferences.blueprint,
    preferences.shared,
    preferences.programs,
    match_list.blueprint,
    moves.previews,
    matches.tables,
    match_views.streams,
    privacy.blueprint,
)

LIMITS = (
    Limit(matches.CREATE, limits.matches),
    Limit(invitations.JOIN, JOINS),
    Limit(invitations.SUBSTITUTE, JOINS),
)

NAMES = [blueprint.name for blueprint in BLUEPRINTS]


def init_app(app: Flask, site: Site) -> None:
    """Serves the API of this site under /api; all answers there, errors included, are JSON."""
    on = features.with_features(BLUEPRINTS, site.config.features)
    for blueprint in on:
        app.register_blueprint(blueprint)
    features.refuse(app, site.config.features)
    theirs = (limit for found in attributes_of_features("api", "LIMITS", site.config.features) for limit in found)
    limits.cap(app, site.config, (*theirs, *LIMITS), problems.answer)
    document.serve_document(app, on, site.config.url)
