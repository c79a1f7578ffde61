"""What the page of Hagakure says to somebody who does not know it: who made it, and how long it takes."""

from pbem.games.hagakure.intro_turn import TURN
from pbem.kit.contract import Intro, Length

INTRO = Intro(
    designer="Frank Crittin, Grégoire Largey",
    year=2019,
    turn=TURN,
    lengths=(
        Length(seats=3, turns=45, days=46),
        Length(seats=4, turns=32, days=60),
        Length(seats=5, turns=25, days=52),
    ),
)
