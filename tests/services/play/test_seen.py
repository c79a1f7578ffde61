"""What the owner of a seat has seen: it stays on their page and in their mails until then, over devices."""

from __future__ import annotations

import pytest

from pbem.errors import Invalid
from pbem.services.play import moves, presence
from pbem.services.views import match_views
from tests.table import House, submit_answer


@pytest.fixture
def match_id(house: House) -> str:
    return house.begin()


def mark_of(house: House, match_id: str, seat: int | None) -> int | None:
    return match_views.read_sheet(house.site, match_id, seat).seen


def play_seat(house: House, match_id: str, seat: int, version: int | None = None, via: str = "web") -> None:
    view = house.view(match_id, seat)
    assert view.ask is not None
    moves.play_answer(
        house.site,
        house.claim("play", match_id, seat),
        view.ask.key,
        view.game.format(view.legal()[0]),
        via,
        seen=version,
    )


def submit_first(house: House, match_id: str, seat: int) -> None:
    view = house.view(match_id, seat)
    assert view.ask is not None
    submit_answer(house.site, match_id, seat, view.ask.key, view.legal()[0], "web")


def test_news_caused_by_ones_own_move_stays_until_marked_as_seen(house: House, match_id: str) -> None:
    before = house.view(match_id, 1).sheet.version
    play_seat(house, match_id, 1, before)
    after = house.view(match_id, 1)
    assert [line for _, line in after.recap("en")] == after.story("en", before)
    assert mark_of(house, match_id, 1) == before
    presence.mark_entries_seen(house.site, house.claim("play", match_id, 1), after.sheet.version)
    assert house.view(match_id, 1).recap("en") == []


def test_a_move_marks_as_seen_what_its_page_showed_and_nothing_later(house: House, match_id: str) -> None:
    drawn = house.view(match_id, 1).sheet.version
    submit_first(house, match_id, 0)
    play_seat(house, match_id, 1, drawn)
    assert mark_of(house, match_id, 1) == drawn
    assert house.view(match_id, 1).recap("en")[0][1].n > drawn


def test_the_version_seen_only_grows_and_never_past_the_log(house: House, match_id: str) -> None:
    claim, last = house.claim("play", match_id, 1), house.view(match_id, 1).sheet.version
    assert presence.mark_entries_seen(house.site, claim, last) == last
    assert presence.mark_entries_seen(house.site, claim, last - 1) == last
    with pytest.raises(Invalid):
        presence.mark_entries_seen(house.site, claim, last + 1)
    play_seat(house, match_id, 1, 10**6)
    assert mark_of(house, match_id, 1) == last, "a page cannot have shown what had not happened"


def test_no_other_viewer_learns_which_entries_a_seat_has_seen(house: House, match_id: str) -> None:
    sheets = {who: match_views.read_sheet(house.site, match_id, who) for who in (0, 2, None)}
    presence.mark_entries_seen(house.site, house.claim("play", match_id, 1), 1)
    assert {who: match_views.read_sheet(house.site, match_id, who) for who in (0, 2, None)} == sheets
    assert (mark_of(house, match_id, 1), mark_of(house, match_id, None)) == (1, None)


@pytest.mark.long
def test_sending_a_turn_mail_does_not_mark_its_news_as_seen(house: House, match_id: str) -> None:
    house.drain()
    assert mark_of(house, match_id, 1) == 0


# --- the lines that a page pages through -------------------------------------------------------------------------


def read_up_to(house: House, match_id: str, seat: int, n: int) -> match_views.WholeView:
    presence.mark_entries_seen(house.site, house.claim("play", match_id, seat), n)
    return house.view(match_id, seat)


def unread_of(view: match_views.View) -> list[int]:
    """Returns the numbers of the entries of the unread lines."""
    news = view.news("en")
    return [] if news.unread is None else [line.n for line in news.lines[news.unread :]]


def test_a_player_without_moves_or_seen_entries_pages_the_whole_story(house: House, match_id: str) -> None:
    submit_first(house, match_id, 0)
    view = house.view(match_id, 1)
    assert view.news("en") == match_views.News(tuple(view.story("en", 0)), 0)


def test_paging_to_a_line_marks_the_lines_up_to_it_as_read(house: House, match_id: str) -> None:
    submit_first(house, match_id, 0)
    told = [line.n for line in house.view(match_id, 1).story("en", 0)]
    assert len(told) > 1
    for at, n in enumerate(told, 1):
        view = read_up_to(house, match_id, 1, n)
        assert unread_of(view) == told[at:]
        assert [line.n for _, line in view.recap("en")] == told[at:], "the mails begin there, too"
    assert [line.n for line in view.news("en").lines] == told, "what was read can be paged back to"


def test_once_all_is_read_the_news_begin_with_the_readers_last_move(house: House, match_id: str) -> None:
    for seat in range(3):
        play_seat(house, match_id, seat)
    view = house.view(match_id, 1)
    own = next(entry.n for entry in view.entries if entry.by.seat == 1)
    view = read_up_to(house, match_id, 1, view.sheet.version)
    assert [line.n for line in view.news("en").lines] == [line.n for line in view.story("en", 0) if line.n >= own]
    assert (view.news("en").unread, view.recap("en")) == (None, [])


def test_with_unread_lines_the_news_begin_before_the_readers_last_move(house: House, match_id: str) -> None:
    play_seat(house, match_id, 0)
    play_seat(house, match_id, 1, version=1)
    view = house.view(match_id, 1)
    news = view.news("en")
    own = next(entry.n for entry in view.entries if entry.by.seat == 1)
    assert news.lines == tuple(view.story("en", after=1))
    assert news.unread == 0
    assert news.lines[0].n < own


def test_entries_after_a_players_move_are_unread_but_not_the_move(house: House, match_id: str) -> None:
    for seat in range(3):
        play_seat(house, match_id, seat, house.view(match_id, seat).sheet.version)
    asked = house.asks(match_id)[0].seat
    play_seat(house, match_id, asked, house.view(match_id, asked).sheet.version)
    view = house.view(match_id, asked)
    decided = [line for line in view.news("en").lines if line.n > (view.sheet.seen or 0)]
    assert decided[0].n not in unread_of(view)
    assert unread_of(view) == [line.n for line in decided[1:]]


def test_a_players_move_that_revealed_hidden_cards_is_unread_news_to_them(house: House) -> None:
    match_id = house.begin(game="hagakure")
    (ask,) = house.asks(match_id)
    view = house.view(match_id, ask.seat)
    target = "ABC"[(ask.seat + 1) % 3]
    moves.play_answer(
        house.site, house.claim("play", match_id, ask.seat), ask.key, f"look {target}", "web", seen=view.sheet.version
    )
    news = house.view(match_id, ask.seat).news("en")
    assert news.unread is not None
    assert news.lines[news.unread].card is not None
    assert news.lines[news.unread].n == view.sheet.version + 1


def test_spectators_get_the_whole_story_as_news_without_a_read_mark(house: House, match_id: str) -> None:
    play_seat(house, match_id, 0)
    view = house.view(match_id, None)
    assert view.news("en") == match_views.News(tuple(view.story("en", 0)), None)
