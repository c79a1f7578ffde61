"""There will be no match. To every player."""

from dataclasses import dataclass
from typing import cast

from pbem.kit.replay import CancelReason
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class Cancelled(MatchLetter):
    """The match was called off: withdrawn by its organiser, lapsed, stopped by the host, abandoned, with its season."""

    organiser: Name
    reason: CancelReason


def build(context: LetterContext) -> Cancelled | str:
    """Returns the letter, which says why the match was cancelled."""
    _, reason = match_views.end_of(context.match.status, context.match.outcome)
    if reason is None:
        return "stale"
    return Cancelled(**context.about(), organiser=context.names()[0], reason=cast(CancelReason, reason))


KIND = Kind(Cancelled, build, can_be_muted=True)
