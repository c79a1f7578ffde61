"""Entering a season: signed in, or by the link of a mail; invitations, withdrawing, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, update
from sqlmodel import Session, select

from pbem.errors import Forbidden, Gone, Invalid, NotFound, TooManyOpen, Unauthorized
from pbem.features.leagues import claims, founding, lookups, reading, weekly
from pbem.features.leagues.entry import entering
from pbem.features.leagues.entry.entrants import entrant_of_player
from pbem.features.leagues.news import ENTERED, WITHDRAWN
from pbem.features.leagues.running import starting
from pbem.features.leagues.tables import Entrant, Season
from pbem.models.tables import OutboxRow
from pbem.services.lobby.match_request import Invitee
from pbem.services.players import players
from pbem.services.privacy import erasure
from pbem.services.who import STRANGER
from tests.features.leagues.entering import ask_to_enter_season, claim_for
from tests.features.leagues.stage import (
    DAY,
    begin_season,
    end_season,
    enter_all,
    entrants_by_name,
    found_league,
    give_result,
    id_of_player,
    matches_of_season,
    season_row,
)
from tests.harness.cases import cases
from tests.services.letterbox import kinds_of_mails, newest_mail, player_of, text_of
from tests.table import THREE, House, address_of


@pytest.mark.long
def test_a_typed_address_enters_a_season_only_by_the_mailed_link(house: House) -> None:
    made = found_league(house)
    ask_to_enter_season(house, made.season_id, "Bob")
    ask_to_enter_season(house, made.season_id, "Bob")
    assert entrants_by_name(house, made.season_id)["Bob"].status == "invited"
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["entry"]
    token = text_of(newest_mail(house, "Bob")).split("/entry/")[1].split()[0]
    entering.enter_by_link(house.site, house.tokens.read(claims.EntrantClaim, token))
    assert entrants_by_name(house, made.season_id)["Bob"].status == "entered"
    assert player_of(house, "Bob").verified_at is not None


def test_an_entry_link_works_only_for_its_own_mailbox(house: House) -> None:
    made = found_league(house)
    ask_to_enter_season(house, made.season_id, "Bob")
    number = entrants_by_name(house, made.season_id)["Bob"].id or 0
    with pytest.raises(Unauthorized):
        entering.enter_by_link(
            house.site,
            house.tokens.read(
                claims.EntrantClaim, house.tokens.sign_for(claims.EntrantClaim, number, "charlie@example.org")
            ),
        )


def test_an_invitee_who_did_not_accept_gets_no_match(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    ask_to_enter_season(house, made.season_id, "Dave")
    begin_season(house, made.season_id)
    assert entrants_by_name(house, made.season_id)["Dave"].division is None
    with pytest.raises(Gone):
        entering.enter_by_link(house.site, claim_for(house, made.season_id, "Dave"))


@pytest.mark.long
def test_only_the_organiser_invites_and_each_is_mailed_once(house: House) -> None:
    made = found_league(house)
    people = [Invitee("Bob", address_of("Bob"))]
    with pytest.raises(Forbidden):
        entering.invite_to_season(house.site, id_of_player(house, "Charlie"), made.season_id, people, "en")
    alice = id_of_player(house, "Alice")
    for _ in range(2):
        assert entering.invite_to_season(house.site, alice, made.season_id, people, "en") == 1
    house.drain()
    assert kinds_of_mails(house, "Bob") == ["callup"]


@contextmanager
def full_outbox(house: House) -> Iterator[None]:
    """Has no room for any mail."""

    def store(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith("INSERT INTO outbox"):
            raise OSError("the disk is full")

    event.listen(house.site.engine, "before_cursor_execute", store)
    try:
        yield
    finally:
        event.remove(house.site.engine, "before_cursor_execute", store)


def test_if_no_mail_can_be_queued_every_typed_address_fails_alike(house: House) -> None:
    made, alice = found_league(house), id_of_player(house, "Alice")
    enter_all(house, made.season_id, "Bob", "Carol")
    entering.withdraw_by_link(house.site, claim_for(house, made.season_id, "Carol"))
    for name in ("Bob", "Carol", "Dave"):  # who has entered, who has withdrawn, and whom nobody knows
        with full_outbox(house), pytest.raises(OSError, match="full"):
            ask_to_enter_season(house, made.season_id, name)
        with full_outbox(house), pytest.raises(OSError, match="full"):
            entering.invite_to_season(house.site, alice, made.season_id, [Invitee(name, address_of(name))], "en")


def test_withdrawing_takes_one_press_and_ends_with_the_start(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE, "Dave")
    assert entering.withdraw_by_link(house.site, claim_for(house, made.season_id, "Dave")).status == "withdrawn"
    begin_season(house, made.season_id)
    assert entrants_by_name(house, made.season_id)["Dave"].division is None
    with pytest.raises(Gone):
        entering.withdraw_by_link(house.site, claim_for(house, made.season_id, "Bob"))


def test_names_in_the_standings_are_unique(house: House) -> None:
    made = found_league(house)
    enter_all(house, made.season_id, "Alice")
    with pytest.raises(Invalid):
        entering.enter_player(house.site, id_of_player(house, "Bob"), made.season_id, "ALICE")


def test_the_matches_of_a_season_count_towards_the_limit_of_open_ones(house_with_caps: House) -> None:
    first = found_league(house_with_caps, matches=6)
    second = founding.found_league(
        house_with_caps.site,
        id_of_player(house_with_caps, "Alice"),
        "Second",
        "hogen",
        {"matches": 5},
        house_with_caps.clock() + DAY,
    )
    enter_all(house_with_caps, first.season_id, "Bob")
    with pytest.raises(TooManyOpen):
        enter_all(house_with_caps, second.season_id, "Bob")


@pytest.mark.on_postgresql
def test_terms_change_for_an_open_season_only_while_no_person_has_entered(house: House) -> None:
    made, alice = found_league(house, matches=1), id_of_player(house, "Alice")
    founding.change_league(house.site, alice, made.league_id, terms={"matches": 2})
    assert '"matches":2' in season_row(house, made.season_id).terms
    enter_all(house, made.season_id, "Bob")
    founding.change_league(house.site, alice, made.league_id, terms={"matches": 4})
    assert '"matches":2' in season_row(house, made.season_id).terms
    with pytest.raises(Forbidden):
        founding.change_league(house.site, id_of_player(house, "Bob"), made.league_id, terms={})


@cases("terms", [{"matches": 0}, {"seats": 9}, {"bots": ["nobody"]}, {"what": 1}, {"promoted": 7}])
def test_impossible_terms_of_a_season_are_refused(house: House, terms: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        found_league(house, **terms)


def test_a_league_of_a_circle_is_shown_to_its_members_alone(house: House) -> None:
    from pbem.features.circles import founding as circles

    alice, bob = id_of_player(house, "Alice"), id_of_player(house, "Bob")
    circle_id = circles.found_circle(house.site, alice, "Friends", "Alice")
    made = founding.found_league(house.site, alice, "Ours", "hogen", {}, house.clock() + DAY, circle_id=circle_id)
    for who in (bob, STRANGER):
        with pytest.raises(NotFound):
            reading.read_league_and_season(house.site, who, made.season_id)
    with pytest.raises(NotFound):
        entering.enter_player(house.site, bob, made.season_id, "Bob")


def test_the_weekly_mail_comes_once_a_week_to_those_with_something_to_tell(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    id_of_player(house, "Charlie")
    begin_season(house, made.season_id)  # on a Thursday
    house.drain()
    house.clock.at = house.clock.at.replace(day=23, hour=8)  # a Monday
    assert weekly.queue_weekly_mails(house.site) == 3
    assert weekly.queue_weekly_mails(house.site) == 0
    house.drain()
    assert kinds_of_mails(house, "Bob")[-1] == "week"
    assert kinds_of_mails(house, "Charlie") == []
    token = text_of(newest_mail(house, "Bob")).split("/week/")[1].split()[0]
    weekly.set_weekly_setting(house.site, house.tokens.read(claims.WeeklyClaim, token), wanted=False)
    house.clock.forward(days=7)
    assert weekly.queue_weekly_mails(house.site) == 2


@pytest.mark.long
def test_no_season_mail_is_sent_to_an_unsubscribed_address(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    players.block_address(house.site, address_of("Bob"))
    begin_season(house, made.season_id)
    house.drain()
    assert house.mail.to(address_of("Bob")) == []
    assert kinds_of_mails(house, "Carol").count("kickoff") == 1


@pytest.mark.long
def test_an_erased_player_leaves_their_results_without_a_name(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, *THREE)
    begin_season(house, made.season_id)
    (one,) = matches_of_season(house, made.season_id)
    give_result(house, one.match_id, 1, 2, 3)
    erasure.erase_player(house.site, id_of_player(house, "Bob"))
    rows = entrants_by_name(house, made.season_id)
    assert "Bob" not in rows
    assert [row.status for row in rows.values()].count("erased") == 1
    end_season(house, made.season_id)
    assert sorted(row.points or 0 for row in entrants_by_name(house, made.season_id).values()) == [0, 0.5, 1]


@pytest.mark.long
def test_the_league_of_an_erased_organiser_ends_with_its_season(house: House) -> None:
    made = found_league(house, matches=1)
    enter_all(house, made.season_id, "Bob", "Carol", "Dave")
    begin_season(house, made.season_id)
    erasure.erase_player(house.site, id_of_player(house, "Alice"))
    end_season(house, made.season_id)
    league = reading.read_league(house.site, STRANGER, made.league_id)
    assert league.ended_at
    assert [season.status for season in league.seasons] == ["closed"]


@pytest.mark.long
def test_a_duplicate_round_shares_a_deal_whose_commitment_is_mailed(house: House) -> None:
    made = found_league(house, matches=2, duplicate=True, division_size=6)
    enter_all(house, made.season_id, "Alice", "Bob", "Carol", "Dave", "Fanny", "Maximilienne")
    begin_season(house, made.season_id)
    shared = reading.read_shared_deals(house.site, STRANGER, made.season_id)
    assert [(one.division, one.round) for one in shared] == [(1, 1), (1, 2)], "two tables a round"
    house.drain()
    (mail,) = [one for one in house.mail.to(address_of("Bob")) if "has begun" in one["Subject"]]
    for one in shared:
        assert one.commitment in mail["X-PBEM-Commitment"]
        assert one.commitment[:16] in text_of(mail).replace("\u00a0", "").replace(" ", "")
    with house.site.reading() as session:
        assert session.exec(select(OutboxRow).where(OutboxRow.kind == "kickoff")).all()


def test_a_withdrawal_and_an_entry_at_once_end_as_an_entry(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made, lock_season = found_league(house), lookups.lock_season
    ask_to_enter_season(house, made.season_id, "Charlie")
    claim = claim_for(house, made.season_id, "Charlie")
    entering.enter_by_link(house.site, claim)

    def withdraw_first(session: Session, season_id: str) -> Season:
        session.connection().execute(update(Entrant).values(status=WITHDRAWN))
        return lock_season(session, season_id)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(lookups, "lock_season", withdraw_first)
        assert entering.enter_by_link(house.site, claim).status == ENTERED


def test_a_stranger_is_not_taken_for_a_bot_entrant(house: House) -> None:
    made = found_league(house)
    entering.enter_bots(house.site, id_of_player(house, "Alice"), made.season_id, "random", 2)
    with house.site.reading() as session:
        assert entrant_of_player(session, made.season_id, None) is None


def test_a_season_of_bots_alone_begins_only_as_the_first_of_its_league(house: House) -> None:
    made = found_league(house, least=4)
    alice = id_of_player(house, "Alice")

    def enough(number: int = 1) -> bool:
        with house.site.reading() as session:
            row = session.get_one(Season, made.season_id)
            session.expunge(row)
            row.number = number
            return starting.has_enough_entrants(session, row)

    assert not enough()
    entering.enter_bots(house.site, alice, made.season_id, "greedy", 3)
    assert not enough(), "four have to enter"
    entering.enter_bots(house.site, alice, made.season_id, "greedy", 1)
    assert (enough(), enough(2)) == (True, False)
    enter_all(house, made.season_id, "Bob")
    assert (enough(), enough(2)) == (True, True)
