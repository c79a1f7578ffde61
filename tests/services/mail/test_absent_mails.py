"""The mail to a player who has become absent: it says who moves for them."""

import pytest

from pbem.services.play import stand_ins
from tests.services.letterbox import newest_mail, text_of
from tests.services.play.stage.presence import miss_turns
from tests.table import House, claim_of


@pytest.mark.long
@pytest.mark.parametrize(
    ("bot", "said"),
    [
        ("", "a move is now played for you at once"),
        ("easy", "the bot that you have chosen now plays for you whenever it is your turn: Easy"),
    ],
)
def test_the_mail_about_an_absent_player_names_the_bot_or_the_clock(house: House, bot: str, said: str) -> None:
    match_id = house.begin()
    stand_ins.choose_stand_in(house.site, claim_of(house.site, match_id, 1), bot)
    miss_turns(house, match_id, 1)
    house.drain()
    assert said in " ".join(text_of(newest_mail(house, "Bob")).split())
