"""What the page of Hogen: Allégeance says to somebody who does not know it: who made it, and how long it takes."""

from pbem.games.allegeance.intro_turn import TURN
from pbem.kit.contract import Intro, Length

INTRO = Intro(
    designer="Jean-Denis Oste",
    turn=TURN,
    lengths=(
        Length(seats=2, turns=98, days=52),
        Length(seats=3, turns=87, days=85),
        Length(seats=4, turns=56, days=66),
    ),
)
