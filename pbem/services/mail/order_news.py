"""What a mail tells of its reader's orders: what they have answered, what they have left to them, and what goes on."""

from collections.abc import Sequence

import structlog

from pbem.errors import Busy
from pbem.mail import parts
from pbem.mail.letters import OrdersTold
from pbem.models.prepared import find
from pbem.models.tables import OrderRow
from pbem.services.log import locks
from pbem.services.log.store import Table
from pbem.services.mail.letter_context import LetterContext
from pbem.services.play import ordering
from pbem.services.site import Site
from pbem.services.views.match_views import View

log = structlog.get_logger()
MOST_LINES = 6
"""The most answers, questions left, and orders that go on; the match's page has all of them."""


def order_news(context: LetterContext, view: View) -> parts.OrderNews | None:
    """Returns the news of the reader's orders that no mail has told yet; None without any."""
    if context.seat.player_id != context.reader.player.id:
        return None
    lang, found = context.reader.lang, ordering.orders_of(Table(context.session, context.match), context.seat.seat)
    news = [one for one in found.news if one.n > found.mailed]
    told = ordering.tell(view, news, lang)
    if not told.answered and not told.left:
        return None
    going = found.says(lang)
    return parts.OrderNews(
        answered=told.answered[-MOST_LINES:],
        count=len(told.answered),
        left=told.left[-MOST_LINES:],
        going=going[:MOST_LINES],
        stop_url=context.link("orders", "stop-orders"),
        change_url=context.link("play", "play") + "/orders",
        upto=max(one.n for one in news),
        left_before=max(0, len(told.left) - MOST_LINES),
        more_going=max(0, len(going) - MOST_LINES),
    )


def note_told(site: Site, told: Sequence[OrdersTold]) -> None:
    """Notes that a mail that has left has told these news of orders: no other mail tells them again.

    In transactions of their own, because each needs the lock of its match. After a crash, or if a match is busy for
    long, the next mail tells them once more.
    """
    for match_id, seat, upto in told:
        try:
            with site.writing() as work:
                locks.lock_match(work, match_id)
                row = find(work, OrderRow, match_id, seat)
                if row is not None and row.mailed < upto:
                    row.mailed = upto
        except Busy:
            log.info("mail.orders_untold", match=match_id, seat=seat)
