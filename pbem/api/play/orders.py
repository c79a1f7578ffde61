"""Orders: what the caller's seat has said beforehand about questions to come."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields, validate

from pbem.api.protocol.bodies import BoundedInt, RequestSchema, ResponseSchema
from pbem.api.protocol.callers import SEAT, seat_claim, site
from pbem.api.protocol.endpoints import Endpoints
from pbem.api.protocol.language import language
from pbem.api.protocol.preconditions import seen_state
from pbem.api.views.match_views import MOST as MOST_ENTRIES
from pbem.kit.orders.typed import LONGEST, format_order
from pbem.render.phrases import text
from pbem.services.play import ordering
from pbem.services.play.order_checks import MOST
from pbem.services.play.ordering import Ordered
from pbem.services.views import match_views

blueprint = Endpoints("orders", "What a seat has said beforehand about questions to come.")


class OrderInWords(ResponseSchema):
    """An order as it is typed, and what it will do."""

    text = fields.String(required=True)
    says = fields.String(required=True)


class OrderNews(ResponseSchema):
    """A question that the orders were there for: the move with which they have answered, or why they did not."""

    version = fields.Integer(required=True, metadata={"description": "The entry at which it happened."})
    key = fields.String(required=True)
    kind = fields.String(required=True)
    move = fields.String(
        required=True, allow_none=True, metadata={"description": "In the game's notation; null if you are asked."}
    )
    why = fields.String(required=True, allow_none=True, metadata={"description": "Why you are asked; null if not."})


class Orders(ResponseSchema):
    """The orders of the caller's seat, which nobody else learns of, and the version of the match they stand at."""

    game = fields.String(required=True)
    version = fields.Integer(required=True)
    orders = fields.List(fields.Nested(OrderInWords), required=True)
    news = fields.List(
        fields.Nested(OrderNews),
        required=True,
        metadata={"description": "What they have done that you have not read: see `readOrderNews`."},
    )
    answered = fields.Integer(
        required=True,
        metadata={"description": "How many open questions they have answered at once, as they were saved."},
    )


class ReadUpTo(RequestSchema):
    """News up to this version are read."""

    version = BoundedInt(0, MOST_ENTRIES, required=True)


class NewOrders(RequestSchema):
    """Orders in the place of all that the seat has, the first one that fits counts; none stops them."""

    version = BoundedInt(
        0,
        MOST_ENTRIES,
        required=True,
        metadata={"description": "The version of the match at which they were made: that of `GET …/events`."},
    )
    orders = fields.List(
        fields.String(validate=validate.Length(min=1, max=LONGEST)),
        required=True,
        validate=validate.Length(max=MOST),
        metadata={"description": "Each in its typed form, such as `always answer: pass for match`."},
    )


def _json(found: Ordered, match_id: str) -> dict[str, Any]:
    game, lang = found.game, language()
    names = match_views.read_sheet(site(), match_id, seat_claim().seat).names
    told = zip(found.orders, found.says(lang), strict=True)
    orders = [{"text": format_order(one, game), "says": text(says, names)} for one, says in told]
    news = [
        {
            "version": one.n, "key": one.key, "kind": one.kind,
            "move": game.format(one.move) if one.move is not None else None,
            "why": text(one.why[lang], names) if one.why is not None else None,
        }
        for one in found.news
    ]  # fmt: skip
    return {
        "game": game.meta.slug, "version": found.version, "orders": orders, "news": news, "answered": found.answered
    }  # fmt: skip


@blueprint.operation("readOrders", "GET /matches/<match_id>/orders", who=SEAT, gives=Orders)
def show(match_id: str) -> dict[str, Any]:
    """Returns the orders of the caller's seat."""
    return _json(ordering.read_orders(site(), seat_claim()), match_id)


@blueprint.operation(
    "putOrders",
    "PUT /matches/<match_id>/orders",
    who=SEAT,
    body=NewOrders,
    gives=Orders,
    if_match=show,
    refuses=(409, 422),
)
def put(body: Mapping[str, Any], match_id: str) -> dict[str, Any]:
    """Replaces the orders of the caller's seat. What they can answer now is played at once.

    If the match has moved on since `version`, 409 `stale` has the news: nothing is saved.
    """
    told = seen_state()
    was = [one["text"] for one in told["orders"]] if told is not None else None
    found = ordering.save_orders(site(), seat_claim(), body["version"], body["orders"], "api", was=was)
    return _json(found, match_id)


@blueprint.operation("stopOrders", "DELETE /matches/<match_id>/orders", who=SEAT, gives=(204, None))
def stop(match_id: str) -> None:
    """Stops all orders of the caller's seat, whatever has happened since."""
    ordering.stop_orders(site(), seat_claim())


@blueprint.operation(
    "readOrderNews", "POST /matches/<match_id>/orders/read", who=SEAT, body=ReadUpTo, gives=(204, None)
)
def read(body: Mapping[str, Any], match_id: str) -> None:
    """Says that the news of the orders up to this version have been read."""
    ordering.note_read(site(), seat_claim(), body["version"])
