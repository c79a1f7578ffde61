"""Somebody does not want to play. Sent to the organiser. The row's key names the seat and its epoch."""

from dataclasses import dataclass

from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.models.tables import SeatRow
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Declined(MatchLetter):
    """Tells the organiser, on `seat`, that `who` does not want to play; `match_url` shows what can be done."""

    who: Name
    match_url: str


def build(context: LetterContext) -> Declined | str:
    """Returns the letter; stale once somebody else is invited to the seat."""
    left, _, epoch = (context.row.key or "").partition(".epoch")
    gone = context.session.get(SeatRow, (context.match.id, int(left)))
    if context.match.status != "inviting" or gone is None or gone.status != "declined" or gone.epoch != int(epoch):
        return "stale"
    return Declined(**context.about(), who=gone.name, match_url=context.link("play"))


KIND = Kind(Declined, build, can_be_muted=True, capped=True)
