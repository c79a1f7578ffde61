"""Members of a circle: joining by link and by mail, leaving, and who is the founder then."""

from collections.abc import Callable

import pytest

from pbem.environment import Smtp
from pbem.errors import Forbidden, Gone, Invalid, NotFound, TooMany, Unauthorized
from pbem.features.circles import claims, founding, joining, sheets
from pbem.features.circles.claims import MemberClaim
from pbem.features.circles.tables import Circle, CircleMember
from pbem.models.tables import Player, table
from pbem.services.lobby.match_request import Invitee
from pbem.services.players import bounces, players
from pbem.services.privacy import erasure
from tests.features.circles.people import (
    READER,
    ask_to_join_circle,
    circle_of,
    id_in,
    invitation_link_claim,
    member_claim,
    names_in,
    row_of,
    rows_queued,
    verify_address,
)
from tests.harness.cases import cases
from tests.services.letterbox import kinds_of_mails, newest_mail, player_of, text_of
from tests.table import House, address_of


@pytest.mark.long
def test_a_founder_is_the_first_member(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    sheet = sheets.read_circle(house.site, member_claim(house, circle_id, "Alice"))
    assert (sheet.name, sheet.founder, sheet.open) == ("Les Lacs", True, False)
    assert [one.name for one in sheet.members] == ["Alice"]


@cases("title", ["", "  ", "Visit evil.example", "x" * 41, "a\u202eb"])
def test_a_circles_name_cannot_pose_as_a_link_or_be_empty(house: House, title: str) -> None:
    with pytest.raises(Invalid):
        founding.found_circle(house.site, verify_address(house, "Alice"), title, "Alice")


@pytest.mark.long
def test_a_stranger_with_the_circles_link_joins_by_confirming_one_mail(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    joining.send_join_link(
        house.site, invitation_link_claim(house, circle_id), Invitee("Carol", address_of("Carol")), "en", "Asia/Tokyo"
    )
    assert names_in(house, circle_id) == ["Alice"]
    house.drain()
    assert kinds_of_mails(house, "Carol") == ["circle"]
    mailed = house.tokens.read(claims.MemberClaim, token_in(text_of(newest_mail(house, "Carol"))))
    joining.accept_invitation(house.site, mailed, "en", "Asia/Tokyo", "Carol")
    assert names_in(house, circle_id) == ["Alice", "Carol"]
    with house.site.reading() as session:
        player = players.player_by_address(session, address_of("Carol"))
        assert player is not None
        assert player.verified_at == house.clock()


def token_in(text: str) -> str:
    """Returns the token of the first link to the circle in a mail."""
    return text.partition("/circle/member/")[2].split()[0].split("/")[0]


def test_a_renewed_link_ends_the_old_one_which_shows_nothing_more(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    old = invitation_link_claim(house, circle_id)
    founding.renew_link(house.site, member_claim(house, circle_id, "Alice"))
    with pytest.raises(Unauthorized):
        sheets.read_invitation(house.site, old)
    assert rows_queued(house, "circle") == []


def test_joining_with_a_members_address_mails_that_member_their_links(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    ask_to_join_circle(house, circle_id, "Bob")
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["links"]
    assert names_in(house, circle_id) == ["Alice", "Bob"]


def test_lookalike_names_are_refused_in_a_circle(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    for name in ("Bob", "bob", "B0b", "Воb"):
        with pytest.raises(Invalid, match="nearly so"):
            joining.join_signed_in(
                house.site, invitation_link_claim(house, circle_id), verify_address(house, "Carol"), name
            )
    joining.join_signed_in(house.site, invitation_link_claim(house, circle_id), verify_address(house, "Carol"), "Carol")
    assert names_in(house, circle_id) == ["Alice", "Bob", "Carol"]


def test_asking_to_join_a_circle_reserves_no_name(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    joining.send_join_link(
        house.site, invitation_link_claim(house, circle_id), Invitee("Bob", address_of("Charlie")), *READER
    )
    joining.join_signed_in(house.site, invitation_link_claim(house, circle_id), verify_address(house, "Bob"), "Bob")
    mailed = MemberClaim(id_in(house, circle_id, "Charlie"), 0)
    with pytest.raises(Invalid):
        joining.accept_invitation(house.site, mailed, *READER, "Bob")
    house.clock.forward(minutes=1)
    joining.accept_invitation(house.site, mailed, *READER, "Charlie")
    assert names_in(house, circle_id) == ["Alice", "Bob", "Charlie"]


# --- by mail -------------------------------------------------------------------------------------------------


def invite_by_name(house: House, circle_id: str, name: str, by: str = "Alice") -> None:
    joining.invite_address(house.site, member_claim(house, circle_id, by), name, address_of(name), "en")


def bounce_mail(house: House, name: str) -> None:
    """Their own mail server has said that mail to them bounces."""
    with house.site.writing() as work:
        player = work.get_one(Player, player_of(house, name).id)
        player.bounced_at, player.bounced_why = house.clock(), bounces.HOST


def test_one_press_accepts_a_mailed_invitation_that_nobody_else_sees(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    invite_by_name(house, circle_id, "Carol", by="Bob")
    house.drain()
    text = text_of(newest_mail(house, "Carol"))
    assert "Bob invites you" in text
    assert names_in(house, circle_id) == ["Alice", "Bob"]
    bounce_mail(house, "Carol")
    joining.accept_invitation(house.site, house.tokens.read(claims.MemberClaim, token_in(text)), *READER, "Carol")
    assert names_in(house, circle_id) == ["Alice", "Bob", "Carol"]
    assert not player_of(house, "Carol").bounced_at, "the link was in a mail that has arrived"


def test_a_player_who_declined_gets_no_new_invitation_but_can_join_by_link(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    invite_by_name(house, circle_id, "Carol")
    mailed = member_claim(house, circle_id, "Carol")
    joining.decline_invitation(house.site, mailed)
    joining.decline_invitation(house.site, mailed)
    with pytest.raises(Gone):
        joining.accept_invitation(house.site, mailed, *READER, "Carol")
    invite_by_name(house, circle_id, "Carol")
    invite_by_name(house, circle_id, "Alice")
    assert len(rows_queued(house, "circle")) == 1
    ask_to_join_circle(house, circle_id, "Carol")
    assert len(rows_queued(house, "circle")) == 2
    with pytest.raises(Unauthorized):
        joining.accept_invitation(house.site, mailed, *READER, "Carol")


@pytest.mark.on_postgresql
def test_an_unanswered_circle_invitation_is_deleted_after_a_month(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    for name in ("Carol", "Dave"):
        invite_by_name(house, circle_id, name)
    joining.decline_invitation(house.site, member_claim(house, circle_id, "Dave"))
    invite_by_name(house, circle_id, "Fanny")
    house.clock.forward(days=29)
    assert run_retention(house) == 0
    house.clock.forward(days=1)
    assert run_retention(house) == 2
    assert names_in(house, circle_id) == ["Alice", "Bob"]
    invite_by_name(house, circle_id, "Dave")
    assert len(rows_queued(house, "circle")) == 4


def run_retention(house: House) -> int:
    with house.site.writing() as work:
        return joining.forget_old(work, house.clock(), 500)


def test_invitations_are_limited_per_member_and_those_by_link_per_circle(make_house: Callable[..., House]) -> None:
    relay = Smtp(host="127.0.0.1", port=25, user=None, password=None, tls="none", timeout=5)
    house = make_house(smtp=relay, mails_per_address_day=2)
    circle_id = circle_of(house, "Alice", "Bob")
    for name in ("Carol", "Dave"):
        invite_by_name(house, circle_id, name)
    with pytest.raises(TooMany) as refused:
        invite_by_name(house, circle_id, "Fanny")
    assert refused.value.retry_after
    invite_by_name(house, circle_id, "Fanny", by="Bob")
    for name in ("Maximilienne", "Charlie"):
        ask_to_join_circle(house, circle_id, name)
    with pytest.raises(TooMany):
        ask_to_join_circle(house, circle_id, "Gustave")


def test_a_suppressed_address_gets_no_invitation(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    players.block_address(house.site, address_of("Carol"))
    invite_by_name(house, circle_id, "Carol")
    house.drain()
    assert house.mail.to(address_of("Carol")) == []
    assert [row.result for row in rows_queued(house, "circle")] == ["suppressed"]


def test_a_queued_invitation_is_sent_only_while_it_is_still_open(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    for name in ("Carol", "Dave"):
        invite_by_name(house, circle_id, name)
    gone, taken, another = (
        id_in(house, circle_id, "Carol"),
        id_in(house, circle_id, "Dave"),
        verify_address(house, "Bob"),
    )
    with house.site.writing() as work:
        work.delete(work.get_one(CircleMember, gone))
        work.get_one(CircleMember, taken).player_id = another
    house.drain()
    assert [row.result for row in rows_queued(house, "circle")] == ["stale", "stale"]
    assert house.mail.all_sent == []


# --- leaving -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_founder_who_leaves_hands_over_to_the_longest_member(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob", "Carol")
    alice = member_claim(house, circle_id, "Alice")
    joining.leave_circle(house.site, alice)
    joining.leave_circle(house.site, alice)
    assert names_in(house, circle_id, "Bob") == ["Bob", "Carol"]
    assert sheets.read_circle(house.site, member_claim(house, circle_id, "Bob")).founder
    assert not sheets.read_circle(house.site, member_claim(house, circle_id, "Carol")).founder
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["circlenews"]
    assert kinds_of_mails(house, "Carol") == []
    with pytest.raises(NotFound):
        member_claim(house, circle_id, "Alice")


@pytest.mark.on_postgresql
def test_with_its_last_member_the_circle_is_dissolved(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    invite_by_name(house, circle_id, "Carol")
    mailed, way = member_claim(house, circle_id, "Carol"), invitation_link_claim(house, circle_id)
    for name in ("Bob", "Alice"):
        joining.leave_circle(house.site, member_claim(house, circle_id, name))
    with house.site.reading() as session:
        circle = session.get_one(Circle, circle_id)
        assert (circle.dissolved_at, circle.founder_id) == (house.clock(), None)
    with pytest.raises(NotFound):
        joining.accept_invitation(house.site, mailed, *READER, "Carol")
    with pytest.raises(NotFound):
        joining.join_signed_in(house.site, way, verify_address(house, "Bob"), "Bob")
    house.drain()
    assert kinds_of_mails(house, "Carol") == []


def test_only_the_founder_can_remove_rename_open_and_renew(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob", "Carol")
    alice, bob = member_claim(house, circle_id, "Alice"), member_claim(house, circle_id, "Bob")
    acts: tuple[Callable[[], None], ...] = (
        lambda: joining.remove_member(house.site, bob, id_in(house, circle_id, "Carol")),
        lambda: founding.change_circle(house.site, bob, title="Bob’s"),
        lambda: founding.change_circle(house.site, bob, opened=True),
        lambda: founding.renew_link(house.site, bob),
        lambda: joining.remove_member(house.site, alice, alice.member_id),
    )
    for act in acts:
        with pytest.raises(Forbidden):
            act()
    joining.remove_member(house.site, alice, bob.member_id)
    founding.change_circle(house.site, alice, title="Les Étangs")
    assert names_in(house, circle_id) == ["Alice", "Carol"]
    with pytest.raises(Gone):
        founding.change_circle(house.site, bob, title="Bob’s")


def test_the_founder_removes_nobody_from_another_circle(house: House) -> None:
    circle_id, other = circle_of(house, "Alice"), circle_of(house, "Bob", "Carol", title="Others")
    with pytest.raises(NotFound):
        joining.remove_member(house.site, member_claim(house, circle_id, "Alice"), id_in(house, other, "Carol"))
    assert names_in(house, other, "Bob") == ["Bob", "Carol"]


# --- the open page -------------------------------------------------------------------------------------------


def test_strangers_cannot_tell_a_private_circle_from_a_missing_one(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    said = set()
    for one in (circle_id, "0" * 24):
        with pytest.raises(NotFound) as refused:
            sheets.read_open_page(house.site, one)
        said.add((refused.value.message, str(refused.value.facts)))
        with pytest.raises(NotFound) as refused:
            sheets.claim_of_player(house.site, verify_address(house, "Charlie"), one)
        said.add((refused.value.message, str(refused.value.facts)))
    assert len(said) == 1


def test_an_invitee_cannot_change_circle_settings_and_stays_invited(house: House) -> None:
    circle_id = circle_of(house, "Alice")
    invite_by_name(house, circle_id, "Bob")
    with pytest.raises(Gone):
        joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Bob"), muted=True, listed=True)
    assert sheets.read_circle_briefly(house.site, member_claim(house, circle_id, "Bob")).you.status == "invited"


def test_opening_a_circle_mails_members_and_shows_only_consenting_names(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob", "Carol")
    joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Carol"), muted=True)
    founding.change_circle(house.site, member_claim(house, circle_id, "Alice"), opened=True)
    founding.change_circle(house.site, member_claim(house, circle_id, "Alice"), opened=True)
    house.drain()
    assert (kinds_of_mails(house, "Alice"), kinds_of_mails(house, "Bob"), kinds_of_mails(house, "Carol")) == (
        [],
        ["circlenews"],
        [],
    )
    shown = sheets.read_open_page(house.site, circle_id)
    assert (shown.members, shown.hidden) == ((), 3)
    joining.set_member_muted_or_listed(house.site, member_claim(house, circle_id, "Bob"), listed=True)
    shown = sheets.read_open_page(house.site, circle_id)
    assert (shown.members, shown.hidden) == (("Bob",), 2)
    founding.change_circle(house.site, member_claim(house, circle_id, "Alice"), opened=False)
    with pytest.raises(NotFound):
        sheets.read_open_page(house.site, circle_id)


def test_a_circles_page_can_be_opened_at_most_twice_a_day(house: House) -> None:
    alice = member_claim(house, circle_of(house, "Alice", "Bob"), "Alice")
    for opened in (True, False, True, False):
        founding.change_circle(house.site, alice, opened=opened)
    with pytest.raises(TooMany):
        founding.change_circle(house.site, alice, title="Others", opened=True)
    assert sheets.read_circle(house.site, alice).name != "Others", "all of a change is made, or nothing"


# --- erasure -------------------------------------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_erasing_a_founder_removes_the_name_and_hands_over_the_circle(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    invite_by_name(house, circle_id, "Carol")
    number = id_in(house, circle_id, "Alice")
    erasure.erase_player(house.site, verify_address(house, "Alice"))
    assert names_in(house, circle_id, "Bob") == ["Bob"]
    assert sheets.read_circle(house.site, member_claim(house, circle_id, "Bob")).founder
    with house.site.reading() as session:
        row = session.get_one(CircleMember, number)
        assert (row.player_id, row.name, row.status) == (None, "", "left")
        t = table(CircleMember)
        assert session.execute(t.select().where(t.c.by_id.is_not(None))).all() == []


def test_changing_the_address_ends_a_members_circle_links(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    before = member_claim(house, circle_id, "Bob")
    with house.site.writing() as work:
        player = players.player_by_address(work, address_of("Bob"))
        assert player is not None
        joining.end_member_links(work, player)
    with pytest.raises(Unauthorized):
        sheets.read_circle(house.site, before)
    assert row_of(house, circle_id, "Bob").status == "member"
