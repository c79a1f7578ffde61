"""The mail that tells players that their match is cancelled."""

from typing import cast

from pbem.kit.replay import CancelReason
from pbem.mail.kinds.cancelled import Cancelled
from pbem.services.mail.letter_context import Desk
from pbem.services.views import match_views


def build(desk: Desk) -> Cancelled | str:
    """Returns the letter, which says why the match was cancelled."""
    reason = match_views.sheet(desk.session, desk.match).cancelled
    if reason is None:
        return "stale"
    return Cancelled(**desk.about(), organiser=desk.names()[0], reason=cast(CancelReason, reason))
