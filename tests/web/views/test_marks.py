"""The marks of seats are those that they have taken in a match, on every page that shows any."""

from __future__ import annotations

import pytest

from pbem.errors import Unreadable
from pbem.games.hexen_rennen import GAME
from pbem.kit.contract import AnyGame
from pbem.render import badges
from pbem.services.play import moves
from pbem.services.views import match_views
from tests.harness.cases import cases
from tests.table import claim_of, play_out
from tests.web.cast import Web

ALICE, BOB, CAROL = 0, 1, 2
CHOSEN = {"clans": "chosen"}


def answer(web: Web, match_id: str, seat: int, text: str) -> None:
    sheet = match_views.read_sheet(web.site, match_id, seat)
    (key,) = (ask.key for ask in sheet.asks if ask.seat == seat)
    moves.play_answer(web.site, claim_of(web.site, match_id, seat), key, text, "api")


def game_of(web: Web, match_id: str) -> AnyGame:
    return match_views.read_sheet(web.site, match_id, None).game


@pytest.fixture
def racing(web: Web) -> str:
    """A race of Alice's cauldron, Bob's moon and Carol's mushroom."""
    match_id = web.start(game="hexen-rennen", options=CHOSEN)
    for seat, clan in enumerate("DAB"):
        answer(web, match_id, seat, f"choose {clan}")
    for seat in (ALICE, BOB, CAROL):
        answer(web, match_id, seat, "234 567 8910")
    return match_id


def test_a_seat_has_no_clan_before_it_has_chosen_one(web: Web) -> None:
    match_id = web.start(game="hexen-rennen", options=CHOSEN)
    shown = web.client().get(web.link("play", match_id, BOB)).text
    answer(web, match_id, ALICE, "choose the cat")
    after = web.client().get(web.link("play", match_id, BOB)).text
    game = game_of(web, match_id)
    assert [mark.letter for mark in game.meta.seat_marks] == ["C", "?", "?"]
    assert badges.badge_picture(ALICE, game.meta.seat_marks) not in shown
    assert badges.badge_picture(ALICE, game.meta.seat_marks) in after
    assert badges.badge_picture(ALICE, GAME.meta.seat_marks) not in shown + after


def test_pages_show_the_chosen_clans_and_never_the_usual_ones(web: Web, racing: str) -> None:
    alice = web.link("play", racing, ALICE)
    web.client().post(f"{alice}/say", data={"say": "hello"})
    game, seen = game_of(web, racing), dict[str, str]()
    for path in (alice, f"{alice}/talk", f"/match/{racing}", f"/replay/{racing}", web.link("play", racing, CAROL)):
        seen[path] = web.client().get(path).text
    play_out(web.site, racing)
    for path in (alice, f"/match/{racing}", f"{alice}/replay", f"/match/{racing}/luck", f"{alice}/luck"):
        seen[f"{path} at the end"] = web.client().get(path).text
    for path, text in seen.items():
        shown = [seat for seat in (ALICE, BOB, CAROL) if badges.badge_picture(seat, game.meta.seat_marks) in text]
        assert shown == ([] if "replay" in path else [ALICE] if "talk" in path else [ALICE, BOB, CAROL]), path
        assert badges.badge_picture(CAROL, GAME.meta.seat_marks) not in text, "nobody is the cat"


@cases("text, letter", [("play D5", True), ("play A5", False)])
def test_the_letter_of_the_own_clan_may_stand_before_a_card(web: Web, racing: str, text: str, letter: bool) -> None:
    view = match_views.read_view(web.site, racing, ALICE)
    if letter:
        assert view.game.format(moves.read_typed_move(view.game, text, ALICE)) == "play 5"
    else:
        with pytest.raises(Unreadable):
            moves.read_typed_move(view.game, text, ALICE)


def test_a_match_with_the_usual_clans_is_played_by_the_unchanged_game(web: Web) -> None:
    assert game_of(web, web.start(game="hexen-rennen")) is GAME
