"""What the page of Hogen says to somebody who does not know it: who made it, and how long it takes."""

from pbem.games.hogen.intro_turn import TURN
from pbem.kit.contract import Intro, Length

INTRO = Intro(
    designer="Jean-Denis Oste",
    year=2013,
    turn=TURN,
    lengths=(
        Length(seats=3, turns=7, days=5),
        Length(seats=4, turns=6, days=6),
    ),
)
