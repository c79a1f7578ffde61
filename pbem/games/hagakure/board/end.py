"""The picture of a match that is over: a sixth banner, as red as none in the match, bears the winner's points."""

from pbem.kit.contract import Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import sky, symbol

_NOBORI = ("double", "zero", "villagers", "swap", "look")
_HILL = '<path class="sm" d="M0,118 C90,96 170,128 260,110 C350,92 430,120 520,108 C600,98 660,112 720,104 V150 H0 Z"/>'
_BANNER = (
    '<path class="li" d="M538,4 V150 M530,12 H682" stroke-width="6" stroke-linecap="round"/>'
    '<path class="se" d="M546,15 H676 V124 C660,118 648,130 632,124 '
    'C616,118 604,130 588,124 C572,118 560,128 546,124 Z"/>'
)


def draw(outcome: Outcome | None) -> str:
    """Draws a samurai before the banners of the match, and the red one; without a winner a fool, and no red one."""
    won = outcome is not None and bool(outcome.winners)
    banners = "".join(
        symbol(f"nobori-{name if won else 'used'}", 14 + 82 * at, 10 + 12 * (at % 2), 64, 107, "c1")
        for at, name in enumerate(_NOBORI)
    )
    head, colour = ("samurai", "c1") if won else ("fool", "c2")
    medal = (
        '<circle class="pa" cx="462" cy="86" r="56"/>'
        f'<circle class="cl {colour}" cx="462" cy="86" r="50" stroke-width="4"/>'
    )
    return ends.band(
        sky("sk", 0, 0, ends.WIDTH, ends.HEIGHT, "dusk")
        + banners
        + _HILL
        + (_BANNER + ends.award(outcome, 611, 66, 58) if won else "")
        + medal
        + symbol(head, 418, 42, 88, 88, colour),
        outcome,
    )
