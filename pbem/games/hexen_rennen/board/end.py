"""The picture of a match that is over: the winner's witch flies before the moon, which bears the points."""

from collections.abc import Sequence

from pbem.games.hexen_rennen.board.tiles import draw_clan_sign
from pbem.games.hexen_rennen.facts_race import COLOURS
from pbem.kit.contract import Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import sky, symbol

_STARS = ((262, 26), (330, 48), (392, 20), (446, 66), (56, 30), (120, 56), (204, 22), (700, 24))
_TILES = ((0, 96), (1, 148), (None, 200), (2, 252), (None, 304), (3, 356), (None, 44), (None, 408))
_FLIGHT = ((456, 20, 2.3, -6), (380, 4, 1.4, -8), (312, 22, 1.2, -8), (250, 6, 1, -8))
"""Where each winner's witch flies, how large, and how much she leans."""


def draw(outcome: Outcome | None, clans: Sequence[int | None] = range(len(COLOURS))) -> str:
    """Draws the night over the course, and a witch of each winner: none flies if nobody has won.

    `clans` as in the state.
    """
    stars = "".join(f'<circle class="nt" cx="{x}" cy="{y}" r="2.2"/>' for x, y in _STARS)
    tiles = "".join(_draw_tile_or_back(clan, x) for clan, x in _TILES)
    winners = [clan for seat in (outcome.winners if outcome else ()) if (clan := clans[seat]) is not None]
    witches = "".join(
        ends.tilt(symbol("witch", 0, 0, 48, 56, COLOURS[clan]), *place)
        for clan, place in zip(winners, _FLIGHT, strict=False)
    )
    return ends.band(
        sky("ng", 0, 0, ends.WIDTH, ends.HEIGHT, "dusk")
        + stars
        + '<path class="pt" d="M-10,126 H430" stroke-width="34"/>'
        + tiles
        + '<circle class="fh" cx="606" cy="76" r="68"/>'
        + ends.award(outcome, 612, 76, 56, "sx")
        + witches,
        outcome,
        night=True,
    )


def _draw_tile_or_back(clan: int | None, x: float) -> str:
    if clan is None:
        return symbol("hx-back", x, 104, 44, 44)
    return symbol("hx-tile", x, 104, 44, 44, COLOURS[clan]) + draw_clan_sign(clan, x + 7, 111, 30)
