"""What the owner of a seat has seen: it stays on their page and in their mails until then, over devices."""

from __future__ import annotations

import pytest

from pbem.errors import Invalid
from pbem.services.play import moves, presence
from pbem.services.views import match_views
from tests.table import House, submit


@pytest.fixture
def match_id(house: House) -> str:
    return house.begin()


def mark_of(house: House, match_id: str, seat: int | None) -> int | None:
    return match_views.read_sheet(house.site, match_id, seat).seen


def play(house: House, match_id: str, seat: int, version: int | None = None, via: str = "web") -> None:
    view = house.view(match_id, seat)
    assert view.ask is not None
    moves.answer(
        house.site,
        house.claim("play", match_id, seat),
        view.ask.key,
        view.game.format(view.legal()[0]),
        via,
        seen=version,
    )


def test_what_an_own_move_has_caused_stays_until_it_is_marked(house: House, match_id: str) -> None:
    before = house.view(match_id, 1).sheet.version
    play(house, match_id, 1, before)
    after = house.view(match_id, 1)
    assert [line.n for line in after.recap("en")] == [line.n for line in after.story("en", before)]
    assert mark_of(house, match_id, 1) == before
    presence.mark_seen(house.site, house.claim("play", match_id, 1), after.sheet.version)
    assert house.view(match_id, 1).recap("en") == []


def test_an_answer_marks_what_its_page_showed_and_not_what_came_later(house: House, match_id: str) -> None:
    drawn = house.view(match_id, 1).sheet.version
    submit(house.site, match_id, 0, house.view(match_id, 0).ask.key, house.view(match_id, 0).legal()[0], "web")  # type: ignore[union-attr]
    play(house, match_id, 1, drawn)
    assert mark_of(house, match_id, 1) == drawn
    assert house.view(match_id, 1).recap("en")[0].n == drawn + 1 if house.view(match_id, 1).recap("en") else True


def test_it_only_grows_and_never_past_the_log(house: House, match_id: str) -> None:
    claim, last = house.claim("play", match_id, 1), house.view(match_id, 1).sheet.version
    assert presence.mark_seen(house.site, claim, last) == last
    assert presence.mark_seen(house.site, claim, last - 1) == last
    with pytest.raises(Invalid):
        presence.mark_seen(house.site, claim, last + 1)
    play(house, match_id, 1, 10**6)
    assert mark_of(house, match_id, 1) == last, "a page cannot have shown what had not happened"


def test_nobody_else_learns_of_it(house: House, match_id: str) -> None:
    sheets = {who: match_views.read_sheet(house.site, match_id, who) for who in (0, 2, None)}
    presence.mark_seen(house.site, house.claim("play", match_id, 1), 1)
    assert {who: match_views.read_sheet(house.site, match_id, who) for who in (0, 2, None)} == sheets
    assert (mark_of(house, match_id, 1), mark_of(house, match_id, None)) == (1, None)


@pytest.mark.long
def test_a_sent_mail_is_not_seen(house: House, match_id: str) -> None:
    house.drain()
    assert mark_of(house, match_id, 1) == 0
