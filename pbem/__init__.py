"""pbem: board games by email. `create_app` makes the web application; the layers below know nothing of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from pbem.services.site import Site

__all__ = ["create_app"]


def create_app(site: Site | None = None) -> Flask:
    """Returns the web application: pages and API on one site.

    Without a site, its settings come from the environment (PBEM_MODE says which kind). Raises ConfigError.
    """
    # Imported here, because every import of pbem.kit passes through this package and needs none of it.
    from werkzeug.middleware.proxy_fix import ProxyFix

    from pbem import api, logs, web
    from pbem.api.protocol.problems import answer_unrouted
    from pbem.config import Config, mode_of, raise_package_mistakes
    from pbem.discovery import clashes_of_names, names_of_blueprints
    from pbem.web.protocol import requests

    if site is None:
        from pbem.services.wakeup import open_with_broker  # it loads Celery

        site = open_with_broker(Config.from_env(os.environ, mode_of(os.environ)))
    logs.configure_logging(as_json=site.config.log_json)
    app = requests.Application("pbem", static_folder=None, template_folder=None)
    app.config.update(
        SECRET_KEY=site.config.secret,
        MAX_CONTENT_LENGTH=site.config.max_body,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=site.config.url.startswith("https:"),
    )
    app.extensions["pbem"] = site
    if site.config.trusted_proxies:
        hops = site.config.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops)  # type: ignore[method-assign]
    requests.init_app(app, answer_unrouted)
    raise_package_mistakes(clashes_of_names("blueprint", {*api.NAMES, *web.NAMES}, names_of_blueprints))
    api.init_app(app, site)
    web.init_app(app, site)
    return app
