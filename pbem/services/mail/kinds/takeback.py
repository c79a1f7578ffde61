"""The mail that asks a player to agree that a move is taken back. The row's key is the entry before that move."""

from pbem.mail.kinds.takeback import TakeBack
from pbem.services.log import store
from pbem.services.log.consent import needed_consent, open_request
from pbem.services.mail.letter_context import LetterContext
from pbem.services.views import match_views


def build(context: LetterContext) -> TakeBack | str:
    """Returns the letter; stale if the request is not open any more, or the reader has agreed."""
    request, reader = open_request(context.match), context.seat.seat
    if context.match.status != "running" or request is None or str(request.to) != context.row.key:
        return "stale"
    needed = needed_consent(store.seats_of(context.session, context.match.id), request.seat)
    if reader not in needed or reader in request.agreed:
        return "stale"
    view = match_views.view(context.session, context.match, reader)
    told = view.story(context.reader.lang, after=request.to)
    return TakeBack(
        **context.about(),
        asker=request.seat,
        told=told[0].text if told else "",
        needed=tuple(view.sheet.names[seat] for seat in needed),
        play_url=context.link("play", "play"),
    )
