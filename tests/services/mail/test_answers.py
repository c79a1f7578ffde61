"""The answers to a question in its mail; a text draws the map on which a tile is laid in signs that all have."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.services.mail.kinds.turn import Answer, Answers, answers_for_mail
from tests.services.letterbox import newest_mail, text_of
from tests.table import House


def test_a_map_is_drawn_in_lines_of_equally_wide_fields() -> None:
    free, taken, none = Answer("+", "At 1E", "https://pbem.example"), Answer("■"), Answer("")
    closing = Answer("●", "At 1S", "https://pbem.example")
    places = ((none, Answer("0"), Answer("1E")), (Answer("0"), taken, free), (Answer("1S"), closing, none))
    told = Answers("Lay…", (), "■ a tile, ● closes.", places)
    assert told.map_lines_in_plain_signs == ("    0 1E", " 0  #  +", "1S  *  .")
    assert told.note_in_plain_signs == "# a tile, * closes."
    assert Answers("Lay…", ()).map_lines_in_plain_signs == ()


@pytest.mark.long
def test_a_turn_mail_of_a_game_with_a_map_shows_it_above_the_links(house: House) -> None:
    match_id = house.begin(2, "niigata")
    while (ask := house.asks(match_id)[0]).kind != "place":
        house.play(match_id, ask.seat)
    house.drain()
    text = text_of(newest_mail(house, ("Alice", "Bob")[ask.seat]))
    drawn = [line for line in text.splitlines() if {*line} & {"#", "+"} and not {*line} - {*"#+*. 0123456789NSEWO"}]
    assert any("#" in line for line in drawn)
    assert sum(line.count("+") + line.count("*") for line in drawn) == text.count("at-"), "a sign for each link"
    assert "■" not in text


class Counting:
    """A game that counts how often it is asked for the path of a move."""

    def __init__(self, game: Any) -> None:
        self._game, self.paths = game, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def path(self, *asked: Any) -> Any:
        self.paths += 1
        return self._game.path(*asked)


def test_a_mails_links_are_found_without_looking_at_every_legal_answer(house: House) -> None:
    match_id = house.begin(3)
    while len(house.view(match_id, house.asks(match_id)[0].seat).legal()) < 40:
        house.play(match_id, house.asks(match_id)[0].seat)
    view = house.view(match_id, house.asks(match_id)[0].seat)
    counting = vars(view)["game"] = Counting(view.game)
    links = answers_for_mail(view, "en", "").links
    assert [field.label for field in links if field.several] == ["Declare"]
    assert all(field.typed for field in links)
    assert len(links) <= counting.paths <= len(links) + 1 < len(view.legal())
