"""The match has begun, and others are asked first."""

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Away, Kind, PlayLetter, Start
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


@dataclass(frozen=True, kw_only=True)
class Started(PlayLetter):
    """Everybody has accepted, and somebody else is asked first: those in `asked`."""

    start: Start
    asked: tuple[Name, ...]
    away: tuple[Away, ...] = ()
    bots: tuple[int, ...] = ()
    """The seats of bots."""


def build(context: LetterContext) -> Started | str:
    """Returns the letter; stale if the reader is asked by now, because the turn mail tells them."""
    view = match_views.view(context.table, context.seat.seat)
    if context.match.status != "running" or view.ask is not None:
        return "stale"
    return Started(
        **context.board_fields(view),
        start=context.how_match_is_played(),
        asked=tuple(seat.name for seat in view.sheet.seats if seat.asked),
        away=context.players_on_holiday(view),
        bots=tuple(seat.seat for seat in view.sheet.seats if seat.bot is not None),
    )


KIND = Kind(Started, build, can_be_muted=True, with_board=True)
