"""The REST API, for programs: what DESIGN.md calls §9 and §10. `init_app` puts it on an application.

problems    errors as problem+json          language   in which language one answers
bodies      strict reading                  callers    a seat by its token, or a spectator
generated   schemas from the games' meta    caching    ETags
document    the OpenAPI document
sheets      what is told of a match
games, matches, invitations, watching, playing, talking, presence: the endpoints with their schemas
"""

from flask import Flask

from pbem import limits
from pbem.api import document, games, invitations, matches, playing, presence, problems, talking, watching
from pbem.services.site import Site

__all__ = ["init_app"]

BLUEPRINTS = (
    games.blueprint,
    matches.blueprint,
    invitations.blueprint,
    watching.blueprint,
    playing.blueprint,
    talking.blueprint,
    presence.blueprint,
)


def init_app(app: Flask, site: Site) -> None:
    """Guarantees that the application answers under /api for this site, and never otherwise than in JSON."""
    problems.handle_routing(app)
    api = document.make_api(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    limits.cap(app, site.config, matches.CREATE, limits.matches(site.config), problems.answer)
    limits.cap(app, site.config, invitations.JOIN, limits.joins(), problems.answer)
    document.serve(app, api, site.config.url)
