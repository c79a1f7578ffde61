"""The match has ended: who has won, and why."""

from dataclasses import dataclass, replace

from pbem.kit.contract import Phrase
from pbem.mail.letters import Kind, PlayLetter, Standing
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class MatchOver(PlayLetter):
    """The match has ended: the result of each seat, winners first, and the reason, `outcome`.

    `outcome` is the half sentence of `endings_of`, without a capital letter or a full stop.
    """

    outcome: Phrase
    standings: tuple[Standing, ...]
    replay_url: str
    sealed: bool = False
    """True while other tables may play the same deal: the envelope with the luck stays closed until then."""


def build(context: LetterContext) -> MatchOver | str:
    """Returns the letter if the match was played to its end; left to the digest for readers who have one."""
    view = match_views.view(context.table, context.seat.seat)
    if view.sheet.outcome is None or context.seat.status != "accepted":
        return "stale"
    if context.reader.player.digest_hour is not None:
        return "digest"
    if view.sheet.open:  # nothing is secret any more
        view = replace(view, fold=context.table.state)
    shown = context.board_fields(view)
    return MatchOver(**shown, **context.ending_fields(view), sealed=view.sheet.sealed)


KIND = Kind(MatchOver, build, can_be_muted=True)
