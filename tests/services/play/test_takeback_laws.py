"""In a match of any game something is taken back wherever it can be: what that leaves behind is what counts."""

import random
from dataclasses import replace

import pytest

from pbem.games import all_games
from pbem.kit.logs.repetition import Repetition
from pbem.kit.logs.verdict import verify
from pbem.kit.replay import Undone, entries_not_taken_back, fold_for_viewer, key_without_takebacks
from pbem.services.log import rebuilding, store
from pbem.services.log.store import Table
from pbem.services.play import takeback
from pbem.services.site import Cache
from pbem.services.views import match_views
from tests.table import House, claim_of, submit_answer

MOST = 6
"""So often something is taken back."""


LONG = {"allegeance", "hexen-rennen"}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[pytest.mark.long] if slug in LONG else []) for slug in all_games()]
)
def test_after_take_backs_all_stored_rows_match_the_log_without_them(house: House, slug: str) -> None:
    options = {"rounds": 1} if slug == "hagakure" else {}
    luck, match_id, back = random.Random(slug), house.begin(4, slug, turn_s=3600, options=options), 0
    while back < MOST and (asks := house.asks(match_id)):
        seat = luck.choice(asks).seat
        view = house.view(match_id, seat)
        assert view.ask is not None
        legal = view.legal()
        submit_answer(house.site, match_id, seat, view.ask.key, legal[luck.randrange(len(legal))], "api")
        if house.view(match_id, None).sheet.over:
            break
        can = takeback.read_takeback(house.site, claim_of(house.site, match_id, seat)).reversible
        if can.state not in ("free", "consent") or luck.random() < 0.3:
            continue
        assert can.to is not None
        takeback.take_back(house.site, claim_of(house.site, match_id, seat), can.to)
        for other in can.needed:
            takeback.answer_takeback_request(house.site, claim_of(house.site, match_id, other), can.to, agree=True)
        back += 1
        check_projections(house, match_id, view.sheet.asks)
        if luck.random() < 0.3:
            continue  # they answer something else, or another does first
        again = house.view(match_id, seat)
        assert again.ask is not None
        assert list(again.legal()) == list(legal)
        submit_answer(house.site, match_id, seat, again.ask.key, legal[luck.randrange(len(legal))], "api")
    assert back, "something could be taken back"
    house.play_on(match_id, at=-1 if slug == "hogen" else 0)
    log = match_views.read_log(house.site, match_id, None)
    verdict = verify(log)
    assert verdict.checked
    assert verdict.problems == ()
    made = {entry.n: entry for entry in log.entries}
    drawn = [(draw.name, draw.takebacks) for one in Repetition(log).decisions() for draw in one.draws]
    assert len(set(drawn)) == len(drawn), "no stream of luck is used twice"
    keys = [
        (made[one.entries[0].n].key, made[one.entries[0].n].seat_answered_for) for one in Repetition(log).decisions()
    ]
    assert len(set(keys)) == len(keys)


def check_projections(house: House, match_id: str, before: tuple[match_views.OpenAsk, ...]) -> None:
    """All that is read from the log again is what was there before the move: state, folds and questions."""
    cold = replace(house.site, heads=Cache(), seen=Cache())
    with cold.reading() as session:
        match = store.get_match(session, match_id)
        game = store.game_by_slug(match.game)
        entries = store.load_entries(session, match_id, game)
        assert isinstance(entries[-1].event, Undone)
        counting = entries_not_taken_back(entries)
        for viewer in (None, 0, 1, 2, 3):
            known = match_views.view(Table(session, match), viewer).fold
            assert known == fold_for_viewer(game, counting, viewer)
        pending = game.pending(store.Table(session, match).state)
        assert {(ask.key, ask.seat) for ask in pending} == {
            (key_without_takebacks(ask.key), ask.seat) for ask in before
        }
        assert [*rebuilding.differences_of_open_asks(session)] == []
        assert [*rebuilding.matches_with_broken_chain(session)] == []
