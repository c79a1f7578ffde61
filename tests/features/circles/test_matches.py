"""Matches of a circle: started by names, and counted in its standings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pbem.errors import Gone, Invalid, TooMany
from pbem.features.circles import joining, scores, sheets, starting
from pbem.features.circles.tables import CircleMatch
from pbem.services.lobby.match_request import BotSeat, Invitee, NewMatch, OpenSeat
from pbem.services.privacy import erasure
from pbem.services.views import match_views
from tests.features.circles.people import circle_of, id_in, member_claim, store_result, verify_address
from tests.services.letterbox import kinds_of_mails
from tests.table import CAST, House


def start_circle_match(
    house: House, circle_id: str, first: str, *others: str, rest: tuple[BotSeat | OpenSeat, ...] = ()
) -> str:
    """Returns the id of a match that the first of these has started with the others."""
    chosen = [id_in(house, circle_id, name) for name in others]
    return starting.create_match_and_invite_members(
        house.site, member_claim(house, circle_id, first), chosen, NewMatch("hogen", rest)
    )


@pytest.mark.long
def test_a_match_is_started_by_names_and_its_players_are_invited(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob", "Carol", "Dave")
    match_id = start_circle_match(house, circle_id, "Bob", "Carol", "Alice")
    sheet = match_views.read_sheet(house.site, match_id, 0)
    assert [(seat.name, seat.status) for seat in sheet.seats] == [
        ("Bob", "accepted"), ("Carol", "invited"), ("Alice", "invited"),
    ]  # fmt: skip
    house.drain()
    assert [kinds_of_mails(house, name) for name in ("Alice", "Bob", "Carol", "Dave")] == [
        ["invitation"], [], ["invitation"], [],
    ]  # fmt: skip
    with house.site.reading() as session:
        assert session.get_one(CircleMatch, match_id).circle_id == circle_id
    shown = sheets.read_circle(house.site, member_claim(house, circle_id, "Dave"))
    assert [(one.id, one.seat) for one in shown.matches] == [(match_id, None)]
    assert "@" not in repr((shown.members, shown.matches, shown.scores))


@pytest.mark.long
def test_bots_and_open_seats_fill_the_rest_of_a_circle_match(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob")
    match_id = start_circle_match(house, circle_id, "Alice", "Bob", rest=(BotSeat("random"), OpenSeat()))
    assert [seat.status for seat in match_views.read_sheet(house.site, match_id, 0).seats] == [
        "accepted", "invited", "accepted", "open",
    ]  # fmt: skip


def test_a_circle_match_seats_only_members_and_each_once(house: House) -> None:
    circle_id, other = circle_of(house, "Alice", "Bob", "Carol"), circle_of(house, "Dave", "Fanny", title="Others")
    alice, bob = member_claim(house, circle_id, "Alice"), id_in(house, circle_id, "Bob")
    for others in ([bob, bob], [bob, alice.member_id]):
        with pytest.raises(Invalid):
            starting.create_match_and_invite_members(house.site, alice, others, NewMatch("hogen", ()))
    with pytest.raises(Gone):
        starting.create_match_and_invite_members(
            house.site, alice, [bob, id_in(house, other, "Fanny")], NewMatch("hogen", ())
        )
    with pytest.raises(Invalid):
        starting.create_match_and_invite_members(
            house.site, alice, [bob], NewMatch("hogen", (Invitee("Eve", "eve@example.org"),))
        )
    joining.leave_circle(house.site, member_claim(house, circle_id, "Carol"))
    with pytest.raises(Gone):
        starting.create_match_and_invite_members(
            house.site, alice, [bob, id_in(house, circle_id, "Carol")], NewMatch("hogen", ())
        )


@pytest.mark.long
def test_a_circle_match_counts_towards_its_starters_limits(house_with_caps: House) -> None:
    house = house_with_caps
    circle_id = circle_of(house, "Alice", "Bob", "Carol")
    for _ in range(2):
        start_circle_match(house, circle_id, "Alice", "Bob", "Carol")
    with pytest.raises(TooMany):
        start_circle_match(house, circle_id, "Alice", "Bob", "Carol")


# --- standings -----------------------------------------------------------------------------------------------


def test_a_places_score_is_the_share_of_opponents_beaten() -> None:
    assert scores.worth_of_place(1, [2, 3, 4]) == 1
    assert scores.worth_of_place(4, [1, 2, 3]) == 0
    assert scores.worth_of_place(1, [1, 2]) == Fraction(3, 4)
    assert scores.worth_of_place(1, [1, 1]) == Fraction(1, 2)


def test_standings_count_the_matches_of_the_circle_only(house: House) -> None:
    circle_id = circle_of(house, "Alice", "Bob", "Carol")
    store_result(house, start_circle_match(house, circle_id, "Alice", "Bob", "Carol"), [1, 2, 3])
    store_result(house, start_circle_match(house, circle_id, "Bob", "Alice", "Carol"), [2, 1, 1])
    store_result(house, house.begin(), [3, 2, 1])  # not of the circle
    (hogen,) = scores.read_scores(house.site, member_claim(house, circle_id, "Bob"))
    assert (hogen.game, hogen.matches) == ("hogen", 2)
    told = [(one.name, one.matches, one.wins, one.share) for one in hogen.scores]
    assert told == [("Alice", 2, 2, 0.875), ("Carol", 2, 1, 0.375), ("Bob", 2, 0, 0.25)]
    alice = hogen.scores[0]
    assert [(one.name, one.matches, one.ahead, one.level, one.behind) for one in alice.against] == [
        ("Bob", 2, 2, 0, 0), ("Carol", 2, 1, 1, 0),
    ]  # fmt: skip


@pytest.mark.long
def test_a_former_member_stays_in_the_standings_an_erased_one_does_not(house: House) -> None:
    circle_id = circle_of(house, *CAST[:4])
    store_result(house, start_circle_match(house, circle_id, "Alice", "Bob", "Carol", "Dave"), [1, 2, 3, 4])
    joining.leave_circle(house.site, member_claim(house, circle_id, "Bob"))
    erasure.erase_player(house.site, verify_address(house, "Carol"))
    (hogen,) = scores.read_scores(house.site, member_claim(house, circle_id, "Alice"))
    assert [(one.name, one.here) for one in hogen.scores] == [("Alice", True), ("Bob", False), ("Dave", True)]
    assert [one.name for one in hogen.scores[0].against] == ["Bob", "Dave"]
    assert "Carol" not in repr(hogen)
    assert hogen.scores[2].share == 0  # four were at the table
