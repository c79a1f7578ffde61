"""The clock plays for you until you come back."""

from pbem.mail.kinds.absent import Absent
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Absent | str:
    """The letter while the clock plays for the reader; stale once they are back."""
    if not desk.seat.absent or desk.match.status not in ("running", "paused"):
        return "stale"
    until = desk.match.lapses_at if desk.match.status == "paused" else None
    return Absent(
        **desk.about(),
        misses=desk.seat.misses,
        until=until,
        play_url=desk.link("play", "play"),
    )
