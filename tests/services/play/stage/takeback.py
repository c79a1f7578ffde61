"""Moves that are taken back, and what the log says of them."""

from __future__ import annotations

from pbem.services.play import takeback
from pbem.services.play.takeback import Reversible, TakenBack
from tests.table import House, claim_of


def reversible_of_seat(house: House, match_id: str, seat: int) -> Reversible:
    return takeback.read_takeback(house.site, claim_of(house.site, match_id, seat)).reversible


def take_back(house: House, match_id: str, seat: int, to: int | None = None) -> TakenBack:
    to = reversible_of_seat(house, match_id, seat).to if to is None else to
    assert to is not None
    return takeback.take_back(house.site, claim_of(house.site, match_id, seat), to)


def first_seat_asked(house: House, match_id: str) -> int:
    return house.asks(match_id)[0].seat


def version_of_match(house: House, match_id: str) -> int:
    return house.view(match_id, None).sheet.version


def match_with_reply(house: House) -> tuple[str, int, int]:
    """A match of Niigata in which another has played since a move; the match, who moved, and the version before."""
    for _ in range(40):
        match_id = house.begin(3, "niigata")
        mover, before = first_seat_asked(house, match_id), version_of_match(house, match_id)
        house.play(match_id, mover)
        if first_seat_asked(house, match_id) != mover:
            house.play(match_id, first_seat_asked(house, match_id))
        if reversible_of_seat(house, match_id, mover).reason == "acted" and first_seat_asked(house, match_id) != mover:
            return match_id, mover, before
    raise AssertionError("no move after which another plays, without luck")
