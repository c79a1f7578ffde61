"""Niigata through the service: first come, first served; whole matches; kept folds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.errors import Illegal, Stale
from pbem.games import find_game
from pbem.games.niigata.facts import Take
from pbem.games.niigata.facts_state import State, tiles_matching_dice
from pbem.kit.logs import logfile, verdict
from pbem.services.views import match_views
from tests.games.niigata.tables import ALICE, BOB
from tests.table import House, open_house, submit_answer


@pytest.fixture
def house(sqlite_url: str, tmp_path: Path) -> Iterator[House]:
    """A site with its outgoing mail."""
    yield from open_house(sqlite_url, tmp_path)


def state_of(house: House, match_id: str) -> State:
    """The public state."""
    fold = house.view(match_id, None).fold
    assert isinstance(fold, State)
    return fold


@pytest.mark.long
def test_the_second_to_grab_a_tile_is_refused_and_keeps_the_question(house: House) -> None:
    match_id = house.begin(2, "niigata", options={"picking": "grab"})
    keys = {ask.seat: ask.key for ask in house.asks(match_id)}
    assert set(keys) == {ALICE, BOB}
    fold = state_of(house, match_id)
    # A tile that does not match the dice, if there is one, so that the round goes on.
    wanted = next((tile for tile in fold.display if tile not in tiles_matching_dice(fold)), fold.display[0])
    submit_answer(house.site, match_id, BOB, keys[BOB], Take(wanted), "web")
    with pytest.raises(Illegal) as refusal:
        submit_answer(house.site, match_id, ALICE, keys[ALICE], Take(wanted), "web")
    assert refusal.value.extra["reason"] == "gone"
    assert keys[ALICE] in {ask.key for ask in house.asks(match_id)}
    submit_answer(house.site, match_id, ALICE, keys[ALICE], Take(state_of(house, match_id).display[0]), "web")


@pytest.mark.long
def test_an_answer_to_a_question_closed_meanwhile_is_stale(house: House) -> None:
    for _ in range(40):
        match_id = house.begin(2, "niigata", options={"picking": "grab"})
        fold = state_of(house, match_id)
        good = [tile for tile in fold.display if tile in tiles_matching_dice(fold)]
        if len(good) <= 2:
            break
    keys = {ask.seat: ask.key for ask in house.asks(match_id)}
    for tile in good:
        key = next(ask.key for ask in house.asks(match_id) if ask.seat == BOB)
        submit_answer(house.site, match_id, BOB, key, Take(tile), "web")
    assert [ask.kind for ask in house.asks(match_id)] == ["place"]
    with pytest.raises(Stale):
        submit_answer(house.site, match_id, ALICE, keys[ALICE], Take(good[0]), "web")


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"picking": "grab"}])
def test_a_whole_match_is_played_and_its_log_verifies(house: House, options: dict[str, str]) -> None:
    match_id = house.begin(3, "niigata", options=options)
    house.play_on(match_id)
    sheet = match_views.read_sheet(house.site, match_id, None)
    assert sheet.status == "over"
    assert sheet.outcome is not None
    log = logfile.read(logfile.log_to_bytes(match_views.read_log(house.site, match_id, None)), find_game)
    assert log.viewer == "all"
    assert verdict.verify(log).ok
