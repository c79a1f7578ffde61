"""The mail that tells a player they are absent: the clock plays for them until they come back."""

from pbem.mail.kinds.absent import Absent
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Absent | str:
    """Returns the letter; stale once the reader is back."""
    if not desk.seat.absent or desk.match.status not in ("running", "paused"):
        return "stale"
    until = desk.match.lapses_at if desk.match.status == "paused" else None
    return Absent(
        **desk.about(),
        misses=desk.seat.misses,
        until=until,
        play_url=desk.link("play", "play"),
    )
