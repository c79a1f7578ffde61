"""Personal tokens behind pages and API, on both databases."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from sqlmodel import select

from pbem.errors import Invalid, Unauthorized
from pbem.models.accounts import PersonalToken
from pbem.models.tables import Player, SeatRow
from pbem.services.access import access_tokens
from tests.harness.cases import cases
from tests.services.play.stage.races import at_once
from tests.table import House, address_of


def player_of(house: House, name: str = "Alice") -> int:
    with house.site.reading() as session:
        player = session.exec(select(Player).where(Player.canonical == address_of(name))).one()
        assert player.id is not None
        return player.id


def make_token(house: House, name: str = "bot", days: int | None = None) -> str:
    """A token of Alice's with all scopes."""
    _, token = access_tokens.create_token(house.site, player_of(house), name, access_tokens.SCOPES, days)
    assert token is not None
    return token


def test_reading_an_access_token_gives_its_player_and_their_seat(house: House) -> None:
    match_id, elsewhere = house.begin(), house.create()
    token = make_token(house)
    here = access_tokens.authenticate(house.site, token, match_id)
    assert (here.player_id, here.seat, here.epoch, here.language) == (player_of(house), 0, 0, "fr")
    assert here.scopes == {"read", "play", "create"}
    for nowhere in (elsewhere, None, "0" * 24):
        assert access_tokens.authenticate(house.site, token, nowhere).seat is None


@pytest.mark.long
def test_reading_an_access_token_gives_the_seats_current_epoch(house: House) -> None:
    match_id = house.begin()
    token = make_token(house)
    with house.site.writing() as session:
        session.get_one(SeatRow, (match_id, 0)).epoch = 7
    assert access_tokens.authenticate(house.site, token, match_id).epoch == 7


@cases("token", ["", "pbem_pat.", "pbem_pat." + "x" * 42, "pbem_pat." + "x" * 43, "pbem_pat.\x00"])
def test_an_unknown_access_token_is_refused(house: House, token: str) -> None:
    with pytest.raises(Unauthorized):
        access_tokens.authenticate(house.site, token, None)


@pytest.mark.on_postgresql
def test_an_ended_access_token_is_refused_with_its_reason_until_deleted(house: House) -> None:
    house.begin()
    revoked, expired, stays = make_token(house, "revoked"), make_token(house, "expired", 1), make_token(house, "stays")
    (found,) = (one for one in access_tokens.list_active_tokens(house.site, player_of(house)) if one.name == "revoked")
    access_tokens.revoke_token(house.site, player_of(house), found.id)
    house.clock.forward(days=1)

    def why(token: str) -> object:
        with pytest.raises(Unauthorized) as refused:
            access_tokens.authenticate(house.site, token, None)
        return refused.value.extra.get("reason")

    assert (why(revoked), why(expired)) == ("revoked", "expired")
    with house.site.writing() as session:
        assert access_tokens.forget_old(session, house.site.now() + timedelta(days=89), 9) == 0
        assert access_tokens.forget_old(session, house.site.now() + timedelta(days=90, seconds=1), 9) == 2
    assert (why(revoked), why(expired)) == (None, None)
    assert access_tokens.authenticate(house.site, stays, None).player_id == player_of(house)


def test_revoking_all_tokens_of_a_player_leaves_those_of_others(house: House) -> None:
    house.begin()
    alices = [make_token(house, "one"), make_token(house, "two")]
    _, bobs = access_tokens.create_token(house.site, player_of(house, "Bob"), "bot", ["read"], None)
    with house.site.writing() as session:
        assert access_tokens.revoke_all_tokens(session, player_of(house), house.site.now()) == 2
        assert access_tokens.revoke_all_tokens(session, player_of(house), house.site.now()) == 0
    for token in alices:
        with pytest.raises(Unauthorized):
            access_tokens.authenticate(house.site, token, None)
    assert bobs is not None
    assert access_tokens.authenticate(house.site, bobs, None).player_id == player_of(house, "Bob")


@pytest.mark.long
def test_of_two_access_tokens_made_with_one_name_at_once_one_is_refused(house: House) -> None:
    house.begin()
    for name in ("a", "b", "c"):
        job = partial(make_token, house, name)
        results = at_once(job, job)
        assert sum(isinstance(result, Invalid) for result in results) == 1
    assert len(access_tokens.list_active_tokens(house.site, player_of(house))) == 3


def test_two_access_tokens_made_at_once_never_exceed_the_limit_of_twenty(house: House) -> None:
    house.begin()
    for number in range(access_tokens.MOST - 1):
        make_token(house, f"bot {number}")
    results = at_once(lambda: make_token(house, "one"), lambda: make_token(house, "other"))
    assert sum(isinstance(result, Invalid) for result in results) == 1
    assert len(access_tokens.list_active_tokens(house.site, player_of(house))) == access_tokens.MOST


@pytest.mark.long
def test_expired_tokens_do_not_count_towards_the_limit(house: House) -> None:
    house.begin()
    for number in range(access_tokens.MOST):
        make_token(house, f"bot {number}", 1)
    house.clock.forward(days=1)
    make_token(house, "bot 0")
    assert [one.name for one in access_tokens.list_active_tokens(house.site, player_of(house))] == ["bot 0"]


@pytest.mark.long
def test_creating_an_access_token_verifies_the_players_address(house: House) -> None:
    house.create()
    with house.site.reading() as session:
        assert session.get_one(Player, player_of(house)).verified_at is None
    make_token(house)
    with house.site.reading() as session:
        assert session.get_one(Player, player_of(house)).verified_at is not None


def test_an_unknown_player_cannot_create_an_access_token(house: House) -> None:
    with pytest.raises(Unauthorized):
        access_tokens.create_token(house.site, 12345, "bot", ["read"], None)


@pytest.mark.on_postgresql
def test_an_access_tokens_use_is_recorded_once_in_ten_minutes(house: House) -> None:
    house.begin()
    token = make_token(house)

    def use() -> object:
        access_tokens.record_use(house.site, access_tokens.authenticate(house.site, token, None))
        return access_tokens.authenticate(house.site, token, None).used_at

    first = use()
    assert first == house.site.now()
    house.clock.forward(minutes=9)
    assert use() == first
    house.clock.forward(minutes=1)
    assert use() == house.site.now()


def test_scopes_of_a_token_are_stored_in_fixed_order_without_duplicates(house: House) -> None:
    house.begin()
    found, _ = access_tokens.create_token(house.site, player_of(house), "bot", ["create", "read", "create"], None)
    assert found.scopes == ("read", "create")
    with house.site.reading() as session:
        assert session.exec(select(PersonalToken)).one().scopes == "read create"
