"""A mail in text draws the map on which a tile is laid, in signs that every mail program has."""

from __future__ import annotations

import pytest

from pbem.services.mail.kinds.turn import Answer, Answers
from tests.services.letterbox import newest, text_of
from tests.table import House


def test_a_map_is_drawn_in_lines_of_equally_wide_fields() -> None:
    free, taken, none = Answer("+", "At 1E", "https://pbem.example"), Answer("■"), Answer("")
    closing = Answer("●", "At 1S", "https://pbem.example")
    places = ((none, Answer("0"), Answer("1E")), (Answer("0"), taken, free), (Answer("1S"), closing, none))
    answers = Answers("Lay…", (), "■ a tile, ● closes.", places)
    assert answers.places_in_signs == ("    0 1E", " 0  #  +", "1S  *  .")
    assert answers.note_in_signs == "# a tile, * closes."
    assert Answers("Lay…", ()).places_in_signs == ()


@pytest.mark.long
def test_a_turn_mail_of_a_game_with_a_map_shows_it_above_the_links(house: House) -> None:
    match_id = house.begin(2, "niigata")
    while (ask := house.asks(match_id)[0]).kind != "place":
        house.play(match_id, ask.seat)
    house.drain()
    text = text_of(newest(house, ("Alice", "Bob")[ask.seat]))
    drawn = [line for line in text.splitlines() if {*line} & {"#", "+"} and not {*line} - {*"#+*. 0123456789NSEWO"}]
    assert any("#" in line for line in drawn)
    assert sum(line.count("+") + line.count("*") for line in drawn) == text.count("at-"), "a sign for each link"
    assert "■" not in text
