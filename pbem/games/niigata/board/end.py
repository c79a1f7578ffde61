"""The picture of a match that is over: the largest carp of the pond bears the points, and a heron looks on."""

from pbem.kit.contract import Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import symbol

_POND = (
    '<rect class="gr" width="720" height="150"/>'
    '<path class="wt sh" d="M-20,92 C60,64 120,92 190,60 C280,18 420,34 500,8 C580,-16 680,2 740,-10 V132 '
    'C660,128 620,150 540,142 C440,132 400,164 300,150 C200,138 100,170 -20,140 Z"/>'
    '<path class="n sh" opacity=".6" d="M250,74 C286,64 316,64 350,74 M420,128 C450,120 474,122 500,130 '
    'M60,122 C84,114 104,116 128,124"/>'
)


def draw(outcome: Outcome | None) -> str:
    """Draws the pond, with the winners' breeders on its bank; without a winner the heron has eaten all carp."""
    won = outcome is not None and bool(outcome.winners)
    wader = symbol("wader", 268, 8, 82, 123)
    if outcome is None or not won:
        return ends.band(_POND + wader, outcome)
    breeders = "".join(
        symbol("breeder", 186 - 46 * at, 4 + 10 * at, 54, 65, f"c{seat + 1}") for at, seat in enumerate(outcome.winners)
    )
    carp = (
        ends.tilt(symbol("carp-y", 0, 0, 40, 24), 24, 104, 2.2, -12)
        + ends.tilt(symbol("carp-w", 0, 0, 40, 24), 366, 60, 2.8, 14)
        + ends.tilt(symbol("carp-r", 0, 0, 40, 24), 488, 8, 5.6)
    )
    return ends.band(_POND + breeders + wader + carp + ends.award(outcome, 600, 75, 50), outcome)
