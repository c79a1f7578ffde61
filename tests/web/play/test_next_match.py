"""After a move, the next match that waits for its player is one tap away: for them alone, signed in."""

from __future__ import annotations

import pytest

from pbem.services.lobby.match_request import AT_ONCE, SILENT
from pbem.services.views import match_views
from tests.table import FOUR, play_out, submit_answer
from tests.web.cast import Page, Web, choose_move, path_of, press_only_button, sign_in


def who_is_asked(web: Web, match_id: str) -> list[int]:
    return [ask.seat for ask in match_views.read_sheet(web.site, match_id, None).asks]


def play_first(web: Web, match_id: str, seat: int) -> None:
    """The seat plays its first legal move."""
    view = match_views.read_view(web.site, match_id, seat)
    assert view.ask is not None
    submit_answer(web.site, match_id, seat, view.ask.key, view.legal()[0], "api")


def press_first(web: Web, match_id: str, seat: int) -> str:
    """The seat's owner plays a move by links and button; returns where it leads."""
    client = sign_in(web, FOUR[seat])
    answer = press_only_button(client, choose_move(client, web.link("play", match_id, seat), lambda links: links[0]))
    assert answer.status_code == 303
    return path_of(answer)


def check_next(web: Web, seat: int, path: str) -> None:
    """Holds that the page leads its owner to another match as soon as one waits, and nobody else."""

    def leads(name: str) -> list[str]:
        client = sign_in(web, name) if name else web.client()
        return Page(client.get(path).text).hrefs("next")

    other = next(name for at, name in enumerate(FOUR) if at != seat)
    assert leads(FOUR[seat]) == [], "nothing else waits"
    waits = web.start(FOUR)
    assert leads(FOUR[seat]) == [web.link("play", waits, seat)]
    assert leads("") == [], "the link of a seat opens no other"
    assert leads(other) == [], "another's seat shows nobody else's matches"
    play_first(web, waits, seat)
    assert leads(FOUR[seat]) == [], "it has been played"


@pytest.mark.long
@pytest.mark.parametrize("game", ["niigata", "hexen-rennen", "hagakure", "hogen", "allegeance"])
def test_the_next_match_is_offered_after_a_move_of_every_game(web: Web, game: str) -> None:
    match_id = web.start(FOUR, game=game, windows=AT_ONCE)
    while True:  # until one has played and is not asked again at once
        seat = who_is_asked(web, match_id)[0]
        path = press_first(web, match_id, seat)
        if seat not in who_is_asked(web, match_id):
            break
    assert path.endswith("?done=1")
    check_next(web, seat, path)


def test_the_next_match_is_offered_after_a_sealed_answer(web: Web) -> None:
    match_id = web.start(FOUR, game="allegeance", windows=SILENT)
    while len(asked := who_is_asked(web, match_id)) != 3:
        play_first(web, match_id, asked[0])
    path = press_first(web, match_id, asked[0])
    assert path.endswith("?done=sealed")
    check_next(web, asked[0], path)


@pytest.mark.long
def test_the_next_match_is_offered_after_a_button_pressed_twice(web: Web) -> None:
    match_id = web.start(FOUR, game="hagakure")
    seat = who_is_asked(web, match_id)[0]
    client = sign_in(web, FOUR[seat])
    chosen = choose_move(client, web.link("play", match_id, seat), lambda links: links[0])
    press_only_button(client, chosen)
    path = path_of(press_only_button(client, chosen))
    assert path.endswith("?done=again")
    check_next(web, seat, path)


def test_the_next_match_is_offered_on_the_page_of_a_finished_match(web: Web) -> None:
    match_id = web.start(FOUR)
    play_out(web.site, match_id)
    check_next(web, 1, web.link("play", match_id, 1))


@pytest.mark.long
def test_the_next_match_is_offered_after_saving_an_order(web: Web) -> None:
    match_id = web.start(FOUR, game="hagakure")
    seat = who_is_asked(web, match_id)[0]
    play_first(web, match_id, seat)
    orders = f"{web.link('play', match_id, seat)}/orders"
    if seat not in who_is_asked(web, match_id):
        check_next(web, seat, f"{orders}?done=ordered")
        web.start(FOUR)
        assert Page(sign_in(web, FOUR[seat]).get(orders).text).hrefs("next") == [], "before anything is saved"


@pytest.mark.long
def test_no_next_match_is_offered_while_this_one_asks_again(web: Web) -> None:
    match_id = web.start(FOUR, game="hexen-rennen")
    web.start(FOUR)
    seen = 0
    for _ in range(30):
        seat = who_is_asked(web, match_id)[0]
        path = press_first(web, match_id, seat)
        if seat in who_is_asked(web, match_id):
            seen += 1
            assert Page(sign_in(web, FOUR[seat]).get(path).text).hrefs("next") == []
        if seen == 2:
            break
    assert seen
