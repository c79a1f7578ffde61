"""The picture beside a link that somebody shares: words on the left, boards on the right, 1200 x 630 pixels.

The words are large, because most programs show the picture at a quarter of its size. The boards are given as whole
documents, each with the symbols of its own game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import escape

from pbem.kit.contract import AnyGame
from pbem.kit.drawing.svg import number, symbol
from pbem.render import badges, pictures

WIDTH, HEIGHT = 1200, 630
KEPT = 32
"""How many pictures a process keeps: a link that is shared is looked at by several programs within seconds."""

_SLICE = "xMidYMid slice"
"""Fills its place, and is cut at two sides; the document of a cover says that it bears this."""
_LEFT, _RIGHT, _MIDDLE = 48, 540, 560
_TOP, _BOTTOM = 14, 592
_EM = {400: 0.57, 700: 0.6}
"""About how wide an ordinary letter is by its weight, in units of the font size."""


@dataclass(frozen=True)
class Player:
    """A line of the list of players; `value` stands at its end."""

    seat: int
    name: str
    value: str = ""


@dataclass(frozen=True)
class SharePicture:
    """What the picture shows: one board, or up to four beside one another."""

    over_title: str
    title: str
    sentence: str
    players: tuple[Player, ...]
    foot: str
    boards: tuple[str, ...]
    game: AnyGame | None = None
    """The game whose seats the players have; None: no players are shown."""


def svg_document(picture: SharePicture) -> str:
    """Returns the picture as a whole SVG document in light colours."""
    above, y = _draw_above_players(picture)
    # Without room for both, the players go before the last line.
    foot = pictures.wrap_text(picture.foot, _number_of_letters_that_fit(26, 400), 2)
    foot_top = _BOTTOM - 34 * len(foot)
    fits = foot_top - y >= 36 * len(picture.players)
    below = [_text_line("i2", _LEFT, foot_top + 34 * n, words, 26) for n, words in enumerate(foot, 1)] if fits else []
    players = _draw_players(picture.game, picture.players, y, (foot_top if fits else _BOTTOM) - 10)
    inside = "".join((
        f'<rect class="pa" width="{WIDTH}" height="{HEIGHT}"/>',
        *above, *players, *below,
        f'<rect class="sk" x="{_MIDDLE}" width="{WIDTH - _MIDDLE}" height="{HEIGHT}"/>',
        *_draw_boards(picture.boards),
        f'<rect class="in" x="{_MIDDLE}" width="4" height="{HEIGHT}"/>',
        f'<rect class="se" width="{WIDTH}" height="{_TOP}"/>',
    ))  # fmt: skip
    defined = pictures.definitions_of_used_symbols(picture.game, (inside,))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="Literata">'
        f"<style>{pictures.literal_styles()}</style><defs>{defined}</defs>{inside}</svg>"
    )


@lru_cache(KEPT)
def svg_to_png(svg: str) -> bytes:
    """Returns the document as a PNG."""
    return pictures.document_png(svg, WIDTH)


def _draw_above_players(picture: SharePicture) -> tuple[list[str], float]:
    """Draws everything above the players; returns it and where it ends."""
    room = _number_of_letters_that_fit(26, 400, _RIGHT - _LEFT - 56)
    parts = [
        symbol("brand", _LEFT, 48, 44, 44),
        *(_text_line("i2", _LEFT + 56, 81, words, 26) for words in pictures.wrap_text(picture.over_title, room, 1)),
    ]
    size, step = 58, 63
    title = pictures.wrap_text(picture.title, _number_of_letters_that_fit(size, 700), 3)
    if len(title) == 3:
        size, step = 46, 52
        title = pictures.wrap_text(picture.title, _number_of_letters_that_fit(size, 700), 2)
    y = 102.0
    for words in title:
        y += step
        parts.append(_text_line("in b", _LEFT, y, words, size))
    y += 8
    for words in pictures.wrap_text(
        picture.sentence, _number_of_letters_that_fit(30, 400), 4 if picture.players else 7
    ):
        y += 39
        parts.append(_text_line("in", _LEFT, y, words, 30))
    return parts, y + 24


def _draw_players(game: AnyGame | None, players: Sequence[Player], top: float, bottom: float) -> list[str]:
    if game is None or not players:
        return []
    height = min(55.0, (bottom - top) / len(players))
    mark, size = min(40.0, height - 6), min(30.0, height * 0.68)
    left = _LEFT + badges.badge_width_for_height(game.meta.seat_marks, mark) + 16
    parts = []
    for n, player in enumerate(players):
        y = top + height * n
        value = pictures.width_in_letters(player.value) + 1 if player.value else 0
        name = pictures.shorten_name(
            pictures.drop_invalid_xml(player.name), int(_number_of_letters_that_fit(size, 400, _RIGHT - left) - value)
        )
        parts += [
            badges.draw_badge(player.seat, game.meta.seat_marks, _LEFT, y + (height - mark) / 2, mark),
            _text_line("in", left, y + height / 2 + size * 0.36, name, size),
            _text_line("in b e", _RIGHT, y + height / 2 + size * 0.36, player.value, size),
        ]
    return parts


def _draw_boards(boards: Sequence[str]) -> list[str]:
    """Draws one board whole, or several cut to the same size; a single cover fills the place."""
    x, y, width, height = _MIDDLE + 4, _TOP, WIDTH - _MIDDLE - 4, HEIGHT - _TOP
    if len(boards) == 1:
        if _SLICE in boards[0].split(">", 1)[0]:
            return [pictures.embed_document(boards[0], x, y, width, height, _SLICE)]
        return [pictures.embed_document(boards[0], x + 8, y + 8, width - 16, height - 16, "xMidYMid meet")]
    half, row = (width - 4) / 2, (height - 4) / 2
    parts = [f'<rect class="in" x="{x}" y="{y}" width="{width}" height="{height}"/>'] if boards else []
    for n, board in enumerate(boards):
        parts.append(pictures.embed_document(board, x + n % 2 * (half + 4), y + n // 2 * (row + 4), half, row, _SLICE))
    return parts


def _text_line(classes: str, x: float, y: float, words: str, size: float) -> str:
    at = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
    return f'<text class="{classes}" {at}>{escape(words)}</text>' if words else ""


def _number_of_letters_that_fit(size: float, weight: int, width: float = _RIGHT - _LEFT) -> float:
    """Returns how many ordinary letters of this size and weight fit into the width."""
    return width / (size * _EM[weight])
