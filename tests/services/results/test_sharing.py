"""Ratings and pace are shown of those who have chosen so, and not even computed of anybody else."""

from __future__ import annotations

import pytest
from sqlalchemy import insert
from sqlmodel import select

from pbem.errors import Forbidden, Unauthorized
from pbem.features.records import records
from pbem.models.results import Rating, Result
from pbem.models.tables import Match, table
from pbem.services.lobby import matches
from pbem.services.lobby.matches import start_match_against_bots
from pbem.services.privacy import erasure
from pbem.services.results import sharing, tallying
from pbem.services.results.ratings import ShownRating
from pbem.services.results.sharing import LEAST_MATCHES, Choices, Pace
from pbem.services.views import match_views
from pbem.services.who import STRANGER
from tests.harness.sent import count_statements
from tests.services.letterbox import id_of
from tests.services.results.tallying import end_match, want_ratings
from tests.table import START, House

NOTHING = (None, None)


def add_results(house: House, name: str, seconds: list[int]) -> None:
    """Adds results of the player with these median times, each of a match of its own."""
    with house.site.writing() as work:
        like = work.exec(select(Match)).first()
        assert like is not None, "there is a match"
        ids = [f"{2**80 + 1000 * id_of(house, name) + n:024x}" for n in range(len(seconds))]
        rows = [{**like.model_dump(), "id": one, "status": "over", "tallied_at": START} for one in ids]
        work.connection().execute(insert(table(Match)), rows)
        results = [
            {
                "match_id": one, "seat": 0, "game": "hogen", "player_id": id_of(house, name), "place": 1,
                "resigned": False, "answers": 1, "median_s": took, "rated": False, "ended_at": START,
            }
            for one, took in zip(ids, seconds, strict=True)
        ]  # fmt: skip
        work.connection().execute(insert(table(Result)), results)


def rating_and_pace_shown(house: House, match_id: str, seat: int) -> tuple[ShownRating | None, Pace | None]:
    """Returns what a spectator sees of the seat's player, from their page and from the API's reading alike."""
    shown = house.view(match_id, None).sheet.seats[seat]
    assert match_views.read_sheet(house.site, match_id, None).seats[seat] == shown
    return shown.rating or None, shown.pace or None


@pytest.mark.long
def test_a_rating_appears_only_beside_players_who_want_it_shown(house: House) -> None:
    match_id = end_match(house, 0)
    want_ratings(house, "Alice", "Bob")
    tallying.tally_matches(house.site)
    (alice, pace), (bob, _), carol = (rating_and_pace_shown(house, match_id, seat) for seat in range(3))
    assert alice is not None
    assert bob is not None
    assert alice.value > 1500 > bob.value
    assert alice.plus_minus < 500
    assert alice.matches == 1
    assert pace is None
    assert carol == NOTHING
    other = house.begin(3, "hagakure")
    assert rating_and_pace_shown(house, other, 0) == NOTHING, "a rating is of one game"


@pytest.mark.long
def test_ending_ratings_deletes_them_and_wanting_them_again_starts_over(house: House) -> None:
    end_match(house, 0)
    alice = id_of(house, "Alice")
    want_ratings(house, "Alice", "Bob")
    tallying.tally_matches(house.site)
    assert sharing.choose_what_to_share(house.site, alice, rated=False) == Choices(
        rated=False, pace_shown=False, weekly=True
    )
    with house.site.reading() as session:
        assert [one.player_id for one in session.exec(select(Rating))] == [id_of(house, "Bob")]
    sharing.choose_what_to_share(house.site, alice, rated=True)
    assert sharing.read_shared(house.site, alice).ratings == {}
    end_match(house, 1)
    tallying.tally_matches(house.site)
    assert sharing.read_shared(house.site, alice).ratings["hogen"].matches == 1
    assert sharing.read_shared(house.site, id_of(house, "Bob")).ratings["hogen"].matches == 2


