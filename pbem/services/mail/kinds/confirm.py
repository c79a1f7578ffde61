"""Did you start this match? Sent to the organiser, before anybody else gets a mail."""

from dataclasses import dataclass
from datetime import datetime

from pbem.kit.contract import AnyGame
from pbem.mail.harmless import Name
from pbem.mail.letters import Kind, Letter
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Confirm(Letter):
    """Asks the organiser to confirm a match. `names` are those of the others, with bots at the places `bots`.

    `free` is the number of seats that nobody has yet.

    The request lapses at `until`. The organiser is `alone` if all others are bots, so nobody is invited. `commitment`
    is as in a `MatchLetter`. The letter does not tell the lucky word: a stranger may have typed it.
    """

    game: AnyGame
    organiser: Name
    names: tuple[Name, ...]
    free: int = 0
    bots: tuple[int, ...] = ()
    confirm_url: str
    until: datetime
    commitment: str
    alone: bool = False

    @property
    def commitments(self) -> tuple[str, ...]:
        """The match's."""
        return (self.commitment,)

    @property
    def addressee(self) -> str:
        """The organiser's name."""
        return self.organiser


def build(context: LetterContext) -> Confirm | str:
    """Returns the letter; stale once the match is confirmed or cancelled."""
    if context.match.status != "unconfirmed" or context.match.lapses_at is None:
        return "stale"
    others, free = context.others()
    return Confirm(
        **context.envelope(),
        game=context.table.game,
        organiser=context.seat.name,
        names=tuple(context.name_at(other) for other in others),
        free=free,
        bots=tuple(place for place, other in enumerate(others) if other.bot is not None),
        confirm_url=context.link("confirm"),
        until=context.match.lapses_at,
        commitment=context.match.commitment,
        alone=not free and all(other.bot is not None for other in others),
    )


KIND = Kind(Confirm, build, capped=True, on_request=True, proves_address=True)
