"""What wakes those who wait, for all of them in two statements, on both databases."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbem.clock import iso_format
from pbem.models.tables import Match, SeatRow
from pbem.services.lobby import matches
from pbem.services.log import cancellation
from pbem.services.views import match_list, waiting
from pbem.services.views.waiting import Known
from tests.services.letterbox import id_of
from tests.table import FOUR, House


def test_waiting_clients_with_an_old_version_question_or_link_have_news(house: House) -> None:
    running, ended = house.begin(), house.begin()
    cancellation.cancel_match_for_host(house.site, ended)
    with house.site.writing() as session:
        session.get_one(SeatRow, (running, 1)).epoch = 1
        version, of_ended = (session.get_one(Match, match_id).version for match_id in (running, ended))
    quiet = [
        Known(running, version, None, None),
        Known(running, version, 0, 0),
        Known(running, version + 1, 1, 1),
    ]
    news = [
        Known(running, version - 1, None, None),
        Known(running, version, 1, 0),
        Known(ended, of_ended, 0, 0),
        Known("0" * 24, 5, 0, 0),
    ]
    assert sorted(waiting.find_outdated_among_known(house.site, [*quiet, *news])) == sorted(news)
    assert waiting.find_outdated_among_known(house.site, quiet) == []


@pytest.mark.long
def test_read_places_of_many_players_equals_each_ones_own_list(house: House) -> None:
    running, inviting = house.begin(4), house.create(4)
    house.create(4)  # nobody learns of it before its organiser confirms
    matches.confirm_match(house.site, house.claim("confirm", inviting, 0), "en", "Europe/Paris")
    ended = house.begin(4)
    cancellation.cancel_match_for_host(house.site, ended)
    players = {name: id_of(house, name) for name in FOUR}
    places = waiting.read_places_of_players(house.site, players.values())
    for seat, name in enumerate(FOUR):
        now = match_list.read_own_match_standings(house.site, players[name])
        assert now.places == places[players[name]]
        assert {one.id for one in now.matches.values()} == {running, inviting}
        own, open_ask = now.matches[running].ask, house.view(running, seat).ask
        assert own is not None
        assert open_ask is not None
        assert (own.key, own.kind, own.deadline) == (
            open_ask.key,
            open_ask.kind,
            open_ask.deadline and iso_format(open_ask.deadline),
        )
        besides = match_list.read_own_match_standings(house.site, players[name], known=[ended]).matches.keys()
        assert besides - now.matches.keys() == {ended}
    since = house.site.now() - timedelta(hours=1)
    assert ended in match_list.read_own_match_standings(house.site, players[FOUR[0]], since=since).matches

    house.play(running, 0)
    after = waiting.read_places_of_players(house.site, players.values())
    assert {name for name in FOUR if after[players[name]] != places[players[name]]} == {FOUR[0]}
    assert waiting.read_places_of_players(house.site, [0]) == {0: frozenset()}
