"""Hints of first matches belong to the page: no mail has one."""

from __future__ import annotations

import pytest

from pbem.games import find_game
from tests.table import House


@pytest.mark.long
def test_no_mail_contains_a_question_hint(house: House) -> None:
    house.begin(3, "hogen")
    house.drain()
    game = find_game("hogen")
    assert game
    hints = {text for ask in game.meta.asks.values() if ask.hint for text in (ask.hint.fr[:30], ask.hint.en[:30])}
    parts = [part for _, mail in house.mail.all_sent for part in mail.walk()]
    read = [part.get_content() for part in parts if part.get_content_maintype() == "text"]
    assert len(read) > 5
    assert [text for text in read for hint in hints if hint in " ".join(text.split())] == []
