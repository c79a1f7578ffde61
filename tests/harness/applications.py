"""Web applications for tests. Making one takes a quarter of a second, so tests share them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from flask import Flask

from pbem import create_app
from pbem.config import Config
from pbem.services.site import Site

_free: defaultdict[Config, list[Flask]] = defaultdict(list)
_lent: list[tuple[Config, Flask, object]] = []


def lend_application(site: Site) -> Flask:
    """Returns an application of this site, valid until the end of the test.

    A test that alters its application makes its own.
    """
    like = replace(site.config, data=Path(), database_url="")
    app = _free[like].pop() if _free[like] else create_app(site=site)
    limiter = app.extensions.get("pbem.limiter")
    if limiter is not None and site.config.redis_url is None:
        limiter.reset()  # it counts the requests of one site
    if limiter is None or site.config.redis_url is None:
        _lent.append((like, app, _parts_of(app)))
    app.extensions["pbem"] = site
    return app


def take_back_applications() -> Iterator[None]:
    """Takes back a test's applications at its end; those given earlier to fixtures of a wider scope stay theirs.

    Raises AssertionError for a test that has altered a shared application.
    """
    _lent.clear()
    yield
    for like, app, before in _lent:
        assert _parts_of(app) == before, "this test alters its application: it must make one of its own"
        _free[like].append(app)


def _parts_of(app: Flask) -> object:
    return dict(app.view_functions), dict(app.config), app.jinja_env.loader, app.permanent_session_lifetime
