"""The match has begun, and others are asked first."""

from pbem.mail.kinds.started import Started
from pbem.services.mail import board_letters
from pbem.services.mail.letter_context import Desk
from pbem.services.views import match_views


def build(desk: Desk) -> Started | str:
    """Everybody has accepted; who is asked himself by now learns it from the mail that says so."""
    view = match_views.view(desk.session, desk.match, desk.seat.seat)
    if desk.match.status != "running" or view.ask is not None:
        return "stale"
    asked = tuple(seat.name for seat in view.sheet.seats if seat.asked)
    return Started(
        **board_letters.with_board(desk, view),
        start=board_letters.start(desk),
        play_url=desk.link("play", "play"),
        asked=asked,
        away=board_letters.away(desk, view),
    )
