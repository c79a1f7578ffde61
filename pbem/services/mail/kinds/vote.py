"""Somebody is late: you may let the clock move for them. The row's key names the late player's ask."""

from dataclasses import dataclass

from pbem.mail.letters import Kind, MatchLetter
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class Vote(MatchLetter):
    """Seat `late` has run out of time: the others may let the clock move. `cast` of `needed` votes have been cast.

    `play_url` has the button.
    """

    late: int
    cast: int
    needed: int
    play_url: str


def build(context: LetterContext) -> Vote | str:
    """Returns the letter; stale once the late player has answered or the reader has voted."""
    sheet = match_views.sheet(context.table, context.seat.seat)
    late = next((ask for ask in sheet.asks if ask.origin == context.row.key), None)
    if sheet.status != "running" or late is None or late.vote is None:
        return "stale"
    if context.seat.seat not in set(late.vote.voters) - set(late.vote.cast):
        return "stale"
    return Vote(
        **context.about(),
        late=late.seat,
        cast=len(late.vote.cast),
        needed=late.vote.needed,
        play_url=context.link("play"),
    )


KIND = Kind(Vote, build, can_be_muted=True)
