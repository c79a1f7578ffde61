"""The mail that asks the organiser to confirm that they started the match."""

from pbem.mail.kinds.confirm import Confirm
from pbem.services.log import store
from pbem.services.mail.letter_context import Desk


def build(desk: Desk) -> Confirm | str:
    """Returns the letter; stale once the match is confirmed or cancelled."""
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
