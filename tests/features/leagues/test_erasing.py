"""A player who is erased organises nothing any more, also what they have founded in the meantime."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlmodel import select

from pbem.errors import Busy
from pbem.features.leagues import hooks
from pbem.features.leagues.tables import Entrant, League
from pbem.models.tables import Player
from pbem.services.hooks import all_personal
from pbem.services.lobby.seating import FREE
from pbem.services.privacy import erasure
from tests.features.leagues.stage import enter_all, found_league, id_of_player
from tests.table import House


def test_an_organiser_has_no_league_any_more_once_it_has_ended(house: House) -> None:
    found_league(house)
    alice = id_of_player(house, "Alice")
    for ended in (False, True):
        with house.site.reading() as session:
            assert bool(hooks.current_league_ids_of_organiser(session, alice)) != ended
        hooks.end_leagues(house.site, alice)


def test_erasure_fails_as_busy_while_the_player_still_organises_a_league(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, alice = found_league(house), id_of_player(house, "Alice")
    enter_all(house, made.season_id, "Alice")
    with monkeypatch.context() as patch:
        going_on = [replace(one, leave=lambda _site, _player_id: None) for one in all_personal()]
        patch.setattr(erasure, "all_personal", lambda: going_on)
        with pytest.raises(Busy):
            erasure.erase_player(house.site, alice)
    with house.site.reading() as session:
        assert session.get_one(Player, alice).address
    erasure.erase_player(house.site, alice)
    with house.site.reading() as session:
        assert session.get_one(League, made.league_id).owner_id is None
        assert [row.name for row in session.exec(select(Entrant))] == [FREE]
