"""Matches before they begin, and those that never do."""

from __future__ import annotations

from typing import Any

from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat, Unnamed
from pbem.services.lobby.seating import SeatSeen
from pbem.services.tokens import OpeningClaim
from pbem.services.who import STRANGER
from tests.services.chronicles.cast import LONDON, PARIS, change_rows, invitee, invitees, send_all_mails
from tests.services.chronicles.chronicle import Chronicle
from tests.services.letterbox import id_of
from tests.table import House, address_of


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("invitations")
    wanted: list[Any] = [invitee("Alice"), invitee("Bob"), OpenSeat(), BotSeat("random")]
    match_id = told.do(
        "Alice invites Bob, leaves a seat open and takes a bot",
        lambda: matches.create_match(site, STRANGER, NewMatch("hogen", wanted, word="crane", bank_s=864_000)),
    )
    assert match_id is not None
    told.do("a seat too many", lambda: matches.create_match(site, STRANGER, NewMatch("hogen", 4 * wanted)))
    told.do(
        "Bob accepts too early",
        lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON),
    )
    told.do("Bob declines too early", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 1)))
    told.do("Alice withdraws too early", lambda: matches.cancel_or_leave_match(site, house.claim("play", match_id, 0)))
    told.do("Alice confirms", lambda: matches.confirm_match(site, house.claim("confirm", match_id, 0), *PARIS))
    told.do(
        "once more", lambda: matches.confirm_match(site, house.claim("confirm", match_id, 0), "fr", "Europe/London")
    )
    token = joining.join_tokens_for_organiser(site, match_id, 0)[2]
    told.do(
        "Carol asks for the open seat",
        lambda: joining.claim_seat(
            site, house.tokens.read(OpeningClaim, token), invitee("Carol"), "en", "Europe/London"
        ),
    )
    told.do("the mails leave", house.drain)
    told.do("Bob declines", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 1)))
    told.do("twice", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 1)))
    told.do(
        "Bob accepts after all",
        lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON),
    )
    told.do("Alice withdraws", lambda: matches.cancel_or_leave_match(site, house.claim("play", match_id, 0)))
    told.do("twice", lambda: matches.cancel_or_leave_match(site, house.claim("play", match_id, 0)))
    told.do(
        "Alice confirms after all", lambda: matches.confirm_match(site, house.claim("confirm", match_id, 0), *PARIS)
    )
    told.do("Bob declines again", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 1)))
    told.do("Carol declines", lambda: matches.decline_invitation(site, house.claim("invitation", match_id, 2, 65_537)))
    _tell_creating(house, told)
    _tell_accepting(house, told)
    _naming_others(house, told)


def _tell_creating(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("by whom")
    alice, bob = id_of(house, "Alice"), id_of(house, "Bob")
    wanted = NewMatch("hogen", invitees("Alice", "Bob", "Carol"))
    told.do("Alice, signed in", lambda: matches.create_match(site, alice, wanted, browser=alice))
    told.do("Bob, in Alice's name", lambda: matches.create_match(site, bob, wanted, browser=bob))
    told.do("a stranger on Alice's browser", lambda: matches.create_match(site, STRANGER, wanted, browser=alice))
    unverified = NewMatch("hogen", invitees("Bob", "Alice", "Carol"))
    told.do("Bob, who is not verified", lambda: matches.create_match(site, bob, unverified))

    told.part("one request twice")
    once = IdempotencyKey("site", "key", "digest")
    more = NewMatch("hogen", invitees("Alice", "Dave", "Carol"), language="en")
    told.do("a request", lambda: matches.create_match(site, alice, more, once=once))
    told.do("again", lambda: matches.create_match(site, alice, more, once=once))
    other = IdempotencyKey("site", "key", "another")
    told.do("another under its key", lambda: matches.create_match(site, alice, more, once=other))

    told.part("who has no name yet, or another's")
    unnamed: list[Any] = [invitee("Alice"), Unnamed(address_of("Maximilienne")), Unnamed(address_of("Bob"))]
    match_id = told.do("two without a name", lambda: matches.create_match(site, alice, NewMatch("hogen", unnamed)))
    assert match_id is not None
    claim = house.claim("invitation", match_id, 1)
    told.do("a name that Alice has", lambda: matches.accept_invitation(site, claim, *LONDON, "alice"))
    told.do("one like it", lambda: matches.accept_invitation(site, claim, *LONDON, "A1ice"))
    told.do("too long a name", lambda: matches.accept_invitation(site, claim, *LONDON, "M" * 25))
    told.do(
        "a name of their own",
        lambda: matches.accept_invitation(site, claim, *LONDON, " Maximilienne ", word="  Heron  "),
    )
    told.do("again, by another name", lambda: matches.accept_invitation(site, claim, *LONDON, "Fanny", word="owl"))
    invited = house.claim("invitation", match_id, 2)
    told.do("Bob stays a letter, and the match begins", lambda: matches.accept_invitation(site, invited, *LONDON))


def _tell_accepting(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("one seat each")
    alice = id_of(house, "Alice")
    twice = [invitee("Alice"), Invitee("Ann", "alice@example.org"), invitee("Bob")]
    told.do("Alice twice", lambda: matches.create_match(site, alice, NewMatch("hogen", twice)))
    match_id = matches.create_match(site, alice, NewMatch("hogen", invitees("Alice", "Bob", "Carol")))
    claims = [house.claim("invitation", match_id, seat) for seat in range(3)]
    seated = "UPDATE seats SET player_id = :p WHERE match_id = :m AND seat = 1"
    change_rows(house, told, seated, p=alice, m=match_id)
    told.do("by a second seat", lambda: matches.accept_invitation(site, claims[1], *LONDON))
    change_rows(house, told, seated, p=id_of(house, "Bob"), m=match_id)

    told.part("accepting")
    told.do(
        "a link for something else", lambda: matches.accept_invitation(site, house.claim("play", match_id, 1), *LONDON)
    )
    told.do("an old link", lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1, 1), *LONDON))
    told.do("no such seat", lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 3), *LONDON))
    told.do("no language", lambda: matches.accept_invitation(site, claims[1], "xx", "Europe/London"))
    told.do("no zone", lambda: matches.accept_invitation(site, claims[1], "en", "Europe/Nowhere"))
    told.do("too long a word", lambda: matches.accept_invitation(site, claims[1], *LONDON, word="x" * 41))
    house.clock.forward(hours=1)
    change_rows(house, told, "UPDATE seats SET muted = true WHERE match_id = :m AND seat = 1", m=match_id)
    told.do("Bob, who has muted it, under a name that counts for nothing", lambda: _accept(house, claims[1], "Robert"))
    told.do("twice", lambda: matches.accept_invitation(site, claims[1], "fr", "Europe/Paris"))
    told.do("Bob leaves the seat", lambda: matches.cancel_or_leave_match(site, house.claim("play", match_id, 1)))
    told.do(
        "Carol withdraws, who has not accepted",
        lambda: matches.cancel_or_leave_match(site, house.claim("play", match_id, 2)),
    )
    told.do(
        "Bob confirms what Alice has", lambda: matches.confirm_match(site, house.claim("confirm", match_id, 1), *LONDON)
    )

    told.part("the same people again")
    house.clock.forward(hours=1)
    for _ in range(2):
        again = matches.create_match(site, alice, NewMatch("hogen", invitees("Alice", "Bob", "Carol")))
        matches.accept_invitation(site, house.claim("invitation", again, 1), *LONDON)
        told.skip()
        told.do(
            "Carol",
            lambda again=again: matches.accept_invitation(site, house.claim("invitation", again, 2), *LONDON),  # type: ignore[misc]
        )


