"""What the page of Hexen Rennen says to somebody who does not know it: who made it, and how long it takes."""

from pbem.games.hexen_rennen.intro_turn import TURN
from pbem.kit.contract import Intro, Length

INTRO = Intro(
    designer="Wolfgang Panning",
    year=2001,
    turn=TURN,
    lengths=(
        Length(seats=2, turns=28, days=20),
        Length(seats=3, turns=28, days=29),
        Length(seats=4, turns=28, days=44),
    ),
)
