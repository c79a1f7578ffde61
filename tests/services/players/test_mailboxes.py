"""One mailbox is one player at a table, however its owner writes it; and nobody else learns whose it is."""

from __future__ import annotations

import pytest

from pbem.errors import Gone, Invalid
from pbem.features.leagues.entry import entering
from pbem.services.lobby import joining, matches
from pbem.services.lobby.match_request import Invitee, NewMatch, OpenSeat
from pbem.services.play import substitutes
from pbem.services.players import players
from pbem.services.players.mailboxes import mailbox_of
from pbem.services.privacy import address_change
from pbem.services.tokens import ChangeClaim, InvitationClaim, OpeningClaim, Side, VacancyClaim
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.features.leagues.stage import found_league
from tests.harness.cases import cases
from tests.services.lobby.joining import READER, inviting, join_link, row_of_seat, valid_invitation
from tests.services.play.stage.substitutes import match_with_absent_bob
from tests.services.play.stage.substitutes import token_to_share as vacancy
from tests.table import House

SIDES: tuple[Side, ...] = ("old", "new")
ALICE = "alice@example.org"
SPELLED = "alice+2@example.org"
SAME = [
    ("alice.martin@gmail.com", "alicemartin@gmail.com"), ("a.l.i.c.e@gmail.com", "alice+games@googlemail.com"),
    ("Alice@Example.ORG", "alice@example.org"), ("alice@example.org", "alice+2@example.org"),
    ("alice@me.com", "alice@icloud.com"), ("alice@pm.me", "alice+x@protonmail.com"),
    ("alice@bücher.example", "alice@XN--bcher-kva.example"), ("ALICE+B+C@outlook.com", "alice@outlook.com"),
]  # fmt: skip
OTHERS = [
    ("a.lice@example.org", "alice@example.org"), ("alice@gmail.com", "alice@example.org"),
    ("alice-2@example.org", "alice@example.org"), ("+a@example.org", "+b@example.org"),
    ("alice@mail.example.org", "alice@example.org"), ("alice@outlook.com", "alice@hotmail.com"),
]  # fmt: skip


@cases("one, other", SAME)
def test_spellings_of_an_address_with_one_mailbox_are_equal(one: str, other: str) -> None:
    assert mailbox_of(one) == mailbox_of(other)
    assert mailbox_of(mailbox_of(one)) == mailbox_of(one)


@cases("one, other", OTHERS)
def test_addresses_of_different_mailboxes_are_not_equal(one: str, other: str) -> None:
    assert mailbox_of(one) != mailbox_of(other)


def prove_address(house: House, address: str) -> int:
    """Returns the id of a player who has proven this address."""
    with house.site.writing() as work:
        player = players.find_or_add(work, address, "en", house.clock())
        player.verified_at = player.verified_at or house.clock()
        work.flush()
        assert player.id is not None
        return player.id


@pytest.mark.long
def test_another_spelling_takes_no_second_seat_by_a_join_link(house: House) -> None:
    """Asking for the seat looks as for anybody; the one who reads the mailbox is told as they accept."""
    match_id = inviting(house, OpenSeat(), OpenSeat())
    claim = house.tokens.read(OpeningClaim, join_link(house, match_id, 1))
    assert joining.claim_seat(house.site, claim, Invitee("Zoe", SPELLED), *READER) == (match_id, 1)
    house.drain()
    assert house.mail.to(SPELLED)
    accepted = house.tokens.read(InvitationClaim, valid_invitation(house, match_id, 1))
    with pytest.raises(Gone, match="another spelling"):
        matches.accept_invitation(house.site, accepted, *READER)
    with pytest.raises(Gone, match="another spelling"):
        joining.take_seat_at_once(
            house.site,
            house.tokens.read(OpeningClaim, join_link(house, match_id)),
            prove_address(house, SPELLED),
            "Zoe",
        )
    assert row_of_seat(house, match_id).status == "open"
    joining.take_seat_at_once(
        house.site,
        house.tokens.read(OpeningClaim, join_link(house, match_id)),
        prove_address(house, "yves@example.org"),
        "Yves",
    )


def test_inviting_two_spellings_of_one_mailbox_is_refused(house: House) -> None:
    people = [Invitee("Alice", ALICE), Invitee("Zoe", SPELLED), Invitee("Bob", "bob@example.org")]
    twice = NewMatch("hogen", people, language="en")
    with pytest.raises(Invalid, match="there twice"):
        matches.create_match(house.site, STRANGER, twice)


def test_naming_another_spelling_reveals_no_player_to_the_organiser(house: House) -> None:
    match_id = inviting(house, Invitee("Bob", "bob@example.org"), Invitee("Carol", "carol@example.org"))
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), *READER)
    matches.invite_to_untaken_seat(house.site, house.claim("play", match_id, 0), 2, Invitee("Zoe", "bob+2@example.org"))
    with pytest.raises(Gone, match="another spelling"):
        matches.accept_invitation(
            house.site, house.tokens.read(InvitationClaim, valid_invitation(house, match_id)), *READER
        )
    assert match_views.read_sheet(house.site, match_id, None).status == "inviting"


@pytest.mark.long
def test_a_player_cannot_take_over_a_seat_under_another_spelling(house: House) -> None:
    match_id = match_with_absent_bob(house)
    claim = house.tokens.read(VacancyClaim, vacancy(house, match_id))
    for spelled in (SPELLED, "bob+2@example.org"):
        with pytest.raises(Gone):
            substitutes.take_seat_at_once(house.site, claim, prove_address(house, spelled), "Zoe")
    assert substitutes.take_seat_at_once(house.site, claim, prove_address(house, "zoe@example.org"), "Zoe") == (
        match_id,
        1,
    )


@pytest.mark.long
def test_an_address_cannot_change_to_a_mailbox_that_sits_at_the_table(house: House) -> None:
    house.begin()
    bob = prove_address(house, "bob@example.org")
    address_change.request_change(house.site, bob, SPELLED)
    ways = [house.tokens.read(ChangeClaim, house.tokens.sign(ChangeClaim(1, side))) for side in SIDES]
    assert [address_change.agree_to_change(house.site, way) for way in ways] == ["waiting", "taken"]
    address_change.request_change(house.site, bob, "bob+2@example.org")
    ways = [house.tokens.read(ChangeClaim, house.tokens.sign(ChangeClaim(2, side))) for side in SIDES]
    assert [address_change.agree_to_change(house.site, way) for way in ways] == ["waiting", "done"]


def test_two_spellings_of_one_mailbox_cannot_both_enter_a_season(house: House) -> None:
    made = found_league(house)
    entering.enter_player(house.site, prove_address(house, ALICE), made.season_id, "Alice")
    with pytest.raises(Gone, match="another spelling"):
        entering.enter_player(house.site, prove_address(house, SPELLED), made.season_id, "Zoe")
    entering.enter_player(house.site, prove_address(house, ALICE), made.season_id, "Alix")
