"""ETags of a match's pages: whoever asks again learns by a 304 that nothing is new, before anything is folded.

The tag is made of what the page's reader sees anyway: who sits, who is asked until when, how many entries the log
has, which message is the last one, what the links around the board lead to. So it tells him nothing more, and differs
whenever the page would.
"""

import hashlib
from collections.abc import Callable

from flask import Response, request

from pbem.kit.contract import Viewer
from pbem.services.views.match_views import Sheet
from pbem.web.protocol.assets import drawing_version, version
from pbem.web.protocol.language import spoken


def tag_of(sheet: Sheet, viewer: Viewer, said: int = 0, around: object = None) -> str:
    """The tag of the match's page for this viewer.

    `said` is the number of the last message he may read, `around` what stands beside the board.
    """
    facts = (
        version(), drawing_version(), spoken(), viewer, sheet.id, sheet.status, sheet.cancelled, sheet.version, said,
        around,
        [(s.name, s.status, s.bot, s.absent, s.resigned, s.holidays, s.bounces) for s in sheet.seats],
        [(ask.seat, ask.key, ask.deadline.isoformat(), str(ask.acts_at), ask.vote) for ask in sheet.asks],
    )  # fmt: skip
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]


def unless_known(tag: str, make: Callable[[], Response]) -> Response:
    """What `make` gives; 304 instead, and `make` is not called, where the reader has the page as it stands."""
    if request.if_none_match.contains_weak(tag):
        response = Response(status=304)
        response.set_etag(tag, weak=True)
        return response
    return make()


def tagged(response: Response, tag: str) -> Response:
    """The page with its tag: weak, since "3 days left" is told anew without being news."""
    if response.status_code == 200:
        response.set_etag(tag, weak=True)
    return response
