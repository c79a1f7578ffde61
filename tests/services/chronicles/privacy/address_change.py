"""Changing one's address: both mailboxes are asked, and both must agree."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from pbem.features.webhooks import registry
from pbem.models.accounts import PersonalToken
from pbem.models.tables import Player, SeatRow, SubstituteRow
from pbem.services.privacy import address_change
from pbem.services.tokens import ERA, ChangeClaim
from tests.features.circles.people import circle_of
from tests.services.chronicles.chronicle import Chronicle
from tests.services.players.listed import close_mails, note_results_of_cases, store_rows
from tests.table import House

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
NEW = "Robert@example.net"
BOB = 2


def tell(house: House, told: Chronicle) -> None:
    site = house.site
    match_id, waiting, inviting = house.begin(), house.create(), house.create()
    _furnish(house, match_id, waiting, inviting)
    told.skip()
    told.part("asking")
    told.do("no address", lambda: address_change.request_change(site, BOB, "bob"))
    told.do("their own", lambda: address_change.request_change(site, BOB, "bob@example.org"))
    told.do("nobody asks", lambda: address_change.request_change(site, 99, NEW))
    told.do("nothing is pending", lambda: address_change.pending_change(site, BOB))
    told.do("Bob asks", lambda: address_change.request_change(site, BOB, NEW))
    told.do("it is pending", lambda: address_change.pending_change(site, BOB))
    told.do("not for Carol", lambda: address_change.pending_change(site, 3))
    told.do("Bob withdraws it", lambda: address_change.withdraw_change(site, BOB))
    told.do("once more", lambda: address_change.withdraw_change(site, BOB))
    house.clock.forward(seconds=1)
    told.do("Bob asks for another spelling", lambda: address_change.request_change(site, BOB, "Bob@example.org"))
    told.do("Bob asks for another, in its place", lambda: address_change.request_change(site, BOB, NEW))
    told.do("the fourth of a day", lambda: address_change.request_change(site, BOB, NEW))
    house.clock.at += DAY - SECOND
    told.do("a second before the first is a day old", lambda: _early(house))
    told.do("the first is a day old", lambda: address_change.request_change(site, BOB, NEW))
    told.part("answering")
    _tell_answers(house, told)
    told.part("what else may be wrong")
    _tell_wrong(house, told)


def _early(house: House) -> Any:
    house.clock.at -= SECOND
    try:
        return address_change.request_change(house.site, BOB, NEW)
    finally:
        house.clock.at += SECOND


def _furnish(house: House, match_id: str, waiting: str, inviting: str) -> None:
    """Bob has a circle, a token, a webhook, an offer, claims, and an unconfirmed match of their own."""
    site, now = house.site, house.clock()
    circle_of(house, "Bob", "Carol")
    registry.add_webhook(site, BOB, "https://example.org/hook", ["over"])
    registry.add_webhook(site, 3, "https://example.org/hook", ["over"])
    with site.writing() as work:
        bob = work.get_one(Player, BOB)
        bob.bounced_at, bob.bounced_why = now, "host"
        work.add_all([bob, *(PersonalToken(player_id=n, name="x", digest=f"{n}", hint="", scopes="", created_at=now)
                             for n in (BOB, 3))])  # fmt: skip
        own = work.get_one(SeatRow, (waiting, 0))
        other = work.get_one(SeatRow, (waiting, 1))
        own.player_id, own.status, own.name = BOB, "invited", "Bob"
        other.player_id, other.status = 1, "declined"
        opened = work.get_one(SeatRow, (inviting, 1))
        opened.status, opened.epoch, opened.player_id = "invited", ERA + 2, 3
        work.add_all([own, other, opened])
        for away, who in ((-ERA - 1, BOB), (-ERA - 2, 3)):
            work.add(SubstituteRow(match_id=inviting, seat=1, away_n=away, player_id=who, name=f"{who}", at=now))
        work.add(SubstituteRow(match_id=match_id, seat=0, away_n=3, player_id=BOB, name="Bob", at=now))
        work.add(SubstituteRow(match_id=match_id, seat=2, away_n=3, player_id=3, name="Carol", at=now))
    close_mails(house)


def _tell_answers(house: House, told: Chronicle) -> None:
    site = house.site
    number = 4
    old, new = ChangeClaim(number, "old"), ChangeClaim(number, "new")
    for claim in (old, new):
        told.do(f"the {claim.side} mailbox looks", lambda one=claim: address_change.read_change(site, one))  # type: ignore[misc]
    told.do("one that was withdrawn", lambda: address_change.read_change(site, ChangeClaim(1, "old")))
    told.do("an unknown one", lambda: address_change.read_change(site, ChangeClaim(99, "old")))
    told.do("the new one cannot keep matches", lambda: address_change.confirm_first_address(site, new))
    house.clock.forward(hours=48)
    told.do("too late", lambda: address_change.agree_to_change(site, old))
    told.do("it is not pending any more", lambda: address_change.pending_change(site, BOB))
    told.do("the mailbox looks too late", lambda: address_change.read_change(site, old))
    house.clock.at -= SECOND
    told.do("in time", lambda: address_change.agree_to_change(site, old))
    told.do("still pending", lambda: address_change.pending_change(site, BOB))
    told.do("once more", lambda: address_change.agree_to_change(site, old))
    told.do("the old mailbox looks again", lambda: address_change.read_change(site, old))
    told.do("the new one agrees", lambda: address_change.agree_to_change(site, new))
    told.do("once more", lambda: address_change.agree_to_change(site, new))
    told.do("the new one looks", lambda: address_change.read_change(site, new))
    told.do("it is too late to stop", lambda: address_change.refuse_change(site, old))
    told.do("nothing is pending", lambda: address_change.pending_change(site, BOB))


Side = Literal["old", "new"]


def _tell_wrong(house: House, told: Chronicle) -> None:
    site = house.site

    def ask(address: str, player: int = BOB) -> int:
        house.clock.at += DAY
        address_change.request_change(site, player, address)
        told.skip()
        with site.reading() as session:
            found = session.connection().exec_driver_sql("SELECT max(id) FROM address_changes")
            return int(found.scalar_one())

    number = ask("Carol@example.org")
    told.do(
        "Carol's address: the new mailbox agrees",
        lambda: address_change.agree_to_change(site, ChangeClaim(number, "new")),
    )
    told.do("the old one does", lambda: address_change.agree_to_change(site, ChangeClaim(number, "old")))
    sides: tuple[Side, ...] = ("old", "new")
    note_results_of_cases(
        told, "how it stands", lambda side: address_change.read_change(site, ChangeClaim(number, side)).how, sides
    )
    note_results_of_cases(
        told, "again", lambda side: address_change.agree_to_change(site, ChangeClaim(number, side)), sides
    )
    beside = ask("alice+x@example.org")
    address_change.agree_to_change(site, ChangeClaim(beside, "old"))
    told.skip()
    told.do(
        "Alice's mailbox, in another spelling", lambda: address_change.agree_to_change(site, ChangeClaim(beside, "new"))
    )
    store_rows(house, Player(address="dave@example.org", canonical="dave@example.org", created_at=house.clock()))
    apart = ask("dave+x@example.org")
    address_change.agree_to_change(site, ChangeClaim(apart, "old"))
    told.skip()
    told.do("Dave's, who plays elsewhere", lambda: address_change.agree_to_change(site, ChangeClaim(apart, "new")))
    stopped = ask("x@example.net")
    told.do(
        "the old mailbox stops it", lambda: address_change.refuse_change(site, ChangeClaim(stopped, "old"), never=True)
    )
    told.do("again", lambda: address_change.refuse_change(site, ChangeClaim(stopped, "old")))
    never = ask("y@example.net")
    told.do(
        "the new one wants no mail", lambda: address_change.refuse_change(site, ChangeClaim(never, "new"), never=True)
    )
    told.do("stopped, it cannot be confirmed", lambda: address_change.agree_to_change(site, ChangeClaim(never, "new")))
    plain = ask("z@example.net")
    told.do("the new one stops it", lambda: address_change.refuse_change(site, ChangeClaim(plain, "new")))
    told.do("an unknown one", lambda: address_change.refuse_change(site, ChangeClaim(99, "new")))
    told.do("an unknown one is confirmed", lambda: address_change.agree_to_change(site, ChangeClaim(99, "new")))
    note_results_of_cases(told, "why", address_change.why_change_is_closed, ("taken", "gone"))