def test_a_pace_is_the_median_over_ten_matches_and_only_of_who_shows_it(house: House) -> None:
    match_id = house.begin(3)
    add_results(house, "Alice", [60 * n for n in range(1, LEAST_MATCHES)])
    sharing.choose_what_to_share(house.site, id_of(house, "Alice"), pace_shown=True)
    assert rating_and_pace_shown(house, match_id, 0) == NOTHING, "nine matches are too few"
    add_results(house, "Bob", [3600] * 5 + [7200] * 6)
    assert rating_and_pace_shown(house, match_id, 1) == NOTHING, "Bob has not chosen to show it"
    sharing.choose_what_to_share(house.site, id_of(house, "Bob"), pace_shown=True)
    assert rating_and_pace_shown(house, match_id, 1) == (None, Pace(7200, 11))


def test_ratings_of_players_who_show_none_are_not_queried(house: House) -> None:
    match_id = house.begin(3)

    def read() -> object:
        return match_views.read_sheet(house.site, match_id, None)

    none = count_statements(house.site.engine, read)
    sharing.choose_what_to_share(house.site, id_of(house, "Alice"), rated=True)
    assert count_statements(house.site.engine, read) == none + 1
    sharing.choose_what_to_share(house.site, id_of(house, "Bob"), rated=True, pace_shown=True)
    assert count_statements(house.site.engine, read) == none + 2, "one query for all ratings, one for all paces"


@pytest.mark.long
def test_invitees_show_no_rating_before_they_accept(house: House) -> None:
    end_match(house, 0)
    want_ratings(house, "Alice", "Bob")
    tallying.tally_matches(house.site)
    match_id = house.create(3)
    matches.confirm_match(house.site, house.claim("confirm", match_id, 0), "fr", "Europe/Paris")
    assert not match_views.read_sheet(house.site, match_id, 0).seats[1].rating
    matches.accept_invitation(house.site, house.claim("invitation", match_id, 1), "en", "Europe/London")
    assert match_views.read_sheet(house.site, match_id, 0).seats[1].rating


@pytest.mark.long
def test_the_published_record_shows_a_rating_only_if_its_owner_shares_it(house: House) -> None:
    end_match(house, 0)
    alice = id_of(house, "Alice")
    records.publish_record(house.site, alice)
    key = records.read_own_record(house.site, alice).key
    assert key is not None
    want_ratings(house, "Bob", "Carol")
    tallying.tally_matches(house.site)
    assert records.read_public_record(house.site, key).shared.ratings == {}
    want_ratings(house, "Alice")
    end_match(house, 0)
    tallying.tally_matches(house.site)
    assert {*records.read_public_record(house.site, key).shared.ratings} == {"hogen"}


def test_a_guest_cannot_change_which_results_are_shared(house: House) -> None:
    guest = start_match_against_bots(house.site, STRANGER, "hogen", "Zoe", "en", "Europe/Paris").player.player_id
    with pytest.raises(Forbidden):
        sharing.choose_what_to_share(house.site, guest, rated=True)


def test_erasure_deletes_ratings_and_leaves_results_by_seat(house: House) -> None:
    match_id = end_match(house, 0)
    alice = id_of(house, "Alice")
    want_ratings(house, "Alice", "Bob")
    tallying.tally_matches(house.site)
    erasure.erase_player(house.site, alice)
    with house.site.reading() as session:
        assert [one.player_id for one in session.exec(select(Rating))] == [id_of(house, "Bob")]
        rows = session.exec(select(Result).where(Result.match_id == match_id).order_by(table(Result).c.seat)).all()
    assert [(row.seat, row.player_id is None, row.place) for row in rows] == [
        (0, True, 1),
        (1, False, 2),
        (2, False, 2),
    ]
    with pytest.raises(Unauthorized):
        sharing.choose_what_to_share(house.site, alice, rated=True)
    assert tallying.tally_matches(house.site) == 0