def _accept(house: House, claim: Any, name: str) -> Any:
    return matches.accept_invitation(house.site, claim, *LONDON, name)


def _naming_others(house: House, told: Chronicle) -> None:
    site = house.site
    told.part("somebody else's seat")
    alice = id_of(house, "Alice")
    match_id = matches.create_match(site, alice, NewMatch("hogen", invitees("Alice", "Bob", "Carol"), language="en"))
    matches.accept_invitation(site, house.claim("invitation", match_id, 2), *LONDON)
    own, bobs = house.claim("play", match_id, 0), house.claim("play", match_id, 1)
    told.skip()

    def name(seat: int, one: Any, *was: Any, claim: Any = own) -> Any:
        return matches.invite_to_untaken_seat(site, claim, seat, one, *was)

    dave = invitee("Dave")
    told.do("Bob names another", lambda: name(1, dave, claim=bobs))
    told.do("there is no such seat", lambda: name(3, dave))
    told.do("it is taken", lambda: name(2, dave))
    told.do("it has changed", lambda: name(1, dave, SeatSeen("Bob", "declined")))
    told.do("the name has", lambda: name(1, dave, SeatSeen("Rob", "invited")))
    told.do("no name", lambda: name(1, Invitee(" ", address_of("Dave"))))
    told.do("no address", lambda: name(1, Invitee("Dave", "dave")))
    told.do("a name at the table", lambda: name(1, Invitee("CAROL", address_of("Dave"))))
    told.do("an address at the table", lambda: name(1, Invitee("Dave", address_of("Carol"))))
    told.do("Bob by another name", lambda: name(1, Invitee("Rob", address_of("Bob")), SeatSeen("Bob", "invited")))
    send_all_mails(house, told)
    told.do("Dave instead", lambda: name(1, dave))
    told.do("by Bob's link", lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON))
    told.do("Bob once more", lambda: name(1, invitee("Bob")))
    told.do("by an old play link", lambda: name(1, dave, claim=house.claim("play", match_id, 0, 1)))
    told.do(
        "Dave sits down", lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1, 1), *LONDON)
    )
    told.do("too late", lambda: name(1, invitee("Fanny")))
    told.do("to withdraw, too", lambda: matches.cancel_or_leave_match(site, own))
    told.do(
        "to be invited, too", lambda: matches.accept_invitation(site, house.claim("invitation", match_id, 1), *LONDON)
    )
    told.do(
        "by an open seat's link",
        lambda: name(1, invitee("Fanny"), claim=house.claim("play", _tell_open(house, told), 2, 65_536)),
    )


def _tell_open(house: House, told: Chronicle) -> str:
    """A match with an open seat."""
    wanted: list[Any] = [invitee("Alice"), invitee("Bob"), OpenSeat()]
    match_id = matches.create_match(house.site, id_of(house, "Alice"), NewMatch("hogen", wanted))
    told.skip()
    return match_id
