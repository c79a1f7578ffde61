"""Circles: who founds them, who comes and goes, and what members and strangers see."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial

from sqlalchemy import insert

from pbem.environment import Smtp
from pbem.features.circles import founding, joining, sheets
from pbem.features.circles.claims import CircleClaim, MemberClaim
from pbem.features.circles.tables import CircleMember
from pbem.models.tables import Player, table
from pbem.services import versions
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import Invitee
from tests.features.circles.people import READER, id_in, invitation_link_claim, member_claim, row_of, verify_address
from tests.services.chronicles.chronicle import Chronicle
from tests.table import CAST, House, address_of

RELAY = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
SETTINGS = {"smtp": RELAY, "mails_per_address_day": 4}


def tell(house: House, told: Chronicle) -> None:
    for name in (*CAST, "Charlie"):
        verify_address(house, name)
    circle_id = _tell_founding(house, told)
    _tell_settings(house, told, circle_id)
    _tell_joining(house, told, circle_id)
    _tell_leaving(house, told, circle_id)
    _tell_erasure(house, told, circle_id)
    _tell_limit_reached(house, told)


def _tell_founding(house: House, told: Chronicle) -> str:
    site, alice, bob = house.site, verify_address(house, "Alice"), verify_address(house, "Bob")
    told.skip()
    told.part("founding")
    once, other = IdempotencyKey("alice", "k", "same"), IdempotencyKey("alice", "k", "other")
    circle_id = told.do(
        "Alice founds a circle", lambda: founding.found_circle(site, alice, "  Les  Lacs ", " Alice ", once=once)
    )
    assert circle_id is not None
    again = IdempotencyKey("alice", "k", "same")
    told.do("the same request again", lambda: founding.found_circle(site, alice, "Les Lacs", "Alice", once=again))
    told.do("another with its key", lambda: founding.found_circle(site, alice, "Les Lacs", "Alice", once=other))
    told.do("a name of 40 letters", lambda: founding.found_circle(site, bob, "n" * 40, "Bob"))
    told.do("one of 41", lambda: founding.found_circle(site, bob, "n" * 41, "Bob"))
    told.do("no name", lambda: founding.found_circle(site, bob, "  ", "Bob"))
    told.do("no name of the founder", lambda: founding.found_circle(site, bob, "Lacs", " "))
    told.do("nobody founds one", lambda: founding.found_circle(site, 2**31, "Lacs", "Newcomer"))
    for number in range(18):
        founding.found_circle(site, alice, f"Circle {number}", "Alice")
    told.skip()
    last = told.do("Alice's twentieth", lambda: founding.found_circle(site, alice, "Circle 18", "Alice"))
    told.do("one too many", lambda: founding.found_circle(site, alice, "Circle 19", "Alice"))
    told.do("Bob is the founder of few", lambda: founding.found_circle(site, bob, "Les Lacs", "Bob"))
    assert last is not None
    told.do("Alice leaves one, which ends", lambda: joining.leave_circle(site, member_claim(house, last, "Alice")))
    told.do("once more", lambda: founding.found_circle(site, alice, "Circle 19", "Alice"))
    told.do("Bob's circles", lambda: sheets.read_circles_of_player(site, bob))
    told.do("nobody's circles", lambda: sheets.read_circles_of_player(site, verify_address(house, "Fanny")))
    return circle_id


def _tell_settings(house: House, told: Chronicle, circle_id: str) -> None:
    site = house.site
    told.part("what the founder sets")
    for name in ("Bob", "Carol", "Dave"):
        house.clock.forward(minutes=1)
        told.do(
            f"{name} joins by the link",
            partial(
                joining.join_signed_in, site, invitation_link_claim(house, circle_id), verify_address(house, name), name
            ),
        )
    alice, bob, carol = (member_claim(house, circle_id, name) for name in ("Alice", "Bob", "Carol"))
    told.do("Bob renames it", lambda: founding.change_circle(site, bob, title="Our lakes"))
    told.do(
        "Alice renames what it is not called any more",
        lambda: founding.change_circle(site, alice, title="Lakes", was="Lac"),
    )
    told.do("Alice renames it", lambda: founding.change_circle(site, alice, title="Lakes", was="Les Lacs"))
    form = versions.digest_of_values("Les Lacs")
    told.do("by a form that is old", lambda: founding.change_circle(site, alice, title="Seas", version=form))
    told.do(
        "by a form in which it is unchanged",
        lambda: founding.change_circle(site, alice, title="Les Lacs", version=form),
    )
    told.do(
        "by a new form",
        lambda: founding.change_circle(site, alice, title="Les Lacs", version=versions.digest_of_values("Lakes"))
    )  # fmt: skip
    told.do("without a name", lambda: founding.change_circle(site, alice, title=" "))
    told.do("Carol wants no mail", lambda: joining.set_member_muted_or_listed(site, carol, muted=True))
    told.do("Bob opens the page", lambda: founding.change_circle(site, bob, opened=True))
    told.do("strangers see no page", lambda: sheets.read_open_page(site, circle_id))
    told.do("Alice opens it", lambda: founding.change_circle(site, alice, opened=True))
    told.do("again", lambda: founding.change_circle(site, alice, opened=True))
    told.do("Bob is listed", lambda: joining.set_member_muted_or_listed(site, bob, listed=True))
    told.do("Carol is listed", lambda: joining.set_member_muted_or_listed(site, carol, listed=True))
    told.do("what strangers see", lambda: sheets.read_open_page(site, circle_id))
    told.do("strangers see no circle that is not there", lambda: sheets.read_open_page(site, "0"))
    told.do("Alice closes it", lambda: founding.change_circle(site, alice, opened=False))
    house.clock.forward(minutes=1)
    told.do("Alice opens it a second time", lambda: founding.change_circle(site, alice, opened=True))
    founding.change_circle(site, alice, opened=False)
    told.skip()
    house.clock.forward(hours=23, minutes=58, seconds=59)
    told.do("a third time, a second too early", lambda: founding.change_circle(site, alice, opened=True))
    house.clock.forward(seconds=1)
    told.do("a day after the first", lambda: founding.change_circle(site, alice, opened=True))
    old = invitation_link_claim(house, circle_id)
    told.do("what the link shows", lambda: sheets.read_invitation(site, old))
    told.do("Bob renews the link", lambda: founding.renew_link(site, bob))
    told.do("Alice renews the link", lambda: founding.renew_link(site, alice))
    told.do("what the old one shows", lambda: sheets.read_invitation(site, old))
    told.do("a link to no circle", lambda: sheets.read_invitation(site, CircleClaim("0", 0)))
    told.do("what the new one shows", lambda: sheets.read_invitation(site, invitation_link_claim(house, circle_id)))
    told.do("what Alice sees", lambda: sheets.read_circle(site, alice))
    told.do("what Bob sees", lambda: sheets.read_circle(site, bob))
    told.do("who Bob is there", lambda: sheets.claim_of_player(site, verify_address(house, "Bob"), circle_id))
    told.do(
        "who Maximilienne is there",
        lambda: sheets.claim_of_player(site, verify_address(house, "Maximilienne"), circle_id),
    )
    told.do("who Bob is elsewhere", lambda: sheets.claim_of_player(site, verify_address(house, "Bob"), "0"))
    told.do("the token in Bob's mails", lambda: site.tokens.sign(bob))


def _tell_joining(house: House, told: Chronicle, circle_id: str) -> None:
    site = house.site
    told.part("joining")
    alice, bob = member_claim(house, circle_id, "Alice"), member_claim(house, circle_id, "Bob")

    def ask(name: str, of: str, link_: CircleClaim | None = None) -> None:
        joining.send_join_link(
            site, link_ or invitation_link_claim(house, circle_id), Invitee(name, address_of(of)), *READER
        )

    told.do("Fanny asks", lambda: ask("Fanny", "Fanny"))
    told.do("again, under another name", lambda: ask("Fannie", "Fanny"))
    told.do("Bob asks, who is in", lambda: ask("Robert", "Bob"))
    told.do("Charlie asks by an old link", lambda: ask("Charlie", "Charlie", CircleClaim(circle_id, 0)))
    told.do("by the link of no circle", lambda: ask("Charlie", "Charlie", CircleClaim("0", 0)))
    told.do("without a name", lambda: ask(" ", "Charlie"))
    told.do(
        "without an address",
        lambda: joining.send_join_link(
            site, invitation_link_claim(house, circle_id), Invitee("Charlie", "charlie"), *READER
        ),
    )
    told.do("Fanny's own view", lambda: sheets.read_circle(site, member_claim(house, circle_id, "Fanny")))
    told.do("and Fanny's circles", lambda: sheets.read_circles_of_player(site, verify_address(house, "Fanny")))
    told.do("the fourth of a day", lambda: ask("Charlie", "Charlie"))
    told.do("the fifth", lambda: ask("Newcomer", "Newcomer"))
    told.do(
        "Bob invites Maximilienne", lambda: joining.invite_address(site, bob, " Max ", "maximilienne@example.org", "en")
    )
    told.do("Alice does, too", lambda: joining.invite_address(site, alice, "", "maximilienne@example.org", "en"))
    told.do("Bob invites Alice, who is in", lambda: joining.invite_address(site, bob, "", "alice@example.org", "fr"))
    told.do(
        "Bob invites Fanny, who has asked",
        lambda: joining.invite_address(site, bob, "Fanny", "fanny@example.org", "fr"),
    )
    max_claim = member_claim(house, circle_id, "Maximilienne")
    told.do("what Maximilienne sees", lambda: sheets.read_circle_briefly(site, max_claim))
    told.do("Maximilienne declines", lambda: joining.decline_invitation(site, max_claim))
    told.do("again", lambda: joining.decline_invitation(site, max_claim))
    told.do("accepts after all", lambda: joining.accept_invitation(site, max_claim, *READER, "Maxi"))
    told.do(
        "who declined is not asked again",
        lambda: joining.invite_address(site, bob, "", address_of("Maximilienne"), "en"),
    )
    told.do("Bob's fifth of a day", lambda: joining.invite_address(site, bob, "", "newcomer@example.org", "en"))
    told.do("Bob invites without an address", lambda: joining.invite_address(site, bob, "", "newcomer", "en"))
    told.do("in no language", lambda: joining.invite_address(site, bob, "", "newcomer@example.org", "xx"))
    told.do("under no name", lambda: joining.invite_address(site, bob, "=?", "newcomer@example.org", "xx"))
    told.do("Maximilienne asks by the link", lambda: ask("Maxi", "Maximilienne"))
    house.clock.forward(days=1)
    told.do("and may, a day later", lambda: ask("Maxi", "Maximilienne"))
    told.do("the link in the first mail", lambda: sheets.read_circle_briefly(site, max_claim))
    newer = member_claim(house, circle_id, "Maximilienne")
    told.do("Maximilienne wants no mail of it", lambda: joining.set_member_muted_or_listed(site, newer, muted=True))
    told.do("which changes nothing any more", lambda: joining.set_member_muted_or_listed(site, newer, muted=False))
    fanny = member_claim(house, circle_id, "Fanny")
    told.do("mail may come to Fanny", lambda: joining.set_member_muted_or_listed(site, fanny, muted=False))
    told.do("Fanny is listed before she is in", lambda: joining.set_member_muted_or_listed(site, fanny, listed=True))
    told.do("Fanny accepts as somebody else", lambda: joining.accept_invitation(site, fanny, *READER, "B0b"))
    told.do("without a name", lambda: joining.accept_invitation(site, fanny, *READER, " "))
    told.do("Fanny accepts", lambda: joining.accept_invitation(site, fanny, "fr", "America/New_York", "Fanny"))
    told.do("again, under another name", lambda: joining.accept_invitation(site, fanny, *READER, "Fannie"))
    told.do("declines too late", lambda: joining.decline_invitation(site, fanny))
    told.do("Fanny joins by the link, who is in", lambda: _at_once(house, circle_id, "Fanny", "Fannie"))
    told.do("Maximilienne joins as somebody else", lambda: _at_once(house, circle_id, "Maximilienne", "FANNY"))
    told.do("Maximilienne joins", lambda: _at_once(house, circle_id, "Maximilienne", "Maxi"))
    old = CircleClaim(circle_id, 0)
    told.do("by an old link", lambda: joining.join_signed_in(site, old, verify_address(house, "Charlie"), "Charlie"))
    told.do("with another epoch", lambda: sheets.read_circle_briefly(site, replace(bob, epoch=1)))
    told.do("as nobody", lambda: sheets.read_circle_briefly(site, MemberClaim(10_000, 0)))


def _at_once(house: House, circle_id: str, who: str, name: str) -> str:
    return joining.join_signed_in(house.site, invitation_link_claim(house, circle_id), verify_address(house, who), name)


def _tell_leaving(house: House, told: Chronicle, circle_id: str) -> None:
    site = house.site
    told.part("leaving")
    names = ("Alice", "Bob", "Carol", "Dave", "Fanny", "Maximilienne")
    alice, bob, carol, dave, fanny, max_claim = (member_claim(house, circle_id, name) for name in names)
    ids = {name: id_in(house, circle_id, name) for name in names}
    told.do("Carol leaves", lambda: joining.leave_circle(site, carol))
    told.do("again", lambda: joining.leave_circle(site, carol))
    told.do("who Carol is there", lambda: sheets.claim_of_player(site, verify_address(house, "Carol"), circle_id))
    told.do("Carol can do nothing", lambda: joining.set_member_muted_or_listed(site, carol, muted=True))
    told.do("Carol comes again, under another name", lambda: _at_once(house, circle_id, "Carol", "Caroline"))
    told.do("and is muted no more: Carol leaves", lambda: joining.leave_circle(site, carol))
    told.do("Bob removes Dave", lambda: joining.remove_member(site, bob, ids["Dave"]))
    told.do("Alice removes Alice", lambda: joining.remove_member(site, alice, ids["Alice"]))
    told.do("somebody of another circle", lambda: joining.remove_member(site, alice, 2))
    told.do("nobody", lambda: joining.remove_member(site, alice, 2**31))
    told.do(
        "somebody who is invited",
        lambda: joining.remove_member(site, alice, row_of(house, circle_id, "Charlie").id or 0),
    )
    told.do("Alice removes Dave", lambda: joining.remove_member(site, alice, ids["Dave"]))
    told.do("again", lambda: joining.remove_member(site, alice, ids["Dave"]))
    told.do(
        "Bob invites Dave, who has been there", lambda: joining.invite_address(site, bob, "", address_of("Dave"), "en")
    )
    told.do("the link in Dave's older mails", lambda: sheets.read_circle_briefly(site, dave))
    told.do("Alice leaves, and Bob follows", lambda: joining.leave_circle(site, alice))
    told.do("Alice renews the link", lambda: founding.renew_link(site, alice))
    told.do("Bob renews the link", lambda: founding.renew_link(site, bob))
    told.do("Bob opens the page", lambda: founding.change_circle(site, bob, opened=True))
    told.do("Fanny is a member of a circle", lambda: _belongs(house, "Fanny"))
    told.do("Carol is not", lambda: _belongs(house, "Carol"))
    told.do(
        "Maximilienne leaves all circles",
        lambda: joining.leave_all_circles(site, verify_address(house, "Maximilienne")),
    )
    with site.writing() as work:
        joining.delete_names_and_end_links(work, verify_address(house, "Maximilienne"))
    told.do("Maximilienne's name is forgotten", lambda: None)
    told.do("Maximilienne's link", lambda: sheets.read_circle_briefly(site, max_claim))
    with site.writing() as work:
        joining.end_member_links(work, work.get_one(Player, verify_address(house, "Fanny")))
    told.do("Fanny's links are renewed", lambda: None)
    told.do("Fanny leaves by an old link", lambda: joining.leave_circle(site, fanny))
    told.do("Bob leaves all circles", lambda: joining.leave_all_circles(site, verify_address(house, "Bob")))
    told.do("Fanny, the last one, leaves", lambda: joining.leave_circle(site, member_claim(house, circle_id, "Fanny")))
    told.do("what strangers see", lambda: sheets.read_open_page(site, circle_id))
    told.do("what its link shows", lambda: sheets.read_invitation(site, invitation_link_claim(house, circle_id)))
    told.do("who Dave is there", lambda: sheets.claim_of_player(site, verify_address(house, "Dave"), circle_id))
    told.do(
        "Dave accepts", lambda: joining.accept_invitation(site, _row_claim(house, circle_id, "Dave"), *READER, "Dave")
    )
    told.do("what Dave sees", lambda: sheets.read_circle_briefly(site, _row_claim(house, circle_id, "Dave")))


def _belongs(house: House, name: str) -> bool:
    with house.site.reading() as session:
        return bool(joining.memberships_of_player(session, verify_address(house, name)))


def _row_claim(house: House, circle_id: str, name: str) -> MemberClaim:
    row = row_of(house, circle_id, name)
    return MemberClaim(row.id or 0, row.epoch)


def _tell_erasure(house: House, told: Chronicle, circle_id: str) -> None:
    told.part("what is forgotten")
    site = house.site
    lacs = founding.found_circle(site, verify_address(house, "Dave"), "Lakes", "Dave")
    for number, name in enumerate(("Newcomer", "Latecomer", "Outsider", "Stranger")):
        joining.send_join_link(site, invitation_link_claim(house, lacs), Invitee(name, address_of(name)), *READER)
        house.clock.forward(seconds=number and 1)
    joining.decline_invitation(site, _row_claim(house, lacs, "Latecomer"))
    last = row_of(house, lacs, "Stranger").at
    told.skip()

    def forget(most: int) -> int:
        with site.writing() as work:
            return joining.forget_old(work, house.clock(), most)

    house.clock.at = last + timedelta(days=30, seconds=-1)
    told.do("30 days after two were asked, one at most", lambda: forget(1))
    told.do("the rest", lambda: forget(10))
    house.clock.forward(seconds=5)
    told.do("the rest, a few seconds later, but for the newest", lambda: forget(10))


def _tell_limit_reached(house: House, told: Chronicle) -> None:
    told.part("room")
    site = house.site
    full = founding.found_circle(site, verify_address(house, "Fanny"), "Crowd", "Fanny")
    rows = [
        {"circle_id": full, "name": name, "status": "member", "at": house.clock()}
        for name in (f"{first}{second}{first}" for first in "ABCDEFGHJK" for second in "LMNPQRSTUVWXYZABCDEF")
    ]
    with site.writing() as work:
        work.connection().execute(insert(table(CircleMember)), rows[:198])
    told.skip()
    told.do("the 200th joins", lambda: _at_once(house, full, "Bob", "Bob"))
    told.do("the next one", lambda: _at_once(house, full, "Carol", "Carol"))
    told.do("who is in already", lambda: _at_once(house, full, "Bob", "Bob"))
