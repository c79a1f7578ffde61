"""The pieces of a drawn Hagakure board: texts, cards, banners, marks. Strings with classes of the look."""

from html import escape

from pbem.games.hagakure.facts import BONUS, FOOL, is_warrior, name_of
from pbem.kit.contract import Lang, Link

FOOLS: dict[Lang, str] = {"fr": "Fou", "en": "Fool"}


def number(value: float) -> str:
    """A coordinate as short as it can be written.

    >>> number(12.0), number(101.60000000000001)
    ('12', '101.6')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def attribute(value: str) -> str:
    """A foreign text as the value of an attribute; its braces must not be taken for somebody's name.

    >>> attribute('"{0}" & <you>')
    '&quot;&#123;0&#125;&quot; &amp; &lt;you&gt;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


def text(classes: str, x: float, y: float, words: str, size: float = 14) -> str:
    """A line of text; `words` may hold places for names."""
    return (
        f'<text class="{classes}" x="{number(x)}" y="{number(y)}" font-size="{number(size)}">'
        f"{escape(words, quote=False)}</text>"
    )


def box(classes: str, x: float, y: float, width: float, height: float, round_: float, more: str = "") -> str:
    """A rectangle with round corners."""
    return (
        f'<rect class="{classes}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(round_)}"{more}/>'
    )


def symbol(name: str, x: float, y: float, width: float, height: float, colour: str = "") -> str:
    """A symbol by its name."""
    classes = f' class="{colour}"' if colour else ""
    return (
        f'<use href="#{name}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}"{classes}/>'
    )


def seat_mark(seat: int, x: float, y: float, size: float = 22) -> str:
    """The seat's shape with its player's initial."""
    mark = symbol(f"seat-{seat + 1}", x, y, size, size, f"c{seat + 1}")
    return mark + text("om b m", x + size / 2, y + size * 0.72, f"{{i{seat}}}", size * 0.62)


def pill(x: float, y: float, width: float, height: float = 26) -> str:
    """The rounded frame around the name of whoever is to act."""
    return box("pa", x, y, width, height, height / 2) + box("li", x, y, width, height, height / 2, ' stroke-width="2"')


def spot(story: int, x: float, y: float, size: float, fresh: bool) -> str:
    """The ink spot with the number of its line in the story."""
    height = size * (0.65 if story < 10 else 0.52 if story < 100 else 0.4)
    middle = size / 2
    drawn = symbol("spot", x, y, size, size) + text(
        "pa b m", x + middle, y + middle + height * 0.34, str(story), height
    )
    return f'<g class="fresh">{drawn}</g>' if fresh else drawn


def seal(x: float, y: float, size: float = 28) -> str:
    """The vermilion tick on what was chosen."""
    return symbol("seal", x, y, size, size)


def wash(x: float, y: float, width: float, height: float, margin: float = 4) -> str:
    """The gold behind what has just happened."""
    at = (x - margin, y - margin, width + 2 * margin, height + 2 * margin, margin + 2)
    return box("go", *at) + box("gl", *at, ' stroke-width="1.5" stroke-dasharray="5 3"')


def touchable(drawn: str, link: Link | None, frame: str) -> str:
    """What is drawn as a link on its frame; flat where there is none."""
    if link is None:
        return drawn
    return f'<a href="{attribute(link.href)}" aria-label="{attribute(link.label)}">{frame}{drawn}</a>'


# --- cards -------------------------------------------------------------------------------------------------


def _kind(card: int) -> tuple[str, str, str]:
    """The card's frame, its figure and its colour."""
    if card == FOOL:
        return "gcard-f", "fool", "c2"
    return ("gcard-s", "samurai", "c1") if is_warrior(card) else ("gcard-v", "villager", "c4")


