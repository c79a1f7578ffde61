"""Somebody would like to play with you."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, MatchLetter
from pbem.services.lobby.seating import invitation_key
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Invitation(MatchLetter):
    """Invites the reader to a match. It lapses at `until`; `turn` is the time for each turn.

    With an `increment` the time is for all turns together, and each turn adds to it. `again` is True when the organiser
    reminds the reader. `sitting` are the names of the other seats without the `free` ones, which nobody has yet. Its
    picture is the `cover` of the game, None for a reader who wants no pictures.
    """

    organiser: Name
    sitting: tuple[Name, ...]
    free: int = 0
    invitation_url: str
    until: datetime
    turn: timedelta
    increment: timedelta | None = None
    again: bool = False
    cover: AnyGame | None = None


def build(context: LetterContext) -> Invitation | str:
    """Returns the letter; stale once it is answered or somebody else is invited to the seat."""
    current = context.row.key == f"epoch{context.seat.epoch}"
    if context.match.status != "inviting" or context.seat.status != "invited" or not current:
        return "stale"
    assert context.match.lapses_at is not None, "a match that invites has a last day"
    others, free = context.others()
    return Invitation(
        **context.about(),
        organiser=context.names()[0],
        sitting=tuple(map(context.name_at, others)),
        free=free,
        invitation_url=context.link("invitation"),
        until=context.match.lapses_at,
        **context.turn_time(),
        cover=context.table.game if context.reader.player.pictures else None,
        again=context.row.dedupe != invitation_key(context.seat),
    )


KIND = Kind(Invitation, build, capped=True)
