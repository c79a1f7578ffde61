"""What strangers and organisers can cause: bots, mails, names that look alike, promises, and what is forgotten."""

from __future__ import annotations

import pytest
from sqlmodel import select

from pbem.errors import Gone, Invalid, NotFound, TooMany, TooManyOpen
from pbem.features.leagues import founding, lookups, reading
from pbem.features.leagues.entry import entering
from pbem.features.leagues.entry import entrants as admission
from pbem.features.leagues.entry.entering import INVITED_MOST
from pbem.features.leagues.entry.entrants import BOTS_EACH, BOTS_FLOOR, BOTS_SEASON, list_entrants, read_entrant
from pbem.features.leagues.running import bulk, seasons
from pbem.features.leagues.tables import Entrant
from pbem.models.tables import Player
from pbem.services.lobby.match_request import Invitee
from pbem.services.play import presence
from pbem.services.privacy import retention
from pbem.services.who import HOST, STRANGER
from tests.features.leagues.admission import circle_season, leave_circle
from tests.features.leagues.cups import CUP, open_cup, pair_matches
from tests.features.leagues.entering import ask_to_enter_season, claim_for
from tests.features.leagues.stage import DAY, begin_season, enter_all, entrants_by_name, found_league, id_of_player
from tests.services.letterbox import kinds_of_mails
from tests.table import FOUR, THREE, House, address_of, claim_of


def enter_bots(house: House, season_id: str, number: int) -> int:
    return len(entering.enter_bots(house.site, id_of_player(house, "Alice"), season_id, "random", number))


