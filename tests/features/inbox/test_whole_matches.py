"""Whole matches by replies alone: what is typed stands in the mails."""

from __future__ import annotations

from random import Random

import pytest

from pbem.games import all_games
from tests.features.inbox.replying import inbox_rows, reply_to_question
from tests.features.inbox.whole_matches import choose_reply
from tests.table import CAST, House, address_of

pytestmark = pytest.mark.usefixtures("undrawn_boards")


def play_by_mail(house: House, match_id: str, luck: Random, most: int) -> int:
    """Answers each question by a reply to the newest mail that asks it; returns the number of replies."""
    for count in range(most):
        house.drain()
        asked = house.asks(match_id)
        if not asked:
            return count
        seat = asked[0].seat
        row = reply_to_question(house, match_id, seat, choose_reply(house, match_id, seat, luck))
        assert row.verdict == "acted", (asked[0].kind, row.detail, row.lines, row.raw)
    return most


@pytest.mark.long
def test_a_match_of_hogen_is_played_to_its_end_by_replies_alone(house: House) -> None:
    match_id = house.begin(game="hogen")
    replies = play_by_mail(house, match_id, Random(1), 12)
    while asked := house.asks(match_id):  # wrong declarations end it soon
        view = house.view(match_id, asked[0].seat)
        house.drain()
        assert reply_to_question(house, match_id, asked[0].seat, view.game.format(view.legal()[-1])).verdict == "acted"
        replies += 1
    view = house.view(match_id, None)
    assert view.sheet.status == "over"
    moves = [one for one in view.entries if one.by.seat is not None]
    assert {one.by.via for one in moves} == {"mail"}
    assert len(inbox_rows(house)) == replies
    house.drain()
    for name in CAST[:3]:
        assert str(house.mail.to(address_of(name))[-1]["Message-ID"]).startswith("<over-")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize(
    "slug",
    [
        pytest.param(slug, marks=() if slug in ("hagakure", "niigata") else pytest.mark.long)
        for slug in sorted(all_games())
    ],
)
def test_a_match_of_each_game_is_played_to_its_end_by_replies_alone(house: House, slug: str) -> None:
    match_id = house.begin(game=slug)
    replies = play_by_mail(house, match_id, Random(5), 1500)
    view = house.view(match_id, None)
    assert view.sheet.status == "over", f"{replies} replies"
    assert {one.by.via for one in view.entries if one.by.seat is not None} == {"mail"}
