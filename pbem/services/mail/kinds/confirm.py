"""The mail that asks the organiser to confirm that they started the match."""

from pbem.mail.kinds.confirm import Confirm
from pbem.services.log import store
from pbem.services.mail.letter_context import LetterContext


def build(context: LetterContext) -> Confirm | str:
    """Returns the letter; stale once the match is confirmed or cancelled."""
    if context.match.status != "unconfirmed" or context.match.lapses_at is None:
        return "stale"
    seats = store.seats_of(context.session, context.match.id)
    others = [seat for seat in seats if seat.seat != context.seat.seat]
    return Confirm(
        **context.envelope(),
        game=store.game_of(context.match),
        organiser=context.seat.name,
        names=tuple(context.called(other) for other in others),
        bots=tuple(place for place, other in enumerate(others) if other.bot is not None),
        confirm_url=context.link("confirm", "confirm"),
        until=context.match.lapses_at,
        commitment=context.match.commitment,
        alone=all(other.bot is not None for other in others),
    )
