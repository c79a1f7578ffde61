"""What the page of Les bassins de Niigata says to somebody who does not know it: who made it, and how long it takes."""

from pbem.games.niigata.intro_turn import TURN
from pbem.kit.contract import Intro, Length

INTRO = Intro(
    designer="ZeBlate",
    turn=TURN,
    lengths=(
        Length(seats=2, turns=48, days=25),
        Length(seats=3, turns=34, days=27),
        Length(seats=4, turns=26, days=33),
        Length(seats=5, turns=22, days=35),
        Length(seats=6, turns=19, days=37),
    ),
)
