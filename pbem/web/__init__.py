"""The pages: thin views over the services, made of templates; a mail's links lead here."""

from datetime import timedelta

from flask import Flask
from jinja2 import FileSystemLoader, StrictUndefined

from pbem.package_data import TEMPLATES
from pbem.services.site import Site
from pbem.web import (
    account,
    assets,
    errors,
    health,
    hours,
    imported,
    join,
    language,
    limits,
    lobby,
    logs,
    mailbox,
    metrics,
    opened,
    origin,
    packing,
    page,
    play,
    presence,
    privacy,
    reference,
    replay,
    rules,
    security,
    signed,
    start,
    substitute,
    talk,
    tokens,
    watch,
    webhooks,
)

PARTS = (
    start, lobby, join, substitute, play, presence, watch, replay, opened, account, hours, rules, mailbox, assets, talk,
    health, metrics, tokens, imported, webhooks, privacy, reference,
)  # fmt: skip


def init_app(app: Flask, site: Site) -> None:
    """Puts the pages into the application."""
    app.jinja_loader = FileSystemLoader(TEMPLATES)
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # Only the pages of a session check it, each by itself: in a link's page the token is the secret.
    # The referrer cannot be checked, since no page sends one.
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_SSL_STRICT=False)
    app.session_interface = signed.Sessions()
    app.permanent_session_lifetime = timedelta(days=7)
    packing.init_app(app)
    logs.init_app(app)
    language.init_app(app)
    security.init_app(app)
    origin.init_app(app)
    signed.csrf.init_app(app)
    app.context_processor(page.everywhere)
    errors.init_app(app)
    for part in PARTS:
        app.register_blueprint(part.bp)
    limits.init_app(app, site.config)
