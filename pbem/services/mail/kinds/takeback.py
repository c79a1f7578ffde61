"""Somebody asks to take back a move: do you agree? The row's key is the entry before that move."""

from dataclasses import dataclass

from pbem.kit.contract import Phrase
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.services.log.consent import find_takeback_request, seats_to_agree_to_takeback
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class TakeBack(MatchLetter):
    """Seat `asker` asks to take back the move that `told` tells, and what was played since.

    `besides` names those who must agree besides the reader. `play_url` has the buttons.
    """

    asker: int
    told: Phrase
    besides: tuple[Name, ...]
    play_url: str


def build(context: LetterContext) -> TakeBack | str:
    """Returns the letter; stale if the request is not open any more, or the reader has agreed."""
    request, reader = find_takeback_request(context.match), context.seat.seat
    if context.match.status != "running" or request is None or str(request.to) != context.row.key:
        return "stale"
    needed = seats_to_agree_to_takeback(context.table.seats, request.seat)
    if reader not in needed or reader in request.agreed:
        return "stale"
    view = match_views.glance(context.table, reader, lambda seen: seen.tells(request.to))
    told = view.story(context.reader.lang, after=request.to)
    return TakeBack(
        **context.about(),
        asker=request.seat,
        told=told[0].text if told else "",
        besides=tuple(view.sheet.names[seat] for seat in needed if seat != reader),
        play_url=context.link("play"),
    )


KIND = Kind(TakeBack, build, can_be_muted=True)
