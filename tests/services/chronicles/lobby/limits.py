"""How many matches somebody starts, how many people they invite, and what a new time zone moves."""

from __future__ import annotations

from typing import Any

from pbem.environment import Smtp
from pbem.services.lobby import joining, matches, rematches, reminding
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.tokens import ERA, OpeningClaim
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import LONDON, PARIS, change_rows, invitee, invitees, seconds_refused_for
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House, address_of

SETTINGS = {
    "smtp": Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5),
    "matches_per_address_day": 2,
    "mails_per_address_day": 4,
}


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("matches")
    for number in range(4):
        match_id = house.create(3)
        told.skip()
        claim = house.claim("confirm", match_id, 0)
        told.do(f"match {number}", lambda claim=claim: matches.confirm_match(site, claim, *PARIS))  # type: ignore[misc]
    told.do("for how long", lambda: seconds_refused_for(lambda: matches.confirm_match(site, claim, *PARIS)))
    alice = id_of(house, "Alice")
    told.do(
        "signed in", lambda: matches.create_match(site, alice, NewMatch("hogen", invitees("Alice", "Bob", "Carol")))
    )
    told.do("against bots", lambda: matches.start_match_against_bots(site, alice, "hogen", "Alice", *LONDON).match_id)
    house.clock.forward(seconds=86_399)
    told.do("a second before the day is over", lambda: matches.confirm_match(site, claim, *PARIS))
    house.clock.forward(seconds=1)
    told.do("a day later", lambda: matches.confirm_match(site, claim, *PARIS))
    change_rows(
        house, told, "UPDATE matches SET status = 'over' WHERE id <> :m AND status <> 'unconfirmed'", m=match_id
    )

    told.part("invitations")
    house.clock.forward(days=2)
    own = house.claim("play", match_id, 0)

    def name(title: str, name: str) -> None:
        told.do(title, lambda: matches.invite_to_untaken_seat(site, own, 1, Invitee(name, address_of(name))))

    name("the first today", "Dave")
    told.do("Dave declines", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 1, 1)))
    name("Dave is asked again", "Dave")
    told.do("a reminder", lambda: reminding.remind_invited_player(site, own, 2))
    name("the third", "Fanny")
    name("the fourth", "Maximilienne")
    name("one too many", "Charlie")
    told.do("for how long", lambda: seconds_refused_for(lambda: reminding.remind_invited_player(site, own, 1)))
    told.do("a seat for anybody", lambda: joining.open_seat(site, own, 1))
    link = OpeningClaim(match_id, 1, 1)
    for number in range(5):
        guest = Invitee("Dave", f"dave{number}@example.org")
        told.do(f"mailbox {number} asks", lambda guest=guest: joining.claim_seat(site, link, guest, *LONDON))  # type: ignore[misc]
    told.do("for how long", lambda: seconds_refused_for(lambda: joining.claim_seat(site, link, guest, *LONDON)))
    house.clock.forward(days=1)
    told.do("when a day has gone by", lambda: joining.claim_seat(site, link, guest, *LONDON))
    house.clock.forward(days=1)
    told.do("a reminder to who has asked", lambda: reminding.remind_invited_player(site, own, 1))
    for number in range(5, 8):
        joining.claim_seat(site, link, Invitee("Dave", f"dave{number}@example.org"), *LONDON)
    told.skip()
    told.do(
        "a reminder to who was invited, when too many have asked", lambda: reminding.remind_invited_player(site, own, 2)
    )
    house.clock.forward(days=1)
    for number in range(8, 12):
        matches.invite_to_untaken_seat(site, own, 2, Invitee("Carol", f"carol{number}@example.org"))
    told.skip()
    told.do(
        "a reminder to who has asked, when too many were invited", lambda: reminding.remind_invited_player(site, own, 1)
    )
    _tell_moving(house, told)


def _tell_moving(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("another time zone")
    bob, carol = id_of(house, "Bob"), id_of(house, "Carol")
    running = house.begin(3)
    change_rows(house, told, "UPDATE asks SET mailed_at = opened_at, acts_at = deadline WHERE match_id = :m", m=running)
    change_rows(
        house, told, "UPDATE players SET zone = 'Asia/Tokyo', language = 'en' WHERE id IN (:b, :c)", b=bob, c=carol
    )
    calendar = "UPDATE players SET quiet_from = 22, quiet_to = 9, digest_hour = 7 WHERE id = :b"
    change_rows(house, told, calendar, b=bob)
    wanted: list[Any] = [invitee("Dave"), invitee("Bob"), OpenSeat()]
    match_id = matches.create_match(site, STRANGER, NewMatch("hogen", wanted))
    matches.confirm_match(site, house.claim("confirm", match_id, 0), *PARIS)
    told.skip()
    claim = house.claim("invitation", match_id, 1)
    told.do("Bob, who has quiet hours", lambda: matches.accept_invitation(site, claim, "fr", "America/New_York"))
    joining.claim_seat(site, OpeningClaim(match_id, 2, 1), invitee("Carol"), "fr", "Europe/Paris")
    told.skip()
    claim = house.claim("invitation", match_id, 2, ERA + 1)
    told.do("Carol, who has none", lambda: matches.accept_invitation(site, claim, "fr", "America/New_York"))

    told.part("a rematch")
    change_rows(house, told, "UPDATE matches SET status = 'over' WHERE id = :m", m=running)
    own = house.claim("play", running, 1)
    for number in range(3):
        told.do(f"request {number}", lambda: rematches.find_or_create_rematch(site, own, bob).made)
        change_rows(house, told, "UPDATE matches SET status = 'cancelled' WHERE rematch_of = :m", m=running)
