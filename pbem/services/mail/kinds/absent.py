"""The clock, or the bot that you have chosen, moves for you until you come back."""

from dataclasses import dataclass
from datetime import datetime

from pbem.mail.letters import Kind, MatchLetter
from pbem.render.i18n import bot_title
from pbem.services.mail.letter_context import LetterContext


@dataclass(frozen=True, kw_only=True)
class Absent(MatchLetter):
    """The reader has missed `misses` turns in a row: the clock or a bot moves for them until they come back.

    `bot` is the title of the bot that they have chosen, "" for the clock. With `until` nobody else is at the table, and
    the match waits until then. `play_url` has the button to come back.
    """

    misses: int
    bot: str = ""
    until: datetime | None
    play_url: str


def build(context: LetterContext) -> Absent | str:
    """Returns the letter; stale once the reader is back."""
    if not context.seat.absent or context.match.status not in ("running", "paused"):
        return "stale"
    until = context.match.lapses_at if context.match.status == "paused" else None
    bot = context.seat.stand_in
    return Absent(
        **context.about(),
        misses=context.seat.misses,
        bot=bot_title(context.table.game, bot, context.reader.lang) if bot is not None else "",
        until=until,
        play_url=context.link("play"),
    )


KIND = Kind(Absent, build, can_be_muted=True)
