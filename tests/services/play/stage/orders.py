"""Orders in a match of Hagakure."""

from __future__ import annotations

from typing import Any

from pbem.kit.codec import plain
from pbem.services.play import ordering
from tests.table import House, claim_of


def order_of_no_nobori(**more: Any) -> dict[str, Any]:
    """An order for Hagakure: no Nobori."""
    return {"type": "Always", "kind": "nobori", "move": {"type": "Keep"}} | more


def order_of_cards(house: House, match_id: str, seat: int, **more: Any) -> dict[str, Any]:
    """An order for Hagakure: the first card of the seat's hand, from the left, that may be played."""
    hand = [plain(move) for move in house.view(match_id, seat).fold.hands[seat]]
    return {"type": "Prefer", "kind": "card", "moves": [{"type": "Play", "card": card} for card in hand]} | more


def save_orders_of(house: House, match_id: str, seat: int, *said: dict[str, Any]) -> ordering.Ordered:
    version = house.view(match_id, seat).sheet.version
    return ordering.save_orders(house.site, claim_of(house.site, match_id, seat), version, said, "api")


def who_is_asked(house: House, match_id: str) -> list[tuple[int, str]]:
    """Who is asked, and what."""
    return [(ask.seat, ask.kind) for ask in house.asks(match_id)]