@pytest.mark.long
def test_the_number_of_bots_in_a_season_is_limited_by_that_of_people(house_with_caps: House) -> None:
    made = found_league(house_with_caps, matches=1)
    assert enter_bots(house_with_caps, made.season_id, BOTS_FLOOR) == BOTS_FLOOR
    with pytest.raises(Invalid):
        enter_bots(house_with_caps, made.season_id, 1)
    enter_all(house_with_caps, made.season_id, "Bob")
    assert enter_bots(house_with_caps, made.season_id, BOTS_EACH) == BOTS_EACH
    with pytest.raises(Invalid):
        enter_bots(house_with_caps, made.season_id, 1)
    enter_all(house_with_caps, made.season_id, *(f"P{at}" for at in range(BOTS_SEASON // BOTS_EACH)))
    with pytest.raises(Invalid):
        enter_bots(house_with_caps, made.season_id, BOTS_SEASON - BOTS_FLOOR - BOTS_EACH + 1)
    assert len(entering.enter_bots(house_with_caps.site, HOST, made.season_id, "random", 2 * BOTS_SEASON)) == 128


def test_strangers_can_request_only_a_few_season_mails_a_day(house_with_caps: House) -> None:
    made, most = found_league(house_with_caps), house_with_caps.site.config.mails_per_address_day
    for at in range(most):
        ask_to_enter_season(house_with_caps, made.season_id, f"N{at}")
    with pytest.raises(TooMany):
        ask_to_enter_season(house_with_caps, made.season_id, "Bob")
    house_with_caps.clock.forward(days=1, minutes=1)
    ask_to_enter_season(house_with_caps, made.season_id, "Bob")


def test_unconfirmed_addresses_do_not_count_towards_the_entrant_limit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "ENTRANTS_MOST", 2)
    made = found_league(house)
    for name in ("Bob", "Carol", "Dave"):
        ask_to_enter_season(house, made.season_id, name)
    enter_all(house, made.season_id, "Alice", "Bob")
    with pytest.raises(Exception, match="full"):
        entering.enter_by_link(house.site, claim_for(house, made.season_id, "Carol"))


def test_a_withdrawn_player_gets_no_mail_for_a_month_but_may_enter_again(house: House) -> None:
    made = founding.found_league(
        house.site, id_of_player(house, "Alice"), "Long", "hogen", {}, house.clock() + 60 * DAY
    )  # fmt: skip
    bob = id_of_player(house, "Bob")
    enter_all(house, made.season_id, "Bob")
    entering.withdraw_player(house.site, bob, made.season_id)
    for _ in range(2):
        ask_to_enter_season(house, made.season_id, "Bob")
        house.drain()
        assert kinds_of_mails(house, "Bob") == []
        assert entrants_by_name(house, made.season_id)["Bob"].status == "withdrawn"
        house.clock.forward(days=1)
    house.clock.forward(days=30)
    ask_to_enter_season(house, made.season_id, "Bob")
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["entry"]
    entering.withdraw_player(house.site, bob, made.season_id)
    enter_all(house, made.season_id, "Bob")
    assert entrants_by_name(house, made.season_id)["Bob"].status == "entered"


def test_an_organiser_does_not_learn_whom_an_address_belongs_to(house: House) -> None:
    made, alice = found_league(house), id_of_player(house, "Alice")
    entering.enter_player(house.site, id_of_player(house, "Bob"), made.season_id, "Zorro")
    people = [Invitee("One", address_of("Bob")), Invitee("Two", address_of("Carol"))]
    assert entering.invite_to_season(house.site, alice, made.season_id, people, "en") == 2
    listed, _ = list_entrants(house.site, alice, made.season_id)
    assert [one.name for one in listed] == ["Zorro"]
    hidden = entrants_by_name(house, made.season_id)["Two"].id or 0
    with pytest.raises(NotFound):
        read_entrant(house.site, alice, made.season_id, hidden)
    with pytest.raises(NotFound):
        entering.remove_entrant(house.site, alice, made.season_id, hidden)


@pytest.mark.parametrize("number", [0, 2**31, 2**63])
def test_reading_an_entrant_of_an_impossible_id_is_not_found(house: House, number: int) -> None:
    with pytest.raises(NotFound):
        read_entrant(house.site, STRANGER, found_league(house).season_id, number)


@pytest.mark.long
def test_every_address_an_organiser_types_counts_towards_the_limit(house_with_caps: House) -> None:
    made, alice = found_league(house_with_caps), id_of_player(house_with_caps, "Alice")
    people = [Invitee("Bob", address_of("Bob"))]
    entering.invite_to_season(house_with_caps.site, alice, made.season_id, people * (INVITED_MOST - 1), "en")
    with pytest.raises(TooMany):
        entering.invite_to_season(house_with_caps.site, alice, made.season_id, people * 2, "en")
    entering.invite_to_season(house_with_caps.site, alice, made.season_id, people, "en")


@pytest.mark.long
@pytest.mark.parametrize("name", ["ÉLISE", "E\u0301lise", "ÉIise"])
def test_names_in_the_standings_do_not_look_alike(house: House, name: str) -> None:
    made = found_league(house)
    entering.enter_player(house.site, id_of_player(house, "Alice"), made.season_id, "Élise")
    with pytest.raises(Invalid):
        entering.enter_player(house.site, id_of_player(house, "Bob"), made.season_id, name)
    entering.enter_player(house.site, id_of_player(house, "Bob"), made.season_id, "Bob")
    entering.enter_player(house.site, id_of_player(house, "Alice"), made.season_id, "élise")


@pytest.mark.long
def test_a_seasons_planned_matches_count_towards_a_players_limit(house_with_caps: House) -> None:
    made, entered = open_cup(house_with_caps, matches=6)
    bulk.begin_season_early(house_with_caps.site, id_of_player(house_with_caps, "Alice"), made.season_id)
    second = found_league(house_with_caps, **CUP | {"game": "allegeance", "matches": 5})
    with pytest.raises(TooManyOpen):
        enter_all(house_with_caps, second.season_id, "Bob")
    (first,) = pair_matches(house_with_caps, made.season_id, (entered[0], entered[1]))
    with pytest.raises(TooManyOpen):
        enter_all(house_with_caps, second.season_id, "Bob")
    presence.resign(house_with_caps.site, claim_of(house_with_caps.site, first, 0))
    enter_all(house_with_caps, second.season_id, "Bob")


@pytest.mark.on_postgresql
def test_invitees_who_never_play_are_deleted_with_their_address(house: House) -> None:
    made = founding.found_league(
        house.site, id_of_player(house, "Alice"), "Long", "hogen", {}, house.clock() + 90 * DAY
    )  # fmt: skip
    people = [Invitee(name, address_of(name)) for name in ("Bob", "Carol")]
    id_of_player(house, "Bob")
    entering.invite_to_season(house.site, id_of_player(house, "Alice"), made.season_id, people, "en")
    ask_to_enter_season(house, made.season_id, "Dave")
    enter_all(house, made.season_id, *(name for name in THREE if name != "Bob"), "Fanny")
    entering.invite_to_season(
        house.site, id_of_player(house, "Alice"), made.season_id, [Invitee("Last", "last@example.org")], "en"
    )
    house.drain()
    entering.withdraw_by_link(house.site, claim_for(house, made.season_id, "Fanny"))
    house.clock.forward(days=29)
    retention.delete_old_rows(house.site)
    assert "Dave" in entrants_by_name(house, made.season_id)
    ask_to_enter_season(house, made.season_id, "Dave")
    house.drain()
    house.clock.forward(days=2)
    retention.delete_old_rows(house.site)
    assert "Dave" in entrants_by_name(house, made.season_id), "the link in his newest mail works for a month, too"
    house.clock.forward(days=29)
    retention.delete_old_rows(house.site)
    left = entrants_by_name(house, made.season_id)
    assert {"Dave", "Fanny"}.isdisjoint(left)
    assert {"Bob", "Alice"} <= left.keys(), "Bob has shown to read his address and may still enter; Alice plays"
    begin_season(house, made.season_id)
    retention.delete_old_rows(house.site)
    assert "Bob" not in entrants_by_name(house, made.season_id)
    with house.site.reading() as session:
        known = session.exec(select(Player.address)).all()
    assert address_of("Dave") not in known
    assert address_of("Bob") in known


@pytest.mark.on_postgresql
def test_a_player_who_has_left_a_circle_does_not_play_in_its_season(house: House) -> None:
    made, circle_id = circle_season(house)
    leave_circle(house, circle_id, "Bob")
    with house.site.writing() as work:
        season = lookups.lock_season(work, made.season_id)
        admission.withdraw_former_members(house.site, work, season, lookups.league_of(work, made.league_id))
    statuses = {name: row.status for name, row in entrants_by_name(house, made.season_id).items()}
    assert statuses == {name: "withdrawn" if name == "Bob" else "entered" for name in FOUR}


def test_a_season_that_begins_early_has_no_former_members_of_its_circle(house: House) -> None:
    made, circle_id = circle_season(house, pairing="organiser")
    leave_circle(house, circle_id, "Bob")
    assert reading.read_own_current_seasons(house.site, id_of_player(house, "Bob")) == ()
    bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    found = {name: (row.status, row.division) for name, row in entrants_by_name(house, made.season_id).items()}
    assert found == {name: ("withdrawn", None) if name == "Bob" else ("entered", 1) for name in FOUR}


@pytest.mark.parametrize("pairing", ["organiser", "rotation"])
def test_a_season_does_not_begin_early_if_too_few_are_still_members(house: House, pairing: str) -> None:
    made, circle_id = circle_season(house, pairing=pairing, least=4)
    leave_circle(house, circle_id, "Bob")
    with pytest.raises(Gone, match="Fewer have entered"):
        bulk.begin_season_early(house.site, id_of_player(house, "Alice"), made.season_id)
    assert seasons.sweep_seasons(house.site) == 0
    assert reading.read_league_and_season(house.site, id_of_player(house, "Alice"), made.season_id)[1].status == "open"


@pytest.mark.long
def test_a_player_who_leaves_a_circle_still_sees_the_season_they_play_in(house: House) -> None:
    made, circle_id = circle_season(house)
    begin_season(house, made.season_id)
    leave_circle(house, circle_id, "Bob")
    assert (
        reading.read_league_and_season(house.site, id_of_player(house, "Bob"), made.season_id)[1].own_status
        == "entered"
    )
    assert [one.id for one in reading.read_own_current_seasons(house.site, id_of_player(house, "Bob"))] == [
        made.season_id
    ]
    for who in (STRANGER, id_of_player(house, "Charlie")):
        with pytest.raises(NotFound):
            reading.read_league_and_season(house.site, who, made.season_id)


def test_removing_an_entrant_of_an_impossible_id_is_not_found(house: House) -> None:
    made = found_league(house)
    with pytest.raises(NotFound):
        entering.remove_entrant(house.site, id_of_player(house, "Alice"), made.season_id, 2**63)


def test_a_bot_gets_no_name_that_looks_like_a_persons(house: House) -> None:
    made = found_league(house)
    enter_bots(house, made.season_id, 1)
    (name,) = entrants_by_name(house, made.season_id)
    with house.site.writing() as work:
        work.delete(work.exec(select(Entrant)).one())
    entering.enter_player(house.site, id_of_player(house, "Bob"), made.season_id, name.swapcase())
    enter_bots(house, made.season_id, 1)
    assert name not in entrants_by_name(house, made.season_id)
