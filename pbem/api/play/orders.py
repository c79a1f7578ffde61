"""Orders: what the caller's seat has said beforehand about questions to come."""

from collections.abc import Mapping
from typing import Annotated, Any

from marshmallow import fields, validate
from msgspec import Struct

from pbem.answers import about
from pbem.api.protocol.bodies import BoundedInt, RequestSchema, Several
from pbem.api.protocol.callers import SEAT, language, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.headers import state_seen
from pbem.api.views.match_views import MOST as MOST_ENTRIES
from pbem.kit.orders.typed import LONGEST, format_order
from pbem.render.phrases import phrase_text
from pbem.services.play import ordering
from pbem.services.play.order_checks import MOST
from pbem.services.play.ordering import Ordered
from pbem.services.tokens import SeatClaim
from pbem.services.views import match_views

blueprint = Endpoints("orders", "What a seat has said beforehand about questions to come.", who=SEAT)


class OrderInWords(Struct, frozen=True):
    """An order as it is typed, and what it will do."""

    text: str
    says: str


class OrderNews(Struct, frozen=True):
    """A question that the orders were there for: the move with which they have answered, or why they did not."""

    version: Annotated[int, about("The entry at which it happened.")]
    key: str
    kind: str
    move: Annotated[str | None, about("In the game's notation; null if you are asked.")]
    why: Annotated[str | None, about("Why you are asked; null if not.")]


class Orders(Struct, frozen=True):
    """The orders of the caller's seat, which nobody else learns of, and the version of the match they stand at."""

    game: str
    version: int
    orders: list[OrderInWords]
    news: Annotated[list[OrderNews], about("What they have done that you have not read: see `readOrderNews`.")]
    answered: Annotated[int, about("How many open questions they have answered at once, as they were saved.")]


class ReadUpTo(RequestSchema):
    """News up to this version are read."""

    version = BoundedInt(0, MOST_ENTRIES, required=True)


class NewOrders(RequestSchema):
    """Orders in the place of all that the seat has, the first one that fits counts; none stops them."""

    version = BoundedInt(
        0,
        MOST_ENTRIES,
        required=True,
        about="The version of the match at which they were made: that of `GET …/events`.",
    )
    orders = Several(
        fields.String(validate=validate.Length(min=1, max=LONGEST)),
        required=True,
        validate=validate.Length(max=MOST),
        about="Each in its typed form, such as `always answer: pass for match`.",
    )


def _orders_answer(found: Ordered, claim: SeatClaim) -> Orders:
    game, lang = found.game, language()
    names = match_views.read_sheet(site(), claim.match_id, claim.seat).names
    told = zip(found.orders, found.says(lang), strict=True)
    orders = [OrderInWords(format_order(one, game), phrase_text(says, names)) for one, says in told]
    news = [
        OrderNews(
            one.n, one.key, one.kind, None if one.move is None else game.format(one.move),
            None if one.why is None else phrase_text(one.why[lang], names),
        )
        for one in found.news
    ]  # fmt: skip
    return Orders(game.meta.slug, found.version, orders, news, found.answered)


@blueprint.operation("readOrders", "GET /matches/<match_id>/orders")
def seat_orders(claim: SeatClaim) -> Orders:
    """Returns the orders of the caller's seat."""
    return _orders_answer(ordering.read_orders(site(), claim), claim)


@blueprint.operation(
    "putOrders", "PUT /matches/<match_id>/orders", body=NewOrders, if_match=seat_orders, refuses=(409, 422)
)
def put_orders(body: Mapping[str, Any], claim: SeatClaim) -> Orders:
    """Replaces the orders of the caller's seat. What they can answer now is played at once.

    If the match has moved on since `version`, 409 `stale` has the news: nothing is saved.
    """
    told = state_seen()
    was = [one["text"] for one in told["orders"]] if told is not None else None
    found = ordering.save_orders(site(), claim, body["version"], body["orders"], "api", was=was)
    return _orders_answer(found, claim)


@blueprint.operation("stopOrders", "DELETE /matches/<match_id>/orders")
def stop_all_orders(claim: SeatClaim) -> None:
    """Stops all orders of the caller's seat, whatever has happened since."""
    ordering.stop_orders(site(), claim)


@blueprint.operation("readOrderNews", "POST /matches/<match_id>/orders/read", body=ReadUpTo)
def mark_orders_read(body: Mapping[str, Any], claim: SeatClaim) -> None:
    """Says that the news of the orders up to this version have been read."""
    ordering.forget_read_news(site(), claim, body["version"])
