"""The mail that tells players that their match is cancelled."""

from typing import cast

from pbem.kit.replay import CancelReason
from pbem.mail.kinds.cancelled import Cancelled
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


def build(context: LetterContext) -> Cancelled | str:
    """Returns the letter, which says why the match was cancelled."""
    reason = match_views.sheet(context.session, context.match).cancelled
    if reason is None:
        return "stale"
    return Cancelled(**context.about(), organiser=context.names()[0], reason=cast(CancelReason, reason))
