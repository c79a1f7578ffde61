"""The mails of a match that is over because others resigned: they do not say whose turn it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pbem.kit.contract import AnyGame
from pbem.kit.texts import LANGS
from pbem.models.tables import Match
from pbem.render.phrases import phrase_text
from pbem.services.log import store
from pbem.services.play import presence
from tests.games.discovered import GAMES
from tests.services.letterbox import kinds_of_mails, newest_mail, text_of
from tests.table import THREE, House, claim_of


def board_in_words(game: AnyGame, state: Any, viewer: int, names: Sequence[str], *, over: bool) -> set[str]:
    """The board in words as each language has it, without what a mail may break or space otherwise."""
    said = (phrase_text(line, names) for lang in LANGS for line in game.describe(state, viewer, lang, over=over))
    return {" ".join(line.split()) for line in said}


@pytest.mark.long
@pytest.mark.parametrize("moves", [0, 1, 4])
@GAMES
def test_the_last_mail_of_a_match_that_others_left_asks_nothing_of_anybody(
    house: House, game: AnyGame, moves: int
) -> None:
    match_id = house.begin(3, game.meta.slug)
    for n in range(moves):
        house.bot_plays(match_id, house.asks(match_id)[0].seat, n)
    house.drain()
    house.mail.clear()
    for seat in (0, 2):
        presence.resign(house.site, claim_of(house.site, match_id, seat))
    house.drain()
    with house.site.reading() as session:
        state = store.Table(session, session.get_one(Match, match_id)).state
    for seat, name in enumerate(THREE):
        assert kinds_of_mails(house, name) == ["over"]
        body = " ".join(text_of(newest_mail(house, name)).split())
        told, asking = (board_in_words(game, state, seat, THREE, over=over) for over in (True, False))
        assert sum(line in body for line in told) * 2 >= len(told), "one of the two languages"
        assert asking - told
        assert [line for line in asking - told if line in body] == []
