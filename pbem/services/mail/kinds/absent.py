"""The mail that tells a player they are absent: the clock moves for them until they come back."""

from pbem.mail.kinds.absent import Absent
from pbem.render.i18n import title_of
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Absent | str:
    """Returns the letter; stale once the reader is back."""
    if not context.seat.absent or context.match.status not in ("running", "paused"):
        return "stale"
    until = context.match.lapses_at if context.match.status == "paused" else None
    return Absent(
        **context.about(),
        misses=context.seat.misses,
        bot=title_of(context.seat.stand_in, context.reader.lang) if context.seat.stand_in is not None else "",
        until=until,
        play_url=context.link("play", "play"),
    )
