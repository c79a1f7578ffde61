"""The REST API, for programs. `init_app` puts it on an application.

problems    errors as problem+json          language   in which language one answers
bodies      strict reading                  callers    a seat by its token, or a spectator
generated   schemas from the games' meta    caching    ETags
cors        pages of other sites            network    whence a stranger comes
document    the OpenAPI document        per_game   its bodies told apart by their game
sheets      what is told of a match
games, matches, invitations, watching, playing, talking, presence, calendar, tokens, mine, previews, tables,
streams, imports, webhooks, privacy: the endpoints with their schemas
"""

from flask import Flask

from pbem import limits
from pbem.api import (
    calendar,
    cors,
    document,
    games,
    imports,
    invitations,
    matches,
    mine,
    playing,
    presence,
    previews,
    privacy,
    problems,
    streams,
    tables,
    talking,
    tokens,
    watching,
    webhooks,
)
from pbem.services.site import Site
from pbem.services.waiting import Waiting

__all__ = ["init_app"]

BLUEPRINTS = (
    games.blueprint,
    matches.blueprint,
    invitations.blueprint,
    watching.blueprint,
    playing.blueprint,
    talking.blueprint,
    presence.blueprint,
    calendar.blueprint,
    tokens.blueprint,
    mine.blueprint,
    previews.blueprint,
    tables.blueprint,
    streams.blueprint,
    imports.blueprint,
    webhooks.blueprint,
    privacy.blueprint,
)


def init_app(app: Flask, site: Site) -> None:
    """Guarantees that the application answers under /api for this site, and never otherwise than in JSON."""
    app.extensions["pbem.waiting"] = Waiting(site.config.waiting)
    cors.init_app(app)
    problems.handle_routing(app)
    api = document.make_api(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    limits.cap(app, site.config, matches.CREATE, limits.matches(site.config), problems.answer)
    for endpoint in (invitations.JOIN, invitations.SUBSTITUTE):
        limits.cap(app, site.config, endpoint, limits.joins(), problems.answer)
    limits.cap(app, site.config, imports.SEND, limits.logs(), problems.answer)
    document.serve(app, api, site.config.url)
