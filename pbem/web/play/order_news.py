"""What a seat's orders have done since their owner last looked, on the page of the seat."""

from dataclasses import dataclass

from markupsafe import Markup

from pbem.render import phrases
from pbem.services.play import ordering
from pbem.services.views.match_views import View
from pbem.services.views.seats import Seated
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import claim_of, site


@dataclass(frozen=True)
class OrderNews:
    """What the orders have answered, and what they have left to their owner and why, up to a version of the match."""

    answered: list[Markup]
    left: list[Markup]
    version: int


def order_news(seated: Seated, view: View, token: str) -> OrderNews | None:
    """Returns the news of the seat's orders for its own page; None without any."""
    if not seated.orders_news or view.fold is None:
        return None
    found = ordering.tell(view, ordering.read_orders(site(), claim_of(token)).news, page_language())
    if not found.answered and not found.left:
        return None
    answered, left = ([_say(view, line) for line in lines] for lines in (found.answered, found.left))
    return OrderNews(answered, left, view.sheet.version)


def _say(view: View, line: str) -> Markup:
    return phrases.html(line, view.sheet.names, view.game.meta)
