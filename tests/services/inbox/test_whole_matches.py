"""Whole matches by replies alone: what is typed stands in the mails."""

from __future__ import annotations

import re
from email.message import EmailMessage
from html import unescape
from random import Random

import pytest

from pbem.games import all_games
from pbem.services.views.short_answers import short_answers
from tests.services.inbox.replying import reply, rows
from tests.table import CAST, House, address_of

pytestmark = pytest.mark.usefixtures("undrawn_boards")

_BOX = re.compile(r'<a class="lnk" href="[^"]*\?ask=[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


def boxes(message: EmailMessage) -> list[str]:
    """What stands in the boxes of a mail's choices: what each is called, and below it what can be typed."""
    html = message.get_body(("html",))
    assert html is not None
    lines = (line for box in _BOX.findall(html.get_content()) for line in unescape(_TAGS.sub("\n", box)).splitlines())
    return [line.strip() for line in lines if line.strip()]


def play_by_mail(house: House, match_id: str, luck: Random, most: int) -> int:
    """Answers each question by a reply to the newest mail that asks it; returns the number of replies."""
    for count in range(most):
        house.drain()
        asked = house.asked(match_id)
        if not asked:
            return count
        seat = asked[0].seat
        row = reply(house, match_id, seat, choose(house, match_id, seat, luck))
        assert row.verdict == "acted", (asked[0].kind, row.detail, row.lines, row.raw)
    return most


def choose(house: House, match_id: str, seat: int, luck: Random) -> str:
    """What the seat types: a box of its mail that is an answer by itself, else the notation that the rules teach."""
    view = house.view(match_id, seat)
    answers = short_answers(view)
    assert answers is not None
    legal = view.legal()  # a box that is the first of several steps may be readable, and no move by itself
    shown = [box for box in boxes(house.mail.to(address_of(CAST[seat]))[-1]) if answers.move(box) in legal]
    if shown and luck.random() < 0.8:
        return luck.choice(shown)
    return str(view.game.format(luck.choice(legal)))


@pytest.mark.long
def test_a_match_of_hogen_is_played_to_its_end_by_replies_alone(house: House) -> None:
    match_id = house.begin(game="hogen")
    replies = play_by_mail(house, match_id, Random(1), 12)
    while asked := house.asked(match_id):  # wrong declarations end it soon
        view = house.view(match_id, asked[0].seat)
        house.drain()
        assert reply(house, match_id, asked[0].seat, view.game.format(view.legal()[-1])).verdict == "acted"
        replies += 1
    view = house.view(match_id, None)
    assert view.sheet.status == "over"
    moves = [one for one in view.entries if one.by.seat is not None]
    assert {one.by.via for one in moves} == {"mail"}
    assert len(rows(house)) == replies
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
