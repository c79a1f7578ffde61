"""Is it you who starts this match?"""

from pbem.mail.kinds.confirm import Confirm
from pbem.services.log import store
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Confirm | str:
    """The letter with the link to confirm; stale once the match is confirmed or cancelled."""
    if desk.match.status != "unconfirmed" or desk.match.lapses_at is None:
        return "stale"
    names = desk.names()
    return Confirm(
        **desk.envelope(),
        game=store.game_of(desk.match),
        organiser=names[desk.seat.seat],
        names=names[: desk.seat.seat] + names[desk.seat.seat + 1 :],
        confirm_url=desk.link("confirm", "confirm"),
        until=desk.match.lapses_at,
        commitment=desk.match.seed_sha256,
    )
