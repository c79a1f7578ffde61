"""Matches before they begin, and those that never do."""

from __future__ import annotations

from typing import Any

from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.who import STRANGER
from tests.services.chronicles.chronicle import Chronicle
from tests.table import House, address_of


def _who(name: str) -> Invitee:
    return Invitee(name, address_of(name))


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("invitations")
    wanted: list[Any] = [_who("Alice"), _who("Bob"), OpenSeat(), BotSeat("random")]
    match_id = told.do(
        "Alice invites Bob, leaves a seat open and takes a bot",
        lambda: matches.create(site, STRANGER, NewMatch("hogen", wanted, word="crane", bank_s=864_000)),
    )
    assert match_id is not None
    told.do("a seat too many", lambda: matches.create(site, STRANGER, NewMatch("hogen", 4 * wanted)))
    told.do("Alice confirms", lambda: matches.confirm(site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris"))
    told.do("once more", lambda: matches.confirm(site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris"))
    token = joining.join_tokens(site, match_id, 0)[2]
    told.do(
        "Carol asks for the open seat",
        lambda: joining.join(site, house.tokens.read_opening(token), _who("Carol"), "en", "Europe/London"),
    )
    told.do("the mails leave", house.drain)
    told.do("Bob declines", lambda: matches.decline(site, house.claim("invitation", match_id, 1)))
    told.do("Alice withdraws", lambda: matches.withdraw(site, house.claim("play", match_id, 0)))