def face(card: int, x: float, y: float, scale: float, lang: Lang) -> str:
    """A card with its number and figure; 18 bears the seal of its extra point."""
    frame, figure, colour = _kind(card)
    ink = "om b m" if is_warrior(card) else "in b m"
    title = text(ink, 50, 43, FOOLS[lang], 34) if card == FOOL else text(ink, 50, 44, str(card), 42)
    bonus = symbol("seal18", 66, 104, 30, 30) + text("os b m", 81, 125, "+1", 18) if card == BONUS else ""
    return (
        f'<g data-piece="{name_of(card)}" transform="translate({number(x)},{number(y)}) scale({number(scale)})">'
        f"{symbol(frame, 0, 0, 100, 140, colour)}{title}{symbol(figure, 18, 58, 64, 64, colour)}{bonus}</g>"
    )


def back(x: float, y: float, width: float) -> str:
    """A card that is not known."""
    return symbol("back", x, y, width, width * 1.4)


def chip(card: int | None, x: float, y: float, width: float) -> str:
    """A card in little: its kind by the head, its number below."""
    if card is None:
        return back(x, y, width)
    frame, _, colour = _kind(card)
    words = "F" if card == FOOL else str(card)
    return (
        f'<g data-piece="{name_of(card)}">{symbol(frame, x, y, width, width * 1.4, colour)}'
        f"{text('in b m', x + width / 2, y + width * 1.17, words, width * 0.62)}</g>"
    )


def hand(cards: tuple[int | None, ...], x: float, y: float, width: float) -> str:
    """Somebody's cards in a row within this width: known ones side by side, unknown ones over each other, counted."""
    if not cards:
        return ""
    if None in cards:
        step = _pitch(len(cards))
        last = x + step * (len(cards) - 1)
        disc = f'<circle class="pa ol" cx="{number(last + 22)}" cy="{number(y + 33)}" r="9" stroke-width="1.5"/>'
        backs = "".join(back(x + step * i, y, 26) for i in range(len(cards)))
        return backs + disc + text("in b m", last + 22, y + 38, str(len(cards)))
    ordered = sorted(card for card in cards if card is not None)
    pitch = min(20, (width - 20) / max(1, len(cards) - 1))
    return "".join(chip(card, x + pitch * i, y + 4, 20) for i, card in enumerate(ordered))


def _pitch(count: int) -> int:
    """How far apart cards lie over each other."""
    return 13 if count < 5 else 11


def hand_width(cards: tuple[int | None, ...], width: float) -> float:
    """How wide `hand` draws them."""
    if None in cards:
        return _pitch(len(cards)) * (len(cards) - 1) + 31
    return min(20 * len(cards), width) if cards else 0


def bare(x: float, y: float) -> str:
    """The sign of somebody who has shown that he holds no samurai: one that is struck out."""
    struck = f'<path class="li" d="M{number(x)},{number(y + 19)} L{number(x + 19)},{number(y)}" stroke-width="2.4"/>'
    return symbol("samurai", x, y, 19, 19, "c1") + struck


def slot(classes: str, x: float, y: float, scale: float, *lines: str) -> str:
    """The dashed place of a card that is not there, with words in it."""
    width, height = 100 * scale, 140 * scale
    dashes = ' stroke-width="2" stroke-dasharray="6 4"'
    first = y + height / 2 + 5 - 8.5 * (len(lines) - 1)
    words = (text("i2 m", x + width / 2, first + 17 * i, line) for i, line in enumerate(lines))
    return box(classes, x + 1, y + 1, width - 2, height - 2, 7, dashes) + "".join(words)


def banner(nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """A Nobori, or the pole of one that was used."""
    return symbol(f"nobori-{nobori}", x, y, width, width / 0.6, colour)


def owned(seat: int, nobori: str, x: float, y: float, width: float, colour: str) -> str:
    """The one banner of its kind that a seat has, left or raised."""
    return f'<g data-token="nobori-{seat}-{nobori}">{banner(nobori, x, y, width, colour)}</g>'
