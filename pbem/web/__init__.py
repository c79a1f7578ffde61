"""The pages: thin views over the services, rendered from templates; a mail's links lead here.

Its rooms have the same nouns as those of the services.

protocol       what pages share: templates, errors, language, sign-in, headers, logs
lobby          a match until it begins
play           the page of a seat
features       pages of features, and what they add to those of others
views          watching, replaying and listing matches
monitoring     probes
docs           help, privacy, the rules, and the reference of the API
account        sign-in links, the session, unsubscribing
preferences    language and mails, a player's own time, what they show of themselves, their access tokens
privacy        download of one's data, change of address, and erasure
mailbox        the local mailbox, for one person who tries all seats
"""

from datetime import timedelta

from flask import Flask
from jinja2 import StrictUndefined

from pbem import limits
from pbem.services.site import Site
from pbem.web import account, docs, features, mailbox, monitoring, preferences, privacy
from pbem.web.lobby import invitations, offers, start
from pbem.web.play import acts, seat_page
from pbem.web.protocol import assets, errors, language, page, sign_in
from pbem.web.views import luck, watch

PARTS = (
    start, invitations, offers, seat_page, acts,
        watch, luck, account, preferences,
        privacy, mailbox,
    assets, page, docs, monitoring,
)  # fmt: skip

NAMES = [part.bp.name for part in PARTS]


def init_app(app: Flask, site: Site) -> None:
    """Adds the pages to the application."""
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    # Only the pages of a session check it, each by itself: in a link's page the token is the secret.
    # The referrer cannot be checked, since no page sends one.
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_SSL_STRICT=False)
    app.session_interface = sign_in.Sessions()
    app.permanent_session_lifetime = timedelta(days=7)
    language.init_app(app)
    sign_in.csrf.init_app(app)
    page.init_app(app, site.config)
    errors.init_app(app)
    for part in PARTS:
        app.register_blueprint(part.bp)
    limits.cap(app, site.config, errors.LIMITS, errors.problem_page)
    features.init_app(app, site.config)
