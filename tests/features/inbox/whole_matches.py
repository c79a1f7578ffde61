"""What a seat types: a box of its mail, or a move as the rules teach it."""

from __future__ import annotations

import re
from email.message import EmailMessage
from html import unescape
from random import Random

from pbem.features.inbox.answers import short_answers_of_view
from tests.table import CAST, House, address_of

_BOX = re.compile(r'<a class="lnk" href="[^"]*\?ask=[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")


def texts_of_boxes(message: EmailMessage) -> list[str]:
    """What stands in the boxes of a mail's choices: what each is called, and below it what can be typed."""
    html = message.get_body(("html",))
    assert html is not None
    lines = (line for box in _BOX.findall(html.get_content()) for line in unescape(_TAGS.sub("\n", box)).splitlines())
    return [line.strip() for line in lines if line.strip()]


def choose_reply(house: House, match_id: str, seat: int, luck: Random) -> str:
    """What the seat types: a box of its mail that is an answer by itself, else the notation that the rules teach."""
    view = house.view(match_id, seat)
    answers = short_answers_of_view(view)
    assert answers is not None
    legal = view.legal()  # a box that is the first of several steps may be readable, and no move by itself
    shown = [
        box for box in texts_of_boxes(house.mail.to(address_of(CAST[seat]))[-1]) if answers.move_named(box) in legal
    ]
    if shown and luck.random() < 0.8:
        return luck.choice(shown)
    return str(view.game.format(luck.choice(legal)))
