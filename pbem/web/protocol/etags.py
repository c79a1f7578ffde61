"""ETags of a match's pages: a repeated request gets 304 before anything is folded.

The tag is made of what the page's reader sees anyway: the seats, the open asks with their deadlines, the reader's own
sealed answer, the number of log entries, the last message, the links beside the board, the features that are on, and
the software's version. So it tells them nothing more, and changes when the page does, also by an upgrade.
"""

import hashlib
from collections.abc import Callable

from flask import Response, request

from pbem.kit.contract import Viewer
from pbem.services.views.match_views import Sheet
from pbem.web.protocol.assets import software_version
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import site
from pbem.web.protocol.theme import page_theme


def tag_of(sheet: Sheet, viewer: Viewer, said: int = 0, sidebar: object = None) -> str:
    """Returns the tag of the match's page for this viewer.

    `said` is the number of the last message they may read, `sidebar` what stands beside the board.
    """
    facts = (
        software_version(), site().config.features, page_language(), page_theme(), viewer,
        sheet.id, sheet.status, sheet.sealed, sheet.cancelled, sheet.version, said, sidebar, sheet.takeback, sheet.seen,
        [(s.name, s.status, s.bot, s.absent, s.resigned, s.holidays, s.bounces, s.standing) for s in sheet.seats],
        [(ask.seat, ask.key, str(ask.deadline), str(ask.acts_at), ask.vote, ask.sealed) for ask in sheet.asks],
    )  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]


def unless_known(tag: str, make: Callable[[], Response]) -> Response:
    """Returns the answer of `make`; or 304, without calling `make`, if the reader has the current page."""
    if request.if_none_match.contains_weak(tag):
        response = Response(status=304)
        response.set_etag(tag, weak=True)
        return response
    return make()


def set_tag(response: Response, tag: str) -> Response:
    """Returns the page with its tag: a weak one, since "3 days left" changes without being news."""
    if response.status_code == 200:
        response.set_etag(tag, weak=True)
    return response
